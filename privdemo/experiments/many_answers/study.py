"""Errors of shares of 64 answers: five oracles at four ε, each with inversion, projection and maximum likelihood.

The likelihood is evaluated twice, at its maximum and where expectation–maximisation stops at 10⁻³ nats a report. The
results are one small CSV file; `python -m privdemo reproduce answers` computes it again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privdemo.estimators.frequency_oracles import maximise_likelihood, project, stopped_likelihood, unbiased_shares
from privdemo.experiments.many_answers.config import AnswersConfig
from privdemo.experiments.many_answers.release import reported, truth
from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.intervals import Estimate, mean_interval
from privdemo.methods import INVERTED, LIKELIEST, PROJECTED

ORACLES = ("randomised response", "basic rappor", "optimised unary", "subset selection", "local hashing")
EPSILONS = (0.5, 1.0, 2.0, 4.0)
STOPPED = "stopped likelihood"
READINGS = (INVERTED, PROJECTED, LIKELIEST, STOPPED)


@dataclass(frozen=True)
class Row:
    """The root mean square error of a share in one trial, by how reports were read."""

    oracle: str
    epsilon: float
    trial: int
    reading: str
    error: float


def run_trial(oracle: str, epsilon: float, trial: int) -> list[Row]:
    """Run one trial of one mechanism at one ε."""
    config = AnswersConfig(oracle=oracle, epsilon=epsilon, trial=trial)
    people = truth(config)
    made, reports = reported(config, people)
    tally = made.tally(reports)
    found = {
        INVERTED: unbiased_shares(made, tally, config.people),
        PROJECTED: project(made, tally, config.people),
        LIKELIEST: maximise_likelihood(made, reports).shares,
        STOPPED: stopped_likelihood(made, reports).frequencies,
    }
    off = {reading: float(np.sqrt(np.square(found[reading] - people.shares).mean())) for reading in READINGS}
    return [Row(oracle, epsilon, trial, reading, off[reading]) for reading in READINGS]


def means(rows: Sequence[Row]) -> dict[tuple[str, float, str], Estimate]:
    """Return the mean error over trials with its 95 % interval, by oracle, ε and reading."""
    places = group(rows, lambda row: (row.oracle, row.epsilon, row.reading))
    return {place: mean_interval([row.error for row in here], least=0.0) for place, here in places.items()}


def report(rows: Sequence[Row]) -> list[str]:
    """Return the error of every lie by how its reports are read, at every ε."""
    lines = [STUDY.title, "ε, lie, reading, root mean square error × 10⁻⁴ (95 % interval)"]
    return lines + [
        f"{epsilon:5g}  {oracle:19s}  {reading:18s}  {error.times(1e4).formatted('{:.0f}'.format)}"
        for (oracle, epsilon, reading), error in means(rows).items()
    ]


STUDY = ShippedStudy(
    "answers",
    "Shares of 64 answers (Zipf 1.2) of 10,000 people: root mean square error of five lies, read in four ways",
    lambda: list(itertools.product(ORACLES, EPSILONS)),
    run_trial,
    Row,
    list,
    report,
)
load = STUDY.load

"""Errors of shares of 64 answers: five oracles at four ε, each with inversion, projection and maximum likelihood.

The likelihood is evaluated twice, at its maximum and where expectation–maximisation stops at 10⁻³ nats a report. The
results are one small CSV file; `python -m privdemo reproduce answers` computes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from privdemo.estimators.frequency_oracles import maximise_likelihood, project, stopped_likelihood, unbiased_shares
from privdemo.experiments import results
from privdemo.experiments.many_answers.config import AnswersConfig
from privdemo.experiments.many_answers.release import reported, truth
from privdemo.intervals import Estimate, mean_interval
from privdemo.methods import INVERTED, LIKELIEST, PROJECTED

NAME = "answers"
TITLE = "Shares of 64 answers (Zipf 1.2) of 10,000 people: root mean square error of five lies, read in four ways"
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
    """Run one trial of one mechanism at one ε; always in one thread, for the same numbers everywhere."""
    config = AnswersConfig(oracle=oracle, epsilon=epsilon, trial=trial)
    people = truth(config)
    made, reports = reported(config, people)
    tally = made.tally(reports)
    with threadpool_limits(1, user_api="blas"):
        found = {
            INVERTED: unbiased_shares(made, tally, config.people),
            PROJECTED: project(made, tally, config.people),
            LIKELIEST: maximise_likelihood(made, reports).shares,
            STOPPED: stopped_likelihood(made, reports).frequencies,
        }
    off = {reading: float(np.sqrt(np.square(found[reading] - people.shares).mean())) for reading in READINGS}
    return [Row(oracle, epsilon, trial, reading, off[reading]) for reading in READINGS]


def trial_arguments(n_trials: int = results.N_TRIALS) -> list[tuple[str, float, int]]:
    """Return the arguments of every trial."""
    return [(oracle, epsilon, trial) for oracle in ORACLES for epsilon in EPSILONS for trial in range(n_trials)]


def to_csv(rows: Sequence[Row]) -> str:
    """Return rows as the text of a results file."""
    places = [(oracle, epsilon) for oracle in ORACLES for epsilon in EPSILONS]
    order = {place: number for number, place in enumerate(places)}
    return results.to_csv(Row, sorted(rows, key=lambda row: (order[row.oracle, row.epsilon], row.trial)))


def load() -> tuple[Row, ...]:
    """Return the shipped rows."""
    return results.from_csv(Row, results.shipped(NAME).read_text(encoding="utf-8"))


def means(rows: Sequence[Row]) -> dict[tuple[str, float, str], Estimate]:
    """Return the mean error over trials with its 95 % interval, by oracle, ε and reading."""
    found: dict[tuple[str, float, str], list[float]] = {}
    for row in rows:
        found.setdefault((row.oracle, row.epsilon, row.reading), []).append(row.error)
    return {place: mean_interval(errors, least=0.0) for place, errors in found.items()}

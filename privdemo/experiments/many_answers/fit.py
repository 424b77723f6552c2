"""Three ways to read shares from the very same reports, and how far each is off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo.estimators.frequency_oracles import invert, maximise_likelihood, project
from privdemo.experiments.draws import generator
from privdemo.experiments.many_answers.config import AnswersConfig, mechanism
from privdemo.experiments.many_answers.release import REPORTS, Truth, truth
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.methods import INVERTED, LIKELIEST, PROJECTED

Array = NDArray[np.floating]

# So many people times answers have their likeliest shares found within seconds.
MOST_CELLS = 10**7


@dataclass(frozen=True, eq=False)
class Fit:
    """What three estimators make of the same reports: `shares` (k,) and root mean squared `errors` by their names.

    `gap` is the most that the mean log-likelihood of a report could still gain, in nats.
    """

    config: AnswersConfig
    shares: Mapping[str, Array]
    errors: Mapping[str, float]
    gap: float


def is_soon(config: AnswersConfig, people: Truth) -> bool:
    """Whether the likeliest shares are found within seconds."""
    return config.people * people.k <= MOST_CELLS


def fit(config: AnswersConfig) -> Fit:
    """Draw every person's report by the config's oracle, and estimate by inversion, projection and likelihood."""
    people = truth(config)
    made = mechanism(config.oracle, people.k, config.epsilon)
    rng = generator(config, REPORTS, list(ORACLES).index(config.oracle))
    reports = made.reports(np.repeat(np.arange(people.k), people.counts), rng)
    tally, likeliest = made.tally(reports), maximise_likelihood(made, reports)
    shares = {
        INVERTED: invert(made, tally, config.people).shares,
        PROJECTED: project(made, tally, config.people),
        LIKELIEST: likeliest.shares,
    }
    errors = {name: float(np.sqrt(np.square(found - people.shares).mean())) for name, found in shares.items()}
    return Fit(config, shares, errors, likeliest.gap)


def mean_errors(fits: Sequence[Fit]) -> dict[str, Estimate]:
    """The root mean squared error of each estimator over draws, with the root of the mean square's 95 % interval."""
    found = {}
    for name in (INVERTED, PROJECTED, LIKELIEST):
        square = mean_interval([fit.errors[name] ** 2 for fit in fits], least=0.0)
        found[name] = Estimate(*(float(end) for end in np.sign(square) * np.sqrt(np.abs(square))))
    return found

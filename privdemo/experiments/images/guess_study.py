"""Errors of guessed pixels, pixel by pixel and by a low-rank prior: an adversary with 60,000 releases of ten digits.

Everybody's image is guessed, so that only the noise differs between trials. The results are one small CSV file;
`python -m privdemo reproduce guesses` computes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privdemo.estimators.low_rank import learned_low_rank_prior, low_rank_mean
from privdemo.estimators.pixel_priors import learned_prior, posterior_mean
from privdemo.experiments.images.config import Config
from privdemo.experiments.images.people import all_released, all_states
from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.states import to_unit

LEVELS = (0.4, 0.6, 0.8, 0.9)
N_PEOPLE = 60_000
DIGITS = tuple("0123456789")
_GREYS = 256


@dataclass(frozen=True)
class Row:
    """One trial at one level p: the mean squared error of a guess by each `prior` of `images.PRIORS`.

    `factors` are those that were found, none of pixels by themselves.
    """

    level: float
    trial: int
    prior: str
    error: float
    factors: int


def run_trial(level: float, trial: int, n_people: int = N_PEOPLE) -> list[Row]:
    """Run one trial at one level."""
    pixels = RandomisedResponse(level, _GREYS)
    config = Config("mnist", DIGITS, pixels, RandomisedResponse(0.1, len(DIGITS)), 1, n_people, trial)
    clean, released = all_states("mnist", DIGITS, n_people, trial), all_released(config)
    chunks = (released,) if isinstance(released, np.ndarray) else released.make()
    alone = learned_prior(pixels, released, _GREYS)
    together = learned_low_rank_prior(pixels, released, alone)
    sums = np.zeros(2)
    for states, noisy in zip(clean.make(), chunks, strict=True):
        truth = to_unit(states, _GREYS)
        means = pixels.to_unit(posterior_mean(pixels, noisy, alone)), low_rank_mean(pixels, noisy, together)
        sums += [float(np.square(mean - truth, dtype=float).sum()) for mean in means]
    errors = sums / np.prod(clean.shape)
    return [
        Row(level, trial, name, float(error), factors)
        for name, error, factors in zip(("learned", "low_rank"), errors, (0, together.rank), strict=True)
    ]


def means(rows: Sequence[Row]) -> dict[tuple[str, float], Estimate]:
    """Return the mean error by prior and level, with 95 % intervals over trials."""
    places = group(rows, lambda row: (row.prior, row.level))
    return {place: mean_interval([row.error for row in places[place]], 0.0) for place in sorted(places)}


def report(rows: Sequence[Row]) -> list[str]:
    """Return the squared error of a guessed pixel by what the adversary has learned, at every level."""
    lines = [STUDY.title, "chance of change p, what is known of pixels, mean squared error (95 % interval)"]
    return lines + [f"{level:5g}  {prior:8s}  {error:.4f}" for (prior, level), error in means(rows).items()]


STUDY = ShippedStudy(
    "guesses",
    "A guessed pixel's squared error, 0 black and 1 white: 60,000 releases of ten digits under randomised response",
    lambda: [(level,) for level in LEVELS],
    run_trial,
    Row,
    lambda rows: sorted(rows, key=lambda row: (row.level, row.prior)),
    report,
    needs="MNIST",
)
load = STUDY.load

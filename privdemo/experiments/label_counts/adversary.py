"""What an adversary learns from released counts, and from noise that was chosen from private counts."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import accounting
from privdemo.experiments.label_counts.config import CountConfig
from privdemo.experiments.label_counts.release import Outcome
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.label_counts import RELEASES, ScaledDirichlet, calibrate

Array = NDArray[np.floating]


def guess_rates(outcomes: dict[str, Outcome]) -> dict[str, float]:
    """Return how often an adversary who knows all labels but one names that one, of two equally likely classes, at
    best.

    The best guess from noisy counts is right with probability (1 + δ(0))/2, where δ(0) is the total variation distance
    of the two releases, for the worst pair of neighbours. Mechanisms whose noise depends on the private counts are left
    out, as the choice of the noise gives away more.
    """
    return {
        name: (1 + outcome.mechanism.delta_at(0.0)) / 2
        for name, outcome in outcomes.items()
        if outcome.mechanism and not RELEASES[name].data_dependent
    }


class Leak(NamedTuple):
    """The leak of noise that depends on private counts: σ for these counts and for a `neighbour` of them.

    A neighbour has one label in another class. `neighbour_sigma` is nan where the neighbour has no σ at all, so that a
    release alone identifies the counts. `neighbour_delta` is δ at the neighbour with σ of these counts; `own_delta` is
    δ between the two releases, each with its own σ, by simulation: the true δ.
    """

    sigma: float
    neighbour: tuple[int, ...]
    neighbour_sigma: float
    neighbour_delta: float
    own_delta: Estimate


# Releases that simulate δ, and that choose the neighbour.
N_SIMULATED, _N_SCREENED = 200_000, 40_000


def leak(config: CountConfig, release: str = "dirichlet local") -> Leak:
    """Return the counts and the neighbour with the largest `own_delta`, of those that move a label among three classes.

    The classes are the two smallest and the largest: the first two have the fewest records, the largest changes
    the proportions most. `release` is "dirichlet local" (the largest σ that the exact profile allows for the counts at
    hand) or "dirichlet published" (that by the paper's eq. 9). Raises as `label_counts.calibrate` does for the counts.
    """
    counts = np.array(config.counts)
    order = np.argsort(counts, kind="stable")
    sigma = _sigma(config, release, counts)
    rng = np.random.default_rng(config.seed)
    found = []
    for giver, taker in itertools.permutations(dict.fromkeys((*order[:2].tolist(), int(order[-1]))), 2):
        other = counts.copy()
        other[giver] -= 1
        other[taker] += 1
        try:
            there = _sigma(config, release, other)
        except ValueError:
            same = ScaledDirichlet(sigma, accounting.neighbouring_moves(other)).delta_at(config.epsilon)
            return Leak(sigma, tuple(other.tolist()), math.nan, same, Estimate(1.0, 1.0, 1.0))
        pair = sigma * counts, there * other
        for one, two in (pair, pair[::-1]):
            mean = accounting.dirichlet_delta_samples(one, two, config.epsilon, _N_SCREENED, rng).mean()
            found.append((float(mean), other, there, one, two))
    _, other, there, one, two = max(found, key=lambda way: way[0])
    own = mean_interval(accounting.dirichlet_delta_samples(one, two, config.epsilon, N_SIMULATED, rng), 0.0, 1.0)
    same = ScaledDirichlet(sigma, accounting.neighbouring_moves(other)).delta_at(config.epsilon)
    return Leak(sigma, tuple(other.tolist()), there, same, own)


def _sigma(config: CountConfig, release: str, counts: Array) -> float:
    mechanism = calibrate(release, config.epsilon, config.delta, counts)
    assert isinstance(mechanism, ScaledDirichlet)
    return mechanism.sigma

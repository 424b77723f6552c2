"""Exact errors of methods that count, in expectation over lies or noise; they need no trials."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from privdemo.accounting import laplace_scale
from privdemo.estimators import votes
from privdemo.experiments.comparison.config import SHARE, ComparisonConfig
from privdemo.experiments.comparison.release import n_second, shuffled_flips, sizes
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.methods import CORRECTED_COUNT, COUNT_NAIVE, CURATED, CURATED_PURE, SHUFFLED_COUNT

_COUNTS: dict[str, votes.Estimator] = {
    COUNT_NAIVE: votes.naive,
    CORRECTED_COUNT: votes.corrected_mle,
    SHUFFLED_COUNT: votes.corrected_mle,
}


def exact_error(config: ComparisonConfig, method: str) -> float | None:
    """Return the mean error of the share over all people and noise, exactly, of a method that counts lies or adds noise
    to a count.

    Of n people of the target set n₁ are of the second class. Of s ~ Bin(n₁, 1 − p) + Bin(n − n₁, p) answers it is
    Σ_s P(s) |θ̂(s/n) − n₁/n|; of n₁ with Laplace noise of scale b, cut at 0 and n, it is
    b/n · (1 − ½e^(−n₁/b) − ½e^(−(n − n₁)/b)). None for any other method, and where a class has too few records, so that
    the same person is in the target set several times and answers once.
    """
    second = n_second(config)
    if config.task != SHARE or max(config.n_asked - second, second) > sizes(config.dataset)[1]:
        return None
    if method in (CURATED, CURATED_PURE):
        return _noisy_error(config, config.delta if method == CURATED else 0.0)
    if method not in _COUNTS:
        return None
    return _lies_error(config, shuffled_flips(config) if method == SHUFFLED_COUNT else config.flips, _COUNTS[method])


def _lies_error(config: ComparisonConfig, flips: RandomisedResponse, estimate: votes.Estimator) -> float:
    n, second, p = config.n_asked, n_second(config), flips.flip_prob
    chances = np.convolve(_binomial(second, 1 - p), _binomial(n - second, p))
    found = estimate(np.arange(n + 1) / n, BinaryChannel(p, p))
    return float(chances @ np.abs(found - second / n))


def _noisy_error(config: ComparisonConfig, delta: float) -> float:
    n, second, scale = config.n_asked, n_second(config), laplace_scale(config.epsilon, delta)
    return -scale / n * (math.expm1(-second / scale) + math.expm1(-(n - second) / scale)) / 2


def _binomial(n: int, p: float) -> NDArray[np.floating]:
    """Return the chances of 0 … n."""
    return binom.pmf(np.arange(n + 1), n, p)

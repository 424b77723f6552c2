"""Exact errors of methods that count, in expectation over lies or noise; they need no trials."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from privdemo.accounting import laplace_scale
from privdemo.estimators import votes
from privdemo.experiments.comparison.config import OPPOSITE, SHARE, ComparisonConfig
from privdemo.experiments.comparison.release import n_fakes, n_second, shuffled_flips, sizes
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

    Of n people of the target set n₁ are of the second class. f₀ of the first and f₁ of the second push, of whom c say
    the second. Of s ~ c + Bin(n₁ − f₁, 1 − p) + Bin(n − n₁ − f₀, p) answers it is Σ_s P(s) |θ̂(s/n) − n₁/n|. A curator
    is sent m = n₁ − f₁ + c; with Laplace noise of scale b, cut at 0 and n, and g = |m − n₁|, it is
    (g + b e^(−g/b) − ½b e^(−m/b) − ½b e^(−(n − m)/b))/n. None for any other method, and where a class has too few
    records, so that the same person is in the target set several times and answers once.
    """
    second = n_second(config)
    if config.task != SHARE or max(config.n_asked - second, second) > sizes(config.dataset)[1]:
        return None
    if method in (CURATED, CURATED_PURE):
        return _noisy_error(config, config.release_delta if method == CURATED else 0.0)
    if method not in _COUNTS:
        return None
    return _lies_error(config, shuffled_flips(config) if method == SHUFFLED_COUNT else config.flips, _COUNTS[method])


def _lies_error(config: ComparisonConfig, flips: RandomisedResponse, estimate: votes.Estimator) -> float:
    n, second, p = config.n_asked, n_second(config), flips.flip_prob
    of_first, of_second, say_second = _fakes(config)
    chances = np.convolve(_binomial(second - of_second, 1 - p), _binomial(n - second - of_first, p))
    found = estimate((say_second + np.arange(len(chances))) / n, BinaryChannel(p, p))
    return float(chances @ np.abs(found - second / n))


def _noisy_error(config: ComparisonConfig, delta: float) -> float:
    n, second, scale = config.n_asked, n_second(config), laplace_scale(config.epsilon, delta)
    _, of_second, say_second = _fakes(config)
    claimed = second - of_second + say_second
    pushed = abs(claimed - second)
    without = -scale / n * (math.expm1(-claimed / scale) + math.expm1(-(n - claimed) / scale)) / 2
    return (pushed + scale * math.expm1(-pushed / scale)) / n + without


def _fakes(config: ComparisonConfig) -> tuple[int, int, int]:
    """Return how many of the first class of the target set push, how many of the second, and how many of both say the
    second.
    """
    second = n_second(config)
    of_first, of_second = n_fakes(config, config.n_asked - second), n_fakes(config, second)
    return of_first, of_second, of_first + (0 if config.fake_label == OPPOSITE else of_second)


def _binomial(n: int, p: float) -> NDArray[np.floating]:
    """Return the chances of 0 … n."""
    return binom.pmf(np.arange(n + 1), n, p)

"""Marks that need no draws: the errors of counting lies, over every way in which people may lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from privdemo.estimators import votes
from privdemo.experiments.comparison.config import SHARE, ComparisonConfig
from privdemo.experiments.comparison.release import n_second, sizes
from privdemo.mechanisms import BinaryChannel
from privdemo.methods import CORRECTED_COUNT, COUNT_NAIVE

_COUNTS: dict[str, votes.Estimator] = {COUNT_NAIVE: votes.naive, CORRECTED_COUNT: votes.corrected_mle}


def exact_error(config: ComparisonConfig, method: str) -> float | None:
    """The mean error of the share over all draws, exactly: Σ_s P(s) |θ̂(s/n) − θ| over the number s of answers.

    Of n people asked, n₁ of the second class, s ~ Bin(n₁, 1 − p) + Bin(n − n₁, p). None for a method that does more
    than count lies, and where a class has too few records, so that somebody is asked several times and answers once.
    """
    rest = config.n_asked - n_second(config)
    if config.task != SHARE or method not in _COUNTS or max(rest, n_second(config)) > sizes(config.dataset)[1]:
        return None
    p = config.flips.flip_prob
    chances = np.convolve(_binomial(n_second(config), 1 - p), _binomial(rest, p))
    answers = np.arange(config.n_asked + 1) / config.n_asked
    found = _COUNTS[method](answers, BinaryChannel(p, p))
    return float(chances @ np.abs(found - n_second(config) / config.n_asked))


def _binomial(n: int, p: float) -> NDArray[np.floating]:
    """The chances of 0 … n."""
    return binom.pmf(np.arange(n + 1), n, p)

"""How far released or estimated values lie from the truth, with their uncertainty."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from scipy.stats import t as student_t

from privdemo import limits
from privdemo.mechanisms import GaussianNoise, RandomisedResponse
from privdemo.mechanisms.pixels import PixelMechanism

Array = NDArray[np.floating]
Z95 = float(norm.ppf(0.975))


class Estimate(NamedTuple):
    """A mean with the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: ArrayLike) -> Estimate:
    """The mean of independent `values` (n,) with Student's 95 % interval, mean ± t s.e."""
    sample = np.asarray(values, dtype=float)
    limits.Limit("n", 1, math.inf, integer=True).check(len(sample))
    mean = float(sample.mean())
    if len(sample) < 2:
        return Estimate(mean, -math.inf, math.inf)
    quantile = float(student_t.ppf(0.975, len(sample) - 1))
    half = quantile * float(sample.std(ddof=1)) / math.sqrt(len(sample))
    return Estimate(mean, mean - half, mean + half)


def wilson_interval(successes: float, n: int) -> Estimate:
    """A proportion with Wilson's 95 % interval (Wilson 1927), sound near 0 and 1 too.

    `successes` in [0, n]; a tie broken at random may count as a fraction of a success.
    """
    limits.Limit("n", 1, math.inf, integer=True).check(n)
    limits.Limit("successes", 0, n).check(successes)
    z = Z95
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # The ends are 0 at no success and 1 at n; a last digit of rounding must not carry them beyond.
    return Estimate(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


class Distortion(NamedTuple):
    """Mean absolute and mean squared error of a pixel, on the scale 0 (black) to 1 (white)."""

    absolute: float
    squared: float


def expected_distortion(mechanism: PixelMechanism, states: NDArray[np.integer], n_states: int) -> Distortion:
    """The exact expected error of a released pixel, over the noise and the pixels in `states`.

    Gaussian: σ√(2/π) and σ². Laplace: b and 2b². Randomised response: with probability
    q = pk/(k−1) a pixel becomes uniform over the k levels, so the errors average over both.
    """
    if isinstance(mechanism, GaussianNoise):
        return Distortion(mechanism.sigma * math.sqrt(2 / math.pi), mechanism.sigma**2)
    if not isinstance(mechanism, RandomisedResponse):
        return Distortion(mechanism.scale, 2 * mechanism.scale**2)
    levels = np.arange(n_states) / (n_states - 1)
    share = np.bincount(states.ravel(), minlength=n_states) / states.size
    gaps = np.abs(np.subtract.outer(levels, levels))
    redraw = mechanism.flip_prob * n_states / (n_states - 1)
    absolute, squared = gaps.mean(axis=0) @ share, (gaps**2).mean(axis=0) @ share
    return Distortion(redraw * float(absolute), redraw * float(squared))

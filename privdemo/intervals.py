"""Means and shares with their uncertainty: 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta, norm
from scipy.stats import t as student_t

from privdemo import limits

Array = NDArray[np.floating]
Z95 = float(norm.ppf(0.975))


class Estimate(NamedTuple):
    """A mean with the ends of its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether there is an interval at all; one value alone has none."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def has_no_width(self) -> bool:
        """Whether the interval has no width: no trial is random, or every trial gave the same."""
        return self.low == self.high

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval as far as a chart shows them: without an interval the mean itself."""
        return (self.low, self.high) if self.known else (self.mean, self.mean)

    def times(self, factor: float) -> Estimate:
        """Return the same in another unit, of which `factor` make one of this."""
        return Estimate(factor * self.mean, factor * self.low, factor * self.high)

    def covers(self, value: float) -> bool:
        """Return whether `value` lies in the interval."""
        return self.low <= value <= self.high

    @property
    def half(self) -> float:
        """Half the interval: where an end was cut at what the number can be, the longer side."""
        return max(self.high - self.mean, self.mean - self.low)

    def formatted(self, write: Callable[[float], str], joint: str = " ({} to {})") -> str:
        """Return the mean and, if there is one, the interval, each number by `write`: “735 (700 to 770)”.

        `joint` is the format of the interval, with {} for each end.
        """
        number = write(self.mean)
        return number + joint.format(write(self.low), write(self.high)) if self.known else number

    def __format__(self, form: str) -> str:
        """Return the mean and its interval, each by `form`: “0.304 (0.290 to 0.318)”."""
        return self.formatted(lambda value: format(value, form))


@lru_cache(1024)
def _student(freedom: int) -> float:
    """Return Student's quantile for a 95 % interval, which takes longer to find than all else of one."""
    return float(student_t.ppf(0.975, freedom))


def mean_interval(values: ArrayLike, least: float = -math.inf, most: float = math.inf) -> Estimate:
    """Return the mean of independent `values` (n,) with Student's 95 % interval, mean ± t s.e.

    The ends are cut at `least` and `most`, between which every mean lies; one value alone has no interval: −∞ to ∞.
    """
    sample = np.asarray(values, dtype=float)
    limits.Limit("n", 1, math.inf, integer=True).check(len(sample))
    mean = float(sample.mean())
    if len(sample) < 2:
        return Estimate(mean, -math.inf, math.inf)
    half = _student(len(sample) - 1) * float(sample.std(ddof=1)) / math.sqrt(len(sample))
    return Estimate(mean, max(least, mean - half), min(most, mean + half))


def wilson_interval(successes: float, n: int) -> Estimate:
    """Return a proportion with Wilson's 95 % interval (Wilson 1927), sound near 0 and 1 too.

    `successes` lies in [0, n]; a tie that is broken at random may count as a fraction of a success.
    """
    limits.Limit("n", 1, math.inf, integer=True).check(n)
    limits.Limit("successes", 0, n).check(successes)
    low, high = wilson_ends(successes / n, n)
    return Estimate(successes / n, float(low), float(high))


def wilson_ends(shares: ArrayLike, n: int) -> tuple[Array, Array]:
    """Return both ends of Wilson's interval for `shares` of `n` trials, each of the shape of `shares`."""
    limits.Limit("n", 1, math.inf, integer=True).check(n)
    share = np.asarray(shares, dtype=float)
    if not ((share >= 0) & (share <= 1)).all():
        raise ValueError(f"shares must be in [0, 1], got {share.min():g} to {share.max():g}")
    z = Z95
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # The ends are 0 at no success and 1 at n; a last digit of rounding must not carry them beyond.
    return np.clip(np.minimum(share, centre - half), 0, 1), np.clip(np.maximum(share, centre + half), 0, 1)


def exact_interval(successes: int, n: int, miss: float = 0.05) -> Estimate:
    """Return a proportion with the exact interval of Clopper and Pearson (1934), by default that of 95 %.

    It contains the true one at least 95 times of 100, whatever that is and however few the trials are, where Wilson's
    may do so 83 times. For that it is wider: by a fifth at 5 trials, a tenth at 30, a thirtieth at 300. With another
    `miss` it may miss the true one so often.
    """
    limits.Limit("n", 1, math.inf, integer=True).check(n)
    limits.Limit("successes", 0, n, integer=True).check(successes)
    low, high = exact_ends(successes, n, miss)
    return Estimate(successes / n, float(low), float(high))


def exact_ends(successes: ArrayLike, n: int, miss: float = 0.05) -> tuple[Array, Array]:
    """Return both ends of `exact_interval` for `successes` of `n` trials, each of the shape of `successes`."""
    found = np.asarray(successes, dtype=float)
    low = np.where(found > 0, beta.ppf(miss / 2, np.maximum(found, 1), n - found + 1), 0.0)
    high = np.where(found < n, beta.ppf(1 - miss / 2, found + 1, np.maximum(n - found, 1)), 1.0)
    return low, high


def grouped_interval(successes: ArrayLike, trials: ArrayLike) -> Estimate:
    """Return the share of successes among cases that come in groups, such as trials: a 95 % interval over groups.

    `successes` and `trials` (n_groups,). The ratio estimate R = Σ s / Σ t with Student's interval from the deviations
    s − R t (Cochran 1977, section 2.11); never narrower than Wilson's, which is that of one group, and within [0, 1].
    """
    s, t = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    pooled = wilson_interval(float(s.sum()), int(t.sum()))
    n_groups = len(s)
    if n_groups == 1:
        return pooled
    deviation = math.sqrt(float(np.square(s - pooled.mean * t).sum()) * n_groups / (n_groups - 1)) / float(t.sum())
    half = _student(n_groups - 1) * deviation
    low, high = max(0.0, pooled.mean - half), min(1.0, pooled.mean + half)
    return Estimate(pooled.mean, min(low, pooled.low), max(high, pooled.high))


def with_test_sampling_error(share: Estimate, n_records: int) -> Estimate:
    """Return a mean share over trials, such as an accuracy, with the sampling error of the test records in its
    interval.

    The intervals of trials that all take their test records from the same `n_records` leave out the sampling error of
    these. It is binomial, z √(m(1−m)/n), and is added to the half-width of the trials by squares.
    """
    own = Z95 * math.sqrt(share.mean * (1 - share.mean) / n_records)
    low, high = (math.hypot(side, own) for side in (share.mean - share.low, share.high - share.mean))
    return Estimate(share.mean, max(0.0, share.mean - low), min(1.0, share.mean + high))


def gap_interval(first: Estimate, second: Estimate) -> Estimate:
    """Return `first` less `second`, with errors taken as independent: the squares of their half intervals add up.

    For means over the same trials the interval is too wide, as their errors mostly go the same way.
    """
    half = math.hypot(first.half, second.half)
    gap = first.mean - second.mean
    return Estimate(gap, gap - half, gap + half)


def ratio_interval(first: Estimate, second: Estimate) -> Estimate:
    """Return `first` divided by `second`, with errors taken as independent: the squares of relative half intervals add
    up.

    A first-order approximation; `second` must not be near 0.
    """
    ratio = first.mean / second.mean
    half = abs(ratio) * math.hypot(first.half / first.mean, second.half / second.mean)
    return Estimate(ratio, ratio - half, ratio + half)

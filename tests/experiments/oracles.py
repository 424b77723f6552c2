"""Textbook intervals, from scipy."""

import numpy as np
import pytest
from scipy import stats


def student(values, least=-np.inf):
    """The mean with Student's 95 % interval, cut at `least`."""
    interval = stats.ttest_1samp(values, 0).confidence_interval()
    return pytest.approx((np.mean(values), max(interval.low, least), interval.high), abs=1e-12)


def wilson(successes, n):
    """A share with Wilson's 95 % interval."""
    interval = stats.binomtest(int(successes), int(n)).proportion_ci(0.95, method="wilson")
    return pytest.approx((successes / n, interval.low, interval.high), abs=1e-12)

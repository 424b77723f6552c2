"""Intervals against scipy, enumeration and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privdemo.intervals import (
    Estimate,
    gap_interval,
    grouped_interval,
    mean_interval,
    ratio_interval,
    wilson_ends,
    wilson_interval,
)


def rng(seed=0):
    return np.random.default_rng(seed)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(case):
    successes, n = case
    found = wilson_interval(successes, n)
    other = stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert found.mean == successes / n
    assert found.low == pytest.approx(other.low, abs=1e-12)
    assert found.high == pytest.approx(other.high, abs=1e-12)
    corrected = stats.binomtest(successes, n).proportion_ci(0.95, method="wilsoncc")
    assert found.high - found.low < corrected.high - corrected.low  # without a continuity correction


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.floats(0, n), st.just(n))))
def test_wilson_ends_are_shares_around_the_mean(case):
    successes, n = case
    found = wilson_interval(successes, n)
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.low < found.high
    mirrored = wilson_interval(n - successes, n)
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-12)


def test_wilson_ends_at_zero_and_one():
    lows = np.array([wilson_interval(0, n).low for n in range(1, 400)])
    highs = np.array([wilson_interval(n, n).high for n in range(1, 400)])
    assert ((lows >= 0) & (lows <= 1e-15)).all()
    assert ((highs <= 1) & (highs >= 1 - 1e-15)).all()


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (math.nan, 5), (0, 0), (1, 2.5), (1, -3)])
def test_wilson_refuses_impossible_counts(successes, n):
    with pytest.raises(ValueError, match=r"^(n|successes) must be"):
        wilson_interval(successes, n)


def test_mean_interval_by_hand():
    found = mean_interval([1, 2, 3, 6])
    # s² = (4 + 1 + 0 + 9)/3, standard error √(s²/4), 97.5 % point of Student's t with 3 degrees 3.182446
    half = 3.18244631 * math.sqrt(14 / 3 / 4)
    assert found.mean == 3
    assert found.low == pytest.approx(3 - half, rel=1e-7)
    assert found.high == pytest.approx(3 + half, rel=1e-7)


def test_mean_interval_of_one_value_and_of_none():
    assert mean_interval([0.25]) == Estimate(0.25, -math.inf, math.inf)
    with pytest.raises(ValueError, match="n must be a whole number at least 1, got 0"):
        mean_interval([])


def test_a_share_over_groups_by_hand():
    ratio = 170 / 230
    squares = (80 - ratio * 100) ** 2 + (30 - ratio * 50) ** 2 + (60 - ratio * 80) ** 2
    half = stats.t.ppf(0.975, 2) * math.sqrt(squares * 3 / 2) / 230
    assert grouped_interval((80, 30, 60), (100, 50, 80)) == pytest.approx((ratio, ratio - half, ratio + half))
    assert grouped_interval((90, 10), (100, 50)) == pytest.approx((2 / 3, 0, 1))  # cut at both ends
    assert grouped_interval((80,), (100,)) == wilson_interval(80, 100)
    # A group of one trial hardly counts, and groups that agree are no surer than their trials.
    assert grouped_interval((95, 0), (100, 1)).mean == pytest.approx(95 / 101)
    assert grouped_interval((10, 10), (10, 10)) == wilson_interval(20, 20)
    assert grouped_interval((50, 50), (100, 100)) == pytest.approx(wilson_interval(100, 200))


def test_intervals_of_gaps_and_ratios_are_those_of_independent_errors():
    a, b = Estimate(0.5, 0.47, 0.53), Estimate(0.25, 0.21, 0.29)
    assert gap_interval(a, b) == pytest.approx((0.25, 0.2, 0.3))
    assert gap_interval(b, a).mean == -0.25
    half = 2 * math.hypot(0.03 / 0.5, 0.04 / 0.25)
    assert ratio_interval(a, b) == pytest.approx((2, 2 - half, 2 + half))


def test_an_interval_is_cut_where_a_mean_cannot_be():
    assert mean_interval([0.0, 1.0], 0.0, 1.0) == (0.5, 0, 1)
    assert mean_interval([0.0, 1.0], least=0.0).high > 6
    assert mean_interval([0.0, 1.0], most=1.0).low < -5


def test_zero_is_excluded_on_either_side_only():
    assert Estimate(2, 1, 3).excludes_zero
    assert Estimate(-2, -3, -1).excludes_zero
    assert not any(Estimate(1, low, high).excludes_zero for low, high in ((-1, 3), (0, 3), (-3, 0)))


def test_wilson_ends_keep_the_shape_and_refuse_what_are_no_shares():
    low, high = wilson_ends([[0.2, 0.5]], 50)
    assert low.shape == high.shape == (1, 2)
    assert (low[0, 1], high[0, 1]) == wilson_interval(25, 50)[1:]
    for bad in ([0.5, 1.2], [-0.1, 0.5], [math.nan, 0.5]):
        with pytest.raises(ValueError, match=r"^shares must be in \[0, 1\], got "):
            wilson_ends(bad, 50)

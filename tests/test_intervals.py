"""Intervals against scipy and by hand; the one rule for better, worse and not clear."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privdemo import intervals
from privdemo.intervals import Estimate, mean_interval, wilson_interval, with_test_sampling_error
from privdemo.verdict import ENOUGH, Verdict, clearly_above, clearly_below, judge


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(case):
    found, other = wilson_interval(*case), stats.binomtest(*case).proportion_ci(0.95, method="wilson")
    assert found == pytest.approx((case[0] / case[1], other.low, other.high), abs=1e-12)
    assert 0 <= found.low <= found.mean <= found.high <= 1


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_exact_interval_agrees_with_scipy(case):
    found, other = intervals.exact_interval(*case), stats.binomtest(*case).proportion_ci(0.95, method="exact")
    assert found == pytest.approx((case[0] / case[1], other.low, other.high), abs=1e-9)


def test_how_much_wider_the_exact_interval_is_than_wilsons():
    """A fifth at 5 trials, a tenth at 30, a thirtieth at 300: as the docstring says, and what Wilson's misses."""
    for n, wider in ((5, 0.2), (30, 0.1), (300, 1 / 30)):
        exact, wilson = ([each(x, n) for x in range(n + 1)] for each in (intervals.exact_interval, wilson_interval))
        widths = (sum(each.high - each.low for each in found) for found in (exact, wilson))
        assert next(widths) / next(widths) - 1 == pytest.approx(wider, rel=0.25)
    shares = np.linspace(0, 1, 4001)
    chances = stats.binom.pmf(np.arange(6), 5, shares[:, None])
    low, high = intervals.wilson_ends(np.arange(6) / 5, 5)
    held = (chances * ((low <= shares[:, None]) & (shares[:, None] <= high))).sum(axis=1)
    assert round(100 * held.min()) == 83


def test_wilson_ends_keep_the_shape_and_impossible_counts_are_refused():
    low, high = intervals.wilson_ends([[0.2, 0.5]], 50)
    assert low.shape == high.shape == (1, 2)
    assert (low[0, 1], high[0, 1]) == wilson_interval(25, 50)[1:]
    for case, sentence in (((6, 5), "^successes must be"), ((0, 0), "^n must be a whole number at least 1")):
        for interval in (wilson_interval, intervals.exact_interval):
            with pytest.raises(ValueError, match=sentence):
                interval(*case)


def test_mean_interval_by_hand_and_cut_where_a_mean_cannot_be():
    # s² = (4 + 1 + 0 + 9)/3, standard error √(s²/4), 97.5 % point of Student's t with 3 degrees 3.182446
    half = 3.18244631 * math.sqrt(14 / 3 / 4)
    assert mean_interval([1, 2, 3, 6]) == pytest.approx((3, 3 - half, 3 + half), rel=1e-7)
    assert mean_interval([0.25]) == Estimate(0.25, -math.inf, math.inf)
    assert mean_interval([0.0, 1.0], 0.0, 1.0) == (0.5, 0, 1)


def test_a_share_over_groups_by_hand():
    ratio = 170 / 230
    squares = (80 - ratio * 100) ** 2 + (30 - ratio * 50) ** 2 + (60 - ratio * 80) ** 2
    half = stats.t.ppf(0.975, 2) * math.sqrt(squares * 3 / 2) / 230
    assert intervals.grouped_interval((80, 30, 60), (100, 50, 80)) == pytest.approx((ratio, ratio - half, ratio + half))
    assert intervals.grouped_interval((90, 10), (100, 50)) == pytest.approx((2 / 3, 0, 1))  # cut at both ends
    assert intervals.grouped_interval((80,), (100,)) == wilson_interval(80, 100)
    # A group of one trial hardly counts, and groups that agree are no surer than their trials.
    assert intervals.grouped_interval((95, 0), (100, 1)).mean == pytest.approx(95 / 101)
    assert intervals.grouped_interval((50, 50), (100, 100)) == pytest.approx(wilson_interval(100, 200))


def test_intervals_of_gaps_and_ratios_are_those_of_independent_errors():
    a, b = Estimate(0.5, 0.47, 0.53), Estimate(0.25, 0.21, 0.29)
    half = 2 * math.hypot(0.03 / 0.5, 0.04 / 0.25)
    assert intervals.gap_interval(a, b) == pytest.approx((0.25, 0.2, 0.3))
    assert intervals.ratio_interval(a, b) == pytest.approx((2, 2 - half, 2 + half))
    assert intervals.ratio_interval(Estimate(-0.5, -0.53, -0.47), b) == pytest.approx((-2, -2 - half, -2 + half))


def test_an_estimate_knows_its_interval_and_writes_it():
    uneven, lone = Estimate(0.5, 0.3, 0.6), Estimate(0.5, -math.inf, math.inf)
    assert (uneven.known, lone.known, Estimate(0.5, 0.3, math.inf).known) == (True, False, False)
    assert (uneven.ends, lone.ends, uneven.half) == ((0.3, 0.6), (0.5, 0.5), pytest.approx(0.2))
    assert (uneven.has_no_width, Estimate(0.5, 0.5, 0.5).has_no_width) == (False, True)
    assert [uneven.covers(value) for value in (0.29, 0.3, 0.6, 0.61)] == [False, True, True, False]
    assert (f"{uneven:.2f}", f"{lone:.2f}") == ("0.50 (0.30 to 0.60)", "0.50")
    assert uneven.formatted(str, ", 95 %: {} to {}") == "0.5, 95 %: 0.3 to 0.6"


UP, DOWN, UNCLEAR = Estimate(0.1, 0.05, 0.15), Estimate(-0.1, -0.15, -0.05), Estimate(0.1, -0.05, 0.25)


@pytest.mark.parametrize(
    ("difference", "options", "verdict"),
    [
        (UP, {}, Verdict.BETTER),
        (DOWN, {}, Verdict.WORSE),
        (UNCLEAR, {}, Verdict.NOT_CLEAR),
        (Estimate(0.1, 0.0, 0.2), {}, Verdict.NOT_CLEAR),
        (UP, {"lower_is_better": True}, Verdict.WORSE),
        (UP, {"than": 0.05}, Verdict.NOT_CLEAR),
        (UP, {"than": 0.16}, Verdict.WORSE),
        (UP, {"than": 0.04, "least": 0.07}, Verdict.NOT_CLEAR),
        (UP, {"least": 0.1}, Verdict.BETTER),
        (DOWN, {"least": 0.11}, Verdict.NOT_CLEAR),
        (UP, {"n_trials": 5}, Verdict.BETTER),
        (UP, {"n_trials": 4}, Verdict.TOO_FEW),
    ],
)
def test_one_rule_says_which_is_better(difference, options, verdict):
    assert judge(difference, **options) is verdict
    assert verdict.clear == (verdict in (Verdict.BETTER, Verdict.WORSE))


def test_what_is_clearly_above_or_below_a_number_is_so_with_its_whole_interval():
    assert ENOUGH == 5
    assert [clearly_above(UP, than) for than in (0.04, 0.1, 0.16)] == [True, False, False]
    assert [clearly_below(UP, than) for than in (0.04, 0.1, 0.16)] == [False, False, True]


def test_trials_on_the_same_test_records_count_the_luck_of_these_too():
    """Ten samples of 180 of 200 records, of which each is right with 0.9: only with it 95 of 100 intervals hold 0.9."""
    rng, held = np.random.default_rng(0), np.zeros(2)
    for _ in range(1000):
        right = rng.random(200) < 0.9
        trials = [right[rng.permutation(200)[:180]].mean() for _ in range(10)]
        own = mean_interval(trials)
        held += [own.covers(0.9), with_test_sampling_error(own, 200).covers(0.9)]
    assert held[0] < 400
    assert 920 < held[1] < 980

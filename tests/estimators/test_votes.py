"""Estimates of a share against direct maximisation, enumeration of every outcome, and Bayes' rule written anew."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar

from privdemo.estimators import votes
from privdemo.mechanisms import BinaryChannel
from tests.estimators.oracles import (
    LOG_ODDS,
    Z,
    answer_prob,
    climb_reconstruction,
    reconstruction_objective,
    reconstruction_slope,
    rng,
    share_likelihood,
)

SYMMETRIC, ASYMMETRIC, REVERSED = BinaryChannel(0.2, 0.2), BinaryChannel(0.1, 0.35), BinaryChannel(0.8, 0.7)
ONE_SIDED = (BinaryChannel(0.0, 0.4), BinaryChannel(0.4, 0.0))
CHANNELS = [SYMMETRIC, ASYMMETRIC, REVERSED, *ONE_SIDED, BinaryChannel(0.0, 0.0), BinaryChannel(1.0, 1.0)]
NO_INNER_MAXIMUM = (2 - math.sqrt(2)) / 4  # symmetric lies from which on J has none


@st.composite
def channels(draw, least=0.05):
    """Any lies that leave some information, one-sided and reversed ones among them."""
    lie = st.one_of(st.floats(1e-6, 1), st.just(0.0), st.floats(1e-6, 0.05))
    p10, p01 = draw(lie), draw(lie)
    assume(abs(1 - p10 - p01) >= least)
    return BinaryChannel(p10, p01)


shares = st.one_of(st.floats(0, 1), st.integers(0, 10).map(lambda n: n / 10))


# --- the observed and the corrected share ----------------------------------------------------------


@pytest.mark.parametrize("channel", CHANNELS)
def test_the_correction_recovers_the_truth_from_long_run_answers_and_the_published_sign_does_not(channel):
    theta = np.linspace(0, 1, 21)
    observed = np.array([answer_prob(t, channel) for t in theta])
    np.testing.assert_array_equal(votes.naive(observed, channel), observed)
    # a few roundings of numbers at most 1, divided by the contrast
    np.testing.assert_allclose(votes.corrected(observed, channel), theta, atol=8e-16 / abs(channel.contrast))
    printed = (observed + channel.p10) / (1 - channel.p10 - channel.p01)
    assert (np.abs(printed - theta) >= 2 * channel.p10 - 1e-12).all()  # off by 2 p10 / contrast everywhere


@settings(max_examples=100)
@given(channels(), shares)
def test_the_corrected_mle_is_the_best_share_there_is(channel, share):
    found = float(votes.corrected_mle(share, channel))
    assert 0 <= found <= 1
    best = share_likelihood(found, share, channel)
    searched = minimize_scalar(
        lambda t: -share_likelihood(t, share, channel), bounds=(0, 1), method="bounded", options={"xatol": 1e-10}
    )
    for theta in (searched.x, 0.0, 1.0, *np.linspace(0.05, 0.95, 7)):
        assert best >= share_likelihood(theta, share, channel) - 1e-12  # the rounding of a sum of two logarithms
    # the likelihood bends by at least contrast², as f/q² + (1−f)/(1−q)² ≥ 1: moving off by δ costs δ²/2 of that
    for theta in (found - 0.01, found + 0.01):
        if 0 <= theta <= 1:
            lost = best - share_likelihood(theta, share, channel)
            assert lost >= 0.99 * 0.5 * (0.01 * channel.contrast) ** 2


def test_the_correction_leaves_the_unit_interval_and_its_projection_does_not():
    np.testing.assert_allclose(votes.corrected([0.0, 0.1, 1.0], SYMMETRIC), [-1 / 3, -1 / 6, 4 / 3], rtol=1e-12)
    np.testing.assert_array_equal(votes.corrected_mle([0.0, 0.1, 1.0], SYMMETRIC), [0, 0, 1])
    np.testing.assert_array_equal(votes.corrected_mle([0.0, 1.0], REVERSED), [1, 0])  # who denies it most did it


# --- reconstruction --------------------------------------------------------------------------------


@given(st.floats(1e-9, 1 - 1e-9), shares, channels())
def test_the_objective_is_the_definition(theta, share, channel):
    found = float(votes.reconstruction_objective(theta, share, channel))
    # a posterior next to 1 is subtracted from 1, and |ln θ| is at most 21
    assert found == pytest.approx(reconstruction_objective(theta, share, channel), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("channel", [SYMMETRIC, BinaryChannel(0.0, 0.0), *ONE_SIDED])
def test_the_objective_is_0_at_an_end_unless_an_answer_rules_that_end_out(channel):
    # with p10 = 0 an answer A proves a vote for A, and J → f̃ ln θ → −∞ as θ → 0; with p01 = 0 the same at 1
    found = votes.reconstruction_objective([0.0, 1.0], 0.3, channel)
    np.testing.assert_array_equal(found, [0 if lie else -math.inf for lie in (channel.p10, channel.p01)])


def test_the_objective_broadcasts():
    theta, share = np.linspace(0.1, 0.9, 5)[:, None], np.linspace(0, 1, 3)
    found = votes.reconstruction_objective(theta, share, ASYMMETRIC)
    assert found.shape == (5, 3)
    assert found[3, 1] == votes.reconstruction_objective(theta[3, 0], share[1], ASYMMETRIC)


@settings(max_examples=150)
@example(BinaryChannel(0.0, 1 / 3), 1 / 3)  # an inflection at ½
@given(channels(), st.one_of(shares, st.floats(1e-6, 1e-2), st.floats(0.99, 1 - 1e-6)))
def test_reconstruction_is_where_an_ascent_by_hand_ends(channel, share):
    start = share if channel.contrast > 0 else 1 - share
    if 0 < start < 1:
        assume(abs(reconstruction_slope(start, share, channel)) > 1e-6)  # where it is level an ascent stays
    found, expected = float(votes.reconstruction(share, channel)), climb_reconstruction(share, channel)
    with np.errstate(divide="ignore"):
        log_odds = np.log(found) - np.log1p(-found)
    if abs(expected) < 18:
        assert abs(log_odds - expected) <= 1.1 * (LOG_ODDS[1] - LOG_ODDS[0])
    else:
        assert log_odds * np.sign(expected) > 17  # an end, to 4·10⁻⁸


@pytest.mark.parametrize("share", [0.37, 0.42, 0.5, 0.61])
def test_an_inner_maximum_is_level_and_lower_on_both_sides(share):
    channel = BinaryChannel(0.06, 0.06)
    found = float(votes.reconstruction(share, channel))
    assert 0.05 < found < 0.95
    assert abs(reconstruction_slope(found, share, channel)) < 1e-9
    for moved in (found - 0.01, found + 0.01):
        assert reconstruction_objective(moved, share, channel) < reconstruction_objective(found, share, channel)
    if share != 0.5:  # neither the answers nor the truth
        assert min(abs(found - share), abs(found - float(votes.corrected(share, channel)))) > 0.01


@pytest.mark.parametrize("off", [-1e-3, 1e-3])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_the_inner_maximum_vanishes_at_the_threshold(off, is_reversed):
    lie = NO_INNER_MAXIMUM + off
    channel = BinaryChannel(1 - lie, 1 - lie) if is_reversed else BinaryChannel(lie, lie)
    near = np.sort(votes.reconstruction([0.49995, 0.50005], channel))
    if off < 0:
        assert ((near > 0.1) & (near < 0.9)).all()
    else:
        np.testing.assert_array_equal(near, [0, 1])


@pytest.mark.parametrize("lie", [0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.5, 0.7, 0.95, 1.0])
def test_half_stays_half_under_symmetric_lies_and_is_tied_where_it_is_no_maximum(lie):
    channel = BinaryChannel(lie, lie)
    assert votes.reconstruction(0.5, channel) == pytest.approx(0.5, abs=1e-9)
    tied = votes.reconstruction_tied([[0.5, 0.4], [0.6, 0.50001]], channel)
    assert tied.dtype == bool
    np.testing.assert_array_equal(tied, [[NO_INNER_MAXIMUM < lie < 1 - NO_INNER_MAXIMUM, False], [False, False]])


@given(channels(), shares)
def test_calling_a_b_mirrors_every_estimate(channel, share):
    mirrored = BinaryChannel(channel.p01, channel.p10)
    start = share if channel.contrast > 0 else 1 - share
    assume(0 < start < 1 and abs(reconstruction_slope(start, share, channel)) > 1e-6)
    for estimator in votes.ESTIMATORS.values():
        assert estimator(1 - share, mirrored) == pytest.approx(1 - estimator(share, channel), abs=1e-8)


def test_reconstruction_takes_any_shape_and_solves_each_share_alone():
    observed, channel = rng(1).random((3, 4)), BinaryChannel(0.05, 0.1)
    found = votes.reconstruction(observed, channel)
    assert found.shape == (3, 4)
    assert votes.reconstruction(0.3, channel).shape == votes.reconstruction_tied(0.3, channel).shape == ()
    for index in np.ndindex(3, 4):
        assert found[index] == votes.reconstruction(observed[index], channel)
    # nobody lies, or everybody does
    np.testing.assert_allclose(votes.reconstruction(observed, BinaryChannel(0, 0)), observed, atol=1e-11)
    np.testing.assert_allclose(votes.reconstruction(observed, BinaryChannel(1, 1)), 1 - observed, atol=1e-11)


# --- the distribution of an estimate ---------------------------------------------------------------


@pytest.mark.parametrize("name", votes.ESTIMATORS)
@pytest.mark.parametrize("channel", [ASYMMETRIC, REVERSED, BinaryChannel(0.05, 0.05)])
@pytest.mark.parametrize("chance", [0.0, 0.3, 1.0])
def test_the_law_is_that_of_every_sequence_of_answers(name, channel, chance):
    n, values, weights = 7, [], []
    for answers in itertools.product((0, 1), repeat=n):
        values.append(float(votes.ESTIMATORS[name](sum(answers) / n, channel)))
        weights.append(math.prod(chance if a else 1 - chance for a in answers))
    mean = float(np.dot(weights, values))
    deviation = math.sqrt(np.dot(weights, (np.array(values) - mean) ** 2))
    found = votes.law(name, chance, n, channel)
    assert found.weights.sum() == pytest.approx(1, abs=1e-12)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    assert found.deviation == pytest.approx(deviation, abs=1e-7)  # √ of a variance known to 10⁻¹⁵
    assert abs(votes.law(name, 0.6, n, channel).mean - mean) > 1e-3


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("n", [1, 10, 1000, 10_000_000])
@pytest.mark.parametrize("theta", [0.0, 0.01, 0.35, 1.0])
def test_the_correction_is_unbiased_and_its_deviation_is_that_of_the_answers_over_the_contrast(channel, n, theta):
    chance = min(1.0, answer_prob(theta, channel))
    standard_error = math.sqrt(chance * (1 - chance) / n)
    for name, mean, deviation in (
        ("naive", chance, standard_error),
        ("spread", theta, standard_error / abs(1 - channel.p10 - channel.p01)),
    ):
        found = votes.law(name, chance, n, channel)
        # 10⁻¹⁵ is left out of either tail, and ten million weights are each rounded
        assert found.mean == pytest.approx(mean, abs=1e-12 + 1e-7 * deviation)
        assert found.deviation == pytest.approx(deviation, rel=1e-9, abs=1e-8 / math.sqrt(n))


@pytest.mark.parametrize("channel", [SYMMETRIC, ASYMMETRIC, REVERSED])
def test_an_estimate_by_hand(channel):
    found = votes.estimate("spread", 37, 90, channel)
    contrast = 1 - channel.p10 - channel.p01
    assert found.value == pytest.approx((37 / 90 - channel.p10) / contrast, abs=1e-14)
    assert found.standard_error == pytest.approx(math.sqrt(37 / 90 * 53 / 90 / 90) / abs(contrast), rel=1e-9)
    wilson = stats.binomtest(37, 90).proportion_ci(0.95, method="wilson")
    ends = sorted((end - channel.p10) / contrast for end in (wilson.low, wilson.high))
    np.testing.assert_allclose([found.low, found.high], ends, atol=1e-12)


# --- what the intervals cover ----------------------------------------------------------------------


def covered(name, n, theta, channel, truth=None, assumed=None):
    """The exact chance, over all n + 1 outcomes, that the interval holds `truth` (θ itself unless said)."""
    weights = stats.binom.pmf(np.arange(n + 1), n, answer_prob(theta, channel))
    low, high = votes.interval(name, np.arange(n + 1) / n, n, assumed or channel)
    assert (low <= high).all()
    target = theta if truth is None else truth
    return float(weights @ ((low - 1e-12 <= target) & (target <= high + 1e-12)))


def accepted(n, theta, channel):
    """The same chance from Wilson's definition: all counts that a two-sided score test of θ does not reject."""
    chance = answer_prob(theta, channel)
    kept = np.abs(np.arange(n + 1) / n - chance) <= Z * math.sqrt(chance * (1 - chance) / n) + 1e-12
    return float(stats.binom.pmf(np.arange(n + 1), n, chance) @ kept)


@pytest.mark.parametrize("channel", [SYMMETRIC, ASYMMETRIC, REVERSED, *ONE_SIDED, BinaryChannel(0.45, 0.4)])
@pytest.mark.parametrize("n", [10, 200])
def test_intervals_cover_what_a_score_test_accepts(channel, n):
    for theta in (0.0, 0.01, 0.2, 0.5, 0.99, 1.0):
        expected = accepted(n, theta, channel)
        assert covered("spread", n, theta, channel) == pytest.approx(expected, abs=1e-9)
        if theta in (0, 1):  # an interval wholly beyond an end is projected onto it
            assert covered("spread MLE", n, theta, channel) >= expected - 1e-9
        else:
            assert covered("spread MLE", n, theta, channel) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("name", "channel"), [("naive", SYMMETRIC), ("reconstruction", BinaryChannel(0.06, 0.1))])
def test_biased_estimators_cover_their_own_limit_and_not_the_truth(name, channel):
    theta, n = 0.4, 20_000
    limit = float(votes.ESTIMATORS[name](answer_prob(theta, channel), channel))
    assert abs(limit - theta) > 0.02
    assert covered(name, n, theta, channel, truth=limit) == pytest.approx(0.95, abs=0.01)
    assert covered(name, n, theta, channel) < 1e-6


def test_where_reconstruction_jumps_to_an_end_its_interval_is_that_end():
    assert votes.interval("reconstruction", 0.3, 10_000, SYMMETRIC) == (0, 0)


# --- refusals --------------------------------------------------------------------------------------

USELESS = BinaryChannel(0.3, 0.7)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        *[
            (lambda name=name, bad=bad: votes.ESTIMATORS[name]([0.5, bad], SYMMETRIC), rf"share .* \[0, 1\], got {bad}")
            for name in votes.ESTIMATORS
            for bad in (-0.1, 1.2, math.nan)
        ],
        (lambda: votes.naive("most", SYMMETRIC), "shares must be numbers in .*, got 'most'"),
        (lambda: votes.naive([[0.1], [0.2, 0.3]], SYMMETRIC), "shares must be numbers"),
        (
            lambda: votes.estimate("naive", 0, 0, SYMMETRIC),
            r"n_voters must be a whole number in \[1, 10000000\], got 0",
        ),
        (lambda: votes.law("naive", 0.5, 2.5, SYMMETRIC), "n_voters must be a whole number .*, got 2.5"),
        (lambda: votes.law("naive", 1.5, 10, SYMMETRIC), "answer_prob must be .*, got 1.5"),
        (lambda: votes.interval("naive", 0.5, 0, SYMMETRIC), "n_voters must be .*, got 0"),
        (lambda: votes.estimate("naive", -1, 10, SYMMETRIC), r"answers_for_a must be .* in \[0, 10\], got -1"),
        (lambda: votes.estimate("naive", 11, 10, SYMMETRIC), r"answers_for_a must be .* in \[0, 10\], got 11"),
        (lambda: votes.estimate("naive", 2.5, 10, SYMMETRIC), r"answers_for_a must be .* in \[0, 10\], got 2.5"),
        (lambda: votes.estimate("mean", 3, 10, SYMMETRIC), "name must be one of naive, .*, got 'mean'"),
        (lambda: votes.estimate("spread", 3, 10, USELESS), r"p10 \+ p01 must differ from 1, got 0.3 \+ 0.7"),
        (lambda: votes.estimate("spread MLE", 3, 10, USELESS), r"p10 \+ p01 must differ from 1"),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()


def test_the_ends_of_what_is_possible_are_answered():
    for name in votes.ESTIMATORS:
        assert [votes.estimate(name, said, 10, SYMMETRIC).low <= 1 for said in (0, 10)] == [True, True]
    assert votes.estimate("naive", 10, 10, SYMMETRIC).value == 1
    assert votes.estimate("naive", 3, 10, USELESS).value == 0.3

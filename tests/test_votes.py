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

SYMMETRIC, ASYMMETRIC, REVERSED = BinaryChannel(0.2, 0.2), BinaryChannel(0.1, 0.35), BinaryChannel(0.8, 0.7)
ONE_SIDED = (BinaryChannel(0.0, 0.4), BinaryChannel(0.4, 0.0))
CHANNELS = [SYMMETRIC, ASYMMETRIC, REVERSED, *ONE_SIDED, BinaryChannel(0.0, 0.0), BinaryChannel(1.0, 1.0)]
MONOTONE = [*CHANNELS, BinaryChannel(0.05, 0.05), BinaryChannel(0.01, 0.002), BinaryChannel(0.9, 0.03)]
Z = 1.959963984540054
NO_INNER_MAXIMUM = (2 - math.sqrt(2)) / 4


def rng(seed=0):
    return np.random.default_rng(seed)


def answer_prob(theta, channel):
    """P(answer A) by the law of total probability."""
    return theta * (1 - channel.p01) + (1 - theta) * channel.p10


def spread_likelihood(theta, share, channel):
    """Barber's eq. (22): f̃₀ ln p̃(0) + f̃₁ ln p̃(1), with 0 ln 0 = 0."""
    says_a = answer_prob(theta, channel)
    with np.errstate(divide="ignore"):
        return sum(float(f * np.log(p)) for f, p in ((share, says_a), (1 - share, 1 - says_a)) if f)


@st.composite
def channels(draw, least=0.05):
    """Any lies that leave some information, one-sided and reversed ones among them."""
    lie = st.one_of(st.floats(1e-6, 1), st.just(0.0), st.floats(1e-6, 0.05))
    p10, p01 = draw(lie), draw(lie)
    assume(abs(1 - p10 - p01) >= least)
    return BinaryChannel(p10, p01)


shares = st.one_of(st.floats(0, 1), st.integers(0, 10).map(lambda n: n / 10))


# --- naive and spread ------------------------------------------------------------------------------


@given(st.lists(shares), channels())
def test_naive_is_the_observed_share(observed, channel):
    np.testing.assert_array_equal(votes.naive(observed, channel), observed)


@pytest.mark.parametrize("channel", CHANNELS)
def test_spread_recovers_the_truth_from_long_run_answers_and_the_published_sign_does_not(channel):
    theta = np.linspace(0, 1, 21)
    observed = np.array([answer_prob(t, channel) for t in theta])
    # a few roundings of numbers at most 1, divided by the contrast
    np.testing.assert_allclose(votes.corrected(observed, channel), theta, atol=8e-16 / abs(channel.contrast))
    printed = (observed + channel.p10) / (1 - channel.p10 - channel.p01)
    if channel.p10:
        assert np.abs(printed - theta).min() >= 2 * channel.p10 - 1e-12  # off by 2 p10 / contrast everywhere
    else:
        np.testing.assert_allclose(printed, theta, atol=1e-15)


@given(channels(), st.floats(0.001, 0.999))
def test_the_spread_likelihood_is_level_at_the_raw_estimate(channel, share):
    theta = float(votes.corrected(share, channel))
    says_a, contrast = answer_prob(theta, channel), 1 - channel.p10 - channel.p01
    slope = contrast * (share / says_a - (1 - share) / (1 - says_a))
    # says_a should be the share; it is off by a few roundings of numbers up to 1/contrast
    assert abs(slope) <= 10 * np.finfo(float).eps / abs(contrast) / (share * (1 - share))


@settings(max_examples=200)
@given(channels(), shares)
def test_corrected_mle_is_the_best_share_there_is(channel, share):
    found = float(votes.corrected_mle(share, channel))
    assert 0 <= found <= 1
    best = spread_likelihood(found, share, channel)
    searched = minimize_scalar(
        lambda t: -spread_likelihood(t, share, channel), bounds=(0, 1), method="bounded", options={"xatol": 1e-10}
    )
    for theta in (searched.x, 0.0, 1.0, *np.linspace(0.05, 0.95, 7)):
        assert best >= spread_likelihood(theta, share, channel) - 1e-12  # the rounding of a sum of two logarithms
    # the likelihood bends by at least contrast², as f/q² + (1−f)/(1−q)² ≥ 1: moving off by δ costs δ²/2 of that
    for theta in (found - 0.01, found + 0.01):
        if 0 <= theta <= 1:
            lost = best - spread_likelihood(theta, share, channel)
            assert lost >= 0.99 * 0.5 * (0.01 * channel.contrast) ** 2


def test_spread_leaves_the_unit_interval_and_its_projection_does_not():
    np.testing.assert_allclose(votes.corrected([0.0, 0.1, 1.0], SYMMETRIC), [-1 / 3, -1 / 6, 4 / 3], rtol=1e-12)
    np.testing.assert_array_equal(votes.corrected_mle([0.0, 0.1, 1.0], SYMMETRIC), [0, 0, 1])
    np.testing.assert_array_equal(votes.corrected_mle([0.0, 1.0], REVERSED), [1, 0])  # who denies it most did it


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("theta", [0.0, 0.07, 0.5, 1.0])
def test_spread_is_unbiased_over_all_outcomes(channel, theta):
    n = 25
    weights = stats.binom.pmf(np.arange(n + 1), n, answer_prob(theta, channel))
    mean = weights @ votes.corrected(np.arange(n + 1) / n, channel)
    assert mean == pytest.approx(theta, abs=1e-12)
    wrong = BinaryChannel(abs(channel.p10 - 0.02), abs(channel.p01 - 0.03))
    assert abs(weights @ votes.corrected(np.arange(n + 1) / n, wrong) - theta) > 0.001
    if theta in (0, 1) and 0 < answer_prob(theta, channel) < 1:
        projected = weights @ votes.corrected_mle(np.arange(n + 1) / n, channel)
        assert abs(projected - theta) > 0.01  # the price of staying inside


# --- reconstruction --------------------------------------------------------------------------------


def objective(theta, share, channel):
    """Barber's eq. (36)–(38) term by term: Bayes' rule for each answer, then the mean of ln p_θ(x)."""
    total = 0.0
    for answer, weight in ((1, share), (0, 1 - share)):
        joint = {vote: channel.channel_matrix[answer, vote] * p for vote, p in ((1, theta), (0, 1 - theta))}
        if weight == 0 or sum(joint.values()) == 0:
            continue
        for vote, p in ((1, theta), (0, 1 - theta)):
            if joint[vote] > 0:
                total += weight * joint[vote] / sum(joint.values()) * math.log(p)
    return total


def uphill(theta, share, channel):
    """dJ/dθ, exact to rounding, by a complex step of the objective."""
    t = np.asarray(theta) + 1e-40j
    total = 0
    for like_a, like_b, weight in (
        (1 - channel.p01, channel.p10, share),
        (channel.p01, 1 - channel.p10, 1 - share),
    ):
        if max(like_a, like_b) > 0:
            posterior = like_a * t / (like_a * t + like_b * (1 - t))
            total = total + weight * (posterior * np.log(t) + (1 - posterior) * np.log(1 - t))
    return np.imag(total) / 1e-40


GRID = np.linspace(-25, 25, 5001)
STEP = GRID[1] - GRID[0]


def climbed(share, channel):
    """Log-odds of the first level point uphill from where the ascent starts, to one grid step; ±∞ for the ends.

    Where only one grid point is level, and it is uphill again behind it, there is an inflection and no maximum.
    """
    with np.errstate(divide="ignore"):
        start = np.clip(np.log(share) - np.log1p(-share), -25, 25) * (1 if channel.contrast > 0 else -1)
    grid, rising = GRID, uphill(1 / (1 + np.exp(-GRID)), share, channel) > 0
    if uphill(1 / (1 + np.exp(-start)), share, channel) > 0:
        stops = grid[(grid > start) & ~rising & ~np.append(rising[1:], False)]
        return stops[0] if len(stops) else math.inf
    stops = grid[(grid < start) & rising & np.append(True, rising[:-1])]
    return stops[-1] if len(stops) else -math.inf


@given(st.floats(1e-9, 1 - 1e-9), shares, channels())
def test_objective_is_the_definition(theta, share, channel):
    found = float(votes.reconstruction_objective(theta, share, channel))
    # a posterior next to 1 is subtracted from 1, and |ln θ| is at most 21
    assert found == pytest.approx(objective(theta, share, channel), rel=1e-12, abs=1e-14)


@given(channels(), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_objective_is_zero_at_both_ends_and_negative_between(channel, share, theta):
    assume(min(channel.p10, channel.p01) > 0 and max(channel.p10, channel.p01) < 1)
    np.testing.assert_array_equal(votes.reconstruction_objective([0.0, 1.0], share, channel), 0)
    # ln θ ≤ −0.05 whichever vote is meant
    assert votes.reconstruction_objective(theta, share, channel) <= -0.05


@pytest.mark.parametrize(
    "channel",
    [
        BinaryChannel(0.0, 0.0),
        BinaryChannel(0.0, 0.4),
        BinaryChannel(0.4, 0.0),
    ],
)
def test_an_answer_that_cannot_be_is_no_gain_at_either_end(channel):
    # with p10 = 0 an answer A proves a vote for A, and J → f̃ ln θ → −∞ as θ → 0; with p01 = 0 the same at 1
    found = votes.reconstruction_objective([0.0, 1.0], 0.3, channel)
    near = votes.reconstruction_objective([1e-12, 1 - 1e-12], 0.3, channel)
    for lie, at_end, close_by in zip((channel.p10, channel.p01), found, near, strict=True):
        assert at_end == (0 if lie else -math.inf)
        assert (abs(close_by) < 1e-9) == (lie > 0)


def test_objective_depends_on_which_lie_is_which():
    found = float(votes.reconstruction_objective(0.3, 0.4, ASYMMETRIC))
    assert abs(found - objective(0.3, 0.4, BinaryChannel(ASYMMETRIC.p01, ASYMMETRIC.p10))) > 0.01
    assert abs(found - objective(0.3, 0.6, ASYMMETRIC)) > 0.01


def test_objective_broadcasts():
    theta, share = np.linspace(0.1, 0.9, 5)[:, None], np.linspace(0, 1, 3)
    found = votes.reconstruction_objective(theta, share, ASYMMETRIC)
    assert found.shape == (5, 3)
    assert found[3, 1] == votes.reconstruction_objective(theta[3, 0], share[1], ASYMMETRIC)


@settings(max_examples=200)
@example(BinaryChannel(0.0, 1 / 3), 1 / 3)  # an inflection at ½
@given(channels(), st.one_of(shares, st.floats(1e-6, 1e-2), st.floats(0.99, 1 - 1e-6)))
def test_reconstruction_is_where_an_ascent_by_hand_ends(channel, share):
    start = share if channel.contrast > 0 else 1 - share
    if 0 < start < 1:
        assume(abs(uphill(start, share, channel)) > 1e-6)  # where it is level an ascent stays
    found, expected = float(votes.reconstruction(share, channel)), climbed(share, channel)
    with np.errstate(divide="ignore"):
        log_odds = np.log(found) - np.log1p(-found)
    if abs(expected) < 18:
        assert abs(log_odds - expected) <= 1.1 * STEP
    else:
        assert log_odds * np.sign(expected) > 17  # an end, to 4·10⁻⁸


@settings(max_examples=200)
@given(channels(), shares)
def test_there_is_at_most_one_inner_maximum(channel, share):
    rising = uphill(1 / (1 + np.exp(-GRID[np.abs(GRID) < 15])), share, channel) > 0
    assert np.count_nonzero(rising[:-1] & ~rising[1:]) <= 1


@settings(max_examples=60)
@given(channels())
def test_reconstruction_is_a_monotone_map(channel):
    found = votes.reconstruction(np.linspace(0, 1, 401), channel)
    steps = np.diff(found) * np.sign(channel.contrast)
    assert steps.min() >= -1e-12  # thirty halvings leave 10⁻¹²
    assert (found[-1] - found[0]) * np.sign(channel.contrast) > 0.5  # and not a constant one


@pytest.mark.parametrize("share", [0.37, 0.42, 0.5, 0.61])
def test_an_inner_maximum_is_level_and_lower_on_both_sides(share):
    channel = BinaryChannel(0.06, 0.06)
    found = float(votes.reconstruction(share, channel))
    assert 0.05 < found < 0.95
    assert abs(uphill(found, share, channel)) < 1e-9
    for moved in (found - 0.01, found + 0.01):
        assert objective(moved, share, channel) < objective(found, share, channel)
    assert abs(found - share) > 0.01 or share == 0.5  # it is neither the answers …
    assert abs(found - float(votes.corrected(share, channel))) > 0.01 or share == 0.5  # … nor the truth


def test_the_inner_maximum_vanishes_at_the_threshold():
    for lie, bends_down in ((NO_INNER_MAXIMUM - 1e-3, True), (NO_INNER_MAXIMUM + 1e-3, False)):
        channel, h = BinaryChannel(lie, lie), 1e-3
        bend = objective(0.5 + h, 0.5, channel) + objective(0.5 - h, 0.5, channel) - 2 * objective(0.5, 0.5, channel)
        assert (bend < 0) == bends_down
        near = votes.reconstruction([0.49995, 0.50005], channel)
        if bends_down:
            assert ((near > 0.1) & (near < 0.9)).all()
        else:
            np.testing.assert_array_equal(near, [0, 1])
    assert pytest.approx(0.1464, abs=1e-4) == NO_INNER_MAXIMUM


@given(st.floats(NO_INNER_MAXIMUM + 1e-3, 0.499), st.floats(0, 1), st.booleans())
def test_beyond_the_threshold_reconstruction_is_always_an_end(lie, share, is_reversed):
    assume(abs(share - 0.5) > 1e-6)
    lie = 1 - lie if is_reversed else lie
    expected = float(share > 0.5) if lie < 0.5 else float(share < 0.5)
    assert votes.reconstruction(share, BinaryChannel(lie, lie)) == expected


@pytest.mark.parametrize("lie", [0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.5, 0.7, 0.95, 1.0])
def test_half_stays_half_under_symmetric_lies(lie):
    assert votes.reconstruction(0.5, BinaryChannel(lie, lie)) == pytest.approx(0.5, abs=1e-9)


@given(channels(), shares)
def test_calling_a_b_mirrors_every_estimate(channel, share):
    mirrored = BinaryChannel(channel.p01, channel.p10)
    start = share if channel.contrast > 0 else 1 - share
    assume(0 < start < 1 and abs(uphill(start, share, channel)) > 1e-6)
    for estimator in votes.ESTIMATORS.values():
        assert estimator(1 - share, mirrored) == pytest.approx(1 - estimator(share, channel), abs=1e-8)


def test_without_lies_reconstruction_is_the_share_and_with_only_lies_its_opposite():
    observed = np.linspace(0, 1, 101)
    np.testing.assert_allclose(votes.reconstruction(observed, BinaryChannel(0, 0)), observed, atol=1e-11)
    np.testing.assert_allclose(votes.reconstruction(observed, BinaryChannel(1, 1)), 1 - observed, atol=1e-11)


def test_reconstruction_takes_any_shape_and_solves_each_share_alone():
    observed = rng(1).random((3, 4))
    found = votes.reconstruction(observed, BinaryChannel(0.05, 0.1))
    assert found.shape == (3, 4)
    for index in np.ndindex(3, 4):
        assert found[index] == votes.reconstruction(observed[index], BinaryChannel(0.05, 0.1))
    assert votes.reconstruction(0.3, SYMMETRIC).shape == ()


# --- the distribution of an estimate ---------------------------------------------------------------


@pytest.mark.parametrize("name", votes.ESTIMATORS)
@pytest.mark.parametrize("channel", [SYMMETRIC, ASYMMETRIC, REVERSED, BinaryChannel(0.05, 0.05)])
@pytest.mark.parametrize("chance", [0.0, 0.3, 0.9, 1.0])
def test_law_is_that_of_every_sequence_of_answers(name, channel, chance):
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
    other = votes.law(name, 0.6, n, channel)
    assert abs(other.mean - mean) > 1e-3


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("n", [1, 10, 1000, 10_000_000])
@pytest.mark.parametrize("theta", [0.0, 0.01, 0.35, 1.0])
def test_law_of_the_linear_estimators_has_its_closed_form(channel, n, theta):
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
def test_estimate_by_hand(channel):
    found = votes.estimate("spread", 37, 90, channel)
    contrast = 1 - channel.p10 - channel.p01
    assert found.value == pytest.approx((37 / 90 - channel.p10) / contrast, abs=1e-14)
    assert found.standard_error == pytest.approx(math.sqrt(37 / 90 * 53 / 90 / 90) / abs(contrast), rel=1e-9)
    wilson = stats.binomtest(37, 90).proportion_ci(0.95, method="wilson")
    ends = sorted((end - channel.p10) / contrast for end in (wilson.low, wilson.high))
    np.testing.assert_allclose([found.low, found.high], ends, atol=1e-12)
    assert votes.estimate("naive", 37, 90, channel)[::2] == pytest.approx((37 / 90, wilson.low))


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
    counts = np.arange(n + 1)
    kept = np.abs(counts / n - chance) <= Z * math.sqrt(chance * (1 - chance) / n) + 1e-12
    return float(stats.binom.pmf(counts, n, chance) @ kept)


@pytest.mark.parametrize("channel", [SYMMETRIC, ASYMMETRIC, REVERSED, *ONE_SIDED, BinaryChannel(0.45, 0.4)])
@pytest.mark.parametrize("n", [10, 200])
def test_spread_intervals_cover_what_a_score_test_accepts(channel, n):
    for theta in (0.0, 0.01, 0.2, 0.5, 0.99, 1.0):
        expected = accepted(n, theta, channel)
        assert covered("spread", n, theta, channel) == pytest.approx(expected, abs=1e-9)
        if theta in (0, 1):  # an interval wholly beyond an end is projected onto it
            assert covered("spread MLE", n, theta, channel) >= expected - 1e-9
        else:
            assert covered("spread MLE", n, theta, channel) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("channel", [SYMMETRIC, ASYMMETRIC, REVERSED])
@pytest.mark.parametrize("n", [10, 200, 2000])
def test_spread_intervals_hold_the_truth_nineteen_times_in_twenty(channel, n):
    found = [covered("spread", n, theta, channel) for theta in (0, 0.01, *np.linspace(0.05, 0.95, 19), 0.99, 1)]
    # a binomial's lumps: with n = 10 one outcome weighs up to 0.27, and what is missed is at most about half of that
    assert abs(np.mean(found) - 0.95) < 0.1 / math.sqrt(n)
    assert min(found) > (0.88 if n == 10 else 0.92)
    assert abs(np.mean(found) - 0.9) > 0.02  # it is no 90 % interval


@pytest.mark.parametrize("theta", [0.0, 0.01, 0.4, 1.0])
def test_intervals_from_the_wrong_channel_miss(theta):
    n = 5000
    assert covered("spread", n, theta, ASYMMETRIC) > 0.92
    for assumed in (BinaryChannel(0.35, 0.1), BinaryChannel(0.3, 0.55), REVERSED):
        moved = abs(float(votes.corrected(answer_prob(theta, ASYMMETRIC), assumed)) - theta)
        # five standard errors of the estimate: the interval misses but for a chance of Φ(1.96 − 5) = 0.001
        assert moved > 5 * math.sqrt(0.25 / n) / abs(assumed.contrast)
        assert covered("spread", n, theta, ASYMMETRIC, assumed=assumed) < 0.002


@pytest.mark.parametrize(("n", "theta"), [(10, 0.0), (10, 0.99), (300, 0.3)])
@pytest.mark.parametrize("channel", [SYMMETRIC, ASYMMETRIC])
def test_simulated_people_are_covered_as_often_as_promised(n, theta, channel):
    polls = 2000
    people = (rng(3).random((polls, n)) < theta).astype(np.uint8)
    said_a = channel.randomise(people, rng(4)).mean(axis=1)
    low, high = votes.interval("spread", said_a, n, channel)
    share = ((low <= theta) & (theta <= high)).mean()
    promised = accepted(n, theta, channel)
    assert abs(share - promised) <= 5 * math.sqrt(promised * (1 - promised) / polls)
    other = votes.interval("spread", said_a, n, BinaryChannel(0.0, 0.0))
    wrong = ((other[0] <= theta) & (theta <= other[1])).mean()
    assert abs(wrong - promised) > 5 * math.sqrt(promised * (1 - promised) / polls)


@pytest.mark.parametrize(("name", "channel"), [("naive", SYMMETRIC), ("reconstruction", BinaryChannel(0.06, 0.1))])
def test_biased_estimators_cover_their_own_limit_and_not_the_truth(name, channel):
    theta, n = 0.4, 20_000
    limit = float(votes.ESTIMATORS[name](answer_prob(theta, channel), channel))
    assert abs(limit - theta) > 0.02
    assert covered(name, n, theta, channel, truth=limit) == pytest.approx(0.95, abs=0.01)
    assert covered(name, n, theta, channel) < 1e-6
    assert covered("spread", n, theta, channel) == pytest.approx(0.95, abs=0.01)


def test_where_reconstruction_jumps_to_an_end_its_interval_is_that_end():
    low, high = votes.interval("reconstruction", 0.3, 10_000, SYMMETRIC)
    assert (low, high) == (0, 0)
    assert covered("reconstruction", 10_000, 0.2, SYMMETRIC) < 1e-6


# --- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", votes.ESTIMATORS)
@pytest.mark.parametrize("bad", [-0.1, 1.2, math.nan, math.inf])
def test_impossible_shares_are_refused(name, bad):
    with pytest.raises(ValueError, match=rf"share must be in \[0, 1\], got {bad}"):
        votes.ESTIMATORS[name]([0.5, bad], SYMMETRIC)
    votes.ESTIMATORS[name]([0.0, 1.0], SYMMETRIC)


@pytest.mark.parametrize("n", [0, -5, 10_000_001, 2.5])
def test_impossible_numbers_of_voters_are_refused(n):
    for ask in (lambda: votes.estimate("naive", 0, n, SYMMETRIC), lambda: votes.law("naive", 0.5, n, SYMMETRIC)):
        with pytest.raises(ValueError, match=rf"n_voters must be a whole number in \[1, 10000000\], got {n}"):
            ask()


@pytest.mark.parametrize("answers", [-1, 11, 2.5])
def test_impossible_counts_are_refused(answers):
    with pytest.raises(ValueError, match=rf"answers_for_a must be a whole number in \[0, 10\], got {answers}"):
        votes.estimate("naive", answers, 10, SYMMETRIC)
    assert votes.estimate("naive", 10, 10, SYMMETRIC).value == 1


@pytest.mark.parametrize("p10", [0.0, 0.1, 0.3, 0.5, 0.9])
def test_answers_without_information_are_refused(p10):
    channel = BinaryChannel(p10, 1 - p10)
    for name in ("spread", "spread MLE"):
        with pytest.raises(ValueError, match=rf"p10 \+ p01 must differ from 1, got {p10:g} \+ {1 - p10:g}"):
            votes.estimate(name, 3, 10, channel)
    assert votes.estimate("naive", 3, 10, channel).value == 0.3

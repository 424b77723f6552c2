"""Estimates of a share against direct maximisation, enumeration of every outcome, and Bayes' rule written anew."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from privdemo.estimators import votes
from privdemo.mechanisms import BinaryChannel
from tests.estimators import oracles
from tests.estimators.oracles import LOG_ODDS, climb_reconstruction, rng, share_likelihood

SYMMETRIC, ASYMMETRIC, REVERSED = BinaryChannel(0.2, 0.2), BinaryChannel(0.1, 0.35), BinaryChannel(0.8, 0.7)
HONEST = BinaryChannel(0.0, 0.0)
NO_INNER_MAXIMUM = (2 - math.sqrt(2)) / 4  # symmetric lies from which on J has none


@st.composite
def channels(draw):
    """Any lies that leave some information, one-sided and reversed ones among them."""
    lie = st.one_of(st.floats(1e-6, 1), st.just(0.0), st.floats(1e-6, 0.05))
    p10, p01 = draw(lie), draw(lie)
    assume(abs(1 - p10 - p01) >= 0.05)
    return BinaryChannel(p10, p01)


shares = st.one_of(st.floats(0, 1), st.integers(0, 10).map(lambda n: n / 10))


@given(channels(), shares)
def test_the_corrected_mle_is_the_best_share_there_is(channel, share):
    found = float(votes.corrected_mle(share, channel))
    assert 0 <= found <= 1
    assert found == min(max(float(votes.corrected(share, channel)), 0), 1)
    best = share_likelihood(found, share, channel)
    for theta in (*np.linspace(0, 1, 11), max(found - 0.01, 0), min(found + 0.01, 1)):
        # the likelihood bends by at least contrast², as f/q² + (1−f)/(1−q)² ≥ 1; two logarithms are rounded
        least = 0.99 * 0.5 * ((theta - found) * channel.contrast) ** 2 if abs(theta - found) <= 0.01 else 0
        assert best - share_likelihood(theta, share, channel) >= least - 1e-12


def test_an_edge_without_an_interval_is_doubtful_at_most_once_in_forty_polls_unless_people_lie_otherwise():
    """Lies of .4 and .35: 300 of 1,000 answers A are below what even a share of 0 gives."""
    channel, n = BinaryChannel(0.4, 0.35), 1000
    found = votes.estimate("spread MLE", 300, n, channel)
    assert (found.low, found.high, found.doubtful) == (0.0, 0.0, True)
    assert not votes.estimate("spread MLE", 390, n, channel).doubtful, "0 too, but with an interval"
    assert not votes.estimate("naive", 300, n, channel).doubtful
    answers = np.arange(n + 1)
    hit = votes.doubtful(answers / n, n, channel)

    def chance(share, lies):
        return stats.binom.pmf(answers, n, lies.p10 + lies.contrast * share)[hit].sum()

    chances = [chance(share, channel) for share in (0.0, 0.05, 0.5, 1.0)]
    assert chances[0] == pytest.approx(0.025, abs=0.004)  # one side of an interval of 95 %
    assert chances[3] == pytest.approx(0.025, abs=0.004)
    assert max(chances[1:3]) < 5e-3
    assert chance(0.0, BinaryChannel(0.3, 0.35)) > 0.99


@given(st.floats(1e-9, 1 - 1e-9), shares, channels())
def test_the_objective_is_the_definition(theta, share, channel):
    found = float(votes.reconstruction_objective(theta, share, channel))
    # a posterior next to 1 is subtracted from 1, and |ln θ| is at most 21
    assert found == pytest.approx(oracles.reconstruction(theta, share, channel)[0], rel=1e-12, abs=1e-14)


@settings(max_examples=60)
@example(BinaryChannel(0.0, 1 / 3), 1 / 3)  # an inflection at ½
@example(BinaryChannel(0.06, 0.1), 0.45)
@example(REVERSED, 0.3)
@given(channels(), st.one_of(shares, st.floats(1e-6, 1e-2), st.floats(0.99, 1 - 1e-6)))
def test_reconstruction_is_where_an_ascent_by_hand_ends(channel, share):
    start = share if channel.contrast > 0 else 1 - share
    if 0 < start < 1:
        assume(abs(oracles.reconstruction(start, share, channel)[1]) > 1e-6)  # where it is level an ascent stays
    found, expected = float(votes.reconstruction(share, channel)), climb_reconstruction(share, channel)
    with np.errstate(divide="ignore"):
        log_odds = np.log(found) - np.log1p(-found)
    if abs(expected) < 18:
        assert abs(log_odds - expected) <= 1.1 * (LOG_ODDS[1] - LOG_ODDS[0])
    else:
        assert log_odds * np.sign(expected) > 17  # an end, to 4·10⁻⁸


@pytest.mark.parametrize(
    "lie", [0.0, 0.1, NO_INNER_MAXIMUM - 1e-3, NO_INNER_MAXIMUM + 1e-3, 0.3, 0.5, 1 - NO_INNER_MAXIMUM - 1e-3, 0.95, 1]
)
def test_half_stays_half_under_symmetric_lies_and_is_tied_where_it_is_no_maximum(lie):
    channel = BinaryChannel(lie, lie)
    assert votes.reconstruction(0.5, channel) == pytest.approx(0.5, abs=1e-9)
    tied = votes.reconstruction_tied([[0.5, 0.4], [0.6, 0.50001]], channel)
    assert tied.dtype == bool
    np.testing.assert_array_equal(tied, [[NO_INNER_MAXIMUM < lie < 1 - NO_INNER_MAXIMUM, False], [False, False]])


def test_reconstruction_takes_any_shape_and_solves_each_share_alone():
    observed, channel = rng(1).random((3, 4)), BinaryChannel(0.05, 0.1)
    found = votes.reconstruction(observed, channel)
    assert votes.reconstruction(0.3, channel).shape == votes.reconstruction_tied(0.3, channel).shape == ()
    for index in np.ndindex(3, 4):
        assert found[index] == votes.reconstruction(observed[index], channel)
        if 0 < found[index] < 1:
            assert abs(oracles.reconstruction(found[index], observed[index], channel)[1]) < 1e-9
    np.testing.assert_allclose(votes.reconstruction(observed, HONEST), observed, atol=1e-11)
    np.testing.assert_allclose(votes.reconstruction(observed, BinaryChannel(1, 1)), 1 - observed, atol=1e-11)


@pytest.mark.parametrize("name", votes.ESTIMATORS)
@pytest.mark.parametrize("channel", [ASYMMETRIC, REVERSED, BinaryChannel(0.05, 0.05)])
def test_the_law_is_that_of_every_number_of_answers(name, channel):
    n = 7
    values = votes.ESTIMATORS[name](np.arange(n + 1) / n, channel)
    for chance in (0.0, 0.3, 1.0):
        weights = [math.comb(n, a) * chance**a * (1 - chance) ** (n - a) for a in range(n + 1)]
        mean = float(np.dot(weights, values))
        deviation = math.sqrt(np.dot(weights, (values - mean) ** 2))
        found = votes.law(name, chance, n, channel)
        assert found.weights.sum() == pytest.approx(1, abs=1e-12)
        assert found.mean == pytest.approx(mean, abs=1e-12)
        assert found.deviation == pytest.approx(deviation, abs=1e-7)  # √ of a variance known to 10⁻¹⁵
        assert abs(votes.law(name, 0.6, n, channel).mean - mean) > 1e-3


@pytest.mark.parametrize("channel", [SYMMETRIC, ASYMMETRIC, REVERSED])
def test_an_estimate_by_hand(channel):
    found = votes.estimate("spread", 37, 90, channel)
    contrast = 1 - channel.p10 - channel.p01
    assert found.value == pytest.approx((37 / 90 - channel.p10) / contrast, abs=1e-14)
    assert found.standard_error == pytest.approx(math.sqrt(37 / 90 * 53 / 90 / 90) / abs(contrast), rel=1e-9)
    wilson = stats.binomtest(37, 90).proportion_ci(0.95, method="wilson")
    ends = sorted((end - channel.p10) / contrast for end in (wilson.low, wilson.high))
    np.testing.assert_allclose([found.low, found.high], ends, atol=1e-12)
    for name, estimator in votes.ESTIMATORS.items():  # of the others it covers what they tend to
        ends = sorted(float(estimator(end, channel)) for end in (wilson.low, wilson.high))
        np.testing.assert_allclose(votes.interval(name, 37 / 90, 90, channel), ends, atol=1e-9)


@pytest.mark.parametrize("name", votes.ESTIMATORS)
def test_the_ends_of_what_is_possible_are_answered_and_nothing_beyond(name):
    ends = [votes.estimate(name, said, 10, SYMMETRIC) for said in (0, 10)]
    assert ends[0].low <= ends[0].value <= ends[1].value <= ends[1].high
    for bad in (-0.1, 1.2, math.nan):
        with pytest.raises(ValueError, match=rf"share .* \[0, 1\], got {bad}"):
            votes.ESTIMATORS[name]([0.5, bad], SYMMETRIC)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: votes.naive("most", SYMMETRIC), "shares must be numbers in .*, got 'most'"),
        (lambda: votes.estimate("naive", 0, 0, SYMMETRIC), "n_voters must be a whole number .*, got 0"),
        (lambda: votes.estimate("naive", 11, 10, SYMMETRIC), r"answers_for_a must be .* in \[0, 10\], got 11"),
        (lambda: votes.estimate("spread MLE", 3, 10, BinaryChannel(0.3, 0.7)), r"p10 \+ p01 must differ from 1"),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()

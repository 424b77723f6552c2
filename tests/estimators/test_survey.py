"""Voters, lie and precision: each solved from the others, against search and arithmetic."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privdemo import limits
from privdemo.estimators import survey
from privdemo.mechanisms import BinaryChannel
from tests.estimators.oracles import Z, wilson_half_width

lies, shares = st.floats(0, 0.49), st.floats(0, 1)


@given(st.integers(1, 20_000), lies, shares)
def test_the_half_width_is_wilsons_and_the_voters_and_the_lie_follow_from_it(n, p, share):
    half = survey.half_width(n, p, share)
    assert half == pytest.approx(wilson_half_width(n, p, share), rel=1e-9)
    assume(limits.HALF_WIDTH.contains(half))
    assert abs(survey.voters_needed(p, half, share) - n) <= 1e-9 * n  # but for the last digits of a root
    # p = (1 − c)/2 with a contrast c known to a few roundings, magnified where half and share fix it poorly
    assert survey.flip_prob_allowed(n, half, share) == pytest.approx(p, abs=1e-11)


@pytest.mark.parametrize(("p10", "p01"), [(0.1, 0.3), (0.9, 0.6), (1.0, 1.0), (0.0, 0.25)])
def test_the_half_width_of_two_lies_is_that_of_their_answers(p10, p01):
    channel, n, share = BinaryChannel(p10, p01), 700, 0.35
    says_a = p10 * (1 - share) + (1 - p01) * share
    expected = wilson_half_width(n, 0.0, says_a) / abs(1 - p10 - p01)
    assert survey.half_width(n, channel, share) == pytest.approx(expected, rel=1e-9)
    assert abs(survey.voters_needed(channel, expected, share) - n) <= 1
    assert survey.half_width(n, BinaryChannel(0.2, 0.2), share) == pytest.approx(survey.half_width(n, 0.2, share))
    assert survey.voters_needed(BinaryChannel(0.3, 0.7), 0.02) == math.inf


@given(st.integers(10, 1_000_000), lies, st.floats(0.001, 0.5), shares)
def test_voters_needed_are_the_fewest_and_the_lie_allowed_is_the_largest(n, p, half, share):
    fewest = survey.voters_needed(p, half, share)
    assert isinstance(fewest, int)
    assert wilson_half_width(fewest, p, share) <= half * (1 + 1e-9)
    assert fewest == 1 or wilson_half_width(fewest - 1, p, share) > half * (1 - 1e-9)
    assume(wilson_half_width(n, 0, share) <= half)
    found = survey.flip_prob_allowed(n, half, share)
    assert 0 <= found < 0.5
    assert wilson_half_width(n, found, share) <= half * (1 + 1e-6) or found == 0
    assert found + 1e-4 >= 0.5 or wilson_half_width(n, found + 1e-4, share) > half


@given(lies, st.floats(0.01, 0.99))
def test_the_price_is_the_ratio_of_the_variances(p, share):
    says_a = share * (1 - p) + (1 - share) * p
    ratio = says_a * (1 - says_a) / (1 - 2 * p) ** 2 / (share * (1 - share))
    assert survey.price(p, share) == pytest.approx(ratio, rel=1e-9)


def test_defaults_and_ends():
    assert survey.half_width(100, 0.2) == survey.half_width(100, 0.2, 0.5)
    assert survey.voters_needed(0.2, 0.1) == survey.voters_needed(0.2, 0.1, 0.5)
    assert survey.flip_prob_allowed(1000, 0.1) == survey.flip_prob_allowed(1000, 0.1, 0.5)
    assert survey.price(0.2) == pytest.approx(1 / 0.6**2, rel=1e-12)
    assert survey.curve(0.05) == survey.curve(0.05, 0.5, 1.0)
    assert survey.price(0.5) == survey.half_width(1000, 0.5) == survey.voters_needed(0.5, 0.1) == math.inf
    assert math.isfinite(survey.price(0.4999))
    for share in (0.0, 1.0):  # ten people who all agree leave room for a few who do not: Wilson's end z²/(n + z²)
        assert survey.price(0.2, share) == math.inf
        assert survey.half_width(10, 0.0, share) == pytest.approx(Z**2 / (10 + Z**2) / 2, rel=1e-9)
        assert survey.voters_needed(0.0, 0.01, share) == math.ceil(Z**2 / 0.02 - Z**2)


@pytest.mark.parametrize(
    ("through", "low", "high"), [(1, 0.1, 10), (0.12, 0.08, 10), (20, 0.1, 30), (0, 0.1, 10), (math.inf, 0.1, 10)]
)
def test_the_curve_is_of_voters_over_epsilons_that_grow_by_a_factor(through, low, high):
    epsilons, needed = zip(*survey.curve(0.05, 0.3, through), strict=True)
    assert epsilons == pytest.approx([low * (high / low) ** (i / 60) for i in range(61)], rel=1e-12)
    expected = [survey.voters_needed(1 / (1 + math.exp(epsilon)), 0.05, 0.3) for epsilon in epsilons]
    assert needed == pytest.approx(expected, abs=1)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        # the least is z² (1 − 0.04²)/0.04² = 2397.07
        (lambda: survey.flip_prob_allowed(2397, 0.02), "n_voters must be at least 2398 for .* 0.02.*got 2397;"),
        (lambda: survey.half_width(0, 0.1), r"n_voters must be a whole number in \[1, 10000000\], got 0"),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()

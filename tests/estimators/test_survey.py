"""Voters, lie and precision: each solved from the others, against search and arithmetic."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privdemo import limits
from privdemo.estimators import survey
from tests.estimators.oracles import Z, wilson_half_width

lies = st.floats(0, 0.49)
shares = st.floats(0, 1)
voters = st.integers(1, 1_000_000)


def by_standard_errors(n, p, share):
    """z standard errors of (f̃ − p)/(1 − 2p), f̃ a mean of n answers: what Wilson's interval tends to."""
    says_a = share * (1 - p) + (1 - share) * p
    return Z * math.sqrt(says_a * (1 - says_a) / n) / (1 - 2 * p)


@given(voters, lies, shares)
def test_the_half_width_is_wilsons(n, p, share):
    assert survey.half_width(n, p, share) == pytest.approx(wilson_half_width(n, p, share), rel=1e-9)


@given(lies, st.floats(0.05, 0.95))
def test_the_half_width_tends_to_standard_errors(p, share):
    # Wilson's half-width differs by the order of z²/n
    assert survey.half_width(1_000_000, p, share) == pytest.approx(by_standard_errors(1_000_000, p, share), rel=1e-3)


@given(st.integers(1, 20_000), lies, shares)
def test_voters_needed_inverts_the_half_width(n, p, share):
    half = survey.half_width(n, p, share)
    assume(1e-4 < half <= 0.5)
    assert abs(survey.voters_needed(p, half, share) - n) <= 1e-9 * n  # but for the last digits of a root


@given(lies, st.floats(0.001, 0.5), shares)
def test_voters_needed_are_the_fewest(p, half, share):
    n = survey.voters_needed(p, half, share)
    assert isinstance(n, int)
    assert n >= 1
    assert wilson_half_width(n, p, share) <= half * (1 + 1e-9)
    if n > 1:
        assert wilson_half_width(n - 1, p, share) > half * (1 - 1e-9)


@given(voters, st.floats(0.001, 0.49), shares)
def test_flip_prob_allowed_inverts_the_half_width(n, p, share):
    half = survey.half_width(n, p, share)
    assume(limits.HALF_WIDTH.contains(half))
    # p = (1 − c)/2 with a contrast c known to a few roundings, magnified where half and share fix it poorly
    assert survey.flip_prob_allowed(n, half, share) == pytest.approx(p, abs=1e-11)


@given(st.integers(10, 1_000_000), st.floats(0.001, 0.5), shares)
def test_flip_prob_allowed_is_the_largest(n, half, share):
    assume(wilson_half_width(n, 0, share) <= half)
    found = survey.flip_prob_allowed(n, half, share)
    assert 0 <= found < 0.5
    assert wilson_half_width(n, found, share) <= half * (1 + 1e-6) or found == 0
    if found + 1e-4 < 0.5:
        assert wilson_half_width(n, found + 1e-4, share) > half


@pytest.mark.parametrize(("n", "half", "share"), [(2390, 0.02, 0.5), (100, 0.02, 0.1), (1, 0.2, 0.5), (90, 0.1, 0.5)])
def test_what_honest_answers_cannot_do_is_refused(n, half, share):
    fewest = next(m for m in range(1, 10_000) if wilson_half_width(m, 0, share) <= half)
    assert n < fewest
    with pytest.raises(ValueError, match=rf"n_voters must be at least {fewest} for a half-width of {half}.*got {n};"):
        survey.flip_prob_allowed(n, half, share)
    assert 0 <= survey.flip_prob_allowed(fewest, half, share) < 0.1


@given(lies, st.floats(0.01, 0.99))
def test_the_price_is_the_ratio_of_the_voters(p, share):
    ratio = (by_standard_errors(1000, p, share) / by_standard_errors(1000, 0, share)) ** 2
    assert survey.price(p, share) == pytest.approx(ratio, rel=1e-9)


def test_a_share_of_one_half_is_the_default():
    assert survey.half_width(100, 0.2) == survey.half_width(100, 0.2, 0.5)
    assert survey.voters_needed(0.2, 0.1) == survey.voters_needed(0.2, 0.1, 0.5)
    assert survey.flip_prob_allowed(1000, 0.1) == survey.flip_prob_allowed(1000, 0.1, 0.5)
    assert survey.price(0.2) == pytest.approx(1 / 0.6**2, rel=1e-12)  # 1/c²


def test_lies_that_say_nothing_have_no_price():
    assert survey.price(0.5) == survey.half_width(1000, 0.5) == survey.voters_needed(0.5, 0.1) == math.inf
    assert math.isfinite(survey.price(0.4999))


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_where_everybody_agrees_honest_answers_never_vary(share):
    assert survey.price(0.2, share) == math.inf
    # ten people who all agree leave room for a few in the country who do not: Wilson's end z²/(n + z²)
    assert survey.half_width(10, 0.0, share) == pytest.approx(Z**2 / (10 + Z**2) / 2, rel=1e-9)
    assert survey.voters_needed(0.0, 0.01, share) == math.ceil(Z**2 / 0.02 - Z**2)


@pytest.mark.parametrize(
    ("through", "low", "high"),
    [(1.0, 0.1, 10.0), (0.12, 0.08, 10.0), (20.0, 0.1, 30.0), (0.0, 0.1, 10.0), (math.inf, 0.1, 10.0)],
)
def test_the_curve_is_of_voters_over_epsilons_that_grow_by_a_factor(through, low, high):
    epsilons, needed = zip(*survey.curve(0.05, 0.3, through), strict=True)
    assert len(epsilons) == 61
    assert epsilons == pytest.approx([low * (high / low) ** (i / 60) for i in range(61)], rel=1e-12)
    # the lie of ε is 1/(1 + e^ε)
    expected = [survey.voters_needed(1 / (1 + math.exp(epsilon)), 0.05, 0.3) for epsilon in epsilons]
    assert needed == pytest.approx(expected, abs=1)
    assert survey.curve(0.05) == survey.curve(0.05, 0.5, 1.0)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: survey.half_width(0, 0.1), r"n_voters must be a whole number in \[1, 10000000\], got 0"),
        (lambda: survey.half_width(10, 0.6), r"flip_prob must be in \[0, 0\.5\], got 0\.6"),
        (lambda: survey.half_width(10, 0.1, 1.5), r"share must be in \[0, 1\], got 1\.5"),
        (lambda: survey.voters_needed(0.1, 0.0), r"half_width must be in \[0\.0001, 0\.5\], got 0"),
        (lambda: survey.voters_needed(-0.1, 0.1), r"flip_prob must be in \[0, 0\.5\], got -0\.1"),
        (lambda: survey.flip_prob_allowed(10, 0.6), r"half_width must be in \[0\.0001, 0\.5\], got 0\.6"),
        (lambda: survey.flip_prob_allowed(0, 0.1), r"n_voters must be a whole number in \[1, 10000000\], got 0"),
        (lambda: survey.flip_prob_allowed(1000, 0.1, -0.2), r"share must be in \[0, 1\], got -0\.2"),
        (lambda: survey.price(0.7), r"flip_prob must be in \[0, 0\.5\], got 0\.7"),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()

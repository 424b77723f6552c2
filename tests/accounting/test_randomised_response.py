"""Randomised response against enumeration, fractions and a published image, from both sides."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from privdemo import accounting as acc
from privdemo.mechanisms import RandomisedResponse
from tests.accounting.oracles import EPS, PLATEAU, worst_delta


@pytest.mark.parametrize(
    ("k", "n_values", "p"), [(2, 1, 0.25), (2, 4, 0.4), (3, 1, 0.2), (3, 3, 0.5), (4, 2, 0.6), (5, 2, 0.3), (7, 2, 0.7)]
)
def test_response_profile_is_the_enumerated_one(k, n_values, p):
    channel = RandomisedResponse(p, k).channel_matrix
    loss, less = (acc.randomised_response_loss(flip_prob, k, n_values) for flip_prob in (p, 0.99 * p))
    for epsilon in (0.0, 0.1, 0.5, 1.0, 1.7, 3.0, 5.0, 12.0):
        truth = worst_delta(channel, n_values, epsilon, k)
        # each of k^D probabilities carries D roundings; e^ε multiplies those of the second record
        tolerance = 4 * n_values * EPS * (1 + math.exp(epsilon))
        assert loss.delta(epsilon) == pytest.approx(truth, rel=1e-11, abs=tolerance)
        assert acc.randomised_response_delta(p, epsilon, k, n_values) == loss.delta(epsilon)
        if truth > 1e-3:  # noise that differs by 1 % does not pass
            assert less.delta(epsilon) > truth + 100 * tolerance


@given(
    st.integers(2, 300),
    st.integers(1, 60),
    st.floats(1e-3, 1.0),
    st.floats(-12, -0.1).map(lambda exponent: 10.0**exponent),
)
def test_response_epsilon_inverts_delta_cautiously(k, n_values, share, delta):
    loss = acc.randomised_response_loss(share * ((k - 1) / k), k, n_values)
    epsilon = acc.randomised_response_epsilon(share * ((k - 1) / k), k, delta, n_values)
    assert loss.delta(epsilon) <= delta
    if epsilon > 1e-8:
        assert loss.delta(epsilon * (1 - 1e-6)) > delta * (1 - PLATEAU)


@given(st.integers(2, 65536), st.floats(1e-9, 1.0))
@example(65536, 1.0 - 1e-9)
def test_the_epsilon_of_one_value_is_that_of_exact_fractions(k, share):
    p = share * ((k - 1) / k)
    assume(p < (k - 1) / k)
    exact = max(0.0, math.log1p(float((1 - Fraction(p)) * (k - 1) / Fraction(p) - 1)))
    # rounding of 1 − p, one product and one quotient next to ε = 0; of three logarithms elsewhere
    tolerance = 4 * EPS * (1 + (math.log(k / p) if exact > 0.6 else 0.0))
    assert acc.randomised_response_epsilon(p, k) == pytest.approx(exact, rel=0, abs=tolerance)


def test_response_ends():
    assert acc.randomised_response_loss(0.0, 4, 3).epsilon(0.5) == acc.randomised_response_epsilon(0.0) == math.inf
    assert acc.randomised_response_epsilon(0.0, 4, 1.0) == 0
    assert not any(acc.randomised_response_epsilon((k - 1) / k, k) for k in range(2, 2000))
    noise = acc.randomised_response_loss(2 / 3, 3, 50)
    assert noise.delta(0.0) == noise.epsilon(0.0) == 0
    assert acc.randomised_response_loss(1e-300, 2, 3).epsilon(1e-5) == pytest.approx(3 * 690.8, rel=1e-3)
    assert acc.randomised_response_flip_prob(math.inf, 10) == acc.randomised_response_flip_prob(1.0, 10, 1.0) == 0
    assert acc.randomised_response_flip_prob(0.0, 10) == 0.9


def test_the_published_image():
    loss = acc.randomised_response_loss(0.2, 256, 784)
    assert round(loss.epsilon(0.0)) == 5431
    assert loss.delta(4661) > 1e-5 > loss.delta(4662)


@pytest.mark.parametrize("k", [2, 16, 256])
@pytest.mark.parametrize("n_values", [1, 2, 784])
def test_flip_prob_is_enough_and_no_more(k, n_values):
    for epsilon, delta in ((0.0, 0.01), (0.5, 1e-5), (4.0, 1e-9), (30.0, 1e-5)):
        p = acc.randomised_response_flip_prob(epsilon, k, delta, n_values)
        assert acc.randomised_response_delta(p, epsilon, k, n_values) <= delta
        assert acc.randomised_response_delta(0.98 * p, epsilon, k, n_values) > delta
        pure = acc.randomised_response_flip_prob(epsilon, k, n_values=n_values)
        assert pure == pytest.approx((k - 1) / (k - 1 + math.exp(epsilon / n_values)), rel=1e-12)
        assert acc.randomised_response_epsilon(pure, k) <= epsilon / n_values

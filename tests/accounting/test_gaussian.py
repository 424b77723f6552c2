"""Gaussian noise against quadrature, from both sides."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privdemo import accounting as acc
from tests.accounting.oracles import gaussian_quadrature


@pytest.mark.parametrize(
    ("sigma", "sensitivity", "epsilon"),
    [(1, 1, 0), (1, 1, 1), (0.3, 1, 2), (0.3, 28, 4400), (5, 28, 10), (100, 28, 0.5), (0.1, 1, 80), (2, 1, 3)],
)
def test_gaussian_profile_against_quadrature(sigma, sensitivity, epsilon):
    truth = gaussian_quadrature(sigma, epsilon, sensitivity)
    assert acc.gaussian_delta(sigma, epsilon, sensitivity) == pytest.approx(truth, rel=1e-8)
    assert acc.gaussian_delta(1.01 * sigma, epsilon, sensitivity) < truth * (1 - 1e-4)
    assert acc.gaussian_delta(0.99 * sigma, epsilon, sensitivity) > truth * (1 + 1e-5)


@given(st.floats(1e-3, 1e3), st.floats(-13, -0.5), st.sampled_from([1.0, 5.0, 28.0, 100.0]))
def test_gaussian_epsilon_and_sigma_are_enough_and_no_more(level, exponent, sensitivity):
    delta = 10.0**exponent
    epsilon = acc.gaussian_epsilon(level, delta, sensitivity)
    assert acc.gaussian_delta(level, epsilon, sensitivity) <= delta
    if epsilon > 1e-8:
        assert acc.gaussian_delta(level, epsilon * (1 - 1e-6), sensitivity) > delta
    sigma = acc.gaussian_sigma(level, delta, sensitivity)
    assert acc.gaussian_delta(sigma, level, sensitivity) <= delta < acc.gaussian_delta(0.98 * sigma, level, sensitivity)


def test_gaussian_far_out():
    epsilon = acc.gaussian_epsilon(0.3, 1e-12, 28.0)
    # asymptotically L ~ N(μ²/2, μ²) with μ = Δ/σ, so ε lies below μ²/2 + μ z(δ), and above its start
    mu = 28 / 0.3
    assert mu * mu / 2 + 6.8 * mu < epsilon < mu * mu / 2 + stats.norm.isf(1e-12) * mu
    assert acc.gaussian_delta(0.3, 2 * epsilon, 28.0) == pytest.approx(0.0, abs=1e-300)
    assert acc.gaussian_epsilon(1.0, 1e-300) < 50
    assert acc.gaussian_sigma(0.0, 5e-7) < 1e6  # just inside the limits


def test_gaussian_ends():
    cases = [
        (acc.gaussian_delta(0.3, 0.0, 28.0), 1),
        (acc.gaussian_delta(1e-6, 1.0), 1),
        (acc.gaussian_delta(0.0, 5.0), 1),
        (acc.gaussian_delta(1.0, math.inf), 0),
        (acc.gaussian_epsilon(1e-200, 1e-5), math.inf),
        (acc.gaussian_epsilon(0.0, 0.5), math.inf),
        (acc.gaussian_epsilon(1.0, 0.0), math.inf),
        (acc.gaussian_epsilon(1.0, 0.5), 0),  # 2Φ(1/2) − 1 = 0.383 is met without any ε
        (acc.gaussian_epsilon(0.0, 1.0), 0),
        (acc.gaussian_sigma(math.inf, 1e-5), 0),
    ]
    for found, expected in cases:
        assert found == expected

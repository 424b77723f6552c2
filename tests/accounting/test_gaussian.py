"""Gaussian noise against quadrature and an independent accountant, from both sides."""

import math
from functools import lru_cache

import pytest
from dp_accounting.pld import privacy_loss_distribution as oracle
from hypothesis import assume, given
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


@lru_cache
def gaussian_oracle(sigma, n_values, interval, pessimistic):
    return oracle.from_gaussian_mechanism(
        sigma,
        sensitivity=math.sqrt(n_values),
        pessimistic_estimate=pessimistic,
        value_discretization_interval=interval,
        use_connect_dots=pessimistic,
    )


@pytest.mark.parametrize(("sigma", "n_values"), [(1.0, 1), (0.5, 10), (3.0, 784)])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
def test_gaussian_epsilon_against_dp_accounting(sigma, n_values, delta):
    interval = 1e-3 * math.sqrt(n_values) / sigma
    ours = acc.gaussian_epsilon(sigma, delta, math.sqrt(n_values))
    low = gaussian_oracle(sigma, n_values, interval, False).get_epsilon_for_delta(delta)
    high = gaussian_oracle(sigma, n_values, interval, True).get_epsilon_for_delta(delta)
    assert low - 1e-9 <= ours <= high + 1e-9
    assert high - low < 2 * interval  # the pinch is a tight one
    noisier = gaussian_oracle(1.01 * sigma, n_values, interval, True).get_epsilon_for_delta(delta)
    assert not ours <= noisier


@given(st.floats(1e-3, 1e3), st.floats(-13, -0.5), st.sampled_from([1.0, 5.0, 28.0, 100.0]))
def test_gaussian_epsilon_inverts_delta_cautiously(sigma, exponent, sensitivity):
    delta = 10.0**exponent
    epsilon = acc.gaussian_epsilon(sigma, delta, sensitivity)
    assert 0 <= epsilon < math.inf
    assert acc.gaussian_delta(sigma, epsilon, sensitivity) <= delta
    if epsilon > 1e-8:
        assert acc.gaussian_delta(sigma, epsilon * (1 - 1e-6), sensitivity) > delta


@given(st.floats(0, 1000), st.floats(-13, -0.1), st.sampled_from([1.0, 5.0, 28.0]))
def test_gaussian_sigma_is_enough_and_no_more(epsilon, exponent, sensitivity):
    delta = 10.0**exponent
    assume(epsilon > 1e-3 or delta > 1e-4)
    sigma = acc.gaussian_sigma(epsilon, delta, sensitivity)
    assert acc.gaussian_delta(sigma, epsilon, sensitivity) <= delta
    assert acc.gaussian_delta(0.98 * sigma, epsilon, sensitivity) > delta
    assert acc.gaussian_epsilon(sigma, delta, sensitivity) <= epsilon * (1 + 1e-9) + 1e-9


def test_gaussian_far_out():
    epsilon = acc.gaussian_epsilon(0.3, 1e-12, 28.0)
    # asymptotically L ~ N(μ²/2, μ²) with μ = Δ/σ, so ε lies below μ²/2 + μ z(δ), and above its start
    mu = 28 / 0.3
    assert mu * mu / 2 + 6.8 * mu < epsilon < mu * mu / 2 + stats.norm.isf(1e-12) * mu
    assert 0 < acc.gaussian_delta(0.3, epsilon, 28.0) <= 1e-12
    assert acc.gaussian_delta(0.3, 2 * epsilon, 28.0) == pytest.approx(0.0, abs=1e-300)
    assert acc.gaussian_delta(0.3, 0.0, 28.0) == 1
    assert acc.gaussian_delta(1e-6, 1.0) == 1
    assert acc.gaussian_epsilon(1e-200, 1e-5) == math.inf
    assert acc.gaussian_epsilon(1.0, 1e-300) < 50
    assert acc.gaussian_delta(0.0, 5.0) == 1
    assert acc.gaussian_delta(1.0, math.inf) == 0
    assert acc.gaussian_epsilon(0.0, 0.5) == math.inf
    assert acc.gaussian_epsilon(1.0, 0.0) == math.inf
    assert acc.gaussian_epsilon(1.0, 0.5) == 0  # 2Φ(1/2) − 1 = 0.383 is met without any ε
    assert acc.gaussian_sigma(math.inf, 1e-5) == 0


@pytest.mark.parametrize("delta", [0.0, 1.0])
def test_gaussian_noise_never_meets_a_delta_of_0_or_1(delta):
    with pytest.raises(ValueError, match=rf"^delta must be in \(0, 1\), got {delta:g}; Gaussian noise never"):
        acc.gaussian_sigma(1.0, delta)


def test_a_sigma_beyond_the_limits_is_refused():
    with pytest.raises(ValueError, match=r"^epsilon = 0 at delta = 1e-09 needs a sigma above 1e\+06; raise either"):
        acc.gaussian_sigma(0.0, 1e-9)
    assert acc.gaussian_sigma(0.0, 5e-7) < 1e6  # just inside

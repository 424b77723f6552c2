"""Gaussian and Laplace noise, on values and on counts, against quadrature and another accountant, from both sides."""

import itertools
import math
from functools import reduce

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as oracle
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from privdemo import accounting as acc
from privdemo.accounting.laplace import LAPLACE_STEPS
from tests.accounting.oracles import EPS, gaussian_quadrature, integral, laplace_counts_quadrature


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


def test_gaussian_ends():
    cases = [
        (acc.gaussian_delta(0.0, 5.0), 1),
        (acc.gaussian_delta(1.0, math.inf), 0),
        (acc.gaussian_epsilon(0.0, 0.5), math.inf),
        (acc.gaussian_epsilon(1.0, 0.0), math.inf),
        (acc.gaussian_epsilon(1.0, 0.5), 0),  # 2Φ(1/2) − 1 = 0.383 is met without any ε
        (acc.gaussian_epsilon(0.0, 1.0), 0),
        (acc.gaussian_sigma(math.inf, 1e-5), 0),
    ]
    for found, expected in cases:
        assert found == expected


EPSILONS = (0.001, 0.01, 0.05, 0.3, 1.0, 5.0, 20.0)
SWEEP = list(itertools.product(EPSILONS, (1e-10, 1e-4, 0.05, 0.3)))


@pytest.mark.parametrize("scale", [0.1, 0.5, 2.0, 40.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999, 1.0, 1.5])
def test_the_laplace_profile_is_two_losses_convolved(scale, share):
    epsilon = share * 2 / scale
    truth = laplace_counts_quadrature(scale, epsilon)
    # quadrature of pieces to 1e-9 at worst, of at most 1 in all
    assert acc.laplace_counts_delta(scale, epsilon) == pytest.approx(truth, abs=1e-9)
    if share < 0.9:  # and another scale has another profile
        assert acc.laplace_counts_delta(1.01 * scale, epsilon) < truth - 1e-5


def test_beyond_two_over_b_there_is_no_loss():
    for scale in (0.01, 1.0, 1e6):
        assert acc.laplace_counts_delta(scale, 1.999 / scale) > 0
        assert acc.laplace_counts_delta(scale, 2.001 / scale) == acc.laplace_counts_delta(scale, math.inf) == 0


@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_tight_noise_just_meets_its_guarantee_and_published_noise_where_it_is_proved(epsilon, delta):
    scale, sigma = acc.laplace_counts_scale(epsilon, delta), acc.gaussian_counts_sigma(epsilon, delta)
    assert acc.laplace_counts_delta(scale, epsilon) <= delta < acc.laplace_counts_delta(0.98 * scale, epsilon)
    assert acc.gaussian_counts_delta(sigma, epsilon) <= delta < acc.gaussian_counts_delta(0.98 * sigma, epsilon)
    published = acc.published_gaussian_counts_sigma(epsilon, delta)
    assert published == pytest.approx(2 * math.sqrt(math.log(1.25 / delta)) / epsilon, rel=1e-14)
    if epsilon in (*EPSILONS[:4], 20):  # proved for ε < 1 only, and void for 20
        assert (acc.gaussian_counts_delta(published, epsilon) <= delta) == (epsilon < 1)
    # two counts move by one each
    assert acc.gaussian_counts_delta(sigma, epsilon) == acc.gaussian_delta(sigma, epsilon, math.sqrt(2))


# 0.013 and others: 2/(2/ε) is rounded to one digit above ε
@pytest.mark.parametrize("epsilon", [*EPSILONS, 0.013, 0.41, 0.47, 0.73, 1.46, 3.7])
def test_pure_laplace_noise_is_two_over_epsilon_and_never_fails(epsilon):
    for scale in (acc.published_laplace_counts_scale(epsilon), acc.laplace_counts_scale(epsilon, 0.0)):
        assert scale == pytest.approx(2 / epsilon, rel=1e-12)
        assert acc.laplace_counts_delta(scale, epsilon) == 0 < acc.laplace_counts_delta(0.98 * scale, epsilon)


@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.7, 0.99])
def test_laplace_profile_of_one_value_against_quadrature(scale, share):
    epsilon = share / scale
    p, q = stats.laplace(0, scale), stats.laplace(1, scale)
    crossing = (1 - epsilon * scale) / 2
    truth = integral(lambda x: max(0.0, p.pdf(x) - math.exp(epsilon) * q.pdf(x)), [-40 * scale, 0.0, crossing])
    assert acc.laplace_delta(scale, epsilon) == pytest.approx(truth, abs=1e-10)
    assert acc.laplace_delta(1.02 * scale, epsilon) < truth - 1e-4
    assert truth - 1e-10 <= acc.laplace_loss(scale).delta(epsilon) < truth + 1e-2 / scale  # the bound used for many


@pytest.mark.parametrize(
    ("scale", "n_values", "delta"), [(1.0, 5, 1e-3), (2.0, 25, 1e-5), (5.0, 784, 1e-5), (300.0, 784, 1e-3)]
)
def test_laplace_epsilon_of_many_values_against_dp_accounting(scale, n_values, delta):
    def theirs(steps, pessimistic):
        one = oracle.from_laplace_mechanism(
            scale,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=1 / (steps * scale),
            use_connect_dots=pessimistic,
        )
        return one.self_compose(n_values).get_epsilon_for_delta(delta)

    low, high = theirs(400, False), theirs(LAPLACE_STEPS, True)
    assert low <= acc.laplace_epsilon(scale, delta, n_values) <= high * (1 + 1e-6)
    assert high < 1.005 * low  # the pinch is a tight one
    assert acc.laplace_epsilon(1.01 * scale, delta, n_values) < low  # 1 % more noise is told apart


@given(st.floats(1e-6, 1e3), st.integers(1, 60), st.floats(-15, -0.1))
@example(1e-5, 784, -5.0)
@example(0.01, 1, -0.1)
@example(1e-6, 1, -10.5)
def test_laplace_epsilon_never_exceeds_pure_and_inverts_cautiously(scale, n_values, exponent):
    delta = 10.0**exponent
    epsilon = acc.laplace_epsilon(scale, delta, n_values)
    assert 0 <= epsilon <= n_values / scale
    assert acc.laplace_delta(scale, epsilon, n_values) <= delta
    if 1e-8 < epsilon < n_values / scale and delta > 1e-9:
        # as the profile is at most e^{…/2} steep, a millionth of ε below it δ is exceeded
        assert acc.laplace_delta(scale, epsilon * (1 - 1e-6), n_values) > delta


def test_the_transform_never_reports_less_than_direct_convolution():
    scale, n_values = 20.0, 300
    ours = acc.laplace_loss(scale, n_values)
    masses = reduce(np.convolve, [acc.laplace_loss(scale).masses] * n_values)  # positive terms: every digit holds
    direct = acc.PrivacyLoss(ours.losses, masses)
    # from δ of about 1 down to where it is far below the transform's rounding errors
    for epsilon in np.linspace(0, 0.9 * n_values / scale, 200):
        assert direct.delta(epsilon) <= ours.delta(epsilon) <= direct.delta(epsilon) + 2e-14 * n_values
    assert direct.delta(0.9 * n_values / scale) < 1e-15


def test_laplace_ends():
    cases = [
        (acc.laplace_epsilon(0.5), 2),
        (acc.laplace_epsilon(0.5, n_values=784), 1568),
        (acc.laplace_epsilon(0.0, 0.5), math.inf),
        (acc.laplace_epsilon(0.01, 1.0, 9), 0),
        (acc.laplace_epsilon(0.01, 1.0), 0),
        (acc.laplace_epsilon(10.0, 0.2), 0),  # TV = 1 − e^{−1/20} = 0.049
        (acc.laplace_delta(0.0, 3.0), 1),
        (acc.laplace_counts_delta(0.0, 20.0), 1),
        (acc.laplace_delta(0.5, 2.0), 0),
        (acc.laplace_scale(math.inf), 0),
        (acc.laplace_scale(1.0, 1.0, 10), 0),
        # δ alone: 1 − e^{−1/2b} = δ, whatever the tiny ε
        (acc.laplace_scale(1e-12, 1e-5), pytest.approx(-1 / (2 * math.log1p(-1e-5)), rel=1e-6)),
    ]
    for found, expected in cases:
        assert found == expected


@pytest.mark.parametrize("n_values", [1, 2, 100])
def test_laplace_scale_is_enough_and_no_more(n_values):
    for epsilon, delta in ((0.0, 0.05), (0.5, 1e-5), (5.0, 1e-8), (100.0, 1e-5)):
        scale = acc.laplace_scale(epsilon, delta, n_values)
        assert acc.laplace_delta(scale, epsilon, n_values) <= delta < acc.laplace_delta(0.98 * scale, epsilon, n_values)
    for epsilon in itertools.chain(np.geomspace(1e-2, 1e6, 200), (0.013, 0.41)):
        scale = acc.laplace_scale(epsilon, 0.0, n_values)
        assert acc.laplace_epsilon(scale, 0.0, n_values) <= epsilon
        assert scale == pytest.approx(n_values / epsilon, rel=4 * EPS)

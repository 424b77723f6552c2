"""Laplace and Gaussian noise on label counts against quadrature, from both sides."""

import itertools
import math

import pytest

from privdemo import accounting as acc
from tests.accounting.oracles import laplace_counts_quadrature

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


def test_without_laplace_noise_there_is_no_privacy_and_beyond_two_over_b_no_loss():
    assert acc.laplace_counts_delta(0.0, 20.0) == 1
    for scale in (0.01, 1.0, 1e6):
        assert acc.laplace_counts_delta(scale, 1.999 / scale) > 0
        assert acc.laplace_counts_delta(scale, 2.001 / scale) == acc.laplace_counts_delta(scale, math.inf) == 0


@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_tight_noise_just_meets_its_promise_and_published_noise_where_it_is_proved(epsilon, delta):
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

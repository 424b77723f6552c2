"""Laplace and Gaussian noise on label counts against quadrature and whole releases, from both sides."""

import itertools
import math

import numpy as np
import pytest

from privdemo.accounting import (
    gaussian_counts_delta,
    gaussian_counts_sigma,
    laplace_counts_delta,
    laplace_counts_scale,
    published_gaussian_counts_sigma,
    published_laplace_counts_scale,
)
from tests.accounting.oracles import laplace_counts_quadrature

EPSILONS = (0.001, 0.01, 0.05, 0.3, 1.0, 5.0, 20.0)
DELTAS = (1e-10, 1e-4, 0.05, 0.3)
SWEEP = list(itertools.product(EPSILONS, DELTAS))


@pytest.mark.parametrize("scale", [0.1, 0.5, 2.0, 40.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999, 1.0, 1.5])
def test_the_laplace_profile_is_two_losses_convolved(scale, share):
    epsilon = share * 2 / scale
    truth = laplace_counts_quadrature(scale, epsilon)
    # quadrature of pieces to 1e-9 at worst, of at most 1 in all
    assert laplace_counts_delta(scale, epsilon) == pytest.approx(truth, abs=1e-9)
    if share < 0.9:  # and another scale has another profile
        for wrong in (0.99 * scale, 1.01 * scale):
            assert abs(laplace_counts_delta(wrong, epsilon) - truth) > 1e-5


def test_without_laplace_noise_there_is_no_privacy_and_beyond_two_over_b_no_loss():
    assert laplace_counts_delta(0.0, 20.0) == 1
    for scale in (0.01, 1.0, 1e6):
        assert laplace_counts_delta(scale, 2.001 / scale) == 0
        assert laplace_counts_delta(scale, 1.999 / scale) > 0
        assert laplace_counts_delta(scale, math.inf) == 0


@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_tight_laplace_noise_just_meets_its_promise(epsilon, delta):
    scale = laplace_counts_scale(epsilon, delta)
    assert laplace_counts_delta(scale, epsilon) <= delta
    assert laplace_counts_delta(0.98 * scale, epsilon) > delta
    assert scale <= published_laplace_counts_scale(epsilon)


# 0.013 and others: 2/(2/ε) is rounded to one digit above ε
@pytest.mark.parametrize("epsilon", [*EPSILONS, 0.013, 0.41, 0.47, 0.73, 1.46, 3.7])
def test_pure_laplace_noise_is_two_over_epsilon_and_never_fails(epsilon):
    for scale in (published_laplace_counts_scale(epsilon), laplace_counts_scale(epsilon, 0.0)):
        assert scale == pytest.approx(2 / epsilon, rel=1e-12)
        assert laplace_counts_delta(scale, epsilon) == 0
        assert laplace_counts_delta(0.98 * scale, epsilon) > 0


@pytest.mark.parametrize(("sigma", "epsilon"), [(8.0, 0.05), (2.0, 0.5), (0.8, 2.0)])
def test_the_gaussian_profile_of_whole_releases(sigma, epsilon):
    counts, neighbour = np.array([30, 20, 50, 1]), np.array([31, 20, 50, 0])
    noisy = counts + sigma * np.random.default_rng(0).standard_normal((400_000, 4))
    losses = (((noisy - neighbour) ** 2 - (noisy - counts) ** 2) / (2 * sigma**2)).sum(axis=1)
    values = np.maximum(0, -np.expm1(epsilon - losses))
    found, error = values.mean(), values.std() / math.sqrt(len(values))
    assert abs(gaussian_counts_delta(sigma, epsilon) - found) < 5 * error
    for wrong in (0.9 * sigma, 1.1 * sigma):
        assert abs(gaussian_counts_delta(wrong, epsilon) - found) > 5 * error


@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_tight_gaussian_noise_just_meets_its_promise(epsilon, delta):
    sigma = gaussian_counts_sigma(epsilon, delta)
    assert gaussian_counts_delta(sigma, epsilon) <= delta
    assert gaussian_counts_delta(0.98 * sigma, epsilon) > delta


@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_published_gaussian_noise_meets_its_promise_below_one_but_not_at_twenty(epsilon, delta):
    sigma = published_gaussian_counts_sigma(epsilon, delta)
    assert sigma == pytest.approx(2 * math.sqrt(math.log(1.25 / delta)) / epsilon, rel=1e-14)
    if epsilon < 1:
        assert gaussian_counts_delta(sigma, epsilon) <= delta
        assert sigma > gaussian_counts_sigma(epsilon, delta)
    if epsilon == 20:
        assert gaussian_counts_delta(sigma, epsilon) > 3 * delta  # proved for ε < 1 only, and void here

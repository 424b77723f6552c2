"""Naive training's loss against double integrals written from eq. (104), and finite differences."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from privdemo.experiments import naive_training
from privdemo.experiments.naive_training import NaiveConfig

CASES = [
    NaiveConfig(s=1.0, one_to_one=0.9, zero_to_one=0.4),
    NaiveConfig(s=1.5, one_to_one=0.85, zero_to_one=0.25, ratio=2.5, angle=50.0),
    NaiveConfig(s=2.0, one_to_one=0.3, zero_to_one=0.8, ratio=0.5, angle=30.0),
]
# The trapezoidal rule in two dimensions: its error falls exponentially, and the Gaussian's tail beyond 8.5 is 10⁻¹⁷.
_AXIS = np.linspace(-8.5, 8.5, 86)
E1, E2 = (grid.ravel() for grid in np.meshgrid(_AXIS, _AXIS))
WEIGHTS = norm.pdf(E1) * norm.pdf(E2) * (_AXIS[1] - _AXIS[0]) ** 2


def covariance(config):
    """s² uuᵀ + (ratio·s)² vvᵀ, with u at `angle` from the true direction and v across it."""
    angle = math.radians(config.angle)
    u, v = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    return config.s**2 * (np.outer(u, u) + config.ratio**2 * np.outer(v, v))


def gamma(z, config):
    """Eq. (103)."""
    return config.one_to_one * expit(z) + config.zero_to_one * (1 - expit(z))


def loss(alpha, config):
    """Eq. (104), averaged over the Gaussian of x: θ₀ᵀx is its first coordinate."""
    x = np.linalg.cholesky(covariance(config)) @ np.stack([E1, E2])
    z, label = math.cos(alpha) * x[0] + math.sin(alpha) * x[1], gamma(x[0], config)
    return -float(WEIGHTS @ (label * np.log(expit(z)) + (1 - label) * np.log(expit(-z))))


def gradient(weights, config):
    """Eq. (91) for free weights: E[(γ(θ₀ᵀx) − φ(wᵀx)) x]."""
    x = np.linalg.cholesky(covariance(config)) @ np.stack([E1, E2])
    return (WEIGHTS * (gamma(x[0], config) - expit(weights @ x)) * x).sum(axis=1)


def unit(degrees):
    return np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])


@pytest.mark.parametrize("config", CASES)
def test_loss_in_every_direction(config):
    result = naive_training.run(config)
    np.testing.assert_allclose(config.covariance, covariance(config), atol=1e-12)
    for i in range(0, len(result.alpha), 24):
        alpha = math.radians(result.alpha[i])
        assert result.loss[i] == pytest.approx(loss(alpha, config), abs=1e-10)


@pytest.mark.parametrize(("s", "one_to_one", "zero_to_one"), [(1.0, 0.9, 0.4), (2.0, 0.8, 0.2)])
def test_curvature_at_the_truth_is_only_the_first_term_of_the_published_formula(s, one_to_one, zero_to_one):
    config = NaiveConfig(s, one_to_one, zero_to_one)
    result, h = naive_training.run(config), 1e-3
    measured = (loss(h, config) - 2 * loss(0, config) + loss(-h, config)) / h**2
    bend = quad(lambda e: expit(s * e) * expit(-s * e) * norm.pdf(e), -10, 10)[0]
    first = s * quad(lambda e: -e * gamma(s * e, config) * norm.pdf(e), -10, 10)[0]
    second = -(s**2) * bend
    assert result.curvature == pytest.approx(s**2 * (one_to_one - zero_to_one) * bend, rel=1e-9)
    assert measured == pytest.approx(-first, abs=1e-5)
    assert abs(measured + first + second) > 0.9 * s**2 * bend  # eq. (107) as printed
    assert naive_training.curvature_as_printed(config) == pytest.approx(first + second, rel=1e-9)
    assert result.slope == pytest.approx(0, abs=1e-12)


def test_best_direction_is_the_opposite_where_flips_outweigh():
    result = naive_training.run(NaiveConfig(one_to_one=0.2, zero_to_one=0.7))
    assert (result.best, abs(result.free_alpha)) == (pytest.approx((180.0,), abs=1e-6), 180)
    without = naive_training.run(NaiveConfig(one_to_one=0.4, zero_to_one=0.4))
    assert (without.best, without.free_length) == ((), 0), "without contrast there is nothing to learn"


@pytest.mark.parametrize("config", CASES)
def test_gradient_vanishes_at_the_free_optimum(config):
    result = naive_training.run(config)
    weights = result.free_length * unit(result.free_alpha)
    np.testing.assert_allclose(gradient(weights, config), 0, atol=1e-9)
    assert result.free_alpha == (0 if config.contrast > 0 else 180)  # whatever the covariance
    assert np.abs(gradient(1.05 * weights, config)).max() > 1e-3
    assert np.abs(gradient(result.free_length * unit(result.free_alpha + 3), config)).max() > 1e-4

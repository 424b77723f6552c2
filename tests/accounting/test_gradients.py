"""Noise on gradients: the perturbed objective by its density, integrated, and descent by two other accountants."""

import math

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_distribution as oracle
from dp_accounting.rdp import RdpAccountant
from scipy.special import expit

from privdemo import accounting as acc
from privdemo.accounting.gradients import CURVATURE, GRADIENT, perturbed_objective_excess


def gradient(m):
    """ℓ′ of the loss with longest gradient ½, and ℓ″."""
    return -np.minimum(expit(-m), 0.5), np.where(m > 0, expit(m) * expit(-m), 0.0)


def density_in_the_plane(people, penalty, grid, log_density):
    """The density of the exact minimiser on a grid of weights (…, 2), by the noise that leads there."""
    n = len(people)
    noise, curved = -n * penalty * grid, np.zeros((*grid.shape, 2)) + n * penalty * np.eye(2)
    for u in people:
        slope, curvature = gradient(grid @ u)
        noise = noise - slope[..., None] * u
        curved = curved + curvature[..., None, None] * np.outer(u, u)
    return np.exp(log_density(np.linalg.norm(noise, axis=-1))) * np.linalg.det(curved)


def at(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def delta_in_the_plane(one, other, penalty, epsilon, log_density, reach, steps=600):
    line = np.linspace(-reach, reach, steps)
    grid = np.stack(np.meshgrid(line, line), axis=-1)
    p, q = (density_in_the_plane(people, penalty, grid, log_density) for people in (one, other))
    area = (line[1] - line[0]) ** 2
    assert p.sum() * area == pytest.approx(1, abs=2e-3), "all of it, so that the density is one"
    return float(np.maximum(0, p - math.exp(epsilon) * q).sum() * area)


# A person replaced by the opposite, by one at a right angle and by one close by; alone or beside others.
PAIRS = [
    ([at(0)], [at(math.pi)]),
    ([at(0)], [at(2)]),
    ([at(1), at(0)], [at(1), at(3)]),
    ([at(0)] * 3, [at(0)] * 2 + [at(2.5)]),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize(
    ("epsilon", "delta", "penalty"), [(1.0, 1e-2, 1.0), (1.0, 1e-2, 0.3), (3.0, 1e-3, 0.1), (0.5, 0.05, 2.0)]
)
def test_gaussian_noise_on_the_objective_keeps_epsilon_and_delta(one, other, epsilon, delta, penalty):
    n = len(one)
    sigma = acc.perturbed_objective_sigma(epsilon, delta, n, penalty)
    reach = (6 * sigma + n) / (n * penalty)

    def log_density(length):
        return -(length**2) / (2 * sigma**2) - math.log(2 * math.pi * sigma**2)

    worst = max(
        delta_in_the_plane(*pair, penalty, epsilon, log_density, reach) for pair in ((one, other), (other, one))
    )
    assert worst <= delta * (1 + 1e-3)
    assert acc.perturbed_objective_delta(sigma, epsilon, n, penalty) <= delta
    assert acc.perturbed_objective_delta(0.99 * sigma, epsilon, n, penalty) > delta


def test_one_person_against_the_opposite_uses_up_nearly_all_of_delta():
    """Where the penalty is strong; with a tenth less noise it would be too little."""
    (one, other), penalty, epsilon, delta = PAIRS[0], 30.0, 1.0, 1e-2
    sigma = acc.perturbed_objective_sigma(epsilon, delta, 1, penalty)

    def found(sigma):
        def log_density(length):
            return -(length**2) / (2 * sigma**2) - math.log(2 * math.pi * sigma**2)

        return delta_in_the_plane(one, other, penalty, epsilon, log_density, (6 * sigma + 1) / penalty)

    assert 0.6 * delta < found(sigma) <= delta < found(0.85 * sigma)


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize(("epsilon", "penalty"), [(1.0, 1.0), (0.5, 0.6), (3.0, 0.05)])
def test_pure_noise_on_the_objective_keeps_epsilon_at_every_weight(one, other, epsilon, penalty):
    n = len(one)
    eta = epsilon - perturbed_objective_excess(n, penalty)
    line = np.linspace(-8 / penalty, 8 / penalty, 801)
    grid = np.stack(np.meshgrid(line, line), axis=-1)
    p, q = (density_in_the_plane(people, penalty, grid, lambda length: -eta * length) for people in (one, other))
    assert np.abs(np.log(p / q)).max() <= epsilon + 1e-9


def test_without_the_part_for_curvature_epsilon_would_not_hold():
    epsilon, penalty = 0.2, 0.05
    line = np.linspace(-60, 60, 4001)
    grid = np.stack((line, np.zeros_like(line)), axis=-1)
    p, q = (density_in_the_plane(people, penalty, grid, lambda length: -epsilon * length) for people in PAIRS[0])
    assert np.abs(np.log(p / q)).max() > 2 * epsilon
    with pytest.raises(ValueError, match=r"^penalty must be above 1.13 where ε = 0.2 and n = 1, got 0.05; below, no"):
        acc.perturbed_objective_sigma(epsilon, 1e-3, 1, penalty)
    assert perturbed_objective_excess(1, CURVATURE / math.expm1(0.2)) == pytest.approx(0.2)
    assert acc.perturbed_objective_delta(100.0, epsilon, 1, penalty) == 1


@pytest.mark.parametrize(
    ("epsilon", "delta", "steps"), [(0.25, 1e-6, 10), (1.0, 1e-6, 10), (4.0, 1e-3, 40), (1.0, 1e-9, 1)]
)
def test_descent_is_one_gaussian_for_two_other_accountants(epsilon, delta, steps):
    sigma = acc.noisy_gradients_sigma(epsilon, delta, steps)
    assert acc.noisy_gradients_delta(sigma, epsilon, steps) <= delta
    one = oracle.from_gaussian_mechanism(sigma / (2 * GRADIENT), value_discretization_interval=1e-4)
    theirs = one.self_compose(steps).get_delta_for_epsilon(epsilon)
    assert theirs == pytest.approx(delta, rel=0.02)
    by_renyi = RdpAccountant()
    by_renyi.compose(dp_event.GaussianDpEvent(sigma / (2 * GRADIENT)), steps)
    assert delta <= by_renyi.get_delta(epsilon) < 12 * delta
    assert acc.noisy_gradients_delta(0.98 * sigma, epsilon, steps) > delta


@pytest.mark.parametrize("steps", [1, 3])
def test_who_sees_every_step_finds_no_more_than_is_said(steps):
    """Two sums that differ by 1 in every step, told apart by all noisy sums together, at the worst event."""
    epsilon, delta, n = 1.0, 0.02, 400_000
    sigma, rng = acc.noisy_gradients_sigma(epsilon, delta, steps), np.random.default_rng(0)
    for factor, private in ((1.0, True), (0.93, False)):
        noise = factor * sigma * rng.standard_normal((2, n, steps))
        bound = epsilon * (factor * sigma) ** 2 + steps / 2
        here, there = ((noise[0] + 1).sum(axis=1) > bound).mean(), (noise[1].sum(axis=1) > bound).mean()
        error = math.sqrt((here + math.exp(2 * epsilon) * there) / n)
        gap = here - math.exp(epsilon) * there
        assert (gap < delta + 3 * error) if private else (gap > delta + 3 * error)

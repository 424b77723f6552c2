"""Discrete noise on counts: its profile against the enumeration of all pairs of noise, and another accountant."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as oracle
from mpmath import mp, mpf

from privdemo import accounting as acc
from tests.accounting.oracles import hockey_stick

LAPLACE, GAUSSIAN = "laplace", "gaussian"
WEIGHTS = {LAPLACE: lambda y, b: np.exp(-np.abs(y) / b), GAUSSIAN: lambda y, s: np.exp(-((y / s) ** 2) / 2)}
DELTAS = {LAPLACE: acc.discrete_laplace_counts_delta, GAUSSIAN: acc.discrete_gaussian_counts_delta}
LEAST = {LAPLACE: acc.discrete_laplace_counts_scale, GAUSSIAN: acc.discrete_gaussian_counts_sigma}


def enumerated(name, noise, epsilon):
    """δ of two counts of which one is 1 more and the other 1 less, over all pairs of noisy counts."""
    reach = math.ceil(noise * (40 if name == LAPLACE else 10)) + 4
    y = np.arange(-reach, reach + 1)
    p = WEIGHTS[name](y, noise)
    p /= p.sum()
    here, there = np.outer(p, p), np.outer(np.roll(p, 1), np.roll(p, -1))
    return hockey_stick(here[1:, :-1].ravel(), there[1:, :-1].ravel(), epsilon)


@pytest.mark.parametrize("name", DELTAS)
@pytest.mark.parametrize("noise", [0.3, 0.7, 1.0, 2.9, 4.1, 12.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.3, 1.0, 3.0])
def test_the_profile_is_that_of_all_pairs(name, noise, epsilon):
    truth = enumerated(name, noise, epsilon)
    assert DELTAS[name](noise, epsilon) == pytest.approx(truth, rel=1e-8, abs=1e-14)
    if epsilon <= 1:
        assert DELTAS[name](1.01 * noise, epsilon) < truth or truth == 0


@pytest.mark.parametrize(("sigma", "epsilon"), [(0.4, 10.0), (2.5, 0.7), (3.9, 3.0), (60.0, 0.1), (2000.0, 0.004)])
def test_the_sum_over_the_integers_to_thirty_digits(sigma, epsilon):
    """Of the definition for the difference of two noises, with tails that no float holds."""
    with mp.workdps(30):
        s, e = mpf(sigma), mpf(epsilon)
        whole = (
            mp.nsum(lambda y: mp.exp(-(y**2) / (2 * s**2)), [-mp.inf, mp.inf]) if sigma < 5 else mp.sqrt(2 * mp.pi) * s
        )
        reach = math.ceil(25 * sigma) + 3
        step = max(1, reach // 20_000)
        if step == 1:
            inner = [
                mp.fsum(mp.exp(-((y - shift) ** 2) / s**2) for y in range(-reach, reach)) for shift in (0, mpf(1) / 2)
            ]
            total = (
                mp.fsum(
                    mp.exp(-(mpf(d) ** 2) / (4 * s**2)) * inner[d % 2] * (1 - mp.exp(e - (d + 1) / s**2))
                    for d in range(-1, reach)
                    if (d + 1) / s**2 > e
                )
                / whole**2
            )
        else:  # so smooth that the sum is √π σ in either case
            total = mp.fsum(
                mp.exp(-(mpf(d) ** 2) / (4 * s**2)) * (1 - mp.exp(e - (d + 1) / s**2))
                for d in range(math.floor(epsilon * sigma**2), reach)
            ) / (2 * mp.sqrt(mp.pi) * s)
        assert total <= mpf(acc.discrete_gaussian_counts_delta(sigma, epsilon)) <= total * (1 + mpf(10) ** -10)


@pytest.mark.parametrize("sigma", [0.8, 3.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_another_accountant_composes_two_counts_to_the_same(sigma, epsilon):
    """It rounds losses up to a grid of 10⁻⁵, so its δ is a little larger, and never smaller."""
    for make, noise, ours in (
        (oracle.from_discrete_gaussian_mechanism, sigma, acc.discrete_gaussian_counts_delta),
        (oracle.from_discrete_laplace_mechanism, 1 / sigma, acc.discrete_laplace_counts_delta),
    ):
        one = make(noise, sensitivity=1, value_discretization_interval=1e-5)
        theirs = one.self_compose(2).get_delta_for_epsilon(epsilon)
        mine = ours(sigma, epsilon)
        assert mine * (1 - 1e-9) <= theirs <= mine + 5e-5 * (mine > 0) + 1e-12


@pytest.mark.parametrize("name", DELTAS)
@pytest.mark.parametrize(
    ("epsilon", "delta"), list(itertools.product((0.001, 0.05, 0.3, 1.0, 5.0, 20.0), (1e-10, 1e-4, 0.05, 0.3)))
)
def test_the_least_noise_is_enough_and_no_more(name, epsilon, delta):
    noise = LEAST[name](epsilon, delta)
    assert DELTAS[name](noise, epsilon) <= delta < DELTAS[name](0.999 * noise, epsilon)
    if epsilon <= 1:  # more noise is never worse, where losses lie close together
        deltas = [DELTAS[name](factor * noise, epsilon) for factor in np.linspace(0.5, 1.5, 101)]
        assert (np.diff(deltas) <= 1e-14).all()


@pytest.mark.parametrize("epsilon", [0.001, 0.013, 0.3, 1.0, 3.7, 20.0])
def test_discrete_laplace_noise_of_scale_two_over_epsilon_never_fails(epsilon):
    scale = acc.discrete_laplace_counts_scale(epsilon, 0.0)
    assert scale == acc.published_laplace_counts_scale(epsilon)
    assert Fraction(2) / Fraction(scale) <= Fraction(epsilon) * (1 + Fraction(1, 2**52))
    assert acc.discrete_laplace_counts_delta(scale, epsilon) == 0
    assert acc.discrete_laplace_counts_delta(0.98 * scale, epsilon) > 0


@pytest.mark.parametrize("sigma", [0.2, 1.0, 30.0])
def test_epsilon_of_discrete_gaussian_noise_is_enough_and_no_more(sigma):
    for delta in (1e-12, 1e-6, 0.01):
        epsilon = acc.discrete_gaussian_counts_epsilon(sigma, delta)
        assert acc.discrete_gaussian_counts_delta(sigma, epsilon) <= delta
        assert acc.discrete_gaussian_counts_delta(sigma, epsilon * (1 - 1e-6)) > delta
        assert epsilon < 1 / sigma**2 + 2 * math.sqrt(math.log(1 / delta)) / sigma, "as ρ = 1/σ² promises"
    assert acc.discrete_gaussian_counts_epsilon(sigma, 1.0) == 0
    assert acc.discrete_gaussian_counts_epsilon(sigma, 0.0) == math.inf


def test_ends():
    for name, delta_at in DELTAS.items():
        assert delta_at(0.0, 20.0) == 1
        assert delta_at(1e-300, 20.0) == 1, name
        assert delta_at(1.0, math.inf) == 0
        assert 0 < delta_at(1e6, 0.0) < 1e-5
    with pytest.raises(ValueError, match="use Laplace noise"):
        acc.discrete_gaussian_counts_sigma(1.0, 0.0)

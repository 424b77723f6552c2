"""Scaled Dirichlet releases against quadrature, limits and whole releases; the worst moves against all moves."""

import itertools
import math

import numpy as np
import pytest

from privdemo import accounting as acc
from tests.accounting.oracles import BILLION, all_moves, dirichlet_quadrature, typical_loss, vanishing_sigma

SWEEP = list(itertools.product((0.001, 0.05, 1.0, 20.0), (1e-10, 1e-4, 0.05, 0.3)))
MOVES = [
    *[(2, 1), (2, 5), (5, 2), (51, 50), (50, 800), (800, 50), (1_000_001, 10**6)],
    *[(2, BILLION), (BILLION, 2), (BILLION, 10**5), (10**6, BILLION), (BILLION, BILLION - 1)],
]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("sigma", [1e-6, 1e-3, 0.1, 1.0, 50.0])
def test_dirichlet_delta_is_the_integral(sigma, move):
    spread = typical_loss(sigma, move)
    for epsilon in {0.05} | {min(20.0, max(0.001, z * spread + spread**2 / 2)) for z in (0.5, 2.5, 5.5)}:
        exceeds, truth = dirichlet_quadrature(sigma, move, epsilon)
        found = acc.dirichlet_delta(sigma, move, epsilon)
        # P and e^ε Q agree in up to five digits: of their eleven good ones six remain; 1e-13 is what e^ε Q may lose
        assert found == pytest.approx(truth, rel=1e-5, abs=1e-13)
        # tails of expansions and quadrature
        assert acc.published_dirichlet_delta(sigma, move, epsilon) == pytest.approx(exceeds, abs=1e-7)
        if 1e-8 < truth < 0.99 and sigma > 0.01:  # smaller σ are near the limit, where σ hardly matters
            for wrong in (0.99 * sigma, 1.01 * sigma):
                assert acc.dirichlet_delta(wrong, move, epsilon) != pytest.approx(truth, rel=1e-4)


@pytest.mark.parametrize("move", [(2, 1), (2, 700), (51, 50), (700, 50), (10**4, 10**4)])
@pytest.mark.parametrize("sigma", [1e-9, 1e-15])
def test_dirichlet_delta_as_sigma_vanishes(sigma, move):
    for epsilon in (0.001, 0.02, 0.5):
        exceeds, truth = vanishing_sigma(move, epsilon)
        # Γ at σ · 10⁴ departs by that much from its pole; (ε + log Λ)/σ of logs up to 35 has fourteen digits, times 10⁴
        assert acc.dirichlet_delta(sigma, move, epsilon) == pytest.approx(truth, rel=1e-5, abs=1e-11)
        assert acc.published_dirichlet_delta(sigma, move, epsilon) == pytest.approx(exceeds, rel=1e-5, abs=1e-11)
    # the spec's case: no σ helps at ε = 0.02 and counts of 50
    assert acc.published_dirichlet_delta(sigma, (50, 50), 0.02) == pytest.approx(0.188, abs=5e-3)


@pytest.mark.parametrize("profile", [acc.dirichlet_delta, acc.published_dirichlet_delta])
def test_an_empty_class_before_or_after_gives_itself_away(profile):
    for sigma in (1e-6, 0.5, 50.0):
        assert {profile(sigma, move, 20.0) for move in ((1, 5), (1, 0), (5, 0), (1, 1), (0, 3))} == {1}
        assert 0 < profile(sigma, (2, 1), 1.0) < 1
        assert profile(sigma, (2, 1), math.inf) == 0


@pytest.mark.parametrize(
    "counts", [(1, 1), (2, 3), (5, 2, 2), (100, 3, 7, 7), (60, 50, 10**6, 70), (9, 8, 7, 6, 5, 40), (800_000, 10**6, 3)]
)
@pytest.mark.parametrize("sigma", [1e-6, 1e-3, 0.3, 50.0])
def test_the_two_smallest_classes_have_the_worst_neighbours(counts, sigma):
    for z in (0, 0.5, 2, 5):
        epsilon = min(20.0, max(0.001, z * typical_loss(sigma, sorted(counts)[:2])))
        over_all = max(acc.dirichlet_delta(sigma, move, epsilon) for move in all_moves(counts))
        found = max(acc.dirichlet_delta(sigma, move, epsilon) for move in acc.neighbouring_moves(counts))
        # eleven digits of tails that agree
        assert found == pytest.approx(over_all, rel=1e-6, abs=1e-11)
    assert set(acc.neighbouring_moves(counts)) <= set(all_moves(counts))
    assert set(acc.moves_to_neighbours(counts)) <= set(all_moves(counts, both_ways=False))


@pytest.mark.parametrize("n_min", [1, 2, 3, 50])
def test_among_counts_of_n_min_the_worst_move_is_the_public_one(n_min):
    (public,) = acc.public_moves(n_min)
    assert public == (n_min + 1, n_min)
    more = [0, 1, 2, 20, 1000]
    for sigma in np.geomspace(1e-6, 50, 5):
        spread = typical_loss(sigma, public)
        for epsilon in (0.001, 0.05, 1.0, 0.5 * spread, 3 * spread):
            worst = acc.dirichlet_delta(sigma, public, epsilon)
            others = [(public[0] + i, public[1] + j) for i in more for j in more]
            # eleven digits of tails that agree
            assert max(acc.dirichlet_delta(sigma, move, epsilon) for move in others) <= worst * (1 + 1e-7) + 1e-11


@pytest.mark.parametrize("n_min", [1, 50, 10**4, BILLION - 1])
@pytest.mark.parametrize(("epsilon", "delta"), SWEEP)
def test_tight_dirichlet_noise_just_meets_its_guarantee(epsilon, delta, n_min):
    moves = acc.public_moves(n_min)
    (limit,) = {vanishing_sigma(move, epsilon)[1] for move in moves}
    if limit > delta:
        with pytest.raises(acc.NoSuchNoise, match=f"no σ meets ε = {epsilon:g}, δ = {delta:g} with counts of {n_min}$"):
            acc.dirichlet_sigma(epsilon, delta, moves)
        return
    sigma = acc.dirichlet_sigma(epsilon, delta, moves)
    assert acc.dirichlet_delta(sigma, moves[0], epsilon) <= delta
    # its noise is ∝ 1/√σ: this is 0.05 % less
    assert acc.dirichlet_delta(1.001 * sigma, moves[0], epsilon) > delta


@pytest.mark.parametrize(("epsilon", "delta"), [*SWEEP, (1.0, 1e-300), (0.001, 1e-300)])
def test_the_smallest_count_is_the_smallest(epsilon, delta):
    n = acc.dirichlet_smallest_count(epsilon, delta)
    # Γ at 10⁻⁹ · n, n up to 10⁶, departs by up to 10⁻³ from its pole; that moves n by less than one in 10⁴
    slack = n // 10_000
    assert vanishing_sigma((n + 1 + slack, n + slack), epsilon)[1] <= delta
    if n - 1 - slack >= 1:
        assert vanishing_sigma((n - slack, n - 1 - slack), epsilon)[1] > delta


def test_samples_of_whole_releases_have_the_delta_of_the_two_classes_that_change_and_of_no_other_epsilon():
    samples = acc.dirichlet_delta_samples((12, 8, 18, 60), (10, 10, 18, 60), 0.05, 200_000, np.random.default_rng(0))
    assert samples.shape == (200_000,)
    for epsilon in (0.05, 0.1):
        exact = acc.dirichlet_delta(2.0, (6, 4), epsilon)
        assert (abs(samples.mean() - exact) < 5 * samples.std() / math.sqrt(200_000)) == (epsilon == 0.05)

"""Class ratios by MMD against whole kernel matrices, plain cross-validation and Theorem 1."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import rbf_kernel

from privdemo.estimators import mmd
from privdemo.estimators.mmd import FACTORS, MMDClassRatio, kernel_means, median_heuristic
from privdemo.estimators.sets import Sets, split_sets
from privdemo.simplex import project_simplex
from tests.estimators import ratio_oracles
from tests.estimators.oracles import peak, rng
from tests.estimators.ratio_oracles import KINDS, THREE, TWO, gaussian_set, gaussian_sets

BANDWIDTHS = np.array([0.2, 0.7, 3.0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("kind", "other"), list(zip(KINDS, [*KINDS][2:] + [*KINDS][:2], strict=True)))
@pytest.mark.parametrize(("n", "m"), [(7, 5), (16, 16), (17, 40), (50, 33), (1, 20)])
def test_means_of_the_kernel_are_those_of_the_whole_matrix(kind, other, n, m, monkeypatch):
    monkeypatch.setattr(mmd, "BLOCK", 16)
    x, y = (np.where(rng(i).random((size, 4)) < 0.3, 0, rng(i + 5).random((size, 4))) for i, size in ((1, n), (2, m)))
    one, two, mixed = KINDS[kind](x), KINDS[kind](y), KINDS[other](y)
    # squares of up to 4 in ten roundings, in exponents up to 0.5/0.2² = 12.5 times as large; then exp and a mean
    atol = 1e-5 if "32" in kind else 1e-13
    for right, records, tolerance in ((y, two, atol), (x, None, atol), (x, one, atol), (y, mixed, 1e-5)):
        expected, wrong = (
            np.array([rbf_kernel(x, right, gamma=0.5 / (scale * b) ** 2).mean() for b in BANDWIDTHS])
            for scale in (1, 1.1)
        )
        found = kernel_means(one, records, BANDWIDTHS)
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance, strict=True)
        assert n == 1 or (np.abs(found - wrong) > 10 * tolerance).all()


def test_only_a_few_blocks_are_in_memory_and_sparse_records_are_never_densified(monkeypatch):
    n, d, generator = 30, 20_000, rng(1)
    ones, ends = np.ones(10 * n), np.arange(0, 10 * n + 1, 10)
    sets = [csr_array((ones, generator.integers(0, d, 10 * n), ends), shape=(n, d)) for _ in range(4)]
    for n_features in (None, 50):
        most = peak(lambda n=n_features: MMDClassRatio(1.0, n).fit(sets[:2], TWO, sets[2:], TWO))
        assert most < 4 * n * d * 8  # that of all records, dense: 19 MB
    monkeypatch.setattr(mmd, "BLOCK", 128)
    x, block = generator.random((1500, 5)), 128**2 * 8
    # distances, their kernel, two squares; and as much again for what Python itself does
    assert peak(lambda: kernel_means(x, x[300:], BANDWIDTHS)) < 5 * block
    assert peak(lambda: kernel_means(csr_array(np.where(x < 0.8, 0, x)), None, BANDWIDTHS)) < 10 * block


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bandwidth", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("split", [False, True])
def test_of_more_sets_than_classes_only_as_many_dimensions_as_classes_count(bandwidth, split):
    p = np.concatenate((THREE, [[0.2, 0.2, 0.6]]))
    sets, tuning = gaussian_sets(p, 40, 1, d=3), gaussian_sets(THREE, 30, 2, d=3)
    if split:
        fit = MMDClassRatio(bandwidth, random_state=7).fit(sets, p)
        halves = split_sets(Sets(tuple(sets), p), rng(7))
        known, shares, sizes = [*halves[0].X, *halves[1].X], np.tile(p, (2, 1)), [20] * 8
    else:
        fit = MMDClassRatio(bandwidth).fit(sets, p, tuning, THREE)
        known, shares, sizes = sets + tuning, np.concatenate((p, THREE)), [40] * 4 + [30] * 3
    gram = ratio_oracles.gram(known, fit.bandwidth_)
    np.testing.assert_array_equal(fit.sizes_, sizes)
    np.testing.assert_array_equal(fit.proportions_, shares)
    np.testing.assert_allclose(fit.gram_, gram, atol=1e-13)
    np.testing.assert_array_equal(fit.gram_, fit.gram_.T)
    gaps, outside = [], 0
    for truth in ((0.1, 0.2, 0.7), (0.1, 0.8, 0.1), (0.8, 0.1, 0.1), (1, 0, 0), (0, 1, 0)):
        U = gaussian_set(truth, 50, 3, d=3)
        k = np.array([rbf_kernel(x, U, gamma=0.5 / fit.bandwidth_**2).mean() for x in known])
        np.testing.assert_allclose(fit.similarities(U), k, atol=1e-14)
        found = fit.predict_raw(U)
        # rounding of 10⁻¹⁵, and eigenvalues of 10⁻³ and more
        np.testing.assert_allclose(found, ratio_oracles.truncated(gram, 3) @ k @ shares, atol=1e-10)
        np.testing.assert_array_equal(found, fit.from_similarities(fit.similarities(U)))
        np.testing.assert_allclose(fit.predict(U), project_simplex(found), atol=1e-12)
        gaps.append([np.abs(found - ratio_oracles.truncated(gram, c) @ k @ shares).max() for c in (2, 4, len(known))])
        outside += found.min() < 0 or abs(found.sum() - 1) > 0.01
    assert (np.max(gaps, axis=0) > 1e-3).all()
    assert outside


@pytest.mark.parametrize("kind", ["float64", "sparse float64", "float32"])
def test_random_features_are_those_of_the_kernel_but_for_chance(kind, monkeypatch):
    """Similarities are means of n products 2 cos cos, whose second moment is at most 3/2."""
    monkeypatch.setattr(mmd, "BLOCK", 16)
    sets, tuning, (U,) = (
        [KINDS[kind](x) for x in group]
        for group in (gaussian_sets(TWO, 20, 1), gaussian_sets(TWO, 20, 2), [gaussian_set([0.3, 0.7], 50, 3)])
    )
    kernel, other = (MMDClassRatio(bandwidth).fit(sets, TWO, tuning, TWO) for bandwidth in (1.0, 0.5))
    grams = []
    for seed in (0, 2**32 - 1):
        fit = MMDClassRatio(1.0, 6400, random_state=seed).fit(sets, TWO, tuning, TWO)
        atol = 5 * math.sqrt(1.5 / 6400)
        assert np.abs(fit.gram_ - kernel.gram_).max() < atol < np.abs(fit.gram_ - other.gram_).max()
        assert np.abs(fit.similarities(U) - kernel.similarities(U)).max() < atol
        grams.append(fit.gram_)
    assert np.abs(grams[0] - grams[1]).max() > 0


@pytest.mark.parametrize("seed", [0, 1])
def test_the_bandwidth_finds_one_group_from_the_other_with_the_least_error(seed):
    p, q = THREE, np.array([[0.5, 0.4, 0.1], [0.2, 0.2, 0.6], [0.1, 0.6, 0.3], [1, 0, 0]])
    sets, tuning = gaussian_sets(p, 40, 2 * seed), gaussian_sets(q, 30, 2 * seed + 1)
    fit, median = MMDClassRatio().fit(sets, p, tuning, q), ratio_oracles.median(sets + tuning)
    assert list(FACTORS) == [2.0**k for k in range(-5, 6)]
    expected = ratio_oracles.cv_errors(sets, p, tuning, q, median * np.array(FACTORS))
    # Gram matrices of condition up to 10⁸ in double precision
    np.testing.assert_allclose(fit.cv_errors_, expected, atol=1e-6)
    assert fit.factor_ == FACTORS[int(np.argmin(expected))]
    assert fit.bandwidth_ == pytest.approx(fit.factor_ * median, rel=1e-12)
    assert np.ptp(expected) > 0.05
    fixed = MMDClassRatio(fit.factor_).fit(sets, p, tuning, q)
    np.testing.assert_allclose(fixed.predict_raw(sets[0]), fit.predict_raw(sets[0]), rtol=1e-9)
    np.testing.assert_allclose(fixed.cv_errors_, [fit.cv_errors_.min()], rtol=1e-9)


def test_the_median_heuristic_is_the_median_over_all_pairs_of_any_unit_and_origin():
    sets = gaussian_sets(TWO, 20, 3)
    found = median_heuristic(Sets(tuple(sets), TWO), 0)
    assert found == pytest.approx(ratio_oracles.median(sets), rel=1e-12)
    sparse = Sets(tuple(csr_array(x.astype(np.float32)) for x in sets), TWO)
    assert median_heuristic(sparse, 1) == pytest.approx(found, rel=1e-6)
    away = Sets(tuple(x + 2.0**27 for x in sets), TWO)  # whose squares are right to 4 only
    assert median_heuristic(away, 0) == pytest.approx(found, rel=1e-6)
    for n_features in (None, 40):
        fit, small = (MMDClassRatio(2.5, n_features).fit([unit * x for x in sets], TWO) for unit in (1, 1e-15))
        assert small.bandwidth_ == pytest.approx(1e-15 * fit.bandwidth_, rel=1e-12)
        np.testing.assert_allclose(small.predict(1e-15 * sets[0]), fit.predict(sets[0]), atol=1e-9)


@pytest.mark.filterwarnings("ignore:.*assumption A0")
@pytest.mark.parametrize("n_features", [None, 80])
def test_other_proportions_of_the_same_sets_give_what_fitting_would(n_features):
    sets, tuning, U = gaussian_sets(THREE, 40, 1), gaussian_sets(THREE, 40, 2), gaussian_set([0.1, 0.8, 0.1], 50, 3)
    fit = MMDClassRatio("cv", n_features).fit(sets, THREE, tuning, THREE)
    before = *fit.predict_raw(U), fit.factor_, fit.condition_number_
    factors = set()
    for seed in range(4):
        p, q = rng(seed).dirichlet(np.ones(3), 3), rng(seed + 50).dirichlet(np.ones(3), 3)
        if seed == 3:
            p, q = (np.insert(shares[:, :2] / shares[:, :2].sum(axis=1)[:, None], 1, 0, axis=1) for shares in (p, q))
        other, expected = fit.reweigh(p, q), MMDClassRatio("cv", n_features).fit(sets, p, tuning, q)
        for what in ("cv_errors_", "factor_", "bandwidth_", "gram_", "proportions_", "sizes_", "condition_number_"):
            np.testing.assert_allclose(getattr(other, what), getattr(expected, what), rtol=1e-12)
        np.testing.assert_allclose(other.predict_raw(U), expected.predict_raw(U), rtol=1e-9, atol=1e-12)
        assert other.bound(50) == pytest.approx(expected.bound(50), rel=1e-9)
        factors.add(other.factor_)
    assert len(factors) > 1  # else nothing was chosen
    assert (*fit.predict_raw(U), fit.factor_, fit.condition_number_) == before
    one = fit.reweigh(np.eye(3)[[1, 1, 1]], np.eye(3)[[1, 1, 1]])
    np.testing.assert_array_equal((one.predict(U), one.from_similarities(fit.similarities(U))), [[0, 1, 0]] * 2)


def test_other_proportions_must_be_as_many_as_the_sets_were_and_warn_as_fitting_would():
    """Without a second group fitting has halved the three sets."""
    fit, alike = MMDClassRatio(1.0).fit(gaussian_sets(THREE, 20, 1), THREE), np.full((3, 3), 1 / 3)
    with pytest.warns(UserWarning, match="^3 sets of rank 1 cannot tell 3 classes apart .assumption A0 fails"):
        fit.reweigh(alike, alike)
    with pytest.raises(ValueError, match=r"^proportions must be .* 3 and 3 sets of 3 classes.*\(2, 3\) and \(3, 3\)$"):
        fit.reweigh(THREE[:2], THREE)


@pytest.mark.parametrize("n_features", [None, 40])
def test_the_bound_is_that_of_theorem_1_and_above_the_error(n_features):
    """Of the first group alone, as many sets as classes."""
    sizes, others = (60, 60, 40), TWO @ THREE[:2]
    sets = [gaussian_set(row, n, i, d=3) for i, (row, n) in enumerate(zip(THREE, sizes, strict=True))]
    fit = MMDClassRatio(1.0, n_features).fit(sets, THREE, gaussian_sets(others, 200, 4, d=3), others)
    # the least singular value of the sets' mean features, from their Gram matrix
    least = math.sqrt(np.linalg.eigvalsh(fit.gram_[:3, :3]).min())
    q = math.sqrt(np.linalg.eigvalsh(THREE.T @ THREE).max()) / least
    assert fit.condition_number_ == pytest.approx(q, rel=1e-9)
    for n_u, delta, truth in ((30, 0.05, (0.4, 0.3, 0.3)), (500, 1e-4, (0.8, 0.1, 0.1)), (1, 1, (0, 0, 1))):
        *squares, last = ((2 / math.sqrt(n) + math.sqrt(math.log(14 / delta) / 2 / n)) ** 2 for n in (*sizes, n_u))
        expected = math.sqrt(sum(squares)) / least * (1 + q) + q * math.sqrt(last)
        assert fit.bound(np.int64(n_u), delta) == pytest.approx(expected, rel=1e-9)
        assert np.linalg.norm(fit.predict(gaussian_set(truth, n_u, 5, d=3)) - truth) <= fit.bound(n_u, delta)


@pytest.mark.parametrize("n_sets", [2, 4])
def test_there_is_no_bound_of_more_or_fewer_sets_than_classes(n_sets):
    """For more the true σ_min(Ā) is 0 and the theorem says nothing; Q is that of c dimensions."""
    p = np.tile(THREE, (2, 1))[:n_sets]
    sets, tuning = gaussian_sets(p, 60, 1, d=3), gaussian_sets(THREE, 60, 2, d=3)
    fit = MMDClassRatio(1.0).fit(sets, p, tuning, THREE)
    assert fit.bound(100) == math.inf
    least = np.linalg.svd(ratio_oracles.gram(sets, fit.bandwidth_), compute_uv=False)[2:3] ** 0.5
    expected = np.linalg.norm(p, 2) / least[0] if n_sets > 2 else math.inf
    assert fit.condition_number_ == pytest.approx(expected, rel=1e-9)

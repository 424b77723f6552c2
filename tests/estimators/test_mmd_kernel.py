"""Means of a kernel against whole matrices, in every kind of array, and the median heuristic."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from privdemo.estimators import mmd
from privdemo.estimators.mmd import MMDClassRatio, kernel_means, median_heuristic
from privdemo.estimators.sets import Sets
from tests.estimators.oracles import rng
from tests.estimators.ratio_oracles import (
    EVERY,
    KINDS,
    THREE,
    TWO,
    gaussian_set,
    gaussian_sets,
    gram_by_hand,
    median_by_hand,
    name,
)

BANDWIDTHS = np.array([0.2, 0.7, 3.0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "m"), [(7, 5), (16, 16), (17, 40), (50, 33), (1, 20)])
def test_means_of_the_kernel_are_those_of_the_whole_matrix(kind, n, m, monkeypatch):
    monkeypatch.setattr(mmd, "BLOCK", 16)
    x, y = (
        np.where(rng(seed).random((size, 4)) < 0.3, 0, rng(seed + 5).random((size, 4)))
        for seed, size in ((1, n), (2, m))
    )
    given_ = [KINDS[kind](z) for z in (x, y)]
    # squares of up to 4 in ten roundings, in exponents up to 0.5/0.2² = 12.5 times as large; then exp and a mean
    atol = 1e-5 if "32" in kind else 1e-13
    for mine, other, records in ((x, y, given_[1]), (x, x, None), (x, x, given_[0])):
        expected = np.array([rbf_kernel(mine, other, gamma=0.5 / b**2).mean() for b in BANDWIDTHS])
        found = kernel_means(given_[0], records, BANDWIDTHS)
        assert found.shape == (3,)
        np.testing.assert_allclose(found, expected, rtol=0, atol=atol)
        wrong = np.array([rbf_kernel(mine, other, gamma=0.5 / (1.1 * b) ** 2).mean() for b in BANDWIDTHS])
        if n > 1:
            assert (np.abs(found - wrong) > 10 * atol).all()


def test_dense_and_sparse_and_precisions_may_be_mixed():
    x, y = rng(1).random((9, 4)), rng(2).random((12, 4))
    expected = rbf_kernel(x, y, gamma=0.5).mean()
    for one in KINDS.values():
        for other in KINDS.values():
            # single precision: squares of up to 4 in ten roundings
            assert kernel_means(one(x), other(y), np.ones(1))[0] == pytest.approx(expected, abs=1e-5)


def test_entries_of_a_sparse_matrix_that_come_twice_are_added_and_left_alone():
    X = csr_array((np.array([1.0, 2, 1, 0.5]), np.array([1, 0, 1, 2]), np.array([0, 3, 4])), shape=(2, 3))
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    assert kernel_means(X, None, np.ones(1))[0] == pytest.approx(rbf_kernel(X.toarray(), gamma=0.5).mean(), abs=1e-14)
    for array, copy in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(("dtype", "origin"), [(np.float32, 100), (np.float32, 3000), (np.float64, 1e7)])
def test_where_the_origin_is_does_not_matter_to_a_kernel_of_distances(dtype, origin):
    """A column that holds years, say. The kernel of the very numbers that are given, once they have been rounded."""
    x, y = ((rng(seed).normal(size=(60, 2)) + origin).astype(dtype) for seed in (1, 2))
    for other in (None, y):
        exact = rbf_kernel(x.astype(float) - origin, (x if other is None else y).astype(float) - origin, gamma=8).mean()
        found = kernel_means(x, other, np.array([0.25]))[0]
        assert found <= 1  # every entry of the kernel is
        assert found == pytest.approx(exact, abs=0.01)  # a kernel's mean, of 0.03 to 0.06


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["float64", "float32", "sparse float64"])
def test_no_entry_of_a_kernel_is_above_1_though_distances_are_rounded_below_0(kind):
    """Pairs of the same records, far from the mean, at a bandwidth at which rounding is not small."""
    x = KINDS[kind](np.repeat(1e3 * rng(1).normal(size=(20, 3)), 2, axis=0))
    found = kernel_means(x, None, np.array([1e-6]))[0]
    assert 0 < found <= 0.05  # of 40 records, each with itself and one other; where rounding is above 0, fewer


@pytest.mark.parametrize("unit", [1e-15, 1e15])
@pytest.mark.parametrize("n_features", [None, 40])
def test_units_do_not_matter(unit, n_features):
    sets, U = gaussian_sets(TWO, 40, 1), gaussian_set([0.5, 0.5], 40, 3)
    expected = MMDClassRatio(1.0, n_features).fit(sets, TWO)
    found = MMDClassRatio(1.0, n_features).fit([unit * x for x in sets], TWO)
    assert found.bandwidth_ == pytest.approx(unit * expected.bandwidth_, rel=1e-12)
    np.testing.assert_allclose(found.predict(unit * U), expected.predict(U), atol=1e-9)


def peak(work):
    """The most memory in use while `work` runs, in bytes."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_only_a_few_blocks_are_in_memory(monkeypatch):
    monkeypatch.setattr(mmd, "BLOCK", 128)
    x, y = rng(1).random((3000, 5)), rng(2).random((2500, 5))
    kernel_means(x[:200], y[:200], BANDWIDTHS)  # imports and caches
    block = 128**2 * 8
    # distances, their kernel, two squares; and as much again for what Python itself does
    assert peak(lambda: kernel_means(x, y, BANDWIDTHS)) < 5 * block
    assert peak(lambda: kernel_means(x, None, BANDWIDTHS)) < 5 * block
    sparse = csr_array(np.where(x < 0.8, 0, x))
    assert peak(lambda: kernel_means(sparse, None, BANDWIDTHS)) < 10 * block
    assert peak(lambda: rbf_kernel(x, y)) > 400 * block  # the whole matrix would be seen


@pytest.mark.parametrize("method", EVERY[:2], ids=name)
def test_sparse_records_of_many_columns_are_never_densified(method):
    """“The memory is that of one block.” Words of messages easily have 20,000 columns, hashed ones a million."""
    n, d = 30, 20_000
    draw = rng(1)
    sets = [
        csr_array((np.ones(10 * n), draw.integers(0, d, 10 * n), np.arange(0, 10 * n + 1, 10)), shape=(n, d))
        for _ in range(4)
    ]
    most = peak(lambda: clone(method).set_params(bandwidth=1.0).fit(sets[:2], TWO, sets[2:], TWO))
    assert most < 4 * n * d * 8  # that of all records, dense: 19 MB


def test_the_gram_matrix_is_that_of_block_means_and_has_no_negative_eigenvalues(monkeypatch):
    monkeypatch.setattr(mmd, "BLOCK", 16)
    sets, tuning = gaussian_sets(THREE, 30, 1), gaussian_sets(THREE, 20, 2)
    for factor in (0.1, 1.0, 10.0):
        fit = MMDClassRatio(factor).fit(sets, THREE, tuning, THREE)
        np.testing.assert_allclose(fit.gram_, gram_by_hand(sets + tuning, fit.bandwidth_), atol=1e-13)
        np.testing.assert_array_equal(fit.gram_, fit.gram_.T)
        assert np.linalg.eigvalsh(fit.gram_)[0] > -1e-14
        assert np.abs(fit.gram_ - gram_by_hand(sets + tuning, 1.1 * fit.bandwidth_)).max() > 1e-3
        np.testing.assert_array_equal(fit.sizes_, [30] * 3 + [20] * 3)
        U = gaussian_set([0.2, 0.3, 0.5], 40, 4)
        expected = [rbf_kernel(x, U, gamma=0.5 / fit.bandwidth_**2).mean() for x in sets + tuning]
        np.testing.assert_allclose(fit.similarities(U), expected, atol=1e-14)


def test_the_median_heuristic_is_the_median_over_all_pairs():
    sets = gaussian_sets(TWO, 20, 3)
    found = median_heuristic(Sets(tuple(sets), TWO), 0)
    assert found == pytest.approx(median_by_hand(sets), rel=1e-12)
    sparse = Sets(tuple(csr_array(x.astype(np.float32)) for x in sets), TWO)
    assert median_heuristic(sparse, 1) == pytest.approx(found, rel=1e-6)
    away = Sets(tuple(x + 2.0**27 for x in sets), TWO)  # whose squares are right to 4 only
    assert median_heuristic(away, 0) == pytest.approx(found, rel=1e-6)
    assert MMDClassRatio(2.5).fit(sets, TWO).bandwidth_ == pytest.approx(2.5 * found, rel=1e-12)


def test_large_sets_do_not_drown_small_ones_in_the_median(monkeypatch):
    """Three far clusters: two thirds of pairs with as many records of each are far apart, of all records a tenth."""
    monkeypatch.setattr(mmd, "MEDIAN_SAMPLE", 180)
    sets = Sets(tuple(rng(i).normal(10 * i, 0.1, (n, 1)) for i, n in enumerate((2000, 60, 60))), np.eye(3))
    values = [median_heuristic(sets, seed) for seed in range(3)]
    assert min(values) > 9 / math.sqrt(2)
    assert max(values) < 21 / math.sqrt(2)
    assert len(set(values)) == 3  # by the seed
    assert median_heuristic(sets, 1) == values[1]


def test_where_most_records_are_alike_the_bandwidth_is_still_above_0():
    sets = [np.repeat([[0.0], [1.0]], [9, 1], axis=0), np.repeat([[0.0], [1.0]], [8, 2], axis=0)]
    assert median_heuristic(Sets(tuple(sets), TWO), 0) > 0.1
    with pytest.raises(ValueError, match="all records are alike: nothing tells the sets apart"):
        MMDClassRatio().fit([np.ones((5, 2))] * 2, TWO)

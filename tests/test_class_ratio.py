"""Class ratios by MMD against whole kernels, explicit features, exact mixtures, plain cross-validation, Theorem 1."""

import math
import re
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.sparse import csc_array, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from privdemo.estimators import mmd
from privdemo.estimators.label_proportions import LabelProportionClassifier
from privdemo.estimators.mmd import FACTORS, MMDClassRatio, condition_number, kernel_means, median_heuristic, mixture
from privdemo.estimators.proportion_svm import ProportionSVM
from privdemo.estimators.set_names import ClassifyAndCount, SetIdentityClassRatio, SpreadClassRatio
from privdemo.estimators.sets import Sets, read_proportions, read_sets, span_problem, split_sets

TWO = np.array([[0.9, 0.1], [0.1, 0.9]])
THREE = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
EVERY = [
    MMDClassRatio(),
    MMDClassRatio(1.0, n_features=50),
    SpreadClassRatio(),
    SetIdentityClassRatio(),
    ClassifyAndCount(LabelProportionClassifier()),
    ClassifyAndCount(ProportionSVM(n_starts=1)),
]


def name(estimator):
    inner = getattr(estimator, "classifier", getattr(estimator, "n_features", None) and "random features")
    return type(estimator).__name__ + (f" {inner}" if inner else "")


every_method = pytest.mark.parametrize("method", EVERY, ids=name)


def rng(seed=0):
    return np.random.default_rng(seed)


def gaussian_sets(proportions, n, seed, d=2, gap=2.0):
    """Sets of `n` records with exactly these proportions, class c normal around `gap` along an axis of its own.

    With more classes than `d` axes, around −`gap` along the first again.
    """
    draw, sets = rng(seed), []
    centres = gap * np.concatenate((np.eye(d), -np.eye(d)))
    for shares in np.asarray(proportions):
        y = draw.permutation(np.repeat(np.arange(len(shares)), np.rint(shares * n).astype(int)))
        sets.append(draw.normal(size=(len(y), d)) + centres[y])
    return sets


def gaussian_set(shares, n, seed, **shape):
    return gaussian_sets([shares], n, seed, **shape)[0]


def simplex_by_hand(v):
    tau = brentq(lambda t: np.maximum(v - t, 0).sum() - 1, v.min() - 1, v.max(), xtol=1e-14)
    return np.maximum(v - tau, 0)


def gram_by_hand(sets, bandwidth):
    """Means over blocks of the whole kernel matrix."""
    X = np.concatenate(sets)
    averages = np.zeros((len(X), len(sets)))
    averages[np.arange(len(X)), np.repeat(np.arange(len(sets)), [len(x) for x in sets])] = 1
    averages /= averages.sum(axis=0)
    return averages.T @ rbf_kernel(X, gamma=0.5 / bandwidth**2) @ averages


def median_by_hand(sets):
    X = np.concatenate(sets)
    return math.sqrt(np.median([((x - y) ** 2).sum() for i, x in enumerate(X) for y in X[:i]]) / 2)


# --- means of a kernel -----------------------------------------------------------------------------

KINDS = {
    "float64": lambda x: x,
    "float32": lambda x: x.astype(np.float32),
    "sparse float64": csr_array,
    "sparse float32": lambda x: csr_array(x.astype(np.float32)),
    "sparse matrix": csr_matrix,
}
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


@pytest.mark.parametrize(("dtype", "origin"), [(np.float32, 3000), (np.float64, 3000)])
def test_proportions_do_not_change_with_the_origin(dtype, origin):
    """float32 is what the experiments pass."""
    sets, tuning, U = gaussian_sets(TWO, 300, 1), gaussian_sets(TWO, 300, 2), gaussian_set([0.5, 0.5], 300, 3)
    expected = MMDClassRatio().fit(sets, TWO, tuning, TWO)
    moved = [[(x + origin).astype(dtype) for x in group] for group in (sets, tuning)]
    found = MMDClassRatio().fit(moved[0], TWO, moved[1], TWO)
    # positions are rounded by 10⁻⁴ of a standard deviation
    np.testing.assert_allclose(found.cv_errors_, expected.cv_errors_, atol=0.01)
    np.testing.assert_allclose(found.predict((U + origin).astype(dtype)), expected.predict(U), atol=0.01)


@pytest.mark.parametrize("unit", [1e-15, 1e15])
@pytest.mark.parametrize("n_features", [None, 40])
def test_units_do_not_matter(unit, n_features):
    sets, U = gaussian_sets(TWO, 40, 1), gaussian_set([0.5, 0.5], 40, 3)
    expected = MMDClassRatio(1.0, n_features).fit(sets, TWO)
    found = MMDClassRatio(1.0, n_features).fit([unit * x for x in sets], TWO)
    assert found.bandwidth_ == pytest.approx(unit * expected.bandwidth_, rel=1e-12)
    np.testing.assert_allclose(found.predict(unit * U), expected.predict(U), atol=1e-9)


def test_only_a_few_blocks_are_in_memory(monkeypatch):
    monkeypatch.setattr(mmd, "BLOCK", 128)
    x, y = rng(1).random((3000, 5)), rng(2).random((2500, 5))
    kernel_means(x[:200], y[:200], BANDWIDTHS)  # imports and caches

    def peak(work):
        tracemalloc.start()
        work()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    block = 128**2 * 8
    # distances, their kernel, two squares; and as much again for what Python itself does
    assert peak(lambda: kernel_means(x, y, BANDWIDTHS)) < 5 * block
    assert peak(lambda: kernel_means(x, None, BANDWIDTHS)) < 5 * block
    sparse = csr_array(np.where(x < 0.8, 0, x))
    assert peak(lambda: kernel_means(sparse, None, BANDWIDTHS)) < 10 * block
    assert peak(lambda: rbf_kernel(x, y)) > 400 * block  # the whole matrix would be seen


@pytest.mark.parametrize("method", [MMDClassRatio(1.0), MMDClassRatio(1.0, n_features=20)], ids=name)
def test_sparse_records_of_many_columns_are_never_densified(method):
    """“The memory is that of one block.” Words of messages easily have 20,000 columns, hashed ones a million."""
    n, d = 30, 20_000
    draw = rng(1)
    sets = [
        csr_array((np.ones(10 * n), draw.integers(0, d, 10 * n), np.arange(0, 10 * n + 1, 10)), shape=(n, d))
        for _ in range(4)
    ]
    tracemalloc.start()
    method.fit(sets[:2], TWO, sets[2:], TWO)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
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


# --- mixtures --------------------------------------------------------------------------------------


def truncated(gram, c):
    """The inverse of `gram` within the span of its c largest singular values."""
    left, values, right = np.linalg.svd(gram)
    return (right[:c].T / values[:c]) @ left[:, :c].T


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 4.0, "cv"])
@pytest.mark.parametrize("groups", ["the same twice", "as many as classes in all"])
def test_a_set_that_is_a_mixture_of_training_sets_is_found_exactly(bandwidth, groups):
    """U is made of whole training sets, which span no more dimensions than there are classes."""
    known = gaussian_sets(THREE, 30, 1, d=3)
    first, second = (slice(None), slice(None)) if groups == "the same twice" else (slice(1), slice(1, None))
    fit = MMDClassRatio(bandwidth).fit(known[first], THREE[first], known[second], THREE[second])
    for copies in ((1, 0, 0), (1, 2, 3), (0, 5, 1)):
        U = np.concatenate([x for x, n in zip(known, copies, strict=True) for _ in range(n)])
        truth = copies @ THREE / sum(copies)
        # rounding of 10⁻¹⁵ in similarities, and eigenvalues of 10⁻⁵ and more of the Gram matrix
        np.testing.assert_allclose(fit.predict_raw(U), truth, atol=1e-6)
        np.testing.assert_allclose(fit.predict(U), truth, atol=1e-6)
        assert np.abs(fit.predict(np.concatenate((U, known[2], known[2]))) - truth).max() > 0.05


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bandwidth", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("split", [False, True])
def test_of_more_sets_than_classes_only_as_many_dimensions_as_classes_count(bandwidth, split):
    p = np.concatenate((THREE, [[0.2, 0.2, 0.6]]))
    sets, tuning, q = gaussian_sets(p, 40, 1, d=3), gaussian_sets(THREE, 30, 2, d=3), THREE
    if split:
        fit = MMDClassRatio(bandwidth, random_state=7).fit(sets, p)
        halves = split_sets(Sets(tuple(sets), p), rng(7))
        known, shares = [*halves[0].X, *halves[1].X], np.tile(p, (2, 1))
    else:
        fit = MMDClassRatio(bandwidth).fit(sets, p, tuning, q)
        known, shares = sets + tuning, np.concatenate((p, q))
    gram = gram_by_hand(known, fit.bandwidth_)
    gaps = []
    for truth in ((0.1, 0.2, 0.7), (0.1, 0.8, 0.1), (0.8, 0.1, 0.1)):
        U = gaussian_set(truth, 50, 3, d=3)
        k = np.array([rbf_kernel(x, U, gamma=0.5 / fit.bandwidth_**2).mean() for x in known])
        found = fit.predict_raw(U)
        # rounding of 10⁻¹⁵, and eigenvalues of 10⁻³ and more
        np.testing.assert_allclose(found, truncated(gram, 3) @ k @ shares, atol=1e-10)
        gaps.append([np.abs(found - truncated(gram, c) @ k @ shares).max() for c in (2, 4, len(known))])
    assert (np.max(gaps, axis=0) > 1e-3).all()


@pytest.mark.parametrize("bandwidth", [0.5, 1.0, 2.0])
def test_classes_that_look_the_same_everywhere_are_found_beyond_the_training_sets(bandwidth):
    """Sets of the same records of each class, as often as proportions say: any shares of classes are exact."""
    pools = [rng(c).normal(size=(10, 3)) + 2 * np.eye(3)[c] for c in range(3)]

    def of_counts(counts):
        return np.concatenate([pool for pool, n in zip(pools, counts, strict=True) for _ in range(n)])

    counts = np.array([[4, 1, 1], [1, 3, 2], [1, 1, 4], [2, 2, 2]])
    sets, p = [of_counts(row) for row in counts], counts / 6
    fit = MMDClassRatio(bandwidth).fit(sets, p, sets[1:3], p[1:3])  # the same again: the Gram matrix has no inverse
    for truth in ((1, 0, 0), (0, 0, 1), (3, 4, 0)):
        # a Gram matrix of rank 3 whose other singular values are 10⁻³ and more
        np.testing.assert_allclose(fit.predict_raw(of_counts(truth)), np.array(truth) / sum(truth), atol=1e-6)
    swapped = fit.reweigh(p[:, [1, 0, 2]], p[1:3][:, [1, 0, 2]])
    assert swapped.predict(of_counts((1, 0, 0)))[0] < 0.1


def standard_errors(sets, proportions, U, truth, bandwidth):
    """Of P̂ᵀ α̂, by the delta method: it is the mean over U of a function g(x), less what g's means over sets err by.

    To first order the span of the largest eigenvalues may be taken for fixed: true distributions have no others.
    """
    B = np.asarray(proportions).T @ truncated(gram_by_hand(sets, bandwidth), len(truth))

    def g(records):
        kernel = np.stack([rbf_kernel(records, x, gamma=0.5 / bandwidth**2).mean(axis=1) for x in sets])
        return B @ kernel

    alpha = np.linalg.pinv(np.asarray(proportions).T) @ truth
    variance = g(U).var(axis=1) / len(U)
    for a, x in zip(alpha, sets, strict=True):
        variance += a**2 * g(x).var(axis=1) / len(x)
    return np.sqrt(variance)


@pytest.mark.parametrize("truth", [(0.1, 0.2, 0.7), (0.8, 0.1, 0.1), (0.4, 0.3, 0.3)])
def test_shares_of_a_known_mixture_are_recovered_and_others_refused(truth):
    n = 800
    sets, tuning = gaussian_sets(THREE, n, 1, d=3), gaussian_sets(THREE, n, 2, d=3)
    U = gaussian_set(truth, n, 3, d=3)
    fit = MMDClassRatio(1.0).fit(sets, THREE, tuning, THREE)
    errors = standard_errors(sets + tuning, np.tile(THREE, (2, 1)), U, np.array(truth), fit.bandwidth_)
    found = fit.predict_raw(U)
    assert (np.abs(found - truth) < 5 * errors).all()
    moved = np.array([0.2, -0.1, -0.1])
    assert (np.abs(found - truth - moved) > 5 * errors).any()
    wrong = fit.reweigh(THREE[[1, 2, 0]], THREE[[1, 2, 0]]).predict_raw(U)
    assert (np.abs(wrong - truth) > 5 * errors).any() or max(truth) < 0.5


def test_the_error_falls_as_records_grow_in_number():
    def mean_error(n):
        found = [
            np.abs(
                MMDClassRatio(1.0)
                .fit(gaussian_sets(THREE, n, 10 * seed), THREE, gaussian_sets(THREE, n, 10 * seed + 1), THREE)
                .predict(gaussian_set([0.2, 0.5, 0.3], n, 10 * seed + 2))
                - [0.2, 0.5, 0.3]
            ).sum()
            for seed in range(24)
        ]
        return np.mean(found)

    few, many = mean_error(40), mean_error(640)
    # with 16 times as many, a quarter; means of 24 errors that vary by 60 % are each right to 12 %, three of them 37 %
    assert few / 4 * 0.5 < many < few / 4 * 1.7


@pytest.mark.parametrize("kind", ["float64", "sparse float64", "float32"])
def test_random_features_come_nearer_to_the_kernel_as_they_grow_in_number(kind):
    sets, tuning, U = gaussian_sets(TWO, 20, 1), gaussian_sets(TWO, 20, 2), gaussian_set([0.3, 0.7], 50, 3)
    (sets, tuning, (U,)) = ([KINDS[kind](x) for x in group] for group in (sets, tuning, [U]))
    kernel, other = (MMDClassRatio(bandwidth).fit(sets, TWO, tuning, TWO) for bandwidth in (1.0, 0.5))
    gaps = {}
    for n in (100, 6400):
        fits = [MMDClassRatio(1.0, n, random_state=seed).fit(sets, TWO, tuning, TWO) for seed in range(16)]
        # a mean of n products 2 cos cos, whose second moment is at most 3/2
        atol = 5 * math.sqrt(1.5 / n)
        for fit in fits:
            assert np.abs(fit.gram_ - kernel.gram_).max() < atol
            assert np.abs(fit.similarities(U) - kernel.similarities(U)).max() < atol
            assert np.abs(fit.gram_ - other.gram_).max() > atol or n == 100
        gaps[n] = np.mean([np.abs(fit.predict_raw(U) - kernel.predict_raw(U)).sum() for fit in fits])
    # 64 times as many: an eighth; means of 16 gaps that vary by 80 % are right to 20 %, three of them 60 %
    assert gaps[6400] < gaps[100] / 8 * 1.6
    assert gaps[6400] > 0


@pytest.mark.parametrize("seed", [0, 3, 2**32 - 1])
def test_random_features_are_the_same_for_all_sets_whatever_the_seed(seed):
    sets = gaussian_sets(TWO, 100, 1)
    fit = MMDClassRatio(1.0, 300, random_state=seed).fit(sets, TWO, sets, TWO)
    np.testing.assert_allclose(fit.predict_raw(sets[0]), TWO[0], atol=1e-8)  # it is one of the sets
    other = MMDClassRatio(1.0, 300, random_state=5).fit(sets, TWO, sets, TWO)
    assert np.abs(fit.gram_ - other.gram_).max() > 1e-4


@pytest.mark.parametrize(("c", "n", "d"), [(2, 40, 2), (2, 600, 2), (4, 200, 6)])
def test_single_precision_serves_all_bandwidths_that_are_tried(c, n, d):
    """float32 is what the experiments pass. Rounding is lost in what chance does: a hundredth of a standard error."""
    p = np.full((c, c), 0.1) + (1 - 0.1 * c) * np.eye(c)
    groups = gaussian_sets(p, n, 1, d=d), gaussian_sets(p, n, 2, d=d), [gaussian_set(p[0], n, 3, d=d)]
    single_sets, single_tuning, (single_U,) = ([x.astype(np.float32) for x in group] for group in groups)
    sets, tuning, (U,) = ([x.astype(np.float32).astype(float) for x in group] for group in groups)  # the same numbers
    for factor in FACTORS:
        double = MMDClassRatio(factor).fit(sets, p, tuning, p)
        single = MMDClassRatio(factor).fit(single_sets, p, single_tuning, p).predict_raw(single_U)
        errors = standard_errors(sets + tuning, np.tile(p, (2, 1)), U, p[0], double.bandwidth_)
        # and 10⁻⁵ of a share, where the narrowest see no other record than each itself
        assert (np.abs(single - double.predict_raw(U)) < 0.01 * errors + 1e-5).all(), factor


@pytest.mark.parametrize("factor", [1.0, 4.0, 16.0])
def test_a_second_group_of_sets_does_no_harm(factor):
    """All sets are learnt from in the end: twice as many records must not find less than the first half alone."""
    losses = []
    for seed in range(80):
        sets, tuning = gaussian_sets(TWO, 40, 3 * seed), gaussian_sets(TWO, 40, 3 * seed + 1)
        U, truth = gaussian_set([0.3, 0.7], 40, 3 * seed + 2), np.array([0.3, 0.7])
        fit = MMDClassRatio(factor).fit(sets, TWO, tuning, TWO)
        gamma = 0.5 / fit.bandwidth_**2
        gram = np.array([[rbf_kernel(x, y, gamma=gamma).mean() for x in sets] for y in sets])
        alone = np.linalg.solve(gram, [rbf_kernel(x, U, gamma=gamma).mean() for x in sets]) @ TWO
        losses.append(np.abs(fit.predict(U) - truth).sum() - np.abs(simplex_by_hand(alone) - truth).sum())
    # three standard errors of a difference on the same records
    assert np.mean(losses) < 3 * np.std(losses) / math.sqrt(len(losses))


def test_weights_are_those_of_least_squares_in_feature_space():
    features, target = rng(1).normal(size=(12, 5)), rng(2).normal(size=12)
    found = mixture(features.T @ features, features.T @ target, 5)
    np.testing.assert_allclose(found, np.linalg.lstsq(features, target)[0], atol=1e-10)
    assert np.abs(found - np.linalg.lstsq(features, 1.01 * target)[0]).max() > 1e-3
    # twice the same set: no harm done
    twice = np.concatenate((features, features[:, :2]), axis=1)
    for n_classes in (5, 7, 20):
        both = mixture(twice.T @ twice, twice.T @ target, n_classes)
        np.testing.assert_allclose(twice @ both, features @ found, atol=1e-8)


@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_weights_are_those_of_least_squares_of_features_without_what_is_chance(n_classes):
    """The features of the sets in their nearest matrix of rank c (Eckart & Young)."""
    features, targets = rng(1).normal(size=(12, 5)), rng(2).normal(size=(12, 3))
    left, values, right = np.linalg.svd(features, full_matrices=False)
    nearest = (left[:, :n_classes] * values[:n_classes]) @ right[:n_classes]
    expected = np.linalg.lstsq(nearest, targets, rcond=1e-10)[0]
    gram = features.T @ features
    np.testing.assert_allclose(mixture(gram, features.T @ targets, n_classes), expected, atol=1e-10)
    for target, alone in zip(targets.T, expected.T, strict=True):
        np.testing.assert_allclose(mixture(gram, features.T @ target, n_classes), alone, atol=1e-10)
    assert np.abs(mixture(gram, features.T @ targets, n_classes + 1) - expected).max() > 1e-3


@pytest.mark.parametrize("n_features", [None, 60])
def test_predictions_are_projections_of_what_the_method_gives(n_features):
    fit = MMDClassRatio(0.5, n_features).fit(gaussian_sets(THREE, 20, 1), THREE)
    outside = 0
    for seed in range(10):
        U = gaussian_set([1, 0, 0], 15, seed)
        raw, found = fit.predict_raw(U), fit.predict(U)
        np.testing.assert_allclose(found, simplex_by_hand(raw), atol=1e-12)
        assert (found >= 0).all()
        assert found.sum() == pytest.approx(1, abs=1e-14)
        np.testing.assert_array_equal(raw, fit.from_similarities(fit.similarities(U)))
        outside += raw.min() < 0 or abs(raw.sum() - 1) > 0.01
    assert outside > 5


# --- the bandwidth ---------------------------------------------------------------------------------


def cv_errors_by_hand(sets, p, tuning, q, bandwidths):
    errors = []
    for bandwidth in bandwidths:
        gram, m, one = gram_by_hand(sets + tuning, bandwidth), len(sets), []
        for known, asked, mine, truth in ((slice(m), slice(m, None), p, q), (slice(m, None), slice(m), q, p)):
            alpha = truncated(gram[known, known], p.shape[1]) @ gram[known, asked]
            one += [np.abs(simplex_by_hand(a @ mine) - t).sum() for a, t in zip(alpha.T, truth, strict=True)]
        errors.append(np.mean(one))
    return np.array(errors)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_bandwidth_finds_one_group_from_the_other_with_the_least_error(seed):
    p, q = THREE, np.array([[0.5, 0.4, 0.1], [0.2, 0.2, 0.6], [0.1, 0.6, 0.3], [1, 0, 0]])
    sets, tuning = gaussian_sets(p, 40, 2 * seed), gaussian_sets(q, 30, 2 * seed + 1)
    fit = MMDClassRatio().fit(sets, p, tuning, q)
    assert list(FACTORS) == [2.0**k for k in range(-5, 6)]
    median = median_by_hand(sets + tuning)
    expected = cv_errors_by_hand(sets, p, tuning, q, median * np.array(FACTORS))
    # Gram matrices of condition up to 10⁸ in double precision
    np.testing.assert_allclose(fit.cv_errors_, expected, atol=1e-6)
    assert fit.factor_ == FACTORS[int(np.argmin(expected))]
    assert fit.bandwidth_ == pytest.approx(fit.factor_ * median, rel=1e-12)
    assert np.ptp(expected) > 0.05
    one_way = cv_errors_by_hand(sets, p, sets, p, median * np.array(FACTORS))
    assert np.abs(one_way - fit.cv_errors_).max() > 0.05
    fixed = MMDClassRatio(fit.factor_).fit(sets, p, tuning, q)
    U = gaussian_set([0.1, 0.8, 0.1], 50, 99)
    np.testing.assert_allclose(fixed.predict_raw(U), fit.predict_raw(U), rtol=1e-9)
    np.testing.assert_allclose(fixed.cv_errors_, [fit.cv_errors_.min()], rtol=1e-9)
    np.testing.assert_array_equal(fit.proportions_, np.concatenate((p, q)))


def test_halves_of_sets_part_them_at_random():
    sets = [np.arange(n, dtype=float)[:, None] for n in (2, 5, 40)]
    parts = split_sets(Sets(tuple(sets), THREE), rng(1))
    for i, x in enumerate(sets):
        one, other = parts[0].X[i], parts[1].X[i]
        assert sorted(np.concatenate((one, other)).ravel()) == x.ravel().tolist()
        assert 0 <= len(one) - len(other) <= 1
    np.testing.assert_array_equal(parts[1].proportions, THREE)
    assert parts[0].X[2].tolist() != split_sets(Sets(tuple(sets), THREE), rng(2))[0].X[2].tolist()
    with pytest.raises(
        ValueError, match=r"set 2 has one record, and half of it is none; give larger sets,? (or )?tuning_sets"
    ):
        split_sets(Sets((np.ones((3, 1)), np.ones((1, 1))), TWO), rng(1))


# --- other proportions of the same sets ------------------------------------------------------------


@pytest.mark.parametrize("bandwidth", [1.0, "cv"])
@pytest.mark.parametrize("n_features", [None, 80])
def test_other_proportions_of_the_same_sets_give_what_fitting_would(bandwidth, n_features):
    sets, tuning, U = gaussian_sets(THREE, 40, 1), gaussian_sets(THREE, 40, 2), gaussian_set([0.1, 0.8, 0.1], 50, 3)
    fit = MMDClassRatio(bandwidth, n_features).fit(sets, THREE, tuning, THREE)
    before = fit.predict_raw(U), fit.factor_, fit.condition_number_
    factors = set()
    for seed in range(6):
        p, q = rng(seed).dirichlet(np.ones(3), 3), rng(seed + 50).dirichlet(np.ones(3), 3)
        other = fit.reweigh(p, q)
        expected = MMDClassRatio(bandwidth, n_features).fit(sets, p, tuning, q)
        for what in ("cv_errors_", "factor_", "bandwidth_", "gram_", "proportions_", "sizes_", "condition_number_"):
            np.testing.assert_allclose(getattr(other, what), getattr(expected, what), rtol=1e-12)
        np.testing.assert_allclose(other.predict_raw(U), expected.predict_raw(U), rtol=1e-9, atol=1e-12)
        assert np.abs(other.predict_raw(U) - before[0]).max() > 1e-3
        assert other.bound(50) == pytest.approx(expected.bound(50), rel=1e-9)
        factors.add(other.factor_)
    if bandwidth == "cv":
        assert len(factors) > 1  # else nothing was chosen
    np.testing.assert_array_equal(fit.predict_raw(U), before[0])
    assert (fit.factor_, fit.condition_number_) == before[1:]


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (THREE[:2], THREE),
        (THREE, THREE[[0, 1, 2, 0]]),
        (THREE[[0, 1, 2, 0]], THREE[:2]),  # as many in all
        (np.tile(TWO, (2, 1))[:3], np.tile(TWO, (2, 1))[:3]),  # of other classes
    ],
)
def test_other_proportions_must_be_as_many_as_the_sets_were(p, q):
    fit = MMDClassRatio(1.0).fit(gaussian_sets(THREE, 20, 1), THREE, gaussian_sets(THREE, 20, 2), THREE)
    shapes = f"shapes {np.shape(p)} and {np.shape(q)}"
    with pytest.raises(ValueError, match=f"^proportions must be .* 3 and 3 sets of 3 classes.*{re.escape(shapes)}$"):
        fit.reweigh(p, q)


def test_other_proportions_warn_as_fitting_would():
    fit = MMDClassRatio(1.0).fit(gaussian_sets(THREE, 20, 1), THREE, gaussian_sets(THREE, 20, 2), THREE)
    alike = np.full((3, 3), 1 / 3)
    with pytest.warns(UserWarning, match="^6 sets of rank 1 cannot tell 3 classes apart .assumption A0 fails"):
        fit.reweigh(alike, alike)


def test_other_proportions_of_halves_warn_as_fitting_would():
    """Of three sets, which fitting has halved."""
    fit = MMDClassRatio(1.0).fit(gaussian_sets(THREE, 20, 1), THREE)
    alike = np.full((3, 3), 1 / 3)
    with pytest.warns(UserWarning, match="^3 sets of rank 1 cannot tell 3 classes apart"):
        fit.reweigh(alike, alike)


# --- Theorem 1 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_features", [None, 40])
@pytest.mark.parametrize("delta", [0.05, 1e-4])
def test_the_bound_is_that_of_theorem_1_and_above_the_error(n_features, delta):
    """Of the first group, as many sets as classes: for more the true σ_min(Ā) is 0 and the theorem says nothing."""
    sets, sizes = gaussian_sets(THREE, 60, 1, d=3), (60, 60, 40)
    sets[2] = gaussian_set(THREE[2], 40, 2, d=3)
    others = TWO @ THREE[:2]
    tuning = gaussian_sets(others, 200, 4, d=3)
    fit = MMDClassRatio(1.0, n_features).fit(sets, THREE, tuning, others)
    # the least singular value of the sets' mean features, from their Gram matrix
    least = math.sqrt(np.linalg.eigvalsh(fit.gram_[:3, :3]).min())
    q = math.sqrt(np.linalg.eigvalsh(THREE.T @ THREE).max()) / least
    assert fit.condition_number_ == pytest.approx(q, rel=1e-9)
    total = sum((2 / math.sqrt(n) + math.sqrt(math.log(2 * 7 / delta) / 2 / n)) ** 2 for n in sizes)
    for n_u, truth in ((30, (0.4, 0.3, 0.3)), (500, (0.8, 0.1, 0.1))):
        c_u = 2 / math.sqrt(n_u) + math.sqrt(math.log(2 * 7 / delta) / 2 / n_u)
        expected = math.sqrt(total) / least * (1 + q) + q * c_u
        assert fit.bound(n_u, delta) == pytest.approx(expected, rel=1e-9)
        error = np.linalg.norm(fit.predict(gaussian_set(truth, n_u, 5, d=3)) - truth)
        assert error <= fit.bound(n_u, delta)
    assert fit.bound(30, delta) > fit.bound(500, delta)
    assert abs(fit.bound(30, delta) / fit.bound(30, 1.1 * delta) - 1) > 1e-3
    # no other sets of the second group have a say
    other = MMDClassRatio(fit.bandwidth_ / median_by_hand(sets + tuning[:1]), n_features)
    other.fit(sets, THREE, tuning[:1], others[:1])
    assert other.condition_number_ == pytest.approx(fit.condition_number_, rel=1e-6)
    assert other.bound(30, delta) == pytest.approx(fit.bound(30, delta), rel=1e-6)


@pytest.mark.parametrize("n_sets", [1, 2, 4, 6])
def test_there_is_no_bound_of_more_or_fewer_sets_than_classes(n_sets):
    """Though all sets together may be as many; Q is that of c dimensions, which fewer sets do not have."""
    p = np.tile(THREE, (2, 1))
    sets, tuning = gaussian_sets(p[:n_sets], 60, 1, d=3), gaussian_sets(THREE, 60, 2, d=3)
    fit = MMDClassRatio(1.0).fit(sets, p[:n_sets], tuning, THREE)
    assert fit.bound(100) == math.inf
    if n_sets < 3:
        assert fit.condition_number_ == math.inf
    else:
        least = np.linalg.svd(gram_by_hand(sets, fit.bandwidth_), compute_uv=False)[2] ** 0.5
        assert fit.condition_number_ == pytest.approx(np.linalg.norm(p[:n_sets], 2) / least, rel=1e-9)


def test_the_bound_falls_as_sets_grow():
    """“The upper bound vanishes as the training set sizes and the test set size approach infinity” (section 2.4.1).

    In the paper's protocol: c sets, and c more of the same proportions to choose the bandwidth with.
    """
    bounds, conditions = [], []
    for n in (100, 400, 1000):
        fits = [
            MMDClassRatio(1.0).fit(gaussian_sets(TWO, n, 2 * s), TWO, gaussian_sets(TWO, n, 2 * s + 1), TWO)
            for s in range(3)
        ]
        bounds.append(np.median([fit.bound(n) for fit in fits]))
        conditions.append(np.median([fit.condition_number_ for fit in fits]))
    assert bounds[0] > bounds[1] > bounds[2]
    # Q says how far apart the classes keep the sets, whatever their size
    assert conditions[2] < 2 * conditions[0]


def test_where_mcdiarmids_constant_overtakes_the_published_one():
    """The number in `bound`'s docstring, below which C(n) is no longer the larger."""

    def published(q):
        return 2 + math.sqrt(math.log(2 / q) / 2)

    def mcdiarmid(q):
        return 1 + math.sqrt(math.log(1 / q))

    stated = float(
        re.search(r"is below ([\d.e-]+)", re.sub(r"\s+", " ", MMDClassRatio.bound.__doc__)).group(1).strip(".")
    )
    assert all(published(q) >= mcdiarmid(q) for q in np.geomspace(stated, 1, 1000))
    turn = brentq(lambda q: published(q) - mcdiarmid(q), 1e-12, 0.1)
    assert published(turn / 2) < mcdiarmid(turn / 2)
    assert stated == pytest.approx(turn, rel=0.003)  # of three digits


def test_mcdiarmids_constant_holds_for_means_of_features_and_less_would_not():
    """‖Φ̂ − Φ̄‖ of n draws from a distribution on 400 records, of which Φ̄ is the exact mean."""
    X, n, delta = rng(1).normal(size=(400, 3)), 25, 0.05
    kernel = rbf_kernel(X, gamma=2.0)
    gaps = []
    for seed in range(400):
        rows = rng(seed).integers(0, 400, n)
        gaps.append(kernel[np.ix_(rows, rows)].mean() - 2 * kernel[rows].mean() + kernel.mean())
    gaps = np.sqrt(gaps)
    mcdiarmid = 1 / math.sqrt(n) + math.sqrt(math.log(1 / delta) / n)
    c = 2 / math.sqrt(n) + math.sqrt(math.log(2 / delta) / (2 * n))
    assert mcdiarmid <= c
    # at most δ, and five standard errors of it
    assert (gaps > mcdiarmid).mean() < delta + 5 * math.sqrt(delta * (1 - delta) / 400)
    assert (gaps > 0.5 / math.sqrt(n)).mean() > 0.5


@given(st.integers(2, 5), st.integers(0, 3), st.integers(0, 1000))
def test_the_condition_number_is_that_of_explicit_features(c, more, seed):
    features, p = rng(seed).normal(size=(12, c + more)), rng(seed + 1).dirichlet(np.ones(c), c + more)
    values = np.linalg.svd(features, compute_uv=False)
    expected = np.linalg.svd(p, compute_uv=False).max() / values[c - 1]  # more are chance
    # the Gram matrix squares a condition of up to 10³, in double precision
    assert condition_number(p, features.T @ features) == pytest.approx(expected, rel=1e-8)
    assert condition_number(p, 1.1 * features.T @ features) < 0.99 * expected
    few = features[:, : c - 1]
    assert condition_number(p[: c - 1], few.T @ few) == math.inf


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_features", [None, 30])
def test_sets_that_coincide_have_no_finite_condition_number_nor_bound(n_features):
    (x,) = gaussian_sets(TWO[:1], 20, 1)
    for sets, tuning in (([x], [x]), ([x, x], [x, x])):
        p = TWO if len(sets) == 2 else TWO[:1]
        fit = MMDClassRatio(1.0, n_features).fit(sets, p, tuning, TWO[-len(tuning) :])
        # eigenvalues of 0 are rounded to some 10⁻¹⁷, and 1/√10⁻¹⁷ is 3·10⁸
        assert fit.condition_number_ > 1e7
        assert fit.bound(100) > 1e7
        np.testing.assert_allclose(fit.predict(x), [0.5, 0.5], atol=1e-6)


# --- assumption A0 ---------------------------------------------------------------------------------


def rank_by_fractions(rows):
    rows, rank = [[Fraction(v) for v in row] for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column] != 0), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            share = rows[i][column] / rows[rank][column]
            rows[i] = [a - share * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


def hull_holds_simplex(counts, total):
    """Whether every vertex is Σ a_i ρ_i with Σ a_i = 1: whether the equations for a have a solution, exactly."""
    c = len(counts[0])
    equations = [[Fraction(row[j], total) for row in counts] for j in range(c)] + [[Fraction(1)] * len(counts)]
    for vertex in range(c):
        right = [int(j == vertex) for j in range(c)] + [1]
        extended = [[*row, Fraction(value)] for row, value in zip(equations, right, strict=True)]
        if rank_by_fractions(extended) > rank_by_fractions(equations):
            return False
    return True


@st.composite
def shares_in_twelfths(draw):
    """Rows of c counts that sum to 12, some of them mixtures of others."""
    c = draw(st.integers(2, 5))
    cuts = st.lists(st.integers(0, 12), min_size=c - 1, max_size=c - 1).map(sorted)
    rows = [
        [b - a for a, b in zip([0, *one], [*one, 12], strict=True)]
        for one in draw(st.lists(cuts, min_size=1, max_size=6))
    ]
    if draw(st.booleans()):
        rows = [[a + b for a, b in zip(x, y, strict=True)] for x in rows for y in rows[:2]][:7]
        return rows, 24
    return rows, 12


@settings(max_examples=300)
@given(shares_in_twelfths())
def test_a_problem_is_seen_if_and_only_if_the_affine_hull_lacks_a_vertex(shares):
    counts, total = shares
    problem = span_problem(np.array(counts) / total)
    assert (problem is None) == hull_holds_simplex(counts, total)
    c = len(counts[0])
    if problem is not None:
        number = f"{len(counts)} set{'s' if len(counts) > 1 else ''} of rank {rank_by_fractions(counts)}"
        assert problem.startswith(
            f"{number} cannot tell {c} classes apart (assumption A0 fails): give {c} sets or more"
        )


@given(shares_in_twelfths(), st.integers(0, 100), st.integers(1, 50))
def test_neither_order_nor_repeats_matter_to_what_spans(shares, seed, times):
    p = np.array(shares[0]) / shares[1]
    assume(np.linalg.svd(p, compute_uv=False).min() > 1e-3 or rank_by_fractions(shares[0]) < p.shape[1])
    expected = span_problem(p) is None
    draw = rng(seed)
    assert (span_problem(np.tile(p, (times, 1))) is None) == expected
    assert (span_problem(draw.permutation(p)) is None) == expected
    assert (span_problem(draw.permutation(p, axis=1)) is None) == expected


@pytest.mark.parametrize(("gap", "spans"), [(1e-3, True), (1e-5, True), (1e-8, False), (0.0, False)])
def test_proportions_that_hardly_differ_span_down_to_a_millionth(gap, spans):
    p = np.array([[0.3 + gap, 0.3, 0.4 - gap], [0.3, 0.3 + gap, 0.4 - gap], [0.3, 0.3, 0.4]])
    assert (span_problem(p) is None) == spans


@every_method
def test_fitting_warns_where_a0_fails_and_only_there(method):
    sets, tuning = gaussian_sets(THREE, 30, 1), gaussian_sets(THREE, 30, 2)
    p = np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.4, 0.35, 0.25]])  # the third midway between the others
    n = 3 if isinstance(method, SetIdentityClassRatio) else 6  # which mixes the second group alone
    with pytest.warns(
        UserWarning, match=f"^{n} sets of rank 2 cannot tell 3 classes apart .assumption A0 fails.: give 3"
    ):
        clone(method).fit(sets, p, tuning, p)
    # the second group helps
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*assumption A0")
        clone(method).fit(sets, p, tuning, THREE)


@every_method
def test_the_warning_counts_the_sets_that_were_given(method):
    p = np.array([[0.8, 0.1, 0.1], [0.1, 0.4, 0.5]])
    with pytest.warns(UserWarning, match="^2 sets of rank 2 cannot tell 3 classes apart"):
        clone(method).fit(gaussian_sets(p, 20, 1), p)


# --- classes that no set has -----------------------------------------------------------------------

WITHOUT_SECOND = np.insert(TWO, 1, 0, axis=1)


@every_method
@pytest.mark.filterwarnings("ignore:.*assumption A0")
@pytest.mark.parametrize("alone", [False, True])
def test_a_class_that_no_set_has_gets_no_share(method, alone):
    sets, tuning = gaussian_sets(TWO, 40, 1), gaussian_sets(TWO, 40, 2)
    second = () if alone else (tuning, WITHOUT_SECOND)
    fit = clone(method).fit(sets, WITHOUT_SECOND, *second)
    expected = clone(method).fit(sets, TWO, *([] if alone else [tuning, TWO]))
    np.testing.assert_array_equal(fit.present_, [True, False, True])
    for seed, shares in enumerate(([0.4, 0.6], [1.0, 0.0], [0.0, 1.0])):
        U = gaussian_set(shares, 40, 3 + seed)
        raw, found = fit.predict_raw(U), fit.predict(U)
        assert raw[1] == pytest.approx(0, abs=1e-12)
        np.testing.assert_array_equal(raw[[0, 2]], expected.predict_raw(U))
        assert found[1] == pytest.approx(0, abs=1e-12)
        assert found.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("method", EVERY[:2], ids=name)
@pytest.mark.filterwarnings("ignore:.*assumption A0")
def test_nor_does_the_projection_give_it_one(method):
    """“A class that no set is said to have … gets no share”: of what is lacking to a sum of 1 neither."""
    fit = clone(method).fit(gaussian_sets(TWO, 40, 1), WITHOUT_SECOND, gaussian_sets(TWO, 40, 2), WITHOUT_SECOND)
    found = [fit.predict(gaussian_set([0.4, 0.6], 40, 3 + seed))[1] for seed in range(8)]
    np.testing.assert_allclose(found, 0, atol=1e-12)


@every_method
@pytest.mark.filterwarnings("ignore:.*assumption A0")
def test_where_all_records_are_of_one_class_so_are_all_that_are_asked_about(method):
    fit = clone(method).fit(X3, np.tile([0.0, 1.0, 0.0], (3, 1)))
    np.testing.assert_array_equal(fit.present_, [False, True, False])
    np.testing.assert_allclose(fit.predict_raw(X3[0])[[0, 2]], 0, atol=1e-12)
    np.testing.assert_array_equal(fit.predict(X3[0]), [0, 1, 0])
    with pytest.raises(ValueError, match="U must have 3 columns"):
        fit.predict(np.ones((4, 2)))


@pytest.mark.parametrize("method", EVERY[2:], ids=name)
@pytest.mark.filterwarnings("ignore:.*assumption A0")
@pytest.mark.parametrize("first", [False, True])
def test_a_class_that_one_group_lacks_is_learnt_from_halves_of_all_sets(method, first):
    q = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [0.8, 0.2, 0.0]])
    groups = [(gaussian_sets(THREE, 40, 1, d=3), THREE), (gaussian_sets(q, 40, 2, d=3), q)]
    (sets, p), (tuning, other) = groups[::-1] if first else groups
    U = gaussian_set([0.2, 0.2, 0.6], 50, 3, d=3)
    method = clone(method).set_params(random_state=5)
    found = clone(method).fit(sets, p, tuning, other).predict_raw(U)
    one, two = split_sets(Sets((*sets, *tuning), np.concatenate((p, other))), rng(5))
    expected = clone(method).fit(one.X, one.proportions, two.X, two.proportions).predict_raw(U)
    np.testing.assert_array_equal(found, expected)
    # MMD needs no halves
    mmd = MMDClassRatio(1.0).fit(sets, p, tuning, other)
    np.testing.assert_array_equal(mmd.sizes_, [40] * 6)


@every_method
def test_no_warning_that_sets_do_not_span_where_halves_of_all_are_learnt_from(method):
    """The second group lacks a class; all sets together span the simplex, and halves of all are what is mixed."""
    q = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [0.8, 0.2, 0.0]])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*assumption A0")
        clone(method).fit(gaussian_sets(THREE, 40, 1, d=3), THREE, gaussian_sets(q, 40, 2, d=3), q)


def test_reading_lets_absent_classes_pass():
    np.testing.assert_array_equal(read_sets(X3[:2], WITHOUT_SECOND).proportions, WITHOUT_SECOND)
    np.testing.assert_array_equal(read_proportions(WITHOUT_SECOND.tolist()), WITHOUT_SECOND)


# --- scikit-learn's manner -------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("kind", ["float64", "float32", "sparse float64"])
def test_fit_alters_nothing_and_returns_itself(method, kind):
    shares = TWO, TWO[::-1], TWO
    sets, tuning, U = ([KINDS[kind](x) for x in gaussian_sets(rows, 20, seed)] for seed, rows in enumerate(shares))
    p, q = TWO.copy(), TWO[::-1].copy()
    arrays = [x for group in (sets, tuning, U) for x in group]
    before = [x.copy() for x in arrays]
    estimator = clone(method)
    params = {key: value for key, value in estimator.get_params().items() if not hasattr(value, "fit")}
    assert estimator.fit(sets, p, tuning, q) is estimator
    found = [estimator.predict(x) for x in U]
    for mine, other in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(
            mine.toarray() if "sparse" in kind else mine, other.toarray() if "sparse" in kind else other
        )
    np.testing.assert_array_equal(p, TWO)
    np.testing.assert_array_equal(q, TWO[::-1])
    assert {key: estimator.get_params()[key] for key in params} == params
    again = clone(method).fit(sets, p, tuning, q)
    for x, mine in zip(U, found, strict=True):
        np.testing.assert_array_equal(again.predict(x), mine)
        assert mine.shape == (2,)
        assert (mine >= 0).all()
        assert mine.sum() == pytest.approx(1, abs=1e-12)
    assert estimator.n_features_in_ == 2


@every_method
def test_the_constructor_only_stores(method):
    nonsense = {key: object() for key in method.get_params(deep=False)}
    made = type(method)(**nonsense)
    assert all(getattr(made, key) is value for key, value in nonsense.items())


@every_method
def test_without_a_second_group_the_same_seed_gives_the_same(method):
    sets, U = gaussian_sets(TWO, 40, 1, gap=1.0), gaussian_set([0.5, 0.5], 40, 3, gap=1.0)
    one = clone(method).set_params(random_state=5).fit(sets, TWO).predict_raw(U)
    np.testing.assert_array_equal(one, clone(method).set_params(random_state=5).fit(sets, TWO).predict_raw(U))


@every_method
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [*KINDS, "sparse columns", "lists"])
def test_how_records_are_given_changes_little(method, kind):
    method = clone(method)
    if isinstance(method, MMDClassRatio):
        method.set_params(bandwidth=1.0)  # for single precision and large ones there is a test of its own
    give = (KINDS | {"sparse columns": csc_array, "lists": np.ndarray.tolist})[kind]
    groups = gaussian_sets(TWO, 40, 1), gaussian_sets(TWO, 40, 2), [gaussian_set([0.4, 0.6], 40, 3)]
    expected = clone(method).fit(groups[0], TWO, groups[1], TWO).predict_raw(groups[2][0])
    sets, tuning, (U,) = [[give(x) for x in group] for group in groups]
    found = method.fit(sets, TWO.tolist(), tuning, TWO.tolist()).predict_raw(U)
    # single precision, and climbs that end a step sooner; of 40 records one may be counted otherwise
    np.testing.assert_allclose(found, expected, atol=0.026 if isinstance(method, ClassifyAndCount) else 0.005)


@every_method
def test_dense_and_sparse_sets_in_one_go_serve_or_are_refused_in_a_sentence(method):
    sets = gaussian_sets(TWO, 40, 1)
    for mixed in ([sets[0], csr_array(sets[1])], [csr_array(sets[0]), sets[1]]):
        try:
            found = clone(method).fit(mixed, TWO).predict(sets[0])
        except (TypeError, ValueError) as refusal:
            assert re.search("set 2.*sparse|set 2.*dense", str(refusal))  # noqa: PT017
        else:
            assert found.shape == (2,)


@every_method
def test_what_is_not_fitted_says_so(method):
    U = rng(1).random((4, 2))
    asked = ["predict", "predict_raw", *(["similarities"] if isinstance(method, MMDClassRatio) else [])]
    for what in asked:
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(clone(method), what)(U)


def test_what_is_not_fitted_says_so_however_it_is_asked():
    for ask in (
        lambda: MMDClassRatio().bound(10),
        lambda: MMDClassRatio().reweigh(TWO, TWO),
        lambda: MMDClassRatio().from_similarities(np.ones(4)),
        lambda: SpreadClassRatio().predict_proba(np.ones((3, 2))),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask()


def test_a_fit_that_was_refused_leaves_an_estimator_that_is_not_fitted():
    estimator = MMDClassRatio(-1.0)
    sets = gaussian_sets(TWO, 20, 1)
    with pytest.raises(ValueError, match="bandwidth must be"):
        estimator.fit(sets, TWO)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        estimator.predict(sets[0])


# --- refusals --------------------------------------------------------------------------------------

X3 = [rng(i).random((6, 3)) for i in range(3)]


@every_method
@pytest.mark.parametrize(
    ("sets", "p", "sentence"),
    [
        ([X3[0], np.empty((0, 3)), X3[2]], THREE, "set 2 is empty: leave it out, or put records in it"),
        ([X3[0], X3[1][:, :2], X3[2]], THREE, "set 2 must have 3 columns like the others, got 2"),
        (X3[:2], THREE, "sets and proportions must be equally many, got 2 and 3"),
        (X3, THREE[:2], "sets and proportions must be equally many, got 3 and 2"),
        ([], THREE, "sets and proportions must be equally many, got 0 and 3"),
        (X3, [0.2, 0.3, 0.5], r"a row for each set and a column for each class, got shape \(3,\)"),
        (X3, np.ones((3, 1)), r"a row for each set and a column for each class, got shape \(3, 1\)"),
        (X3, np.ones((3, 2, 2)), r"got shape \(3, 2, 2\)"),
        (
            X3,
            [[0.5, 0.5], [-0.1, 1.1], [1, 0]],
            r"0 or more and sum to 1, got \[-0.1  1.1\] for set 2; project_simplex",
        ),
        (X3, [[0.5, 0.5], [0.1, 0.9], [0.6, 0.6]], r"sum to 1, got \[0.6 0.6\] for set 3; project_simplex\(…\) takes"),
        (X3, [[0.5, 0.5], [0.1, 0.9], [np.nan, 1]], r"0 or more and sum to 1, got \[nan  1.\] for set 3"),
        (X3, [[0.5, 0.5], [np.inf, 0], [0, 1]], r"0 or more and sum to 1, got \[inf  0.\] for set 2"),
        (
            [X3[0], X3[1][:1], X3[2]],
            THREE,
            "set 2 has one record, and half of it is none; give larger sets,? (or )?tuning_sets",
        ),
        ([X3[0], np.full((4, 3), np.nan), X3[2]], THREE, "set 2 contains NaN"),
    ],
)
def test_sets_that_are_none_are_refused(method, sets, p, sentence):
    with pytest.raises(ValueError, match=sentence):
        clone(method).fit(sets, p)


@pytest.mark.parametrize(
    "method", [SetIdentityClassRatio(1.0) if isinstance(one, SetIdentityClassRatio) else one for one in EVERY], ids=name
)
@pytest.mark.filterwarnings("ignore:a bag of one record")
def test_one_record_may_be_a_set_where_there_are_others_to_choose_with(method):
    """Set identity halves its first group to choose C, so where C is given."""
    sets = [X3[0][:1], X3[1], X3[2]]
    found = clone(method).fit(sets, THREE, X3, THREE).predict(X3[0])
    assert found.sum() == pytest.approx(1, abs=1e-12)


def test_set_identity_halves_its_first_group_to_choose_its_strength():
    with pytest.raises(ValueError, match=r"^set 1 has one record, and half of it is none; give larger sets"):
        SetIdentityClassRatio().fit([X3[0][:1], X3[1], X3[2]], THREE, X3, THREE)
    found = SetIdentityClassRatio().fit(X3, THREE, [X3[0][:1], X3[1], X3[2]], THREE).predict(X3[0])
    assert found.sum() == pytest.approx(1, abs=1e-12)


@every_method
@pytest.mark.parametrize("seed", [None, -1, 1.5, 2**32, "7", True, np.random.default_rng(0)], ids=str)
def test_seeds_that_are_no_whole_numbers_are_refused(method, seed):
    """None would draw other random features for every set, and other halves for every proportion."""
    with pytest.raises(ValueError, match=r"(seed|random_state) must be a whole number in \[0, 4294967295\], got"):
        clone(method).set_params(random_state=seed).fit(X3, THREE)


@pytest.mark.parametrize(
    ("tuning", "q", "sentence"),
    [
        ([x[:, :2] for x in X3], THREE, "^tuning_sets must have 3 columns and 3 classes.*, got 2 and 3"),
        (X3, np.tile(TWO, (2, 1))[:3], "^tuning_sets must have 3 columns and 3 classes.*, got 3 and 2"),
        ([X3[0], np.empty((0, 3)), X3[2]], THREE, "^tuning set 2 is empty"),
        ([X3[0], X3[1][:, :2], X3[2]], THREE, "^tuning set 2 must have 3 columns like the others, got 2"),
        ([X3[0], np.full((4, 3), np.nan), X3[2]], THREE, "tuning set 2 contains NaN"),
        (X3[:2], None, "^tuning sets and proportions must be equally many, got 2 and 3"),
        (X3, [[0.5, 0.3, 0.2], [0.9, 0.9, 0.9], [0, 0, 1]], "got .0.9 0.9 0.9. for tuning set 2"),
        (None, THREE, "^tuning_proportions must come with tuning_sets"),  # which sets would have these?
    ],
)
def test_second_groups_that_are_none_are_refused_and_named(tuning, q, sentence):
    with pytest.raises(ValueError, match=sentence):
        MMDClassRatio().fit(X3, THREE, tuning, q)


@every_method
@pytest.mark.parametrize(
    ("U", "sentence"),
    [
        (np.empty((0, 3)), "U is empty"),
        (csr_array((0, 3)), "U is empty"),
        (np.ones((4, 2)), "U must have 3 columns like the others, got 2"),
        (np.full((4, 3), np.nan), "U contains NaN"),
    ],
)
def test_sets_that_cannot_be_asked_about_are_refused(method, U, sentence):
    fit = clone(method).fit(X3, THREE, X3, THREE)
    with pytest.raises(ValueError, match=sentence):
        fit.predict(U)


@every_method
@pytest.mark.filterwarnings("ignore:.*cannot tell", "ignore:all bags have the same proportion")
@pytest.mark.parametrize(
    ("n_sets", "p"),
    [(1, TWO[:1]), (2, np.full((2, 2), 0.5)), (2, np.array([[0.8, 0.1, 0.1], [0.1, 0.45, 0.45]]))],
    ids=["one set", "equal proportions", "two classes alike"],
)
def test_sets_that_cannot_tell_classes_apart_are_answered_or_refused_in_words_about_sets(method, n_sets, p):
    sets = gaussian_sets(TWO, 30, 1)[:n_sets]
    try:
        found = clone(method).fit(sets, p).predict(sets[0])
    except ValueError as refusal:
        assert re.search("set|proportions|classes", str(refusal)), refusal  # noqa: PT017
    else:
        assert found.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"bandwidth": 0.0},
            r"bandwidth must be in \[0.0001, 10000\], got 0; a multiple of the median heuristic, or “cv”",
        ),
        ({"bandwidth": -2}, "bandwidth must be .*, got -2"),
        ({"bandwidth": "best"}, "bandwidth must be .*, got 'best'"),
        ({"bandwidth": None}, "bandwidth must be .*, got None"),
        ({"bandwidth": math.nan}, "bandwidth must be .*, got nan"),
        ({"bandwidth": 9e-7}, "bandwidth must be .*, got 9e-07"),
        ({"bandwidth": 1.1e6}, "bandwidth must be .*, got 1100000"),
        (
            {"bandwidth": math.inf},
            "bandwidth must be .*, got inf",
        ),  # says nothing of distances: the answer would be the mean proportions
        ({"n_features": 0}, r"n_features must be a whole number in \[1, 100000\], got 0; None takes the exact kernel"),
        ({"n_features": 2.5}, r"n_features must be a whole number in \[1, 100000\], got 2.5"),
        ({"n_features": "many"}, "n_features must be a whole number"),
    ],
)
def test_settings_out_of_range_are_refused(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        MMDClassRatio(**settings).fit(X3, THREE)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("n_u", "delta"), [(0, 0.05), (-5, 0.05), (10, 0.0), (10, -0.1), (10, 1.5), (10, math.nan)])
def test_bounds_of_no_records_or_for_certain_are_refused(n_u, delta):
    fit = MMDClassRatio(1.0).fit(X3, THREE, [x + 0.1 for x in X3], THREE)
    sentence = "n_u must be a whole number at least 1, got" if delta == 0.05 else r"delta must be in \(0, 1\], got"
    with pytest.raises(ValueError, match=sentence):
        fit.bound(n_u, delta)
    assert math.isfinite(fit.bound(np.int64(1), 1))
    assert fit.bound(1, 1.0) < fit.bound(1, 0.5)


def test_reading_keeps_sets_as_they_are():
    sets = read_sets(X3, THREE.tolist())
    np.testing.assert_array_equal(sets.sizes, [6, 6, 6])
    np.testing.assert_array_equal(sets.names, np.repeat([0, 1, 2], 6))
    np.testing.assert_array_equal(sets.stacked(), np.concatenate(X3))
    uneven = read_sets([X3[0], X3[1][:2], X3[2][:4]], THREE)
    expected = (6 * THREE[0] + 2 * THREE[1] + 4 * THREE[2]) / 12
    np.testing.assert_allclose(uneven.prior, expected, rtol=1e-14)
    np.testing.assert_array_equal((sets + uneven).sizes, [6, 6, 6, 6, 2, 4])

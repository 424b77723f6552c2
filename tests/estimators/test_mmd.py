"""Class ratios by MMD against exact mixtures, plain cross-validation and Theorem 1."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from privdemo.estimators.mmd import FACTORS, MMDClassRatio, condition_number, mixture
from privdemo.estimators.sets import Sets, split_sets
from tests.estimators.oracles import rng
from tests.estimators.ratio_oracles import (
    KINDS,
    THREE,
    TWO,
    cv_errors_by_hand,
    gaussian_set,
    gaussian_sets,
    gram_by_hand,
    median_by_hand,
    simplex_by_hand,
    truncated,
)

# --- mixtures -------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("kind", ["float64", "sparse float64", "float32"])
def test_random_features_are_those_of_the_kernel_but_for_chance(kind):
    """Similarities are means of n products 2 cos cos, whose second moment is at most 3/2."""
    sets, tuning, (U,) = (
        [KINDS[kind](x) for x in group]
        for group in (gaussian_sets(TWO, 20, 1), gaussian_sets(TWO, 20, 2), [gaussian_set([0.3, 0.7], 50, 3)])
    )
    kernel, other = (MMDClassRatio(bandwidth).fit(sets, TWO, tuning, TWO) for bandwidth in (1.0, 0.5))
    for seed in (0, 3, 2**32 - 1):
        fit = MMDClassRatio(1.0, 6400, random_state=seed).fit(sets, TWO, tuning, TWO)
        atol = 5 * math.sqrt(1.5 / 6400)
        assert np.abs(fit.gram_ - kernel.gram_).max() < atol < np.abs(fit.gram_ - other.gram_).max()
        assert np.abs(fit.similarities(U) - kernel.similarities(U)).max() < atol
    few = MMDClassRatio(1.0, 100).fit(sets, TWO, tuning, TWO)
    assert np.abs(few.gram_ - kernel.gram_).max() > np.abs(fit.gram_ - kernel.gram_).max() > 0


@pytest.mark.parametrize("n_classes", [1, 2, 4, 5])
def test_weights_are_those_of_least_squares_of_features_without_what_is_chance(n_classes):
    """The features of the sets in their nearest matrix of rank c (Eckart & Young)."""
    features, targets = rng(1).normal(size=(12, 5)), rng(2).normal(size=(12, 3))
    left, values, right = np.linalg.svd(features, full_matrices=False)
    nearest = (left[:, :n_classes] * values[:n_classes]) @ right[:n_classes]
    expected = np.linalg.lstsq(nearest, targets, rcond=1e-10)[0]
    gram = features.T @ features
    np.testing.assert_allclose(mixture(gram, features.T @ targets, n_classes), expected, atol=1e-10)
    np.testing.assert_allclose(mixture(gram, features.T @ targets[:, 1], n_classes), expected[:, 1], atol=1e-10)
    assert n_classes == 5 or np.abs(mixture(gram, features.T @ targets, n_classes + 1) - expected).max() > 1e-3


@pytest.mark.parametrize("n_classes", [5, 7, 20])
def test_the_same_set_twice_does_no_harm(n_classes):
    features, target = rng(1).normal(size=(12, 5)), rng(2).normal(size=12)
    twice = np.concatenate((features, features[:, :2]), axis=1)
    found = twice @ mixture(twice.T @ twice, twice.T @ target, n_classes)
    np.testing.assert_allclose(found, features @ np.linalg.lstsq(features, target)[0], atol=1e-8)


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


# --- the bandwidth --------------------------------------------------------------------------------


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


# --- other proportions of the same sets -----------------------------------------------------------


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
        (THREE[[0, 1, 2, 0]], THREE[:2]),
        (TWO[[0, 1, 1]], TWO[[0, 1, 1]]),
    ],
    ids=["fewer", "more", "as many in all", "other classes"],
)
def test_other_proportions_must_be_as_many_as_the_sets_were(p, q):
    fit = MMDClassRatio(1.0).fit(gaussian_sets(THREE, 20, 1), THREE, gaussian_sets(THREE, 20, 2), THREE)
    shapes = f"shapes {p.shape} and {q.shape}"
    with pytest.raises(ValueError, match=f"^proportions must be .* 3 and 3 sets of 3 classes.*{re.escape(shapes)}$"):
        fit.reweigh(p, q)


@pytest.mark.parametrize("halved", [False, True])
def test_other_proportions_warn_as_fitting_would(halved):
    """Without a second group fitting has halved the three sets."""
    second = () if halved else (gaussian_sets(THREE, 20, 2), THREE)
    fit = MMDClassRatio(1.0).fit(gaussian_sets(THREE, 20, 1), THREE, *second)
    alike = np.full((3, 3), 1 / 3)
    n = 3 if halved else 6
    with pytest.warns(UserWarning, match=f"^{n} sets of rank 1 cannot tell 3 classes apart .assumption A0 fails"):
        fit.reweigh(alike, alike)


# --- Theorem 1 ------------------------------------------------------------------------------------


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


def test_where_mcdiarmids_constant_overtakes_the_published_one():
    """The number in `bound`'s docstring, below which C(n) is no longer the larger."""

    def ahead(q):
        return 2 + math.sqrt(math.log(2 / q) / 2) - 1 - math.sqrt(math.log(1 / q))

    stated = float(re.search(r"is below ([\d.]+e-\d+)", re.sub(r"\s+", " ", MMDClassRatio.bound.__doc__))[1])
    assert stated == pytest.approx(brentq(ahead, 1e-12, 0.1), rel=0.003)  # of three digits


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


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "arguments"),
    [("bound", (10,)), ("reweigh", (TWO, TWO)), ("from_similarities", (np.ones(4),)), ("similarities", (TWO,))],
)
def test_mmd_that_is_not_fitted_says_so_however_it_is_asked(what, arguments):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(MMDClassRatio(), what)(*arguments)


@pytest.mark.parametrize("bandwidth", [0.0, -2, "best", None, math.nan, 9e-7, 1.1e6, math.inf])
def test_bandwidths_out_of_range_are_refused(bandwidth):
    """An infinite one says nothing of distances: the answer would be the mean proportions."""
    with pytest.raises(ValueError, match=r"bandwidth must be in \[0.0001, 10000\], got .*; a multiple of the median"):
        MMDClassRatio(bandwidth).fit(gaussian_sets(TWO, 10, 1), TWO)


@pytest.mark.parametrize("n", [0, 2.5, "many"])
def test_numbers_of_features_out_of_range_are_refused(n):
    with pytest.raises(ValueError, match=r"n_features must be a whole number in \[1, 100000\], got .*; None takes"):
        MMDClassRatio(n_features=n).fit(gaussian_sets(TWO, 10, 1), TWO)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("n_u", "delta"), [(0, 0.05), (-5, 0.05), (10, 0.0), (10, -0.1), (10, 1.5), (10, math.nan)])
def test_bounds_of_no_records_or_for_certain_are_refused(n_u, delta):
    fit = MMDClassRatio(1.0).fit(gaussian_sets(THREE, 10, 1), THREE, gaussian_sets(THREE, 10, 2), THREE)
    sentence = "n_u must be a whole number at least 1, got" if delta == 0.05 else r"delta must be in \(0, 1\], got"
    with pytest.raises(ValueError, match=sentence):
        fit.bound(n_u, delta)
    assert math.isfinite(fit.bound(np.int64(1), 1))
    assert fit.bound(1, 1.0) < fit.bound(1, 0.5)

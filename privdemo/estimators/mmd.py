"""Class ratios by maximum mean discrepancy: U as the nearest mixture of training sets in a kernel's feature space."""

from __future__ import annotations

import math
import warnings
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.kernel_approximation import RBFSampler
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted

from privdemo import limits
from privdemo.estimators.class_ratio import ClassRatioEstimator, present_classes
from privdemo.estimators.logistic import is_cv
from privdemo.estimators.sets import Sets, read_proportions, read_set, span_problem
from privdemo.mechanisms.aggregation import Matrix, as_float, dense
from privdemo.simplex import project_simplex

Array = NDArray[np.floating]

# Bandwidths that "cv" tries, as multiples of the median heuristic (the paper's range).
FACTORS = tuple(2.0**power for power in range(-5, 6))
# Rows of two sets whose distances are computed together: as many as fit into a processor's cache.
BLOCK = 1024
# Records from which the median distance is taken.
MEDIAN_SAMPLE = 1000
# How likely Theorem 1's bound may fail.
BOUND_DELTA = 0.05


class MMDClassRatio(ClassRatioEstimator):
    """The mixture of training sets nearest to U in a kernel's feature space (Iyer et al., equations 4 and 5).

    α̂ = argmin ‖Σ α_i Φ̂_i − Φ̂_U‖², Φ̂ the mean of the features of k(x, x′) = exp(−‖x − x′‖²/(2 bandwidth²)) over a set;
    the proportions are P̂ α̂. The true distributions of M sets span c dimensions, so of the sets' Gram matrix the c
    largest eigenvalues count, and the others are noise; with M = c sets that is the paper's system. Only means of k
    over pairs of sets are needed: they are summed block by block, so the memory is that of one block, and the time that
    of all inner products once.

    Parameters
    ----------
    bandwidth : a multiple of the median heuristic √(median ‖x − x′‖² / 2), or "cv": the one of `FACTORS` that finds
        the proportions of one group of sets from those of the other, and the other way round, with the least L1 error.
    n_features : None for the exact kernel; else as many random Fourier features (Rahimi & Recht 2007), whose time is
        linear in the number of records; the error falls with the square root of their number.

    Attributes
    ----------
    bandwidth_, factor_ : in the units of X, and as a multiple of the median heuristic. cv_errors_ : (factors,) mean L1
    errors. gram_ : (M, M), inner products of the sets' mean features. proportions_ : (M, c), sizes_ : (M,).
    condition_number_ : Q = σ_max(P̂)/σ_min(Â) (Theorem 1) of the first group of sets, large where they are alike; of
    more sets than classes σ_c(Â) is in the place of σ_min.
    """

    _needs_both = False

    def __init__(self, bandwidth: float | str = "cv", n_features: int | None = None, *, random_state: int = 0) -> None:
        self.bandwidth = bandwidth
        self.n_features = n_features
        self.random_state = random_state

    def bound(self, n_u: int, delta: float = BOUND_DELTA) -> float:
        """Return theorem 1's bound on the L2 error for a U of `n_u` records, which holds with probability 1 − `delta`.

        (1 + Q) √(Σ C(n_i)²) / σ_min(Ā) + Q C(n_u), C(n) = 2/√n + √(ln(2(2M + 1)/δ)/(2n)), of the M = c sets of the
        first group alone; ∞ for other numbers of sets, as for more than c the true σ_min(Ā) is 0 and the bound is
        infinite. Ā, of the sets' true distributions, is not known; Â is in its place. (C is never below the constant
        1/√n + √(ln((2M + 1)/δ)/n) that McDiarmid's inequality gives, unless δ/(2M + 1) is below 1.75e-6.)
        """
        check_is_fitted(self)
        limits.Limit("delta", 0.0, 1.0, "it is the chance that the bound fails", low_open=True).check(delta)
        limits.Limit("n_u", 1, math.inf, "records of U", integer=True).check(n_u)
        n_sets, c = self._n_first, self.proportions_.shape[1]
        if n_sets != c or math.isinf(self.condition_number_):
            return math.inf
        n = np.append(self.sizes_[:n_sets], n_u)
        constant = 2 / np.sqrt(n) + np.sqrt(math.log(2 * (2 * n_sets + 1) / delta) / (2 * n))
        q, least = self.condition_number_, least_singular_value(self.gram_[:n_sets, :n_sets], c)
        return float((1 + q) * np.sqrt(np.square(constant[:-1]).sum()) / least + q * constant[-1])

    def reweigh(self, proportions: ArrayLike, tuning_proportions: ArrayLike) -> MMDClassRatio:
        """Return the estimator that `fit` would give for the same sets with other proportions; no kernel is computed
        again.

        Kernels depend on the records alone; the chosen bandwidth may change. Raises ``ValueError`` for proportions of
        other shapes than those fitted.
        """
        check_is_fitted(self)
        p, tuning = read_proportions(proportions), read_proportions(tuning_proportions, "tuning ")
        wanted = (self._n_first, len(self.sizes_) - self._n_first, len(self.present_))
        if (len(p), len(tuning), p.shape[1]) != wanted or tuning.shape[1] != wanted[2]:
            raise ValueError(
                f"proportions must be those of {wanted[0]} and {wanted[1]} sets of {wanted[2]} classes, as fitted, got "
                f"shapes {p.shape} and {tuning.shape}"
            )
        if problem := span_problem(p if self._halved else np.concatenate((p, tuning))):
            warnings.warn(problem, stacklevel=2)
        other = copy(self)
        other.present_ = present_classes(p, tuning)
        if other.present_.sum() > 1:
            other._choose(p[:, other.present_], tuning[:, other.present_])
        return other

    def similarities(self, U: Any) -> Array:
        """Return ⟨Φ̂_i, Φ̂_U⟩ of every training set, (M,)."""
        check_is_fitted(self)
        checked = read_set(U, "U", self.n_features_in_)
        if self.n_features is None:
            return np.array([kernel_means(x, checked, np.array([self.bandwidth_]))[0] for x in self._sets])
        return self._mean_features @ self._features(checked, np.array([self.bandwidth_]))[0]

    def from_similarities(self, k: Array) -> Array:
        """Return the proportions of a set of these `similarities` (M,), before the projection: P̂ α̂, (c,)."""
        check_is_fitted(self)
        return self._filled(self._mixed_proportions(k) if self.present_.sum() > 1 else np.ones(1))

    def _mixed_proportions(self, k: Array) -> Array:
        return mixture(self.gram_, k, self.proportions_.shape[1]) @ self.proportions_

    def _fit(self, sets: Sets, tuning: Sets) -> None:
        both = sets + tuning
        if is_cv(self.bandwidth):
            self._factors = FACTORS
        else:
            self._factors = (float(limits.BANDWIDTH.check(self.bandwidth)),)  # type: ignore[arg-type]
        self._median, self.sizes_, self._n_first = median_heuristic(both, self.random_state), both.sizes, len(sets.X)
        self._all_grams, self._all_features = self._grams(both, np.array(self._factors) * self._median)
        self._sets = both.X if self.n_features is None else ()
        self._choose(sets.proportions, tuning.proportions)

    def _choose(self, proportions: Array, tuning_proportions: Array) -> None:
        """Choose the bandwidth for these proportions, and set what depends on it."""
        self.proportions_ = np.concatenate((proportions, tuning_proportions))
        self.cv_errors_ = np.array([tuning_error(gram, proportions, tuning_proportions) for gram in self._all_grams])
        best = int(self.cv_errors_.argmin())
        self.factor_, self.gram_ = self._factors[best], self._all_grams[best]
        self._mean_features = self._all_features[best]
        self.bandwidth_ = self.factor_ * self._median
        n = self._n_first
        self.condition_number_ = condition_number(proportions, self.gram_[:n, :n])

    def _predict(self, U: Matrix) -> Array:
        return self._mixed_proportions(self.similarities(U))

    def _grams(self, sets: Sets, bandwidths: Array) -> tuple[Array, list[Array]]:
        """Return the Gram matrices of the sets' mean features, (bandwidths, M, M), and those features where they are
        few.
        """
        n_sets = len(sets.X)
        if self.n_features is not None:
            limits.N_FEATURES.check(self.n_features)
            features = np.stack([self._features(x, bandwidths) for x in sets.X], axis=1)
            return features @ features.transpose(0, 2, 1), list(features)
        grams = np.empty((len(bandwidths), n_sets, n_sets))
        for i, x in enumerate(sets.X):
            for j in range(i + 1):
                grams[:, i, j] = grams[:, j, i] = kernel_means(x, None if i == j else sets.X[j], bandwidths)
        return grams, [np.empty(0)] * len(bandwidths)

    def _features(self, x: Matrix, bandwidths: Array) -> Array:
        """Return the mean of the random features √(2/n_features) cos(xᵀw/b + φ) over a set, (bandwidths, n_features).

        The random directions w and phases φ are those of scikit-learn's `RBFSampler` at b = 1; other bandwidths only
        stretch them, so records are projected once.
        """
        sampler = RBFSampler(gamma=0.5, n_components=self.n_features, random_state=self.random_state).fit(x[:1])
        total = np.zeros((len(bandwidths), self.n_features or 0))
        for start in range(0, x.shape[0], BLOCK):
            projected = dense(x[start : start + BLOCK] @ sampler.random_weights_)
            for i, bandwidth in enumerate(bandwidths):
                phases = projected / projected.dtype.type(bandwidth)
                phases += sampler.random_offset_
                total[i] += np.cos(phases, out=phases).sum(axis=0, dtype=np.float64)
        return total * math.sqrt(2 / total.shape[1]) / x.shape[0]


def kernel_means(x: Matrix, y: Matrix | None, bandwidths: Array) -> Array:
    """Return the mean of exp(−‖x_i − y_j‖²/(2 b²)) over all pairs of rows, for every b of `bandwidths`: (bandwidths,).

    `y` None: of `x` (n, D) with itself, each pair computed once. No more than `BLOCK`² distances are held.
    """
    total = np.zeros(len(bandwidths))
    other = x if y is None else y
    # Distances do not depend on the origin, but their last digits do.
    centre = None if issparse(x) or issparse(other) else x[:BLOCK].mean(axis=0)
    for start in range(0, x.shape[0], BLOCK):
        rows = _centred(x[start : start + BLOCK], centre)
        square = _squares(rows)
        for first in range(0, start + 1 if y is None else other.shape[0], BLOCK):
            columns = _centred(other[first : first + BLOCK], centre)
            distances = dense(rows @ columns.T)
            distances *= -2
            distances += square[:, None]
            distances += _squares(columns)
            np.maximum(distances, 0, out=distances)
            twice = 2.0 if y is None and first < start else 1.0
            kernel = np.empty_like(distances)
            for i, bandwidth in enumerate(bandwidths):
                np.multiply(distances, distances.dtype.type(-0.5 / bandwidth**2), out=kernel)
                np.exp(kernel, out=kernel)
                total[i] += twice * kernel.sum(axis=1).sum(dtype=np.float64)
    return total / (x.shape[0] * other.shape[0])


def mixture(gram: Array, k: Array, n_classes: int) -> Array:
    """Return the weights α of least ‖Σ α_i Φ_i − Φ_U‖², given the inner products `gram` (M, M) and `k` (M, …) with Φ_U.

    Within the span of the c = `n_classes` largest eigenvalues of `gram`: the others are chance.
    """
    values, vectors = np.linalg.eigh(gram)
    kept = (np.arange(len(values)) >= len(values) - n_classes) & (values > 1e-10 * values[-1])
    basis = vectors[:, kept]
    return basis @ ((basis.T @ k).T / values[kept]).T


def least_singular_value(gram: Array, n_classes: int) -> float:
    """Return σ_c(Â), the smallest that is not chance, from the inner products `gram` (M, M) of mean features; 0 for M
    < c.
    """
    values = np.linalg.eigvalsh(gram)
    return math.sqrt(max(0.0, float(values[-n_classes]))) if len(values) >= n_classes else 0.0


def condition_number(proportions: Array, gram: Array) -> float:
    """Return Q = σ_max(P̂)/σ_c(Â) (Theorem 1) of `proportions` (M, c) and the sets' `gram` (M, M); ∞ where sets
    coincide.
    """
    least = least_singular_value(gram, proportions.shape[1])
    return float(np.linalg.norm(proportions, 2)) / least if least > 0 else math.inf


def median_heuristic(sets: Sets, seed: int) -> float:
    """Return √(median ‖x − x′‖² / 2) over pairs of up to `MEDIAN_SAMPLE` records, equally many of each set."""
    rng = np.random.default_rng(seed)
    each = max(2, MEDIAN_SAMPLE // len(sets.X))
    some = [x[rng.permutation(x.shape[0])[:each]] for x in sets.X]
    sample = as_float(Sets(tuple(some), sets.proportions).stacked())
    if not issparse(sample):
        sample = sample - sample.mean(axis=0)  # a far origin costs digits
    distances = euclidean_distances(sample, squared=True)
    distances = distances[np.triu_indices(len(distances), 1)]
    median = float(np.median(distances)) or float(distances.mean())
    if median == 0:
        raise ValueError("all records are alike: nothing tells the sets apart")
    return math.sqrt(median / 2)


def tuning_error(gram: Array, proportions: Array, tuning_proportions: Array) -> float:
    """Return the mean L1 error of one group's proportions found from the other's, both ways round.

    `gram` (M + M', M + M') of all sets, those with `proportions` (M, c) first.
    """
    first = np.arange(len(gram)) < len(proportions)
    errors = []
    for known, p, truth in ((first, proportions, tuning_proportions), (~first, tuning_proportions, proportions)):
        weights = mixture(gram[np.ix_(known, known)], gram[np.ix_(known, ~known)], p.shape[1])
        errors.append(np.abs(project_simplex(weights.T @ p) - truth).sum(axis=1))
    return float(np.concatenate(errors).mean())


def _centred(x: Matrix, centre: Array | None) -> Matrix:
    """Return rows of x (n, D) measured from `centre` (D,)."""
    return x if centre is None else x - centre


def _squares(x: Matrix) -> Array:
    """Return ‖x‖² of every row."""
    if issparse(x):
        return np.asarray(csr_array(x).power(2).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", x, x)

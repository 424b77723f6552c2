"""The posterior of each person's true input, and the distribution of a linear model's scores under it.

The scores of a person are a = coefᵀx + intercept, (J,): one for two classes, K for K classes. A posterior of x is
represented by a set of *nodes*: scores a_nq with weights that sum to 1, so that E f(a_n) = Σ_q w_nq f(a_nq). A clean
input has one node, a small discrete one a node for each value it may have, and a large noisy one Gaussian nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from privdemo.estimators.many_classes import JITTER, MANY_NODES, ManyScores, contrasts, many_scores
from privdemo.estimators.pixel_priors import PixelPrior
from privdemo.mechanisms import RandomisedResponse

Array = NDArray[np.floating]

# The most values of an input that are enumerated.
MOST_VALUES = 1 << 16


class Nodes(NamedTuple):
    """`scores` (n, q, J) and `log_weights` (n, q); n = 1 means the same for all people.

    `pull_back(d_scores)` takes ∂L/∂scores (n, q, J) to ∂L/∂coef (D, J) and ∂L/∂intercept (J,).
    """

    scores: Array
    log_weights: Array
    pull_back: Callable[[Array], tuple[Array, Array]]


class Inputs(Protocol):
    """The inputs of n people as a learner knows them."""

    def __len__(self) -> int:
        """n."""

    def centre(self, weights: Array) -> Array:
        """Return the mean input, (D,), of people who count `weights` (n,)."""

    def take(self, rows: NDArray | slice) -> Inputs:
        """Return the inputs of some of the people."""

    def nodes(self, coef: Array, intercept: Array) -> Nodes | ManyScores:
        """Return the distribution of every person's scores under a model `coef` (D, J), `intercept` (J,)."""


@dataclass(frozen=True, eq=False)
class KnownInputs:
    """`X` (n, D), dense or sparse, is the truth, or is taken for it."""

    X: Array | csr_array

    def __len__(self) -> int:
        return self.X.shape[0]

    def centre(self, weights: Array) -> Array:
        return _times(self.X.T, weights) / weights.sum()

    def take(self, rows: NDArray | slice) -> KnownInputs:
        return KnownInputs(self.X[rows])

    def nodes(self, coef: Array, intercept: Array) -> Nodes:
        scores = _times(self.X, coef) + intercept

        def pull_back(d_scores: Array) -> tuple[Array, Array]:
            return _times(self.X.T, d_scores[:, 0]), d_scores.sum(axis=(0, 1))

        return Nodes(scores[:, None], np.zeros((1, 1)), pull_back)


@dataclass(frozen=True, eq=False)
class GaussianInputs:
    """Independent pixels of known `mean` (n, D) and `variance` (n, D) or (1, D): Gaussian scores.

    a_n ~ N(coefᵀM_n + intercept, coefᵀ diag(V_n) coef), exact for Gaussian pixels, else by the central limit theorem.
    One score: `n_nodes` Gauss–Hermite nodes; with 16 the error of E φ(a) is 2·10⁻⁵ for a standard deviation of 2,
    3·10⁻³ for 4. K scores: only their K − 1 contrasts matter, as adding to all alike changes no probability. These are
    m + Lz, LLᵀ their covariance, with `many_nodes` fixed quasi-random z of mean 0 and covariance 1, the same for all
    people; the error of a probability is under 0.01 for standard deviations up to 1, 0.03 for 4.
    """

    mean: Array
    variance: Array
    n_nodes: int = 16
    many_nodes: int = MANY_NODES

    def __len__(self) -> int:
        return len(self.mean)

    def centre(self, weights: Array) -> Array:
        # In double precision, without a copy in it.
        return np.einsum("n,nd->d", weights, self.mean, dtype=float, casting="same_kind") / weights.sum()

    def take(self, rows: NDArray | slice) -> GaussianInputs:
        variance = self.variance if len(self.variance) == 1 else self.variance[rows]
        return GaussianInputs(self.mean[rows], variance, self.n_nodes, self.many_nodes)

    def nodes(self, coef: Array, intercept: Array) -> Nodes | ManyScores:
        if coef.shape[1] > 1:
            return self._many_scores(coef, intercept)
        z, log_weights = gauss_hermite(self.n_nodes)
        mean = _times(self.mean, coef) + intercept
        variance, variance_back = self._spread(coef)
        root = np.sqrt(variance + JITTER)
        scores = mean[:, None] + root[:, :, None] * z.T[:, :, None]

        def pull_back(d_scores: Array) -> tuple[Array, Array]:
            d_mean, d_root = d_scores.sum(axis=1), np.matmul(d_scores.swapaxes(1, 2), z)[:, 0]
            if len(root) == 1:
                d_root = d_root.sum(axis=0, keepdims=True)
            return _times(self.mean.T, d_mean) + variance_back(d_root / (2 * root)), d_mean.sum(axis=0)

        return Nodes(scores, log_weights[None], pull_back)

    def _many_scores(self, coef: Array, intercept: Array) -> ManyScores:
        basis, dtype = contrasts(coef.shape[1]), self.mean.dtype
        mean = (_times(self.mean, coef) + intercept).astype(dtype, copy=False)
        pairs, pairs_back = self._spread(coef @ basis)

        def pull_back(d_mean: Array, d_pairs: Array) -> tuple[Array, Array]:
            return _times(self.mean.T, d_mean) + pairs_back(d_pairs) @ basis.T, d_mean.sum(axis=0)

        return many_scores(mean, pairs, basis, pull_back, self.many_nodes)

    def _spread(self, reduced: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return the covariances of scores with weights `reduced` (D, J), and the map from their derivatives to
        ∂L/∂reduced.

        Of a covariance only the lower triangle, (n, J(J+1)/2), row by row, each entry for both of its places.
        """
        row, column = np.tril_indices(reduced.shape[1])
        pairs = _times(self.variance, reduced[:, row] * reduced[:, column])

        def pull_back(d_pairs: Array) -> Array:
            return np.einsum("dij,dj->di", _symmetric_sums(_times(self.variance.T, d_pairs)), reduced)

        return pairs, pull_back


@dataclass(frozen=True, eq=False)
class LowRankInputs(GaussianInputs):
    """Gaussian pixels of which some go together, as `estimators.low_rank.low_rank_moments` finds them.

    Their covariance is diag(variance_n) + common commonᵀ, with `common` (D, r) for all people alike.
    """

    common: Array = field(kw_only=True)

    def take(self, rows: NDArray | slice) -> LowRankInputs:
        own = super().take(rows)
        return replace(self, mean=own.mean, variance=own.variance)

    def _spread(self, reduced: Array) -> tuple[Array, Callable[[Array], Array]]:
        own, own_back = super()._spread(reduced)
        scores = _times(self.common.T, reduced)

        def pull_back(d_pairs: Array) -> Array:
            return own_back(d_pairs) + _times(self.common, scores @ _symmetric_sums(d_pairs.sum(axis=0)))

        return own + (scores.T @ scores)[np.tril_indices(reduced.shape[1])], pull_back


@dataclass(frozen=True, eq=False)
class EnumeratedInputs:
    """Every value that an input can have, `values` (q, D), and how likely each is for everybody, (n, q)."""

    values: Array
    log_weights: Array

    def __len__(self) -> int:
        return len(self.log_weights)

    def centre(self, weights: Array) -> Array:
        return weights @ np.exp(self.log_weights) @ self.values / weights.sum()

    def take(self, rows: NDArray | slice) -> EnumeratedInputs:
        return EnumeratedInputs(self.values, self.log_weights[rows])

    def nodes(self, coef: Array, intercept: Array) -> Nodes:
        scores = self.values @ coef + intercept

        def pull_back(d_scores: Array) -> tuple[Array, Array]:
            total = d_scores.sum(axis=0)
            return self.values.T @ total, total.sum(axis=0)

        return Nodes(scores[None], self.log_weights, pull_back)


def enumerate_inputs(
    mechanism: RandomisedResponse, released: NDArray[np.integer], prior: PixelPrior
) -> EnumeratedInputs:
    """Return all k^D inputs that may have been released as `released` (n, D), on the scale 0 to 1; no central limit is
    assumed.

    Raises ``ValueError`` for more than `MOST_VALUES` of them.
    """
    k, n_pixels = mechanism.n_states, released.shape[1]
    if k**n_pixels > MOST_VALUES:
        raise ValueError(
            f"exact integration enumerates every input: at most {MOST_VALUES:,}, got {k}^{n_pixels}; use exact=False"
        )
    states = np.array(list(product(range(k), repeat=n_pixels)))
    with np.errstate(divide="ignore"):
        log_pixel = mechanism.log_likelihood(released[:, :, None], np.arange(k)) + np.log(prior.probs)
    impossible = np.isneginf(log_pixel).all(axis=2)  # the prior rules out what was kept: take the release for the truth
    log_pixel[impossible, released[impossible]] = 0.0
    log_pixel -= np.logaddexp.reduce(log_pixel, axis=2, keepdims=True)
    log_weights = np.sum([log_pixel[:, d, states[:, d]] for d in range(n_pixels)], axis=0)
    return EnumeratedInputs(states / (k - 1), log_weights)


@lru_cache
def gauss_hermite(n_nodes: int) -> tuple[Array, Array]:
    """Return nodes z (q, 1) and log weights (q,) with E f(z) ≈ Σ_q w_q f(z_q) for a standard normal z."""
    z, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return z[:, None], np.log(weights / weights.sum())


def _times(matrix: Array | csr_array, vectors: Array) -> Array:
    """Return a product in the matrix's own precision, as float64."""
    return np.asarray(matrix @ vectors.astype(matrix.dtype, copy=False)).astype(np.float64, copy=False)


def _symmetric_sums(triangles: Array) -> Array:
    """From lower triangles (…, J(J+1)/2) of derivatives the sums G + Gᵀ, (…, J, J)."""
    size = int(np.sqrt(2 * triangles.shape[-1]))
    whole = np.zeros((*triangles.shape[:-1], size, size))
    row, column = np.tril_indices(size)
    whole[..., row, column] += triangles
    whole[..., column, row] += triangles
    return whole

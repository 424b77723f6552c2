"""Gaussian scores of three or more classes: their distribution, and expectations over it, a few people at a time.

The scores of a person are N(mean, root rootᵀ): those of K classes vary in K − 1 directions, as adding a constant to all
changes no probability. Expectations are means over `MANY_NODES` fixed quasi-random nodes, the same for all people.
Arrays at nodes are (K, people, nodes), so that sums over classes run along the nodes, and few people are processed at
once, so that all of it fits into the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert
from scipy.stats import norm, qmc

Array = NDArray[np.floating]

# An integral over three or more scores takes this many quasi-random nodes.
MANY_NODES = 128
# Keep the scores' covariance positive definite where a model (all weights 0, say) has no spread in some direction:
# absolutely, and relative to its size, as it may have been rounded to single precision.
JITTER, RIDGE = 1e-12, 1e-5
# Numbers at nodes that are held at once, and the least likelihood of a release: a smaller one is raised to it,
# which no fit comes near.
HELD, LEAST = 1 << 16, float(np.finfo(np.float32).tiny)


class ManyScores(NamedTuple):
    """Scores of K classes: `mean` (K, n) and `root` (K, K − 1, n), where n = 1 stands for all people.

    `pull_back(d_mean, d_root)` takes derivatives of both to those of coef (D, K) and intercept (K,).
    """

    mean: Array
    root: Array
    pull_back: Callable[[Array, Array], tuple[Array, Array]]
    n_nodes: int = MANY_NODES


class Value(NamedTuple):
    """An objective of every person, (n,), and the derivatives of its sum with respect to scores' `mean` and `root`."""

    objective: Array
    d_mean: Array
    d_root: Array


# What a block of people adds: objectives (b,), and derivatives (K, b, nodes) of the scores at each node, from log p, if
# asked for, p (K, b, nodes), which may be overwritten, and T[released label, class] (K, b, 1).
AtNodes = Callable[[Callable[[], Array], Array, Array], tuple[Array, Array]]


def many_scores(
    mean: Array,
    pairs: Array,
    basis: Array,
    pull_back: Callable[[Array, Array], tuple[Array, Array]],
    n_nodes: int = MANY_NODES,
) -> ManyScores:
    """Return Gaussian scores with `mean` (n, K) whose K − 1 contrasts, coef @ `basis`, have the covariances `pairs`.

    `pairs` (n, P) are the lower triangle of the covariance, row by row as `numpy.tril_indices`; n = 1 stands for
    all. `pull_back(d_mean, d_pairs)` takes derivatives of both, of these shapes, to coef and intercept.
    """
    n_contrasts = basis.shape[1]
    row, column = np.tril_indices(n_contrasts)
    diagonal = np.flatnonzero(row == column)
    ridge = RIDGE / n_contrasts
    wide = np.array(pairs.T, dtype=float, order="C")
    wide[diagonal] += ridge * wide[diagonal].sum(axis=0) + JITTER
    root = cholesky(wide)

    def pull(d_mean: Array, d_root: Array) -> tuple[Array, Array]:
        d_pairs = cholesky_pull_back(root, _along_first(basis.T, d_root))[row, column]
        d_pairs[diagonal] += ridge * d_pairs[diagonal].sum(axis=0)
        return pull_back(d_mean.T, d_pairs.T)

    return ManyScores(mean.T, _along_first(basis, root).astype(mean.dtype, copy=False), pull, n_nodes)


def _along_first(matrix: Array, tensor: Array) -> Array:
    """Return the product of a matrix with the first axis of a tensor (a, b, n)."""
    return (matrix @ tensor.reshape(len(tensor), -1)).reshape(-1, *tensor.shape[1:])


def spread_at_nodes(_: Callable[[], Array], p: Array, rows: Array) -> tuple[Array, Array]:
    """Return log p̃(c̃ | x̃) of every person and its derivatives: see `likelihoods.spread_log_likelihood`."""
    derivative = p * rows
    at_node = derivative.sum(axis=0)  # Σ_c T[c̃ | c] p(c | node)
    likelihood = np.maximum(at_node.mean(axis=1, keepdims=True), LEAST)
    p *= at_node
    derivative -= p
    derivative /= likelihood * p.shape[2]
    return np.log(likelihood[:, 0]), derivative


def reconstruction_at_nodes(log_p_of: Callable[[], Array], p: Array, rows: Array) -> tuple[Array, Array]:
    """Return E[log p(c | x)] of every person under p(c, x | c̃, x̃) and its derivatives: see
    `likelihoods.reconstruction`.
    """
    resp = p * rows
    resp /= np.maximum(resp.sum(axis=(0, 2), keepdims=True), LEAST)
    log_p = log_p_of()
    weighed = resp * log_p
    objective = weighed.sum(axis=(0, 2))
    weighed += (1 - objective[:, None]) * resp
    p *= weighed.sum(axis=0)
    weighed -= p
    return objective, weighed


def evaluate(at_nodes: AtNodes, scores: ManyScores, log_rows: Array, weights: Array) -> Value:
    """Return an objective of every person, (n,), and the derivatives of its sum with `weights` (n,).

    `log_rows` (n, K) = log T[released label, class].
    """
    if scores.root.shape[2] == 1:
        return _evaluate_shared_covariance(at_nodes, scores, np.exp(log_rows), weights)
    dtype = scores.root.dtype
    z = _nodes(scores)
    rows = np.exp(log_rows).T.astype(dtype, order="C")[:, :, None]
    found = Value(np.empty(len(weights)), np.empty(scores.mean.shape), np.zeros(scores.root.shape))
    for people, at, p in _blocks(scores):
        found.objective[people], derivative = at_nodes(at, p, rows[:, people])
        derivative *= weights[people, None].astype(dtype)
        found.d_mean[:, people] = derivative.sum(axis=2)
        found.d_root[:, :, people] = np.matmul(z, derivative.swapaxes(1, 2))
    return found


class _SharedCovariance(NamedTuple):
    """Scores that are spread alike of all people: p(c | node) = M_nc E_cq / Σ_c M_nc E_cq.

    So every sum over classes, nodes or people is a product of matrices. `people` M (n, K) and `log_people`, `at` E
    (K, q) and `log_at`, `total` (n, q), and the nodes `z` (K − 1, q).
    """

    people: Array
    log_people: Array
    at: Array
    log_at: Array
    total: Array
    z: Array


def _shared_covariance(scores: ManyScores) -> _SharedCovariance:
    z = _nodes(scores).astype(float)
    log_people, log_at = scores.mean.T.astype(float), scores.root[:, :, 0] @ z
    log_people -= log_people.max(axis=1, keepdims=True)
    log_at -= log_at.max(axis=0)
    people, at = np.exp(log_people), np.exp(log_at)
    return _SharedCovariance(people, log_people, at, log_at, np.maximum(people @ at, LEAST), z)


def _evaluate_shared_covariance(at_nodes: AtNodes, scores: ManyScores, rows: Array, weights: Array) -> Value:
    """Return `evaluate` of people whose scores are spread alike; `rows` (n, K) = T[released label, class]."""
    known = _shared_covariance(scores)
    M, log_M, E, log_E, total, z = known
    weighted_rows = M * rows
    likelihood = weighted_rows @ E / total
    mean = np.maximum(likelihood.mean(axis=1, keepdims=True), LEAST)
    each = weights[:, None]
    share = 1 / (total * mean * E.shape[1])  # p(c, node | c̃) = weighted_rows_nc E_cq share_nq
    if at_nodes is spread_at_nodes:
        objective, lost = np.log(mean[:, 0]), each * share * likelihood
        terms: list[tuple[Array, Array, Array]] = [(weighted_rows, E, each * share)]
    else:
        log_total = np.log(total)
        moved, raised = weighted_rows * log_M, E * log_E
        inner = moved * (share @ E.T) + weighted_rows * (share @ raised.T - (share * log_total) @ E.T)
        objective = inner.sum(axis=1)
        level = 1 - objective[:, None] - log_total
        share *= each
        lost = share / total * (moved @ E + weighted_rows @ raised + level * (weighted_rows @ E))
        terms = [(moved, E, share), (weighted_rows, raised, share), (weighted_rows, E, share * level)]
    terms.append((-M, E, lost))
    d_mean = sum(person * (part @ node.T) for person, node, part in terms)
    d_at = sum(node * (person.T @ part) for person, node, part in terms)
    return Value(objective, np.asarray(d_mean).T, (np.asarray(d_at) @ z.T)[:, :, None])


def expected_proba(scores: ManyScores) -> Array:
    """Return E p(c | x) of every person, (n, K)."""
    if scores.root.shape[2] == 1:
        known = _shared_covariance(scores)
        return known.people * (1 / known.total @ known.at.T) / known.at.shape[1]
    return np.concatenate([p.mean(axis=2, dtype=float).T for _, _, p in _blocks(scores)])


def _nodes(scores: ManyScores) -> Array:
    """Return the standard normal nodes z (K − 1, nodes) in the precision of the scores."""
    return quasi_random(scores.root.shape[1], scores.n_nodes).T.astype(scores.root.dtype, order="C")


def _blocks(scores: ManyScores) -> Iterator[tuple[slice, Callable[[], Array], Array]]:
    """Of b people at a time log p(c | node), (K, b, nodes), if it is needed, and p(c | node)."""
    n_classes, n = scores.mean.shape
    z = _nodes(scores)
    at_once = max(1, HELD // (n_classes * scores.n_nodes))
    for start in range(0, n, at_once):
        people = slice(start, min(start + at_once, n))
        at = np.matmul(scores.root[:, :, people].swapaxes(1, 2), z) + scores.mean[:, people, None]
        at -= at.max(axis=0)
        p = np.exp(at)
        total = p.sum(axis=0)
        p /= total
        yield people, partial(_log, at, total), p


def _log(scores: Array, total: Array) -> Array:
    return scores - np.log(total)


@lru_cache
def contrasts(n_scores: int) -> Array:
    """Return an orthonormal basis (K, K − 1) of the differences of K scores, which are all that matters."""
    return helmert(n_scores).T


@lru_cache
def quasi_random(n_scores: int, n_nodes: int = MANY_NODES) -> Array:
    """Return standard normal nodes (q, J) of equal weights, with mean 0 and covariance 1 exactly; q is a power of 2."""
    sobol = qmc.Sobol(n_scores, scramble=True, rng=np.random.default_rng(0))
    half = norm.ppf(sobol.random(n_nodes // 2))
    z = np.concatenate((half, -half))
    return z @ np.linalg.inv(np.linalg.cholesky(z.T @ z / len(z))).T


def cholesky(pairs: Array) -> Array:
    """Return L (J, J, n) of LLᵀ for n matrices whose lower triangles are `pairs` (P, n), all at once.

    LAPACK takes one matrix at a time, and for small ones most of its time is the call.
    """
    size = int(np.sqrt(2 * len(pairs)))
    root = np.zeros((size, size, pairs.shape[1]))
    root[np.tril_indices(size)] = pairs
    for j in range(size):
        root[j:, j] -= np.einsum("ikn,kn->in", root[j:, :j], root[j, :j])
        root[j, j] = np.sqrt(root[j, j])
        root[j + 1 :, j] /= root[j, j]
    return root


def cholesky_pull_back(root: Array, d_root: Array) -> Array:
    """Return ∂L/∂(lower triangle of C), (J, J, n), from ∂L/∂L for C = LLᵀ, of which entries above the diagonal do not
    count.

    The columns of `cholesky` taken back from the last (Murray 2016, section 3.2).
    """
    found = np.array(d_root)
    for j in reversed(range(len(root))):
        below = root[j + 1 :, j]
        found[j, j] -= (below * found[j + 1 :, j]).sum(axis=0) / root[j, j]
        found[j:, j] /= root[j, j]
        found[j, :j] -= (found[j:, None, j] * root[j:, :j]).sum(axis=0)
        found[j + 1 :, :j] -= found[j + 1 :, None, j] * root[j, :j]
        found[j, j] /= 2
    return found

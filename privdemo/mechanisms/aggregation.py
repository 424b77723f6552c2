"""k-anonymity by means: each group of k or more records is replaced by its mean, to which Laplace noise can be added.

A grouping is the number 0 … G−1 of each record's group, (n,). Every group has k to 2k − 1 records.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from privdemo import limits

Array = NDArray[np.floating]
Matrix: TypeAlias = Array | csr_array
Groups = NDArray[np.intp]


class TooFewRecords(ValueError):
    """There are too few records of a kind to fill the bags or groups."""


def random_k(bags: NDArray[np.integer], k: int, rng: np.random.Generator) -> Groups:
    """Return groups of k or a few more random records of the same bag; `bags` (n,) are the numbers 0 … B−1.

    Raises `TooFewRecords` where a bag has fewer than k records.
    """
    sizes = _check_bags(bags, k)
    order = np.lexsort((rng.random(len(bags)), bags))
    rank = np.arange(len(bags)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    n_groups = sizes // k
    offset = np.cumsum(n_groups) - n_groups
    groups = np.empty(len(bags), dtype=np.intp)
    groups[order] = np.repeat(offset, sizes) + rank * np.repeat(n_groups, sizes) // np.repeat(sizes, sizes)
    return groups


def nearest_k(X: Matrix, bags: NDArray[np.integer], k: int, rng: np.random.Generator) -> Groups:
    """Return groups of a random record and the k − 1 of the same bag that lie nearest to it, until under 2k are left.

    Those are the bag's last group. Arguments and errors as `random_k`; X (n, D) is dense or sparse.
    """
    sizes, X = _check_bags(bags, k), as_float(X)
    order = np.argsort(bags, kind="stable")
    groups, n_groups = np.empty(len(bags), dtype=np.intp), 0
    for rows in np.split(order, np.cumsum(sizes)[:-1]):
        inner = dense(X[rows] @ X[rows].T)
        left = rng.permutation(len(rows))
        while len(left) >= 2 * k:
            first, rest = left[0], left[1:]
            distance = inner[rest, rest] - 2 * inner[first, rest]  # and |x_first|², the same for all
            near = np.argpartition(distance, k - 2)[: k - 1] if k > 1 else np.empty(0, int)
            groups[rows[[first, *rest[near]]]] = n_groups
            left, n_groups = np.delete(rest, near), n_groups + 1
        groups[rows[left]] = n_groups
        n_groups += 1
    return groups


def k_tree(X: Matrix, y: NDArray[np.integer], k: int, rng: np.random.Generator) -> Groups:
    """Return groups of one label and similar values: leaves of a tree for each class, halved at the median till under
    2k.

    Every node is halved along the column of largest variance in it; equal values are parted at random. Raises
    `TooFewRecords` where a class has fewer than k records.
    """
    limits.K.check(k)
    labels, nodes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    if sizes.min() < k:
        label = labels[sizes.argmin()]
        raise TooFewRecords(f"k must be at most {sizes.min()}, the records of class {label}, got {k}; lower k")
    X = as_float(X)
    squares = X * X
    while (split := sizes >= 2 * k).any():
        means, squared = group_means(X, nodes), group_means(squares, nodes)
        variance = squared - means * means
        column = np.asarray(variance.argmax(axis=1)).ravel()
        values = np.asarray(X[np.arange(len(y)), column[nodes]]).ravel()
        order = np.lexsort((rng.random(len(y)), values, nodes))
        rank = np.arange(len(y)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        upper = np.empty(len(y), dtype=bool)
        upper[order] = rank >= np.repeat(np.where(split, sizes // 2, sizes), sizes)
        _, nodes, sizes = np.unique(2 * nodes + upper, return_inverse=True, return_counts=True)
    return nodes


def group_means(X: Matrix, groups: Groups) -> Matrix:
    """Return the mean record of each group, (G, D); sparse for sparse X."""
    counts = np.bincount(groups)
    order = np.argsort(groups, kind="stable")
    pointers = np.append(0, np.cumsum(counts))
    sums = csr_array((np.ones(len(groups)), order, pointers), shape=(len(counts), len(groups))) @ X
    # Divided at the end: a mean of k ones is then 1 and never a last digit more.
    if not issparse(sums):
        return sums / counts[:, None]
    sums.data /= np.repeat(counts, np.diff(sums.indptr))
    return sums


def information_loss(X: Matrix, groups: Groups) -> float:
    """Return SSE/SST: the share of the records' squared distance from their overall mean that lies within groups.

    0 where every group holds one record (or equal ones), 1 where all records are one group.
    """
    counts, n, X = np.bincount(groups), X.shape[0], as_float(X)
    total = float((X * X).sum())
    means = group_means(X, groups)
    between = (means * means).sum(axis=1)
    centre = np.asarray(X.sum(axis=0)).ravel() / n
    sst = total - n * float(centre @ centre)
    return max(0.0, (total - float(counts @ np.asarray(between).ravel())) / sst) if sst > 1e-12 * total else 0.0


def noisy_means(means: Matrix, counts: ArrayLike, epsilon: float, rng: np.random.Generator) -> Array:
    """Return means (G, D) of `counts` (G,) records in [0, 1] with Laplace noise, dense: each column is
    `epsilon`-private.

    A record moves a mean of k by at most 1/k, its sensitivity, in every column: the scale is 1/(kε). A record's columns
    compose: see `record_epsilon`. The guarantee is for given groups; groups chosen from the records leak
    more. Raises ``ValueError`` for values outside [0, 1].
    """
    limits.NOISE_EPSILON.check(epsilon)
    values = dense(means).astype(np.float64)
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        raise ValueError(f"means must lie in [0, 1], got {values.min():g} to {values.max():g}; scale the columns first")
    return values + rng.laplace(scale=mean_scale(counts, epsilon)[:, None], size=values.shape)


def noisy_proportions(proportions: ArrayLike, sizes: ArrayLike, epsilon: float, rng: np.random.Generator) -> Array:
    """Return proportions (B,) of bags of `sizes` (B,) records with Laplace noise: each label is `epsilon`-private.

    A label moves the proportion of a bag of m by at most 1/m: the scale is 1/(mε). What is released may lie outside
    [0, 1] and is not clipped. The guarantee is for given bags. Raises ``ValueError`` for proportions outside [0, 1].
    """
    limits.NOISE_EPSILON.check(epsilon)
    share = np.asarray(proportions, dtype=float)
    if not ((share >= 0) & (share <= 1)).all():
        raise ValueError(f"proportions must be in [0, 1], got {share.min():g} to {share.max():g}")
    return share + mean_scale(sizes, epsilon) * rng.laplace(size=share.shape)


def mean_scale(counts: ArrayLike, epsilon: float) -> Array:
    """Return the Laplace scale 1/(kε) of means of `counts` k values in [0, 1], so that each is ε-private; 0 for ε =
    ∞.
    """
    limits.NOISE_EPSILON.check(epsilon)
    if not (np.asarray(counts) > 0).all():
        raise ValueError(f"counts must be above 0, got {np.min(counts)}")
    return 1 / (np.asarray(counts, dtype=float) * epsilon)


def noise_within(scale: float, half_width: float) -> float:
    """Return the share of Laplace noise that lies within ± `half_width`: 1 − exp(−h/b)."""
    limits.SCALE.check(scale)
    limits.NOISE_HALF_WIDTH.check(half_width)
    return -math.expm1(-half_width / scale) if scale > 0 else 1.0


def smallest_epsilon(count: float, half_width: float = 0.5, share: float = 0.9) -> float:
    """Return the smallest ε of a mean of k values that keeps `share` of the noise within ± h: ln(1/(1 −
    share))/(kh).
    """
    limits.Limit("count", 0.0, math.inf, low_open=True).check(count)
    limits.NOISE_HALF_WIDTH.check(half_width)
    limits.Limit("share", 0.0, math.nextafter(1.0, 0.0), "some of the noise lies further out").check(share)
    return -math.log1p(-share) / (count * half_width)


def record_epsilon(feature_epsilon: float, proportion_epsilon: float, n_columns: int) -> float:
    """Return a whole record's ε by basic composition: n_columns · feature ε + proportion ε.

    `n_columns` are those in which two records can differ: of one-hot attributes, two each.
    """
    limits.NOISE_EPSILON.check(feature_epsilon)
    limits.NOISE_EPSILON.check(proportion_epsilon)
    limits.Limit("n_columns", 1, math.inf, integer=True).check(n_columns)
    return n_columns * feature_epsilon + proportion_epsilon


def as_float(X: Any) -> Matrix:
    """Return X in double precision, since small integer dtypes would overflow when squared."""
    return csr_array(X, dtype=np.float64) if issparse(X) else np.asarray(X, dtype=np.float64)


def dense(matrix: Any) -> NDArray[Any]:
    """Return a matrix, sparse or not, as an array."""
    return matrix.toarray() if issparse(matrix) else np.asarray(matrix)


def _check_bags(bags: NDArray[np.integer], k: int) -> NDArray[np.intp]:
    """Return the size of each bag."""
    limits.K.check(k)
    sizes = np.bincount(bags)
    if sizes.min() < k:
        bag = int(sizes.argmin())
        raise TooFewRecords(
            f"k must be at most {sizes[bag]}, the records of bag {bag}, got {k}; lower k or take larger bags"
        )
    return sizes

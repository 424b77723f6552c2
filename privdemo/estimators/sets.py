"""Sets of records with known or released class proportions: reading, checking and splitting them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse, vstack
from sklearn.utils.validation import check_array

from privdemo.mechanisms.aggregation import Matrix

Array = NDArray[np.floating]

# Proportions whose smallest singular value is below this do not span the simplex.
FLAT = 1e-6


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets `X`, M matrices (n_i, D), with their `proportions` (M, c)."""

    X: tuple[Matrix, ...]
    proportions: Array

    def __add__(self, other: Sets) -> Sets:
        return Sets(self.X + other.X, np.concatenate((self.proportions, other.proportions)))

    @property
    def n_classes(self) -> int:
        return self.proportions.shape[1]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Records in each set, (M,)."""
        return np.array([x.shape[0] for x in self.X])

    @property
    def names(self) -> NDArray[np.intp]:
        """Each record's set, by number, (n,)."""
        return np.repeat(np.arange(len(self.X)), self.sizes)

    @property
    def prior(self) -> Array:
        """The share of each class among all records, (c,)."""
        return self.sizes @ self.proportions / self.sizes.sum()

    def stacked(self) -> Matrix:
        """Return all records, (n, D)."""
        if any(issparse(x) for x in self.X):
            return vstack([csr_array(x) for x in self.X], format="csr")
        return np.concatenate(self.X)


def read_sets(sets: Sequence[Any], proportions: ArrayLike, group: str = "") -> Sets:
    """Return the sets of a `group`, checked. Raises as `ClassRatioEstimator.fit` does."""
    p = read_proportions(proportions, group)
    if len(sets) != len(p):
        raise ValueError(f"{group}sets and proportions must be equally many, got {len(sets)} and {len(p)}")
    if not len(sets):
        raise ValueError(f"{group}sets must be one or more, got none")
    first = read_set(sets[0], f"{group}set 1")
    others = (read_set(x, f"{group}set {i}", first.shape[1]) for i, x in enumerate(sets[1:], 2))
    return Sets((first, *others), p)


def read_proportions(proportions: ArrayLike, group: str = "") -> Array:
    """Return proportions (M, c) of a `group`, checked. Raises as `ClassRatioEstimator.fit` does."""
    p = np.asarray(proportions, dtype=float)
    if p.ndim != 2 or p.shape[1] < 2:
        raise ValueError(f"proportions must have a row for each set and a column for each class, got shape {p.shape}")
    if not (np.isfinite(p).all() and (p >= 0).all() and np.allclose(p.sum(axis=1), 1, atol=1e-6)):
        wrong = int(np.argmax(~((p >= 0).all(axis=1) & np.isclose(p.sum(axis=1), 1, atol=1e-6))))
        raise ValueError(
            f"proportions must be 0 or more and sum to 1, got {np.array2string(p[wrong], precision=4)} for {group}set "
            f"{wrong + 1}; project_simplex(…) takes noisy ones back"
        )
    return p


def read_set(x: Any, name: str, n_columns: int | None = None) -> Matrix:
    """Return records `x` (n, D) as floats, CSR if sparse. Raises ``ValueError`` if empty, or not of `n_columns`
    columns.
    """
    if not issparse(x):
        x = np.asarray(x)
    if x.ndim == 2 and x.shape[0] == 0:
        raise ValueError(f"{name} is empty: leave it out, or put records in it")
    checked = check_array(x, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=name)
    if n_columns is not None and checked.shape[1] != n_columns:
        raise ValueError(f"{name} must have {n_columns} columns like the others, got {checked.shape[1]}")
    return checked


def split_sets(sets: Sets, rng: np.random.Generator) -> tuple[Sets, Sets]:
    """Return a random half of every set, and the other half."""
    if (sets.sizes < 2).any():
        raise ValueError(
            f"set {int(sets.sizes.argmin()) + 1} has one record, and half of it is none; give larger sets, or "
            f"tuning_sets"
        )
    orders = [rng.permutation(n) for n in sets.sizes]
    parts = [[x[np.sort(order[i::2])] for x, order in zip(sets.X, orders, strict=True)] for i in range(2)]
    return Sets(tuple(parts[0]), sets.proportions), Sets(tuple(parts[1]), sets.proportions)


def span_problem(proportions: ArrayLike) -> str | None:
    """Return why `proportions` (M, c) do not identify all classes, as a sentence with a remedy; None where they do.

    The affine hull of proportions holds the simplex (assumption A0) if and only if their matrix has rank c.
    """
    p = np.asarray(proportions, dtype=float)
    n_sets, c = p.shape
    rank = int(np.linalg.matrix_rank(p, tol=FLAT))
    if rank == c:
        return None
    what = f"{n_sets} set{'s' * (n_sets != 1)} of rank {rank} cannot tell {c} classes apart (assumption A0 fails)"
    return f"{what}: give {c} sets or more whose proportions differ, none of them a mixture of the others"

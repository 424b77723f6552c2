"""The probability simplex: proportions that are at least 0 and sum to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def project_simplex(values: ArrayLike) -> NDArray[np.floating]:
    """Return the nearest proportions, in least squares, to `values` (..., c); each row is its own problem.

    max(0, v − τ), with τ such that they sum to 1 (Duchi et al. 2008, algorithm 1). Raises ``ValueError`` for no
    values and for values that are not finite.
    """
    v = np.asarray(values, dtype=float)
    if v.ndim == 0 or v.shape[-1] == 0 or not np.isfinite(v).all():
        raise ValueError(f"values must be finite numbers, one for each class, got {values!r}")
    v = v - v.max(axis=-1, keepdims=True)  # so that the 1 below is not lost in rounding to large values
    descending = -np.sort(-v, axis=-1)
    excess = np.cumsum(descending, axis=-1) - 1
    n = np.arange(1, v.shape[-1] + 1)
    n_positive = (descending * n > excess).sum(axis=-1, keepdims=True)
    tau = np.take_along_axis(excess, n_positive - 1, axis=-1) / n_positive
    projected = np.maximum(v - tau, 0)
    return projected / projected.sum(axis=-1, keepdims=True)


def round_to_sum(values: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return whole numbers next to `values` (n,), with the same (whole) sum: the largest remainders are rounded up."""
    low = np.floor(values + 1e-9).astype(np.int64)
    up = np.argsort(low - values, kind="stable")[: round(float(values.sum())) - int(low.sum())]
    low[up] += 1
    return low

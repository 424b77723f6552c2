"""The asymmetric binary channel: 0 is reported as 1 with p10, 1 as 0 with p01 (Barber, section 3.2)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.accounting.losses import PrivacyLoss

Array = NDArray[np.floating]

BINARY_VALUES = replace(
    limits.N_VALUES, high=64, advice="the atoms of an asymmetric channel's loss grow with its square"
)


def channel_epsilon(channel: ArrayLike) -> float:
    """Return ε of one release through any `channel` [observed, true]: the largest log ratio in any row.

    ∞ where an observation rules out one of the truths; observations that never happen do not count.
    """
    matrix = np.asarray(channel, dtype=float)
    rows = matrix[matrix.max(axis=1) > 0]
    if (rows.min(axis=1) == 0).any():
        return math.inf
    return float((np.log(rows.max(axis=1)) - np.log(rows.min(axis=1))).max())


def binary_channel_delta(p10: float, p01: float, epsilon: float, n_values: int = 1) -> float:
    """Return the exact δ(ε) of `n_values` (at most 64) values together: that of the worst pair of records."""
    return max(loss.delta(epsilon) for loss in binary_channel_losses(p10, p01, n_values))


def binary_channel_epsilon(p10: float, p01: float, delta: float, n_values: int = 1) -> float:
    """Return the exact ε of `n_values` (at most 64) values together at `delta`: that of the worst pair of records."""
    return max(loss.epsilon(delta) for loss in binary_channel_losses(p10, p01, n_values))


def binary_channel_losses(p10: float, p01: float, n_values: int = 1) -> list[PrivacyLoss]:
    """Return the losses of every pair of records that differ in all D = `n_values` binary values.

    An asymmetric channel loses differently for 0 → 1 and 1 → 0, so the worst pair may have any number m of the D
    values in one direction: one loss for each m, two binomials added.
    """
    limits.P10.check(p10)
    limits.P01.check(p01)
    BINARY_VALUES.check(n_values)
    zero, one = np.array([1 - p10, p10]), np.array([p01, 1 - p01])
    return [_sum_of_losses([(zero, one)] * m + [(one, zero)] * (n_values - m)) for m in range(n_values + 1)]


def _sum_of_losses(pairs: list[tuple[Array, Array]]) -> PrivacyLoss:
    """Return the loss of independent values with the given (P(·|x), P(·|x′)), merging equal losses."""
    losses: Array = np.zeros(1)
    masses: Array = np.ones(1)
    finite = 1.0
    for p, q in pairs:
        possible = (p > 0) & (q > 0)
        finite *= float(p[possible].sum())
        step = np.log(p[possible]) - np.log(q[possible])
        sums = np.add.outer(losses, step).ravel()
        weights = np.multiply.outer(masses, p[possible]).ravel()
        losses, where = np.unique(np.ceil(sums * 1e12) / 1e12, return_inverse=True)
        masses = np.bincount(where, weights=weights).astype(float)
    return PrivacyLoss(losses, masses, infinite_mass=max(0.0, 1 - finite))

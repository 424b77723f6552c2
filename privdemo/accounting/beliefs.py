"""What an adversary believes after a release, by Bayes' rule."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

from privdemo import limits

Array = NDArray[np.floating]


def posterior(channel: ArrayLike, prior: ArrayLike, observed: int) -> Array:
    """Return P(true | observed) ∝ channel[observed, true] · prior[true], shape (n_true,).

    `channel` (n_observed, n_true) has columns that sum to 1, `prior` (n_true,) sums to 1, and `observed` is the number
    of a row. Raises ``ValueError`` for a prior that is none, and where `observed` is impossible.
    """
    matrix, belief = np.asarray(channel, dtype=float), np.asarray(prior, dtype=float)
    if belief.shape != matrix.shape[1:] or (belief < 0).any() or not math.isclose(belief.sum(), 1.0):
        raise ValueError(f"prior must be {matrix.shape[1]} probabilities that sum to 1, got {belief}")
    limits.Limit("observed", 0, len(matrix) - 1, integer=True).check(observed)
    joint = matrix[observed] * belief
    if joint.sum() == 0:
        raise ValueError(f"observed = {observed} cannot happen under this channel and prior")
    return joint / joint.sum()


def log_odds(probability: float) -> float:
    """Return ln(p / (1 − p)) of a `probability` p: −∞ at 0, ∞ at 1."""
    limits.Limit("probability", 0.0, 1.0).check(probability)
    return float(logit(probability))

"""What an adversary infers from one released record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from privdemo import limits
from privdemo.mechanisms import GaussianNoise, RandomisedResponse
from privdemo.mechanisms.pixels import PixelMechanism

Array = NDArray[np.floating]


def log_likelihoods(mechanism: PixelMechanism, released: NDArray, candidates: NDArray) -> Array:
    """ln P(released_i | candidate_j) for all pairs, shape (n_released, n_candidates).

    `released` (n_released, d) and clean `candidates` (n_candidates, d) in the mechanism's domain.
    Exact up to a constant per released record, which no comparison of candidates needs; without
    flips 0 for a perfect match, else −∞. Raises ``ValueError`` for added noise of level 0.
    """
    if isinstance(mechanism, RandomisedResponse):
        kept, flipped = mechanism.log_likelihood(np.array([0, 0]), np.array([0, 1]))
        n_flipped = cdist(released, candidates, "hamming") * released.shape[1]
        if np.isinf(flipped):
            return np.where(n_flipped > 0, -np.inf, 0.0)
        return n_flipped * (flipped - kept)
    if isinstance(mechanism, GaussianNoise):
        return -cdist(released, candidates, "sqeuclidean") / (2 * limits.POSITIVE_NOISE.check(mechanism.sigma) ** 2)
    return -cdist(released, candidates, "cityblock") / limits.POSITIVE_NOISE.check(mechanism.scale)


def linked(log_likelihood: Array, owner: NDArray[np.integer]) -> Array:
    """How often each released record's top match among the candidates is its owner, (n_released,).

    `log_likelihood` (n_released, n_candidates); `owner` (n_released,) the true candidate. A tie at
    the top is broken at random, so it counts as 1/(number tied) of a success.
    """
    best = log_likelihood.max(axis=1, keepdims=True)
    top = log_likelihood >= best - 1e-9 * np.maximum(1.0, np.abs(best))
    return top[np.arange(len(owner)), owner] / top.sum(axis=1)


def guess_labels(released: NDArray, released_labels: NDArray[np.integer], targets: NDArray) -> NDArray[np.integer]:
    """The label of each target image, from the nearest class mean of other people's releases.

    Trained on `released` (n, d) and `released_labels` (n,) alone, both as noisy as they were sent;
    `targets` (m, d) are released images. The simplest learner there is: a floor for what others do.
    """
    classes = np.unique(released_labels)
    means = np.stack([released[released_labels == c].mean(axis=0, dtype=float) for c in classes])
    return classes[cdist(targets, means, "sqeuclidean").argmin(axis=1)]

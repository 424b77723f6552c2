"""Frequencies of the true states from released states: inversion and maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits

Array = NDArray[np.floating]


def invert_channel(counts: ArrayLike, channel_matrix: ArrayLike) -> Array:
    """Return unbiased frequencies of the true states: channel⁻¹ · counts / n (Warner 1965, any k).

    `counts` (k,) of each observed state, `channel_matrix` (k, k) as [observed, true]. The raw
    estimate may leave [0, 1]; it is not clipped. Raises ``ValueError`` if the channel cannot be
    inverted or does not fit the counts, or there are no counts.
    """
    observed, matrix = np.asarray(counts, dtype=float), np.asarray(channel_matrix, dtype=float)
    total = _total(observed)
    if matrix.shape != (observed.size, observed.size) or observed.ndim != 1:
        raise ValueError(f"channel_matrix must be (k, k) for counts (k,), got {matrix.shape} for {observed.shape}")
    check_channel(matrix)
    if np.linalg.matrix_rank(matrix) < len(matrix):
        raise ValueError("channel_matrix cannot be inverted: some truths give the same answers")
    return np.linalg.solve(matrix, observed / total)


def randomised_response_mle(counts: ArrayLike, flip_prob: float) -> Array:
    """Return maximum-likelihood frequencies under k-ary randomised response, exactly and at once.

    `counts` (..., k); each row is its own problem. Maximises Σ_i counts_i log((1−q)π_i + q/k) over
    the simplex, q = p·k/(k−1). By the Karush–Kuhn–Tucker conditions the observed frequencies
    become max(counts_i/λ, q/k) with λ such that they sum to 1: states seen less often than noise
    alone would show them get 0, the others are scaled. At q = 1 the data are uninformative: uniform.
    """
    observed = np.asarray(counts, dtype=float)
    total = _total(observed)
    k = observed.shape[-1]
    limits.N_STATES.check(k)
    limits.flip_prob_limit(k).check(flip_prob)
    frequencies = observed / total
    resample_prob = min(1.0, flip_prob * k / (k - 1))
    floor = resample_prob / k
    if resample_prob >= 1:
        return np.full_like(frequencies, 1 / k)
    ordered = -np.sort(-frequencies, axis=-1)
    n_active = np.arange(1, k + 1)
    scales = np.cumsum(ordered, axis=-1) / (1 - (k - n_active) * floor)
    last = np.count_nonzero(ordered > scales * floor, axis=-1, keepdims=True) - 1
    scale = np.take_along_axis(scales, last, axis=-1)
    return np.maximum(frequencies / scale - floor, 0.0) / (1 - resample_prob)


class EMResult(NamedTuple):
    """`frequencies` (..., k); `gap` (...,) the most that the mean log-likelihood could still gain."""

    frequencies: Array
    gap: Array
    n_iter: int


def em(counts: ArrayLike, channel_matrix: ArrayLike, max_iter: int = 500, tolerance: float = 1e-3) -> EMResult:
    """Return maximum-likelihood frequencies under any channel, by accelerated expectation–maximisation.

    `counts` (..., m) of m observable bins, `channel_matrix` (m, k) as [observed, true]; each row of
    counts is its own problem. The factor of a frequency π_i is Σ_b f_b channel[b, i]/(channel·π)_b, f
    the observed ones; see `climb`. Counts given in single precision are worked on in single precision.
    Raises ``ValueError`` for counts that are bad or, by the channel, impossible.
    """
    observed = np.asarray(counts)
    observed = observed / _total(observed)
    channel = np.asarray(channel_matrix, dtype=observed.dtype)
    if channel.ndim != 2 or observed.shape[-1:] != channel.shape[:1]:
        raise ValueError(f"channel_matrix must be (m, k) for counts (..., m), got {channel.shape} for {observed.shape}")
    check_channel(channel)
    if (observed[..., channel.max(axis=1) <= 0] > 0).any():
        raise ValueError("counts must be 0 in bins that channel_matrix says are never observed")

    def expectation(frequencies: Array) -> tuple[Array, Array]:
        """Return the EM factor of every frequency, and every row's mean log-likelihood."""
        expected = np.maximum(frequencies @ channel.T, np.finfo(channel.dtype).tiny)
        return (observed / expected) @ channel, (observed * np.log(expected)).sum(axis=-1, keepdims=True)

    n_true = channel.shape[1]
    start = np.full((*observed.shape[:-1], n_true), 1 / n_true, channel.dtype)
    return climb(expectation, start, max_iter, tolerance)


def climb(
    expectation: Callable[[Array], tuple[Array, Array | float]], start: Array, max_iter: int, tolerance: float
) -> EMResult:
    """Return accelerated expectation–maximisation from `start` (..., k), each row of which is its own problem.

    `expectation(frequencies)` gives the EM factor of every frequency, (..., k), and the mean
    log-likelihood, (..., 1). Every iteration takes three EM steps, extrapolating after the second
    (SQUAREM, Varadhan & Roland 2008) unless that lowers the likelihood, which so never falls. By
    concavity the mean log-likelihood is within the largest factor − 1 of its maximum (Lindsay 1983):
    the certificate `gap`, in nats an observation. Stops when every gap is below `tolerance`, or
    after `max_iter` iterations.
    """
    limits.Limit("max_iter", 1, math.inf, integer=True).check(max_iter)
    frequencies = start
    for n_iter in range(1, max_iter + 1):  # noqa: B007 (returned below)
        factor, _ = expectation(frequencies)
        gap = factor.max(axis=-1) - 1
        if (gap <= tolerance).all():
            break
        once = frequencies * factor
        factor, likelihood = expectation(once)
        twice = once * factor
        leap = _extrapolated(frequencies, once, twice)
        factor, leap_likelihood = expectation(leap)
        frequencies = np.where(leap_likelihood >= likelihood, leap * factor, twice)
    return EMResult(frequencies, gap, n_iter)


def _extrapolated(start: Array, once: Array, twice: Array) -> Array:
    """Return where three EM iterates of each row are heading, kept inside the simplex."""
    step = once - start
    bend = (twice - once) - step
    bend_length = np.maximum(np.linalg.norm(bend, axis=-1), np.finfo(start.dtype).tiny)
    stride = np.clip(np.linalg.norm(step, axis=-1) / bend_length, 1, 1e6)[..., None]
    leap = np.maximum(start + 2 * stride * step + stride**2 * bend, 1e-12)
    return leap / leap.sum(axis=-1, keepdims=True)


def check_channel(channel: Array) -> None:
    """Raise ``ValueError`` unless `channel` (m, k) is a label channel: its columns [:, true] distributions."""
    limits.N_STATES.check(channel.shape[1])
    if not np.isfinite(channel).all() or (channel < 0).any() or (abs(channel.sum(axis=0) - 1) > 1e-3).any():
        raise ValueError("channel_matrix must hold probabilities, every column [:, true] summing to 1")


def _total(counts: Array) -> Array:
    if counts.ndim == 0:
        raise ValueError(f"counts must be one for each state, got the single number {counts:g}")
    if not np.isfinite(counts).all() or (counts < 0).any():
        wrong = counts[~np.isfinite(counts) | (counts < 0)].flat[0]
        raise ValueError(f"counts must be finite and non-negative, got {wrong:g}")
    total = counts.sum(axis=-1, keepdims=True)
    if (total <= 0).any():
        raise ValueError("counts must be non-negative and not all zero: nobody has answered")
    return total

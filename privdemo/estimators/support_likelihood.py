"""Maximum-likelihood shares from reports that each support a set of answers.

A report with support S has likelihood 1 + (r−1)·1[v ∈ S] of every answer v, so the mean log-likelihood of shares π over
n reports is f(π) = Σ log(1 + (r−1) π(S))/n: concave, on the simplex. Supports are kept as bits. For every byte of them
π(S) is looked up among 256 sums, and its weight is added to one of 256 bins, so a pass over a million reports on 100
answers takes some 0.2 s and next to no memory besides the bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh

from privdemo.mechanisms.frequency_oracles.oracle import BITS_OF_BYTES, Bits
from privdemo.simplex import project_simplex

Array = NDArray[np.floating]

# Reports of which a pass looks at so many at a time: their numbers stay in a processor's own memory.
STEP = 1 << 15
# The curvature is measured on so many reports times answers squared at first, and on four times as many reports
# whenever a step has gained less than this.
CURVATURE_WORK, ENOUGH = 2.0e8, 0.1
# Inner steps on the quadratic model, and how exact, against the length of the step.
INNER_STEPS, INNER_PART = 2000, 1e-4


class LikeliestShares(NamedTuple):
    """`shares` (k,) and `gap`, the most that the mean log-likelihood of a report could still gain, in nats."""

    shares: Array
    gap: float
    n_iter: int


@dataclass(frozen=True, eq=False)
class SupportLikelihood:
    """The likelihood of shares, given `packed` supports (⌈k/8⌉, m) that were reported `weights` (m,) times.

    `ratio` r = e^ε is how many times as likely a report is if an answer in its support is true.
    """

    packed: Bits
    weights: Array
    k: int
    ratio: float

    def slope(self, shares: Array) -> tuple[Array, float]:
        """By how much each answer's share raises the mean log-likelihood, (k,), and that itself.

        The slope of answer v is the mean of (1 + (r−1)·1[v ∈ S])/(1 + (r−1) π(S)): the factor by which a step of
        expectation–maximisation multiplies its share.
        """
        n_bytes, n_rows = self.packed.shape
        by_byte = (self.ratio - 1) * (self._in_bytes(shares) @ BITS_OF_BYTES.T)
        found, likelihood = np.zeros((n_bytes, 256)), 0.0
        everyone = 0.0
        for start in range(0, n_rows, STEP):
            rows, weights = self.packed[:, start : start + STEP], self.weights[start : start + STEP]
            expected = np.full(rows.shape[1], shares.sum())
            for sums, byte in zip(by_byte, rows, strict=True):
                expected += sums.take(byte)
            likelihood += weights @ np.log(expected)
            inverse = weights / expected
            everyone += inverse.sum()
            for bins, byte in zip(found, rows, strict=True):
                bins += np.bincount(byte, inverse, 256)
        slope = everyone + (self.ratio - 1) * (found @ BITS_OF_BYTES).ravel()[: self.k]
        return slope / self.weights.sum(), likelihood / self.weights.sum()

    def curvature(self, shares: Array, n_rows: int) -> Array:
        """Return minus the second derivatives of the mean log-likelihood, (k, k), by about `n_rows` reports in even
        steps.
        """
        step = max(1, self.packed.shape[1] // n_rows)
        rows, weights = self.packed[:, ::step], self.weights[::step]
        total = np.zeros((self.k, self.k))
        for start in range(0, rows.shape[1], 4096):
            part = np.unpackbits(rows[:, start : start + 4096], axis=0, count=self.k).astype(np.float32)
            part = 1 + np.float32(self.ratio - 1) * part
            part *= np.sqrt(weights[start : start + 4096]).astype(np.float32) / (shares.astype(np.float32) @ part)
            total += part @ part.T
        return total / weights.sum()

    def maximise(self, start: Array, tolerance: float, max_iter: int) -> LikeliestShares:
        """Return the likeliest shares, from `start` (k,) on, by sequential quadratic programs (Kim et al. 2020,
        mixSQP).

        Each step goes to the best point of the quadratic model on the simplex, or a half, a quarter … of the way where
        the likelihood would fall; so it never falls. As the shares' own slope is 1 and the function is concave, it is
        within max slope − 1 of its maximum (Lindsay 1983): the certificate `gap`. Stops at `tolerance` nats a report.
        """
        shares, n_rows = start, int(CURVATURE_WORK / self.k**2)
        slope, likelihood = self.slope(shares)
        gap = float(slope.max()) - 1
        for n_iter in range(max_iter):
            if gap <= tolerance:
                return LikeliestShares(shares, max(gap, 0.0), n_iter)
            step = best_on_simplex(slope, self.curvature(shares, n_rows), shares) - shares
            length = 1.0
            while length > 1e-9:
                slope, reached = self.slope(shares + length * step)
                if reached >= likelihood:
                    shares, likelihood = shares + length * step, reached
                    break
                length /= 2
            else:  # no further, by the last digits of a sum
                return LikeliestShares(shares, max(gap, 0.0), n_iter)
            before, gap = gap, float(slope.max()) - 1
            if gap > ENOUGH * before:
                n_rows *= 4
        return LikeliestShares(shares, max(gap, 0.0), max_iter)

    def _in_bytes(self, shares: Array) -> Array:
        padded = np.zeros(8 * len(self.packed))
        padded[: self.k] = shares
        return padded.reshape(-1, 8)


def best_on_simplex(slope: Array, curvature: Array, shares: Array) -> Array:
    """Return the point y of the simplex with the largest slope·(y−x) − ½(y−x)ᵀ·curvature·(y−x), x = `shares`, all (k,).

    By accelerated projected gradients that restart where they overshoot (O'Donoghue & Candès 2015).
    """
    centred = curvature - curvature.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    k = len(shares)
    steepest = float(eigvalsh(centred, subset_by_index=[k - 1, k - 1])[0])
    here, ahead, momentum = shares, shares, 1.0
    for _ in range(INNER_STEPS):
        gradient = slope - curvature @ (ahead - shares)
        there = project_simplex(ahead + gradient / steepest)
        if gradient @ (there - here) < 0:
            momentum = 1.0
        after = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = there + (momentum - 1) / after * (there - here)
        moved, here, momentum = abs(there - here).max(), there, after
        if moved <= INNER_PART * abs(here - shares).max():
            break
    return here

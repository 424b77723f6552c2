"""Discrete Laplace and discrete Gaussian noise on label counts: exact profiles, and the least noise that meets (ε, δ).

Neighbours move one label, so that one count is 1 more and another 1 less; see `accounting.counts`. Noise and loss take
whole multiples of a step, and a profile is a sum over them.
"""

from __future__ import annotations

import math

import numpy as np

from privdemo import limits
from privdemo.accounting.counts import (
    L1_SENSITIVITY,
    check_delta_above_0,
    gaussian_counts_sigma,
    published_laplace_counts_scale,
)
from privdemo.accounting.losses import smallest_private

# From this σ on Σ exp(−(y + shift)²/(2σ²)) over all whole y is √(2π) σ to more digits than a float has.
_SMOOTH = 4.0
# Terms below exp(−60) of the first are left out, and more than those and all rounding is added: this share.
_NEGLIGIBLE, _ROUNDING = 60.0, 1e-12
# As many terms are added at once.
_TERMS = 1_000_000


def discrete_laplace_counts_delta(scale: float, epsilon: float) -> float:
    """Return δ(ε) = (1 − e^{ε − 2/b}) / (1 + e^{−1/b})² up to ε = 2/b, then 0, of discrete Laplace noise of scale b.

    Exact: each of the two counts has the loss 1/b with probability 1/(1 + e^{−1/b}), else −1/b; only both together
    exceed an ε ≥ 0.
    """
    limits.SCALE.check(scale)
    limits.EPSILON.check(epsilon)
    if scale == 0:
        return 1.0
    return max(0.0, -math.expm1(min(0.0, epsilon - L1_SENSITIVITY / scale))) / (1 + math.exp(-1 / scale)) ** 2


def discrete_laplace_counts_scale(epsilon: float, delta: float) -> float:
    """Return the smallest scale of discrete Laplace noise on counts whose exact profile meets (ε, δ); 2/ε for δ = 0."""
    limits.RELEASE_EPSILON.check(epsilon)
    limits.RELEASE_DELTA.check(delta)
    return smallest_private(
        lambda scale: discrete_laplace_counts_delta(scale, epsilon) <= delta,
        0.0,
        published_laplace_counts_scale(epsilon),
    )


def discrete_gaussian_counts_delta(sigma: float, epsilon: float) -> float:
    """Return δ(ε) of discrete Gaussian noise, P(y) ∝ exp(−y²/(2σ²)), on all counts: a sum over the whole numbers.

    The loss is (d + 1)/σ² with d the difference of the noise of two counts, and
    P(d) = e^{−d²/(4σ²)} Σ_y e^{−(y − d/2)²/σ²} / (Σ_y e^{−y²/(2σ²)})², whose upper sum depends on d being odd alone.
    """
    limits.SIGMA.check(sigma)
    limits.EPSILON.check(epsilon)
    if sigma == 0:
        return 1.0
    if math.isinf(epsilon):
        return 0.0
    first = math.floor(epsilon * sigma * sigma)
    last = math.ceil(math.sqrt(first * first + 4 * _NEGLIGIBLE * sigma * sigma)) + 2
    half = sigma / math.sqrt(2)
    by_parity = np.array([_gaussian_sum(half, 0.0), _gaussian_sum(half, 0.5)]) / _gaussian_sum(sigma, 0.0) ** 2
    total = 0.0
    with np.errstate(over="ignore"):
        for start in range(first, last, _TERMS):
            d = np.arange(start, min(last, start + _TERMS))
            chance = np.exp(-np.square(d / (2 * sigma))) * by_parity[d % 2]
            total += float(chance @ -np.expm1(np.minimum(0.0, epsilon - (d + 1) / sigma / sigma)))
    return min(1.0, total * (1 + _ROUNDING))


def discrete_gaussian_counts_epsilon(sigma: float, delta: float) -> float:
    """Return the smallest ε ≥ 0 at which discrete Gaussian noise on counts meets `delta`."""
    limits.DELTA.check(delta)
    if discrete_gaussian_counts_delta(sigma, 0.0) <= delta:
        return 0.0
    if delta == 0 or sigma == 0:
        return math.inf
    high = 1 / sigma / sigma + 2 * math.sqrt(-math.log(delta)) / sigma + 1.0  # from ρ = 1/σ²
    return smallest_private(lambda epsilon: discrete_gaussian_counts_delta(sigma, epsilon) <= delta, 0.0, high)


def discrete_gaussian_counts_sigma(epsilon: float, delta: float) -> float:
    """Return a σ of discrete Gaussian noise on counts that meets (ε, δ) where a slightly smaller one does not.

    For ε up to 1 it is the smallest. Above, δ may rise with σ: losses are whole multiples of 1/σ² and pass ε one by
    one.
    """
    limits.RELEASE_EPSILON.check(epsilon)
    check_delta_above_0(delta, "Gaussian noise")

    def private(sigma: float) -> bool:
        return discrete_gaussian_counts_delta(sigma, epsilon) <= delta

    high = 1.05 * gaussian_counts_sigma(epsilon, delta)
    while not private(high):
        high *= 1.5
    return smallest_private(private, 0.0, high)


def _gaussian_sum(sigma: float, shift: float) -> float:
    """Return Σ exp(−(y + shift)²/(2σ²)) over all whole numbers y."""
    if sigma >= _SMOOTH:
        return math.sqrt(2 * math.pi) * sigma
    with np.errstate(over="ignore"):
        return float(np.exp(-np.square((np.arange(-60, 61) + shift) / sigma) / 2).sum())

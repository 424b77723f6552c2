"""Gaussian noise: the exact profile of Balle & Wang (2018) and its inverses.

`sensitivity` Δ is the largest L2 distance between two records: 1 for a value in [0, 1], √D for D of them.
"""

from __future__ import annotations

import math

from scipy.special import log_ndtr

from privdemo import limits
from privdemo.accounting.losses import smallest_private


def gaussian_delta(sigma: float, epsilon: float, sensitivity: float = 1.0) -> float:
    """Return δ(ε) = Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) (Balle & Wang 2018, theorem 8).

    Computed in logs, so that neither a large ε nor a small δ overflows or cancels.
    """
    limits.SIGMA.check(sigma)
    limits.EPSILON.check(epsilon)
    limits.SENSITIVITY.check(sensitivity)
    if sigma == 0:
        return 1.0
    if math.isinf(epsilon):
        return 0.0
    shift, scaled = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
    log_p = float(log_ndtr(shift - scaled))
    log_ratio = epsilon + float(log_ndtr(-shift - scaled)) - log_p
    return max(0.0, math.exp(log_p) * -math.expm1(min(0.0, log_ratio)))


def gaussian_epsilon(sigma: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest ε ≥ 0 at which Gaussian noise of standard deviation `sigma` meets `delta`."""
    limits.DELTA.check(delta)
    if gaussian_delta(sigma, 0.0, sensitivity) <= delta:
        return 0.0
    if delta == 0 or sigma == 0:
        return math.inf
    ratio = sensitivity / sigma
    high = 0.5 * ratio * ratio + ratio * math.sqrt(-2 * math.log(delta)) + 1.0  # Chernoff bound
    if math.isinf(high):
        return math.inf
    return smallest_private(lambda epsilon: gaussian_delta(sigma, epsilon, sensitivity) <= delta, 0.0, high)


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest σ whose exact profile meets (ε, δ): the analytic calibration (Balle & Wang 2018, algorithm
    1).

    Raises ``ValueError`` for δ outside (0, 1), which Gaussian noise never meets, and where no σ in the limits will do.
    """
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    limits.SENSITIVITY.check(sensitivity)
    if not 0 < delta < 1:
        raise ValueError(f"delta must be in (0, 1), got {delta:g}; Gaussian noise never meets δ = 0, use Laplace noise")
    if math.isinf(epsilon):
        return 0.0

    def private(sigma: float) -> bool:
        return gaussian_delta(sigma, epsilon, sensitivity) <= delta

    high = limits.SIGMA.high
    if not private(high):
        raise ValueError(f"epsilon = {epsilon:g} at delta = {delta:g} needs a sigma above {high:g}; raise either")
    return smallest_private(private, 0.0, high)

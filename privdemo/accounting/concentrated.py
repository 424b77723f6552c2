"""Zero-concentrated differential privacy: the ε that a published ρ keeps (Bun & Steinke 2016).

Gaussian noise of standard deviation σ on a value of L2 sensitivity Δ has ρ = Δ²/2σ², and the ρ of several releases add
up. Censuses and other large releases state ρ for that reason.
"""

from __future__ import annotations

import math

from scipy.optimize import minimize_scalar

from privdemo import limits


def concentrated_epsilon(rho: float, delta: float) -> float:
    """Return an ε at which ρ-zCDP is (ε, δ)-private, for `delta` above 0.

    The least of αρ + (ln(1/δ) + (α−1) ln(1−1/α) − ln α)/(α−1) over orders α > 1 (Canonne, Kamath & Steinke 2020).
    Each α gives a bound that holds, so an inexact minimum is safe.
    """
    limits.RHO_OF_RELEASE.check(rho)
    limits.POSITIVE_DELTA.check(delta)

    def bound(log_excess: float) -> float:
        excess = math.exp(log_excess)  # α − 1
        order = 1 + excess
        return order * rho + (-math.log(delta) - math.log(order)) / excess + math.log(excess / order)

    return max(0.0, float(minimize_scalar(bound, bounds=(-12, 18), method="bounded", options={"xatol": 1e-9}).fun))

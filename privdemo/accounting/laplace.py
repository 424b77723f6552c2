"""Laplace noise of scale b on values in [0, 1]: exact for one value, an upper bound for several."""

from __future__ import annotations

import math

import numpy as np
from scipy import fft

from privdemo import limits
from privdemo.accounting.losses import PrivacyLoss, round_up_epsilon, smallest_private

# Atoms per unit of distance when the continuous Laplace loss is put on a grid. They raise the ε of an image of at least
# 64 pixels, at a scale of at least 0.01, by a share below the excess, which falls with the square of their number.
LAPLACE_STEPS = 32
LAPLACE_EXCESS = 0.004
# The Fourier transform's rounding error per composed value, all of it counted as infinite loss. Against direct
# convolution at D = 784 the whole error was below 10⁻¹², a seventh of what this allows.
TRANSFORM_ERROR = 1e-14


def laplace_delta(scale: float, epsilon: float, n_values: int = 1) -> float:
    """Return δ(ε) of D = `n_values` values in [0, 1] with Laplace noise of scale b.

    Exact for one value, (1 − e^{(ε − 1/b)/2})₊; an upper bound (`laplace_loss`) for more; 0 from ε = D/b on.
    """
    limits.SCALE.check(scale)
    limits.EPSILON.check(epsilon)
    limits.N_VALUES.check(n_values)
    if scale == 0:
        return 1.0
    if epsilon >= n_values / scale:
        return 0.0
    if n_values == 1:
        return -math.expm1((epsilon - 1 / scale) / 2)
    return laplace_loss(scale, n_values).delta(epsilon)


def laplace_loss(scale: float, n_values: int = 1) -> PrivacyLoss:
    """Return an upper bound on the loss of D values in [0, 1], all differing by 1, with scale b each.

    The continuous loss on [−1/b, 1/b] is replaced by atoms with the same profile at every grid point and a larger one
    between ("connect the dots", Doroshenko et al. 2022), then convolved.
    """
    limits.SCALE.check(scale)
    limits.N_VALUES.check(n_values)
    if scale == 0:
        return PrivacyLoss.certain()
    step = 1 / (scale * LAPLACE_STEPS)
    lattice = np.arange(-LAPLACE_STEPS, LAPLACE_STEPS + 1)
    profile = -np.expm1((step * lattice - 1 / scale) / 2)
    drops = -np.diff(profile)
    upper = (drops - math.exp(-step) * np.append(drops[1:], 0.0)) / -math.expm1(-step)
    masses = np.append(max(0.0, 1 - upper.sum()), np.maximum(upper, 0.0))
    if n_values == 1:
        return PrivacyLoss(step * lattice, masses)
    size = 2 * LAPLACE_STEPS * n_values + 1
    padded = fft.next_fast_len(size, real=True)  # prime lengths take seven times as long
    composed = fft.irfft(fft.rfft(masses, padded) ** n_values, padded)[:size]
    losses = step * np.arange(-LAPLACE_STEPS * n_values, LAPLACE_STEPS * n_values + 1)
    return PrivacyLoss(losses, np.maximum(composed, 0.0), infinite_mass=TRANSFORM_ERROR * n_values)


def laplace_epsilon(scale: float, delta: float = 0.0, n_values: int = 1) -> float:
    """Return the ε of D values: D/b for δ = 0, the exact (D = 1) or bounded profile otherwise."""
    limits.SCALE.check(scale)
    limits.DELTA.check(delta)
    limits.N_VALUES.check(n_values)
    if delta >= 1:
        return 0.0
    if scale == 0:
        return math.inf
    pure = n_values / scale
    if delta == 0:
        return pure
    if n_values == 1:
        epsilon = max(0.0, pure + 2 * math.log1p(-delta))
        return min(pure, round_up_epsilon(epsilon, lambda eps: laplace_delta(scale, eps), delta))
    return min(pure, laplace_loss(scale, n_values).epsilon(delta))


def laplace_scale(epsilon: float, delta: float = 0.0, n_values: int = 1) -> float:
    """Return the smallest scale b that makes `n_values` values in [0, 1] together (ε, δ)-private.

    Raises ``ValueError`` for ε = δ = 0, and where no scale in the limits will do.
    """
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    limits.N_VALUES.check(n_values)
    if epsilon == 0 and delta == 0:
        raise ValueError("epsilon must be above 0 where δ = 0, got 0; no finite Laplace noise gives that")
    if math.isinf(epsilon) or delta >= 1:
        return 0.0

    def private(scale: float) -> bool:
        return laplace_delta(scale, epsilon, n_values) <= delta

    high = limits.SCALE.high
    if epsilon * high > n_values:
        high = n_values / epsilon
        while n_values / high > epsilon:
            high = math.nextafter(high, math.inf)
    if not private(high):
        raise ValueError(f"epsilon = {epsilon:g} at delta = {delta:g} needs a scale above {high:g}; raise either")
    return high if delta == 0 else smallest_private(private, 0.0, high)

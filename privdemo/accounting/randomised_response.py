"""k-ary randomised response: a state is kept with 1 − p, else replaced by one of the other k − 1.

One value of flip probability p loses at most ε = ln((1−p)(k−1)/p) (Kairouz, Oh & Viswanath 2014, eq. 8). Several
values that all differ between two records have an exact profile: their losses are added (`losses`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.accounting.losses import PrivacyLoss, smallest_private

Array = NDArray[np.floating]


def randomised_response_delta(flip_prob: float, epsilon: float, n_states: int = 2, n_values: int = 1) -> float:
    """Return the exact δ(ε) of `n_values` values together; 0 from their pure ε on."""
    return randomised_response_loss(flip_prob, n_states, n_values).delta(epsilon)


def randomised_response_epsilon(flip_prob: float, n_states: int = 2, delta: float = 0.0, n_values: int = 1) -> float:
    """Return the exact ε of `n_values` values together at `delta`; for δ = 0 the sum D · ln((1−p)(k−1)/p).

    ∞ at p = 0 (for δ < 1), 0 at p = (k−1)/k.
    """
    limits.DELTA.check(delta)
    limits.N_VALUES.check(n_values)
    if delta == 0:
        return n_values * _pure_epsilon(flip_prob, n_states)
    return randomised_response_loss(flip_prob, n_states, n_values).epsilon(delta)


def randomised_response_loss(flip_prob: float, n_states: int = 2, n_values: int = 1) -> PrivacyLoss:
    """Return the loss of D = `n_values` independent values that all differ between the two records.

    One value loses +ε₀ with probability 1−p, −ε₀ with p/(k−1) and 0 otherwise; the D-fold sum lives on the lattice
    jε₀, −D ≤ j ≤ D, and its probabilities are the D-th power of that trinomial. Convolving positive numbers keeps full
    relative precision however small the tail.
    """
    limits.N_VALUES.check(n_values)
    epsilon = _pure_epsilon(flip_prob, n_states)
    if math.isinf(epsilon):
        return PrivacyLoss.certain()
    if epsilon == 0:
        return PrivacyLoss(np.zeros(1), np.ones(1))
    down = flip_prob / (n_states - 1)
    masses = _convolution_power(np.array([down, flip_prob - down, 1 - flip_prob]), n_values)
    # Atoms whose mass underflows to 0 stay: the last one is the pure ε, D · ε₀.
    return PrivacyLoss(epsilon * np.arange(-n_values, n_values + 1), masses)


def randomised_response_flip_prob(epsilon: float, n_states: int = 2, delta: float = 0.0, n_values: int = 1) -> float:
    """Return the smallest flip probability that makes `n_values` values together (ε, δ)-private.

    For δ = 0 this is p = (k−1)/(k−1+e^{ε/D}); otherwise the exact profile is bisected.
    """
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    limits.N_STATES.check(n_states)
    limits.N_VALUES.check(n_values)
    useless = (n_states - 1) / n_states
    if math.isinf(epsilon) or delta >= 1:
        return 0.0
    pure = epsilon / n_values
    flip_prob = min(useless, (n_states - 1) / (n_states - 1 + math.exp(min(pure, 700.0))))
    while _pure_epsilon(flip_prob, n_states) > pure and flip_prob < useless:
        flip_prob = min(useless, math.nextafter(flip_prob, 1.0))
    if delta == 0:
        return flip_prob

    def private(p: float) -> bool:
        return randomised_response_delta(p, epsilon, n_states, n_values) <= delta

    return smallest_private(private, 0.0, flip_prob)


def _pure_epsilon(flip_prob: float, n_states: int) -> float:
    """Return ε of one value at δ = 0, without a loss of digits near 0."""
    limits.N_STATES.check(n_states)
    limits.flip_prob_limit(n_states).check(flip_prob)
    if flip_prob == 0:
        return math.inf
    if flip_prob >= (n_states - 1) / n_states:
        return 0.0
    gain = (1 - flip_prob) * (n_states - 1) - flip_prob
    if gain < flip_prob:  # near ε = 0 the three logarithms below would cancel
        return max(0.0, math.log1p(gain / flip_prob))
    return math.log1p(-flip_prob) + math.log(n_states - 1) - math.log(flip_prob)


def _convolution_power(masses: Array, n: int) -> Array:
    """Return `masses` convolved with itself `n` times, by squaring."""
    power = np.ones(1)
    while n:
        if n & 1:
            power = np.convolve(power, masses)
        n >>= 1
        if n:
            masses = np.convolve(masses, masses)
    return power

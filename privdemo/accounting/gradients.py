"""Gaussian noise on gradients: full-batch descent, and the perturbed objective of a linear model, of n people.

Neighbours replace one person, whose part in the sum of gradients is a vector of length `GRADIENT` at most.
"""

from __future__ import annotations

import math

from privdemo import limits
from privdemo.accounting.gaussian import gaussian_delta, gaussian_sigma
from privdemo.accounting.losses import smallest_private

# The longest gradient of one person, which is that of the logistic loss at score 0, and the largest second derivative.
GRADIENT, CURVATURE = 0.5, 0.25


def noisy_gradients_delta(sigma: float, epsilon: float, n_steps: int) -> float:
    """Return δ(ε) of `n_steps` sums of gradients, each with Gaussian noise of standard deviation σ, in turn.

    Exact: whatever follows from earlier sums, together they tell as much as one Gaussian value with noise σ/√T (Dong,
    Roth & Su 2022, corollary 3.3).
    """
    limits.SIGMA.check(sigma)
    limits.N_STEPS.check(n_steps)
    return gaussian_delta(sigma / math.sqrt(n_steps), epsilon, 2 * GRADIENT)


def noisy_gradients_sigma(epsilon: float, delta: float, n_steps: int) -> float:
    """Return the smallest σ of the noise on each of `n_steps` sums of gradients that meets (ε, δ)."""
    limits.N_STEPS.check(n_steps)
    return gaussian_sigma(epsilon, delta, 2 * GRADIENT) * math.sqrt(n_steps)


def perturbed_objective_excess(n: int, penalty: float) -> float:
    """Return the most ε that the curvature of the loss adds: ln(1 + c/(nλ)).

    The density of the minimiser has the determinant of the second derivatives as a factor. Both neighbours share all of
    them but one person's, of rank one and c at most, on top of nλ in every direction.
    """
    limits.N_LEARNING.check(n)
    limits.OBJECTIVE_PENALTY.check(penalty)
    return math.log1p(CURVATURE / (n * penalty))


def perturbed_objective_delta(sigma: float, epsilon: float, n: int, penalty: float) -> float:
    """Return a bound on δ(ε) of the exact minimiser of Σ ℓ(w·u) + nλ/2 ‖w‖² + b·w with b Gaussian (Kifer, Smith &
    Thakurta 2012).

    For weights w, a neighbour has b + a u − a′ u′ in the place of b, where a and a′ are from 0 to `GRADIENT`. The loss
    is (‖b + a u − a′ u′‖² − ‖b‖²)/(2σ²), besides `perturbed_objective_excess`. It is convex in (a, a′), so it is no
    larger than at a corner: 0 where both are 0, else that of Gaussian noise on a distance of `GRADIENT` (twice) or of
    twice that. Their δ are added; the last is nearly all of it.
    """
    limits.SIGMA.check(sigma)
    limits.EPSILON.check(epsilon)
    left = epsilon - perturbed_objective_excess(n, penalty)
    if left < 0:
        return 1.0
    return min(1.0, gaussian_delta(sigma, left, 2 * GRADIENT) + 2 * gaussian_delta(sigma, left, GRADIENT))


def perturbed_objective_sigma(epsilon: float, delta: float, n: int, penalty: float) -> float:
    """Return the smallest σ of the noise on the objective that meets (ε, δ) by `perturbed_objective_delta`.

    Raises ``ValueError`` where the penalty is too weak for this ε.
    """
    limits.EPSILON.check(epsilon)
    limits.DELTA.check(delta)
    left = epsilon - perturbed_objective_excess(n, penalty)
    if left <= 0:
        raise ValueError(excess_error(epsilon, n, penalty))
    return smallest_private(
        lambda sigma: perturbed_objective_delta(sigma, epsilon, n, penalty) <= delta,
        0.0,
        gaussian_sigma(left, delta / 3, 2 * GRADIENT),
    )


def excess_error(epsilon: float, n: int, penalty: float) -> str:
    """Return the sentence on a penalty that is too weak for ε."""
    least = CURVATURE / (n * math.expm1(epsilon))
    return (
        f"penalty must be above {least:.3g} where ε = {epsilon:g} and n = {n:,}, got {penalty:g}; below, no noise on "
        "the objective will do"
    )

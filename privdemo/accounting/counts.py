"""Laplace and Gaussian noise on label counts: exact profiles, and the least noise that meets (ε, δ).

Counts η (c,) of a set's labels are private, their sum is public; neighbours move one label from one class to another.
The mechanisms are those of Iyer, Nath & Sarawagi, "Privacy preserving class ratio estimation" (KDD 2016), section 3.
"""

from __future__ import annotations

import math

from privdemo import limits
from privdemo.accounting.gaussian import gaussian_delta, gaussian_sigma
from privdemo.accounting.losses import smallest_private

# Moving one label changes two counts by 1.
L1_SENSITIVITY, L2_SENSITIVITY = 2.0, math.sqrt(2)


def published_laplace_counts_scale(epsilon: float) -> float:
    """Return the scale 2/ε of Laplace noise on every count: ε-private at δ = 0 (Dwork & Roth 2014)."""
    limits.RELEASE_EPSILON.check(epsilon)
    scale = L1_SENSITIVITY / epsilon
    return scale if L1_SENSITIVITY / scale <= epsilon else math.nextafter(scale, math.inf)


def laplace_counts_delta(scale: float, epsilon: float) -> float:
    """Return δ(ε) = 1 − (1 + t/4) e^{−t/2}, t = max(0, 2/b − ε), of Laplace noise of scale b on all counts.

    Exact: two counts move by 1, and the loss of each is 1/b or −1/b, or between them with density ¼ e^{(l − 1/b)/2};
    the sum of two such losses gives this profile.
    """
    limits.SCALE.check(scale)
    limits.EPSILON.check(epsilon)
    if scale == 0:
        return 1.0
    t = max(0.0, L1_SENSITIVITY / scale - epsilon)
    return max(0.0, -math.expm1(-t / 2) - t / 4 * math.exp(-t / 2))


def laplace_counts_scale(epsilon: float, delta: float) -> float:
    """Return the smallest scale of Laplace noise on counts whose exact profile meets (ε, δ); 2/ε for δ = 0."""
    limits.RELEASE_EPSILON.check(epsilon)
    limits.RELEASE_DELTA.check(delta)
    return smallest_private(
        lambda scale: laplace_counts_delta(scale, epsilon) <= delta, 0.0, published_laplace_counts_scale(epsilon)
    )


def published_gaussian_counts_sigma(epsilon: float, delta: float) -> float:
    """Return σ = √2 √(2 ln(1.25/δ)) / ε of Gaussian noise on counts (Dwork & Roth 2014, theorem A.1), proved for ε <
    1.
    """
    limits.RELEASE_EPSILON.check(epsilon)
    check_delta_above_0(delta, "Gaussian noise")
    return L2_SENSITIVITY * math.sqrt(2 * (math.log(1.25) - math.log(delta))) / epsilon


def gaussian_counts_delta(sigma: float, epsilon: float) -> float:
    """Return δ(ε) of Gaussian noise of standard deviation σ on all counts: `gaussian_delta` with sensitivity √2."""
    return gaussian_delta(sigma, epsilon, L2_SENSITIVITY)


def gaussian_counts_sigma(epsilon: float, delta: float) -> float:
    """Return the smallest σ of Gaussian noise on counts that meets (ε, δ): analytic calibration with sensitivity √2."""
    limits.RELEASE_EPSILON.check(epsilon)
    check_delta_above_0(delta, "Gaussian noise")
    return gaussian_sigma(epsilon, delta, L2_SENSITIVITY)


def check_delta_above_0(delta: float, name: str) -> None:
    """Raise ``ValueError`` for a `delta` out of range or 0, which the mechanism of this `name` never meets."""
    limits.RELEASE_DELTA.check(delta)
    if delta == 0:
        raise ValueError(f"delta must be above 0 for {name}, which never meets δ = 0; use Laplace noise")

"""When training on noisy labels keeps the right direction (Barber, appendix B), without sampling.

Inputs x are Gaussian with mean 0; the true label is 1 with probability φ(θ₀ᵀx), |θ₀| = 1, and is then
flipped. With z₁ = θ₀ᵀx and z₂ = θᵀx, ln φ(z) = z − ln(1+e^z) turns eq. (104) into

    −L′∞(θ) = E[ln(1 + e^{z₂})] − E[γ(z₁) z₂],   γ(z) = p₁₁ φ(z) + p₀₁ (1 − φ(z)),

and Stein's lemma the second term into (p₁₁ − p₀₁) Cov(z₁, z₂) E[φ′(z₁)], as E[z₂] = 0. What is left
are integrals over one Gaussian. Here p₀₁ is the paper's p_{0→1}, the chance that a 0 is released as a 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit

from privdemo import limits

Array = NDArray[np.floating]
# The trapezoidal rule on a Gaussian: its error falls exponentially, here below 10⁻¹² for variances up to 10⁴.
_U = np.linspace(-10, 10, 4001)
_WEIGHTS = np.exp(-(_U**2) / 2) / np.exp(-(_U**2) / 2).sum()


@dataclass(frozen=True)
class NaiveConfig:
    """`s` the inputs' standard deviation along one axis, `ratio`·s along the other, and the label flips.

    The first axis is turned by `angle` degrees from the true direction θ₀. `p11` = P(released 1 | 1) and
    `p01` = P(released 1 | 0), the paper's p_{1→1} and p_{0→1}. ratio 1 is the isotropic case.
    """

    s: float = 2.0
    p11: float = 0.8
    p01: float = 0.2
    ratio: float = 1.0
    angle: float = 45.0

    def __post_init__(self) -> None:
        limits.SPREAD.check(self.s)
        limits.P_1_TO_1.check(self.p11)
        limits.P_0_TO_1.check(self.p01)
        limits.RATIO.check(self.ratio)
        limits.ANGLE.check(self.angle)

    @property
    def isotropic(self) -> NaiveConfig:
        """The same flips, and inputs with the spread s in all directions."""
        return replace(self, ratio=1.0)

    @property
    def covariance(self) -> Array:
        """Of x in the plane of θ₀ (first axis) and θ, (2, 2)."""
        turn = math.radians(self.angle)
        axes = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        return axes @ np.diag([self.s**2, (self.ratio * self.s) ** 2]) @ axes.T

    @property
    def contrast(self) -> float:
        """p₁₁ − p₀₁ = 1 − p_{0→1} − p_{1→0}: below 0 the flips outweigh the truth."""
        return 0.0 if math.isclose(self.p11, self.p01, abs_tol=1e-12) else self.p11 - self.p01


class NaiveResult(NamedTuple):
    """The loss of naive training over directions, and its best points.

    `alpha` (n,) degrees from θ₀ and `loss` (n,) = −L′∞ in nats a person, for weights of length 1. `slope` and
    `curvature` at α = 0, per radian and per radian². `best` degrees where the loss is least on that circle, `tied`
    whether it is as small at −`best`; `free_alpha`, `free_length` the weights that training finds when their length
    is free, as in a logistic regression.
    """

    alpha: Array
    loss: Array
    slope: float
    curvature: float
    best: float
    tied: bool
    free_alpha: float
    free_length: float


def run(config: NaiveConfig, n_points: int = 361) -> NaiveResult:
    """−L′∞(α) on α ∈ [−180°, 180°] and where it is least."""
    alpha = np.linspace(-180, 180, n_points)
    loss = naive_loss(alpha, config.covariance, config.contrast)
    slope, curvature = derivatives(0.0, config.covariance, config.contrast)
    best = _best_direction(config, alpha, loss)
    mirrored = naive_loss([best, -best], config.covariance, config.contrast) if math.isfinite(best) else [0.0, 1.0]
    return NaiveResult(
        alpha,
        loss,
        float(slope),
        float(curvature),
        best,
        best % 180 != 0 and bool(abs(mirrored[0] - mirrored[1]) < 1e-12),
        *free_optimum(config.covariance, config.contrast),
    )


def naive_loss(alpha: ArrayLike, covariance: Array, contrast: float) -> Array:
    """−L′∞(α) (eq. 104) for θ = (cos α, sin α), `alpha` in degrees, any shape; nats a person."""
    _, variance, cross = _projections(alpha, covariance)
    softplus = _expectation(lambda z: np.logaddexp(0.0, z), variance)
    return softplus - contrast * cross * _bend(covariance[0, 0])


def derivatives(alpha: ArrayLike, covariance: Array, contrast: float) -> tuple[Array, Array]:
    """First and second derivative of −L′∞ in α (radians), `alpha` in degrees.

    d/dv E[ln(1+e^z)] = ½ E[φ′(z)] for z ~ N(0, v) gives the first, ½ D(v₂) v₂′ − (p₁₁ − p₀₁) D(v₁) c′. For isotropic
    inputs the second, at α = 0, is s² (p₁₁ − p₀₁) E[φ′(z₁)]: eq. (107) prints a further s² E[φ′], but that is
    cancelled by the −φ(z₂) of eq. (106), which (107) leaves out.
    """
    theta, variance, cross = _projections(alpha, covariance)
    turned = np.stack([-theta[1], theta[0]])
    first_v = 2 * np.einsum("i...,ij,j...->...", turned, covariance, theta)
    second_v = 2 * np.einsum("i...,ij,j...->...", turned, covariance, turned) - 2 * variance
    first_c = np.einsum("i...,i->...", turned, covariance[0])
    pull = contrast * _bend(covariance[0, 0])
    bend = _bend(variance)
    bend_slope = 0.5 * _expectation(_logistic_third, variance)
    return (
        0.5 * bend * first_v - pull * first_c,
        0.5 * bend * second_v + 0.5 * bend_slope * first_v**2 + pull * cross,
    )


def free_optimum(covariance: Array, contrast: float) -> tuple[float, float]:
    """Direction (degrees from θ₀) and length of the weights with the least loss when their length is free.

    The gradient D(θᵀΣθ) Σθ − (p₁₁ − p₀₁) D(v₁) Σθ₀ vanishes only along θ₀, whatever Σ: naive training on Gaussian
    inputs of mean 0 keeps the direction for every covariance. The length t solves t D(t² v₁) = |p₁₁ − p₀₁| D(v₁).
    """
    if contrast == 0:
        return math.nan, 0.0
    variance = covariance[0, 0]
    wanted = abs(contrast) * _bend(variance)
    length = brentq(lambda t: t * _bend(t * t * variance) - wanted, 0.0, 1.0, xtol=1e-13)
    return (0.0 if contrast > 0 else 180.0), float(length)


def _best_direction(config: NaiveConfig, alpha: Array, loss: Array) -> float:
    """The direction on the unit circle with the least loss, in (−180°, 180°]; nan where all are equal.

    Of two equal ones that mirror each other, the positive one.
    """
    if config.contrast == 0 and config.ratio == 1:
        return math.nan
    step = alpha[1] - alpha[0]
    best = alpha[np.flatnonzero(loss <= loss.min() + 1e-12)[-1]]

    def slope(a: float) -> float:
        return float(derivatives(a, config.covariance, config.contrast)[0])

    low, high = best - step, best + step
    return float(brentq(slope, low, high, xtol=1e-10)) if slope(low) < 0 < slope(high) else float(best)


def _projections(alpha: ArrayLike, covariance: Array) -> tuple[Array, Array, Array]:
    """θ (2, ...), the variance of z₂ and its covariance with z₁."""
    radians = np.radians(np.asarray(alpha, dtype=float))
    theta = np.stack([np.cos(radians), np.sin(radians)])
    variance = np.einsum("i...,ij,j...->...", theta, covariance, theta)
    return theta, variance, np.einsum("i,i...->...", covariance[0], theta)


def _expectation(function: Callable[[Array], Array], variance: ArrayLike) -> Array:
    """E[function(z)] for z ~ N(0, variance), for variances of any shape."""
    z = np.sqrt(np.asarray(variance, dtype=float))[..., None] * _U
    return function(z) @ _WEIGHTS


def _bend(variance: ArrayLike) -> Array:
    """D(v) = E[φ′(z)], z ~ N(0, v)."""
    return _expectation(lambda z: expit(z) * expit(-z), variance)


def _logistic_third(z: Array) -> Array:
    """φ‴(z), whose expectation is twice dD/dv."""
    bend = expit(z) * expit(-z)
    return bend * (1 - 6 * bend)

"""The direction that training on noisy labels converges to (Barber, appendix B), by integration.

Inputs x are Gaussian with mean 0; the true label is 1 with probability φ(θ₀ᵀx), |θ₀| = 1, and is then
flipped. With z₁ = θ₀ᵀx and z₂ = θᵀx, ln φ(z) = z − ln(1+e^z) turns eq. (104) into

    −L′∞(θ) = E[ln(1 + e^{z₂})] − E[γ(z₁) z₂],   γ(z) = p₁→₁ φ(z) + p₀→₁ (1 − φ(z)),

and Stein's lemma the second term into (p₁→₁ − p₀→₁) Cov(z₁, z₂) E[φ′(z₁)], as E[z₂] = 0. These
are integrals over one Gaussian.
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


@dataclass(frozen=True)
class NaiveConfig:
    """`s` the inputs' standard deviation along one axis, `ratio`·s along the other, and the label flips.

    The first axis is turned by `angle` degrees from the true direction θ₀. `one_to_one` p₁→₁ = P(released 1 | 1),
    `zero_to_one` p₀→₁ = P(released 1 | 0). ratio 1 is the isotropic case.
    """

    s: float = 2.0
    one_to_one: float = 0.8
    zero_to_one: float = 0.2
    ratio: float = 1.0
    angle: float = 45.0

    def __post_init__(self) -> None:
        limits.INPUT_SD.check(self.s)
        limits.ONE_TO_ONE.check(self.one_to_one)
        limits.ZERO_TO_ONE.check(self.zero_to_one)
        limits.RATIO.check(self.ratio)
        limits.ANGLE.check(self.angle)

    @property
    def isotropic(self) -> NaiveConfig:
        """The same flips, and inputs with the spread s in all directions."""
        return replace(self, ratio=1.0)

    @property
    def covariance(self) -> Array:
        """The covariance of x in the plane of θ₀ (first axis) and θ, (2, 2)."""
        turn = math.radians(self.angle)
        axes = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        return axes @ np.diag([self.s**2, (self.ratio * self.s) ** 2]) @ axes.T

    @property
    def contrast(self) -> float:
        """p₁→₁ − p₀→₁ = 1 − p_{0→1} − p_{1→0}: below 0 the flips outweigh the truth."""
        return (
            0.0
            if math.isclose(self.one_to_one, self.zero_to_one, abs_tol=1e-12)
            else self.one_to_one - self.zero_to_one
        )


class NaiveResult(NamedTuple):
    """The loss of naive training over directions, and its best points.

    `alpha` (n,) degrees from θ₀ and `loss` (n,) = −L′∞ in nats a person, for weights of length 1. `slope` and
    `curvature` at α = 0, per radian and per radian². `best` all directions, in degrees, where the loss is least on that
    circle, none where it is the same everywhere; `free_alpha`, `free_length` the weights that training finds when their
    length is free, as in a logistic regression.
    """

    alpha: Array
    loss: Array
    slope: float
    curvature: float
    best: tuple[float, ...]
    free_alpha: float
    free_length: float


def run(config: NaiveConfig, n_points: int = 361) -> NaiveResult:
    """Return −L′∞(α) on α ∈ [−180°, 180°] and where it is least."""
    alpha = np.linspace(-180, 180, n_points)
    loss = naive_loss(alpha, config.covariance, config.contrast)
    slope, curvature = derivatives(0.0, config.covariance, config.contrast)
    return NaiveResult(
        alpha,
        loss,
        float(slope),
        float(curvature),
        _best_directions(config, alpha, loss),
        *free_optimum(config.covariance, config.contrast),
    )


def naive_loss(alpha: ArrayLike, covariance: Array, contrast: float) -> Array:
    """Return −L′∞(α) (eq. 104) for θ = (cos α, sin α), `alpha` in degrees, any shape; nats a person."""
    limits.CONTRAST.check(contrast)
    _, variance, cross = _projections(alpha, covariance)
    softplus = _expectation(lambda z: np.logaddexp(0.0, z), variance)
    return softplus - contrast * cross * _mean_slope(covariance[0, 0])


def derivatives(alpha: ArrayLike, covariance: Array, contrast: float) -> tuple[Array, Array]:
    """Return first and second derivative of −L′∞ in α (radians), `alpha` in degrees.

    d/dv E[ln(1+e^z)] = ½ E[φ′(z)] for z ~ N(0, v) gives the first, ½ D(v₂) v₂′ − (p₁→₁ − p₀→₁) D(v₁) c′. For isotropic
    inputs the second, at α = 0, is s² (p₁→₁ − p₀→₁) E[φ′(z₁)]: eq. (107) prints a further s² E[φ′], but that is
    cancelled by the −φ(z₂) of eq. (106), which (107) leaves out.
    """
    theta, variance, cross = _projections(alpha, covariance)
    turned = np.stack([-theta[1], theta[0]])
    first_v = 2 * np.einsum("i...,ij,j...->...", turned, covariance, theta)
    second_v = 2 * np.einsum("i...,ij,j...->...", turned, covariance, turned) - 2 * variance
    first_c = np.einsum("i...,i->...", turned, covariance[0])
    pull = contrast * _mean_slope(covariance[0, 0])
    bend = _mean_slope(variance)
    bend_slope = 0.5 * _expectation(_logistic_third, variance)
    return (
        0.5 * bend * first_v - pull * first_c,
        0.5 * bend * second_v + 0.5 * bend_slope * first_v**2 + pull * cross,
    )


def curvature_as_printed(config: NaiveConfig) -> float:
    """Return L′∞'s second derivative at α = 0 as eq. (107) is printed, −s E[ε γ(sε)] − s² E[φ′(sε)], for isotropic
    inputs.
    """
    return float(-(config.s**2) * (config.contrast + 1) * _mean_slope(config.s**2))


def free_optimum(covariance: Array, contrast: float) -> tuple[float, float]:
    """Return direction (degrees from θ₀) and length of the weights with the least loss when their length is free.

    The gradient D(θᵀΣθ) Σθ − (p₁→₁ − p₀→₁) D(v₁) Σθ₀ vanishes only along θ₀, whatever Σ: naive training on Gaussian
    inputs of mean 0 keeps the direction for every covariance. The length t solves t D(t² v₁) = |p₁→₁ − p₀→₁| D(v₁).
    """
    limits.CONTRAST.check(contrast)
    if contrast == 0:
        return math.nan, 0.0
    variance = covariance[0, 0]
    wanted = abs(contrast) * _mean_slope(variance)
    length = brentq(lambda t: t * _mean_slope(t * t * variance) - wanted, 0.0, 1.0, xtol=1e-13)
    return (0.0 if contrast > 0 else 180.0), float(length)


def _best_directions(config: NaiveConfig, alpha: Array, loss: Array) -> tuple[float, ...]:
    """Return all directions of the least loss on the unit circle, in (−180°, 180°], the nearest to 0 first."""
    if np.ptp(loss) < 1e-12:
        return ()
    step = alpha[1] - alpha[0]

    def slope(a: float) -> float:
        return float(derivatives(a, config.covariance, config.contrast)[0])

    round_trip = loss[:-1]  # the last direction is the first again
    valleys = alpha[:-1][(round_trip <= np.roll(round_trip, 1)) & (round_trip <= np.roll(round_trip, -1))]
    found: list[float] = []
    for valley in valleys.tolist():
        # Two minima may lie closer than the grid: every descent around the valley that turns is one. The odd number
        # keeps the points off round angles, where a slope may be exactly 0.
        around = valley + step * np.linspace(-1.0137, 1.0137, 64)
        slopes, _ = derivatives(around, config.covariance, config.contrast)
        for i in np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] > 0)):
            best = brentq(slope, around[i], around[i + 1], xtol=1e-10)
            found.append(best + 360 if best <= -180 + 1e-6 else best - 360 if best > 180 + 1e-6 else best)
    depths = naive_loss(found, config.covariance, config.contrast)
    least = sorted(a for a, depth in zip(found, depths, strict=True) if depth < depths.min() + 1e-12)
    distinct = [a for a, before in zip(least, [-np.inf, *least[:-1]], strict=True) if a - before > 1e-6]
    return tuple(sorted(distinct, key=lambda a: (abs(a), -a)))


def _projections(alpha: ArrayLike, covariance: Array) -> tuple[Array, Array, Array]:
    """Return θ (2, ...), the variance of z₂ and its covariance with z₁."""
    radians = np.radians(np.asarray(alpha, dtype=float))
    theta = np.stack([np.cos(radians), np.sin(radians)])
    variance = np.einsum("i...,ij,j...->...", theta, covariance, theta)
    return theta, variance, np.einsum("i,i...->...", covariance[0], theta)


def _expectation(function: Callable[[Array], Array], variance: ArrayLike) -> Array:
    """Return E[function(z)] for z ~ N(0, variance), for variances of any shape.

    By the trapezoidal rule, whose error for functions that are smooth in a strip of half-width π (where the logistic
    function has its poles) is e^{−2π²/(hσ)} at a step h: below 10⁻¹⁵ for hσ ≤ ½.
    """
    sigma = np.sqrt(np.asarray(variance, dtype=float))
    step = min(0.1, 0.5 / max(float(sigma.max()), 1e-12))
    u = np.arange(-math.ceil(9 / step), math.ceil(9 / step) + 1) * step
    weights = np.exp(-(u**2) / 2)
    return function(sigma[..., None] * u) @ (weights / weights.sum())


def _mean_slope(variance: ArrayLike) -> Array:
    """Return D(v) = E[φ′(z)], z ~ N(0, v)."""
    return _expectation(lambda z: expit(z) * expit(-z), variance)


def _logistic_third(z: Array) -> Array:
    """Return φ‴(z), whose expectation is twice dD/dv."""
    bend = expit(z) * expit(-z)
    return bend * (1 - 6 * bend)

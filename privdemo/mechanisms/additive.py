"""Additive noise on values scaled to [0, 1]: Gaussian (Dwork et al. 2006) and Laplace."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from privdemo import accounting, limits

Array = NDArray[np.floating]
Values = NDArray[np.floating]


def to_unit(x: NDArray[np.integer], n_states: int) -> NDArray[np.float32]:
    """States 0 … k−1 as float32 values in [0, 1]: x / (k−1)."""
    limits.N_STATES.check(n_states)
    return np.asarray(x).astype(np.float32) / np.float32(n_states - 1)


def _sensitivity(n_values: int) -> float:
    """√D: the largest L2 distance between two records of D values in [0, 1]."""
    limits.N_VALUES.check(n_values)
    return math.sqrt(n_values)


def _release(x: Values, noise: Values, level: float) -> Values:
    """x + level · noise in the dtype of x, after checking that x lies in [0, 1]."""
    x = _checked_values(x)
    return x + x.dtype.type(level) * noise.astype(x.dtype, copy=False)


def _checked_values(x: Values) -> Values:
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        raise TypeError(f"x must hold real values in [0, 1], got dtype {x.dtype}; use to_unit(x, n_states)")
    if x.size and not (x.min() >= 0 and x.max() <= 1):  # also refuses NaN
        worst = x.flat[np.argmax(~((x >= 0) & (x <= 1)))]
        raise ValueError(f"x must lie in [0, 1], got {worst:g}; the noise is calibrated for that range")
    return x


@dataclass(frozen=True)
class GaussianNoise:
    """x + N(0, σ²) on values in [0, 1]; `sigma` is the standard deviation (Barber gives σ²).

    No ε holds at δ = 0: privacy is the curve δ(ε) of Balle & Wang (2018), with sensitivity 1 for
    one value and √D for D values.
    """

    sigma: float

    def __post_init__(self) -> None:
        limits.SIGMA.check(self.sigma)

    @classmethod
    def from_epsilon(cls, epsilon: float, delta: float, n_values: int = 1) -> GaussianNoise:
        """The least noise with which `n_values` values together are (ε, δ)-private."""
        return cls(accounting.gaussian_sigma(epsilon, delta, _sensitivity(n_values)))

    @property
    def epsilon(self) -> float:
        """∞: Gaussian noise has no finite ε at δ = 0."""
        return math.inf

    def epsilon_at(self, delta: float, n_values: int = 1) -> float:
        """The exact ε of `n_values` values together at `delta`."""
        return accounting.gaussian_epsilon(self.sigma, delta, _sensitivity(n_values))

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """The exact δ of `n_values` values together at `epsilon`."""
        return accounting.gaussian_delta(self.sigma, epsilon, _sensitivity(n_values))

    def draws(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float32]:
        """Standard normal noise of this shape; it does not depend on `sigma`."""
        return rng.standard_normal(shape, dtype=np.float32)

    def apply(self, x: Values, draws: Values) -> Values:
        """Release `x` with given draws: x + σ · draws, in the dtype of x, not clipped."""
        return _release(x, draws, self.sigma)

    def randomise(self, x: Values, rng: np.random.Generator) -> Values:
        """Release values `x` in [0, 1] of any shape; `x` is left as it was.

        Raises ``TypeError`` for whole-number dtypes and ``ValueError`` outside [0, 1].
        """
        return self.apply(x, self.draws(np.shape(x), rng))

    def log_likelihood(self, released: Values, values: Values) -> Array:
        """ln of the density of `released` given true `values`, up to a constant; needs σ > 0."""
        limits.POSITIVE_NOISE.check(self.sigma)
        return -0.5 * np.square((np.asarray(released) - values) / self.sigma)

    def cdf(self, x: Array) -> Array:
        """P(noise ≤ x); needs σ > 0."""
        limits.POSITIVE_NOISE.check(self.sigma)
        return ndtr(np.asarray(x) / self.sigma)


@dataclass(frozen=True)
class LaplaceNoise:
    """x + Laplace(0, b) on values in [0, 1]; ε = 1/b for one value, D/b for D values.

    `scale` is b; the standard deviation is b√2.
    """

    scale: float

    def __post_init__(self) -> None:
        limits.SCALE.check(self.scale)

    @classmethod
    def from_epsilon(cls, epsilon: float, delta: float = 0.0, n_values: int = 1) -> LaplaceNoise:
        """The least noise with which `n_values` values together are (ε, δ)-private."""
        return cls(accounting.laplace_scale(epsilon, delta, n_values))

    @property
    def epsilon(self) -> float:
        """ε = 1/b of one value; ∞ for b = 0."""
        return accounting.laplace_epsilon(self.scale)

    def epsilon_at(self, delta: float, n_values: int = 1) -> float:
        """ε of `n_values` values together at `delta`: exact for one, an upper bound for more."""
        return accounting.laplace_epsilon(self.scale, delta, n_values)

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """δ of `n_values` values together at `epsilon`: exact for one, an upper bound for more."""
        return accounting.laplace_delta(self.scale, epsilon, n_values)

    def draws(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float32]:
        """Laplace noise of scale 1 and this shape; it does not depend on `scale`."""
        size = rng.standard_exponential(shape, dtype=np.float32)
        sign = rng.integers(0, 2, shape, dtype=np.int8) * np.int8(2) - np.int8(1)
        return size * sign

    def apply(self, x: Values, draws: Values) -> Values:
        """Release `x` with given draws: x + b · draws, in the dtype of x, not clipped."""
        return _release(x, draws, self.scale)

    def randomise(self, x: Values, rng: np.random.Generator) -> Values:
        """Release values `x` in [0, 1] of any shape; `x` is left as it was.

        Raises ``TypeError`` for whole-number dtypes and ``ValueError`` outside [0, 1].
        """
        return self.apply(x, self.draws(np.shape(x), rng))

    def log_likelihood(self, released: Values, values: Values) -> Array:
        """ln of the density of `released` given true `values`, up to a constant; needs b > 0."""
        limits.POSITIVE_NOISE.check(self.scale)
        return -np.abs(np.asarray(released) - values) / self.scale

    def cdf(self, x: Array) -> Array:
        """P(noise ≤ x); needs b > 0."""
        limits.POSITIVE_NOISE.check(self.scale)
        scaled = np.asarray(x) / self.scale
        tail = 0.5 * np.exp(-np.abs(scaled))
        return np.where(scaled < 0, tail, 1 - tail)

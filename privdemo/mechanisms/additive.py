"""Additive noise on values scaled to [0, 1]: Gaussian (Dwork et al. 2006) and Laplace."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from privdemo import accounting, limits
from privdemo.mechanisms.pixel_mechanism import Distortion, PixelMechanism
from privdemo.mechanisms.states import to_unit

Array = NDArray[np.floating]


class AdditiveNoise(PixelMechanism):
    """x + level · noise on values x in [0, 1], where the noise does not depend on the level.

    Released values keep the dtype of x and are not clipped.
    """

    @property
    def n_states(self) -> None:
        """None: the values are continuous."""
        return None

    @property
    def white(self) -> float:
        """1: the value of a white pixel."""
        return 1.0

    @property
    @abstractmethod
    def level(self) -> float:
        """The factor of the noise, 0 or more."""

    @abstractmethod
    def sample_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float32]:
        """Return noise of level 1 and this shape."""

    @abstractmethod
    def cdf(self, x: Array) -> Array:
        """Return P(noise ≤ x), of the shape of `x`. Raises ``ValueError`` for a level of 0."""

    def noise_by_name(self, noise: Array) -> dict[str, NDArray]:
        """Return `noise` of level 1."""
        return {"noise": noise}

    def noise_of_rows(self, noise: Array, rows: NDArray[np.integer]) -> Array:
        """Return the noise of some rows of a release."""
        return noise[rows]

    def apply(self, x: Array, noise: Array) -> Array:
        """Release `x` with given noise: x + level · noise; errors as in `randomise`."""
        x = _check_values(x)
        return x + x.dtype.type(self.level) * noise.astype(x.dtype, copy=False)

    def randomise(self, x: Array, rng: np.random.Generator) -> Array:
        """Release values `x` in [0, 1] of any shape; `x` is left as it was.

        Raises ``TypeError`` for whole-number dtypes and ``ValueError`` outside [0, 1].
        """
        return self.apply(x, self.sample_noise(np.shape(x), rng))

    def from_states(self, states: NDArray[np.integer], n_states: int) -> NDArray:
        """Return states 0 … k−1 as float32 values in [0, 1]."""
        return to_unit(states, n_states)

    def to_unit(self, values: Array) -> Array:
        """Return the values themselves, not clipped."""
        return values

    def to_grey(self, values: Array) -> NDArray[np.uint8]:
        """Return values as grey levels 0 … 255, clipped for display only and rounded half up."""
        shown = np.clip(np.asarray(values, dtype=np.float32), 0, 1)
        return np.floor(shown * np.float32(255) + np.float32(0.5)).astype(np.uint8)

    def check_released(self, X: NDArray) -> Array:
        """Return `X` if it holds real values; they may lie anywhere. Raises ``TypeError`` for other dtypes."""
        if not np.issubdtype(X.dtype, np.floating):
            raise TypeError(f"X must hold real values, got dtype {X.dtype}; use to_unit(x, n_states)")
        return X

    def check_informative(self) -> None:
        """Nothing to raise: noise of a finite level always leaves something."""


@dataclass(frozen=True)
class GaussianNoise(AdditiveNoise):
    """x + N(0, σ²) on values in [0, 1]; `sigma` is the standard deviation (Barber gives σ²).

    No ε holds at δ = 0: privacy is the curve δ(ε) of Balle & Wang (2018), with sensitivity 1 for one value and √D for
    D values.
    """

    sigma: float

    def __post_init__(self) -> None:
        limits.SIGMA.check(self.sigma)

    @classmethod
    def from_epsilon(cls, epsilon: float, delta: float, n_values: int = 1) -> GaussianNoise:
        """Return the least noise with which `n_values` values together are (ε, δ)-private."""
        return cls(accounting.gaussian_sigma(epsilon, delta, _sensitivity(n_values)))

    @property
    def level(self) -> float:
        """The standard deviation σ."""
        return self.sigma

    @property
    def epsilon(self) -> float:
        """∞: Gaussian noise has no finite ε at δ = 0."""
        return math.inf

    def epsilon_at(self, delta: float, n_values: int = 1) -> float:
        """Return the exact ε of `n_values` values together at `delta`."""
        return accounting.gaussian_epsilon(self.sigma, delta, _sensitivity(n_values))

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """Return the exact δ of `n_values` values together at `epsilon`."""
        return accounting.gaussian_delta(self.sigma, epsilon, _sensitivity(n_values))

    def sample_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float32]:
        """Return standard normal noise of this shape; it does not depend on `sigma`."""
        return rng.standard_normal(shape, dtype=np.float32)

    def log_likelihood(self, released: Array, values: Array) -> Array:
        """Return ln of the density of `released` given true `values`, up to a constant; needs σ > 0."""
        limits.POSITIVE_NOISE.check(self.sigma)
        return -0.5 * np.square((np.asarray(released) - values) / self.sigma)

    def pairwise_log_likelihood(self, released: Array, candidates: Array) -> Array:
        """Return −‖released_i − candidate_j‖²/(2σ²), (n_released, n_candidates); needs σ > 0."""
        limits.POSITIVE_NOISE.check(self.sigma)
        return -cdist(released, candidates, "sqeuclidean") / (2 * self.sigma**2)

    def cdf(self, x: Array) -> Array:
        """Return P(noise ≤ x) = Φ(x/σ); needs σ > 0."""
        limits.POSITIVE_NOISE.check(self.sigma)
        return ndtr(np.asarray(x) / self.sigma)

    def expected_distortion(self, states: NDArray[np.integer]) -> Distortion:
        """Return σ√(2/π) and σ², whatever the `states`."""
        return Distortion(self.sigma * math.sqrt(2 / math.pi), self.sigma**2)


@dataclass(frozen=True)
class LaplaceNoise(AdditiveNoise):
    """x + Laplace(0, b) on values in [0, 1]; ε = 1/b for one value, D/b for D values.

    `scale` is b; the standard deviation is b√2.
    """

    scale: float

    def __post_init__(self) -> None:
        limits.SCALE.check(self.scale)

    @classmethod
    def from_epsilon(cls, epsilon: float, delta: float = 0.0, n_values: int = 1) -> LaplaceNoise:
        """Return the least noise with which `n_values` values together are (ε, δ)-private."""
        return cls(accounting.laplace_scale(epsilon, delta, n_values))

    @property
    def level(self) -> float:
        """The scale b."""
        return self.scale

    @property
    def epsilon(self) -> float:
        """ε = 1/b of one value; ∞ for b = 0."""
        return accounting.laplace_epsilon(self.scale)

    def epsilon_at(self, delta: float, n_values: int = 1) -> float:
        """Return ε of `n_values` values together at `delta`: exact for one, an upper bound for more."""
        return accounting.laplace_epsilon(self.scale, delta, n_values)

    def delta_at(self, epsilon: float, n_values: int = 1) -> float:
        """Return δ of `n_values` values together at `epsilon`: exact for one, an upper bound for more."""
        return accounting.laplace_delta(self.scale, epsilon, n_values)

    def sample_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float32]:
        """Return Laplace noise of scale 1 and this shape; it does not depend on `scale`."""
        size = rng.standard_exponential(shape, dtype=np.float32)
        sign = rng.integers(0, 2, shape, dtype=np.int8) * np.int8(2) - np.int8(1)
        return size * sign

    def log_likelihood(self, released: Array, values: Array) -> Array:
        """Return ln of the density of `released` given true `values`, up to a constant; needs b > 0."""
        limits.POSITIVE_NOISE.check(self.scale)
        return -np.abs(np.asarray(released) - values) / self.scale

    def pairwise_log_likelihood(self, released: Array, candidates: Array) -> Array:
        """Return −‖released_i − candidate_j‖₁/b, (n_released, n_candidates); needs b > 0."""
        limits.POSITIVE_NOISE.check(self.scale)
        return -cdist(released, candidates, "cityblock") / self.scale

    def cdf(self, x: Array) -> Array:
        """Return P(noise ≤ x): ½ e^{x/b} below 0, 1 − ½ e^{−x/b} above; needs b > 0."""
        limits.POSITIVE_NOISE.check(self.scale)
        scaled = np.asarray(x) / self.scale
        tail = 0.5 * np.exp(-np.abs(scaled))
        return np.where(scaled < 0, tail, 1 - tail)

    def expected_distortion(self, states: NDArray[np.integer]) -> Distortion:
        """Return b and 2b², whatever the `states`."""
        return Distortion(self.scale, 2 * self.scale**2)


def _sensitivity(n_values: int) -> float:
    """√D: the largest L2 distance between two records of D values in [0, 1]."""
    limits.N_VALUES.check(n_values)
    return math.sqrt(n_values)


def _check_values(x: Array) -> Array:
    """Return `x` as an array of real values in [0, 1]; errors as in `AdditiveNoise.randomise`."""
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        raise TypeError(f"x must hold real values in [0, 1], got dtype {x.dtype}; use to_unit(x, n_states)")
    if x.size and not (x.min() >= 0 and x.max() <= 1):  # also refuses NaN
        worst = x.flat[np.argmax(~((x >= 0) & (x <= 1)))]
        raise ValueError(f"x must lie in [0, 1], got {worst:g}; the noise is calibrated for that range")
    return x

"""The families of mechanisms that can be put on pixels, each driven by one noise level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.mechanisms.additive import GaussianNoise, LaplaceNoise
from privdemo.mechanisms.pixel_mechanism import PixelMechanism
from privdemo.mechanisms.randomised_response import RandomisedResponse

Array = NDArray[np.floating]
# Levels of a curve, one end of the range at each end.
N_LEVELS = 17


@dataclass(frozen=True)
class PixelFamily:
    """A kind of noise with one free level: flip probability p, standard deviation σ or scale b.

    `mechanism` is its class; `make(level, n_states)` builds one, `limit(n_states)` is the level's allowed range, and
    `for_epsilon(epsilon, delta, n_states)` the level at which one pixel is (ε, δ)-private. `grid(limit)` are levels for
    a curve, from one end of the range to the other. `leaves_some` says that a pixel is replaced or left as it was; else
    noise shifts every one.
    """

    name: str
    title: str
    symbol: str
    level_name: str
    mechanism: type
    make: Callable[[float, int], PixelMechanism]
    limit: Callable[[int], limits.Limit]
    for_epsilon: Callable[[float, float, int], float]
    grid: Callable[[limits.Limit], Array]
    leaves_some: bool = False

    def levels(self, n_states: int) -> Array:
        """The `N_LEVELS` levels of a curve, denser where linking a noisy image starts to fail."""
        return self.grid(self.limit(n_states))


def _flip_prob_grid(limit: limits.Limit) -> Array:
    shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.86, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 1]
    return limit.high * np.array(shares)


def _noise_grid(limit: limits.Limit) -> Array:
    return np.concatenate(([limit.low], limit.high * np.arange(1, N_LEVELS) / (N_LEVELS - 1)))


FAMILIES = {
    family.name: family
    for family in (
        PixelFamily(
            "randomised_response",
            "Randomised response",
            "p",
            "flip probability",
            RandomisedResponse,
            RandomisedResponse,
            limits.flip_prob_limit,
            lambda epsilon, delta, k: RandomisedResponse.from_epsilon(epsilon, k).flip_prob,
            _flip_prob_grid,
            leaves_some=True,
        ),
        PixelFamily(
            "gaussian",
            "Gaussian",
            "σ",
            "standard deviation",
            GaussianNoise,
            lambda level, k: GaussianNoise(level),
            lambda k: limits.PIXEL_SIGMA,
            lambda epsilon, delta, k: GaussianNoise.from_epsilon(epsilon, delta).sigma,
            _noise_grid,
        ),
        PixelFamily(
            "laplace",
            "Laplace",
            "b",
            "scale",
            LaplaceNoise,
            lambda level, k: LaplaceNoise(level),
            lambda k: limits.PIXEL_SCALE,
            lambda epsilon, delta, k: LaplaceNoise.from_epsilon(epsilon).scale,
            _noise_grid,
        ),
    )
}


def family_of(mechanism: PixelMechanism) -> PixelFamily:
    """The family that `mechanism` belongs to. Raises ``TypeError`` for a mechanism of none, or no mechanism at all."""
    for family in FAMILIES.values():
        if type(mechanism) is family.mechanism:
            return family
    raise TypeError(f"pixels must be a mechanism of {', '.join(FAMILIES)}, got {mechanism!r}")


def level_of(mechanism: PixelMechanism) -> float:
    """The noise level from which the family of `mechanism` makes it."""
    level: float = mechanism.flip_prob if isinstance(mechanism, RandomisedResponse) else mechanism.level  # type: ignore[attr-defined]
    return level

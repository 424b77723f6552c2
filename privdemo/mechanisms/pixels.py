"""The families of mechanisms on pixels, each with one noise level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.mechanisms.additive import GaussianNoise, LaplaceNoise
from privdemo.mechanisms.pixel_mechanism import PixelMechanism
from privdemo.mechanisms.randomised_response import RandomisedResponse

Array = NDArray[np.floating]
# Levels of a curve, one end of the range at each end.
N_LEVELS = 25


@dataclass(frozen=True)
class PixelFamily:
    """A kind of noise with one free level: flip probability p, standard deviation σ or scale b.

    `mechanism` is its class; `make(level, n_states)` builds one, `limit(n_states)` is the level's allowed range, and
    `for_epsilon(epsilon, delta, n_states)` the level at which one pixel is (ε, δ)-private. `grid(limit)` are levels for
    a curve, from one end of the range to the other. `replaces_pixels` says that a pixel is replaced or left as it was;
    else noise shifts every one.
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
    replaces_pixels: bool = False

    def levels(self, n_states: int) -> Array:
        """Return the `N_LEVELS` levels of a curve, denser where linking a noisy image starts to fail."""
        return self.grid(self.limit(n_states))


# Dense near the end, where the rate of re-identification falls to chance within a few steps: for MNIST 0.9, 0.91 …
# 0.97, 0.975 … 0.99.
_FLIP_SHARES = (
    *(0.05, *(i / 10 for i in range(1, 9)), 0.84, 0.87),
    *(0.905, 0.915, 0.925, 0.935, 0.945, 0.955, 0.965, 0.972, 0.98, 0.985, 0.99, 0.995),
)
_NOISE_SHARES = (
    *(i / 100 for i in range(1, 7)),
    *(i / 50 for i in range(4, 11)),
    *(i / 25 for i in range(6, 11)),
    *(i / 10 for i in range(5, 10)),
)


def _flip_prob_grid(limit: limits.Limit) -> Array:
    return _grid(limit, _FLIP_SHARES, 0.005)


def _noise_grid(limit: limits.Limit) -> Array:
    return _grid(limit, _NOISE_SHARES, 0.01)


def _grid(limit: limits.Limit, shares: Sequence[float], step: float) -> Array:
    """Return both ends of a range, and between them levels that people can set: whole numbers of steps."""
    between = np.rint(limit.high * np.array(shares) / step) * step
    return np.array([limit.low, *between.round(6), limit.high])


FAMILIES = {
    family.name: family
    for family in (
        PixelFamily(
            "randomised_response",
            "Randomised response",
            "p",
            "chance of change",
            RandomisedResponse,
            RandomisedResponse,
            limits.flip_prob_limit,
            lambda epsilon, delta, k: RandomisedResponse.from_epsilon(epsilon, k).flip_prob,
            _flip_prob_grid,
            replaces_pixels=True,
        ),
        PixelFamily(
            "gaussian",
            "Gaussian",
            "σ",
            "noise strength",
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
            "noise strength",
            LaplaceNoise,
            lambda level, k: LaplaceNoise(level),
            lambda k: limits.PIXEL_SCALE,
            lambda epsilon, delta, k: LaplaceNoise.from_epsilon(epsilon).scale,
            _noise_grid,
        ),
    )
}


def family_of(mechanism: PixelMechanism) -> PixelFamily:
    """Return the family that `mechanism` belongs to. Raises ``TypeError`` for a mechanism of none, or no mechanism at
    all.
    """
    for family in FAMILIES.values():
        if type(mechanism) is family.mechanism:
            return family
    raise TypeError(f"pixels must be a mechanism of {', '.join(FAMILIES)}, got {mechanism!r}")


def level_of(mechanism: PixelMechanism) -> float:
    """Return the noise level from which the family of `mechanism` makes it."""
    level: float = mechanism.flip_prob if isinstance(mechanism, RandomisedResponse) else mechanism.level  # type: ignore[attr-defined]
    return level

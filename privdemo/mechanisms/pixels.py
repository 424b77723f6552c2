"""The mechanisms that can be put on pixels, each driven by one noise level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.mechanisms.additive import GaussianNoise, LaplaceNoise, to_unit
from privdemo.mechanisms.randomised_response import RandomisedResponse

PixelMechanism = RandomisedResponse | GaussianNoise | LaplaceNoise


@dataclass(frozen=True)
class PixelFamily:
    """A kind of noise with one free level: flip probability p, standard deviation σ or scale b.

    `make(level, n_states)` builds the mechanism, `limit(n_states)` is the level's allowed range,
    and `for_epsilon(epsilon, delta, n_states)` the level at which one pixel is (ε, δ)-private.
    """

    name: str
    title: str
    symbol: str
    level_name: str
    make: Callable[[float, int], PixelMechanism]
    limit: Callable[[int], limits.Limit]
    for_epsilon: Callable[[float, float, int], float]

    def levels(self, n_states: int) -> NDArray[np.floating]:
        """Seventeen levels for a curve, denser where linking a noisy image starts to fail."""
        limit = self.limit(n_states)
        if self.name == "randomised_response":
            return limit.high * np.array(
                [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.86, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 1]
            )
        return np.concatenate(([limit.low], limit.high * np.linspace(1, 16, 16) / 16))


FAMILIES = {
    family.name: family
    for family in (
        PixelFamily(
            "randomised_response",
            "Randomised response",
            "p",
            "flip probability",
            RandomisedResponse,
            limits.flip_prob_limit,
            lambda epsilon, delta, k: RandomisedResponse.from_epsilon(epsilon, k).flip_prob,
        ),
        PixelFamily(
            "gaussian",
            "Gaussian",
            "σ",
            "standard deviation",
            lambda level, k: GaussianNoise(level),
            lambda k: limits.PIXEL_SIGMA,
            lambda epsilon, delta, k: GaussianNoise.from_epsilon(epsilon, delta).sigma,
        ),
        PixelFamily(
            "laplace",
            "Laplace",
            "b",
            "scale",
            lambda level, k: LaplaceNoise(level),
            lambda k: limits.PIXEL_SCALE,
            lambda epsilon, delta, k: LaplaceNoise.from_epsilon(epsilon).scale,
        ),
    )
}


def family_of(mechanism: PixelMechanism) -> PixelFamily:
    """The family that `mechanism` belongs to."""
    kinds = {RandomisedResponse: "randomised_response", GaussianNoise: "gaussian", LaplaceNoise: "laplace"}
    return FAMILIES[kinds[type(mechanism)]]


def clean_values(mechanism: PixelMechanism, states: NDArray[np.integer], n_states: int) -> NDArray:
    """Pixel `states` 0 … k−1 as the mechanism takes them: as they are, or scaled to [0, 1]."""
    return states if isinstance(mechanism, RandomisedResponse) else to_unit(states, n_states)


def unit_values(mechanism: PixelMechanism, values: NDArray, n_states: int) -> NDArray[np.floating]:
    """`values` in the mechanism's domain on the scale 0 (black) to 1 (white), not clipped."""
    return values / (n_states - 1) if isinstance(mechanism, RandomisedResponse) else values


def to_grey(mechanism: PixelMechanism, values: NDArray, n_states: int) -> NDArray[np.uint8]:
    """`values` in the mechanism's domain as grey levels 0 … 255, clipped for display only."""
    if isinstance(mechanism, RandomisedResponse):
        return np.floor(np.asarray(values, dtype=float) * 255 / (n_states - 1) + 0.5).astype(np.uint8)
    shown = np.clip(np.asarray(values, dtype=np.float32), 0, 1)
    return np.floor(shown * np.float32(255) + np.float32(0.5)).astype(np.uint8)

"""How far released values lie from the truth."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo.mechanisms import GaussianNoise, RandomisedResponse
from privdemo.mechanisms.pixels import PixelMechanism


class Distortion(NamedTuple):
    """Mean absolute and mean squared error of a pixel, on the scale 0 (black) to 1 (white)."""

    absolute: float
    squared: float


def expected_distortion(mechanism: PixelMechanism, states: NDArray[np.integer], n_states: int) -> Distortion:
    """The exact expected error of a released pixel, over the noise and the pixels in `states`.

    Gaussian: σ√(2/π) and σ². Laplace: b and 2b². Randomised response: with probability
    q = pk/(k−1) a pixel becomes uniform over the k levels, so the errors average over both.
    """
    if isinstance(mechanism, GaussianNoise):
        return Distortion(mechanism.sigma * math.sqrt(2 / math.pi), mechanism.sigma**2)
    if not isinstance(mechanism, RandomisedResponse):
        return Distortion(mechanism.scale, 2 * mechanism.scale**2)
    levels = np.arange(n_states) / (n_states - 1)
    share = np.bincount(states.ravel(), minlength=n_states) / states.size
    gaps = np.abs(np.subtract.outer(levels, levels))
    redraw = mechanism.flip_prob * n_states / (n_states - 1)
    absolute, squared = gaps.mean(axis=0) @ share, (gaps**2).mean(axis=0) @ share
    return Distortion(redraw * float(absolute), redraw * float(squared))

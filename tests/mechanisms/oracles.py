"""What mechanisms release: data for each, the channel seen in many releases, and whether it fits the promised one."""

import numpy as np

from privdemo.mechanisms import (
    BinaryChannel,
    Crosswise,
    GaussianNoise,
    LaplaceNoise,
    RandomisedResponse,
    UnrelatedQuestion,
)

N = 200_000
STATE_MECHANISMS = [
    RandomisedResponse(0.3, 2),
    RandomisedResponse(0.6, 5),
    BinaryChannel(0.2, 0.45),
    UnrelatedQuestion(0.5, 0.25),
    Crosswise(0.25),
]
NOISE_MECHANISMS = [GaussianNoise(0.4), LaplaceNoise(0.25)]
MECHANISMS = STATE_MECHANISMS + NOISE_MECHANISMS
# 24-bit uniforms: every implemented probability is within one grid step of the stated one.
GRID_STEP = 2.0**-24


def rng(seed=0):
    return np.random.default_rng(seed)


def data_for(mechanism, shape, seed=1, dtype=None):
    if mechanism.n_states:
        return rng(seed).integers(0, mechanism.n_states, shape).astype(dtype or np.uint8)
    return rng(seed).random(shape).astype(dtype or np.float32)


def empirical_channel(mechanism, n=N, seed=3):
    """The share of each answer [observed, true] over n releases of every state."""
    k = mechanism.n_states
    columns = [
        np.bincount(mechanism.randomise(np.full(n, true, np.uint8), rng(seed + true)), minlength=k) / n
        for true in range(k)
    ]
    return np.stack(columns, axis=1)


def channel_fits(observed, expected, n=N):
    tolerance = 5 * np.sqrt(expected * (1 - expected) / n) + GRID_STEP  # five standard errors per cell
    return bool((np.abs(observed - expected) <= tolerance).all())

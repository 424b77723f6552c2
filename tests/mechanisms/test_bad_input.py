"""Noise levels, channels and data that mechanisms refuse, by name."""

import math

import numpy as np
import pytest

from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from tests.mechanisms.oracles import NOISE_MECHANISMS, STATE_MECHANISMS, rng

LEVELS = [
    (GaussianNoise, (-0.1,), r"^sigma must be in \[0, 1000000\], got -0.1"),
    (LaplaceNoise, (-0.1,), r"^scale must be in \[0, 1000000\], got -0.1"),
    (BinaryChannel, (0.1, 1.2), r"^p01 must be in \[0, 1\], got 1.2"),
    (RandomisedResponse, (0.5 + 1e-9, 2), r"^flip_prob must be in \[0, 0\.5\], got 0\.5"),
    (RandomisedResponse, (0.1, 65537), r"^n_states must be a whole number in \[2, 65536\]"),
    (GaussianNoise(0.0).log_likelihood, (np.zeros((1, 2)),) * 2, r"^noise level must be in \(0, 1000000\], got 0"),
    (BinaryChannel(0.3, 0.7).__getattribute__, ("inverse_matrix",), r"^p10 \+ p01 must differ from 1"),
    (RandomisedResponse(0.8, 5).check_informative, (), r"^a flip probability of 0\.8 replaces every pixel at random"),
    (RandomisedResponse(0.1, 5).check_released, (np.array([5]),), "x must hold states"),
]


@pytest.mark.parametrize(("call", "arguments", "sentence"), LEVELS)
def test_bad_levels_are_refused(call, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(*arguments)


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS)
def test_what_are_no_states_is_refused(mechanism):
    top = mechanism.n_states - 1
    with pytest.raises(TypeError, match=rf"^x must hold whole-number states 0 to {top}, got dtype float64"):
        mechanism.randomise(np.zeros(3), rng())
    for bad in (-1, top + 1):
        with pytest.raises(ValueError, match=rf"^x must hold states in \[0, {top}\], got {bad}; "):
            mechanism.randomise(np.array([0, bad, 1]), rng())
    with pytest.raises(TypeError, match=r"states 0 to 256, got u?int\d+; use x.astype"):  # it cannot hold every state
        RandomisedResponse(0.5, 257).randomise(np.zeros(10, np.uint8), rng())


@pytest.mark.parametrize("mechanism", NOISE_MECHANISMS)
def test_what_are_no_values_is_refused(mechanism):
    with pytest.raises(TypeError, match=r"^x must hold real values in \[0, 1\], got dtype uint8"):
        mechanism.randomise(np.zeros(3, np.uint8), rng())
    for bad in (1.2, -0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match=rf"^x must lie in \[0, 1\], got {bad:g}; "):
            mechanism.randomise(np.array([0.0, 0.5, bad, 1.0]), rng())

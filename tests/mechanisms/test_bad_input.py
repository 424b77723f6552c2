"""Noise levels, channels and data that mechanisms refuse, by name."""

import math

import numpy as np
import pytest

from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse, to_unit
from tests.mechanisms.oracles import NOISE_MECHANISMS, STATE_MECHANISMS, rng

LEVELS = [
    (GaussianNoise, (-0.1,), r"^sigma must be in \[0, 1000000\], got -0.1"),
    (LaplaceNoise, (-0.1,), r"^scale must be in \[0, 1000000\], got -0.1"),
    (BinaryChannel, (1.2, 0.1), r"^p10 must be in \[0, 1\], got 1.2"),
    (BinaryChannel, (0.1, 1.2), r"^p01 must be in \[0, 1\], got 1.2"),
    (RandomisedResponse, (1.2, 256), r"^flip_prob must be in \[0, 0\.996\], got 1.2"),
    (RandomisedResponse, (0.5 + 1e-9, 2), r"^flip_prob must be in \[0, 0\.5\], got 0\.5"),
    (RandomisedResponse, (0.1, 65537), r"^n_states must be a whole number in \[2, 65536\]"),
    (to_unit, (np.zeros(1, int), 1), "n_states must be"),
    *[
        (call, (np.zeros((1, 2)),) * n, r"^noise level must be in \(0, 1000000\], got 0")
        for m in (GaussianNoise(0.0), LaplaceNoise(0.0))
        for call, n in ((m.log_likelihood, 2), (m.pairwise_log_likelihood, 2), (m.cdf, 1))
    ],
    *[(m.epsilon_at, (1e-5, 0), "^n_values must be") for m in NOISE_MECHANISMS],
    (BinaryChannel(0.3, 0.7).__getattribute__, ("inverse_matrix",), r"^p10 \+ p01 must differ from 1"),
    (RandomisedResponse(0.1, 5).from_states, (np.zeros(3, int), 6), "^n_states must be the mechanism's 5, got 6"),
    (RandomisedResponse(0.8, 5).check_informative, (), r"^a flip probability of 0\.8 draws every pixel afresh"),
]


@pytest.mark.parametrize(("call", "arguments", "sentence"), LEVELS)
def test_bad_levels_are_refused(call, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(*arguments)


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS, ids=repr)
def test_what_are_no_states_is_refused(mechanism):
    top = mechanism.n_states - 1
    for dtype in (float, bool, object):
        x = np.zeros(3, int).astype(dtype)
        with pytest.raises(TypeError, match=rf"^x must hold whole-number states 0 to {top}, got dtype {x.dtype}"):
            mechanism.randomise(x, rng())
    for bad in (-1, top + 1, 100):
        with pytest.raises(ValueError, match=rf"^x must hold states in \[0, {top}\], got {bad}; "):
            mechanism.randomise(np.array([0, bad, 1]), rng())
    with pytest.raises(ValueError, match=rf"got {top + 1}"):
        mechanism.apply(np.array([top + 1], np.uint8), mechanism.draws((1,), rng()))
    with pytest.raises(ValueError, match="x must hold states"):
        RandomisedResponse(0.1, 5).check_released(np.array([5]))
    with pytest.raises(ValueError, match="got -1"):  # of a dtype that holds nothing above the last state
        RandomisedResponse(0.1, 128).randomise(np.array([-1], np.int8), rng())


@pytest.mark.parametrize("mechanism", NOISE_MECHANISMS, ids=repr)
def test_what_are_no_values_is_refused(mechanism):
    for dtype in (np.uint8, int, bool):
        with pytest.raises(TypeError, match=rf"^x must hold real values in \[0, 1\], got dtype {np.dtype(dtype)}"):
            mechanism.randomise(np.zeros(3, dtype), rng())
    for bad in (1.2, -0.1, math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match=rf"^x must lie in \[0, 1\], got {bad:g}; "):
            mechanism.randomise(np.array([0.0, 0.5, bad, 1.0]), rng())
    with pytest.raises(TypeError, match="X must hold real values, got dtype int64; use to_unit"):
        mechanism.check_released(np.arange(3))


@pytest.mark.parametrize(("k", "dtype"), [(257, np.uint8), (129, np.int8), (65536, np.int16)])
def test_a_dtype_that_cannot_hold_every_state_is_refused(k, dtype):
    with pytest.raises(TypeError, match=rf"states 0 to {k - 1}, got u?int\d+; use x.astype"):
        RandomisedResponse(0.5, k).randomise(np.zeros(10, dtype), rng())
    RandomisedResponse(0.5, k).randomise(np.full(3, k - 1, np.min_scalar_type(k - 1)), rng())

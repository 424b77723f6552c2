"""What callers may rely on, whatever the mechanism: the channel, shapes, dtypes, seeds, samples and promises."""

import math

import numpy as np
import pytest

from privdemo import accounting as acc
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from tests.mechanisms.oracles import (
    MECHANISMS,
    NOISE_MECHANISMS,
    STATE_MECHANISMS,
    channel_fits,
    data_for,
    empirical_channel,
    rng,
)

INTEGER_DTYPES = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64]


@pytest.mark.parametrize(
    ("mechanism", "wrong"),
    [
        (RandomisedResponse(0.3, 2), [RandomisedResponse(0.31, 2)]),
        # 0.48: the resampling probability mistaken for the flip probability
        (RandomisedResponse(0.6, 5), [RandomisedResponse(0.59, 5), RandomisedResponse(0.48, 5)]),
        (BinaryChannel(0.2, 0.45), [BinaryChannel(*lies) for lies in ((0.21, 0.45), (0.2, 0.44), (0.45, 0.2))]),
    ],
)
def test_releases_follow_the_channel_and_no_other(mechanism, wrong):
    found = empirical_channel(mechanism)
    assert channel_fits(found, mechanism.channel_matrix)
    assert not any(channel_fits(found, other.channel_matrix) for other in wrong)


@pytest.mark.parametrize("n_values", [(), (9,)])
def test_guarantees_of_mechanisms_are_those_of_the_accounting(n_values):
    gaussian, laplace, response, channel = *NOISE_MECHANISMS, *STATE_MECHANISMS[1:3]
    distance = 3.0 if n_values else 1.0
    cases = [
        (GaussianNoise.from_epsilon(2.0, 1e-5, *n_values).sigma, acc.gaussian_sigma(2.0, 1e-5, distance)),
        (gaussian.epsilon_at(1e-5, *n_values), acc.gaussian_epsilon(0.4, 1e-5, distance)),
        (gaussian.delta_at(2.0, *n_values), acc.gaussian_delta(0.4, 2.0, distance)),
        (LaplaceNoise.from_epsilon(2.0, 1e-5, *n_values).scale, acc.laplace_scale(2.0, 1e-5, *n_values)),
        (laplace.epsilon_at(1e-5, *n_values), acc.laplace_epsilon(0.25, 1e-5, *n_values)),
        (laplace.delta_at(2.0, *n_values), acc.laplace_delta(0.25, 2.0, *n_values)),
        (
            RandomisedResponse.from_epsilon(2.0, 5, 1e-5, *n_values),
            RandomisedResponse(acc.randomised_response_flip_prob(2.0, 5, 1e-5, *n_values), 5),
        ),
        (response.epsilon_at(1e-5, *n_values), acc.randomised_response_epsilon(0.6, 5, 1e-5, *n_values)),
        (response.delta_at(0.5, *n_values), acc.randomised_response_delta(0.6, 0.5, 5, *n_values)),
        (channel.epsilon_at(1e-5, *n_values), acc.binary_channel_epsilon(0.2, 0.45, 1e-5, *n_values)),
        (channel.delta_at(0.5, *n_values), acc.binary_channel_delta(0.2, 0.45, 0.5, *n_values)),
        ((gaussian.epsilon, LaplaceNoise(0.0).epsilon, laplace.epsilon), (math.inf, math.inf, 4)),
        ((LaplaceNoise.from_epsilon(4.0), RandomisedResponse.from_epsilon(0.0)), (laplace, RandomisedResponse(0.5))),
        (response.epsilon, acc.randomised_response_epsilon(0.6, 5)),
        (channel.epsilon, acc.channel_epsilon(channel.channel_matrix)),
    ]
    for found, expected in cases:
        assert found == expected


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("shape", [(), (3, 0, 2), (1,), (40, 25)])
def test_releases_keep_shape_and_dtype_and_leave_the_input_as_it_was(mechanism, shape):
    for dtype in INTEGER_DTYPES if mechanism.n_states else (np.float32, np.float64):
        x = data_for(mechanism, shape, dtype=dtype)
        before = x.copy()
        x.setflags(write=False)
        for seed in range(4):  # a single value is sometimes kept and sometimes resampled
            released = mechanism.randomise(x, rng(seed))
            assert (np.shape(released), released.dtype) == (shape, dtype)
            assert not np.shares_memory(released, x)
            applied = mechanism.apply(x, mechanism.sample_noise(shape, rng(seed)))
            np.testing.assert_array_equal(released, applied, strict=True)
            if mechanism.n_states:  # whatever the dtype
                np.testing.assert_array_equal(released, mechanism.randomise(x.astype(np.uint8), rng(seed)))
        np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize(
    ("none", "some"),
    [
        (RandomisedResponse(0.0, 5), RandomisedResponse(0.7, 5)),
        (BinaryChannel(0.0, 0.0), BinaryChannel(0.4, 0.3)),
        (GaussianNoise(0.0), GaussianNoise(2.0)),
        (LaplaceNoise(0.0), LaplaceNoise(2.0)),
    ],
)
def test_the_level_changes_no_random_number_and_zero_changes_nothing(none, some):
    np.testing.assert_array_equal(none.sample_noise((99,), rng()), some.sample_noise((99,), rng()))
    x = data_for(none, 99)
    released = none.randomise(x, rng())
    np.testing.assert_array_equal(released, x)
    assert not np.shares_memory(released, x)
    noisy, generator = some.randomise(x, rng()), rng()
    assert (noisy != x).any()
    assert (noisy != some.randomise(x, rng(12))).any()
    np.testing.assert_array_equal(noisy, some.randomise(np.repeat(x, 2)[::2], generator))
    assert (noisy != some.randomise(x, generator)).any()  # a Generator moves on

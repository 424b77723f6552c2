"""What callers may rely on, whatever the mechanism: inputs, shapes, dtypes, seeds, draws and promises."""

import math

import numpy as np
import pytest

from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.mechanisms.randomised_response import BLOCK
from tests.mechanisms.oracles import MECHANISMS, STATE_MECHANISMS, channel_fits, data_for, empirical_channel, rng

INTEGER_DTYPES = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64]
FLOAT_DTYPES = [np.float32, np.float64]
name = repr


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS, ids=name)
def test_releases_follow_the_channel(mechanism):
    assert channel_fits(empirical_channel(mechanism), mechanism.channel_matrix)


@pytest.mark.parametrize(
    ("mechanism", "wrong"),
    [
        (RandomisedResponse(0.3, 2), RandomisedResponse(0.31, 2)),
        (RandomisedResponse(0.6, 5), RandomisedResponse(0.59, 5)),
        # the redraw probability mistaken for the flip probability: p(k−1)/k instead of p
        (RandomisedResponse(0.6, 5), RandomisedResponse(0.6 * 4 / 5, 5)),
        (BinaryChannel(0.2, 0.45), BinaryChannel(0.21, 0.45)),
        (BinaryChannel(0.2, 0.45), BinaryChannel(0.2, 0.44)),
        (BinaryChannel(0.2, 0.45), BinaryChannel(0.45, 0.2)),  # transposed
    ],
    ids=name,
)
def test_releases_rejects_a_wrong_channel(mechanism, wrong):
    assert not channel_fits(empirical_channel(mechanism), wrong.channel_matrix)


@pytest.mark.parametrize(("epsilon", "delta", "n_values"), [(1.0, 1e-5, 1), (4.0, 1e-6, 784), (0.2, 1e-3, 5)])
def test_noise_from_epsilon_meets_its_promise_and_no_more(epsilon, delta, n_values):
    gaussian = GaussianNoise.from_epsilon(epsilon, delta, n_values)
    laplace = LaplaceNoise.from_epsilon(epsilon, delta, n_values)
    response = RandomisedResponse.from_epsilon(epsilon, 16, delta, n_values)
    for mechanism in (gaussian, laplace, response):
        assert mechanism.delta_at(epsilon, n_values) <= delta
        assert mechanism.epsilon_at(delta, n_values) <= epsilon * (1 + 1e-12)
    assert GaussianNoise(0.98 * gaussian.sigma).delta_at(epsilon, n_values) > delta
    assert LaplaceNoise(0.98 * laplace.scale).delta_at(epsilon, n_values) > delta
    assert RandomisedResponse(0.98 * response.flip_prob, 16).delta_at(epsilon, n_values) > delta


def test_pure_epsilons():
    assert GaussianNoise(0.5).epsilon == math.inf
    assert LaplaceNoise(0.5).epsilon == 2
    assert LaplaceNoise(0.0).epsilon == math.inf
    assert LaplaceNoise.from_epsilon(2.0).scale == 0.5
    assert LaplaceNoise.from_epsilon(2.0, n_values=10).scale == 5
    assert RandomisedResponse(0.25).epsilon == pytest.approx(math.log(3), rel=1e-15)
    assert RandomisedResponse(0.2, 256).epsilon_at(0.0, 784) == pytest.approx(784 * math.log(4 * 255), rel=1e-14)
    # row 0: 0.8/0.4, row 1: 0.6/0.2; the larger wins
    assert BinaryChannel(0.2, 0.4).epsilon == pytest.approx(math.log(3), rel=1e-14)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_the_input_is_left_as_it_was(mechanism):
    x = data_for(mechanism, (40, 25))
    before = x.tobytes()
    released = mechanism.randomise(x, rng())
    assert x.tobytes() == before
    assert not np.shares_memory(released, x)
    assert (released != x).any()
    draws = mechanism.draws(x.shape, rng())
    mechanism.apply(x, draws)
    assert x.tobytes() == before
    x.setflags(write=False)
    np.testing.assert_array_equal(mechanism.randomise(x, rng()), released)


@pytest.mark.parametrize("level", [0.0, 0.3])
def test_the_release_is_never_a_view_of_the_input(level):
    bits, values = np.zeros(5, np.uint8), np.zeros(5)
    for mechanism in (RandomisedResponse(level), BinaryChannel(level, level)):
        assert not np.shares_memory(mechanism.randomise(bits, rng()), bits)
    for mechanism in (GaussianNoise(level), LaplaceNoise(level)):
        assert not np.shares_memory(mechanism.randomise(values, rng()), values)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
@pytest.mark.parametrize("shape", [(), (3, 0, 2), (1,), (4, 5)])
def test_shape_and_dtype_are_kept(mechanism, shape):
    for dtype in INTEGER_DTYPES if mechanism.n_states else FLOAT_DTYPES:
        x = data_for(mechanism, shape, dtype=dtype)
        for seed in range(4):  # a single value is sometimes kept and sometimes redrawn
            for released in (
                mechanism.randomise(x, rng(seed)),
                mechanism.apply(x, mechanism.draws(shape, rng(seed))),
            ):
                assert np.shape(released) == shape
                assert released.dtype == dtype


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_other_memory_layouts_give_the_same_release(mechanism):
    x = data_for(mechanism, (30, 20))
    expected = mechanism.randomise(x, rng())
    np.testing.assert_array_equal(mechanism.randomise(np.asfortranarray(x), rng()), expected)
    padded = np.zeros((30, 40), x.dtype)
    padded[:, ::2] = x
    np.testing.assert_array_equal(mechanism.randomise(padded[:, ::2], rng()), expected)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_seeds_reproduce_and_differ(mechanism):
    x = data_for(mechanism, 5000)
    first = mechanism.randomise(x, rng(11))
    np.testing.assert_array_equal(first, mechanism.randomise(x, rng(11)))
    assert (first != mechanism.randomise(x, rng(12))).any()
    generator = rng(11)
    mechanism.randomise(x, generator)
    assert (first != mechanism.randomise(x, generator)).any()  # a Generator moves on


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
@pytest.mark.parametrize("size", [1, BLOCK, 2 * BLOCK + 17])
def test_randomise_is_apply_of_draws_across_blocks(mechanism, size):
    x = data_for(mechanism, size)
    released = mechanism.randomise(x, rng(5))
    draws = mechanism.draws(x.shape, rng(5))
    np.testing.assert_array_equal(released, mechanism.apply(x, draws))
    if size > BLOCK:
        assert (released != mechanism.apply(x, mechanism.draws(x.shape, rng(6)))).any()


def test_draws_do_not_depend_on_the_noise_level():
    for low, high in ((RandomisedResponse(0.1, 5), RandomisedResponse(0.7, 5)),):
        np.testing.assert_array_equal(low.draws((99,), rng()).uniform, high.draws((99,), rng()).uniform)
        np.testing.assert_array_equal(low.draws((99,), rng()).replacement, high.draws((99,), rng()).replacement)
    for low, high in (
        (BinaryChannel(0.1, 0.2), BinaryChannel(0.4, 0.3)),
        (GaussianNoise(0.1), GaussianNoise(2.0)),
        (LaplaceNoise(0.1), LaplaceNoise(2.0)),
    ):
        np.testing.assert_array_equal(low.draws((99,), rng()), high.draws((99,), rng()))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
@pytest.mark.parametrize("bad", [0, 2.5])
def test_bad_n_values(mechanism, bad):
    with pytest.raises(ValueError, match=r"n_values must be a whole number in \[1, \d+\], got "):
        mechanism.epsilon_at(1e-5, bad)
    with pytest.raises(ValueError, match=r"n_values must be a whole number in \[1, \d+\], got "):
        mechanism.delta_at(1.0, bad)


def test_mechanisms_cannot_be_changed():
    for mechanism in MECHANISMS:
        with pytest.raises(AttributeError):
            setattr(mechanism, next(iter(vars(mechanism))), 0.2)
    assert RandomisedResponse(0.1) == RandomisedResponse(0.1, 2)
    assert hash(GaussianNoise(0.1)) == hash(GaussianNoise(0.1))

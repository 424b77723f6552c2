"""Randomised response and the asymmetric binary channel: their matrices, samples, likelihoods and exact lies."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privdemo.mechanisms import BinaryChannel, RandomisedResponse, ResponseNoise
from privdemo.mechanisms.randomised_response import BLOCK
from tests.mechanisms.oracles import GRID_STEP, data_for, rng


@pytest.mark.parametrize("size", [1, BLOCK, 2 * BLOCK + 17])
def test_randomise_is_apply_with_the_random_numbers_of_each_block(size):
    mechanism = RandomisedResponse(0.6, 5)
    x, block = data_for(mechanism, size), rng(5)
    noise = mechanism.sample_noise(x.shape, rng(5))
    np.testing.assert_array_equal(mechanism.randomise(x, rng(5)), mechanism.apply(x, noise))
    sizes = [BLOCK] * (size // BLOCK) + [size % BLOCK]
    parts = [(block.random(n, dtype=np.float32), block.integers(0, 5, n, dtype=np.uint8)) for n in sizes]
    np.testing.assert_array_equal(noise.uniform, np.concatenate([u for u, _ in parts]))
    np.testing.assert_array_equal(noise.replacement, np.concatenate([r for _, r in parts]))


def test_a_value_is_resampled_where_its_uniform_is_below_the_probability():
    uniform = np.array([0.0, 0.5 - GRID_STEP, 0.5, 1 - GRID_STEP], np.float32)
    noise, x = ResponseNoise(uniform, np.full(4, 3, np.uint8)), np.zeros(4, np.uint8)
    # 0.375 of 4 states: resampled with probability exactly 0.5
    for flip_prob, expected in ((0.375, [3, 3, 0, 0]), (0.0, [0] * 4), (0.75, [3] * 4)):
        np.testing.assert_array_equal(RandomisedResponse(flip_prob, 4).apply(x, noise), expected)


@given(st.integers(2, 65536), st.floats(0.0, 1.0))
def test_resample_prob_is_rounded_toward_more_noise(k, share):
    p = share * ((k - 1) / k)
    exact = p * k / (k - 1)
    q = RandomisedResponse(p, k).resample_prob
    assert min(exact, 1.0) <= q < exact + GRID_STEP * (1 + 1e-9)
    assert (q * 2**24).is_integer()  # so that P(uniform < q) is q exactly


@pytest.mark.parametrize("k", [2, 3, 20, 256])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_channel_likelihood_and_one_against_rest_agree(k, share):
    p = share * ((k - 1) / k)
    mechanism, matrix = RandomisedResponse(p, k), RandomisedResponse(p, k).channel_matrix
    assert matrix.shape == (k, k)
    np.testing.assert_allclose(matrix, np.where(np.eye(k, dtype=bool), 1 - p, p / (k - 1)), rtol=1e-15)
    states = np.arange(k)
    with np.errstate(divide="ignore"):
        expected = np.log(matrix)
    np.testing.assert_allclose(mechanism.log_likelihood(states[:, None], states), expected, rtol=1e-13, atol=1e-15)
    channel = mechanism.one_against_rest
    assert channel.p10 == pytest.approx(matrix[0, 1], abs=1e-15)  # whichever other state is the truth
    assert channel.p01 == pytest.approx(matrix[1:, 0].sum(), abs=1e-13)


@given(st.floats(0, 1), st.floats(0, 1))
def test_lies_contrast_and_inverse_are_those_of_the_matrix(p10, p01):
    channel = BinaryChannel(p10, p01)
    np.testing.assert_array_equal(channel.channel_matrix, [[1 - p10, p01], [p10, 1 - p01]])  # [observed, true]
    for truth, p in ((0, p10), (1, p01)):  # a lie exactly where the uniform is below its probability
        lies = channel.apply(np.full(3, truth, np.uint8), np.array([np.nextafter(p, -1), p, 0.0])) != truth
        assert list(lies) == [True, False, p > 0]
    exact = 1 - Fraction(p10) - Fraction(p01)
    if abs(exact) > 1e-11:
        assert channel.contrast == pytest.approx(float(exact), abs=2 * np.finfo(float).eps)
        np.testing.assert_allclose(channel.inverse_matrix @ channel.channel_matrix, np.eye(2), atol=4e-16 / abs(exact))
    elif abs(exact) < 1e-13:
        assert channel.contrast == 0


@pytest.mark.parametrize(("p10", "p01"), [(1e-9, 1 - 1.5e-9), (1 - 1e-10, 1e-9), (0.3, 0.7)])
def test_the_uniforms_are_fine_enough_for_extreme_lies(p10, p01):
    """The probability of u < p, with u a multiple of 2⁻⁵³, gives the promised ε to one part in a million."""
    sampled = BinaryChannel(*(np.ceil(p * 2.0**53) / 2.0**53 for p in (p10, p01)))
    assert sampled.epsilon == pytest.approx(BinaryChannel(p10, p01).epsilon, rel=1e-6, abs=1e-12)
    uniforms = BinaryChannel(p10, p01).sample_noise((1000,), rng(0))
    assert (uniforms * 2.0**53 % 1 == 0).all()
    assert (uniforms * 2.0**24 % 1 != 0).any()

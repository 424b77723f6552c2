"""The asymmetric binary channel: its matrix, inverse, exact lies and what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privdemo.mechanisms import BinaryChannel
from tests.mechanisms.oracles import rng


@given(st.floats(0, 1), st.floats(0, 1))
def test_binary_channel_columns_sum_to_one(p10, p01):
    channel = BinaryChannel(p10, p01)
    np.testing.assert_allclose(channel.channel_matrix.sum(axis=0), 1.0, atol=2 * np.finfo(float).eps)
    assert channel.channel_matrix[1, 0] == p10  # indexed [observed, true]
    assert channel.channel_matrix[0, 1] == p01
    assert channel.n_states == 2


def test_certain_truths_and_lies():
    bits = rng(1).integers(0, 2, 1000)
    np.testing.assert_array_equal(BinaryChannel(0.0, 0.0).randomise(bits, rng()), bits)
    np.testing.assert_array_equal(BinaryChannel(1.0, 1.0).randomise(bits, rng()), 1 - bits)
    np.testing.assert_array_equal(BinaryChannel(1.0, 0.0).randomise(bits, rng()), np.ones_like(bits))
    np.testing.assert_array_equal(BinaryChannel(0.0, 1.0).randomise(bits, rng()), np.zeros_like(bits))


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_binary_lie_is_told_exactly_where_the_uniform_is_below_its_probability(p10, p01):
    channel = BinaryChannel(p10, p01)
    for truth, p in ((0, p10), (1, p01)):
        below = np.nextafter(p, -1)
        lies = channel.apply(np.full(3, truth, np.uint8), np.array([below, p, 0.0])) != truth
        assert list(lies) == [True, False, p > 0]


@pytest.mark.parametrize(("p10", "p01"), [(1e-9, 1 - 1.5e-9), (1 - 1e-10, 1e-9), (0.3, 0.7)])
def test_the_uniforms_are_fine_enough_for_extreme_lies(p10, p01):
    """The probability of u < p, with u a multiple of 2⁻⁵³, gives the promised ε to one part in a million."""
    drawn = BinaryChannel(*(np.ceil(p * 2.0**53) / 2.0**53 for p in (p10, p01)))
    assert drawn.epsilon == pytest.approx(BinaryChannel(p10, p01).epsilon, rel=1e-6, abs=1e-12)
    uniforms = BinaryChannel(p10, p01).draws((1000,), rng(0))
    assert uniforms.dtype == np.float64
    assert (uniforms * 2.0**53 % 1 == 0).all()
    assert (uniforms * 2.0**24 % 1 != 0).any()


@given(st.floats(0, 1), st.floats(0, 1))
def test_contrast_is_the_determinant_of_the_channel(p10, p01):
    channel = BinaryChannel(p10, p01)
    exact = 1 - Fraction(p10) - Fraction(p01)
    if abs(exact) > 1e-11:
        assert channel.contrast == pytest.approx(float(exact), abs=2 * np.finfo(float).eps)
        assert channel.contrast == pytest.approx(np.linalg.det(channel.channel_matrix), abs=1e-14)
        np.testing.assert_allclose(channel.inverse_matrix @ channel.channel_matrix, np.eye(2), atol=4e-16 / abs(exact))
    elif abs(exact) < 1e-13:
        assert channel.contrast == 0


@pytest.mark.parametrize("hundredths", range(0, 101, 7))
def test_lies_that_add_up_to_one_leave_exactly_nothing(hundredths):
    p10, p01 = hundredths / 100, (100 - hundredths) / 100
    assert BinaryChannel(p10, p01).contrast == 0
    assert BinaryChannel(p10, 1 - p10).contrast == 0
    with pytest.raises(ValueError, match=r"p10 \+ p01 must differ from 1"):
        BinaryChannel(p10, p01).inverse_matrix
    if p10:
        assert BinaryChannel(p10 - 1e-6, p01).contrast == pytest.approx(1e-6, rel=1e-9)
    if p01:
        assert BinaryChannel(min(1.0, p10 + 1e-6), p01).contrast == pytest.approx(-1e-6, rel=1e-9)


@pytest.mark.parametrize("bad", [1.2, -0.1, math.nan])
def test_bad_binary_channel(bad):
    with pytest.raises(ValueError, match=r"p10 must be in \[0, 1\], got ") as error:
        BinaryChannel(bad, 0.1)
    assert str(bad).strip("'") in str(error.value)
    with pytest.raises(ValueError, match=r"p01 must be in \[0, 1\], got "):
        BinaryChannel(0.1, bad)

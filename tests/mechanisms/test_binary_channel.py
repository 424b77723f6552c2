"""The asymmetric binary channel: its matrix, inverse and exact lies."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privdemo.mechanisms import BinaryChannel
from tests.mechanisms.oracles import rng


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
    drawn = BinaryChannel(*(np.ceil(p * 2.0**53) / 2.0**53 for p in (p10, p01)))
    assert drawn.epsilon == pytest.approx(BinaryChannel(p10, p01).epsilon, rel=1e-6, abs=1e-12)
    uniforms = BinaryChannel(p10, p01).draws((1000,), rng(0))
    assert (uniforms * 2.0**53 % 1 == 0).all()
    assert (uniforms * 2.0**24 % 1 != 0).any()


@pytest.mark.parametrize("hundredths", range(7, 100, 7))
def test_lies_that_add_up_to_one_leave_exactly_nothing(hundredths):
    p10, p01 = hundredths / 100, (100 - hundredths) / 100
    assert BinaryChannel(p10, p01).contrast == BinaryChannel(p10, 1 - p10).contrast == 0
    for less in (1e-6, -1e-6):
        assert BinaryChannel(p10 - less, p01).contrast == pytest.approx(less, rel=1e-9)

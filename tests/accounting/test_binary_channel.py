"""The asymmetric binary channel against enumeration and cases by hand."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privdemo import accounting as acc
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from tests.accounting.oracles import PLATEAU, worst_delta

BINARY = [(0.2, 0.2), (0.1, 0.4), (0.0, 0.3), (0.3, 0.0), (0.0, 0.0), (1.0, 0.2), (0.9, 0.8), (0.5, 0.5), (1.0, 0.0)]


@pytest.mark.parametrize(("p10", "p01"), BINARY)
def test_binary_profile_is_the_enumerated_one(p10, p01):
    matrix = BinaryChannel(p10, p01).channel_matrix
    for n_values in (1, 2, 3):
        for epsilon in (0.0, 0.3, 1.0, 2.5, 6.0):
            truth = worst_delta(matrix, n_values, epsilon, 2)
            # losses are rounded up to multiples of 1e-12, once per value
            reported = acc.binary_channel_delta(p10, p01, epsilon, n_values)
            assert truth - 1e-14 * math.exp(epsilon) <= reported <= truth + n_values * 2e-12


@pytest.mark.parametrize(("p10", "p01"), BINARY)
def test_binary_epsilon_of_one_value(p10, p01):
    pairs = [pair for pair in ((1 - p10, p01), (p10, 1 - p01)) if max(pair) > 0]
    largest = max(math.inf if min(pair) == 0 else abs(math.log(pair[0] / pair[1])) for pair in pairs)
    assert acc.channel_epsilon(BinaryChannel(p10, p01).channel_matrix) == pytest.approx(largest, rel=1e-14)
    assert acc.binary_channel_epsilon(p10, p01, 0.0) == pytest.approx(largest, rel=1e-11, abs=2e-12)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 6), st.floats(1e-9, 0.5))
@example(0.5, 2.0020272368241397e-260, 9, math.nextafter(0.5, 0))
@example(0.5, math.nextafter(1, 0), 3, 0.5)
def test_binary_epsilon_inverts_delta_cautiously(p10, p01, n_values, delta):
    epsilon = acc.binary_channel_epsilon(p10, p01, delta, n_values)
    if epsilon == math.inf:
        assert acc.binary_channel_delta(p10, p01, 700.0, n_values) > delta
        return
    assert acc.binary_channel_delta(p10, p01, epsilon, n_values) <= delta
    if epsilon > 1e-6:
        assert acc.binary_channel_delta(p10, p01, epsilon * (1 - 1e-6), n_values) > delta * (1 - PLATEAU)


@pytest.mark.parametrize(
    ("channel", "epsilon"),
    [
        ([[0.5, 0.2, 0.3], [0.4, 0.1, 0.6], [0.1, 0.7, 0.1]], math.log(0.7 / 0.1)),
        ([[0.5], [0.4], [0.1]], 0),  # one truth only: nothing to tell apart
        ([[1, 0.5], [0, 0.5]], math.inf),
        ([[0, 0], [0.5, 0.5], [0.5, 0.5]], 0),  # an answer nobody ever gives
        (RandomisedResponse(0.3, 9).channel_matrix, math.log(0.7 * 8 / 0.3)),
    ],
)
def test_channel_epsilon_by_hand(channel, epsilon):
    assert acc.channel_epsilon(channel) == pytest.approx(epsilon, rel=1e-13)

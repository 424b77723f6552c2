"""The asymmetric binary channel against enumeration and cases by hand."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privdemo import accounting as acc
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from tests.accounting.oracles import PLATEAU, worst_delta

BINARY = [(0.2, 0.2), (0.1, 0.4), (0.0, 0.3), (0.3, 0.0), (0.0, 0.0), (1.0, 0.2), (0.9, 0.8), (0.5, 0.5), (1.0, 0.0)]


@pytest.mark.parametrize(("p10", "p01"), BINARY)
@pytest.mark.parametrize("n_values", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.5, 6.0])
def test_binary_profile_is_the_enumerated_one(p10, p01, n_values, epsilon):
    mechanism = BinaryChannel(p10, p01)
    truth = worst_delta(mechanism.channel_matrix, n_values, epsilon, 2)
    reported = mechanism.delta_at(epsilon, n_values)
    # losses are rounded up to multiples of 1e-12, once per value
    assert truth - 1e-14 * math.exp(epsilon) <= reported <= truth + n_values * 2e-12
    if p10 == 0.1 and reported > 0:  # the other direction: another p10 does not pass
        assert mechanism.delta_at(epsilon, n_values) != pytest.approx(
            BinaryChannel(0.4, 0.4).delta_at(epsilon, n_values), abs=1e-6
        )


def test_the_worst_binary_pair_mixes_directions():
    """Were one direction always worst, looking at every m would be a waste: it is not."""
    losses = acc.binary_channel_losses(0.05, 0.4, 3)
    worst = {int(np.argmax([loss.delta(e) for loss in losses])) for e in np.linspace(0, 8, 200)}
    assert len(worst) > 1


@pytest.mark.parametrize(("p10", "p01"), BINARY)
def test_binary_epsilon_of_one_value(p10, p01):
    mechanism = BinaryChannel(p10, p01)
    ratios = []
    for a, b in ((1 - p10, p01), (p10, 1 - p01)):
        if max(a, b) > 0:
            ratios.append(math.inf if min(a, b) == 0 else abs(math.log(a / b)))
    assert mechanism.epsilon == pytest.approx(max(ratios), rel=1e-14)
    assert mechanism.epsilon_at(0.0) == pytest.approx(max(ratios), rel=1e-11, abs=2e-12)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 12), st.floats(1e-9, 0.5))
@example(0.5, 2.0020272368241397e-260, 9, math.nextafter(0.5, 0))
@example(0.5, math.nextafter(1, 0), 3, 0.5)
def test_binary_epsilon_inverts_delta_cautiously(p10, p01, n_values, delta):
    mechanism = BinaryChannel(p10, p01)
    epsilon = mechanism.epsilon_at(delta, n_values)
    if epsilon == math.inf:
        assert mechanism.delta_at(700.0, n_values) > delta
        return
    assert mechanism.delta_at(epsilon, n_values) <= delta
    if epsilon > 1e-6:
        assert mechanism.delta_at(epsilon * (1 - 1e-6), n_values) > delta * (1 - PLATEAU)


def test_one_sided_channel_by_hand():
    """p10 = 0: whoever is seen as 1 is 1, so D ones are given away with 1 − p01^D."""
    mechanism = BinaryChannel(0.0, 0.3)
    assert mechanism.epsilon == math.inf
    assert mechanism.epsilon_at(0.69) == math.inf
    assert mechanism.epsilon_at(0.71) == 0
    assert mechanism.delta_at(100.0, 4) == pytest.approx(1 - 0.3**4, rel=1e-14)


def test_symmetric_binary_channel_is_randomised_response():
    response, channel = RandomisedResponse(0.2, 2), BinaryChannel(0.2, 0.2)
    for n_values in (1, 7, 64):
        for delta in (0.0, 1e-6, 0.1):
            expected = response.epsilon_at(delta, n_values)
            assert channel.epsilon_at(delta, n_values) == pytest.approx(expected, abs=n_values * 2e-12)
    assert channel.epsilon_at(0.1, 7) != pytest.approx(RandomisedResponse(0.21, 2).epsilon_at(0.1, 7), rel=1e-3)


def test_channel_epsilon_by_hand():
    channel = np.array([[0.5, 0.2, 0.3], [0.4, 0.1, 0.6], [0.1, 0.7, 0.1]])
    assert acc.channel_epsilon(channel) == pytest.approx(math.log(0.7 / 0.1), rel=1e-14)
    assert acc.channel_epsilon(channel[:, :1]) == 0  # one truth only: nothing to tell apart
    assert acc.channel_epsilon([[1, 0.5], [0, 0.5]]) == math.inf
    assert acc.channel_epsilon([[0, 0], [0.5, 0.5], [0.5, 0.5]]) == 0  # an answer nobody ever gives
    assert acc.channel_epsilon(RandomisedResponse(0.3, 9).channel_matrix) == pytest.approx(
        acc.randomised_response_epsilon(0.3, 9), rel=1e-13
    )

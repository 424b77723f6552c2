"""Binary channels against enumeration and by hand; what a channel's ε means for posteriors and odds."""

import itertools
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
def test_binary_profile_is_the_enumerated_one(p10, p01):
    matrix = BinaryChannel(p10, p01).channel_matrix
    for n_values in (1, 2, 3):
        for epsilon in (0.0, 0.3, 1.0, 2.5, 6.0):
            truth = worst_delta(matrix, n_values, epsilon, 2)
            # losses are rounded up to multiples of 1e-12, once per value
            reported = acc.binary_channel_delta(p10, p01, epsilon, n_values)
            assert truth - 1e-14 * math.exp(epsilon) <= reported <= truth + n_values * 2e-12


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


def test_posterior_by_hand():
    # 1 % are ill; the test finds 90 % of them and 5 % of the others
    channel = np.array([[0.95, 0.1], [0.05, 0.9]])
    for observed, expected in ((1, [0.0495 / 0.0585, 0.009 / 0.0585]), (0, [0.9405 / 0.9415, 0.001 / 0.9415])):
        np.testing.assert_allclose(acc.posterior(channel, [0.99, 0.01], observed), expected, rtol=1e-14)
    np.testing.assert_array_equal(acc.posterior([[1.0, 0.5], [0.0, 0.5]], [0.5, 0.5], 1), [0, 1])


@pytest.mark.parametrize("shape", [(2, 2), (4, 3), (3, 5)])
def test_posterior_odds_move_by_epsilon_at_most_and_by_that_at_the_worst(shape):
    generator = np.random.default_rng(0)
    channel, prior = generator.uniform(0.05, 1, shape), generator.dirichlet(np.ones(shape[1]))
    channel /= channel.sum(axis=0)
    epsilon, moved = acc.channel_epsilon(channel), []
    for observed, (a, b) in itertools.product(range(shape[0]), itertools.permutations(range(shape[1]), 2)):
        after = acc.posterior(channel, prior, observed)
        moved.append(after[a] / after[b] / (math.exp(epsilon) * prior[a] / prior[b]))
    assert max(moved) == pytest.approx(1, rel=1e-12)


def test_log_odds_by_hand():
    assert acc.log_odds(0.75) == pytest.approx(math.log(3), rel=1e-15)
    assert [acc.log_odds(p) for p in (0.0, 0.5, 1.0)] == [-math.inf, 0, math.inf]

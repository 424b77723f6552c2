"""Posteriors and odds by hand, and the bound that ε sets on them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from privdemo import accounting as acc


def test_posterior_by_hand():
    # 1 % are ill; the test finds 90 % of them and 5 % of the others
    channel = np.array([[0.95, 0.1], [0.05, 0.9]])
    positive = acc.posterior(channel, [0.99, 0.01], 1)
    np.testing.assert_allclose(positive, [0.0495 / 0.0585, 0.009 / 0.0585], rtol=1e-14)
    negative = acc.posterior(channel, [0.99, 0.01], 0)
    np.testing.assert_allclose(negative, [0.9405 / 0.9415, 0.001 / 0.9415], rtol=1e-14)
    assert not np.allclose(acc.posterior(channel.T, [0.99, 0.01], 1), positive, rtol=0.01)  # [observed, true]


def test_posterior_refuses_the_impossible():
    channel = np.array([[1.0, 0.5], [0.0, 0.5]])
    with pytest.raises(ValueError, match="observed = 1 cannot happen under this channel and prior"):
        acc.posterior(channel, [1.0, 0.0], 1)
    np.testing.assert_array_equal(acc.posterior(channel, [0.5, 0.5], 1), [0, 1])


@pytest.mark.parametrize("prior", [[0.5, 0.4], [1.5, -0.5], [1.0], [0.2, 0.3, 0.5], [math.nan, 1.0]], ids=str)
def test_posterior_refuses_a_bad_prior(prior):
    with pytest.raises(ValueError, match="prior must be 2 probabilities that sum to 1, got "):
        acc.posterior(np.eye(2), prior, 0)


@pytest.mark.parametrize("observed", [-1, 2, 1.0])
def test_posterior_refuses_a_bad_observation(observed):
    with pytest.raises(ValueError, match=r"observed must be a whole number in \[0, 1\], got "):
        acc.posterior(np.eye(2), [0.5, 0.5], observed)


@st.composite
def channels_and_priors(draw):
    shape = (draw(st.integers(2, 5)), draw(st.integers(2, 5)))
    positive = st.floats(1e-3, 1.0)
    channel = draw(hnp.arrays(float, shape, elements=positive))
    prior = draw(hnp.arrays(float, shape[1], elements=positive))
    return channel / channel.sum(axis=0), prior / prior.sum()


@given(channels_and_priors())
def test_posterior_odds_never_move_by_more_than_epsilon(channel_and_prior):
    channel, prior = channel_and_prior
    epsilon = acc.channel_epsilon(channel)
    largest = 0.0
    for observed in range(len(channel)):
        after = acc.posterior(channel, prior, observed)
        assert after.sum() == pytest.approx(1.0, rel=1e-14)
        for a, b in itertools.permutations(range(len(prior)), 2):
            moved = (after[a] / after[b]) / (prior[a] / prior[b])
            largest = max(largest, moved)
            assert after[a] / after[b] <= acc.posterior_odds(prior[a] / prior[b], epsilon) * (1 + 1e-12)
    assert largest == pytest.approx(math.exp(epsilon), rel=1e-9)  # and the bound is reached


def test_posterior_odds_by_hand():
    assert acc.posterior_odds(0.25, math.log(3)) == pytest.approx(0.75, rel=1e-15)
    assert acc.posterior_odds(2.0, 0.0) == 2
    assert acc.posterior_odds(0.0, math.inf) == 0
    assert acc.posterior_odds(1.0, math.inf) == math.inf
    assert acc.posterior_odds(1.0, 5000.0) == math.inf
    assert acc.posterior_odds(1e-200, 690.0) == pytest.approx(1e-200 * math.exp(690), rel=1e-12)


def test_log_odds_by_hand():
    assert acc.log_odds(0.75) == pytest.approx(math.log(3), rel=1e-15)
    assert [acc.log_odds(p) for p in (0.0, 0.5, 1.0)] == [-math.inf, 0, math.inf]
    with pytest.raises(ValueError, match=r"^probability must be in \[0, 1\], got 1.5"):
        acc.log_odds(1.5)

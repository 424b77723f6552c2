"""Posteriors and odds by hand, and the bound that ε sets on them."""

import itertools
import math

import numpy as np
import pytest

from privdemo import accounting as acc


def test_posterior_by_hand():
    # 1 % are ill; the test finds 90 % of them and 5 % of the others
    channel = np.array([[0.95, 0.1], [0.05, 0.9]])
    for observed, expected in ((1, [0.0495 / 0.0585, 0.009 / 0.0585]), (0, [0.9405 / 0.9415, 0.001 / 0.9415])):
        np.testing.assert_allclose(acc.posterior(channel, [0.99, 0.01], observed), expected, rtol=1e-14)
    np.testing.assert_array_equal(acc.posterior([[1.0, 0.5], [0.0, 0.5]], [0.5, 0.5], 1), [0, 1])


@pytest.mark.parametrize("shape", [(2, 2), (4, 3), (3, 5)])
def test_posterior_odds_move_by_epsilon_at_most_and_by_that_at_the_worst(shape):
    draw = np.random.default_rng(0)
    channel, prior = draw.uniform(0.05, 1, shape), draw.dirichlet(np.ones(shape[1]))
    channel /= channel.sum(axis=0)
    epsilon, moved = acc.channel_epsilon(channel), []
    for observed, (a, b) in itertools.product(range(shape[0]), itertools.permutations(range(shape[1]), 2)):
        after = acc.posterior(channel, prior, observed)
        moved.append(after[a] / after[b] / acc.posterior_odds(prior[a] / prior[b], epsilon))
    assert max(moved) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("prior", "epsilon", "odds"),
    [
        *[(0.25, math.log(3), 0.75), (2.0, 0.0, 2), (0.0, math.inf, 0), (1.0, math.inf, math.inf)],
        *[(1.0, 5000.0, math.inf), (1e-200, 690.0, 1e-200 * math.exp(690)), (1.0, 699.9, math.exp(699.9))],
    ],
)
def test_posterior_odds_by_hand(prior, epsilon, odds):
    assert acc.posterior_odds(prior, epsilon) == pytest.approx(odds, rel=1e-12)


def test_log_odds_by_hand():
    assert acc.log_odds(0.75) == pytest.approx(math.log(3), rel=1e-15)
    assert [acc.log_odds(p) for p in (0.0, 0.5, 1.0)] == [-math.inf, 0, math.inf]

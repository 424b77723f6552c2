"""The prior correction against scipy's maxima."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning

from privdemo.estimators import set_names
from privdemo.estimators.set_names import prior_shift
from tests.estimators.oracles import rng


def posteriors(seed, n=None, K=None):
    """Random p(c | x) under a training prior."""
    draw = rng(seed)
    K, n = K or int(draw.integers(2, 6)), n or int(draw.integers(5, 200))
    prior = draw.dirichlet(np.ones(K))
    scores = draw.choice([0.5, 1.0, 3.0]) * draw.normal(size=(n, K)) + draw.normal(size=K) + np.log(prior)
    return softmax(scores, axis=1), prior


def log_likelihood(proba, prior, share):
    return np.log(proba / prior @ share).mean()


def excess(proba, prior, share):
    """By concavity, no shares have a log-likelihood larger than that of `share` by more than this."""
    ratio = proba / prior
    return (ratio / (ratio @ share)[:, None]).mean(axis=0).max() - 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(40))
def test_the_correction_finds_the_maximum_of_the_likelihood(seed):
    proba, prior = posteriors(seed)
    before = proba.copy(), prior.copy()
    found = prior_shift(proba, prior)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1, abs=1e-14)
    # shares settled to 10⁻⁹ where each step shrinks what is left by 1 % or more
    assert excess(proba, prior, found) < 1e-6
    ratio = proba / prior
    best = minimize(
        lambda share: -np.log(ratio @ share).mean(),
        np.full(len(prior), 1 / len(prior)),
        jac=lambda share: -(ratio / (ratio @ share)[:, None]).mean(axis=0),
        bounds=[(0, 1)] * len(prior),
        constraints={"type": "eq", "fun": lambda share: share.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert log_likelihood(proba, prior, found) == pytest.approx(-best.fun, abs=1e-7)
    np.testing.assert_allclose(found, best.x, atol=1e-3)  # SLSQP's own, where the likelihood is flat
    other = 0.9 * found + 0.1 / len(found)
    assert excess(proba, prior, other) > 1e-6 or np.abs(other - found).max() < 0.01
    np.testing.assert_array_equal(proba, before[0])
    np.testing.assert_array_equal(prior, before[1])
    # neither the order of records nor the prior's scale matters
    again = prior_shift(proba[::-1].tolist(), (3 * prior).tolist())
    np.testing.assert_allclose(again, found, atol=1e-8)


def test_a_class_that_training_lacks_has_no_share():
    proba, prior = posteriors(3, n=50, K=3)
    without = np.append(prior, 0)
    padded = np.column_stack((0.9 * proba, np.full(50, 0.1)))
    found = prior_shift(padded, without)
    assert found[3] == 0
    np.testing.assert_allclose(found[:3], prior_shift(proba, prior), atol=1e-8)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("proba", "prior", "expected"),
    [
        ([[0.0, 1.0], [0.5, 0.5]], [1.0, 0.0], [1, 0]),
        # no record says anything of the other classes: they stay even
        ([[0.0, 0.0, 1.0]] * 2, [0.7, 0.3, 0.0], [0.5, 0.5, 0]),
    ],
)
def test_records_that_are_surely_of_a_class_that_training_lacks_spoil_nothing(proba, prior, expected):
    np.testing.assert_array_equal(prior_shift(proba, prior), expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rare", [1e-3, 1e-6, 1e-10, 1e-14])
def test_a_class_that_training_hardly_has_may_be_common(rare):
    """Half of the records are five times likelier of the one class, half of the other."""
    prior = np.array([1 - rare, rare])
    likelihood = np.repeat([[1, 0.2], [0.2, 1]], 50, axis=0)
    proba = likelihood * prior / (likelihood @ prior)[:, None]
    np.testing.assert_allclose(prior_shift(proba, prior), [0.5, 0.5], atol=1e-6)


def test_shares_that_have_not_settled_warn(monkeypatch):
    proba, prior = posteriors(1)
    monkeypatch.setattr(set_names, "STEPS", 2)
    with pytest.warns(ConvergenceWarning, match="shares not settled in 2 steps: classes are hard to tell apart"):
        prior_shift(proba, prior)

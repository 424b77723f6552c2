"""What is known of inputs, as nodes: against adaptive quadrature, enumeration and large samples."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, softmax
from scipy.stats import norm

from privdemo.estimators import pixel_priors
from privdemo.estimators.inputs import GaussianInputs, enumerate_inputs
from privdemo.mechanisms import RandomisedResponse
from tests.estimators.oracles import INPUTS, rng, some_inputs


def expected(inputs, f, coef, intercept):
    """E f(scores) of every person by the nodes: f takes (n, q, J) to (n, q, ...)."""
    nodes = inputs.nodes(coef, intercept)
    values = f(nodes.scores)
    weights = np.exp(nodes.log_weights)
    return (weights.reshape(*weights.shape, *[1] * (values.ndim - 2)) * values).sum(axis=1)


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("n_scores", [1, 3, 10])
def test_nodes_have_the_mean_and_the_covariance_of_the_scores_of_whichever_people(kind, n_scores):
    inputs, mean, covariance = some_inputs(kind)
    coef, intercept = rng(5).normal(size=(4, n_scores)), rng(6).normal(size=n_scores)
    # each of at most 160 weighted terms of size ≲ 10 is rounded; 10⁻¹² is added to every variance
    tolerance = 1e-11
    np.testing.assert_allclose(expected(inputs, np.ones_like, coef, intercept), 1, atol=1e-12)
    found = expected(inputs, lambda a: a, coef, intercept)
    np.testing.assert_allclose(found, mean @ coef + intercept, atol=tolerance)
    second = expected(inputs, lambda a: a[..., :, None] * a[..., None, :], coef, intercept)
    second -= found[:, :, None] * found[:, None, :]
    whole = coef.T @ covariance @ coef
    if kind.startswith("Gaussian") and n_scores > 1:
        # Only contrasts of scores matter: E (a_i − a_j)². Their covariance is widened by 10⁻⁵ of its trace.
        square, other = (np.diagonal(m, axis1=1, axis2=2) for m in (second, whole))
        second = square[:, :, None] + square[:, None, :] - 2 * second
        whole = other[:, :, None] + other[:, None, :] - 2 * whole
        tolerance = 2e-5 * whole.max()
    np.testing.assert_allclose(second, whole, atol=tolerance)
    assert len(inputs) == 6
    np.testing.assert_allclose(inputs.centre(np.arange(1.0, 7)), np.arange(1.0, 7) @ mean / 21, atol=1e-14)
    all_of_them = expected(inputs, np.tanh, coef, intercept)
    for rows in (np.array([4, 1, 1]), slice(2, 5)):
        some = expected(inputs.take(rows), np.tanh, coef, intercept)
        np.testing.assert_allclose(some, all_of_them[rows], atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_keep_the_precision_of_the_inputs_and_end_in_double(dtype):
    inputs = GaussianInputs(rng(1).random((5, 3)).astype(dtype), np.full((1, 3), 0.1, dtype))
    nodes = inputs.nodes(rng(2).normal(size=(3, 1)), np.zeros(1))
    ended = nodes.scores, *nodes.pull_back(np.ones(nodes.scores.shape)), inputs.centre(np.ones(5))
    assert {one.dtype for one in ended} == {np.dtype(float)}


MEANS = np.linspace(-8, 8, 9)


# Largest errors measured. The sigmoid has a pole at iπ, so nodes stop being enough as sd grows past π.
@pytest.mark.parametrize(("sd", "with_16", "with_64"), [(1, 5e-9, 1e-12), (4, 5e-3, 1e-5)])
def test_sixteen_nodes_are_enough_for_scores_that_spread_by_up_to_four_and_more_nodes_for_more(sd, with_16, with_64):
    exact = [quad(lambda z, m=m: expit(m + sd * z) * norm.pdf(z), -12, 12, limit=99, epsabs=1e-13)[0] for m in MEANS]

    def error(**n_nodes):
        inputs = GaussianInputs(MEANS[:, None], np.array([[sd**2]]), **n_nodes)
        return np.abs(expected(inputs, expit, np.ones((1, 1)), np.zeros(1))[:, 0] - exact).max()

    assert error() == error(n_nodes=16) < with_16
    assert error(n_nodes=64) < with_64 < 10 * error()
    assert error(n_nodes=4) > with_16  # a bound that fewer nodes miss


@pytest.mark.parametrize(("n_scores", "sd", "tolerance"), [(3, 0.3, 1e-3), (3, 1, 5e-3), (10, 1, 1e-2)])
def test_quasi_random_nodes_integrate_the_softmax_of_correlated_scores(n_scores, sd, tolerance):
    d, n, draws = 12, 2, 50_000
    coef = sd * (rng(1).normal(size=(d, 1)) + 0.5 * rng(2).normal(size=(d, n_scores))) / np.sqrt(d)
    mean, variance = rng(3).uniform(-1, 1, (n, d)), rng(4).uniform(0.5, 1.5, (1, d))
    found = expected(GaussianInputs(mean, variance), lambda a: softmax(a, axis=-1), coef, np.zeros(n_scores))
    noise = rng(5).standard_normal((draws, d)) * np.sqrt(variance)
    for person in range(n):
        drawn = softmax((mean[person] + noise) @ coef, axis=1)
        # `tolerance` for 128 nodes, and five standard errors of the draws
        bound = tolerance + 5 * drawn.std(axis=0) / np.sqrt(draws)
        assert (np.abs(found[person] - drawn.mean(axis=0)) <= bound).all()


def test_two_scores_have_one_contrast_which_is_the_score_of_two_classes():
    """E softmax of (a, b) is E φ(a − b), one-dimensional: the quadrature of the difference."""
    inputs, coef = GaussianInputs(rng(1).random((5, 3)), rng(2).random((5, 3)), 64), rng(3).normal(size=(3, 2))
    two = expected(inputs, lambda a: softmax(a, axis=-1)[..., 0], coef, np.zeros(2))
    one = expected(inputs, expit, coef[:, :1] - coef[:, 1:], np.zeros(1))[:, 0]
    np.testing.assert_allclose(two, one, atol=1e-10)
    assert np.abs(one - expit(inputs.mean @ (coef[:, 0] - coef[:, 1]))).max() > 1e-2  # that of the mean is another


def test_at_most_65536_inputs_are_enumerated():
    mechanism = RandomisedResponse(0.1)
    prior = pixel_priors.flat_prior(mechanism, 2, 16)
    assert enumerate_inputs(mechanism, np.zeros((1, 16), int), prior).values.shape == (65536, 16)
    with pytest.raises(ValueError, match=r"enumerates every input: at most 65,536, got 2\^17; use exact=False"):
        enumerate_inputs(mechanism, np.zeros((1, 17), int), prior)

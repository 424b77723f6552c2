"""What is known of inputs, and likelihoods of a linear model: quadrature, sums over every truth, finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import OptimizeResult
from scipy.special import expit
from scipy.stats import norm

from privdemo.estimators import likelihoods, many_classes, pixel_priors
from privdemo.estimators.inputs import GaussianInputs, enumerate_inputs
from privdemo.estimators.likelihoods import Model, climb, maximise, reconstruction, spread_log_likelihood
from privdemo.estimators.many_classes import ManyScores
from privdemo.estimators.pixel_priors import PixelPrior
from privdemo.mechanisms import RandomisedResponse
from tests.estimators.oracles import INPUTS, class_probs, finite_differences, rng, some_inputs, spelt_out, truths

OBJECTIVES = [spread_log_likelihood, reconstruction]


def people(n=6, d=4, n_classes=2, n_labels=3, seed=0):
    """A model, T (n_labels, n_classes), and the labels that people released."""
    generator, n_scores = rng(seed), 1 if n_classes == 2 else n_classes
    channel = generator.dirichlet(np.ones(n_labels), n_classes).T
    return (
        Model(generator.normal(size=(d, n_scores)), generator.normal(size=n_scores)),
        channel,
        generator.integers(0, n_labels, n),
    )


def at_nodes(objective, inputs, log_rows, model):
    """The objective of every person, and the gradient of their sum with respect to packed (coef, intercept)."""
    nodes = inputs.nodes(model.coef, model.intercept)
    if isinstance(nodes, ManyScores):
        found = many_classes.evaluate(likelihoods.OF_MANY[objective], nodes, log_rows, np.ones(len(log_rows)))
        return found.objective, pack(*nodes.pull_back(found.d_mean, found.d_root))
    log_p = likelihoods.log_class_probabilities(nodes.scores)
    value = objective(log_p, nodes.log_weights, log_rows)
    return value.objective, pack(*nodes.pull_back(likelihoods.gradient_at_nodes(value, log_p)))


def pack(coef, intercept):
    return np.concatenate((coef.ravel(), intercept))


def unpack(packed, like):
    n_scores = len(like.intercept)
    return Model(packed[:-n_scores].reshape(like.coef.shape), packed[-n_scores:])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_scores", [1, 2, 5])
def test_class_probabilities_are_the_softmax_and_finite_however_large_the_scores(n_scores):
    scores = rng().normal(size=(3, 4, n_scores))
    expected = class_probs(scores, np.eye(n_scores), np.zeros(n_scores))
    np.testing.assert_allclose(np.exp(likelihoods.log_class_probabilities(scores)), expected, rtol=1e-13)
    np.testing.assert_allclose(likelihoods.log_class_probabilities(np.array([800.0])), [-800, 0], atol=1e-300)


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_gradients_equal_finite_differences(kind, objective, n_classes):
    model, channel, released = people(n_classes=n_classes)
    inputs, log_rows = some_inputs(kind)[0], np.log(channel[released])
    expected = finite_differences(
        lambda at: at_nodes(objective, inputs, log_rows, unpack(at, model))[0].sum(), pack(*model[:2])
    )
    # sums of size 10 rounded to 10⁻¹⁵, over 2·10⁻⁵, and a third derivative of size 10 times 10⁻¹⁰
    np.testing.assert_allclose(at_nodes(objective, inputs, log_rows, model)[1], expected, atol=2e-8)


@pytest.mark.parametrize("kind", [kind for kind in INPUTS if kind.startswith("Gaussian")])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n_classes", [3, 6])
def test_many_classes_have_the_objective_that_is_spelt_out_at_their_nodes(kind, objective, n_classes, monkeypatch):
    monkeypatch.setattr(many_classes, "HELD", 4 * n_classes * many_classes.MANY_NODES)  # people in blocks of four
    model, channel, released = people(n_classes=n_classes)
    inputs, log_rows = some_inputs(kind)[0], np.log(channel[released])
    scores, log_weights = spelt_out(inputs, *model[:2])
    expected = objective(likelihoods.log_class_probabilities(scores), log_weights, log_rows).objective
    np.testing.assert_allclose(at_nodes(objective, inputs, log_rows, model)[0], expected, rtol=1e-12)
    single = replace(inputs, mean=inputs.mean.astype(np.float32), variance=inputs.variance.astype(np.float32))
    # numbers of size up to 10, rounded to 24 bits, in scores whose exponentials are summed
    np.testing.assert_allclose(at_nodes(objective, single, log_rows, model)[0], expected, atol=50 * 2**-24)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_scores_that_are_spread_alike_are_those_of_people_each_with_that_spread(objective):
    model, channel, released = people(n_classes=5)
    mean, variance = rng(1).random((len(released), 4)), rng(2).random((1, 4))
    alike, each = (GaussianInputs(mean, v) for v in (variance, variance.repeat(len(mean), axis=0)))
    both = (at_nodes(objective, inputs, np.log(channel[released]), model) for inputs in (alike, each))
    for found, expected in zip(*both, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(likelihoods.expected_proba(alike, model), likelihoods.expected_proba(each, model))


@pytest.mark.filterwarnings("error")
def test_a_release_that_cannot_be_is_as_unlikely_as_can_be_told():
    inputs, log_rows = some_inputs("Gaussian")[0], np.log(np.eye(3)[[0] * 6] + 1e-300)
    far = Model(np.zeros((4, 3)), np.array([-800.0, 0, 0]))
    for objective in OBJECTIVES:
        value, gradient = at_nodes(objective, inputs, log_rows, far)
        assert np.isfinite(value).all()
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize(
    ("kind", "n_classes", "objective"),
    [
        *(("dense", 2, reconstruction), ("enumerated", 3, reconstruction), ("sparse", 3, spread_log_likelihood)),
        *(("Gaussian", n_classes, spread_log_likelihood) for n_classes in (2, 3)),
    ],
)
def test_at_the_maximum_the_penalised_objective_is_level_and_lower_all_around(kind, n_classes, objective, monkeypatch):
    monkeypatch.setattr(likelihoods, "CHUNK", 17)
    n, C = 40, 3.0
    model, channel, released = people(n, n_classes=n_classes)
    inputs, log_rows = some_inputs(kind, n)[0], np.log(channel[released])
    start, weights = Model(0.1 * model.coef, 0 * model.intercept), rng(6).integers(1, 3, n)
    counted = np.repeat(np.arange(n), weights)

    def penalised(packed):
        at = unpack(packed, model)
        value, gradient = at_nodes(objective, inputs.take(counted), log_rows[counted], at)
        return value.sum() - np.square(at.coef).sum() / (2 * C), gradient - pack(at.coef / C, 0 * at.intercept)

    found = maximise(objective, inputs, log_rows, weights, C, start, 1e-7, 5000)
    assert found.converged
    assert found.n_iter > 1
    top = pack(*found[:2])
    best, gradient = penalised(top)
    # 10⁻⁷ a person, at the mean input: moving back adds the mean input, at most 1, times the intercept's own
    assert np.abs(gradient).max() < 2e-7 * weights.sum()
    assert best > penalised(pack(*start[:2]))[0]
    for direction in rng(5).normal(size=(20, len(gradient))):
        assert penalised(top + 0.03 * direction)[0] < best
    # the mean over people in chunks is that over all of them
    spread = likelihoods.released_log_likelihood(inputs, log_rows, model)
    np.testing.assert_allclose(spread, at_nodes(spread_log_likelihood, inputs, log_rows, model)[0], rtol=1e-12)
    proba = likelihoods.expected_proba(inputs, model)
    np.testing.assert_allclose(np.log((proba * np.exp(log_rows)).sum(axis=1)), spread, rtol=1e-10)


def test_the_climb_measures_the_intercept_at_the_centre_and_says_how_it_ended(monkeypatch):
    target, centre = np.array([[1.0], [-2.0]]), np.array([3.0, 0.5])

    def parabola(coef, intercept):
        value = -np.square(coef - target).sum() - np.square(intercept - 4).sum()
        return float(value), -2 * (coef - target), -2 * (intercept - 4)

    start = Model(np.array([[0.5], [0.0]]), np.array([1.0]))
    found = climb(parabola, 10.0, centre, 0.25, start, 1e-9, 500)
    # −(w − t)² − w²/(2C) is largest at t/(1 + 1/(2C)); the intercept is free
    np.testing.assert_allclose(pack(*found[:2]), [*(target[:, 0] / 3), 4], atol=1e-6)
    assert found.converged
    assert not climb(parabola, 10.0, centre, 0.25, start, 1e-9, 1).converged
    # a line search that rounding ends (status 2) has converged if the gradient is all but level
    handed = []
    for status, gradient, converged in ((0, 1.0, True), (1, 0.0, False), (2, 0.0099, True), (2, -0.0101, False)):
        ended = OptimizeResult(x=np.zeros(3), status=status, jac=np.array([0.0, 0.0, gradient]), nit=3)
        monkeypatch.setattr(likelihoods, "minimize", lambda *given, ended=ended, **_: handed.append(given[1]) or ended)
        found = climb(parabola, 1.0, centre, 1.0, start, 1e-4, 9)
        assert (found.converged, found.n_iter) == (converged, 3)
        np.testing.assert_allclose(handed[-1], [0.5, 0, 1 + 3 * 0.5], rtol=1e-14)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_both_objectives_sum_over_every_truth(n_classes):
    model, channel, labels = people(5, 4, n_classes)
    pixels, prior = RandomisedResponse(0.3, 3), PixelPrior(np.arange(3), rng(2).dirichlet(np.ones(3), 4))
    states = rng(1).integers(0, 3, (5, 4)).astype(np.uint8)
    inputs, log_rows = enumerate_inputs(pixels, states, prior), np.log(channel[labels])
    spread, guessed = (at_nodes(objective, inputs, log_rows, model)[0] for objective in OBJECTIVES)
    for person, (label, image) in enumerate(zip(labels, states, strict=True)):
        terms = np.array(list(truths(*model[:2], channel[label], image, prior, pixels.channel_matrix)))
        assert spread[person] == pytest.approx(np.log(terms[:, 0].sum() / terms[:, 1].sum()), abs=1e-12)
        assert guessed[person] == pytest.approx(terms[:, 0] @ np.log(terms[:, 2]) / terms[:, 0].sum(), abs=1e-12)


def expected(inputs, f, coef, intercept):
    """E f(scores) of every person by the nodes: f takes (n, q, J) to (n, q, ...)."""
    scores, log_weights = spelt_out(inputs, coef, intercept)
    values, weights = f(scores), np.exp(log_weights)
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


def test_at_most_65536_inputs_are_enumerated():
    mechanism = RandomisedResponse(0.1)
    prior = pixel_priors.flat_prior(mechanism, 2, 16)
    assert enumerate_inputs(mechanism, np.zeros((1, 16), int), prior).values.shape == (65536, 16)
    with pytest.raises(ValueError, match=r"enumerates every input: at most 65,536, got 2\^17; use exact=False"):
        enumerate_inputs(mechanism, np.zeros((1, 17), int), prior)

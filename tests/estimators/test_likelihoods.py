"""Likelihoods of a linear model against sums over every truth, finite differences, Monte Carlo and quadrature."""

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, minimize
from scipy.sparse import csr_array
from scipy.stats import norm

from privdemo.estimators import likelihoods, pixel_priors, votes
from privdemo.estimators.inputs import EnumeratedInputs, GaussianInputs, KnownInputs, enumerate_inputs
from privdemo.estimators.likelihoods import Model, climb, maximise, reconstruction, spread_log_likelihood
from privdemo.estimators.pixel_priors import PixelPrior
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from tests.estimators.oracles import class_probs, finite_differences, rng, truths

PIXELS = RandomisedResponse(0.3, 3)
OBJECTIVES = [spread_log_likelihood, reconstruction]


def people(n=6, d=4, n_classes=2, n_labels=3, seed=0):
    """A model, T (n_labels, n_classes), and the labels that people released."""
    draw, n_scores = rng(seed), 1 if n_classes == 2 else n_classes
    channel = draw.dirichlet(np.ones(n_labels), n_classes).T
    return Model(draw.normal(size=(d, n_scores)), draw.normal(size=n_scores)), channel, draw.integers(0, n_labels, n)


def inputs_of(kind, n, d):
    mean, variance = rng(1).random((n, d)), rng(2).random((n, d))
    return {
        "dense": KnownInputs(mean),
        "sparse": KnownInputs(csr_array(mean * (mean > 0.5))),
        "Gaussian": GaussianInputs(mean, variance),
        "Gaussian, same variance for all": GaussianInputs(mean, variance[:1]),
        "enumerated": EnumeratedInputs(rng(3).random((7, d)), np.log(rng(4).dirichlet(np.ones(7), n))),
    }[kind]


def objective_and_gradient(objective, inputs, log_rows, packed, shape):
    """Σ_n objective and its gradient as the package computes them, of packed (coef, intercept)."""
    coef, intercept = packed[: -shape[1]].reshape(shape), packed[-shape[1] :]
    nodes = inputs.nodes(coef, intercept)
    log_p = likelihoods.log_class_probabilities(nodes.scores)
    value = objective(log_p, nodes.log_weights, log_rows)
    d_coef, d_intercept = nodes.pull_back(likelihoods.gradient_at_nodes(value, log_p))
    return value.objective.sum(), np.concatenate((d_coef.ravel(), d_intercept))


def pack(model):
    return np.concatenate((model.coef.ravel(), model.intercept))


def at_nodes(objective, inputs, log_rows, model):
    """The objective of every person."""
    nodes = inputs.nodes(model.coef, model.intercept)
    return objective(likelihoods.log_class_probabilities(nodes.scores), nodes.log_weights, log_rows).objective


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_scores", [1, 2, 5])
def test_class_probabilities_are_the_softmax_and_finite_however_large_the_scores(n_scores):
    scores = rng().normal(size=(3, 4, n_scores))
    expected = class_probs(scores, np.eye(n_scores), np.zeros(n_scores))
    np.testing.assert_allclose(np.exp(likelihoods.log_class_probabilities(scores)), expected, rtol=1e-13)
    np.testing.assert_allclose(likelihoods.log_class_probabilities(np.array([800.0])), [-800, 0], atol=1e-300)


# --- gradients and the climb -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dense", "sparse", "Gaussian", "Gaussian, same variance for all", "enumerated"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_gradients_equal_finite_differences(kind, objective, n_classes):
    model, channel, released = people(n_classes=n_classes)
    inputs, log_rows = inputs_of(kind, 6, 4), np.log(channel[released])

    def value(packed):
        return objective_and_gradient(objective, inputs, log_rows, packed, model.coef.shape)

    for scale in (0.1, 1, 3):
        found, expected = (
            value(scale * pack(model))[1],
            finite_differences(lambda at: value(at)[0], scale * pack(model)),
        )
        # sums of size 10 rounded to 10⁻¹⁵, over 2·10⁻⁵, and a third derivative of size 10 times 10⁻¹⁰
        np.testing.assert_allclose(found, expected, atol=2e-8)


@pytest.mark.parametrize(
    ("kind", "n_classes"), [("dense", 2), ("sparse", 3), ("Gaussian", 2), ("Gaussian", 3), ("enumerated", 3)]
)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("chunk", [4096, 7])
def test_at_the_maximum_the_penalised_objective_is_level_and_lower_all_around(
    kind, n_classes, objective, chunk, monkeypatch
):
    monkeypatch.setattr(likelihoods, "CHUNK", chunk)
    n, C = 40, 3.0
    model, channel, released = people(n, n_classes=n_classes)
    inputs, log_rows, shape = inputs_of(kind, n, 4), np.log(channel[released]), model.coef.shape
    start, weights = Model(0.1 * model.coef, 0 * model.intercept), rng(6).integers(1, 3, n)
    counted = np.repeat(np.arange(n), weights)

    def penalised(packed):
        value, gradient = objective_and_gradient(objective, inputs.take(counted), log_rows[counted], packed, shape)
        coef = np.append(packed[: -shape[1]], np.zeros(shape[1]))
        return value - coef @ coef / (2 * C), gradient - coef / C

    found = maximise(objective, inputs, log_rows, weights, C, start, 1e-7, 5000)
    assert found.converged
    assert found.n_iter > 1
    best, gradient = penalised(pack(found))
    # 10⁻⁷ a person, at the mean input: moving back adds the mean input, at most 1, times the intercept's own
    assert np.abs(gradient).max() < 2e-7 * weights.sum()
    assert best > penalised(pack(start))[0]
    for direction in rng(5).normal(size=(20, len(gradient))):
        assert penalised(pack(found) + 0.03 * direction)[0] < best
    # the mean over people in chunks is that over all of them
    spread = likelihoods.released_log_likelihood(inputs, log_rows, model)
    np.testing.assert_allclose(spread, at_nodes(spread_log_likelihood, inputs, log_rows, model), rtol=1e-12)
    proba = likelihoods.expected_proba(inputs, model)
    assert proba.shape == (n, n_classes)
    np.testing.assert_allclose(np.log((proba * np.exp(log_rows)).sum(axis=1)), spread, rtol=1e-10)


def test_the_climb_measures_the_intercept_at_the_centre_and_says_how_it_ended(monkeypatch):
    target, centre, handed = np.array([[1.0], [-2.0]]), np.array([3.0, 0.5]), []

    def watched(loss, start, **settings):
        handed.append((start, settings))
        return minimize(loss, start, **settings)

    def parabola(coef, intercept):
        value = -np.square(coef - target).sum() - np.square(intercept - 4).sum()
        return float(value), -2 * (coef - target), -2 * (intercept - 4)

    monkeypatch.setattr(likelihoods, "minimize", watched)
    start = Model(np.array([[0.5], [0.0]]), np.array([1.0]))
    found = climb(parabola, 10.0, centre, 0.25, start, 1e-9, 500)
    np.testing.assert_allclose(handed[0][0], [0.5, 0, 1 + 3 * 0.5], rtol=1e-14)
    assert handed[0][1]["options"] == {"maxiter": 500, "gtol": 1e-9, "ftol": pytest.approx(1e-14)}
    # −(w − t)² − w²/(2C) is largest at t/(1 + 1/(2C)); the intercept is free
    np.testing.assert_allclose(found.coef, target / 3, atol=1e-6)
    np.testing.assert_allclose(found.intercept, 4, atol=1e-6)
    assert found.converged
    assert not climb(parabola, 10.0, centre, 0.25, start, 1e-9, 1).converged


@pytest.mark.parametrize(
    ("status", "gradient", "converged"), [(0, 1.0, True), (1, 0.0, False), (2, 0.0099, True), (2, -0.0101, False)]
)
def test_a_line_search_that_rounding_ends_has_converged_if_the_gradient_is_all_but_level(
    status, gradient, converged, monkeypatch
):
    ended = OptimizeResult(x=np.zeros(2), status=status, jac=np.array([0.0, gradient]), nit=3)
    monkeypatch.setattr(likelihoods, "minimize", lambda *args, **settings: ended)
    start = Model(np.zeros((1, 1)), np.zeros(1))
    found = climb(lambda coef, intercept: (0.0, coef, intercept), 1.0, np.zeros(1), 1.0, start, 1e-4, 9)
    assert (found.converged, found.n_iter) == (converged, 3)


# --- the spread likelihood against every truth -----------------------------------------------------


def tiny(n_classes=2, d=4, n=5, k=3, seed=0):
    """A model, T, labels, states released and a random prior: small enough to enumerate."""
    model, channel, labels = people(n, d, n_classes, 3, seed)
    states = rng(seed + 1).integers(0, k, (n, d)).astype(np.uint8)
    return model, channel, labels, states, PixelPrior(np.arange(k), rng(seed + 2).dirichlet(np.ones(k), d))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_both_objectives_sum_over_every_truth(n_classes, seed):
    model, channel, labels, states, prior = tiny(n_classes, seed=seed)
    inputs, log_rows = enumerate_inputs(PIXELS, states, prior), np.log(channel[labels])
    spread, guessed = (at_nodes(objective, inputs, log_rows, model) for objective in OBJECTIVES)
    for person, (label, image) in enumerate(zip(labels, states, strict=True)):
        terms = np.array(list(truths(*model[:2], channel[label], image, prior, PIXELS.channel_matrix)))
        assert spread[person] == pytest.approx(np.log(terms[:, 0].sum() / terms[:, 1].sum()), abs=1e-12)
        assert guessed[person] == pytest.approx(terms[:, 0] @ np.log(terms[:, 2]) / terms[:, 0].sum(), abs=1e-12)


@pytest.mark.parametrize(("n_classes", "tolerance"), [(2, 0.0), (3, 5e-3)])
def test_the_spread_likelihood_of_large_images_equals_a_monte_carlo(n_classes, tolerance):
    n, d, draws, k, mechanism = 3, 784, 2000, 4, RandomisedResponse(0.5, 4)
    prior = PixelPrior(np.arange(k), rng(1).dirichlet(np.ones(k), d))
    released = rng(2).integers(0, k, (n, d)).astype(np.uint8)
    model, channel, labels = people(n, d, n_classes)
    model = Model(3 * model.coef / np.sqrt(d), model.intercept - 1.5 * model.coef.sum(axis=0) / np.sqrt(d))
    moments = pixel_priors.posterior_moments(mechanism, released, prior)
    inputs = GaussianInputs(moments.mean / (k - 1), moments.variance / (k - 1) ** 2)
    found = np.exp(likelihoods.released_log_likelihood(inputs, np.log(channel[labels]), model))
    for person, image in enumerate(released):
        posterior = prior.probs * mechanism.channel_matrix[image]
        cumulative = (posterior / posterior.sum(axis=1, keepdims=True)).cumsum(axis=1)[:, :-1]
        states = sum(rng(5).random((draws, d)) > c for c in cumulative.T)
        drawn = class_probs(states / (k - 1), *model[:2]) @ channel[labels[person]]
        # five standard errors, and what 128 nodes of three scores are good for
        assert abs(found[person] - drawn.mean()) < tolerance + 5 * drawn.std() / np.sqrt(draws)


def test_gaussian_pixels_against_integration_on_a_fine_grid():
    """One pixel, so p̃(c̃ | x̃) is ∫ p(c̃ | x) p(x̃ | x) p(x) dx / p(x̃)."""
    noise, prior = GaussianNoise(0.7), pixel_priors.GaussianPrior(np.array([0.4]), np.array([0.3]))
    model, channel, released, label = Model(np.array([[2.5]]), np.array([-0.8])), people()[1], 1.3, np.array([2])
    x = np.linspace(-8, 9, 200_001)
    posterior = norm.pdf(released, x, 0.7) * norm.pdf(x, 0.4, np.sqrt(0.3))
    expected = np.log(class_probs(x[:, None], *model[:2]) @ channel[2] @ posterior / posterior.sum())
    inputs = GaussianInputs(*pixel_priors.posterior_moments(noise, np.array([[released]]), prior), 64)
    found = likelihoods.released_log_likelihood(inputs, np.log(channel[label]), model)[0]
    assert found == pytest.approx(expected, abs=1e-9)  # 64 nodes at a standard deviation of 1


# --- reconstruction --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dense", "Gaussian", "enumerated"])
def test_reconstruction_confirms_whatever_it_is_sure_of(kind):
    """With every lie possible, J rises to 0 along any direction; the spread likelihood does not."""
    _, channel, labels = people()
    inputs, log_rows = inputs_of(kind, 6, 4), np.log(channel[labels])
    for direction in rng(7).normal(size=(3, 5)):
        start, end = (
            objective_and_gradient(reconstruction, inputs, log_rows, s * direction, (4, 1))[0] for s in (0, 1e4)
        )
        assert start == pytest.approx(6 * -np.log(2))
        # a score of 0 within 1/10⁴ of the 6 people's spread leaves its entropy
        assert -0.1 < end <= 0
        spread = objective_and_gradient(spread_log_likelihood, inputs, log_rows, 1e4 * direction, (4, 1))[0]
        assert spread < np.log(channel.max()) * 6 / 2


@pytest.mark.parametrize("channel", [BinaryChannel(0.1, 0.1), BinaryChannel(0.1, 0.3), BinaryChannel(0.8, 0.7)])
def test_without_inputs_reconstruction_is_that_of_votes(channel):
    n, said = 50, 32
    log_rows = np.log(channel.channel_matrix[np.repeat([0, 1], [n - said, said])])
    for theta in (0.02, 0.3, 0.5, 0.9):
        packed = np.array([0.0, np.log(theta / (1 - theta))])
        found = objective_and_gradient(reconstruction, KnownInputs(np.zeros((n, 1))), log_rows, packed, (1, 1))[0] / n
        assert found == pytest.approx(float(votes.reconstruction_objective(theta, said / n, channel)), abs=1e-13)

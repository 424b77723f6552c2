"""Classifiers from released data against brute force over every truth, finite differences and scikit-learn."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit, softmax
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from privdemo.estimators import likelihoods, logistic, pixel_priors, votes
from privdemo.estimators.inputs import EnumeratedInputs, GaussianInputs, KnownInputs, enumerate_inputs
from privdemo.estimators.likelihoods import Model, maximise, reconstruction, spread_log_likelihood
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.estimators.pixel_priors import PixelPrior
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse

FLIPS = BinaryChannel(0.1, 0.3)
PIXELS = RandomisedResponse(0.3, 3)
METHODS = [NaiveLogisticRegression, SpreadLogisticRegression, ReconstructionLogisticRegression]
OBJECTIVES = [spread_log_likelihood, reconstruction]


def rng(seed=0):
    return np.random.default_rng(seed)


def people(n=6, d=4, n_classes=2, n_labels=3, seed=0):
    """A model (coef (d, J), intercept), T (n_labels, n_classes), and the labels that people released."""
    draw, n_scores = rng(seed), 1 if n_classes == 2 else n_classes
    channel = draw.dirichlet(np.ones(n_labels), n_classes).T
    return Model(draw.normal(size=(d, n_scores)), draw.normal(size=n_scores)), channel, draw.integers(0, n_labels, n)


def class_probs(x, model):
    """p(c | x), (..., K), from the textbook formulae."""
    scores = x @ model.coef + model.intercept
    return softmax(scores if scores.shape[-1] > 1 else np.concatenate((0 * scores, scores), axis=-1), axis=-1)


def simulate(n, d, n_classes=2, seed=0, strength=2.0):
    """Inputs in [0, 1], classes drawn from a logistic model of them, and that model."""
    draw, n_scores = rng(seed), 1 if n_classes == 2 else n_classes
    coef, x = strength * draw.normal(size=(d, n_scores)), draw.random((n, d))
    model = Model(coef, 0.3 - 0.5 * coef.sum(axis=0))
    chances = class_probs(x, model)
    return x, (draw.random((n, 1)) > chances.cumsum(axis=1)[:, :-1]).sum(axis=1), model


def release(labels, channel, seed=0):
    """Each label's release, drawn from its column of T."""
    cumulative = channel.cumsum(axis=0)[:-1, labels]
    return (rng(seed).random(len(labels)) > cumulative).sum(axis=0)


def objective_and_gradient(objective, inputs, log_rows, packed, shape):
    """Σ_n objective and its gradient as the package computes them, of packed (coef, intercept)."""
    coef, intercept = packed[: -shape[1]].reshape(shape), packed[-shape[1] :]
    nodes = inputs.nodes(coef, intercept)
    log_p = likelihoods.log_class_probabilities(nodes.scores)
    value = objective(log_p, nodes.log_weights, log_rows)
    d_coef, d_intercept = nodes.pull_back(likelihoods.gradient_at_nodes(value, log_p))
    return value.objective.sum(), np.concatenate((d_coef.ravel(), d_intercept))


def slopes(f, at, step=1e-5):
    """Central finite differences of f."""
    return np.array([(f(at + move) - f(at - move)) / (2 * step) for move in step * np.eye(len(at))])


# --- gradients -------------------------------------------------------------------------------------


def inputs_of(kind, n, d):
    mean, variance = rng(1).random((n, d)), rng(2).random((n, d))
    return {
        "dense": KnownInputs(mean),
        "sparse": KnownInputs(csr_array(mean * (mean > 0.5))),
        "Gaussian": GaussianInputs(mean, variance),
        "Gaussian, same variance for all": GaussianInputs(mean, variance[:1]),
        "enumerated": EnumeratedInputs(rng(3).random((7, d)), np.log(rng(4).dirichlet(np.ones(7), n))),
    }[kind]


@pytest.mark.parametrize("kind", ["dense", "sparse", "Gaussian", "Gaussian, same variance for all", "enumerated"])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_gradients_equal_finite_differences(kind, objective, n_classes):
    model, channel, released = people(n_classes=n_classes)
    inputs, log_rows = inputs_of(kind, 6, 4), np.log(channel[released])

    def value(packed):
        return objective_and_gradient(objective, inputs, log_rows, packed, model.coef.shape)

    for scale in (0.1, 1, 3):
        packed = scale * np.concatenate((model.coef.ravel(), model.intercept))
        found, expected = value(packed)[1], slopes(lambda at: value(at)[0], packed)
        # sums of size 10 rounded to 10⁻¹⁵, over 2·10⁻⁵, and a third derivative of size 10 times 10⁻¹⁰
        np.testing.assert_allclose(found, expected, atol=2e-8)
        assert np.abs(expected).max() > 1e-2


@pytest.mark.parametrize(
    ("kind", "n_classes"),
    [("dense", 2), ("sparse", 3), ("Gaussian", 2), ("Gaussian", 3), ("enumerated", 2), ("enumerated", 3)],
)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_at_the_maximum_the_penalised_objective_is_level_and_lower_all_around(kind, n_classes, objective):
    n, C = 40, 3.0
    model, channel, released = people(n, n_classes=n_classes)
    inputs, log_rows, shape = inputs_of(kind, n, 4), np.log(channel[released]), model.coef.shape
    start = Model(0.1 * model.coef, 0 * model.intercept)

    def penalised(packed):
        value, gradient = objective_and_gradient(objective, inputs, log_rows, packed, shape)
        coef = np.append(packed[: -shape[1]], np.zeros(shape[1]))
        return value - coef @ coef / (2 * C), gradient - coef / C

    found = maximise(objective, inputs, log_rows, np.ones(len(log_rows)), C, start, 1e-7, 5000)
    assert found.converged
    top = np.concatenate((found.coef.ravel(), found.intercept))
    best, gradient = penalised(top)
    # 10⁻⁷ a person, at the mean input: moving back adds the mean input, at most 1, times the intercept's own
    assert np.abs(gradient).max() < 2e-7 * n
    begun = penalised(np.concatenate((start.coef.ravel(), start.intercept)))
    assert np.abs(begun[1]).max() > 1e-3 * n  # there was something to climb
    assert best > begun[0]
    for direction in rng(5).normal(size=(20, len(top))):
        assert penalised(top + 0.03 * direction)[0] < best


# --- the spread likelihood against every truth -----------------------------------------------------


def tiny(n_classes=2, d=4, n=5, k=3, seed=0):
    """A model, T, labels, states released, a random prior and a mechanism: small enough to enumerate."""
    model, channel, labels = people(n, d, n_classes, 3, seed)
    states = rng(seed + 1).integers(0, k, (n, d)).astype(np.uint8)
    return model, channel, labels, states, PixelPrior(np.arange(k), rng(seed + 2).dirichlet(np.ones(k), d))


def joint(model, channel, label, image, prior, flip_prob, k=3):
    """(probability p(c̃, x̃, c, x) and p(x̃, x), x, c) of every truth (x, c) of one person, term by term."""
    for states in itertools.product(range(k), repeat=len(image)):
        of_x = np.prod([prior.probs[d, s] for d, s in enumerate(states)])
        of_x *= np.prod([1 - flip_prob if s == z else flip_prob / (k - 1) for s, z in zip(states, image, strict=True)])
        x = np.array(states) / (k - 1)
        chances = class_probs(x, model)
        for c in range(channel.shape[1]):
            yield channel[label, c] * chances[c] * of_x, of_x / channel.shape[1], chances[c]


def fitted_by_hand(method, channel, pixels, prior, model, **settings):
    """An estimator of `method` with the weights of `model`."""
    estimator = method(channel, pixels, prior, max_iter=1, **settings)
    n_labels, d = len(channel), len(model.coef)
    states, labels = np.zeros((n_labels, d), np.uint8), np.arange(n_labels)
    with pytest.warns(ConvergenceWarning):
        estimator.fit(states, labels)
    estimator.coef_, estimator.intercept_ = model.coef.T, model.intercept
    return estimator


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_exact_spread_likelihood_sums_over_every_truth(n_classes, seed):
    model, channel, labels, states, prior = tiny(n_classes, seed=seed)
    estimator = fitted_by_hand(SpreadLogisticRegression, channel, PIXELS, prior, model, exact=True)
    close = fitted_by_hand(SpreadLogisticRegression, channel, PIXELS, prior, model)
    for label, image in zip(labels, states, strict=True):
        terms = np.array(list(joint(model, channel, label, image, prior, PIXELS.flip_prob)))
        expected = np.log(terms[:, 0].sum() / terms[:, 1].sum())
        assert estimator.score_released(image[None], label[None]) == pytest.approx(expected, abs=1e-12)
        # p(c | c̃, x̃) of the same terms
        posterior = terms[:, 0].reshape(-1, n_classes).sum(axis=0) / terms[:, 0].sum()
        np.testing.assert_allclose(estimator.released_proba(image[None], label[None])[0], posterior, atol=1e-12)
        # four pixels are few: the central limit (and 128 nodes) is good for a few hundredths of a nat
        assert close.score_released(image[None], label[None]) == pytest.approx(expected, abs=0.05)
        # and it is that of each pixel's own posterior mean and variance, in single precision
        pixel, x = prior.probs * PIXELS.channel_matrix[image], np.array([0, 0.5, 1])
        mean, square = (pixel @ x**power / pixel.sum(axis=1) for power in (1, 2))
        inputs = GaussianInputs(mean[None], square[None] - mean**2)
        by_hand = likelihoods.released_log_likelihood(inputs, np.log(channel[[label]]), model)[0]
        assert close.score_released(image[None], label[None]) == pytest.approx(by_hand, abs=1e-5)

    def one_by_one(estimator):
        return np.array([estimator.score_released(x[None], c[None]) for x, c in zip(states, labels, strict=True)])

    found = one_by_one(estimator)
    assert estimator.score_released(states, labels) == pytest.approx(found.mean(), abs=1e-13)
    for wrong_channel, wrong_pixels in ((channel[::-1], PIXELS), (channel, RandomisedResponse(0.2, 3))):
        wrong = fitted_by_hand(SpreadLogisticRegression, wrong_channel, wrong_pixels, prior, model, exact=True)
        assert np.abs(one_by_one(wrong) - found).max() > 1e-4


def simulated_images(n, d, k, mechanism, seed=1):
    """Released states of images with random pixel frequencies, and those frequencies."""
    frequencies = rng(seed).dirichlet(np.ones(k), d)
    clean = (rng(seed + 1).random((n, d, 1)) > frequencies.cumsum(axis=1)[:, :-1]).sum(axis=2).astype(np.uint8)
    return clean, mechanism.randomise(clean, rng(seed + 2)), PixelPrior(np.arange(k), frequencies)


@pytest.mark.parametrize(("n_classes", "tolerance"), [(2, 0.0), (3, 5e-3)])
def test_spread_likelihood_of_large_images_equals_a_monte_carlo(n_classes, tolerance):
    n, d, draws, k, mechanism = 4, 784, 4000, 4, RandomisedResponse(0.5, 4)
    _, released, prior = simulated_images(n, d, k, mechanism)
    model, channel, labels = people(n, d, n_classes)
    model = Model(3 * model.coef / np.sqrt(d), model.intercept - 1.5 * model.coef.sum(axis=0) / np.sqrt(d))

    def z_scores(channel, pixels):
        moments = pixel_priors.posterior_moments(pixels, released, prior)
        inputs = GaussianInputs(moments.mean / (k - 1), moments.variance / (k - 1) ** 2)
        found = np.exp(likelihoods.released_log_likelihood(inputs, np.log(channel[labels]), model))
        return [
            max(0, abs(f - a.mean()) - tolerance) / (a.std() / np.sqrt(draws))
            for f, a in zip(found, drawn, strict=True)
        ]

    drawn = []
    for image, label in zip(released, labels, strict=True):
        posterior = prior.probs * mechanism.channel_matrix[image]
        cumulative = (posterior / posterior.sum(axis=1, keepdims=True)).cumsum(axis=1)[:, :-1]
        states = sum(rng(5).random((draws, d)) > c for c in cumulative.T)
        drawn.append(class_probs(states / (k - 1), model) @ channel[label])
    # five standard errors, and what 128 nodes of three scores are good for
    assert max(z_scores(channel, mechanism)) < 5
    assert max(z_scores(np.roll(channel, 1, axis=0), mechanism)) > 5
    assert max(z_scores(channel, RandomisedResponse(0.3, k))) > 5


def test_gaussian_pixels_against_adaptive_integration():
    """One pixel, so p̃(c̃ | x̃) is ∫ p(c̃ | x) p(x̃ | x) p(x) dx / p(x̃) on a fine grid."""
    noise, prior = GaussianNoise(0.7), pixel_priors.GaussianPrior(np.array([0.4]), np.array([0.3]))
    model, channel, released, label = Model(np.array([[2.5]]), np.array([-0.8])), people()[1], 1.3, np.array([2])
    x = np.linspace(-8, 9, 200_001)
    posterior = norm.pdf(released, x, 0.7) * norm.pdf(x, 0.4, np.sqrt(0.3))
    expected = np.log(class_probs(x[:, None], model) @ channel[2] @ posterior / posterior.sum())

    def found(noise, prior):
        moments = pixel_priors.posterior_moments(noise, np.array([[released]]), prior)
        inputs = GaussianInputs(*moments, 64)
        return float(likelihoods.released_log_likelihood(inputs, np.log(channel[label]), model)[0])

    assert found(noise, prior) == pytest.approx(expected, abs=1e-9)  # 64 nodes at a standard deviation of 1
    assert abs(found(GaussianNoise(0.6), prior) - expected) > 1e-4
    assert abs(found(noise, pixel_priors.flat_gaussian_prior(1)) - expected) > 1e-4


# --- without pixel noise ---------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.03, 3.0])
@pytest.mark.parametrize("method", METHODS)
def test_with_true_labels_and_clean_inputs_it_is_logistic_regression(n_classes, C, method):
    x, y, _ = simulate(150, 5, n_classes)
    found = method(C=C, tol=1e-7).fit(x, y)
    expected = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(x, y)
    # a gradient of 10⁻⁷ a person over a curvature of at least 1/(C n) = 2·10⁻³
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-4)
    intercept = expected.intercept_ - expected.intercept_.mean() * (n_classes > 2)
    np.testing.assert_allclose(found.intercept_ - found.intercept_.mean() * (n_classes > 2), intercept, atol=1e-4)
    np.testing.assert_allclose(found.predict_proba(x), expected.predict_proba(x), atol=1e-4)
    np.testing.assert_array_equal(found.predict(x), expected.predict(x))
    shifted = found.decision_function(x) - expected.decision_function(x)
    np.testing.assert_allclose(shifted - shifted.mean() * (n_classes > 2), 0, atol=3e-4)
    other = LogisticRegression(C=1.1 * C, tol=1e-10, max_iter=10_000).fit(x, y)
    assert np.abs(found.coef_ - other.coef_).max() > 1e-3


@pytest.mark.parametrize("method", [SpreadLogisticRegression, ReconstructionLogisticRegression])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_inputs_are_dense_ones(method, n_classes):
    x, y, _ = simulate(300, 6, n_classes)
    x *= x > 0.6
    channel = RandomisedResponse(0.2, n_classes)
    released = channel.randomise(y, rng(1))
    dense, sparse = (method(channel, tol=1e-9).fit(X, released) for X in (x, csr_array(x)))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
    np.testing.assert_allclose(sparse.predict_proba(csr_array(x)), dense.predict_proba(x), atol=1e-5)
    np.testing.assert_allclose(
        sparse.released_proba(csr_array(x), released), dense.released_proba(x, released), atol=1e-5
    )


def information(x, model, channel):
    """Fisher information of (coef, intercept), (d + 1, d + 1), in released labels of two classes."""
    x = np.column_stack((x, np.ones(len(x))))
    p = class_probs(x[:, :-1], model)
    slope = (p[:, 0] * p[:, 1])[:, None] * (channel[:, 1] - channel[:, 0])
    return x.T @ (x * np.square(slope / np.sqrt(p @ channel.T)).sum(axis=1, keepdims=True))


CHANNELS = [
    BinaryChannel(0.2, 0.2).channel_matrix,
    FLIPS.channel_matrix,
    BinaryChannel(0.8, 0.7).channel_matrix,
    np.array([[0.5, 0.2], [0.3, 0.1], [0.2, 0.7]]),
]


@pytest.mark.parametrize("channel", CHANNELS, ids=["symmetric", "asymmetric", "reversed", "three labels"])
def test_known_weights_are_recovered_from_released_labels_and_missed_with_a_wrong_channel(channel):
    x, y, truth = simulate(40_000, 3)
    released = release(y, channel)
    precision = information(x, truth, channel)

    def distance(channel):
        """Squared, in standard errors: χ² of 4 degrees of freedom for the right channel."""
        found = SpreadLogisticRegression(channel, C=np.inf, tol=1e-7).fit(x, released)
        error = np.append(found.coef_[0], found.intercept_) - np.append(truth.coef, truth.intercept)
        return error @ precision @ error

    assert distance(channel) < 4 + 5 * np.sqrt(8)  # five standard deviations of χ²₄
    assert distance(0.8 * channel + 0.2 / len(channel)) > 4 + 5 * np.sqrt(8)


def test_asymmetric_lies_bias_naive_probabilities_and_not_those_of_the_spread_likelihood():
    x, y, truth = simulate(40_000, 3, strength=0.5)
    released = FLIPS.randomise(y, rng(1))
    exact = class_probs(x, truth)[:, 1].mean()
    naive = NaiveLogisticRegression(C=np.inf).fit(x, released)
    spread = SpreadLogisticRegression(FLIPS, C=np.inf).fit(x, released)
    error = np.sqrt(0.25 / 40_000) / FLIPS.contrast  # the share of a class in as many answers
    assert abs(spread.predict_proba(x)[:, 1].mean() - exact) < 5 * error
    # the naive share is that of the answers
    answers = 0.1 + 0.6 * exact
    assert abs(naive.predict_proba(x)[:, 1].mean() - answers) < 5 * error
    assert abs(answers - exact) > 20 * error
    assert np.linalg.norm(naive.coef_) < 0.8 * np.linalg.norm(truth.coef)  # and naive weights are too small


def test_binary_flips_may_be_given_as_a_mechanism_a_matrix_or_a_list():
    x, y, _ = simulate(200, 3)
    matrix = FLIPS.channel_matrix
    fits = [SpreadLogisticRegression(channel).fit(x, y) for channel in (FLIPS, matrix, matrix.tolist())]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.coef_, fits[0].coef_)
    assert np.abs(SpreadLogisticRegression(BinaryChannel(0.3, 0.1)).fit(x, y).coef_ - fits[0].coef_).max() > 1e-2


def bags(n_bags, n_classes, classes, seed=0):
    """T[bag, class] = n_bag π_bag(class) / Σ_b n_b π_b(class), and a bag for everybody, drawn from it."""
    channel = rng(seed).dirichlet(np.full(n_classes, 0.5), n_bags)
    channel /= channel.sum(axis=0)
    return channel, release(classes, channel, seed)


@pytest.mark.parametrize(("n_bags", "n_classes"), [(100, 2), (10, 10)])
def test_a_classifier_is_learnt_from_the_names_of_bags_alone(n_bags, n_classes):
    x, y, _ = simulate(12_000, 6, n_classes, strength=8.0)
    train, test = slice(0, 9000), slice(9000, None)
    channel, names = bags(n_bags, n_classes, y[train])

    def accuracy(estimator, labels):
        return (estimator.fit(x[train], labels).predict(x[test]) == y[test]).mean()

    ceiling = accuracy(NaiveLogisticRegression(), y[train])
    found = accuracy(SpreadLogisticRegression(channel), names)
    wrong = accuracy(SpreadLogisticRegression(channel[rng(1).permutation(n_bags)]), names)
    error = np.sqrt(0.25 / 3000)  # of an accuracy on 3000 people
    assert found > ceiling - 0.03 - 2 * error
    assert found > np.bincount(y[test]).max() / 3000 + 10 * error
    assert wrong < found - 10 * error


# --- with pixel noise ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "exact", "pixels"), [(4, True, PIXELS), (15, False, PIXELS), (12, False, GaussianNoise(0.5))]
)
def test_the_truth_is_recovered_from_noisy_inputs_and_lies_and_missed_with_wrong_noise(d, exact, pixels):
    """Twice the log-likelihood that a fit gains over the true weights is χ² of d + 1 degrees of freedom."""
    n, frequencies = 5000, rng(1).dirichlet(np.ones(3), d)
    states = (rng(2).random((n, d, 1)) > frequencies.cumsum(axis=1)[:, :-1]).sum(axis=2).astype(np.uint8)
    coef = rng(3).normal(size=(d, 1)) * 6 / np.sqrt(d)
    truth = Model(coef, -(states / 2).mean(axis=0) @ coef)
    y = FLIPS.randomise((rng(4).random(n) < class_probs(states / 2, truth)[:, 1]).astype(int), rng(5))
    released = pixels.randomise(pixels.from_states(states, 3), rng(6))

    def gain(channel, pixels):
        prior = pixel_priors.true_prior(pixels, frequencies)
        fit = SpreadLogisticRegression(channel, pixels, prior, C=np.inf, exact=exact).fit(released, y)
        best = fit.score_released(released, y)
        fit.coef_, fit.intercept_ = truth.coef.T, truth.intercept
        return 2 * n * (best - fit.score_released(released, y))

    bound = d + 1 + 5 * np.sqrt(2 * (d + 1))
    assert 0 < gain(FLIPS, pixels) < bound
    assert gain(BinaryChannel(0.3, 0.1), pixels) > bound
    weaker = RandomisedResponse(0.1, 3) if pixels is PIXELS else GaussianNoise(0.2)
    assert gain(FLIPS, weaker) > bound


@pytest.mark.parametrize("word", ["learned", "flat"])
@pytest.mark.parametrize("pixels", [PIXELS, GaussianNoise(0.3), LaplaceNoise(0.2)], ids=repr)
def test_words_for_priors_mean_the_priors_of_released_inputs(word, pixels):
    clean, _, _ = simulated_images(200, 3, 3, PIXELS)
    released = pixels.randomise(pixels.from_states(clean, 3), rng(1))
    y = FLIPS.randomise((clean.sum(axis=1) > 3).astype(int), rng(2))
    levels = 3 if pixels is PIXELS else pixel_priors.SUPPORT_POINTS
    expected = {
        ("learned", True): lambda: pixel_priors.learned_gaussian_prior(pixels, released),
        ("flat", True): lambda: pixel_priors.flat_gaussian_prior(3),
        ("learned", False): lambda: pixel_priors.learned_prior(pixels, released, levels),
        ("flat", False): lambda: pixel_priors.flat_prior(pixels, levels, 3),
    }[word, isinstance(pixels, GaussianNoise)]()
    by_word, by_prior = (SpreadLogisticRegression(FLIPS, pixels, p).fit(released, y) for p in (word, expected))
    np.testing.assert_array_equal(by_word.coef_, by_prior.coef_)
    assert by_prior.prior_ is expected
    assert type(by_word.prior_) is type(expected)
    other = SpreadLogisticRegression(FLIPS, pixels, {"learned": "flat", "flat": "learned"}[word]).fit(released, y)
    assert np.abs(other.coef_ - by_word.coef_).max() > 1e-2
    assert SpreadLogisticRegression(FLIPS, prior=word).fit(released.astype(float), y).prior_ is None


# --- reconstruction --------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_reconstruction_sums_over_every_truth(n_classes, seed):
    model, channel, labels, states, prior = tiny(n_classes, seed=seed)
    inputs = enumerate_inputs(PIXELS, states, prior)
    nodes = inputs.nodes(model.coef, model.intercept)
    log_p = likelihoods.log_class_probabilities(nodes.scores)
    found = reconstruction(log_p, nodes.log_weights, np.log(channel[labels])).objective
    other = reconstruction(log_p, nodes.log_weights, np.log(channel[::-1][labels])).objective
    for person, (label, image) in enumerate(zip(labels, states, strict=True)):
        terms = np.array(list(joint(model, channel, label, image, prior, PIXELS.flip_prob)))
        expected = terms[:, 0] @ np.log(terms[:, 2]) / terms[:, 0].sum()
        assert found[person] == pytest.approx(expected, abs=1e-12)
    assert np.abs(other - found).max() > 1e-3
    assert (found < 0).all()


@pytest.mark.parametrize("kind", ["dense", "Gaussian", "enumerated"])
def test_reconstruction_confirms_whatever_it_is_sure_of(kind):
    """With every lie possible, J rises to 0 along any direction; the spread likelihood does not."""
    _, channel, labels = people(n=6)
    inputs, log_rows = inputs_of(kind, 6, 4), np.log(channel[labels])
    for direction in rng(7).normal(size=(3, 5)):
        ends = {}
        for objective in OBJECTIVES:
            rows = [
                objective_and_gradient(objective, inputs, log_rows, s * direction, (4, 1))[0] for s in (0, 100, 1e4)
            ]
            ends[objective] = rows
        assert ends[reconstruction][0] == pytest.approx(6 * -np.log(2))
        # a score of 0 within 1/10⁴ of the 6 people's spread leaves its entropy
        assert -0.1 < ends[reconstruction][2] <= 0
        assert ends[spread_log_likelihood][2] < np.log(channel.max()) * 6 / 2


@pytest.mark.parametrize("channel", [BinaryChannel(0.1, 0.1), FLIPS, BinaryChannel(0.8, 0.7)])
def test_without_inputs_reconstruction_is_that_of_votes(channel):
    n, said = 50, 32
    answers = np.repeat([0, 1], [n - said, said])
    log_rows, inputs = np.log(channel.channel_matrix[answers]), KnownInputs(np.zeros((n, 1)))
    for theta in (0.02, 0.3, 0.5, 0.9):
        packed = np.array([0.0, np.log(theta / (1 - theta))])
        found = objective_and_gradient(reconstruction, inputs, log_rows, packed, (1, 1))[0] / n
        assert found == pytest.approx(float(votes.reconstruction_objective(theta, said / n, channel)), abs=1e-13)
    spread = SpreadLogisticRegression(channel, tol=1e-9).fit(np.zeros((n, 1)), answers)
    expected = float(votes.corrected(said / n, channel))
    assert 0 < expected < 1
    assert spread.predict_proba(np.zeros((1, 1)))[0, 1] == pytest.approx(expected, abs=1e-6)
    naive = NaiveLogisticRegression(tol=1e-9).fit(np.zeros((n, 1)), answers)
    assert naive.predict_proba(np.zeros((1, 1)))[0, 1] == pytest.approx(said / n, abs=1e-6)


# --- the penalty -----------------------------------------------------------------------------------


def cv_case(method, d=3, n=120):
    """An estimator with C="cv", and what it is fitted to."""
    # with more than a few lies reconstruction calls everybody the same, whatever the penalty
    flips, pixels = (
        (BinaryChannel(0.02, 0.03), RandomisedResponse(0.1, 3))
        if method is ReconstructionLogisticRegression
        else (FLIPS, PIXELS)
    )
    clean, released, _ = simulated_images(n, d, 3, pixels)
    y = flips.randomise((rng(4).random(n) < expit(clean @ np.array([3.0, -3, 2]) - 2)).astype(int), rng(5))
    settings = {"pixels": pixels, "C": "cv"} | ({} if method is NaiveLogisticRegression else {"channel": flips})
    return method(**settings), released, y


@pytest.mark.parametrize("method", METHODS)
def test_cross_validation_equals_its_plain_definition_on_released_data(method):
    estimator, released, y = cv_case(method)
    estimator.fit(released, y)
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(released, y))  # the same for every method
    whole = {} if method is NaiveLogisticRegression else {"prior": estimator.prior_}
    tried = len(estimator.cv_scores_)
    for step in range(0, tried, 3):
        held_out = []
        for seen, unseen in splits:
            fold = clone(estimator).set_params(C=logistic.CS[step], **whole).fit(released[seen], y[seen])
            held_out.append(len(unseen) * fold.score_released(released[unseen], y[unseen]))
        # the search solves to gradients of 10⁻³ a person only …
        assert estimator.cv_scores_[step] == pytest.approx(sum(held_out) / len(y), abs=1e-3)
    assert 1 <= tried <= len(logistic.CS)
    assert logistic.CS[int(np.argmax(estimator.cv_scores_))] == estimator.C_
    assert np.ptp(estimator.cv_scores_) > 5e-3  # … and strengths differ by more
    np.testing.assert_array_equal(clone(estimator).fit(released, y).cv_scores_, estimator.cv_scores_)
    other = clone(estimator).set_params(random_state=1).fit(released, y)
    both = min(tried, len(other.cv_scores_))
    assert np.abs(other.cv_scores_[:both] - estimator.cv_scores_[:both]).max() > 1e-4
    fixed = clone(estimator).set_params(C=estimator.C_).fit(released, y)
    # begun at 0 instead of along the strengths: the same maximum, to gradients of 10⁻⁴ a person on curvatures of 10⁻²
    np.testing.assert_allclose(fixed.coef_, estimator.coef_, rtol=2e-2)
    weaker = clone(estimator).set_params(C=estimator.C_ / 10).fit(released, y)
    assert np.abs(weaker.coef_ / estimator.coef_ - 1).max() > 4e-2
    assert not hasattr(fixed, "cv_scores_")


def test_the_search_ends_early_only_where_weaker_penalties_are_clearly_worse():
    x, y = rng(1).normal(size=(200, 100)), rng(2).integers(0, 2, 200)  # nothing to learn, and much to overfit
    scores = NaiveLogisticRegression(C="cv").fit(x, y).cv_scores_
    assert len(scores) < len(logistic.CS)
    assert np.argmax(scores) < len(scores) - 1
    # a held-out log-likelihood varies by less than its own size: three standard errors are at least a few hundredths
    assert scores[-1] < scores.max() - 0.03
    x, y, _ = simulate(200, 3)  # all is signal
    assert len(NaiveLogisticRegression(C="cv").fit(x, y).cv_scores_) == len(logistic.CS)


@pytest.mark.parametrize("method", METHODS)
def test_weights_count_people_in_the_fit_and_in_the_search(method):
    """The folds are those of the rows; in each, and in what is held out, a row counts as so many people."""
    estimator, released, y = cv_case(method)
    weights = rng(7).integers(0, 4, len(y))
    prior = {} if method is NaiveLogisticRegression else {"prior": clone(estimator).fit(released, y).prior_}
    estimator.set_params(**prior).fit(released, y, weights)
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(released, y))
    for step in range(0, len(estimator.cv_scores_), 4):
        held_out = 0.0
        for seen, unseen in splits:
            known, out = np.repeat(seen, weights[seen]), np.repeat(unseen, weights[unseen])
            fold = clone(estimator).set_params(C=logistic.CS[step]).fit(released[known], y[known])
            held_out += len(out) * fold.score_released(released[out], y[out])
        # the search solves to gradients of 10⁻³ a person only
        assert estimator.cv_scores_[step] == pytest.approx(held_out / weights.sum(), abs=1e-3)
    assert logistic.CS[int(np.argmax(estimator.cv_scores_))] == estimator.C_
    unweighted = clone(estimator).fit(released, y).cv_scores_
    both = min(len(unweighted), len(estimator.cv_scores_))
    assert np.abs(unweighted[:both] - estimator.cv_scores_[:both]).max() > 5e-3


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (-np.eye(120)[0] + 1e-3, "Negative values in data passed to `sample_weight`"),
        (np.zeros(120), "Sample weights must contain at least one non-zero number"),
        (np.full(120, np.nan), "contains NaN"),
        (np.ones(119), "sample_weight.shape"),
    ],
)
def test_weights_that_count_nobody_are_refused(weight, sentence):
    estimator, released, y = cv_case(SpreadLogisticRegression)
    with pytest.raises(ValueError, match=sentence):
        estimator.fit(released, y, weight)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_search_in_which_all_weight_is_in_one_fold_is_refused():
    x, y, _ = simulate(30, 3)
    with pytest.raises(ValueError, match="sample_weight leaves a fold with nobody to learn from"):
        SpreadLogisticRegression(FLIPS, C="cv").fit(x, y, np.eye(30)[0])


# --- scikit-learn's conventions --------------------------------------------------------------------


# Weights must do what repeats do, to more digits than a usual fit has.
@parametrize_with_checks([method(tol=1e-10) for method in METHODS])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
def test_the_constructor_stores_and_fit_alters_nothing(method):
    estimator, released, y = cv_case(method)
    given = estimator.get_params(deep=False)
    for name, value in given.items():
        assert getattr(estimator, name) is value
    channel = np.array(FLIPS.channel_matrix)
    before = released.copy(), y.copy(), channel.copy()
    if "channel" in given:
        estimator.set_params(channel=channel)
        given["channel"] = channel
    copy = clone(estimator)
    assert estimator.fit(released, y) is estimator
    for now, then in zip((released, y, channel), before, strict=True):
        np.testing.assert_array_equal(now, then)
    for name, value in given.items():
        assert getattr(estimator, name) is value
    assert not hasattr(copy, "coef_")
    np.testing.assert_array_equal(copy.fit(released, y).coef_, estimator.coef_)


# --- refusals --------------------------------------------------------------------------------------

X = rng(9).random((20, 3))
Y = np.tile([0, 1], 10)
STATES = rng(10).integers(0, 3, (20, 3)).astype(np.uint8)
NO_RELEASE = np.array([[0.5, 0.4], [0.5, 0.6], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("settings", "x", "y", "error", "sentence"),
    [
        ({}, X, 0 * Y, ValueError, r"y must hold two classes or more, got one class only: 0"),
        ({"channel": FLIPS}, X, 0 * Y + 1, ValueError, r"y must hold two classes or more, got one class only: 1"),
        ({}, X, Y[:-1], ValueError, r"inconsistent numbers of samples: \[20, 19\]"),
        ({}, np.where(X > 0.9, np.nan, X), Y, ValueError, r"Input X contains NaN"),
        ({"pixels": GaussianNoise(0.1)}, np.where(X > 0.9, np.inf, X), Y, ValueError, r"Input X contains infinity"),
        ({"pixels": PIXELS}, X, Y, TypeError, r"must hold whole-number states 0 to 2, got dtype float64"),
        ({"pixels": PIXELS}, STATES + 1, Y, ValueError, r"must hold states in \[0, 2\], got 3"),
        (
            {"pixels": GaussianNoise(0.1)},
            STATES,
            Y,
            TypeError,
            r"X must hold real values, got dtype uint8; use to_unit",
        ),
        ({"pixels": LaplaceNoise(0.1)}, STATES, Y, TypeError, r"X must hold real values, got dtype uint8; use to_unit"),
        ({"pixels": PIXELS}, csr_array(STATES), Y, TypeError, r"X must be dense where pixels are noisy"),
        (
            {"pixels": RandomisedResponse(2 / 3, 3)},
            STATES,
            Y,
            ValueError,
            "a flip probability of 0.6667 draws every pixel afresh .*; lower it",
        ),
        (
            {"channel": BinaryChannel(0.3, 0.7)},
            X,
            Y,
            ValueError,
            r"channel says nothing: every class is released alike .* lower the flip probabilities",
        ),
        ({"channel": np.array([[0.5, 0.4], [0.4, 0.6]])}, X, Y, ValueError, r"every column \[:, true\] summing to 1"),
        ({"channel": np.array([[1.5, 0], [-0.5, 1]])}, X, Y, ValueError, r"channel_matrix must hold probabilities"),
        ({"channel": np.array([0.5, 0.5])}, X, Y, ValueError, r"matrix T\[released, class\], got shape \(2,\)"),
        ({"channel": FLIPS}, X, Y + 1, ValueError, r"y must hold released labels in \[0, 1\], got 2: is channel the"),
        ({"channel": FLIPS}, X, Y - 1, ValueError, r"y must hold released labels in \[0, 1\], got -1"),
        ({"channel": NO_RELEASE}, X, 2 * Y, ValueError, r"labels that the channel can release, got 2, which no class"),
        ({"channel": FLIPS}, X, Y * 1.0, TypeError, r"numbers of released labels, 0 to 1, got dtype float64"),
        ({"C": 0}, X, Y, ValueError, r"C must be above 0, got 0"),
        ({"C": -1.0}, X, Y, ValueError, r"C must be above 0, got -1"),
        ({"C": np.nan}, X, Y, ValueError, r"C must be above 0, got nan"),
        ({"C": "best"}, X, Y, ValueError, r"C must be above 0 or \"cv\", got 'best'"),
        (
            {"channel": np.array([[0.6, 0.6, 0.2], [0.4, 0.4, 0.8]])},
            X,
            Y,
            ValueError,
            r"channel releases the classes 0 and 1 alike, so nothing tells them apart; merge them",
        ),
        ({"pixels": "noise"}, X, Y, TypeError, r"pixels must be a mechanism or None, got 'noise'"),
        ({"prior": None, "pixels": PIXELS}, STATES, Y, TypeError, r"'learned', 'flat' or a prior of .*, got None"),
        (
            {"prior": PixelPrior(np.arange(3), np.full((3, 3), 0.5)), "pixels": PIXELS},
            STATES,
            Y,
            ValueError,
            r"prior must hold probabilities, every pixel's summing to 1",
        ),
        (
            {"prior": pixel_priors.GaussianPrior(np.zeros(3), np.full(3, -1.0)), "pixels": GaussianNoise(0.1)},
            X,
            Y,
            ValueError,
            r"prior must have finite means and variances of 0 or more",
        ),
        ({"C": np.ones(2)}, X, Y, ValueError, r"C must be above 0 or \"cv\", got array"),
        ({"channel": "flip"}, X, Y, TypeError, r"channel must be a mechanism or a matrix .*, got 'flip'"),
        ({"n_nodes": 0}, X, Y, ValueError, r"n_nodes must be a whole number in \[1, 256\], got 0"),
        ({"tol": -1.0}, X, Y, ValueError, r"tol must be in \(0, 1\], got -1"),
        ({"max_iter": 0}, X, Y, ValueError, r"max_iter must be a whole number in \[1, 100000\], got 0"),
        ({"C": "cv", "cv": 21}, X, Y, ValueError, r"cv must be a whole number in \[2, 20\], got 21"),
        (
            {"prior": PixelPrior(np.arange(3), np.full((4, 3), 1 / 3)), "pixels": PIXELS},
            STATES,
            Y,
            ValueError,
            r"prior must be of shape \(3, 3\) for this mechanism and data, got \(4, 3\)",
        ),
        (
            {"prior": pixel_priors.flat_gaussian_prior(2), "pixels": GaussianNoise(0.1)},
            X,
            Y,
            ValueError,
            r"prior must be of shape \(3,\) for this mechanism and data, got \(2,\)",
        ),
        ({"prior": "true", "pixels": PIXELS}, STATES, Y, ValueError, r"'learned', 'flat' or a prior, got 'true'"),
        (
            {"prior": pixel_priors.flat_gaussian_prior(3), "pixels": PIXELS},
            STATES,
            Y,
            TypeError,
            r"a GaussianPrior goes with GaussianNoise, got RandomisedResponse",
        ),
        (
            {"exact": True, "pixels": RandomisedResponse(0.1, 256)},
            STATES,
            Y,
            ValueError,
            r"at most 65,536, got 256\^3; use exact=False",
        ),
        (
            {"exact": True, "pixels": GaussianNoise(0.1)},
            X,
            Y,
            ValueError,
            r"exact integration enumerates states: it needs randomised response; use exact=False",
        ),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(settings, x, y, error, sentence):
    for method in (SpreadLogisticRegression, ReconstructionLogisticRegression):
        with pytest.raises(error, match=sentence):
            method(**settings).fit(x, y)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ask", ["predict", "predict_proba", "decision_function", "released_proba"])
def test_nothing_is_predicted_before_fit(method, ask):
    with pytest.raises(NotFittedError, match=rf"This {method.__name__} instance is not fitted yet"):
        getattr(method(), ask)(X)
    with pytest.raises(NotFittedError):
        method().score_released(X, Y)
    assert len(getattr(method().fit(X, Y), ask)(X)) == 20


def test_what_is_predicted_for_is_checked_as_what_is_fitted_to():
    fitted = SpreadLogisticRegression(FLIPS, PIXELS).fit(STATES, Y)
    for ask in (fitted.predict, fitted.released_proba, lambda x: fitted.score_released(x, Y)):
        with pytest.raises(ValueError, match=r"must hold states in \[0, 2\], got 3"):
            ask(STATES + 1)
        with pytest.raises(ValueError, match="X has 2 features, but SpreadLogisticRegression is expecting 3"):
            ask(STATES[:, :2])
    with pytest.raises(ValueError, match=r"y must hold released labels in \[0, 1\], got 2"):
        fitted.score_released(STATES, Y + 1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted.score_released(STATES, Y[:1])
    named = SpreadLogisticRegression().fit(X, np.where(Y, 9, 7))
    assert named.score_released(X, np.where(Y, 9, 7)) < 0
    with pytest.raises(ValueError, match=r"y must hold the classes that were fitted, \[7 9\], got .*8"):
        named.score_released(X, Y + 7)


def test_too_few_iterations_are_said():
    x, y, _ = simulate(200, 5)
    with pytest.warns(ConvergenceWarning, match="not converged in 2 steps: raise max_iter or lower C"):
        SpreadLogisticRegression(max_iter=2, C=100.0).fit(x, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [3, 10])
def test_noisy_inputs_of_many_classes_teach_the_classifier(n_classes, dtype):
    """Well-separated classes in Gaussian noise, labels flipped: nearly all are recovered, by weights that sum to 0."""
    centres = rng(1).random((n_classes, 20))
    y = rng(2).integers(0, n_classes, 1500)
    x = np.clip(centres[y] + 0.05 * rng(3).standard_normal((1500, 20)), 0, 1)
    flips, noise = RandomisedResponse(0.3, n_classes), GaussianNoise(0.2)
    released = noise.randomise(x.astype(dtype), rng(4))
    fitted = SpreadLogisticRegression(flips, noise, C=10.0).fit(released, flips.randomise(y, rng(5)))
    # float32 products round sums of 1500 terms
    np.testing.assert_allclose(fitted.coef_.sum(axis=0), 0, atol=1e-3 * np.abs(fitted.coef_).max())
    assert (fitted.predict(x.astype(dtype)) == y).mean() > 0.95
    lied = SpreadLogisticRegression(np.roll(flips.channel_matrix, 1, axis=0), noise, C=10.0)
    assert (lied.fit(released, flips.randomise(y, rng(5))).predict(x.astype(dtype)) == y).mean() < 0.5


def test_people_in_chunks_are_the_same_people(monkeypatch):
    channel, noise = RandomisedResponse(0.2, 3), RandomisedResponse(0.3, 3)
    y = rng(1).integers(0, 3, 50)
    whole = SpreadLogisticRegression(channel, noise, tol=1e-7).fit(np.tile(STATES, (3, 1))[:50], y)
    monkeypatch.setattr(likelihoods, "CHUNK", 7)
    parts = SpreadLogisticRegression(channel, noise, tol=1e-7).fit(np.tile(STATES, (3, 1))[:50], y)
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-4)  # single precision, summed in another order
    np.testing.assert_allclose(parts.released_proba(STATES), whole.released_proba(STATES), atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "x"),
    [
        ({"pixels": GaussianNoise(0.0)}, np.where(np.arange(3) == 1, 0.5, X)),
        (
            {"pixels": RandomisedResponse(0.0, 3), "exact": True, "prior": PixelPrior(np.arange(3), np.eye(3))},
            STATES,
        ),
    ],
)
def test_no_noise_and_priors_that_rule_out_what_is_seen_leave_it_as_it_is(settings, x):
    """Nothing is uncertain then: ordinary logistic regression on x, no not-a-number that passes for a result."""
    fitted = SpreadLogisticRegression(FLIPS, **settings, tol=1e-7).fit(x, Y)
    known = x if x.dtype.kind == "f" else x / 2
    plain = SpreadLogisticRegression(FLIPS, tol=1e-7).fit(known, Y)
    np.testing.assert_allclose(fitted.coef_, plain.coef_, atol=1e-4)
    assert np.abs(plain.coef_).max() > 1e-2


def test_rare_labels_do_not_stop_the_choice_of_a_penalty():
    """Bags of fewer people than folds: the folds are drawn without regard to labels."""
    channel = rng(1).dirichlet(np.ones(30), 2).T
    bags = np.arange(60) % 30
    fitted = SpreadLogisticRegression(channel, C="cv").fit(rng(2).random((60, 3)), bags)
    assert fitted.C_ in logistic.CS

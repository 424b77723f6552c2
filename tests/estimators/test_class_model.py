"""The model of the classes, held against Bayes' rule spelt out, known classes, and wrong channels."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import multivariate_normal
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from privdemo.estimators import class_model
from privdemo.estimators.class_model import Classes, Factors, HeldOut, SpreadClassModel, fit_classes, responsibilities
from privdemo.estimators.inputs import GaussianInputs, KnownInputs
from privdemo.estimators.likelihoods import log_likelihood_at, spread_log_likelihood, weighed
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from tests.estimators.oracles import finite_differences, rng

FLIPS = RandomisedResponse(0.3, 2)
THREE = np.array([[0.7, 0.1, 0.2], [0.2, 0.6, 0.1], [0.1, 0.3, 0.7]])
N_PIXELS = 40


def people(n, n_classes=2, seed=0):
    """Inputs (n, D) of classes that differ in their means, with other directions in which all vary; the classes."""
    fixed, random = rng(100), rng(seed)
    means = 0.5 + 0.12 * fixed.standard_normal((n_classes, N_PIXELS))
    loadings = 0.15 * fixed.standard_normal((4, N_PIXELS))
    y = random.integers(0, n_classes, n)
    return means[y] + random.standard_normal((n, 4)) @ loadings + 0.03 * random.standard_normal((n, N_PIXELS)), y


def released(y, channel, seed=1):
    """Labels that a channel T[released, class] makes of classes."""
    return (rng(seed).random(len(y))[:, None] > channel.T[y].cumsum(axis=1)).sum(axis=1)


def marks(model, n_classes=2):
    """Accuracy and log loss on clean inputs that nobody released."""
    X, y = people(2000, n_classes, seed=9)
    proba = model.predict_proba(X)
    return np.mean(proba.argmax(axis=1) == y), log_loss(y, proba)


def test_a_class_given_factors_and_label_is_as_by_bayes_rule():
    random = rng(2)
    means, root = random.standard_normal((3, 2)), random.standard_normal((2, 2))
    classes = Classes(means, root @ root.T + np.eye(2), np.array([0.5, 0.3, 0.2]))
    values, labels = random.standard_normal((6, 2)), random.integers(0, 3, 6)
    like = np.array([[multivariate_normal(m, classes.covariance).pdf(u) for m in means] for u in values])
    joint = like * classes.shares * THREE[labels]
    assert np.allclose(responsibilities(classes, values, THREE[labels]), joint / joint.sum(axis=1, keepdims=True))
    sure = responsibilities(classes, values, np.eye(3)[labels])
    assert np.allclose(sure, np.eye(3)[labels])


@pytest.mark.parametrize("channel", [FLIPS.channel_matrix, THREE], ids=["two classes", "three"])
def test_known_classes_are_found_again(channel):
    n_classes, random = channel.shape[1], rng(3)
    means, covariance = 1.5 * random.standard_normal((n_classes, 2)), np.array([[1.0, 0.4], [0.4, 0.5]])
    y = random.choice(n_classes, 20_000, p=np.arange(1, n_classes + 1) / (n_classes * (n_classes + 1) / 2))
    values = means[y] + random.multivariate_normal(np.zeros(2), covariance, len(y))
    factors = Factors(values, np.zeros((2, 2)), np.eye(2), np.zeros(2))
    even = np.full(n_classes, 1 / n_classes)
    found = fit_classes(factors, channel[released(y, channel)], even, np.ones(len(y)), 200)
    assert np.allclose(found.means, means, atol=0.1)
    assert np.allclose(found.covariance, covariance, atol=0.05)
    assert np.allclose(found.shares, np.bincount(y) / len(y), atol=0.02)


@pytest.mark.parametrize("flip", [0.0, 0.1, 0.4])
def test_shares_are_the_likeliest_with_ten_people_of_each_class_met_before(flip):
    channel, counts = RandomisedResponse(flip, 2).channel_matrix, np.array([180, 320])
    grid = np.linspace(0.001, 0.999, 999)
    shares = np.stack((1 - grid, grid), axis=1)
    like = np.log(shares @ channel.T) @ counts + 10 * np.log(shares).sum(axis=1)
    assert class_model.first_shares(counts, channel)[1] == pytest.approx(grid[like.argmax()], abs=0.01)


def test_a_weight_is_so_many_people():
    X, y = people(60)
    weights = rng(4).integers(0, 4, 60)
    factors, rows = Factors(X[:, :3], 0.01 * np.eye(3), np.eye(3), np.zeros(3)), FLIPS.channel_matrix[y]
    often = np.repeat(np.arange(60), weights)
    even = np.full(2, 0.5)
    once = fit_classes(factors, rows, even, weights.astype(float))
    again = fit_classes(factors._replace(values=X[often, :3]), rows[often], even, np.ones(len(often)))
    for one, other in zip(once, again, strict=True):
        assert np.allclose(one, other)


@pytest.mark.parametrize("mechanism", [None, GaussianNoise(0.3)], ids=["clean", "noisy"])
def test_inputs_of_three_classes_are_told_apart(mechanism):
    X, y = people(900, 3)
    noisy = X if mechanism is None else mechanism.randomise(X.clip(0, 1), rng(5))
    model = SpreadClassModel(THREE, mechanism).fit(noisy, released(y, THREE))
    accuracy, loss = marks(model, 3)
    assert accuracy > 0.97
    assert loss < 0.2
    assert model.factors_ >= 3
    assert model.coef_.shape == (3, N_PIXELS)
    assert model.held_out_.shape == y.shape
    assert -np.log(3) < model.held_out_.mean() < -0.5
    proba = model.released_proba(noisy)
    assert np.mean(proba.argmax(axis=1) == y) > 0.75


def test_a_channel_other_than_the_true_one_does_worse_in_either_direction():
    skewed = BinaryChannel(0.05, 0.55)
    X, y = people(2000)
    labels = released(y, skewed.channel_matrix)
    others = (BinaryChannel(0.55, 0.05), BinaryChannel(0.0, 0.0))
    right = SpreadClassModel(skewed).fit(X, labels)
    for wrong in others:
        assert marks(SpreadClassModel(wrong).fit(X, labels))[1] > marks(right)[1] + 0.02
    turned = SpreadClassModel(FLIPS).fit(X, released(y, BinaryChannel(0.7, 0.7).channel_matrix))
    assert marks(turned)[0] < 0.1


def test_names_of_bags_are_a_channel_too():
    proportions = rng(6).uniform(0.2, 0.8, 12)
    names = np.stack([1 - proportions, proportions], axis=1)
    X, y = people(1200)
    model = SpreadClassModel(names / names.sum(axis=0)).fit(X, released(y, names / names.sum(axis=0)))
    assert marks(model)[0] > 0.97
    assert model.score_released(X, released(y, names / names.sum(axis=0))) > np.log(1 / 12)


def test_few_labels_that_say_little_do_better_with_the_clusters_of_the_inputs():
    X, y = people(300)
    labels = released(y, RandomisedResponse(0.4, 2).channel_matrix)
    fits = [SpreadClassModel(RandomisedResponse(0.4, 2), n_steps=n).fit(X, labels) for n in (1, 8)]
    assert marks(fits[1])[0] > marks(fits[0])[0]


def test_without_factors_only_shares_are_learned():
    y = rng(7).integers(0, 10, 400) < 3
    noise = GaussianNoise(5).randomise(np.full((400, 6), 0.5), rng(8))
    model = SpreadClassModel(FLIPS, GaussianNoise(5)).fit(noise, released(y.astype(int), FLIPS.channel_matrix))
    assert model.factors_ == 0
    assert not model.coef_.any()
    assert model.predict_proba(noise)[0, 1] < 0.5


def test_noise_of_nothing_and_zeros_left_out_are_clean_inputs():
    X, y = people(300)
    labels = released(y, FLIPS.channel_matrix)
    clean = SpreadClassModel(FLIPS).fit(X, labels)
    for other, inputs in ((SpreadClassModel(FLIPS), csr_array(X)), (SpreadClassModel(FLIPS, GaussianNoise(0)), X)):
        assert np.allclose(other.fit(inputs, labels).predict_proba(X), clean.predict_proba(X), atol=1e-3)


@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("noisy", [False, True])
def test_scale_and_shift_have_the_slopes_of_finite_differences_and_a_maximum(n_scores, noisy):
    random = rng(10)
    X, coef, intercept = random.random((30, 5)), random.standard_normal((5, n_scores)), random.standard_normal(n_scores)
    inputs = GaussianInputs(X, random.random((30, 5))) if noisy else KnownInputs(X)
    n_classes = max(n_scores, 2)
    log_rows = np.log(random.dirichlet(np.ones(n_classes), 30))
    part = HeldOut(np.arange(30), inputs.nodes(coef, intercept), log_rows, random.random(30))

    def total(packed):
        return part.weights @ log_likelihood_at(part.at(packed[0], packed[1:]), log_rows)

    at = np.concatenate(([0.7], 0.1 * random.standard_normal(n_scores)))
    _, d_scale, d_shift = weighed(spread_log_likelihood, part.at(at[0], at[1:]), log_rows, part.weights)
    assert np.allclose(np.concatenate(([d_scale], d_shift)), finite_differences(total, at), atol=1e-4)
    scale, shift = class_model.calibrate([part], n_scores)

    means = X @ coef + intercept
    apart = [means[:, 0]] if n_scores == 1 else [means[:, i] - means[:, j] for i, j in ((0, 1), (0, 2), (1, 2))]
    size = np.sqrt(np.mean([gap.var() for gap in apart]))

    def penalised(packed):
        far, moved = packed[0] * size / class_model.SCORE_SD, packed[1:] / size / class_model.SHIFT_SD
        return total(packed) - (far**2 + np.square(moved).sum()) / 2

    best = np.concatenate(([scale], shift))
    assert scale >= 0
    for move in 0.05 * rng(11).standard_normal((20, len(best))):
        assert penalised(np.concatenate(([max(0.0, best[0] + move[0])], best[1:] + move[1:]))) <= penalised(best) + 1e-5


def test_clusters_that_few_labels_do_not_confirm_are_said_with_little_confidence():
    X, y = people(300)
    nothing = rng(12).integers(0, 2, 300)
    model = SpreadClassModel(RandomisedResponse(0.45, 2)).fit(X, nothing)
    assert 0.3 < log_loss(y, model.predict_proba(X)) < 1


UNEQUAL = "directions and folds are those of rows, not of the people that a row stands for"


@parametrize_with_checks(
    [SpreadClassModel(cv=2)],
    expected_failed_checks=lambda _: dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), UNEQUAL
    ),
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)

"""Class ratios from names of sets against logistic regression, plain searches, concavity and counting."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression

from privdemo.estimators import set_names
from privdemo.estimators.choose import CLASSES, Choice
from privdemo.estimators.class_model import SpreadClassModel
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.set_names import (
    SPREAD,
    ChosenClassRatio,
    ClassifyAndCount,
    SetIdentityClassRatio,
    SpreadClassRatio,
    prior_shift,
)
from privdemo.estimators.sets import Sets, split_sets
from tests.estimators import ratio_oracles
from tests.estimators.oracles import rng
from tests.estimators.ratio_oracles import THREE, TWO, gaussian_set, gaussian_sets


def posteriors(seed, n, K):
    """Random p(c | x) under a training prior."""
    generator = rng(seed)
    prior = generator.dirichlet(np.ones(K))
    return softmax(3 * generator.normal(size=(n, K)) + generator.normal(size=K) + np.log(prior), axis=1), prior


def excess(proba, prior, share):
    """By concavity, no shares have a mean log-likelihood larger than that of `share` by more than this."""
    ratio = proba / prior
    return (ratio / (ratio @ share)[:, None]).mean(axis=0).max() - 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("n", "K"), [(5, 2), (40, 2), (30, 3), (100, 4), (200, 5), (8, 5)])
def test_the_correction_finds_the_maximum_of_the_likelihood(n, K):
    for seed in range(4):
        proba, prior = posteriors(seed, n, K)
        found = prior_shift(proba, prior)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1, abs=1e-14)
        # shares settled to 10⁻⁹ where each step shrinks what is left by 1 % or more
        assert excess(proba, prior, found) < 1e-6 < excess(proba, prior, 0.9 * found + 0.1 / K)
        np.testing.assert_allclose(prior_shift(proba.tolist(), (3 * prior).tolist()), found, atol=1e-8)
        # a class that training lacks has no share
        padded = prior_shift(np.column_stack((0.9 * proba, np.full(n, 0.1))), np.append(prior, 0))
        np.testing.assert_allclose(padded, np.append(found, 0), atol=1e-8)
        assert padded[K] == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("proba", "prior", "expected"),
    [
        # records that are surely of a class that training lacks spoil nothing
        ([[0.0, 1.0], [0.5, 0.5]], [1.0, 0.0], [1, 0]),
        ([[1, 0], [1, 0], [0, 1]], [1, 1], [2 / 3, 1 / 3]),  # whole numbers
        # half the records are five times likelier of a class that training hardly has
        ([[1, 2e-15], [1, 5e-14]], [1 - 1e-14, 1e-14], [0.5, 0.5]),
        # no record says anything of the other classes: they stay even
        ([[0.0, 0.0, 1.0]] * 2, [0.7, 0.3, 0.0], [0.5, 0.5, 0]),
    ],
)
def test_classes_that_training_lacks(proba, prior, expected):
    np.testing.assert_allclose(prior_shift(proba, prior), expected, atol=1e-6)


@pytest.mark.parametrize(("c", "C"), [(2, 0.05), (3, 2.0)])
def test_with_pure_sets_it_is_logistic_regression_with_the_same_correction(c, C):
    sets, tuning = ([x[: 40 + 20 * i] for i, x in enumerate(gaussian_sets(np.eye(c), 90, s, d=3))] for s in (1, 2))
    U = gaussian_set([0.8] + [0.2 / (c - 1)] * (c - 1), 200, 3, d=3)
    fit = SpreadClassRatio(C, 1.0, tol=1e-8).fit(sets, np.eye(c), tuning, np.eye(c))
    X = np.concatenate(sets + tuning)
    y = np.repeat(np.tile(np.arange(c), 2), [len(x) for x in sets + tuning])
    oracle = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, y)
    expected = oracle.predict_proba(U)
    # a gradient of 10⁻⁸ a record over a curvature of at least 1/(C n) = 10⁻³
    np.testing.assert_allclose(fit.predict_proba(U), expected, atol=1e-4)
    np.testing.assert_allclose(fit.prior_, np.bincount(y) / len(y), rtol=1e-12)
    np.testing.assert_allclose(fit.predict_raw(U), prior_shift(expected, np.bincount(y) / len(y)), atol=1e-3)
    plain = clone(fit).set_params(correct=False).fit(sets, np.eye(c), tuning, np.eye(c))
    np.testing.assert_allclose(plain.predict_raw(U), expected.mean(axis=0), atol=1e-4)
    assert np.abs(plain.predict_raw(U) - fit.predict_raw(U)).max() > 0.02
    weaker = LogisticRegression(C=1.5 * C, tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.abs(weaker.predict_proba(U) - fit.predict_proba(U)).max() > 1e-3


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("K", [2, 4])
def test_the_bias_is_the_likeliest_for_the_names(K):
    scores, rows = rng(1).normal(size=(300, K)) * 2, rng(2).dirichlet(np.ones(K), 300)
    rows[::7, 0] = 0  # as where noise has made a proportion 0

    def loss(bias):
        return -np.log((rows * softmax(scores + np.append(0, bias), axis=1)).sum(axis=1)).mean()

    found = set_names._likeliest_bias(scores, rows)
    assert found[0] == 0
    oracle = minimize(loss, np.zeros(K - 1), method="Nelder-Mead", options={"xatol": 1e-6})
    np.testing.assert_allclose(found[1:], oracle.x, atol=1e-3)
    assert loss(found[1:]) < loss(found[1:] + 0.3)


UNEVEN = np.array([[0.3, 0.7], [0.05, 0.95]])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("p", "q", "d", "temperature"), [(TWO, UNEVEN, 30, "cv"), (THREE, THREE[[2, 0, 1, 1]], 5, "cv"), (TWO, TWO, 8, 1.0)]
)
def test_strength_and_temperature_are_the_likeliest_for_names_that_were_held_out(p, q, d, temperature):
    sets, tuning = gaussian_sets(p, 60, 1, d=d), gaussian_sets(q, 50, 2, d=d)
    grid = np.exp(np.linspace(-3, 3, 201)) if temperature == "cv" else [1.0]
    C, t, tried = ratio_oracles.search(sets, p, tuning, q, grid)
    values = sorted((value for _, value in tried), reverse=True)
    assert values[0] - values[1] > 1e-4  # so that solving to a gradient of 10⁻⁴ chooses the same
    assert values[0] - values[-1] > 0.01
    fit = SpreadClassRatio(temperature=temperature).fit(sets, p, tuning, q)
    first, second = sum(map(len, sets)), sum(map(len, tuning))
    final = C * first / (first + second)  # more records, each with the same penalty
    assert pytest.approx(final) == fit.C_
    # three hundredths between neighbours on the grid, and what the climb leaves
    assert fit.temperature_ == pytest.approx(t, rel=0.03)
    assert temperature == 1.0 or abs(t - 1) > 0.1
    U = gaussian_set(p[0], 60, 3, d=d)
    # all sets are learnt from in the end, at that temperature
    both = SpreadLogisticRegression(ratio_oracles.channel(sets + tuning, np.concatenate((p, q))), C=final, tol=1e-6)
    names = np.repeat(np.arange(len(p) + len(q)), [60] * len(p) + [50] * len(q))
    both.fit(np.concatenate(sets + tuning), names)
    scores = both.decision_function(U)
    scores = np.stack((0 * scores, scores), axis=1) if scores.ndim == 1 else scores
    np.testing.assert_allclose(fit.predict_proba(U), softmax(scores / fit.temperature_ + fit.bias_, axis=1), atol=0.01)
    assert (fit.bias_ != 0).any() == (temperature == "cv")
    if len(p) == 3:
        pulls = both.decision_function(np.concatenate(sets + tuning)) / fit.temperature_
        np.testing.assert_allclose(fit.bias_, set_names._likeliest_bias(pulls, fit.channel_[names]), atol=0.02)
    np.testing.assert_allclose(fit.channel_, ratio_oracles.channel(sets + tuning, np.concatenate((p, q))), rtol=1e-12)


@pytest.mark.parametrize("taken", [CLASSES, SPREAD])
def test_chosen_by_trying_is_what_names_of_tuning_sets_are_likeliest_by(taken, monkeypatch):
    sets, tuning = gaussian_sets(THREE, 60, 1, d=5), gaussian_sets(THREE, 50, 2, d=5)
    asked = []
    monkeypatch.setattr(set_names, "choose", lambda *question: asked.append(question) or Choice(taken, ""))
    found = ChosenClassRatio().fit(sets, THREE, tuning, THREE)
    ((held_out, worth),) = asked
    assert worth == pytest.approx(330 * 0.7**2), "the squared correlation of set and class"
    assert list(held_out) == [SPREAD, CLASSES], "the one preference comes first"
    U = gaussian_set(THREE[0], 60, 3, d=5)
    named = SpreadClassModel(THREE).fit(np.concatenate(sets), np.repeat(range(3), 60))
    scores = named.decision_function(np.concatenate(tuning))

    def likely(t):
        return np.log((softmax(scores / t, axis=1) * np.repeat(THREE, 50, axis=0)).sum(axis=1))

    t = max(np.exp(np.linspace(-3, 3, 601)), key=lambda t: likely(t).sum())
    np.testing.assert_allclose(held_out[CLASSES], likely(t), atol=0.01)
    plain = SpreadClassRatio().fit(sets, THREE, tuning, THREE)
    if taken == SPREAD:
        np.testing.assert_allclose(found.predict_proba(U), plain.predict_proba(U))
    else:
        assert (found.C_, found.temperature_) == (np.inf, pytest.approx(t, rel=0.02))
        assert np.abs(found.predict_proba(U) - plain.predict_proba(U)).mean() < 0.1


def test_of_a_record_whose_set_is_known_the_shares_of_that_set_count_too():
    """p(class | x, set) ∝ p(class | x) ρ(class)/prior(class), by Bayes' rule under assumption A1."""
    uneven = np.array([[0.8, 0.1, 0.1], [0.5, 0.4, 0.1], [0.3, 0.1, 0.6]])
    sets, tuning = gaussian_sets(uneven, 60, 1, d=3), gaussian_sets(uneven, 40, 2, d=3)
    fit = SpreadClassRatio(1.0, 1.0).fit(sets, uneven, tuning, uneven)
    X, p = gaussian_set([0.2, 0.2, 0.6], 20, 3, d=3), rng(4).dirichlet(np.ones(3), 20)
    joint = fit.predict_proba(X) * p / fit.prior_
    np.testing.assert_allclose(fit.predict_proba_in(X, p), joint / joint.sum(axis=1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose(fit.predict_proba_in(X, fit.prior_), fit.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(fit.predict_proba_in(X, np.eye(3)[1]), np.tile(np.eye(3)[1], (20, 1)), atol=1e-14)
    sure = fit.predict_proba(1e9 * X)  # the set has no record of the one class that is possible
    np.testing.assert_array_equal(fit.predict_proba_in(1e9 * X, 0.5 * (sure == 0)), sure)


@pytest.mark.filterwarnings("ignore:.*assumption A0")
def test_single_records_are_never_of_a_class_that_no_set_has():
    sets, X = gaussian_sets(TWO, 60, 1), gaussian_set([0.3, 0.7], 20, 3)
    fit = SpreadClassRatio(1.0, 1.0).fit(sets, np.insert(TWO, 1, 0, axis=1))
    expected = SpreadClassRatio(1.0, 1.0).fit(sets, TWO)
    one = SpreadClassRatio().fit(sets, [[0, 1, 0], [0, 1, 0]])
    for ask, three, two in (("predict_proba", (), ()), ("predict_proba_in", ([0.3, 0.4, 0.3],), ([0.5, 0.5],))):
        same = np.insert(getattr(expected, ask)(X, *two), 1, 0, axis=1)
        np.testing.assert_allclose(getattr(fit, ask)(X, *three), same, rtol=1e-12)
        np.testing.assert_array_equal(getattr(one, ask)(X, *three), np.tile([0, 1, 0], (20, 1)))


def test_set_identity_is_least_squares_of_mean_probabilities_with_its_strength_by_halves():
    p = np.array([[0.7, 0.3], [0.4, 0.6], [0.1, 0.9]])
    sets, tuning = gaussian_sets(p, 60, 1, d=4), gaussian_sets(p, 60, 2, d=4)
    fit = SetIdentityClassRatio(random_state=4).fit(sets, p, tuning, p)
    X, names = np.concatenate(sets), np.repeat([0, 1, 2], 60)
    oracle = LogisticRegression(C=fit.C_, tol=1e-8, max_iter=10_000).fit(X, names)
    means = np.stack([oracle.predict_proba(x).mean(axis=0) for x in tuning])
    # gradients of 10⁻⁴ a record over curvatures of 0.1 for all but a common shift
    np.testing.assert_allclose(fit.means_, means, atol=2e-3)
    U = gaussian_set([0.2, 0.8], 100, 3, d=4)
    q = oracle.predict_proba(U).mean(axis=0)
    # of three sets of two classes, the two dimensions that are no chance
    expected = ratio_oracles.truncated(means @ means.T, 2) @ means @ q @ p
    np.testing.assert_allclose(fit.predict_raw(U), expected, atol=0.01)
    assert np.abs(np.linalg.solve(means @ means.T, means @ q) @ p - expected).max() > 0.03
    np.testing.assert_array_equal(fit.proportions_, p)
    halves = split_sets(Sets(tuple(sets), np.eye(3)), rng(4))
    C, *_ = ratio_oracles.search(list(halves[0].X), np.eye(3), list(halves[1].X), np.eye(3), [1.0])
    assert fit.C_ == C


class Recorder(BaseEstimator):
    """Keeps what it was given, and scores by a column of X: that of its place among all that were fitted."""

    given = []  # noqa: RUF012

    def fit(self, X, bags, proportions):
        self.column = len(self.given)
        self.given.append((X, bags, proportions))
        return self

    def decision_function(self, X):
        return X[:, self.column]

    def predict(self, X):
        return (X[:, 1] > 0).astype(int)


@pytest.mark.parametrize(("p", "columns"), [(TWO, [1]), (THREE, [0, 1, 2])])
def test_classifiers_are_given_all_bags_and_their_answers_are_counted(p, columns, monkeypatch):
    monkeypatch.setattr(Recorder, "given", [])
    sets, tuning = gaussian_sets(p, 20, 1, d=3), gaussian_sets(p, 10, 2, d=3)
    fit = ClassifyAndCount(Recorder()).fit(sets, p, tuning, p[::-1])
    assert len(fit.classifiers_) == len(Recorder.given) == len(columns)
    for c, (X, bags, proportions) in zip(columns, Recorder.given, strict=True):
        np.testing.assert_array_equal(X, np.concatenate(sets + tuning))
        np.testing.assert_array_equal(bags, np.repeat(np.arange(2 * len(p)), [20] * len(p) + [10] * len(p)))
        np.testing.assert_array_equal(proportions, np.concatenate((p[:, c], p[::-1, c])))
    U = gaussian_set(p[0], 50, 3, d=3)
    classes = U.argmax(axis=1) if len(columns) > 1 else U[:, 1] > 0
    np.testing.assert_allclose(fit.predict_raw(U), np.bincount(classes, minlength=len(p)) / 50, rtol=1e-14)


ALIKE = [[0.8, 0.1, 0.1], [0.1, 0.45, 0.45], [0.4, 0.3, 0.3]]  # the last two classes are


def test_the_contrast_is_that_of_the_two_classes_most_alike():
    assert set_names.contrast(np.array([[0.5, 0.3, 0.1], [0.5, 0.7, 0.9]])) == pytest.approx(0.2)
    assert set_names.contrast(np.array([[0.1, 0.5, 0.4], [0.9, 0.5, 0.6]])) == pytest.approx(0.1)


@pytest.mark.filterwarnings("ignore:.*assumption A0")
@pytest.mark.parametrize(
    ("method", "p", "sentence"),
    [
        (SpreadClassRatio(C=0), TWO, "C must be above 0, got 0;"),
        (SpreadClassRatio(temperature=np.inf), TWO, "temperature must be in .0.0001, 10000."),
        (SpreadClassRatio(), ALIKE, "^two classes have the same share of every set, so nothing tells them apart; give"),
        (SetIdentityClassRatio(), TWO[:1], "^sets must be two or more: the name of the only set tells nothing"),
    ],
)
def test_settings_out_of_range_and_sets_without_contrast_are_refused(method, p, sentence):
    with pytest.raises(ValueError, match=sentence):
        method.fit(gaussian_sets(p, 20, 1), p)

"""Class ratios from names of sets against logistic regression, plain searches and counting."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression

from privdemo.estimators import set_names
from privdemo.estimators.label_proportions import LabelProportionClassifier
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.mmd import MMDClassRatio
from privdemo.estimators.proportion_svm import ProportionSVM
from privdemo.estimators.set_names import ClassifyAndCount, SetIdentityClassRatio, SpreadClassRatio, prior_shift
from privdemo.estimators.sets import Sets, split_sets
from tests.estimators.oracles import rng
from tests.estimators.ratio_oracles import (
    THREE,
    TWO,
    channel_by_hand,
    gaussian_set,
    gaussian_sets,
    search_by_hand,
    truncated,
)

# --- the spread likelihood on set names -----------------------------------------------------------


@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("C", [0.05, 2.0])
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


def normal_set(p, n, columns, seed):
    """Two normal classes, one either side of 0 on the first of many columns."""
    random = rng(seed)
    n_first = random.multinomial(n, p)[0]
    x = random.standard_normal((n, columns))
    x[:, 0] += np.where(np.arange(n) < n_first, -1, 1)
    return x


@pytest.mark.parametrize(
    ("p", "q", "n_q"),
    [
        ([[0.9, 0.1], [0.6, 0.4]], [[0.1, 0.9], [0.4, 0.6]], (1500, 1500)),
        (TWO, [[0.3, 0.7], [0.95, 0.05]], (1500, 1500)),
    ],
)
def test_chosen_strength_and_temperature_leave_shares_where_they_are(p, q, n_q):
    """Whatever the classes' shares in either group: else the bias is 0.03 to 0.8 however many the records."""
    found = []
    for seed in range(4):
        sets = [normal_set(row, 1500, 20, (seed, i)) for i, row in enumerate(p)]
        tuning = [normal_set(row, n, 20, (seed, 9 + i)) for i, (row, n) in enumerate(zip(q, n_q, strict=True))]
        fit = SpreadClassRatio().fit(sets, p, tuning, q)
        found.append(
            [fit.predict(normal_set(t, 2000, 20, (seed, 99)))[0] for t in ((0.1, 0.9), (0.5, 0.5), (0.9, 0.1))]
        )
    assert np.mean(found, axis=0) == pytest.approx([0.1, 0.5, 0.9], abs=0.03)


@pytest.mark.parametrize("K", [2, 4])
def test_the_bias_is_the_likeliest_for_the_names(K):
    scores, rows = rng(1).normal(size=(300, K)) * 2, rng(2).dirichlet(np.ones(K), 300)

    def log_likelihood(bias):
        return logsumexp(np.log(rows) + log_softmax(scores + np.append(0, bias), axis=1), axis=1).mean()

    found = set_names._likeliest_bias(scores, rows)
    assert found[0] == 0
    oracle = minimize(lambda b: -log_likelihood(b), np.zeros(K - 1), method="Nelder-Mead", options={"xatol": 1e-6})
    np.testing.assert_allclose(found[1:], oracle.x, atol=1e-3)
    assert log_likelihood(found[1:]) > log_likelihood(found[1:] + 0.3)


@pytest.mark.parametrize(
    ("p", "q", "d", "temperature"),
    [(TWO, TWO, 30, "cv"), (THREE, THREE[[2, 0, 1, 1]], 5, "cv"), (TWO, TWO, 8, 1.0)],
)
def test_strength_and_temperature_are_the_likeliest_for_names_that_were_held_out(p, q, d, temperature, monkeypatch):
    sets, tuning = gaussian_sets(p, 60, 1, d=d), gaussian_sets(q, 50, 2, d=d)
    grid = np.exp(np.linspace(-3, 3, 601)) if temperature == "cv" else [1.0]
    C, t, tried = search_by_hand(sets, p, tuning, q, grid)
    values = sorted((value for _, value in tried), reverse=True)
    assert values[0] - values[1] > 1e-4  # so that solving to a gradient of 10⁻⁴ chooses the same
    assert values[0] - values[-1] > 0.01
    strengths = []

    def watched(sets, strength, tol, max_iter, original=set_names._classifier):
        strengths.append(strength)
        return original(sets, strength, tol, max_iter)

    monkeypatch.setattr(set_names, "_classifier", watched)
    fit = SpreadClassRatio(temperature=temperature).fit(sets, p, tuning, q)
    first, second = sum(map(len, sets)), sum(map(len, tuning))
    final = C * first / (first + second)  # more records, each with the same penalty
    # three standard errors end it, then all sets
    assert strengths == pytest.approx([*(strength for strength, _ in tried), final])
    assert pytest.approx(final) == fit.C_
    # a hundredth between neighbours on the grid, and what the climb leaves
    assert fit.temperature_ == pytest.approx(t, rel=0.03)
    assert temperature == 1.0 or abs(t - 1) > 0.1
    # no record's own label is used: any order in a set will do
    shuffled = [[x[rng(seed).permutation(len(x))] for x in group] for seed, group in enumerate((sets, tuning))]
    again = SpreadClassRatio(temperature=temperature).fit(shuffled[0], p, shuffled[1], q)
    U = gaussian_set(p[0], 60, 3, d=d)
    assert again.C_ == fit.C_
    np.testing.assert_allclose(again.predict(U), fit.predict(U), atol=0.005)
    # all sets are learnt from in the end, at that temperature
    both = SpreadLogisticRegression(channel_by_hand(sets + tuning, np.concatenate((p, q))), C=final, tol=1e-6)
    both.fit(np.concatenate(sets + tuning), np.repeat(np.arange(len(p) + len(q)), [60] * len(p) + [50] * len(q)))
    scores = both.decision_function(U)
    scores = np.stack((0 * scores, scores), axis=1) if scores.ndim == 1 else scores
    np.testing.assert_allclose(fit.predict_proba(U), softmax(scores / fit.temperature_ + fit.bias_, axis=1), atol=0.01)
    assert (fit.bias_ != 0).any() == (temperature == "cv")
    np.testing.assert_allclose(fit.channel_, channel_by_hand(sets + tuning, np.concatenate((p, q))), rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_one_record_far_off_in_the_wrong_set_does_not_end_the_choice():
    """Its probability is 0 in double precision, but not its logarithm."""
    sets, tuning = gaussian_sets(np.eye(2), 100, 1), gaussian_sets(np.eye(2), 100, 2)
    tuning[0][0] = -1e4, 1e4
    C, t, _ = search_by_hand(sets, np.eye(2), tuning, np.eye(2), np.exp(np.linspace(-3, 3, 601)))
    fit = SpreadClassRatio().fit(sets, np.eye(2), tuning, np.eye(2))
    assert fit.C_ == C / 2
    assert fit.temperature_ == pytest.approx(t, rel=0.03)


@pytest.mark.filterwarnings("error")
def test_proportions_that_noise_has_made_0_are_served():
    order = [0, 2, 1]
    sets, tuning = gaussian_sets(THREE, 100, 1, d=3), gaussian_sets(THREE[order], 100, 2, d=3)
    released = np.array([[1, 0, 0], [0.1, 0.9, 0], [0, 0.2, 0.8]])
    U = gaussian_set([0.2, 0.2, 0.6], 200, 3, d=3)
    for method in (SpreadClassRatio(), SetIdentityClassRatio(), MMDClassRatio()):
        found = method.fit(sets, released, tuning, released[order]).predict(U)
        assert np.isfinite(found).all()
        assert found.sum() == pytest.approx(1, abs=1e-12)
        assert np.abs(found - [0.2, 0.2, 0.6]).sum() < 0.6


def test_of_a_record_whose_set_is_known_the_shares_of_that_set_count_too():
    """p(class | x, set) ∝ p(class | x) ρ(class)/prior(class), by Bayes' rule under assumption A1."""
    uneven = np.array([[0.8, 0.1, 0.1], [0.5, 0.4, 0.1], [0.3, 0.1, 0.6]])
    sets, tuning = gaussian_sets(uneven, 60, 1, d=3), gaussian_sets(uneven, 40, 2, d=3)
    fit = SpreadClassRatio(1.0, 1.0).fit(sets, uneven, tuning, uneven)
    X, p = gaussian_set([0.2, 0.2, 0.6], 20, 3, d=3), rng(4).dirichlet(np.ones(3), 20)
    joint = fit.predict_proba(X) * p / fit.prior_
    np.testing.assert_allclose(fit.predict_proba_in(X, p), joint / joint.sum(axis=1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose(fit.predict_proba_in(X, p[0])[0], (joint / joint.sum(axis=1, keepdims=True))[0])
    np.testing.assert_allclose(fit.predict_proba_in(X, fit.prior_), fit.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(fit.predict_proba_in(X, np.eye(3)[1]), np.tile(np.eye(3)[1], (20, 1)), atol=1e-14)


@pytest.mark.filterwarnings("ignore:.*assumption A0")
def test_single_records_are_never_of_a_class_that_no_set_has():
    sets, X = gaussian_sets(TWO, 60, 1), gaussian_set([0.3, 0.7], 20, 3)
    fit = SpreadClassRatio(1.0, 1.0).fit(sets, np.insert(TWO, 1, 0, axis=1))
    expected = SpreadClassRatio(1.0, 1.0).fit(sets, TWO)
    for found, same in (
        (fit.predict_proba(X), expected.predict_proba(X)),
        (fit.predict_proba_in(X, [0.3, 0.4, 0.3]), expected.predict_proba_in(X, [0.5, 0.5])),
    ):
        np.testing.assert_array_equal(found[:, 1], 0)
        np.testing.assert_allclose(found[:, [0, 2]], same, rtol=1e-12)
    one = SpreadClassRatio().fit(sets, [[0, 1, 0], [0, 1, 0]])
    np.testing.assert_array_equal(one.predict_proba(X), np.tile([0, 1, 0], (20, 1)))
    np.testing.assert_array_equal(one.predict_proba_in(X, [0.3, 0.4, 0.3]), np.tile([0, 1, 0], (20, 1)))


# --- set identity, and counting -------------------------------------------------------------------


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
    expected = truncated(means @ means.T, 2) @ means @ q @ p
    np.testing.assert_allclose(fit.predict_raw(U), expected, atol=0.01)
    assert np.abs(np.linalg.solve(means @ means.T, means @ q) @ p - expected).max() > 0.03
    np.testing.assert_array_equal(fit.proportions_, p)
    halves = split_sets(Sets(tuple(sets), np.eye(3)), rng(4))
    C, *_ = search_by_hand(list(halves[0].X), np.eye(3), list(halves[1].X), np.eye(3), [1.0])
    assert fit.C_ == C


def test_set_identity_halves_its_first_group_to_choose_its_strength():
    sets = gaussian_sets(THREE, 10, 1)
    with pytest.raises(ValueError, match=r"^set 1 has one record, and half of it is none; give larger sets"):
        SetIdentityClassRatio().fit([sets[0][:1], *sets[1:]], THREE, sets, THREE)
    found = SetIdentityClassRatio().fit(sets, THREE, [sets[0][:1], *sets[1:]], THREE).predict(sets[0])
    assert found.sum() == pytest.approx(1, abs=1e-12)


def test_set_identity_warns_where_the_sets_that_it_mixes_do_not_span():
    """It learns names from one group and mixes the other, so the other must span the simplex by itself."""
    sets, tuning = gaussian_sets(TWO, 60, 1), gaussian_sets(TWO[:1], 60, 2)
    with pytest.warns(UserWarning, match="^1 set of rank 1 cannot tell 2 classes apart .assumption A0 fails"):
        found = SetIdentityClassRatio().fit(sets, TWO, tuning, TWO[:1]).predict(gaussian_set([0.0, 1.0], 60, 3))
    assert found[0] > 0.5  # of none
    # and no more than that: a first group of whatever proportions
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*assumption A0")
        SetIdentityClassRatio(1.0).fit(sets, np.full((2, 2), 0.5), sets, TWO)


class Recorder(BaseEstimator):
    """Classifies by its column of X, and keeps what it was given."""

    given = []  # noqa: RUF012

    def __init__(self, mark=0):
        self.mark = mark

    def fit(self, X, bags, proportions):
        self.column = sum(1 for one in self.given if one[3] == self.mark)
        self.given.append((X, bags, proportions, self.mark))
        return self

    def decision_function(self, X):
        return X[:, self.column]

    def predict(self, X):
        return (X[:, 1] > 0).astype(int)


def test_classifiers_are_given_all_bags_and_their_answers_are_counted():
    Recorder.given.clear()
    sets, tuning = gaussian_sets(THREE, 20, 1, d=3), gaussian_sets(THREE, 10, 2, d=3)
    U = gaussian_set([0.2, 0.2, 0.6], 50, 3, d=3)
    fit = ClassifyAndCount(Recorder(3)).fit(sets, THREE, tuning, THREE[::-1])
    given_ = [one for one in Recorder.given if one[3] == 3]
    assert len(given_) == len(fit.classifiers_) == 3
    for c, (X, bags, proportions, _) in enumerate(given_):
        np.testing.assert_array_equal(X, np.concatenate(sets + tuning))
        np.testing.assert_array_equal(bags, np.repeat(np.arange(6), [20] * 3 + [10] * 3))
        np.testing.assert_array_equal(proportions, np.concatenate((THREE[:, c], THREE[::-1, c])))
    np.testing.assert_allclose(fit.predict_raw(U), np.bincount(U.argmax(axis=1), minlength=3) / 50, rtol=1e-14)
    fit = ClassifyAndCount(Recorder(2)).fit(gaussian_sets(TWO, 20, 1), TWO)
    (given_,) = (one for one in Recorder.given if one[3] == 2)
    np.testing.assert_array_equal(given_[2], np.tile(TWO[:, 1], 2))
    np.testing.assert_array_equal(np.bincount(given_[1]), [10] * 4)
    U = gaussian_set([0.3, 0.7], 50, 3)
    share = (U[:, 1] > 0).mean()
    np.testing.assert_allclose(fit.predict_raw(U), [1 - share, share], rtol=1e-14)


@pytest.mark.parametrize("classifier", [LabelProportionClassifier(C=100.0), ProportionSVM()], ids=str)
@pytest.mark.parametrize("c", [2, 3])
def test_classes_that_are_easily_told_apart_are_counted_exactly(classifier, c):
    p = np.full((c, c), 0.1) + (1 - 0.1 * c) * np.eye(c)
    sets, tuning = gaussian_sets(p, 60, 1, d=3, gap=12.0), gaussian_sets(p, 60, 2, d=3, gap=12.0)
    fit = ClassifyAndCount(classifier).fit(sets, p, tuning, p)
    for truth in (p[0], p[-1], np.eye(c)[0], np.full(c, 1 / c)):
        counts = np.rint(60 * truth) / np.rint(60 * truth).sum()
        np.testing.assert_allclose(fit.predict(gaussian_set(truth, 60, 3, d=3, gap=12.0)), counts, atol=1e-12)


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [SpreadClassRatio, SetIdentityClassRatio])
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"C": 0.0}, "C must be above 0, got 0; it is the inverse strength of the penalty"),
        ({"C": -1}, "C must be above 0, got -1"),
        ({"C": "best"}, "C must be above 0 or \"cv\", got 'best'"),
        ({"C": None}, 'C must be above 0 or "cv", got None'),
        ({"tol": 0.0}, "tol must be in .0, 1., got 0"),
        ({"tol": 2.0}, "tol must be in .0, 1., got 2;"),  # not what sets have made of it
        ({"max_iter": 0}, r"max_iter must be a whole number in \[1, 100000\], got 0"),
    ],
)
def test_settings_out_of_range_are_refused(method, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        method(**settings).fit(gaussian_sets(TWO, 20, 1), TWO)


@pytest.mark.filterwarnings("ignore:.*assumption A0")
def test_sets_without_contrast_are_refused():
    sets = gaussian_sets(THREE, 20, 1)
    p = [[0.8, 0.1, 0.1], [0.1, 0.45, 0.45], [0.4, 0.3, 0.3]]
    sentence = (
        "^two classes have the same share of every set, so nothing tells them apart; give sets whose proportions differ"
    )
    with pytest.raises(ValueError, match=sentence):
        SpreadClassRatio().fit(sets, p)
    with pytest.raises(ValueError, match=r"^sets must be two or more: nothing is learnt from the name of one"):
        SetIdentityClassRatio().fit(sets[:1], TWO[:1])


@pytest.mark.parametrize("temperature", [0.0, -1, 9e-7, 1.1e6, math.nan, math.inf, "hot", None])
def test_temperatures_out_of_range_are_refused(temperature):
    """An infinite one makes all probabilities even, whatever x is."""
    with pytest.raises(ValueError, match=r"temperature must be in \[0.0001, 10000\], got"):
        SpreadClassRatio(temperature=temperature).fit(gaussian_sets(TWO, 20, 1), TWO)


def test_single_records_must_have_the_columns_of_the_sets():
    fit = SpreadClassRatio(1.0, 1.0).fit(gaussian_sets(TWO, 20, 1), TWO)
    with pytest.raises(ValueError, match="X must have 2 columns like the others, got 3"):
        fit.predict_proba(np.ones((4, 3)))
    np.testing.assert_allclose(fit.predict_proba(np.ones((4, 2))).sum(axis=1), 1, rtol=1e-14)

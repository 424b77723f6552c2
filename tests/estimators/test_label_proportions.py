"""Classifiers from bags against their documented losses, every labelling, and known labels."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import KFold

from privdemo.estimators import label_proportions, likelihoods
from privdemo.estimators.bags import bag_channel, group_by_bag, most_likely_labels
from privdemo.estimators.choose import ChosenLogisticRegression
from privdemo.estimators.label_proportions import (
    AlternatingMeanMapClassifier,
    BagNameClassifier,
    ChosenBagNameClassifier,
    LabelProportionClassifier,
    MeanMapClassifier,
    matching_threshold,
)
from privdemo.estimators.likelihoods import Model
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.proportion_svm import ProportionSVM
from tests.estimators import oracles
from tests.estimators.oracles import labelled_loss, rng

METHODS = [LabelProportionClassifier, MeanMapClassifier, AlternatingMeanMapClassifier, BagNameClassifier]
every_method = pytest.mark.parametrize("method", METHODS)


def ragged(sizes=(3, 1, 7, 4, 12, 5), d=3, seed=0):
    """X (n, d) whose labels follow from it, bags in no order, their proportions, and the labels."""
    generator, n = rng(seed), sum(sizes)
    X = generator.random((n, d))
    bags = generator.permutation(np.repeat(np.arange(len(sizes)), sizes))
    # a bag's number moves its share, so that no two are the same
    y = (generator.random(n) < expit((X - 0.5) @ generator.normal(0, 4, d) + bags - len(sizes) / 2)).astype(int)
    return X, bags, np.array([y[bags == bag].mean() for bag in range(len(sizes))]), y


FOUR = (30, 25, 40, 21)


def scores_of(fit, X):
    return X @ fit.coef_[0] + fit.intercept_[0]


def plain_loss(method, coef, intercept, X, bags, proportions, weights, C):
    """What `method` says that it minimises; of AMM the first, mean map's."""
    a = [float(x @ coef + intercept) for x in X]
    if method is LabelProportionClassifier:
        total = -oracles.bag_log_likelihood(a, bags, proportions, weights)[0].sum()
    else:
        total = oracles.mean_map_loss(a, bags, proportions, weights, X, coef, intercept)
    return total + float(coef @ coef) / (2 * C)


@pytest.mark.parametrize("method", METHODS[:3])
def test_what_is_climbed_is_the_documented_loss_and_its_gradient(method, monkeypatch):
    X, bags, proportions, _ = ragged((6, 2, 9, 5, 8))
    weights, C, handed = rng(2).integers(1, 5, len(X)) * 0.5, 2.0, []
    centre = np.average(X, axis=0, weights=weights)

    def watched(loss, start, **settings):
        handed.append((loss, start, settings["options"]))
        return minimize(loss, start, **settings)

    monkeypatch.setattr(likelihoods, "minimize", watched)
    fit = method(C=C).fit(X, bags, proportions, weights)
    n = len(proportions) if method is LabelProportionClassifier else weights.sum()
    loss, start, options = handed[0]
    sizes = np.bincount(bags, weights)
    channel = bag_channel(proportions, sizes)
    distance = np.abs(channel[:, 1] - channel[:, 0]).sum() / 2
    of_bags = method is LabelProportionClassifier
    assert options["gtol"] == pytest.approx(1e-4 * (distance if of_bags else 1), rel=1e-12)
    assert options["maxiter"] == 2000
    # begun where everybody has the overall share
    np.testing.assert_allclose(expit(start), [0.5, 0.5, 0.5, sizes @ proportions / sizes.sum()], rtol=1e-12)

    def by_hand(packed):
        # the intercept is measured at the mean record
        coef, intercept = packed[:-1], packed[-1] - centre @ packed[:-1]
        return plain_loss(method, coef, intercept, X, bags, proportions, weights, C) / n

    for seed in range(3):
        at = rng(seed).normal(0, 1 + seed, 4)
        value, gradient = loss(at)
        assert value == pytest.approx(by_hand(at), rel=1e-11)
        # losses of size 10 rounded to 10⁻¹⁵ over 2·10⁻⁵, and a third derivative of size 10 times 10⁻¹⁰
        np.testing.assert_allclose(gradient, oracles.finite_differences(by_hand, at), atol=2e-8)
    if method is not AlternatingMeanMapClassifier:
        found = np.append(fit.coef_[0], fit.intercept_[0] + centre @ fit.coef_[0])
        for direction in rng(3).normal(size=(10, 4)):
            assert by_hand(found + 0.05 * direction) > by_hand(found)


SETTINGS = {"C": 1.0, "match_share": False, "cv": 5, "tol": 1e-4, "max_iter": 2000, "random_state": 0}


@pytest.mark.parametrize("method", [*METHODS, ProportionSVM])
def test_fit_alters_nothing_and_predictions_follow_from_its_weights(method):
    X, bags, p, _ = ragged((3, 2, 7, 4, 12, 5))
    before, estimator = (X.copy(), bags.copy(), p.copy()), method(C=2.0)
    defaults = SETTINGS if method in METHODS else {"C": 1.0, "n_starts": 5, "random_state": 0}
    assert method().get_params() == defaults
    with pytest.raises(NotFittedError):
        estimator.predict(X)
    assert estimator.fit(X, bags, p) is estimator
    for array, copy in zip((X, bags, p), before, strict=True):
        np.testing.assert_array_equal(array, copy)
    np.testing.assert_array_equal(estimator.classes_, [0, 1])
    np.testing.assert_array_equal(clone(estimator).fit(X, bags, p).coef_, estimator.coef_)
    np.testing.assert_array_equal(
        estimator.predict(csr_array(X)), (scores_of(estimator, X) > 0).astype(int), strict=True
    )


@every_method
def test_the_threshold_leaves_the_known_share_above_it(method):
    X, bags, p, _ = ragged((3, 2, 7, 4, 12, 5))
    weights, estimator = rng(4).integers(1, 4, len(bags)), method(C=2.0, match_share=True)
    assert estimator.fit(X, bags, p, weights).C_ == 2
    assert estimator.n_iter_ > 1 or method is AlternatingMeanMapClassifier  # whose last climb may have nothing to do
    scores = scores_of(estimator, X)
    np.testing.assert_allclose(estimator.predict_proba(X), np.stack((expit(-scores), expit(scores)), axis=1))
    share = np.bincount(bags, weights) @ p / weights.sum()
    assert estimator.threshold_ == pytest.approx(matching_threshold(scores, weights, share), rel=1e-12)
    distances = [
        abs(weights @ (scores > one) / weights.sum() - share) for one in (estimator.threshold_, -np.inf, *scores)
    ]
    assert distances[0] == pytest.approx(min(distances), abs=1e-12)
    # midway, and equal scores on the same side
    assert [matching_threshold(np.array([3, -1, 0.5, 0.5]), np.ones(4), s) for s in (0, 0.45, 0.75)] == [
        np.inf,
        1.75,
        -0.25,
    ]
    np.testing.assert_array_equal(estimator.predict(X), scores > estimator.threshold_)
    assert estimator.set_params(match_share=False).fit(X, bags, p, weights).threshold_ == 0


def test_bag_names_go_to_the_spread_logistic_regression():
    X, bags, p, _ = ragged(FOUR)
    order, weights = np.argsort(bags, kind="stable"), rng(4).integers(1, 4, len(bags))
    X, bags, weights = X[order], bags[order], weights[order]  # folds are of records: in the same order
    settings = {"C": "cv", "cv": 3, "max_iter": 900, "random_state": 2}
    found = BagNameClassifier(tol=1e-4, **settings).fit(X, bags, p, weights)
    channel = bag_channel(p, np.bincount(bags, weights))
    tol = 1e-4 * np.abs(channel[:, 1] - channel[:, 0]).sum() / 2
    expected = SpreadLogisticRegression(channel, tol=tol, **settings).fit(X, bags, weights)
    np.testing.assert_array_equal(found.channel_, channel)
    # the same sums but for rounding, which may end the climb a step sooner
    for what in ("coef_", "intercept_", "C_", "cv_scores_"):
        np.testing.assert_allclose(getattr(found, what), getattr(expected, what), rtol=1e-6)


def test_alternating_ends_where_no_labels_are_better_and_never_worse_than_it_began():
    gains, C = [], 1.0
    for seed in range(6):
        X, bags, p, _ = ragged((8, 5, 9, 12, 6, 10), seed=seed)
        order = np.argsort(bags)
        X, bags = X[order], bags[order]
        data = group_by_bag(X, bags, p, np.ones(len(X)))
        losses = []
        for method in (MeanMapClassifier, AlternatingMeanMapClassifier):
            fit = method(C=C, tol=1e-6).fit(X, bags, p)
            labels = most_likely_labels(scores_of(fit, X), data)
            losses.append(labelled_loss(scores_of(fit, X), labels, data.weight) + (fit.coef_**2).sum() / (2 * C))
        gains.append(losses[0] - losses[1])
        # and there nothing is left to gain: the best model of its own labels is itself
        again = label_proportions.solve_labelled(
            data, X.T @ labels, labels.sum(), C, Model(fit.coef_.T, fit.intercept_), 1e-8, 5000
        )
        own = labelled_loss(X @ again.coef[:, 0] + again.intercept, labels, data.weight)
        assert losses[1] - own - (again.coef**2).sum() / (2 * C) < 2e-6 * len(X)  # `tol` a record, twice
    assert min(gains) > -1e-6 * len(X)
    assert max(gains) > 0.1


GOOD = {"bags": np.repeat([0, 1, 2], 4), "proportions": [0.2, 0.5, 0.8]}


@pytest.mark.parametrize(
    ("settings", "wrong", "sentence"),
    [
        ({}, {"sample_weight": np.ones(5)}, "sample_weight.shape"),
        ({"C": 0.0}, {}, "C must be above 0, got 0; it is the inverse strength of the penalty"),
        *[({"C": "cv", "cv": n}, {}, rf"cv must be a whole number in \[2, 3\], got {n}; the bags") for n in (1, 4)],
    ],
)
def test_settings_and_records_out_of_range_are_refused(settings, wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        LabelProportionClassifier(**settings).fit(**{"X": rng().random((12, 2)), **GOOD, **wrong})


def test_chosen_by_trying_is_that_of_bag_names_with_the_weights_of_rows():
    X, bags, p, _ = ragged(FOUR)
    weights = rng(3).integers(1, 4, len(X)).astype(float)
    found = ChosenBagNameClassifier(cv=3).fit(X, bags, p, weights)
    data = group_by_bag(X, bags, p, weights)
    by_hand = ChosenLogisticRegression(bag_channel(p, np.bincount(bags, weights)), cv=3, tol=1e-4 * data.contrast)
    by_hand.fit(data.X, np.sort(bags), data.weight)
    np.testing.assert_array_equal(found.coef_, by_hand.coef_)
    assert (found.intercept_[0], found.C_) == (by_hand.intercept_[0], by_hand.C_)


@pytest.mark.parametrize(("method", "C"), [(LabelProportionClassifier, 1.0), (BagNameClassifier, "cv")])
def test_equal_proportions_give_everybody_their_share_and_a_warning(method, C):
    X, bags, *_ = ragged((10, 12, 14))
    with pytest.warns(UserWarning, match="all bags have the same proportion, 0.3, so nothing identifies the classes"):
        fit = method(C=C).fit(X, bags, [0.3, 0.3, 0.3])
    np.testing.assert_allclose(fit.predict_proba(X), np.tile([0.7, 0.3], (36, 1)), rtol=1e-12)
    np.testing.assert_array_equal(fit.predict(X), 0)
    assert math.isnan(fit.C_) == (C == "cv")


def test_a_bag_of_one_record_warns_and_larger_ones_do_not():
    X, bags, p, _ = ragged()
    with pytest.warns(UserWarning, match="^a bag of one record: its proportion is that record's label$"):
        LabelProportionClassifier().fit(X, bags, p)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LabelProportionClassifier().fit(X, bags, p, np.where(np.bincount(bags)[bags] == 1, 2.0, 1.0))  # a mean of two


@every_method
def test_too_few_steps_warn(method):
    X, bags, p, _ = ragged(FOUR)
    with pytest.warns(ConvergenceWarning, match="not converged in 1 steps: raise max_iter or lower C"):
        method(C=1e3, max_iter=1).fit(X, bags, p)


def search_by_hand(method, folds, X, bags, p):
    """The held-out scores of the strengths tried."""
    held_out = []
    for C in method._C_grid:
        held_out.append(np.empty(len(p)))
        for seen, unseen in folds:
            known = np.isin(bags, seen)
            fold = method(C=C, tol=1e-6).fit(X[known], np.searchsorted(seen, bags[known]), p[seen])
            for bag in unseen:
                mean = expit(scores_of(fold, X[bags == bag])).mean()
                held_out[-1][bag] = p[bag] * math.log(mean) + (1 - p[bag]) * math.log(1 - mean)
        means = np.mean(held_out, axis=1)
        lost = held_out[int(means.argmax())] - held_out[-1]
        if lost.mean() > 3 * lost.std() / math.sqrt(len(p)):
            break
    return means


@pytest.mark.parametrize(
    ("method", "coupled"),
    [
        (LabelProportionClassifier, True),
        (MeanMapClassifier, False),
    ],
)
def test_the_penalty_is_chosen_by_cross_validation_up_to_three_standard_errors_worse(method, coupled):
    generator = rng(1)
    if coupled:  # proportions follow the records: weak penalties are no worse
        X, bags, p, _ = ragged(tuple(generator.integers(15, 40, 12)), seed=1)
    else:  # proportions of chance: weak penalties learn them by heart
        bags = generator.permutation(np.repeat(np.arange(60), 3))
        X, p = generator.normal(size=(180, 12)), generator.integers(1, 6, 60) / 6
    splitter = KFold(4, shuffle=True, random_state=2)
    expected = search_by_hand(method, list(splitter.split(np.zeros(len(p)))), X, bags, p)
    fit = method(C="cv", cv=4, tol=1e-5, random_state=2).fit(X, bags, p)
    np.testing.assert_allclose(fit.cv_scores_, expected, atol=2e-3)
    assert np.ptp(expected) > 5e-3
    assert (len(expected) == len(method._C_grid)) == coupled
    assert method._C_grid[int(np.argmax(fit.cv_scores_))] == fit.C_
    fixed = method(C=fit.C_, tol=1e-5).fit(X, bags, p)
    np.testing.assert_allclose(fixed.coef_, fit.coef_, rtol=1e-2, atol=1e-4)
    assert not hasattr(fixed, "cv_scores_")

"""Classifiers from bags against plain loops, finite differences, every labelling, scikit-learn, and known truths."""

import itertools
import math
import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from scipy.sparse import coo_array, csc_array, csr_array
from scipy.special import expit, log_expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold

from privdemo import datasets
from privdemo.estimators import likelihoods
from privdemo.estimators.bags import (
    bag_channel,
    bag_log_likelihood,
    class_means,
    gradient_at_zero,
    most_likely_labels,
    project_proportions,
    read_bags,
)
from privdemo.estimators.label_proportions import (
    CS,
    AlternatingMeanMapClassifier,
    BagNameClassifier,
    LabelProportionClassifier,
    MeanMapClassifier,
    matching_threshold,
    solve_labelled,
)
from privdemo.estimators.likelihoods import Model
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.mechanisms.bags import bag_names, select

METHODS = [LabelProportionClassifier, MeanMapClassifier, AlternatingMeanMapClassifier, BagNameClassifier]


def rng(seed=0):
    return np.random.default_rng(seed)


def ragged(sizes=(3, 1, 7, 4, 12, 5), d=3, seed=0):
    """X (n, d) whose labels follow from it, bags in no order, their proportions, and the labels."""
    draw, n = rng(seed), sum(sizes)
    X = draw.random((n, d))
    bags = draw.permutation(np.repeat(np.arange(len(sizes)), sizes))
    # a bag's number moves its share, so that no two are the same
    y = (draw.random(n) < expit((X - 0.5) @ draw.normal(0, 4, d) + bags - len(sizes) / 2)).astype(int)
    return X, bags, np.array([y[bags == bag].mean() for bag in range(len(sizes))]), y


def scores_of(fit, X):
    return X @ fit.coef_[0] + fit.intercept_[0]


# --- the slides' loss ------------------------------------------------------------------------------


def log_likelihood_by_hand(scores, names, proportions, weights):
    """The slides' loss of each bag and the slopes of their sum with 50 digits, bag by bag and record by record."""
    with localcontext() as context:
        context.prec = 50
        values, slopes = [], [Decimal(0)] * len(scores)
        p = [1 / (1 + (-Decimal(float(a))).exp()) for a in scores]
        q = [1 / (1 + Decimal(float(a)).exp()) for a in scores]
        for bag, share in enumerate(map(Decimal, map(float, proportions))):
            rows = [i for i, name in enumerate(names) if name == bag]
            size = sum(Decimal(float(weights[i])) for i in rows)
            mean_p, mean_q = (sum(Decimal(float(weights[i])) * r[i] for i in rows) / size for r in (p, q))
            values.append(share * mean_p.ln() + (1 - share) * mean_q.ln())
            for i in rows:
                slopes[i] = Decimal(float(weights[i])) / size * p[i] * q[i] * (share / mean_p - (1 - share) / mean_q)
        return np.array(values, dtype=float), np.array(slopes, dtype=float)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1, 30, 800])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_is_that_of_a_plain_loop_however_sure_the_model(scale, weighted):
    X, names, proportions, _ = ragged()
    proportions = np.array([0.0, 1.0, 0.3, 0.0, 1.0, 0.9])
    weights = rng(1).integers(1, 5, len(names)) * 0.5 if weighted else np.ones(len(names))
    bags = read_bags(X, names, proportions, weights)
    order = np.argsort(names, kind="stable")
    np.testing.assert_array_equal(bags.X, X[order])
    for seed in range(3):
        scores = scale * (rng(seed).choice([-1.0, 1.0], len(names)) if scale > 1 else rng(seed).normal(size=len(names)))
        if seed == 2:
            scores = np.abs(scores) * np.where(proportions < 0.5, 1.0, -1.0)[names]  # as wrong as can be
        values, slopes = bag_log_likelihood(scores[order], bags)
        expected, expected_slopes = log_likelihood_by_hand(scores, names, proportions, weights)
        assert values.shape == (6,)
        # logarithms of up to 800 are right to 10⁻¹³, and exp of them to as much; means of 1 are rounded to 10⁻¹⁵
        np.testing.assert_allclose(values, expected, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(slopes, expected_slopes[order], rtol=1e-11, atol=1e-300)
        assert np.abs((expected - log_likelihood_by_hand(scores, names, 1 - proportions, weights)[0]).sum()) > 1e-3


def test_at_zero_weights_the_gradient_needs_the_mean_records_alone():
    X, names, proportions, _ = ragged()
    bags = read_bags(X, names, proportions, rng(1).integers(1, 4, len(X)).astype(float))
    expected = bags.X.T @ bag_log_likelihood(np.zeros(len(X)), bags)[1]
    np.testing.assert_allclose(gradient_at_zero(bags), expected, atol=1e-14)  # sums of 32 values in [0, 1]
    assert np.abs(bags.X.T @ bag_log_likelihood(0.1 * bags.X[:, 0], bags)[1] - expected).max() > 1e-3


# --- every objective -------------------------------------------------------------------------------


def plain_loss(method, coef, intercept, X, bags, proportions, weights, C):
    """What `method` says that it minimises, in plain loops; of AMM the first, mean map's."""
    a = [float(x @ coef + intercept) for x in X]
    p, n_bags = [1 / (1 + math.exp(-score)) for score in a], len(proportions)
    sizes = [sum(w for w, b in zip(weights, bags, strict=True) if b == bag) for bag in range(n_bags)]
    total = 0.0
    if method is LabelProportionClassifier:
        for bag, share in enumerate(proportions):
            mean = sum(w * p_i for w, p_i, b in zip(weights, p, bags, strict=True) if b == bag) / sizes[bag]
            total -= share * math.log(mean) + (1 - share) * math.log(1 - mean)
    elif method is BagNameClassifier:
        n_class = [sum(m * (1 - s) for m, s in zip(sizes, proportions, strict=True))]
        n_class += [sum(m * s for m, s in zip(sizes, proportions, strict=True))]
        for w, p_i, b in zip(weights, p, bags, strict=True):
            negative, positive = sizes[b] * (1 - proportions[b]) / n_class[0], sizes[b] * proportions[b] / n_class[1]
            total -= w * math.log(negative * (1 - p_i) + positive * p_i)
    else:
        means = [
            sum(w * x for w, x, b in zip(weights, X, bags, strict=True) if b == g) / sizes[g] for g in range(n_bags)
        ]
        design = np.sqrt(sizes)[:, None] * np.stack((1 - proportions, proportions), axis=1)
        both = np.linalg.lstsq(design, np.sqrt(sizes)[:, None] * np.array(means))[0]
        n_positive = sum(m * s for m, s in zip(sizes, proportions, strict=True))
        total += sum(w * math.log1p(math.exp(score)) for w, score in zip(weights, a, strict=True))
        total -= n_positive * float(both[1] @ coef + intercept)
    return total + float(coef @ coef) / (2 * C)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_climbed_is_the_documented_loss_and_its_gradient(method, weighted, monkeypatch):
    X, bags, proportions, _ = ragged((6, 2, 9, 5, 8))
    weights, C = rng(2).integers(1, 5, len(X)) * 0.5 if weighted else np.ones(len(X)), 2.0
    centre = np.average(X, axis=0, weights=weights)
    handed = []

    def watched(loss, start, **settings):
        handed.append(loss)
        return minimize(loss, start, **settings)

    monkeypatch.setattr(likelihoods, "minimize", watched)
    fit = method(C=C).fit(X, bags, proportions, weights)
    n = len(proportions) if method is LabelProportionClassifier else weights.sum()

    def by_hand(packed, C=C):
        # the intercept is measured at the mean record
        coef, intercept = packed[:-1], packed[-1] - centre @ packed[:-1]
        return plain_loss(method, coef, intercept, X, bags, proportions, weights, C) / n

    for seed in range(3):
        at = rng(seed).normal(0, 1 + seed, 4)
        value, gradient = handed[0](at)
        slopes = [(by_hand(at + move) - by_hand(at - move)) / 2e-5 for move in 1e-5 * np.eye(4)]
        # a loop over 30 records, each rounded to 10⁻¹⁵
        offset = 0.0 if method is not BagNameClassifier else value - by_hand(at)
        assert abs(offset) < 1e-9
        assert value == pytest.approx(by_hand(at) + offset, rel=1e-12)
        # losses of size 10 rounded to 10⁻¹⁵ over 2·10⁻⁵, and a third derivative of size 10 times 10⁻¹⁰
        np.testing.assert_allclose(gradient, slopes, atol=2e-8)
        assert abs(value - by_hand(at, 1.1 * C)) > 1e-5
    if method is not AlternatingMeanMapClassifier:
        found = np.append(fit.coef_[0], fit.intercept_[0] + centre @ fit.coef_[0])
        for direction in rng(3).normal(size=(20, 4)):
            assert by_hand(found + 0.05 * direction) > by_hand(found)


# --- what must not matter --------------------------------------------------------------------------


def unchanged(X, bags, p, w):
    order, names = rng(5).permutation(len(X)), rng(6).permutation(len(p))
    repeated = np.repeat(np.arange(len(X)), w)
    return {
        "sparse": (csr_array(X), bags, p, w),
        "sparse columns": (csr_array(X).tocsc(), bags, p, w),
        "records in another order": (X[order], bags[order], p, w[order]),
        "bags under other names": (X, names[bags], p[np.argsort(names)], w),
        "repeats for weights": (X[repeated], bags[repeated], p, None),
        "lists": (X.tolist(), bags.tolist(), p.tolist(), w.tolist()),
        "nobody's row": (np.append(X, [[99.0] * 3], axis=0), np.append(bags, 1), p, np.append(w, 0)),
    }


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("method", "how"),
    [(method, how) for method in METHODS for how in unchanged(np.eye(3), np.arange(3), np.ones(3), np.ones(3, int))],
)
def test_how_the_same_bags_are_given_changes_nothing(method, how):
    X, bags, p, _ = ragged((8, 5, 9, 12, 6, 10))
    X[X < 0.4] = 0
    weights = rng(3).integers(1, 4, len(X))
    estimator = method(tol=1e-6)
    expected = clone(estimator).fit(X, bags, p, weights)
    found = estimator.fit(*unchanged(X, bags, p, weights)[how])
    # gradients of 10⁻⁶ (of bags, less by their contrast) over curvatures of 10⁻³ and more
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-3)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, atol=1e-3)
    np.testing.assert_allclose(found.predict_proba(csr_array(X)), expected.predict_proba(X), atol=1e-3)
    unweighted = clone(estimator).fit(X, bags, p)
    assert np.abs(unweighted.coef_ - expected.coef_).max() > 5e-3


@pytest.mark.parametrize("method", METHODS)
def test_fit_alters_nothing_and_returns_itself(method):
    X, bags, p, _ = ragged((3, 2, 7, 4, 12, 5))
    before = X.copy(), bags.copy(), p.copy()
    estimator = method(C="cv", cv=2, match_share=True)
    given_ = estimator.get_params()
    with pytest.raises(NotFittedError):
        estimator.predict(X)
    assert estimator.fit(X, bags, p) is estimator
    assert estimator.get_params() == given_
    for array, copy in zip((X, bags, p), before, strict=True):
        np.testing.assert_array_equal(array, copy)
    chances = estimator.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(chances[:, 1], expit(scores_of(estimator, X)), rtol=1e-12)
    np.testing.assert_array_equal(estimator.predict(X), scores_of(estimator, X) > estimator.threshold_)
    again = clone(estimator).fit(X, bags, p)
    np.testing.assert_array_equal(again.coef_, estimator.coef_)


@pytest.mark.parametrize("method", METHODS)
def test_sparse_records_are_never_densified(method, monkeypatch):
    """Means of bags and inner products may be dense; nothing of more rows than there are bags is."""
    X, bags, p, _ = ragged((30, 20, 25, 40, 35))
    dense_rows = []

    def watched(original):
        def densify(matrix, *args, **kwargs):
            dense_rows.append(matrix.shape[0])
            return original(matrix, *args, **kwargs)

        return densify

    for kind in (csr_array, csc_array, coo_array):
        for name in ("toarray", "todense"):
            monkeypatch.setattr(kind, name, watched(getattr(kind, name)))
    sparse = csr_array(np.where(X < 0.6, 0, X))
    fit = method(C="cv", cv=2, match_share=True).fit(sparse, bags, p)
    fit.predict_proba(sparse)
    assert max(dense_rows, default=0) <= len(p)
    sparse.todense()
    assert max(dense_rows) == len(bags)  # it would have been seen


# --- known truths ----------------------------------------------------------------------------------

TRUTH = np.array([2.0, -1.5, -0.4])


def world(by, seed, n_bags=60, size=40):
    """Records of known weights in bags that were filled by the label or by the record."""
    draw = rng(seed)
    X = draw.normal(size=(n_bags * size, 2))
    y = (draw.random(len(X)) < expit(X @ TRUTH[:2] + TRUTH[2])).astype(int)
    # like with like, with so much noise that every bag holds many kinds
    key = (2 * y if by == "label" else X @ [1, -0.5]) + draw.normal(size=len(X))
    bags = np.empty(len(X), int)
    bags[np.argsort(key)] = np.repeat(np.arange(n_bags), size)
    return X, bags, np.bincount(bags, y) / size


@pytest.mark.parametrize(
    ("by", "right", "wrong"),
    [
        ("label", BagNameClassifier, LabelProportionClassifier),
        ("record", LabelProportionClassifier, BagNameClassifier),
    ],
)
def test_known_weights_are_recovered_by_the_method_that_knows_how_bags_were_filled(by, right, wrong):
    repeats = 8

    def errors(method, flip=False):
        """In standard errors of the mean over the repeats."""
        found = []
        for seed in range(repeats):
            X, bags, p = world(by, seed)
            fit = method(C=1e6, tol=1e-5).fit(X, bags, 1 - p if flip else p)
            found.append(np.append(fit.coef_[0], fit.intercept_))
        return np.abs(np.mean(found, axis=0) - TRUTH) / (np.std(found, axis=0, ddof=1) / math.sqrt(repeats))

    assert errors(right).max() < 5
    assert errors(wrong).max() > 5
    assert errors(right, flip=True).max() > 5


def test_the_mean_of_log_probabilities_would_name_everybody_negative_and_the_mean_of_probabilities_does_not(
    data_folder,
):
    """As published in one package: the bag loss averages log p. Its best constant is the share, and so is all else."""
    adult = datasets.load("adult")
    X, y, test_X, test_y = adult.train.X, adult.train.y, adult.test.X[:4000].astype(float), adult.test.y[:4000]
    rows = select("iid", y, np.zeros(len(y), int), 100, 60, rng(0))
    bags, p = bag_names(rows), np.array([y[one].mean() for one in rows])
    X = X[np.concatenate(rows)].astype(float)

    def averaged_logs(packed):
        scores, share = X @ packed[:-1] + packed[-1], p[bags]
        value = share * log_expit(scores) + (1 - share) * log_expit(-scores)
        slope = expit(scores) - share
        penalty = 0.5 * np.append(packed[:-1], 0)
        return penalty @ packed / 2 - value.sum(), np.append(X.T @ slope, slope.sum()) + penalty

    wrong = minimize(averaged_logs, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options={"gtol": 1.0}).x
    majority = f1_score(test_y, np.zeros_like(test_y), average="weighted", zero_division=0)
    collapsed = (test_X @ wrong[:-1] + wrong[-1] > 0).astype(int)
    assert collapsed.mean() < 0.01
    # what a hundredth of people named positive can add
    assert f1_score(test_y, collapsed, average="weighted") < majority + 0.02
    # penalties of the size that each one's cross-validation takes: sums over 100 bags need a weaker one
    for method, C in ((LabelProportionClassifier, 100.0), (BagNameClassifier, 1.0)):
        named = method(C=C, tol=1e-3).fit(X, bags, p).predict(test_X)
        assert 0.1 < named.mean() < 0.5
        # 66 for the majority, and 75 and more with a standard deviation of 1.1 over draws
        assert f1_score(test_y, named, average="weighted") > majority + 0.05


# --- the penalty -----------------------------------------------------------------------------------


def held_out_by_hand(method, C, cv, random_state, X, bags, p):
    """The loss of each bag by the model of the folds without it, (B,)."""
    held_out = np.empty(len(p))
    for seen, unseen in KFold(cv, shuffle=True, random_state=random_state).split(np.zeros(len(p))):
        known = np.isin(bags, seen)
        fold = method(C=C, tol=1e-6).fit(X[known], np.searchsorted(seen, bags[known]), p[seen])
        for bag in unseen:
            mean = expit(scores_of(fold, X[bags == bag])).mean()
            held_out[bag] = p[bag] * math.log(mean) + (1 - p[bag]) * math.log(1 - mean)
    return held_out


def same_start(one, other):
    """Of two searches, the scores of the strengths that both have tried."""
    return one.cv_scores_[: len(other.cv_scores_)], other.cv_scores_[: len(one.cv_scores_)]


@pytest.mark.parametrize("method", METHODS[:3])
def test_the_penalty_is_chosen_by_plain_cross_validation_over_bags(method):
    draw = rng(8)
    n_bags = 14
    X, bags, p, _ = ragged(tuple(draw.integers(5, 30, n_bags)), d=3, seed=8)
    names = rng(9).permutation(n_bags)  # a bag's place must say nothing
    bags, p = names[bags], p[np.argsort(names)]
    fit = method(C="cv", cv=3, tol=1e-5, random_state=3).fit(X, bags, p)
    strengths = method._strengths
    assert set(strengths) <= set(CS)
    tried = len(fit.cv_scores_)
    for step in sorted({*range(0, tried, 3), tried - 1}):
        found = held_out_by_hand(method, strengths[step], 3, 3, X, bags, p)
        # the search solves to gradients of 10⁻⁴ a bag or record
        assert fit.cv_scores_[step] == pytest.approx(found.mean(), abs=1e-3)
    assert np.ptp(fit.cv_scores_) > 5e-3
    assert strengths[int(np.argmax(fit.cv_scores_))] == fit.C_
    fixed = method(C=fit.C_, tol=1e-5).fit(X, bags, p)
    np.testing.assert_allclose(fixed.coef_, fit.coef_, rtol=1e-2, atol=1e-4)
    assert not hasattr(fixed, "cv_scores_")
    other, mine = same_start(clone(fit).set_params(random_state=4).fit(X, bags, p), fit)
    assert np.abs(other - mine).max() > 5e-3
    # and the order of records, and with it who is positive in a bag, is of no account
    order = rng(10).permutation(len(X))
    np.testing.assert_allclose(clone(fit).fit(X[order], bags[order], p).cv_scores_, fit.cv_scores_, atol=1e-3)


def search_by_hand(method, cv, X, bags, p):
    """The scores of the strengths tried, and the smallest distance, in standard errors, from ending elsewhere."""
    held_out, margins = [], []
    for C in method._strengths:
        held_out.append(held_out_by_hand(method, C, cv, 0, X, bags, p))
        means = np.mean(held_out, axis=1)
        lost = held_out[int(means.argmax())] - held_out[-1]
        if not lost.any():  # the best so far
            continue
        behind = lost.mean() / (lost.std() / math.sqrt(len(p)))
        margins.append(abs(behind - 3))
        if behind > 3:
            break
    return means, min(margins)


@pytest.mark.parametrize("method", METHODS[:3])
def test_the_search_ends_at_a_strength_that_is_worse_by_three_standard_errors(method):
    ended = []
    for seed, coupled in ((1, False), (1, True), (2, True)):
        draw = rng(seed)
        if coupled:  # proportions follow the records: weak penalties are no worse
            X, bags, p, _ = ragged(tuple(draw.integers(15, 40, 12)), seed=seed)
        else:  # proportions of chance: weak penalties learn them by heart
            bags = np.repeat(np.arange(60), 3)
            X, p = draw.normal(size=(180, 12)), draw.integers(1, 6, 60) / 6
        expected, margin = search_by_hand(method, 4, X, bags, p)
        fit = method(C="cv", cv=4, tol=1e-5).fit(X, bags, p)
        assert margin > 0.005  # so that solving to a gradient of 10⁻⁴ ends at the same
        np.testing.assert_allclose(fit.cv_scores_, expected, atol=2e-3)
        assert method._strengths[int(np.argmax(fit.cv_scores_))] == fit.C_
        ended.append(len(expected) < len(method._strengths))
    assert ended == [True, False, False]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("proportions", [[0.2, 0.2, 0.6], [0.0, 0.0, 0.5]])
def test_bags_that_are_all_alike_in_a_fold_do_not_end_the_search(method, proportions):
    X, bags, *_ = ragged((10, 12, 14))
    fit = method(C="cv", cv=3).fit(X, bags, proportions)
    assert np.isfinite(fit.coef_).all()
    assert fit.C_ in CS


# --- the threshold ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("shift", [0.0, 0.35])
def test_matching_names_the_known_share_positive_within_a_record(method, sparse, shift):
    X, bags, p, _ = ragged((30, 25, 40, 21))
    p = project_proportions(p - shift)
    X = csr_array(X) if sparse else X
    plain, matched = (method(match_share=match).fit(X, bags, p) for match in (False, True))
    share = np.bincount(bags) @ p / len(bags)
    assert abs(matched.predict(X).mean() - share) <= 1 / len(bags)
    np.testing.assert_array_equal(matched.coef_, plain.coef_)
    assert plain.threshold_ == 0
    weights = rng(4).integers(1, 4, len(bags))
    weighted = method(match_share=True).fit(X, bags, p, weights)
    share = np.bincount(bags, weights) @ p / weights.sum()
    assert abs(weights @ weighted.predict(X) / weights.sum() - share) <= 3 / weights.sum()  # a row is up to three


@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(1, 3)), min_size=1, max_size=8, unique_by=lambda pair: pair[0]))
def test_no_threshold_comes_nearer_to_the_share(pairs):
    scores, weight = np.array(pairs).T
    for share in (0, 0.1, 0.5, 0.93, 1):

        def miss(threshold, share=share):
            return abs(weight[scores > threshold].sum() / weight.sum() - share)

        best = min(miss(threshold) for threshold in (-np.inf, *scores))
        assert miss(matching_threshold(scores, weight, share)) == pytest.approx(best, abs=1e-12)


def test_matching_gets_as_near_to_the_share_as_equal_records_let_it():
    """Sixty of a hundred records are alike, and 55 are known to be positive: sixty is nearer to 55 than none."""
    X, bags = np.repeat([1.0, 0.0], [60, 40])[:, None], np.repeat([0, 1, 0, 1], [50, 10, 10, 30])
    fit = BagNameClassifier(match_share=True).fit(X, bags, [50 / 60, 5 / 40])
    assert fit.coef_[0, 0] > 0
    assert fit.predict(X).sum() == 60


# --- bag names -------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=8))
def test_the_bag_channel_is_bayes_rule_by_counting_records(counts):
    counts = [(positive, negative) for positive, negative in counts if positive + negative > 0]
    people = [(bag, c) for bag, pair in enumerate(counts) for c, n in ((1, pair[0]), (0, pair[1])) for _ in range(n)]
    if len({c for _, c in people}) < 2:
        return
    channel = bag_channel([a / (a + b) for a, b in counts], [a + b for a, b in counts])
    assert channel.shape == (len(counts), 2)
    np.testing.assert_allclose(channel.sum(axis=0), 1, rtol=1e-14)
    for c in (0, 1):
        of_class = [bag for bag, label in people if label == c]
        expected = np.bincount(of_class, minlength=len(counts)) / len(of_class)
        np.testing.assert_allclose(channel[:, c], expected, rtol=1e-13, atol=1e-17)


@pytest.mark.parametrize("C", [0.5, "cv"])
def test_bag_names_go_to_the_spread_logistic_regression(C):
    X, bags, p, _ = ragged((30, 25, 40, 21))
    order, weights = np.argsort(bags, kind="stable"), rng(4).integers(1, 4, len(bags))
    X, bags, weights = X[order], bags[order], weights[order]  # folds are of records: in the same order
    found = BagNameClassifier(C=C, cv=3, tol=1e-4, random_state=2).fit(X, bags, p, weights)
    channel = bag_channel(p, np.bincount(bags, weights))
    tol = 1e-4 * np.abs(channel[:, 1] - channel[:, 0]).sum() / 2
    expected = SpreadLogisticRegression(channel, C=C, cv=3, tol=tol, random_state=2).fit(X, bags, weights)
    np.testing.assert_array_equal(found.channel_, channel)
    # the same sums but for rounding, which may end the climb a step sooner
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), rtol=1e-6)
    assert found.C_ == expected.C_
    if C == "cv":
        np.testing.assert_allclose(found.cv_scores_, expected.cv_scores_, rtol=1e-9)
    other = SpreadLogisticRegression(bag_channel(p, np.ones(4)), C=found.C_, tol=tol).fit(X, bags, weights)
    assert np.abs(other.coef_ - found.coef_).max() > 1e-3 * np.abs(found.coef_).max()


@pytest.mark.parametrize("C", [0.3, 10.0])
def test_bags_of_one_class_each_are_labels(C):
    X, bags, *_ = ragged((30, 25, 40, 21))
    pure = np.array([1.0, 0.0, 0.0, 1.0])
    found = BagNameClassifier(C=C, tol=1e-7).fit(X, bags, pure)
    expected = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, pure[bags])
    # a gradient of 10⁻⁷ a record over a curvature of at least 1/(C n) = 10⁻³
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-4)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, atol=1e-4)
    flipped = LogisticRegression(C=1.1 * C, tol=1e-10, max_iter=10_000).fit(X, pure[bags])
    assert np.abs(found.coef_ - flipped.coef_).max() > 1e-3


# --- mean maps -------------------------------------------------------------------------------------


def test_class_means_are_exact_where_a_class_looks_the_same_in_every_bag():
    truth, n_each = rng(1).random((2, 3)), np.array([[2, 6], [4, 2], [0, 4], [8, 2]])  # negatives, positives
    X, bags = [], []
    for bag, counts in enumerate(n_each):
        for c, n in enumerate(counts):
            wobble = rng(10 * bag + c).normal(size=(n // 2, 3))
            X += [truth[c] + wobble, truth[c] - wobble]
            bags += [bag] * n
    X, p, ones = np.concatenate(X), n_each[:, 1] / n_each.sum(axis=1), np.ones(len(bags))
    # six digits more than the wobble of size 1 leaves of rounding at 10⁻¹⁵
    np.testing.assert_allclose(class_means(read_bags(X, bags, p, ones)), truth, atol=1e-12)
    np.testing.assert_allclose(class_means(read_bags(csr_array(X), bags, p, 2.5 * ones)), truth, atol=1e-12)
    assert np.abs(class_means(read_bags(X, bags, 0.9 * p, ones)) - truth).max() > 1e-2


def test_with_the_sums_of_true_labels_it_is_logistic_regression():
    X, bags, p, y = ragged((30, 25, 40, 21))
    weights = rng(4).integers(1, 4, len(y)).astype(float)
    start = Model(np.zeros((3, 1)), np.zeros(1))
    data = read_bags(X, bags, p, weights)
    found = solve_labelled(data, X.T @ (weights * y), weights @ y, 2.0, start, 1e-8, 5000)
    expected = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(X, y, weights)
    assert found.converged
    # a gradient of 10⁻⁸ a record over a curvature of at least 1/(C n) = 10⁻³
    np.testing.assert_allclose(found.coef[:, 0], expected.coef_[0], atol=1e-5)
    np.testing.assert_allclose(found.intercept, expected.intercept_, atol=1e-5)
    unweighted = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.abs(unweighted.coef_[0] - found.coef[:, 0]).max() > 1e-2


def labelled_loss(scores, labels, weights):
    return weights @ (np.logaddexp(0, scores) - labels * scores)


@pytest.mark.parametrize("seed", range(4))
def test_the_most_likely_labels_are_the_best_of_all_that_sum_to_the_proportion(seed):
    sizes = (5, 1, 7, 3, 6)
    X, bags, p, _ = ragged(sizes, seed=seed)
    bags, ones = np.sort(bags), np.ones(len(bags))
    scores = np.round(rng(seed).normal(0, 2, len(bags)), seed)  # with seed 0, many are equal
    labels = most_likely_labels(scores, read_bags(X, bags, p, ones))
    for bag, size in enumerate(sizes):
        mine = bags == bag
        allowed = [np.array(one) for one in itertools.product([0, 1], repeat=size) if sum(one) == round(p[bag] * size)]
        best = min(labelled_loss(scores[mine], one, ones[mine]) for one in allowed)
        assert labels[mine].sum() == pytest.approx(p[bag] * size, abs=1e-12)
        assert labelled_loss(scores[mine], labels[mine], ones[mine]) == pytest.approx(best, abs=1e-12)
    # with weights, and proportions of parts of a record, all labels in [0, 1] that sum to it
    weights, p = rng(seed).random(len(bags)) + 0.1, rng(seed + 1).random(len(sizes))
    labels = most_likely_labels(scores, read_bags(X, bags, p, weights))
    for bag in range(len(sizes)):
        mine = bags == bag
        total = p[bag] * weights[mine].sum()
        best = linprog(-(weights * scores)[mine], A_eq=weights[None, mine], b_eq=[total], bounds=(0, 1))
        assert weights[mine] @ labels[mine] == pytest.approx(total, abs=1e-12)
        assert -((weights * scores * labels)[mine].sum()) == pytest.approx(best.fun, abs=1e-9)  # linprog's own


def test_alternating_never_ends_worse_than_it_began():
    gains, C = [], 1.0
    for seed in range(12):
        X, bags, p, _ = ragged((8, 5, 9, 12, 6, 10), seed=seed)
        order = np.argsort(bags)
        X, bags = X[order], bags[order]
        data = read_bags(X, bags, p, np.ones(len(X)))
        losses = []
        for method in (MeanMapClassifier, AlternatingMeanMapClassifier):
            fit = method(C=C, tol=1e-6).fit(X, bags, p)
            scores = scores_of(fit, X)
            labels = most_likely_labels(scores, data)
            losses.append(labelled_loss(scores, labels, data.weight) + (fit.coef_**2).sum() / (2 * C))
        gains.append(losses[0] - losses[1])
        # and there nothing is left to gain: the best model of its own labels is itself
        again = solve_labelled(data, X.T @ labels, labels.sum(), C, Model(fit.coef_.T, fit.intercept_), 1e-8, 5000)
        own = labelled_loss(X @ again.coef[:, 0] + again.intercept, labels, data.weight) + (again.coef**2).sum() / (
            2 * C
        )
        assert losses[1] - own < 2e-6 * len(X)  # `tol` a record ends it, and as much the last climb
    assert min(gains) > -1e-6 * len(X)
    assert max(gains) > 0.1


# --- refusals --------------------------------------------------------------------------------------

GOOD = {"bags": np.repeat([0, 1, 2], 4), "proportions": [0.2, 0.5, 0.8]}


@pytest.mark.parametrize("method", [LabelProportionClassifier, BagNameClassifier])
@pytest.mark.parametrize(
    ("wrong", "error", "sentence"),
    [
        (
            {"proportions": [0.2, 1.1, 0.8]},
            ValueError,
            r"proportions must be in \[0, 1\], got 1.1 for bag 1; project_p",
        ),
        (
            {"proportions": [0.2, 0.5, -0.1]},
            ValueError,
            r"proportions must be in \[0, 1\], got -0.1 for bag 2; project",
        ),
        ({"proportions": [np.nan, 0.5, 0.1]}, ValueError, r"proportions must be in \[0, 1\], got nan for bag 0"),
        ({"proportions": [0.2]}, ValueError, r"proportions must be a list of two or more, one for each bag, got shape"),
        ({"proportions": 0.2}, ValueError, r"proportions must be a list of two or more, .* got shape \(\)"),
        ({"proportions": [0, 0, 0]}, ValueError, "all bags are wholly negative, so only one class is known of"),
        ({"proportions": [1, 1, 1]}, ValueError, "all bags are wholly positive, so only one class is known of"),
        ({"proportions": [0.2, 0.5]}, ValueError, r"bags must be numbers in \[0, 1\], one for each proportion, got 2"),
        ({"proportions": [0.2, 0.5, 0.8, 1]}, ValueError, "bag 3 is empty: drop it and its proportion"),
        ({"bags": np.repeat([-1, 0, 1], 4)}, ValueError, r"bags must be numbers in \[0, 2\], one for .*, got -1"),
        ({"bags": np.repeat([0, 2, 2], 4)}, ValueError, "bag 1 is empty"),
        (
            {"bags": np.repeat([0.0, 1, 2], 4)},
            TypeError,
            "bags must be one whole number for each row of X, got float64",
        ),
        ({"bags": np.eye(12, dtype=int)}, TypeError, r"bags must be one whole number for each row .* shape \(12, 12\)"),
        ({"bags": np.repeat([0, 1, 2], 3)}, ValueError, r"inconsistent numbers of samples: \[12, 9\]"),
        ({"sample_weight": np.repeat([1, 0, 1], 4)}, ValueError, "bag 1 is empty"),
        ({"sample_weight": np.ones(5)}, ValueError, "sample_weight.shape"),
        ({"X": np.full((12, 2), np.nan)}, ValueError, "contains NaN"),
    ],
)
def test_bags_that_say_nothing_or_nonsense_are_refused(method, wrong, error, sentence):
    with pytest.raises(error, match=sentence):
        method().fit(**{"X": rng().random((12, 2)), **GOOD, **wrong})


@pytest.mark.parametrize("method", METHODS)
def test_weights_below_0_are_refused(method):
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        method().fit(rng().random((12, 2)), **GOOD, sample_weight=np.append(-0.5, np.ones(11)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"C": 0.0}, "C must be above 0, got 0; it is the inverse strength of the penalty"),
        ({"C": -1}, "C must be above 0, got -1"),
        ({"C": "best"}, "C must be above 0 or \"cv\", got 'best'"),
        ({"C": "cv", "cv": 1}, r"cv must be a whole number in \[2, "),
        (
            {"C": "cv", "cv": 13},
            r"cv must be a whole number in \[2, (3\], got 13; the bags|12\], got 13; the people) are",
        ),
        ({"tol": 0.0}, "tol must be in .0, 1., got 0"),
        ({"max_iter": 0}, r"max_iter must be a whole number in \[1, 100000\], got 0"),
    ],
)
def test_settings_out_of_range_are_refused(method, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        method(**settings).fit(rng().random((12, 2)), **GOOD)


@pytest.mark.parametrize("method", METHODS)
def test_equal_proportions_give_everybody_their_share_and_a_warning(method):
    X, bags, *_ = ragged((10, 12, 14))
    with pytest.warns(UserWarning, match="all bags have the same proportion, 0.3, so nothing identifies the classes"):
        fit = method().fit(X, bags, [0.3, 0.3, 0.3])
    np.testing.assert_allclose(fit.predict_proba(X), np.tile([0.7, 0.3], (36, 1)), rtol=1e-12)
    np.testing.assert_array_equal(fit.predict(X), 0)


@pytest.mark.parametrize("method", METHODS)
def test_a_bag_of_one_record_warns_and_larger_ones_do_not(method):
    X, bags, p, _ = ragged()
    with pytest.warns(UserWarning, match="^a bag of one record: its proportion is that record's label$"):
        method().fit(X, bags, p)
    n_bags = np.bincount(bags)
    weights = np.where(n_bags[bags] == 1, 2.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        method().fit(X, bags, p, weights)  # a mean of two
    weights = np.ones(len(bags))
    weights[np.flatnonzero(bags == 0)[1:]] = 0  # of which one is left
    with pytest.warns(UserWarning, match="a bag of one record"):
        method().fit(X, np.where(bags == 1, 2, bags) - (bags > 1), np.delete(p, 1), weights)


@pytest.mark.parametrize("method", METHODS)
def test_too_few_steps_warn(method):
    X, bags, p, _ = ragged((30, 25, 40, 21))
    with pytest.warns(ConvergenceWarning, match="not converged in 1 steps: raise max_iter or lower C"):
        method(C=1e3, max_iter=1).fit(X, bags, p)


def test_projection_is_the_nearest_share_and_leaves_shares_alone():
    noisy = np.array([-0.4, 0.0, 0.3, 1.0, 1.7])
    np.testing.assert_array_equal(project_proportions(noisy), [0, 0, 0.3, 1, 1])
    assert noisy[0] == -0.4

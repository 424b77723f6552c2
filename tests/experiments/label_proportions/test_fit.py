"""Every method on bags of one trial: models fitted here, scores by scikit-learn, and what tells of a label."""

import itertools
import math
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit
from sklearn.metrics import accuracy_score, f1_score

from privdemo.estimators import label_proportions as bags
from privdemo.estimators.logistic import NaiveLogisticRegression
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import F1, HALF, SHARE, run, sample_release
from privdemo.mechanisms.aggregation import dense
from privdemo.methods import ALTERNATING, FULL, LABELLED, LLP, MEAN_MAP, NAMES, by_trying
from tests.experiments.label_proportions.cases import CASES, NOISY, SINGLE

MODELS = {
    NAMES: partial(bags.BagNameClassifier, C="cv"),
    by_trying(NAMES): bags.ChosenBagNameClassifier,
    LLP: partial(bags.LabelProportionClassifier, C="cv"),
    MEAN_MAP: partial(bags.MeanMapClassifier, C="cv"),
    ALTERNATING: partial(bags.AlternatingMeanMapClassifier, C="cv"),
}


def labelled_rows(released):
    """Every released row as a negative and as a positive, weighted by its labels."""
    X, n = dense(released.rows), len(released.counts)
    weight = np.append(released.counts - released.positives, released.positives)
    there = weight > 0
    return np.concatenate([X, X])[there], np.repeat([0, 1], n)[there], weight[there]


run_once = cache(run)


@cache
def fit_model(name, config):
    released = sample_release(config)
    if name == FULL:
        return NaiveLogisticRegression(C="cv", tol=3e-5).fit(released.records.X, released.records.y)
    if name == LABELLED:
        return NaiveLogisticRegression(C="cv", tol=3e-5).fit(*labelled_rows(released))
    share = np.clip(released.proportions, 0, 1)
    return MODELS[name](cv=min(5, len(share))).fit(released.rows, released.row_bags, share, released.counts)


def f1_scores(y, named):
    """F1 of positives, of negatives, and their weighted average."""
    average = f1_score(y, named, average="weighted", zero_division=0)
    return f1_score(y, named, zero_division=0), f1_score(1 - y, ~named, zero_division=0), average


def matching_threshold(scores, counts, wanted):
    """Midway between the two scores between which a number of records nearest to `wanted` lies above, by trying all."""
    values = np.unique(scores)
    ends = np.concatenate(([-np.inf], (values[1:] + values[:-1]) / 2, [np.inf]))
    return min(ends, key=lambda end: abs(counts[scores > end].sum() - wanted))


def slides_gradient(X, bags, weight, share):
    """Σ over bags of (π − ½) x̄."""
    means = [np.average(dense(X)[bags == b], axis=0, weights=weight[bags == b]) for b in range(len(share))]
    return sum((p - 0.5) * mean for p, mean in zip(share, means, strict=True))


@pytest.mark.parametrize("config", CASES.values(), ids=CASES)
def test_f1_scores_are_scikit_learns_of_models_fitted_here(config):
    trial, released = run_once(config), sample_release(config)
    single = config.k == 1 and math.isinf(config.feature_epsilon)
    assert list(trial.fits) == [name for name in config.methods if name != LABELLED or not single]
    y, n_positives = released.test.y, min(max(released.sizes @ released.proportions, 0), released.sizes.sum())
    for name, found in trial.fits.items():
        model = fit_model(name, config)
        scores = model.decision_function(released.test.X)
        assert (found.method, found.C) == (name, model.C_)
        assert found.seconds > 0
        assert set(found.f1) == ({HALF, SHARE} if single else {HALF})
        assert found.f1[HALF] == pytest.approx(f1_scores(y, model.predict_proba(released.test.X)[:, 1] > 0.5))
        if single:
            own = released.records.y.sum() if name == FULL else n_positives  # who has the labels needs no noisy count
            threshold = matching_threshold(model.decision_function(released.rows), released.counts, own)
            assert found.f1[SHARE] == pytest.approx(f1_scores(y, scores > threshold))
    assert (trial.loss, trial.least_labels, trial.identified) == (released.loss, released.least_labels, True)
    r = released
    before = slides_gradient(r.records.X, r.record_bags, np.ones(len(r.records.y)), r.true_proportions)
    after = slides_gradient(r.rows, r.row_bags, r.counts, np.clip(r.proportions, 0, 1))
    assert trial.turned == pytest.approx(np.linalg.norm(after - before) / np.linalg.norm(before), abs=1e-12)


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize(("epsilon", "prior"), [(0.1, 0.2), (1.0, 0.5), (4.0, 0.9)])
def test_the_bag_posterior_is_that_of_enumerating_all_labels_of_a_small_bag(m, epsilon, prior):
    released = np.array([-1.3, 0.0, 0.31, 0.5, 1.0, 2.4])
    found = label_proportions.bag_posterior(released, np.full(6, float(m)), epsilon, prior)
    law = stats.laplace(scale=1 / (m * epsilon))
    for r, one in zip(released, found, strict=True):
        by_first_label = [0.0, 0.0]
        for labels in itertools.product([0, 1], repeat=m):
            chance = math.prod(prior if label else 1 - prior for label in labels)
            by_first_label[labels[0]] += chance * law.pdf(r - sum(labels) / m)
        assert one == pytest.approx(by_first_label[1] / sum(by_first_label), rel=1e-11)


@pytest.mark.parametrize(("m", "epsilon", "prior"), [(1, 0.01, 0.5), (20, 1.0, 0.02), (1000, 20.0, 0.98)])
def test_no_noisy_proportion_moves_the_odds_of_a_label_by_more_than_epsilon(m, epsilon, prior):
    low, high = expit(logit(prior) - epsilon), expit(logit(prior) + epsilon)
    least, *between, most = label_proportions.bag_posterior(
        np.array([-0.5, 0.1, 0.5, 0.9, 1.5]), np.full(5, m), epsilon, prior
    )
    assert (least, most) == (pytest.approx(low, rel=1e-9), pytest.approx(high, rel=1e-9))
    assert all(low * (1 - 1e-9) <= one <= high * (1 + 1e-9) for one in between)
    exact, sizes = np.array([0.0, 0.25, 1.0]), np.array([4, 4, 7])
    for noiseless in (math.inf, 60.0):
        np.testing.assert_allclose(label_proportions.bag_posterior(exact, sizes, noiseless, 0.4), exact, atol=1e-12)


def combined(by_model, by_bag, prior):
    """odds(x) · odds(bag) / odds(overall), by Bayes."""
    if by_bag in (0, 1):
        return by_bag
    odds = by_model / (1 - by_model) * by_bag / (1 - by_bag) * (1 - prior) / prior
    return odds / (1 + odds)


@pytest.mark.parametrize(
    ("config", "model"),
    [
        *((config, NAMES) for config in CASES.values()),
        (replace(SINGLE, methods=(MEAN_MAP, ALTERNATING)), ALTERNATING),
        (replace(NOISY, methods=(LLP, MEAN_MAP)), LLP),
        (replace(SINGLE, methods=(FULL,)), None),
    ],
)
def test_the_attack_computed_by_hand_is_right_as_often(config, model):
    attack, released = run_once(config).attack, sample_release(config)
    X, y = released.records
    prior, epsilon = sum(y) / len(y), config.proportion_epsilon
    said = label_proportions.bag_posterior(released.proportions, released.sizes, epsilon, prior)
    by_bag = said[released.record_bags]
    by_model = [prior] * len(y) if model is None else fit_model(model, config).predict_proba(X)[:, 1].tolist()
    by_both = [combined(m, b, prior) for m, b in zip(by_model, by_bag, strict=True)]
    right = [
        sum((guess > 0.5) == label for guess, label in zip(guesses, y, strict=True))
        for guesses in ([prior] * len(y), by_bag, by_model, by_both)
    ]
    assert (attack.n, attack.prior) == (len(y), pytest.approx(prior, abs=1e-12))
    assert [attack.prior_right, attack.bag_right, attack.model_right, attack.both_right] == right
    assert attack.exposed == sum(len(set(y[released.record_bags == b])) == 1 for b in released.record_bags)
    assert [guess.label for guess in attack.guesses] == [1, 1, 1, 0, 0, 0]
    for guess in attack.guesses:
        assert (guess.proportion, guess.by_bag) == (released.proportions[guess.bag], said[guess.bag])
        alike = [i for i, b in enumerate(released.record_bags) if (b, y[i]) == (guess.bag, guess.label)]
        assert min(abs(by_both[i] - guess.by_both) for i in alike) < 1e-9


def test_the_share_named_rightly_follows_from_the_f1_of_both_classes():
    rng = np.random.default_rng(0)
    for truth, named in [*rng.integers(0, 2, (20, 2, 30)), ([1, 0, 0], [1, 0, 0]), ([1, 0, 0], [0, 0, 0])]:
        marks = [f1_score(truth, named, pos_label=label, zero_division=0) for label in (1, 0)]
        assert label_proportions.accuracy(F1(*marks, 0.0)) == pytest.approx(accuracy_score(truth, named))

"""The penalty that classifiers from bags choose, against plain cross-validation over bags."""

import math

import numpy as np
import pytest
from scipy.special import expit
from sklearn.model_selection import GroupKFold, KFold

from privdemo.estimators.label_proportions import (
    CS,
    AlternatingMeanMapClassifier,
    LabelProportionClassifier,
    MeanMapClassifier,
)
from tests.estimators.oracles import rng
from tests.estimators.test_label_proportions import METHODS, ragged, scores_of


def held_out_by_hand(method, C, folds, X, bags, p):
    """The loss of each bag by the model of the folds without it, (B,)."""
    held_out = np.empty(len(p))
    for seen, unseen in folds:
        known = np.isin(bags, seen)
        fold = method(C=C, tol=1e-6).fit(X[known], np.searchsorted(seen, bags[known]), p[seen])
        for bag in unseen:
            mean = expit(scores_of(fold, X[bags == bag])).mean()
            held_out[bag] = p[bag] * math.log(mean) + (1 - p[bag]) * math.log(1 - mean)
    return held_out


class EvenAndOdd(GroupKFold):
    """Bags of even and of odd number, in place of random parts."""

    def split(self, X, y=None, groups=None):
        return super().split(X, y, np.arange(len(X)) % 2)


@pytest.mark.parametrize("method", METHODS[:3])
@pytest.mark.parametrize("cv", [3, EvenAndOdd(2)])
def test_the_penalty_is_chosen_by_plain_cross_validation_over_bags(method, cv):
    X, bags, p, _ = ragged(tuple(rng(8).integers(5, 20, 14)), d=3, seed=8)
    names = rng(9).permutation(14)  # a bag's place must say nothing
    bags, p = names[bags], p[np.argsort(names)]
    fit = method(C="cv", cv=cv, tol=1e-5, random_state=3).fit(X, bags, p)
    folds = list((KFold(3, shuffle=True, random_state=3) if cv == 3 else cv).split(np.zeros(14)))
    strengths, tried = method._strengths, len(fit.cv_scores_)
    for step in sorted({0, tried // 2, tried - 1}):
        found = held_out_by_hand(method, strengths[step], folds, X, bags, p)
        # the search solves to gradients of 10⁻⁴ a bag or record
        assert fit.cv_scores_[step] == pytest.approx(found.mean(), abs=1e-3)
    assert np.ptp(fit.cv_scores_) > 5e-3
    assert strengths[int(np.argmax(fit.cv_scores_))] == fit.C_
    fixed = method(C=fit.C_, tol=1e-5).fit(X, bags, p)
    np.testing.assert_allclose(fixed.coef_, fit.coef_, rtol=1e-2, atol=1e-4)
    assert not hasattr(fixed, "cv_scores_")


def test_strengths_that_are_tried():
    assert LabelProportionClassifier._strengths == CS
    assert MeanMapClassifier._strengths == AlternatingMeanMapClassifier._strengths == CS[:11]
    np.testing.assert_allclose(np.log10(CS), np.arange(-4, 3.5, 0.5), atol=1e-12)


def search_by_hand(method, folds, X, bags, p):
    """The scores of the strengths tried, and the smallest distance, in standard errors, from ending elsewhere."""
    held_out, margins = [], []
    for C in method._strengths:
        held_out.append(held_out_by_hand(method, C, folds, X, bags, p))
        means = np.mean(held_out, axis=1)
        lost = held_out[int(means.argmax())] - held_out[-1]
        if not lost.any():  # the best so far
            continue
        behind = lost.mean() / (lost.std() / math.sqrt(len(p)))
        margins.append(abs(behind - 3))
        if behind > 3:
            break
    return means, min(margins, default=math.inf)


@pytest.mark.parametrize("method", [LabelProportionClassifier, MeanMapClassifier])
@pytest.mark.parametrize("coupled", [False, True])
def test_the_search_ends_at_a_strength_that_is_worse_by_three_standard_errors(method, coupled):
    draw = rng(1)
    if coupled:  # proportions follow the records: weak penalties are no worse
        X, bags, p, _ = ragged(tuple(draw.integers(15, 40, 12)), seed=1)
    else:  # proportions of chance: weak penalties learn them by heart
        bags = np.repeat(np.arange(60), 3)
        X, p = draw.normal(size=(180, 12)), draw.integers(1, 6, 60) / 6
    folds = list(KFold(4, shuffle=True, random_state=0).split(np.zeros(len(p))))
    expected, margin = search_by_hand(method, folds, X, bags, p)
    fit = method(C="cv", cv=4, tol=1e-5).fit(X, bags, p)
    assert margin > 0.005  # so that solving to a gradient of 10⁻⁴ ends at the same
    np.testing.assert_allclose(fit.cv_scores_, expected, atol=2e-3)
    assert (len(expected) == len(method._strengths)) == coupled

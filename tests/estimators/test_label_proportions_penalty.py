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
from tests.estimators.test_label_proportions import ragged, scores_of


class EvenAndOdd(GroupKFold):
    """Bags of even and of odd number, in place of random parts."""

    def split(self, X, y=None, groups=None):
        return super().split(X, y, np.arange(len(X)) % 2)


def search_by_hand(method, folds, X, bags, p):
    """The held-out scores of the strengths tried, and the smallest distance, in standard errors, from another end."""
    held_out, margins = [], []
    for C in method._strengths:
        held_out.append(np.empty(len(p)))
        for seen, unseen in folds:
            known = np.isin(bags, seen)
            fold = method(C=C, tol=1e-6).fit(X[known], np.searchsorted(seen, bags[known]), p[seen])
            for bag in unseen:
                mean = expit(scores_of(fold, X[bags == bag])).mean()
                held_out[-1][bag] = p[bag] * math.log(mean) + (1 - p[bag]) * math.log(1 - mean)
        means = np.mean(held_out, axis=1)
        lost = held_out[int(means.argmax())] - held_out[-1]
        if not lost.any():  # the best so far
            continue
        behind = lost.mean() / (lost.std() / math.sqrt(len(p)))
        margins.append(abs(behind - 3))
        if behind > 3:
            break
    return means, min(margins, default=math.inf)


@pytest.mark.parametrize(
    ("method", "cv", "coupled"),
    [
        (LabelProportionClassifier, 4, True),
        (LabelProportionClassifier, EvenAndOdd(2), False),
        (MeanMapClassifier, 4, False),
        (MeanMapClassifier, EvenAndOdd(2), True),
    ],
)
def test_the_penalty_is_chosen_by_cross_validation_over_bags_until_three_standard_errors_worse(method, cv, coupled):
    draw = rng(1)
    if coupled:  # proportions follow the records: weak penalties are no worse
        X, bags, p, _ = ragged(tuple(draw.integers(15, 40, 12)), seed=1)
    else:  # proportions of chance: weak penalties learn them by heart
        bags = draw.permutation(np.repeat(np.arange(60), 3))
        X, p = draw.normal(size=(180, 12)), draw.integers(1, 6, 60) / 6
    splitter = KFold(4, shuffle=True, random_state=2) if cv == 4 else cv
    expected, margin = search_by_hand(method, list(splitter.split(np.zeros(len(p)))), X, bags, p)
    fit = method(C="cv", cv=cv, tol=1e-5, random_state=2).fit(X, bags, p)
    assert margin > 0.005  # so that solving to a gradient of 10⁻⁴ ends at the same
    np.testing.assert_allclose(fit.cv_scores_, expected, atol=2e-3)
    assert np.ptp(expected) > 5e-3
    assert (len(expected) == len(method._strengths)) == coupled
    assert method._strengths[int(np.argmax(fit.cv_scores_))] == fit.C_
    fixed = method(C=fit.C_, tol=1e-5).fit(X, bags, p)
    np.testing.assert_allclose(fixed.coef_, fit.coef_, rtol=1e-2, atol=1e-4)
    assert not hasattr(fixed, "cv_scores_")


def test_strengths_that_are_tried():
    assert LabelProportionClassifier._strengths == CS
    assert MeanMapClassifier._strengths == AlternatingMeanMapClassifier._strengths == CS[:11]
    np.testing.assert_allclose(np.log10(CS), np.arange(-4, 3.5, 0.5), atol=1e-12)

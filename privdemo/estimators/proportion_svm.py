"""∝SVM: a linear support vector machine fitted to bags whose proportions are known, by alternating optimisation."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.svm import LinearSVC
from sklearn.utils.validation import validate_data

from privdemo import limits
from privdemo.estimators.bags import Bags, group_by_bag, most_likely_labels
from privdemo.estimators.label_proportions import LinearBagClassifier

Array = NDArray[np.floating]

# Successive strengths of the loss, as shares of C: weak first, so that early labels may still be flipped.
ANNEALING = (1e-3, 1e-2, 1e-1, 1.0)
# The penalty on the intercept is that on a weight, divided by the square of this.
FREE = 100.0
# Rounds of labelling and fitting at one strength.
ROUNDS = 20


class ProportionSVM(LinearBagClassifier):
    """∝SVM (Yu et al. 2013, alternating): labels and a linear SVM alternate, and each bag keeps its proportion.

    minimise ‖w‖²/2 + C Σ_n max(0, 1 − y_n (wᵀx_n + b))² over w, b and the labels y_n, of which each bag has as many
    positives as its proportion says. For given w the best labels are those of the highest scores in each bag; for given
    labels w is an SVM. C grows in steps, and of `n_starts` random labellings the one with the least loss is kept.

    Parameters: C, n_starts, random_state. Attributes: coef_ (1, D), intercept_ (1,), classes_ 0 and 1, loss_.
    """

    def __init__(self, C: float = 1.0, *, n_starts: int = 5, random_state: int = 0) -> None:
        self.C = C
        self.n_starts = n_starts
        self.random_state = random_state

    def fit(self, X: Any, bags: ArrayLike, proportions: ArrayLike) -> Self:
        """Fit to X (n, D) whose rows are in `bags` (n,) with `proportions` (B,) of positives.

        Raises as `LabelProportionClassifier.fit` does.
        """
        limits.Limit("C", 0.0, 1e9, "the inverse strength of the penalty", low_open=True).check(self.C)
        limits.Limit("n_starts", 1, math.inf, integer=True).check(self.n_starts)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        # Around the mean the penalty on b, which the solver cannot do without, is next to none.
        centre = 0.0 if issparse(X) else X.mean(axis=0)
        data = group_by_bag(X if issparse(X) else X - centre, bags, proportions, np.ones(X.shape[0]))
        rng = np.random.default_rng(self.random_state)
        self.classes_ = np.arange(2)
        found = [self._descend(data, rng.random(len(data.weight))) for _ in range(self.n_starts)]
        self.loss_, machine = min(found, key=lambda pair: pair[0])
        self.coef_ = machine.coef_
        self.intercept_ = machine.intercept_ - np.sum(machine.coef_[0] * centre)
        return self

    def _descend(self, data: Bags, scores: Array) -> tuple[float, LinearSVC]:
        """Alternate labelling and fitting from `scores` (n,), at each strength until labels stay; return the loss and
        the SVM.
        """
        labels = _whole_labels(scores, data)
        for strength in ANNEALING:
            for _ in range(ROUNDS):
                machine = LinearSVC(
                    C=strength * self.C, dual=False, tol=1e-5, intercept_scaling=FREE, max_iter=10_000
                ).fit(data.X, labels)
                scores = machine.decision_function(data.X)
                new = _whole_labels(scores, data)
                if (new == labels).all():
                    break
                labels = new
        hinge = np.maximum(0, 1 - (2 * labels - 1) * scores)
        return float(np.square(machine.coef_).sum() / 2 + self.C * np.square(hinge).sum()), machine


def _whole_labels(scores: Array, data: Bags) -> NDArray[np.int64]:
    """Return `most_likely_labels` with the record at the boundary rounded to one label; both labels occur."""
    labels = np.rint(most_likely_labels(scores, data)).astype(np.int64)
    if labels.min() == labels.max():
        labels[int(scores.argmax()) if labels[0] == 0 else int(scores.argmin())] ^= 1
    return labels

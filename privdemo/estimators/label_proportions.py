"""Learning from label proportions: of each bag of records only the share of positives is known.

The slides are "Privacy preserving bag preparation for learning from label proportion" (Yan 2018). Every classifier is
linear, p(1 | x) = φ(coefᵀx + intercept), is fitted by `fit(X, bags, proportions)` and penalised by ‖coef‖²/(2C), where
the slides' λ is 1/C. They differ in how they use the proportions.

Which method has the right probabilities depends on how the bags were filled. If records were assigned by label alone,
a bag's name is a randomised response of the class: `BagNameClassifier` maximises the likelihood, and the slides' model,
whose p(1 | x) is the same in every bag, is biased. If records were assigned by x (a model's confident records in one
bag, its unconfident ones in another), the slides' model is right and bag names are not. Bags filled at random suit
both. Means of records of both labels suit neither, as both treat a mean as a record. Which method has the better F1 is
another matter.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import BaseCrossValidator, KFold
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from privdemo import limits
from privdemo.estimators.bags import (
    Bags,
    bag_channel,
    bag_log_likelihood,
    class_means,
    group_by_bag,
    most_likely_labels,
)
from privdemo.estimators.choose import ChosenLogisticRegression
from privdemo.estimators.likelihoods import Model, climb, log_class_probabilities
from privdemo.estimators.logistic import SpreadLogisticRegression, check_C, is_cv
from privdemo.estimators.penalties import CV_TOLERANCE
from privdemo.mechanisms.aggregation import Matrix

Array = NDArray[np.floating]

# The values of C, the inverse strength of the penalty, that C="cv" tries: from the strongest penalty to the weakest.
C_GRID = tuple(10.0 ** (step / 2) for step in range(-8, 7))
# Rounds of labelling and fitting after which alternating mean map gives up; it has always settled long before.
ROUNDS = 50


class LinearBagClassifier(ClassifierMixin, BaseEstimator):
    """Base of the linear classifiers from bags: scores by `coef_` (1, D) and `intercept_` (1,), and predictions."""

    threshold_ = 0.0

    def decision_function(self, X: Any) -> Array:
        """Return scores of X: (n,)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        return _scores(X, Model(self.coef_.T, self.intercept_))

    def predict(self, X: Any) -> NDArray:
        """Return 1 for the records whose score is above `threshold_`, else 0."""
        return (self.decision_function(X) > self.threshold_).astype(np.int64)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


class LabelProportionClassifier(LinearBagClassifier):
    """The slides' model: each bag's mean probability should be its proportion (see `bag_log_likelihood`).

    Parameters
    ----------
    C : inverse strength of the penalty ‖coef‖²/(2C), the slides' 1/λ; the intercept is free. "cv": the best of `C_GRID`
        by the log-likelihood of the proportions of held-out *bags*, in `cv` random parts or as scikit-learn's splitter
        `cv` splits them (`BagNameClassifier`: the best of `penalties.C_GRID` by that of the bag names of held-out
        records, in `cv` parts). No label of a record is used.
    match_share : move the threshold so that among the records that were fitted the share named positive is the known
        overall share. Otherwise positive is what has a probability above ½.

    Attributes
    ----------
    coef_ (1, D), intercept_ (1,). threshold_ : records with a score above it are positive. classes_ : 0 and 1.
    C_ : the C used. cv_scores_ : (values of C tried,), held-out nats a bag (or a record's bag name). n_iter_ : of
    the last climb. If all proportions are equal, "cv" chooses no C: C_ is NaN, and there are no cv_scores_.
    """

    _C_grid = C_GRID

    def __init__(
        self,
        *,
        C: float | str = 1.0,
        cv: int | BaseCrossValidator = 5,
        match_share: bool = False,
        tol: float = 1e-4,
        max_iter: int = 2000,
        random_state: int = 0,
    ) -> None:
        self.C = C
        self.cv = cv
        self.match_share = match_share
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, bags: ArrayLike, proportions: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, D), dense or sparse, whose rows are in `bags` (n,) 0 … B−1 with `proportions` (B,) of positives.

        `sample_weight` (n,) is how many records a row stands for, such as the mean of a group; None: one. Sparse X is
        never densified. Warns where all proportions are equal, so that nothing identifies the classes. Raises
        ``ValueError`` for an empty bag, one bag alone, a proportion outside [0, 1] (see `project_proportions`), and
        where no record is positive or none is negative.
        """
        limits.TOLERANCE.check(self.tol)
        limits.MAX_ITER.check(self.max_iter)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.C_ = math.nan if is_cv(self.C) else check_C(self.C)
        data = group_by_bag(X, bags, proportions, weights)
        self.classes_ = np.arange(2)
        if (data.size == 1).any():
            warnings.warn("a bag of one record: its proportion is that record's label", stacklevel=2)
        if np.ptp(data.proportions) < 1e-9:
            warnings.warn(
                f"all bags have the same proportion, {data.share:.4g}, so nothing identifies the classes: every record "
                "gets that probability; use bags that differ",
                stacklevel=2,
            )
            model = Model(np.zeros((X.shape[1], 1)), np.array([logit(data.share)]))
        else:
            model = self._fit(data)
        if not model.converged:
            warnings.warn(f"not converged in {self.max_iter} steps: raise max_iter or lower C", ConvergenceWarning, 2)
        self.coef_, self.intercept_, self.n_iter_ = model.coef.T, model.intercept, model.n_iter
        self.threshold_ = (
            matching_threshold(_scores(data.X, model), data.weight, data.share) if self.match_share else 0.0
        )
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return p(class | x) of X (n, D): shape (n, 2)."""
        return np.exp(log_class_probabilities(self.decision_function(X)[:, None]))

    def _fit(self, data: Bags) -> Model:
        start = Model(np.zeros((data.X.shape[1], 1)), np.array([logit(data.share)]))
        if math.isnan(self.C_):
            self.C_ = self._choose_C(data, start)
        return self._solve(data, self.C_, start, self._tolerance(data))

    def _tolerance(self, data: Bags) -> float:
        """Return the gradient's tolerance: small where proportions hardly differ, as gradients are then small
        everywhere.
        """
        return self.tol * data.contrast

    def _solve(self, data: Bags, C: float, start: Model, tol: float) -> Model:
        """Return the model with C."""

        def total(scores: Array) -> tuple[float, Array]:
            value, d_scores = bag_log_likelihood(scores, data)
            return float(value.sum()), d_scores

        return climb_scores(total, data.X, len(data.start), data.centre, C, start, tol, self.max_iter)

    def _choose_C(self, data: Bags, start: Model) -> float:
        """Return the C with the best held-out likelihood of proportions; fits with a weaker penalty start where those
        with a stronger one ended.

        A C that does worse than the best by three standard errors of the difference ends the search.
        """
        n_bags = len(data.start)
        parts = self.cv
        if not isinstance(parts, BaseCrossValidator):
            limits.Limit("cv", 2, n_bags, "the bags are split into as many parts", integer=True).check(parts)
            parts = KFold(parts, shuffle=True, random_state=self.random_state)
        folds = list(parts.split(np.arange(n_bags)))
        tol = CV_TOLERANCE * self._tolerance(data)
        models, held_out = [start] * len(folds), np.empty((len(self._C_grid), n_bags))
        for step, C in enumerate(self._C_grid):
            for i, (seen, unseen) in enumerate(folds):  # one copy at a time: noisy records of many columns are large
                models[i] = self._solve(data.take(seen), C, models[i], tol)
                other = data.take(unseen)
                held_out[step, unseen] = bag_log_likelihood(_scores(other.X, models[i]), other)[0]
            self.cv_scores_ = held_out[: step + 1].mean(axis=1)
            lost = held_out[int(self.cv_scores_.argmax())] - held_out[step]
            if lost.mean() > 3 * lost.std() / math.sqrt(n_bags):
                break
        return self._C_grid[int(self.cv_scores_.argmax())]


class MeanMapClassifier(LabelProportionClassifier):
    """Mean map (Quadrianto et al. 2009): logistic regression from estimated class means.

    Logistic regression needs the labels only for Σ over positives of x. If a class looks the same in every bag, bag
    means are π_b μ₁ + (1 − π_b) μ₀; least squares gives both means, and these the sum. Estimated means may lie where
    no records do, and then only the penalty keeps weights finite. Parameters as its parent's; "cv" tries `C_GRID` up to
    10.
    """

    _C_grid = C_GRID[:-4]

    def _tolerance(self, data: Bags) -> float:
        return self.tol

    def _solve(self, data: Bags, C: float, start: Model, tol: float) -> Model:
        means = class_means(data)
        n_positive = data.share * data.weight.sum()
        return solve_labelled(data, n_positive * means[1], n_positive, C, start, tol, self.max_iter)


class AlternatingMeanMapClassifier(MeanMapClassifier):
    """Alternating mean map (Patrini et al. 2014, AMM^min): mean map, then labelling and fitting alternate.

    Each bag's records of highest score are labelled positive, as many as its proportion says (the one at the boundary
    in part), until the loss no longer falls. Parameters as its parent's.
    """

    def _solve(self, data: Bags, C: float, start: Model, tol: float) -> Model:
        model = super()._solve(data, C, start, tol)
        best = math.inf
        for _ in range(ROUNDS):
            scores = _scores(data.X, model)
            labels = most_likely_labels(scores, data)
            weighted = data.weight * labels
            loss = (
                float(data.weight @ np.logaddexp(0, scores) - weighted @ scores) + np.square(model.coef).sum() / 2 / C
            )
            if loss > best - tol * data.weight.sum():
                break
            best = loss
            model = solve_labelled(data, data.X.T @ weighted, weighted.sum(), C, model, tol, self.max_iter)
        else:
            return model._replace(converged=False)
        return model


# Attributes that a classifier of bag names copies from the estimator that learned the names, if it has them.
_HANDED_ON = ("cv_scores_", "chosen_", "why_")


class BagNameClassifier(LabelProportionClassifier):
    """The spread likelihood on bag names: a record's bag is a randomised response of its class through `bag_channel`.

    This fits `SpreadLogisticRegression(bag_channel(…))` to (x, bag name), so C="cv" goes by the held-out likelihood of
    the bag names of *records*. Parameters as its parent's; the channel that it used is `channel_` (B, 2).
    """

    def _fit(self, data: Bags) -> Model:
        self.channel_ = bag_channel(data.proportions, data.size)
        spread = self._spread(data)
        names = np.repeat(np.arange(len(data.start)), data.n_rows)
        spread.fit(data.X, names, data.weight)
        self.C_ = spread.C_
        for name in _HANDED_ON:
            if hasattr(spread, name):
                setattr(self, name, getattr(spread, name))
        return Model(spread.coef_.T, spread.intercept_, spread.n_iter_)

    def _spread(self, data: Bags) -> SpreadLogisticRegression:
        """Return what learns the classes from the names."""
        settings = {name: getattr(self, name) for name in ("C", "cv", "max_iter", "random_state")}
        return SpreadLogisticRegression(self.channel_, tol=self._tolerance(data), **settings)


class ChosenBagNameClassifier(BagNameClassifier):
    """The same, or a model of the classes, by the held-out likelihood of bag names: see `choose`.

    Parameters and attributes as its parent's, whose C is always "cv"; C_ = ∞ for a model of the classes. chosen_ and
    why_ are a `choose.Choice`.
    """

    def __init__(
        self,
        *,
        cv: int = 5,
        match_share: bool = False,
        tol: float = 1e-4,
        max_iter: int = 2000,
        random_state: int = 0,
    ) -> None:
        super().__init__(C="cv", cv=cv, match_share=match_share, tol=tol, max_iter=max_iter, random_state=random_state)

    def _spread(self, data: Bags) -> SpreadLogisticRegression:
        settings = {name: getattr(self, name) for name in ("cv", "max_iter", "random_state")}
        return ChosenLogisticRegression(self.channel_, tol=self._tolerance(data), **settings)


def climb_scores(
    total: Callable[[Array], tuple[float, Array]],
    X: Matrix,
    n: float,
    centre: Array,
    C: float,
    start: Model,
    tol: float,
    max_iter: int,
) -> Model:
    """Return `likelihoods.climb` for a total that depends on the scores (n,) alone, given with its gradient."""

    def on_weights(coef: Array, intercept: Array) -> tuple[float, Array, Array]:
        value, d_scores = total(np.asarray(X @ coef[:, 0]) + intercept)
        return value, np.asarray(X.T @ d_scores)[:, None], d_scores.sum(keepdims=True)

    return climb(on_weights, n, centre, C, start, tol, max_iter)


def solve_labelled(
    data: Bags, positive_sum: Array, n_positive: float, C: float, start: Model, tol: float, max_iter: int
) -> Model:
    """Return logistic regression given Σ over positives of x, (D,), and their number: Σ softplus(a) − coefᵀ sum − b
    number.
    """

    def total(coef: Array, intercept: Array) -> tuple[float, Array, Array]:
        scores = _scores(data.X, Model(coef, intercept))
        expected = data.weight * expit(scores)
        value = positive_sum @ coef[:, 0] + n_positive * intercept[0] - data.weight @ np.logaddexp(0, scores)
        return float(value), (positive_sum - data.X.T @ expected)[:, None], np.array([n_positive - expected.sum()])

    return climb(total, data.weight.sum(), data.centre, C, start, tol, max_iter)


def matching_threshold(scores: Array, weight: Array, share: float) -> float:
    """Return the score above which `share` of the records lie, as nearly as can be; equal scores are on the same side.

    `scores` (n,), each of `weight` (n,) records. Midway between two scores, or ±∞ where all or none are above.
    """
    values, place = np.unique(scores, return_inverse=True)
    here = np.bincount(place, weight)
    above = np.append(here.sum() - np.append(0, np.cumsum(here)[:-1]), 0)  # of the lowest value and up, …, of none
    cut = int(np.argmin(np.abs(above - share * above[0])))
    ends = np.concatenate(([-np.inf], values, [np.inf]))
    return float((ends[cut] + ends[cut + 1]) / 2)


def _scores(X: Matrix, model: Model) -> Array:
    return np.asarray(X @ model.coef[:, 0]) + model.intercept

"""Class ratios from classifiers: the spread likelihood on set names, set identity, and classify and count.

The name of the set that a record came from is a randomised response of its class, T[set | class] = n_i ρ_i(class) /
Σ n_i ρ_i(class), so the spread likelihood of `estimators.logistic` applies unchanged. It learns p(class | x) for the
class shares of all training sets together; U has its own shares, for which the EM prior correction of
Saerens, Latinne & Decaestecker (2002) finds the maximum of U's likelihood.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax, logsumexp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from privdemo import limits
from privdemo.estimators.bags import name_channel
from privdemo.estimators.choose import CLASSES, choose, labels_worth
from privdemo.estimators.class_model import SpreadClassModel
from privdemo.estimators.class_ratio import ClassRatioEstimator
from privdemo.estimators.logistic import SpreadLogisticRegression, check_C, is_cv
from privdemo.estimators.mmd import mixture
from privdemo.estimators.penalties import C_GRID
from privdemo.estimators.sets import Sets, read_set, span_problem, split_sets
from privdemo.mechanisms.aggregation import Matrix

Array = NDArray[np.floating]

# Temperatures, in logarithms, between which the best is sought.
LOG_TEMPERATURES = (-3.0, 3.0)
# What `choose` calls logistic regression of the names.
SPREAD = "spread"
# Steps after which the prior correction gives up, and the change of a share at which it ends.
STEPS, SETTLED = 10_000, 1e-9


def prior_shift(proba: ArrayLike, prior: ArrayLike) -> Array:
    """Return the class shares ρ (K,) of records with `proba` (n, K) under the training shares `prior` (K,), by EM.

    It maximises Σ_n log Σ_c ρ_c p(c | x_n)/prior_c, which is concave in ρ (Saerens et al. 2002, equation 9). Where a
    class has no share in training it has none here. Warns where it has not settled.
    """
    p, base = np.asarray(proba, dtype=float), np.asarray(prior, dtype=float)
    ratio = np.divide(p, base, out=np.zeros_like(p), where=base > 0)
    ratio = ratio[ratio.any(axis=1)]  # classes without a share contribute nothing
    share = (base > 0) / np.count_nonzero(base)
    if not len(ratio):
        return share
    for _ in range(STEPS):
        new = share * (ratio / (ratio @ share)[:, None]).mean(axis=0)
        if np.abs(new - share).max() < SETTLED:
            return new / new.sum()
        share = new
    warnings.warn(f"shares not settled in {STEPS} steps: classes are hard to tell apart", ConvergenceWarning, 2)
    return share / share.sum()


class SpreadClassRatio(ClassRatioEstimator):
    """The spread likelihood on set names with EM prior correction.

    Given pure sets (instance labels), it is logistic regression with the same correction.

    Parameters
    ----------
    C : inverse strength of the penalty of `SpreadLogisticRegression`, or "cv": the one of `penalties.C_GRID` with the
        best likelihood of the *names* of the tuning sets, given x. No instance label is needed.
    temperature : T of p(c | x) = softmax(scores/T); below 1 it undoes a penalty's shrinkage. "cv": chosen with C. As T
        scales intercepts too, a bias of each class is then added to scores/T: the likeliest for the names of all sets.
        It is fitted to scores of the training records: with scores of five held-out folds the error was
        clearly larger in three of twelve settings, and clearly smaller in none.
    correct : False takes the mean of p(c | x) over U instead of the EM correction: probabilistic classify and count.

    Attributes
    ----------
    C_ (for the records of both groups of sets), temperature_, bias_ (K,), classifier_ : the fitted
    `SpreadLogisticRegression`. channel_ : T[set | class]. prior_ : their shares in training; of the classes that are
    present.
    """

    def __init__(
        self,
        C: float | str = "cv",
        temperature: float | str = "cv",
        *,
        correct: bool = True,
        tol: float = 1e-4,
        max_iter: int = 2000,
        random_state: int = 0,
    ) -> None:
        self.C = C
        self.temperature = temperature
        self.correct = correct
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def predict_proba(self, X: Any) -> Array:
        """Return p(class | x) of single records (n, D), for classes as common as in training: (n, c)."""
        check_is_fitted(self)
        X = read_set(X, "X", self.n_features_in_)
        proba = np.zeros((X.shape[0], len(self.present_)))
        proba[:, self.present_] = self._proba(X) if self.present_.sum() > 1 else 1.0
        return proba

    def predict_proba_in(self, X: Any, proportions: ArrayLike) -> Array:
        """Return p(class | x, set) of records (n, D), each from a set of these `proportions` (n, c) or (c,): (n, c)."""
        proba = self.predict_proba(X)
        p = np.broadcast_to(np.asarray(proportions, dtype=float), proba.shape)
        if self.present_.sum() == 1:
            return proba
        joint = proba * p
        joint[:, self.present_] /= self.prior_
        total = joint.sum(axis=1, keepdims=True)
        return np.divide(joint, total, out=proba.copy(), where=total > 0)

    def _proba(self, X: Matrix) -> Array:
        """Return p(class | x) of the classes that are present, (n, present)."""
        return np.exp(log_softmax(_scores(self.classifier_, X) / self.temperature_ + self.bias_, axis=1))

    def _fit(self, sets: Sets, tuning: Sets) -> None:
        part = _penalty_factor(sets, tuning)
        tried = self.C if is_cv(self.C) else check_C(self.C) / part
        named = _fit_names(sets, tuning, tried, self.temperature, self.tol, self.max_iter)
        both = sets + tuning
        self._copy_classifier(both, _classifier(both, named.C * part, self.tol, self.max_iter), named.temperature)

    def _copy_classifier(self, both: Sets, classifier: SpreadLogisticRegression, temperature: float) -> None:
        """Take over a classifier of the names of all sets, and the temperature of its scores."""
        self.channel_, self.prior_ = name_channel(both.proportions, both.sizes), both.prior
        self.classifier_, self.C_, self.temperature_ = classifier, classifier.C_, temperature
        self.bias_: Array = np.zeros(len(self.prior_))
        if is_cv(self.temperature):
            scores = _scores(self.classifier_, both.stacked()) / self.temperature_
            self.bias_ = _likeliest_bias(scores, self.channel_[both.names])

    def _predict(self, U: Matrix) -> Array:
        proba = self._proba(U)
        return prior_shift(proba, self.prior_) if self.correct else proba.mean(axis=0)


class ChosenClassRatio(SpreadClassRatio):
    """The spread likelihood on set names with EM prior correction, or a class model instead.

    Both learn the names of the sets, and `choose.choose` chooses by those of the tuning sets, with a preference for the
    spread likelihood, whose probabilities were better wherever both were tried. Either gets the temperature and the
    biases that `SpreadClassRatio` gets.

    Attributes: those of `SpreadClassRatio`, C_ = ∞ for a model of the classes; chosen_, why_ : a `Choice` of "classes"
    and "spread".
    """

    def __init__(self, *, tol: float = 1e-4, max_iter: int = 2000, random_state: int = 0) -> None:
        super().__init__(tol=tol, max_iter=max_iter, random_state=random_state)

    def _fit(self, sets: Sets, tuning: Sets) -> None:
        both = sets + tuning
        tried = {
            SPREAD: _fit_names(sets, tuning, "cv", "cv", self.tol, self.max_iter),
            CLASSES: _held_out(_class_model(sets), sets, tuning, "cv"),
        }
        worth = labels_worth(name_channel(both.proportions, both.sizes), both.sizes, both.prior)
        self.chosen_, self.why_ = choose({name: named.held_out for name, named in tried.items()}, worth)
        named = tried[self.chosen_]
        classifier = (
            _class_model(both)
            if self.chosen_ == CLASSES
            else _classifier(both, named.C * _penalty_factor(sets, tuning), self.tol, self.max_iter)
        )
        self._copy_classifier(both, classifier, named.temperature)


class SetIdentityClassRatio(ClassRatioEstimator):
    """Proportions from a classifier that names the set of a record.

    Logistic regression learns to name the set that a record is in. The mean of its probabilities over U is a mixture of
    those over the tuning sets, which it has not seen, as U is one of classes; least squares finds the mixture. This
    is MMD with the probabilities in the place of a kernel's features. `C` is chosen by the likelihood of the names of a
    random half of every set, given the other.

    Attributes: C_, classifier_, means_ (M', M) over the tuning sets, proportions_ (M', c).
    """

    def __init__(
        self, C: float | str = "cv", *, tol: float = 1e-4, max_iter: int = 2000, random_state: int = 0
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _problem(self, sets: Sets, tuning: Sets) -> str | None:
        """As in the base class, but of the tuning sets alone where these are used as they are, not split again."""
        lacking = (tuning.proportions > 0).any(axis=0) != (sets.proportions > 0).any(axis=0)
        return super()._problem(sets, tuning) if lacking.any() else span_problem(tuning.proportions)

    def _fit(self, sets: Sets, tuning: Sets) -> None:
        if len(sets.X) < 2:
            raise ValueError("sets must be two or more: the name of the only set tells nothing")
        named = Sets(sets.X, np.eye(len(sets.X)))
        if is_cv(self.C):
            seen, unseen = split_sets(named, np.random.default_rng(self.random_state))
            self.C_ = _fit_names(seen, unseen, self.C, 1.0, self.tol, self.max_iter).C
        else:
            self.C_ = check_C(self.C)
        self.classifier_ = _classifier(named, self.C_, self.tol, self.max_iter)
        self.means_ = np.stack([self.classifier_.predict_proba(x).mean(axis=0) for x in tuning.X])
        self.proportions_ = tuning.proportions

    def _predict(self, U: Matrix) -> Array:
        q = self.classifier_.predict_proba(U).mean(axis=0)
        return mixture(self.means_ @ self.means_.T, self.means_ @ q, self.proportions_.shape[1]) @ self.proportions_


class ClassifyAndCount(ClassRatioEstimator):
    """Classify and count: the share of U that a classifier trained on bags assigns to each class.

    `classifier` is fitted by `fit(X, bags, proportions)` of the second of two classes, or one for each class against
    the others where there are more, of which the highest score wins. Its settings are not chosen here.

    Attributes: classifiers_ : one, or c.
    """

    def __init__(self, classifier: Any, *, random_state: int = 0) -> None:
        self.classifier = classifier
        self.random_state = random_state

    def _fit(self, sets: Sets, tuning: Sets) -> None:
        both = sets + tuning
        X, names, p = both.stacked(), both.names, both.proportions
        columns = range(p.shape[1]) if p.shape[1] > 2 else (1,)
        self.classifiers_ = [clone(self.classifier).fit(X, names, p[:, c]) for c in columns]

    def _predict(self, U: Matrix) -> Array:
        if len(self.classifiers_) == 1:
            positive = float(self.classifiers_[0].predict(U).mean())
            return np.array([1 - positive, positive])
        scores = np.stack([classifier.decision_function(U) for classifier in self.classifiers_], axis=1)
        return np.bincount(scores.argmax(axis=1), minlength=scores.shape[1]) / len(scores)


class Named(NamedTuple):
    """A classifier of names, its `C` and `temperature`, and log-likelihoods `held_out` (m,) of other names."""

    classifier: SpreadLogisticRegression
    C: float
    temperature: float
    held_out: Array


def _penalty_factor(sets: Sets, tuning: Sets) -> float:
    """Return the factor of C when tuning sets are used for training as well: the penalty a record stays the same.

    A temperature undoes the shrinkage by just that penalty.
    """
    return float(sets.sizes.sum() / (sets.sizes.sum() + tuning.sizes.sum()))


def _fit_names(sets: Sets, tuning: Sets, C: float | str, temperature: float | str, tol: float, max_iter: int) -> Named:
    """Return a classifier of the names of `sets`, its C and its temperature: those likeliest for `tuning`.

    A value of C that does worse than the best by three standard errors of the difference ends the search.
    """
    best: Named | None = None
    for C_tried in C_GRID if is_cv(C) else (check_C(C),):
        named = _held_out(_classifier(sets, C_tried, tol, max_iter), sets, tuning, temperature)
        if best is None or named.held_out.mean() > best.held_out.mean():
            best = named
        lost = best.held_out - named.held_out
        if lost.mean() > 3 * lost.std() / np.sqrt(len(lost)):
            break
    assert best is not None
    return best


def _held_out(classifier: SpreadLogisticRegression, sets: Sets, tuning: Sets, temperature: float | str) -> Named:
    """Return how likely a classifier of the names of `sets` makes those of `tuning`, at the best or a given
    temperature.
    """
    rows = name_channel(tuning.proportions, tuning.sizes)[tuning.names]
    scores = _scores(classifier, tuning.stacked())
    shift = np.log(tuning.prior / sets.prior)  # the groups may differ in how common classes are
    t = _best_temperature(scores, shift, rows) if is_cv(temperature) else _check_temperature(temperature)
    return Named(classifier, classifier.C_, t, _name_log_likelihood(scores / t + shift, rows))


def _class_model(sets: Sets) -> SpreadClassModel:
    """Return a model of the classes of the names of `sets`."""
    return SpreadClassModel(name_channel(sets.proportions, sets.sizes)).fit(sets.stacked(), sets.names)


def _classifier(sets: Sets, C: float, tol: float, max_iter: int) -> SpreadLogisticRegression:
    """Return the spread likelihood's model of the names of `sets`."""
    limits.TOLERANCE.check(tol)
    channel = name_channel(sets.proportions, sets.sizes)
    if contrast(channel) < 1e-9:
        raise ValueError(
            "two classes have the same share of every set, so nothing tells them apart; give sets whose proportions "
            "differ"
        )
    # Sets that hardly differ leave a gradient that is small everywhere.
    tol = tol * contrast(channel)
    return SpreadLogisticRegression(channel, C=C, tol=tol, max_iter=max_iter).fit(sets.stacked(), sets.names)


def contrast(channel: Array) -> float:
    """Return the least total variation distance of two columns of T[name | class]: how well names identify classes."""
    pairs = [(i, j) for i in range(channel.shape[1]) for j in range(i)]
    return min(float(np.abs(channel[:, i] - channel[:, j]).sum() / 2) for i, j in pairs)


def _scores(classifier: SpreadLogisticRegression, X: Matrix) -> Array:
    """Return scores (n, K); of two classes, 0 and that of the second."""
    scores = classifier.decision_function(X)
    return scores if scores.ndim == 2 else np.stack((np.zeros_like(scores), scores), axis=1)


def _name_log_likelihood(scores: Array, rows: Array) -> Array:
    """Return log Σ_c T[name_n | c] p(c | x_n) of every record, (n,), `rows` (n, K) = T[name_n | c]."""
    with np.errstate(divide="ignore"):
        return logsumexp(np.log(rows) + log_softmax(scores, axis=1), axis=1)


def _best_temperature(scores: Array, shift: Array, rows: Array) -> float:
    """Return the temperature at which the names of held-out records are likeliest."""
    found = minimize_scalar(
        lambda log_t: -_name_log_likelihood(scores / np.exp(log_t) + shift, rows).mean(),
        bounds=LOG_TEMPERATURES,
        method="bounded",
        options={"xatol": 1e-3},
    )
    return float(np.exp(found.x))


def _likeliest_bias(scores: Array, rows: Array) -> Array:
    """Return the bias of every class, (K,), the first 0, that makes the names of records with `scores` (n, K)
    likeliest.
    """
    with np.errstate(divide="ignore"):
        log_rows = np.log(rows)

    def loss(bias: Array) -> tuple[float, Array]:
        log_p = log_softmax(scores + np.append(0.0, bias), axis=1)
        total = logsumexp(log_rows + log_p, axis=1)
        pull = np.exp(log_rows + log_p - total[:, None]) - np.exp(log_p)
        return -float(total.mean()), -pull.mean(axis=0)[1:]

    found = minimize(loss, np.zeros(scores.shape[1] - 1), jac=True, method="L-BFGS-B", options={"gtol": 1e-8})
    return np.append(0.0, found.x)


def _check_temperature(temperature: float | str) -> float:
    return limits.TEMPERATURE.check(temperature)  # type: ignore[arg-type]

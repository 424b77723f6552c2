"""Logistic regression from released data: the spread likelihood, reconstruction, and naive training."""

from __future__ import annotations

import warnings
from itertools import combinations
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, validate_data

from privdemo import limits
from privdemo.estimators import pixel_priors
from privdemo.estimators.frequencies import check_channel
from privdemo.estimators.inputs import GaussianInputs, Inputs, KnownInputs, LowRankInputs, enumerate_inputs
from privdemo.estimators.likelihoods import (
    Model,
    Objective,
    expected_proba,
    log_class_probabilities,
    maximise,
    reconstruction,
    released_log_likelihood,
    spread_log_likelihood,
)
from privdemo.estimators.low_rank import LowRankMoments, LowRankPrior, learned_low_rank_prior, low_rank_moments
from privdemo.estimators.penalties import choose_C, folds_of
from privdemo.estimators.pixel_priors import PixelPrior, Prior
from privdemo.estimators.quick_fit import can_be_quick, fit_quickly
from privdemo.mechanisms import PixelMechanism

Array = NDArray[np.floating]

# The priors that have a name.
PRIORS = "'learned', 'flat', 'low rank'"


class SpreadLogisticRegression(ClassifierMixin, BaseEstimator):
    """Logistic regression that maximises the spread likelihood of released data (Barber, section 5).

    Parameters
    ----------
    channel : label channel T[released, class], (R, K) with columns that sum to 1, or a mechanism that has a
        `channel_matrix`. Flips are its 2 × 2 case; bag and set names its largest. None: labels are true.
    pixels : the mechanism on every value of X. None: X is true.
    prior : "learned" from the released X alone, one pixel at a time; "low rank", with the correlations of pixels
        (`estimators.low_rank`); "flat"; or a prior of `estimators.pixel_priors` (the true one, say). As words
        "learned" and "flat" mean a Gaussian prior for Gaussian noise, else one over the states a pixel can have.
    C : inverse strength of the L2 penalty ‖coef‖²/(2C), the intercept free. "cv": the best of `penalties.C_GRID` by the
        mean log-likelihood of held-out *released* labels given released X, in `cv` folds; no clean label is used. Of
        three or more classes with `pixels`, the best of `quick_fit.C_DECADES`, in as many of the folds as it takes.
    exact : enumerate every input (k^D of them) instead of taking scores as Gaussian; randomised response only.
    n_nodes : Gauss–Hermite nodes for the expectation over a Gaussian score; three or more classes take
        `inputs.MANY_NODES` quasi-random nodes for all scores together (how exact both are: `inputs.GaussianInputs`).

    Attributes
    ----------
    coef_ (1 or K, D), intercept_ : of the scores, for clean X on the scale 0 to 1. classes_ : (K,); with a channel
    the numbers 0 … K−1. C_ : the C used. cv_scores_ : (values of C tried,), held-out nats a person. held_out_ :
    (n,), the log-likelihood of each person's released label when held out, with that C: NaN if never held out.
    prior_ : the pixel prior used, None for clean X. n_iter_.

    `fit`, `released_proba` and `score_released` take X as released; `predict_proba`, `predict`, `decision_function`
    take clean X. Both are in the mechanism's own domain: states 0 … k−1 for randomised response, else values for
    which clean ones are in [0, 1]. Without `pixels` X may be sparse and is never densified.
    """

    _objective: Objective = staticmethod(spread_log_likelihood)
    _learn_low_rank = staticmethod(learned_low_rank_prior)

    def __init__(
        self,
        channel: Any = None,
        pixels: PixelMechanism | None = None,
        prior: str | Prior = "learned",
        *,
        C: float | str = 1.0,
        cv: int = 5,
        exact: bool = False,
        n_nodes: int = 16,
        tol: float = 1e-4,
        max_iter: int = 2000,
        random_state: int = 0,
    ) -> None:
        self.channel = channel
        self.pixels = pixels
        self.prior = prior
        self.C = C
        self.cv = cv
        self.exact = exact
        self.n_nodes = n_nodes
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to released X (n, D) and released labels y (n,): numbers 0 … R−1 where there is a channel.

        `sample_weight` (n,) is how many people each row stands for, such as the mean of a group; None: one.

        Raises ``ValueError`` for a channel or a pixel mechanism whose releases are uninformative, for one released
        label only, and for values outside a range; ``TypeError`` for a dtype that the mechanism does not release.
        """
        self._check_parameters()
        X, y, n_scores = self._prepared(X, y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not weights.any():
            raise ValueError("sample_weight must hold a number above 0: nobody counts")
        inputs = self._learned_inputs(X)
        with np.errstate(divide="ignore"):
            log_rows = np.log(self._rows(y))
        if n_scores > 1 and self.pixels is not None and can_be_quick(inputs):
            model = self._fit_quickly(inputs, log_rows, weights, y)
        else:
            start = Model(np.zeros((X.shape[1], n_scores)), np.zeros(n_scores))
            if is_cv(self.C):
                folds = folds_of(y, weights, self.cv, self.random_state)
                self.C_, start, self.cv_scores_, self.held_out_ = choose_C(
                    self._objective, inputs, log_rows, weights, folds, start, self.tol, self.max_iter
                )
            else:
                self.C_ = check_C(self.C)
            model = maximise(self._objective, inputs, log_rows, weights, self.C_, start, self.tol, self.max_iter)
        if not model.converged:
            warnings.warn(f"not converged in {self.max_iter} steps: raise max_iter or lower C", ConvergenceWarning, 2)
        self.coef_, self.intercept_, self.n_iter_ = model.coef.T, model.intercept, model.n_iter
        return self

    def decision_function(self, X: Any) -> Array:
        """Return scores of clean X: (n,) for two classes, else (n, K)."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> Array:
        """Return p(class | x) of clean X (n, D): shape (n, K)."""
        return np.exp(log_class_probabilities(self._scores(X)))

    def predict(self, X: Any) -> NDArray:
        """Return the likeliest class of clean X (n, D)."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def released_proba(self, X: Any, y: ArrayLike | None = None) -> Array:
        """Return p(class | released X), (n, K); given y, p(class | released X, released y). What an adversary
        concludes.
        """
        X = self._checked(X)
        proba = expected_proba(self._inputs(X), self._model)
        if y is None:
            return proba
        check_consistent_length(X, y)
        joint = proba * self._rows(np.asarray(y))
        return joint / joint.sum(axis=1, keepdims=True)

    def score_released(self, X: Any, y: ArrayLike) -> float:
        """Return the mean spread log-likelihood of released labels y given released X, in nats a person."""
        X = self._checked(X)
        check_consistent_length(X, y)
        with np.errstate(divide="ignore"):
            log_rows = np.log(self._rows(np.asarray(y)))
        return float(released_log_likelihood(self._inputs(X), log_rows, self._model).mean())

    def _check_parameters(self) -> None:
        limits.N_NODES.check(self.n_nodes)
        limits.TOLERANCE.check(self.tol)
        limits.MAX_ITER.check(self.max_iter)

    def _prepared(self, X: Any, y: Any) -> tuple[Any, NDArray, int]:
        """Return X and y, checked, and the number of scores of the model; also reads the channel."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=self._dtype)
        if self.channel is None:  # else they are numbers of released labels, of which there may be many
            check_classification_targets(y)
        if len(np.unique(y)) < 2:
            raise ValueError(f"y must hold two classes or more, got one class only: {y[0]}")
        self._channel, self.classes_ = self._read_channel(y)
        return self._in_domain(X), y, 1 if len(self.classes_) == 2 else len(self.classes_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.pixels is None
        return tags

    @property
    def _model(self) -> Model:
        check_is_fitted(self)
        return Model(self.coef_.T, self.intercept_)

    def _scores(self, X: Any) -> Array:
        model = self._model
        return KnownInputs(self._unit(self._checked(X))).nodes(model.coef, model.intercept).scores[:, 0]

    # --- labels

    def _read_channel(self, y: NDArray) -> tuple[Array, NDArray]:
        """Return T as an array, and the classes."""
        if self.channel is None:
            classes = np.unique(y)
            return np.eye(len(classes)), classes
        try:
            channel = np.asarray(getattr(self.channel, "channel_matrix", self.channel), dtype=float)
        except (TypeError, ValueError):
            raise TypeError(
                f"channel must be a mechanism or a matrix T[released, class], got {self.channel!r}"
            ) from None
        if channel.ndim != 2:
            raise ValueError(f"channel must be a matrix T[released, class], got shape {channel.shape}")
        check_channel(channel)
        pairs = combinations(range(channel.shape[1]), 2)
        alike = [(i, j) for i, j in pairs if np.abs(channel[:, i] - channel[:, j]).max() < 1e-9]
        if channel.shape[1] > 2 and alike:
            i, j = alike[0]
            raise ValueError(f"channel releases the classes {i} and {j} alike, so nothing tells them apart; merge them")
        if alike:
            raise ValueError(
                "channel says nothing: every class is released alike (flips that sum to 1, or bags of equal "
                "proportions), so nothing can be learned; lower the flip probabilities"
            )
        return channel, np.arange(channel.shape[1])

    def _rows(self, y: NDArray) -> Array:
        """Return T[released label, class] of every person, (n, K)."""
        if self.channel is None:
            unknown = ~np.isin(y, self.classes_)
            if unknown.any():
                raise ValueError(f"y must hold the classes that were fitted, {self.classes_}, got {y[unknown][0]!r}")
            return self._channel[np.searchsorted(self.classes_, y)]
        n_labels = len(self._channel)
        if not np.issubdtype(y.dtype, np.integer):
            raise TypeError(f"y must hold the numbers of released labels, 0 to {n_labels - 1}, got dtype {y.dtype}")
        if y.size and not 0 <= y.min() <= y.max() < n_labels:
            wrong = y.min() if y.min() < 0 else y.max()
            raise ValueError(
                f"y must hold released labels in [0, {n_labels - 1}], got {wrong}: is channel the right one?"
            )
        rows = self._channel[y]
        if not rows.any(axis=1).all():
            wrong = y[~rows.any(axis=1)][0]
            raise ValueError(f"y must hold labels that the channel can release, got {wrong}, which no class releases")
        return rows

    def label_numbers(self, y: NDArray) -> NDArray[np.integer]:
        """Return the numbers 0 … R−1 of released labels."""
        return y if self.channel is not None else np.searchsorted(self.classes_, y)

    # --- inputs

    @property
    def _dtype(self) -> Any:
        """The dtype of X: floating point without a mechanism; a mechanism has its own."""
        return [np.float64, np.float32] if self.pixels is None else None

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._in_domain(validate_data(self, X, reset=False, accept_sparse="csr", dtype=self._dtype))

    def _in_domain(self, X: Any) -> Any:
        """Return X itself, if the mechanism could have released it; errors as in `fit`."""
        if self.pixels is None:
            return csr_array(X) if issparse(X) else X
        if not isinstance(self.pixels, PixelMechanism):
            raise TypeError(f"pixels must be a mechanism or None, got {self.pixels!r}")
        if issparse(X):
            raise TypeError("X must be dense where pixels are noisy: noise leaves no zeros to leave out")
        return self.pixels.check_released(X)

    def _unit(self, X: Any) -> Any:
        """Return values on the scale 0 to 1, on which the weights are."""
        return X if self.pixels is None else self.pixels.to_unit(X)

    def _learned_inputs(self, X: Any) -> Inputs:
        """Return the posterior of the true X given the released ones. Sets `prior_`, learned from X if `prior` says
        so.
        """
        self.prior_ = self._read_prior(self.prior, X)
        return self._inputs(X)

    def _read_prior(self, prior: str | Prior, X: Any) -> Any:
        """Return `prior` itself, or the prior that the word names; None for clean X."""
        if self.pixels is not None:
            self.pixels.check_informative()
        if not isinstance(prior, str):
            if not isinstance(prior, Prior | LowRankPrior):
                raise TypeError(f"prior must be {PRIORS} or a prior of pixel_priors or low_rank, got {prior!r}")
            if self.pixels is not None:
                prior.check(self.pixels, X.shape[1])
            return prior
        if prior not in ("learned", "flat", "low rank"):
            raise ValueError(f"prior must be {PRIORS} or a prior, got {prior!r}")
        if self.pixels is None:
            return None
        if prior == "low rank":
            return self._learn_low_rank(self.pixels, X)
        return pixel_priors.suited_prior(self.pixels, X, prior == "learned")

    def _inputs(self, X: Any) -> Inputs:
        pixels: Any = self.pixels
        if pixels is None:
            return KnownInputs(X)
        if self.exact:
            if pixels.n_states is None or not isinstance(self.prior_, PixelPrior):
                raise ValueError("exact integration enumerates states: it needs randomised response; use exact=False")
            return enumerate_inputs(pixels, X, self.prior_)
        if isinstance(self.prior_, LowRankPrior):
            return self._of_moments(self._low_rank_moments(X))
        mean, variance = pixel_priors.posterior_moments(pixels, X, self.prior_, _dtype_for(X))
        mean /= pixels.white
        variance /= pixels.white**2
        return GaussianInputs(mean, variance, self.n_nodes)

    def _low_rank_moments(self, X: Any) -> LowRankMoments:
        assert self.pixels is not None
        return low_rank_moments(self.pixels, X, self.prior_, _dtype_for(X))

    def _of_moments(self, found: LowRankMoments) -> LowRankInputs:
        return LowRankInputs(found.mean, found.variance, self.n_nodes, common=found.common)

    # --- the penalty

    def _fit_quickly(self, inputs: Any, log_rows: Array, weights: Array, y: NDArray) -> Model:
        """Return the model of three or more classes of noisy images: see `quick_fit`. Sets `C_` and `cv_scores_`."""
        chosen = is_cv(self.C)
        folds = folds_of(y, weights, self.cv, self.random_state) if chosen else []
        C = None if chosen else check_C(self.C)
        model, self.C_, scores, held_out = fit_quickly(
            self._objective, inputs, log_rows, weights, C, folds, self.tol, self.max_iter
        )
        if chosen:
            self.cv_scores_, self.held_out_ = scores, held_out
        return model


def _dtype_for(X: NDArray) -> type[np.floating]:
    """Return the precision in which the true X are worked out from released ones."""
    return np.float64 if X.dtype == np.float64 else np.float32


class ReconstructionLogisticRegression(SpreadLogisticRegression):
    """Logistic regression that guesses the truth with its own model and learns from the guess (Barber, section 4.3).

    Parameters and attributes are those of `SpreadLogisticRegression`. Its objective is not concave: the ascent starts
    at weights of 0. The penalty bounds the weights but not the intercept, so under all but weak noise the
    ascent ends at a model that always predicts one class with certainty (of symmetric flips alone, from 0.146 on: see
    `estimators.votes`). C="cv" uses the same held-out likelihood of the released labels.
    """

    _objective = staticmethod(reconstruction)


class NaiveLogisticRegression(SpreadLogisticRegression):
    """Ordinary logistic regression, which treats releases as true values (Barber, section 4.2).

    On clean data it is the upper bound, on released data it ignores the noise. `pixels` only gives the scale of X;
    C="cv" uses the held-out likelihood of the labels it is given. A spread likelihood whose channel is the identity is
    this.
    """

    def __init__(
        self,
        pixels: PixelMechanism | None = None,
        *,
        C: float | str = 1.0,
        cv: int = 5,
        tol: float = 1e-4,
        max_iter: int = 2000,
        random_state: int = 0,
    ) -> None:
        super().__init__(pixels=pixels, C=C, cv=cv, tol=tol, max_iter=max_iter, random_state=random_state)

    def _learned_inputs(self, X: Any) -> Inputs:
        self.prior_ = None
        return self._inputs(X)

    def _inputs(self, X: Any) -> Inputs:
        return KnownInputs(self._unit(X))


def is_cv(setting: Any) -> bool:
    """Return whether a setting is to be chosen by cross-validation: the word "cv"."""
    return isinstance(setting, str) and setting == "cv"


def check_C(C: float | str) -> float:
    """Return `C`, if it is a number above 0. Raises ``ValueError`` otherwise."""
    if not isinstance(C, Real):
        raise ValueError(f'C must be above 0 or "cv", got {C!r}')
    return limits.PENALTY_C.check(C)

"""Model selection by the released labels of held-out people, never by clean labels."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight

from privdemo.estimators.class_model import N_FOLDS, SpreadClassModel, first_shares
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.penalties import folds_of
from privdemo.mechanisms import PixelMechanism

Array = NDArray[np.floating]

# Labels with no more information than so many clean ones: cross-validation is then mostly noise.
FEW_LABELS = 50
# A difference of this many standard errors is clear.
CLEAR = 2.0
# Where no weight reaches this, a model predicts the same for every input.
NO_WEIGHT = 1e-3
CLASSES, LOW_RANK, SHARES = "classes", "low rank", "shares"
# Why an estimator was chosen.
FEW, AHEAD, TIE, ALONE = "labels say too little", "clearly ahead", "no clear difference", "all others say nothing"
NONE = "none says anything"


class Choice(NamedTuple):
    """The `name` of what was chosen, and `why`: one of `FEW`, `AHEAD`, `TIE`, `ALONE` and `NONE`."""

    name: str
    why: str


def choice_of(model: Any) -> dict[str, str]:
    """Return what a fitted model that chooses by trying has `chosen`, and `why`, as in `Choice`; nothing of other
    models.
    """
    return {"chosen": model.chosen_, "why": model.why_} if hasattr(model, "chosen_") else {}


def labels_worth(channel: Array, counts: NDArray, shares: Array) -> float:
    """Return how many clean labels the released ones are worth: n ρ², ρ the correlation of released label and class.

    `channel` T[released, class] (R, K), `counts` (R,) of the released labels, `shares` (K,) of the classes. ρ is the
    largest that any functions of both have (Hirschfeld 1935; Rényi 1959), the second singular value of
    p(c̃, c)/√(p(c̃) p(c)): 1 − 2p of two classes as common as each other that are flipped with p.
    """
    joint = channel * shares
    sides = np.sqrt(np.outer(joint.sum(axis=1), joint.sum(axis=0)))
    parts = np.divide(joint, sides, out=np.zeros_like(joint), where=sides > 0)
    return float(counts.sum() * np.linalg.svd(parts, compute_uv=False)[1] ** 2)


def preference(worth: float, n_values: int, classes: str, weights: str) -> tuple[str, str]:
    """Return the generative and the discriminative model of inputs with so many values in the order of preference.

    A generative model reaches its best with few labels, a discriminative one needs about as many as it has weights,
    and is better then (Ng & Jordan 2002).
    """
    return (classes, weights) if worth < n_values else (weights, classes)


def is_better_than_shares(held_out: Array, shares_alone: Array, worth: float, n_classes: int, weights: Array) -> bool:
    """Return whether a fit is to be preferred to the classes' shares alone, by people's log-likelihoods (n,) under
    either.

    With labels that are worth fewer clean ones than there are classes, even the sign of a score is noise, so the fit
    must be better by `CLEAR` standard errors. Otherwise it must not be worse by as many: inputs are usually
    informative, and noisy held-out labels seldom show it.
    """
    gains = weights * (held_out - shares_alone)
    gains = gains[np.isfinite(gains)]
    wanted = CLEAR if worth < n_classes else -CLEAR
    return bool(gains.mean() > wanted * gains.std() / np.sqrt(len(gains)))


def choose(held_out: Mapping[str, Array], worth: float, weights: Array | None = None) -> Choice:
    """Choose one of some fits, in the order of preference, by people's log-likelihoods `held_out` (n,).

    1. Labels that are worth fewer than `FEW_LABELS` clean ones do not decide: the first is chosen.
    2. Else the one with the best mean over people is chosen, unless a preferred one is not clearly worse: by
       less than `CLEAR` standard errors of the paired difference. `weights` (n,): how many people a row stands for.
    """
    names = list(held_out)
    if len(names) == 1:
        return Choice(names[0], ALONE)
    if worth < FEW_LABELS:
        return Choice(names[0], FEW)
    like = np.array([held_out[name] for name in names])
    known = np.isfinite(like).all(axis=0)
    gains = like[:, known] * (1.0 if weights is None else weights[known])
    best = int(gains.mean(axis=1).argmax())
    behind = gains[best] - gains
    clear = behind.mean(axis=1) > CLEAR * behind.std(axis=1) / np.sqrt(behind.shape[1])
    chosen = int(np.argmin(clear))  # the first that is not
    others = np.delete(gains[chosen] - gains, chosen, axis=0)
    ahead = others.mean(axis=1) > CLEAR * others.std(axis=1) / np.sqrt(others.shape[1])
    return Choice(names[chosen], AHEAD if ahead.all() else TIE)


class SharesClassifier(SpreadLogisticRegression):
    """The shares of the classes, whatever the input: an intercept and no weights (`class_model.first_shares`).

    Parameters and attributes are those of `SpreadLogisticRegression`, C_ = 0; shares_ (K,).
    """

    def __init__(self, channel: Any = None, pixels: PixelMechanism | None = None, *, cv: int = 10) -> None:
        super().__init__(channel, pixels, "flat", C="cv", cv=cv)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the shares of the classes from released labels y (n,) alone."""
        X, y, n_scores = self._prepared(X, y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        numbers = self.label_numbers(y)

        def shares_of(some: NDArray) -> Array:
            return first_shares(np.bincount(numbers[some], weights[some], len(self._channel)), self._channel)

        self.held_out_ = np.empty(len(y))
        for seen, unseen in folds_of(y, weights, self.cv, self.random_state):
            self.held_out_[unseen] = np.log(self._channel @ shares_of(seen))[numbers[unseen]]
        self.shares_, self.C_, self.n_iter_ = shares_of(np.arange(len(y))), 0.0, 0
        self.prior_ = self._read_prior(self.prior, X)
        log_shares = np.log(self.shares_)
        self.intercept_ = log_shares if n_scores > 1 else log_shares[1:] - log_shares[:1]
        self.coef_ = np.zeros((n_scores, X.shape[1]))
        return self


class ChosenLogisticRegression(SpreadLogisticRegression):
    """A class model or the spread likelihood with a low-rank prior, chosen by the released labels of held-out people.

    Both are fitted: `class_model.SpreadClassModel`, and `SpreadLogisticRegression` with prior "low rank" and C="cv". Of
    those that depend on the inputs and are to be preferred to the classes' shares alone (`is_better_than_shares`),
    `choose` chooses in the order `preference` by what labels are worth (`labels_worth`); if none is left, the model
    predicts the shares.

    Parameters and attributes are those of `SpreadLogisticRegression`, whose penalty is always "cv", and
    fits_ : both, by the names "classes" and "low rank"; seconds_ : those that each took. chosen_, why_ : `Choice`, of
    "shares" too. labels_worth_.
    """

    def __init__(
        self,
        channel: Any = None,
        pixels: PixelMechanism | None = None,
        *,
        cv: int = 5,
        n_nodes: int = 16,
        tol: float = 1e-4,
        max_iter: int = 2000,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            channel,
            pixels,
            "low rank",
            C="cv",
            cv=cv,
            n_nodes=n_nodes,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
        )

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to released X (n, D) and released labels y (n,), and choose; errors as those of either."""
        X, y, _ = self._prepared(X, y)
        folds = min(N_FOLDS, len(y))
        classes = SpreadClassModel(
            self.channel, self.pixels, cv=folds, n_nodes=self.n_nodes, random_state=self.random_state
        )
        low_rank = SpreadLogisticRegression(
            self.channel, self.pixels, self.prior, **{name: getattr(self, name) for name in _SHARED}
        )
        self.fits_: dict[str, SpreadLogisticRegression] = {CLASSES: classes, LOW_RANK: low_rank}
        self.seconds_ = {}
        for name, fit in self.fits_.items():
            start = time.perf_counter()
            fit.fit(X, y, sample_weight)
            self.seconds_[name] = time.perf_counter() - start
        nothing = SharesClassifier(self.channel, self.pixels, cv=folds).fit(X, y, sample_weight)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        counts = np.bincount(self.label_numbers(y), weights, len(self._channel))
        self.labels_worth_ = labels_worth(self._channel, counts, classes.classes_model_.shares)
        order = preference(self.labels_worth_, X.shape[1], CLASSES, LOW_RANK)
        saying = (name for name in order if np.abs(self.fits_[name].coef_).max() >= NO_WEIGHT)
        beside = nothing.held_out_, self.labels_worth_, len(self.classes_), weights
        held_out = {name: self.fits_[name].held_out_ for name in saying}
        tried = {name: like for name, like in held_out.items() if is_better_than_shares(like, *beside)}
        self.chosen_, self.why_ = choose(tried, self.labels_worth_, weights) if tried else Choice(SHARES, NONE)
        chosen = self.fits_.get(self.chosen_, nothing)
        for name in _HANDED_ON:
            if hasattr(chosen, name):
                setattr(self, name, getattr(chosen, name))
        return self


_SHARED = ("C", "cv", "n_nodes", "tol", "max_iter", "random_state")
_HANDED_ON = ("prior_", "coef_", "intercept_", "C_", "cv_scores_", "held_out_", "n_iter_")

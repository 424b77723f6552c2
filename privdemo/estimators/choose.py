"""Which of several estimators to go by: chosen by what held-out people released, never by clean labels."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight

from privdemo.estimators.class_model import SpreadClassModel
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.mechanisms import PixelMechanism

Array = NDArray[np.floating]

# Labels that say no more than so many clean ones: cross-validation is a matter of luck then.
FEW_LABELS = 50
# A difference of this many standard errors is clear.
CLEAR = 2.0
# Where no weight reaches this, a model says the same of every input.
NO_WEIGHT = 1e-3
CLASSES, LOW_RANK = "classes", "low rank"
# Why an estimator was chosen.
FEW, AHEAD, TIE, ALONE = "labels say too little", "clearly ahead", "no clear difference", "all others say nothing"


class Choice(NamedTuple):
    """The `name` of what was chosen, and `why`: one of `FEW`, `AHEAD`, `TIE` and `ALONE`."""

    name: str
    why: str


def labels_worth(channel: Array, counts: NDArray, shares: Array) -> float:
    """How many clean labels the released ones are worth: n ρ², ρ the correlation of released label and class.

    `channel` T[released, class] (R, K), `counts` (R,) of the released labels, `shares` (K,) of the classes. ρ is the
    largest that any functions of both have (Hirschfeld 1935; Rényi 1959), the second singular value of
    p(c̃, c)/√(p(c̃) p(c)): 1 − 2p of two classes as common as each other that are flipped with p.
    """
    joint = channel * shares
    sides = np.sqrt(np.outer(joint.sum(axis=1), joint.sum(axis=0)))
    parts = np.divide(joint, sides, out=np.zeros_like(joint), where=sides > 0)
    return float(counts.sum() * np.linalg.svd(parts, compute_uv=False)[1] ** 2)


def choose(fits: Mapping[str, SpreadLogisticRegression], worth: float, weights: Array) -> Choice:
    """Choose one of `fits`, in the order in which they are favoured, by their `held_out_` log-likelihoods.

    1. A fit whose weights are all below `NO_WEIGHT` says the same of every input: it is out, unless all others do worse
       on average than saying so.
    2. Labels that are worth fewer than `FEW_LABELS` clean ones do not decide: the first is chosen.
    3. Else the one with the best mean over people is chosen, unless a more favoured one is not clearly behind it: by
       less than `CLEAR` standard errors of the paired difference. `weights` (n,): how many people a row stands for.
    """
    saying = {name: fit for name, fit in fits.items() if np.abs(fit.coef_).max() >= NO_WEIGHT}
    silent = [np.nanmean(fit.held_out_ * weights) for name, fit in fits.items() if name not in saying]
    if not saying or all(np.nanmean(fit.held_out_ * weights) < max(silent, default=-np.inf) for fit in saying.values()):
        saying = dict(fits)
    if len(saying) == 1:
        return Choice(next(iter(saying)), ALONE)
    if worth < FEW_LABELS:
        return Choice(next(iter(saying)), FEW)
    names = list(saying)
    like = np.array([saying[name].held_out_ for name in names])
    known = np.isfinite(like).all(axis=0)
    gains = like[:, known] * weights[known]
    best = int(gains.mean(axis=1).argmax())
    behind = gains[best] - gains
    clear = behind.mean(axis=1) > CLEAR * behind.std(axis=1) / np.sqrt(behind.shape[1])
    chosen = int(np.argmin(clear))  # the first that is not
    others = np.delete(gains[chosen] - gains, chosen, axis=0)
    ahead = others.mean(axis=1) > CLEAR * others.std(axis=1) / np.sqrt(others.shape[1])
    return Choice(names[chosen], AHEAD if ahead.all() else TIE)


class ChosenLogisticRegression(SpreadLogisticRegression):
    """A model of the classes or the spread likelihood with a low-rank prior, as released labels of held-out people say.

    Both are fitted: `class_model.SpreadClassModel`, and `SpreadLogisticRegression` with prior "low rank" and C="cv".
    `choose` chooses. It favours the classes where labels are worth fewer clean ones (`labels_worth`) than an input has
    values, else the low-rank prior: a model of the classes needs few labels to be as good as it can, one of what tells
    them apart as many as it has weights, but then it is better (Ng & Jordan 2002).

    Parameters and attributes are those of `SpreadLogisticRegression`, whose penalty is always "cv", and
    fits_ : both, by the names "classes" and "low rank"; seconds_ : those that each took. chosen_, why_ : `Choice`.
    labels_worth_.
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
        """Fit both to released X (n, D) and released labels y (n,), and choose; errors as those of either."""
        classes = SpreadClassModel(self.channel, self.pixels, n_nodes=self.n_nodes, random_state=self.random_state)
        low_rank = SpreadLogisticRegression(
            self.channel, self.pixels, "low rank", **{name: getattr(self, name) for name in _SHARED}
        )
        fits: dict[str, SpreadLogisticRegression] = {CLASSES: classes, LOW_RANK: low_rank}
        self.seconds_ = {}
        for name, fit in fits.items():
            start = time.perf_counter()
            fit.fit(X, y, sample_weight)
            self.seconds_[name] = time.perf_counter() - start
        X, y, _ = self._prepared(X, y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        counts = np.bincount(classes.label_numbers(y), weights, len(self._channel))
        self.labels_worth_ = labels_worth(self._channel, counts, classes.classes_model_.shares)
        order = (CLASSES, LOW_RANK) if self.labels_worth_ < X.shape[1] else (LOW_RANK, CLASSES)
        self.chosen_, self.why_ = choose({name: fits[name] for name in order}, self.labels_worth_, weights)
        self.fits_, chosen = fits, fits[self.chosen_]
        for name in ("prior_", "coef_", "intercept_", "C_", "held_out_", "n_iter_"):
            setattr(self, name, getattr(chosen, name))
        return self


_SHARED = ("C", "cv", "n_nodes", "tol", "max_iter", "random_state")

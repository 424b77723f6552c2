"""One trial: every method is trained on the releases of the bags, and scored on clean test records."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn.metrics import f1_score

from privdemo.estimators.bags import Bags, gradient_at_zero, group_by_bag
from privdemo.estimators.choose import choice_of
from privdemo.estimators.label_proportions import (
    AlternatingMeanMapClassifier,
    BagNameClassifier,
    ChosenBagNameClassifier,
    LabelProportionClassifier,
    MeanMapClassifier,
    matching_threshold,
)
from privdemo.estimators.logistic import NaiveLogisticRegression
from privdemo.experiments.label_proportions.adversary import Attack, attack
from privdemo.experiments.label_proportions.config import HALF, SHARE, BagConfig, methods_of
from privdemo.experiments.label_proportions.release import Records, Release, sample_release
from privdemo.methods import ALTERNATING, FULL, LABELLED, LLP, MEAN_MAP, NAMES, by_trying

Array = NDArray[np.floating]

# The methods whose model an adversary takes, the first of them that was trained.
ADVERSARIES = (NAMES, LLP, ALTERNATING, MEAN_MAP, by_trying(NAMES))
# Folds in which penalties are chosen, where there are as many bags.
N_FOLDS = 5
# With every label, weak penalties are the best, and what they gain is less than the usual tolerance.
FINE = 3e-5
_BAG_CLASSIFIERS: dict[str, Callable[..., LabelProportionClassifier]] = {
    NAMES: partial(BagNameClassifier, C="cv"),
    by_trying(NAMES): ChosenBagNameClassifier,
    LLP: partial(LabelProportionClassifier, C="cv"),
    MEAN_MAP: partial(MeanMapClassifier, C="cv"),
    ALTERNATING: partial(AlternatingMeanMapClassifier, C="cv"),
}


class F1(NamedTuple):
    """F1 of positives and negatives, and their average weighted by how common they are in the test records."""

    positive: float
    negative: float
    average: float


@dataclass(frozen=True)
class Fit:
    """One method on one trial: its F1 on clean test records by threshold, inverse penalty `C` and seconds to train.

    `chosen` and `why` are what a choosing method has taken, and why, as in `estimators.choose.Choice`.
    """

    method: str
    f1: dict[str, F1]
    C: float
    seconds: float
    chosen: str = ""
    why: str = ""


@dataclass(frozen=True, eq=False)
class Trial:
    """All methods on one trial, and what the bags are like.

    `blocks` are the sizes of the groups in each bag; `proportions`, `true_proportions`, `loss` and `least_labels` are
    those of the `Release`. `turned` is how much noise changes the gradient at 0 of matching bag shares,
    relative to its length; `identified` is true if the proportions differ. Of the `n_test` test records, `test_share`
    are positive.
    """

    config: BagConfig
    fits: dict[str, Fit]
    blocks: tuple[tuple[int, ...], ...]
    proportions: Array
    true_proportions: Array
    loss: float
    least_labels: tuple[int, int]
    turned: float
    identified: bool
    n_test: int
    test_share: float
    attack: Attack

    @property
    def sizes(self) -> Array:
        """Records in each bag, (B,)."""
        return np.array([sum(block) for block in self.blocks], dtype=float)


def run(config: BagConfig) -> Trial:
    """Fill the bags, aggregate, add noise, train every method on what is released, and try each on clean test records.

    Raises `TooFewRecords` where the data set has too few records of the kind that the bags need.
    """
    released = sample_release(config)
    fits: dict[str, Fit] = {}
    models: dict[str, Any] = {}
    for name in dict.fromkeys((FULL, *methods_of(config))):
        start = time.perf_counter()
        models[name] = _train(name, released)
        fits[name] = score_model(name, models[name], released, config.single, time.perf_counter() - start)
    before = gradient_at_zero(_as_bags(released.records, released.record_bags, released.true_proportions))
    after = gradient_at_zero(group_by_bag(released.rows, released.row_bags, released.projected, released.counts))
    adversary = next((models[name] for name in ADVERSARIES if name in models), None)
    return Trial(
        config=config,
        fits=fits,
        blocks=tuple(
            tuple(released.counts[released.row_bags == bag].astype(int).tolist()) for bag in range(len(released.sizes))
        ),
        proportions=released.proportions,
        true_proportions=released.true_proportions,
        loss=released.loss,
        least_labels=released.least_labels,
        turned=_relative(after - before, before),
        identified=bool(np.ptp(released.projected) >= 1e-9),
        n_test=len(released.test.y),
        test_share=float(released.test.y.mean()),
        attack=attack(config, adversary, released),
    )


def _train(name: str, released: Release) -> Any:
    """Return a method fitted to what it may see; penalties are chosen in fewer folds where bags or records are few."""
    if name == FULL:
        X, y = released.records
        return NaiveLogisticRegression(C="cv", cv=min(N_FOLDS, len(y)), tol=FINE).fit(X, y)
    if name == LABELLED:
        X = vstack([released.rows] * 2, "csr") if issparse(released.rows) else np.concatenate([released.rows] * 2)
        y = np.repeat([0, 1], len(released.counts))
        weight = np.concatenate((released.counts - released.positives, released.positives))
        there = weight > 0
        folds = min(N_FOLDS, int(there.sum()))
        return NaiveLogisticRegression(C="cv", cv=folds, tol=FINE).fit(X[there], y[there], weight[there])
    folds = min(N_FOLDS, len(released.proportions))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "all bags have the same proportion")  # `Trial.identified` says so
        model = _BAG_CLASSIFIERS[name](cv=folds)
        return model.fit(released.rows, released.row_bags, released.projected, released.counts)


def score_model(name: str, model: Any, released: Release, single: bool, seconds: float) -> Fit:
    """Score a fitted model on clean test records.

    Its threshold is ½. From `single` records it can also be moved so that the known share of them is named positive;
    means of k score closer together than records do, so that no such threshold follows from them.
    """
    scores, y = model.decision_function(released.test.X), released.test.y
    f1 = {HALF: _f1(y, scores > 0)}
    if single:
        # Who knows every label knows their share without noise.
        share = float(released.records.y.mean()) if name == FULL else released.known_share
        known = model.decision_function(released.rows)
        f1[SHARE] = _f1(y, scores > matching_threshold(known, released.counts, share))
    return Fit(name, f1, model.C_, seconds, **choice_of(model))


def _f1(y: NDArray[np.integer], named: NDArray[np.bool_]) -> F1:
    negative, positive = f1_score(y, named, average=None, labels=[0, 1], zero_division=0.0)
    return F1(float(positive), float(negative), float(f1_score(y, named, average="weighted", zero_division=0.0)))


def _relative(change: Array, start: Array) -> float:
    """Return |change| / |start|: 0 where nothing has changed, ∞ from a start of 0."""
    length = float(np.linalg.norm(change))
    if not length:
        return 0.0
    return length / float(np.linalg.norm(start)) if start.any() else math.inf


def _as_bags(data: Records, row_bags: NDArray[np.intp], proportions: Array) -> Bags:
    return group_by_bag(data.X, row_bags, proportions, np.ones(len(row_bags)))

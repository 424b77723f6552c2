"""Small experiments on bags, and oracles: records counted, models fitted here, marks by scikit-learn."""

import math
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
from sklearn.metrics import f1_score

from privdemo.estimators.label_proportions import (
    AlternatingMeanMapClassifier,
    BagNameClassifier,
    LabelProportionClassifier,
    MeanMapClassifier,
)
from privdemo.estimators.logistic import NaiveLogisticRegression
from privdemo.experiments.label_proportions import BagConfig, draw_release, run
from privdemo.mechanisms.aggregation import dense
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES

ALL = tuple(LABEL_PROPORTIONS)
SINGLE = BagConfig("breast_cancer", 15, 20, "skewed", methods=ALL)
GROUPED = replace(SINGLE, aggregation="random-k", k=4)
NOISY = replace(GROUPED, feature_epsilon=3.0, proportion_epsilon=0.5)
CASES = {
    "single": SINGLE,
    "even": replace(SINGLE, selection="even", n_bags=10, draw=2),
    "confident": replace(SINGLE, selection="confident", n_bags=8),
    "nearest-k": replace(GROUPED, aggregation="nearest-k", k=7),
    "k-tree, skewed": replace(GROUPED, aggregation="k-tree", k=4),
    "noisy": NOISY,
    "noisy columns": replace(SINGLE, feature_epsilon=20.0),
}
MODELS = {
    NAMES: BagNameClassifier,
    LLP: LabelProportionClassifier,
    MEAN_MAP: MeanMapClassifier,
    ALTERNATING: AlternatingMeanMapClassifier,
}


def count_records(data):
    """How often each labelled record is there."""
    return Counter(zip((row.tobytes() for row in data.X), data.y.tolist(), strict=True))


def without_noise(config):
    """The same release without noise."""
    return draw_release(replace(config, feature_epsilon=math.inf, proportion_epsilon=math.inf))


def equal(one, other, *fields):
    return all(np.array_equal(dense(getattr(one, name)), dense(getattr(other, name))) for name in fields)


def labelled_rows(released):
    """Every released row as a negative and as a positive, weighted by its labels."""
    X, n = dense(released.rows), len(released.counts)
    weight = np.append(released.counts - released.positives, released.positives)
    there = weight > 0
    return np.concatenate([X, X])[there], np.repeat([0, 1], n)[there], weight[there]


run_once = cache(run)


@cache
def fit_model(name, config):
    released = draw_release(config)
    if name == FULL:
        return NaiveLogisticRegression(C="cv", tol=3e-5).fit(released.records.X, released.records.y)
    if name == LABELLED:
        return NaiveLogisticRegression(C="cv", tol=3e-5).fit(*labelled_rows(released))
    share = np.clip(released.proportions, 0, 1)
    return MODELS[name](C="cv", cv=min(5, len(share))).fit(released.rows, released.names, share, released.counts)


def f1_marks(y, named):
    """F1 of positives, of negatives, and their weighted average."""
    average = f1_score(y, named, average="weighted", zero_division=0)
    return f1_score(y, named, zero_division=0), f1_score(1 - y, ~named, zero_division=0), average

"""Settings: how records are put into bags and what is released of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privdemo import datasets, limits
from privdemo.datasets import Source, name_of
from privdemo.mechanisms import aggregation, bags
from privdemo.methods import FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES, check_methods
from privdemo.tasks import binary_task

AGGREGATIONS = ("none", "random-k", "nearest-k", "k-tree")
SHARE, HALF = "share", "half"
THRESHOLDS = {SHARE: "matched to the share", HALF: "½"}
F1S = ("average", "positive", "negative")
# Numbers of bags and of records in each that suit a data set's size.
_BAGS = {"adult": (100, 100), "sms": (60, 60), "breast_cancer": (15, 20), "mnist": (40, 50), "digits": (12, 20)}
# Columns in which two records can differ, where that is not all: one-hot columns of Adult's 14 attributes.
_CHANGES = {"adult": 28}


@dataclass(frozen=True)
class BagConfig:
    """How records are put into bags and what is released of them.

    `n_bags` bags of `bag_size` records are filled by `selection`. Records are released as means of at least `k` (1:
    each record as it is), grouped by `aggregation`. Laplace noise on every column of a mean gives it `feature_epsilon`,
    noise on a bag's proportion gives every label `proportion_epsilon`; ∞ is no noise. `trial` counts the repetitions:
    another trial has other records, bags and noise. Full labels are always trained on too, as the ceiling.
    """

    dataset: Source = "adult"
    n_bags: int = 100
    bag_size: int = 100
    selection: str = "iid"
    aggregation: str = "none"
    k: int = 1
    feature_epsilon: float = math.inf
    proportion_epsilon: float = math.inf
    methods: tuple[str, ...] = (FULL, LABELLED, NAMES, LLP, MEAN_MAP)
    seed: int = 0
    trial: int = 0

    def __post_init__(self) -> None:
        for limit, value in (
            (limits.N_BAGS, self.n_bags),
            (limits.BAG_SIZE, self.bag_size),
            (limits.K, self.k),
            (limits.NOISE_EPSILON, self.feature_epsilon),
            (limits.NOISE_EPSILON, self.proportion_epsilon),
            (limits.SEED, self.seed),
            (limits.TRIAL, self.trial),
        ):
            limit.check(value)
        for name, choice, known in (
            ("selection", self.selection, tuple(bags.SELECTIONS)),
            ("aggregation", self.aggregation, AGGREGATIONS),
        ):
            if choice not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {choice!r}")
        binary_task(self.dataset)
        check_methods(self.methods, LABEL_PROPORTIONS)
        if self.aggregation == "none" and self.k > 1:
            raise ValueError(f"k must be 1 without an aggregation, got {self.k}; choose random-k, nearest-k or k-tree")
        most = self.bag_size // 2 if self.aggregation == "k-tree" else self.bag_size
        if self.k > max(1, most):
            what = "half a bag, as a bag needs two leaves" if self.aggregation == "k-tree" else "the records of a bag"
            raise ValueError(f"k must be at most {most}, {what}, got {self.k}; lower k or take larger bags")

    @property
    def single(self) -> bool:
        """Whether single records are released as they are, without means or noise."""
        return self.k == 1 and math.isinf(self.feature_epsilon)

    @property
    def label_promise(self) -> bool:
        """Whether bags are filled without looking at labels: only then does `proportion_epsilon` hold."""
        return bags.SELECTIONS[self.selection].blind and (self.k == 1 or self.aggregation != "k-tree")

    @property
    def column_promise(self) -> bool:
        """Whether bags and groups are made without looking at the records: only then does `feature_epsilon` hold."""
        return bags.SELECTIONS[self.selection].blind and (self.k == 1 or self.aggregation == "random-k")


def default_bags(dataset: Source) -> tuple[int, int]:
    """Return how many bags, and how many records in each, suit the size of a data set.

    Of a visitor's own records half are in bags: as many bags as each has records, but no more than the slides' 100.
    """
    if isinstance(dataset, str):
        return _BAGS[dataset]
    side = int(max(limits.BAG_SIZE.low, min(100, math.isqrt(len(dataset.y) // 2))))
    return side, side


def changed_columns(dataset: Source) -> int | None:
    """Return the most columns in which two records can differ; None: all of them."""
    return _CHANGES.get(name_of(dataset)) if isinstance(dataset, str) else None


def methods_of(config: BagConfig) -> tuple[str, ...]:
    """Return the methods of `config` that differ: labels of single records without noise would be the same as full
    labels.
    """
    return tuple(name for name in config.methods if not (config.single and name == LABELLED))


def record_epsilon(config: BagConfig) -> tuple[float, float]:
    """Return a whole record's ε by basic composition over all its columns, and over those that two records can differ
    in.
    """
    n_columns = datasets.load(config.dataset).X.shape[1]
    changes = changed_columns(config.dataset) or n_columns
    every, differing = (
        aggregation.record_epsilon(config.feature_epsilon, config.proportion_epsilon, n) for n in (n_columns, changes)
    )
    return every, differing

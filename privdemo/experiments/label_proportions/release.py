"""The records of one trial: filled into bags, aggregated, and released with noise."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.datasets import Source, kept_by_name, name_of
from privdemo.estimators.bags import project_proportions
from privdemo.experiments.label_proportions.config import BagConfig
from privdemo.experiments.trials import generator
from privdemo.mechanisms import aggregation, bags
from privdemo.mechanisms.aggregation import Matrix, TooFewRecords
from privdemo.tasks import BINARY, binary_records, binary_task

Array = NDArray[np.floating]

# Where the publisher has no test part, this share of the records is kept for testing.
TEST_SHARE = 0.3
# Fixed numbers of the random streams of a trial.
SPLIT_STREAM, CHOICE_STREAM, GROUPING_STREAM, FEATURE_STREAM, PROPORTION_STREAM, GUESS_STREAM = range(6)


class Records(NamedTuple):
    """`X` (n, D) on the scale 0 to 1, sparse where it is mostly 0, and labels `y` (n,), 1 positive."""

    X: Matrix
    y: NDArray[np.integer]


class Release(NamedTuple):
    """What is released of one trial, and the truth behind it.

    `rows` (r, D) are k-means (or records) with noise, `counts` (r,) their records, `positives` (r,) how many of those
    are positive (not released), `row_bags` (r,) their bags; `proportions` (B,) of the bags as released, perhaps outside
    [0, 1], and `true_proportions`. `records` are those in the bags, in `record_bags`; `test` those kept for testing.
    `loss` is the information loss, `least_labels` the fewest labels in a bag and in a group.
    """

    rows: Matrix
    counts: Array
    positives: Array
    row_bags: NDArray[np.intp]
    proportions: Array
    true_proportions: Array
    records: Records
    record_bags: NDArray[np.intp]
    test: Records
    loss: float
    least_labels: tuple[int, int]

    @property
    def sizes(self) -> Array:
        """Records in each bag, (B,)."""
        return np.bincount(self.row_bags, self.counts).astype(float)

    @property
    def projected(self) -> Array:
        """The nearest proportions in [0, 1] to those released, (B,).

        Where that would leave one class only, half a record from that end, in every bag alike.
        """
        share = project_proportions(self.proportions)
        half = 0.5 / float(self.sizes.max())
        return share if 0 < share.mean() < 1 else np.clip(share, half, 1 - half)

    @property
    def known_share(self) -> float:
        """The overall share of positives as released, projected once noise has averaged out."""
        return float(project_proportions(self.sizes @ self.proportions / self.sizes.sum()))


@kept_by_name(maxsize=len(BINARY))
def records(dataset: Source) -> tuple[Records, int | None]:
    """Return the records of a task, and how many of them are the publisher's training part (None: there is none)."""
    chosen = binary_records(dataset)
    return Records(chosen.unit(), chosen.y), chosen.n_train


@kept_by_name(maxsize=len(BINARY))
def n_training(dataset: Source) -> int:
    """Return how many records can be put into bags."""
    chosen = binary_records(dataset)
    return chosen.n_train if chosen.n_train is not None else len(chosen.y) - round(TEST_SHARE * len(chosen.y))


def sample_release(config: BagConfig) -> Release:
    """Fill the bags of `config`, aggregate and add noise; errors as in `run`."""
    train, test = _split(config, generator(config, SPLIT_STREAM))
    rows, record_bags, group = _fill(config, train)
    inside = Records(train.X[rows], train.y[rows])
    if len(np.unique(inside.y)) < 2:
        raise TooFewRecords(
            f"all {len(inside.y):,} records that came into the bags are "
            f"{binary_task(config.dataset).classes[inside.y[0]]}, and nothing can be learnt from one class; take "
            "larger or other bags, lower k, or change the seed"
        )
    if config.k > 1 and config.aggregation == "random-k":
        group = aggregation.random_k(record_bags, config.k, generator(config, GROUPING_STREAM))
    elif config.k > 1 and config.aggregation == "nearest-k":
        group = aggregation.nearest_k(inside.X, record_bags, config.k, generator(config, GROUPING_STREAM))
    counts, sizes = np.bincount(group), np.bincount(record_bags)
    row_bags = np.empty(len(counts), dtype=np.intp)
    row_bags[group] = record_bags
    true_proportions: Array = np.bincount(record_bags, inside.y) / sizes
    means, proportions = aggregation.group_means(inside.X, group), true_proportions
    if math.isfinite(config.feature_epsilon):
        rng = generator(config, FEATURE_STREAM)
        means = aggregation.noisy_means(means, counts, config.feature_epsilon, rng)
    if math.isfinite(config.proportion_epsilon):
        rng = generator(config, PROPORTION_STREAM)
        proportions = aggregation.noisy_proportions(true_proportions, sizes, config.proportion_epsilon, rng)
    labels_in_bags, labels_in_groups = (int(bags.distinct_labels(inside.y, of).min()) for of in (record_bags, group))
    return Release(
        rows=means,
        counts=counts.astype(float),
        positives=np.bincount(group, inside.y).astype(float),
        row_bags=row_bags,
        proportions=proportions,
        true_proportions=true_proportions,
        records=inside,
        record_bags=record_bags,
        test=test,
        loss=aggregation.information_loss(inside.X, group),
        least_labels=(labels_in_bags, labels_in_groups),
    )


def _fill(config: BagConfig, train: Records) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of `train` that come into bags, the bag of each, and its group: one of the k-tree, else its own.

    The k-tree groups before bagging, so that what is put into bags are groups of records; else single records are.
    """
    units = np.arange(len(train.y))
    if config.aggregation == "k-tree" and config.k > 1:
        units = aggregation.k_tree(train.X, train.y, config.k, generator(config, GROUPING_STREAM))
    members, unit_size = np.argsort(units, kind="stable"), np.bincount(units)
    first = np.cumsum(unit_size) - unit_size
    part = np.zeros(len(unit_size), int)
    if bags.SELECTIONS[config.selection].pools:
        sure = bags.positive_probability(train.X, train.y)
        part = bags.parts(np.bincount(units, sure) / unit_size)
    per_bag = max(1, round(config.bag_size / unit_size.mean()))
    chosen = bags.select(
        config.selection,
        train.y[members[first]],
        part,
        config.n_bags,
        max(per_bag, limits.BAG_SIZE.low),
        generator(config, CHOICE_STREAM),
    )
    in_bags = np.concatenate(chosen)
    rows = np.concatenate([members[first[u] : first[u] + unit_size[u]] for u in in_bags])
    group = np.repeat(np.arange(len(in_bags)), unit_size[in_bags])
    return rows, bags.bag_names(chosen)[group], group


def _split(config: BagConfig, rng: np.random.Generator) -> tuple[Records, Records]:
    """Return the records to put into bags, and those to test on: the publisher's two parts, else sampled at random."""
    known, n_train = records(config.dataset)
    order = np.arange(len(known.y)) if n_train is not None else rng.permutation(len(known.y))
    n = n_training(config.dataset)
    if config.n_bags > n:
        raise ValueError(
            f"n_bags must be at most {n}, the records of {name_of(config.dataset)} to train on, got {config.n_bags}"
        )
    train, test = (Records(known.X[rows], known.y[rows]) for rows in (order[:n], order[n:]))
    return train, test

"""The records of a trial, and the class proportions that are released of its sets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import datasets
from privdemo.datasets import Dataset, Source, kept_by_name
from privdemo.experiments.class_ratio.config import (
    NOISE_STREAM,
    RECORD_STREAM,
    TEST_SHARE,
    RatioConfig,
    n_to_train,
)
from privdemo.experiments.trials import generator
from privdemo.mechanisms.aggregation import Matrix
from privdemo.mechanisms.label_counts import CountRelease, calibrate
from privdemo.simplex import round_to_sum
from privdemo.tasks import counting_task

Array = NDArray[np.floating]


class Group(NamedTuple):
    """Sets of records: the rows of each set in the data set, and the sets' true class proportions (M, c)."""

    rows: tuple[NDArray[np.intp], ...]
    proportions: Array


class Sample(NamedTuple):
    """The records of one trial: training and tuning sets, and the test records of every class."""

    dataset: Dataset
    training: Group
    tuning: Group
    pools: tuple[NDArray[np.intp], ...]


@kept_by_name(maxsize=4)
def records(dataset: Source, classes: tuple[str, ...]) -> Dataset:
    """Return the records of some classes."""
    return datasets.load(dataset).select_classes(classes)


def most_records(config: RatioConfig) -> int:
    """Return the largest set size with which no set holds a record twice: the training records of the smallest
    class.
    """
    return n_to_train(records(config.dataset, config.chosen_classes).y)


def check(config: RatioConfig) -> None:
    """Raise ``ValueError`` if the data set is too small for the sets, or if their counts cannot be released so."""
    most, wanted = most_records(config), config.set_size * config.copies
    if wanted > most:
        raise ValueError(
            "set_size times copies, the records in a group times the groups of each kind, must be at most "
            f"{most:,} for {counting_task(config.dataset).title}, whose smallest class has no more records to train "
            f"on, got {wanted:,}; take smaller or fewer groups"
        )
    if config.private:
        calibrate(config.release, config.epsilon, config.delta, config.counts(), config.n_min)


def sample_records(config: RatioConfig) -> Sample:
    """Return the records of one trial; raises errors as `check` does.

    `TEST_SHARE` of every class is kept for testing. The other records fill the sets one after the other, each once
    before any is reused, so that no set holds a record twice, and two sets share records only if a class has too few.
    """
    check(config)
    dataset = records(config.dataset, config.chosen_classes)
    rng = generator(config, RECORD_STREAM)
    queues, pools = [], []
    for c in range(config.n_classes):
        order = rng.permutation(np.flatnonzero(dataset.y == c))
        n_train = math.floor((1 - TEST_SHARE) * len(order))
        queues.append(_Queue(order[:n_train], rng))
        pools.append(order[n_train:])
    counts = config.counts()
    groups = [
        Group(
            tuple(
                rng.permutation(np.concatenate([queue.next_rows(n) for queue, n in zip(queues, row, strict=True)]))
                for row in counts
            ),
            counts / config.set_size,
        )
        for _ in range(2)
    ]
    return Sample(dataset, groups[0], groups[1], tuple(pools))


class _Queue:
    """Records of a class in random order; after the last one they are reused from the first."""

    def __init__(self, rows: NDArray[np.intp], rng: np.random.Generator) -> None:
        self.rows, self.rng, self.next = rows, rng, 0

    def next_rows(self, n: int) -> NDArray[np.intp]:
        """Return the next `n` records."""
        if self.next + n > len(self.rows):
            taken, left = np.split(self.rows, [self.next])
            self.rows, self.next = np.concatenate((left, self.rng.permutation(taken))), 0
        self.next += n
        return self.rows[self.next - n : self.next]


def sample_target_set(
    config: RatioConfig, sample: Sample, share: float | None, rng: np.random.Generator
) -> tuple[Matrix, Array]:
    """Return a target set of test records, (n_test, d), and its class proportions (c,).

    `share` of its records are of the first class, the other classes share the rest equally. None: proportions sampled
    uniformly from the simplex, the same in every trial. A record comes twice only if its class has too few.
    """
    c = config.n_classes
    if share is None:
        wanted = np.random.default_rng((config.seed, 1)).dirichlet(np.ones(c))
    else:
        wanted = np.append(share, np.full(c - 1, (1 - share) / (c - 1)))
    counts = round_to_sum(wanted * config.n_test)
    rows = [rng.choice(pool, n, replace=n > len(pool)) for pool, n in zip(sample.pools, counts, strict=True)]
    return as_input(sample.dataset, np.concatenate(rows)), counts / config.n_test


def as_input(dataset: Dataset, rows: NDArray[np.intp]) -> Matrix:
    """Return records (rows, d) on the scale 0 to 1, in single precision."""
    return dataset.unit(rows, np.float32)


def release_proportions(config: RatioConfig, sample: Sample) -> tuple[Array, Array, CountRelease | None]:
    """Return the released proportions of training and tuning sets, (M, c) each, and the mechanism; None without noise.

    Raises ``ValueError`` if the release is not possible: see `label_counts.calibrate`.
    """
    if not config.private:
        return sample.training.proportions, sample.tuning.proportions, None
    counts = config.counts()
    mechanism = calibrate(config.release, config.epsilon, config.delta, counts, config.n_min)
    rng = generator(config, NOISE_STREAM)
    return mechanism.randomise(counts, rng), mechanism.randomise(counts, rng), mechanism

"""The adversary, who knows a record and its set, and guesses the record's label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo.estimators.set_names import SpreadClassRatio
from privdemo.experiments.class_ratio.config import ATTACK_STREAM, RatioConfig
from privdemo.experiments.class_ratio.release import Sample, as_input
from privdemo.experiments.trials import generator

Array = NDArray[np.floating]

# The most training records whose labels the adversary guesses, and the most new records.
N_ATTACKED = 2000


class Attack(NamedTuple):
    """How many labels the adversary guesses right, by three ways to guess.

    Of `n` records in the training sets: `by_set`, the set's most common class by its released proportions; `by_model`,
    the spread likelihood; `by_both`, the two together. Of `n_new` records that are in no set, `new_right` by the model.
    """

    n: int
    by_set: int
    by_model: int
    by_both: int
    n_new: int
    new_right: int


def attack_labels(config: RatioConfig, sample: Sample, spread: SpreadClassRatio, released: Array) -> Attack:
    """Guess the labels of training records from the `released` proportions (M, c) of their sets and a fitted model."""
    rng = generator(config, ATTACK_STREAM)
    names = np.repeat(np.arange(len(sample.training.rows)), [len(rows) for rows in sample.training.rows])
    rows = np.concatenate(sample.training.rows)
    some = rng.permutation(len(rows))[:N_ATTACKED]
    y, in_set = sample.dataset.y[rows[some]], released[names[some]]
    inside = as_input(sample.dataset, rows[some])
    new = np.concatenate([pool[rng.permutation(len(pool))[: N_ATTACKED // config.n_classes]] for pool in sample.pools])
    guessed = spread.predict_proba(as_input(sample.dataset, new)).argmax(axis=1)

    def right(scores: Array) -> int:
        return int((scores.argmax(axis=1) == y).sum())

    return Attack(
        n=len(some),
        by_set=right(in_set),
        by_model=right(spread.predict_proba(inside)),
        by_both=right(spread.predict_proba_in(inside, in_set)),
        n_new=len(new),
        new_right=int((guessed == sample.dataset.y[new]).sum()),
    )

"""Scores of each class over trials: confusion, recall and precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo.experiments.training.fit import Trial
from privdemo.experiments.training.score import having
from privdemo.intervals import Estimate, grouped_interval


class ClassMarks(NamedTuple):
    """Which share of a class’s test images the method gives this class, and which share of those given it are of it.

    `precision` is None where no image is given the class.
    """

    recall: Estimate
    precision: Estimate | None


def confusion_counts(trials: Sequence[Trial], method: str) -> NDArray[np.integer]:
    """Return how many test images of each class, the rows, `method` gives each class: (n_trials, K, K)."""
    counts = []
    for trial in having(trials, method):
        k = len(trial.config.classes)
        counts.append(np.bincount(trial.y * k + trial.fits[method].named, minlength=k * k).reshape(k, k))
    return np.stack(counts)


def confusion(trials: Sequence[Trial], method: str) -> NDArray[np.floating]:
    """Return the share of the test images of each class, the rows, to which `method` gives each class: (K, K)."""
    counts = confusion_counts(trials, method).sum(axis=0)
    return counts / counts.sum(axis=1, keepdims=True)


def class_marks(trials: Sequence[Trial], method: str) -> tuple[ClassMarks, ...]:
    """Return the marks of every class with 95 % intervals over the trials; of a single one, over its test images."""
    counts = confusion_counts(trials, method)
    right, of_class, named = np.diagonal(counts, axis1=1, axis2=2), counts.sum(axis=2), counts.sum(axis=1)
    return tuple(
        ClassMarks(
            grouped_interval(right[:, c], of_class[:, c]),
            grouped_interval(right[:, c], named[:, c]) if named[:, c].any() else None,
        )
        for c in range(counts.shape[1])
    )


def most_confused(trials: Sequence[Trial], method: str) -> tuple[int, int]:
    """Return the class whose test images are most often taken for one other class, and that other one."""
    shares = confusion(trials, method)
    np.fill_diagonal(shares, -1)
    true, named = np.unravel_index(int(shares.argmax()), shares.shape)
    return int(true), int(named)

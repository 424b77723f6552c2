"""Means over trials with intervals: F1, differences between methods, and labels that an adversary names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from privdemo.experiments.label_proportions.fit import F1, Trial
from privdemo.experiments.results import TRIAL_COLUMN
from privdemo.intervals import Estimate, grouped_interval, mean_interval
from privdemo.methods import LABEL_PROPORTIONS


def mean_score(trials: Sequence[Trial], method: str, which: str, threshold: str) -> Estimate:
    """Return a method's mean F1 over the trials, one of `F1S`, with a 95 % interval; that of a single trial is
    unknown.
    """
    return mean_interval([getattr(trial.fits[method].f1[threshold], which) for trial in trials])


def mean_accuracy(trials: Sequence[Trial], method: str, threshold: str) -> Estimate:
    """Return which share of the test records a method names rightly, the mean over the trials with a 95 % interval."""
    return mean_interval([accuracy(trial.fits[method].f1[threshold]) for trial in trials], 0.0, 1.0)


def accuracy(f1: F1) -> float:
    """Return the share of records named rightly that belongs to the F1 of both classes.

    With e wrong records, a class with F1 = f has f e / 2(1 − f) right ones.
    """
    if max(f1.positive, f1.negative) == 1:
        return 1.0
    right = sum(f / (2 * (1 - f)) for f in (f1.positive, f1.negative))
    return right / (1 + right)


def all_negative(trials: Sequence[Trial]) -> F1:
    """Return the F1 of naming every test record negative: of share s positive, negatives get 2(1 − s)/(2 − s)."""
    share = float(np.mean([trial.test_share for trial in trials]))
    negative = 2 * (1 - share) / (2 - share)
    return F1(0.0, negative, (1 - share) * negative)


def difference(trials: Sequence[Trial], method: str, other: str, threshold: str) -> Estimate:
    """Return `method`'s average F1 less `other`'s on the same trials, with a 95 % interval."""
    return mean_interval([t.fits[method].f1[threshold].average - t.fits[other].f1[threshold].average for t in trials])


def accuracy_difference(trials: Sequence[Trial], method: str, other: str, threshold: str) -> Estimate:
    """Return how much larger a share of the test records `method` names rightly than `other` on the same trials, with a
    95 % interval.
    """
    right = [[accuracy(trial.fits[name].f1[threshold]) for trial in trials] for name in (method, other)]
    return mean_interval([one - two for one, two in zip(*right, strict=True)])


def attack_rates(trials: Sequence[Trial]) -> dict[str, Estimate]:
    """Return how often an adversary names the label from the prior, the bag, the model and both, with 95 %
    intervals.
    """
    n = [trial.attack.n for trial in trials]
    return {
        source: grouped_interval([getattr(trial.attack, f"{source}_right") for trial in trials], n)
        for source in ("prior", "bag", "model", "both")
    }


def mean_of(trials: Sequence[Trial], field_name: str) -> Estimate:
    """Return the mean over the trials of one of the numbers that a `Trial` holds, with a 95 % interval."""
    return mean_interval([getattr(trial, field_name) for trial in trials])


def score_table(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Return one row for each trial, method and threshold, for a CSV file."""
    return [
        {TRIAL_COLUMN: trial.config.trial, **LABEL_PROPORTIONS[fit.method].columns, "threshold": threshold}
        | {f"f1_{which}": value for which, value in f1._asdict().items()}
        | {"C": fit.C, "seconds": fit.seconds, "information_loss": trial.loss, "chosen": fit.chosen, "why": fit.why}
        for trial in trials
        for fit in trial.fits.values()
        for threshold, f1 in fit.f1.items()
    ]


def bag_table(trial: Trial) -> list[dict[str, Any]]:
    """Return one row for each bag, for a CSV file."""
    return [
        {"bag": bag + 1, "size": sum(block), "groups": len(block), "proportion": true, "released": noisy}
        for bag, (block, true, noisy) in enumerate(
            zip(trial.blocks, trial.true_proportions.tolist(), trial.proportions.tolist(), strict=True)
        )
    ]

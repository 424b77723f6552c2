"""Means over trials with their 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from privdemo.experiments.class_ratio.config import SHARES
from privdemo.experiments.class_ratio.fit import Fit, Trial, l1_distance
from privdemo.experiments.results import TRIAL_COLUMN
from privdemo.intervals import Estimate, grouped_interval, mean_interval
from privdemo.methods import CLASS_RATIO, MMD, RFF

# The largest L1 distance of two proportions.
MOST_DISTANCE = 2.0


def share_of(trials: Sequence[Trial], method: str, c: int) -> Estimate:
    """Return the share of class `c` that a method finds in the target set."""
    return mean_interval([trial.fits[method].found[c] for trial in trials], 0.0, 1.0)


def error(trials: Sequence[Trial], method: str) -> Estimate:
    """Return a method's L1 error in the target set."""
    return _mean_distance([l1_distance(np.array(trial.fits[method].found), np.array(trial.truth)) for trial in trials])


def error_along(trials: Sequence[Trial], method: str, place: int) -> Estimate:
    """Return a method's L1 error in sets with `SHARES`[place] of the first class."""
    return _mean_distance([trial.fits[method].errors[place] for trial in trials])


def mean_error(trials: Sequence[Trial], method: str) -> Estimate:
    """Return a method's L1 error, the mean over `SHARES`."""
    return _mean_distance([_mean_over_shares(trial.fits[method]) for trial in trials])


def difference(trials: Sequence[Trial], method: str, other: str) -> Estimate:
    """Return how much larger the L1 error of `method` is than that of `other` on the same trials, the mean over
    `SHARES`.
    """
    return mean_interval([_mean_over_shares(t.fits[method]) - _mean_over_shares(t.fits[other]) for t in trials])


def features_gap(trials: Sequence[Trial]) -> Estimate:
    """Return the L1 distance of the proportions that random features and the exact kernel find in the target set."""
    return mean_interval([l1_distance(np.array(t.fits[RFF].found), np.array(t.fits[MMD].found)) for t in trials])


def _mean_over_shares(fit: Fit) -> float:
    return float(np.mean(fit.errors))


def _mean_distance(distances: Sequence[float]) -> Estimate:
    return mean_interval(distances, 0.0, MOST_DISTANCE)


def attack_rates(trials: Sequence[Trial]) -> dict[str, Estimate]:
    """Return how often the adversary guesses a label right: by the "set", the "model", "both", and for "new"
    records.
    """
    attacks = [trial.attack for trial in trials if trial.attack]
    n = [a.n for a in attacks]
    return {
        "set": grouped_interval([a.by_set for a in attacks], n),
        "model": grouped_interval([a.by_model for a in attacks], n),
        "both": grouped_interval([a.by_both for a in attacks], n),
        "new": grouped_interval([a.new_right for a in attacks], [a.n_new for a in attacks]),
    }


def table(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Return one row for every method on every trial: the shares that it finds, and its errors along `SHARES`."""
    rows = []
    for trial in trials:
        for method, fit in trial.fits.items():
            found = dict(zip(trial.config.labels, fit.found, strict=True))
            rows.append(
                {TRIAL_COLUMN: trial.config.trial, **CLASS_RATIO[method].columns, "seconds": round(fit.seconds, 3)}
                | {"chosen": fit.chosen, "why": fit.why}
                | {f"true share of {c}": p for c, p in zip(trial.config.labels, trial.truth, strict=True)}
                | {f"share found of {c}": p for c, p in found.items()}
                | {f"L1 error at {share:g}": e for share, e in zip(SHARES, fit.errors, strict=True)}
            )
    return rows

"""Trials as flat rows, for CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from privdemo.experiments.results import TRIAL_COLUMN
from privdemo.experiments.training.fit import Fit, Trial
from privdemo.experiments.training.per_class import class_marks, confusion
from privdemo.experiments.training.score import calibration
from privdemo.methods import CLEAN, TRAINING


def score_table(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Return one row for each trial and method."""
    return [
        {
            TRIAL_COLUMN: trial.config.trial,
            **TRAINING[fit.method].columns,
            "accuracy": fit.accuracy,
            "log_loss": fit.log_loss,
            "brier": fit.brier,
            "angle_to_clean": fit.angle,
            "C": fit.C,
            "seconds": fit.seconds,
            "effective_samples": fit.effective_samples,
            "chosen": fit.chosen,
            "why": fit.why,
            "attack_from_label": trial.attack.label / trial.attack.n,
            "attack_from_image": trial.attack.image / trial.attack.n,
            "attack_from_both": trial.attack.both / trial.attack.n,
        }
        for trial in trials
        for fit in trial.fits.values()
    ]


def calibration_table(trials: Sequence[Trial], methods: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row for each method and bin of its calibration curve."""
    return [
        TRAINING[method].columns
        | {"said": b.predicted, "true": b.observed.mean, "low": b.observed.low, "high": b.observed.high, "n": b.n}
        for method in methods
        for b in calibration(trials, method)
    ]


def weight_table(trial: Trial) -> list[dict[str, Any]]:
    """Return one row for each method, of more than two classes also for each class: its weight of every pixel or
    column.
    """
    source = trial.config.dataset
    names = [f"pixel_{j}" for j in range(trial.fits[CLEAN].coef.shape[-1])]
    if not isinstance(source, str):
        names = list(source.feature_names)
    classes = trial.config.classes if trial.fits[CLEAN].coef.ndim == 2 else (None,)
    return [
        TRAINING[fit.method].columns
        | ({} if name is None else {"class": name})
        | {"intercept": float(intercept)}
        | {name: float(weight) for name, weight in zip(names, coef, strict=True)}
        for fit in trial.fits.values()
        for name, coef, intercept in zip(classes, np.atleast_2d(fit.coef), np.atleast_1d(fit.intercept), strict=True)
    ]


def digit_table(trial: Trial, chosen: Sequence[int]) -> list[dict[str, Any]]:
    """Return one row for each chosen test image: its true class and what every method gives the second class.

    Of more than two classes, the class that every method names and the probability that it gives it.
    """
    classes = trial.config.classes

    def said(fit: Fit, i: int) -> dict[str, Any]:
        if fit.proba.ndim == 1:
            return {f"proba_{fit.method}": float(fit.proba[i])}
        return {f"named_{fit.method}": classes[fit.named[i]], f"proba_{fit.method}": float(fit.proba[i].max())}

    return [
        {"image": int(i), "true_class": classes[trial.y[i]]}
        | {name: value for fit in trial.fits.values() for name, value in said(fit, i).items()}
        for i in chosen
    ]


def class_table(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Return one row for each method and class: how often it is found and rightly named, and what its images are
    named.
    """
    classes = trials[0].config.classes
    rows: list[dict[str, Any]] = []
    for method in dict.fromkeys(name for trial in trials for name in trial.fits):
        shares = confusion(trials, method)
        for c, mark in enumerate(class_marks(trials, method)):
            found, right = mark.recall, mark.precision
            rows.append(
                TRAINING[method].columns
                | {"class": classes[c], "recall": found.mean, "recall_low": found.low, "recall_high": found.high}
                | {"precision": right and right.mean, "precision_low": right and right.low}
                | {"precision_high": right and right.high}
                | {f"named_{name}": float(share) for name, share in zip(classes, shares[c], strict=True)}
            )
    return rows

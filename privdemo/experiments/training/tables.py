"""Trials as flat rows, for CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privdemo.experiments.training.fit import Trial
from privdemo.experiments.training.score import calibration
from privdemo.methods import CLEAN, TRAINING


def score_table(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """One row for each trial and method."""
    return [
        {
            "draw": trial.config.draw,
            **TRAINING[fit.method].columns,
            "accuracy": fit.accuracy,
            "log_loss": fit.log_loss,
            "brier": fit.brier,
            "angle_to_clean": fit.angle,
            "C": fit.C,
            "seconds": fit.seconds,
            "effective_samples": fit.effective_samples,
            "attack_from_label": trial.attack.label / trial.attack.n,
            "attack_from_image": trial.attack.image / trial.attack.n,
            "attack_from_both": trial.attack.both / trial.attack.n,
        }
        for trial in trials
        for fit in trial.fits.values()
    ]


def calibration_table(trials: Sequence[Trial], methods: Sequence[str]) -> list[dict[str, Any]]:
    """One row for each method and bin of its calibration curve."""
    return [
        TRAINING[method].columns
        | {"said": b.said, "true": b.true.mean, "low": b.true.low, "high": b.true.high, "n": b.n}
        for method in methods
        for b in calibration(trials, method)
    ]


def weight_table(trial: Trial) -> list[dict[str, Any]]:
    """One row for each method: its weight of every pixel or column."""
    source = trial.config.dataset
    names = [f"pixel_{j}" for j in range(len(trial.fits[CLEAN].coef))]
    if not isinstance(source, str):
        names = list(source.feature_names)
    return [
        TRAINING[fit.method].columns
        | {"intercept": fit.intercept}
        | {name: float(weight) for name, weight in zip(names, fit.coef, strict=True)}
        for fit in trial.fits.values()
    ]


def digit_table(trial: Trial, chosen: Sequence[int]) -> list[dict[str, Any]]:
    """One row for each chosen test image: its true class and what every method gives the second class."""
    return [
        {"image": int(i), "true_class": trial.config.classes[trial.y[i]]}
        | {f"proba_{fit.method}": float(fit.proba[i]) for fit in trial.fits.values()}
        for i in chosen
    ]

"""One draw: every method is trained on what was released, and tried on clean test images."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.estimators.pixel_priors import Prior
from privdemo.experiments.draws import generator
from privdemo.experiments.images import LabelMechanism
from privdemo.experiments.training.adversary import Attack, attack
from privdemo.experiments.training.config import TrainingConfig, TrainingNoise
from privdemo.experiments.training.release import ATTACK_STREAM, draw_release
from privdemo.methods import CLEAN, FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRUE

Array = NDArray[np.floating]

# The published EM: samples a person (the spike's and ours; section 6.1 took 2) and steps (those of section 6.1).
N_SAMPLES, N_STEPS = 10, 400
# Where no weight reaches this, for pixels from 0 to 1, a model says the same of every image.
NO_WEIGHT = 1e-3
# How each method is made: `ESTIMATORS[name](pixels, labels, true_prior)` is an estimator, not yet fitted.
Make = Callable[[TrainingNoise, LabelMechanism, Prior], SpreadLogisticRegression]


def _naive(pixels: TrainingNoise, labels: LabelMechanism, true_prior: Prior) -> NaiveLogisticRegression:
    return NaiveLogisticRegression(pixels, C="cv")


ESTIMATORS: dict[str, Make] = {
    CLEAN: _naive,
    NAIVE: _naive,
    RECONSTRUCTION: lambda pixels, labels, true: ReconstructionLogisticRegression(labels, pixels, C="cv"),
    SPREAD: lambda pixels, labels, true: SpreadLogisticRegression(labels, pixels, "learned", C="cv"),
    FLAT: lambda pixels, labels, true: SpreadLogisticRegression(labels, pixels, "flat", C="cv"),
    TRUE: lambda pixels, labels, true: SpreadLogisticRegression(labels, pixels, true, C="cv"),
    PUBLISHED: lambda pixels, labels, true: ImportanceSampledLogisticRegression(
        labels, pixels, "learned", n_samples=N_SAMPLES, n_steps=N_STEPS
    ),
}


@dataclass(frozen=True, eq=False)
class Fit:
    """One method on one draw. `proba` (n_test,) is its probability of the second class on every clean test image.

    `coef` (n_pixels,) and `intercept` are its weights for pixels on the scale 0 to 1, `angle` how many degrees `coef`
    is turned from the weights learnt on clean data, `C` the inverse strength of its penalty, `seconds` its training.
    `effective_samples` is the mean effective sample size a person where the method samples.
    """

    method: str
    proba: Array
    coef: Array
    intercept: float
    angle: float
    C: float
    seconds: float
    accuracy: float
    log_loss: float
    brier: float
    effective_samples: float | None


@dataclass(frozen=True, eq=False)
class Trial:
    """All methods on one draw; `y` (n_test,) are the true classes of the test images, 0 or 1."""

    config: TrainingConfig
    fits: dict[str, Fit]
    y: NDArray[np.integer]
    attack: Attack


def run(config: TrainingConfig) -> Trial:
    """Draw the people, release their data, train every method, and try each on clean test images.

    Raises ``ValueError`` for more people than the data set has, and where the noise leaves nothing to learn from.
    """
    X, y, X_noisy, y_noisy, X_test, y_test, true_prior = draw_release(config)
    models: dict[str, Any] = {}
    fits: dict[str, Fit] = {}
    for name in dict.fromkeys((CLEAN, *config.methods)):
        data = (X, y) if name == CLEAN else (X_noisy, y_noisy)
        start = time.perf_counter()
        models[name] = ESTIMATORS[name](config.pixels, config.labels, true_prior).fit(*data)
        seconds = time.perf_counter() - start
        fits[name] = score_model(name, models[name], X_test, y_test, models[CLEAN].coef_[0], seconds)
    adversary = models.get(SPREAD) or ESTIMATORS[SPREAD](config.pixels, config.labels, true_prior).fit(X_noisy, y_noisy)
    return Trial(config, fits, y_test, attack(config, adversary, X_test, y_test, generator(config, ATTACK_STREAM)))


def score_model(name: str, model: Any, X: NDArray, y: NDArray[np.integer], clean_coef: Array, seconds: float) -> Fit:
    """Score a fitted model on clean test images `X` (n_test, n_pixels) of classes `y` (n_test,)."""
    proba = model.predict_proba(X)[:, 1]
    coef = model.coef_[0]
    lengths = float(np.linalg.norm(coef) * np.linalg.norm(clean_coef))
    return Fit(
        method=name,
        proba=proba,
        coef=coef,
        intercept=float(model.intercept_[0]),
        angle=math.degrees(math.acos(np.clip(coef @ clean_coef / lengths, -1, 1))) if lengths else 90.0,
        C=model.C_,
        seconds=seconds,
        accuracy=float(accuracy_score(y, proba > 0.5)),
        log_loss=float(log_loss(y, proba)),
        brier=float(brier_score_loss(y, proba)),
        effective_samples=float(np.mean(model.effective_sample_size_)) if name == PUBLISHED else None,
    )

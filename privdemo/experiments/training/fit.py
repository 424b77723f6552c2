"""One trial: every method is trained on the releases, and scored on clean test images."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo.estimators import choose
from privdemo.estimators.choose import ChosenLogisticRegression
from privdemo.estimators.class_model import SpreadClassModel
from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.estimators.pixel_priors import Prior
from privdemo.experiments.images import LabelMechanism
from privdemo.experiments.training.adversary import Attack, attack
from privdemo.experiments.training.config import TrainingConfig, TrainingNoise
from privdemo.experiments.training.release import ATTACK_STREAM, sample_release
from privdemo.experiments.trials import generator
from privdemo.methods import CHOSEN, CLASSES, CLEAN, FLAT, LOW_RANK, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRUE

Array = NDArray[np.floating]

# The published EM: samples a person (the spike's and ours; section 6.1 took 2) and steps (those of section 6.1).
N_SAMPLES, N_STEPS = 10, 400
# The methods that a choosing one may take, by the names that they have there.
_CANDIDATES = {choose.CLASSES: CLASSES, choose.LOW_RANK: LOW_RANK}
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
    LOW_RANK: lambda pixels, labels, true: SpreadLogisticRegression(labels, pixels, "low rank", C="cv"),
    CLASSES: lambda pixels, labels, true: SpreadClassModel(labels, pixels),
    CHOSEN: lambda pixels, labels, true: ChosenLogisticRegression(labels, pixels),
    TRUE: lambda pixels, labels, true: SpreadLogisticRegression(labels, pixels, true, C="cv"),
    PUBLISHED: lambda pixels, labels, true: ImportanceSampledLogisticRegression(
        labels, pixels, "learned", n_samples=N_SAMPLES, n_steps=N_STEPS
    ),
}


@dataclass(frozen=True, eq=False)
class Fit:
    """One method on one trial. `proba` is its probability of the second of two classes on every clean test image,
    (n_test,), or of each of K > 2 classes, (n_test, K).

    `coef` and `intercept` are its weights for pixels on the scale 0 to 1: (n_pixels,) and a number of two classes, else
    (K, n_pixels) and (K,), of which only differences between classes count. `angle` is the angle in degrees between
    `coef` and the weights fitted to clean data (of K classes, all their weights as one vector), `C` the inverse
    strength of its penalty, `seconds` its training. `brier` is half the squared distance of the probabilities from the
    truth, so that it lies in [0, 1] for any number of classes. `effective_samples` is the mean effective sample size a
    person where the method samples. `chosen` and `why` are what a choosing method has chosen, and why, as in
    `estimators.choose.Choice`.
    """

    method: str
    proba: Array
    coef: Array
    intercept: float | Array
    angle: float
    C: float
    seconds: float
    accuracy: float
    log_loss: float
    brier: float
    effective_samples: float | None
    chosen: str = ""
    why: str = ""

    @property
    def class_proba(self) -> Array:
        """The probability of every class on every test image, (n_test, K)."""
        return self.proba if self.proba.ndim == 2 else np.stack([1 - self.proba, self.proba], axis=1)

    @property
    def named(self) -> NDArray[np.integer]:
        """The class that is given to every test image, (n_test,)."""
        return self.proba.argmax(axis=1) if self.proba.ndim == 2 else (self.proba > 0.5).astype(int)


@dataclass(frozen=True, eq=False)
class Trial:
    """All methods on one trial; `y` (n_test,) are the true classes of the test images, 0 … K−1."""

    config: TrainingConfig
    fits: dict[str, Fit]
    y: NDArray[np.integer]
    attack: Attack


def run(config: TrainingConfig) -> Trial:
    """Sample the people, release their data, train every method, and try each on clean test images.

    Raises ``ValueError`` for more people than the data set has, and where the noise leaves nothing to learn from.
    """
    X, y, X_noisy, y_noisy, X_test, y_test, true_prior = sample_release(config)
    models: dict[str, Any] = {}
    seconds: dict[str, float] = {}
    names = tuple(dict.fromkeys((CLEAN, *config.methods)))
    for name in sorted(names, key=lambda name: name != CHOSEN):  # it makes two of the others
        if name in models:
            continue
        data = (X, y) if name == CLEAN else (X_noisy, y_noisy)
        start = time.perf_counter()
        models[name] = ESTIMATORS[name](config.pixels, config.labels, true_prior).fit(*data)
        seconds[name] = time.perf_counter() - start
        if name == CHOSEN:
            models |= {_CANDIDATES[tried]: fit for tried, fit in models[name].fits_.items()}
            seconds |= {_CANDIDATES[tried]: took for tried, took in models[name].seconds_.items()}
    clean = models[CLEAN].coef_
    fits = {name: score_model(name, models[name], X_test, y_test, clean, seconds[name]) for name in names}
    adversary = models.get(SPREAD) or ESTIMATORS[SPREAD](config.pixels, config.labels, true_prior).fit(X_noisy, y_noisy)
    return Trial(config, fits, y_test, attack(config, adversary, X_test, y_test, generator(config, ATTACK_STREAM)))


def score_model(name: str, model: Any, X: NDArray, y: NDArray[np.integer], clean_coef: Array, seconds: float) -> Fit:
    """Score a fitted model on clean test images `X` (n_test, n_pixels) of classes `y` (n_test,).

    `clean_coef` are the `coef_` of the model of clean data.
    """
    proba = model.predict_proba(X)
    two = proba.shape[1] == 2
    given = proba[:, 1] if two else proba
    named = given > 0.5 if two else proba.argmax(axis=1)
    labels = np.arange(proba.shape[1])
    return Fit(
        method=name,
        proba=given,
        coef=model.coef_[0] if two else model.coef_,
        intercept=float(model.intercept_[0]) if two else model.intercept_,
        angle=_angle(model.coef_.ravel(), clean_coef.ravel()),
        C=model.C_,
        seconds=seconds,
        accuracy=float(accuracy_score(y, named)),
        log_loss=float(log_loss(y, given, labels=labels)),
        brier=float(brier_score_loss(y, given, labels=labels, scale_by_half=True)),
        effective_samples=float(np.mean(model.effective_sample_size_)) if name == PUBLISHED else None,
        **choose.choice_of(model),
    )


def _angle(coef: Array, other: Array) -> float:
    """Return the degrees between two vectors of weights; 90 where one has no direction."""
    lengths = float(np.linalg.norm(coef) * np.linalg.norm(other))
    return math.degrees(math.acos(np.clip(coef @ other / lengths, -1, 1))) if lengths else 90.0

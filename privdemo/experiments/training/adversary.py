"""An adversary names true labels from fresh releases: from the label, the image, and both together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from privdemo import limits
from privdemo.experiments.images import LabelMechanism
from privdemo.experiments.training.config import TrainingConfig


@dataclass(frozen=True)
class Attack:
    """Of `n` fresh releases, how many true labels an adversary names from each source: see `attack`."""

    n: int
    label: int
    image: int
    both: int


def attack(config: TrainingConfig, model: Any, X: NDArray, y: NDArray[np.integer], rng: np.random.Generator) -> Attack:
    """Name the labels of fresh releases of `X` (n, n_pixels) and `y` (n,), of people who are not in the training set.

    The adversary knows both channels and has `model`, trained on other releases. The likelier class is named from the
    label alone, from the image alone (attack b) and from both together.

    A penalised model is underconfident on noisy images, so that the label would outweigh it. Before both are combined,
    the images' log-odds are scaled by the factor under which the released labels are likeliest.
    """
    X_noisy, y_noisy = config.pixels.randomise(X, rng), config.labels.randomise(y, rng)
    image, rows = model.released_proba(X_noisy), config.labels.channel_matrix[y_noisy]
    both = _scale_log_odds(image, best_stretch(image, rows)) * rows
    label = config.labels.channel_matrix.argmax(axis=1)[y_noisy]
    right = [int((guess == y).sum()) for guess in (label, image.argmax(axis=1), both.argmax(axis=1))]
    return Attack(len(y), *right)


def best_stretch(proba: NDArray, rows: NDArray) -> float:
    """Return the factor on the log-odds of `proba` (n, K), from 1/20 to 20, that makes released labels likeliest.

    `rows` (n, K) are T[released label, class] of every person.
    """

    def surprise(log_factor: float) -> float:
        likelihoods = (_scale_log_odds(proba, math.exp(log_factor)) * rows).sum(axis=1)
        return -float(np.log(np.maximum(likelihoods, np.finfo(float).tiny)).sum())

    reach = math.log(20)
    return math.exp(minimize_scalar(surprise, bounds=(-reach, reach), method="bounded").x)


def _scale_log_odds(proba: NDArray, factor: float) -> NDArray:
    """Return probabilities (n, K) whose log-odds are `factor` times those of `proba`."""
    logs = factor * np.log(np.maximum(proba, np.finfo(float).tiny))
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def best_guess(labels: LabelMechanism) -> float:
    """Return how often the best guess from the released label alone is right, where all classes are equally common."""
    return float(labels.channel_matrix.max(axis=1).sum() / labels.n_states)


def equivalent_epsilon(accuracy: float, n_classes: int = 2) -> float:
    """Return the ε of randomised response on K classes right as often: |ln((K − 1) a / (1 − a))|, ∞ for a = 0 and 1.

    Raises ``ValueError`` for an accuracy a outside [0, 1].
    """
    limits.SHARE.check(accuracy)
    return abs(math.log((n_classes - 1) * accuracy / (1 - accuracy))) if 0 < accuracy < 1 else math.inf

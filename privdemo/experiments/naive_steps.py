"""Training without a penalty that ignores the noise, by the gradient steps of section 6.1, as Barber published it.

The trials of `STUDY` are those of the study "figure3", whose published EM has no penalty either; those of `CLEAN_STUDY`
are the people of the study "section6.1", without any noise. The results are two small CSV files;
`python -m privdemo reproduce figure3-steps` and `section6.1-steps` compute them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.metrics import accuracy_score, log_loss

from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.experiments.training import study
from privdemo.experiments.training.config import TrainingConfig
from privdemo.experiments.training.release import sample_release
from privdemo.experiments.trials import with_trial
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms import RandomisedResponse

NAME = "figure3-steps"
# The setting that section 6.1 gives.
N_STEPS, RATE = 400, 0.2


@dataclass(frozen=True)
class Row:
    """Ignoring the noise on one trial at one level of it."""

    level: float
    trial: int
    accuracy: float
    log_loss: float


def unpenalised(n_pixel_values: int) -> ImportanceSampledLogisticRegression:
    """Return logistic regression by gradient steps from 0, on what was released as it is.

    It is the published EM for a channel without noise: its one sample of the truth is the release, its weight is 1, and
    what remains of a step is that along the mean gradient.
    """
    return ImportanceSampledLogisticRegression(
        RandomisedResponse(0.0, 2),
        RandomisedResponse(0.0, n_pixel_values),
        "flat",
        C=np.inf,  # no penalty
        n_samples=1,
        n_steps=N_STEPS,
        learning_rate=RATE,
        resample=False,
    )


def run(config: TrainingConfig) -> tuple[float, float]:
    """Return accuracy and log loss on the clean test images of a trial under randomised response."""
    assert isinstance(config.pixels, RandomisedResponse)
    release = sample_release(config)
    model = unpenalised(config.pixels.n_states).fit(release.X_noisy, release.y_noisy)
    proba = model.predict_proba(release.X_test)[:, 1]
    return float(accuracy_score(release.y_test, proba > 0.5)), float(log_loss(release.y_test, proba))


def run_trial(level: float, trial: int) -> list[Row]:
    """Run one trial at one level."""
    return [Row(level, trial, *run(with_trial(study.STUDIES["figure3"].config(level), trial)))]


def run_clean_trial(trial: int) -> list[Row]:
    """Run one trial of section 6.1 on data without noise."""
    n_train = study.STUDIES["section6.1"].config(0.1).n_train
    clean = TrainingConfig(n_train=n_train, pixels=RandomisedResponse(0.0, 256), labels=RandomisedResponse(0.0, 2))
    return [Row(0.0, trial, *run(with_trial(clean, trial)))]


def leads(rows: Sequence[study.Row], method: str, by_steps: Sequence[Row]) -> dict[float, Estimate]:
    """Return how much more accurate `method` of "figure3" is on the same trials, at every level, with 95 %
    intervals.
    """
    there = {(row.level, row.trial): row.accuracy for row in rows if row.method == method}
    levels = group(by_steps, lambda row: row.level)
    return {
        level: mean_interval([there[level, row.trial] - row.accuracy for row in levels[level]])
        for level in sorted(levels)
    }


def means(rows: Sequence[Row]) -> dict[float, tuple[float, float]]:
    """Return the mean accuracy and log loss at every level."""
    return {
        level: (float(np.mean([row.accuracy for row in here])), float(np.mean([row.log_loss for row in here])))
        for level, here in sorted(group(rows, lambda row: row.level).items())
    }


def report(title: str, rows: Sequence[Row]) -> list[str]:
    """Return a title, and accuracy and log loss at every level of noise."""
    return [title, *(f"{level:5g}  {right:.3f}  {loss:.3f}" for level, (right, loss) in means(rows).items())]


_TITLE = "Ignoring the noise without a penalty, by gradient steps (Barber, figure 3 as published): 250 + 250 people"
_CLEAN_TITLE = "No noise and no penalty, by gradient steps (Barber, section 6.1): 4,500 + 4,500 people"
STUDY = ShippedStudy(
    NAME,
    _TITLE,
    lambda: [(level,) for level in study.STUDIES["figure3"].levels],
    run_trial,
    Row,
    list,
    partial(report, _TITLE),
    needs="MNIST",
)
CLEAN_STUDY = ShippedStudy(
    "section6.1-steps",
    _CLEAN_TITLE,
    lambda: [()],
    run_clean_trial,
    Row,
    list,
    partial(report, _CLEAN_TITLE),
    needs="MNIST",
)
load = STUDY.load

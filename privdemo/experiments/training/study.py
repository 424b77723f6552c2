"""The cost of noise to a classifier over many trials: the paper's figure 3 and section 6.1, and asymmetric lies.

The results are shipped as small CSV files; `python -m privdemo reproduce NAME` computes them again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.experiments.training.config import TrainingConfig, with_methods
from privdemo.experiments.training.fit import run
from privdemo.experiments.trials import with_trial
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import (
    CHOSEN,
    CLASSES,
    CLEAN,
    FLAT,
    LOW_RANK,
    NAIVE,
    PUBLISHED,
    RECONSTRUCTION,
    SPREAD,
    TRAINING,
    TRUE,
)

# An accuracy below this, of two classes as common as each other, is no skill.
NO_SKILL = 0.55


@dataclass(frozen=True)
class Study:
    """A study at several levels of noise: every one of `methods` is run on `config(level)`.

    `published[method][level]` is an accuracy that the paper prints; `in_paper` is whether the setting is in the paper.
    """

    name: str
    title: str
    axis: str
    levels: tuple[float, ...]
    config: Callable[[float], TrainingConfig]
    methods: tuple[str, ...]
    published: dict[str, dict[float, float]]
    in_paper: bool = True


_FIGURE3_AXIS = "chance that each pixel, and each label, is changed"


def _figure3(p: float) -> TrainingConfig:
    return TrainingConfig(pixels=RandomisedResponse(p, 256), labels=RandomisedResponse(p, 2))


def _section61(variance: float) -> TrainingConfig:
    return TrainingConfig(n_train=4500, pixels=GaussianNoise(math.sqrt(variance)), labels=RandomisedResponse(0.2, 2))


def _pair(first: str, second: str) -> Study:
    """Return figure 3 at two levels with other digits, which are harder or easier to distinguish."""
    return Study(
        f"pair-{first}v{second}",
        f"Digits {first} and {second}: randomised response on pixels and labels, 250 + 250 people",
        _FIGURE3_AXIS,
        (0.2, 0.4),
        lambda p: replace(_figure3(p), classes=(first, second)),
        (CLEAN, NAIVE, SPREAD, LOW_RANK, CLASSES, CHOSEN),
        {},
        in_paper=False,
    )


def _asymmetric(p01: float) -> TrainingConfig:
    return TrainingConfig(pixels=RandomisedResponse(0.2, 256), labels=BinaryChannel(0.1, p01))


STUDIES = {
    study.name: study
    for study in (
        Study(
            "figure3",
            "Randomised response on pixels and labels (Barber, figure 3): 250 + 250 people",
            _FIGURE3_AXIS,
            (0.1, 0.2, 0.3, 0.4),
            _figure3,
            tuple(TRAINING),
            {},
        ),
        Study(
            "section6.1",
            "Gaussian noise on pixels, label flips 0.2 (Barber, section 6.1): 4,500 + 4,500 people",
            "variance σ² of the noise on every pixel",
            (0.1, 0.25, 0.5, 1.0),
            _section61,
            (CLEAN, NAIVE, SPREAD, FLAT, LOW_RANK, CLASSES, CHOSEN, TRUE),
            {CLEAN: {0.1: 0.957, 0.5: 0.957}, FLAT: {0.1: 0.944, 0.5: 0.93}},
        ),
        Study(
            "asymmetric",
            "Lies that differ: 7s lie with 0.1, 9s more and more, pixels with 0.2; 250 + 250 people",
            "share of the 9s sent as 7",
            (0.1, 0.2, 0.3, 0.4, 0.5),
            _asymmetric,
            (CLEAN, NAIVE, RECONSTRUCTION, SPREAD),
            {},
            in_paper=False,
        ),
        _pair("3", "5"),
        _pair("4", "9"),
        _pair("1", "7"),
    )
}


@dataclass(frozen=True)
class Row:
    """One method on one trial at one level of noise."""

    level: float
    trial: int
    method: str
    accuracy: float
    log_loss: float
    brier: float
    angle: float
    C: float
    attack_image: float


@dataclass(frozen=True)
class Point:
    """A method at a level of noise: means over `n_trials` trials with 95 % intervals."""

    level: float
    accuracy: Estimate
    log_loss: Estimate
    n_trials: int


def run_trial(study: str, level: float, methods: tuple[str, ...], trial: int) -> list[Row]:
    """Return some methods on one trial at one level."""
    done = run(with_trial(with_methods(STUDIES[study].config(level), methods), trial))
    return [
        Row(
            level,
            trial,
            name,
            fit.accuracy,
            fit.log_loss,
            fit.brier,
            fit.angle,
            fit.C,
            done.attack.image / done.attack.n,
        )
        for name in methods
        for fit in (done.fits[name],)
    ]


def settings(study: Study) -> list[tuple[str, float, tuple[str, ...]]]:
    """Return the settings of a study: levels and methods, the slow one first, so that it is not left at the end."""
    slow = tuple(name for name in study.methods if name == PUBLISHED)
    quick = tuple(name for name in study.methods if name != PUBLISHED)
    return [(study.name, level, methods) for methods in (slow, quick) if methods for level in study.levels]


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Return rows in the order of level, method and trial."""
    order = list(TRAINING)
    return sorted(rows, key=lambda row: (row.level, order.index(row.method), row.trial))


def points(rows: Sequence[Row]) -> dict[str, tuple[Point, ...]]:
    """Return every method's curve."""
    return {
        method: tuple(
            Point(
                level,
                mean_interval([row.accuracy for row in here]),
                mean_interval([row.log_loss for row in here]),
                len(here),
            )
            for level, here in sorted(group(of_method, lambda row: row.level).items())
        )
        for method, of_method in group(rows, lambda row: row.method).items()
    }


def collapsed(rows: tuple[Row, ...], method: str) -> list[float]:
    """Return the levels at which some trial left `method` without skill, naming one class for nearly everything."""
    return sorted({row.level for row in rows if row.method == method and row.accuracy < NO_SKILL})


def compare(rows: tuple[Row, ...], method: str, other: str, metric: str) -> dict[float, Estimate]:
    """Return `method`'s mean score less `other`'s on the trials that both have, at every level, with 95 % intervals."""
    scores = {(row.level, row.trial, row.method): getattr(row, metric) for row in rows}
    gaps: dict[float, list[float]] = {}
    for (level, trial, name), score in sorted(scores.items()):
        if name == method and (level, trial, other) in scores:
            gaps.setdefault(level, []).append(score - scores[level, trial, other])
    return {level: mean_interval(values) for level, values in gaps.items()}


def report(study: Study, rows: Sequence[Row]) -> list[str]:
    """Return accuracy and log loss of every method at every level of a study."""
    lines = [study.title, f"{study.axis}: accuracy, log loss (mean and 95 % interval), published accuracy"]
    for method, curve in points(rows).items():
        for point in curve:
            published = study.published.get(method, {}).get(point.level)
            lines.append(
                f"{point.level:5g}  {method:14s}  {point.accuracy:.3f}  {point.log_loss:.3f}"
                + (f"  {published:.3f}" if published else "")
            )
    return lines


SHIPPED = {
    study.name: ShippedStudy(
        study.name,
        study.title,
        partial(settings, study),
        run_trial,
        Row,
        in_order,
        partial(report, study),
        needs="MNIST",
    )
    for study in STUDIES.values()
}


def load(name: str) -> tuple[Row, ...]:
    """Return the shipped rows of a study."""
    return SHIPPED[name].load()

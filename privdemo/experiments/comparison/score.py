"""Every method on the people of one trial, with its scores."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo.experiments.comparison.config import RANGES, SHARE, ComparisonConfig
from privdemo.experiments.comparison.fit import SOLVERS
from privdemo.experiments.comparison.release import People, sample_people
from privdemo.intervals import Estimate, mean_interval


@dataclass(frozen=True)
class Fit:
    """One method on one trial.

    Args:
        method: The method's name.
        marks: Its score by each metric; none if there is a `problem`.
        seconds: The time to learn and answer.
        problem: Why there is no answer, if so.
        settled: Whether its optimiser converged; the scores count in both cases.
        chosen: What a method that chooses has chosen, as in `estimators.choose.Choice`.
        why: Why it has chosen that.
    """

    method: str
    marks: dict[str, float]
    seconds: float
    problem: str = ""
    settled: bool = True
    chosen: str = ""
    why: str = ""


@dataclass(frozen=True)
class Trial:
    """All methods on the people of one trial."""

    config: ComparisonConfig
    fits: dict[str, Fit]


def run(config: ComparisonConfig) -> Trial:
    """Sample the people, release their data in every way, and fit and score every method.

    A method whose noise cannot meet (ε, δ), or that has nothing to learn from, has a `problem` instead of marks. Raises
    ``ValueError`` for more people than the data set has.
    """
    people = sample_people(config)
    return Trial(config, {name: score_model(name, people) for name in config.chosen})


def score_model(name: str, people: People) -> Fit:
    """Fit a method, and score its answer."""
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            found, choice = SOLVERS[name][people.config.task](people)
    except ValueError as error:
        return Fit(name, {}, time.perf_counter() - start, str(error))
    seconds = time.perf_counter() - start
    converged = not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    if people.config.task == SHARE:
        return Fit(name, {"error": abs(found - people.share)}, seconds, settled=converged)
    y = people.y_test
    marks = {
        "accuracy": accuracy_score(y, found > 0.5),
        "log_loss": log_loss(y, found, labels=[0, 1]),
        "brier": brier_score_loss(y, found),
    }
    return Fit(name, {metric: float(mark) for metric, mark in marks.items()}, seconds, settled=converged, **choice)


def mean_mark(trials: Sequence[Trial], method: str, metric: str) -> Estimate | None:
    """Return a method's mean mark with a 95 % interval over trials; None if fewer than two trials have one."""
    values = [fit.marks[metric] for trial in trials if (fit := trial.fits.get(method)) and not fit.problem]
    return mean_interval(values, *RANGES[metric]) if len(values) > 1 else None

"""Trials that come with the package: those of the questions on which the app's pages open, which are shown without
waiting.

They are exactly the trials that `run` makes; only the seconds of a training are those of the computer that made the
file. `python -m privdemo reproduce defaults` makes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from privdemo.experiments import class_ratio, comparison, label_proportions, packed, results, training
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.class_ratio.adversary import Attack as RatioAttack
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.label_proportions import BagConfig
from privdemo.experiments.shipped_study import ShippedStudy, group
from privdemo.experiments.sweep import EXPERIMENTS
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.trials import with_trial
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import COUNT, CURVES_FIRST, EM, FULL, LABELLED, LLP, MEAN_MAP, MMD, NAMES, SPREAD, TRAINED_FIRST

NAME = "defaults"
# The chances of change of a pixel at which one trial is shipped, beside the ten at 0.2, where the page on training
# opens.
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
# The function that runs each kind of config.
_RUNS: dict[type, Callable[[Any], Any]] = {experiment.config: experiment.run for experiment in EXPERIMENTS.values()}
# The classes of the results.
_KINDS = (
    *(training.Trial, training.Fit, training.Attack),
    *(label_proportions.Trial, label_proportions.Fit, label_proportions.F1),
    *(label_proportions.Attack, label_proportions.Guess),
    *(class_ratio.Trial, class_ratio.Fit, RatioAttack),
    *(comparison.Trial, comparison.Fit),
)


def questions() -> list[Any]:
    """Return the config of the first trial of every question on which a page opens.

    First those with MNIST and Adult here, then those of a computer that has only scikit-learn's data sets, where the
    comparison plots its curves along ε as well. With MNIST the comparison opens on rows that its study ships.
    """
    bags = (FULL, LABELLED, NAMES, LLP, MEAN_MAP)
    ratios: dict[str, Any] = {"n_classes": 2, "rho": 0.3, "share": 0.1, "methods": (SPREAD, MMD, COUNT, EM)}
    n_bags, bag_size = label_proportions.default_bags("breast_cancer")
    compared = ComparisonConfig(dataset="breast_cancer", n_train=142)
    compared = replace(compared, methods=tuple(name for name in compared.chosen if name in CURVES_FIRST))
    return [
        TrainingConfig(methods=TRAINED_FIRST),
        BagConfig(methods=bags),
        RatioConfig("adult", set_size=100, n_test=600, **ratios),
        TrainingConfig("digits", n_train=120, pixels=RandomisedResponse(0.2, 17), methods=TRAINED_FIRST),
        BagConfig("breast_cancer", n_bags, bag_size, methods=bags),
        RatioConfig("digits", set_size=60, n_test=120, **ratios),
        *(replace(compared, epsilon=epsilon) for epsilon in comparison.study.EPSILONS),
    ]


def nearby() -> list[TrainingConfig]:
    """Return the configs at `LEVELS` of noise around the questions of the page on training.

    The first trial of each is shown until those of a visitor's own level are there.
    """
    defaults = [config for config in questions() if isinstance(config, TrainingConfig)]
    return [at_level(config, level) for config in defaults for level in LEVELS]


def at_level(config: TrainingConfig, level: float) -> TrainingConfig:
    """Return a config of randomised response whose pixels change with another probability."""
    assert isinstance(config.pixels, RandomisedResponse)
    return replace(config, pixels=RandomisedResponse(level, config.pixels.n_states))


def run_trial(config: Any, trial: int) -> list[Any]:
    """Return one trial."""
    return [_RUNS[type(config)](with_trial(config, trial))]


def report(trials: Sequence[Any]) -> list[str]:
    """Return the first mark of every method in every question on which a page opens."""
    lines = [STUDY.title, "mean and 95 % interval of accuracy, F1 or L1 error, whichever the page shows first"]
    for config, made in group(trials, lambda one: with_trial(one.config, 0)).items():
        along = f", ε {config.epsilon:g}" if isinstance(config, ComparisonConfig) else ""
        lines.append(f"{type(config).__name__}, {config.dataset}{along}, {len(made)} trials")
        lines += [f"  {name:20s}  {_first_mark(made, name):.3f}" for name in made[0].fits]
    return lines


def _first_mark(trials: Sequence[Any], method: str) -> Estimate:
    """Return the mark of a method that its page shows first."""
    if isinstance(trials[0], training.Trial):
        return training.mean_score(trials, method, "accuracy")
    if isinstance(trials[0], label_proportions.Trial):
        return label_proportions.mean_score(trials, method, "average", label_proportions.SHARE)
    if isinstance(trials[0], class_ratio.Trial):
        return class_ratio.mean_error(trials, method)
    return mean_interval([trial.fits[method].marks["accuracy"] for trial in trials], 0.0, 1.0)


class _TrialStudy(ShippedStudy[Any]):
    """A study whose rows are whole trials, in a packed file instead of a CSV file."""

    suffix = "npz"

    def trials(self, n_trials: int = results.N_TRIALS) -> list[tuple[Any, ...]]:
        return [*super().trials(n_trials), *((config, 0) for config in nearby())]

    def to_file(self, rows: Sequence[Any]) -> bytes:
        by_question = {repr(one.config): replace(one, config=None) for one in rows}
        return packed.pack(by_question, _KINDS, results.versions())

    def is_own(self, file: Path) -> bool:
        return packed.is_packed(file)


STUDY = _TrialStudy(
    NAME,
    "The trials that pages open on",
    lambda: [(config,) for config in questions()],
    run_trial,
    object,
    list,
    report,
    needs="MNIST and Adult",
)


class Shipped:
    """Trials by function and config."""

    def __init__(self, by_question: dict[str, Any]) -> None:
        self._made = by_question

    def find(self, run: Callable[[Any], Any], config: Any) -> Any:
        """Return what `run(config)` returns, if it is here, else None; always the same object."""
        if _RUNS.get(type(config)) is not run:
            return None
        one = self._made.get(repr(config))
        if one is not None and one.config is None:
            one = self._made[repr(config)] = replace(one, config=config)
        return one


def load(file: Path | None = None) -> Shipped:
    """Return the trials of a results file, by default those that come with the package.

    Raises ``ValueError`` for a file that is missing, damaged or of another version.
    """
    file = file or STUDY.file
    try:
        return Shipped(packed.unpack(file.read_bytes(), _KINDS))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file.name} cannot be used: {error}; python -m privdemo reproduce {NAME} mends it") from None

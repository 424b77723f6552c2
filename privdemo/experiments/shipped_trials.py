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

from threadpoolctl import threadpool_limits

from privdemo.experiments import class_ratio, comparison, label_proportions, packed, results, training
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.class_ratio.adversary import Attack as RatioAttack
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.label_proportions import BagConfig
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.trials import with_trial
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import CURVES_FIRST, EM, FULL, LABELLED, LLP, MEAN_MAP, MMD, NAMES, SPREAD, TRAINED_FIRST

NAME = "defaults"
TITLE = "The draws that pages open on"
# The function that runs each kind of config.
_RUNS: dict[type, Callable[[Any], Any]] = {
    TrainingConfig: training.run,
    BagConfig: label_proportions.run,
    RatioConfig: class_ratio.run,
    ComparisonConfig: comparison.run,
}
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
    bags, ratios = (FULL, LABELLED, NAMES, LLP, MEAN_MAP), (SPREAD, MMD, EM)
    n_bags, bag_size = label_proportions.default_bags("breast_cancer")
    set_size = class_ratio.default_set_size("digits")
    compared = ComparisonConfig(dataset="breast_cancer", n_train=142)
    compared = replace(compared, methods=tuple(name for name in compared.chosen if name in CURVES_FIRST))
    return [
        TrainingConfig(methods=TRAINED_FIRST),
        BagConfig(methods=bags),
        RatioConfig(methods=ratios),
        TrainingConfig("digits", n_train=120, pixels=RandomisedResponse(0.2, 17), methods=TRAINED_FIRST),
        BagConfig("breast_cancer", n_bags, bag_size, methods=bags),
        RatioConfig("digits", set_size=set_size, n_test=set_size, methods=ratios),
        *(replace(compared, epsilon=epsilon) for epsilon in comparison.study.EPSILONS),
    ]


def trial_arguments(n_trials: int = results.N_TRIALS) -> list[tuple[Any]]:
    """Return the arguments of every trial."""
    return [(with_trial(config, trial),) for config in questions() for trial in range(n_trials)]


def run_trial(config: Any) -> list[Any]:
    """Return one trial; always in one thread, for the same numbers everywhere."""
    with threadpool_limits(1, user_api="blas"):
        return [_RUNS[type(config)](config)]


def to_file(made: Sequence[Any]) -> bytes:
    """Return trials as the content of a results file: by config, in the order of `questions`."""
    order = [replace(config, trial=0) for config in questions()]
    placed = sorted(made, key=lambda one: (order.index(replace(one.config, trial=0)), one.config.trial))
    by_question = {repr(one.config): replace(one, config=None) for one in placed}
    return packed.pack(by_question, _KINDS, results.versions())


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
    file = file or results.shipped(NAME, "npz")
    try:
        return Shipped(packed.unpack(file.read_bytes(), _KINDS))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file.name} cannot be used: {error}; python -m privdemo reproduce {NAME} mends it") from None

"""The experiments that can be swept: how a config is written in a file, how it is run, and its metrics."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from privdemo import limits
from privdemo.disobedience.defences import CONSISTENT, NONE, RECOVERED, TARGETS_KNOWN
from privdemo.experiments import (
    class_ratio,
    comparison,
    images,
    label_counts,
    label_proportions,
    many_answers,
    training,
    voting,
)
from privdemo.experiments.images import LabelMechanism
from privdemo.experiments.label_counts import CountConfig, Outcome
from privdemo.experiments.sweep import forms
from privdemo.experiments.sweep.forms import Form
from privdemo.mechanisms import PixelMechanism, RandomisedResponse
from privdemo.mechanisms.pixels import family_of, level_of
from privdemo.methods import HONEST, INVERTED, RAW_SPREAD, SHARES_OF_ANSWERS


@dataclass(frozen=True)
class Experiment:
    """An experiment that can be swept.

    `config` is the class of its configs, and `forms` convert fields that are no plain TOML
    values. `run(config)` gives its result. `metrics(result)` are the result's numbers by name; `names(config)` are
    these names, known before the run, except those that its settings do not give, `lacks(config, name)`.
    `problem(result)` is why some numbers are missing; if none is, it is empty or a remark on methods.
    """

    title: str
    config: type
    run: Callable[[Any], Any]
    names: Callable[[Any], list[str]]
    metrics: Callable[[Any], dict[str, float]]
    problem: Callable[[Any], str] = lambda result: ""
    remark: str = ""
    lacks: Callable[[Any, str], bool] = lambda config, name: False
    forms: Mapping[str, Form] = field(default_factory=dict)

    def given(self, config: Any) -> list[str]:
        """Return the names of the numbers that a trial of `config` has."""
        return [name for name in self.names(config) if not self.lacks(config, name)]

    def is_remark(self, problem: str) -> bool:
        """Return whether a problem is only a remark: all methods that it names have all their numbers."""
        return bool(self.remark) and all(said.endswith(f": {self.remark}") for said in problem.split("; "))

    def make(self, given: Mapping[str, Any]) -> Any:
        """Return the config of the plain values of a file; what is not given is as in the package."""
        known = {name: forms.as_tuples(value) for name, value in given.items()}
        if "pixels" in self.forms and known.get("dataset", "mnist") != "mnist":
            known.setdefault(
                "pixels", 0.2
            )  # the flip probability of the default, with as many grey levels as this data set has
        if "labels" in self.forms and len(known.get("classes", ())) > 2:
            known.setdefault("labels", 0.2)  # the flip probability of the default, with this many classes
        return self.config(
            **{
                name: self.forms[name].read(value, known) if name in self.forms else value
                for name, value in known.items()
            }
        )

    def plain_values(self, config: Any) -> dict[str, Any]:
        """Return the plain values from which `make` makes `config`; without the number of its trial.

        Raises ``ValueError`` for a visitor's own records, which no file of settings can hold.
        """
        return forms.plain_fields(config, self.forms)


_IMAGE_METRICS = ("changed pixels", "pixel error", "squared pixel error", "senders found", "labels found")


@dataclass(frozen=True)
class ImagesConfig:
    """`n_people` people of `classes` who release an image and a label, and `n_candidates` who may have sent one."""

    dataset: str = "mnist"
    classes: tuple[str, ...] = ("7", "9")
    pixels: PixelMechanism = field(default=RandomisedResponse(0.2, 256))
    labels: LabelMechanism = field(default=RandomisedResponse(0.2, 2))
    n_people: int = 2000
    n_candidates: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        _ = self.release, self.linking  # which check every value

    @property
    def release(self) -> images.Config:
        """Who releases what."""
        return images.Config(self.dataset, self.classes, self.pixels, self.labels, 1, self.n_people, self.seed)

    @property
    def linking(self) -> images.CurveConfig:
        """Who may have sent an image."""
        family = family_of(self.pixels).name
        return images.CurveConfig(self.dataset, self.classes, family, self.n_candidates, self.seed)


def _run_images(config: ImagesConfig) -> dict[str, float]:
    """Return how much of an image changes, and how often an adversary finds its sender or its label, in the
    order of `_IMAGE_METRICS`.
    """
    result = images.run(config.release)
    point = images.measure(config.linking, level_of(config.pixels))
    linked, labels = point.linked.mean, result.label_guess.mean
    found = (result.changed_pixels, point.absolute.mean, point.squared.mean, linked, labels)
    return dict(zip(_IMAGE_METRICS, found, strict=True))


def _by_method(methods: Iterable[str], marks: Iterable[str]) -> list[str]:
    return [f"{method}: {mark}" for method in dict.fromkeys(methods) for mark in marks]


def _training_metrics(trial: training.Trial) -> dict[str, float]:
    return {
        f"{method}: {mark}": getattr(fit, mark)
        for method, fit in trial.fits.items()
        if method in trial.config.methods
        for mark in training.METRICS
    }


def _bag_metrics(trial: label_proportions.Trial) -> dict[str, float]:
    return {
        f"{method}: {kind} F1, threshold {threshold}": getattr(f1, kind)
        for method, fit in trial.fits.items()
        if method in trial.config.methods
        for threshold, f1 in fit.f1.items()
        for kind in label_proportions.F1S
    }


def _lacks_bag_number(config: label_proportions.BagConfig, name: str) -> bool:
    """Return whether a method is left out, as it would be another one, or the share has no threshold."""
    method, _, mark = name.partition(": ")
    by_share = mark.endswith(f"threshold {label_proportions.SHARE}")
    return method not in label_proportions.methods_of(config) or (by_share and not config.single)


def _ratio_metrics(trial: class_ratio.Trial) -> dict[str, float]:
    return {f"{method}: L1 error": math.fsum(fit.errors) / len(fit.errors) for method, fit in trial.fits.items()} | {
        "distortion": trial.distortion
    }


def _voting_metrics(records: Iterable[voting.Record]) -> dict[str, float]:
    return {
        f"{record.name}: {mark}": value
        for record in records
        for mark, value in (
            ("bias", record.bias.mean),
            ("deviation", record.deviation),
            ("coverage", record.covered.mean),
        )
    }


_DEFENCES = (NONE, CONSISTENT, RECOVERED, TARGETS_KNOWN)
_OF_DISOBEYED = (voting.CORRECTED, voting.HALVES_SHARE, voting.HALVES_PART)


def _run_attacked(config: many_answers.AttackedConfig) -> dict[str, float]:
    """Return by how much the pushed answer rises after each defence, and how far a share is off."""
    found = many_answers.attacked(config, config.attackers)
    return {
        f"{defence}: {mark}": value
        for defence, left in found.left.items()
        for mark, value in (("rise", left.share - found.true), ("RMSE", left.error))
    }


def _disobeyed_metrics(found: Mapping[str, voting.Reliability]) -> dict[str, float]:
    return {f"{name}: {mark}": value for name, one in found.items() for mark, value in one._asdict().items()}


def _count_metrics(outcomes: Mapping[str, Outcome]) -> dict[str, float]:
    made = {name: outcome for name, outcome in outcomes.items() if not outcome.problem}
    return {f"{name}: distortion": outcome.distortion.mean for name, outcome in made.items()}


# A remark on a method whose numbers are used nevertheless.
_UNSETTLED = "the optimiser did not settle"

EXPERIMENTS = {
    "training": Experiment(
        "train on corrupted images and labels",
        training.TrainingConfig,
        training.run,
        lambda config: _by_method(config.methods, training.METRICS),
        _training_metrics,
        forms={"pixels": forms.PIXELS, "labels": forms.LABELS},
    ),
    "bags": Experiment(
        "learn from bags and their proportions",
        label_proportions.BagConfig,
        label_proportions.run,
        lambda config: _by_method(
            config.methods,
            [f"{kind} F1, threshold {t}" for t in label_proportions.THRESHOLDS for kind in label_proportions.F1S],
        ),
        _bag_metrics,
        lacks=_lacks_bag_number,
    ),
    "class_ratio": Experiment(
        "find the shares of a group from sets of known proportions",
        class_ratio.RatioConfig,
        class_ratio.run,
        lambda config: [*_by_method(config.methods, ["L1 error"]), "distortion"],
        _ratio_metrics,
        forms={"share": forms.or_none("drawn"), "bandwidth": forms.or_none("cv")},
    ),
    "comparison": Experiment(
        "every family of estimators on the same people",
        comparison.ComparisonConfig,
        comparison.run,
        lambda config: _by_method(config.chosen, comparison.METRICS[config.task]),
        lambda trial: {
            f"{fit.method}: {metric}": value for fit in trial.fits.values() for metric, value in fit.marks.items()
        },
        lambda trial: "; ".join(
            f"{fit.method}: {fit.problem or _UNSETTLED}"
            for fit in trial.fits.values()
            if fit.problem or not fit.settled
        ),
        remark=_UNSETTLED,
    ),
    "voting": Experiment(
        "polls in which people lie, and what each estimator makes of them",
        voting.ElectionConfig,
        lambda config: voting.records(config, voting.run(config)),
        lambda config: _by_method((HONEST, *config.estimators), ["bias", "deviation", "coverage"]),
        _voting_metrics,
        forms={"channel": forms.CHANNEL},
    ),
    "images": Experiment(
        "noise on images, and whom it still finds",
        ImagesConfig,
        _run_images,
        lambda config: list(_IMAGE_METRICS),
        dict,
        forms={"pixels": forms.PIXELS, "labels": forms.LABELS},
    ),
    "label_counts": Experiment(
        "label counts, released by each mechanism",
        CountConfig,
        label_counts.run,
        lambda config: _by_method(config.releases, ["distortion"]),
        _count_metrics,
        lambda outcomes: "; ".join(f"{name}: {o.problem}" for name, o in outcomes.items() if o.problem),
    ),
    "many_answers": Experiment(
        "shares of many answers from one kind of lie, read in three ways",
        many_answers.AnswersConfig,
        many_answers.fit,
        lambda config: _by_method(SHARES_OF_ANSWERS, ["RMSE"]),
        lambda fit: {f"{method}: RMSE": error for method, error in fit.errors.items()},
    ),
    "disobedience": Experiment(
        "polls in which some people do not follow the rules, with one lie for all and in two halves",
        voting.DisobeyedConfig,
        voting.reliability,
        lambda config: _by_method(_OF_DISOBEYED, voting.Reliability._fields),
        _disobeyed_metrics,
        forms={"channel": forms.CHANNEL},
    ),
    "attackers": Experiment(
        "shares of many answers, one of which fake clients push, after each defence",
        many_answers.AttackedConfig,
        _run_attacked,
        lambda config: _by_method(_DEFENCES, ["rise", "RMSE"]),
        dict,
    ),
}
# The range of each mean that is not [0, ∞), by its name without that of the method. A log loss is bounded, as it takes
# a probability of 0 for the smallest floating-point step.
_SHARES = ("accuracy", "brier", "error", "coverage", "senders found", "labels found")
_RANGES = {
    **dict.fromkeys(_SHARES, (0.0, 1.0)),
    **dict.fromkeys(("L1 error", "distortion"), (0.0, 2.0)),
    "log_loss": (0.0, -math.log(sys.float_info.epsilon)),
    "changed pixels": (0.0, limits.N_VALUES.high),
    # For estimates within [0, 1], of the shares of at least two answers.
    "bias": (-1.0, 1.0),
    "rise": (-1.0, 1.0),
    "deviation": (0.0, math.sqrt(0.5)),
    "RMSE": (0.0, 1.0),
}
# Methods whose estimates may lie outside [0, 1].
_UNLIMITED = {
    f"{RAW_SPREAD}: bias": (-math.inf, math.inf),
    f"{RAW_SPREAD}: deviation": (0.0, math.inf),
    f"{INVERTED}: RMSE": (0.0, math.inf),
    f"{voting.CORRECTED}: bias": (-math.inf, math.inf),
    f"{NONE}: rise": (-math.inf, math.inf),
    f"{NONE}: RMSE": (0.0, math.inf),
}


def range_of(number: str) -> tuple[float, float]:
    """Return the range that a mean of this number can have: [0, 1] for shares, [0, 2] for L1 distances, else [0, ∞).

    Biases and rises are in [−1, 1], except those of methods whose estimates may lie outside [0, 1].
    """
    mark = number.rpartition(": ")[2]
    return (0.0, 1.0) if " F1" in mark else _UNLIMITED.get(number) or _RANGES.get(mark, (0.0, math.inf))


def experiment_of(config: Any) -> str:
    """Return the name of the experiment that a config is of. Raises ``ValueError`` for anything else."""
    for name, experiment in EXPERIMENTS.items():
        if type(config) is experiment.config:
            return name
    raise ValueError(f"no sweep runs such a question: {type(config).__name__}")

"""The settings of the comparison page and their ranges, and the question they make."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pages.kit import cache, numbers, own_data
from pages.kit.data_sets import DataSets
from pages.kit.settings import Choice, Number, Setting, Words
from pages.kit.values import Values
from privdemo import datasets, limits
from privdemo.accounting import default_delta
from privdemo.datasets import Source
from privdemo.experiments import comparison
from privdemo.experiments.comparison import (
    CLASSIFY,
    LABELS,
    METRICS,
    OPPOSITE,
    RECORDS,
    SECOND,
    SHARE,
    ComparisonConfig,
    has_pixels,
)
from privdemo.methods import (
    COMPARISON,
    CURATOR,
    CURVES_FIRST,
    LEADER,
    NOBODY,
    PUBLISHER,
    SHUFFLER,
)
from privdemo.tasks import BINARY

TASKS = {"tell records apart": CLASSIFY, "find a share": SHARE}
PRIVATE_PARTS = {"labels only": LABELS, "images too": RECORDS}
METRIC_NAMES = {"accuracy": "accuracy", "log loss": "log_loss", "Brier score": "brier"}
METHOD_NAMES = {method.in_links: name for name, method in COMPARISON.items()}
EPSILON_STEPS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
MOST_PEOPLE = 1000

# The chapters' key in the address, two chapters, and a setting that is either of them while it is shown.
LOOK, REACH_A_GOAL, PUSHED = "compare_look", "Most privacy for a goal you set", "Labels pushed by some"
SEEKING = Choice(LOOK, (REACH_A_GOAL, PUSHED), "")

# MNIST first.
_ORDER = ("mnist", "adult", "sms", "breast_cancer", "digits")
DATA_SETS = DataSets("compare_on", {name: BINARY[name] for name in _ORDER}, binary=True)
TASK = Choice("task", tuple(TASKS), next(iter(TASKS)), "What is to be learnt?")
PRIVATE = Choice("private", tuple(PRIVATE_PARTS), next(iter(PRIVATE_PARTS)), "What is private?")
EPSILON = Number(
    "label_epsilon",
    limits.Limit("epsilon", 0.05, 8.0, "the curves go from 0.1 to 8"),
    ComparisonConfig.epsilon,
    "ε of a label",
    0.1,
)
BAG = Number(
    "people_in_bag", limits.Limit("bag_size", 2, 500, integer=True), ComparisonConfig.bag_size, "People in a bag", 5
)
RHO = Number(
    "set_rho",
    limits.Limit("rho", 0.0, 0.45, "the share of the rarer class"),
    ComparisonConfig.rho,
    "Share of the rarer class in a large group (ρ)",
    0.05,
)
ASKED = Number("asked_about", limits.N_TEST, ComparisonConfig.n_asked, "People asked about", 100)
TRUE_SHARE = Number("true_share", limits.SHARE, ComparisonConfig.share, "True share", 0.05)
FAKE = Number(
    "fake",
    limits.FAKE_PART,
    ComparisonConfig.fake_part,
    "False labels, as a share of all",
    0.05,
    "Of 100 labels of either class so many are sent by people who follow no rules: an attacker chose them.",
)
# What such people send, by its name on screen.
FAKE_LABELS = {"the wrong label": OPPOSITE, "the second class": SECOND}
FAKE_LABEL = Choice("fake_label", tuple(FAKE_LABELS), next(iter(FAKE_LABELS)), "They send")
METRIC = Choice("judge_by", tuple(METRIC_NAMES), "accuracy", "Judge by")
METHODS = Choice(
    "show",
    tuple(METHOD_NAMES),
    tuple(method.in_links for name, method in COMPARISON.items() if name in CURVES_FIRST),
    "Methods",
    many=True,
    shown={method.in_links: method.title for method in COMPARISON.values()},
)
TRIALS = Number(
    "compare_draws",
    limits.Limit("n_trials", 2, 50, "an interval needs two", integer=True),
    10,
    "Trials",
    help="Repeats with other people and other noise.",
)
SEED = Number(
    "compare_seed", limits.SEED, ComparisonConfig.seed, "Seed", help="The same seed gives the same people and noise."
)
GOAL = Number("goal", limits.Limit("goal", 0.0, 100.0, "in per cent"), 90.0, "Goal: right, at least (%)", 1.0)
OFF_BY = Number(
    "off_by",
    limits.Limit("points", 0.1, 50.0, "points that a share may be off"),
    3.0,
    "Goal: off by at most (points)",
    0.5,
)
# Methods on sets are left out unless asked for: there ε covers the counts alone.
TRUSTED = Choice(
    "trusting",
    (NOBODY, SHUFFLER, LEADER, PUBLISHER, CURATOR),
    (NOBODY, SHUFFLER, LEADER, CURATOR),
    "Who may be trusted with true labels?",
    many=True,
)

sizes = cache.shared_or_private(comparison.sizes, max_entries=256)


def people_setting(dataset: Source) -> Number:
    """Return the setting of people of each class, at most as many as the data set has besides test records."""
    most = min(MOST_PEOPLE, sizes(dataset)[0])
    limit = limits.Limit("n", limits.N_TRAIN.low, most, "people of each class", integer=True)
    start = min(ComparisonConfig.n_train, most)
    return Number("people", limit, start, "People of each class", 10, help="Each has one record and one label.")


def people_in_release(values: Values) -> int:
    """Return how many people are in the larger release of the setting on screen, as `ComparisonConfig.people`."""
    learned = 2 * values[people_setting(DATA_SETS.source(values))]
    return int(max(learned, values[ASKED]) if TASKS[values[TASK]] == SHARE else learned)


def delta_setting(values: Values) -> Number:
    """Return the setting of δ, whose default follows from the number of people."""
    return Number(
        "counts_delta",
        limits.RELEASE_DELTA,
        default_delta(people_in_release(values)),
        "δ of released counts and models",
        1e-6,
        "The chance that the promise fails. Unless set it is 10⁻⁶ or 1/n², whichever is smaller, of n people: "
        "those learned from or, for a share, those asked if they are more.",
    )


@dataclass(frozen=True)
class Question:
    """The visitor’s question: a setting with the methods to show, how many trials, and the metric to judge by.

    `goal` is the score to reach, in the units of `metric`; `trusted` are the parties that may see true labels; `pinned`
    is a setting to compare with; `along_pushed` is whether the chapter on pushed labels is shown; `own_file` is the
    visitor’s file, if the records of either setting come from it.
    """

    config: ComparisonConfig
    n_trials: int
    metric: str
    goal: float | None
    trusted: tuple[str, ...]
    pinned: ComparisonConfig | None = None
    along_pushed: bool = False
    own_file: own_data.File | None = None

    @property
    def lower_is_better(self) -> bool:
        """Return whether a lower score is better."""
        return not METRICS[self.config.task][self.metric]

    @property
    def shared(self) -> tuple[str, ...]:
        """Return the methods by which the pinned setting can be compared; none if it is of another task."""
        if self.pinned is None or self.pinned.task != self.config.task:
            return ()
        able = replace(self.pinned, methods=()).chosen
        return tuple(name for name in self.config.methods if name in able)


# --- the pin: a setting to compare the next one with, stored in the link as a short text ----------

# How many parts every pin has: task, data set, what is private, people, ε and seed.
_N_FIXED = 6
# The fields that a pin holds only where they differ from the default, and how each is read.
_OPTIONAL: dict[str, Callable[[str], Any]] = {
    "delta": float,
    "bag_size": int,
    "rho": float,
    "n_asked": int,
    "share": float,
    "fake_part": float,
    "fake_label": str,
}
# The settings that bound what a pin may hold, as they bound the page's own.
_BOUNDS: dict[str, Number] = {
    "epsilon": EPSILON,
    "bag_size": BAG,
    "rho": RHO,
    "n_asked": ASKED,
    "share": TRUE_SHARE,
    "fake_part": FAKE,
    "seed": SEED,
}


def encode(config: ComparisonConfig) -> str:
    """Write a setting as short text for a link; rare settings only if they differ from the default."""
    default = ComparisonConfig()
    dataset = config.dataset if isinstance(config.dataset, str) else own_data.TITLE
    epsilon = f"{config.epsilon!r}".removesuffix(".0")
    fixed = [config.task, dataset, config.private, config.n_train, epsilon, config.seed]
    changed = [
        f"{name}={getattr(config, name)}" for name in _OPTIONAL if getattr(config, name) != getattr(default, name)
    ]
    return ",".join(map(str, [*fixed, *changed]))


def decode(words: str) -> ComparisonConfig | None:
    """Return the setting that `encode` wrote; None for an empty text.

    Raise ``ValueError`` with a sentence for a text that is no setting, or one that the page does not allow.
    """
    if not words:
        return None
    parts = words.split(",")
    if len(parts) < _N_FIXED:
        raise ValueError("it does not read as a pinned setting; pin one anew")
    try:
        config = _read(*parts)
        _check(config)
    except (ValueError, KeyError) as error:
        why = "" if re.match("invalid literal|could not convert|'", str(error)) else f" ({error})"
        raise ValueError(f"it is no pinned setting{why}; pin one anew") from None
    return config


def _read(
    task: str, dataset: str, private: str, n_train: str, epsilon: str, seed: str, *changed: str
) -> ComparisonConfig:
    """Return the config of the parts of a pin."""
    optional = {name: _OPTIONAL[name](value) for name, _, value in (part.partition("=") for part in changed)}
    if dataset == own_data.TITLE and own_data.current_reading(own_data.Own) is None:
        raise ValueError("its records were a visitor’s own, which are in no link")
    source = own_data.source(dataset, str, binary=True)
    return ComparisonConfig(task, source, private, int(n_train), float(epsilon), seed=int(seed), **optional)


def _check(config: ComparisonConfig) -> None:
    """Raise ``ValueError`` if the page does not allow a config."""
    for name, setting in _BOUNDS.items():
        setting.limit.check(getattr(config, name))
    if not isinstance(config.dataset, str) or datasets.available(config.dataset):
        comparison.check(config)
        people_setting(config.dataset).limit.check(config.n_train)


PIN = Words("pin", decode, "", "Pinned setting")


# --- the question --------------------------------------------------------------------------------


def settings(values: Values) -> list[Setting]:
    """Return every setting of the page, with the ranges for the data set."""
    people = people_setting(DATA_SETS.source(values))
    for_config: list[Setting] = [
        TASK,
        DATA_SETS.choice,
        PRIVATE,
        EPSILON,
        people,
        delta_setting(values),
        BAG,
        RHO,
        ASKED,
        TRUE_SHARE,
        FAKE,
        FAKE_LABEL,
    ]
    return [*for_config, METRIC, METHODS, TRIALS, SEED, GOAL, OFF_BY, TRUSTED, PIN]


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none."""
    if problem := DATA_SETS.problem(values):
        return problem
    try:
        config = _config(values)
        comparison.check(config)
    except ValueError as error:
        return f"Nothing can be compared here. {numbers.error_sentence_html(error)}"
    if not values[TRUSTED]:
        return "Choose at least one who may be trusted: “nobody” stands for methods in which nobody sees true labels."
    methods = tuple(name for title, name in METHOD_NAMES.items() if title in values[METHODS] and name in config.chosen)
    if not methods:
        return "None of the chosen methods can do this: choose more of them in Settings."
    metric, pinned = metric_of(values), _pinned(values)
    goal = {"accuracy": values[GOAL] / 100, "error": values[OFF_BY] / 100}.get(metric)
    own_file = own_data.file_of(config.dataset) or (own_data.file_of(pinned.dataset) if pinned else None)
    question = Question(
        replace(config, methods=methods),
        values[TRIALS],
        metric,
        goal,
        values[TRUSTED],
        pinned,
        values[SEEKING] == PUSHED,
        own_file,
    )
    if pinned and question.shared:
        return replace(question, pinned=replace(pinned, methods=question.shared))
    return question


def metric_of(values: Values) -> str:
    """Return the metric to judge by; a share has only one."""
    return METRIC_NAMES[values[METRIC]] if TASKS[values[TASK]] == CLASSIFY else next(iter(METRICS[SHARE]))


def _config(values: Values) -> ComparisonConfig:
    """Return the setting on screen with all methods."""
    dataset, delta = DATA_SETS.source(values), delta_setting(values)
    return ComparisonConfig(
        TASKS[values[TASK]],
        dataset,
        PRIVATE_PARTS[values[PRIVATE]] if has_pixels(dataset) else LABELS,
        values[people_setting(dataset)],
        values[EPSILON],
        delta=None if values[delta] == delta.default else values[delta],
        bag_size=values[BAG],
        rho=values[RHO],
        n_asked=values[ASKED],
        share=values[TRUE_SHARE],
        fake_part=values[FAKE],
        fake_label=FAKE_LABELS[values[FAKE_LABEL]] if values[FAKE] else OPPOSITE,
        seed=values[SEED],
    )


def _pinned(values: Values) -> ComparisonConfig | None:
    """Return the pinned setting; None without one, and for one that is not valid any more."""
    try:
        return decode(values[PIN])
    except ValueError:
        return None

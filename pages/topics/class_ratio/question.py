"""The settings of the page on class ratios and of its chapters, and the question they make."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from pages.kit import numbers, own_data
from pages.kit.data_sets import DataSets
from pages.kit.settings import DELTA_HELP, EPSILON_HELP, Choice, Number, Setting
from pages.kit.values import Values
from privdemo import limits
from privdemo.accounting import default_delta
from privdemo.datasets import Source
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, RatioConfig
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, COUNT, EM, MMD, PSVM, SPREAD
from privdemo.tasks import COUNTING, counting_task

# Up to this many records in training sets a first trial takes about a second, with slow methods up to so many.
AT_ONCE, AT_ONCE_SLOW = 6000, 600
# With more records trials are slow: one process is kept free for others.
LARGE = 20_000
# Records in a known set at first: so few that methods differ visibly.
FEW = {"adult": 100, "mnist": 100, "digits": 60}
BY_HAND, RANDOM = "set by hand", "at random"
CHOSEN, GIVEN = "chosen", "given"
NO_NOISE = "none, true counts"
# Keys in the session: the data set for which the sizes were last set, and the number of classes for which ρ was.
SIZES_FOR_KEY, RHO_CLASSES_KEY = "ratio_of", "rho_of_classes"

# People first: what they earn needs no explanation.
_ORDER = ("adult", "mnist", "digits", "sms", "breast_cancer")
DATA_SETS = DataSets("ratio_records", {name: COUNTING[name] for name in _ORDER})
CLASSES = Number("classes", limits.Limit("classes", 2, 10, integer=True), 2, "Classes")
# With these shares, unlike those of `RatioConfig`, methods differ visibly.
RHO = Number(
    "rho",
    limits.RHO,
    0.3,
    "Share of each rarer class in a known group",
    0.01,
    "Every known group has one common class, another in each; every other class has this share (ρ). At 1 / classes all "
    "groups are alike, and nothing can be learned.",
)
COPIES = Number(
    "sets_of_each",
    limits.COPIES,
    RatioConfig.copies,
    "Groups of each kind",
    help="As many again serve to choose settings.",
)
MIX = Choice("mix", (BY_HAND, RANDOM), BY_HAND, "Mix of the new group")
# Of two classes, the share of the first one in the new group at which methods differ visibly; of more, another: with
# a tenth of one of ten classes, all would have as much.
_OF_TWO, _OF_MORE = 0.1, 0.5
BANDWIDTH = Choice("bandwidth", (CHOSEN, GIVEN), CHOSEN, "Bandwidth of MMD")
FACTOR = Number(
    "times_median",
    limits.BANDWIDTH,
    1.0,
    "times the median heuristic",
    0.5,
    "How near two records must be for MMD to count them as alike; 1 is the median distance of two records, divided by "
    "√2.",
)
NAME_BY_TITLE = {NO_NOISE: NO_RELEASE} | {release.title: name for name, release in RELEASES.items()}
RELEASE = Choice("release", tuple(NAME_BY_TITLE), NO_NOISE, "Noise on the groups’ counts")
EPSILON = Number("ratio_epsilon", limits.RELEASE_EPSILON, RatioConfig.epsilon, "ε of the counts", 0.01, EPSILON_HELP)
DELTA = Number("ratio_delta", limits.RELEASE_DELTA, RatioConfig.delta, "δ of the counts", 0.01, DELTA_HELP)
N_MIN = Number(
    "n_min",
    limits.N_MIN,
    RatioConfig.n_min,
    "Public minimum",
    5,
    help="What everybody may know: no class of a group has fewer records.",
)
METHODS = Choice(
    "find_by",
    tuple(method.title for method in CLASS_RATIO.values()),
    tuple(CLASS_RATIO[m].title for m in (SPREAD, MMD, COUNT, EM)),
    "Methods",
    many=True,
)
TRIALS = Number("ratio_draws", limits.N_TRIALS, 10, "Trials", help="Repeats with other records and other noise.")
SEED = Number(
    "ratio_seed", limits.SEED, RatioConfig.seed, "Seed", help="The same seed gives the same records and noise."
)


class Preset(NamedTuple):
    """Values of settings that one click sets; without a `release` the counts are the true ones."""

    dataset: str
    n_classes: int
    set_size: int
    rho: float
    n_test: int
    release: str
    epsilon: float
    delta: float
    n_min: int


# The default δ of the 3,600 records of three classes in two sets each.
_SMALL_DELTA = default_delta(2 * 3 * 600)
PRESETS = {
    "paper, binary": Preset("adult", 2, 600, 0.1, 600, "", 0.05, 0.05, 25),
    "three digits, private": Preset("mnist", 3, 600, 0.1, 600, "gaussian tight", 0.05, _SMALL_DELTA, 25),
    "ten digits, 3,000 each": Preset("mnist", 10, 3000, 0.05, 3000, "", 0.05, 0.05, 75),
}


@dataclass(frozen=True)
class Question:
    """The visitor’s question: the first trial’s config and how many trials.

    `own_file` is the visitor’s file, if the records come from it.
    """

    config: RatioConfig
    n_trials: int
    own_file: own_data.File | None = None

    @property
    def n_records(self) -> int:
        """Return the number of records in all training and tuning sets."""
        return 2 * self.config.copies * self.config.n_classes * self.config.set_size

    @property
    def at_once(self) -> bool:
        """Return whether the first trial is quick enough to run while the visitor waits."""
        config = self.config
        most = AT_ONCE_SLOW if COUNT in config.methods else AT_ONCE
        quick = config.dataset != "sms" and PSVM not in config.methods and self.n_records <= most
        return quick and own_data.is_quick(config.dataset, self.n_records // 4)


def classes_setting(dataset: Source) -> Number:
    """Return the setting of the number of classes, at most as many as a visitor’s own data have."""
    if isinstance(dataset, str):
        return CLASSES
    most = min(CLASSES.limit.high, dataset.n_classes)
    limit = limits.Limit("classes", CLASSES.limit.low, most, "there are no more", integer=True)
    return Number(CLASSES.key, limit, min(CLASSES.default, most), CLASSES.label)


THREE, ALL = "three", "all"
CURVES = Choice("ratio_curves", (THREE, ALL), THREE, "Curves")
FIGURE_2 = Choice("figure_2", ("Adult", "MNIST", "SMS", "Breast cancer"), "Adult", "Data set of the figure")
FIGURE_3 = Choice("figure_3", (CLASS_RATIO[SPREAD].title, CLASS_RATIO[MMD].title), CLASS_RATIO[MMD].title, "Method")


class ShownCurves(NamedTuple):
    """What a figure of the paper shows: the title of its data set or its method, and whether it shows all curves."""

    title: str
    all: bool = False


def share_setting(n_classes: int) -> Number:
    """Return the setting of the share of the first of so many classes in the new group."""
    return Number("share", limits.SHARE, _OF_TWO if n_classes == 2 else _OF_MORE, "Share of its first class", 0.05)


def size_settings(dataset: Source | None = None) -> tuple[Number, Number]:
    """Return the settings of the records in a set and in the group, with what suits a data set as their defaults."""
    dataset = DATA_SETS.source(Values()) if dataset is None else dataset
    size = class_ratio.default_set_size(dataset)
    return (
        Number("set_size", limits.SET_SIZE, FEW.get(dataset_name(dataset), size), "Records in a known group", 100),
        Number("asked", limits.N_TEST, size, "Records in the new group", 100),
    )


def first_class_words(dataset: Source, n_classes: int) -> str:
    """Say what records of the first class are or do: “show a 7”, “earn over $50,000 a year”."""
    task = counting_task(dataset)
    words = task.words[task.classes.index(class_ratio.chosen_classes(dataset, n_classes)[0])]
    return re.sub(r"^are (an? \d)$", r"show \1", words)


def can_be_guessed(config: RatioConfig) -> bool:
    """Return whether a visitor can guess the share of the target set: there is something to see of two sets of two
    classes, two methods learn without labels, and the visitor has not set that share.
    """
    blind = [name for name in config.methods if name not in class_ratio.FULLY_LABELLED_METHODS]
    has_two_sets = config.n_classes == 2 and config.copies == 1
    is_set = config.share not in (None, share_setting(config.n_classes).default)
    has_hint = (
        counting_task(config.dataset).trait or class_ratio.records(config.dataset, config.chosen_classes).image_shape
    )
    return has_two_sets and len(blind) > 1 and not is_set and bool(has_hint)


def dataset_name(dataset: Source) -> str:
    """Return the name of a data set of the package, or an empty text for a visitor's own records."""
    return dataset if isinstance(dataset, str) else ""


def settings(values: Values) -> list[Setting]:
    """Return every setting of the page, with the classes of the data set."""
    classes = classes_setting(DATA_SETS.source(values))
    sets = [
        DATA_SETS.choice,
        classes,
        RHO,
        COPIES,
        *size_settings(),
        MIX,
        share_setting(values[classes]),
        BANDWIDTH,
        FACTOR,
    ]
    return [*sets, RELEASE, EPSILON, DELTA, N_MIN, METHODS, TRIALS, SEED]


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none."""
    if problem := DATA_SETS.problem(values):
        return problem
    dataset = DATA_SETS.source(values)
    n_classes = values[classes_setting(dataset)]
    chosen = tuple(name for name, method in CLASS_RATIO.items() if method.title in values[METHODS])
    if not chosen:
        return "Choose at least one method in the settings."
    methods = tuple(name for name in chosen if name != PSVM) if n_classes > 2 else chosen
    if not methods:
        return f"{ONLY_TWO}: choose another method in the settings, or two classes."
    set_size, n_test = (values[setting] for setting in size_settings())
    try:
        config = RatioConfig(
            dataset,
            n_classes=n_classes,
            set_size=set_size,
            copies=values[COPIES],
            rho=values[RHO],
            n_test=n_test,
            share=values[share_setting(n_classes)] if values[MIX] == BY_HAND else None,
            bandwidth=values[FACTOR] if values[BANDWIDTH] == GIVEN else None,
            release=NAME_BY_TITLE[values[RELEASE]],
            epsilon=values[EPSILON],
            delta=values[DELTA],
            n_min=values[N_MIN],
            methods=methods,
            seed=values[SEED],
        )
        class_ratio.check(config)
    except ValueError as error:  # numbers, each in its range, may not go together
        return f"Nothing can be found here. {numbers.error_sentence_html(error)}"
    return Question(config, values[TRIALS], own_data.file_of(dataset))


# Why a method is left out with more classes.
ONLY_TWO = f"“{CLASS_RATIO[PSVM].title}” tells two classes apart, no more"


def figure_2_curves(values: Values, _: object) -> ShownCurves:
    """Return the data set of figure 2, and which of its curves are shown."""
    return ShownCurves(values[FIGURE_2], values[CURVES] == ALL)


def figure_3_curves(values: Values, _: object) -> ShownCurves:
    """Return the method of figure 3, and which of its curves are shown."""
    return ShownCurves(values[FIGURE_3], values[CURVES] == ALL)

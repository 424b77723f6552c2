"""The settings of the comparison page and their ranges, and the question they make."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pages.kit import cache, own_data
from pages.kit.settings import Choice, Number
from privdemo import limits
from privdemo.datasets import Source
from privdemo.experiments import comparison
from privdemo.experiments.comparison import CLASSIFY, LABELS, METRICS, RECORDS, SHARE, ComparisonConfig
from privdemo.methods import (
    COMPARISON,
    CURATOR,
    CURVES_FIRST,
    NOBODY,
    OWNER,
    PUBLISHER,
    SHUFFLER,
)

TASKS = {"tell records apart": CLASSIFY, "find a share": SHARE}
PRIVATE_PARTS = {"labels only": LABELS, "images too": RECORDS}
METRIC_NAMES = {"accuracy": "accuracy", "log loss": "log_loss", "Brier score": "brier"}
METHOD_NAMES = {method.title: name for name, method in COMPARISON.items()}
EPSILON_STEPS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
MOST_PEOPLE = 1000

# The chapters' key in the address, the chapter on goals, and a setting that is this chapter while it is shown.
LOOK, REACH_A_GOAL = "compare_look", "Reach a goal"
SEEKING = Choice(LOOK, (REACH_A_GOAL,), "")

TASK = Choice("task", tuple(TASKS), next(iter(TASKS)), "What is to be learnt?")
PRIVATE = Choice("private", tuple(PRIVATE_PARTS), next(iter(PRIVATE_PARTS)), "What is private?")
EPSILON = Number(
    "label_epsilon",
    limits.Limit("epsilon", 0.05, 8.0, "the curves go from 0.1 to 8"),
    1.0,
    "ε of a label",
    0.1,
    "%.4g",
)
DELTA = Number(
    "counts_delta", limits.RELEASE_DELTA, ComparisonConfig.delta, "δ of released counts and models", 0.001, "%.3g"
)
BAG = Number(
    "people_in_bag", limits.Limit("bag_size", 2, 500, integer=True), ComparisonConfig.bag_size, "People in a bag", 5
)
RHO = Number(
    "set_rho",
    limits.Limit("rho", 0.0, 0.45, "the share of the rarer class"),
    ComparisonConfig.rho,
    "ρ, rarer class of a set",
    0.05,
    "%.4g",
)
ASKED = Number("asked_about", limits.N_TEST, ComparisonConfig.n_asked, "Records asked about", 100)
TRUE_SHARE = Number("true_share", limits.SHARE, ComparisonConfig.share, "True share", 0.05, "%.4g")
METRIC = Choice("judge_by", tuple(METRIC_NAMES), "accuracy", "Judge by")
METHODS = Choice(
    "show",
    tuple(METHOD_NAMES),
    tuple(method.title for name, method in COMPARISON.items() if name in CURVES_FIRST),
    "Methods",
    many=True,
)
DRAWS = Number(
    "compare_draws",
    limits.Limit("draws", 2, 50, "an interval needs two", integer=True),
    10,
    "Draws",
    help="Repeats with other people and other noise.",
)
SEED = Number("compare_seed", limits.SEED, 0, "Seed", help="The same seed gives the same people and noise.")
GOAL = Number(
    "goal", limits.Limit("goal", 0.0, 100.0, "in per cent"), 90.0, "Goal: right for at least (%)", 1.0, "%.4g"
)
OFF_BY = Number(
    "off_by",
    limits.Limit("points", 0.1, 50.0, "points that a share may be off"),
    3.0,
    "Goal: off by at most (points)",
    0.5,
    "%.4g",
)
# Methods on sets are left out unless asked for: there ε covers the counts alone.
TRUSTED = Choice(
    "trusting",
    (NOBODY, SHUFFLER, OWNER, PUBLISHER, CURATOR),
    (NOBODY, SHUFFLER, OWNER, CURATOR),
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


@dataclass(frozen=True)
class Question:
    """The visitor’s question: a setting with the methods to show, how many trials, and the metric to judge by.

    `goal` is the score to reach, in the units of `metric`; `trusted` are the parties that may see true labels; `pinned`
    is a setting to compare with; `own_file` is the visitor’s file, if the records of either setting come from it.
    """

    config: ComparisonConfig
    n_draws: int
    metric: str
    goal: float | None
    trusted: tuple[str, ...]
    pinned: ComparisonConfig | None = None
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

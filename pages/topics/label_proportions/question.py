"""The settings of the page on bags and of its chapters, and the question they make."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pages.kit import cache, numbers, own_data
from pages.kit.data_sets import DataSets
from pages.kit.settings import Choice, Number, Setting
from pages.kit.values import Values
from privdemo import limits
from privdemo.datasets import Source
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import AGGREGATIONS, HALF, SHARE, THRESHOLDS, BagConfig
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, NAMES, by_trying
from privdemo.tasks import BINARY

# Up to this many records in bags a first trial takes less than a second.
AT_ONCE = 1200
OFF, LAPLACE = "none", "Laplace"
n_training = cache.shared_or_private(label_proportions.n_training)

DATA_SETS = DataSets("records", BINARY, binary=True)
FILLS = {selection.title: name for name, selection in SELECTIONS.items()}
FILL = Choice("fill", tuple(FILLS), SELECTIONS["iid"].title, "Bags are filled")
AGGREGATION = Choice("means", AGGREGATIONS, AGGREGATIONS[0], "Records are replaced by averages")
K = Number(
    "k",
    limits.Limit("k", limits.K.low, 100, "a slider shows so many well", integer=True),
    5,
    "k, records in an average at least",
)
NOISE_EPSILON = limits.Limit("epsilon", 0.001, 100.0, "from next to no trace of the data to next to no noise")
FEATURE_NOISE = Choice("column_noise", (OFF, LAPLACE), OFF, "Noise on every column")
FEATURE_EPSILON = Number("column_epsilon", NOISE_EPSILON, 1.0, "ε", step=0.1)
PROPORTION_NOISE = Choice("proportion_noise", (OFF, LAPLACE), OFF, "Noise on every bag’s share")
PROPORTION_EPSILON = Number("proportion_epsilon", NOISE_EPSILON, 0.2, "ε", step=0.1)
TRAINERS = tuple(name for name in LABEL_PROPORTIONS if name != FULL)
TRAINED = Choice(
    "train_by",
    tuple(LABEL_PROPORTIONS[name].in_links for name in TRAINERS),
    tuple(LABEL_PROPORTIONS[name].in_links for name in TRAINERS if name not in (ALTERNATING, by_trying(NAMES))),
    "Methods",
    many=True,
    shown={method.in_links: method.title for method in LABEL_PROPORTIONS.values()},
)
THRESHOLD = Choice("positive_if", tuple(THRESHOLDS.values()), THRESHOLDS[SHARE], "Threshold for “yes”")
TRIALS = Number("bag_draws", limits.N_TRIALS, 10, "Trials", help="Repeats with other records, other bags, other noise.")
SEED = Number(
    "bag_seed", limits.SEED, BagConfig.seed, "Seed", help="The same seed gives the same records, bags and noise."
)

# One click to the slides' settings: how bags are filled, means, k, ε of columns and of proportions (None: no noise).
# Bags with noise are filled at random: only so does its ε hold.
PRESETS = {
    "table 4.3, at random": ("iid", "none", 1, None, None),
    "table 4.3, balanced": ("balanced", "none", 1, None, None),
    "k = 10": ("skewed", "random-k", 10, None, None),
    "k = 50, ε = 1": ("iid", "random-k", 50, 1.0, 1.0),
}


@dataclass(frozen=True)
class Question:
    """The visitor’s question: the first trial’s config, how many trials, and where a record counts as positive.

    `own_file` is the visitor’s file, if the records come from it.
    """

    config: BagConfig
    n_trials: int
    chosen_threshold: str
    own_file: own_data.File | None = None

    @property
    def at_once(self) -> bool:
        """Return whether the first trial is quick enough to run while the visitor waits."""
        config, n = self.config, self.config.n_bags * self.config.bag_size
        return n <= AT_ONCE and math.isinf(config.feature_epsilon) and own_data.is_quick(config.dataset, n)

    @property
    def threshold(self) -> str:
        """Return the threshold in use: ½ where the released share cannot be counted off."""
        return self.chosen_threshold if self.config.single else HALF


def bag_settings(dataset: Source) -> tuple[Number, Number]:
    """Return the settings of the number of bags and of the records in each, within what the data set allows."""
    n = n_training(dataset)
    most = limits.Limit("bags", limits.N_BAGS.low, min(int(limits.N_BAGS.high), n // 2), integer=True)
    size = limits.Limit("bag_size", limits.BAG_SIZE.low, min(int(limits.BAG_SIZE.high), n // 2), integer=True)
    n_bags, bag_size = label_proportions.default_bags(dataset)
    return Number("bags", most, n_bags, "Bags"), Number("bag_size", size, bag_size, "Records in each bag")


MEANS = Choice("curve", AGGREGATIONS[1:], AGGREGATIONS[1], "Averages by")
COLUMNS = "columns"
NOISE_ON = Choice("noise_on", (COLUMNS, "shares"), COLUMNS, "Noise on")


def settings(values: Values) -> list[Setting]:
    """Return every setting of the page, with the ranges for the data set."""
    noise = [FEATURE_NOISE, FEATURE_EPSILON, PROPORTION_NOISE, PROPORTION_EPSILON]
    bags = [DATA_SETS.choice, *bag_settings(DATA_SETS.source(values)), FILL, AGGREGATION, K]
    return [*bags, *noise, TRAINED, THRESHOLD, TRIALS, SEED]


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none."""
    if problem := DATA_SETS.problem(values):
        return problem
    dataset = DATA_SETS.source(values)
    if not values[TRAINED]:
        return "Choose at least one method in the settings."
    n_bags, bag_size = (values[setting] for setting in bag_settings(dataset))
    methods = (FULL, *(name for name in TRAINERS if LABEL_PROPORTIONS[name].in_links in values[TRAINED]))
    try:
        config = BagConfig(
            dataset,
            n_bags,
            bag_size,
            FILLS[values[FILL]],
            values[AGGREGATION],
            averaged(values),
            values[FEATURE_EPSILON] if values[FEATURE_NOISE] == LAPLACE else math.inf,
            values[PROPORTION_EPSILON] if values[PROPORTION_NOISE] == LAPLACE else math.inf,
            methods,
            values[SEED],
        )
    except ValueError as error:  # k and the size of a bag, each in its range, may not go together
        return f"Nothing can be learned here. {numbers.error_sentence_html(error)}"
    threshold = next(key for key, words in THRESHOLDS.items() if words == values[THRESHOLD])
    return Question(config, values[TRIALS], threshold, own_data.file_of(dataset))


def averaged(values: Values) -> int:
    """Return how many records an average is of: 1 where none are made."""
    return int(values[K]) if values[AGGREGATION] != "none" else 1


def records_in_bag(values: Values) -> int:
    """Return the most records that a bag has, at least two: no more than there are for each bag."""
    dataset = DATA_SETS.source(values)
    n_bags, bag_size = (values[setting] for setting in bag_settings(dataset))
    return max(2, min(bag_size, n_training(dataset) // n_bags))


def means_of(values: Values, _: object) -> str:
    """Return how groups of k are made, in the chapter on averages."""
    return str(values[MEANS])


def noise_on(values: Values, _: object) -> str:
    """Return what the noise is on, in the chapter on noise."""
    return str(values[NOISE_ON])

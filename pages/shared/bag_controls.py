"""The controls of the page on bags: a visitor's choices in, a frozen config out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from pages.shared import cached, lies, own, settings, text
from pages.shared.settings import Choice, Number
from privdemo import datasets, limits
from privdemo.datasets import Source
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import BagConfig
from privdemo.mechanisms import aggregation
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS
from privdemo.tasks import BINARY, binary_task

# Up to this many records in bags a first draw takes less than a second.
AT_ONCE = 1200
OFF, LAPLACE = "none", "Laplace"
_DATA = "bags_of"

FILLS = {selection.title: name for name, selection in SELECTIONS.items()}
FILL = Choice("fill", tuple(FILLS), SELECTIONS["iid"].title)
AGGREGATION = Choice("means", label_proportions.AGGREGATIONS, label_proportions.AGGREGATIONS[0])
K = Number("k", limits.Limit("k", limits.K.low, 100, "a slider shows so many well", integer=True), 5)
FEATURE_NOISE = Choice("column_noise", (OFF, LAPLACE), OFF)
PROPORTION_NOISE = Choice("proportion_noise", (OFF, LAPLACE), OFF)
NOISE_EPSILON = limits.Limit("epsilon", 0.001, 100.0, "from next to no trace of the data to next to no noise")
FEATURE_EPSILON = Number("column_epsilon", NOISE_EPSILON, 1.0)
PROPORTION_EPSILON = Number("proportion_epsilon", NOISE_EPSILON, 0.2)
TRAINERS = tuple(name for name in LABEL_PROPORTIONS if name != FULL)
TRAINED = Choice("train_by", TRAINERS, tuple(name for name in TRAINERS if name != ALTERNATING), many=True)
THRESHOLD = Choice(
    "positive_if", tuple(label_proportions.THRESHOLDS.values()), label_proportions.THRESHOLDS[label_proportions.SHARE]
)
DRAWS = Number("bag_draws", limits.N_DRAWS, 10)
SEED = Number("bag_seed", limits.SEED, 0)

LESSONS = (BAGS, MEANS, NOISE, NUMBER, FILLING, ADVERSARY, NUMBERS) = (
    *("the bags", "k-anonymity", "noise", "number of bags", "filling bags", "the adversary", "all numbers"),
)
LESSON = Choice("look_into", LESSONS, BAGS)
CURVE = Choice("curve", label_proportions.AGGREGATIONS[1:], label_proportions.AGGREGATIONS[1])
NOISY = Choice("noise_on", ("columns", "proportions"), "columns")


@dataclass(frozen=True)
class Question:
    """What the visitor asks: the first draw's config, how many draws, and where a record counts as positive."""

    config: BagConfig
    n_draws: int
    asked_threshold: str

    @property
    def at_once(self) -> bool:
        """Whether the first draw is quick enough to wait for."""
        config, n = self.config, self.config.n_bags * self.config.bag_size
        return n <= AT_ONCE and math.isinf(config.feature_epsilon) and own.light(config.dataset, n)

    @property
    def threshold(self) -> str:
        """The threshold in use: ½ where the known share cannot be counted off."""
        return self.asked_threshold if self.config.single else label_proportions.HALF


def data_choice() -> Choice:
    """The data sets that are here, the largest first, and what the visitor has brought."""
    return own.choice("records", tuple(task.title for name, task in BINARY.items() if datasets.available(name)))


def missing() -> tuple[str, ...]:
    """The data sets that are not here."""
    return tuple(name for name in BINARY if not datasets.available(name))


def _source(title: str) -> Source:
    return own.source(title, lambda known: next(n for n, task in BINARY.items() if task.title == known), binary=True)


def bag_settings(dataset: Source) -> tuple[Number, Number]:
    """How many bags, and records in each, as the data set allows; the defaults suit its size."""
    n = cached.n_training(dataset)
    most = limits.Limit("bags", limits.N_BAGS.low, min(int(limits.N_BAGS.high), n // 2), integer=True)
    size = limits.Limit("bag_size", limits.BAG_SIZE.low, min(int(limits.BAG_SIZE.high), n // 2), integer=True)
    n_bags, bag_size = label_proportions.default_bags(dataset)
    return Number("bags", most, n_bags), Number("bag_size", size, bag_size)


def all_settings() -> list[settings.Setting]:
    """Every setting of the page, with the ranges that the current data set gives."""
    return _settings(_source(settings.current(data_choice())))


def default_settings() -> list[settings.Setting]:
    """The same with the ranges of the default data set."""
    return _settings(_source(data_choice().default))


def _settings(dataset: Source) -> list[settings.Setting]:
    noise = [FEATURE_NOISE, FEATURE_EPSILON, PROPORTION_NOISE, PROPORTION_EPSILON]
    bags = [data_choice(), *bag_settings(dataset), FILL, AGGREGATION, K]
    return [*bags, *noise, TRAINED, THRESHOLD, DRAWS, SEED, LESSON, CURVE, NOISY]


def controls() -> Question | str:
    """Draw the controls and return what they ask, or a sentence that says why they make no question."""
    dataset = _source(settings.choose(data_choice(), "Records"))
    own.panel(data_choice(), binary=True)
    if absent := missing():
        st.caption(f"Not on this computer: {', '.join(absent)}. `python -m privdemo data all` fetches them.")
    if problem := cached.problem(dataset):
        return f"{binary_task(dataset).title} cannot be read: {problem}"
    n_bags, size = bag_settings(dataset)
    own.fit(_DATA, dataset, (n_bags, size))
    for setting, name in ((n_bags, "The number of bags"), (size, "Records in each bag")):
        settings.keep_inside(setting, name)
    with lies.pair("bags") as (left, right):
        with left:
            bags = settings.number(n_bags, "Bags", step=1)
        with right:
            bag_size = settings.number(size, "Records in each", step=1)
    fill = FILLS[settings.pick(FILL, "Bags are filled")]
    st.caption(f"Looks at {SELECTIONS[fill].needs}.")
    means = settings.choose(AGGREGATION, "Records are replaced by means")
    k = _k(shown=means != "none")
    held = max(2, min(bag_size, cached.n_training(dataset) // bags))  # as many as a bag can have of those there are
    columns = _noise(FEATURE_NOISE, FEATURE_EPSILON, "Noise on every column", k if means != "none" else 1)
    proportions = _noise(PROPORTION_NOISE, PROPORTION_EPSILON, "Noise on every proportion", held)
    with st.expander("More settings"):
        trained = settings.choose(TRAINED, "Train by")
        threshold = settings.choose(THRESHOLD, "Threshold for “positive”")
        n_draws = settings.number(DRAWS, "Draws", step=1, help="Repeats with other records, other bags, other noise.")
        seed = settings.number(SEED, "Seed", step=1, help="The same seed gives the same records, bags and noise.")
    if not trained:
        return "Choose at least one way to train, under “More settings”."
    methods = (FULL, *(name for name in TRAINERS if name in trained))
    k = k if means != "none" else 1
    try:
        config = BagConfig(dataset, bags, bag_size, fill, means, k, columns, proportions, methods, seed)
    except ValueError as error:  # k and the size of a bag, each in its range, may not go together
        return f"Nothing can be learnt here. {text.sentence(error)}"
    asked = next(key for key, words in label_proportions.THRESHOLDS.items() if words == threshold)
    return Question(config, n_draws, asked)


def _k(shown: bool) -> int:
    """How many records make a mean; drawn unseen where there are none, so that it stays in the address."""
    with st.container(key="k-shown" if shown else "other-levels"):
        k = settings.dial(K, "k, records in a mean at least", step=1)
        st.caption("← more accurate · more private →", text_alignment="center")
    return int(k)


def _noise(kind: Choice, epsilon: Number, label: str, count: int) -> float:
    """The ε of Laplace noise on means of `count`, or its scale b = 1/(ε · count): either can be set. ∞ for no noise."""
    chosen = settings.choose(kind, label)
    with st.container(key=f"{epsilon.key}-shown" if chosen == LAPLACE else f"other-levels-{epsilon.key}"):
        with lies.pair(epsilon.key) as (left, right):
            with left:
                value = settings.number(epsilon, "ε", step=0.1, form="%.4g")
            with right:
                settings.linked(
                    f"{epsilon.key}_scale",
                    epsilon,
                    st.number_input,
                    lambda scale: NOISE_EPSILON.nearest(float(aggregation.mean_scale(count, scale))),
                    lambda at: float(aggregation.mean_scale(count, at)),
                    label="scale b",
                    min_value=float(aggregation.mean_scale(count, NOISE_EPSILON.high)),
                    max_value=float(aggregation.mean_scale(count, NOISE_EPSILON.low)),
                    value=None,
                    step=0.01,
                    format="%.4g",
                    help=f"b = 1/({count} ε): one record moves a mean of {count} by at most 1/{count}. Larger means "
                    "have less noise, smaller bags more. Set either number; the other follows.",
                )
        st.caption("← more private · more accurate →", text_alignment="center")
    return float(value) if chosen == LAPLACE else math.inf

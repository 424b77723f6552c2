"""The controls of the comparison: a visitor's choices in, a frozen config out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.shared import cached, lies, own, privacy_ladder, settings, text
from pages.shared.settings import Choice, Number, Words
from privdemo import datasets, limits
from privdemo.datasets import Source
from privdemo.experiments import comparison, results
from privdemo.experiments.comparison import CLASSIFY, LABELS, METRICS, RECORDS, SHARE, ComparisonConfig, has_pixels
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import COMPARISON, NOBODY, OWNER, PUBLISHER, SHOWN_FIRST
from privdemo.tasks import BINARY

TASK_TITLES = {"tell records apart": CLASSIFY, "find a share": SHARE}
PRIVATE_TITLES = {"labels only": LABELS, "images too": RECORDS}
METRIC_TITLES = {"accuracy": "accuracy", "log loss": "log_loss", "Brier score": "brier"}
TITLES = {method.title: name for name, method in COMPARISON.items()}
EPSILON_STEPS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

TASK = Choice("task", tuple(TASK_TITLES), next(iter(TASK_TITLES)))
PRIVATE = Choice("private", tuple(PRIVATE_TITLES), next(iter(PRIVATE_TITLES)))
EPSILON = Number("label_epsilon", limits.Limit("epsilon", 0.05, 8.0, "the curves go from 0.1 to 8"), 1.0)
MOST_PEOPLE = 1000
_DATA = "compared_people_of"
DELTA = Number("counts_delta", limits.RELEASE_DELTA, ComparisonConfig.delta)
BAG = Number("people_in_bag", limits.Limit("bag_size", 2, 500, integer=True), ComparisonConfig.bag_size)
RHO = Number("set_rho", limits.Limit("rho", 0.0, 0.45, "the share of the rarer class"), ComparisonConfig.rho)
ASKED = Number("asked_about", limits.N_TEST, ComparisonConfig.n_asked)
TRUE_SHARE = Number("true_share", limits.SHARE, ComparisonConfig.share)
METRIC = Choice("judge_by", tuple(METRIC_TITLES), "accuracy")
METHOD = Choice(
    "show", tuple(TITLES), tuple(COMPARISON[name].title for name in COMPARISON if name in SHOWN_FIRST), many=True
)
DRAWS = Number("compare_draws", limits.Limit("draws", 2, 50, "an interval needs two", integer=True), 10)
SEED = Number("compare_seed", limits.SEED, 0)
GOAL = Number("goal", limits.Limit("goal", 0.0, 100.0, "in per cent"), 90.0)
OFF_BY = Number("off_by", limits.Limit("points", 0.1, 50.0, "points that a share may be off"), 3.0)
# Of sets ε covers the counts alone, so they take no part unless asked for.
TRUSTED = Choice("trusting", (NOBODY, OWNER, PUBLISHER), (NOBODY, OWNER), many=True)
LESSONS = (SEEK, NUMBERS, ONE, PINNED) = ("goal seek", "all numbers", "one likelihood", "against a pin")
LESSON = Choice("compare_look", LESSONS, SEEK)


@dataclass(frozen=True)
class Question:
    """What the visitor asks: a setting and how many draws, what it is judged by, and a pinned setting."""

    config: ComparisonConfig
    n_draws: int
    metric: str
    shown: tuple[str, ...]
    goal: float | None
    trusted: tuple[str, ...]
    pinned: ComparisonConfig | None

    @property
    def shared(self) -> tuple[str, ...]:
        """The methods by which the pinned setting can be compared; none of another task."""
        if self.pinned is None or self.pinned.task != self.config.task:
            return ()
        return tuple(name for name in self.shown if name in replace(self.pinned, methods=()).chosen)


# What a pin holds only where it is not as usual, and how it is read.
_RARE: dict[str, Callable[[str], Any]] = {"delta": float, "bag_size": int, "rho": float, "n_asked": int, "share": float}


# The settings that bound what a pin may hold, as they bound the page's own.
_PINNED = (
    (EPSILON, "epsilon"),
    (DELTA, "delta"),
    (BAG, "bag_size"),
    (RHO, "rho"),
    (ASKED, "n_asked"),
    (TRUE_SHARE, "share"),
    (SEED, "seed"),
)
# Words that every pin has: task, data set, what is private, people, ε and seed.
_USUAL = 6


def encode(config: ComparisonConfig) -> str:
    """A setting as a few words for a link; of what is under “More settings” only what is changed."""
    plain = ComparisonConfig()
    dataset = config.dataset if isinstance(config.dataset, str) else own.TITLE
    epsilon = f"{config.epsilon!r}".removesuffix(".0")
    usual = [config.task, dataset, config.private, config.n_train, epsilon, config.seed]
    changed = [f"{name}={getattr(config, name)!r}" for name in _RARE if getattr(config, name) != getattr(plain, name)]
    return ",".join(map(str, [*usual, *changed]))


def decode(words: str) -> ComparisonConfig | None:
    """The setting that `encode` wrote; None for no words. Raises ``ValueError`` with a sentence for others."""
    if not words:
        return None
    parts = words.split(",")
    if len(parts) < _USUAL:
        raise ValueError("it does not read as a pinned setting; pin one anew")
    try:
        task, dataset, private, n_train, epsilon, seed, *changed = parts
        rare = {name: _RARE[name](value) for name, _, value in (part.partition("=") for part in changed)}
        if dataset == own.TITLE and own.held() is None:
            raise ValueError("its records were a visitor’s own, which are in no link")
        source = own.source(dataset, str, binary=True)
        config = ComparisonConfig(task, source, private, int(n_train), float(epsilon), seed=int(seed), **rare)
        for setting, name in _PINNED:
            setting.limit.check(getattr(config, name))
        if not isinstance(source, str) or datasets.available(source):
            comparison.check(config)
            people_setting(source).limit.check(config.n_train)
    except (ValueError, KeyError) as error:
        why = "" if re.match("invalid literal|could not convert|'", str(error)) else f" ({error})"
        raise ValueError(f"it is no pinned setting{why}; pin one anew") from None
    return config


PIN = Words("pin", decode, "")


def data_choice() -> Choice:
    """The data sets that are here, MNIST first, and what the visitor has brought."""
    order = ("mnist", "adult", "sms", "breast_cancer", "digits")
    return own.choice("compare_on", tuple(BINARY[name].title for name in order if datasets.available(name)))


def people_setting(dataset: Source) -> Number:
    """People of each class, as many as the data set has after some are kept for testing."""
    most = min(MOST_PEOPLE, cached.comparison_sizes(dataset)[0])
    limit = limits.Limit("n", limits.N_TRAIN.low, most, "people of each class", integer=True)
    return Number("people", limit, min(ComparisonConfig.n_train, most))


def _source(title: str) -> Source:
    return own.source(title, lambda known: next(n for n, task in BINARY.items() if task.title == known), binary=True)


def all_settings() -> list[settings.Setting]:
    """Every setting of the page, with the range that the current data set gives."""
    return _settings(_source(settings.current(data_choice())))


def default_settings() -> list[settings.Setting]:
    """The same with the range of the default data set."""
    return _settings(_source(data_choice().default))


def _settings(dataset: Source) -> list[settings.Setting]:
    people = people_setting(dataset)
    asked = [TASK, data_choice(), PRIVATE, EPSILON, people, DELTA, BAG, RHO, ASKED, TRUE_SHARE]
    return [*asked, METRIC, METHOD, DRAWS, SEED, GOAL, OFF_BY, TRUSTED, LESSON, PIN]


def controls() -> Question | str:
    """Draw the controls and return what they ask, or a sentence that says why they make no question."""
    task = TASK_TITLES[settings.choose(TASK, "What is to be learnt?")]
    title = settings.choose(data_choice(), "Records")
    dataset = _source(title)
    own.panel(data_choice(), binary=True)
    if problem := cached.problem(dataset):
        return f"{title} cannot be read: {problem}"
    with st.container(key="private-shown" if has_pixels(dataset) else "other-levels-private"):
        private = PRIVATE_TITLES[settings.choose(PRIVATE, "What is private?")]
    private = private if has_pixels(dataset) else LABELS
    epsilon = _epsilon()
    people = people_setting(dataset)
    own.fit(_DATA, dataset, (people,))
    settings.keep_inside(people, "People of each class")
    n_train = settings.dial(people, "People of each class", step=10, help="Each has one record and one label.")
    with st.container(key="metric-shown" if task == CLASSIFY else "other-levels-metric"):
        metric = METRIC_TITLES[settings.choose(METRIC, "Judge by")]
    metric = metric if task == CLASSIFY else next(iter(METRICS[SHARE]))
    goal = _goal(metric)
    trusted = settings.choose(TRUSTED, "Who may be trusted with true labels?")
    with st.expander("More settings"):
        config = _more(ComparisonConfig(task, dataset, private, epsilon=epsilon), n_train)
        chosen = settings.choose(METHOD, "Methods")
        n_draws = settings.number(DRAWS, "Draws", step=1, help="Repeats with other people and other noise.")
    _keep_pin()
    with st.container(key="other-levels-pin"):
        pinned = settings.write(PIN, "Pinned setting")
    if isinstance(config, str):
        return config
    if not trusted:
        return "Choose at least one who may be trusted: “nobody” stands for methods in which nobody sees true labels."
    names = tuple(name for title, name in TITLES.items() if title in chosen and name in config.chosen)
    if not names:
        return "None of the methods that are chosen under “More settings” can do this; choose more of them."
    question = Question(replace(config, methods=names), int(n_draws), metric, names, goal, trusted, decode(pinned))
    if question.pinned and question.shared:
        return replace(question, pinned=replace(question.pinned, methods=question.shared))
    return question


def _keep_pin() -> None:
    """Let go of a pinned setting that has lost its meaning, as one of records that were forgotten, and say so."""
    try:
        decode(st.session_state.get(PIN.key, ""))
    except ValueError as error:
        st.session_state[PIN.key] = PIN.default
        st.toast(text.sentence(f"the pinned setting was let go: {text.unmarked(str(error))}"))


def _epsilon() -> float:
    """The ε of a label, or the probability that a person lies: either can be set."""
    slider = st.container()
    with lies.pair("compare") as (left, right):
        with left:
            epsilon = settings.number(EPSILON, "ε of a label", step=0.1, form="%.4g")
        with right:
            settings.linked(
                "compare_p",
                EPSILON,
                st.number_input,
                lambda p: EPSILON.limit.nearest(round(RandomisedResponse(p, 2).epsilon, 12)),
                lambda e: RandomisedResponse.from_epsilon(e, 2).flip_prob,
                label="p of a lie",
                min_value=RandomisedResponse.from_epsilon(EPSILON.limit.high, 2).flip_prob,
                max_value=RandomisedResponse.from_epsilon(EPSILON.limit.low, 2).flip_prob,
                value=None,
                step=0.01,
                format="%.4g",
                help="The least lie that is ε-private. Set either number; the other follows.",
            )
    with slider:
        privacy_ladder.ladder(
            EPSILON,
            EPSILON_STEPS,
            "ε, how much one label can change the odds",
            "Whatever is released of a label multiplies the odds of any guess by e^ε at most.",
        )
        st.caption("← more private · more accurate →", text_alignment="center")
    return float(epsilon)


def _more(config: ComparisonConfig, n_train: int) -> ComparisonConfig | str:
    """The settings that few change."""
    with lies.pair("bags") as (left, right):
        with left:
            bag_size = settings.number(BAG, "People in a bag", step=5)
        with right:
            rho = settings.number(RHO, "ρ, rarer class of a set", step=0.05, form="%.4g")
    delta = settings.number(DELTA, "δ of released counts", step=0.001, form="%.3g")
    with st.container(key="asked-shown" if config.task == SHARE else "other-levels-asked"), lies.pair("asked") as pair:
        with pair[0]:
            n_asked = settings.number(ASKED, "Records asked about", step=100)
        with pair[1]:
            share = settings.number(TRUE_SHARE, "True share", step=0.05, form="%.4g")
    seed = settings.number(SEED, "Seed", step=1, help="The same seed gives the same people and noise.")
    try:
        wanted = replace(
            config,
            n_train=int(n_train),
            bag_size=int(bag_size),
            rho=float(rho),
            delta=float(delta),
            n_asked=int(n_asked),
            share=float(share),
            seed=int(seed),
        )
        comparison.check(wanted)
    except ValueError as error:
        return f"Nothing can be compared here. {text.sentence(error)}"
    return wanted


def _goal(metric: str) -> float | None:
    """What is sought, in the units of the metric: an accuracy, or by how much a share may be off; else None."""
    with st.container(key="goal-shown" if metric == "accuracy" else "other-levels-goal"):
        accuracy = settings.number(GOAL, "Goal: right for at least (%)", step=1.0, form="%.4g")
    with st.container(key="off-by-shown" if metric == "error" else "other-levels-off-by"):
        points = settings.number(OFF_BY, "Goal: off by at most (points)", step=0.5, form="%.4g")
    return {"accuracy": float(accuracy) / 100, "error": float(points) / 100}.get(metric)


def has_curves(config: ComparisonConfig) -> bool:
    """Whether the results file holds curves of the same task, data set and private part."""
    wanted = (config.task, config.dataset, config.private)
    return any((known.task, known.dataset, known.private) == wanted for known in comparison.study.CONTEXTS)


def on_curves(config: ComparisonConfig) -> bool:
    """Whether the shipped curves are of this setting, but for its ε and methods."""
    return replace(config, methods=(), epsilon=ComparisonConfig.epsilon, draw=0) in comparison.study.CONTEXTS


def is_shipped(config: ComparisonConfig, n_draws: int) -> bool:
    """Whether the results file holds this very setting with as many draws, whatever its methods."""
    return on_curves(config) and config.epsilon in comparison.study.EPSILONS and n_draws == results.N_DRAWS

"""The widgets of the page on many answers and of its chapters."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, inputs, link, own_data, own_data_input, privacy_inputs
from pages.kit.own_data import OwnAnswers
from pages.kit.settings import Choice, Setting
from pages.topics.many_answers.question import (
    ALL,
    ALONG,
    AMONG,
    AXIS,
    CURVES,
    DELTA,
    EPSILON,
    ESTIMATORS,
    EXPONENT,
    LOOK,
    ORACLE,
    ORACLES,
    PAIR,
    PEOPLE,
    PRESETS,
    RARE,
    READ,
    SEED,
    SENDER,
    TITLES,
    TWO,
    Curves,
    K,
    Question,
)
from privdemo import limits
from privdemo.datasets import Answers, Source
from privdemo.experiments.many_answers import OCCUPATIONS, UNIFORM, WORDS, ZIPF, AnswersConfig
from privdemo.methods import FREQUENCY_ORACLES

# The session's key of the data that set the number of people, and its value for all data but a visitor's own.
_DATA, _SHIPPED = "answers_data", "named"


def source_choice() -> Choice:
    """Return the choice of whose answers: the data sets that are available, and the visitor’s own."""
    needed = {OCCUPATIONS, WORDS}
    available = (title for title, name in TITLES.items() if name not in needed or cache.available(name))
    return own_data_input.choice("answers_of", tuple(available), OwnAnswers)


def all_settings() -> list[Setting]:
    """Return every setting of the page."""
    return [source_choice(), K, EXPONENT, PEOPLE, EPSILON, ORACLE, SEED]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the controls, ε and the lie in `main`; return the question, or a sentence on why there is none."""
    with main:
        epsilon, oracle = _epsilon_and_oracle()
    source, problem = _source()
    with inputs.container_if("answers-k", source in (ZIPF, UNIFORM, WORDS)):
        k = inputs.number(K)
    with inputs.container_if("answers-zipf", source == ZIPF):
        exponent = inputs.number(EXPONENT)
    people, seed = inputs.number(PEOPLE), inputs.number(SEED)
    if problem:
        return problem
    if source not in (ZIPF, UNIFORM, WORDS):
        k = int(limits.ORACLE_ANSWERS.high)  # all different answers of the data
    config = AnswersConfig(source, k, exponent if source == ZIPF else 0.0, people, epsilon, oracle, seed)
    reads = st.session_state.get(LOOK, st.query_params.get(LOOK)) == ESTIMATORS
    return Question(config, reads, own_data.file_of(source))


def _epsilon_and_oracle() -> tuple[float, str]:
    """Render ε as a slider over common values and a box, with the lie beside it, and what ε means."""
    with st.container(key="row-answers"):
        slider = st.container()
        with inputs.side_by_side("answers"):
            epsilon, title = float(inputs.number(EPSILON, "ε")), inputs.choose_from_list(ORACLE)
        privacy_inputs.scale(epsilon)
    with slider:  # rendered above the box, created after it: the box reads the link
        privacy_inputs.ladder(EPSILON, _COMMON, _EPSILON_LABEL, _EPSILON_HELP)
        privacy_inputs.say_which_end_is_private(private_right=False)
    return epsilon, ORACLES[title]


def _source() -> tuple[Source | Answers, str]:
    """Render the choice of whose answers; return the source, and why it cannot be read, if so.

    With a file of the visitor’s own there are as many people as it has rows, until another number is set.
    """
    chosen = source_choice()
    title = inputs.choose(chosen, "Whose answers")
    own_data_input.answers_panel(chosen)
    source = own_data.answers(title, TITLES.__getitem__)
    if isinstance(source, Answers):
        own_data.reset_sizes(_DATA, source, [replace(PEOPLE, default=source.people)])
    else:
        own_data.reset_sizes(_DATA, _SHIPPED, [PEOPLE])
    problem = cache.problem(source) if source in (OCCUPATIONS, WORDS) else None
    return source, f"{title} cannot be read: {problem}" if problem else ""


_COMMON = tuple(filter(EPSILON.limit.contains, privacy_inputs.EPSILONS))
_EPSILON_LABEL = "ε, how much one answer can change the odds"
_EPSILON_HELP = (
    "Whatever is true of a person, no report is more than e^ε times as likely as with another answer. Slide to a "
    "common value, or type any number."
)


def presets(_: object) -> None:
    """Render buttons with example surveys whose answers are available."""
    names = {TITLES[title] for title in source_choice().options if title in TITLES}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Try:", width="content", help="Surveys on one click.")
        for name, (source, *_) in PRESETS.items():
            if source in names:
                st.button(name, key=f"survey {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the settings of an example survey."""
    source, k, people, epsilon, exponent, oracle = PRESETS[name]
    title = next(title for title, known in TITLES.items() if known == source)
    st.session_state[_DATA] = _SHIPPED
    link.set_choices({source_choice(): title, ORACLE: FREQUENCY_ORACLES[oracle].title})
    values = {K: k, PEOPLE: people, EPSILON: epsilon, EXPONENT: exponent}
    link.set_numbers({setting.key: value for setting, value in values.items()})


# --- the chapters --------------------------------------------------------------------------------


def curve_controls(_: object) -> Curves:
    """Render the choice of the axis and of the curves, and return both."""
    with st.container(horizontal=True, key="in-line"):
        return Curves(ALONG[inputs.choose(AXIS)], inputs.choose(CURVES) == ALL)


def reading_controls(_: object) -> str:
    """Render the choice where to compare estimators; return the axis, or “” for the question itself."""
    return ALONG.get(inputs.choose_in_line(READ), "")


def among_controls(_: object) -> tuple[str, ...]:
    """Render the choice which lies the map compares, and return them."""
    return PAIR if inputs.choose_in_line(AMONG) == TWO else tuple(FREQUENCY_ORACLES)


def sender_controls(_: object) -> bool:
    """Render the choice whose report is examined; return whether the sender’s answer is the rarest."""
    return bool(inputs.choose_in_line(SENDER) == RARE)


def delta_controls(_: object) -> float:
    """Render δ and return it."""
    with st.container(key="answers-delta", width=260):
        return float(inputs.number(DELTA))

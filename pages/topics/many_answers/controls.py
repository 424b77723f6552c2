"""The widgets of the page on many answers and of its chapters."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, own_data, own_data_input, privacy_inputs
from pages.kit.values import Values, here, put_all, widget_arguments
from pages.topics.many_answers.answer import nouns, released
from pages.topics.many_answers.question import (
    AMONG,
    ATTACK,
    AXIS,
    CURVES,
    EPSILON,
    EXPONENT,
    FAKE,
    NAME_BY_TITLE,
    ORACLE,
    ORACLES,
    PEOPLE,
    PRESETS,
    PUSHED,
    READ,
    SEED,
    SENDER,
    K,
    delta_setting,
    question_of,
    source_choice,
    source_of,
)
from privdemo.datasets import Answers
from privdemo.experiments.many_answers import ILLNESSES, UNIFORM, WORDS, ZIPF
from privdemo.methods import FREQUENCY_ORACLES
from server.streamlit_internals import is_hidden

# The session's key of the data that set the number of people, and its value for all data but a visitor's own.
_DATA, _SHIPPED = "answers_data", "named"


def adjust(values: Values) -> None:
    """With a file of the visitor’s own, set the people to its rows, until another number is set."""
    source = source_of(values)
    if isinstance(source, Answers):
        own_data.reset_with_data(_DATA, source, [replace(PEOPLE, default=source.people)])
    else:
        own_data.reset_with_data(_DATA, _SHIPPED, [PEOPLE])


def controls(values: Values, main: DeltaGenerator) -> None:
    """Render the controls, ε in `main`."""
    with main, inputs.row("answers"):
        epsilon = privacy_inputs.epsilon(EPSILON, privacy_inputs.ANSWER_EPSILON, _COMMON)
        _meaning(values, epsilon)
    _choose_method()
    privacy_inputs.epsilon_box(EPSILON)
    inputs.choose(source_choice(), "The answers")
    own_data_input.answers_panel(source_choice())
    source = source_of(values)
    with inputs.container_if("answers-k", source in (ILLNESSES, ZIPF, UNIFORM, WORDS)):
        inputs.number(K)
    with inputs.container_if("answers-zipf", source in (ILLNESSES, ZIPF)):
        inputs.number(EXPONENT)
    inputs.number(PEOPLE)
    inputs.number(SEED)


def _meaning(values: Values, epsilon: float) -> None:
    """Say what ε means with as many answers as there are; nothing where there is no question or no answer to it."""
    if is_hidden() or isinstance(question := question_of(values), str):
        return
    with contextlib.suppress(ValueError):
        k = released(question.config).truth.k
        privacy_inputs.guess_scale(epsilon, privacy_inputs.guessing_one_of(k, *reversed(nouns(question))), name="")


def _choose_method() -> None:
    """Render the list of methods, each by what people send; its help has their titles."""
    if not is_hidden():
        st.selectbox(
            ORACLE.label,
            ORACLE.options,
            format_func=lambda title: FREQUENCY_ORACLES[ORACLES[title]].plain,
            help="; ".join(f"{one.plain}: {one.title}" for one in FREQUENCY_ORACLES.values()),
            **widget_arguments(ORACLE, "index"),
        )


_COMMON = tuple(filter(EPSILON.limit.contains, privacy_inputs.EPSILONS))


def presets(_: object) -> None:
    """Render buttons with example surveys whose answers are available."""
    names = {NAME_BY_TITLE[title] for title in source_choice().options if title in NAME_BY_TITLE}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Try:", width="content", help="Example surveys; each sets several settings at once.")
        for name, (source, *_) in PRESETS.items():
            if source in names:
                st.button(name, key=f"survey {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the settings of an example survey."""
    source, k, people, epsilon, exponent, oracle = PRESETS[name]
    title = next(title for title, known in NAME_BY_TITLE.items() if known == source)
    st.session_state[_DATA] = _SHIPPED
    new = {source_choice(): title, ORACLE: FREQUENCY_ORACLES[oracle].title}
    put_all(new | {K: k, PEOPLE: people, EPSILON: epsilon, EXPONENT: exponent})


# --- the chapters --------------------------------------------------------------------------------


def curve_controls(_: object) -> None:
    """Render the choice of the axis and of the curves."""
    with st.container(horizontal=True, key="in-line"):
        inputs.choose(AXIS)
        inputs.choose(CURVES)


def reading_controls(_: object) -> None:
    """Render the choice where to compare estimators."""
    inputs.choose_in_line(READ)


def among_controls(_: object) -> None:
    """Render the choice which methods the map compares."""
    inputs.choose_in_line(AMONG)


def sender_controls(_: object) -> None:
    """Render the choice whose report is examined."""
    inputs.choose_in_line(SENDER)


def delta_controls(_: object) -> None:
    """Render δ."""
    with st.container(key="answers-delta", width=260):
        inputs.number(delta_setting(here()))


def attacker_controls(_: object) -> None:
    """Render how many fake clients there are, which answer they push and how, and the choice of the curves."""
    with st.container(horizontal=True, key="answers-attackers"):
        with st.container(key="answers-fake", width=260):
            inputs.number(FAKE)
        for choice in (PUSHED, ATTACK, CURVES):
            inputs.choose(choice)

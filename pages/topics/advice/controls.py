"""The widgets of the page on decisions: the four questions, and in the settings what else the advice depends on."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, privacy_inputs, screen
from pages.kit.values import Values, in_address
from pages.topics.advice.question import (
    ABOUT,
    ANSWERS,
    EPSILON,
    GOAL,
    KIND,
    MOST_IN_CODE,
    PEOPLE,
    POINTS,
    QUESTION,
    RECORDS,
    SEVERAL,
    WITHIN_GOAL,
    delta_setting,
    groups_setting,
    kind_of,
    settings,
    trust_choice,
)
from privdemo.advise import CLASSIFIER


def controls(values: Values, main: DeltaGenerator) -> None:
    """Render the questions in `main`, the last where an error has a limit."""
    kind = kind_of(values)
    with main:
        both = st.container(gap="xxsmall")
    if not screen.is_slide():  # which shows no advice below
        both.markdown(f"**Describe your {ABOUT[kind]}, and read our advice below:**")
    with both, st.container(horizontal=True, key="questions", vertical_alignment="top", gap="small"):
        with st.container(key="first-question", width=260):
            inputs.choose_from_list(KIND)
            with inputs.container_if("answers-shown", kind in SEVERAL):
                inputs.number(ANSWERS)
            with inputs.container_if("records-shown", kind == CLASSIFIER):
                inputs.choose_from_list(RECORDS)
        with st.container(key="second-question", width=300):
            trust = trust_choice(kind)
            inputs.choose_from_list(trust)
        with st.container(key="third-question", width=165):
            inputs.number(PEOPLE)
        with inputs.container_if("points-shown", values[GOAL] == WITHIN_GOAL), st.container(width=300):
            inputs.number(POINTS)
    inputs.choose_from_list(GOAL)
    inputs.slider_and_box(EPSILON, ends=privacy_inputs.MORE_OR_LESS, largest_left=True)
    with inputs.container_if("groups-shown", kind != CLASSIFIER):
        inputs.number(groups_setting(values))
    inputs.number(delta_setting(values))


def label_controls(_: object) -> None:
    """Render the box for the question on the label."""
    inputs.text_input(QUESTION)


def label_choice(values: Values, _: object) -> tuple[str, str]:
    """Return the question on the label, and the link to this setting on the page on decisions.

    The link has the question too, unless its QR code would then be too dense to be read from paper.
    """
    parts = urlsplit(st.context.url or "")
    site = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    for shown in ([*settings(values), QUESTION], settings(values)):
        query = urlencode(in_address(shown), doseq=True)
        link = f"{site}/advice{f'?{query}' if query else ''}"
        if len(link) <= MOST_IN_CODE:
            break
    return values[QUESTION], link

"""The widgets of the page on private counts and of its chapters."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, privacy_inputs
from pages.kit.values import Values
from pages.topics.label_counts.question import (
    AXIS,
    CLASSES,
    COUNTS,
    COUNTS_SOURCE,
    CURVES,
    DESIGN,
    EPSILON,
    MECHANISM,
    N_MIN,
    OWN,
    RHO,
    SEED,
    TOTAL,
    delta_setting,
    repeats_setting,
)

_GUESSING = privacy_inputs.Guessing(
    "whoever sees the published counts and guesses which of two illnesses a patient has is right",
    "both",
    people="patients",
)


def controls(values: Values, main: DeltaGenerator) -> None:
    """Render the controls, ε in `main`."""
    with main, inputs.row("count-privacy"):
        epsilon, delta = privacy_inputs.epsilon(EPSILON, privacy_inputs.PERSON_EPSILON), values[delta_setting(values)]
        privacy_inputs.guess_scale(epsilon, _GUESSING, delta=delta, name="")
    privacy_inputs.epsilon_box(EPSILON)
    whose = inputs.choose(COUNTS_SOURCE)
    with inputs.container_if("design", whose == DESIGN):
        with inputs.side_by_side("design"):
            inputs.number(CLASSES)
            inputs.number(RHO)
        inputs.number(TOTAL)
    with inputs.container_if("typed", whose == OWN):
        inputs.text_input(COUNTS)
    with st.container(key="delta"):
        privacy_inputs.delta_of_counts(delta_setting(values))
    inputs.number(N_MIN)
    inputs.number(repeats_setting(values))
    inputs.number(SEED)
    inputs.choose_from_list(MECHANISM)


# --- the chapters --------------------------------------------------------------------------------


def curve_controls(_: object) -> None:
    """Render the choice of the axis and of the curves."""
    with st.container(horizontal=True, key="in-line"):
        inputs.choose(AXIS)
        inputs.choose(CURVES)


def axis_controls(_: object) -> None:
    """Render the choice of the axis."""
    inputs.choose_in_line(AXIS)

"""The widgets of the page on private counts and of its chapters."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, numbers, privacy_inputs
from pages.topics.label_counts.question import (
    ALL,
    AXES,
    AXIS,
    CLASSES,
    COUNTS,
    CURVES,
    DELTA,
    EPSILON,
    MECHANISM,
    N_MIN,
    OWN,
    REPEATS,
    RHO,
    SEED,
    TITLES,
    TOTAL,
    TYPED,
    Curves,
    Question,
    parse,
)
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig


def controls(main: DeltaGenerator) -> Question | str:
    """Render the controls, ε in `main`; return the question, or a sentence on why there is none."""
    with main:
        epsilon = privacy_inputs.count_epsilon(EPSILON, "count-privacy")
    own = inputs.choose(COUNTS) == OWN
    with inputs.container_if("design", not own):
        with inputs.side_by_side("design"):
            n_classes = inputs.number(CLASSES)
            rho = inputs.number(RHO)
        total = inputs.number(TOTAL)
    with inputs.container_if("typed", own):
        typed = inputs.text_input(TYPED)
    with st.container(key="delta"):
        delta = privacy_inputs.count_delta(DELTA)
    n_min = inputs.number(N_MIN)
    repeats, seed = inputs.number(REPEATS), inputs.number(SEED)
    release = TITLES[inputs.choose_from_list(MECHANISM)]
    try:
        counts = parse(typed) if own else label_counts.design(n_classes, total, rho)
        config = CountConfig(counts, epsilon, delta, n_min, repeats=repeats, seed=seed)
    except ValueError as error:
        return f"Nothing can be released here. {numbers.sentence(error)}"
    return Question(config, n_classes, total, rho, own, release)


# --- the chapters --------------------------------------------------------------------------------


def curve_controls(_: object) -> Curves:
    """Render the choice of the axis and of the curves, and return both."""
    with st.container(horizontal=True, key="in-line"):
        return Curves(AXES[inputs.choose(AXIS)], inputs.choose(CURVES) == ALL)


def axis_controls(_: object) -> str:
    """Render the choice of the axis, and return it."""
    return AXES[inputs.choose_in_line(AXIS)]

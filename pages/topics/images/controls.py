"""The widgets of the page on noise on images."""

from __future__ import annotations

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, inputs, link, privacy_inputs
from pages.kit.settings import Number, Setting
from pages.topics.images.question import (
    ASYMMETRIC,
    CANDIDATES,
    CHANGED,
    CLASSES,
    DELTA,
    DIAL,
    GAUSS,
    LABEL_KIND,
    LEVELS,
    MECHANISM,
    MECHANISMS,
    ONE_LIES,
    PEOPLE,
    PRESETS,
    SEED,
    SHOWN,
    SYMMETRIC,
    VIEW,
    ZERO_LIES,
    Question,
    Setup,
    data_choice,
    label_setting,
    level_setting,
)
from privdemo.experiments import images
from privdemo.experiments.images import LabelMechanism
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES
from server.streamlit_internals import hidden_container


def all_settings() -> list[Setting]:
    """Return every setting of the page, with the ranges that the current data set and classes give."""
    data = data_choice()
    n_states = images.n_states(cache.IMAGE_SETS[link.current(data)])
    levels = [level_setting(family, n_states) for family in FAMILIES.values()]
    label = label_setting(max(CLASSES.least, len(link.current(CLASSES))))
    more = [SHOWN, PEOPLE, CANDIDATES, DELTA, SEED]
    return [data, CLASSES, MECHANISM, *levels, LABEL_KIND, label, ZERO_LIES, ONE_LIES, *more]


def controls(main: DeltaGenerator) -> Setup | str:
    """Render the controls; return the question without its level, or a sentence on why there is none."""
    data = cache.IMAGE_SETS[inputs.choose(data_choice())]
    classes = tuple(sorted(inputs.choose(CLASSES)))
    if len(classes) < CLASSES.least:
        return "Choose at least two digits: a label needs something to be confused with."
    family = MECHANISMS[inputs.choose(MECHANISM)]
    labels = _labels(classes)
    shown, people, candidates, delta, seed = map(inputs.number, (SHOWN, PEOPLE, CANDIDATES, DELTA, SEED))
    return Setup(data, classes, family, labels, shown, people, candidates, delta, seed)


def _labels(classes: tuple[str, ...]) -> LabelMechanism:
    """Render the label’s lie, as one flip probability or, for two classes, two; return the mechanism."""
    n_classes = len(classes)
    kind = inputs.choose(LABEL_KIND) if n_classes == 2 else SYMMETRIC
    if kind == ASYMMETRIC:
        zero, one = classes
        return privacy_inputs.two_lies(
            ZERO_LIES,
            ONE_LIES,
            labels=(f"{zero} → {one}", f"{one} → {zero}"),
            titles=(f"Share of {zero}s reported as {one}", f"Share of {one}s reported as {zero}"),
        )
    if n_classes > 2:
        st.caption("With more than two digits, every wrong digit is equally likely.")
    setting = label_setting(n_classes)
    inputs.clamp(setting, "The label’s lie")
    flip_prob = privacy_inputs.lie(
        setting,
        n_classes,
        name="label",
        label="Share of people who report a wrong digit",
        p_label="p of the label",
        epsilon_label="ε of the label",
    )
    return RandomisedResponse(flip_prob, n_classes)


def level_inputs(setup: Setup) -> Question:
    """Render the noise level, or the ε of one pixel that sets it, and return the question.

    The boxes are hidden in the chapters on the paper’s figures, which have their own levels.
    """
    family, n_states = setup.family, setup.n_states
    chapter = st.session_state.get(VIEW)
    setting = level_setting(family, n_states)
    inputs.clamp(setting, f"The {family.level_name} {family.symbol}")
    with inputs.container_if("level-inputs", chapter not in (CHANGED, GAUSS)):
        level = _level(setting, setup, own_slider=chapter != DIAL)
    with hidden_container():  # so that a preset's level of another family reaches the address
        for other in FAMILIES.values():
            if other is not family:
                hidden = level_setting(other, n_states)
                inputs.clamp(hidden, f"The {other.level_name} {other.symbol}")
                inputs.number(hidden)
    return setup.at(level)


def _level(setting: Number, setup: Setup, own_slider: bool) -> float:
    """Render the boxes of the noise level and of its ε, under a slider where there is no dial; return the level."""
    family = setup.family
    with inputs.slider_row("level") as (slider, boxes):
        with boxes:
            level = privacy_inputs.pixel_level(
                setting, family, setup.n_states, setup.delta, "pixel_epsilon", slides=own_slider
            )
        if own_slider:
            with slider:
                inputs.number_slider(setting, f"{family.level_name.capitalize()}, {family.symbol}")
                privacy_inputs.say_which_end_is_private()
        epsilon = family.make(level, setup.n_states).epsilon
        if epsilon < math.inf:
            privacy_inputs.scale(epsilon)
    return level


def presets(_: object) -> None:
    """Render buttons with the paper’s settings."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            "Settings of the paper:",
            width="content",
            help="The noise on every pixel in its experiments, with the lie about the label that goes with it. "
            "σ² is the square of the noise strength σ.",
        )
        for name in PRESETS:
            st.button(name, key=f"preset {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the controls to one of the paper’s settings and return to the dial."""
    family, level, flip = PRESETS[name]
    link.set_choices({MECHANISM: FAMILIES[family].title, LABEL_KIND: SYMMETRIC})
    link.set_numbers({LEVELS[family].key: level, "flip": flip})
    st.session_state[VIEW] = DIAL

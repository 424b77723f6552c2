"""The widgets of the page on noise on images."""

from __future__ import annotations

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, dials, inputs, privacy_inputs
from pages.kit.values import Values, get, put_all
from pages.topics.images.question import (
    ASYMMETRIC,
    CANDIDATES,
    CHANGED,
    CHAPTER,
    CLASSES,
    DELTA,
    DIAL,
    FLIP_PROB_FIRST,
    FLIP_PROB_SECOND,
    GAUSS,
    LABEL_KIND,
    MECHANISM,
    PEOPLE,
    PRESETS,
    SEED,
    SHOWN,
    SYMMETRIC,
    data_choice,
    label_setting,
    level_setting,
    question_of,
)
from privdemo import datasets
from privdemo.experiments import images
from privdemo.mechanisms.pixels import FAMILIES


def controls(values: Values, _: DeltaGenerator) -> None:
    """Render the controls, except for the noise level."""
    inputs.choose(data_choice())
    inputs.choose(CLASSES)
    inputs.choose(MECHANISM)
    if len(values[CLASSES]) >= CLASSES.least:
        _label_controls(tuple(sorted(values[CLASSES])))
    _level_boxes(values)
    for setting in (SHOWN, PEOPLE, CANDIDATES, DELTA, SEED):
        inputs.number(setting)


def _level_boxes(values: Values) -> None:
    """Render boxes for the noise level of every pixel, and for the ε of one pixel."""
    if not isinstance(question := question_of(values), str):
        setting = level_setting(question.family, question.n_states)
        privacy_inputs.pixel_boxes(setting, question.family, question.n_states, question.delta, "pixel_epsilon")


def _label_controls(classes: tuple[str, ...]) -> None:
    """Render the label’s lie: one flip probability or, for two classes, two that may differ."""
    n_classes = len(classes)
    if n_classes > 2:
        st.caption("With more than two digits, every wrong digit is equally likely.")
    elif inputs.choose(LABEL_KIND) == ASYMMETRIC:
        zero, one = classes
        privacy_inputs.two_lies(
            (FLIP_PROB_FIRST, privacy_inputs.noise_slider(f"Share of {zero}s reported as {one}", ("none", "all"))),
            (FLIP_PROB_SECOND, privacy_inputs.noise_slider(f"Share of {one}s reported as {zero}", ("none", "all"))),
            privacy_inputs.People(f"have a {one}", f"have a {zero}", f"“{one}”"),
        )
        privacy_inputs.two_lies_boxes(FLIP_PROB_FIRST, FLIP_PROB_SECOND)
        return
    label = label_setting(n_classes)
    slider = privacy_inputs.noise_slider("Share of people who report a wrong digit")
    people = privacy_inputs.People(f"have a {classes[0]}", f"have a {classes[1]}", f"“{classes[0]}”")
    privacy_inputs.lie(label, n_classes, slider=slider, people=people, things="digits", thing="digit")
    privacy_inputs.lie_boxes(
        label, n_classes, label="p of the label", epsilon_key="label_epsilon", epsilon_label="ε of the label"
    )


def main_control(values: Values) -> None:
    """Render the slider of the noise level, which is in the dial where that is shown, and what its ε means.

    Nothing is rendered in the chapters on the paper’s figures, which have their own levels.
    """
    if values[CHAPTER] in (CHANGED, GAUSS) or isinstance(question := question_of(values), str):
        return
    family, setting = question.family, level_setting(question.family, question.n_states)
    is_chance = family.replaces_pixels
    name = dials.level_words(family) if is_chance else f"{dials.level_words(family)}, {family.symbol}"
    with st.container(key="level-inputs"), inputs.row("level"):
        if values[CHAPTER] != DIAL:
            ends = dials.level_ends(family, question.n_states)
            inputs.number(setting, slider=privacy_inputs.noise_slider(name, ends, percent=is_chance), part="slider")
        pixels = family.make(values[setting], question.n_states)
        if (epsilon := pixels.epsilon) < math.inf:
            sure = privacy_inputs.black_or_white(pixels)
            n_pixels = math.prod(images.image_shape(datasets.load(question.data)))
            privacy_inputs.guess_scale(epsilon, sure, name="ε of one pixel", n_pixels=n_pixels)


def presets(_: object) -> None:
    """Render buttons with the paper’s settings."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            "Settings of Barber’s paper:",
            width="content",
            help="The noise on every pixel in its experiments, with the lie about the label that goes with it. "
            "σ² is the square of the noise strength σ.",
        )
        for name in PRESETS:
            st.button(name, key=f"preset {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the controls to one of the paper’s settings and return to the dial."""
    family, level, flip = PRESETS[name]
    new = {MECHANISM: FAMILIES[family].title, LABEL_KIND: SYMMETRIC, CHAPTER: DIAL}
    n_states = images.n_states(cache.IMAGE_SETS[get(data_choice())])
    put_all(new | {level_setting(FAMILIES[family], n_states): level, label_setting(2): flip})

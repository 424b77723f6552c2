"""The widgets of the training page."""

from __future__ import annotations

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, dials, inputs, numbers, own_data, own_data_input, privacy_inputs
from pages.kit.number_control import MORE_OR_LESS
from pages.kit.values import Values, put_all
from pages.topics.training.pixel_noise import DELTA, NOISES
from pages.topics.training.question import (
    ASYMMETRIC,
    DIGITS,
    FIRST,
    FLIP_PROB_FIRST,
    FLIP_PROB_SECOND,
    LABEL_KIND,
    MECHANISMS,
    MORE,
    NOISE,
    PICKED,
    PRESETS,
    SECOND,
    SEED,
    STUDY,
    SYMMETRIC,
    TEN,
    TRAINED,
    TRIALS,
    class_choices,
    classes_of,
    data_choice,
    label_setting,
    level_setting,
    people_setting,
    source_of,
    words_of,
)
from privdemo import datasets
from privdemo.experiments import images
from privdemo.mechanisms.pixels import FAMILIES

_PEOPLE_FOR_KEY = "people_with_images_of"


def adjust(values: Values) -> None:
    """With other records, set the number of people to its default, and the classes of a visitor’s own file."""
    source = source_of(values)
    classes = () if isinstance(source, str) else class_choices(source)
    own_data.reset_with_data(_PEOPLE_FOR_KEY, source, [*classes, people_setting(source, classes_of(values))])


def controls(values: Values, main: DeltaGenerator) -> None:
    """Render the controls, the noise in `main`."""
    source = source_of(values)
    class_word, classes_word, value_word = words_of(source)
    inputs.choose(data_choice(), "Images" if own_data.current_reading(own_data.Own) is None else "Records")
    own_data_input.panel(data_choice())
    first, second, more = class_choices(source)
    inputs.choose_from_list(first, f"First {class_word}")
    inputs.choose_from_list(second, f"Second {class_word}")
    if len(first.options) > 2:
        inputs.choose(more, f"More {classes_word}")
    classes = classes_of(values)
    inputs.slider_and_box(people_setting(source, classes), f"People of each {class_word}")
    family = MECHANISMS[inputs.choose(NOISE, f"Noise on every {value_word}")]
    n_states = images.n_states(source)
    level = level_setting(family, n_states)
    name = NOISES[family.name].slider.replace("pixel", value_word)
    with main, inputs.row("level"):
        replaces, ends = family.replaces_pixels, MORE_OR_LESS
        if replaces:
            ends = dials.level_ends(family, n_states)
            name = dials.level_words(family) if value_word == "pixel" else name
        inputs.number(level, slider=privacy_inputs.noise_slider(name, ends, percent=replaces), part="slider")
        pixels = family.make(values[level], n_states)
        if (epsilon := pixels.epsilon) < math.inf:
            name, n_pixels = f"ε of one {value_word}", 0
            if value_word == "pixel":
                sure = privacy_inputs.black_or_white(pixels)
                n_pixels = math.prod(images.image_shape(datasets.load(source)))
            else:
                guess = f"whoever sees what is sent and guesses which of two numbers a {value_word} is, is right"
                sure = privacy_inputs.Guessing(guess, "both")
            privacy_inputs.guess_scale(epsilon, sure, name=name, n_pixels=n_pixels)
    privacy_inputs.pixel_boxes(level, family, n_states, DELTA, "training_pixel_epsilon", value_word)
    _label_controls(classes, class_word, classes_word)
    inputs.choose(TRAINED)
    inputs.number(TRIALS)
    inputs.number(SEED)
    inputs.choose(PICKED)
    inputs.choose(STUDY)


def _label_controls(classes: tuple[str, ...], class_word: str, classes_word: str) -> None:
    """Render the lie about the label: one flip probability, or, for two classes, two that may differ."""
    n_classes = len(classes)
    if n_classes > 2:
        st.caption(f"With more than two {classes_word}, every wrong one is equally likely.")
    elif inputs.choose(LABEL_KIND) == ASYMMETRIC:
        first, second = classes
        noise_slider, ends = privacy_inputs.noise_slider, ("none", "all")
        privacy_inputs.two_lies(
            (FLIP_PROB_FIRST, noise_slider(f"Of the {first}s, share sent as {second}", ends)),
            (FLIP_PROB_SECOND, noise_slider(f"Of the {second}s, share sent as {first}", ends)),
            privacy_inputs.People(f"are a {second}", f"are a {first}", f"“{second}”"),
        )
        privacy_inputs.two_lies_boxes(FLIP_PROB_FIRST, FLIP_PROB_SECOND)
        return
    label = label_setting(n_classes)
    slider = privacy_inputs.noise_slider("Each label is wrong with probability")
    people = privacy_inputs.People(f"are a {classes[0]}", f"are a {classes[1]}", f"“{classes[0]}”")
    privacy_inputs.lie(label, n_classes, slider=slider, people=people, things=classes_word, thing=class_word)
    privacy_inputs.lie_boxes(
        label, n_classes, label="p of the label", epsilon_key="training_label_epsilon", epsilon_label="ε of the label"
    )


def presets(_: object) -> None:
    """Render buttons with the paper’s settings."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("The paper’s experiments:", width="content")
        for name, preset in PRESETS.items():
            st.button(name, key=f"train {name}", on_click=_apply, args=preset, help=_preset_words(*preset))
    st.button("All ten digits", key="train ten", on_click=_apply, args=(*TEN, DIGITS), help=_preset_words(*TEN))


def _preset_words(family: str, level: float, flip: float, people: int) -> str:
    """Say what a preset sets."""
    pixels = (
        f"{numbers.share(level, 0)} of pixels are replaced"
        if family == "randomised_response"
        else f"Every pixel gets Gaussian noise of variance σ² = {level**2:.2g}"
    )
    return f"{pixels}, {numbers.share(flip, 0)} of labels are wrong; {people:,} people of each class."


def _apply(family: str, level: float, flip: float, people: int, classes: tuple[str, ...] = ("7", "9")) -> None:
    """Set the controls to a preset."""
    data_setting = data_choice()
    first, second, *more = classes
    source = cache.IMAGE_SETS[data_setting.default]
    people_of_each = people_setting(source, classes)
    put_all(
        {
            data_setting: data_setting.default,
            NOISE: FAMILIES[family].title,
            level_setting(FAMILIES[family], images.n_states(source)): level,
            LABEL_KIND: SYMMETRIC,
            label_setting(len(classes)): flip,
            FIRST: first,
            SECOND: second,
            MORE: more,
            people_of_each: int(min(people, people_of_each.limit.high)),
        }
    )

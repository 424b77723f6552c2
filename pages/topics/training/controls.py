"""The widgets of the training page."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, inputs, link, numbers, own_data, own_data_input, privacy_inputs
from pages.kit.settings import Choice, Setting
from pages.topics.training.pixel_noise import DELTA, NOISES
from pages.topics.training.question import (
    ASYMMETRIC,
    AT_ONCE,
    DIGITS,
    DRAWS,
    FIRST,
    KIND,
    MECHANISMS,
    MORE,
    NOISE,
    ONE_LIES,
    PICKED,
    PRESETS,
    SECOND,
    SEED,
    STUDY,
    SYMMETRIC,
    TEN,
    TRAINED,
    TRAINERS,
    ZERO_LIES,
    Question,
    class_choices,
    label_setting,
    level_setting,
    people_setting,
    valid_classes,
)
from privdemo.datasets import Source
from privdemo.experiments import images, training
from privdemo.experiments.images import LabelMechanism
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, PixelFamily
from privdemo.methods import CLEAN, PUBLISHED, TRAINING
from server.streamlit_internals import hidden_container

_DATA = "people_with_images_of"


def data_choice() -> Choice:
    """Return the choice among the available image sets, MNIST first if it is one of them, and the visitor’s data."""
    return own_data_input.choice("images", cache.image_titles())


def _source(title: str) -> Source:
    """Return the data of a title."""
    return own_data.source(title, cache.IMAGE_SETS.__getitem__)


def all_settings(defaults: bool = False) -> list[Setting]:
    """Return every setting of the page, with ranges for the current data set and classes, or for the default ones."""
    data = data_choice()
    source = _source(data.default if defaults else link.current(data))
    choices = (FIRST, SECOND, MORE) if defaults else class_choices(source)
    first, second, more = (choice.default if defaults else link.current(choice) for choice in choices)
    classes = valid_classes(choices, first, second, more)
    people = people_setting(source, classes)
    levels = [level_setting(family, images.n_states(source)) for family in MECHANISMS.values()]
    labels = [KIND, label_setting(len(classes)), ZERO_LIES, ONE_LIES]
    return [
        data,
        *class_choices(source),
        people,
        NOISE,
        *levels,
        *labels,
        TRAINED,
        DRAWS,
        SEED,
        PICKED,
        STUDY,
    ]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the controls, the noise in `main`; return the question, or a sentence on why there is none."""
    data = _source(
        inputs.choose(data_choice(), "Images" if own_data.current_reading(own_data.Own) is None else "Records")
    )
    own_data_input.panel(data_choice())
    kind, kinds = ("digit", "digits") if isinstance(data, str) else ("class", "classes")
    first, second, more = _classes(data, kind, kinds)
    classes = valid_classes(class_choices(data), first, second, more)
    setting = people_setting(data, classes)
    own_data.reset_sizes(_DATA, data, (setting,))
    inputs.clamp(setting, f"People of each {kind}")
    with st.container():
        n_train = inputs.slider_and_box(setting, f"People of each {kind}")
    what = "pixel" if isinstance(data, str) or data.image_shape else "column"
    family = MECHANISMS[inputs.choose(NOISE, f"Noise on every {what}")]
    with main:
        pixels = _pixels(data, family, what)
    with st.container():
        labels = _labels(classes, kinds)
    chosen = inputs.choose(TRAINED)
    trained = [name for title, name in TRAINERS.items() if title in chosen]
    n_draws = inputs.number(DRAWS)
    seed = inputs.number(SEED)
    picked, study = inputs.choose(PICKED), inputs.choose(STUDY)
    _hidden_inputs(data, len(classes))
    if first == second:
        return f"Choose two different {kinds}: {first} cannot be told from {second}."
    if len(classes) > training.MOST_CLASSES:
        return f"Choose {training.MOST_CLASSES} {kinds} at most: {len(classes)} are chosen."
    most = 2 * AT_ONCE // len(classes)
    if PUBLISHED in trained and n_train > most:
        title = TRAINING[PUBLISHED].title
        st.info(f"“{title}” runs here with up to {most} people of each class: its time grows with them.")
        trained = [name for name in trained if name != PUBLISHED]
    if not trained:
        return "Choose at least one method in Settings, under “Methods”."
    config = TrainingConfig(data, classes, n_train, pixels, labels, (CLEAN, *trained), seed)
    return Question(config, n_draws, own_data.file_of(data), picked, study)


def _classes(data: Source, kind: str, kinds: str) -> tuple[str, str, tuple[str, ...]]:
    """Render the choices of the classes; return the first, the second, and any others."""
    choices = class_choices(data)
    first, second, more = choices
    current = [*(st.session_state.get(one.key, one.default) for one in (first, second)), *link.current(more)]
    if any(name not in first.options for name in current):
        for choice in choices:  # the classes of other records
            st.session_state[choice.key] = list(choice.default) if choice.many else choice.default
    chosen_two = inputs.choose_from_list(first, f"First {kind}"), inputs.choose_from_list(second, f"Second {kind}")
    return *chosen_two, inputs.choose(more, f"More {kinds}") if len(first.options) > 2 else ()


def _hidden_inputs(data: Source, n_classes: int) -> None:
    """Create the unused noise settings hidden, so that a preset’s values for them reach the address."""
    with hidden_container():
        for family in MECHANISMS.values():
            if st.session_state[NOISE.key] != family.title:
                hidden = level_setting(family, images.n_states(data))
                inputs.clamp(hidden, f"The {family.level_name} {family.symbol}")
                inputs.number(hidden, family.title)
        if n_classes == 2 and st.session_state[KIND.key] == ASYMMETRIC:
            inputs.number(label_setting(n_classes))


def _pixels(data: Source, family: PixelFamily, what: str) -> training.TrainingNoise:
    """Render the noise on every pixel: a slider, and boxes for its level and for the ε of one pixel."""
    n_states = images.n_states(data)
    setting = level_setting(family, n_states)
    inputs.clamp(setting, f"The {family.level_name} {family.symbol}")
    with inputs.slider_row("pixel_level") as (slider, boxes), boxes:
        level = privacy_inputs.pixel_level(
            setting, family, n_states, DELTA, "training_pixel_epsilon", what, slides=True
        )
    with slider:
        inputs.number_slider(setting, f"{family.level_name.capitalize()} {family.symbol} of every {what}")
        privacy_inputs.say_which_end_is_private()
    return family.make(level, n_states)


def _labels(classes: tuple[str, ...], kinds: str) -> LabelMechanism:
    """Render the lie about the label: one flip probability, or, for two classes, two that may differ."""
    n_classes = len(classes)
    if n_classes > 2:
        st.caption(f"With more than two {kinds}, every wrong one is equally likely.")
    elif inputs.choose(KIND) == ASYMMETRIC:
        first, second = classes
        return privacy_inputs.two_lies(
            ZERO_LIES,
            ONE_LIES,
            labels=(f"{first} → {second}", f"{second} → {first}"),
            titles=(f"Of the {first}s, share sent as {second}", f"Of the {second}s, share sent as {first}"),
        )
    setting = label_setting(n_classes)
    inputs.clamp(setting, "The label’s lie")
    flip_prob = privacy_inputs.lie(
        setting,
        n_classes,
        name="training_label",
        label="Each label is wrong with probability",
        p_label="p of the label",
        epsilon_label="ε of the label",
    )
    return RandomisedResponse(flip_prob, n_classes)


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
        f"Every pixel is replaced {numbers.share(level, 0)} of the time"
        if family == "randomised_response"
        else f"Every pixel gets Gaussian noise of variance σ² = {level**2:.2g}"
    )
    return f"{pixels}, every label is wrong {numbers.share(flip, 0)} of the time; {people:,} people of each class."


def _apply(family: str, level: float, flip: float, people: int, classes: tuple[str, ...] = ("7", "9")) -> None:
    """Set the controls to a preset."""
    data = data_choice()
    first, second, *more = classes
    link.set_choices({data: data.default, NOISE: FAMILIES[family].title, KIND: SYMMETRIC, FIRST: first, SECOND: second})
    link.set_choices({MORE: more})
    most = people_setting(cache.IMAGE_SETS[data.default], classes).limit.high
    link.set_numbers({NOISES[family].key: level, label_setting(len(classes)).key: flip, "n": int(min(people, most))})

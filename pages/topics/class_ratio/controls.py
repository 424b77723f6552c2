"""The widgets of the page on class ratios and of its chapters."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, own_data, own_data_input, predictions, privacy_inputs
from pages.kit.number_control import Slider
from pages.kit.settings import Choice, Number
from pages.kit.values import Values, here, put, put_all
from pages.topics.class_ratio.answer import GUESS
from pages.topics.class_ratio.question import (
    BANDWIDTH,
    BY_HAND,
    CLASSES,
    COPIES,
    CURVES,
    DATA_SETS,
    DELTA,
    EPSILON,
    FACTOR,
    FIGURE_2,
    FIGURE_3,
    GIVEN,
    METHODS,
    MIX,
    N_MIN,
    NAME_BY_TITLE,
    ONLY_TWO,
    PRESETS,
    RELEASE,
    RHO,
    RHO_CLASSES_KEY,
    SEED,
    SIZES_FOR_KEY,
    TRIALS,
    Question,
    can_be_guessed,
    classes_setting,
    first_class_words,
    question_of,
    share_setting,
    size_settings,
)
from privdemo.experiments.class_ratio import NO_RELEASE
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, PSVM
from privdemo.tasks import COUNTING, counting_task


def adjust(values: Values) -> None:
    """Reset the set sizes if the data set changes; lower ρ if more classes are chosen and all sets would be alike."""
    dataset = DATA_SETS.source(values)
    own_data.reset_with_data(SIZES_FOR_KEY, dataset, size_settings(dataset))
    n_classes = values[classes_setting(dataset)]
    if st.session_state.get(RHO_CLASSES_KEY, n_classes) != n_classes and values[RHO] * n_classes >= 1:
        put(RHO, 0.5 / n_classes)
        st.toast(f"ρ is now {0.5 / n_classes:.3g}: at 1 / {n_classes} all groups would be alike.")
    st.session_state[RHO_CLASSES_KEY] = n_classes


def controls(values: Values, main: DeltaGenerator) -> None:
    """Render the controls: that of the group’s class ratio in `main`, the others in the settings."""
    own_data_input.choose_records(DATA_SETS)
    dataset = DATA_SETS.source(values)
    task = counting_task(dataset)
    with inputs.container_if("classes-shown", len(task.classes) > 2):
        which = "digits from 0 on; two are 7 and 9" if isinstance(dataset, str) else "the first ones"
        inputs.number(classes_setting(dataset), f"Classes ({which})")
    n_classes = values[classes_setting(dataset)]
    group = f"{values[size_settings()[1]]:,} {task.records}"
    _mix(
        main,
        share_setting(n_classes),
        f"The truth, which you set: share of the {group} that really {first_class_words(dataset, n_classes)}",
    )
    _sets()
    _release(values)
    inputs.number(size_settings()[1])
    inputs.choose(BANDWIDTH)
    with inputs.container_if("factor-shown", values[BANDWIDTH] == GIVEN):
        inputs.number(FACTOR)
    inputs.choose(METHODS)
    if n_classes > 2 and CLASS_RATIO[PSVM].title in values[METHODS]:
        st.caption(f"{ONLY_TWO}: it is left out here.")
    inputs.number(TRIALS)
    inputs.number(SEED)


def _sets() -> None:
    """Render the size, number and skew of the known sets."""
    with inputs.side_by_side("sets"):
        inputs.number(size_settings()[0])
        inputs.number(COPIES)
    with st.container(key="rho-shown"):
        inputs.slider_and_box(RHO, ends=("easier to tell apart", "more alike"))


def _mix(main: DeltaGenerator, share: Number, name: str) -> None:
    """Render how the group’s class ratio is set and, in `main`, the share of its first class under this `name`."""
    mix = inputs.choose(MIX)
    with main, inputs.container_if("mix-slider", mix == BY_HAND):
        inputs.number(share, slider=Slider(name, ("none", "all"), percent=True), part="slider")
    # The share that a visitor is about to guess stays hidden.
    question = question_of(here())
    is_guessed = predictions.may_ask(GUESS) and isinstance(question, Question) and can_be_guessed(question.config)
    with inputs.container_if("mix-box", mix == BY_HAND and not is_guessed):
        inputs.number(share, name, part="boxes")


def _release(values: Values) -> None:
    """Render the release of the sets’ counts and its parameters."""
    inputs.choose_from_list(RELEASE)
    release = NAME_BY_TITLE[values[RELEASE]]
    with inputs.container_if("privacy-shown", release != NO_RELEASE):
        privacy_inputs.epsilon(EPSILON, privacy_inputs.LABEL_EPSILON)
        privacy_inputs.epsilon_box(EPSILON)
        privacy_inputs.delta_of_counts(DELTA)
    if release == NO_RELEASE:
        return
    if RELEASES[release].public_bound:
        inputs.number(N_MIN)
    if RELEASES[release].data_dependent:
        st.caption("Its noise is chosen from the secret counts: **no guarantee**.")


def presets(_: object) -> None:
    """Render buttons with settings of the paper and others whose data sets are available."""
    available = [name for name, preset in PRESETS.items() if COUNTING[preset.dataset].title in DATA_SETS.choice.options]
    if not available:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Try:", width="content", help="Settings of Iyer, Nath & Sarawagi (2016) and others, on one click.")
        for name in available:
            st.button(name, key=f"ratio {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the controls to a preset."""
    preset = PRESETS[name]
    st.session_state[SIZES_FOR_KEY] = preset.dataset
    noise = RELEASES[preset.release].title if preset.release else RELEASE.default
    set_sizes, test_sizes = size_settings()
    put_all(
        {
            DATA_SETS.choice: COUNTING[preset.dataset].title,
            CLASSES: preset.n_classes,
            set_sizes: preset.set_size,
            COPIES: 1,
            RHO: preset.rho,
            test_sizes: preset.n_test,
            MIX: BY_HAND,
            share_setting(preset.n_classes): share_setting(preset.n_classes).default,
            RELEASE: noise,
            EPSILON: preset.epsilon,
            DELTA: preset.delta,
            N_MIN: preset.n_min,
        }
    )


# --- the chapters ------------------------------------------------------------------------------------


def figure_2_controls(_: object) -> None:
    """Render the choice of figure 2’s data set and of its curves."""
    _choose_curves(FIGURE_2)


def figure_3_controls(_: object) -> None:
    """Render the choice of figure 3’s method and of its curves."""
    _choose_curves(FIGURE_3)


def _choose_curves(of: Choice) -> None:
    with st.container(horizontal=True, key="in-line"):
        inputs.choose(of)
        inputs.choose(CURVES)

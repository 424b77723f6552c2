"""The widgets of the comparison page."""

from __future__ import annotations

from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, numbers, own_data, own_data_input, privacy_inputs
from pages.kit.number_control import OtherUnit
from pages.kit.values import Values, put
from pages.topics.comparison.question import (
    ASKED,
    BAG,
    DATA_SETS,
    EPSILON,
    EPSILON_STEPS,
    FAKE,
    FAKE_LABEL,
    GOAL,
    METHODS,
    METRIC,
    OFF_BY,
    PIN,
    PRIVATE,
    PUSHED,
    REACH_A_GOAL,
    RHO,
    SEED,
    SEEKING,
    TASK,
    TASKS,
    TRIALS,
    TRUE_SHARE,
    TRUSTED,
    decode,
    delta_setting,
    encode,
    metric_of,
    people_in_release,
    people_setting,
)
from pages.topics.comparison.words import names_in
from privdemo.experiments.comparison import CLASSIFY, SHARE, has_pixels
from privdemo.mechanisms import RandomisedResponse

_DATA = "compared_people_of"


def adjust(values: Values) -> None:
    """With other records, set the number of people to its default; drop a pin that is no longer valid, with a note."""
    dataset = DATA_SETS.source(values)
    own_data.reset_with_data(_DATA, dataset, (people_setting(dataset),))
    try:
        decode(values[PIN])
    except ValueError as error:  # for example because its records were forgotten
        put(PIN, PIN.default)
        st.toast(numbers.error_sentence_html(f"the pinned setting was removed: {numbers.escape_markdown(str(error))}"))


def controls(values: Values, main: DeltaGenerator) -> None:
    """Render the controls, ε in `main`."""
    inputs.choose(TASK)
    own_data_input.choose_records(DATA_SETS)
    dataset, task = DATA_SETS.source(values), TASKS[values[TASK]]
    names = names_in(dataset)
    with inputs.container_if("private-shown", has_pixels(dataset)):
        inputs.choose(PRIVATE)
    with inputs.container_if("metric-shown", task == CLASSIFY):
        inputs.choose(METRIC)
    chapter = values[SEEKING]
    with main, inputs.row("compare"):
        epsilon = privacy_inputs.epsilon(EPSILON, f"Protection of one {names.label}", EPSILON_STEPS)
        with st.container():
            if chapter == REACH_A_GOAL:
                _goal_controls(metric_of(values))
            elif chapter == PUSHED:
                _pushed_controls()
            else:
                guessing = privacy_inputs.Guessing(
                    f"an outsider who guesses a person’s {names.label} is right",
                    " and ".join(map(escape, names.classes)),
                    people=names.labels,
                )
                privacy_inputs.guess_scale(epsilon, guessing, delta=values[delta_setting(values)], name="")
    if chapter != REACH_A_GOAL:
        _goal_controls(metric_of(values))
    if chapter != PUSHED:
        _pushed_controls()
    _epsilon_boxes()
    inputs.slider_and_box(people_setting(dataset))
    inputs.choose(TRUSTED)
    with inputs.side_by_side("bags"):
        inputs.number(BAG)
        inputs.number(RHO)
    delta = inputs.number(delta_setting(values))
    if words := numbers.large_delta_words(people_in_release(values), delta):
        st.caption(words)
    with inputs.container_if("asked-shown", task == SHARE), inputs.side_by_side("asked"):
        inputs.number(ASKED)
        inputs.number(TRUE_SHARE)
    inputs.number(SEED)
    inputs.choose(METHODS)
    inputs.number(TRIALS)


def _epsilon_boxes() -> None:
    """Render the boxes of the ε of a label, and of the probability of a random answer that sets it."""
    least, most = (RandomisedResponse.from_epsilon(end, 2).flip_prob for end in (EPSILON.limit.high, EPSILON.limit.low))
    lie = OtherUnit(
        "compare_p",
        "p of a flip",
        lambda p: round(RandomisedResponse(p, 2).epsilon, 12),
        lambda epsilon: RandomisedResponse.from_epsilon(epsilon, 2).flip_prob,
        least,
        most,
        0.01,
        "How often a label must be replaced by the other one to keep ε. Set either number; the other follows.",
    )
    privacy_inputs.epsilon_box(EPSILON, lie, EPSILON.label)


def _goal_controls(metric: str) -> None:
    """Render the goal: an accuracy, or an error of a share."""
    if metric == "accuracy":
        inputs.number(GOAL)
    elif metric == "error":
        inputs.number(OFF_BY)


def _pushed_controls() -> None:
    """Render how many labels are pushed, and what is sent then."""
    with inputs.side_by_side("pushed"):
        inputs.number(FAKE)
        inputs.choose(FAKE_LABEL)


def pin_button(answer: Any) -> None:
    """Render the button that pins the setting on screen, and the one that unpins it."""
    question = answer.question
    with st.container(horizontal=True, gap="small"):
        pin = st.button("Pin this setting", on_click=put, args=(PIN, encode(question.config)), key="pin-it")
        unpin = bool(question.pinned) and st.button("Unpin", on_click=put, args=(PIN, PIN.default), key="unpin")
    if pin or unpin:
        st.rerun()  # rerun the whole page, so that the pin reaches the link

"""The widgets of the comparison page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, link, numbers, own_data, privacy_inputs
from pages.kit.data_sets import DataSets
from pages.kit.settings import Setting
from pages.topics.comparison.pin import PIN, decode, encode
from pages.topics.comparison.question import (
    ASKED,
    BAG,
    DELTA,
    DRAWS,
    EPSILON,
    EPSILON_STEPS,
    GOAL,
    METHOD_NAMES,
    METHODS,
    METRIC,
    METRIC_NAMES,
    OFF_BY,
    PRIVATE,
    PRIVATE_PARTS,
    REACH_A_GOAL,
    RHO,
    SEED,
    SEEKING,
    TASK,
    TASKS,
    TRUE_SHARE,
    TRUSTED,
    Question,
    people_setting,
)
from privdemo.datasets import Source
from privdemo.experiments import comparison
from privdemo.experiments.comparison import CLASSIFY, LABELS, METRICS, SHARE, ComparisonConfig, has_pixels
from privdemo.mechanisms import RandomisedResponse
from privdemo.tasks import BINARY
from server.streamlit_internals import hidden_container

_DATA = "compared_people_of"
# MNIST first.
_ORDER = ("mnist", "adult", "sms", "breast_cancer", "digits")
DATA_SETS = DataSets("compare_on", {name: BINARY[name] for name in _ORDER}, binary=True)


def all_settings(defaults: bool = False) -> list[Setting]:
    """Return every setting of the page, with ranges for the current data set, or for the default one."""
    people = people_setting(DATA_SETS.default() if defaults else DATA_SETS.current())
    for_config = [TASK, DATA_SETS.choice, PRIVATE, EPSILON, people, DELTA, BAG, RHO, ASKED, TRUE_SHARE]
    return [*for_config, METRIC, METHODS, DRAWS, SEED, GOAL, OFF_BY, TRUSTED, PIN]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the controls, ε in `main`; return the question, or a sentence on why there is none."""
    task = TASKS[inputs.choose(TASK)]
    dataset, problem = DATA_SETS.choose()
    if problem:
        return problem
    private = _private_part(dataset)
    metric, seeking = _metric(task), link.current(SEEKING) == REACH_A_GOAL
    with main:
        epsilon, beside = _epsilon_controls(with_scale=not seeking)
    with beside if seeking else st.container():
        goal = _goal(metric)
    people = people_setting(dataset)
    own_data.reset_sizes(_DATA, dataset, (people,))
    inputs.clamp(people, people.label)
    with st.container():
        n_train = inputs.slider_and_box(people)
    trusted = inputs.choose(TRUSTED)
    config = _rare_settings(ComparisonConfig(task, dataset, private, epsilon=epsilon), n_train)
    chosen = inputs.choose(METHODS)
    n_draws = inputs.number(DRAWS)
    pinned = _pinned()
    if isinstance(config, str):
        return config
    if not trusted:
        return "Choose at least one who may be trusted: “nobody” stands for methods in which nobody sees true labels."
    names = tuple(name for title, name in METHOD_NAMES.items() if title in chosen and name in config.chosen)
    if not names:
        return "None of the chosen methods can do this: choose more of them in Settings."
    own_file = own_data.file_of(dataset) or (own_data.file_of(pinned.dataset) if pinned else None)
    question = Question(replace(config, methods=names), n_draws, metric, goal, trusted, pinned, own_file)
    if pinned and question.shared:
        return replace(question, pinned=replace(pinned, methods=question.shared))
    return question


def _private_part(dataset: Source) -> str:
    """Render what is private, if the records are images, and return it."""
    with inputs.container_if("private-shown", has_pixels(dataset)):
        private = PRIVATE_PARTS[inputs.choose(PRIVATE)]
    return private if has_pixels(dataset) else LABELS


def _epsilon_controls(with_scale: bool) -> tuple[float, DeltaGenerator]:
    """Render the ε of a label, or the probability of a lie that sets it; return ε and a container beside the boxes.

    The container says what ε means if `with_scale` is set.
    """
    least, most = (RandomisedResponse.from_epsilon(end, 2).flip_prob for end in (EPSILON.limit.high, EPSILON.limit.low))
    with inputs.slider_row("compare") as (slider, boxes):
        with boxes:
            epsilon = inputs.number(EPSILON)
            inputs.second_widget(
                "compare_p",
                EPSILON,
                st.number_input,
                lambda p: EPSILON.limit.nearest(round(RandomisedResponse(p, 2).epsilon, 12)),
                lambda e: RandomisedResponse.from_epsilon(e, 2).flip_prob,
                last=False,
                label="p of a lie",
                min_value=least,
                max_value=most,
                step=0.01,
                format="%.4g",
                help="The least lie that is ε-private. Set either number; the other follows.",
            )
        meaning = st.container()
    with slider:  # rendered above the boxes, created after them: the boxes read the link
        privacy_inputs.ladder(
            EPSILON,
            EPSILON_STEPS,
            "ε, how much one label can change the odds",
            "Whatever is released of a label multiplies the odds of any guess by e^ε at most.",
        )
        privacy_inputs.say_which_end_is_private(private_right=False)
    if with_scale:
        with meaning:
            privacy_inputs.scale(float(epsilon))
    return float(epsilon), meaning


def _metric(task: str) -> str:
    """Render the metric to judge by, and return it; a share has only one."""
    with inputs.container_if("metric-shown", task == CLASSIFY):
        metric = METRIC_NAMES[inputs.choose(METRIC)]
    return metric if task == CLASSIFY else next(iter(METRICS[SHARE]))


def _goal(metric: str) -> float | None:
    """Render the goal and return it in the units of the metric: an accuracy or an error of a share; else None."""
    with inputs.container_if("goal-shown", metric == "accuracy"):
        accuracy = inputs.number(GOAL)
    with inputs.container_if("off-by-shown", metric == "error"):
        points = inputs.number(OFF_BY)
    return {"accuracy": accuracy / 100, "error": points / 100}.get(metric)


def _rare_settings(config: ComparisonConfig, n_train: int) -> ComparisonConfig | str:
    """Render the settings that are rarely changed; return the config, or a sentence if they do not go together."""
    with inputs.side_by_side("bags"):
        bag_size = inputs.number(BAG)
        rho = inputs.number(RHO)
    delta = inputs.number(DELTA)
    with (
        inputs.container_if("asked-shown", config.task == SHARE),
        inputs.side_by_side("asked"),
    ):
        n_asked = inputs.number(ASKED)
        share = inputs.number(TRUE_SHARE)
    seed = inputs.number(SEED)
    try:
        whole = replace(
            config, n_train=n_train, bag_size=bag_size, rho=rho, delta=delta, n_asked=n_asked, share=share, seed=seed
        )
        comparison.check(whole)
    except ValueError as error:
        return f"Nothing can be compared here. {numbers.sentence(error)}"
    return whole


# --- the pin -------------------------------------------------------------------------------------


def _pinned() -> ComparisonConfig | None:
    """Return the pinned setting, which the link holds; drop one that is no longer valid, with a note."""
    try:
        decode(st.session_state.get(PIN.key, PIN.default))
    except ValueError as error:  # for example because its records were forgotten
        st.session_state[PIN.key] = PIN.default
        st.toast(numbers.sentence(f"the pinned setting was let go: {numbers.escape_markdown(str(error))}"))
    with hidden_container():
        return decode(inputs.text_input(PIN))


def pin_button(answer: Any) -> None:
    """Render the button that pins the setting on screen, and the one that unpins it."""
    question = answer.question
    with st.container(horizontal=True, gap="small"):
        pin = st.button("Pin this setting", on_click=_pin, args=(encode(question.config),), key="pin-it")
        unpin = bool(question.pinned) and st.button("Unpin", on_click=_pin, args=(PIN.default,), key="unpin")
    if pin or unpin:
        st.rerun()  # rerun the whole page, so that the pin reaches the link


def _pin(words: str) -> None:
    """Store a pin."""
    st.session_state[PIN.key] = words

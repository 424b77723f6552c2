"""Render controls of privacy with sliders and boxes: a lie and its ε, a pixel's noise and its ε, (ε, δ) of counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from pages.kit import inputs, numbers
from pages.kit.settings import Number
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import PixelFamily

# e^700 is about the largest floating-point number.
LARGEST_EPSILON = 700.0
EPSILONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0)
DELTAS = (0.0, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2, 0.3)
_ENDS = "more accurate", "more private"


def say_which_end_is_private(private_right: bool = True) -> None:
    """Render words below the ends of a slider: which is private and which accurate."""
    left, right = _ENDS if private_right else _ENDS[::-1]
    st.html(f'<div class="slider-ends"><span>{left}</span><span>{right}</span></div>')


def scale(epsilon: float) -> None:
    """Render what ε means for a person: words, and a scale from no information to all."""
    st.html(epsilon_scale(epsilon))


def epsilon_scale(epsilon: float) -> str:
    """Return the scale as HTML; of two things equally likely before, an answer shifts belief to tanh(ε/2)."""
    shown = f"ε = {numbers.epsilon(epsilon)}"
    return (
        f'<div class="epsilon"><b>{shown}</b>: {numbers.odds_bound_text(epsilon)}'
        f'<div class="scale" role="img" aria-label="{shown}, on a scale from says nothing to says everything">'
        f'<i style="left:{min(99.5, 100 * math.tanh(epsilon / 2)):.1f}%"></i></div>'
        '<div class="ends"><span>says nothing</span><span>says everything</span></div></div>'
    )


# Renders the slider of a number with a label.
Slide = Callable[[Number, str], None]


def _slide(setting: Number, label: str) -> None:
    inputs.number_slider(setting, label)
    say_which_end_is_private()


def lie(
    setting: Number,
    n_states: int,
    *,
    name: str,
    label: str,
    p_label: str,
    epsilon_label: str,
    slide: Slide = _slide,
) -> float:
    """Render the flip probability among `n_states` states and its ε, either can be set; return the probability.

    `name` is part of the keys of what is not in the address.
    """
    flip = replace(setting, step=0.01, form="%.8g")
    least, most = (finite(RandomisedResponse(p, n_states).epsilon) for p in (setting.limit.high, setting.limit.low))
    with inputs.slider_row(name) as (slider, boxes):
        with boxes:
            flip_prob = inputs.number(flip, p_label)
            inputs.second_widget(
                f"{name}_epsilon",
                flip,
                st.number_input,
                lambda epsilon: setting.limit.nearest(RandomisedResponse.from_epsilon(epsilon, n_states).flip_prob),
                lambda p: finite(RandomisedResponse(p, n_states).epsilon),
                last=False,
                label=epsilon_label,
                min_value=least,
                max_value=most or LARGEST_EPSILON,
                step=0.1,
                format="%.4g",
                placeholder="∞",
                help="ε bounds what one answer gives away: it multiplies the odds of any guess by e^ε at most. "
                "Set either number; the other follows.",
            )
        with slider:  # rendered last although it is above: the boxes read the link
            slide(flip, label)
        scale(RandomisedResponse(flip_prob, n_states).epsilon)
    return flip_prob


def two_lies(
    zero: Number,
    one: Number,
    *,
    labels: tuple[str, str],
    titles: tuple[str, str],
    slide: Slide = inputs.number_slider,
) -> BinaryChannel:
    """Render two lies, from 0 to 1 (`zero`) and from 1 to 0 (`one`), and return their channel."""
    flips = [replace(setting, step=0.01, form="%.8g") for setting in (zero, one)]
    probabilities = []
    with st.container(key="row-lies"):
        sliders = st.container(), st.container()
        with inputs.side_by_side("lies"):
            for flip, label in zip(flips, labels, strict=True):
                probabilities.append(inputs.number(replace(flip, help=_WHAT_TWO_LIES_DO), label))
        for slider, flip, title in zip(sliders, flips, titles, strict=True):
            with slider:  # rendered last although it is above: the boxes read the link
                slide(flip, title)
        channel = BinaryChannel(*probabilities)
        scale(channel.epsilon)
    return channel


_WHAT_TWO_LIES_DO = "Both 0: everyone is honest. Sum 1: answers carry no information."


def pixel_level(
    setting: Number,
    family: PixelFamily,
    n_states: int,
    delta: float,
    epsilon_key: str,
    what: str = "pixel",
    *,
    slides: bool = False,
) -> float:
    """Render the noise level of every pixel and the ε of one pixel; return the level.

    The ε is at `delta` where the noise needs one. Either can be set. `slides` says that a slider of the
    level is rendered afterwards.
    """
    spent = 0.0 if math.isfinite(family.make(setting.limit.high, n_states).epsilon) else delta
    level = replace(setting, form="%.8g", help="Type an exact level, or slide it.")

    def pixel_epsilon(at: float) -> float | None:
        return finite(family.make(at, n_states).epsilon_at(spent))

    value = inputs.number(level, f"{family.symbol}, {family.level_name}")
    inputs.second_widget(
        epsilon_key,
        level,
        st.number_input,
        lambda epsilon: setting.limit.nearest(family.for_epsilon(epsilon, delta, n_states)),
        pixel_epsilon,
        last=not slides,
        label=f"ε of one {what}" + (f" at δ = {numbers.power_of_ten(spent)}" if spent else ""),
        min_value=pixel_epsilon(setting.limit.high),
        max_value=pixel_epsilon(setting.limit.low) or LARGEST_EPSILON,
        step=0.1,
        format="%.4g",
        placeholder="∞",
        help=f"One released {what} multiplies the odds of any guess about it by e^ε at most: smaller is more "
        "private. Set either number; the other follows.",
    )
    return value


def count_epsilon(epsilon: Number, name: str) -> float:
    """Render the ε of released counts: a slider over common values, a box, and what ε means."""
    with st.container(key=f"row-{name}"):
        slider = st.container()
        value = float(inputs.number(replace(epsilon, step=0.01, form="%.4g"), "ε"))
        scale(value)
    with slider:  # rendered last although it is above: the box reads the link
        ladder(epsilon, EPSILONS, _EPSILON_LABEL, _EPSILON_HELP)
        say_which_end_is_private(private_right=False)
    return value


def count_delta(delta: Number) -> float:
    """Render the δ of released counts: a slider over common values, and a box."""
    slider = st.container()
    value = float(inputs.number(replace(delta, step=0.01, form="%.3g"), _DELTA_LABEL, hide_label=True))
    with slider:  # rendered last although it is above: the box reads the link
        ladder(delta, DELTAS, _DELTA_LABEL, _DELTA_HELP)
    return value


def epsilon_and_delta(epsilon: Number, delta: Number, name: str) -> tuple[float, float]:
    """Render ε and δ of released counts, each as a slider over common values and a box; `name` is a key."""
    sliders = st.container()
    with inputs.side_by_side(name):
        at_epsilon = inputs.number(replace(epsilon, step=0.01, form="%.4g"), "ε")
        at_delta = inputs.number(replace(delta, step=0.01, form="%.3g"), "δ")
    with sliders:  # rendered last although they are above: the boxes read the link
        ladder(epsilon, EPSILONS, _EPSILON_LABEL, _EPSILON_HELP)
        ladder(delta, DELTAS, _DELTA_LABEL, _DELTA_HELP)
        say_which_end_is_private(private_right=False)
    return float(at_epsilon), float(at_delta)


_EPSILON_LABEL, _DELTA_LABEL = "ε, how much one label can change the odds", "δ, chance that the promise fails"
_EPSILON_HELP = (
    "With one person's label changed, no release becomes more than e^ε times as likely, except with chance δ. Slide "
    "to a common value, or type any number."
)
_DELTA_HELP = (
    "With this chance a release may give a label away. It should be below one over the number of people; the paper "
    "takes 0.05."
)


def ladder(setting: Number, steps: tuple[float, ...], label: str, help: str) -> None:
    """Render a slider over common values; a typed number between two of them is an additional step."""
    value = float(st.session_state.get(setting.key, setting.default))
    with_own = steps_with(value, steps)

    def step_of(value: float) -> float:
        return next((step for step in with_own if _step(step) == _step(value)), with_own[0])

    inputs.second_widget(
        f"{setting.key}_ladder",
        setting,
        st.select_slider,
        lambda value: value,
        step_of,
        label=label,
        options=with_own,
        format_func=_step,
        help=help,
    )


def steps_with(value: float, steps: tuple[float, ...]) -> tuple[float, ...]:
    """Return the steps of a ladder with `value` among them, unless it is written like one of them."""
    return steps if _step(value) in map(_step, steps) else tuple(sorted((*steps, value)))


def _step(value: float) -> str:
    return f"{value:.4g}"


def finite(value: float) -> float | None:
    """Return `value`, or None for ∞: an empty number input, whose placeholder is ∞."""
    return None if math.isinf(value) else value

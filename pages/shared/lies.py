"""Controls for a lie: one probability with its ε, or two that differ. A slider for each, and numbers to type."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import settings, text
from pages.shared.settings import Number
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import PixelFamily

# e^700 is about the largest number that a computer's arithmetic holds.
LARGEST_EPSILON = 700.0


def symmetric(setting: Number, n_states: int, *, name: str, label: str, p_label: str, epsilon_label: str) -> float:
    """The flip probability among `n_states` states, or its ε: either can be set. `name` keys what is not in the URL."""
    slider = st.container()
    with pair(name) as (left, right):
        with left:
            flip_prob = settings.number(setting, p_label, step=0.01, form="%.8g")
        with right:
            settings.linked(
                f"{name}_epsilon",
                setting,
                st.number_input,
                lambda epsilon: RandomisedResponse.from_epsilon(epsilon, n_states).flip_prob,
                lambda p: finite(RandomisedResponse(p, n_states).epsilon),
                label=epsilon_label,
                min_value=0.0,
                max_value=LARGEST_EPSILON,
                value=None,
                step=0.1,
                format="%.4g",
                placeholder="∞",
                help="ε bounds what one answer gives away: it multiplies the odds of any guess by e^ε at most. "
                "Set either number; the other follows.",
            )
    with slider:  # above the numbers, but they are the ones that read the link
        settings.slide(setting, label, step=0.01)
        st.caption("← more accurate · more private →", text_alignment="center")
    return flip_prob


def asymmetric(zero: Number, one: Number, *, labels: tuple[str, str], titles: tuple[str, str]) -> BinaryChannel:
    """Two lies that differ: from 0 to 1 (`zero`) and from 1 to 0 (`one`)."""
    sliders = st.container()
    with pair("lies") as (left, right):
        with left:
            p10 = settings.number(zero, labels[0], step=0.01, form="%.8g")
        with right:
            p01 = settings.number(one, labels[1], step=0.01, form="%.8g")
    with sliders:  # above the numbers, but they are the ones that read the link
        settings.slide(zero, titles[0], step=0.01)
        settings.slide(one, titles[1], step=0.01)
    st.caption("0 and 0 are the truth. Where the two add up to 1 an answer says nothing.")
    return BinaryChannel(p10, p01)


def pixel_level(
    setting: Number,
    family: PixelFamily,
    n_states: int,
    delta: float,
    step: float,
    epsilon_key: str,
    places: tuple[Any, Any],
    what: str = "pixel",
) -> float:
    """The noise level of every pixel and the ε of one pixel, at `delta` where the noise needs it: either can be set.

    `places` are the containers for the two.
    """
    spent = delta if family.name == "gaussian" else 0.0

    def pixel_epsilon(at: float) -> float | None:
        return finite(family.make(at, n_states).epsilon_at(spent))

    with places[0]:
        level = settings.number(
            setting,
            f"{family.symbol}, {family.level_name}",
            step=step,
            form="%.8g",
            help="Type an exact level, or slide it.",
        )
    with places[1]:
        settings.linked(
            epsilon_key,
            setting,
            st.number_input,
            lambda epsilon: setting.limit.nearest(family.for_epsilon(epsilon, delta, n_states)),
            pixel_epsilon,
            label=f"ε of one {what}" + (f" at δ = {text.power_of_ten(spent)}" if spent else ""),
            min_value=pixel_epsilon(setting.limit.high),
            max_value=pixel_epsilon(setting.limit.low) or LARGEST_EPSILON,
            value=None,
            step=0.1,
            format="%.4g",
            placeholder="∞",
            help=f"One released {what} multiplies the odds of any guess about it by e^ε at most: smaller is more "
            "private. Set either number; the other follows.",
        )
    return level


@contextmanager
def pair(name: str) -> Iterator[tuple[DeltaGenerator, DeltaGenerator]]:
    """Two linked numbers on one line."""
    with st.container(key=f"pair-{name}"):
        left, right = st.columns(2, gap="small")
        yield left, right


def finite(value: float) -> float | None:
    """`value`, or None for ∞: an empty number input, whose placeholder says ∞."""
    return None if math.isinf(value) else value

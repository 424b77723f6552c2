"""Controls for the (ε, δ) of released counts: a ladder to slide on, and numbers to type."""

from __future__ import annotations

import math

import streamlit as st

from pages.shared import lies, settings
from pages.shared.settings import Number

EPSILONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
DELTAS = (0.0, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2, 0.3)


def epsilon_and_delta(epsilon: Number, delta: Number, name: str) -> tuple[float, float]:
    """Both numbers, each with a slider over a ladder of common values. `name` keys what is not in the URL."""
    sliders = st.container()
    with lies.pair(name) as (left, right):
        with left:
            at_epsilon = settings.number(epsilon, "ε", step=0.01, form="%.4g")
        with right:
            at_delta = settings.number(delta, "δ", step=0.01, form="%.3g")
    with sliders:  # above the numbers, but they are the ones that read the link
        ladder(epsilon, EPSILONS, "ε, how much one label can change the odds", _EPSILON_HELP)
        ladder(delta, DELTAS, "δ, how likely that fails", _DELTA_HELP)
        st.caption("← more private · more accurate →", text_alignment="center")
    return float(at_epsilon), float(at_delta)


_EPSILON_HELP = (
    "Whatever is released is at most e^ε times as likely with one person's label changed, but for δ. Slide to a "
    "common value, or type any number below."
)
_DELTA_HELP = (
    "With probability δ the release may give a label away. Security asks for less than one over the number of people; "
    "the paper takes 0.05."
)


def ladder(setting: Number, steps: tuple[float, ...], label: str, words: str) -> None:
    """A slider over common values; a number typed between two of them shows the nearest."""

    def nearest(value: float) -> float:
        if value <= 0:
            return steps[0]
        return min((step for step in steps if step > 0), key=lambda step: abs(math.log(step / value)))

    settings.linked(
        f"{setting.key}_ladder",
        setting,
        st.select_slider,
        lambda view: view,
        nearest,
        label=label,
        options=steps,
        format_func=lambda step: f"{step:g}",
        help=words,
    )

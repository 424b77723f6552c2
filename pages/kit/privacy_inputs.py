"""Render controls of privacy: a flip probability or a noise level with its ε, and (ε, δ) of counts; explain ε."""

from __future__ import annotations

import math

import streamlit as st

from pages.kit import inputs, numbers
from pages.kit.number_control import OtherUnit, Slider
from pages.kit.settings import Number
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import PixelFamily

# The largest ε of a box without another bound: e^700 is about the largest floating-point number.
LARGEST_EPSILON = 700.0
EPSILONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0)
DELTAS = (0.0, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2, 0.3)
# Words for the ends of a slider, where more noise is on the right, and where a larger ε is.
PRIVATE_RIGHT, PRIVATE_LEFT = ("more accurate", "more private"), ("more private", "more accurate")
LABEL_EPSILON, _DELTA_NAME = "ε, how much one label can change the odds", "δ, chance that the promise fails"
_ODDS = "multiplies the odds of any guess by e^ε at most"


def epsilon_scale(epsilon: float) -> None:
    """Render what ε means for a person: a sentence, and a scale from no information to all."""
    st.html(epsilon_scale_html(epsilon))


def epsilon_scale_html(epsilon: float) -> str:
    """Return the scale as HTML; of two things equally likely before, an answer shifts belief to tanh(ε/2)."""
    shown = f"ε = {numbers.epsilon(epsilon)}"
    return (
        f'<div class="epsilon"><b>{shown}</b>: {numbers.odds_bound_text(epsilon)}'
        f'<div class="scale" role="img" aria-label="{shown}, on a scale from says nothing to says everything">'
        f'<i style="left:{min(99.5, 100 * math.tanh(epsilon / 2)):.1f}%"></i></div>'
        '<div class="ends"><span>says nothing</span><span>says everything</span></div></div>'
    )


def lie(setting: Number, n_states: int, *, slider: Slider, label: str, epsilon_key: str, epsilon_label: str) -> float:
    """Render two linked boxes: the flip probability among `n_states` states, and its ε; return the probability."""
    least, most = (
        finite_or_none(RandomisedResponse(p, n_states).epsilon) for p in (setting.limit.high, setting.limit.low)
    )
    other = OtherUnit(
        epsilon_key,
        epsilon_label,
        lambda epsilon: RandomisedResponse.from_epsilon(epsilon, n_states).flip_prob,
        lambda p: finite_or_none(RandomisedResponse(p, n_states).epsilon),
        least or 0.0,
        most or LARGEST_EPSILON,
        0.1,
        f"ε bounds what one answer gives away: it {_ODDS}. Set either number; the other follows.",
    )
    with inputs.row(setting.key):
        flip_prob = float(inputs.number(setting, label, slider=slider, other=other))
        epsilon_scale(RandomisedResponse(flip_prob, n_states).epsilon)
    return flip_prob


def two_lies(zero: tuple[Number, Slider, str], one: tuple[Number, Slider, str]) -> BinaryChannel:
    """Render the flip probabilities of 0 and of 1, each by its setting, slider and label; return the channel."""
    with inputs.row("lies"):
        channel = BinaryChannel(
            *(inputs.number(setting, label, slider=slider) for setting, slider, label in (zero, one))
        )
        epsilon_scale(channel.epsilon)
    return channel


def pixel_level(
    setting: Number,
    family: PixelFamily,
    n_states: int,
    delta: float,
    epsilon_key: str,
    what: str = "pixel",
    slider: Slider | None = None,
) -> float:
    """Render two linked boxes: the noise level of every pixel, and the ε of one pixel; return the level.

    If no ε is finite without a δ, the box shows the ε at `delta`.
    """
    delta_used = 0.0 if math.isfinite(family.make(setting.limit.high, n_states).epsilon) else delta

    def pixel_epsilon(level: float) -> float | None:
        return finite_or_none(family.make(level, n_states).epsilon_at(delta_used))

    other = OtherUnit(
        epsilon_key,
        f"ε of one {what}" + (f" at δ = {numbers.power_of_ten(delta_used)}" if delta_used else ""),
        lambda epsilon: family.for_epsilon(epsilon, delta, n_states),
        pixel_epsilon,
        pixel_epsilon(setting.limit.high) or 0.0,
        pixel_epsilon(setting.limit.low) or LARGEST_EPSILON,
        0.1,
        f"One released {what} {_ODDS}: smaller is more private. Set either number; the other follows.",
    )
    return float(inputs.number(setting, f"{family.symbol}, {family.level_name}", slider=slider, other=other))


def epsilon(
    setting: Number,
    name: str,
    stops: tuple[float, ...] = EPSILONS,
    other: OtherUnit | None = None,
    label: str = "ε",
) -> float:
    """Render the ε of what is released: a slider over `stops`, and a box under a `label`; return it."""
    return float(inputs.number(setting, label, slider=Slider(name, PRIVATE_LEFT, stops), other=other))


def delta_of_counts(setting: Number) -> float:
    """Render the δ of released counts: a slider over common values, and a box; return it."""
    return float(inputs.number(setting, "δ", slider=Slider(_DELTA_NAME, stops=DELTAS)))


def finite_or_none(value: float) -> float | None:
    """Return `value`, or None if it is infinite: the box is then empty, with ∞ as its placeholder."""
    return None if math.isinf(value) else value

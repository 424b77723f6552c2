"""Render controls of privacy: a flip probability or a noise level with its ε, and (ε, δ) of counts; explain ε."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from pages.kit import inputs, numbers
from pages.kit.number_control import OtherUnit, Slider
from pages.kit.settings import Number
from privdemo import figures
from privdemo.experiments import voting
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import PixelFamily

# The largest ε of a box without another bound: e^700 is about the largest floating-point number.
LARGEST_EPSILON = 700.0
EPSILONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0)
DELTAS = (0.0, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2, 0.3)
# The ends of every slider of privacy: more private is on the left throughout the app.
PRIVATE_LEFT = ("more private", "more accurate")
LABEL_EPSILON, _DELTA_NAME = "ε, how much one label can change the odds", "δ, chance that the promise fails"
_ODDS = "multiplies the odds of any guess by e^ε at most"


# What reveals something, where nothing else is said.
_ONE_ANSWER = "One answer"


def noise_slider(
    name: str, ends: tuple[str, str] = PRIVATE_LEFT, *, percent: bool = False, live: bool = False
) -> Slider:
    """Return a slider for random answers or noise: the most, which is the most private, is on the left."""
    return Slider(name, ends, percent=percent, live=live, largest_left=True)


@dataclass(frozen=True)
class People:
    """Names of two kinds of people, and of the answer that is typical of the first: for what ε means in people."""

    did: str = "did it"
    did_not: str = "did not"
    says: str = "Yes"


def epsilon_scale(
    epsilon: float, channel: BinaryChannel | None = None, people: People | None = None, *, start: str = _ONE_ANSWER
) -> None:
    """Render what ε means in whole people and, once opened, in pictures and odds; and where it is on a scale.

    Without the `channel` of the answers themselves, those of a question with two answers of the same ε are described,
    and `start` says what reveals no more than they do.
    """
    st.html(epsilon_scale_html(epsilon, channel, people, start))


def epsilon_scale_html(
    epsilon: float, channel: BinaryChannel | None = None, people: People | None = None, start: str = _ONE_ANSWER
) -> str:
    """Return it as HTML; of two things equally likely before, an answer shifts belief to tanh(ε/2)."""
    shown = f"ε = {numbers.epsilon(epsilon)}"
    alike = RandomisedResponse.from_epsilon(epsilon, 2).flip_prob
    matrix = (channel or BinaryChannel(alike, alike)).channel_matrix
    first, second, who = float(matrix[1, 1]), float(matrix[1, 0]), people or People()
    words = people_words(first, second, who)
    first_words = "" if channel else f"{start} reveals no more than this yes-or-no answer. "
    return (
        f'<div class="epsilon"><b>{shown}</b>. {first_words}{words}'
        f'<div class="scale" role="img" aria-label="{shown}, on a scale from says nothing to says everything">'
        f'<i style="left:{min(99.5, 100 * math.tanh(epsilon / 2)):.1f}%"></i></div>'
        '<div class="ends"><span>says nothing</span><span>says everything</span></div>'
        f"<details><summary>Show these people</summary>{_pictures(first, second, who)}"
        f"<p>{numbers.sentence(numbers.odds_bound_text(epsilon))}</p></details></div>"
    )


def people_words(first: float, second: float, people: People) -> str:
    """Say of each kind of people how many of 100 give an answer, from the chances `first` and `second` of it.

    Both are whole numbers that differ where the chances do; where no whole numbers tell them apart, it says so.
    """
    of_first, of_second = whole_people(first), whole_people(second)
    if of_first == of_second and first != second:
        return (
            f"Of 100 people who {people.did}, {of_first} say {people.says}; of 100 who {people.did_not} as well: the "
            "difference is under 1 of 100."
        )
    return (
        f"Of 100 people who {people.did}, {of_first} say {people.says}. Of 100 who {people.did_not}, {of_second} "
        f"say {people.says}."
    )


def whole_people(chance: float) -> str:
    """Write a chance as whole people of 100: “under 1” and “over 99” where it is not 0 or 1 but rounds to these."""
    whole = round(100 * chance)
    if whole == 0 and chance > 0:
        return "under 1"
    return "over 99" if whole == 100 and chance < 1 else str(whole)


def _pictures(first: float, second: float, people: People) -> str:
    """Return a hundred people of each kind, those who give the answer first; hollow where chance changed it."""
    yes, other = figures.people.SAID_A, figures.people.SAID_B
    rows = (
        (first, f"100 people who {people.did}", {voting.A_TRUE: yes, voting.B_TRUE: other.changed}),
        (second, f"100 people who {people.did_not}", {voting.A_TRUE: yes.changed, voting.B_TRUE: other}),
    )
    fields = [
        figures.dot_field(heading, voting.first_voted_a(round(100 * chance), 100), marks, columns=25)
        for chance, heading, marks in rows
    ]
    legend = {f"says {people.says}": yes, "says the other answer": other, "hollow: chance changed it": yes.changed}
    return figures.people_html(fields, legend, people_words(first, second, people))


def lie(setting: Number, n_states: int, *, slider: Slider, people: People | None = None) -> float:
    """Render the slider of the flip probability among `n_states` states, with what it means; return the probability."""
    with inputs.row(setting.key):
        flip_prob = float(inputs.number(setting, slider=slider, part="slider"))
        channel = BinaryChannel(flip_prob, flip_prob) if n_states == 2 else None
        epsilon_scale(RandomisedResponse(flip_prob, n_states).epsilon, channel, people)
    return flip_prob


def lie_boxes(setting: Number, n_states: int, *, label: str, epsilon_key: str, epsilon_label: str) -> None:
    """Render two linked boxes: the flip probability among `n_states` states, and its ε."""
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
    inputs.number(setting, label, other=other, part="boxes")


def two_lies(
    zero: tuple[Number, Slider, str], one: tuple[Number, Slider, str], people: People | None = None
) -> BinaryChannel:
    """Render the flip probabilities of 0 and of 1, each by its setting, slider and label; return the channel."""
    with inputs.row("lies"):
        channel = BinaryChannel(
            *(inputs.number(setting, label, slider=slider) for setting, slider, label in (zero, one))
        )
        epsilon_scale(channel.epsilon, channel, people)
    return channel


def pixel_boxes(
    setting: Number, family: PixelFamily, n_states: int, delta: float, epsilon_key: str, what: str = "pixel"
) -> None:
    """Render two linked boxes: the noise level of every pixel, and the ε of one pixel.

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
    inputs.number(setting, f"{family.symbol}, {family.level_name}", other=other, part="boxes")


def epsilon(setting: Number, name: str, stops: tuple[float, ...] = EPSILONS) -> float:
    """Render the slider of the ε of what is released, over `stops`; return it."""
    return float(inputs.number(setting, slider=Slider(name, PRIVATE_LEFT, stops), part="slider"))


def epsilon_box(setting: Number, other: OtherUnit | None = None, label: str = "ε") -> None:
    """Render the box of an ε, and of the same in another unit."""
    inputs.number(setting, label, other=other, part="boxes")


def delta_of_counts(setting: Number) -> float:
    """Render the δ of released counts: a slider over common values, and a box; return it."""
    return float(inputs.number(setting, "δ", slider=Slider(_DELTA_NAME, PRIVATE_LEFT, DELTAS)))


def finite_or_none(value: float) -> float | None:
    """Return `value`, or None if it is infinite: the box is then empty, with ∞ as its placeholder."""
    return None if math.isinf(value) else value

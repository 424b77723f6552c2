"""Render controls of privacy: a flip probability or a noise level with its ε, and (ε, δ) of counts; explain ε."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import unescape

import streamlit as st

from pages.kit import inputs, numbers, screen
from pages.kit.number_control import MORE_OR_LESS, OtherUnit, Slider
from pages.kit.settings import Number
from privdemo import accounting, figures
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixel_mechanism import PixelMechanism
from privdemo.mechanisms.pixels import PixelFamily
from server.streamlit_internals import is_hidden

# The largest ε of a box without another bound: e^700 is about the largest floating-point number.
LARGEST_EPSILON = 700.0
EPSILONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0)
DELTAS = (0.0, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2, 0.3)
ANSWER_EPSILON, LABEL_EPSILON = "Protection of one answer", "Protection of one label"
PERSON_EPSILON, _DELTA_NAME = "Protection of one person", "δ, chance that the promise fails"
# A smaller chance is written as one in so many.
_FEW = 0.01
# An ε above it is said to protect next to nothing.
_FAR_BEYOND = 60
_ODDS = "multiplies the odds of any guess by e^ε at most"


def noise_slider(
    name: str, ends: tuple[str, str] = MORE_OR_LESS, *, percent: bool = False, live: bool = False
) -> Slider:
    """Return a slider for random answers or noise: the most, which is the most private, is on the right."""
    return Slider(name, ends, percent=percent, live=live)


@dataclass(frozen=True)
class People:
    """Names of two kinds of people, and of the answer that is typical of the first: for what ε means in people."""

    did: str = "did it"
    did_not: str = "did not"
    says: str = "Yes"


def answer_scale(channel: BinaryChannel, people: People) -> None:
    """Render what the ε of an answer means: in whole people of two kinds, from the channel itself, and on a scale."""
    if not is_hidden():  # a term is explained once, where it is seen
        st.html(screen.with_explanations(answer_scale_html(channel, people), "ε of one answer"))


def answer_scale_html(channel: BinaryChannel, people: People) -> str:
    """Return what `answer_scale` renders as HTML, with pictures of these people to unfold."""
    first, second = float(channel.channel_matrix[1, 1]), float(channel.channel_matrix[1, 0])
    return _scale_html(
        "ε of one answer", channel.epsilon, people_words(first, second, people), _pictures(first, second, people)
    )


@dataclass(frozen=True)
class Guessing:
    """Parts of “Whoever sees what is published and guesses the label is right fewer than 74 of 100 times (pure
    guessing: 50), if 7 and 9 are equally common.”

    `guess` is “whoever sees what is published and guesses the label is right”, and `equal` “7 and 9”: `n_values` values
    among which it is guessed of `people`. The guess `reaches` the bound that ε sets, or may be right less often; `why`
    it does is said where dots show it.
    """

    guess: str
    equal: str
    n_values: int = 2
    people: str = "people"
    reaches: bool = False
    why: str = ""


def guessing_one_of(n_values: int, things: str, thing: str) -> Guessing:
    """Return what is guessed of people who each send one of so many `things`; `thing` is one of them."""
    each = "both" if n_values == 2 else "all"
    return Guessing(f"whoever sees what a person sends and guesses the {thing} is right", f"{each} {things}", n_values)


def guess_scale(epsilon: float, guessing: Guessing, *, delta: float = 0.0, name: str = "ε", n_pixels: int = 0) -> None:
    """Render what (ε, δ) of a release means: how many of 100 people can be guessed right.

    `name` is what ε is called. If it is of one of `n_pixels` of an image, what all give away together stands first,
    or is to unfold.
    Without a name, the slider of the ε stands beside it and says how well it protects, so that this does not.
    """
    shown = guess_scale_html(epsilon, guessing, delta=delta, name=name, n_pixels=n_pixels)
    st.html(screen.with_explanations(shown, name))


def guess_scale_html(
    epsilon: float, guessing: Guessing, *, delta: float = 0.0, name: str = "ε", n_pixels: int = 0
) -> str:
    """Return what `guess_scale` renders as HTML.

    No adversary is right more often than `accounting.most_guessed_right`, whatever the release. Its whole number is
    rounded up in the dots.
    """
    most = accounting.most_right_of_100(epsilon, delta, guessing.n_values)
    by_delta = most > accounting.most_right_of_100(epsilon, 0.0, guessing.n_values)
    failing = f" This includes a chance of δ = {numbers.power_of_ten(delta)} that the promise fails."
    often = accounting.right_of_100_words(epsilon, delta, guessing.n_values)
    if guessing.reaches:
        often = often.replace("up to nearly 100", "over 99").removeprefix("at most ")
    blind = numbers.people_of_100(1 / guessing.n_values)
    by_luck = "" if guessing.reaches else f" (pure guessing: {blind})"
    are = f", if {guessing.equal} are equally common"
    words = f"{numbers.capital(guessing.guess)} {often}{by_luck}{are}.{failing * by_delta}"
    is_right, is_wrong = figures.people.ANSWERED, figures.people.NOT_YET
    field = figures.split_field(f"100 {guessing.people}", most, 100, is_right, is_wrong, columns=25)
    legend = {"guessed right": is_right, "guessed wrong": is_wrong}
    pictures = figures.people_html([field], legend, unescape(words))
    # An ε that may fail too often, or one pixel of many where not all are spoken of, is not called protected.
    weak = epsilon >= numbers.WEAK_FROM
    says = not by_delta and (weak or "pixels" not in guessing.people)
    why = f"{words} {guessing.why}" if guessing.why else ""
    return _scale_html(name, epsilon, "" if why else words, pictures, why, says, n_pixels)


def black_or_white(pixels: PixelMechanism) -> Guessing:
    """Return what is guessed of a pixel; where it may be replaced, white tells the most, as noise seldom makes it."""
    equal = "black and white"
    if isinstance(pixels, RandomisedResponse):
        became_white = float(pixels.channel_matrix[-1, 0])
        other = f"takes any of {pixels.n_states - 1:,} other shades" if pixels.n_states > 2 else "changes its colour"
        few = f"{numbers.one_in(became_white)} black pixels turns" if 0 < became_white < _FEW else ""
        many = f"{numbers.percent(float(f'{became_white:.2g}'))} of black pixels turn"
        guess = "a pixel that is white in the sent image was white in the original"
        why = f"A pixel that is replaced {other}, so that {few or many} white."
        return Guessing(guess, equal, people="white pixels", reaches=True, why=why)
    return Guessing("whoever sees what is sent and guesses a pixel’s colour is right", equal, people="pixels")


def _scale_html(
    name: str, epsilon: float, words: str, pictures: str, why: str = "", says: bool = True, n_pixels: int = 0
) -> str:
    """Return what an ε means as HTML, with `pictures` and the ε itself to unfold, and `why` it does; it `says` how well
    it protects.

    What protects stands first; of one answer it stands last, as what follows from the people. Without any `name` the
    slider beside it says it. Of `n_pixels`, what all of them together protect, whose ε is the sum, stands before the
    `words`; without any, it is to unfold.
    """
    odds = f"{numbers.capital(numbers.odds_bound_text(epsilon))}."
    together = n_pixels * epsilon if n_pixels else 0.0
    summed = f"All {n_pixels:,} pixels of an image together have ε = {numbers.epsilon(together)}. " if n_pixels else ""
    reason = f"<p>{why}</p>" if why else ""
    its, protects = f"{name or 'ε'} = {numbers.epsilon(epsilon)}", numbers.protection(epsilon)
    whole = "practically none" if together > _FAR_BEYOND else numbers.protection(together)
    worst = f"<b>Protection of a whole image, in the worst case: {whole}.</b>" if n_pixels else ""
    is_folded = bool(worst) and not words  # beside a number it is said at once
    summary = "How well is a whole image protected?" if is_folded else "What this means"
    folded = f"<p>{worst}</p>" if is_folded else ""
    dots = (
        f"<details><summary>{summary}</summary>{folded}{reason}{pictures}"
        f"<p>{its} ({protects} protection). {odds} {summed}{numbers.SCALE_OF_PROTECTION}.</p></details>"
    )
    of_what = name.removeprefix("ε of ")
    if n_pixels:
        shown = "" if is_folded else f"{worst} {words}"
    elif not says or not name:
        shown = words
    elif name == "ε":
        shown = f"<b>{numbers.capital(protects)} protection.</b> {words}"
    else:
        shown = f"{words} <b>Protection of {of_what}: {protects}.</b>".strip()
    kind = " folded" * is_folded
    return f'<div class="epsilon{kind}">{shown}{dots}</div>'


def people_words(first: float, second: float, people: People) -> str:
    """Say of each kind of people how many of 100 give an answer, from the chances `first` and `second` of it.

    Both are whole numbers that differ where the chances do; where no whole numbers tell them apart, it says so.
    """
    of_first, of_second = numbers.people_of_100(first), numbers.people_of_100(second)
    start = f"Of 100 people who {people.did}, {_say(of_first)} {people.says}"
    if of_first == of_second and first != second:
        return f"{start}; of 100 who {people.did_not} as many, rounded to whole people."
    return f"{start}. Of 100 who {people.did_not}, {_say(of_second)} {people.says}."


def _say(count: str) -> str:
    return f"{count} {'says' if count in ('1', 'under 1') else 'say'}"


def _pictures(first: float, second: float, people: People) -> str:
    """Return a hundred people of each kind, those who give the answer first; hollow where chance changed it."""
    yes, other = figures.people.SAID_A, figures.people.SAID_B
    rows = (
        (first, f"100 people who {people.did}", yes, other.changed),
        (second, f"100 people who {people.did_not}", yes.changed, other),
    )
    fields = [
        figures.split_field(heading, numbers.whole_of_100(chance), 100, says_it, says_other, columns=25)
        for chance, heading, says_it, says_other in rows
    ]
    legend = {
        f"says {people.says}": yes,
        "says the other answer": other,
        f"chance made it {people.says}": yes.changed,
        "chance made it the other answer": other.changed,
    }
    return figures.people_html(fields, legend, people_words(first, second, people))


def lie(
    setting: Number, n_states: int, *, slider: Slider, people: People, things: str = "answers", thing: str = "answer"
) -> float:
    """Render the slider of the flip probability among `n_states` states, with what it means; return the probability.

    `people` names the two kinds of people of two states, `things` what more states are, and `thing` one of them.
    """
    with inputs.row(setting.key):
        flip_prob = float(inputs.number(setting, slider=slider, part="slider"))
        if n_states == 2:
            answer_scale(BinaryChannel(flip_prob, flip_prob), people)
        else:
            guessing = guessing_one_of(n_states, things, thing)
            guess_scale(RandomisedResponse(flip_prob, n_states).epsilon, guessing)
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


def two_lies(zero: tuple[Number, Slider], one: tuple[Number, Slider], people: People) -> BinaryChannel:
    """Render sliders of the flip probabilities of 0 and of 1, and what they mean for people; return the channel."""
    with inputs.row("lies"):
        p10, p01 = (inputs.number(setting, slider=slider, part="slider") for setting, slider in (zero, one))
        channel = BinaryChannel(p10, p01)
        answer_scale(channel, people)
    return channel


def two_lies_boxes(zero: Number, one: Number) -> None:
    """Render boxes of the flip probabilities of 0 and of 1, side by side."""
    with inputs.side_by_side("lies"):
        for setting in (zero, one):
            inputs.number(setting, part="boxes")


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
    return float(inputs.number(setting, slider=_loss_slider(name, stops), part="slider"))


def _loss_slider(name: str, stops: tuple[float, ...]) -> Slider:
    """Return the slider of an ε: the least, which is the most private, is on the right."""
    return Slider(name, MORE_OR_LESS, stops, largest_left=True, unit="ε = ", scale=numbers.PROTECTION)


def epsilon_box(setting: Number, other: OtherUnit | None = None, label: str = "ε") -> None:
    """Render the box of an ε, and of the same in another unit."""
    inputs.number(setting, label, other=other, part="boxes")


def delta_of_counts(setting: Number) -> float:
    """Render the δ of released counts: a slider over common values, and a box; return it."""
    return float(inputs.number(setting, "δ", slider=Slider(_DELTA_NAME, MORE_OR_LESS, DELTAS, largest_left=True)))


def finite_or_none(value: float) -> float | None:
    """Return `value`, or None if it is infinite: the box is then empty, with ∞ as its placeholder."""
    return None if math.isinf(value) else value

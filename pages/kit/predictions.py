"""Ask a visitor for a guess before a figure is shown, and show it beside the truth afterwards.

Guesses stay in the session: no link, lecture, report or file holds them. A visitor who comes to a page by a link with
settings is shown its figures at once. In a lecture, a step asks if its parts to show include a guess: the speaker marks
what the room says, or has it sent from telephones where a class poll is open.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from html import escape
from statistics import median
from typing import Any

import streamlit as st

from pages.kit import link, room_guesses
from pages.kit.panel import KnownNumber, Panel, Prediction, Scale, one_by_one
from pages.kit.settings import Setting
from privdemo import limits

# The key of the switch in the menu, True unless a visitor wants to see all figures at once.
ASK = "ask_for_guesses"
# Keys in the session state: for each prediction by its name the question as it was answered and the guess, None where
# the visitor made none; by the address of each page whether the visitor came to it by a link with settings; whether
# this run of a page may ask; whether it asks now; whether it is a step of a lecture that does; and whether a guess was
# made or deleted since the last run of the whole page.
_GUESSES, _BY_LINK, _MAY_ASK, _ASKS = "guesses", "opened_by_link", "may_ask_for_guesses", "asks_for_guess"
_IN_LECTURE, _HAS_CHANGED = "asks_for_guess_in_lecture", "guesses_have_changed"
# The buttons under the control for a guess, in the app and in lessons.
GUESS_BUTTON, SHOW_BUTTON = "This is my guess", "Just show me"
# A strip of dots is as high as this many dots one above the other, so that few of them stand close together.
_LEAST_STACK = 6
_Panels = Sequence[Panel | tuple[Panel, ...]]


def begin(page: str, settings: Iterable[Setting], is_whole: bool, is_wanted: bool) -> None:
    """Decide whether this run of the page at an address may ask for guesses.

    It may if the whole page is shown and a visitor did not come by a link with `settings` of it, or if a step of a
    lecture wants a guess (`is_wanted`).
    """
    in_link = not link.parameters().keys().isdisjoint(one.key for one in settings)
    by_link = st.session_state.setdefault(_BY_LINK, {}).setdefault(page, in_link)
    st.session_state[_MAY_ASK] = is_wanted or (is_whole and not by_link)
    st.session_state[_IN_LECTURE] = is_wanted
    st.session_state[_HAS_CHANGED] = False
    room_guesses.start_run()


def switch() -> None:
    """Render the switch that turns predictions off, and on again."""
    st.session_state.setdefault(ASK, True)
    st.toggle("Ask me to guess first", key=ASK, help="Some figures wait until you have guessed what they show.")


def may_ask(name: str) -> bool:
    """Return whether a visitor is still to be asked for the guess of this name, if the page has it; False without."""
    is_wanted = st.session_state.get(_MAY_ASK) and st.session_state.get(ASK, True)
    return bool(name and is_wanted) and name not in _guesses()


def open_one(panels: _Panels) -> Prediction | None:
    """Return the first prediction among panels that is still open."""
    return next((one.prediction for one in one_by_one(panels) if one.prediction and may_ask(one.prediction.name)), None)


def covered(panels: _Panels, prediction: Prediction) -> list[Panel]:
    """Return what is shown in place of panels while a prediction of theirs is open."""
    panel = next(one for one in one_by_one(panels) if one.prediction is prediction)
    return [Panel(panel.name, figure=prediction.covered)]


def set_asking(is_asking: bool) -> None:
    """Keep whether the page asks for a guess now: what would give the truth away is left out until then."""
    st.session_state[_ASKS] = is_asking


def is_asking() -> bool:
    """Return whether the page asks for a guess now."""
    return bool(st.session_state.get(_ASKS))


# A guess among no more numbers is made by buttons.
_FEW_STOPS = 7


def render_question(prediction: Prediction) -> None:
    """Render the control for a guess, and a button that shows the figure without one.

    The question itself is the sentence of the page. The slider begins without a value, so that none suggests a guess;
    a few numbers are buttons.
    """
    name, scale = prediction.name, prediction.scale
    key = f"guess-{name}"
    is_choice = isinstance(scale, tuple) or len(_stops(scale)) <= _FEW_STOPS
    with st.form(f"prediction-{name}", border=False), st.container(key="prediction", horizontal=True):
        if isinstance(scale, tuple):
            st.radio(prediction.label, scale, index=None, key=key, horizontal=True)
        elif is_choice:
            text = partial(number_text, scale=scale)
            st.radio(prediction.label, _stops(scale), index=None, key=key, horizontal=True, format_func=text)
        else:
            low, high = _ends(scale)
            label = f"{prediction.label} ({_bare_end(low, scale)} to {_bare_end(high, scale)}{scale.unit})"
            with st.container(gap=None):
                st.select_slider(label, [None, *_stops(scale)], None, partial(_text_or_none, scale=scale), key=key)
                for line, known in enumerate(prediction.known):
                    st.html(_known_mark(known, scale, line))
        kept = (prediction, key)
        guessed = st.form_submit_button(GUESS_BUTTON, type="primary", on_click=_keep_guess, args=kept)
        st.form_submit_button(SHOW_BUTTON, on_click=_keep_none, args=(prediction,))
        if guessed and may_ask(name):
            st.caption("Choose one of them first." if is_choice else "Move the slider first.")
    if st.session_state.get(_IN_LECTURE):
        room_guesses.render(prediction)


def _known_mark(known: KnownNumber, scale: Scale, line: int) -> str:
    """Return a mark where a known number is, with its words on the line of this number under the slider, as HTML."""
    steps = len(_stops(scale))  # one more than between the stops: the slider begins before the first, without a value
    at = 100 / steps + _position(known.value, scale) * (steps - 1) / steps
    digits = max(_digits(scale), 1 if "%" in scale.unit and abs(known.value - round(known.value)) > 1e-9 else 0)
    number = f"{known.value:,.{digits}f}"
    words = f"{known.before} {number} {known.after}" if known.before else f"{number}{scale.unit}: {known.after}"
    return f'<p class="known-number" style="--at: {at:.2f}%; --line: {line}"><span>{escape(words)}</span></p>'


def rerun_after_change() -> None:
    """Run the whole page again if a guess was made or deleted: what waits for it stands outside of a fragment, too."""
    if st.session_state.get(_HAS_CHANGED):
        st.rerun()


def _keep_guess(prediction: Prediction, key: str) -> None:
    """Keep the guess that a visitor has marked; nothing is kept until an option is chosen or the slider moved."""
    if (guess := st.session_state.get(key)) is not None:
        room_guesses.end_asking()
        _keep(prediction, guess)


def _keep_none(prediction: Prediction) -> None:
    """Keep that a visitor wants to see the figure without a guess."""
    room_guesses.end_asking()
    _keep(prediction, None)


def _keep(prediction: Prediction, guess: float | str | None) -> None:
    """Keep a guess with its question, or with None that none was made."""
    _guesses()[prediction.name] = prediction.ask, guess
    st.session_state[_HAS_CHANGED] = True


def _forget(name: str) -> None:
    room_guesses.forget(name)
    _guesses().pop(name, None)
    st.session_state[_HAS_CHANGED] = True


def _guesses() -> dict[str, Any]:
    guesses: dict[str, Any] = st.session_state.setdefault(_GUESSES, {})
    return guesses


def render_result(prediction: Prediction) -> None:
    """Render guesses beside the truth, and a button to guess again; nothing if there is none for this question."""
    ask, guess = _guesses().get(prediction.name, ("", None))
    if ask != prediction.ask or not st.session_state.get(_MAY_ASK):
        return
    if problem := room_guesses.pop_problem():
        st.caption(problem)
    room = room_guesses.found(prediction)
    if guess is None and not room:
        return
    with st.container(key="prediction-result", horizontal=True, vertical_alignment="center"):
        st.html(result_html(prediction, guess, room))
        st.button("Guess again", on_click=_forget, args=(prediction.name,), type="tertiary", key="guess-again")


def result_html(prediction: Prediction, guess: float | str | None, room: Sequence[float] = ()) -> str:
    """Return guesses and the truth as HTML: a sentence and, for numbers, all of them on their scale.

    `guess` is the visitor's own, None without one; `room` what the room guessed, sorted.
    """
    said = [result_words(prediction, guess)] if guess is not None else []
    said += [room_words(prediction, room, guess is None)] if room else []
    sentence = f"<b>{' '.join(said)}</b>"
    if prediction.explain:
        sentence += f' <span class="why">{prediction.explain}</span>'
    scale, truth = prediction.scale, prediction.truth
    if isinstance(scale, tuple) or isinstance(truth, str) or isinstance(guess, str):
        return f'<div class="guess"><p>{sentence}</p></div>'
    own = f'<i class="pentagon" style="left:{_position(guess, scale):.1f}%"></i>' if guess is not None else ""
    legend = ['<i class="pentagon"></i> your guess'] if guess is not None else []
    legend += ['<i class="dot"></i> a guess of the room'] if room else []
    low, high = (escape(f"{_bare_end(end, scale)}{scale.unit}") for end in _ends(scale))
    return (
        f'<div class="guess"><p>{sentence}</p><div class="guess-scale" aria-hidden="true">'
        f'<span class="ends">{low}</span><div class="line">{_strip(room, scale)}'
        f'<i class="truth" style="left:{_position(truth, scale):.1f}%"></i>{own}</div>'
        f'<span class="ends">{high}</span></div>'
        f'<p class="guess-legend" aria-hidden="true">{"".join(legend)}<i class="truth"></i> the truth</p>'
        "</div>"
    )


def _strip(room: Sequence[float], scale: Scale) -> str:
    """Return the room's sorted guesses as dots above their places; of more than the most, some at equal distances."""
    if not room:
        return ""
    most = int(limits.GUESS_DOTS.high)
    shown = room if len(room) <= most else [room[i * len(room) // most] for i in range(most)]
    places = [_position(value, scale) for value in shown]
    columns = Counter(round(place) for place in places)
    up = 100 / max(_LEAST_STACK, *columns.values())  # of the strip's height, so that the highest column fits
    below: Counter[int] = Counter()
    dots = []
    for place in places:
        column = round(place)
        dots.append(f'<i style="left:{place:.1f}%;bottom:{up * below[column]:.1f}%"></i>')
        below[column] += 1
    return f'<div class="room">{"".join(dots)}</div>'


def room_words(prediction: Prediction, room: Sequence[float], with_truth: bool = True) -> str:
    """Say what the room guessed: “The room’s middle guess was 42 %; it is 35 %.”, or how many chose what is true."""
    scale, truth = prediction.scale, prediction.truth
    if isinstance(scale, tuple) or isinstance(truth, str):
        right = sum(isinstance(scale, tuple) and scale[int(value)] == truth for value in room)
        return f"Of the room, {right:,} of {len(room):,} guessed right" + (f": {truth}." if with_truth else ".")
    middle = number_text(median(room), scale)
    return f"The room’s middle guess was {middle}" + (f"; it is {number_text(truth, scale)}." if with_truth else ".")


def result_words(prediction: Prediction, guess: float | str) -> str:
    """Say what was guessed and what is true: “You guessed 42 %; it is 35 %: 7 points too high.”"""
    scale, truth = prediction.scale, prediction.truth
    if isinstance(scale, tuple) or isinstance(truth, str) or isinstance(guess, str):
        return f"You guessed {guess}: right." if guess == truth else f"You guessed {guess}; it is {truth}."
    first, second = number_text(guess, scale), number_text(truth, scale)
    if first == second:
        return f"You guessed {first}: right."
    way = "too high" if guess > truth else "too low"
    digits = _digits(scale)
    difference = round(abs(round(guess, digits) - round(truth, digits)), digits)
    unit = (" point" if difference == 1 else " points") if "%" in scale.unit else scale.unit
    return f"You guessed {first}; it is {second}: {difference:,.{digits}f}{unit} {way}."


def number_text(value: float, scale: Scale) -> str:
    """Return a number of a scale with its unit."""
    return f"{_bare(value, scale)}{scale.unit}"


def _text_or_none(value: float | None, scale: Scale) -> str:
    """Return a number of a scale with its unit, or that the slider still has none."""
    return "no guess yet" if value is None else number_text(value, scale)


def _bare(value: float, scale: Scale) -> str:
    """Return a number of a scale without its unit."""
    return f"{value:,.{_digits(scale)}f}"


def _bare_end(value: float, scale: Scale) -> str:
    """Return an end of a scale without its unit: “100”, not “100.0”."""
    return _bare(value, scale).removesuffix(".0")


def _stops(scale: Scale) -> list[float]:
    """Return the numbers that can be guessed."""
    if scale.stops:
        return list(scale.stops)
    n = math.floor((scale.high - scale.low) / scale.step + 1e-9)
    return [round(float(scale.low + i * scale.step), 10) for i in range(n + 1)]


def _digits(scale: Scale) -> int:
    """Return how many digits after the point the step of a scale has."""
    return len(f"{scale.step:g}".partition(".")[2])


def _ends(scale: Scale) -> tuple[float, float]:
    return (scale.stops[0], scale.stops[-1]) if scale.stops else (scale.low, scale.high)


def _position(value: float, scale: Scale) -> float:
    """Return where a number stands on a scale, in percent; between two stops in proportion."""
    if not scale.stops:
        return 100 * min(max((value - scale.low) / (scale.high - scale.low), 0.0), 1.0)
    stops, last = scale.stops, len(scale.stops) - 1
    below = max((i for i in range(last) if stops[i] <= value), default=0)
    within = (value - stops[below]) / (stops[below + 1] - stops[below])
    return 100 * min(max((below + within) / last, 0.0), 1.0)

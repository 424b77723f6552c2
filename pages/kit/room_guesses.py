"""Ask the room for a guess where a step of a lecture waits for one: by the teacher's open poll, from its telephones.

The guesses are kept with the poll until the next guess, and in the teacher's session: no link, lecture, report or log
holds them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

import streamlit as st

from pages.kit import owned_poll
from pages.kit.panel import Prediction
from pages.polls.rules import Guess, PollError
from pages.polls.store import store
from privdemo import limits
from server.script_slots import in_script_slot

# Keys of the session: what the room is asked now, whether this run of a page shows that, what the room guessed by the
# names of predictions, and why that failed.
_ASKED, _IS_SHOWN, _FOUND, _PROBLEM = "room_is_asked", "room_guess_is_shown", "room_guesses", "room_guess_problem"


@dataclass(frozen=True)
class _Asked:
    """What the room is asked now: the poll's code and secret, the number of the guess, and the prediction's words."""

    code: str
    secret: str
    number: int
    name: str
    ask: str


def question(prediction: Prediction) -> Guess:
    """Return what telephones are asked for a prediction: its words without markup, and its scale or its options."""
    bare = " ".join(unescape(re.sub("<[^<>]*>|\\*\\*", "", prediction.ask)).split())
    most = int(limits.GUESS_LETTERS.high)
    words = bare if len(bare) <= most else f"{bare[: most - 1]}…"
    scale = prediction.scale
    if isinstance(scale, tuple):
        return Guess(words, options=scale)
    return Guess(words, float(scale.low), float(scale.high), float(scale.step), scale.unit)


def render(prediction: Prediction) -> None:
    """Render the button that asks the room, or how many have guessed; nothing if no poll of the teacher is open."""
    if not owned_poll.owned() or (not isinstance(prediction.scale, tuple) and prediction.scale.stops):
        return
    with st.container(key="shown-room-guess", horizontal=True, vertical_alignment="center", width="content"):
        if _asked_for(prediction):
            st.session_state[_IS_SHOWN] = True
            st.fragment(in_script_slot(_count), run_every=1.0)()
        elif _is_open():
            st.button("Ask the room", key="ask-room", on_click=_ask, args=(prediction,))
        if problem := st.session_state.pop(_PROBLEM, None):
            st.caption(problem)


def _is_open() -> bool:
    """Return whether the teacher's poll is open, as far as can be told at this moment."""
    if not (owned := owned_poll.owned()):
        return False
    try:
        with owned_poll.looked_up(owned[0]):
            return store().poll(owned[0]).is_open
    except PollError:
        return False


def _asked_for(prediction: Prediction) -> bool:
    """Return whether the room is asked for this prediction now, by the teacher's poll."""
    now: _Asked | None = st.session_state.get(_ASKED)
    this = (prediction.name, prediction.ask, owned_poll.owned())
    return now is not None and (now.name, now.ask, (now.code, now.secret)) == this


def _ask(prediction: Prediction) -> None:
    """Ask the room for a guess, or keep why that failed."""
    if not (owned := owned_poll.owned()) or _asked_for(prediction):  # a press that arrives twice asks once
        return
    code, secret = owned
    try:
        with owned_poll.looked_up(code):
            number = store().ask_guess(code, secret, question(prediction))
    except PollError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    st.session_state[_ASKED] = _Asked(code, secret, number, prediction.name, prediction.ask)


def _count() -> None:
    """Render how many have guessed so far."""
    now: _Asked | None = st.session_state.get(_ASKED)
    if now is None:
        return
    try:
        with owned_poll.looked_up(now.code):
            n = store().n_guesses(now.code, now.secret)
    except PollError as error:
        st.markdown(str(error))
        return
    st.markdown(f"**{n:,}** {'has' if n == 1 else 'have'} guessed on telephones, with the poll {now.code}.")


def start_run() -> None:
    """Start a run of a page: it has not yet shown that the room is asked."""
    st.session_state[_IS_SHOWN] = False


def end_unless_shown() -> None:
    """End what the room is asked if this run of a page, now at its end, does not show it."""
    if not st.session_state[_IS_SHOWN]:
        end_asking()


def end_asking() -> None:
    """End what the room is asked, if anything, and keep what it guessed for this visit."""
    now: _Asked | None = st.session_state.pop(_ASKED, None)
    if now is None:
        return
    try:
        with owned_poll.looked_up(now.code):
            values = store().end_guess(now.code, now.secret, now.number)
    except PollError as error:
        st.session_state[_PROBLEM] = f"The room’s guesses cannot be shown. {error}"
        return
    _found()[now.name] = now.ask, tuple(values)


def pop_problem() -> str:
    """Return, the first time it is called, why the room's guesses cannot be shown, else an empty text."""
    return st.session_state.pop(_PROBLEM, "")


def found(prediction: Prediction) -> tuple[float, ...]:
    """Return what the room guessed for this very question, sorted; among options, their indices."""
    ask, values = _found().get(prediction.name, ("", ()))
    return values if ask == prediction.ask else ()


def forget(name: str) -> None:
    """Forget what the room guessed for a prediction of this name."""
    _found().pop(name, None)


def _found() -> dict[str, Any]:
    kept: dict[str, Any] = st.session_state.setdefault(_FOUND, {})
    return kept

"""The keys, swipes and small buttons by which a lecture goes on; they are heard wherever the focus is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

NEXT, PREVIOUS, LEAVE = "next", "previous", "leave"
_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "privdemo_presenter",
    html=(_HERE / "presenter.html").read_text(encoding="utf-8"),
    css=(_HERE / "presenter.css").read_text(encoding="utf-8"),
    js=(_HERE / "presenter.js").read_text(encoding="utf-8"),
)


# The least screen, width and height, for which charts are drawn, and the one that is known.
_LEAST, _MOST = (1024, 768), (1920, 1080)
_SCREEN = "presenter_screen"
# Letters of a headline that is large.
_LONG = 100


def screen_size() -> tuple[int, int]:
    """The width and height of the screen that the lecture is shown on, as far as charts are drawn for it."""
    width, height = st.session_state.get(_SCREEN, _LEAST)
    return _clamped(width, 0), _clamped(height, 1)


def headline_size(words: str) -> float:
    """The size of a headline, in rem: what is long, such as a question of two sentences, is smaller."""
    return 1.7 if len(words) <= _LONG else 1.3


def extra_headline_height(words: str) -> float:
    """How much higher than of one line a headline may be, in rem."""
    return 0.0 if len(words) <= _LONG else 4.0


def _clamped(size: float, side: int) -> int:
    return int(min(max(size, _LEAST[side]), _MOST[side]))


def _store_screen_size() -> None:
    """Keep the size of the screen as its browser says it."""
    match st.session_state["presenter"].get("screen"):
        case [int() as width, int() as height]:
            st.session_state[_SCREEN] = width, height


def mount(number: int, n_steps: int, title: str, moved: Callable[[str], None]) -> None:
    """Render where the lecture stands; `moved` hears of every move, one of the three above."""

    def heard() -> None:
        move = st.session_state["presenter"].get("move")
        if move in (NEXT, PREVIOUS, LEAVE):
            moved(move)

    data = {"number": number, "steps": n_steps, "title": title, "screen": st.session_state.get(_SCREEN)}
    _component(key="presenter", data=data, on_move_change=heard, on_screen_change=_store_screen_size)

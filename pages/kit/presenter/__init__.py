"""Define the component of presenter mode: its keys, swipes and small buttons move through a lecture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.kit import component

NEXT, PREVIOUS, LEAVE = "next", "previous", "leave"
_HERE = Path(__file__).parent
SLIDE_CSS = (_HERE / "slide.css").read_text(encoding="utf-8")
_component = st.components.v2.component(
    "privdemo_presenter",
    html=(_HERE / "presenter.html").read_text(encoding="utf-8"),
    css=(_HERE / "presenter.css").read_text(encoding="utf-8"),
    js=(_HERE / "presenter.js").read_text(encoding="utf-8"),
)


# The smallest and the largest screen for which charts are made, as width and height; and the key of its size.
_LEAST, _MOST = (1024, 768), (1920, 1080)
_SCREEN = "presenter_screen"


def screen_size() -> tuple[int, int]:
    """Return the width and height for which charts are made: those of the screen, within bounds."""
    width, height = st.session_state.get(_SCREEN, _LEAST)
    return _clamped(width, 0), _clamped(height, 1)


def _clamped(size: float, side: int) -> int:
    return int(min(max(size, _LEAST[side]), _MOST[side]))


def _store_screen_size() -> None:
    """Store the size of the screen that the browser sent."""
    match component.sent("presenter", "screen"):
        case [int() as width, int() as height]:
            st.session_state[_SCREEN] = width, height


def mount(number: int, n_steps: int, title: str, moved: Callable[[str], None]) -> None:
    """Render the number of the step and the buttons; call `moved` with each move: `NEXT`, `PREVIOUS` or `LEAVE`."""

    def call_moved() -> None:
        move = component.sent("presenter", "move")
        if move in (NEXT, PREVIOUS, LEAVE):
            moved(move)

    data = {"number": number, "steps": n_steps, "title": title, "screen": st.session_state.get(_SCREEN)}
    _component(key="presenter", data=data, on_move_change=call_moved, on_screen_change=_store_screen_size)

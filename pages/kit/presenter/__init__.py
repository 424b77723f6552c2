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


def mount(number: int, n_steps: int, title: str, moved: Callable[[str], None]) -> None:
    """Draw where the lecture stands; `moved` hears of every move, one of the three above."""

    def heard() -> None:
        move = st.session_state["presenter"].get("move")
        if move in (NEXT, PREVIOUS, LEAVE):
            moved(move)

    data = {"number": number, "steps": n_steps, "title": title}
    _component(key="presenter", data=data, on_move_change=heard)

"""Define the components of a lie's dial and of dots that follow it while it is dragged, without the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from pages.kit import inputs, linked
from pages.kit.settings import Number
from privdemo import figures

_HERE = Path(__file__).parent
_STARTED = "dots_started"


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_dial = st.components.v2.component(
    "privdemo_lie_dial", html=_read("dial.html"), css=_read("dial.css"), js=_read("dial.js")
)
_dots = st.components.v2.component(
    "privdemo_live_dots",
    html='<div class="people" role="img"></div><p class="people-legend"></p>',
    css=figures.PEOPLE_CSS + _read("dots.css"),
    js=_read("dots.js"),
)


def dial(setting: Number, label: str, ends: tuple[str, str]) -> None:
    """Render a dial for a lie whose box is rendered elsewhere; once a visitor releases it, the number is set.

    `ends` are words for its first and its last position.
    """
    key = f"{setting.key}_slide"

    def released() -> None:
        linked.set_from_dial(st.session_state, key, setting.key, setting.limit)

    value = st.session_state.get(setting.key, setting.default)
    low, high = setting.limit.low, setting.limit.high
    data = {"key": setting.key, "value": value, "low": low, "high": high, "step": setting.step}
    _dial(key=key, data=data | {"name": label, "ends": ends}, on_moved_change=released)
    inputs.acknowledgement(setting)


def dots(data: Mapping[str, Any], key: str, first: Callable[[], str]) -> None:
    """Render fields of dots for people that follow the dials of a lie; until they start, show what `first` makes.

    `data` holds what dots.js reads: a name of the `poll`; who `voted` A (bytes) and the `uniform` random number of each
    person (doubles), as base64; the current `lies` of voters of B and of A, and the keys of the `dials` that set each;
    the `fields`, each with its heading and what its dots show; the `legend`, and a description in `words`.
    """
    with st.container(key="dots-first"):
        if not st.session_state.get(_STARTED):
            st.html(first())
    st.session_state[_STARTED] = True
    _dots(key=key, data=dict(data))

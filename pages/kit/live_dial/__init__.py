"""A dial whose pictures dissolve while it is dragged: they are redrawn in the browser, without the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_STARTED = "dial_started"


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_dial = st.components.v2.component(
    "privdemo_live_dial", html=_read("dial.html"), css=_read("dial.css"), js=_read("dial.js")
)
_guesses = st.components.v2.component("privdemo_dial_guesses", js=_read("guesses.js"))


def mount(data: Mapping[str, Any], key: str, first: Callable[[], str] = str) -> None:
    """Draw the dial at `data["level"]`; once a visitor lets go of it, its level is the number `key` of the session.

    `data` holds what dial.js draws from, pixels and random draws as base64 of their little-endian bytes: `states`,
    `clean`, `guesses`, and either `noise` or `uniform` and `replacement`; `nStates`, `height` and `width`; `labels`,
    `captions` and `priors`, or the titles of two `halves`; `symbol` and `name`; `low`, `high` and `step`; the `levels`
    at which more guesses may `follow`, with what is `found` at each of them and at the dial's own level, `foundHere`;
    and a `token` that changes with the pictures, but not with the level.

    `first` makes the same pictures as markup, to look at until the browser has started the dial.
    """

    def released() -> None:
        st.session_state[key] = float(st.session_state["dial"]["level"])

    with st.container(key="dial-first"):
        if not st.session_state.get(_STARTED) and (markup := still(first)):
            st.html(markup)
    st.session_state[_STARTED] = True
    _dial(key="dial", data=dict(data), default={"level": data["level"]}, on_level_change=released)


def still(first: Callable[[], str]) -> str:
    """The markup that `first` makes of the dial, with its style; nothing where there is none."""
    markup = first()
    return markup and f"<style>.dial-first {{ {_read('dial.css')} }}</style>{markup}"


def follow(data: Mapping[str, Any]) -> None:
    """Give the dial of the same `token` the guesses at all its levels, `packed`: `nPriors` times `nLevels` of them."""
    _guesses(key="dial-guesses", data=dict(data), width="content")

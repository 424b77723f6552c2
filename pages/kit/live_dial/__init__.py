"""A dial whose pictures dissolve while it is dragged: they are redrawn in the browser, without the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

from pages.kit import linked
from pages.kit.settings import Number

_HERE = Path(__file__).parent
_STARTED = "dial_started"


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_dial = st.components.v2.component(
    "privdemo_live_dial", html=_read("dial.html"), css=_read("dial.css"), js=_read("files.js") + _read("dial.js")
)
_guesses = st.components.v2.component("privdemo_dial_guesses", js=_read("files.js") + _read("guesses.js"))


def mount(data: Mapping[str, Any], number: Number, first: Callable[[], str] = str) -> None:
    """Render the dial at `data["level"]`; once a visitor lets go of it, its level is the value of `number`.

    `data` holds as bytes, fetched by the browser once, the `pictures` that dial.js draws from, which is a JSON object,
    and the `guesses` at the dial's own level, prior after prior; the `levels` at which more guesses may `follow`, with
    what is `found` at each of them and at the dial's own level, `foundHere`; and a `token` that changes with the
    pictures, but not with the level. The pictures and random draws are base64 of their little-endian bytes: `states`,
    `clean`, and either `noise` or `uniform` and `replacement`; with `nStates`, `height` and `width`; `labels`,
    `captions` and `priors`, or the titles of two `halves`; `symbol` and `name`; `low`, `high` and `step`.

    `first` makes the same pictures as markup, to look at until the browser has started the dial.
    """

    def released() -> None:
        linked.set_from_dial(st.session_state, "dial", number.key, number.limit)

    with st.container(key="dial-first"):
        if not st.session_state.get(_STARTED) and (markup := still(first)):
            st.html(markup)
    st.session_state[_STARTED] = True
    _dial(key="dial", data=_with_addresses(data), on_moved_change=released)


def still(first: Callable[[], str]) -> str:
    """The markup that `first` makes of the dial, with its style; nothing where there is none."""
    markup = first()
    return markup and f"<style>.dial-first {{ {_read('dial.css')} }}</style>{markup}"


def follow(data: Mapping[str, Any]) -> None:
    """Give the dial of the same `token` the guesses at all its levels, `packed`: `nPriors` times `nLevels` of them."""
    _guesses(key="dial-guesses", data=_with_addresses(data), width="content")


def _with_addresses(data: Mapping[str, Any]) -> dict[str, Any]:
    """`data` with an address for each of its bytes, from which the browser has them while this visitor's page is shown.

    Sent along, they would go again with every run of the page.
    """
    return {name: _address(part, f"dial-{name}") if isinstance(part, bytes) else part for name, part in data.items()}


def _address(content: bytes, place: str) -> str:
    return runtime.get_instance().media_file_mgr.add(content, "application/octet-stream", place)

"""Define the component of the live dial: while it is dragged, the browser renders its pictures without the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

from pages.kit import component, values
from pages.kit.settings import Number

_HERE = Path(__file__).parent
# The key of the session by which a dial was mounted before: its first picture is not needed again.
_MOUNTED = "dial_mounted"


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_CSS = _read("dial.css") + _read("../range.css")
# The files of both components, which lessons hold too.
DIAL = {"html": _read("dial.html"), "css": _CSS, "js": _read("files.js") + _read("dial.js")}
GUESSES = {"js": _read("files.js") + _read("guesses.js")}
_dial = st.components.v2.component("privdemo_live_dial", **DIAL)
_guesses = st.components.v2.component("privdemo_dial_guesses", **GUESSES)


def mount(data: Mapping[str, Any], number: Number, first: Callable[[], str] = str) -> None:
    """Render the dial at `data["level"]`; once a visitor releases it, `number` is set to its level.

    `data` holds as bytes, which the browser fetches once, the `pictures`, a JSON object that dial.js reads, and the
    `guesses`, which are the adversary's reconstructions, at the dial's own level, prior after prior; the `levels` at
    which more of them may `follow`, with the sentences on `linking` at each of them, and `linkingHere` at the dial's
    own level; for each prior whether its guesses are `ready`; and a `token` that changes with the pictures, but not
    with the level. The pictures and random numbers are base64 of their little-endian bytes: `states`, `clean`, and
    either `noise` or `uniform` and `replacement`; with `nStates`, `height` and `width`; `labels` and
    `priorLabels`, or the titles of two `halves`; `symbol` and `name`; `low`, `high` and `step`.

    `first` makes the same pictures as markup, which is shown until the dial has started.
    """

    def released() -> None:
        moved = component.sent("dial", "moved")
        if isinstance(moved, int | float) and number.limit.contains(moved):
            values.put(number, float(moved))

    with st.container(key="dial-first"):
        if not st.session_state.get(_MOUNTED) and (markup := still(first)):
            st.html(markup)
    st.session_state[_MOUNTED] = True
    _dial(key="dial", data=_with_addresses(data), on_moved_change=released)


def still(first: Callable[[], str]) -> str:
    """Return the markup that `first` makes, with the dial's style; empty if it makes none."""
    markup = first()
    return markup and f"<style>.dial-first {{ {_CSS} }}</style>{markup}"


def follow(data: Mapping[str, Any]) -> None:
    """Send the dial with this `token` the reconstructions at all its levels: `packed`, `nPriors` times `nLevels`."""
    _guesses(key="dial-guesses", data=_with_addresses(data), width="content")


def _with_addresses(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return `data` with each value of bytes replaced by an address, from which the browser fetches it.

    The address is valid while the page is shown. Within the data, the bytes would be sent again with every run.
    """
    return {name: _address(part, f"dial-{name}") if isinstance(part, bytes) else part for name, part in data.items()}


def _address(content: bytes, coordinates: str) -> str:
    return runtime.get_instance().media_file_mgr.add(content, "application/octet-stream", coordinates)

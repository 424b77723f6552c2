"""A dial whose pictures dissolve while it is dragged: they are redrawn in the browser, without the server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "privdemo_live_dial",
    html=(_HERE / "dial.html").read_text(encoding="utf-8"),
    css=(_HERE / "dial.css").read_text(encoding="utf-8"),
    js=(_HERE / "dial.js").read_text(encoding="utf-8"),
)


def mount(data: Mapping[str, Any], key: str) -> None:
    """Draw the dial at `data["level"]`; once a visitor lets go of it, its level is the number `key` of the session.

    `data` holds what dial.js draws from, pixels and random draws as base64 of their little-endian bytes: `states`,
    `clean`, `guesses`, and either `noise` or `uniform` and `replacement`; `nStates`, `height` and `width`; `labels`,
    `captions`, `priors` and `legend`; `symbol` and `name`; `low`, `high` and `step`; and a `token` that changes with
    all of these but the level, its name and the guesses.
    """

    def released() -> None:
        st.session_state[key] = float(st.session_state["dial"]["level"])

    _component(key="dial", data=dict(data), default={"level": data["level"]}, on_level_change=released)

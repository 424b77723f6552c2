"""Define the component of dots for people that follow the sliders of a lie while these are dragged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from privdemo import figures

_HERE = Path(__file__).parent
# The key of the session by which these dots were mounted before: their first picture is not needed again.
_MOUNTED = "dots_mounted"


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


# The files of the component, which lessons hold too.
DOTS = {
    "html": '<p class="people-legend"></p><div class="people" role="img"></div>',
    "css": figures.PEOPLE_CSS + _read("dots.css"),
    "js": _read("dots.js"),
}
_dots = st.components.v2.component("privdemo_live_dots", **DOTS)


def dots(data: Mapping[str, Any], key: str, first: Callable[[], str]) -> None:
    """Render fields of dots for people that follow the sliders of a lie; until they start, show what `first` makes.

    `data` holds what dots.js reads: a name of the `poll`; who `voted` A (bytes) and the `uniform` random number of each
    person (doubles), as base64; the current `lies` of voters of B and of A, and the `sliders` that set each: the key of
    the setting, the lie `at_0` and its `slope`; the `fields`, each with its headings, if chance may change answers and
    if not, and what its dots show, and the media query of a `narrow` screen, on which two of them are upright; the
    `legend`, and a description in `words`.
    """
    with st.container(key="dots-first"):
        if not st.session_state.get(_MOUNTED):
            st.html(first())
    st.session_state[_MOUNTED] = True
    _dots(key=key, data=dict(data))

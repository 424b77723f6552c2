"""Render what the browser does by itself, without the server: a component with HTML, CSS and JavaScript of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from pages.kit.panel import Component

# The key of the session with the names of components that were mounted before: their first HTML is not needed again.
_MOUNTED = "components_mounted"


@cache
def _registered(name: str, html: str, css: str, js: str) -> Callable[..., Any]:
    """Return the function that renders a component."""
    return st.components.v2.component(f"privdemo_{name}", html=html, css=css, js=js)


def mount(shown: Component) -> None:
    """Render a component; until it has started in the browser, show its HTML without its JavaScript.

    The JavaScript sets `data-component` of the document's root once it has started (style.css).
    """
    mounted = st.session_state.setdefault(_MOUNTED, set())
    with st.container(key="component-first"):
        if shown.name not in mounted:
            st.html(shown.first())
    mounted.add(shown.name)
    _registered(shown.name, shown.html, shown.css, shown.js)(key=f"{shown.name}-component", data=dict(shown.data))


def sent(key: str, name: str) -> Any:
    """Return what the component of this key sent under `name`; None if its page was left before that arrived."""
    return st.session_state.get(key, {}).get(name)

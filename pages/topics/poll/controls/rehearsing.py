"""Simulated people who answer one by one while a teacher watches."""

from __future__ import annotations

import time
from collections.abc import Hashable

import streamlit as st

# Which class began to answer, and when.
_BEGUN = "rehearsal_begun"


def button(group: Hashable) -> None:
    """Render the button that restarts the answering of a simulated class."""
    st.button("Replay the answers", key="watch", type="primary", on_click=_begin, args=(group,))


def _begin(group: Hashable) -> None:
    """Store which class has begun to answer, and when."""
    st.session_state[_BEGUN] = group, time.monotonic()


def arrived(group: Hashable, n_people: int, pace: float) -> int:
    """Return how many of a class have answered by now, at `pace` a second: all, unless this class is being watched."""
    begun = st.session_state.get(_BEGUN)
    if begun is None or begun[0] != group:
        return n_people
    return min(n_people, int(pace * (time.monotonic() - begun[1])))

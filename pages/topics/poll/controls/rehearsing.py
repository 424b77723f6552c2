"""Simulated people who answer one by one while a teacher watches."""

from __future__ import annotations

import time
from collections.abc import Hashable

import streamlit as st

# Which class began to answer, and when.
_BEGUN = "rehearsal_begun"


def button(group: Hashable, has_answers: bool) -> None:
    """Render the button that has a simulated class answer, again if it has."""
    words = "Simulate the answers again" if has_answers else "Simulate the answers"
    st.button(words, key="watch", type="primary", on_click=_begin, args=(group,))


def _begin(group: Hashable) -> None:
    """Store which class has begun to answer, and when."""
    st.session_state[_BEGUN] = group, time.monotonic()


def has_begun(group: Hashable) -> bool:
    """Return whether this class has begun to answer."""
    begun = st.session_state.get(_BEGUN)
    return begun is not None and begun[0] == group


def any_has_begun() -> bool:
    """Return whether any class has begun to answer in this visit."""
    return _BEGUN in st.session_state


def arrived(group: Hashable, n_people: int, pace: float, not_begun: int) -> int:
    """Return how many of a class have answered by now, at `pace` a second; `not_begun` before it has begun."""
    if not has_begun(group):
        return not_begun
    return min(n_people, int(pace * (time.monotonic() - st.session_state[_BEGUN][1])))

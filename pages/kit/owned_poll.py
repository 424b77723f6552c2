"""The poll that a teacher has open on telephones, as the session knows it: its code and its owner's secret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.polls import rules
from pages.polls.bucket import GUESSES
from server.script_slots import without_slot

OWNED = "poll_owned"
"""The key of the session with the code and the secret of the teacher's poll, None if there is none."""


def owned() -> tuple[str, str] | None:
    """Return the code and the secret of the teacher's poll, or None if there is none."""
    return st.session_state.get(OWNED)


def address() -> str:
    """Return the IP address of the visitor, by which openings and guesses of polls are limited."""
    return st.context.ip_address or "localhost"


@contextmanager
def looked_up(code: str) -> Iterator[None]:
    """Look a poll up within this context, in which others are served while a database hangs.

    Raise `TooManyGuesses` if the visitor's network has looked up too many that there are not.
    """
    with without_slot(), GUESSES.look_up(address(), rules.normalised(code)):
        yield

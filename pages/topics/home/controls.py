"""The widgets of the home page."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs
from pages.topics.home.question import SEED, Question, _dataset, level_setting


def controls(_: DeltaGenerator) -> Question:
    """Render the controls and return the question; the dial itself is in the figure."""
    setting = level_setting()
    level = inputs.number(setting)
    inputs.acknowledgement(setting)
    seed = inputs.number(SEED)
    st.button("Draw two other people", on_click=_next_people)
    return Question(_dataset(), seed, level)


def _next_people() -> None:
    """Choose two other people."""
    st.session_state[SEED.key] += 1

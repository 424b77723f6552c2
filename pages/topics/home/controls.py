"""The widgets of the home page."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs
from pages.kit.values import Values, put
from pages.topics.home.question import SEED, level_setting


def controls(_: Values, __: DeltaGenerator) -> None:
    """Render the controls; the dial itself is in the figure."""
    inputs.number(level_setting())
    seed = inputs.number(SEED)
    st.button("Show two other people", on_click=put, args=(SEED, seed + 1))

"""The widgets of the claims page."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs
from pages.topics.claims.question import SOURCE, VERDICT, Question


def controls(main: DeltaGenerator) -> Question:
    """Render the source in `main`, and the verdicts of the table; return the question."""
    with main:
        source = inputs.choose(SOURCE)
    return Question(source, inputs.choose(VERDICT))

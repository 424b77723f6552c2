"""The widgets of the claims page."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs
from pages.kit.values import Values
from pages.topics.claims.question import SOURCE, VERDICT


def controls(_: Values, __: DeltaGenerator) -> None:
    """Render the source, and the verdicts of the table."""
    inputs.choose_from_list(SOURCE)
    inputs.choose(VERDICT)

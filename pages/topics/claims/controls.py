"""The controls of the page of claims, and where they stand: above, or where it is narrow between picture and table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.kit import inputs, screen
from pages.kit.draws import Draws
from pages.kit.page import Page
from pages.kit.settings import Choice, Setting
from privdemo.experiments.claims import SOURCES, VERDICTS, Claim

EVERYBODY = "all sources"
SOURCE = Choice("source", (EVERYBODY, *SOURCES), EVERYBODY, "Source")
VERDICT = Choice("verdict", VERDICTS, VERDICTS, "Verdict", many=True)


@dataclass(frozen=True)
class Question:
    """Which claims are to be shown: those of a source, or of all, that have one of the verdicts."""

    source: str = EVERYBODY
    verdicts: tuple[str, ...] = VERDICTS

    def includes(self, claim: Claim) -> bool:
        """Whether a claim is asked for."""
        return self.source in (EVERYBODY, claim.source) and claim.verdict in self.verdicts


def all_settings() -> list[Setting]:
    """Every setting of the page."""
    return [SOURCE, VERDICT]


def controls() -> Question:
    """Draw the controls and return what they ask."""
    return Question(inputs.choose(SOURCE), inputs.choose(VERDICT))


def arrange(page: Page, place: Any) -> None:
    """Draw the controls, the picture and the table one under the other, over the whole width."""
    with st.container(key="page-main"):
        with st.container(key="claims-controls"):
            question = page.controls()
        answer = page.answer(question, Draws())
        assert answer is not None
        screen.takeaway(place, page.address, answer.takeaway())
        *picture, table = answer.main()
        screen.draw(picture)
        with st.container(key="claims-table"):
            screen.draw([table])
    with st.container(key="end"):
        screen.folds(page.folds(question, answer))

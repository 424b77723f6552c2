"""The home page's one control, and where everything on it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.kit import cache, inputs, screen
from pages.kit.draws import Draws
from pages.kit.page import Page
from pages.kit.settings import Number
from privdemo import limits

SEED = Number("people_seed", limits.SEED, 0, "Seed of the picture")
INTRODUCTION = (
    "When people may lie a little about their data, nobody needs to be trusted with the truth: that is **randomised "
    "response**. Here you set the lie, see what it does to real data, and measure what can still be learnt and what an "
    "adversary still finds out, with code that you can run yourself."
)
_IN_A_ROW = 4


@dataclass(frozen=True)
class Question:
    """What is shown: digits of a data set, chosen by a seed."""

    dataset: str
    seed: int


def _dataset() -> str:
    """The best of the image sets that are here."""
    return cache.IMAGE_SETS[cache.image_titles()[0]]


def controls() -> Question:
    """Draw the control and return what it asks."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = inputs.number(SEED)
        st.button("Draw two other people", on_click=_next_people)
    return Question(_dataset(), seed)


def _next_people() -> None:
    st.session_state[SEED.key] += 1


def arrange(others: Sequence[Page], page: Page, place: Any) -> None:
    """Draw the picture beside what privacy costs; below, a way to every other page, the control, and the data."""
    place.markdown(INTRODUCTION)
    left, right = st.columns(2, gap="medium")
    _draw_tiles(others)
    answer = page.answer(page.controls(), Draws())
    assert answer is not None
    picture, cost = answer.main()
    with right, st.container(key="story"):
        screen.draw([cost])
    with left:
        screen.draw([replace(picture, summary=answer.takeaway(), rows=None)])
        st.caption("Lies, bags and sets are one likelihood: which truth makes what came out of a channel likely?")
    screen.under(picture)
    screen.folds(page.folds(answer.question, answer))


def _draw_tiles(pages: Sequence[Page]) -> None:
    """Draw a link to every page, with a few words."""
    for start in range(0, len(pages), _IN_A_ROW):
        for column, page in zip(st.columns(_IN_A_ROW, gap="small"), pages[start : start + _IN_A_ROW], strict=False):
            with column.container(border=True, key=f"tile-{page.address}", gap="xxsmall"):
                st.page_link(page.in_menu, label=f"**{page.question}**")
                st.caption(page.blurb)

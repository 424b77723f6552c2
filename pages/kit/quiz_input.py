"""Render the questions of a quiz; what a visitor chooses is nowhere but in the widgets."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.kit import screen
from pages.kit.quiz import Option, Question


def ask(questions: Sequence[Question]) -> None:
    """Render questions one under the other, each with the reason for the chosen option, and at last how many are
    right; on a slide one at a time, the one of a chosen number.
    """
    if screen.is_slide():
        with st.container(key="shown-quiz-number"):
            numbers = range(1, len(questions) + 1)
            number = st.segmented_control("Question", numbers, default=1, required=True, key="quiz-number")
        _ask_one(number, questions[number - 1])
        return
    chosen = [_ask_one(number, question) for number, question in enumerate(questions, start=1)]
    if all(chosen):
        n_right = sum(option.right for option in chosen if option)
        st.markdown(f"**{n_right} of {len(questions)} are right.**")


def _ask_one(number: int, question: Question) -> Option | None:
    """Render a question, and return the chosen option, None before there is one."""
    with st.container(key=f"shown-quiz-{question.name}"):
        words = st.radio(
            f"**{number}. {question.ask}**",
            [option.words for option in question.options],
            index=None,
            key=f"quiz {question.name}",
        )
        if words is None:
            return None
        option = question.option(words)
        if option.right:
            st.success(f"**Right.** {option.reason}", icon=":material/check:")
        else:
            st.info(f"**No.** {option.reason}", icon=":material/close:")
        return option

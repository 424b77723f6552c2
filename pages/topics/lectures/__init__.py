"""The page of lectures, which present screens of the other pages."""

from collections.abc import Sequence
from functools import partial

from pages.kit.page import Page
from pages.topics.lectures.controls import LECTURE, arrange


def page(others: Sequence[Page]) -> Page:
    """Return the page of lectures, whose steps are screens of the `others`."""
    return Page(
        title="Lectures",
        question="Give a lecture on privacy with this app",
        address="lectures",
        answer=lambda question, trials: None,
        question_of=lambda values: None,
        controls=lambda values, main: None,
        settings=lambda values: [LECTURE],
        folds=lambda question, answer: {},
        arrange=partial(arrange, others),
    )

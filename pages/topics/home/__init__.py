"""What does privacy cost, and what does it protect?"""

from collections.abc import Sequence
from functools import partial

from pages.kit import folds
from pages.kit.page import Page
from pages.topics.home.answer import Answer, answer, snippet
from pages.topics.home.controls import SEED, Question, arrange, controls


def standing_words(question: Question, _: Answer | None = None) -> dict[str, str]:
    """The code, as Markdown."""
    return {folds.CODE: snippet(question).markdown}


def page(others: Sequence[Page]) -> Page:
    """The home page, with a way to every one of the `others`."""
    return Page(
        title="Home",
        question="What does privacy cost, and what does it protect?",
        address="",
        answer=answer,
        controls=controls,
        settings=lambda: [SEED],
        folds=standing_words,
        shows_images=True,
        arrange=partial(arrange, others),
    )

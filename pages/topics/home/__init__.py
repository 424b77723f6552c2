"""The home page: what does privacy cost, and what does it protect?"""

from collections.abc import Sequence
from functools import partial

from pages.kit.page import Chapter, Chapters, Page
from pages.topics.home.answer import Answer, answer, jobs
from pages.topics.home.controls import controls
from pages.topics.home.question import all_settings, question_of


def page(others: Sequence[Page]) -> Page:
    """Return the home page, with a tile for every one of the `others`."""
    tiles = tuple((other.address, other.title, other.blurb) for other in others)
    return Page(
        title="Home",
        question="What does privacy cost, and what does it protect?",
        address="",
        answer=partial(answer, tiles),
        adds=jobs,
        controls=controls,
        settings=all_settings,
        question_of=question_of,
        folds=lambda question, answer: {},
        shows_images=True,
        chapters=Chapters("view", (Chapter("The dial", Answer.main),)),
    )

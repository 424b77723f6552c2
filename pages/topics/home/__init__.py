"""The home page: what does privacy cost, and what does it protect?"""

from collections.abc import Sequence
from functools import partial

from pages.kit.page import Chapter, Chapters, Page
from pages.topics.home.answer import Answer, answer


def page(others: Sequence[Page]) -> Page:
    """Return the home page, with a tile for every one of the `others`."""
    tiles = tuple((other.address, other.title, other.blurb) for other in others)
    return Page.from_folder(
        __name__,
        title="Home",
        question="What does privacy cost, and what does it protect?",
        address="",
        answer=partial(answer, tiles),
        folds=lambda question, answer: {},
        shows_images=True,
        chapters=Chapters("view", (Chapter("The dial", Answer.main),)),
    )

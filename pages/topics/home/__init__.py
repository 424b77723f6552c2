"""The home page: a secret of the visitor's own, three doors into the site, and two digits that dissolve."""

from pages.kit.page import Chapter, Chapters, Page
from pages.topics.home.answer import Answer

PAGE = Page.from_folder(
    __name__,
    title="Home",
    question="How can we count secrets without learning anyone’s secret?",
    address="",
    folds=lambda question, answer: {},
    shows_images=True,
    chapters=Chapters("view", (Chapter("Your own secret", Answer.main),)),
)

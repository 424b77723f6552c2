"""The page that advises: which mechanism answers a question, with how many people, and what privacy costs."""

from pathlib import Path

from pages.kit import folds
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.advice.answer import Answer, error_curves, snippet, what_to_do
from pages.topics.advice.controls import label_choice, label_controls
from pages.topics.advice.label import privacy_label
from pages.topics.advice.question import LOOK, QUESTION
from privdemo.advise import Question

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    how, adversary, caveats = (folds.read(_HERE / f"{name}.md") for name in ("how", "adversary", "caveats"))
    return folds.folds(how, adversary, caveats, "" if isinstance(question, str) else snippet(question).markdown)


PAGE = Page.from_folder(
    __name__,
    title="Which method?",
    question="How do you plan a survey that keeps answers private?",
    address="advice",
    failed="No advice is possible here.",
    asks_first=True,
    folds=standing_words,
    chapters=Chapters(
        LOOK,
        (
            Chapter("What to do", what_to_do),
            Chapter("How the error changes", error_curves),
            Chapter(
                "Privacy label",
                privacy_label,
                label_controls,
                [QUESTION],
                label_choice,
                title="Summary for participants",
            ),
        ),
    ),
)

"""How much do private counts distort?"""

from pathlib import Path

from pages.kit import folds
from pages.kit.page import Page
from pages.topics.label_counts.answer import Answer, answer, print_outcomes
from pages.topics.label_counts.controls import Question, all_settings, controls, lever
from pages.topics.label_counts.tabs import TABS

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """How it works, what the adversary sees, caveats and the code, as Markdown."""
    how, adversary, caveats = (folds.read(_HERE / f"{name}.md") for name in ("how", "adversary", "caveats"))
    code = "" if isinstance(question, str) else print_outcomes(question).markdown
    return folds.folds(how, adversary, caveats, code)


PAGE = Page(
    title="Private counts",
    question="How much do private counts distort?",
    address="distortion",
    blurb="Which promise for counts costs least?",
    answer=answer,
    controls=controls,
    settings=all_settings,
    folds=standing_words,
    lever=lever,
    tabs=TABS,
)

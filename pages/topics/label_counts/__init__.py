"""How much do private counts distort?"""

from pathlib import Path

from pages.kit import folds
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.label_counts import adversary, claim
from pages.topics.label_counts.answer import Answer, answer, print_outcomes
from pages.topics.label_counts.controls import Question, all_settings, controls, lever
from pages.topics.label_counts.tabs import all_numbers, released_counts, the_promise, who_wins
from privdemo.experiments.label_counts import CountConfig

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """How it works, what the adversary sees, caveats and the code, as Markdown."""
    delta = CountConfig.delta
    how, seen = (folds.read(_HERE / f"{name}.md") for name in ("how", "adversary"))
    caveats = folds.read(_HERE / "caveats.md", delta=f"{delta:g}", one_in=f"{1 / delta:.0f}")
    code = "" if isinstance(question, str) else print_outcomes(question).markdown
    return folds.folds(how, seen, caveats, code)


CHAPTERS = Chapters(
    "count_look",
    (
        Chapter("distortion", Answer.main),
        Chapter("released counts", released_counts),
        Chapter("the promise", the_promise),
        Chapter("who wins", who_wins),
        Chapter("the paper’s claim", claim.panels),
        Chapter("the adversary", adversary.panels),
        Chapter("all numbers", all_numbers),
    ),
)


PAGE = Page(
    title="Private counts",
    question="How much do private counts distort?",
    address="distortion",
    blurb="Count without telling.",
    answer=answer,
    controls=controls,
    settings=all_settings,
    folds=standing_words,
    lever=lever,
    chapters=CHAPTERS,
)

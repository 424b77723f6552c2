"""The page on private label counts: how much does the noise distort them?"""

from pathlib import Path

from pages.kit import folds
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.label_counts import adversary, claim
from pages.topics.label_counts.answer import Answer, print_outcomes
from pages.topics.label_counts.chapters import all_numbers, released_counts, the_promise, who_wins
from pages.topics.label_counts.controls import axis_controls, curve_controls
from pages.topics.label_counts.question import AXIS, CURVES, Question
from privdemo.experiments.label_counts import CountConfig

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    delta = CountConfig.delta
    how, seen = (folds.read(_HERE / f"{name}.md") for name in ("how", "adversary"))
    caveats = folds.read(_HERE / "caveats.md", delta=f"{delta:g}", one_in=f"{1 / delta:.0f}")
    code = "" if isinstance(question, str) else print_outcomes(question).markdown
    return folds.folds(how, seen, caveats, code)


CHAPTERS = Chapters(
    "count_look",
    (
        Chapter("Distortion", Answer.main, curve_controls, [AXIS, CURVES]),
        Chapter("Released counts", released_counts),
        Chapter("The promise", the_promise),
        Chapter("Who wins", who_wins),
        Chapter("The paper’s claim", claim.panels, axis_controls, [AXIS]),
        Chapter("The adversary", adversary.panels),
        Chapter("All numbers", all_numbers),
    ),
)


PAGE = Page.from_folder(
    __name__,
    title="Private counts",
    question="How much do private counts distort?",
    address="distortion",
    failed="Nothing can be released here.",
    folds=standing_words,
    chapters=CHAPTERS,
)

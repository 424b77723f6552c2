"""The page on private label counts: how far off are they?"""

from pathlib import Path

from pages.kit import folds
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.label_counts import adversary, along, claim
from pages.topics.label_counts.answer import Answer, print_outcomes
from pages.topics.label_counts.chapters import GUESS, all_numbers, released_counts, the_promise, who_wins
from pages.topics.label_counts.controls import axis_controls, curve_controls
from pages.topics.label_counts.question import AXIS, CURVES, Question, axis_of, curves_of
from privdemo.accounting import MOST_PUBLISHED
from privdemo.experiments.label_counts import TOTAL, CountConfig

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    delta = CountConfig.delta
    how, seen = (folds.read(_HERE / f"{name}.md") for name in ("how", "adversary"))
    caveats = folds.read(
        _HERE / "caveats.md",
        delta=f"{delta:g}",
        one_in=f"{1 / delta:.0f}",
        people=f"{TOTAL:,}",
        given=f"{TOTAL * delta:.0f}",
        most=f"{MOST_PUBLISHED:g}",
    )
    code = "" if isinstance(question, str) else print_outcomes(question).markdown
    return folds.folds(how, seen, caveats, code)


CHAPTERS = Chapters(
    "count_look",
    (
        Chapter("True and published counts", released_counts),
        Chapter("Error of each kind of noise", along.panels, curve_controls, [AXIS, CURVES], curves_of),
        Chapter("What an adversary can guess", adversary.panels, title="What others can guess"),
        Chapter("Is the privacy promise kept?", the_promise, for_specialists=True),
        Chapter("Best noise for each δ", who_wins, for_specialists=True, title="Which noise is best"),
        Chapter(
            "The paper’s number, checked",
            claim.panels,
            axis_controls,
            [AXIS],
            axis_of,
            for_specialists=True,
            title="A published number, checked",
        ),
        Chapter("All results in a table", all_numbers, for_specialists=True),
    ),
    guess=GUESS,
)


PAGE = Page.from_folder(
    __name__,
    title="Private counts",
    question="How far off are counts that were changed to protect people?",
    address="distortion",
    failed="Nothing can be released here.",
    folds=standing_words,
    chapters=CHAPTERS,
)

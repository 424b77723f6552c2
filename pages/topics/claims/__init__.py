"""The page on the papers’ claims: do they hold?"""

from pathlib import Path

from pages.kit import folds
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.claims.answer import RULES, SNIPPET, Answer, picture, table
from pages.topics.claims.question import Question
from privdemo.experiments.claims import N_CLAIMS, PAPERS

_HERE = Path(__file__).parent
_FALSE_PROMISE = "When protection is less than promised"


def standing_words(_: Question, __: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    how = folds.read(_HERE / "how.md", rules=RULES, sources="; ".join(PAPERS.values()))
    adversary, caveats = (folds.read(_HERE / f"{name}.md") for name in ("adversary", "caveats"))
    return {folds.HOW: how, _FALSE_PROMISE: adversary, folds.CAVEATS: caveats, folds.CODE: SNIPPET.markdown}


PAGE = Page.from_folder(
    __name__,
    title="Claims",
    question=f"{N_CLAIMS} research claims about privacy: do they hold up?",
    address="claims",
    chapters=Chapters(
        "chapter",
        (
            Chapter("How many claims hold", Answer.main),
            Chapter("All claims", table),
            Chapter("Published numbers and ours", picture, for_specialists=True),
        ),
    ),
    folds=standing_words,
)

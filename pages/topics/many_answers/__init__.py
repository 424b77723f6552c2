"""The page on questions with many possible answers: by which method are their shares the most exact?"""

from pathlib import Path

from pages.kit import folds
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.many_answers.answer import GUESS, Answer, snippet
from pages.topics.many_answers.attackers import who_can_push
from pages.topics.many_answers.chapters import all_numbers, along, bits, who_wins
from pages.topics.many_answers.controls import (
    among_controls,
    attacker_controls,
    curve_controls,
    delta_controls,
    reading_controls,
    sender_controls,
)
from pages.topics.many_answers.question import (
    AMONG,
    ATTACK,
    AXIS,
    CURVES,
    ESTIMATORS,
    FAKE,
    LOOK,
    PUSHED,
    READ,
    SENDER,
    Question,
    curves_of,
    delta_of,
    delta_settings,
    is_rarest,
    methods_of,
    pushing_of,
    reading_of,
)
from pages.topics.many_answers.senders import one_report, readings, whom_to_trust
from pages.topics.many_answers.systems import real_systems

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    how, adversary, caveats = (folds.read(_HERE / f"{name}.md") for name in ("how", "adversary", "caveats"))
    code = "" if isinstance(question, str) else snippet(question).then("release = many_answers.run(config)").markdown
    return folds.folds(how, adversary, caveats, code)


CHAPTERS = Chapters(
    LOOK,
    (
        Chapter("True and estimated shares", Answer.main),
        Chapter("Range of each estimate", Answer.ranges, title="How sure are we?"),
        Chapter("What one person gives away", one_report, sender_controls, [SENDER], is_rarest),
        Chapter(
            "Map of best methods",
            who_wins,
            among_controls,
            [AMONG],
            methods_of,
            for_specialists=True,
            title="Which way of sending is best?",
        ),
        Chapter(
            "Error by who is trusted",
            whom_to_trust,
            delta_controls,
            delta_settings,
            delta_of,
            for_specialists=True,
            title="Whom must people trust?",
        ),
        Chapter(
            "Who can push the result?",
            who_can_push,
            attacker_controls,
            [FAKE, PUSHED, ATTACK, CURVES],
            pushing_of,
            for_specialists=True,
            title="Who can falsify the result?",
        ),
        Chapter("Where real systems stand", real_systems, for_specialists=True, title="What real systems use"),
        Chapter(
            "Curves of the error",
            along,
            curve_controls,
            [AXIS, CURVES],
            curves_of,
            for_specialists=True,
            title="How the error changes",
        ),
        Chapter(ESTIMATORS, readings, reading_controls, [READ], reading_of, for_specialists=True),
        Chapter("Data each person sends", bits, for_specialists=True),
        Chapter("All results in a table", all_numbers, for_specialists=True),
    ),
    guess=GUESS,
)


PAGE = Page.from_folder(
    __name__,
    title="Many answers",
    question="Can we find the most common answers if some are false?",
    address="many_answers",
    failed="Nothing can be estimated here.",
    folds=standing_words,
    chapters=CHAPTERS,
)

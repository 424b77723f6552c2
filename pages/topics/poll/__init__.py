"""The page that polls a class and estimates the share behind its answers."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pages.kit import folds, numbers
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.poll import chapters
from pages.topics.poll.answer import Answer
from pages.topics.poll.controls import (
    ADDRESS,
    TITLE,
    asked_again_controls,
    question_of,
)
from pages.topics.poll.question import STEP, STEPS, TIMES, Question
from privdemo.experiments import poll

_HERE = Path(__file__).parent
# People in the class that the caveats take as an example of a small one.
_SMALL_CLASS = 30


def standing_words(question: Question | str, shown: Answer | None) -> Mapping[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown; empty without a question."""
    if isinstance(question, str) or shown is None:
        return {}
    config = question.config
    lie, *other = map(numbers.percent, config.lies)
    k, half = len(config.answers), poll.half_width(_SMALL_CLASS, config.channel, config.miss)
    how = folds.read(_HERE / "how.md", lie=lie, k=k)
    if config.check:
        how += folds.read(_HERE / f"{config.check}.md", **({"lie": lie, "other": other[0]} if other else {}))
    return folds.folds(
        how,
        folds.read(_HERE / "adversary.md"),
        folds.read(_HERE / "caveats.md", small=_SMALL_CLASS, half=f"{100 * half:.0f}"),
        shown.snippet("print(found)", plots=False).markdown,
    )


def _may_show_truth(question: Question | str) -> bool:
    """Return whether the true shares may be known; also for an invalid question, so that the chapter stays listed."""
    return isinstance(question, str) or question.truth is not None


def _may_have_answers(question: Question | str) -> bool:
    """Return whether somebody has answered, or may at any moment on a telephone; also for an invalid question."""
    return isinstance(question, str) or any(question.counts) or bool(question.join and question.is_opened)


# The panels of each chapter, and what else it has, in the order of their names in `STEPS`.
_CHAPTERS: tuple[tuple[Callable[..., Any], dict[str, Any]], ...] = (
    (Answer.main, {}),
    (chapters.what_they_said, {}),
    (chapters.naive, {}),
    (chapters.corrected, {"title": "Corrected percentages"}),
    (chapters.one_answer, {}),
    (chapters.price, {}),
    (
        chapters.asked_again,
        {
            "title": "If everybody is asked again",
            "controls": asked_again_controls,
            "settings": [TIMES],
            "choice_of": chapters.times_of,
        },
    ),
    (chapters.the_truth, {"fits": _may_show_truth}),
    (chapters.to_remember, {}),
)


PAGE = Page.from_folder(
    __name__,
    title=TITLE,
    question="Ask your class an embarrassing question",
    address=ADDRESS,
    question_of=question_of,
    folds=standing_words,
    is_repeatable=False,
    chapters=Chapters(
        STEP.key,
        tuple(Chapter(name, panels, **more) for name, (panels, more) in zip(STEPS, _CHAPTERS, strict=True)),
        numbered=False,
        ready=_may_have_answers,
        later="What happens next",
    ),
)

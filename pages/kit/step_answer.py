"""Answer the question of a lecture's step without a screen, by the functions that answer it on the slide."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Any

from pages.kit import settings as page_settings
from pages.kit import trials, values
from pages.kit.lecture import Step
from pages.kit.numbers import error_sentence_html
from pages.kit.page import Page
from pages.kit.panel import Panel
from pages.kit.trials import Trials
from pages.kit.values import Values
from server.streamlit_internals import outside_of_scripts

_LOG = logging.getLogger(__name__)
_NOT_COMPUTED = (
    "What this step shows has not been computed yet. Present the step and wait until its figure is shown; then "
    "download the hand-out again."
)
_BROKEN = "This step could not be computed. Present it to see what the app says."


@dataclass(frozen=True)
class StepAnswer:
    """What a step shows: the page's `question` as its functions take it, and a `panel` with a figure, if there is any.

    `title` names the page, and the chapter unless it is the first. `question_text` is what the screen answers, and
    `answer` that answer. `facts` are the numbers by name, `ignored` says which settings the page does not take, and
    `problem` why there is no answer. All sentences are HTML, in which other people's words are escaped; the title and
    the facts are plain text.
    """

    title: str
    question: Any = None
    question_text: str = ""
    answer: str = ""
    panel: Panel | None = None
    facts: Mapping[str, str] | None = None
    ignored: str = ""
    problem: str = ""


def answer_step(step: Step, pages: Sequence[Page]) -> StepAnswer:
    """Return what a step on one of some `pages` shows; its `problem` says what has gone wrong, if anything.

    No job is started: trials are those that are shipped or computed already, or that the page itself runs at once. A
    visitor's own records and a poll on telephones are not used.
    """
    page = next((page for page in pages if page.address == step.page), None)
    if page is None:
        return StepAnswer(step.page, problem="There is no such page in this app.")
    try:
        with outside_of_scripts():
            return _answered(step, page)
    except ValueError as error:
        return StepAnswer(page.title, problem=f"{page.failed} {error_sentence_html(error)}".strip())
    except Exception:  # a hand-out has other steps
        _LOG.exception("A step of a hand-out could not be computed.")
        return StepAnswer(page.title, problem=_BROKEN)


def _answered(step: Step, page: Page) -> StepAnswer:
    """Return what a step on its page shows. Raise ``ValueError`` with a sentence if there is no answer."""
    given = values.from_texts(page.all_settings, step.settings)
    ignored = _ignored(step, page, given)
    if page.chapters is None:
        return StepAnswer(page.title, question_text=page.question, ignored=ignored)
    question = page.question_of(given)
    if isinstance(question, str):
        return StepAnswer(page.title, ignored=ignored, problem=question)
    answer = page.answer(question, available_trials(page, question))
    if answer is None:
        return StepAnswer(page.title, question, page.question, ignored=ignored, problem=_NOT_COMPUTED)
    names = page.chapters.choice(question).options
    name = given[page.chapters.choice()]
    chapter = next(one for one in page.chapters.all if one.name == (name if name in names else names[0]))
    shown = chapter.panels_for(answer, given)
    panels = list(chain.from_iterable(one if isinstance(one, tuple) else (one,) for one in shown))
    first, is_first = panels[0], chapter is page.chapters.all[0]
    return StepAnswer(
        page.title if is_first else f"{page.title}: {chapter.on_screen}",
        question,
        page.question if is_first else first.question or page.question,
        answer.takeaway() if is_first else first.answer or answer.takeaway(),
        next((panel for panel in panels if panel.figure), first),
        {**getattr(answer, "facts", {}), **first.facts},
        ignored,
    )


def _ignored(step: Step, page: Page, given: Values) -> str:
    """Say as HTML which settings of a step the page does not take; empty if it takes all."""
    texts = {key: list(value) if isinstance(value, tuple) else [value] for key, value in step.settings.items()}
    found = page_settings.problems(page.all_settings(given), texts).values()
    return escape(_without_markdown(" ".join(found)), quote=False)


def _without_markdown(markdown: str) -> str:
    """Return the text of Markdown that has code spans and escaped characters."""
    return re.sub(r"\\(.)", r"\1", markdown.replace("`", ""))


def available_trials(page: Page, question: Any) -> Trials:
    """Return the trials of a question that are there without a job."""
    jobs = page.jobs or page.extra_jobs
    return trials.already_there(jobs(question)) if jobs else Trials()

"""Define a page of the app, and render it.

Every run does these steps once, in this order: address → values → question → jobs → trials → answer(question, trials) →
panels → screen. Controls only show the values, and set them for the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, Protocol

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from pages.kit import (
    cache,
    first_screen,
    inputs,
    link,
    more,
    notebook,
    own_data,
    predictions,
    present,
    presenter,
    report,
    room_guesses,
    screen,
    trials,
    values,
    watching,
)
from pages.kit.folds import CODE
from pages.kit.numbers import error_sentence_html
from pages.kit.panel import LiveDial, Panel, Prediction, one_by_one
from pages.kit.present import PageInfo, View
from pages.kit.settings import Choice, Setting, label_and_key
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.kit.values import Values
from server import uploads
from server.script_slots import in_script_slot, script_slot
from server.streamlit_internals import is_hidden

# So few chapters of the story need no button to the next one.
_FEW_CHAPTERS = 3


class Answer(Protocol):
    """The answer to a question; `takeaway` is its one or two sentences.

    It may have `facts`: numbers as texts by name, for the sentences of a lecture.
    """

    def takeaway(self) -> str: ...


@dataclass(frozen=True)
class Chapter:
    """One of the views of an answer, rendered in place of the main figure.

    `panels(answer)` returns what is shown. `controls(answer)` renders controls of the chapter's own, which set the
    `settings`; these may be a function of the values, if their defaults follow from other settings. If the panels
    depend on these, `choice_of(values, answer)` returns what the values choose, and the panels are `panels(answer,
    choice)`. The first chapter shows the answer's takeaway as its sentence, each other one the answer of its first
    panel. `fits(question)` returns whether the chapter exists for a question. With `shows_main_control=False` the
    page's main control is hidden, as it has no effect here. The story of a page comes first; chapters `for_specialists`
    come after it, folded. `title` is what it is called on screen, if otherwise than in links.
    """

    name: str
    panels: Callable[..., Sequence[Panel | tuple[Panel, ...]]]
    controls: Callable[[Any], None] | None = None
    settings: Sequence[Setting] | Callable[[Values], Sequence[Setting]] = ()
    choice_of: Callable[[Values, Any], Any] | None = None
    fits: Callable[[Any], bool] = field(default=lambda question: True)
    shows_main_control: bool = True
    for_specialists: bool = False
    title: str = ""

    @property
    def on_screen(self) -> str:
        """Return what the chapter is called on screen."""
        return self.title or self.name

    def settings_for(self, now: Values) -> Sequence[Setting]:
        """Return the settings of the chapter, with the defaults that they have for these values."""
        return self.settings(now) if callable(self.settings) else self.settings

    def panels_for(self, answer: Any, now: Values) -> Sequence[Panel | tuple[Panel, ...]]:
        """Return what is shown of an answer with these values of the settings."""
        return self.panels(answer, self.choice_of(now, answer)) if self.choice_of else self.panels(answer)


@dataclass(frozen=True)
class Chapters:
    """All chapters of a page in order; `key` is the name of the choice among them in the address.

    They are `numbered` unless numbers would make them read as things to do. Until a question is `ready` for more than
    the first, all are folded behind the words `later`; so they are until the guess is made that the first may ask for,
    the prediction named `guess`, if it does.
    """

    key: str
    all: tuple[Chapter, ...]
    numbered: bool = True
    ready: Callable[[Any], bool] = field(default=lambda question: True)
    later: str = "More on this topic"
    guess: str = ""

    def choice(self, question: Any = None, current: str = "") -> Choice:
        """Return the choice among the chapters that fit a question, or among all without one.

        If `question` is a sentence that says why there is none, the choice is among the first chapter, those that fit
        every question, and the `current` one.
        """
        if isinstance(question, str):
            names = tuple(c.name for c in self.all if c.fits is Chapter.fits or c.name in (self.all[0].name, current))
        else:
            names = tuple(one.name for one in self.all if question is None or one.fits(question))
        shown = {one.name: one.title for one in self.all if one.title}
        return Choice(self.key, names, names[0], "Chapter", shown=shown)

    def settings_for(self, now: Values) -> list[Setting]:
        """Return the choice among the chapters, and the settings of the chapters, each once."""
        return [self.choice(), *dict.fromkeys(setting for one in self.all for setting in one.settings_for(now))]


def _nothing(_: Any) -> None:
    """Render nothing."""


# The functions of a page by the module of its folder that defines them.
_FUNCTIONS = {
    "question": ("settings", "question_of", "remarks"),
    "answer": ("answer", "jobs", "extra_jobs", "waiting", "opendp_lines"),
    "controls": ("controls", "main_control", "presets", "adjust"),
}


@dataclass(frozen=True)
class Page:
    """A page of the app, made of plain functions. A question is a frozen dataclass that the topic defines.

    - `title` is the page's name in the menu, `question` (a text) the headline, `address` the path in the URL;
    - `settings(values)` returns all settings of the controls, with the ranges that they have for these values;
    - `question_of(values)` is pure: it returns the question that values make, or a sentence that says why they make
    none; `adjust(values)` sets those first that must change with others, such as sizes with the data set;
    - `controls(values, main)` renders the controls, the most important one in the container `main`, the others in the
    folded settings;
    - `main_control(values)` renders the control that visitors move most; after a change of it only the answer is
    rendered again;
    - `remarks(values)` returns sentences on what the question leaves out;
    - `presets(question)` renders buttons that set several settings, below the controls;
    - `jobs(question)` returns the background jobs whose trials the answer needs, `extra_jobs(question)` those that
    only add to an answer; `waiting(question)` is the sentence until there is anything to show;
    - `answer(question, trials)` is pure: it returns an `Answer`, or None while there is nothing to show, or raises
    ``ValueError`` with a sentence, which `failed` introduces on screen;
    - `chapters` are the views of the answer, one at a time; `following` is the next page: its address and title;
    `addresses` are those of all pages of the site;
    - `opendp_lines(question)` returns the lines of Python for OpenDP that randomise as the page does, where it can;
    - with `is_repeatable=False` the settings alone do not make the same answer again: people take part;
    - `folds(question, answer)` returns Markdown by title; `answer` is None on a page with jobs or without a question;
    - with `asks_first` the main control stands above the page's sentence, which answers it;
    - `arrange(page, placeholder)` renders a page of another layout, such as the home page.
    """

    title: str
    question: str
    address: str
    answer: Callable[[Any, Trials], Any]
    question_of: Callable[[Values], Any]
    controls: Callable[[Values, DeltaGenerator], None]
    settings: Callable[[Values], Sequence[Setting]]
    folds: Callable[[Any, Any], Mapping[str, str]]
    chapters: Chapters | None = None
    adjust: Callable[[Values], None] = _nothing
    remarks: Callable[[Values], Sequence[str]] = lambda values: ()
    presets: Callable[[Any], None] = _nothing
    main_control: Callable[[Values], None] | None = None
    jobs: Callable[[Any], list[Job]] | None = None
    extra_jobs: Callable[[Any], list[Job]] | None = None
    waiting: Callable[[Any], str] = field(default=lambda question: "")
    opendp_lines: Callable[[Any], Snippet | None] = field(default=lambda question: None)
    is_repeatable: bool = True
    failed: str = ""
    shows_images: bool = False
    following: tuple[str, str] | None = None
    addresses: tuple[str, ...] = ("",)
    asks_first: bool = False
    arrange: Callable[[Page, Any], None] | None = None

    @classmethod
    def from_folder(cls, package: str, **more: Any) -> Page:
        """Return the page of a topic's `package`; `more` are the fields that are not found by their names.

        `settings`, `question_of` and `remarks` are functions of its module `question`; `answer`, `jobs`, `extra_jobs`,
        `waiting` and `opendp_lines` of `answer`; `controls`, `main_control`, `presets` and `adjust` of `controls`.
        """
        found: dict[str, Any] = {}
        for module, names in _FUNCTIONS.items():
            functions = vars(import_module(f"{package}.{module}"))
            found |= {name: functions[name] for name in names if name in functions}
        return cls(**(found | more))

    def all_settings(self, values: Values) -> list[Setting]:
        """Return every setting of the page and its chapters, with the ranges that they have for these values."""
        return [*self.settings(values), *(self.chapters.settings_for(values) if self.chapters else [])]

    @property
    def here(self) -> PageInfo:
        """Return what lectures and files of settings need of the page."""
        return PageInfo(self.address, self.title, self.all_settings, self.addresses)

    @property
    def in_menu(self) -> StreamlitPage:
        """Return the page for Streamlit's navigation; the page without an address is the default."""
        name = self.address or self.title.lower()
        return st.Page(self.run, title=self.title, url_path=name, default=not self.address)

    def run(self) -> None:
        """Wait until the server runs few enough scripts, then render the page."""
        values.notice_navigation()
        with script_slot():
            self._render()

    def _render(self) -> None:
        here = self.here
        values.enter(self.address, self.all_settings)
        present.finish_navigation(here)
        self.adjust(values.here())
        known = self.all_settings(values.here())
        values.clamp(known)
        view = present.read_view(here)
        wants_guess = view.position is not None and view.shows("guess")
        predictions.begin(self.address, known, view.whole, wants_guess)
        predictions.set_asking(False)
        screen.begin(self.question)
        slide = None
        if view.position:
            slide = screen.Slide(*presenter.screen_size(), view.position.step.say, view.shows("takeaway"))
        screen.set_slide(slide)
        with st.container(key="head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            if not slide:
                st.title(self.question, anchor=False)
            screen.skip_link()
            menu = more.render(here, known)
        missing = missing_data() if self.shows_images and _shows_small_digits(known) else ""
        present.render(view, here, _MISSING_ON_SLIDE if missing else "")
        others = [*present.link_parameters(here), *([trials.JOB] if self.jobs else [])]
        values.note_bad_parameters([*known, *others])
        link.show_notes()
        if refusal := st.session_state.pop(uploads.REFUSAL, None):
            st.toast(refusal, duration="long")
        questions = None
        if self.asks_first and not slide:
            with st.container(key="questions-first"):  # it ends below them, so that they do not stay in sight
                questions = st.container(key="main-control")
        placeholder = st.empty()
        if not slide:
            screen.last_takeaway(placeholder, self.address)
        if not self.jobs and not self.extra_jobs:
            trials.stop_watching_others([])
        if self.arrange:
            self.arrange(self, placeholder)
        else:
            _render_layout(self, placeholder, menu, view, known, questions)
        room_guesses.end_unless_shown()
        if missing and not slide:
            st.info(missing)
        chapter = self.chapters.choice() if self.chapters and not view.position else None  # a step has its own entry
        values.write_to_address(known, "page", others, chapter)  # at the end, where its element moves no other


def _shows_small_digits(known: Sequence[Setting]) -> bool:
    """Return whether the small digits are shown: they are chosen, or the page has no choice among data sets."""
    chosen = [values.get(one) for one in known if isinstance(one, Choice) and cache.SMALL_DIGITS in one.options]
    return not chosen or cache.SMALL_DIGITS in chosen


def missing_data() -> str:
    """Return what is shown in the place of MNIST where that cannot be read, why, and how to get it; else nothing."""
    problem = cache.problem("mnist")
    return f"Showing scikit-learn's small digits, because MNIST cannot be read: {problem}" if problem else ""


def _render_layout(
    page: Page, placeholder: Any, menu: Any, view: View, known: Sequence[Setting], questions: DeltaGenerator | None
) -> None:
    """Render the line of chapters and settings, below it the main control with the figure, then the folds.

    The main control is rendered in `questions` instead, if that is a container above.
    """
    with st.container(key="page-main"):
        line = st.container(key="nav", horizontal=True, vertical_alignment="center", gap="small")
        stage = st.container(key="stage")
        with stage:
            main = questions or (stage if page.main_control else st.container(key="main-control"))
            with main:
                screen.main_control_anchor()
        with line:
            chapters = st.container(key="chapters", horizontal=True, vertical_alignment="center", width="content")
            with inputs.settings(folded=view.whole):
                question = page.question_of(values.here())
                with st.container(key="controls"):
                    page.controls(values.here(), main)
                    for remark in page.remarks(values.here()):
                        st.info(remark)
                if not is_hidden():
                    with st.container(key="presets"):
                        page.presets(question)
        if menu:
            with menu:
                more.save(page.address, known, question)
        with chapters:
            chapter = _choose_chapter(page, question)
        with stage:
            show(page, chapter, question, placeholder)


def _choose_chapter(page: Page, question: Any) -> Chapter | None:
    """Render the choice of a chapter and a button to the next one or the next page; return the chosen chapter."""
    if page.chapters is None:
        return None
    current = values.get(page.chapters.choice())
    choice = page.chapters.choice(question, current)
    if current not in choice.options:  # it existed for another question
        values.put(choice, choice.default)
    story = [one.name for one in page.chapters.all if one.name in choice.options and not one.for_specialists]
    is_ready = page.chapters.ready(question)
    with st.container(key="chapter-choice", horizontal=True, vertical_alignment="center", gap=None):
        name = inputs.choose(choice, hide_label=True)
        may_ask = predictions.may_ask(page.chapters.guess)
        if may_ask or not is_ready:
            screen.fold_all_chapters(page.chapters.later, name != story[0], until_guess=may_ask)
        if is_ready and len(story) < len(choice.options):
            screen.fold_chapters(len(story), "For specialists", is_open=name not in story)
    if not page.chapters.numbered:
        screen.unnumber_chapters()
    if not is_ready:
        pass  # the next chapter has nothing to show yet
    elif name in story[:-1]:
        following = story[story.index(name) + 1]
        if len(story) > _FEW_CHAPTERS:
            words = f"Next: {choice.on_screen(following)} →"
            st.button(words, on_click=values.put, args=(choice, following), key="next-chapter")
    elif page.following:
        address, title = page.following
        screen.page_link(address, title, f"Next page: {title} →")
    return next(chapter for chapter in page.chapters.all if chapter.name == name)


def show(page: Page, chapter: Chapter | None, question: Any, placeholder: Any) -> None:
    """Render the answer to a question, or the sentence that says why there is none."""
    if page.jobs:
        under_way = _follow(page, chapter, question, placeholder)
        _end(page, question)
        if under_way:
            watching.watch(question, under_way)
    elif isinstance(question, str):
        screen.takeaway(placeholder, page.address, question)
        _end(page, question)
    elif page.main_control:
        # With the settings open, their boxes follow the main control: then the whole page runs again after a change.
        alone = not st.session_state.get(inputs.SETTINGS)
        (st.fragment(in_script_slot(_answer_at_once)) if alone else _answer_at_once)(
            page, chapter, question, placeholder
        )
    else:
        _answer_at_once(page, chapter, question, placeholder)


def _end(page: Page, question: Any, answer: Answer | None = None) -> None:
    with st.container(key="end"):
        if not predictions.is_asking():
            screen.folds(page.folds(question, answer))


def _answer_at_once(page: Page, chapter: Chapter | None, question: Any, placeholder: Any) -> None:
    """Answer a question without background jobs; with a main control this is a fragment, run when it changes."""
    if page.main_control:
        with st.container(key="main-control-fragment"):
            page.main_control(values.here())
        question = page.question_of(values.here())  # the main control alone may have changed
    answer, made = None, Trials()
    try:
        if page.extra_jobs:
            made = watching.start(question, page.extra_jobs(question))
        answer = page.answer(question, made)
    except ValueError as error:
        _refuse(page, placeholder, error)
    if answer:
        _render(page, chapter, question, answer, placeholder)
    _end(page, question, answer)
    watching.watch_for_more(question, made)
    if page.main_control:
        values.write_to_address(page.settings(values.here()), "main-control")


def _refuse(page: Page, placeholder: Any, problem: Exception | str) -> None:
    """Render the reason why there is no answer in place of the takeaway."""
    screen.takeaway(placeholder, page.address, f"{page.failed} {error_sentence_html(problem)}".strip())


def _render(page: Page, chapter: Chapter | None, question: Any, answer: Any, placeholder: Any) -> None:
    """Render a chapter of an answer: its sentence in the placeholder, its controls and its panels."""
    facts = getattr(answer, "facts", {})
    if chapter is None:
        screen.takeaway(placeholder, page.address, answer.takeaway(), facts=facts)
        return
    alone = chapter.controls and not page.jobs and not page.main_control
    (st.fragment(in_script_slot(_render_chapter)) if alone else _render_chapter)(
        page, chapter, question, answer, placeholder
    )


def _render_chapter(page: Page, chapter: Chapter, question: Any, answer: Any, placeholder: Any) -> None:
    """Render a chapter's own controls and its panels; as a fragment where nothing else depends on them."""
    predictions.rerun_after_change()
    if chapter.controls:
        with st.container(key="chapter-controls"):
            chapter.controls(answer)
    lines = page.opendp_lines(question)
    # The session keeps this for one more run, so it must not hold the question, which may have a visitor's records.
    is_repeatable = page.is_repeatable and not own_data.has_file(question)
    screen.set_code_to_take_away(screen.CodeToTakeAway(partial(_notebook, page, is_repeatable, lines), lines))
    facts = getattr(answer, "facts", {})
    first, *rest = chapter.panels_for(answer, values.here())
    is_first = page.chapters is not None and chapter is page.chapters.all[0]
    prediction = predictions.open_one([first, *rest])
    predictions.set_asking(prediction is not None)
    if prediction:
        question = "" if is_first or not isinstance(first, Panel) else first.question
        screen.takeaway(placeholder, page.address, prediction.ask, question)
    elif is_first:
        screen.takeaway(placeholder, page.address, answer.takeaway(), facts=facts)
    elif isinstance(first, Panel):
        known = None if first.is_waiting else {**facts, **first.facts}
        screen.takeaway(placeholder, page.address, first.answer, first.question, known)
        first = replace(first, question="", answer="")
    elif screen.is_slide():
        screen.takeaway(placeholder, page.address, answer.takeaway(), facts=facts)
    make_report = partial(_report, page, chapter, question, answer, values.copy_of_here())
    with (
        nullcontext() if chapter.shows_main_control else st.container(key="no-main-control"),
        st.container(key="figure"),
        screen.offering_report(make_report, page.address),
    ):
        screen.render([first, *rest])
    if chapter.controls:
        values.write_to_address(chapter.settings_for(values.here()), "chapter")
    if is_first:
        panels = first if isinstance(first, tuple) else (first,)
        shown = predictions.covered(panels, prediction) if prediction else panels
        screen.save_first_screen(page.address, shown, _heights(page, chapter, panels, prediction))
    if not prediction and not any(map(screen.has_menu, one_by_one([first, *rest]))):
        screen.report_button(make_report, page.address)


def _notebook(page: Page, is_repeatable: bool, opendp: Snippet | None, panel: Panel) -> Callable[[], str]:
    """Return the function that makes the notebook of a panel with the values of now, outside of the session."""
    now: notebook.Settings | None = values.in_address(page.all_settings(values.here())) if is_repeatable else None
    return partial(notebook.text, panel, page.title, page.question, page.address, now, opendp)


# What a slide says of missing data, in its last line: all of it would lie over the figure.
_MISSING_ON_SLIDE = "small digits, as MNIST is missing"
# The rem that the questions take above the sentence, in a wide window, a middling one and a narrow one.
_QUESTIONS = (7.0, 12.4, 20.0)


def _heights(
    page: Page, chapter: Chapter, panels: Sequence[Panel], prediction: Prediction | None
) -> first_screen.Heights:
    """Return the heights above the sentence, and between it and the first figure.

    `prediction` is the guess that the page asks for; it stands above the figure, but in a high wide window below it.
    """
    assert page.chapters is not None
    if len(page.chapters.all) == 1:
        return first_screen.Heights(-1.0, -1.0, 0.5)
    # a live dial is part of the figure, and a guess hides the main control
    is_between = not (prediction or page.asks_first or isinstance(panels[0].figure, LiveDial))
    control = 6.0 * is_between
    known = 1.5 * len(prediction.known) if prediction else 0.0
    wide, narrow = (5.6 + known, 7.5 + known) if prediction else (0.0, 0.0)
    high = 3.6 + control + 3.0 * bool(chapter.controls)
    above = _QUESTIONS if page.asks_first else ()
    return first_screen.Heights(high, high + wide, 0.5 + 1.8 * control + narrow, *above)


def _report(page: Page, chapter: Chapter, question: Any, answer: Any, now: Values) -> str:
    """Return the page with these values as one HTML file; it is made later, outside of the session.

    It holds the chapter on screen and those without settings of their own; the others are only named.
    """
    assert page.chapters is not None
    shown = {
        one.on_screen: one.panels_for(answer, now)
        for one in page.chapters.all
        if one.fits(question) and (one is chapter or not one.settings)
    }
    flat = {name: list(one_by_one(panels)) for name, panels in shown.items()}
    code = page.folds(question, answer).get(CODE, "")
    left_out = [one.on_screen for one in page.chapters.all if one.fits(question) and one.on_screen not in shown]
    current = {label_and_key(one): now[one] for one in page.all_settings(now)}
    return report.page(page.question, answer.takeaway(), flat, current, code, left_out)


# --- pages with background jobs ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Snapshot:
    """The trials of a question that are done at one moment, and the answer from them."""

    trials: Trials
    answer: Any


def _snapshot(page: Page, question: Any, jobs: Sequence[Job]) -> _Snapshot:
    made = trials.start_or_follow(question, jobs)
    return _Snapshot(made, page.answer(question, made))


def _follow(page: Page, chapter: Chapter | None, question: Any, placeholder: Any) -> Trials | None:
    """Render the answer from the trials so far; return their progress, or None if there is no question or an error."""
    assert page.jobs is not None
    has_question = not isinstance(question, str)
    jobs = page.jobs(question) if has_question else []
    trials.stop_watching_others(jobs)
    trials.check_linked_job(jobs)
    if not has_question:
        link.set_one(trials.JOB.key, "")
        screen.takeaway(placeholder, page.address, question)
        return None
    try:
        first = _snapshot(page, question, jobs)
    except ValueError as error:
        link.set_one(trials.JOB.key, "")
        _refuse(page, placeholder, error)
        return None
    alone = chapter and chapter.controls
    (st.fragment(in_script_slot(_live)) if alone else _live)(page, chapter, question, jobs, [first], placeholder)
    return first.trials


def _live(
    page: Page, chapter: Chapter | None, question: Any, jobs: Sequence[Job], first: list[_Snapshot], placeholder: Any
) -> None:
    """Render all that changes with more trials.

    If the chapter has controls this is a fragment: its first run uses up the snapshot in `first`, each later one takes
    a new snapshot.
    """
    try:
        now = first.pop() if first else _snapshot(page, question, jobs)
    except ValueError as error:
        _refuse(page, placeholder, error)
        return
    problem = now.trials.problem
    if problem and not now.answer:
        _refuse(page, placeholder, problem)
    elif problem:
        st.warning(f"Not all trials could be run. {error_sentence_html(problem)}")
    trials.write_job_id(now.trials)
    if now.answer:
        _render(page, chapter, question, now.answer, placeholder)
    elif not problem:
        words = (
            page.waiting(question) if now.trials.running else "No trial is there yet: go on, or change the settings."
        )
        screen.takeaway(placeholder, page.address, words)

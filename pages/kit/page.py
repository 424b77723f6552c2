"""A page: its question, its controls, and the one way from there to the screen.

controls → question → jobs → draws → answer(question, draws) → panels → screen, each step once a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.kit import cache, inputs, link, more, present, presenter, report, screen, trials, watching
from pages.kit.folds import CODE
from pages.kit.numbers import escape_markdown, sentence
from pages.kit.panel import LiveDial, Panel
from pages.kit.present import PageInfo, View
from pages.kit.settings import Choice, Setting, label_and_key
from pages.kit.trials import Job, Trials
from server import uploads
from server.streamlit_internals import is_hidden
from server.turns import in_turn, turn

# Whoever runs a page without a screen sets this key, and finds the question and its answer under it.
ANSWERED = "shown_answer"


class Answer(Protocol):
    """What is known of a question: a `takeaway` in a sentence or two."""

    def takeaway(self) -> str: ...


@dataclass(frozen=True)
class Chapter:
    """One of the things to see, in the place of the main figure: `panels(answer)`, or `panels(answer, asked)`.

    `controls(answer)` draws controls of the chapter's own, of the `settings`, and returns what they ask. The first
    chapter says the answer's takeaway, each other one what its first panel answers. `fits(question)` says whether
    there is such a chapter for the question. The page's main control is hidden where it has nothing to steer.
    """

    name: str
    panels: Callable[..., Sequence[Panel | tuple[Panel, ...]]]
    controls: Callable[[Any], Any] | None = None
    settings: Sequence[Setting] = ()
    fits: Callable[[Any], bool] = field(default=lambda question: True)
    steered: bool = True


@dataclass(frozen=True)
class Chapters:
    """All chapters of a page in their order; `key` names the choice in the address."""

    key: str
    all: tuple[Chapter, ...]

    def choice(self, question: Any = None, held: str = "") -> Choice:
        """The choice among all chapters, those that fit a question, or, of a sentence, the first, any's, one `held`."""
        if isinstance(question, str):
            names = tuple(c.name for c in self.all if c.fits is Chapter.fits or c.name in (self.all[0].name, held))
        else:
            names = tuple(one.name for one in self.all if question is None or one.fits(question))
        return Choice(self.key, names, names[0], "Chapter")

    @property
    def settings(self) -> list[Setting]:
        """The choice among the chapters and the settings that chapters have of their own, each once."""
        return [self.choice(), *dict.fromkeys(setting for one in self.all for setting in one.settings)]


def _nothing(_: Any) -> None:
    """Render nothing."""


@dataclass(frozen=True)
class Page:
    """A page of the app, made of plain functions. `Question` is a frozen dataclass of the topic's own.

    - `title` in the menu, `question` as the headline, `address` in the URL, `blurb` for whoever rests on its tile;
    - `settings()` are all that the controls set, with the ranges they have now; `defaults()` as reset leaves them;
    - `controls(main)` draws them, the one that matters in `main`, beside the figure, the others where they are folded
      away; it returns a question, or a sentence that says why they make none;
    - `main_control(question)` renders the control that a visitor moves most, and returns the question with its value;
      after a change of it only the answer is rendered again;
    - `presets(question)` draws settings on one click, after the controls;
    - `jobs(question)` are its background draws, `adds(question)` those of a page that has an answer without them;
      `waiting(question)` says what is done before there is anything to show;
    - `answer(question, draws)` is pure: an `Answer`, None while there is nothing to show, or ``ValueError`` with a
      sentence where there is nothing to learn from, which `failed` introduces;
    - `chapters` are what there is to see, one at a time; `following` is the page after the last one: address, title;
      `addresses` are those of all pages of the site;
    - `folds(question, answer)` are Markdown by title; of a page of draws, or one without a question, `answer` is None;
    - a page of another kind, such as the home page, says by `arrange(page, place)` where everything stands.
    """

    title: str
    question: str
    address: str
    answer: Callable[[Any, Trials], Any]
    controls: Callable[..., Any]
    settings: Callable[[], Sequence[Setting]]
    folds: Callable[[Any, Any], Mapping[str, str]]
    chapters: Chapters | None = None
    blurb: str = ""
    defaults: Callable[[], Sequence[Setting]] | None = None
    presets: Callable[[Any], None] = _nothing
    main_control: Callable[[Any], Any] | None = None
    jobs: Callable[[Any], list[Job]] | None = None
    adds: Callable[[Any], list[Job]] | None = None
    waiting: Callable[[Any], str] = field(default=lambda question: "")
    failed: str = ""
    shows_images: bool = False
    following: tuple[str, str] | None = None
    addresses: tuple[str, ...] = ("",)
    arrange: Callable[[Page, Any], None] | None = None

    def all_settings(self, defaults: bool = False) -> list[Setting]:
        """Every setting of the page, those of its chapters included; with `defaults` as reset leaves them."""
        own = (self.defaults or self.settings)() if defaults else self.settings()
        return [*own, *(self.chapters.settings if self.chapters else []), *([trials.JOB] if self.jobs else [])]

    @property
    def here(self) -> PageInfo:
        """The page as lectures and files of settings know it: without the draws of this moment."""
        lasting = [setting for setting in self.all_settings(defaults=True) if setting is not trials.JOB]
        return PageInfo(self.address, self.title, lasting, self.addresses)

    @property
    def in_menu(self) -> StreamlitPage:
        """The page as Streamlit's navigation and links take it; the one without an address comes first."""
        name = self.address or self.title.lower()
        return st.Page(self.run, title=self.title, url_path=name, default=not self.address)

    def run(self) -> None:
        """Render the page, in its turn."""
        with turn():
            self._render()

    def _render(self) -> None:
        here = self.here
        if link.separate_pages(here.settings, self.address):
            here = self.here
        link.reopen_after_reset(self.all_settings, self.address)
        present.finish_navigation(here)
        seen = present.read_view(here)
        screen.begin(self.question)
        headline = seen.title(self.question)
        screen.set_projector(presenter.screen_size() if seen.position else None, headline)
        known = self.all_settings()
        with st.container(key="head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            # What a lecture says came with a link or a file: its Markdown stays text.
            st.title(headline if headline == self.question else escape_markdown(headline), anchor=False)
            screen.skip_link()
            menu = more.render(here, known, self._reset)
        present.render(seen, here)
        link.check([*known, *present.link_parameters(here)], self.address)
        if refusal := st.session_state.pop(uploads.REFUSAL, None):
            st.toast(refusal, duration="long")
        place = st.empty()
        screen.last_takeaway(place, self.address)
        if self.shows_images:
            _say_what_is_missing()
        if not self.jobs and not self.adds:
            trials.stop_watching_others([])
        if self.arrange:
            self.arrange(self, place)
        else:
            _in_their_places(self, place, menu, seen, known)

    def _reset(self) -> None:
        link.reset_page(self.all_settings(defaults=True))


def _say_what_is_missing() -> None:
    """One line where MNIST cannot be shown: what is shown instead, why, and how to get it."""
    if problem := cache.problem("mnist"):
        st.info(f"Showing scikit-learn's small digits, because MNIST cannot be read: {problem}")


def _in_their_places(page: Page, place: Any, menu: Any, seen: View, known: Sequence[Setting]) -> None:
    """Render the chapters and the folded settings in a line; below, the main control with the figure, and the folds."""
    with st.container(key="page-main"):
        line = st.container(key="nav", horizontal=True, vertical_alignment="center", gap="small")
        stage = st.container(key="stage")
        with stage:
            main = stage if page.main_control else st.container(key="main-control")
            with main:
                screen.main_control_anchor()
        with line:
            chapters = st.container(key="chapters", horizontal=True, vertical_alignment="center", width="content")
            with inputs.settings(folded=seen.whole):
                with st.container(key="controls"):
                    question = page.controls(main)
                if not is_hidden():
                    with st.container(key="presets"):
                        page.presets(question)
        if menu:
            with menu:
                more.save(page.address, known, question)
        with chapters:
            chapter = _chosen(page, question)
        with stage:
            show(page, chapter, question, place)
        link.flush_to_address("settings")  # at the end, where it moves nothing


def _chosen(page: Page, question: Any) -> Chapter | None:
    """Let the visitor choose a chapter, or go on to the next one, and in the end to the next page."""
    if page.chapters is None:
        return None
    choice = page.chapters.choice(question, st.session_state.get(page.chapters.key, ""))
    if st.session_state.get(choice.key) not in (None, *choice.options):  # it was of another question
        st.session_state[choice.key] = choice.default
    name = inputs.choose(choice, hide_label=True)
    place = choice.options.index(name) + 1
    if place < len(choice.options):
        st.button("Next →", on_click=_go_to, args=(choice.key, choice.options[place]), key="next-chapter")
    elif page.following:
        screen.page_link(*page.following, "Next →", f"The next page: {page.following[1]}")
    return next(chapter for chapter in page.chapters.all if chapter.name == name)


def _go_to(key: str, name: str) -> None:
    st.session_state[key] = name


def show(page: Page, chapter: Chapter | None, question: Any, place: Any) -> None:
    """Answer a question on the screen; a sentence in its place says why there is none."""
    if page.jobs:
        under_way = _follow(page, chapter, question, place)
        _end(page, question)
        if under_way:
            watching.watch(question, under_way)
    elif isinstance(question, str):
        screen.takeaway(place, page.address, question)
        _end(page, question)
    elif page.main_control:
        st.fragment(in_turn(_answer_at_once))(page, chapter, question, place)
    else:
        _answer_at_once(page, chapter, question, place)


def _end(page: Page, question: Any, answer: Answer | None = None) -> None:
    with st.container(key="end"):
        screen.folds(page.folds(question, answer))


def _answer_at_once(page: Page, chapter: Chapter | None, question: Any, place: Any) -> None:
    """Answer a question that needs no background jobs; after a change of the main control this alone runs again."""
    asked = question
    if page.main_control:
        with st.container(key="main-control-fragment"):
            asked = page.main_control(question)
            link.flush_to_address("main-control")
    answer, made = None, Trials()
    try:
        if page.adds:
            made = watching.start(asked, page.adds(asked))
        answer = page.answer(asked, made)
    except ValueError as error:
        _refuse(page, place, error)
    if answer:
        _render(page, chapter, asked, answer, place)
    _end(page, asked, answer)
    watching.watch_for_more(asked, made)


def _refuse(page: Page, place: Any, problem: Exception | str) -> None:
    """Say in the place of the answer why there is none."""
    screen.takeaway(place, page.address, f"{page.failed} {sentence(problem)}".strip())


def _render(page: Page, chapter: Chapter | None, question: Any, answer: Any, place: Any) -> None:
    """Render a chapter of an answer: its sentence in the sentence's place, and its panels."""
    if ANSWERED in st.session_state:
        st.session_state[ANSWERED] = question, answer
    if chapter is None:
        screen.takeaway(place, page.address, answer.takeaway())
        return
    alone = chapter.controls and not page.jobs and not page.main_control
    (st.fragment(in_turn(_render_chapter)) if alone else _render_chapter)(page, chapter, question, answer, place)


def _render_chapter(page: Page, chapter: Chapter, question: Any, answer: Any, place: Any) -> None:
    """Render a chapter's own controls and its panels; as a fragment where nothing else depends on them."""
    asked = ()
    if chapter.controls:
        with st.container(key="chapter-controls"):
            asked = (chapter.controls(answer),)
    first, *rest = chapter.panels(answer, *asked)
    is_first = page.chapters is not None and chapter is page.chapters.all[0]
    if is_first:
        screen.takeaway(place, page.address, answer.takeaway())
    elif isinstance(first, Panel):
        screen.takeaway(place, page.address, first.answer, first.question)
        first = replace(first, question="", answer="")
    with nullcontext() if chapter.steered else st.container(key="unsteered"), st.container(key="figure"):
        screen.render([first, *rest])
    if is_first:
        panels = first if isinstance(first, tuple) else (first,)
        screen.save_first_screen(page.address, panels, _room(page, chapter, panels))
    screen.report_button(partial(_report, page, chapter, question, answer, asked, _set_now(page)), page.address)


def _set_now(page: Page) -> dict[str, Any]:
    """What is set at this moment, by the names of the settings: a report is made later, without a session."""
    found = {label_and_key(one): st.session_state.get(one.key, one.default) for one in page.here.settings}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}


def _room(page: Page, chapter: Chapter, panels: Sequence[Panel]) -> tuple[float, float]:
    """About what stands between the sentence and the first figure, in rem, and that on a narrow screen."""
    assert page.chapters is not None
    if len(page.chapters.all) == 1:
        return -1.0, 0.5
    control = 6.0 * (not isinstance(panels[0].figure, LiveDial))  # a live dial stands in the figure
    return 3.6 + control + 3.0 * bool(chapter.controls), 0.5 + 1.8 * control


def _report(
    page: Page, chapter: Chapter, question: Any, answer: Any, asked: tuple[Any, ...], set_now: Mapping[str, Any]
) -> str:
    """The page as one HTML file: of the chapters with settings of their own, the one on screen; the others by name."""
    assert page.chapters is not None
    shown = {
        one.name: one.panels(answer, *(asked if one is chapter else (None,) if one.controls else ()))
        for one in page.chapters.all
        if one.fits(question) and (one is chapter or not one.settings)
    }
    flat = {
        name: [one for panel in panels for one in (panel if isinstance(panel, tuple) else (panel,))]
        for name, panels in shown.items()
    }
    code = page.folds(question, answer).get(CODE, "")
    left_out = [one.name for one in page.chapters.all if one.fits(question) and one.name not in shown]
    return report.page(page.question, answer.takeaway(), flat, set_now, code, left_out)


# --- pages of background draws ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Look:
    """One look at the draws of a question and its answer so far."""

    draws: Trials
    answer: Any


def _look(page: Page, question: Any, jobs: Sequence[Job]) -> _Look:
    made = trials.start_or_follow(question, jobs)
    return _Look(made, page.answer(question, made))


def _follow(page: Page, chapter: Chapter | None, question: Any, place: Any) -> Trials | None:
    """Show what the draws of a question tell so far; returns how far they are, or None where there are none."""
    assert page.jobs is not None
    asked = not isinstance(question, str)
    jobs = page.jobs(question) if asked else []
    trials.stop_watching_others(jobs)
    trials.check_linked_job(jobs)
    if not asked:
        link.write(trials.JOB.key, "")
        screen.takeaway(place, page.address, question)
        return None
    try:
        first = _look(page, question, jobs)
    except ValueError as error:
        link.write(trials.JOB.key, "")
        _refuse(page, place, error)
        return None
    alone = chapter and chapter.controls
    (st.fragment(in_turn(_live)) if alone else _live)(page, chapter, question, jobs, [first], place)
    return first.draws


def _live(
    page: Page, chapter: Chapter | None, question: Any, jobs: Sequence[Job], first: list[_Look], place: Any
) -> None:
    """All that draws change; alone it runs again after a change of a chapter's own controls, with a new look."""
    try:
        now = first.pop() if first else _look(page, question, jobs)
    except ValueError as error:
        _refuse(page, place, error)
        return
    problem = now.draws.problem
    if problem and not now.answer:
        _refuse(page, place, problem)
    elif problem:
        st.warning(f"Not all draws could be made. {sentence(problem)}")
    trials.write_job_id(now.draws)
    if now.answer:
        _render(page, chapter, question, now.answer, place)
    elif not problem:
        words = page.waiting(question) if now.draws.running else "No draw is there yet: go on, or change the settings."
        screen.takeaway(place, page.address, words)

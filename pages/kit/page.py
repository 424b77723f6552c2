"""A page: its question, its controls, and the one way from there to the screen.

controls → question → jobs → draws → answer(question, draws) → panels → screen, each step once a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.kit import cache, draws, inputs, link, screen
from pages.kit.draws import Draws, Job
from pages.kit.numbers import sentence
from pages.kit.panel import Cards, Panel
from pages.kit.settings import Choice, Setting


class Answer(Protocol):
    """What is known of a question: a `takeaway` in a sentence or three, and the `main` panels."""

    def takeaway(self) -> str: ...
    def main(self) -> Sequence[Panel | tuple[Panel, ...]]: ...


@dataclass(frozen=True)
class Tab:
    """One of the things to look at below the main figure: `panels(answer)`, or `panels(answer, asked)` with controls.

    `controls(answer)` draws controls of the tab's own, of the `settings`, and returns what they ask. `fits(answer)`
    says whether there is such a tab for the question.
    """

    name: str
    panels: Callable[..., Sequence[Panel]]
    controls: Callable[[Any], Any] | None = None
    settings: Sequence[Setting] = ()
    fits: Callable[[Any], bool] = field(default=lambda answer: True)


@dataclass(frozen=True)
class Tabs:
    """All tabs of a page, the first one the default; `key` names the choice in the address."""

    key: str
    all: tuple[Tab, ...]
    label: str = "Look at"

    def choice(self, answer: Any = None) -> Choice:
        """The choice among the tabs, of those that fit an answer."""
        names = tuple(tab.name for tab in self.all if answer is None or tab.fits(answer))
        return Choice(self.key, names, names[0], self.label)

    @property
    def settings(self) -> list[Setting]:
        """The choice among the tabs and the settings that tabs have of their own, each once."""
        return [self.choice(), *dict.fromkeys(setting for tab in self.all for setting in tab.settings)]


def _nothing(_: Any) -> None:
    """Draw nothing."""


@dataclass(frozen=True)
class Page:
    """A page of the app, made of plain functions. `Question` is a frozen dataclass of the topic's own.

    - `title` in the menu, `question` as the headline, `address` in the URL, `blurb` on the home page's tile;
    - `settings()` are all that the controls set, with the ranges they have now; `defaults()` as reset leaves them;
    - `controls()` draws them and returns a question, or a sentence that says why they make none;
    - `presets(question)` draws what stands over the main figure, `lever(question)` controls of the main figure's own,
      from which comes what is asked in the end;
    - `jobs(question)` are its background draws; `waiting(question)` says what is done before there is anything to show;
    - `answer(question, draws)` is pure: an `Answer`, None while there is nothing to show, or ``ValueError`` with a
      sentence where there is nothing to learn from, which `failed` introduces;
    - `after(answer)` draws what stands under the main figure; `below(answer)` are panels that come next, then `tabs`;
    - `folds(question, answer)` are Markdown by title; of a page of draws, or one without a question, `answer` is None;
    - the controls stand beside the figures, or with `controls_above` over them, where a table needs the whole width.
      A page of another kind, such as the home page, says by `arrange(page, place)` where everything stands.
    """

    title: str
    question: str
    address: str
    answer: Callable[[Any, Draws], Answer | None]
    controls: Callable[[], Any]
    settings: Callable[[], Sequence[Setting]]
    folds: Callable[[Any, Any], Mapping[str, str]]
    blurb: str = ""
    defaults: Callable[[], Sequence[Setting]] | None = None
    presets: Callable[[Any], None] = _nothing
    lever: Callable[[Any], Any] | None = None
    jobs: Callable[[Any], list[Job]] | None = None
    waiting: Callable[[Any], str] = field(default=lambda question: "")
    failed: str = ""
    after: Callable[[Any], None] = _nothing
    below: Callable[[Any], Sequence[Panel]] | None = None
    tabs: Tabs | None = None
    shows_images: bool = False
    controls_above: bool = False
    arrange: Callable[[Page, Any], None] | None = None

    def all_settings(self, defaults: bool = False) -> list[Setting]:
        """Every setting of the page, those of its tabs included; with `defaults` as reset leaves them."""
        own = (self.defaults or self.settings)() if defaults else self.settings()
        return [*own, *(self.tabs.settings if self.tabs else []), *([draws.JOB] if self.jobs else [])]

    @property
    def in_menu(self) -> StreamlitPage:
        """The page as Streamlit's navigation and links take it; the one without an address comes first."""
        name = self.address or self.title.lower()
        return st.Page(self.run, title=self.title, url_path=name, default=not self.address)

    def run(self) -> None:
        """Draw the page."""
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.title(self.question, anchor=False)
            with st.container(horizontal=True, width="content"):
                st.button("↺ Reset", on_click=self._reset, key="reset")
                link.copy_button()
        link.check(self.all_settings(), self.address)
        place = st.empty()
        screen.last_takeaway(place, self.address)
        if self.shows_images:
            _say_what_is_missing()
        (self.arrange or _in_their_places)(self, place)
        cache.freeze_heap()

    def _reset(self) -> None:
        link.reset(self.all_settings(defaults=True))


def _say_what_is_missing() -> None:
    """One line where MNIST cannot be shown: what is shown instead, why, and how to get it."""
    if problem := cache.problem("mnist"):
        st.info(f"Showing scikit-learn's small digits, because MNIST cannot be read: {problem}")


def _in_their_places(page: Page, place: Any) -> None:
    """Draw the controls to the left or above, and the figures."""
    with st.container(key="page-main"):
        side, main = (nullcontext(), nullcontext()) if page.controls_above else st.columns([1, 3], gap="medium")
        with side, st.container(key="controls"):
            question = page.controls()
        with main:
            page.presets(question)
            show(page, question, place)


def show(page: Page, question: Any, place: Any) -> None:
    """Answer a question on the screen; a sentence in its place says why there is none."""
    if page.jobs:
        _follow(page, question, place)
        _end(page, question)
    elif isinstance(question, str):
        screen.takeaway(place, page.address, question)
        _end(page, question)
    elif page.lever:
        st.fragment(_answer_at_once)(page, question, place)
    else:
        _answer_at_once(page, question, place)


def _end(page: Page, question: Any, answer: Answer | None = None) -> None:
    with st.container(key="end"):
        screen.folds(page.folds(question, answer))


def _answer_at_once(page: Page, question: Any, place: Any) -> None:
    """Answer a question that needs no background draws; after a pull of the lever this alone runs again."""
    asked = page.lever(question) if page.lever else question
    answer = None
    try:
        answer = page.answer(asked, Draws())
    except ValueError as error:
        _refuse(page, place, error)
    if answer:
        _draw(page, answer, place)
    _end(page, asked, answer)


def _refuse(page: Page, place: Any, problem: Exception | str) -> None:
    """Say in the place of the answer why there is none."""
    screen.takeaway(place, page.address, f"{page.failed} {sentence(problem)}".strip())


def _draw(page: Page, answer: Answer, place: Any) -> None:
    """Draw an answer: the sentence, the main panels, those below, and the chosen tab."""
    screen.takeaway(place, page.address, answer.takeaway())
    screen.draw(answer.main())
    page.after(answer)
    if not page.below and not page.tabs:
        return
    with st.container(key="rest"):
        if page.below:
            screen.draw(page.below(answer))
        if page.tabs:
            _draw_tab(page.tabs, answer, alone=page.jobs is None)


def _draw_tab(tabs: Tabs, answer: Answer, alone: bool) -> None:
    """Let the visitor choose a tab, and draw it."""
    choice = tabs.choice(answer)
    if st.session_state.get(choice.key) not in (None, *choice.options):  # it was of another question
        st.session_state[choice.key] = choice.default
    chosen = inputs.choose(choice)
    tab = next(tab for tab in tabs.all if tab.name == chosen)
    if tab.controls and alone:
        st.fragment(_draw_with_controls)(tab, answer)
    elif tab.controls:
        _draw_with_controls(tab, answer)
    else:
        screen.draw(tab.panels(answer))


def _draw_with_controls(tab: Tab, answer: Answer) -> None:
    """Draw a tab's own controls between its answer, cards included, and its figures."""
    assert tab.controls is not None
    top = st.container()
    first, *rest = tab.panels(answer, tab.controls(answer))
    with top:
        screen.head(first)
        while rest and isinstance(rest[0].figure, Cards):
            screen.draw_one(rest.pop(0))
    screen.figure(first)
    screen.draw(rest)


# --- pages of background draws ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Look:
    """One look at the draws of a question and its answer so far."""

    draws: Draws
    answer: Answer | None


def _look(page: Page, question: Any, jobs: Sequence[Job]) -> _Look:
    made = draws.look(question, jobs)
    return _Look(made, page.answer(question, made))


def _follow(page: Page, question: Any, place: Any) -> None:
    """Show the draws of a question and go on showing them as they come."""
    assert page.jobs is not None
    asked = not isinstance(question, str)
    jobs = page.jobs(question) if asked else []
    draws.leave_others(jobs)
    draws.attach(jobs)
    if not asked:
        link.write(draws.JOB.key, "")
        screen.takeaway(place, page.address, question)
        return
    try:
        first = _look(page, question, jobs)
    except ValueError as error:
        link.write(draws.JOB.key, "")
        _refuse(page, place, error)
        return
    poll = draws.POLL if first.draws.running else None
    st.fragment(_live, run_every=poll)(page, question, jobs, first.draws.running, [first], place)


def _live(page: Page, question: Any, jobs: Sequence[Job], ran: bool, first: list[_Look], place: Any) -> None:
    """All that changes while draws come in; alone it runs again, and then it takes a new look."""
    try:
        now = first.pop() if first else _look(page, question, jobs)
    except ValueError as error:
        _refuse(page, place, error)
        return
    if ran != now.draws.running:
        st.rerun()  # polling ends, or begins again
    problem = now.draws.problem
    if problem and not now.answer:
        _refuse(page, place, problem)
    elif problem:
        st.warning(f"Not all draws could be made. {sentence(problem)}")
    screen.progress_bar(question, now.draws)
    draws.keep_id(now.draws)
    if now.answer:
        _draw(page, now.answer, place)
    elif not problem:
        words = page.waiting(question) if ran else "No draw is there yet: go on, or change the settings."
        screen.takeaway(place, page.address, words)

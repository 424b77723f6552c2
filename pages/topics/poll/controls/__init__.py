"""The settings and widgets of the class poll: the question, the way of answering, and the buttons of each way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, lecture, link, more, numbers, present, privacy_inputs, screen
from pages.kit.lecture import Lecture, Step
from pages.kit.numbers import sentence
from pages.kit.present import PageInfo, Position
from pages.kit.settings import Choice, Number, Setting, Words
from pages.topics.poll.answer import Answer
from pages.topics.poll.controls import rehearsing, telephones
from pages.topics.poll.join import short
from pages.topics.poll.question import (
    BETWEEN,
    HANDS,
    REHEARSAL,
    STEPS,
    TELEPHONES,
    WAYS,
    Join,
    Question,
    check_answers,
    check_question,
)
from privdemo import limits
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig
from server.streamlit_internals import hidden_container, is_hidden
from server.turns import in_turn

ADDRESS, TITLE = "poll", "Ask your class"
# Questions to start from, each with its answers.
QUESTIONS = {
    "Homework": ("Have you ever copied homework?", "Yes / No"),
    "Books": ("Have you ever pretended to have read a book?", "Yes / No"),
    "Late": ("How often were you late this term?", "Never / Once or twice / More often"),
    "Telephone": ("Do you look at your telephone in lectures?", "Never / Sometimes / Often"),
}
_FIRST = QUESTIONS["Homework"]

WAY = Choice("way", WAYS, REHEARSAL, "How people answer")
ASKED = Words("asked", check_question, _FIRST[0], "Question")
ANSWERS = Words("answers", check_answers, _FIRST[1], f"Answers, with {BETWEEN} in between")
PEOPLE = Number("people", limits.POLL_PEOPLE, 200, "Simulated people", step=10)
PACE = Number("pace", limits.POLL_PACE, 10.0, "Answers a second, when you watch", step=1, form="%.3g")
# A seed of the first hundred whose corrected share has the median error: neither lucky nor unlucky.
SEED = Number("class_seed", limits.SEED, 78, "Seed of the class", help="The same seed gives the same people and lies.")
HANDS_UP = tuple(
    Number(
        f"hands_{i}", replace(limits.POLL_PEOPLE, name="hands", low=0), 0, f"Hands for answer {i}", set_by_audience=True
    )
    for i in range(1, int(limits.POLL_ANSWERS.high) + 1)
)
TIMES = Number("times", limits.POLL_ROUNDS, 2, "Times asked")
STEP = Choice("step", STEPS, STEPS[0], "Chapter")


def lie_setting() -> Number:
    """Return the setting of how often people lie; its range depends on the number of answers."""
    line = link.current(ANSWERS)
    k = 2 if ANSWERS.problem([line]) else len(check_answers(line))
    return Number("poll_lie", limits.poll_lie_limit(k), 0.25, "Each person lies", step=0.01)


def all_settings() -> list[Setting]:
    """Return every setting of the page except those of its chapters."""
    return [WAY, ASKED, ANSWERS, lie_setting(), PEOPLE, PACE, SEED, *HANDS_UP]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the way of answering, the question and its buttons in `main`, the rest in the folded settings.

    Return the question, or a sentence that says why there is none.
    """
    with main:
        first = st.container(key="poll-way", horizontal=True, vertical_alignment="center", gap="small")
        with first:
            way = inputs.choose(WAY, hide_label=True)
        own_poll = telephones.own_poll() if way == TELEPHONES else None
        with inputs.container_if("poll-question", own_poll is None):
            text, line = inputs.text_input(ASKED), inputs.text_input(ANSWERS)
        if own_poll:
            telephones.poll_heading(own_poll)
            _latecomers_address(own_poll.join)
    with main, inputs.container_if("poll-lie", own_poll is None and not _is_projected()):
        lie = _lie(None if ANSWERS.problem([line]) else len(check_answers(line)))
    with inputs.container_if("poll-class", way == REHEARSAL) if not is_hidden() else hidden_container():
        people, pace, seed = inputs.number(PEOPLE), inputs.number(PACE), inputs.number(SEED)
    try:
        words, config = (own_poll.question, own_poll.config) if own_poll else (check_question(text), _config(line, lie))
    except ValueError as error:
        _hands(main, (), False)
        return sentence(error)
    hands = _hands(main, config.answers, way == HANDS and _is_answered_here())
    with first:
        telephones.keep_secrets_in_tab(offered=own_poll is not None)
        telephones.other_polls_buttons(shown=own_poll is not None)
        if way == TELEPHONES:
            return _with_telephones(own_poll, words, config)
        if way == HANDS:
            return _with_project_button(Question(HANDS, words, _by_cards(main, config), (hands,)))
        return _rehearsal(words, config, people, float(pace), seed, main)


def _config(line: str, lie: float) -> PollConfig:
    """Return the config of a poll from the answers as typed."""
    return PollConfig(check_answers(line), lie)


def _lie(n_answers: int | None) -> float:
    """Render how often people lie, as a probability and as ε, and return the probability."""
    setting = lie_setting()
    inputs.clamp(setting, "The lie")
    if n_answers is None or is_hidden():
        return float(inputs.number(setting))
    return privacy_inputs.lie(
        setting, n_answers, name="poll", label="Each person lies", p_label="p, lie", epsilon_label="ε of one answer"
    )


def _by_cards(main: DeltaGenerator, config: PollConfig) -> PollConfig:
    """Return the config with the lie that cards can give; say so if that differs from the one set."""
    with_cards = poll.by_cards(config)
    if abs(with_cards.lie - config.lie) > 5e-4:
        wanted, near = numbers.percent(config.lie), numbers.percent(with_cards.lie)
        main.caption(
            f"Cards of a class lie {near} of the time, which is near enough to {wanted}: that is corrected for."
        )
    return with_cards


def _hands(main: DeltaGenerator, answers: tuple[str, ...], wanted: bool) -> tuple[int, ...]:
    """Render a box for the raised hands of each answer, on the projector as well, and return the numbers."""
    found = []
    with main, inputs.container_if("shown-hands", wanted):
        for setting, answer in zip(HANDS_UP, answers, strict=False):
            found.append(inputs.number(setting, f"Hands for “{numbers.escape_markdown(answer)}”"))
    with hidden_container():
        for setting in HANDS_UP[len(answers) :]:
            inputs.number(setting)
    return tuple(found)


def presets(_: Question | str) -> None:
    """Render buttons with example questions."""
    with st.container(horizontal=True, key="poll-presets", vertical_alignment="center", gap="small"):
        st.markdown("Questions to start from", width="content")
        for name, (text, answers) in QUESTIONS.items():
            st.button(name, key=f"ask {name}", help=text, on_click=_ask, args=(text, answers))


def _ask(text: str, answers: str) -> None:
    """Set the question and its answers to those of an example."""
    st.session_state[ASKED.key], st.session_state[ANSWERS.key] = text, answers


# --- the ways ------------------------------------------------------------------------------------


def _with_telephones(own_poll: telephones.OwnedPoll | None, words: str, config: PollConfig) -> Question | str:
    """Render the buttons of a poll on telephones: to open one, or all that its owner may do with it.

    Return the question, or a sentence if the poll cannot be read.
    """
    telephones.show_problem()
    if own_poll is None:
        if problem := telephones.retry_button_if_unreadable():
            return problem
        telephones.open_button(words, config)
        nobody = (0,) * len(config.answers)
        return Question(TELEPHONES, words, config, (nobody,), join=telephones.unopened())
    question = _with_project_button(Question(TELEPHONES, words, config, own_poll.rounds, join=own_poll.join))
    telephones.buttons(own_poll)
    _rerun_when(lambda: telephones.has_changed(own_poll))
    return question


def _latecomers_address(at: Join) -> None:
    """Render the address to join in a corner of the projected page, where nothing else shows it."""
    if at.is_open and _is_projected():
        with st.container(key="shown-late"):
            st.html(f'<p class="poll-late">{escape(short(at.address))}</p>')


def _rehearsal(words: str, config: PollConfig, people: int, pace: float, seed: int, main: DeltaGenerator) -> Question:
    """Render the button that lets simulated people answer one by one, and return their question."""
    group = poll.rehearse(config, people, seed)
    arrived = rehearsing.arrived((config, people, seed), people, pace)
    if _is_answered_here():
        with _container_if_projected(main):
            rehearsing.button((config, people, seed))
    rounds = (group.counts(1, arrived),)
    question = _with_project_button(Question(REHEARSAL, words, config, rounds, people, group.truth))
    if arrived < people:
        _rerun_when(lambda: rehearsing.arrived((config, people, seed), people, pace) != arrived)
    return question


def _rerun_when(is_changed: Callable[[], bool]) -> None:
    """Check once a second whether somebody has answered, which is cheap; rerun the page only then."""
    earlier_checks = []

    def check() -> None:
        if earlier_checks and is_changed():  # the first call is part of the page's own run
            st.rerun()
        earlier_checks.append(True)

    st.fragment(in_turn(check), run_every=1.0)()


def asked_again_controls(shown: Answer) -> int:
    """Render the button that asks a class again, or a box for the number of times; return that number."""
    question = shown.question
    if question.join is None:
        with st.container(width=180):
            return int(inputs.number(TIMES))
    with hidden_container():
        inputs.number(TIMES)
    with st.container(key="shown-again"):
        telephones.again_button()
    screen.reserve_height(3)
    return len(question.rounds)


# --- the projector -------------------------------------------------------------------------------


def _is_projected() -> bool:
    """Return whether the page is projected, where only what the class may see is shown."""
    return present.PRESENT in st.query_params


def _container_if_projected(main: DeltaGenerator) -> AbstractContextManager[object]:
    """Return a container in `main` that is visible when projected, or no container of its own otherwise."""
    if not _is_projected():
        return nullcontext()
    return main.container(key="shown-watch")


def _is_answered_here() -> bool:
    """Return whether people answer on this screen: when projected only in the first step, else always."""
    return not _is_projected() or link.current(STEP) == STEPS[0]


def _with_project_button(question: Question) -> Question:
    """Render the button that projects the question step by step, and return the question."""
    kind = "primary" if question.way != REHEARSAL else "secondary"
    st.button(
        "Project it",
        key="project",
        type=kind,
        on_click=_project,
        args=(question,),
        help="Large letters for the last row. Arrow keys or a clicker go on, Tab leads to the boxes and the button of "
        "the first step; Esc leaves.",
    )
    return question


def _project(question: Question) -> None:
    """Open the reveal as a lecture with one screen for each step."""
    known: list[Setting] = [*all_settings(), STEP, TIMES]
    given = {key: value for key, value in more.settings_in_address(known).items() if key != STEP.key}
    names = STEPS if question.truth else STEPS[:-1]
    steps = tuple(
        Step(ADDRESS, given | ({STEP.key: name} if name != STEPS[0] else {}), question.text) for name in names
    )
    try:
        whole = Lecture(TITLE, "", 10, steps)
        at = Position(whole, lecture.to_link(whole), names.index(str(link.current(STEP))) + 1)
    except ValueError as error:
        st.toast(sentence(error))
        return
    present.open_step(at, PageInfo(ADDRESS, TITLE, known, (ADDRESS,)))

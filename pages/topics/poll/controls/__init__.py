"""The controls of the class poll: what is asked, in which way, and the buttons of each way."""

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
from pages.kit.present import Here, Place
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
# Of the first hundred seeds one whose corrected share is as far off as the median: neither lucky nor unlucky.
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
    """How often people lie, in the range that the number of answers gives."""
    line = link.current(ANSWERS)
    k = 2 if ANSWERS.problem([line]) else len(check_answers(line))
    return Number("poll_lie", limits.poll_lie_limit(k), 0.25, "Each person lies", step=0.01)


def all_settings() -> list[Setting]:
    """Every setting of the page but those of its chapters."""
    return [WAY, ASKED, ANSWERS, lie_setting(), PEOPLE, PACE, SEED, *HANDS_UP]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the way, the question and their buttons in `main`, the lie and all else where it is folded away."""
    with main:
        first = st.container(key="poll-way", horizontal=True, vertical_alignment="center", gap="small")
        with first:
            way = inputs.choose(WAY, hide_label=True)
        mine = telephones.mine() if way == TELEPHONES else None
        with inputs.place("poll-question", mine is None):
            asked, line = inputs.write(ASKED), inputs.write(ANSWERS)
        if mine:
            telephones.say_what_is_asked(mine)
            _for_latecomers(mine.join)
    with main, inputs.place("poll-lie", mine is None and not _is_projected()):
        lie = _lie(None if ANSWERS.problem([line]) else len(check_answers(line)))
    with inputs.place("poll-class", way == REHEARSAL) if not is_hidden() else hidden_container():
        people, pace, seed = inputs.number(PEOPLE), inputs.number(PACE), inputs.number(SEED)
    try:
        words, config = (mine.question, mine.config) if mine else (check_question(asked), _config(line, lie))
    except ValueError as error:
        _hands(main, (), False)
        return sentence(error)
    hands = _hands(main, config.answers, way == HANDS and _is_asked_now())
    with first:
        telephones.remember(offered=mine is not None)
        telephones.ways_to_polls(shown=mine is not None)
        if way == TELEPHONES:
            return _with_telephones(mine, words, config)
        if way == HANDS:
            return _projected(Question(HANDS, words, _by_cards(main, config), (hands,)))
        return _rehearsed(words, config, people, float(pace), seed, main)


def _config(line: str, lie: float) -> PollConfig:
    return PollConfig(check_answers(line), lie)


def _lie(n_answers: int | None) -> float:
    """Render how often people lie, as a probability and as ε."""
    setting = lie_setting()
    inputs.keep_inside(setting, "The lie")
    if n_answers is None or is_hidden():
        return float(inputs.number(setting))
    return privacy_inputs.lie(
        setting, n_answers, name="poll", label="Each person lies", p_label="p, lie", epsilon_label="ε of one answer"
    )


def _by_cards(main: DeltaGenerator, config: PollConfig) -> PollConfig:
    """The question with the lie that cards tell, and a line that says so where it is another than the one set."""
    with_cards = poll.by_cards(config)
    if abs(with_cards.lie - config.lie) > 5e-4:
        asked, near = numbers.percent(config.lie), numbers.percent(with_cards.lie)
        main.caption(
            f"Cards of a class lie {near} of the time, which is near enough to {asked}: that is corrected for."
        )
    return with_cards


def _hands(main: DeltaGenerator, answers: tuple[str, ...], wanted: bool) -> tuple[int, ...]:
    """Render a box for the hands of each answer, on the wall as well, and return them."""
    found = []
    with main, inputs.place("shown-hands", wanted):
        for setting, answer in zip(HANDS_UP, answers, strict=False):
            found.append(inputs.number(setting, f"Hands for “{numbers.unmarked(answer)}”"))
    with hidden_container():
        for setting in HANDS_UP[len(answers) :]:
            inputs.number(setting)
    return tuple(found)


def presets(_: Question | str) -> None:
    """Render questions to start from."""
    with st.container(horizontal=True, key="poll-presets", vertical_alignment="center", gap="small"):
        st.markdown("Questions to start from", width="content")
        for name, (asked, answers) in QUESTIONS.items():
            st.button(name, key=f"ask {name}", help=asked, on_click=_ask, args=(asked, answers))


def _ask(asked: str, answers: str) -> None:
    st.session_state[ASKED.key], st.session_state[ANSWERS.key] = asked, answers


# --- the ways ------------------------------------------------------------------------------------


def _with_telephones(mine: telephones.Mine | None, words: str, config: PollConfig) -> Question | str:
    """Render the buttons of a poll on telephones: to open one, or all that its owner may do with it."""
    telephones.say_problem()
    if mine is None:
        if waiting := telephones.out_of_reach():
            return waiting
        telephones.open_button(words, config)
        nobody = (0,) * len(config.answers)
        return Question(TELEPHONES, words, config, (nobody,), join=telephones.before())
    question = _projected(Question(TELEPHONES, words, config, mine.rounds, join=mine.join))
    telephones.buttons(mine)
    _watch(lambda: telephones.changed(mine))
    return question


def _for_latecomers(at: Join) -> None:
    """Render the way to join in a corner of the screen, where nothing else says it."""
    if at.is_open and _is_projected():
        with st.container(key="shown-late"):
            st.html(f'<p class="poll-late">{escape(short(at.address))}</p>')


def _rehearsed(words: str, config: PollConfig, people: int, pace: float, seed: int, main: DeltaGenerator) -> Question:
    """Render the button that lets simulated people answer one by one; on the wall it stands in `main`."""
    group = poll.rehearse(config, people, seed)
    there = rehearsing.arrived((config, people, seed), people, pace)
    if _is_asked_now():
        with _seen_on_the_wall(main):
            rehearsing.button((config, people, seed))
    rounds = (group.counts(1, there),)
    question = _projected(Question(REHEARSAL, words, config, rounds, people, group.truth))
    if there < people:
        _watch(lambda: rehearsing.arrived((config, people, seed), people, pace) != there)
    return question


def _watch(is_changed: Callable[[], bool]) -> None:
    """Look once a second whether somebody has answered, which costs little; then the page is drawn anew."""
    looked = []

    def look() -> None:
        if looked and is_changed():  # the first look is the page's own
            st.rerun()
        looked.append(True)

    st.fragment(in_turn(look), run_every=1.0)()


def asked_again_controls(shown: Answer) -> int:
    """Render the button that asks a class again, or a box for the times; return how often is asked."""
    question = shown.question
    if question.join is None:
        with st.container(width=180):
            return int(inputs.number(TIMES))
    with hidden_container():
        inputs.number(TIMES)
    with st.container(key="shown-again"):
        telephones.again_button()
    screen.leave_room(3)
    return len(question.rounds)


# --- the projector -------------------------------------------------------------------------------


def _is_projected() -> bool:
    """Whether the page is on the wall, where what is not shown to the class has no place."""
    return present.PRESENT in st.query_params


def _seen_on_the_wall(main: DeltaGenerator) -> AbstractContextManager[object]:
    """On the wall a place of its own in `main`, which is seen there; else where one is."""
    if not _is_projected():
        return nullcontext()
    return main.container(key="shown-watch")


def _is_asked_now() -> bool:
    """Whether people answer on the screen: on the wall that is the first step, else all of the page."""
    return not _is_projected() or link.current(STEP) == STEPS[0]


def _projected(question: Question) -> Question:
    """Render the button that shows the question alone, step by step."""
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
    """Open the reveal as a lecture: each step of it is a screen."""
    known: list[Setting] = [*all_settings(), STEP, TIMES]
    given = {key: value for key, value in more.given(known).items() if key != STEP.key}
    names = STEPS if question.truth else STEPS[:-1]
    steps = tuple(
        Step(ADDRESS, given | ({STEP.key: name} if name != STEPS[0] else {}), question.asked) for name in names
    )
    try:
        whole = Lecture(TITLE, "", 10, steps)
        at = Place(whole, lecture.to_link(whole), names.index(str(link.current(STEP))) + 1)
    except ValueError as error:
        st.toast(sentence(error))
        return
    present.open_step(at, Here(ADDRESS, TITLE, known, (ADDRESS,)))

"""The settings and widgets of the class poll: the question, the way of answering, and the buttons of each way."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from html import escape
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, lecture, link, numbers, present, privacy_inputs
from pages.kit.lecture import Lecture, Step
from pages.kit.numbers import error_sentence_html
from pages.kit.present import PageInfo, Position
from pages.kit.settings import Setting
from pages.kit.values import Values, get, here, in_address, put, put_all
from pages.topics.poll.answer import Answer, check_words, ways_html
from pages.topics.poll.controls import rehearsing, room, telephones
from pages.topics.poll.join import short
from pages.topics.poll.question import (
    ANSWERS,
    ASKED,
    CHECK,
    DISOBEY,
    FEW,
    HANDS,
    HANDS_UP,
    LANGUAGE,
    PACE,
    PEOPLE,
    QUESTIONS,
    REHEARSAL,
    SEED,
    SHOW_FEW,
    STEP,
    STEPS,
    TELEPHONES,
    TIMES,
    WAY,
    Join,
    Question,
    check_answers,
    check_of,
    check_question,
    is_too_few,
    lie_setting,
    settings,
    telephone_language,
    why_no_check,
)
from privdemo import limits
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig
from privdemo.mechanisms import RandomisedResponse
from server.script_slots import in_script_slot
from server.streamlit_internals import hidden_container, is_hidden

ADDRESS, TITLE = "poll", "Ask your class"
# The chapter of another page with the ε of systems in use.
REAL_SYSTEMS = {"answers_look": "Where real systems stand"}


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none; a poll on telephones is read from the database."""
    way = values[WAY]
    own_poll = telephones.own_poll() if way == TELEPHONES else None
    if own_poll:
        few = values[FEW] == SHOW_FEW
        return Question(TELEPHONES, own_poll.question, own_poll.config, own_poll.rounds, None, None, own_poll.join, few)
    try:
        text = check_question(values[ASKED])
        config = PollConfig(check_answers(values[ANSWERS]), values[lie_setting(values)], check_of(values))
    except ValueError as error:
        return error_sentence_html(error)
    if way == TELEPHONES:
        nobody = (0,) * config.n_cells
        return telephones.unreadable() or Question(way, text, config, (nobody,), join=telephones.unopened())
    if way == HANDS:
        hands = tuple(values[setting] for setting, _ in zip(HANDS_UP, config.answers, strict=False))
        return Question(way, text, poll.with_card_probability(config), (hands,), shows_few=values[FEW] == SHOW_FEW)
    people = values[PEOPLE]
    group = poll.rehearse(config, people, values[SEED], values[DISOBEY] / 100)
    rounds = (group.counts(1, _arrived(values, config)),)
    return Question(way, text, config, rounds, people, group.truth, None, values[FEW] == SHOW_FEW, group.disobey)


def _group(values: Values, config: PollConfig) -> Hashable:
    """Return what tells a simulated class from others."""
    return config, values[PEOPLE], values[SEED], values[DISOBEY]


def _arrived(values: Values, config: PollConfig) -> int:
    """Return how many simulated people have answered by now: none at first, and all where later steps are opened."""
    not_begun = 0 if values[STEP] == STEPS[0] else int(values[PEOPLE])
    return rehearsing.arrived(_group(values, config), values[PEOPLE], float(values[PACE]), not_begun)


def controls(values: Values, main: DeltaGenerator) -> None:
    """Render the way of answering, the question and its buttons in `main`, the rest in the folded settings."""
    with main:
        heading = st.container()
        first = st.container(key="poll-way", horizontal=True, vertical_alignment="center", gap="small")
        with first:
            way = inputs.choose(WAY)
        own_poll = telephones.own_poll() if way == TELEPHONES else None
        if own_poll:
            with heading:
                telephones.poll_heading(own_poll)
            _room_panel(own_poll)
            _latecomers_address(own_poll.join)
        else:
            with heading, inputs.container_if("poll-question", values[STEP] == STEPS[0]):
                inputs.text_input(ASKED)
                inputs.text_input(ANSWERS)
            if not _is_projected() and values[STEP] == STEPS[0]:
                st.html(ways_html(way))
            if not _is_projected() and not ANSWERS.problem([values[ANSWERS]]):
                # Until a first class has answered, there is nothing that the slider changes on this screen.
                is_wanted = way != REHEARSAL or values[STEP] != STEPS[0] or rehearsing.any_has_begun()
                with inputs.container_if("poll-lie", is_wanted):
                    _lie(values)
            if way == TELEPHONES:
                if not _is_projected() and values[STEP] == STEPS[0]:
                    with st.container(key="poll-check", horizontal=True, vertical_alignment="bottom"):
                        _check(values)
                _room_panel(None)
    if not ANSWERS.problem([values[ANSWERS]]):
        _lie_boxes(values)
    with inputs.container_if("poll-class", way == REHEARSAL) if not is_hidden() else hidden_container():
        inputs.number(PEOPLE)
        inputs.number(PACE)
        inputs.number(SEED)
        inputs.number(DISOBEY)
    if way != TELEPHONES:
        _check(values)
    inputs.choose(FEW)
    question = question_of(values)
    with main:
        if way == HANDS and isinstance(question, Question) and _is_answered_here():
            _hands(question.config.answers)
    if isinstance(question, Question) and is_too_few(question) and values[STEP] != STEPS[0]:
        with main, st.container(key="shown-few", width="content"):
            st.button("Show the estimates anyway", key="show-few", on_click=put, args=(FEW, SHOW_FEW))
    with first:
        telephones.keep_secrets_in_tab(offered=own_poll is not None)
        telephones.other_polls_buttons(shown=own_poll is not None)
        if way == TELEPHONES:
            _telephone_buttons(own_poll, question, values)
        elif isinstance(question, Question):
            if way == REHEARSAL:
                _watch_button(values, question, main)
            _project_button(question)
    if way == HANDS and isinstance(question, Question):
        _say_what_cards_do(main, question.config, values)
    if way == REHEARSAL and isinstance(question, Question):
        arrived, group = question.answered, _group(values, question.config)
        if arrived < values[PEOPLE] and rehearsing.has_begun(group):
            _rerun_when(lambda: _arrived(values, question.config) != arrived)


def _lie(values: Values) -> None:
    """Render the slider of how often people send a random answer, and what that means for them."""
    answers = tuple(map(escape, check_answers(values[ANSWERS])))
    first, second = answers if len(answers) == 2 else ("", "")
    people = privacy_inputs.People(f"would honestly say “{first}”", f"would honestly say “{second}”", f"“{first}”")
    slider = privacy_inputs.noise_slider("Chance that an answer is switched", percent=True)
    privacy_inputs.lie(lie_setting(values), len(answers), slider=slider, people=people)


def _lie_boxes(values: Values) -> None:
    """Render boxes for the probability of a random answer and for its ε, and a link to the ε of real systems."""
    privacy_inputs.lie_boxes(
        lie_setting(values),
        len(check_answers(values[ANSWERS])),
        label="p, chance that the answer is changed",
        epsilon_key="poll_epsilon",
        epsilon_label="ε of one answer",
    )
    epsilon = RandomisedResponse(values[lie_setting(values)], len(check_answers(values[ANSWERS]))).epsilon
    st.page_link(
        link.page_at("many_answers"),
        label="Which ε do real systems promise?",
        query_params=REAL_SYSTEMS
        | ({"answer_epsilon": f"{epsilon:.3g}"} if limits.ORACLE_EPSILON.contains(epsilon) else {}),
    )


def _check(values: Values) -> None:
    """Render the choice of how to find out whether people follow the wheel, and what it does; or why there is none."""
    if is_hidden():
        return
    if why := why_no_check(values):
        st.caption(why)
        return
    with st.container(key="poll-checks", width=320):
        inputs.choose_from_list(CHECK)
    if words := check_words(PollConfig(lie=values[lie_setting(values)], check=check_of(values))):
        st.caption(words)


def _say_what_cards_do(main: DeltaGenerator, config: PollConfig, values: Values) -> None:
    """Say so if the lie that cards can give differs from the one that is set."""
    wanted = values[lie_setting(values)]
    if abs(config.lie - wanted) > 5e-4:
        main.caption(
            f"With these cards chance changes {numbers.percent(config.lie)} of the answers, close to the "
            f"{numbers.percent(wanted)} that are set. The estimates correct for just that."
        )


def _hands(answers: tuple[str, ...]) -> None:
    """Render a box for the raised hands of each answer, on the projector as well."""
    with st.container(key="shown-hands"):
        for setting, answer in zip(HANDS_UP, answers, strict=False):
            inputs.number(setting, f"Hands for “{answer}”")


def presets(_: Question | str) -> None:
    """Render buttons with example questions."""
    with st.container(horizontal=True, key="poll-presets", vertical_alignment="center", gap="small"):
        st.markdown("Questions to start from", width="content")
        for name, (text, answers) in QUESTIONS.items():
            st.button(name, key=f"ask {name}", help=text, on_click=_ask, args=(text, answers))


def _ask(text: str, answers: str) -> None:
    """Set the question and its answers to those of an example."""
    put_all({ASKED: text, ANSWERS: answers})


# --- the ways ------------------------------------------------------------------------------------


def _telephone_buttons(own_poll: telephones.OwnedPoll | None, question: Question | str, values: Values) -> None:
    """Render the buttons of a poll on telephones: to open one, or all that its owner may do with it."""
    telephones.show_problem()
    if own_poll and isinstance(question, Question):
        _project_button(question)
        telephones.buttons(own_poll)
        _rerun_when(lambda: telephones.has_changed(own_poll))
    elif telephones.unreadable():
        telephones.retry_button()
    elif isinstance(question, Question):
        telephones.open_button(question.text, question.config, telephone_language(values))
        with st.container(key="poll-language", width=260):
            inputs.choose_from_list(LANGUAGE)


def _room_panel(own_poll: telephones.OwnedPoll | None) -> None:
    """Render what the teacher alone sees of how telephones reach the poll: nothing of it is ever projected."""
    if not _is_projected():
        room.panel(own_poll, own_poll.join if own_poll else telephones.unopened())


def _latecomers_address(at: Join) -> None:
    """Render the address to join in a corner of the projected page, except in the first step, which shows it large."""
    if at.is_open and not at.local and _is_projected() and get(STEP) != STEPS[0]:
        with st.container(key="shown-late"):
            st.html(f'<p class="poll-late">{escape(short(at.address))}</p>')


def _watch_button(values: Values, question: Question, main: DeltaGenerator) -> None:
    """Render the button that lets simulated people answer one by one."""
    if _is_answered_here():
        with _container_if_projected(main):
            rehearsing.button(_group(values, question.config), bool(question.answered))


def _rerun_when(is_changed: Callable[[], bool]) -> None:
    """Check once a second whether somebody has answered, which is cheap; rerun the page only then."""
    earlier_checks = []

    def check() -> None:
        if earlier_checks and is_changed():  # the first call is part of the page's own run
            st.rerun()
        earlier_checks.append(True)

    st.fragment(in_script_slot(check), run_every=1.0)()


def asked_again_controls(shown: Answer) -> None:
    """Render the button that asks a class again, or a box for the number of times."""
    if shown.question.join is None:
        with st.container(width=180):
            inputs.number(TIMES)
        return
    with st.container(key="shown-again"):
        telephones.again_button()


# --- the projector -------------------------------------------------------------------------------


def _is_projected() -> bool:
    """Return whether the page is projected, where only what the class may see is shown."""
    return present.PRESENT in link.parameters()


def _container_if_projected(main: DeltaGenerator) -> AbstractContextManager[object]:
    """Return a container in `main` that is visible when projected, or no container of its own otherwise."""
    if not _is_projected():
        return nullcontext()
    return main.container(key="shown-watch")


def _is_answered_here() -> bool:
    """Return whether people answer on this screen: when projected only in the first step, else always."""
    return not _is_projected() or get(STEP) == STEPS[0]


def _project_button(question: Question) -> None:
    """Render the button that projects the question step by step."""
    kind: Literal["primary", "secondary"] = "primary" if question.way != REHEARSAL else "secondary"
    st.button(
        "Show on the big screen",
        key="project",
        type=kind,
        on_click=_project,
        args=(question,),
        help="Large letters for the last row. Arrow keys or a clicker go on, Tab leads to the boxes and the button of "
        "the first step; Esc leaves.",
    )


def _project(question: Question) -> None:
    """Open the reveal as a lecture with one screen for each step."""
    given = {key: value for key, value in in_address(_known(here())).items() if key != STEP.key}
    names = [name for name in STEPS if question.truth or name != "Comparison with the truth"]
    steps = tuple(
        Step(ADDRESS, given | ({STEP.key: name} if name != STEPS[0] else {}), question.text * (name == STEPS[0]))
        for name in names
    )
    try:
        whole = Lecture(TITLE, "", 10, steps)
        at = Position(whole, lecture.to_link(whole), names.index(str(get(STEP))) + 1)
    except ValueError as error:
        st.toast(error_sentence_html(error))
        return
    present.open_step(at, PageInfo(ADDRESS, TITLE, _known, (ADDRESS,)))


def _known(values: Values) -> list[Setting]:
    """Return every setting of the page and of its chapters."""
    return [*settings(values), STEP, TIMES]

"""The widgets of the voting page and of its chapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, numbers, predictions, privacy_inputs, quiz_input, values
from pages.kit.number_control import OtherUnit, Slider
from pages.kit.settings import Setting
from pages.kit.values import Values, put_all
from pages.topics.voting import disobedience, six_questions
from pages.topics.voting.answer import Answer
from pages.topics.voting.asking import answers_of, how_to_ask, is_design
from pages.topics.voting.question import (
    A_SAYS_B,
    ASKED,
    ASKED_VOTE,
    ASYMMETRIC,
    B_SAYS_A,
    BORN,
    CROSSWISE,
    KIND,
    LIE,
    NAIVE_SETTINGS,
    PART,
    PEOPLE,
    PLAN_SHARE,
    PLAN_VOTERS,
    PLAN_WIDTH,
    POLLS,
    PRECISION,
    SAID,
    SAY_YES,
    SEED,
    SHARE,
    SHARES,
    SIZES,
    SOLVE,
    UNRELATED,
    VOTERS,
    WAY,
    channel_of,
    prior_at,
)
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel, Crosswise, UnrelatedQuestion


def controls(_: Values, __: DeltaGenerator) -> None:
    """Render the settings of the polls, except for the sliders of the lie."""
    kind = inputs.choose(KIND)
    if kind == ASYMMETRIC:
        privacy_inputs.two_lies_boxes(B_SAYS_A, A_SAYS_B)
    elif kind == UNRELATED:
        _unrelated_boxes()
    elif kind == CROSSWISE:
        _crosswise_boxes()
    else:
        label = "p, chance that the answer is changed"
        privacy_inputs.lie_boxes(LIE, 2, label=label, epsilon_key="answer_epsilon", epsilon_label="ε of one answer")
    inputs.number(VOTERS, slider=Slider(VOTERS.label, stops=SIZES))
    inputs.slider_and_box(SHARE)
    inputs.number(POLLS)
    inputs.number(SEED)


def _unrelated_boxes() -> None:
    """Render the boxes of an unrelated question: how often the vote is asked about, its ε, and who else says yes."""
    say_yes = values.get(SAY_YES)
    inputs.number(
        ASKED_VOTE,
        other=_answer_epsilon(
            lambda epsilon: UnrelatedQuestion.from_epsilon(epsilon, say_yes).asked,
            lambda asked: UnrelatedQuestion(asked, say_yes).epsilon,
        ),
        part="boxes",
    )
    inputs.number(SAY_YES)


def _crosswise_boxes() -> None:
    """Render the boxes of the crosswise model: how many have such a birthday, with its ε."""
    other = _answer_epsilon(
        lambda epsilon: Crosswise.from_epsilon(epsilon).innocent, lambda born: Crosswise(born).epsilon
    )
    inputs.number(BORN, other=other, part="boxes")


def _answer_epsilon(to_number: Callable[[float], float], epsilon_at: Callable[[float], float]) -> OtherUnit:
    """Return the ε of one answer as another unit of a number; the box is empty where it is infinite."""
    return OtherUnit(
        "answer_epsilon",
        "ε of one answer",
        to_number,
        lambda number: privacy_inputs.finite_or_none(epsilon_at(number)),
        0.0,
        privacy_inputs.LARGEST_EPSILON,
        0.1,
        "One answer multiplies the odds of any guess by e^ε at most. Set either number; the other follows.",
    )


# The labels at the ends of a slider: of one lie for all, and of a lie for each kind of voters.
_ENDS_FOR_ALL = ("0 %: most accurate", "50 %: most private")
_ENDS_FOR_EACH = ("never", "always")
VOTERS_OF_A_AND_B = privacy_inputs.People("voted A", "voted B", "A")
VOTE_SLIDER = Slider(
    ASKED_VOTE.label, ("100 %: most accurate", "0 %: most private"), percent=True, live=True, largest_left=True
)
BORN_SLIDER = privacy_inputs.noise_slider(BORN.label, _ENDS_FOR_ALL, percent=True, live=True)
LIE_SLIDER = privacy_inputs.noise_slider(LIE.label, _ENDS_FOR_ALL, percent=True, live=True)


def main_control(values: Values) -> None:
    """Render the sliders of the lie, the page’s main control: one for all voters, or one for each kind."""
    if values[KIND] == ASYMMETRIC:
        privacy_inputs.two_lies(
            (B_SAYS_A, privacy_inputs.noise_slider("Voters of B say A", _ENDS_FOR_EACH, percent=True, live=True)),
            (A_SAYS_B, privacy_inputs.noise_slider("Voters of A say B", _ENDS_FOR_EACH, percent=True, live=True)),
            VOTERS_OF_A_AND_B,
        )
        return
    if values[KIND] in (UNRELATED, CROSSWISE):
        _design_control(channel_of(values))
        return
    privacy_inputs.lie(LIE, 2, slider=LIE_SLIDER, people=VOTERS_OF_A_AND_B)


def _design_control(channel: BinaryChannel) -> None:
    """Render the slider of a design with an innocent question, what its answers give away, and how one asks so."""
    if isinstance(channel, UnrelatedQuestion):
        setting, slider = ASKED_VOTE, VOTE_SLIDER
    else:
        setting, slider = BORN, BORN_SLIDER
    with inputs.row(setting.key):
        inputs.number(setting, slider=slider, part="slider")
        privacy_inputs.answer_scale(channel, replace(VOTERS_OF_A_AND_B, says=answers_of(channel).a))
    st.html(f'<div class="epsilon">{how_to_ask(channel)}</div>')


# --- the polls -----------------------------------------------------------------------------------


def one_poll_controls(answer: Answer) -> None:
    """Render the button that holds one more poll, once the guess is made."""
    prediction = answer.main()[0].prediction
    if prediction and predictions.may_ask(prediction.name):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _hold_again_button(answer.config, f"Ask another {numbers.people(answer.config.n_voters)}")


def many_polls_controls(answer: Answer) -> None:
    """Render the buttons that hold more polls or start over."""
    n, most = answer.config.n_elections, int(POLLS.limit.high)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _hold_again_button(answer.config, "Add one poll")
        for key, label, polls in (("more", "Add 100 polls", n + 100), ("most", f"Fill up to {most:,} polls", most)):
            _button(key, label, {POLLS: min(polls, most)}, disabled=n == most)
        _button("one", "Keep only the first poll", {POLLS: 1}, disabled=n == 1)


def _hold_again_button(config: ElectionConfig, label: str) -> None:
    """Render the button that holds one more poll, or all polls with the next seed once the maximum is reached."""
    n, most = config.n_elections, int(POLLS.limit.high)
    new = {POLLS: n + 1} if n < most else {SEED: (config.seed + 1) % (int(SEED.limit.high) + 1)}
    _button("again", label, new)
    if n == most:
        st.markdown(f"{most:,} polls are the most: the next click holds {most:,} other ones instead.", width="content")


def _button(key: str, label: str, new: Mapping[Setting, int], **options: Any) -> None:
    """Render a button that sets numbers of the page."""
    if st.button(label, key=f"hold {key}", on_click=put_all, args=(new,), **options):
        st.rerun()  # rerun the whole page: the numbers are its settings


# --- the price -----------------------------------------------------------------------------------


def plan_controls(_: object) -> None:
    """Render the settings of a planned poll, except for the number that is to be found."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        solve = inputs.choose(SOLVE)
        if solve != PEOPLE:
            inputs.number(PLAN_VOTERS)
        if solve != PRECISION:
            inputs.number(PLAN_WIDTH)
        inputs.number(PLAN_SHARE)


# --- people who do not play along ----------------------------------------------------------------

PART_SLIDER = Slider(PART.label, ("0 %: nobody", "50 %: every second person"), percent=True, live=True)


def disobedience_controls(answer: Answer) -> None:
    """Render how many people do not play along, and what they do, once the guess is made."""
    prediction = disobedience.prediction(answer.config, disobedience.choice_of(values.here(), answer))
    if prediction and predictions.may_ask(prediction.name):
        return
    with inputs.row(PART.key):
        inputs.number(PART, slider=PART_SLIDER, part="slider")
        inputs.choose(WAY)


# --- the adversary -------------------------------------------------------------------------------


def one_answer_controls(answer: Answer) -> None:
    """Render the adversary’s prior belief and what the person says."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        inputs.number(prior_at(answer.config.share))
        said = answers_of(answer.config.channel)
        label = f"The person says (A: {said.a}, B: {said.b})" if is_design(answer.config.channel) else SAID.label
        inputs.choose(SAID, label)


def many_answers_controls(answer: Answer) -> None:
    """Render the number of answers and the adversary’s prior belief."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        inputs.number(ASKED)
        inputs.number(prior_at(answer.config.share))


# --- other ways to ask ---------------------------------------------------------------------------


def designs_controls(answer: Answer) -> None:
    """Render the wanted precision, and who says yes to an unrelated question, unless the settings have it."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        inputs.number(PLAN_WIDTH)
        if not isinstance(answer.config.channel, UnrelatedQuestion):
            inputs.number(SAY_YES)


# --- more candidates -----------------------------------------------------------------------------


def shares_controls(_: object) -> None:
    """Render the text box for the candidates’ shares."""
    inputs.text_input(SHARES)


# --- the questions ---------------------------------------------------------------------------


def quiz_controls(answer: Answer) -> None:
    """Render the six questions."""
    quiz_input.ask(six_questions.questions(answer))


# --- training on lies ----------------------------------------------------------------------------


def naive_controls(_: object) -> None:
    """Render the settings of naive training."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        for setting in NAIVE_SETTINGS:
            inputs.number(setting)

"""The widgets of the voting page and of its chapters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, link, live_lie, privacy_inputs
from pages.topics.voting.answer import Answer
from pages.topics.voting.question import (
    A_SAYS_B,
    ASKED,
    ASYMMETRIC,
    B_SAYS_A,
    KIND,
    LIE,
    NAIVE_SETTINGS,
    PEOPLE,
    PLAN_SHARE,
    PLAN_VOTERS,
    PLAN_WIDTH,
    POLLS,
    PRECISION,
    PRIOR,
    SAID,
    SEED,
    SHARE,
    SHARES,
    SIZES,
    SOLVE,
    VOTERS,
    Plan,
)
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel


def controls(_: DeltaGenerator) -> ElectionConfig:
    """Render the settings of the polls and return the config they make, with the lie set last."""
    channel = _channel_in_session(inputs.choose(KIND))
    sizes = st.container()
    voters = inputs.number(VOTERS, hide_label=True)
    with sizes:  # rendered above the box, created after it: the box reads the link
        inputs.second_widget(
            "voters_slide",
            VOTERS,
            st.select_slider,
            lambda value: value,
            lambda value: value,
            label=VOTERS.label,
            options=sorted({*SIZES, voters}),
            format_func=lambda size: f"{size:,}",
            help="Drawn at random from a large country. Slide, or type any number.",
        )
    share = inputs.slider_and_box(SHARE)
    polls = inputs.number(POLLS)
    seed = inputs.number(SEED)
    return ElectionConfig(voters, share, channel, polls, seed)


# The labels at the ends of a slider: of one lie for all, and of a lie for each kind of voters.
_ENDS_FOR_ALL, _ENDS_FOR_EACH = ("never", "every second time"), ("never", "always")


def _channel_in_session(kind: str) -> BinaryChannel:
    """Return how people lie, from the values in the session."""
    ends = (B_SAYS_A, A_SAYS_B) if kind == ASYMMETRIC else (LIE, LIE)
    return BinaryChannel(*(st.session_state.get(end.key, end.default) for end in ends))


def lie(config: ElectionConfig) -> ElectionConfig:
    """Render the sliders of the lie, the page’s main control, and return the config with their values."""
    return replace(config, channel=_channel_controls(st.session_state.get(KIND.key, KIND.default)))


def _channel_controls(kind: str) -> BinaryChannel:
    """Render one slider for both kinds of voters or one for each, and return how people lie."""
    if kind == ASYMMETRIC:
        return privacy_inputs.two_lies(
            B_SAYS_A,
            A_SAYS_B,
            labels=("B says A", "A says B"),
            titles=("Voters of B say A", "Voters of A say B"),
            slide=lambda setting, label: live_lie.dial(setting, label, _ENDS_FOR_EACH),
        )
    p = privacy_inputs.lie(
        LIE,
        2,
        name="answer",
        label="Each person lies",
        p_label="p, lie",
        epsilon_label="ε of one answer",
        slide=lambda setting, label: live_lie.dial(setting, label, _ENDS_FOR_ALL),
    )
    return BinaryChannel(p, p)


# --- the polls -----------------------------------------------------------------------------------


def one_poll_controls(answer: Answer) -> None:
    """Render the button that holds one more poll."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _hold_again_button(answer.config)


def many_polls_controls(answer: Answer) -> None:
    """Render the buttons that hold more polls or start over."""
    n, most = answer.config.n_elections, int(POLLS.limit.high)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _hold_again_button(answer.config)
        for label, polls in (("+ 100 polls", n + 100), (f"{most:,} polls (maximum)", most)):
            _button(label, {POLLS.key: min(polls, most)}, disabled=n == most)
        _button("Start over", {POLLS.key: 1}, disabled=n == 1)


def _hold_again_button(config: ElectionConfig) -> None:
    """Render the button that holds one more poll, or all polls with the next seed once the maximum is reached."""
    n, most = config.n_elections, int(POLLS.limit.high)
    new = {POLLS.key: n + 1} if n < most else {SEED.key: (config.seed + 1) % (int(SEED.limit.high) + 1)}
    _button("Draw again", new, type="primary")
    st.markdown(f"Poll {n:,}" + (", the last; the next seed draws all anew" if n == most else ""), width="content")


def _button(label: str, values: Mapping[str, int], **options: Any) -> None:
    """Render a button that sets numbers of the page."""
    if st.button(label, key=f"hold {label}", on_click=link.set_numbers, args=(values,), **options):
        st.rerun()  # rerun the whole page: the numbers are its settings


# --- the price -----------------------------------------------------------------------------------


def plan_controls(answer: Answer) -> Plan:
    """Render the settings of a planned poll and return the plan; the wanted number stands at its default.

    How people lie is taken from the page.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        solve = inputs.choose(SOLVE)
        voters = float(inputs.number(PLAN_VOTERS)) if solve != PEOPLE else float(PLAN_VOTERS.default)
        width = float(inputs.number(PLAN_WIDTH)) if solve != PRECISION else float(PLAN_WIDTH.default)
        return Plan(solve, voters, answer.config.channel, width, inputs.number(PLAN_SHARE))


# --- the adversary -------------------------------------------------------------------------------

# The session’s key of the country’s share at the last run: a prior equal to it was not set by the visitor.
_FOLLOWED = "prior_followed"


def one_answer_controls(answer: Answer) -> tuple[float, str]:
    """Render the adversary’s prior belief and what the person says, and return both."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        return _prior(answer.config.share), inputs.choose(SAID)


def many_answers_controls(answer: Answer) -> tuple[float, int]:
    """Render the number of answers and the adversary’s prior belief; return the belief and the number."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        asked = inputs.number(ASKED)
        return _prior(answer.config.share), asked


def _prior(share: float) -> float:
    """Render the adversary’s prior belief, by default the true `share` of the country."""
    followed = st.session_state.get(_FOLLOWED, share)
    if st.session_state.get(PRIOR.key) == followed != share:
        st.session_state[PRIOR.key] = share
    st.session_state[_FOLLOWED] = share
    return inputs.number(replace(PRIOR, default=share))


# --- more candidates -----------------------------------------------------------------------------


def shares_controls(_: object) -> str:
    """Render the text box for the candidates’ shares and return it as typed."""
    return inputs.text_input(SHARES)


# --- training on lies ----------------------------------------------------------------------------


def naive_controls(_: object) -> NaiveConfig:
    """Render the settings of naive training and return its config."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        values = [inputs.number(setting) for setting in NAIVE_SETTINGS]
    return NaiveConfig(*values)

"""The settings and widgets of the voting page and of its chapters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, link, live_lie, privacy_inputs
from pages.kit.settings import Choice, Number, Setting, Words
from pages.topics.voting.answer import Answer
from privdemo import limits
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.voting import ElectionConfig, ManyConfig
from privdemo.mechanisms import BinaryChannel

SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
# Sizes of a poll that the slider stops at.
SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10_000_000)

VOTERS = Number("voters", limits.N_VOTERS, 1000, "People asked", step=100)
SHARE = Number("share", limits.SHARE, 0.35, "True share of A in the country", step=0.01, form="%.8g")
KIND = Choice("lying", (SYMMETRIC, ASYMMETRIC), SYMMETRIC, "Voters of A and of B lie")
LIE = Number("lie", limits.flip_prob_limit(2, "lie"), 0.2, "Each person lies")
B_SAYS_A = Number("b_says_a", limits.P10, 0.1, "Voters of B say A")
A_SAYS_B = Number("a_says_b", limits.P01, 0.3, "Voters of A say B")
POLLS = Number("polls", limits.N_ELECTIONS, 100, "Polls held", help="The picture shows the last of them.")
# The default is the seed, of 0 to 999, whose poll is the most typical: in its hundredth poll the error of the corrected
# estimate, at lies of 0.1, 0.2, 0.3 and 0.4, is nearest to the median error over these seeds (the mean |ln| of their
# ratios is least). So the poll that a visitor sees first is neither lucky nor unlucky.
SEED = Number("poll_seed", limits.SEED, 70, "Seed", help="The same seed gives the same people and lies.")


def settings() -> list[Setting]:
    """Return every setting of the polls."""
    return [VOTERS, SHARE, KIND, LIE, B_SAYS_A, A_SAYS_B, POLLS, SEED]


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

PEOPLE, PRIVACY, PRECISION = "people", "privacy", "precision"
SOLVE = Choice("solve", (PEOPLE, PRIVACY, PRECISION), PEOPLE, "Find out the")
PLAN_VOTERS = Number("plan_voters", limits.N_VOTERS, 10_000, "People you can ask", step=1000)
PLAN_WIDTH = Number("plan_width", limits.HALF_WIDTH, 0.02, "Within ± (0.02 is 2 points)", step=0.001, form="%.6g")
PLAN_SHARE = Number(
    "plan_share",
    limits.SHARE,
    0.5,
    "Expected share of A",
    step=0.01,
    form="%.6g",
    help="0.5 is the safe choice where all lie alike: no other share needs more people.",
)
PLAN_SETTINGS = [SOLVE, PLAN_VOTERS, PLAN_WIDTH, PLAN_SHARE]


@dataclass(frozen=True)
class Plan:
    """A planned poll: which of people, privacy and precision to `solve` for, and all numbers, the wanted one included.

    `lie` is how people lie, `width` half the 95 % interval, `share` the expected share of A.
    """

    solve: str
    voters: float
    lie: BinaryChannel
    width: float
    share: float


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

PRIOR = Number(
    "prior",
    limits.SHARE,
    SHARE.default,
    "How likely is a vote for A, before any answer?",
    step=0.01,
    form="%.6g",
    help="What the adversary believes beforehand: the probability that this person voted A. At first it is the true "
    "share of A in the country.",
)
SAID = Choice("answer", ("A", "B"), "A", "The person says")
ASKED = Number("asked", limits.N_ANSWERS, 2, "Answers from the same person")
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


def many_config(text: str, epsilon: float = 1.0, n_voters: int = 1000, seed: int = 0) -> ManyConfig:
    """Return the config of a poll among k candidates from their shares as typed, such as “0.4, 0.3, 0.2, 0.1”.

    Raise ``ValueError`` with a sentence for the visitor if the shares are no election.
    """
    words = [word for word in re.split(r"[,;\s]+", text.strip()) if word]
    try:
        shares = tuple(float(word) for word in words)
    except ValueError:
        raise ValueError(f"shares must be numbers such as {SHARES.default}, got “{text[:40]}”") from None
    return ManyConfig(shares, epsilon, n_voters, seed)


SHARES = Words(
    "shares",
    many_config,
    "0.4, 0.3, 0.2, 0.1",
    "True shares of the candidates",
    f"{limits.N_CHOICES.low:g} to {limits.N_CHOICES.high:g} numbers that sum to 1, with commas.",
)


def shares_controls(_: object) -> str:
    """Render the text box for the candidates’ shares and return it as typed."""
    return inputs.text_input(SHARES)


# --- training on lies ----------------------------------------------------------------------------

# In the order of the fields of `NaiveConfig`.
NAIVE_SETTINGS = (
    Number(
        "s",
        limits.INPUT_SD,
        2.0,
        "Spread",
        0.1,
        "%.6g",
        "s, the standard deviation of the inputs along one axis: the larger, the surer labels.",
    ),
    Number(
        "one_to_one",
        limits.ONE_TO_ONE,
        0.8,
        "1 stays 1",
        0.05,
        "%.6g",
        "P₁₁ = p₁→₁, the chance that a label 1 is released as 1.",
    ),
    Number(
        "zero_to_one",
        limits.ZERO_TO_ONE,
        0.2,
        "0 becomes 1",
        0.05,
        "%.6g",
        "P₀₁ = p₀→₁ in the paper’s order, the chance that a label 0 is released as 1.",
    ),
    Number(
        "ratio",
        limits.RATIO,
        3.0,
        "Spread across (times that)",
        0.1,
        "%.6g",
        "The spread across that axis, in units of s. 1 is the same in all directions.",
    ),
    Number(
        "angle",
        limits.ANGLE,
        45.0,
        "Turned by (degrees)",
        5.0,
        "%.6g",
        "The angle between that axis and the true weights, in degrees.",
    ),
)


def naive_controls(_: object) -> NaiveConfig:
    """Render the settings of naive training and return its config."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        values = [inputs.number(setting) for setting in NAIVE_SETTINGS]
    return NaiveConfig(*values)

"""The controls of the voting page: a visitor's choices in, a frozen config of polls out; and those of its tabs."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, link, privacy_inputs
from pages.kit.settings import Choice, Number, Setting, Words
from privdemo import accounting, limits
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.voting import ElectionConfig, ManyConfig
from privdemo.mechanisms import BinaryChannel

SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
# Sizes of a poll that the slider stops at.
SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10_000_000)

VOTERS = Number("voters", limits.N_VOTERS, 1000, "People asked", step=100)
SHARE = Number("share", limits.SHARE, 0.35, "True share of A in the country", step=0.01, form="%.8g")
KIND = Choice("lying", (SYMMETRIC, ASYMMETRIC), SYMMETRIC, "Everyone may lie")
LIE = Number("lie", limits.flip_prob_limit(2, "lie"), 0.2)
B_SAYS_A = Number("b_says_a", limits.P10, 0.1)
A_SAYS_B = Number("a_says_b", limits.P01, 0.3)
POLLS = Number("polls", limits.N_ELECTIONS, 100, "Polls held", help="The picture shows the last of them.")
SEED = Number("poll_seed", limits.SEED, 0, "Seed", help="The same seed gives the same people and lies.")


def settings() -> list[Setting]:
    """Every setting of the polls."""
    return [VOTERS, SHARE, KIND, LIE, B_SAYS_A, A_SAYS_B, POLLS, SEED]


def controls(main: DeltaGenerator) -> ElectionConfig:
    """Draw the controls of the polls, the lie in `main`, and return what they ask."""
    with main:
        channel = _channel()
    sizes = st.container()
    voters = inputs.number(VOTERS, hide_label=True)
    with sizes:  # above the box, but it is the box that reads the link
        inputs.view(
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
    share = inputs.dial(SHARE)
    polls = inputs.number(POLLS)
    seed = inputs.number(SEED)
    return ElectionConfig(voters, share, channel, polls, seed)


def _channel() -> BinaryChannel:
    """Draw the controls of the lie."""
    if inputs.choose(KIND) == ASYMMETRIC:
        return privacy_inputs.two_lies(
            B_SAYS_A,
            A_SAYS_B,
            labels=("B says A", "A says B"),
            titles=("Of the voters of B, share who say A", "Of the voters of A, share who say B"),
        )
    p = privacy_inputs.lie(
        LIE,
        2,
        name="answer",
        label="Each person lies with probability",
        p_label="p, lie",
        epsilon_label="ε of one answer",
    )
    return BinaryChannel(p, p)


def presets(config: ElectionConfig) -> None:
    """Draw buttons that hold more polls, or start over."""
    n, most = config.n_elections, int(POLLS.limit.high)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="draw-buttons"):
        for label, polls in (("Draw again", n + 1), ("+ 100 polls", n + 100), (f"{most:,} polls", most)):
            st.button(
                label,
                key=f"hold {label}",
                on_click=_hold,
                args=(polls,),
                disabled=n >= most,
                type="primary" if label == "Draw again" else "secondary",
            )
        st.button("Start over", key="hold over", on_click=_hold, args=(1,), disabled=n == 1)
        st.markdown(f"Poll {n:,}" + (", the most there are" if n >= most else ""), width="content")


def _hold(polls: int) -> None:
    """Set how many polls have been held, up to the most there may be."""
    link.assign({POLLS.key: int(POLLS.limit.nearest(polls))})


# --- the price -----------------------------------------------------------------------------------

PEOPLE, PRIVACY, PRECISION = "people", "privacy", "precision"
SOLVE = Choice("solve", (PEOPLE, PRIVACY, PRECISION), PEOPLE, "Find out the")
PLAN_LIE = Number("plan_lie", limits.flip_prob_limit(2, "plan_lie"), accounting.randomised_response_flip_prob(1.0))
PLAN_VOTERS = Number("plan_voters", limits.N_VOTERS, 10_000, "People you can ask", step=1000)
PLAN_WIDTH = Number("plan_width", limits.HALF_WIDTH, 0.02, "Within ± (0.02 is 2 points)", step=0.001, form="%.6g")
PLAN_SHARE = Number(
    "plan_share",
    limits.SHARE,
    0.5,
    "Expected share of A",
    step=0.01,
    form="%.6g",
    help="0.5 is the safe choice: no other share needs more people.",
)
PLAN_SETTINGS = [SOLVE, PLAN_LIE, PLAN_VOTERS, PLAN_WIDTH, PLAN_SHARE]


@dataclass(frozen=True)
class Plan:
    """A planned poll: which of people, privacy and precision to `solve` for, and all numbers, the wanted one too.

    `lie` is the flip probability, `width` half the 95 % interval, `share` the expected share of A.
    """

    solve: str
    voters: float
    lie: float
    width: float
    share: float


def plan_controls(_: object) -> Plan:
    """Draw what a planned poll starts from; the number that is looked for stands at its default."""
    solve = inputs.choose(SOLVE)
    voters, lie, width = (float(setting.default) for setting in (PLAN_VOTERS, PLAN_LIE, PLAN_WIDTH))
    first, second, third = st.columns(3, gap="medium")
    if solve != PEOPLE:
        with first:
            voters = inputs.number(PLAN_VOTERS)
    if solve != PRIVACY:
        with second if solve == PRECISION else first:
            label = "Everyone lies with probability"
            lie = privacy_inputs.lie(PLAN_LIE, 2, name="plan", label=label, p_label="p", epsilon_label="ε")
    if solve != PRECISION:
        with second:
            width = inputs.dial(PLAN_WIDTH)
    with third:
        share = inputs.dial(PLAN_SHARE)
    return Plan(solve, voters, lie, width, share)


# --- the adversary -------------------------------------------------------------------------------

PRIOR = Number(
    "prior",
    limits.SHARE,
    0.5,
    "How likely is a vote for A, before any answer?",
    step=0.01,
    form="%.6g",
    help="What the adversary believes beforehand: the probability that this person voted A.",
)
SAID = Choice("answer", ("A", "B"), "A", "The person says")
ASKED = Number("asked", limits.N_ANSWERS, 2, "Answers from the same person")
# Pixels that a dial of the adversary's is wide.
_DIAL_WIDTH = 360


def one_answer_controls(_: object) -> tuple[float, str]:
    """Draw the adversary's belief and what the person says, and return both."""
    with st.container(horizontal=True, gap="medium"):
        return _prior(), inputs.choose(SAID)


def many_answers_controls(_: object) -> tuple[float, int]:
    """Draw how often the person is asked and the adversary's belief; return the belief and the number."""
    with st.container(horizontal=True, gap="medium"):
        with st.container(width=_DIAL_WIDTH):
            asked = inputs.dial(ASKED)
        return _prior(), asked


def _prior() -> float:
    with st.container(width=_DIAL_WIDTH):
        return inputs.dial(PRIOR)


# --- more candidates -----------------------------------------------------------------------------


def many_config(text: str, epsilon: float = 1.0, n_voters: int = 1000, seed: int = 0) -> ManyConfig:
    """Read the shares of k candidates as a visitor types them, such as “0.4, 0.3, 0.2, 0.1”.

    Raises ``ValueError`` with a sentence for what is no election.
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
    """Draw the line for the candidates' shares, and return it as typed."""
    return inputs.write(SHARES)


# --- training on lies ----------------------------------------------------------------------------

# In the order of the fields of `NaiveConfig`.
NAIVE_SETTINGS = (
    Number(
        "s",
        limits.INPUT_SD,
        2.0,
        "Spread s",
        0.1,
        "%.6g",
        "The standard deviation of the inputs along one axis: the larger, the surer labels.",
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
        "Across, × s",
        0.1,
        "%.6g",
        "The spread across that axis, in units of s. 1 is the same in all directions.",
    ),
    Number(
        "angle",
        limits.ANGLE,
        45.0,
        "Turned by, °",
        5.0,
        "%.6g",
        "The angle between that axis and the true weights, in degrees.",
    ),
)


def naive_controls(_: object) -> NaiveConfig:
    """Draw the inputs and the flips of naive training, and return them."""
    values = []
    for column, setting in zip(st.columns(len(NAIVE_SETTINGS), gap="small"), NAIVE_SETTINGS, strict=True):
        with column:
            values.append(inputs.dial(setting))
    return NaiveConfig(*values)

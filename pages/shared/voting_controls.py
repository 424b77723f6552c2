"""The controls of the voting lesson: a visitor's choices in, frozen configs out."""

from __future__ import annotations

import re

import streamlit as st

from pages.shared import lies, settings
from pages.shared.settings import Choice, Number, Words
from privdemo import accounting, limits
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.voting import ElectionConfig, ManyConfig
from privdemo.mechanisms import BinaryChannel

SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
PEOPLE, PRIVACY, PRECISION = "people", "privacy", "precision"
SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10_000_000)

VOTERS = Number("voters", limits.N_VOTERS, 1000)
SHARE = Number("share", limits.SHARE, 0.35)
KIND = Choice("lying", (SYMMETRIC, ASYMMETRIC), SYMMETRIC)
LIE = Number("lie", limits.flip_prob_limit(2, "lie"), 0.2)
B_SAYS_A = Number("b_says_a", limits.P10, 0.1)
A_SAYS_B = Number("a_says_b", limits.P01, 0.3)
ELECTIONS = Number("polls", limits.N_ELECTIONS, 100)
SEED = Number("poll_seed", limits.SEED, 0)

LESSONS = (AGAIN, GUESSING, PRICE, ADVERSARY, TWICE, MORE, TRAINING) = (
    *("again and again", "guessing back", "the price", "the adversary"),
    *("asking twice", "more candidates", "training on lies"),
)
LESSON = Choice("lesson", LESSONS, AGAIN)

SOLVE = Choice("solve", (PEOPLE, PRIVACY, PRECISION), PEOPLE)
PLAN_LIE = Number("plan_lie", limits.flip_prob_limit(2, "plan_lie"), accounting.randomised_response_flip_prob(1.0))
PLAN_VOTERS = Number("plan_voters", limits.N_VOTERS, 10_000)
PLAN_WIDTH = Number("plan_width", limits.HALF_WIDTH, 0.02)
PLAN_SHARE = Number("plan_share", limits.SHARE, 0.5)

PRIOR = Number("prior", limits.SHARE, 0.5)
ANSWER = Choice("answer", ("A", "B"), "A")
ASKED = Number("asked", limits.N_ANSWERS, 3)
SHARES = Words("shares", lambda text: many_config(text), "0.4, 0.3, 0.2, 0.1")

INPUT_SPREAD = Number("s", limits.INPUT_SD, 2.0)
ONE_TO_ONE = Number("one_to_one", limits.ONE_TO_ONE, 0.8)
ZERO_TO_ONE = Number("zero_to_one", limits.ZERO_TO_ONE, 0.2)
RATIO = Number("ratio", limits.RATIO, 3.0)
ANGLE = Number("angle", limits.ANGLE, 45.0)

ALL = [
    *(VOTERS, SHARE, KIND, LIE, B_SAYS_A, A_SAYS_B, ELECTIONS, SEED),
    *(LESSON, SOLVE, PLAN_LIE, PLAN_VOTERS, PLAN_WIDTH, PLAN_SHARE),
    *(PRIOR, ANSWER, ASKED, SHARES),
    *(INPUT_SPREAD, ONE_TO_ONE, ZERO_TO_ONE, RATIO, ANGLE),
]


def controls() -> ElectionConfig:
    """Draw the controls of the poll and return what they ask."""
    sizes = st.container()
    voters = settings.number(VOTERS, "People asked", step=100, hide_label=True)
    with sizes:
        settings.linked(
            "voters_slide",
            VOTERS,
            st.select_slider,
            lambda value: value,
            lambda value: value,
            label="People asked",
            options=sorted({*SIZES, voters}),
            format_func=lambda size: f"{size:,}",
            help="Drawn at random from a large country. Slide, or type any number.",
        )
    share = settings.dial(SHARE, "True share of A in the country", step=0.01, form="%.8g")
    channel = _channel()
    with st.expander("More settings"):
        polls = settings.number(ELECTIONS, "Polls held", step=1, help="The picture shows the last of them.")
        seed = settings.number(SEED, "Seed", step=1, help="The same seed gives the same people and lies.")
    return ElectionConfig(voters, share, channel, polls, seed)


def _channel() -> BinaryChannel:
    if settings.choose(KIND, "Everyone may lie") == ASYMMETRIC:
        return lies.asymmetric(
            B_SAYS_A,
            A_SAYS_B,
            labels=("B says A", "A says B"),
            titles=("Of the voters of B, share who say A", "Of the voters of A, share who say B"),
        )
    p = lies.symmetric(
        LIE,
        2,
        name="answer",
        label="Each person lies with probability",
        p_label="p, lie",
        epsilon_label="ε of one answer",
    )
    return BinaryChannel(p, p)


def hold(polls: int) -> None:
    """Set how many polls have been held, up to the most there may be."""
    st.session_state[ELECTIONS.key] = int(ELECTIONS.limit.nearest(polls))


def many_config(text: str, epsilon: float = 1.0, n_voters: int = 1000, seed: int = 0) -> ManyConfig:
    """The shares of k candidates as a visitor types them, such as “0.4, 0.3, 0.2, 0.1”."""
    words = [word for word in re.split(r"[,;\s]+", text.strip()) if word]
    try:
        shares = tuple(float(word) for word in words)
    except ValueError:
        raise ValueError(f"shares must be numbers such as {SHARES.default}, got “{text[:40]}”") from None
    return ManyConfig(shares, epsilon, n_voters, seed)


# Of the last section: setting, label, step, and what it means.
NAIVE_DIALS = (
    (
        INPUT_SPREAD,
        "Spread s",
        0.1,
        "The standard deviation of the inputs along one axis: the larger, the surer labels.",
    ),
    (ONE_TO_ONE, "1 stays 1", 0.05, "P₁₁ = p₁→₁, the chance that a label 1 is released as 1."),
    (ZERO_TO_ONE, "0 becomes 1", 0.05, "P₀₁ = p₀→₁ in the paper’s order, the chance that a label 0 is released as 1."),
    (RATIO, "Across, × s", 0.1, "The spread across that axis, in units of s. 1 is the same in all directions."),
    (ANGLE, "Turned by, °", 5.0, "The angle between that axis and the true weights, in degrees."),
)


def naive_config() -> NaiveConfig:
    """Draw the controls of the last section and return what they ask."""
    values = []
    for column, (setting, label, step, meaning) in zip(st.columns(5, gap="small"), NAIVE_DIALS, strict=True):
        with column:
            values.append(settings.dial(setting, label, step=step, form="%.6g", help=meaning))
    return NaiveConfig(*values)

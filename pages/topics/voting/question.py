"""The settings of the voting page and of its chapters, and a planned poll."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pages.kit.settings import WHAT_TWO_LIES_DO, Choice, Number, Setting, Words
from pages.kit.values import Values
from privdemo import limits
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.voting import ElectionConfig, ManyConfig
from privdemo.mechanisms import BinaryChannel, Crosswise, UnrelatedQuestion

SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
UNRELATED, CROSSWISE = "unrelated question", "same or different"
# Sizes of a poll that the slider stops at.
SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10_000_000)

VOTERS = Number("voters", limits.N_VOTERS, ElectionConfig.n_voters, "People asked", step=100)
SHARE = Number("share", limits.SHARE, ElectionConfig.share, "True share of A in the country", step=0.01)
KIND = Choice(
    "lying",
    (SYMMETRIC, ASYMMETRIC, UNRELATED, CROSSWISE),
    SYMMETRIC,
    "Changed answers, or another question",
)
LIE = Number(
    "lie", limits.flip_prob_limit(2, "lie"), ElectionConfig.channel.p10, "Chance of a changed answer", step=0.01
)
B_SAYS_A = Number("b_says_a", limits.P10, 0.1, "Voters of B say A", step=0.01, help=WHAT_TWO_LIES_DO)
A_SAYS_B = Number("a_says_b", limits.P01, 0.3, "Voters of A say B", step=0.01, help=WHAT_TWO_LIES_DO)
ASKED_VOTE = Number("asks_vote", limits.ASKED, 0.5, "Chance that the vote is asked about", step=0.01)
SAY_YES = Number(
    "other_yes",
    limits.INNOCENT,
    0.25,
    "Share of all people who say yes to the unrelated question",
    step=0.01,
    help="It must be known beforehand, and have nothing to do with the vote: about 0.25 for birthdays in January to "
    "March.",
)
BORN = Number(
    "born",
    limits.RARER_INNOCENT,
    0.25,
    "Share of all people with such a birthday",
    step=0.01,
    help="Known beforehand: about 0.25 for January to March. With 0.5 the answers say nothing.",
)
POLLS = Number(
    "polls", limits.N_ELECTIONS, ElectionConfig.n_elections, "Polls held", help="The picture shows the last of them."
)
# The default is, of the seeds 0 to 999 in whose hundredth poll exactly 350 of the 1,000 voted A, as in the country, the
# one whose poll is the most typical: the error of the corrected estimate, at lies of 0.1, 0.2, 0.3 and 0.4, is nearest
# to the median error over all these seeds (the mean |ln| of their ratios is least). So the poll that a visitor sees
# first is neither lucky nor unlucky.
SEED = Number("poll_seed", limits.SEED, 326, "Seed", help="The same seed gives the same people and changes.")


def settings(_: Values) -> list[Setting]:
    """Return every setting of the polls."""
    return [VOTERS, SHARE, KIND, LIE, B_SAYS_A, A_SAYS_B, ASKED_VOTE, SAY_YES, BORN, POLLS, SEED]


def question_of(values: Values) -> ElectionConfig:
    """Return the config of the polls."""
    return ElectionConfig(values[VOTERS], values[SHARE], channel_of(values), values[POLLS], values[SEED])


def channel_of(values: Values) -> BinaryChannel:
    """Return how likely each answer is for voters of A and of B."""
    if values[KIND] == UNRELATED:
        return UnrelatedQuestion(values[ASKED_VOTE], values[SAY_YES])
    if values[KIND] == CROSSWISE:
        return Crosswise(values[BORN])
    ends = (B_SAYS_A, A_SAYS_B) if values[KIND] == ASYMMETRIC else (LIE, LIE)
    return BinaryChannel(*(values[end] for end in ends))


PEOPLE, PRIVACY, PRECISION = "people", "privacy", "precision"
SOLVE = Choice("solve", (PEOPLE, PRIVACY, PRECISION), PEOPLE, "Which number to work out")
PLAN_VOTERS = Number("plan_voters", limits.N_VOTERS, 10_000, "People you can ask", step=1000)
PLAN_WIDTH = Number("plan_width", limits.HALF_WIDTH, 0.02, "Wanted precision, ± (0.02 is 2 points)", step=0.001)
PLAN_SHARE = Number(
    "plan_share",
    limits.SHARE,
    0.5,
    "Expected share of A (0.5 is 50 %)",
    step=0.01,
    help="0.5 is the safe choice where all answers are changed alike: no other share needs more people.",
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


PART = Number("part", limits.PART_OF_POLL, 0.25, "People who do not play along", step=0.01)
# What these people do, and the name of that in privdemo.disobedience: A is Yes, B is No.
WAYS = {
    "always say B": "always no",
    "always say A": "always yes",
    "toss a fair coin": "fair coin",
    "openly tell the truth": "open truth",
}
WAY = Choice("way", tuple(WAYS), "always say B", "What they do instead")

PRIOR = Number(
    "prior",
    limits.SHARE,
    SHARE.default,
    "Chance of a vote for A before any answer",
    step=0.01,
    help="What the adversary believes beforehand: 0.35 means that of 100 people like this one 35 voted A. At first "
    "it is "
    "the true share of A in the country.",
)


def prior_at(share: float) -> Number:
    """Return the setting of the adversary's prior belief, whose default is the country's true `share` of A."""
    return replace(PRIOR, default=share)


SAID = Choice("answer", ("A", "B"), "A", "The person says")
ASKED = Number("asked", limits.N_ANSWERS, 2, "Answers from the same person")


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


# In the order of the fields of `NaiveConfig`.
NAIVE_SETTINGS = (
    Number(
        "s",
        limits.INPUT_SD,
        NaiveConfig.s,
        "Spread of the inputs, s",
        0.1,
        "s, the standard deviation of the inputs along one axis: the larger, the surer labels.",
    ),
    Number(
        "one_to_one",
        limits.ONE_TO_ONE,
        NaiveConfig.one_to_one,
        "Chance that a 1 stays 1",
        0.05,
        "P₁₁ = p₁→₁, the chance that a label 1 is released as 1.",
    ),
    Number(
        "zero_to_one",
        limits.ZERO_TO_ONE,
        NaiveConfig.zero_to_one,
        "Chance that a 0 becomes 1",
        0.05,
        "P₀₁ = p₀→₁ in the paper’s order, the chance that a label 0 is released as 1.",
    ),
    Number(
        "ratio",
        limits.RATIO,
        3.0,
        "Spread across that axis, in s",
        0.1,
        "The spread across that axis, in units of s. 1 is the same in all directions.",
    ),
    Number(
        "angle",
        limits.ANGLE,
        NaiveConfig.angle,
        "Angle to the true weights, in degrees",
        5.0,
        "The angle between that axis and the true weights, in degrees.",
    ),
)


def typed_shares(values: Values, _: object) -> str:
    """Return the candidates' shares as typed."""
    return str(values[SHARES])


def naive_config(values: Values, _: object) -> NaiveConfig:
    """Return the config of naive training."""
    return NaiveConfig(*(values[setting] for setting in NAIVE_SETTINGS))

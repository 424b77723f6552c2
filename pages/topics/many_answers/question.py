"""The settings of the page on many answers, and the question they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pages.kit.own_data import File
from pages.kit.settings import Choice, Number
from privdemo import limits
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import OCCUPATIONS, UNIFORM, WORDS, ZIPF, AnswersConfig
from privdemo.methods import FREQUENCY_ORACLES

LOOK = "answers_look"
ESTIMATORS = "Reading reports"

TITLES = {"Zipf’s law": ZIPF, "all alike": UNIFORM, "occupations (Adult)": OCCUPATIONS, "words (SMS)": WORDS}
ORACLES = {method.title: name for name, method in FREQUENCY_ORACLES.items()}
ORACLE = Choice("lie", tuple(ORACLES), FREQUENCY_ORACLES[AnswersConfig.oracle].title, "Lie")
EPSILON = Number("answer_epsilon", limits.ORACLE_EPSILON, AnswersConfig.epsilon, "ε of an answer", 0.01, "%.4g")
K = Number(
    "different",
    limits.ORACLE_ANSWERS,
    AnswersConfig.k,
    "Different answers",
    help="Of words, the most frequent ones.",
)
PEOPLE = Number("people", limits.ORACLE_PEOPLE, AnswersConfig.people, "People", 1000)
EXPONENT = Number(
    "zipf",
    limits.ZIPF_EXPONENT,
    AnswersConfig.exponent,
    "Zipf’s exponent s",
    0.1,
    "%.4g",
    "The answer of rank r has a share in proportion to 1/rˢ; 0 makes all alike.",
)
SEED = Number("answers_seed", limits.SEED, 0, "Seed", help="The same seed gives the same reports.")
# Settings on one click: whose answers, how many different ones, people, ε, exponent, and the lie.
PRESETS = {
    "A class votes": (ZIPF, 4, 30, 2.0, 0.5, "randomised response"),
    "Which job?": (OCCUPATIONS, 15, 48_842, 1.0, 1.2, "subset selection"),
    "Which word?": (WORDS, 256, 100_000, 2.0, 1.2, "optimised unary"),
    "Which emoji?": (ZIPF, 1024, 1_000_000, 4.0, 1.2, "subset selection"),
}

ALONG = {"ε": many_answers.EPSILON_AXIS, "answers": many_answers.K_AXIS, "people": many_answers.PEOPLE_AXIS}
AXIS = Choice("answers_along", tuple(ALONG), "ε", "Along")
THREE, ALL = "three", "all"
CURVES = Choice("answers_curves", (THREE, ALL), THREE, "Curves")
HERE = "here"
READ = Choice("read", (HERE, *ALONG), HERE, "Compare")
ALL_SIX, TWO = "all six", "k-ary or unary"
AMONG = Choice("among", (ALL_SIX, TWO), ALL_SIX, "Among")
# The two whose variances the papers compare.
PAIR = ("randomised response", "optimised unary")
FREQUENT, RARE = "the most frequent", "the rarest"
SENDER = Choice("sender", (FREQUENT, RARE), FREQUENT, "The sender’s answer")
DELTA = Number(
    "answers_delta",
    limits.Limit("delta", 1e-12, 0.01, "it should be well below one over the number of people"),
    1e-6,
    "δ",
    1e-6,
    "%.3g",
    "The chance that the promise of a shuffler, or of a curator’s noise, fails. Lies of one’s own need none.",
)


@dataclass(frozen=True)
class Question:
    """The visitor’s question: a config, and whether reports are simulated because the chapter on them is shown.

    `file` holds the visitor’s own records, if the answers are theirs.
    """

    config: AnswersConfig
    reads: bool = False
    file: File | None = None


class Curves(NamedTuple):
    """What the figure of errors plots: its `axis`, and whether it shows `all` curves."""

    axis: str = many_answers.EPSILON_AXIS
    all: bool = False

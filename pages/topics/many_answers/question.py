"""The settings of the page on many answers, and the question they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pages.kit import cache, numbers, own_data
from pages.kit.own_data import File, OwnAnswers
from pages.kit.settings import Choice, Number, Setting
from pages.kit.values import Values
from privdemo import limits
from privdemo.accounting import default_delta
from privdemo.datasets import Answers, Source
from privdemo.disobedience.many_answers import CRAFTED, PRETEND
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import (
    ILLNESS_NAMES,
    ILLNESSES,
    OCCUPATIONS,
    RANDOMISED_RESPONSE,
    UNIFORM,
    WORDS,
    ZIPF,
    AnswersConfig,
)
from privdemo.mechanisms.frequency_oracles import for_answers
from privdemo.methods import FREQUENCY_ORACLES

LOOK = "answers_look"
ESTIMATORS = "Three estimators compared"

NAME_BY_TITLE = {
    "illnesses (simulated)": ILLNESSES,
    "occupations (Adult)": OCCUPATIONS,
    "words (SMS)": WORDS,
    "Zipf’s law": ZIPF,
    "all alike": UNIFORM,
}
# What one answer and several are called, where they are not just answers.
NOUNS = {ILLNESSES: ("illness", "illnesses"), OCCUPATIONS: ("occupation", "occupations"), WORDS: ("word", "words")}
ORACLES = {method.title: name for name, method in FREQUENCY_ORACLES.items()}
# The page begins with what is understood at first sight, although other methods are more exact.
ORACLE = Choice("lie", tuple(ORACLES), FREQUENCY_ORACLES[RANDOMISED_RESPONSE].title, "What people send")
EPSILON = Number("answer_epsilon", limits.ORACLE_EPSILON, AnswersConfig.epsilon, "ε of an answer", 0.01)
K = Number(
    "different",
    limits.SHORT_REPORT_ANSWERS,
    len(ILLNESS_NAMES),
    "Possible answers",
    help="Of words, the most frequent ones. Of illnesses the first 16 have names. More than 1,024 by local hashing and "
    "Hadamard response alone.",
)
PEOPLE = Number("people", limits.ORACLE_PEOPLE, AnswersConfig.people, "People", 1000)
EXPONENT = Number(
    "zipf",
    limits.ZIPF_EXPONENT,
    AnswersConfig.exponent,
    "How unequal the shares are (s)",
    0.1,
    "By Zipf’s law the answer of rank r has a share in proportion to 1/rˢ; 0 makes all shares equal.",
)
SEED = Number("answers_seed", limits.SEED, AnswersConfig.seed, "Seed", help="The same seed gives the same reports.")
# Settings on one click: whose answers, how many possible ones, people, ε, exponent, and the method.
PRESETS = {
    "A class votes": (ZIPF, 4, 30, 2.0, 0.5, "randomised response"),
    "Which job?": (OCCUPATIONS, 15, 48_842, 1.0, 1.2, "subset selection"),
    "Which word?": (WORDS, 256, 100_000, 2.0, 1.2, "optimised unary"),
    "Which emoji?": (ZIPF, 1024, 1_000_000, 4.0, 1.2, "subset selection"),
}

ALONG = {"ε": many_answers.EPSILON_AXIS, "answers": many_answers.K_AXIS, "people": many_answers.PEOPLE_AXIS}
AXIS = Choice("answers_along", tuple(ALONG), "ε", "Horizontal axis")
THREE, ALL = "three", "all"
CURVES = Choice("answers_curves", (THREE, ALL), THREE, "Methods")
HERE = "at your setting"
READ = Choice("read", (HERE, *ALONG), HERE, "Compare the estimators")
ALL_SIX, TWO = "all six", "only the two that the papers compare"
AMONG = Choice("among", (ALL_SIX, TWO), ALL_SIX, "Methods")
# The two whose variances the papers compare.
PAIR = ("randomised response", "optimised unary")
FREQUENT, RARE = "the most frequent answer", "the rarest answer"
SENDER = Choice("sender", (FREQUENT, RARE), FREQUENT, "The sender has")
FAKE = Number(
    "fake",
    limits.FAKE_PART,
    0.05,
    "Fake participants, as a share of all",
    0.01,
    "Bots or hired people, who take part only to make one answer look frequent.",
)
PUSHED = Choice("pushed", (RARE, FREQUENT), RARE, "They push")
# What fake clients send, and the attack’s name in `privdemo.disobedience`.
ATTACKS = {"what helps it most": CRAFTED, "the same as people who have it": PRETEND}
ATTACK = Choice("attack", tuple(ATTACKS), "what helps it most", "They send")
# Why more than 1,024 answers are too many for a method.
_WHY_NOT = {
    "randomised response": "of so many answers hardly any that is sent would be true",
    "basic rappor": "each person would send a bit for every answer",
    "optimised unary": "each person would send a bit for every answer",
    "subset selection": "each person would send a list of hundreds of answers",
}


@dataclass(frozen=True)
class Question:
    """The visitor’s question: a config, and whether reports are simulated because the chapter on them is shown.

    `file` holds the visitor’s own records, if the answers are theirs.
    """

    config: AnswersConfig
    reads: bool = False
    file: File | None = None


def source_choice() -> Choice:
    """Return the choice of whose answers: the data sets that are available, and the visitor’s own."""
    needed = {OCCUPATIONS, WORDS}
    available = (title for title, name in NAME_BY_TITLE.items() if name not in needed or cache.available(name))
    return own_data.choice("answers_of", tuple(available), OwnAnswers)


def source_of(values: Values) -> Source | Answers:
    """Return where the answers come from."""
    return own_data.answers(values[source_choice()], NAME_BY_TITLE.__getitem__)


def settings(_: Values) -> list[Setting]:
    """Return every setting of the page."""
    return [source_choice(), K, EXPONENT, PEOPLE, EPSILON, ORACLE, SEED]


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none."""
    source = source_of(values)
    if source in (OCCUPATIONS, WORDS) and (problem := cache.problem(source)):
        return f"{values[source_choice()]} cannot be read: {problem}"
    # Of a data set with answers of its own, all different ones are asked about.
    k = values[K] if source in (ILLNESSES, ZIPF, UNIFORM, WORDS) else int(limits.ORACLE_ANSWERS.high)
    exponent = values[EXPONENT] if source in (ILLNESSES, ZIPF) else 0.0
    oracle = ORACLES[values[ORACLE]]
    if oracle not in for_answers(k):
        return (
            f"{numbers.capital(values[ORACLE])} takes up to {limits.ORACLE_ANSWERS.high:,.0f} possible answers here, "
            f"and there are {k:,}: {_WHY_NOT[oracle]}. Choose local hashing or Hadamard response, whose reports stay "
            "short."
        )
    config = AnswersConfig(source, k, exponent, values[PEOPLE], values[EPSILON], oracle, values[SEED])
    reads = values[Choice(LOOK, (ESTIMATORS,), "")] == ESTIMATORS
    return Question(config, reads, own_data.file_of(source))


class Curves(NamedTuple):
    """What the figure of errors plots: its `axis`, and whether it shows `all` curves."""

    axis: str = many_answers.EPSILON_AXIS
    all: bool = False


def curves_of(values: Values, _: object) -> Curves:
    """Return what the figure of errors plots."""
    return Curves(ALONG[values[AXIS]], values[CURVES] == ALL)


def reading_of(values: Values, _: object) -> str:
    """Return the axis along which estimators are compared, or “” for the question itself."""
    return ALONG.get(values[READ], "")


def methods_of(values: Values, _: object) -> tuple[str, ...]:
    """Return the methods that the map compares."""
    return PAIR if values[AMONG] == TWO else tuple(FREQUENCY_ORACLES)


def is_rarest(values: Values, _: object) -> bool:
    """Return whether the sender whose report is examined has the rarest answer."""
    return bool(values[SENDER] == RARE)


def delta_setting(values: Values) -> Number:
    """Return the setting of δ, whose default follows from the number of people."""
    return Number(
        "answers_delta",
        limits.Limit("delta", 1e-14, 0.01, "it should be well below one over the number of people"),
        default_delta(values[PEOPLE]),
        "δ, chance that the promise fails",
        1e-6,
        "The chance that the promise fails with a shuffler, or with a curator’s noise; if nobody is trusted no δ is "
        "needed. Unless set it is 10⁻⁶ or 1/n², whichever is smaller, of n people.",
    )


def delta_settings(values: Values) -> list[Setting]:
    """Return the settings of the chapter on trust."""
    return [delta_setting(values)]


def delta_of(values: Values, _: object) -> float:
    """Return δ of the chapter on trust."""
    return float(values[delta_setting(values)])


class Pushing(NamedTuple):
    """Who pushes which answer: the `part` of all people who are fake, the rarest or the most frequent one, how."""

    part: float = FAKE.default
    is_rarest: bool = True
    attack: str = CRAFTED
    all: bool = False


def pushing_of(values: Values, _: object) -> Pushing:
    """Return who pushes which answer and how, and whether all methods are shown."""
    return Pushing(values[FAKE], values[PUSHED] == RARE, ATTACKS[values[ATTACK]], values[CURVES] == ALL)

"""The settings and widgets of the page on many answers, and the question they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, inputs, link, own_data, own_data_input, privacy_inputs
from pages.kit.own_data import File, OwnAnswers
from pages.kit.settings import Choice, Number, Setting
from privdemo import limits
from privdemo.datasets import Answers, Source
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import OCCUPATIONS, UNIFORM, WORDS, ZIPF, AnswersConfig
from privdemo.methods import FREQUENCY_ORACLES

LOOK = "answers_look"
# The session's key of the data that set the number of people, and its value for all data but a visitor's own.
_DATA, _SHIPPED = "answers_data", "named"
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


def source_choice() -> Choice:
    """Return the choice of whose answers: the data sets that are available, and the visitor’s own."""
    needed = {OCCUPATIONS, WORDS}
    available = (title for title, name in TITLES.items() if name not in needed or cache.available(name))
    return own_data_input.choice("answers_of", tuple(available), OwnAnswers)


def all_settings() -> list[Setting]:
    """Return every setting of the page."""
    return [source_choice(), K, EXPONENT, PEOPLE, EPSILON, ORACLE, SEED]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the controls, ε and the lie in `main`; return the question, or a sentence on why there is none."""
    with main:
        epsilon, oracle = _epsilon_and_oracle()
    source, problem = _source()
    with inputs.container_if("answers-k", source in (ZIPF, UNIFORM, WORDS)):
        k = inputs.number(K)
    with inputs.container_if("answers-zipf", source == ZIPF):
        exponent = inputs.number(EXPONENT)
    people, seed = inputs.number(PEOPLE), inputs.number(SEED)
    if problem:
        return problem
    if source not in (ZIPF, UNIFORM, WORDS):
        k = int(limits.ORACLE_ANSWERS.high)  # all different answers of the data
    config = AnswersConfig(source, k, exponent if source == ZIPF else 0.0, people, epsilon, oracle, seed)
    reads = st.session_state.get(LOOK, st.query_params.get(LOOK)) == ESTIMATORS
    return Question(config, reads, own_data.file_of(source))


def _epsilon_and_oracle() -> tuple[float, str]:
    """Render ε as a slider over common values and a box, with the lie beside it, and what ε means."""
    with st.container(key="row-answers"):
        slider = st.container()
        with inputs.side_by_side("answers"):
            epsilon, title = float(inputs.number(EPSILON, "ε")), inputs.choose_from_list(ORACLE)
        privacy_inputs.scale(epsilon)
    with slider:  # rendered above the box, created after it: the box reads the link
        privacy_inputs.ladder(EPSILON, _COMMON, _EPSILON_LABEL, _EPSILON_HELP)
        privacy_inputs.say_which_end_is_private(private_right=False)
    return epsilon, ORACLES[title]


def _source() -> tuple[Source | Answers, str]:
    """Render the choice of whose answers; return the source, and why it cannot be read, if so.

    With a file of the visitor’s own there are as many people as it has rows, until another number is set.
    """
    chosen = source_choice()
    title = inputs.choose(chosen, "Whose answers")
    own_data_input.answers_panel(chosen)
    source = own_data.answers(title, TITLES.__getitem__)
    if isinstance(source, Answers):
        own_data.reset_sizes(_DATA, source, [replace(PEOPLE, default=source.people)])
    else:
        own_data.reset_sizes(_DATA, _SHIPPED, [PEOPLE])
    problem = cache.problem(source) if source in (OCCUPATIONS, WORDS) else None
    return source, f"{title} cannot be read: {problem}" if problem else ""


_COMMON = tuple(filter(EPSILON.limit.contains, privacy_inputs.EPSILONS))
_EPSILON_LABEL = "ε, how much one answer can change the odds"
_EPSILON_HELP = (
    "Whatever is true of a person, no report is more than e^ε times as likely as with another answer. Slide to a "
    "common value, or type any number."
)


def presets(_: object) -> None:
    """Render buttons with example surveys whose answers are available."""
    names = {TITLES[title] for title in source_choice().options if title in TITLES}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Try:", width="content", help="Surveys on one click.")
        for name, (source, *_) in PRESETS.items():
            if source in names:
                st.button(name, key=f"survey {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the settings of an example survey."""
    source, k, people, epsilon, exponent, oracle = PRESETS[name]
    title = next(title for title, known in TITLES.items() if known == source)
    st.session_state[_DATA] = _SHIPPED
    link.set_choices({source_choice(): title, ORACLE: FREQUENCY_ORACLES[oracle].title})
    values = {K: k, PEOPLE: people, EPSILON: epsilon, EXPONENT: exponent}
    link.set_numbers({setting.key: value for setting, value in values.items()})


# --- the chapters --------------------------------------------------------------------------------


def curve_controls(_: object) -> Curves:
    """Render the choice of the axis and of the curves, and return both."""
    with st.container(horizontal=True, key="in-line"):
        return Curves(ALONG[inputs.choose(AXIS)], inputs.choose(CURVES) == ALL)


def reading_controls(_: object) -> str:
    """Render the choice where to compare estimators; return the axis, or “” for the question itself."""
    return ALONG.get(inputs.choose_in_line(READ), "")


def among_controls(_: object) -> tuple[str, ...]:
    """Render the choice which lies the map compares, and return them."""
    return PAIR if inputs.choose_in_line(AMONG) == TWO else tuple(FREQUENCY_ORACLES)


def sender_controls(_: object) -> bool:
    """Render the choice whose report is examined; return whether the sender’s answer is the rarest."""
    return bool(inputs.choose_in_line(SENDER) == RARE)


def delta_controls(_: object) -> float:
    """Render δ and return it."""
    with st.container(key="answers-delta", width=260):
        return float(inputs.number(DELTA))

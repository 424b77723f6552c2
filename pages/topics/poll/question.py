"""The question of a class poll, the way it is answered, and where a class joins it. Renders nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pages.kit.settings import Choice, Number, Setting, Words
from pages.kit.values import Values
from pages.polls import languages, rules
from privdemo import limits
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig

REHEARSAL, HANDS, TELEPHONES = "Try it with simulated people", "Show of hands", "On their phones"
WAYS = (REHEARSAL, HANDS, TELEPHONES)
# What each way is, and where the answers go.
WAY_WORDS = {
    REHEARSAL: "a rehearsal, in which nobody is asked.",
    HANDS: "everybody secretly tosses a coin or draws a card, which decides whether to raise a hand for the true "
    "answer or for another. You count the hands and type the numbers here.",
    TELEPHONES: "each phone changes its answer by chance, then sends it to this app’s server. The true answer stays on "
    "the phone.",
}
# The steps of the reveal; “Comparison with the truth” is there where it is known.
STEPS = (
    "How many have answered",
    "Answers as sent",
    "Percentages as sent",
    "Estimated percentages",
    "What one answer reveals",
    "How many to ask",
    "Asking everybody again",
    "Comparison with the truth",
    "Summary",
)
# How many must have answered before estimates are shown, unless the teacher wants them sooner.
ENOUGH = 30
WAIT_FOR_MORE, SHOW_FEW = "wait for 30", "show them anyway"
# What stands between answers in a line; with spaces around it, others may be within an answer.
BETWEEN = "/"
_APART = re.compile(rf"(?<!\s)\s++{BETWEEN}(?:\s++|$)")
# Characters of a line of answers, as typed: several times what the longest ones need.
_TYPED = 4 * limits.POLL_ANSWERS.high * limits.ANSWER_LETTERS.high
# A lie that any number of answers may have.
_ANY_LIE = 0.1


@dataclass(frozen=True)
class Join:
    """A poll on telephones: its `code`, the `address` to go to, and whether it still takes answers.

    Before it is opened it has no code. `local` says that telephones cannot reach the address, as it is this computer’s
    name for itself.
    """

    code: str
    address: str
    is_open: bool
    local: bool


@dataclass(frozen=True)
class Question:
    """The `text` of a question, the `way` it is answered, and how many people sent each answer in each round.

    With a check each round counts the cells of `PollConfig.by_answer`. `expected` is how many people answer, where it
    is known; `truth` counts the people whose true answer each one is, and `disobey` those who always send the last
    answer; `join` is where a poll on telephones is joined. With `shows_few` estimates are shown however few have
    answered.
    """

    way: str
    text: str
    config: PollConfig
    rounds: tuple[tuple[int, ...], ...]
    expected: int | None = None
    truth: tuple[int, ...] | None = None
    join: Join | None = None
    shows_few: bool = False
    disobey: int = 0

    @property
    def is_opened(self) -> bool:
        """Return whether people can answer yet; a poll on telephones has no code before it is opened."""
        return self.join is None or bool(self.join.code)

    @property
    def answered(self) -> int:
        """Return how many have answered in the last round."""
        return sum(self.rounds[-1])

    @property
    def counts(self) -> tuple[int, ...]:
        """Return the counts of the round with the most answers, the last of several such."""
        return max(reversed(self.rounds), key=sum)


def is_too_few(question: Question) -> bool:
    """Return whether so few have answered that estimates wait, and the teacher has not asked for them."""
    return 0 < sum(question.counts) < ENOUGH and not question.shows_few


def check_question(words: str) -> str:
    """Return the question with single spaces. Raise ``ValueError`` with a sentence for an invalid one."""
    if not words or words.isspace():
        raise ValueError("there is no question yet; type one")
    text, _, _ = rules.checked(words, ("yes", "no"), _ANY_LIE)
    return text


def check_answers(line: str) -> tuple[str, ...]:
    """Return the answers in a line such as “Yes / No”. Raise ``ValueError`` with a sentence for an invalid line."""
    limits.check_length("the line of answers", line, _TYPED, "shorten the answers")
    parts = _APART.split(line) if _APART.search(line) else line.split(BETWEEN)
    _, answers, _ = rules.checked("?", parts, _ANY_LIE)
    return answers


# --- the settings --------------------------------------------------------------------------------

# Questions to start from, each with its answers.
QUESTIONS = {
    "Homework": ("Have you ever copied homework?", "Yes / No"),
    "Books": ("Have you ever pretended to have read a book?", "Yes / No"),
    "Late": ("How often were you late this term?", "Never / Once or twice / More often"),
    "Telephone": ("Do you look at your telephone in lectures?", "Never / Sometimes / Often"),
}
_FIRST = QUESTIONS["Homework"]

WAY = Choice("way", WAYS, REHEARSAL, "How people answer", shown={HANDS: "Show of hands, with a coin or card"})
ASKED = Words("asked", check_question, _FIRST[0], "Question")
ANSWERS = Words("answers", check_answers, _FIRST[1], f"The answers, separated by {BETWEEN}")
PEOPLE = Number("people", limits.POLL_PEOPLE, 200, "Simulated people", step=10)
PACE = Number("pace", limits.POLL_PACE, 10.0, "Answers a second while you watch", step=1)
# A seed of the first hundred whose corrected share has the median error: neither lucky nor unlucky.
SEED = Number(
    "class_seed", limits.SEED, 78, "Seed of the class", help="The same seed gives the same people and the same chance."
)
HANDS_UP = tuple(
    Number(
        f"hands_{i}", replace(limits.POLL_PEOPLE, name="hands", low=0), 0, f"Hands for answer {i}", set_by_audience=True
    )
    for i in range(1, int(limits.POLL_ANSWERS.high) + 1)
)
DISOBEY = Number(
    "disobey",
    limits.POLL_DISOBEY,
    0,
    "Of 100 people, always send the last answer",
    help="Simulated people who send the last answer, whatever is true of them and whatever chance says.",
)
# What a poll with two answers may do to find out how many people do not follow the rules, by what it is called here.
_CHECKS = {"no": poll.NO_CHECK, "two wheels": poll.HALVES, "a control question": poll.CONTROL}
CHECK = Choice("rules_check", tuple(_CHECKS), "no", "Check whether people follow the wheel")
FEW = Choice(
    "few", (WAIT_FOR_MORE, SHOW_FEW), WAIT_FOR_MORE, "Estimates from fewer than 30 answers", set_by_audience=True
)
TIMES = Number("times", limits.POLL_ROUNDS, 2, "Answers per person")
# The choice that leaves the language to each telephone, and the others by what the store calls them.
_OWN_LANGUAGE = "Each telephone’s own"
_LANGUAGES = {_OWN_LANGUAGE: ""} | {name: tag for tag, name in languages.LANGUAGES.items()}
LANGUAGE = Choice("poll_language", tuple(_LANGUAGES), _OWN_LANGUAGE, "Language of the telephone page")
STEP = Choice("step", STEPS, STEPS[0], "Chapter")


def lie_setting(values: Values) -> Number:
    """Return the setting of how often people lie; its range depends on the number of answers."""
    line = values[ANSWERS]
    k = 2 if ANSWERS.problem([line]) else len(check_answers(line))
    return Number("poll_lie", limits.poll_lie_limit(k), 0.25, "Chance that an answer is switched", step=0.01)


def check_of(values: Values) -> str:
    """Return the check of `PollConfig`; there is none with a show of hands, or for more than two answers."""
    return _CHECKS[values[CHECK]] if why_no_check(values) == "" else poll.NO_CHECK


def why_no_check(values: Values) -> str:
    """Return in a sentence why the poll cannot check whether people follow the rules, "" if it can."""
    if values[WAY] == HANDS:
        return (
            "A show of hands cannot check whether people follow the cards: it would take two packs of cards and two "
            "counts, or a second question."
        )
    if not ANSWERS.problem([values[ANSWERS]]) and len(check_answers(values[ANSWERS])) > 2:
        return "Whether people follow the wheel can be checked for two answers only."
    return ""


def telephone_language(values: Values) -> str:
    """Return the tag of the language that telephones are to show, "" for each telephone's own."""
    return _LANGUAGES[values[LANGUAGE]]


def settings(values: Values) -> list[Setting]:
    """Return every setting of the page except those of its chapters."""
    lie = lie_setting(values)
    return [WAY, ASKED, ANSWERS, lie, PEOPLE, PACE, SEED, DISOBEY, CHECK, FEW, *HANDS_UP, LANGUAGE]

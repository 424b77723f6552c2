"""The question of a class poll, the way it is answered, and where a class joins it. Renders nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pages.polls import rules
from privdemo import limits
from privdemo.experiments.poll import PollConfig

REHEARSAL, HANDS, TELEPHONES = "Rehearsal", "Show of hands", "Telephones"
WAYS = (REHEARSAL, HANDS, TELEPHONES)
# The steps of the reveal; the last one is there where the truth is known.
STEPS = ("Answers", "Said", "Ignored", "Corrected", "One answer", "Price", "Again", "Truth")
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

    `expected` is how many people answer, where that is known; `truth` counts the people whose true answer each one is;
    `join` is where a poll on telephones is joined.
    """

    way: str
    text: str
    config: PollConfig
    rounds: tuple[tuple[int, ...], ...]
    expected: int | None = None
    truth: tuple[int, ...] | None = None
    join: Join | None = None

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

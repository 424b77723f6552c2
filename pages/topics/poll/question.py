"""What a class is asked, how it answers, and where it finds the poll. Knows no screen."""

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

    Before it is opened it has no code. `local` says that the address leads telephones nowhere, as it is this computer's
    name for itself.
    """

    code: str
    address: str
    is_open: bool
    local: bool


@dataclass(frozen=True)
class Question:
    """What is asked in which `way`, and how many sent each answer each time it was asked.

    `expected` people answer, where that is known, and `truth` is how many of them hold each answer for true. `join` is
    where there are telephones.
    """

    way: str
    asked: str
    config: PollConfig
    rounds: tuple[tuple[int, ...], ...]
    expected: int | None = None
    truth: tuple[int, ...] | None = None
    join: Join | None = None

    @property
    def is_opened(self) -> bool:
        """Whether people can answer yet; a poll on telephones has no code before it is opened."""
        return self.join is None or bool(self.join.code)

    @property
    def answered(self) -> int:
        """How many have answered, of the times that were asked the last."""
        return sum(self.rounds[-1])

    @property
    def counts(self) -> tuple[int, ...]:
        """The answers that are read: of the time that most have answered, and of several such the last."""
        return max(reversed(self.rounds), key=sum)


def check_question(words: str) -> str:
    """The question with single spaces. Raises ``ValueError`` with a sentence for one that cannot be asked."""
    if not words or words.isspace():
        raise ValueError("there is no question yet; type one")
    asked, _, _ = rules.checked(words, ("yes", "no"), _ANY_LIE)
    return asked


def check_answers(line: str) -> tuple[str, ...]:
    """The answers of a line such as “Yes / No”. Raises ``ValueError`` with a sentence where nobody can choose."""
    limits.check_length("the line of answers", line, _TYPED, "shorten the answers")
    parts = _APART.split(line) if _APART.search(line) else line.split(BETWEEN)
    _, answers, _ = rules.checked("?", parts, _ANY_LIE)
    return answers

"""Define polls and answers, check what is opened, and define why an answer is refused."""

from __future__ import annotations

import math
import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

from pages.polls import languages
from privdemo import limits

# A typed text may be this many times as long as what is kept: runs of spaces and combining marks are merged.
_MOST_TYPED = 4
# A guess may differ from a whole number of steps by this part of a step.
_OFF_STEP = 1e-6
# Letters of a code: no vowels, so that codes are not words, and none that looks like a digit.
LETTERS, CODE = "BCDFGHJKLMNPQRSTVWXZ", 5
TOKEN = 32
# Joiners between letters, which several scripts and emoji need; variation selectors; and letters that look blank.
_JOINERS, _VARIANTS = "\u200c\u200d", "\ufe0e\ufe0f\u034f"
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
# The flags of England, Scotland and Wales: a black flag and invisible letters.
_BLACK_FLAG = "\U0001f3f4"
_PARTS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("gbeng", "gbsct", "gbwls"))
_FLAG = re.compile(f"{_BLACK_FLAG}({_PARTS})\U000e007f")


class PollError(Exception):
    """Raised when a poll cannot be opened, shown or answered; its text is a sentence for visitors.

    Errors that telephones may show have the `key` of a sentence in every language; teachers see all errors in English.
    """

    key = ""
    message = "This cannot be done with this poll."

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (self.sentence(languages.ENGLISH) if self.key else self.message))

    def sentence(self, language: str) -> str:
        """Return why, in a language of telephones."""
        return languages.sentence(
            language,
            self.key,
            hours=languages.whole(limits.POLL_HOURS.high, language),
            people=languages.whole(limits.POLL_PEOPLE.high, language),
        )


class NoSuchPoll(PollError, LookupError):
    key = "no_such_poll"


class TooManyGuesses(PollError):
    key = "too_many_guesses"


class TooManyRequests(PollError):
    key = "too_many_requests"


class SentFromElsewhere(PollError):
    key = "sent_from_elsewhere"


class TooSlow(PollError):
    key = "too_slow"


class PollClosed(PollError):
    key = "closed"


class RoundOver(PollError):
    key = "round_over"


class AnswerOutOfRange(PollError, ValueError):
    key = "no_such_answer"


class NoSuchRound(AnswerOutOfRange):
    key = "no_such_round"


class GuessOver(PollError):
    key = "guess_over"


class GuessOutOfRange(PollError, ValueError):
    key = "no_such_guess"


class PollFull(PollError):
    key = "poll_full"


class DatabaseUnavailable(PollError, OSError):
    key = "unavailable"


class TooManyPolls(PollError):
    message = "This server has as many polls as it keeps. Close or delete one, or try again tomorrow."


class TooManyOpened(PollError):
    message = (
        f"{limits.OPEN_BURST.high} polls were opened from your network; it may open {limits.OPEN_RATE.high} an hour "
        "from then on. Try again later."
    )


class TooManyRounds(PollError):
    message = f"A poll is asked {limits.POLL_ROUNDS.high} times at most: each further answer hides less."


class NotTheOwner(PollError, PermissionError):
    message = "Only whoever opened this poll may see, close or delete it."


@dataclass(frozen=True)
class Guess:
    """What a lecture asks the room to guess: a number from `low` to `high` by `step`, or one of some `options`.

    `words` ask for it, as plain text, and `unit` follows a number. Among options the value of a guess is their index.
    Raise ``ValueError`` for anything else.
    """

    words: str
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0
    unit: str = ""
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        limits.GUESS_LETTERS.check(len(self.words))
        if self.options:
            limits.GUESS_OPTIONS.check(len(self.options))
        elif not (all(map(math.isfinite, (self.low, self.high))) and 0 < self.step <= self.high - self.low):
            got = f"{self.low:g} to {self.high:g} by {self.step:g}"
            raise ValueError(f"a guess must be from a number to a larger one by a step that fits between, got {got}")

    def allows(self, value: float) -> bool:
        """Return whether a value may be guessed: it is in the range and a whole number of steps from its start."""
        low, high, step = (0, len(self.options) - 1, 1) if self.options else (self.low, self.high, self.step)
        if not low <= value <= high:
            return False
        n_steps = (value - low) / step
        return abs(n_steps - round(n_steps)) < _OFF_STEP


@dataclass(frozen=True)
class Poll:
    """A poll without its secret; `lie` is the flip probability of k-ary randomised response.

    `language` is that of the page for telephones, "" for each telephone's own. `guess` is what the room is asked to
    guess now, if anything, and `n_guesses` how many guesses it was asked for. `check` is how the poll finds out whether
    people follow the rules (`PollConfig.check`), "" if it does not.
    """

    code: str
    question: str
    answers: tuple[str, ...]
    lie: float
    round: int
    is_open: bool
    seconds_left: float
    language: str = ""
    guess: Guess | None = None
    n_guesses: int = 0
    check: str = ""


@dataclass(frozen=True)
class SentGuess:
    """A guess that was sent: the poll's code, the `number` of what is guessed, the value, and a token of this guess."""

    code: str
    number: int
    value: float
    token: str


@dataclass(frozen=True)
class Answer:
    """A released answer: the poll's code and round, the number of the answer, and the token of its browser.

    In a poll with a check the number is that of a cell (`PollConfig.by_answer`).
    """

    code: str
    round: int
    answer: int
    token: str


def checked(question: str, answers: Sequence[str], lie: float) -> tuple[str, tuple[str, ...], float]:
    """Return a question, its answers and its lie with single spaces. Raise ``ValueError`` if invalid."""
    few, many = limits.POLL_ANSWERS.low, limits.POLL_ANSWERS.high
    if not few <= len(answers) <= many:
        this_one = f"this one has {len(answers)}; {limits.POLL_ANSWERS.advice}"
        raise ValueError(f"a question has {few} to {many} answers, {this_one}")
    text = _checked_text("the question", question, limits.QUESTION_LETTERS)
    offered = tuple(
        _checked_text(f"answer {i}", answer, limits.ANSWER_LETTERS) for i, answer in enumerate(answers, start=1)
    )
    if len({_visible(answer) for answer in offered}) < len(offered):
        alike = "change those that are the same, or that some telephones show as the same"
        raise ValueError(f"answers must differ, got {', '.join(offered)}; {alike}")
    return text, offered, float(limits.poll_lie_limit(len(offered)).check(lie))


def _checked_text(name: str, words: str, letters: limits.Limit) -> str:
    """Return `words` with single spaces. Raise ``ValueError`` if they are too long, empty or invisible."""
    limits.check_length(name, words, _MOST_TYPED * letters.high, f"at most {letters.high} letters are shown")
    plain = " ".join(unicodedata.normalize("NFC", words).split())
    if not plain:
        raise ValueError(f"{name} is empty; type it, or leave it out")
    if len(plain) > letters.high:
        raise ValueError(f"{name} has {len(plain):,} letters, {letters.high} at most; shorten it: {letters.advice}")
    seen = _FLAG.sub(_BLACK_FLAG, plain)
    invisible = [letter for letter in seen if letter not in _JOINERS and _is_invisible(letter)]
    if invisible or not _visible(plain):
        raise ValueError(f"{name} must be of letters that can be seen, got {(invisible or plain)[0]!a}; leave it out")
    return plain


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf", "Cn", "Co", "Cs") or letter in _BLANKS


def _visible(words: str) -> str:
    """Return what is visible of a text, in lower case: answers must differ in it."""
    shown = "".join(letter for letter in words if not _is_invisible(letter) and letter not in _VARIANTS)
    return shown.casefold().strip()


def normalised(code: str) -> str:
    """Return a code in capital letters without spaces; empty if it is no code."""
    if len(code) > 10 * CODE:
        return ""
    code = code.strip().upper()
    return code if len(code) == CODE and set(code) <= set(LETTERS) else ""


def new_code() -> str:
    """Return a random code of letters that are not easily confused."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE))


def new_secret() -> str:
    """Return a random secret for the owner of a poll."""
    return secrets.token_urlsafe(24)


def digest(secret: str) -> str:
    """Return the hash of a secret, which is stored in its place."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_secret(secret: str, stored: str) -> bool:
    """Return whether `stored` is the hash of `secret`."""
    return compare_digest(digest(secret), stored)


def token_hash(salt: bytes, round: int, token: str) -> bytes:
    """Return the salted hash of a token; it differs from poll to poll and from round to round."""
    return sha256(salt + bytes([round]) + token.encode("utf-8", "surrogatepass")).digest()[:16]


def guess_hash(salt: bytes, number: int, token: str) -> bytes:
    """Return the salted hash of a guess's token; it differs from poll to poll and from guess to guess."""
    return sha256(salt + b"guess" + number.to_bytes(8) + token.encode("utf-8", "surrogatepass")).digest()[:16]

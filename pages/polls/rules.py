"""What a poll is, what may be asked, and why an answer is refused."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

from privdemo import limits

# A text may be so many times as long as what is shown of it: spaces in a row and marks over letters become one.
_TYPED = 4
# Letters of a code: no vowels, so that no words come about, and none that looks like a digit.
LETTERS, CODE = "BCDFGHJKLMNPQRSTVWXZ", 5
TOKEN = 32
# Within words, what joins letters or keeps them apart, which several scripts and signs need; what chooses how a sign
# looks; and letters that are blank.
_JOINERS, _VARIANTS = "\u200c\u200d", "\ufe0e\ufe0f\u034f"
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
# The flags of England, Scotland and Wales: a black one and letters that nobody sees.
_BLACK_FLAG = "\U0001f3f4"
_PARTS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("gbeng", "gbsct", "gbwls"))
_FLAG = re.compile(f"{_BLACK_FLAG}({_PARTS})\U000e007f")


class PollError(Exception):
    """Why a poll was not opened, shown or answered, in a sentence for people."""

    said = "This cannot be done with this poll."

    def __init__(self, said: str | None = None) -> None:
        super().__init__(said or self.said)


class NoSuchPoll(PollError, LookupError):
    said = "There is no poll with this code. Polls vanish after 24 hours; otherwise look at the code again."


class TooManyGuesses(PollError):
    said = "Too many wrong codes came from your network. Wait a minute, then look at the code again."


class PollClosed(PollError):
    said = "This poll is closed; it takes no more answers."


class RoundOver(PollError):
    said = "The question is being asked again. Your answer belongs to the time before and was not counted."


class AnswerOutOfRange(PollError, ValueError):
    said = "This poll has no such answer."


class NotAsked(AnswerOutOfRange):
    said = "This poll has not been asked that often."


class PollFull(PollError):
    said = f"This poll has {limits.POLL_PEOPLE.high:,} answers, as many as it takes."


class TooManyPolls(PollError):
    said = "This server has as many polls as it keeps. Close or delete one, or try again tomorrow."


class TooManyOpened(PollError):
    said = (
        f"{limits.OPEN_BURST.high} polls were opened from your network; it may open {limits.OPEN_RATE.high} an hour "
        "from then on. Try again later."
    )


class TooManyRounds(PollError):
    said = f"A poll is asked {limits.POLL_ROUNDS.high} times at most: each further answer hides less."


class NotTheOwner(PollError, PermissionError):
    said = "Only whoever opened this poll may see, close or delete it."


class NotKept(PollError, OSError):
    said = "Polls cannot be kept at this moment. Try again; what you send twice is counted once."


@dataclass(frozen=True)
class Poll:
    """A poll as everybody may see it; `lie` is the flip probability of k-ary randomised response."""

    code: str
    question: str
    answers: tuple[str, ...]
    lie: float
    round: int
    is_open: bool
    seconds_left: float


@dataclass(frozen=True)
class Answer:
    """A released answer that has come in: of which poll and round, which one, and the token of its telephone."""

    code: str
    round: int
    answer: int
    token: str


def checked(question: str, answers: Sequence[str], lie: float) -> tuple[str, tuple[str, ...], float]:
    """What a poll asks, with single spaces. Raises ``ValueError`` with a sentence where it cannot be asked."""
    few, many = limits.POLL_ANSWERS.low, limits.POLL_ANSWERS.high
    if not few <= len(answers) <= many:
        said = f"this one has {len(answers)}; {limits.POLL_ANSWERS.advice}"
        raise ValueError(f"a question has {few} to {many} answers, {said}")
    asked = _words("the question", question, limits.QUESTION_LETTERS)
    offered = tuple(_words(f"answer {i}", answer, limits.ANSWER_LETTERS) for i, answer in enumerate(answers, start=1))
    if len({_seen(answer) for answer in offered}) < len(offered):
        alike = "change those that are the same, or that some telephones show as the same"
        raise ValueError(f"answers must differ, got {', '.join(offered)}; {alike}")
    return asked, offered, float(limits.poll_lie_limit(len(offered)).check(lie))


def _words(name: str, words: str, letters: limits.Limit) -> str:
    """`words` with single spaces, if they are of a length that is allowed and can be seen."""
    limits.check_length(name, words, _TYPED * letters.high, f"{letters.high} letters are shown")
    plain = " ".join(unicodedata.normalize("NFC", words).split())
    if not plain:
        raise ValueError(f"{name} is empty; type it, or leave it out")
    if len(plain) > letters.high:
        raise ValueError(f"{name} has {len(plain):,} letters, {letters.high} at most; shorten it: {letters.advice}")
    seen = _FLAG.sub(_BLACK_FLAG, plain)
    unseen = [letter for letter in seen if letter not in _JOINERS and _is_unseen(letter)]
    if unseen or not _seen(plain):
        raise ValueError(f"{name} must be of letters that can be seen, got {(unseen or plain)[0]!a}; leave it out")
    return plain


def _is_unseen(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf", "Cn", "Co", "Cs") or letter in _BLANKS


def _seen(words: str) -> str:
    """What people see of words, by which answers must differ."""
    shown = "".join(letter for letter in words if not _is_unseen(letter) and letter not in _VARIANTS)
    return shown.casefold().strip()


def written(code: str) -> str:
    """A code as it is kept, however somebody has typed it; empty if it is none."""
    if len(code) > 10 * CODE:
        return ""
    code = code.strip().upper()
    return code if len(code) == CODE and set(code) <= set(LETTERS) else ""


def new_code() -> str:
    """A code of letters that nobody mixes up."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE))


def new_secret() -> str:
    """What only the owner of a poll knows."""
    return secrets.token_urlsafe(24)


def digest(secret: str) -> str:
    """Return the hash of a secret, which is kept in its place."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_secret(secret: str, kept: str) -> bool:
    """Whether `secret` is the one of which `kept` is kept."""
    return compare_digest(digest(secret), kept)


def mark(salt: bytes, round: int, token: str) -> bytes:
    """Return the salted hash of a telephone's token; it differs from poll to poll and from round to round."""
    return sha256(salt + bytes([round]) + token.encode("utf-8", "surrogatepass")).digest()[:16]

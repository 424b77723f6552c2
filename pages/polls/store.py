"""Where polls are kept: SQLite by itself, or the database that PRIVDEMO_POLLS names, which replicas share.

An answer is counted, and its telephone's token marked, in one transaction and in two tables: the tables do not say
which token sent what, or when. The database's own log does for a while, for tokens whose transaction held answers of
one kind alone: SQLite's is emptied by `wipe`, as soon as no answer waits, each second at least, and when a round ends;
PostgreSQL's, and its rows that are dead, are there until it recycles and vacuums them. A token is a random number of a
telephone, which forgets it once its answer has arrived. What has been acknowledged is on disk.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from pages.polls import rules
from pages.polls.bucket import Bucket
from pages.polls.database import COUNTS, MARKS, POLLS, Database
from pages.polls.rules import (
    Answer,
    AnswerOutOfRange,
    NoSuchPoll,
    NotAsked,
    NotTheOwner,
    Poll,
    PollClosed,
    PollError,
    PollFull,
    RoundOver,
    TooManyOpened,
    TooManyPolls,
    TooManyRounds,
)
from privdemo import limits

_MINUTE, _HOUR = 60, 3600


class Store:
    """Polls and their answers, in one database; each method is a transaction of its own.

    Each raises a `PollError` with a sentence where it cannot be done: `NoSuchPoll` for a code of none, `NotTheOwner`
    for another's secret, `NotKept` where the database does not answer.
    """

    def __init__(self, url: str | None = None, clock: Callable[[], float] = time.time) -> None:
        self.database, self._clock = Database(url), clock
        self._openings = Bucket(limits.OPEN_BURST.high, limits.OPEN_RATE.high / _HOUR, clock)
        self._in_log = True  # until it is emptied for the first time

    def open(self, question: str, answers: Sequence[str], lie: float, by: str = "") -> tuple[Poll, str]:
        """Open a poll; with it comes the secret of its owner, which is not kept.

        `by` is the address or the visit that opens it, in memory alone; "" is held to no limit. Where there are as many
        polls as may be, the oldest gives way that nobody has answered for an hour. Raises ``ValueError`` with a
        sentence for what cannot be asked, `TooManyOpened` and `TooManyPolls`.
        """
        asked, offered, lie = rules.checked(question, answers, lie)
        if by and not self._openings.take(by):
            raise TooManyOpened
        self.forget_old()
        secret, last = rules.new_secret(), self._last_minute()
        with self.database.writing() as connection:
            self._make_room(connection)
            taken = set(connection.scalars(sa.select(POLLS.c.code)))
            code = next(code for code in iter(rules.new_code, "") if code not in taken)
            connection.execute(
                sa.insert(POLLS).values(
                    code=code,
                    question=asked,
                    answers=list(offered),
                    lie=lie,
                    round=1,
                    is_open=True,
                    last_minute=last,
                    secret=rules.digest(secret),
                    salt=secrets.token_bytes(16),
                )
            )
            _begin_round(connection, code, 1, len(offered))
        return Poll(code, asked, offered, lie, 1, True, _MINUTE * last - self._clock()), secret

    def _make_room(self, connection: sa.Connection) -> None:
        """Delete a poll that nobody answers where there is no room for one more. Raises `TooManyPolls`."""
        there: list[bool] = list(connection.scalars(sa.select(POLLS.c.is_open)))
        if sum(there) < limits.POLLS_OPEN.high and len(there) < limits.POLLS.high:
            return
        n_sent = sa.select(sa.func.sum(COUNTS.c.people)).where(COUNTS.c.code == POLLS.c.code).scalar_subquery()
        since = self._last_minute() - limits.POLL_EMPTY.high
        unused = sa.select(POLLS.c.code).where(POLLS.c.is_open, n_sent == 0, POLLS.c.last_minute <= since)
        oldest = connection.scalar(unused.order_by(POLLS.c.last_minute).limit(1))
        if oldest is None:
            raise TooManyPolls
        connection.execute(sa.delete(POLLS).where(POLLS.c.code == oldest))

    def poll(self, code: str) -> Poll:
        """The poll of a code."""
        with self.database.reading() as connection:
            return self._poll(self._row(connection, code))

    def answer(self, code: str, round: int, answer: int, token: str) -> None:
        """Count an answer, once for a token and a round.

        Raises `PollClosed`, `RoundOver`, `AnswerOutOfRange` and `PollFull`.
        """
        (refused,) = self.answer_all([Answer(code, round, answer, token)])
        if refused:
            raise refused

    def answer_all(self, sent: Sequence[Answer]) -> list[PollError | None]:
        """Count many answers in one transaction; for each, why it was refused, or None. Raises `NotKept`."""
        of_poll: defaultdict[str, list[int]] = defaultdict(list)
        for i, one in enumerate(sent):
            of_poll[rules.written(one.code)].append(i)
        refused: list[PollError | None] = [None] * len(sent)
        with self.database.writing() as connection:
            for code in sorted(of_poll):  # every process in the same order, or two would wait for each other
                outcomes = self._count(connection, code, [sent[i] for i in of_poll[code]])
                for i, outcome in zip(of_poll[code], outcomes, strict=True):
                    refused[i] = outcome
        self._in_log = True
        return refused

    def _count(self, connection: sa.Connection, code: str, sent: Sequence[Answer]) -> list[PollError | None]:
        """Count answers to one poll, which nobody else changes meanwhile."""
        try:
            row = self._row(connection, code, changes=True)
        except NoSuchPoll as error:
            return [error] * len(sent)
        refused = [_refused(row, one) for one in sent]
        marks = {i: rules.mark(row.salt, row.round, one.token) for i, one in enumerate(sent) if not refused[i]}
        here = (MARKS.c.code == code, MARKS.c.mark.in_(marks.values()))
        known = set(connection.scalars(sa.select(MARKS.c.mark).where(*here)))
        room = int(limits.POLL_PEOPLE.high) - _people(connection, code)
        new: dict[bytes, int] = {}
        for i, mark in marks.items():
            if mark in known or mark in new:
                continue
            if len(new) < room:
                new[mark] = sent[i].answer
            else:
                refused[i] = PollFull()
        if new:
            by_mark = [{"code": code, "mark": mark} for mark in sorted(new)]  # not as they came
            connection.execute(sa.insert(MARKS), by_mark)
        for answer, people in sorted(Counter(new.values()).items()):
            here = (COUNTS.c.code == code, COUNTS.c.round == row.round, COUNTS.c.answer == answer)
            connection.execute(sa.update(COUNTS).where(*here).values(people=COUNTS.c.people + people))
        return refused

    def counts(self, code: str, secret: str) -> list[list[int]]:
        """How many sent each answer, a list for each time that the question was asked."""
        with self.database.reading() as connection:
            row = self._row(connection, code, secret)
            found = connection.execute(
                sa.select(COUNTS.c.round, COUNTS.c.answer, COUNTS.c.people).where(COUNTS.c.code == row.code)
            )
            people = {(one.round, one.answer): one.people for one in found}
        return [[people[round, i] for i in range(len(row.answers))] for round in range(1, row.round + 1)]

    def rows(self, code: str, secret: str) -> list[tuple[int, int]]:
        """The round and the number of every answer that was sent, sorted: nothing else of them exists."""
        counts = self.counts(code, secret)
        return [
            (round, answer)
            for round, people in enumerate(counts, start=1)
            for answer, how_many in enumerate(people)
            for _ in range(how_many)
        ]

    def ask_again(self, code: str, secret: str) -> Poll:
        """Ask the question once more. Raises `PollClosed` and `TooManyRounds`."""
        with self.database.writing() as connection:
            row = self._row(connection, code, secret, changes=True)
            if not row.is_open:
                raise PollClosed
            if row.round >= limits.POLL_ROUNDS.high:
                raise TooManyRounds
            _end_round(connection, row.code, round=row.round + 1)
            _begin_round(connection, row.code, row.round + 1, len(row.answers))
            again = self._poll(self._row(connection, row.code))
        self._wipe_now()
        return again

    def close(self, code: str, secret: str) -> Poll:
        """Take no more answers."""
        with self.database.writing() as connection:
            row = self._row(connection, code, secret, changes=True)
            _end_round(connection, row.code, is_open=False)
            closed = self._poll(self._row(connection, row.code))
        self._wipe_now()
        return closed

    def delete(self, code: str, secret: str) -> None:
        """Forget a poll and all of its answers."""
        with self.database.writing() as connection:
            row = self._row(connection, code, secret, changes=True)
            connection.execute(sa.delete(POLLS).where(POLLS.c.code == row.code))
        self._wipe_now()

    def forget_old(self) -> None:
        """Forget the polls whose time is over."""
        if not self.database.is_there():
            return
        with self.database.reading() as connection:
            old = list(connection.scalars(sa.select(POLLS.c.code).where(POLLS.c.last_minute <= self._minute())))
        if old:
            with self.database.writing() as connection:
                connection.execute(sa.delete(POLLS).where(POLLS.c.code.in_(old)))
            self._wipe_now()

    def _wipe_now(self) -> None:
        self._in_log = True
        self.wipe()

    def wipe(self) -> None:
        """Take off the disk what has been deleted, and the order in which answers came, if some came since."""
        if self._in_log:
            self._in_log = False
            self._in_log = not self.database.wipe()

    def _last_minute(self) -> int:
        """The last minute of a poll that is opened now."""
        return -(-int(self._clock() + _HOUR * limits.POLL_HOURS.high) // _MINUTE)

    def _minute(self) -> int:
        return int(self._clock() // _MINUTE)

    def _row(self, connection: sa.Connection, code: str, secret: str | None = None, changes: bool = False) -> Any:
        """The row of a poll, for its owner alone if there is a `secret`; held until the end if the poll `changes`."""
        asked = sa.select(POLLS).where(POLLS.c.code == rules.written(code), POLLS.c.last_minute > self._minute())
        row = connection.execute(asked.with_for_update() if changes else asked).one_or_none()
        if row is None:
            raise NoSuchPoll
        if secret is not None and not rules.is_secret(secret, row.secret):
            raise NotTheOwner
        return row

    def _poll(self, row: Any) -> Poll:
        left = _MINUTE * row.last_minute - self._clock()
        return Poll(row.code, row.question, tuple(row.answers), row.lie, row.round, row.is_open, left)


def _refused(row: Any, sent: Answer) -> PollError | None:
    """Why the poll of a row does not take an answer, as far as it alone tells."""
    if not row.is_open:
        return PollClosed()
    if 1 <= sent.round < row.round:
        return RoundOver()
    if sent.round != row.round:
        return NotAsked()
    return None if 0 <= sent.answer < len(row.answers) else AnswerOutOfRange()


def _people(connection: sa.Connection, code: str) -> int:
    """How many answers a poll holds, of all the times that it was asked."""
    return connection.scalar(sa.select(sa.func.sum(COUNTS.c.people)).where(COUNTS.c.code == code)) or 0


def _begin_round(connection: sa.Connection, code: str, round: int, n_answers: int) -> None:
    nobody = [{"code": code, "round": round, "answer": answer, "people": 0} for answer in range(n_answers)]
    connection.execute(sa.insert(COUNTS), nobody)


def _end_round(connection: sa.Connection, code: str, **now: Any) -> None:
    """Change a poll so that what was sent before is no longer taken, nor need anybody be known who sent it."""
    connection.execute(sa.update(POLLS).where(POLLS.c.code == code).values(**now))
    connection.execute(sa.delete(MARKS).where(MARKS.c.code == code))


@cache
def store() -> Store:
    """The store of this process."""
    return Store()

"""Store polls in SQLite, or in the database that PRIVDEMO_POLLS names, which replicas share.

An answer is counted, and the hash of its token stored, in one transaction and in two tables: the tables do not show
which token sent what, or when. The database's own log does so for a while, for transactions in which all answers are
the same. SQLite's write-ahead log is emptied by `truncate_log`: as soon as no answer waits, at least every second, and
when a round ends. PostgreSQL's log and its deleted rows exist until it recycles and vacuums them. A token is a random
number that a browser makes, and forgets once its answer has arrived. What has been acknowledged is on disk.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa

from pages.polls import languages, rules
from pages.polls.bucket import Bucket
from pages.polls.database import COUNTS, GUESSED, MARKS, POLLS, Database
from pages.polls.rules import (
    Answer,
    AnswerOutOfRange,
    Guess,
    GuessOutOfRange,
    GuessOver,
    NoSuchPoll,
    NoSuchRound,
    NotTheOwner,
    Poll,
    PollClosed,
    PollError,
    PollFull,
    RoundOver,
    SentGuess,
    TooManyOpened,
    TooManyPolls,
    TooManyRounds,
)
from privdemo import limits
from privdemo.experiments.poll import PollConfig
from server.room import ROOM

_MINUTE, _HOUR = 60, 3600
_Sent = TypeVar("_Sent", Answer, SentGuess)


class Store:
    """Polls and their answers in one database; each method is a transaction of its own.

    Methods raise a `PollError`: `NoSuchPoll` for an unknown code, `NotTheOwner` for a wrong secret,
    `DatabaseUnavailable` if the database does not respond.
    """

    def __init__(self, url: str | None = None, clock: Callable[[], float] = time.time) -> None:
        self.database, self._clock = Database(url), clock
        self._openings = Bucket(limits.OPEN_BURST.high, limits.OPEN_RATE.high / _HOUR, clock)
        self._in_log = True  # the log may hold answers of an earlier process

    def open(
        self,
        question: str,
        answers: Sequence[str],
        lie: float,
        by: str = "",
        language: str = "",
        check: str = "",
    ) -> tuple[Poll, str]:
        """Open a poll; return it with the secret of its owner, of which only a hash is stored.

        `by` is the address or the visit that opens it, kept in memory only; "" has no limit. `language` is that of the
        page for telephones, "" for each telephone's own; `check` is how the poll finds out whether people follow the
        rules. If there are too many polls, the oldest one is deleted that
        nobody has answered for an hour. Raise ``ValueError`` for an invalid question, language or check,
        `TooManyOpened` and `TooManyPolls`.
        """
        question, offered, lie = rules.checked(question, answers, lie)
        language, n_cells = languages.checked(language), PollConfig(offered, lie, check).n_cells
        if by and not self._openings.take_token(by):
            raise TooManyOpened
        self.forget_old()
        secret, last = rules.new_secret(), self._last_minute()
        with self.database.writing() as connection:
            self._delete_unused(connection)
            taken = set(connection.scalars(sa.select(POLLS.c.code)))
            code = next(code for code in iter(rules.new_code, "") if code not in taken)
            connection.execute(
                sa.insert(POLLS).values(
                    code=code,
                    question=question,
                    answers=list(offered),
                    lie=lie,
                    round=1,
                    is_open=True,
                    last_minute=last,
                    secret=rules.digest(secret),
                    salt=secrets.token_bytes(16),
                    language=language,
                    rules_check=check,
                )
            )
            _begin_round(connection, code, 1, n_cells)
        left = _MINUTE * last - self._clock()
        return Poll(code, question, offered, lie, 1, True, left, language, check=check), secret

    def _delete_unused(self, connection: sa.Connection) -> None:
        """If there are too many polls, delete the oldest unused one. Raise `TooManyPolls` if none is unused."""
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
        """Return the poll with a code."""
        with self.database.reading() as connection:
            return self._poll(self._row(connection, code))

    def answer(self, code: str, round: int, answer: int, token: str) -> None:
        """Count an answer, once for a token and a round.

        Raise `PollClosed`, `RoundOver`, `AnswerOutOfRange` and `PollFull`.
        """
        (refused,) = self.answer_all([Answer(code, round, answer, token)])
        if refused:
            raise refused

    def answer_all(self, sent: Sequence[Answer]) -> list[PollError | None]:
        """Count answers in one transaction; return for each why it was refused, or None."""
        return self._write_all(sent, self._count)

    def _write_all(
        self, sent: Sequence[_Sent], write: Callable[[sa.Connection, str, Sequence[_Sent]], list[PollError | None]]
    ) -> list[PollError | None]:
        """Have `write` write what was sent to each poll, all in one transaction; return why each was refused."""
        by_poll: defaultdict[str, list[int]] = defaultdict(list)
        for i, one in enumerate(sent):
            by_poll[rules.normalised(one.code)].append(i)
        refused: list[PollError | None] = [None] * len(sent)
        with self.database.writing() as connection:
            for code in sorted(by_poll):  # in the same order in every process, to avoid deadlocks
                outcomes = write(connection, code, [sent[i] for i in by_poll[code]])
                for i, outcome in zip(by_poll[code], outcomes, strict=True):
                    refused[i] = outcome
        self._in_log = True
        return refused

    def _count(self, connection: sa.Connection, code: str, sent: Sequence[Answer]) -> list[PollError | None]:
        """Count answers to one poll, whose row is locked meanwhile."""
        try:
            row = self._row(connection, code, changes=True)
        except NoSuchPoll as error:
            return [error] * len(sent)
        n_cells = _n_cells(row)
        refused = [_refusal(row, one, n_cells) for one in sent]
        marks = {i: rules.token_hash(row.salt, row.round, one.token) for i, one in enumerate(sent) if not refused[i]}
        new = _new_marks(connection, MARKS, code, marks, _n_answers(connection, code), refused)
        if new:
            connection.execute(sa.insert(MARKS), [{"code": code, "mark": mark} for mark in new])
        for answer, people in sorted(Counter(sent[i].answer for i in new.values()).items()):
            is_count = (COUNTS.c.code == code, COUNTS.c.round == row.round, COUNTS.c.answer == answer)
            connection.execute(sa.update(COUNTS).where(*is_count).values(people=COUNTS.c.people + people))
        return refused

    def ask_guess(self, code: str, secret: str, guess: Guess) -> int:
        """Ask the room for a guess, and delete what it guessed before; return its number. Raise `PollClosed`."""
        with self.database.writing() as connection:
            row = self._row(connection, code, secret, changes=True)
            if not row.is_open:
                raise PollClosed
            number: int = row.n_guesses + 1
            _delete_guesses(connection, row.code)
            now = {"n_guesses": number, "guess": asdict(guess)}
            connection.execute(sa.update(POLLS).where(POLLS.c.code == row.code).values(**now))
        self._truncate_log_now()
        return number

    def guess_all(self, sent: Sequence[SentGuess]) -> list[PollError | None]:
        """Keep guesses, one for a token, in one transaction; return for each why it was refused, or None."""
        return self._write_all(sent, self._keep_guesses)

    def _keep_guesses(self, connection: sa.Connection, code: str, sent: Sequence[SentGuess]) -> list[PollError | None]:
        """Keep guesses of one poll, whose row is locked meanwhile."""
        try:
            row = self._row(connection, code, changes=True)
        except NoSuchPoll as error:
            return [error] * len(sent)
        poll = self._poll(row)
        refused = [_guess_refusal(poll, one) for one in sent]
        marks = {i: rules.guess_hash(row.salt, one.number, one.token) for i, one in enumerate(sent) if not refused[i]}
        new = _new_marks(connection, GUESSED, code, marks, _n_guesses(connection, code), refused)
        if new:
            rows = [{"code": code, "mark": mark, "value": sent[i].value} for mark, i in new.items()]
            connection.execute(sa.insert(GUESSED), rows)
        return refused

    def n_guesses(self, code: str, secret: str) -> int:
        """Return how many people of the room have guessed what was asked last."""
        with self.database.reading() as connection:
            return _n_guesses(connection, self._row(connection, code, secret).code)

    def end_guess(self, code: str, secret: str, number: int) -> list[float]:
        """End the guess of this number, and return the guesses, sorted. Raise `GuessOver` if another was asked since.

        They stay until another guess is asked for, or the poll is deleted.
        """
        with self.database.writing() as connection:
            row = self._row(connection, code, secret, changes=True)
            if row.n_guesses != number:
                raise GuessOver
            connection.execute(sa.update(POLLS).where(POLLS.c.code == row.code).values(guess=None))
            return sorted(connection.scalars(sa.select(GUESSED.c.value).where(GUESSED.c.code == row.code)))

    def counts(self, code: str, secret: str) -> list[list[int]]:
        """Return how many people sent each answer, or each cell in a poll with a check, as a list for each round."""
        with self.database.reading() as connection:
            row = self._row(connection, code, secret)
            found = connection.execute(
                sa.select(COUNTS.c.round, COUNTS.c.answer, COUNTS.c.people).where(COUNTS.c.code == row.code)
            )
            people = {(one.round, one.answer): one.people for one in found}
        return [[people[round, i] for i in range(_n_cells(row))] for round in range(1, row.round + 1)]

    def rows(self, code: str, secret: str) -> list[tuple[int, int]]:
        """Return the round and the number of each answer, or cell, that was sent, sorted; nothing else is stored."""
        counts = self.counts(code, secret)
        return [
            (round, answer)
            for round, people in enumerate(counts, start=1)
            for answer, how_many in enumerate(people)
            for _ in range(how_many)
        ]

    def ask_again(self, code: str, secret: str, after: int | None = None) -> Poll:
        """Start another round of the question. Raise `PollClosed` and `TooManyRounds`.

        If the round is no longer the one `after` which it should come, it has been asked again already: do nothing.
        """
        with self.database.writing() as connection:
            row = self._row(connection, code, secret, changes=True)
            if not row.is_open:
                raise PollClosed
            if after not in (None, row.round):
                return self._poll(row)
            if row.round >= limits.POLL_ROUNDS.high:
                raise TooManyRounds
            _end_round(connection, row.code, round=row.round + 1)
            _begin_round(connection, row.code, row.round + 1, _n_cells(row))
            again = self._poll(self._row(connection, row.code))
        self._truncate_log_now()
        return again

    def close(self, code: str, secret: str) -> Poll:
        """Close a poll to further answers, and to the room."""
        with self.database.writing() as connection:
            row = self._row(connection, code, secret, changes=True)
            _end_round(connection, row.code, is_open=False)
            closed = self._poll(self._row(connection, row.code))
        ROOM.close(row.code)
        self._truncate_log_now()
        return closed

    def delete(self, code: str, secret: str) -> None:
        """Delete a poll and all of its answers, and close it to the room."""
        with self.database.writing() as connection:
            row = self._row(connection, code, secret, changes=True)
            connection.execute(sa.delete(POLLS).where(POLLS.c.code == row.code))
        ROOM.close(row.code)
        self._truncate_log_now()

    def forget_old(self) -> None:
        """Delete polls that are older than a day."""
        if not self.database.is_there():
            return
        with self.database.reading() as connection:
            old = list(connection.scalars(sa.select(POLLS.c.code).where(POLLS.c.last_minute <= self._minute())))
        if old:
            with self.database.writing() as connection:
                connection.execute(sa.delete(POLLS).where(POLLS.c.code.in_(old)))
            self._truncate_log_now()

    def _truncate_log_now(self) -> None:
        self._in_log = True
        self.truncate_log()

    def truncate_log(self) -> None:
        """Remove what has been deleted, and the order of answers, from the disk, if anything was written since."""
        if self._in_log:
            self._in_log = False
            self._in_log = not self.database.truncate_log()

    def _last_minute(self) -> int:
        """Return the last minute of a poll that is opened now."""
        return -(-int(self._clock() + _HOUR * limits.POLL_HOURS.high) // _MINUTE)

    def _minute(self) -> int:
        return int(self._clock() // _MINUTE)

    def _row(self, connection: sa.Connection, code: str, secret: str | None = None, changes: bool = False) -> Any:
        """Return the row of a poll, locked if the poll `changes`. Raise `NotTheOwner` if a given `secret` is wrong."""
        query = sa.select(POLLS).where(POLLS.c.code == rules.normalised(code), POLLS.c.last_minute > self._minute())
        row = connection.execute(query.with_for_update() if changes else query).one_or_none()
        if row is None:
            raise NoSuchPoll
        if secret is not None and not rules.is_secret(secret, row.secret):
            raise NotTheOwner
        return row

    def _poll(self, row: Any) -> Poll:
        left = _MINUTE * row.last_minute - self._clock()
        is_asked = row.is_open and row.guess
        guess = Guess(**row.guess | {"options": tuple(row.guess["options"])}) if is_asked else None
        answers = tuple(row.answers)
        return Poll(
            row.code,
            row.question,
            answers,
            row.lie,
            row.round,
            row.is_open,
            left,
            row.language,
            guess,
            row.n_guesses,
            row.rules_check,
        )


def _n_cells(row: Any) -> int:
    """Return how many different answers the row of a poll counts."""
    return PollConfig(tuple(row.answers), row.lie, row.rules_check).n_cells


def _refusal(row: Any, sent: Answer, n_cells: int) -> PollError | None:
    """Return why the row of a poll, with so many different answers, does not accept an answer, or None."""
    if not row.is_open:
        return PollClosed()
    if 1 <= sent.round < row.round:
        return RoundOver()
    if sent.round != row.round:
        return NoSuchRound()
    return None if 0 <= sent.answer < n_cells else AnswerOutOfRange()


def _guess_refusal(poll: Poll, sent: SentGuess) -> PollError | None:
    """Return why a poll does not accept a guess, or None."""
    if not poll.is_open:
        return PollClosed()
    if poll.guess is None or sent.number != poll.n_guesses:
        return GuessOver()
    return None if poll.guess.allows(sent.value) else GuessOutOfRange()


def _new_marks(
    connection: sa.Connection,
    table: sa.Table,
    code: str,
    marks: dict[int, bytes],
    n_stored: int,
    refused: list[PollError | None],
) -> dict[bytes, int]:
    """Return the marks that are not in a table of a poll yet, each with the number under which it came first.

    They are sorted, not in the order of arrival. Those for which the poll has no room besides the `n_stored` that it
    has are `refused`.
    """
    is_stored = (table.c.code == code, table.c.mark.in_(marks.values()))
    known = set(connection.scalars(sa.select(table.c.mark).where(*is_stored)))
    n_free = int(limits.POLL_PEOPLE.high) - n_stored
    new: dict[bytes, int] = {}
    for i, mark in marks.items():
        if mark in known or mark in new:
            continue
        if len(new) < n_free:
            new[mark] = i
        else:
            refused[i] = PollFull()
    return dict(sorted(new.items()))


def _n_guesses(connection: sa.Connection, code: str) -> int:
    """Return how many guesses a poll has."""
    return connection.scalar(sa.select(sa.func.count()).select_from(GUESSED).where(GUESSED.c.code == code)) or 0


def _delete_guesses(connection: sa.Connection, code: str) -> None:
    connection.execute(sa.delete(GUESSED).where(GUESSED.c.code == code))


def _n_answers(connection: sa.Connection, code: str) -> int:
    """Return how many answers a poll has, in all rounds."""
    return connection.scalar(sa.select(sa.func.sum(COUNTS.c.people)).where(COUNTS.c.code == code)) or 0


def _begin_round(connection: sa.Connection, code: str, round: int, n_answers: int) -> None:
    rows = [{"code": code, "round": round, "answer": answer, "people": 0} for answer in range(n_answers)]
    connection.execute(sa.insert(COUNTS), rows)


def _end_round(connection: sa.Connection, code: str, **now: Any) -> None:
    """Change a poll so that earlier answers are no longer accepted, and delete the hashes of their tokens."""
    connection.execute(sa.update(POLLS).where(POLLS.c.code == code).values(**now))
    connection.execute(sa.delete(MARKS).where(MARKS.c.code == code))


@cache
def store() -> Store:
    """Return the store of this process."""
    return Store()

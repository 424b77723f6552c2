"""The tables of polls, and transactions that are on disk once they end."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa
from filelock import FileLock
from platformdirs import user_data_path
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from pages.polls.rules import NotKept, PollError

# The database, by SQLAlchemy's name for it: postgresql+psycopg://user@host/name.
VARIABLE = "PRIVDEMO_POLLS"
# Seconds for which one waits for another's transaction, or for the database to answer.
PATIENCE = 10
# Seconds for which emptying the log waits for those who read: answers that come in meanwhile wait with it.
_WIPE_PATIENCE = 0.1
_LOG = logging.getLogger(__name__)

_TABLES = sa.MetaData()
# Times are kept to the minute.
POLLS = sa.Table(
    "polls",
    _TABLES,
    sa.Column("code", sa.String, primary_key=True),
    sa.Column("question", sa.String, nullable=False),
    sa.Column("answers", sa.JSON, nullable=False),
    sa.Column("lie", sa.Double, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("is_open", sa.Boolean, nullable=False),
    sa.Column("last_minute", sa.Integer, nullable=False, index=True),
    sa.Column("secret", sa.String, nullable=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
)


def _of_poll() -> sa.Column[str]:
    return sa.Column("code", sa.ForeignKey("polls.code", ondelete="CASCADE"), primary_key=True)


# How many sent each answer, each time it was asked.
COUNTS = sa.Table(
    "poll_counts",
    _TABLES,
    _of_poll(),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("answer", sa.Integer, primary_key=True),
    sa.Column("people", sa.Integer, nullable=False),
)
# Which tokens have sent an answer to the question as it is asked now. No column says in which order they came; the
# pages of the file may, and so do PostgreSQL's hidden columns.
MARKS = sa.Table(
    "poll_marks", _TABLES, _of_poll(), sa.Column("mark", sa.LargeBinary, primary_key=True), sqlite_with_rowid=False
)


class Database:
    """A database with these tables, which are made when it is first used."""

    def __init__(self, url: str | None = None) -> None:
        """The database of a URL, else of PRIVDEMO_POLLS, else a file. Raises ``ValueError`` for a URL of none."""
        named = url or os.environ.get(VARIABLE)
        try:
            self.url = sa.make_url(named) if named else sa.URL.create("sqlite", database=str(own_file()))
            self.is_sqlite = self.url.get_backend_name() == "sqlite"
            self._engine = _sqlite(self.url) if self.is_sqlite else _server(self.url)
        except (ArgumentError, NoSuchModuleError, ImportError):  # what they say holds the password
            raise ValueError(
                f"{VARIABLE} must be the URL of SQLite or PostgreSQL, such as postgresql+psycopg://user@host/name "
                "(in the project's folder, pip install '.[postgresql]')"
            ) from None
        self._lock, self._is_made = Lock(), False

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction, one at a time on SQLite. Raises ``NotKept`` where the database does not do it."""
        with self._transaction(writes=True) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that changes nothing, and waits for no other. Raises ``NotKept`` as `writing` does."""
        with self._transaction(writes=False) as connection:
            yield connection

    def wipe(self) -> bool:
        """Empty SQLite's log, and with it what has been deleted; False if somebody is at it for long at this moment.

        PostgreSQL's log is not in our hands.
        """
        if not self.is_sqlite or not self.is_there():
            return True
        with (
            suppress(SQLAlchemyError, sqlite3.Error),
            self._engine.execution_options(outside=True).connect() as connection,
        ):
            try:
                connection.exec_driver_sql(f"PRAGMA busy_timeout={1000 * _WIPE_PATIENCE:.0f}")
                is_busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
            finally:
                connection.exec_driver_sql(f"PRAGMA busy_timeout={1000 * PATIENCE}")
            return not is_busy
        return False

    def is_there(self) -> bool:
        """Whether there may be polls in it: a file that does not exist has none."""
        return not self.is_sqlite or Path(str(self.url.database)).exists()

    def dispose(self) -> None:
        """Close its connections."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self, writes: bool) -> Iterator[sa.Connection]:
        try:
            self._make()
            with self._engine.connect().execution_options(writes=writes) as connection, connection.begin():
                yield connection
        except PollError:
            raise
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:  # SQLite's own while it is set up
            _LOG.warning("Polls cannot be kept: %s", getattr(error, "orig", None) or type(error).__name__)
            raise NotKept from None

    def _make(self) -> None:
        """Make the tables if there are none; processes that begin at the same time take turns."""
        with self._lock:
            if self._is_made:
                return
            if self.is_sqlite:
                file = Path(str(self.url.database))
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with FileLock(f"{file}.lock", PATIENCE):
                    file.touch(mode=0o600)
                    self._create()
            else:
                self._create()
            self._is_made = True

    def _create(self) -> None:
        with self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            if not self.is_sqlite:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.literal(0x706F6C6C))))
            _TABLES.create_all(connection)


def own_file() -> Path:
    """The file of this machine's polls, in the folder of the user's own data."""
    return user_data_path("privdemo", appauthor=False) / "polls.sqlite"


def _server(url: sa.URL) -> sa.Engine:
    if url.get_dialect().name != "postgresql":
        raise ArgumentError
    # Who hangs in the middle of a transaction lets go of it, and nobody waits longer than for SQLite.
    times = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    settings = " ".join(f"-c {name}={PATIENCE}s" for name in times)
    # These are kept by the server; where its machine is gone, the connection ends by itself.
    gone = {"tcp_user_timeout": 1000 * PATIENCE, "keepalives_idle": PATIENCE, "keepalives_interval": 1}
    options = {"connect_timeout": PATIENCE, "client_encoding": "utf8", "options": settings, **gone}
    return sa.create_engine(url, pool_pre_ping=True, pool_timeout=PATIENCE, connect_args=options)


def _sqlite(url: sa.URL) -> sa.Engine:
    """SQLite with a log that is on disk at each commit, read while it is written, and in which deleted is gone."""
    engine = sa.create_engine(url, connect_args={"timeout": PATIENCE})

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin below, not by themselves
        for setting in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        options = connection.get_execution_options()
        if not options.get("outside"):
            connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")

    return engine

"""Define the tables of polls, and open transactions that are on disk once they end."""

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

from pages.polls.rules import DatabaseUnavailable, PollError

# The environment variable with SQLAlchemy's URL of the database: postgresql+psycopg://user@host/name.
VARIABLE = "PRIVDEMO_POLLS"
# Seconds to wait for another transaction, or for the database to respond.
TIMEOUT = 10
# Seconds for which emptying the log waits for readers: new answers wait meanwhile.
_TRUNCATE_TIMEOUT = 0.1
_LOG = logging.getLogger(__name__)

_TABLES = sa.MetaData()
# Times are stored to the minute.
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
    # The language of the page for telephones; "" is each telephone's own. Earlier versions of the app lack this column.
    sa.Column("language", sa.String, nullable=False, server_default=""),
    # How many guesses the room was asked for, and the words and range of the last one; NULL once it has ended.
    sa.Column("n_guesses", sa.Integer, nullable=False, server_default="0"),
    sa.Column("guess", sa.JSON(none_as_null=True)),
    # How it finds out whether people follow the rules; earlier versions of the app lack this column too.
    sa.Column("rules_check", sa.String, nullable=False, server_default=""),
)


def _poll_code_column() -> sa.Column[str]:
    return sa.Column("code", sa.ForeignKey("polls.code", ondelete="CASCADE"), primary_key=True)


def _marks_table(name: str, *more: sa.Column[Any]) -> sa.Table:
    """Return a table of the hashes of tokens that have sent something, with `more` columns.

    No column holds their order; the pages of the SQLite file may reveal it, and PostgreSQL's hidden columns do.
    """
    mark = sa.Column("mark", sa.LargeBinary, primary_key=True)
    return sa.Table(name, _TABLES, _poll_code_column(), mark, *more, sqlite_with_rowid=False)


# How many people sent each answer, in each round; with a check, each cell of half and answer, or of both answers.
COUNTS = sa.Table(
    "poll_counts",
    _TABLES,
    _poll_code_column(),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("answer", sa.Integer, primary_key=True),
    sa.Column("people", sa.Integer, nullable=False),
)
# Tokens that have sent an answer in the current round.
MARKS = _marks_table("poll_marks")
# What the room guessed last, which is no secret, and tokens that a telephone makes for this guess alone.
GUESSED = _marks_table("poll_guesses", sa.Column("value", sa.Double, nullable=False))


class Database:
    """A database with these tables, which are created at its first use."""

    def __init__(self, url: str | None = None) -> None:
        """Use the database of `url`, else of PRIVDEMO_POLLS, else a file. Raise ``ValueError`` for an invalid URL."""
        named = url or os.environ.get(VARIABLE)
        try:
            self.url = sa.make_url(named) if named else sa.URL.create("sqlite", database=str(default_file()))
            self.is_sqlite = self.url.get_backend_name() == "sqlite"
            self._engine = _sqlite_engine(self.url) if self.is_sqlite else _postgresql_engine(self.url)
        except (ArgumentError, NoSuchModuleError, ImportError):  # their messages contain the password
            raise ValueError(
                f"{VARIABLE} must be the URL of SQLite or PostgreSQL, such as postgresql+psycopg://user@host/name "
                "(in the project's folder, pip install '.[postgresql]')"
            ) from None
        self._lock, self._is_made = Lock(), False

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Open a transaction that writes, one at a time on SQLite. Raise `DatabaseUnavailable` if it fails."""
        with self._transaction(writes=True) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a transaction that only reads and waits for no other. Raise `DatabaseUnavailable` if it fails."""
        with self._transaction(writes=False) as connection:
            yield connection

    def truncate_log(self) -> bool:
        """Truncate SQLite's write-ahead log, which holds what was deleted and in which order answers came.

        Return False if another process reads the database for long. PostgreSQL's log cannot be truncated from here.
        """
        if not self.is_sqlite or not self.is_there():
            return True
        with (
            suppress(SQLAlchemyError, sqlite3.Error),
            self._engine.execution_options(outside=True).connect() as connection,
        ):
            try:
                connection.exec_driver_sql(f"PRAGMA busy_timeout={1000 * _TRUNCATE_TIMEOUT:.0f}")
                is_busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
            finally:
                connection.exec_driver_sql(f"PRAGMA busy_timeout={1000 * TIMEOUT}")
            return not is_busy
        return False

    def is_there(self) -> bool:
        """Return whether there can be polls in it: a file that does not exist has none."""
        return not self.is_sqlite or Path(str(self.url.database)).exists()

    def dispose(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self, writes: bool) -> Iterator[sa.Connection]:
        try:
            self._make()
            with self._engine.connect().execution_options(writes=writes) as connection, connection.begin():
                yield connection
        except PollError:
            raise
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:  # sqlite3.Error while a connection is set up
            _LOG.warning("Polls cannot be kept: %s", getattr(error, "orig", None) or type(error).__name__)
            raise DatabaseUnavailable from None

    def _make(self) -> None:
        """Create the tables if they do not exist; processes that start at the same time wait for each other."""
        with self._lock:
            if self._is_made:
                return
            if self.is_sqlite:
                file = Path(str(self.url.database))
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with FileLock(f"{file}.lock", TIMEOUT):
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
            _add_missing_columns(connection)


def _add_missing_columns(connection: sa.Connection) -> None:
    """Add the columns that a table of polls lacks because an earlier version made it; they have defaults."""
    there = {column["name"] for column in sa.inspect(connection).get_columns(POLLS.name)}
    for column in POLLS.columns:
        if column.name not in there:
            definition = sa.schema.CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {POLLS.name} ADD COLUMN {definition}")


def default_file() -> Path:
    """Return the SQLite file of this computer's polls, in the user's data folder."""
    return user_data_path("privdemo", appauthor=False) / "polls.sqlite"


def _postgresql_engine(url: sa.URL) -> sa.Engine:
    if url.get_dialect().name != "postgresql":
        raise ArgumentError
    # A transaction that hangs is ended, and no wait is longer than for SQLite.
    times = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    settings = " ".join(f"-c {name}={TIMEOUT}s" for name in times)
    # The server enforces the limits above; if its computer is unreachable, these end the connection.
    keepalive = {"tcp_user_timeout": 1000 * TIMEOUT, "keepalives_idle": TIMEOUT, "keepalives_interval": 1}
    options = {"connect_timeout": TIMEOUT, "client_encoding": "utf8", "options": settings, **keepalive}
    return sa.create_engine(url, pool_pre_ping=True, pool_timeout=TIMEOUT, connect_args=options)


def _sqlite_engine(url: sa.URL) -> sa.Engine:
    """Return an engine for SQLite that syncs at each commit, reads during writes, and overwrites what is deleted."""
    engine = sa.create_engine(url, connect_args={"timeout": TIMEOUT})

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

"""Background work for polls: delete old ones, and truncate SQLite's log, which holds the order of answers."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool

from pages.polls import routes
from pages.polls.rules import DatabaseUnavailable

# Seconds between deletions of old polls, and between truncations of SQLite's write-ahead log.
FORGET_EVERY, TRUNCATE_EVERY = 60.0, 1.0


def begin() -> Coroutine[Any, Any, None]:
    """Prepare polls when the server starts, and return the coroutine that runs as long as the server.

    Raise ``ValueError`` if PRIVDEMO_POLLS is invalid.
    """
    exclude_from_access_log()
    return _run(routes.store_of_process())


def exclude_from_access_log() -> None:
    """Leave the routes on which telephones vote, /p/…, out of uvicorn's access log, which holds IP addresses."""
    logging.getLogger("uvicorn.access").addFilter(_is_no_vote)


def _is_no_vote(record: logging.LogRecord) -> bool:
    return not any(isinstance(part, str) and re.match(r"/[pP]([/?]|$)", part) for part in record.args or ())


async def _run(store: Any) -> None:
    await asyncio.gather(_repeat(FORGET_EVERY, store.forget_old), _repeat(TRUNCATE_EVERY, store.truncate_log))


async def _repeat(seconds: float, do: Callable[[], None]) -> None:
    while True:
        with suppress(DatabaseUnavailable):  # already logged
            await run_in_threadpool(do)
        await asyncio.sleep(seconds)

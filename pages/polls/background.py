"""Background work for polls: delete old ones, and remove the order of answers from the database's log."""

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

# Seconds between deletions of old polls, and between removals of the order of answers from the database's log.
FORGET_EVERY, WIPE_EVERY = 60.0, 1.0


def begin() -> Coroutine[Any, Any, None]:
    """Prepare polls when the server starts, and return the coroutine that runs as long as the server.

    Raise ``ValueError`` if PRIVDEMO_POLLS is invalid.
    """
    exclude_from_access_log()
    return _run(routes.store_of_process())


def exclude_from_access_log() -> None:
    """Leave requests for polls out of uvicorn's access log, which holds IP addresses."""
    logging.getLogger("uvicorn.access").addFilter(_is_no_poll)


def _is_no_poll(record: logging.LogRecord) -> bool:
    return not any(isinstance(part, str) and re.match(r"/[pP]([/?]|$)", part) for part in record.args or ())


async def _run(store: Any) -> None:
    await asyncio.gather(_repeat(FORGET_EVERY, store.forget_old), _repeat(WIPE_EVERY, store.wipe))


async def _repeat(seconds: float, do: Callable[[], None]) -> None:
    while True:
        with suppress(DatabaseUnavailable):  # already logged
            await run_in_threadpool(do)
        await asyncio.sleep(seconds)

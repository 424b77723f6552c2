"""What the server does about polls besides answering: it forgets old ones, and who has asked for any."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool

from pages.polls import routes
from pages.polls.rules import NotKept

# Seconds between looks for polls whose day is over.
FORGET_EVERY = 60.0


def begin() -> Coroutine[Any, Any, None]:
    """Begin when the server starts; what comes back goes on for as long as it runs.

    Raises ``ValueError`` where PRIVDEMO_POLLS names no database.
    """
    keep_out_of_logs()
    return _forget_old(routes.this_process())


def keep_out_of_logs() -> None:
    """Have uvicorn's log of requests, where there is one, leave out those of polls: it holds addresses."""
    logging.getLogger("uvicorn.access").addFilter(_is_no_poll)


def _is_no_poll(record: logging.LogRecord) -> bool:
    return not any(isinstance(part, str) and part.startswith("/p/") for part in record.args or ())


async def _forget_old(store: Any) -> None:
    while True:
        with suppress(NotKept):  # said in the log
            await run_in_threadpool(store.forget_old)
        await asyncio.sleep(FORGET_EVERY)

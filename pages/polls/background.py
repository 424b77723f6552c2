"""What the server does about polls besides answering: it forgets old ones, the order of answers, and who asked."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool

from pages.polls import routes
from pages.polls.rules import NotKept

# Seconds between looks for polls whose day is over, and for answers whose order stands in the database's log.
FORGET_EVERY, WIPE_EVERY = 60.0, 1.0


def begin() -> Coroutine[Any, Any, None]:
    """Begin when the server starts; what comes back goes on for as long as it runs.

    Raises ``ValueError`` where PRIVDEMO_POLLS names no database.
    """
    keep_out_of_logs()
    return _look_after(routes.this_process())


def keep_out_of_logs() -> None:
    """Have uvicorn's log of requests, where there is one, leave out those of polls: it holds addresses."""
    logging.getLogger("uvicorn.access").addFilter(_is_no_poll)


def _is_no_poll(record: logging.LogRecord) -> bool:
    return not any(isinstance(part, str) and re.match(r"/[pP]([/?]|$)", part) for part in record.args or ())


async def _look_after(store: Any) -> None:
    await asyncio.gather(_each(FORGET_EVERY, store.forget_old), _each(WIPE_EVERY, store.wipe))


async def _each(seconds: float, do: Callable[[], None]) -> None:
    while True:
        with suppress(NotKept):  # said in the log
            await run_in_threadpool(do)
        await asyncio.sleep(seconds)

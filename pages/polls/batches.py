"""Count answers in batches: those that arrive during one transaction are written together in the next."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from starlette.concurrency import run_in_threadpool

from pages.polls.rules import DatabaseUnavailable, PollError
from privdemo import limits

# The most answers in a transaction, and the most that wait; further ones are refused and can be sent again.
_BATCH, _MOST_WAITING = 500, int(limits.POLL_PEOPLE.high)
_LOG = logging.getLogger(__name__)
_Sent = TypeVar("_Sent")


class Batches(Generic[_Sent]):
    """Counts answers, or guesses, outside of the event loop, and acknowledges each once it is on disk.

    `tidy` is called whenever no answer is waiting; the answers before it are acknowledged already.
    """

    def __init__(
        self, count_all: Callable[[Sequence[_Sent]], list[PollError | None]], tidy: Callable[[], None]
    ) -> None:
        self._count_all, self._tidy = count_all, tidy
        self._waiting: list[tuple[_Sent, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def count(self, answer: _Sent) -> None:
        """Count an answer. Raise a `PollError` if it is refused."""
        if len(self._waiting) >= _MOST_WAITING:
            raise DatabaseUnavailable
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._waiting.append((answer, done))
        if self._writer is None:
            self._writer = loop.create_task(self._write())
        await done

    async def _write(self) -> None:
        """Write batches until no answer is waiting."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
                outcomes = await self._outcomes([answer for answer, _ in batch])
                for (_, done), refused in zip(batch, outcomes, strict=True):
                    if done.done():  # its request was cancelled
                        continue
                    if refused is None:
                        done.set_result(None)
                    else:
                        done.set_exception(refused)
                if not self._waiting:
                    await self._tidied()
        finally:
            self._writer = None

    async def _tidied(self) -> None:
        try:
            await run_in_threadpool(self._tidy)
        except Exception:  # later answers must be written all the same
            _LOG.exception("The database was not tidied up")

    async def _outcomes(self, answers: list[_Sent]) -> Sequence[PollError | None]:
        try:
            return await run_in_threadpool(self._count_all, answers)
        except DatabaseUnavailable:
            return [DatabaseUnavailable() for _ in answers]
        except Exception:  # whatever it is, every request must be answered
            _LOG.exception("Answers were not counted")
            return [DatabaseUnavailable() for _ in answers]

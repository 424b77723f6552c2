"""Answers that come in while others are written are written together: one transaction for all of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from starlette.concurrency import run_in_threadpool

from pages.polls.rules import Answer, NotKept, PollError
from privdemo import limits

# Answers in a transaction, and answers that wait; more are told to try again.
_TOGETHER, _WAITING = 500, int(limits.POLL_PEOPLE.high)
_LOG = logging.getLogger(__name__)


class Batches:
    """Counts answers off the event loop, and acknowledges each once it is on disk.

    `tidy` is called each time that nobody waits any more, and nobody waits for it who has sent an answer before.
    """

    def __init__(
        self, count_all: Callable[[Sequence[Answer]], list[PollError | None]], tidy: Callable[[], None]
    ) -> None:
        self._count_all, self._tidy = count_all, tidy
        self._waiting: list[tuple[Answer, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def count(self, answer: Answer) -> None:
        """Count an answer. Raises the `PollError` that says why it is not."""
        if len(self._waiting) >= _WAITING:
            raise NotKept
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._waiting.append((answer, done))
        if self._writer is None:
            self._writer = loop.create_task(self._write())
        await done

    async def _write(self) -> None:
        """Write for as long as somebody waits."""
        try:
            while self._waiting:
                now, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
                outcomes = await self._outcomes([answer for answer, _ in now])
                for (_, done), refused in zip(now, outcomes, strict=True):
                    if done.done():  # its telephone has gone
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
        except Exception:  # what comes next is written all the same
            _LOG.exception("The database was not tidied up")

    async def _outcomes(self, answers: list[Answer]) -> Sequence[PollError | None]:
        try:
            return await run_in_threadpool(self._count_all, answers)
        except NotKept:
            return [NotKept() for _ in answers]
        except Exception:  # whatever it is, nobody waits for ever
            _LOG.exception("Answers were not counted")
            return [NotKept() for _ in answers]

"""What telephones are answered: the page of a poll, whether it is asked again, and that an answer has arrived.

Nothing of a telephone is kept or written into a log: no cookie, no address, no time. Whatever is refused has a status
and a sentence of its own.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pages.polls import participant, rules
from pages.polls.batches import Batches
from pages.polls.bucket import GUESSES, Bucket, Guesses
from pages.polls.rules import Answer, Poll, PollError
from privdemo import limits
from server import requests

if TYPE_CHECKING:
    from pages.polls.store import Store

ADDRESS = re.compile(r"[pP](/?|/[^/]+/?|/[^/]+/now/?)")
"""Where these routes answer."""

_STATUS = {
    rules.NoSuchPoll: 404,
    rules.RoundOver: 409,
    rules.PollClosed: 410,
    rules.AnswerOutOfRange: 422,
    rules.NotAsked: 422,
    rules.TooManyGuesses: 429,
    rules.NotKept: 503,
    rules.PollFull: 507,
}
_LATER = {"Retry-After": "2"}
_ANEW = {"Cache-Control": "no-store"}
# What a page that says why there is no poll has for its heading; others have the last.
_HEADINGS = {404: "No poll here", 429: "Please wait", 503: "Please wait"}
_OTHERWISE = "That did not work"
_TOKEN = re.compile(rf"[0-9a-f]{{{rules.TOKEN}}}")
# What is read of a body that is too large, so that its sender hears that it is.
_READ = 2_000_000
# Seconds for which a telephone waits for the database, which mostly gives up by itself after `database.PATIENCE`.
_PATIENCE = 12.0
# Seconds by which what is said of a poll may be behind, and polls of which it is known.
_BEHIND, _KNOWN = 0.5, 1000


def this_process() -> Store:
    """The store of this process; its database's library is loaded with it."""
    from pages.polls.store import store

    return store()


class Telephones:
    """The application behind `ADDRESS`."""

    def __init__(
        self,
        store: Callable[[], Store] = this_process,
        clock: Callable[[], float] = time.monotonic,
        guesses: Guesses = GUESSES,
    ) -> None:
        self._store, self._clock, self._guesses = store, clock, guesses
        self._batches = Batches(self._count_all, lambda: self._store().wipe())
        self._answers = Bucket(limits.POLL_BURST.high, limits.POLL_RATE.high, clock)
        self._looks = Bucket(limits.LOOK_BURST.high, limits.LOOK_RATE.high, clock)
        # A database that hangs takes no more threads than these: other threads send the app's files.
        self._readers = CapacityLimiter(4)
        self._known: dict[str, tuple[float, asyncio.Future[Poll]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say in a sentence why not."""
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except PollError as error:
            status = _STATUS[type(error)]
            answer = _refusal(request, status, str(error), _LATER if status in (429, 503) else {})
        except HTTPException as error:
            answer = _refusal(request, error.status_code, error.detail, dict(error.headers or {}))
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        code, is_now = request.path_params["code"], request.url.path.rstrip("/").endswith("/now")
        reads, writes = request.method in ("GET", "HEAD"), request.method == "POST" and not is_now
        if not reads and not writes:
            allowed = "GET, HEAD" if is_now else "GET, HEAD, POST"
            raise HTTPException(405, f"This address takes {allowed} only.", {"Allow": allowed})
        name, address = rules.written(code), request.client.host if request.client else ""
        if not name:
            raise rules.NoSuchPoll  # no code is written so, which costs nothing to say and tells nothing
        with self._guesses.look_up(address, name):
            if not (self._looks if reads else self._answers).take(address):
                raise HTTPException(429, "Too much comes from your network at this moment.", _LATER)
            return await (self._post(request, name) if writes else self._look(request, name, is_now))

    async def _look(self, request: Request, code: str, is_now: bool) -> Response:
        """The page of a poll, or whether it is asked again; another spelling of its address leads to that."""
        poll = await self._poll(code)
        end = "/now" if is_now else ""
        if not request.url.path.endswith(f"/p/{request.path_params['code']}{end}"):
            return RedirectResponse(f"/p/{poll.code}{end}", 308, _ANEW)
        if is_now:
            return JSONResponse({"round": poll.round, "open": poll.is_open}, headers=_ANEW)
        return HTMLResponse(participant.page(poll), headers=_ANEW | {"Content-Security-Policy": participant.POLICY})

    async def _post(self, request: Request, code: str) -> Response:
        """Take an answer, and say so once it is on disk."""
        if not requests.is_same_origin(request.headers):
            raise HTTPException(403, "Answers are taken from the poll's own page only.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise HTTPException(415, "An answer must be sent as application/json.")
        answer = _read(code, await _body(request))
        async with _in_time():  # if it is written later all the same, its token has it count once
            await self._batches.count(answer)
        return JSONResponse({"round": answer.round}, headers=_ANEW)

    async def _poll(self, code: str) -> Poll:
        """The poll of a code, read at most twice a second however many telephones ask."""
        now = self._clock()
        since, reading = self._known.get(code, (0.0, None))
        if reading is None or (reading.done() and now - since >= _BEHIND):
            if len(self._known) >= _KNOWN:
                self._known.clear()
            reading = asyncio.ensure_future(to_thread.run_sync(lambda: self._store().poll(code), limiter=self._readers))
            self._known[code] = now, reading
        async with _in_time():
            return await asyncio.shield(reading)

    def _count_all(self, answers: Sequence[Answer]) -> list[PollError | None]:
        return self._store().answer_all(answers)


@asynccontextmanager
async def _in_time() -> AsyncIterator[None]:
    """Wait no longer than `_PATIENCE` for a database that hangs. Raises `NotKept`."""
    try:
        async with asyncio.timeout(_PATIENCE):
            yield
    except TimeoutError:
        raise rules.NotKept from None


async def _body(request: Request) -> bytes:
    """What a telephone sends, if it is short and comes soon."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.POLL_SECONDS.high):
            async for part in request.stream():
                size += len(part)
                if size <= limits.POLL_BYTES.high:
                    parts.append(part)
                elif size > _READ:
                    break
    except TimeoutError:
        raise HTTPException(408, "This answer took too long to arrive.") from None
    except ClientDisconnect:
        raise HTTPException(400, "This answer did not arrive as a whole.") from None
    if size > limits.POLL_BYTES.high:
        raise HTTPException(413, f"An answer has {limits.POLL_BYTES.high:,} bytes at most.")
    return b"".join(parts)


def _read(code: str, body: bytes) -> Answer:
    """The answer that a body holds."""
    try:
        sent = json.loads(body)
        round, answer, token = sent["round"], sent["answer"], sent["token"]
        if (type(round), type(answer), len(sent)) != (int, int, 3) or not _TOKEN.fullmatch(token):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HTTPException(400, "An answer is a round, the number of an answer, and a token, as JSON.") from None
    return Answer(code, round, answer, token)


def _refusal(request: Request, status: int, sentence: str, headers: dict[str, str]) -> Response:
    """Why there is no answer: in JSON, and on a light page for somebody who has typed an address."""
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        again = 3 + secrets.randbelow(6) if status in (429, 503) else 0  # not all at the same moment
        return _note(status, _HEADINGS.get(status, _OTHERWISE), sentence, headers, again)
    return JSONResponse({"error": sentence}, status, _ANEW | headers)


def _note(status: int, heading: str, sentence: str, headers: dict[str, str] | None = None, again: int = 0) -> Response:
    page = participant.note(heading, sentence, again, asks=status in (200, 404))
    policy = {"Content-Security-Policy": participant.NOTE_POLICY}
    return HTMLResponse(page, status, _ANEW | policy | (headers or {}))


def _box(request: Request) -> Response:
    """Ask for a code, and go to its poll."""
    if code := rules.written(request.query_params.get("code", "")):
        return RedirectResponse(f"/p/{code}", 303, _ANEW)
    if "code" in request.query_params:
        return _note(404, _HEADINGS[404], rules.NoSuchPoll.said)
    return _note(200, "Join a poll", "Type the code that stands beside the question.")


def routes(telephones: Telephones) -> list[Route]:
    """The routes of an application."""
    addresses = [f"/{p}/{{code}}{rest}" for p in "pP" for rest in ("", "/", "/now", "/now/")]
    boxes = (Route(address, _box) for address in ("/p", "/p/", "/P", "/P/"))
    return [*boxes, *(Route(address, telephones) for address in addresses)]

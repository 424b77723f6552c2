"""Answer the requests of telephones: the page of a poll, its state, what is guessed, and what is sent.

Nothing about a telephone is stored or logged: no cookie, address or time. Every refusal has a status and a sentence, in
the telephone's language; what only other programs than its page can meet is refused in English.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from html import escape
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pages.polls import languages, participant, rules
from pages.polls.batches import Batches
from pages.polls.bucket import GUESSES, Bucket, Guesses
from pages.polls.rules import Answer, Poll, PollError, SentGuess
from privdemo import limits
from server import notice, own_computer, requests, room

if TYPE_CHECKING:
    from pages.polls.store import Store

ADDRESS = re.compile(r"[pP](/?|/[^/]+/?|/[^/]+/(now|guess)/?)")
"""The addresses of these routes."""

_STATUS = {
    rules.SentFromElsewhere: 403,
    rules.NoSuchPoll: 404,
    rules.TooSlow: 408,
    rules.RoundOver: 409,
    rules.GuessOver: 409,
    rules.PollClosed: 410,
    rules.AnswerOutOfRange: 422,
    rules.NoSuchRound: 422,
    rules.GuessOutOfRange: 422,
    rules.TooManyGuesses: 429,
    rules.TooManyRequests: 429,
    rules.DatabaseUnavailable: 503,
    rules.PollFull: 507,
}
# The ends of addresses: the state of a poll, and what it has the room guess.
_NOW, _GUESS = "/now", "/guess"
_RETRY_LATER = {"Retry-After": "2"}
_NO_STORE = {"Cache-Control": "no-store"}
# Said of what is in a telephone's language, so that no cache shows it in another one.
_VARIES = {"Vary": "Accept-Language"}
_TOKEN = re.compile(rf"[0-9a-f]{{{rules.TOKEN}}}")
# The most bytes that are read of a body that is too large, so that its sender receives the refusal.
_MOST_READ = 2_000_000
# Seconds after which a request stops waiting for the database, whose own limit is usually reached first.
_TIMEOUT = 12.0
# Seconds for which a poll is cached, and the most polls in the cache.
_REFRESH_EVERY, _MOST_CACHED = 0.5, 1000


def store_of_process() -> Store:
    """Return the store of this process; SQLAlchemy is imported with the first call."""
    from pages.polls.store import store

    return store()


class Telephones:
    """The ASGI application for the addresses of a poll."""

    def __init__(
        self,
        store: Callable[[], Store] = store_of_process,
        clock: Callable[[], float] = time.monotonic,
        guesses: Guesses = GUESSES,
        room: room.Room = room.ROOM,
    ) -> None:
        self._store, self._clock, self._guesses, self._room = store, clock, guesses, room
        self._batches = Batches(self._count_all, lambda: self._store().truncate_log())
        self._guess_batches = Batches(self._guess_all, lambda: self._store().truncate_log())
        self._answers = Bucket(limits.POLL_BURST.high, limits.POLL_RATE.high, clock)
        self._looks = Bucket(limits.LOOK_BURST.high, limits.LOOK_RATE.high, clock)
        # The most threads that read the database, so that others are free for the app's files while it hangs.
        self._readers = CapacityLimiter(4)
        self._known: dict[str, tuple[float, asyncio.Future[Poll]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it with a sentence."""
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except PollError as error:
            answer = _refusal(request, _STATUS[type(error)], error)
        except HTTPException as error:
            answer = _json_refusal(languages.ENGLISH, error.status_code, error.detail, error.headers or {})
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        code, path = request.path_params["code"], request.url.path.rstrip("/")
        end = next((end for end in (_NOW, _GUESS) if path.endswith(end)), "")
        reads, writes = request.method in ("GET", "HEAD"), request.method == "POST" and end != _NOW
        if not reads and not writes:
            allowed = "GET, HEAD" if end == _NOW else "GET, HEAD, POST"
            raise HTTPException(405, f"This address takes {allowed} only.", {"Allow": allowed})
        name, address = rules.normalised(code), request.client.host if request.client else ""
        if not name:
            raise rules.NoSuchPoll  # not a possible code: no look-up is needed, and no token taken
        with self._guesses.look_up(address, name):
            host = request.scope.get(room.HOST)
            if host and not self._room.is_open(name, host):
                raise rules.NoSuchPoll  # a guess like any other, so that nobody finds out which polls there are
            if not (self._looks if reads else self._answers).take_token(address):
                raise rules.TooManyRequests
            try:
                return await (self._post(request, name, end) if writes else self._get(request, name, end))
            except (rules.NoSuchPoll, rules.PollClosed):  # perhaps by another process
                self._room.close(name)
                raise

    async def _get(self, request: Request, code: str, end: str) -> Response:
        """Return the page of a poll, its state as JSON or its guess; redirect other spellings of its address."""
        poll = await self._poll(code)
        is_of_room = room.HOST in request.scope
        if is_of_room and not poll.is_open:
            raise rules.PollClosed
        if not request.url.path.endswith(f"/p/{request.path_params['code']}{end}"):
            return RedirectResponse(f"/p/{poll.code}{end}", 308, _NO_STORE)
        if end == _NOW:
            guess = {"guess": poll.n_guesses} if poll.guess else {}
            return JSONResponse({"round": poll.round, "open": poll.is_open} | guess, headers=_NO_STORE)
        if end == _GUESS:
            language = poll.language or _language(request)
            if poll.guess is None:
                raise rules.GuessOver
            return _html(language, participant.guess(poll.guess, poll.n_guesses, language), participant.NOTE_POLICY)
        if is_of_room and request.client:
            self._room.note_visit(code, own_computer.shortest_form(request.client.host))
        language = poll.language or _language(request)
        return _html(language, participant.page(poll, language), participant.POLICIES[poll.check])

    async def _post(self, request: Request, code: str, end: str) -> Response:
        """Count an answer or keep a guess, and respond once it is on disk."""
        if not requests.is_same_origin(request.headers):
            raise rules.SentFromElsewhere
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise HTTPException(415, "An answer must be sent as application/json.")
        body = await _body(request)
        if end == _GUESS:
            guess = _parse_guess(code, body)
            async with _with_timeout():
                await self._guess_batches.count(guess)
            return JSONResponse({"number": guess.number}, headers=_NO_STORE)
        answer = _parse(code, body)
        async with _with_timeout():  # if it is counted after the timeout, a second try with the same token is not
            await self._batches.count(answer)
        return JSONResponse({"round": answer.round}, headers=_NO_STORE)

    async def _poll(self, code: str) -> Poll:
        """Return the poll with a code, read from the database at most twice a second."""
        now = self._clock()
        since, reading = self._known.get(code, (0.0, None))
        if reading is None or (reading.done() and now - since >= _REFRESH_EVERY):
            if len(self._known) >= _MOST_CACHED:
                self._known.clear()
            reading = asyncio.ensure_future(to_thread.run_sync(lambda: self._store().poll(code), limiter=self._readers))
            self._known[code] = now, reading
        async with _with_timeout():
            return await asyncio.shield(reading)

    def _count_all(self, answers: Sequence[Answer]) -> list[PollError | None]:
        return self._store().answer_all(answers)

    def _guess_all(self, guesses: Sequence[SentGuess]) -> list[PollError | None]:
        return self._store().guess_all(guesses)


@asynccontextmanager
async def _with_timeout() -> AsyncIterator[None]:
    """Wait at most `_TIMEOUT` seconds for the database. Raise `DatabaseUnavailable` after that."""
    try:
        async with asyncio.timeout(_TIMEOUT):
            yield
    except TimeoutError:
        raise rules.DatabaseUnavailable from None


async def _body(request: Request) -> bytes:
    """Return the body of a request. Raise ``HTTPException`` if it is too long, `TooSlow` if it takes too long."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.POLL_SECONDS.high):
            async for part in request.stream():
                size += len(part)
                if size <= limits.POLL_BYTES.high:
                    parts.append(part)
                elif size > _MOST_READ:
                    break
    except TimeoutError:
        raise rules.TooSlow from None
    except ClientDisconnect:
        raise HTTPException(400, "This answer did not arrive as a whole.") from None
    if size > limits.POLL_BYTES.high:
        raise HTTPException(413, f"An answer has {limits.POLL_BYTES.high:,} bytes at most.")
    return b"".join(parts)


def _parse(code: str, body: bytes) -> Answer:
    """Return the answer in a body. Raise ``HTTPException`` if there is none."""
    try:
        sent = json.loads(body)
        round, answer, token = sent["round"], sent["answer"], sent["token"]
        if (type(round), type(answer), len(sent)) != (int, int, 3) or not _TOKEN.fullmatch(token):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HTTPException(400, "An answer is a round, the number of an answer, and a token, as JSON.") from None
    return Answer(code, round, answer, token)


def _parse_guess(code: str, body: bytes) -> SentGuess:
    """Return the guess in a body. Raise ``HTTPException`` if there is none."""
    try:
        sent = json.loads(body)
        number, value, token = sent["number"], sent["value"], sent["token"]
        if type(number) is not int or type(value) not in (int, float) or len(sent) != 3 or not _TOKEN.fullmatch(token):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HTTPException(400, "A guess is its number, a value, and a token, as JSON.") from None
    return SentGuess(code, number, value, token)


def _language(request: Request) -> str:
    """Return the language that a telephone asks for."""
    return languages.preferred(request.headers.get("accept-language", ""))


def _refusal(request: Request, status: int, error: PollError) -> Response:
    """Return why a request is refused: as a small page if a browser asked for HTML, else as JSON."""
    language, later = _language(request), status in (429, 503)
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        # Random, so that telephones do not return all at once.
        reload_after = 3 + secrets.randbelow(6) if later else 0
        heading = "no_poll_here" if status == 404 else "please_wait"
        page = participant.note(language, heading, error.sentence(language), reload_after, with_box=status == 404)
        return _html(language, page, participant.NOTE_POLICY, status, _RETRY_LATER if later else {})
    return _json_refusal(language, status, error.sentence(language), _RETRY_LATER if later else {})


def _json_refusal(language: str, status: int, sentence: str, headers: Mapping[str, str]) -> Response:
    return JSONResponse({"error": sentence}, status, _headers(language) | headers)


def _html(language: str, page: str, policy: str, status: int = 200, more: Mapping[str, str] | None = None) -> Response:
    headers = _headers(language) | {"Content-Security-Policy": policy} | (more or {})
    return HTMLResponse(page, status, headers)


def _headers(language: str) -> dict[str, str]:
    return _NO_STORE | _VARIES | {"Content-Language": language}


def at_other_host(accepted: str, has_poll: bool) -> notice.Words:
    """Return what a telephone with this Accept-Language header reads at a host that is not the app's.

    Where a poll is open, it is led to the box for its code; else it reads that none is open.
    """
    language = languages.preferred(accepted)
    heading, key = ("join_heading", "join") if has_poll else ("no_poll_here", "room_closed")
    title, sentence = (escape(languages.sentence(language, each)) for each in (heading, key))
    return notice.Words(title, f'<a href="/p/">{sentence}</a>' if has_poll else sentence, language)


def _ask_for_code(request: Request) -> Response:
    """Return a page with a box for the code of a poll, or redirect to the poll of a code."""
    if code := rules.normalised(request.query_params.get("code", "")):
        return RedirectResponse(f"/p/{code}", 303, _NO_STORE)
    language = _language(request)
    if "code" in request.query_params:
        status, heading, sentence = 404, "no_poll_here", rules.NoSuchPoll().sentence(language)
    else:
        status, heading, sentence = 200, "join_heading", languages.sentence(language, "join")
    page = participant.note(language, heading, sentence, with_box=True)
    return _html(language, page, participant.NOTE_POLICY, status)


def routes(telephones: Telephones) -> list[Route]:
    """Return the routes for polls."""
    addresses = [f"/{p}/{{code}}{end}{slash}" for p in "pP" for end in ("", _NOW, _GUESS) for slash in ("", "/")]
    boxes = (Route(address, _ask_for_code) for address in ("/p", "/p/", "/P", "/P/"))
    return [*boxes, *(Route(address, telephones) for address in addresses)]

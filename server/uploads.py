"""How many files visitors may have uploaded at a time, and how many bytes; what no page has read is soon dropped.

A page reads a file as soon as it is there and lets go of it (`visits.take`): its visitor never meets these bounds.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from privdemo import limits
from server.streamlit_internals import drop_upload, rerun_with, uploads

# Why a file was refused, in the session, for its page to say.
REFUSAL = "upload_refusal"
_AT = "/_stcore/upload_file/"
_FULL = "Too many files are being uploaded at this moment; try again in a minute."
# Bytes that a browser may send around those of the file.
_AROUND = 100_000


def _held() -> dict[str, list[int]]:
    """The bytes of each file that the server holds, by the visit that has uploaded it."""
    held = uploads(runtime.get_instance())
    return {visit: [len(file.data) for file in each.values()] for visit, each in held.items()}


def _kept() -> int:
    """The bytes of all files that the server holds."""
    return sum(map(sum, _held().values()))


class _RefusedError(Exception):
    """What has arrived of a file is not taken: with a status, and a sentence."""


class Uploads:
    """Middleware that refuses a file with a sentence where a visit, or the server, holds as much as it may.

    A file counts with the bytes of it that have arrived, and has to go on arriving: what is only said to come keeps
    nobody else's file out.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._arriving: Counter[str] = Counter()
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, unless it is a file too many."""
        if scope["type"] != "http" or scope["method"] != "PUT" or _AT not in scope["path"]:
            await self.app(scope, receive, send)
            return
        visit, size, arrived = scope["path"].rpartition(_AT)[2].partition("/")[0], _size(scope), 0

        async def receive_soon() -> Message:
            nonlocal arrived
            try:
                async with asyncio.timeout(limits.UPLOAD_PAUSE.high):
                    message = await receive()
            except TimeoutError:
                raise _RefusedError(408, "This file has stopped arriving.") from None
            more = len(message.get("body", b""))
            arrived, self._bytes = arrived + more, self._bytes + more
            if _kept() + self._bytes > limits.UPLOAD_BYTES.high:
                raise _RefusedError(503, _FULL)
            return message

        try:
            self._check(visit, size)
            self._arriving[visit] += 1
            try:
                async with asyncio.timeout(limits.UPLOAD_SECONDS.high):
                    await self.app(scope, receive_soon, send)
            finally:
                self._bytes -= arrived
                self._arriving -= Counter([visit])
        except TimeoutError:
            await PlainTextResponse("This file took too long to arrive.", 408)(scope, receive, send)
        except ClientDisconnect:
            pass  # nobody is there who would read an answer
        except _RefusedError as error:
            status, refusal = error.args
            _tell(visit, refusal)
            await PlainTextResponse(refusal, status)(scope, receive, send)

    def _check(self, visit: str, size: int) -> None:
        """Refuse a visit a file of this size, if it may not upload it."""
        if size > limits.OWN_BYTES.high + _AROUND:
            raise _RefusedError(413, f"This file has {size:,} bytes, and {limits.OWN_BYTES.high:,} are allowed.")
        if len(_held().get(visit, ())) + self._arriving[visit] >= limits.UPLOADS_EACH.high:
            raise _RefusedError(503, f"This visit has {limits.UPLOADS_EACH.high} files under way, as many as it may.")
        if _kept() + self._bytes + size > limits.UPLOAD_BYTES.high:
            raise _RefusedError(503, _FULL)


def _tell(visit: str, refusal: str) -> None:
    """Have the page of a visit say why a file was refused: the browser shows no more than the number of the answer."""
    rerun_with(visit, REFUSAL, refusal)


def _size(scope: Scope) -> int:
    """The bytes that are to arrive: what is said of them, or as many as a file may have."""
    headers = Headers(scope=scope)
    said = "" if "transfer-encoding" in headers else headers.get("content-length", "")
    return int(said) if said.isdecimal() else int(limits.OWN_BYTES.high)


class Unread:
    """Finds uploaded files that no page has read, and drops them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[str, str], float] = {}

    def look(self, server: runtime.Runtime) -> None:
        """Drop what has been there for longer than a page takes to read it."""
        now = self._clock()
        there = [(visit, file) for visit, files in uploads(server).items() for file in files]
        self._since = {one: self._since.get(one, now) for one in there}
        for visit, file in there:
            if now - self._since[visit, file] > limits.UNREAD_SECONDS.high:
                drop_upload(server, visit, file)

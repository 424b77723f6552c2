"""Limit how many files and bytes visitors may have uploaded at a time, and delete files that no page reads.

A page reads a file as soon as it has arrived and deletes it (`visits.pop_upload`): normal visits never meet the
limits.
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

# The key of the session under which a page finds why a file was refused.
REFUSAL = "upload_refusal"
_PATH = "/_stcore/upload_file/"
_FULL = "Too many files are being uploaded at this moment; try again in a minute."
# Bytes that a request may have beside those of the file.
_OVERHEAD = 100_000


def _sizes_by_visit() -> dict[str, list[int]]:
    """Return the sizes of the files that the server holds, by the visit that uploaded them."""
    held = uploads(runtime.get_instance())
    return {visit: [len(file.data) for file in each.values()] for visit, each in held.items()}


def _total_size() -> int:
    """Return the bytes of all files that the server holds."""
    return sum(map(sum, _sizes_by_visit().values()))


class _RefusedError(Exception):
    """Raised to refuse an upload; its arguments are a status and a sentence."""


class Uploads:
    """Middleware that refuses an upload with a sentence if a visit, or the server, already holds as much as it may.

    A file counts with the bytes that have arrived, and must not stop arriving: so a file that is only announced keeps
    no other file out.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._arriving: Counter[str] = Counter()
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on all requests, except uploads that are refused."""
        if scope["type"] != "http" or scope["method"] != "PUT" or _PATH not in scope["path"]:
            await self.app(scope, receive, send)
            return
        visit, size, arrived = scope["path"].rpartition(_PATH)[2].partition("/")[0], _size(scope), 0

        async def receive_soon() -> Message:
            nonlocal arrived
            try:
                async with asyncio.timeout(limits.UPLOAD_PAUSE.high):
                    message = await receive()
            except TimeoutError:
                raise _RefusedError(408, "This file has stopped arriving.") from None
            more = len(message.get("body", b""))
            arrived, self._bytes = arrived + more, self._bytes + more
            if _total_size() + self._bytes > limits.UPLOAD_BYTES.high:
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
            pass  # the connection is closed
        except _RefusedError as error:
            status, refusal = error.args
            _show_refusal(visit, refusal)
            await PlainTextResponse(refusal, status)(scope, receive, send)

    def _check(self, visit: str, size: int) -> None:
        """Raise `_RefusedError` if a visit may not upload a file of this size."""
        if size > limits.OWN_BYTES.high + _OVERHEAD:
            raise _RefusedError(413, f"This file has {size:,} bytes, and {limits.OWN_BYTES.high:,} are allowed.")
        if len(_sizes_by_visit().get(visit, ())) + self._arriving[visit] >= limits.UPLOADS_EACH.high:
            raise _RefusedError(503, f"This visit has {limits.UPLOADS_EACH.high} files under way, as many as it may.")
        if _total_size() + self._bytes + size > limits.UPLOAD_BYTES.high:
            raise _RefusedError(503, _FULL)


def _show_refusal(visit: str, refusal: str) -> None:
    """Have a visit's page show why an upload was refused: the browser shows only the status."""
    rerun_with(visit, REFUSAL, refusal)


def _size(scope: Scope) -> int:
    """Return the announced size of a file in bytes, or the largest allowed one if it is not announced."""
    headers = Headers(scope=scope)
    announced = "" if "transfer-encoding" in headers else headers.get("content-length", "")
    return int(announced) if announced.isdecimal() else int(limits.OWN_BYTES.high)


class UnreadUploads:
    """Finds uploaded files that no page has read, and deletes them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[str, str], float] = {}

    def delete_unread(self, server: runtime.Runtime) -> None:
        """Delete files that have been there for longer than a page takes to read them."""
        now = self._clock()
        files = [(visit, file) for visit, names in uploads(server).items() for file in names]
        self._since = {one: self._since.get(one, now) for one in files}
        for visit, file in files:
            if now - self._since[visit, file] > limits.UNREAD_SECONDS.high:
                drop_upload(server, visit, file)

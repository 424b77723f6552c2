"""Send compressed answers: Streamlit's scripts and style sheets are compressed once for all visitors, 7 MB to 2."""

from __future__ import annotations

import asyncio
import gzip
import re
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server import requests
from server.streamlit_internals import static_folder

_KINDS = {".js": "text/javascript", ".css": "text/css"}
# A file's name contains a hash of its content, so a cached copy never becomes outdated.
_HEADERS = {
    "Content-Encoding": "gzip",
    "Vary": "Accept-Encoding",
    "Cache-Control": "public, immutable, max-age=31536000",
}


class AcceptedEncoding:
    """Middleware that replaces the header Accept-Encoding by `gzip` or `identity`, whichever it means.

    Starlette and Streamlit only look for the word gzip, and would compress an answer to `gzip;q=0` as well.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does to the replaced header."""
        if scope["type"] == "http":
            scope = dict(scope)
            given = MutableHeaders(scope=scope)
            accepted = ",".join(given.getlist("accept-encoding"))
            del given["accept-encoding"]
            given["accept-encoding"] = "gzip" if _accepts_gzip(accepted) else "identity"
        await self.app(scope, receive, send)


class CompressedFiles:
    """Middleware that sends files of `/static/` compressed where a browser accepts it. Follows `AcceptedEncoding`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the compressed file, if there is one for the request, else as the app does."""
        file = _file(scope)
        if file is None:
            await self.app(scope, receive, send)
            return
        body = await asyncio.to_thread(_compressed, file)
        await Response(body, media_type=_KINDS[file.suffix], headers=_HEADERS)(scope, receive, send)


def _file(scope: Scope) -> Path | None:
    """Return the file to be sent compressed; None for any other request."""
    if scope["type"] != "http" or scope["method"] != "GET" or Headers(scope=scope).get("accept-encoding") != "gzip":
        return None
    return _files().get(requests.address(scope))


def _accepts_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding accepts gzip: quality 0 does not (RFC 9110, 12.5.3), x-gzip means the same."""
    parts = (re.sub(r"\s", "", one).partition(";q=") for one in accepted.lower().split(","))
    qualities = {name: quality for name, _, quality in parts}
    quality = qualities.get("gzip", qualities.get("x-gzip", "0"))
    return re.fullmatch(r"0(\.0*)?", quality) is None


@cache
def _files() -> dict[str, Path]:
    """Return the files that can be compressed, by their addresses."""
    root = static_folder()
    found = (file for file in (root / "static").rglob("*") if file.suffix in _KINDS)
    return {file.relative_to(root).as_posix(): file for file in found}


@cache
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), mtime=0)

"""Streamlit's scripts and style sheets, packed once for all visitors: two megabytes each instead of seven."""

from __future__ import annotations

import asyncio
import gzip
import re
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from pages.kit import asked

_KINDS = {".js": "text/javascript", ".css": "text/css"}
# A file's name holds a digest of what is in it, so what a browser has kept of it stays right.
_HEADERS = {
    "Content-Encoding": "gzip",
    "Vary": "Accept-Encoding",
    "Cache-Control": "public, immutable, max-age=31536000",
}


class Codings:
    """Middleware that tells what follows whether a browser can unpack gzip, and of no other coding.

    Starlette and Streamlit look for the word alone, and would pack what is asked for with `gzip;q=0` as well.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does to `gzip` or to `identity`."""
        if scope["type"] == "http":
            scope = dict(scope)
            given = MutableHeaders(scope=scope)
            accepted = ",".join(given.getlist("accept-encoding"))
            del given["accept-encoding"]
            given["accept-encoding"] = "gzip" if _can_unpack(accepted) else "identity"
        await self.app(scope, receive, send)


class PackedFiles:
    """Middleware that sends files of `/static/`, packed, to browsers that can unpack them, as `Codings` says."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, but for files that can be packed."""
        file = _file(scope)
        if file is None:
            await self.app(scope, receive, send)
            return
        body = await asyncio.to_thread(_packed, file)
        await Response(body, media_type=_KINDS[file.suffix], headers=_HEADERS)(scope, receive, send)


def _file(scope: Scope) -> Path | None:
    """The file that a browser asks for and can unpack; None for anything else."""
    if scope["type"] != "http" or scope["method"] != "GET" or Headers(scope=scope).get("accept-encoding") != "gzip":
        return None
    return _files().get(asked.address(scope))


def _can_unpack(accepted: str) -> bool:
    """Whether an Accept-Encoding takes gzip: one of quality 0 does not (RFC 9110, 12.5.3), x-gzip is the same."""
    parts = (re.sub(r"\s", "", one).partition(";q=") for one in accepted.lower().split(","))
    qualities = {name: quality for name, _, quality in parts}
    quality = qualities.get("gzip", qualities.get("x-gzip", "0"))
    return re.fullmatch(r"0(\.0*)?", quality) is None


@cache
def _files() -> dict[str, Path]:
    """The files that can be packed, by their addresses."""
    root = Path(get_static_dir())
    found = (file for file in (root / "static").rglob("*") if file.suffix in _KINDS)
    return {file.relative_to(root).as_posix(): file for file in found}


@cache
def _packed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), mtime=0)

"""Streamlit's scripts and style sheets, packed once for all visitors: two megabytes each instead of seven."""

from __future__ import annotations

import asyncio
import gzip
import re
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
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


class PackedFiles:
    """Middleware that sends files of `/static/`, packed, to browsers that can unpack them."""

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
    if (
        scope["type"] != "http"
        or scope["method"] != "GET"
        or not _can_unpack(Headers(scope=scope).get("accept-encoding", ""))
    ):
        return None
    return _files().get(asked.address(scope))


def _can_unpack(accepted: str) -> bool:
    """Whether an Accept-Encoding takes gzip: one of quality 0 does not (RFC 9110, 12.5.3)."""
    for one in accepted.lower().split(","):
        name, _, quality = one.replace(" ", "").partition(";q=")
        if name == "gzip":
            return re.fullmatch(r"0(\.0*)?", quality) is None
    return False


@cache
def _files() -> dict[str, Path]:
    """The files that can be packed, by their addresses."""
    root = Path(get_static_dir())
    found = (file for file in (root / "static").rglob("*") if file.suffix in _KINDS)
    return {file.relative_to(root).as_posix(): file for file in found}


@cache
def _packed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), mtime=0)

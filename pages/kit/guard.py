"""Who may ask the server, for what, and what every answer tells the browser to allow."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Set
from functools import cache
from html import escape
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.file_util import get_static_dir
from streamlit.runtime.state.query_params import CLIENT_STATE_QUERY_STRING_MAX_FIELDS

from pages.kit import asked, first_screen, notice
from pages.kit.told import FRAMES, HOSTS, checked
from privdemo import limits

# Whether the server tells its figures to whoever asks.
METRICS = "PRIVDEMO_METRICS"
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
# What Streamlit answers itself besides its files, and what it takes; for everything else it sends its page of HTML.
# Its pages for logging in, and for programs that use an app, are not for this one.
_READ = re.compile(r"_stcore/(health|host-config|metrics)|(media|component|_stcore/bidi-components)/.+")
_WRITTEN = re.compile(r"_stcore/upload_file/[^/]+/[^/]+")
_METRICS = "_stcore/metrics"
# What may be asked of a page or a file, and of a file that is brought; of each what that is, which is answered here.
_READING, _WRITING, _ASKING = ("GET", "HEAD"), ("PUT", "DELETE"), "OPTIONS"
_TITLES = {
    403: "Not from here",
    404: "Nothing is here",
    405: "That cannot be done here",
    414: "This link is too long",
    421: "Another name",
}
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_DENIED = "accelerometer camera display-capture geolocation gyroscope magnetometer microphone midi payment usb"


class Guard:
    """Middleware that answers for known hosts and known addresses only, each time with the headers of `headers`.

    Routes at addresses like `routes` say themselves which methods and origins they refuse, and may bring a policy of
    their own.
    """

    def __init__(self, app: ASGIApp, addresses: Callable[[], Set[str]], routes: re.Pattern[str] | None = None) -> None:
        self.app, self.addresses, self.routes = app, addresses, routes
        self.hosts = {*_LOCAL, *(name.removesuffix(".") for name in checked(HOSTS))}
        self.headers = headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say in a sentence why not."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                given = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    given.setdefault(name, value)
            await send(message)

        refused = self._refused(scope)
        if refused is None:
            answer = Response(status_code=204, headers=_allow(scope)) if self._asks(scope) else self.app
            await answer(scope, receive, send_with_headers)
        elif scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": refused[1][:120]})
        else:
            status, sentence = refused
            allowed = _allow(scope) if status == 405 else None
            await notice.page(_TITLES[status], sentence, status, allowed)(scope, receive, send_with_headers)

    def _asks(self, scope: Scope) -> bool:
        """Whether it is asked only what may be asked here."""
        its_own = self.routes and self.routes.fullmatch(asked.address(scope))
        return scope["type"] == "http" and scope["method"] == _ASKING and not its_own

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        """Why there is no answer, with the status that says so; None where there is one."""
        given = Headers(scope=scope)
        host = re.sub(r"\.?(:\d+)?$", "", given.get("host", ""), count=1).lower()
        if host not in self.hosts:
            known = ", ".join(sorted(self.hosts))
            return 421, (
                f"This server answers as {known} and was asked for as “{escape(host)}”. "
                f"Whoever runs it can add that name to {HOSTS}."
            )
        if scope["type"] == "websocket":
            return None if asked.is_from_here(given) else (403, "A connection must come from a page of this server.")
        address = asked.address(scope)
        if too_long := self._too_long(scope, address):
            return 414, too_long
        if address == _METRICS and not os.environ.get(METRICS):
            return 404, f"The server keeps its figures to itself; {METRICS}=1 shows them."
        if self.routes and self.routes.fullmatch(address):
            return None
        if not self._known(address, reads=scope["method"] in ("GET", "HEAD")):
            return 404, f"There is no page “/{escape(address)}”. <a href='/'>Go to the first page.</a>"
        if scope["method"] not in _allowed(address):
            return 405, f"This address takes {', '.join(_allowed(address))} only, and got {escape(scope['method'])}."
        if scope["method"] in _WRITING and not asked.is_from_here(given):
            return 403, "This server takes files from its own pages only."
        return None

    def _too_long(self, scope: Scope, address: str) -> str | None:
        """Why a link is too long to be answered with its page, which says so itself of one not quite as long."""
        query = scope.get("query_string", b"")
        length, settings = len(scope["path"]) + len(query), query.count(b"&") + 1
        if not limits.ADDRESS_BYTES.contains(max(1, length)):
            said = f"{length:,} characters, and {limits.LINK_BYTES.high:,} are allowed for its settings"
        elif settings > CLIENT_STATE_QUERY_STRING_MAX_FIELDS:
            said = f"{settings:,} settings, and {CLIENT_STATE_QUERY_STRING_MAX_FIELDS:,} are allowed"
        else:
            return None
        page = address if address in self.addresses() else ""
        return f"This link has {said}. <a href='/{page}'>Open the page without them</a>, and choose them there."

    def _known(self, address: str, reads: bool) -> bool:
        """Whether there is something to read at an address, or to write to: a page, a file, or what Streamlit has."""
        address = address.removesuffix("/")  # Streamlit sends the browser on to the address without
        if not reads and _WRITTEN.fullmatch(address):
            return True
        return address in self.addresses() or address in _files() or _READ.fullmatch(address) is not None


def _allowed(address: str) -> tuple[str, ...]:
    """The methods that an address takes."""
    return (*(_WRITING if _WRITTEN.fullmatch(address.removesuffix("/")) else _READING), _ASKING)


def _allow(scope: Scope) -> dict[str, str]:
    """The header that says so."""
    return {"Allow": ", ".join(_allowed(asked.address(scope)))}


@cache
def _files() -> set[str]:
    """The addresses of Streamlit's own files, but for the page of HTML, which every page is sent as."""
    root = Path(get_static_dir())
    files = {file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()}
    return files - {"index.html"}


def headers() -> dict[str, str]:
    """Headers of every answer: all that a page loads comes from here, and no other page shows it in a frame."""
    scripts = " ".join(f"'sha256-{digest}'" for digest in _digests())
    frames = " ".join(checked(FRAMES)) or "'none'"
    policy = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {scripts}",  # Streamlit loads components from blobs
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": frames,
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": ", ".join(f"{name}=()" for name in _DENIED.split()),
    }


def _digests() -> Iterator[str]:
    """The digests of the scripts within the page of HTML: Streamlit's, and that of the first screen."""
    for script in (*_SCRIPT.findall(first_screen.empty_page()), first_screen.SCRIPT):
        yield base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

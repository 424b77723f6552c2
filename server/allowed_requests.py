"""Refuse requests for other hosts, for addresses that do not exist, and by methods that an address does not take."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Set
from functools import cache
from html import escape

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from privdemo import limits
from server import notice, requests, room
from server.own_computer import LOCAL_HOSTS
from server.server_settings import HOSTS, METRICS, checked
from server.streamlit_internals import MAX_LINK_SETTINGS, static_folder

# Addresses of Streamlit's own besides its files. For any other address it sends its page of HTML. Its pages for logging
# in, and those for programs that use an app, are left out: this app has neither.
_READ = re.compile(r"_stcore/(health|host-config|metrics)|(media|component|_stcore/bidi-components)/.+")
_UPLOAD = re.compile(r"_stcore/upload_file/[^/]+/[^/]+")
_METRICS = "_stcore/metrics"
_READING_METHODS, _UPLOAD_METHODS, _OPTIONS = ("GET", "HEAD"), ("PUT", "DELETE"), "OPTIONS"
_TITLES = {
    403: "Not from here",
    404: "Nothing is here",
    405: "That cannot be done here",
    414: "This link is too long",
    421: "Not at this address",
}


class AllowedRequests:
    """Middleware that hands on requests for known hosts and known addresses, and refuses all others in a sentence.

    Routes whose addresses match `routes` check methods and origins themselves. They alone are also requested under the
    hosts at which a poll is open to the `room`; `room.HOST` in the scope tells them so, and they refuse other polls.
    `to_telephones` says in a telephone's language what it finds at a host that is not the app's.
    """

    def __init__(
        self,
        app: ASGIApp,
        addresses: Callable[[], Set[str]],
        routes: re.Pattern[str] | None = None,
        room: room.Room = room.ROOM,
        to_telephones: Callable[[str, bool], notice.Words] | None = None,
    ) -> None:
        self.app, self.addresses, self.routes, self.room = app, addresses, routes, room
        self.to_telephones = to_telephones
        self.hosts = {*LOCAL_HOSTS, *(name.removesuffix(".") for name in checked(HOSTS))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, or with the reason for a refusal."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        host = requests.host(Headers(scope=scope))
        if host not in self.hosts and self._is_of_room(scope, host):
            scope = {**scope, room.HOST: host}
        refusal = self._refusal(scope)
        if refusal is None:
            answer = self._allowed_methods(scope) if self._is_options_request(scope) else self.app
            await answer(scope, receive, send)
        elif scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1][:120]})
        else:
            status, sentence = refusal
            headers = _allow_header(scope) if status == 405 else None
            words = self._to_telephone(scope, host, sentence) or notice.Words(_TITLES[status], sentence)
            await notice.page(words, status, headers)(scope, receive, send)

    def _to_telephone(self, scope: Scope, host: str, sentence: str) -> notice.Words | None:
        """Return what a telephone reads at a host that is not the app's; None where no telephone is sent to.

        Where a poll is open, it is told how to join; at the address of a poll, that none is open, and `sentence`, which
        is for whoever runs the server.
        """
        has_poll = self.room.is_host(host)
        if host in self.hosts or not self.to_telephones or not (has_poll or self._is_route(scope)):
            return None
        words = self.to_telephones(Headers(scope=scope).get("accept-language", ""), has_poll)
        return words if has_poll else words.with_english(sentence)

    def _is_of_room(self, scope: Scope, host: str) -> bool:
        """Return whether a request is for a route, under a host at which a poll is open to the room."""
        return scope["type"] == "http" and self._is_route(scope) and self.room.is_host(host)

    def _is_route(self, scope: Scope) -> bool:
        return self.routes is not None and self.routes.fullmatch(requests.address(scope)) is not None

    def _is_options_request(self, scope: Scope) -> bool:
        """Return whether a request asks which methods an address takes; routes answer that themselves."""
        return scope["type"] == "http" and scope["method"] == _OPTIONS and not self._is_route(scope)

    @staticmethod
    def _allowed_methods(scope: Scope) -> Response:
        """Answer which methods an address takes."""
        return Response(status_code=204, headers=_allow_header(scope))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the sentence with which a request is refused; None for one that is not."""
        headers = Headers(scope=scope)
        host = requests.host(headers)
        if host not in self.hosts and room.HOST not in scope:
            if self.room.is_host(host):
                return 421, "Only a poll is open here. <a href='/p/'>Go to it with the code</a> beside the question."
            known = ", ".join(sorted(self.hosts))
            return 421, (
                f"This server answers as {known} and was asked for as “{escape(host)}”. "
                f"Whoever runs it can add that name to {HOSTS}."
            )
        if scope["type"] == "websocket":
            from_here = requests.is_same_origin(headers)
            return None if from_here else (403, "A connection must come from a page of this server.")
        address, method = requests.address(scope), scope["method"]
        if too_long := self._too_long(scope, address):
            return 414, too_long
        if address == _METRICS and not os.environ.get(METRICS):
            return 404, f"The server keeps its figures to itself; {METRICS}=1 shows them."
        if self._is_route(scope):
            return None
        if not self._exists(address, reads=method in _READING_METHODS):
            return 404, f"There is no page “/{escape(address)}”. <a href='/'>Go to the first page.</a>"
        if method not in _methods(address):
            return 405, f"This address takes {', '.join(_methods(address))} only, and got {escape(method)}."
        if method in _UPLOAD_METHODS and not requests.is_same_origin(headers):
            return 403, "This server takes files from its own pages only."
        return None

    def _too_long(self, scope: Scope, address: str) -> str | None:
        """Return why a link is refused for its length; one not quite as long is opened, and its page says so itself."""
        query = scope.get("query_string", b"")
        length, settings = len(scope["path"]) + len(query), query.count(b"&") + 1
        if not limits.ADDRESS_BYTES.contains(max(1, length)):
            too_much = f"{length:,} characters, and {limits.LINK_LENGTH.high:,} are allowed for its settings"
        elif settings > MAX_LINK_SETTINGS:
            too_much = f"{settings:,} settings, and {MAX_LINK_SETTINGS:,} are allowed"
        else:
            return None
        page = address if address in self.addresses() else ""
        return f"This link has {too_much}. <a href='/{page}'>Open the page without them</a>, and choose them there."

    def _exists(self, address: str, reads: bool) -> bool:
        """Return whether there is a page, a file or a place for uploads at an address."""
        address = address.removesuffix("/")  # Streamlit sends the browser on to the address without
        if not reads and _UPLOAD.fullmatch(address):
            return True
        return address in self.addresses() or address in _files() or _READ.fullmatch(address) is not None


def _methods(address: str) -> tuple[str, ...]:
    """Return the methods that an address takes."""
    return (*(_UPLOAD_METHODS if _UPLOAD.fullmatch(address.removesuffix("/")) else _READING_METHODS), _OPTIONS)


def _allow_header(scope: Scope) -> dict[str, str]:
    """Return the header that names the methods of an address."""
    return {"Allow": ", ".join(_methods(requests.address(scope)))}


@cache
def _files() -> set[str]:
    """Return the addresses of Streamlit's own files, but for the page of HTML that is sent for every page."""
    root = static_folder()
    files = {file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()}
    return files - {"index.html"}

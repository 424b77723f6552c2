"""The waiting room: where as many look at the app as it can serve, newcomers wait on a light page that tries again."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import Counter
from collections.abc import Callable, Set
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from pages.kit import asked, notice, one_of_many
from pages.polls.bucket import network
from privdemo import limits

# Seconds after which a waiting page tries again, and after which one that has not is gone.
AGAIN, GONE = 5, 12.0
# Seconds for which one who was let in may take to connect, and keeps a place.
COMING = 10.0
# How far beyond the bound visits may be until connections are refused: who loads a page slowly still gets in.
BEYOND = 1.1
_COOKIE = "privdemo_waits"


class Asked(NamedTuple):
    """When somebody who has not connected yet asked last, and from which network."""

    when: float
    network: str


def visitors() -> int:
    """How many visits this server has at this moment."""
    return runtime.get_instance()._session_mgr.num_active_sessions() if runtime.exists() else 0


def is_known(visit: str) -> bool:
    """Whether this server knows a visit, so that whoever names it comes back to it."""
    return runtime.exists() and any(
        info.session.id == visit for info in runtime.get_instance()._session_mgr.list_sessions()
    )


class WaitingRoom:
    """Middleware that sends newcomers a light page instead of one of `addresses`, while there are too many visits.

    Who connects without having asked for a page is refused where there are far too many. A browser then tries again by
    itself, ever more seldom.
    """

    def __init__(
        self,
        app: ASGIApp,
        addresses: Callable[[], Set[str]],
        visits: Callable[[], int] = visitors,
        clock: Callable[[], float] = time.monotonic,
        known: Callable[[str], bool] = is_known,
    ) -> None:
        self.app, self.addresses, self.visits, self.clock, self.known = app, addresses, visits, clock, known
        # Who waits, by the name that it was given, the one who has waited longest first.
        self.waiting: dict[str, Asked] = {}
        # Who was let in and has not connected yet: with those who have, no more than may be there.
        self.coming: list[Asked] = []
        self._secret = secrets.token_bytes(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, or with the light page."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
            return
        asks_for_page = (
            scope["type"] == "http" and scope["method"] == "GET" and asked.address(scope) in self.addresses()
        )
        if not asks_for_page:
            await self.app(scope, receive, send)
            return
        name = self._given(Request(scope).cookies.get(_COOKIE, ""))
        if (words := self._wait(name, _network(scope))) is None:
            await self.app(scope, receive, send)
            return
        again = {"Refresh": str(AGAIN), "Retry-After": str(AGAIN)}
        answer = notice.page(
            "Please wait a moment", f"{words} This page tries again every {AGAIN} seconds.", 503, again
        )
        answer.set_cookie(
            _COOKIE, name or self.signed(secrets.token_hex(16)), httponly=True, samesite="lax", max_age=60
        )
        await answer(scope, receive, send)

    def signed(self, one: str) -> str:
        """A name for one who waits, which nobody else can make up."""
        return f"{one}.{hmac.new(self._secret, one.encode(), 'sha256').hexdigest()}"

    def _given(self, name: str) -> str:
        """The name, if it was given here; else none."""
        return name if hmac.compare_digest(self.signed(name.partition(".")[0]).encode(), name.encode()) else ""

    def _wait(self, name: str, whence: str) -> str | None:
        """Why one who comes has to wait, and for how many; None for one who need not.

        Only who comes again under the name that it was given has a place in the line. One network has at most half of
        the line, and half of the places of those who were let in and have not connected. Who waits keeps no more free
        than its network may still take: whoever asks for a page four hundred times closes the door to that network
        alone.
        """
        now, room = self.clock(), one_of_many.visits()
        half = max(1, room // 2)
        self.waiting = {one: asked for one, asked in self.waiting.items() if now - asked.when < GONE}
        self.coming = [one for one in self.coming if now - one.when < COMING]
        self._stand(name, Asked(now, whence))
        names = list(self.waiting)
        before = names.index(name) if name in self.waiting else len(names)
        line = f"You are number {before + 1} of those who wait."
        ahead = Counter(self.waiting[one].network for one in names[:before])
        held = Counter(one.network for one in self.coming)
        first = sum(min(many, max(0, half - held[there])) for there, many in ahead.items())
        if self.visits() + len(self.coming) + first >= room:
            coming = f", and {_have(len(self.coming))} just been let in" if self.coming else ""
            longer = f", and {_have(first)} waited longer" if self.visits() + len(self.coming) < room else ""
            return (
                f"{self.visits()} people look at privdemo now{coming}{longer}: as many as this server can serve. {line}"
            )
        if held[whence] + ahead[whence] >= half:
            longer = f", and {_have(ahead[whence])} waited longer" if held[whence] < half else ""
            return (
                f"{held[whence]} people have just been let in from your network{longer}: as many as may come from "
                f"there at once. {line}"
            )
        self.waiting.pop(name, None)
        self.coming.append(Asked(now, whence))
        return None

    def _stand(self, name: str, asked: Asked) -> None:
        """Put a name in the line, where there is room in it and in the part of its network, or keep it there."""
        if name in self.waiting:
            self.waiting[name] = self.waiting[name]._replace(when=asked.when)
            return
        from_there = sum(one.network == asked.network for one in self.waiting.values())
        if name and len(self.waiting) < limits.WAITING.high and from_there < limits.WAITING.high // 2:
            self.waiting[name] = asked

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Connect a visitor, who from then on is one of the visits and no longer one who is coming."""
        if self.known(_visit(scope)):
            await self.app(scope, receive, send)
            return
        if self.visits() >= BEYOND * one_of_many.visits():
            await send({"type": "websocket.close", "code": 1013, "reason": "As many look at privdemo as it can serve."})
            return
        times, whence = 0, _network(scope)

        async def receive_as_visit() -> Message:
            nonlocal times
            times += 1
            if times == 2 and self.coming:  # after the handshake, when the visit is counted
                self.coming.remove(next((one for one in self.coming if one.network == whence), self.coming[0]))
            return await receive()

        await self.app(scope, receive_as_visit, send)


def _have(people: int) -> str:
    return "1 has" if people == 1 else f"{people} have"


def _visit(scope: Scope) -> str:
    """The visit that a browser whose connection was lost comes back to; Streamlit names it third in this header."""
    named = Headers(scope=scope).get("sec-websocket-protocol", "").split(",")
    return named[2].strip() if len(named) > 2 else ""


def _network(scope: Scope) -> str:
    """The network from which somebody asks."""
    return network(scope["client"][0]) if scope.get("client") else ""

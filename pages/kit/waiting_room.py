"""The waiting room: where as many look at the app as it can serve, newcomers wait on a light page that tries again."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Set
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from pages.kit import asked, one_of_many
from privdemo import limits

# Seconds after which a waiting page tries again, and after which one that has not is gone.
AGAIN, GONE = 5, 12.0
# Seconds for which one who was let in may take to connect, and keeps a place.
COMING = 10.0
# How far beyond the bound visits may be until connections are refused: who loads a page slowly still gets in.
BEYOND = 1.1
_COOKIE = "privdemo_waits"


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
        # When each who waits tried last, the one who has waited longest first.
        self.waiting: dict[str, float] = {}
        # When each was let in who has not connected yet: with those who have, no more than may be there.
        self.coming: deque[float] = deque()

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
        name = Request(scope).cookies.get(_COOKIE) or uuid4().hex
        if (place := self._place(name)) is None:
            await self.app(scope, receive, send)
            return
        answer = HTMLResponse(
            _page(self.visits() + len(self.coming), place), 503, {"Refresh": str(AGAIN), "Retry-After": str(AGAIN)}
        )
        answer.set_cookie(_COOKIE, name, httponly=True, samesite="lax", max_age=60)
        await answer(scope, receive, send)

    def _place(self, name: str) -> int | None:
        """The place of one who comes among those who wait; None for one who need not wait."""
        now = self.clock()
        self.waiting = {one: last for one, last in self.waiting.items() if now - last < GONE}
        if len(self.waiting) < limits.WAITING.high:
            self.waiting[name] = now
        place = list(self.waiting).index(name) + 1 if name in self.waiting else len(self.waiting) + 1
        while self.coming and now - self.coming[0] >= COMING:
            self.coming.popleft()
        if self.visits() + len(self.coming) + place > one_of_many.visits():
            return place
        self.waiting.pop(name, None)
        self.coming.append(now)
        return None

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Connect a visitor, who from then on is one of the visits and no longer one who is coming."""
        if self.known(_visit(scope)):
            await self.app(scope, receive, send)
            return
        if self.visits() >= BEYOND * one_of_many.visits():
            await send({"type": "websocket.close", "code": 1013, "reason": "As many look at privdemo as it can serve."})
            return
        times = 0

        async def receive_as_visit() -> Message:
            nonlocal times
            times += 1
            if times == 2 and self.coming:  # after the handshake, when the visit is counted
                self.coming.popleft()
            return await receive()

        await self.app(scope, receive_as_visit, send)


def _visit(scope: Scope) -> str:
    """The visit that a browser whose connection was lost comes back to; Streamlit names it third in this header."""
    named = Headers(scope=scope).get("sec-websocket-protocol", "").split(",")
    return named[2].strip() if len(named) > 2 else ""


def _page(visits: int, place: int) -> str:
    return (
        '<!DOCTYPE html><html lang="en"><title>privdemo: please wait</title>'
        '<meta name="viewport" content="width=device-width"><body style="font-family:sans-serif;margin:2rem">'
        f"<h1>Please wait a moment</h1><p>{visits} people look at privdemo now, as many as this server can serve. "
        f"You are number {place} of those who wait. This page tries again every {AGAIN} seconds.</p></body></html>"
    )

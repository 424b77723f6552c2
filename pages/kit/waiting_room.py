"""The waiting room: where as many look at the app as it can serve, newcomers wait on a light page that tries again."""

from __future__ import annotations

import time
from collections.abc import Callable, Set
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime

from pages.kit import one_of_many
from privdemo import limits

# Seconds after which a waiting page tries again, and after which one that has not is gone.
AGAIN, GONE = 5, 12.0
_COOKIE = "privdemo_waits"


def visitors() -> int:
    """How many visits this server has at this moment."""
    return runtime.get_instance()._session_mgr.num_active_sessions() if runtime.exists() else 0


class WaitingRoom:
    """Middleware that sends newcomers a light page instead of one of `addresses`, while there are too many visits."""

    def __init__(
        self,
        app: ASGIApp,
        addresses: Callable[[], Set[str]],
        visits: Callable[[], int] = visitors,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app, self.addresses, self.visits, self.clock = app, addresses, visits, clock
        # When each who waits tried last, the one who has waited longest first.
        self.waiting: dict[str, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, or with the light page."""
        asks_for_page = (
            scope["type"] == "http" and scope["method"] == "GET" and scope["path"].strip("/") in self.addresses()
        )
        if not asks_for_page:
            await self.app(scope, receive, send)
            return
        name = Request(scope).cookies.get(_COOKIE) or uuid4().hex
        if (place := self._place(name)) is None:
            await self.app(scope, receive, send)
            return
        answer = HTMLResponse(_page(self.visits(), place), 503, {"Refresh": str(AGAIN), "Retry-After": str(AGAIN)})
        answer.set_cookie(_COOKIE, name, httponly=True, samesite="lax", max_age=60)
        await answer(scope, receive, send)

    def _place(self, name: str) -> int | None:
        """The place of one who comes among those who wait; None for one who need not wait."""
        now = self.clock()
        self.waiting = {one: last for one, last in self.waiting.items() if now - last < GONE}
        if len(self.waiting) < limits.WAITING.high:
            self.waiting[name] = now
        place = list(self.waiting).index(name) + 1 if name in self.waiting else len(self.waiting) + 1
        if self.visits() + place > one_of_many.visits():
            return place
        self.waiting.pop(name, None)
        return None


def _page(visits: int, place: int) -> str:
    return (
        '<!DOCTYPE html><html lang="en"><title>privdemo: please wait</title>'
        '<meta name="viewport" content="width=device-width"><body style="font-family:sans-serif;margin:2rem">'
        f"<h1>Please wait a moment</h1><p>{visits} people look at privdemo now, as many as this server can serve. "
        f"You are number {place} of those who wait. This page tries again every {AGAIN} seconds.</p></body></html>"
    )

"""Connections, and what comes over them, are taken one at a time: in between the server answers whoever else asks.

Each may start a thread, for which the server waits while other threads compute. Two hundred browsers that connect at
once would otherwise be taken in one go, and nobody else be answered for seconds.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Pace:
    """Middleware that lets the server look at everything else between two connections, or two of their messages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._turn = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, in its turn."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return

        async def receive_in_turn() -> Message:
            message = await receive()
            await self._next()
            return message

        await self._next()
        await self.app(scope, receive_in_turn, send)

    async def _next(self) -> None:
        """Wait until all who came before have been taken, and then once for everything else that is to be done."""
        async with self._turn:
            await asyncio.sleep(0)

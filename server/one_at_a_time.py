"""Handle WebSocket connections and their messages one at a time, so that other requests are answered in between."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class OneAtATime:
    """Middleware that lets the event loop run everything else between two connections, or two of their messages.

    Each may start a thread, for which the loop waits while other threads compute. If two hundred browsers connected at
    once without this, all would be handled in one go, and no other request would be answered for seconds.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._lock = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, after the connections and messages that came before."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return

        async def receive_one() -> Message:
            message = await receive()
            await self._let_others_run()
            return message

        await self._let_others_run()
        await self.app(scope, receive_one, send)

    async def _let_others_run(self) -> None:
        """Wait for what came before, and then once for everything else that the event loop has to do."""
        async with self._lock:
            await asyncio.sleep(0)

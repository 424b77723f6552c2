"""Connections and their messages are handled one at a time, with other work of the event loop in between."""

import asyncio

from server.one_at_a_time import OneAtATime
from tests.server.asking import in_a_loop


async def ticks_at_each_step(middleware):
    """Return the event loop's iteration at which each of ten connections, and each message, was handled."""
    found, ticks = [], 0

    async def app(scope, receive, send):
        found.append(ticks)
        await receive()
        found.append(ticks)

    async def receive():
        return {"type": "websocket.receive"}

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    clock = asyncio.create_task(tick())
    guarded = middleware(app)
    await asyncio.gather(*(guarded({"type": "websocket"}, receive, None) for _ in range(10)))
    clock.cancel()
    return found


def test_whoever_else_asks_is_answered_between_two_of_a_class_that_connects_at_once():
    assert len(set(in_a_loop(ticks_at_each_step(OneAtATime)))) == 20
    assert len(set(in_a_loop(ticks_at_each_step(lambda app: app)))) == 1, "all at once without"

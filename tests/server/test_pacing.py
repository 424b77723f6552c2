"""Connections and their messages are taken one at a time, and the server looks at everything else in between."""

import asyncio

from server.pacing import OneAtATime
from tests.server.asking import in_a_loop


async def ticks_at_each_step(middleware):
    """How often the loop had come round when each of ten connections was taken, and each of their messages."""
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

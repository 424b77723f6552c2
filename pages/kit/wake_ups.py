"""The server's event loop is woken once for all that a script hands it in a row.

A script hands each of a page's many messages to the loop by itself, and asyncio wakes the loop for each: the script
and the loop then take turns at the interpreter a hundred times for a page, which costs a tenth of it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any


def gather(loop: asyncio.AbstractEventLoop) -> None:
    """Have calls from other threads wait for each other until the loop is awake; their order stays."""
    if not isinstance(loop, asyncio.BaseEventLoop):  # others, such as uvloop's, do so by themselves
        return
    wake, lock = loop.call_soon_threadsafe, threading.Lock()
    waiting: deque[tuple[asyncio.Handle, Callable[..., object], tuple[Any, ...], Context]] = deque()

    def run_all() -> None:
        with lock:
            now = list(waiting)
            waiting.clear()
        for handle, callback, args, context in now:
            if not handle.cancelled():
                loop.call_soon(callback, *args, context=context)

    def call(callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        context = context or copy_context()
        handle = asyncio.Handle(callback, args, loop, context)
        with lock:
            asleep = not waiting
            waiting.append((handle, callback, args, context))
        if asleep:
            try:
                wake(run_all)
            except RuntimeError:  # the loop is closed
                waiting.clear()
                raise
        return handle

    loop.call_soon_threadsafe = call  # type: ignore[method-assign]

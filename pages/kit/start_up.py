"""What is set once, when the server starts."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any

from starlette.formparsers import MultiPartParser
from threadpoolctl import threadpool_limits

from pages.kit import cache, visits, wake_ups
from privdemo import limits

# Seconds between collections of garbage.
COLLECT_EVERY = 10.0
# How many new objects Python looks through by itself, and how seldom through older ones: all of them, which takes a
# tenth of a second under two hundred visitors, it would look through every two seconds.
YOUNG = 10_000, 20, 100_000


@asynccontextmanager
async def prepared(_: Any, pages: str) -> AsyncIterator[None]:
    """Prepare the server for the `pages` of a module, for as long as it runs."""
    keep_uploads_in_memory()
    import_module(pages)
    limit_threads()
    freeze_heap()
    send_at_once()
    wake_ups.gather(asyncio.get_running_loop())
    timers = [
        asyncio.create_task(collect_garbage()),
        asyncio.create_task(visits.forget_ended(cache.runner().leave)),
    ]
    yield
    for timer in timers:
        timer.cancel()


async def collect_garbage() -> None:
    """Collect garbage now and then; after each run of a script, as Streamlit would, it costs as much as the run."""
    while True:
        await asyncio.sleep(COLLECT_EVERY)
        await asyncio.to_thread(gc.collect)


def freeze_heap() -> None:
    """Take the loaded libraries, which stay, out of the garbage collector's sight.

    A collection then takes a few milliseconds instead of a hundred, in which nobody is answered. It is done before the
    first visit, as nothing of a visitor may be taken for something that stays.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*YOUNG)


def keep_uploads_in_memory() -> None:
    """Have Streamlit's server keep what visitors bring in memory; it would put it into a file from 1 MB on."""
    MultiPartParser.spool_max_size = 2 * int(limits.OWN_BYTES.high)


def send_at_once() -> None:
    """Have the system send each message to a browser when it is written.

    Streamlit makes its socket in a way in which asyncio does not ask for that. A page's many small messages would wait
    for each other, and a change would be seen 40 ms later.
    """
    if not os.path.isdir("/dev/fd"):
        return
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):  # it is no socket, or closed by now
            found = socket.socket(fileno=int(name))
            if found.type == socket.SOCK_STREAM and found.family in (socket.AF_INET, socket.AF_INET6):
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            found.detach()


def limit_threads() -> None:
    """Give each visitor's small matrices one thread: visitors share the cores, and a whole pool waits for itself.

    A limit is for libraries that are loaded: NumPy and SciPy bring one each.
    """
    for library in ("numpy", "scipy.linalg"):
        import_module(library)
    threadpool_limits(1, user_api="blas")

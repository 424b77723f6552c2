"""Prepare the process once, when the server starts."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

from threadpoolctl import threadpool_limits

from server import visits
from server.http_internals import close_unfinished_requests, keep_uploads_in_memory, read_long_requests
from server.streamlit_internals import avoid_component_proxy_classes

# Seconds between full garbage collections, during which no request is answered.
COLLECT_EVERY = 10.0
# The thresholds of `gc.set_threshold`. After 10,000 new objects Python collects the new ones, and at every second time
# also those that survived one collection: nearly all garbage of a run goes so, in small parts. The third threshold is
# so high that Python starts no full collection by itself: it would every two seconds, and one takes a tenth of a second
# under two hundred visitors. `collect_garbage` runs full collections instead.
GC_THRESHOLDS = 10_000, 2, 100_000


@asynccontextmanager
async def prepared(
    _: Any,
    pages: str,
    on_end: Callable[[], Callable[[str], None]],
    background: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> AsyncIterator[None]:
    """Prepare the server for the `pages` of a module, for as long as it runs.

    `on_end` returns a function to call with the name of each visit that has ended; `background` runs meanwhile.
    """
    keep_uploads_in_memory()
    read_long_requests()
    close_unfinished_requests()
    avoid_component_proxy_classes()
    import_module(pages)
    limit_threads()
    freeze_heap()
    timers = [
        asyncio.create_task(collect_garbage()),
        asyncio.create_task(visits.forget_ended(on_end())),
    ]
    if background:
        timers.append(asyncio.create_task(background()))
    yield
    for timer in timers:
        timer.cancel()


async def collect_garbage() -> None:
    """Collect garbage regularly, instead of after each run of a script, which would cost as much as the run.

    Streamlit does the latter, unless `postScriptGC` is off in .streamlit/config.toml. Young objects are collected
    first; in between, requests are answered.
    """
    while True:
        await asyncio.sleep(COLLECT_EVERY)
        await asyncio.to_thread(gc.collect, 1)
        await asyncio.sleep(COLLECT_EVERY / 50)
        await asyncio.to_thread(gc.collect)


def freeze_heap() -> None:
    """Exclude the loaded libraries, which are never freed, from garbage collection.

    A collection then takes a few milliseconds instead of a hundred, during which no request is answered. Call it before
    the first visit, as what a visitor holds must not be excluded.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def limit_threads() -> None:
    """Give each visitor's small matrices one thread: visitors share the cores, and a whole pool waits for itself.

    A limit is for libraries that are loaded: NumPy and SciPy bring one each.
    """
    for library in ("numpy", "scipy.linalg"):
        import_module(library)
    threadpool_limits(1, user_api="blas")

"""Prepare the process once, when the server starts."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import h11
from starlette.formparsers import MultiPartParser
from threadpoolctl import threadpool_limits
from uvicorn.protocols.http import h11_impl

from privdemo import limits
from server import visits
from server.streamlit_internals import avoid_component_proxy_classes

# Seconds between full garbage collections, during which no request is answered.
COLLECT_EVERY = 10.0
# Seconds within which the head of a request has to arrive, as long as HAProxy waits (deploy/haproxy.cfg).
HEAD_SECONDS = 10.0
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


def keep_uploads_in_memory() -> None:
    """Have Streamlit's server keep what visitors bring in memory; it would put it into a file from 1 MB on."""
    MultiPartParser.spool_max_size = 2 * int(limits.OWN_BYTES.high)


def read_long_requests() -> None:
    """Have Uvicorn read more than 64 kB of a request, so that a link that is too long is refused with a sentence."""
    h11_impl.DEFAULT_MAX_INCOMPLETE_EVENT_SIZE = int(limits.REQUEST_BYTES.high)


def close_unfinished_requests() -> None:
    """Have the server close a connection on which no whole head of a request arrives within `HEAD_SECONDS`.

    Uvicorn has no such bound of its own, and each open connection takes one of the files that a process may have open.
    """
    made = h11_impl.H11Protocol.connection_made

    def connection_made(protocol: h11_impl.H11Protocol, transport: asyncio.Transport) -> None:
        made(protocol, transport)
        protocol.loop.call_later(HEAD_SECONDS, _close_if_unfinished, protocol, protocol.cycle)

    h11_impl.H11Protocol.connection_made = connection_made  # type: ignore[method-assign, assignment]


def _close_if_unfinished(protocol: h11_impl.H11Protocol, last: object) -> None:
    """Close the connection if no request has begun since `last` and none is being answered; else look again later."""
    is_http = protocol in protocol.connections  # it is none any more once it is closed, or became a WebSocket
    is_answered = last is None or protocol.cycle.response_complete  # what else arrives belongs to no request
    if is_http and protocol.cycle is last and (protocol.conn.their_state is h11.IDLE or is_answered):
        protocol.transport.close()
    elif is_http:
        protocol.loop.call_later(HEAD_SECONDS, _close_if_unfinished, protocol, protocol.cycle)


def limit_threads() -> None:
    """Give each visitor's small matrices one thread: visitors share the cores, and a whole pool waits for itself.

    A limit is for libraries that are loaded: NumPy and SciPy bring one each.
    """
    for library in ("numpy", "scipy.linalg"):
        import_module(library)
    threadpool_limits(1, user_api="blas")

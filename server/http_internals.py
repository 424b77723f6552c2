"""Members of Uvicorn, h11 and Starlette that are not part of their public interfaces; nothing else here uses any.

tests/server/test_http_internals.py has a test for each function, which fails when a member that it uses changes.
"""

from __future__ import annotations

import asyncio

import h11
from starlette.formparsers import MultiPartParser
from uvicorn.protocols.http import h11_impl

from privdemo import limits

# Seconds within which the head of a request has to arrive, as long as HAProxy waits (deploy/haproxy.cfg).
HEAD_SECONDS = 10.0


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

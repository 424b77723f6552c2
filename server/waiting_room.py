"""Let in as many visitors as the server can serve; the others wait on a light page that tries again.

Whoever is let in has a place: first for the few seconds until its browser connects, then as long as it stays connected
and somebody looks at the page. Where places are short, those go first to networks that hold few.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Set
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import notice, replica_limits, requests
from server.streamlit_internals import running_server, sessions

# Seconds after which the waiting page tries again, and after which a visitor who has not tried again is forgotten.
AGAIN, GONE = 5, 12.0
# Seconds that a browser may take to connect after it got the page, and then to send its first message.
COMING, FIRST_MESSAGE = 10.0, 10.0
# Seconds without a message after which a connection is closed if somebody waits for its place.
SILENT = 600.0
# A network that holds more than this part of all places gives some up to others.
LARGE = 0.1
# Seconds for which browsers of a network that had to give up a place may not connect again without the page.
NOT_BACK = 30.0
# How far beyond the bound connections are taken from browsers that got no page from this server.
BEYOND = 1.1
# The most waiting networks that are remembered.
_MOST_NETWORKS = 2_000
# The code of the WebSocket protocol for "try again later".
_TRY_AGAIN_LATER = 1013


@dataclass(eq=False)
class Place:
    """A connection: from which `network`, by which `send`, and when its browser last sent a message."""

    network: str
    send: Send
    last_message: float
    is_closed: bool = False

    async def close(self, reason: str) -> None:
        """Close the connection, if it is still there."""
        if not self.is_closed:
            self.is_closed = True
            await self.send({"type": "websocket.close", "code": _TRY_AGAIN_LATER, "reason": reason})


@dataclass(frozen=True)
class Expected:
    """A browser that got the page and has not connected yet: since when, and from which `network`."""

    since: float
    network: str


def is_known(visit: str) -> bool:
    """Return whether this server still has a visit, to which a browser that lost its connection comes back."""
    server = running_server()
    return server is not None and visit in sessions(server)


class WaitingRoom:
    """Middleware that answers requests for one of `addresses` with the waiting page while all places are taken."""

    def __init__(
        self,
        app: ASGIApp,
        addresses: Callable[[], Set[str]],
        clock: Callable[[], float] = time.monotonic,
        known: Callable[[str], bool] = is_known,
    ) -> None:
        self.app, self.addresses, self.clock, self.known = app, addresses, clock, known
        self.places: set[Place] = set()
        self.expected: list[Expected] = []
        # When a visitor of each network last had to wait, and when a network last gave up a place; the latest last.
        self._waiting: OrderedDict[str, float] = OrderedDict()
        self._gave_up: OrderedDict[str, float] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, or with the waiting page."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
            return
        is_page = scope["type"] == "http" and scope["method"] == "GET" and requests.address(scope) in self.addresses()
        if not is_page or self._let_in(requests.network_of(scope)):
            await self.app(scope, receive, send)
            return
        again = {"Refresh": str(AGAIN), "Retry-After": str(AGAIN)}
        words = (
            f"As many people look at privdemo as this server can serve. This page tries again every {AGAIN} seconds."
        )
        await notice.page(notice.Words("Please wait a moment", words), 503, again)(scope, receive, send)

    def _let_in(self, network: str) -> bool:
        """Give a place to a browser that requests a page, and return whether there was one.

        While others wait, one place is reserved for each of their networks that holds fewer places than this one.
        """
        now, n_places = self.clock(), replica_limits.visits()
        self.expected = [one for one in self.expected if now - one.since < COMING]
        _forget(self._waiting, now - GONE)
        held = self._held()
        if held.total() >= n_places:
            has_place = self._free_a_place(network, held, now)
        else:
            has_place = held.total() + sum(held[other] < held[network] for other in self._waiting) < n_places
        if not has_place:
            _remember(self._waiting, network, now)
            return False
        self._waiting.pop(network, None)
        self.expected.append(Expected(now, network))
        return True

    def _held(self) -> Counter[str]:
        """Count the places that each network holds."""
        return Counter([place.network for place in self.places] + [one.network for one in self.expected])

    def _free_a_place(self, network: str, held: Counter[str], now: float) -> bool:
        """Free a place for a browser of `network`; return whether it is free at once.

        The network that holds most gives way, if it holds over a tenth of all places and over twice as many as the
        other: first browsers that have not connected, then the connections that have been silent longest. Of other
        networks only connections give way from which nothing came for `SILENT` seconds.
        """
        n_places = replica_limits.visits()
        most, n = max(held.items(), key=lambda each: each[1], default=("", 0))
        if n > n_places * LARGE and n > 2 * held[network]:
            if first := next((one for one in self.expected if one.network == most), None):
                self.expected.remove(first)
                return held.total() - 1 < n_places
            candidates = [place for place in self.places if place.network == most]
        else:
            candidates = [place for place in self.places if now - place.last_message > SILENT]
        open_ones = sorted((place for place in candidates if not place.is_closed), key=lambda place: place.last_message)
        closing = sum(place.is_closed for place in self.places)
        for place in open_ones[: max(0, held.total() - closing - n_places + 1)]:
            _remember(self._gave_up, place.network, now)
            task = asyncio.ensure_future(place.close("Somebody else waits for this place."))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
        return False

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Connect a browser, which holds a place until it leaves, or sends no first message in time."""
        network, now = requests.network_of(scope), self.clock()
        expected = next((one for one in self.expected if one.network == network), None)
        if not expected and not self._may_connect(_visit(scope), network, now):
            reason = "As many people look at privdemo as it can serve."
            await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER, "reason": reason})
            return
        if expected:
            self.expected.remove(expected)
        place = Place(network, send, now)
        self.places.add(place)
        timer = asyncio.create_task(_close_if_nothing_comes(place))

        async def receive_and_note() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                place.last_message = self.clock()
                timer.cancel()
            return message

        async def send_while_open(message: Message) -> None:
            if not place.is_closed:
                await send(message)

        try:
            await self.app(scope, receive_and_note, send_while_open)
        finally:
            place.is_closed = True
            timer.cancel()
            self.places.discard(place)

    def _may_connect(self, visit: str, network: str, now: float) -> bool:
        """Return whether a browser may connect that has not just got the page from here.

        One that lost its connection may come back to its visit, unless its network gave up a place to another.
        """
        n_held, n_places = len(self.places) + len(self.expected), replica_limits.visits()
        _forget(self._gave_up, now - NOT_BACK)
        _forget(self._waiting, now - GONE)
        others_wait = any(other != network for other in self._waiting)
        if network in self._gave_up and (others_wait or n_held >= n_places):
            return False
        return n_held < BEYOND * n_places or self.known(visit)


async def _close_if_nothing_comes(place: Place) -> None:
    """Close a connection over which no first message comes."""
    await asyncio.sleep(FIRST_MESSAGE)
    await place.close("Nothing was asked for.")


def _remember(times: OrderedDict[str, float], network: str, now: float) -> None:
    """Note a time for a network, and forget the oldest of too many."""
    times[network] = now
    times.move_to_end(network)
    if len(times) > _MOST_NETWORKS:
        times.popitem(last=False)


def _forget(times: OrderedDict[str, float], before: float) -> None:
    """Forget the networks whose times are older than `before`."""
    while times and next(iter(times.values())) <= before:
        times.popitem(last=False)


def _visit(scope: Scope) -> str:
    """Return the visit to which a browser comes back; Streamlit names it third in this header."""
    named = Headers(scope=scope).get("sec-websocket-protocol", "").split(",")
    return named[2].strip() if len(named) > 2 else ""

"""Keep which polls telephones in this room may join, and at which of this computer's own addresses.

A request that asks for such an address gets the pages of those polls, and nothing else. Pages open and close a poll on
their threads, and requests are checked on the event loop. All of it is in the memory of one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from threading import Lock

HOST = "privdemo.room"
"""The key of a request's scope with the host asked for, where the server answers that host for such polls alone."""


@dataclass(frozen=True)
class Opened:
    """A poll that telephones may join under a `host` and a `port`, until a time in seconds since 1970.

    `own` are this computer's own addresses: a request from one of them comes from this computer, not from a telephone.
    `is_reached` says whether a page of the poll was sent to any other address, so that telephones do reach this
    computer. A `host` that is an IPv6 address is in brackets.
    """

    code: str
    host: str
    port: int
    until: float
    own: frozenset[str]
    is_reached: bool = False

    @property
    def site(self) -> str:
        """Return the address of the server without a path, such as http://192.168.1.20:8501."""
        return f"http://{self.host}" if self.port == 80 else f"http://{self.host}:{self.port}"


class Room:
    """The polls that are opened to the room, by their codes."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock, self._lock = clock, Lock()
        self._opened: dict[str, Opened] = {}

    def open(self, code: str, host: str, port: int, seconds: float, own: Collection[str]) -> Opened:
        """Open a poll to the room for the `seconds` for which it takes answers; close an address from before."""
        opened = Opened(code, host, port, self._clock() + seconds, frozenset(own))
        with self._lock:
            self._opened[code] = opened
        return opened

    def close(self, code: str) -> None:
        """Close a poll to the room, if it is open to it."""
        with self._lock:
            self._opened.pop(code, None)

    def opened(self, code: str) -> Opened | None:
        """Return how a poll is open to the room; None if it is not."""
        with self._lock:
            self._forget_expired()
            return self._opened.get(code)

    def is_host(self, host: str) -> bool:
        """Return whether any poll is open under a host, which is without its port."""
        with self._lock:
            self._forget_expired()
            return any(opened.host == host for opened in self._opened.values())

    def is_open(self, code: str, host: str) -> bool:
        """Return whether a poll is open under a host."""
        opened = self.opened(code)
        return opened is not None and opened.host == host

    def note_visit(self, code: str, address: str) -> None:
        """Note that a page of a poll was sent to an address; of another computer, store only that there was one."""
        with self._lock:
            opened = self._opened.get(code)
            if opened and address not in opened.own and not opened.is_reached:
                self._opened[code] = replace(opened, is_reached=True)

    def _forget_expired(self) -> None:
        now = self._clock()
        self._opened = {code: opened for code, opened in self._opened.items() if opened.until > now}


ROOM = Room()
"""The polls of this process that are open to the room."""

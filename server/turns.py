"""Pages are drawn in turns: as many at once as there are cores for it, the others in their order.

All scripts share one interpreter. Two hundred at once would each take a hundred times as long, and none would end.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from server import replica_limits

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


class Turns:
    """So many turns at a time; each that is given back goes to the one who has waited longest.

    A semaphore would let whoever comes at that moment overtake all who wait.
    """

    def __init__(self, free: int) -> None:
        self._free, self._lock = free, threading.Lock()
        self._waiting: deque[threading.Lock] = deque()

    def take(self) -> None:
        """Wait for a turn."""
        with self._lock:
            if self._free:  # then nobody waits
                self._free -= 1
                return
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        mine.acquire()  # until `give_back` hands it over

    def give_back(self) -> None:
        """Hand a turn to the next."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


_TURNS = Turns(replica_limits.scripts())
_MINE = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn, and have it until the context ends; within a turn it is the same turn."""
    if getattr(_MINE, "turn", False):
        yield
        return
    _TURNS.take()
    _MINE.turn = True
    try:
        yield
    finally:
        _MINE.turn = False
        _TURNS.give_back()


@contextmanager
def pause() -> Iterator[None]:
    """Leave the turn to others until the context ends, as one who only waits should; then wait for a turn again."""
    had = getattr(_MINE, "turn", False)
    if had:
        _MINE.turn = False
        _TURNS.give_back()
    try:
        yield
    finally:
        if had:
            _TURNS.take()
            _MINE.turn = True


def in_turn(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """The same function, each call of it in its turn."""

    @wraps(function)
    def call(*args: Given.args, **options: Given.kwargs) -> Returned:
        with turn():
            return function(*args, **options)

    return call

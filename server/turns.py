"""Limit how many scripts run at once to what the cores can do; the others wait in order.

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
    """A semaphore with a queue: a turn that is given back goes to the thread that has waited longest.

    With a plain semaphore a thread that has just arrived could overtake all that wait.
    """

    def __init__(self, free: int) -> None:
        self._free, self._lock = free, threading.Lock()
        self._waiting: deque[threading.Lock] = deque()

    def take(self) -> None:
        """Wait for a turn."""
        with self._lock:
            if self._free:  # then no thread waits
                self._free -= 1
                return
            own_lock = threading.Lock()
            own_lock.acquire()
            self._waiting.append(own_lock)
        own_lock.acquire()  # blocks until `give_back` releases it

    def give_back(self) -> None:
        """Give a turn to the next thread in the queue."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


_TURNS = Turns(replica_limits.scripts())
_THREAD = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn, and hold it until the context ends; a thread that holds one already keeps it."""
    if getattr(_THREAD, "turn", False):
        yield
        return
    _TURNS.take()
    _THREAD.turn = True
    try:
        yield
    finally:
        _THREAD.turn = False
        _TURNS.give_back()


@contextmanager
def pause() -> Iterator[None]:
    """Give the turn to other threads until the context ends, as a waiting script should; then wait for a turn."""
    had = getattr(_THREAD, "turn", False)
    if had:
        _THREAD.turn = False
        _TURNS.give_back()
    try:
        yield
    finally:
        if had:
            _TURNS.take()
            _THREAD.turn = True


def in_turn(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Return the function so that each call waits for a turn."""

    @wraps(function)
    def call(*args: Given.args, **options: Given.kwargs) -> Returned:
        with turn():
            return function(*args, **options)

    return call

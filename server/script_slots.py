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


class FairSemaphore:
    """A semaphore that the thread gets next which has waited longest.

    With a plain semaphore a thread that has just arrived could overtake all that wait.
    """

    def __init__(self, free: int) -> None:
        self._free, self._lock = free, threading.Lock()
        self._waiting: deque[threading.Lock] = deque()

    def acquire(self) -> None:
        """Wait until one of the permits is free, and take it."""
        with self._lock:
            if self._free:  # then no thread waits
                self._free -= 1
                return
            own_lock = threading.Lock()
            own_lock.acquire()
            self._waiting.append(own_lock)
        own_lock.acquire()  # blocks until `release` releases it

    def release(self) -> None:
        """Give the permit to the next thread that waits, if any."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


_SLOTS = FairSemaphore(replica_limits.scripts())
_THREAD = threading.local()


@contextmanager
def script_slot() -> Iterator[None]:
    """Wait for a slot, and hold it until the context ends; a thread that holds one already keeps it."""
    if getattr(_THREAD, "has_slot", False):
        yield
        return
    _SLOTS.acquire()
    _THREAD.has_slot = True
    try:
        yield
    finally:
        _THREAD.has_slot = False
        _SLOTS.release()


@contextmanager
def without_slot() -> Iterator[None]:
    """Give the slot to other threads until the context ends, as a waiting script should; then wait for a slot."""
    had = getattr(_THREAD, "has_slot", False)
    if had:
        _THREAD.has_slot = False
        _SLOTS.release()
    try:
        yield
    finally:
        if had:
            _SLOTS.acquire()
            _THREAD.has_slot = True


def in_script_slot(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Return the function so that each call waits for a slot."""

    @wraps(function)
    def call(*args: Given.args, **options: Given.kwargs) -> Returned:
        with script_slot():
            return function(*args, **options)

    return call

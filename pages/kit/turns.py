"""Pages are drawn in turns: as many at once as there are cores for it, the others in their order.

All scripts share one interpreter. Two hundred at once would each take a hundred times as long, and none would end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from pages.kit import one_of_many

Given, Returned = ParamSpec("Given"), TypeVar("Returned")

_FREE = threading.Semaphore(one_of_many.scripts())
_MINE = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn, and have it until the context ends; within a turn it is the same turn."""
    if getattr(_MINE, "turn", False):
        yield
        return
    with _FREE:
        _MINE.turn = True
        try:
            yield
        finally:
            _MINE.turn = False


@contextmanager
def pause() -> Iterator[None]:
    """Leave the turn to others until the context ends, as one who only waits should."""
    had = getattr(_MINE, "turn", False)
    if had:
        _MINE.turn = False
        _FREE.release()
    try:
        yield
    finally:
        if had:
            _FREE.acquire()
            _MINE.turn = True


def in_turn(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """The same function, each call of it in its turn."""

    @wraps(function)
    def call(*args: Given.args, **options: Given.kwargs) -> Returned:
        with turn():
            return function(*args, **options)

    return call

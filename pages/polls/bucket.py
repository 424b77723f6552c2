"""Limit the requests and the failed look-ups of polls per network, with token buckets in memory."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock

from pages.polls.rules import DatabaseUnavailable, NoSuchPoll, PollError, TooManyGuesses
from privdemo import limits
from server.requests import network

# The most networks that are remembered; beyond that, the oldest are forgotten.
_MOST_REMEMBERED = 20_000


class Bucket:
    """A token bucket for each network: `burst` tokens at once, and `rate` new ones a second."""

    def __init__(self, burst: float, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst, self.rate, self._clock = burst, rate, clock
        # Routes take tokens on the event loop, pages on their threads.
        self._lock = RLock()
        # The tokens that a network had, and at which time.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take_token(self, address: str) -> bool:
        """Take a token of an address's network; return False if there is none."""
        with self._lock:
            now, name = self._clock(), network(address)
            left = self._left_now(name, now)
            self._left[name] = (left - 1 if left >= 1 else left, now)
            self._left.move_to_end(name)
            self._forget(now)
            return left >= 1

    def give_back(self, address: str) -> None:
        """Return the token of a request that turned out to cost nothing."""
        with self._lock:
            now, name = self._clock(), network(address)
            if name in self._left:
                self._left[name] = (min(self.burst, self._left_now(name, now) + 1), now)

    def _left_now(self, name: str, now: float) -> float:
        left, since = self._left.get(name, (self.burst, now))
        return min(self.burst, left + self.rate * (now - since))

    def _forget(self, now: float) -> None:
        """Forget up to two networks whose buckets are full again, or the oldest if there are too many."""
        for _ in range(2):
            name, (left, since) = next(iter(self._left.items()))
            if len(self._left) <= _MOST_REMEMBERED and left + self.rate * (now - since) < self.burst:
                return
            del self._left[name]
            if not self._left:
                return


class Guesses:
    """Limits the failed look-ups of polls per network, over all ways to look one up.

    A look-up takes a token of the network, which is returned if the poll exists. From then on the network needs no
    token for that poll. So somebody who tries codes cannot keep a class behind the same address out of a poll that the
    class has found, and learns nothing from a refusal.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._tokens = Bucket(limits.GUESS_BURST.high, limits.GUESS_RATE.high, clock)
        # Pairs of a network and the code of a poll that it has found, the latest last; and those of current look-ups,
        # which many telephones of a class may begin at once, and which take one token together.
        self._found: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._under_way: dict[tuple[str, str], int] = {}
        self._lock = RLock()

    @contextmanager
    def look_up(self, address: str, code: str) -> Iterator[None]:
        """Look up a poll within this context; a `PollError` from within says whether it exists.

        Raise `TooManyGuesses` before the look-up if the network has no token left.
        """
        pair = (network(address), code)
        with self._lock:
            if pair not in self._found and pair not in self._under_way and not self._tokens.take_token(address):
                raise TooManyGuesses
            self._under_way[pair] = self._under_way.get(pair, 0) + 1
        try:
            yield
            self.note_found(address, code)
        except PollError as error:
            if not isinstance(error, NoSuchPoll | DatabaseUnavailable):
                self.note_found(address, code)
            raise
        finally:
            with self._lock:
                self._under_way[pair] -= 1
                if not self._under_way[pair]:
                    del self._under_way[pair]

    def note_found(self, address: str, code: str) -> None:
        """Remember that an address's network knows a poll; a look-up of it that is under way costs no token."""
        pair = (network(address), code)
        with self._lock:
            if pair not in self._found and pair in self._under_way:
                self._tokens.give_back(address)
            self._found[pair] = None
            self._found.move_to_end(pair)
            if len(self._found) > _MOST_REMEMBERED:
                self._found.popitem(last=False)


GUESSES = Guesses()
"""Used for all look-ups of this process: by its routes, and on the page of a poll's owner."""

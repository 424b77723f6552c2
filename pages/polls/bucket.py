"""How often one network may ask, and how many polls it may look for in vain: in memory alone, and soon forgotten."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pages.polls.rules import NoSuchPoll, NotKept, PollError, TooManyGuesses
from privdemo import limits
from server.requests import network

# Addresses that are remembered; of more, those that have asked longest ago are forgotten.
_MOST = 20_000


class Bucket:
    """Tokens for each address: `burst` of them at once, and `rate` a second from then on."""

    def __init__(self, burst: float, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst, self.rate, self._clock = burst, rate, clock
        # What an address had left, and when.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Take a token of an address's network; return False if it has none left."""
        now, name = self._clock(), network(address)
        left = self._left_now(name, now)
        self._left[name] = (left - 1 if left >= 1 else left, now)
        self._left.move_to_end(name)
        self._forget(now)
        return left >= 1

    def give_back(self, address: str) -> None:
        """Give an address's network back the token of a request that turned out to cost nothing."""
        now, name = self._clock(), network(address)
        if name in self._left:
            self._left[name] = (min(self.burst, self._left_now(name, now) + 1), now)

    def _left_now(self, name: str, now: float) -> float:
        left, since = self._left.get(name, (self.burst, now))
        return min(self.burst, left + self.rate * (now - since))

    def _forget(self, now: float) -> None:
        """Forget an address or two whose tokens are all there again, and those that are too many."""
        for _ in range(2):
            name, (left, since) = next(iter(self._left.items()))
            if len(self._left) <= _MOST and left + self.rate * (now - since) < self.burst:
                return
            del self._left[name]
            if not self._left:
                return


class Guesses:
    """Bounds how many polls a network may look for in vain, whichever way it asks.

    A look-up costs the network a token before it is made, which comes back only if there is such a poll. From then on
    the network may ask for that poll without a token: so somebody who tries codes does not keep a class behind the same
    address out of a poll that the class has found, and learns nothing from an answer to it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._tokens = Bucket(limits.GUESS_BURST.high, limits.GUESS_RATE.high, clock)
        # Networks with the codes of polls that they have found, the latest last; and those of look-ups under way, which
        # many telephones of a class may begin at once, and which cost one token together.
        self._found: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._under_way: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def look_up(self, address: str, code: str) -> Iterator[None]:
        """Look a poll up within this context; a `PollError` from within tells whether there is one.

        Raises `TooManyGuesses` before the look-up where the network has no token left.
        """
        one = (network(address), code)
        if one not in self._found and not self._under_way[one] and not self._tokens.take(address):
            raise TooManyGuesses
        self._under_way[one] += 1
        try:
            yield
            self._note_found(one, address)
        except PollError as error:
            if not isinstance(error, NoSuchPoll | NotKept):
                self._note_found(one, address)
            raise
        finally:
            self._under_way -= Counter([one])

    def _note_found(self, one: tuple[str, str], address: str) -> None:
        """Note that a network has found a poll, and give back what finding it cost."""
        if one not in self._found:
            self._tokens.give_back(address)
        self._found[one] = None
        self._found.move_to_end(one)
        if len(self._found) > _MOST:
            self._found.popitem(last=False)


GUESSES = Guesses()
"""The guesses of all ways to ask this process for a poll: its pages and routes, and the box of a poll's owner."""

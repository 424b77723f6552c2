"""How often one address may ask: in memory alone, forgotten as soon as it makes no difference."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

# Addresses that are remembered; of more, those that have asked longest ago are forgotten.
_MOST = 20_000


class Bucket:
    """Tokens for each address: `burst` of them at once, and `rate` a second from then on."""

    def __init__(self, burst: float, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst, self.rate, self._clock = burst, rate, clock
        # What an address had left, and when.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, tokens: int = 1) -> bool:
        """Take tokens of an address, as many as there are; False if it has none left."""
        now, name = self._clock(), network(address)
        left, since = self._left.pop(name, (self.burst, now))
        left = min(self.burst, left + self.rate * (now - since))
        self._left[name] = (max(0.0, left - tokens) if left >= 1 else left, now)
        self._forget(now)
        return left >= 1

    def _forget(self, now: float) -> None:
        """Forget an address or two whose tokens are all there again, and those that are too many."""
        for _ in range(2):
            name, (left, since) = next(iter(self._left.items()))
            if len(self._left) <= _MOST and left + self.rate * (now - since) < self.burst:
                return
            del self._left[name]
            if not self._left:
                return


def network(address: str) -> str:
    """The address, or the network of an IPv6 address: whoever has one has the others of it too."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(int(found) >> 64) if isinstance(found, IPv6Address) and not found.ipv4_mapped else address

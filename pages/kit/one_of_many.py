"""What one of several replicas on this machine may take: together they take what the machine has."""

from __future__ import annotations

import os

from privdemo import limits

# How many replicas of the app this machine runs; `deploy/replicas.py` tells each of them.
REPLICAS = "PRIVDEMO_REPLICAS"


def scripts(cores: int | None = None) -> int:
    """How many pages are drawn at once: one more than the cores for it, as a page that is drawn waits now and then."""
    return min(_cores(cores), _cores(cores) // _replicas() + 1)


def workers(cores: int | None = None) -> int:
    """How many processes compute draws: two, where there are as many cores as replicas."""
    return 2 if _cores(cores) >= _replicas() else 1


def visits(cores: int | None = None) -> int:
    """How many people may look at the app: as many as at a single one, while each replica has a core."""
    return int(limits.VISITS.high) * min(_cores(cores), _replicas()) // _replicas()


def _cores(cores: int | None) -> int:
    return cores or os.cpu_count() or 1


def _replicas() -> int:
    return int(limits.REPLICAS.check(int(os.environ.get(REPLICAS, "1"))))

"""Divide what a machine can do among the replicas of the app that run on it."""

from __future__ import annotations

import os

from privdemo import limits

REPLICAS_ENV = "PRIVDEMO_REPLICAS"
"""The environment variable in which `deploy/replicas.py` passes the number of replicas to each of them."""


def scripts(cores: int | None = None) -> int:
    """Return how many pages one replica renders at once: one more than its cores, as a page waits now and then."""
    return min(_cores(cores), _cores(cores) // _replicas() + 1)


def workers(cores: int | None = None) -> int:
    """Return how many worker processes one replica has: two, where each replica has a core, else one."""
    return 2 if _cores(cores) >= _replicas() else 1


def visits(cores: int | None = None) -> int:
    """Return how many visitors one replica admits: where each has a core, as many as a single server does."""
    return int(limits.VISITS.high) * min(_cores(cores), _replicas()) // _replicas()


def _cores(cores: int | None) -> int:
    return cores or os.cpu_count() or 1


def _replicas() -> int:
    return int(limits.REPLICAS.check(int(os.environ.get(REPLICAS_ENV, "1"))))

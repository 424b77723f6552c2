"""Calls on a Dask cluster: those of a lost worker are made again, a lost scheduler and missing workers are said."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any

# What `joblib.delayed` makes: a function with its arguments.
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
# Calls that the scheduler is given at a time, and seconds without a result after which the cluster is looked at.
_AHEAD, _LOOK_S = 1000, 1.0
_LOG = logging.getLogger(__name__)


def run(client: Any, calls: Iterable[Call]) -> Iterator[Any]:
    """The results of all calls, in the order of completion, from the cluster of a `distributed.Client`.

    A warning is logged while no worker is there. Raises ``ConnectionError`` where the scheduler is lost.
    """
    left, done, pending = iter(calls), SimpleQueue[Any](), set[Any]()

    def submit(n: int) -> None:
        for function, args, options in islice(left, n):
            future = client.submit(function, *args, **options, pure=False)
            pending.add(future)
            future.add_done_callback(done.put)

    submit(_AHEAD)
    told = False
    while pending:
        try:
            future = done.get(timeout=_LOOK_S)
        except Empty:
            told = _look(client, pending, told)
            continue
        if future.status != "finished" and client.status != "running":
            raise _lost(client)
        yield _result(future)
        pending.discard(future)
        submit(1)


def _result(future: Any) -> Any:
    """The result of a call, or its error; Dask's own about a scheduler without this package becomes a sentence."""
    try:
        return future.result()
    except RuntimeError as error:
        if "deserialization of the task graph" not in str(error):
            raise
        raise ConnectionError(
            "the Dask scheduler cannot read the trials; install the same packages there: pip install 'privdemo[dask]'"
        ) from None


def _look(client: Any, pending: Iterable[Any], told: bool) -> bool:
    """Whether the cluster has no worker, which is `told` once."""
    try:
        if client.status != "running" or any(future.status in ("lost", "cancelled") for future in pending):
            raise _lost(client)
        missing = not client.nthreads()
    except OSError:
        raise _lost(client) from None
    if missing and not told:
        address = client.scheduler.address
        _LOG.warning("waiting for Dask workers: none is there; start some with dask worker %s --nthreads 1", address)
    return missing


def _lost(client: Any) -> ConnectionError:
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # which would say the same in a traceback
    address = client.scheduler.address if client.scheduler else "its address"
    return ConnectionError(f"the Dask scheduler at {address} is lost; start it again, and the same command goes on")

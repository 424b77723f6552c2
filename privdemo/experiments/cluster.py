"""Calls on a Dask cluster: those of a lost worker are repeated, a lost scheduler and missing workers are reported.

`run` makes the calls of a sweep; a `ClusterWorker` runs tasks of visitors' jobs, as `privdemo.workers.Process` does.
"""

from __future__ import annotations

import logging
import pickle
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any

from privdemo import limits, workers
from privdemo.workers import Outcome

# What `joblib.delayed` makes: a function with its arguments.
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
# Calls that the scheduler gets at a time, and seconds without a result after which the cluster is checked.
_AHEAD, _LOOK_S = 1000, 1.0
_LOG = logging.getLogger(__name__)
# Seconds until a scheduler that does not answer counts as lost.
_SILENCE = 10.0
# Bytes of which a scheduler's first message has fewer.
_GREETING = 1 << 16
# An address of a scheduler, with the port last; and what names the certificates that Dask has to have for tls://.
_ADDRESS = re.compile(r"((tcp|tls)://)?([\w.-]+|\[[0-9a-fA-F:.]+\]):(\d+)", re.ASCII)
_CERTIFICATES = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE", "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"
_NO_WORKER = "the cluster has no worker at this moment, and trials wait for one"


def check(address: str) -> None:
    """Raise ``ValueError`` for what is no address of a scheduler, and for tls:// where Dask has no certificates."""
    found = _ADDRESS.fullmatch(address)
    if not found or not limits.PORT.contains(int(found[4])):
        raise ValueError(
            f"the scheduler must be an address such as tcp://10.0.0.7:8786, its port {limits.PORT.range_text}; "
            f"got {address!r}"
        )
    if found[2] == "tls":
        _check_certificates()


def _check_certificates() -> None:
    """Raise ``ValueError`` where Dask has no TLS."""
    from distributed.security import Security

    try:
        there, why = Security().get_connection_args("client")["ssl_context"] is not None, ""
    except OSError as error:
        there, why = False, f" ({error})"
    if not there:
        raise ValueError(
            f"a tls:// scheduler needs certificates that Dask can read{why}: name the files in "
            f"{' and '.join(_CERTIFICATES)}, the key in …__CLIENT__KEY if it has a file of its own"
        )


def connect(address: str) -> Any:
    """Return a `distributed.Client` of the scheduler at an address, as `check` allows it.

    Raises ``OSError`` where no scheduler answers, or another program does.
    """
    from dask.distributed import Client
    from distributed.comm import get_address_host_port

    # A client that finds no scheduler takes long to give up and logs tracebacks; for another program it waits for ever.
    with socket.create_connection(get_address_host_port(address), _SILENCE) as connection:
        if not address.startswith("tls:") and not _sends_first(connection):
            raise OSError("what answers there is no Dask scheduler")
    _silence_logs()
    return Client(address, timeout=_SILENCE, set_as_default=False)


def _silence_logs() -> None:
    """Keep Dask's tracebacks about its clients out of the log: callers raise errors with a sentence."""
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _sends_first(connection: socket.socket) -> bool:
    """Return whether the other end sends first, as Dask does: the length of a short message, in eight bytes."""
    try:
        length = connection.recv(8, socket.MSG_WAITALL)
    except TimeoutError:
        return False
    return len(length) == 8 and int.from_bytes(length, "little") < _GREETING


def run(client: Any, calls: Iterable[Call]) -> Iterator[Any]:
    """Yield the results of all calls, in the order of completion, from the cluster of a `distributed.Client`.

    A warning is logged while there is no worker. Raises ``ConnectionError`` where the scheduler is lost.
    """
    left, done, pending = iter(calls), SimpleQueue[Any](), set[Any]()

    def submit(n: int) -> None:
        for function, args, options in islice(left, n):
            future = client.submit(function, *args, **options, pure=False)
            pending.add(future)
            future.add_done_callback(done.put)

    submit(_AHEAD)
    reported = False
    while pending:
        try:
            future = done.get(timeout=_LOOK_S)
        except Empty:
            reported = _check_workers(client, pending, reported)
            continue
        if future.status != "finished" and client.status != "running":
            raise _lost(client)
        yield _result(future)
        pending.discard(future)
        submit(1)


def _result(future: Any) -> Any:
    """Return the result of a call, or its error; Dask's own about a scheduler without this package becomes a
    sentence.
    """
    try:
        return future.result()
    except RuntimeError as error:
        if "deserialization of the task graph" not in str(error):
            raise
        raise ConnectionError(
            "the Dask scheduler cannot read the trials; install the same packages there, in the project's folder: "
            "pip install '.[dask]'"
        ) from None


def _check_workers(client: Any, pending: Iterable[Any], reported: bool) -> bool:
    """Return whether the cluster has no worker; log it unless it was `reported` before."""
    try:
        if client.status != "running" or any(future.status in ("lost", "cancelled") for future in pending):
            raise _lost(client)
        missing = not client.nthreads()
    except OSError:
        raise _lost(client) from None
    if missing and not reported:
        address = client.scheduler.address
        _LOG.warning("waiting for Dask workers: none is there; start some with dask worker %s --nthreads 1", address)
    return missing


def _lost(client: Any) -> ConnectionError:
    _silence_logs()
    address = client.scheduler.address if client.scheduler else "its address"
    return ConnectionError(f"the Dask scheduler at {address} is lost; start it again, and the same command goes on")


class Cluster:
    """The cluster whose scheduler is at an address; a connection is made once it is needed. Any thread may call it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._client: Any = None
        self._lock = threading.Lock()
        # When the cluster was checked last, and the keys of the calls that each of its workers had.
        self._looked, self._busy = 0.0, dict[str, Any]()

    def submit(self, content: bytes) -> Any:
        """Return the future of a function and its task; two servers with the same task share it.

        Raises ``ConnectionError`` where the scheduler does not answer.
        """
        return self._connected().submit(workers.compute, content, pure=True)

    def busy(self) -> dict[str, Any]:
        """Return the keys of the calls that each worker has, as of a second ago at most. Raises ``ConnectionError``."""
        with self._lock:
            if time.monotonic() - self._looked > _LOOK_S:
                try:
                    scheduler = self._client.scheduler
                    self._busy = self._client.sync(scheduler.processing, workers=None, callback_timeout=_SILENCE)
                except (OSError, AttributeError):  # a client that is closed has no scheduler
                    raise self._lost() from None
                self._looked = time.monotonic()
            return self._busy

    def _connected(self) -> Any:
        with self._lock:
            if self._client is not None and self._client.status == "running":
                return self._client
            self._close()
            try:
                self._client = connect(self.address)
            except OSError as error:
                _LOG.warning("the Dask scheduler at %s does not answer: %s", self.address, error)
                raise ConnectionError("the cluster that computes trials does not answer; try again later") from None
            return self._client

    def _lost(self) -> ConnectionError:
        _LOG.warning("the Dask scheduler at %s is lost", self.address)
        self._close()
        return ConnectionError("the cluster that computes trials was lost")

    def _close(self) -> None:
        if self._client is not None:
            with suppress(Exception):
                self._client.close(timeout=_LOOK_S)
            self._client = None


class ClusterWorker:
    """A worker that runs one task at a time on a cluster. A task that is no longer wanted is cancelled, or its result
    dropped.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def do(
        self,
        function: Callable[[Any], Any],
        task: Any,
        wanted: Callable[[], bool],
        say: Callable[[str], None],
    ) -> Outcome | None:
        """Return what became of a task; None when it was no longer `wanted`."""
        try:
            future = self._cluster.submit(pickle.dumps((function, task)))
            try:
                return self._wait(future, wanted, say)
            finally:
                future.release()
        except ConnectionError as error:
            return Outcome(None, str(error), lost=True)
        except Exception as error:  # what cannot be sent there or back
            return Outcome(None, f"this could not be computed ({type(error).__name__}: {error})")

    def _wait(self, future: Any, wanted: Callable[[], bool], say: Callable[[str], None]) -> Outcome | None:
        """Wait for a worker of the cluster. Time counts while a worker runs the task, not while the task is queued."""
        ended, looked, seconds, missing = threading.Event(), time.monotonic(), 0.0, False
        future.add_done_callback(lambda _: ended.set())
        while not ended.wait(workers.LOOK):
            if not wanted() and not ended.wait(workers.GRACE) and not wanted():
                return None
            if time.monotonic() - looked < _LOOK_S:
                continue
            looked, busy = time.monotonic(), self._cluster.busy()
            if missing != (not busy):
                missing = not busy
                say(_NO_WORKER if missing else "")
            seconds += _LOOK_S * any(future.key in keys for keys in busy.values())
            if seconds > limits.TASK_SECONDS.high:
                return Outcome(None, f"this took more than the {limits.TASK_SECONDS.high} seconds that a task may")
        if future.cancelled():
            raise ConnectionError("the cluster that computes trials was lost")
        content = _result(future)
        return replace(pickle.loads(content), n_bytes=len(content))

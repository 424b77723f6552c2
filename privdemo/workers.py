"""Workers, which run the tasks of jobs: processes of this machine, at a lower priority than the web server."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Protocol

from threadpoolctl import threadpool_limits

from privdemo import limits

# Seconds that a task may continue after its job was stopped, before its process is ended.
GRACE = 0.5
# Seconds between looks at whether a running task is done or still wanted.
LOOK = 0.05
# Seconds between signs of life of a process that does a task, and of silence after which it is ended.
BEAT, SILENCE = 1.0, 20.0
# How much lower the priority of a process is than that of the web server.
NICENESS = 5
_ALIVE = b"."


@dataclass(frozen=True)
class Outcome:
    """The result of a task of so many bytes, or an error; `lost` if it went with its worker."""

    result: Any
    error: str | None = None
    n_bytes: int = 0
    lost: bool = False


class Worker(Protocol):
    """Protocol of what runs one task at a time."""

    def do(
        self, function: Callable[[Any], Any], task: Any, wanted: Callable[[], bool], say: Callable[[str], None]
    ) -> Outcome | None:
        """Run a task and return its outcome; None when it was no longer `wanted`. `say` reports incidents meanwhile."""


def keep_from_interrupts() -> None:
    """Keep Ctrl-C from the processes that this thread starts: they end with this process, without a message."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # it is started with the first process, and would lift the block
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


class Process:
    """A process of this machine; it does one task at a time and is restarted after it had to be ended."""

    def __init__(self) -> None:
        self._process: Any = None
        self._connection: Any = None

    def do(
        self,
        function: Callable[[Any], Any],
        task: Any,
        wanted: Callable[[], bool],
        say: Callable[[str], None],
    ) -> Outcome | None:
        """Run a task and return its outcome; None when it was no longer `wanted`. `say` is not called."""
        try:
            self._start()
            with self._ended_if_silent():
                self._connection.send((function, task))
            return self._wait(wanted)
        except (EOFError, OSError):
            self._end()
            return Outcome(None, "the process that computes ended unexpectedly, perhaps for want of memory", lost=True)
        except Exception as error:  # what cannot be sent there or back
            self._end()
            return Outcome(None, f"this could not be computed ({type(error).__name__}: {error})")

    def _wait(self, wanted: Callable[[], bool]) -> Outcome | None:
        """Wait for the outcome of the process, which sends a sign of life every second.

        Time is counted in signs of life, not by a clock, so that a delay of this process does not count.
        """
        silent, seconds, unwanted_since = 0.0, 0.0, None
        while True:
            if self._connection.poll(LOOK):
                with self._ended_if_silent():
                    content = self._connection.recv_bytes()
                if content != _ALIVE:
                    return replace(pickle.loads(content), n_bytes=len(content))
                silent, seconds = 0.0, seconds + BEAT
            else:
                silent += LOOK
            if wanted():
                unwanted_since = None
            elif unwanted_since is None:
                unwanted_since = time.monotonic()
            elif time.monotonic() - unwanted_since > GRACE:
                self._end()
                return None
            if silent > SILENCE:
                self._end()
                return Outcome(None, "the process that computes stopped answering", lost=True)
            if seconds > limits.TASK_SECONDS.high:
                self._end()
                return Outcome(None, f"this took more than the {limits.TASK_SECONDS.high} seconds that a task may")

    @contextmanager
    def _ended_if_silent(self) -> Iterator[None]:
        """End the process if it does not take, or give, what is sent."""
        timer = threading.Timer(SILENCE, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _start(self) -> None:
        """Make sure that the process is alive, also after it died while idle."""
        if self._process is not None and not self._process.is_alive():
            self._end()
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, NICENESS), daemon=True)
            self._process.start()
            theirs.close()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None


def _serve(connection: Connection, niceness: int) -> None:
    """Run in the worker process: do each task that arrives, until the connection closes."""
    os.nice(niceness)
    busy, one_at_a_time = threading.Event(), threading.Lock()
    threading.Thread(target=_send_heartbeats, args=(connection, busy, one_at_a_time), daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            _run_next(connection, busy, one_at_a_time)


def _run_next(connection: Connection, busy: threading.Event, one_at_a_time: threading.Lock) -> None:
    """Do the next task; a call of its own, so that no local name keeps the task's data alive."""
    content = connection.recv_bytes()
    busy.set()
    outcome = compute(content)
    with one_at_a_time:
        busy.clear()
        connection.send_bytes(outcome)


def _send_heartbeats(connection: Connection, busy: threading.Event, one_at_a_time: threading.Lock) -> None:
    """Send a sign of life every second while the process is busy."""
    with suppress(OSError):
        while busy.wait():
            with one_at_a_time:
                if busy.is_set():
                    connection.send_bytes(_ALIVE)
            time.sleep(BEAT)


def compute(content: bytes) -> bytes:
    """Return what becomes of a function and its task, as it is sent: an `Outcome`. It is called where it is
    computed.
    """
    try:
        function, task = pickle.loads(content)
        with threadpool_limits(1, user_api="blas"):  # here, as the task's libraries are loaded by now
            return pickle.dumps(Outcome(function(task)))
    except ValueError as error:
        return pickle.dumps(Outcome(None, str(error)))
    except Exception as error:
        return pickle.dumps(Outcome(None, f"this could not be computed ({type(error).__name__}: {error})"))

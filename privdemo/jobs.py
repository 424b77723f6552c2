"""Background jobs in a few worker processes, shared by all visitors; a job stops when nobody watches it.

A job is a list of tasks, done one at a time; watched jobs take turns. A watcher is there while it is known to be, and
for a while after each poll. When the last watcher is gone the job stops, if need be by ending its process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from threadpoolctl import threadpool_limits

# Seconds without a poll after which a watcher counts as gone, unless it is known to be there.
PATIENCE = 10.0
# Seconds that a task may go on after its job was stopped, before its process is ended.
GRACE = 0.5
# Seconds between looks at whether a running task is done or still wanted.
LOOK = 0.05
# Worker processes; they run at a lower priority than the process that answers visitors.
WORKERS = 2
# Finished jobs whose results are kept for the next time.
KEPT = 32


@dataclass(frozen=True)
class Progress:
    """The state of a job: its `results` so far, of `total` tasks; `error` says why it failed, if it did."""

    results: tuple[Any, ...]
    total: int
    running: bool
    error: str | None = None

    @property
    def finished(self) -> bool:
        """Whether every task is done."""
        return len(self.results) == self.total


@dataclass
class _Job:
    function: Callable[[Any], Any]
    tasks: Sequence[Any]
    results: list[Any] = field(default_factory=list)
    error: str | None = None
    # When each watcher last polled, and how many of the tasks they want.
    watchers: dict[Hashable, tuple[float, int]] = field(default_factory=dict)
    slow: bool = False
    private: bool = False
    busy: bool = False
    # Since when it has waited for its turn.
    waiting: float = field(default_factory=time.monotonic)

    # Whether a watcher is known to be there, however long it has not polled.
    is_there: Callable[[Hashable], bool] = lambda watcher: False

    def here(self) -> dict[Hashable, int]:
        """The watchers who count as there, and how many of the tasks they want."""
        now = time.monotonic()
        return {who: n for who, (seen, n) in self.watchers.items() if now - seen < PATIENCE or self.is_there(who)}

    def wanted(self) -> bool:
        """Whether a watcher wants more tasks than are done; never after a failure."""
        return self.error is None and any(len(self.results) < n for n in self.here().values())


class Runner:
    """Runs jobs in `WORKERS` spawned processes, each job in one at a time. Any thread may call it.

    `is_there(watcher)` says quickly whether a watcher is known to be there: polls are late where much is to do.
    """

    def __init__(self, is_there: Callable[[Hashable], bool] = lambda watcher: False) -> None:
        self._is_there = is_there
        self._jobs: OrderedDict[Hashable, _Job] = OrderedDict()
        self._changed = threading.Condition()
        self._drivers: list[threading.Thread] = []

    def watch(
        self,
        key: Hashable,
        watcher: Hashable,
        function: Callable[[Any], Any],
        tasks: Sequence[Any],
        new_try: bool = False,
        slow: bool = False,
        private: bool = False,
    ) -> Progress:
        """Start the job `key` unless there is one, register `watcher` with it, and return its progress.

        `function` and each of `tasks` are sent to another process. A stopped job resumes where it was. A job
        can be given more `tasks`, appended to the same ones; it does as many as the watcher who wants most. A failed
        job stays failed until a `new_try`. One process never takes `slow` jobs, so that others need not wait for
        them. A `private` job, whose tasks hold a visitor's own records, is forgotten once nobody watches it.
        """
        with self._changed:
            job = self._jobs.setdefault(key, _Job(function, tasks, slow=slow, private=private, is_there=self._is_there))
            wanted_before = job.wanted()
            if len(tasks) > len(job.tasks):
                job.tasks = tasks
            here = job.here()
            job.watchers = {other: seen for other, seen in job.watchers.items() if other in here}
            job.watchers[watcher] = time.monotonic(), len(tasks)
            if new_try:
                job.error = None
            if not wanted_before:
                job.waiting = time.monotonic()
            self._jobs.move_to_end(key)
            self._forget()
            if not self._drivers:
                self._drivers = [
                    threading.Thread(target=self._drive, args=(i > 0 or WORKERS == 1,), daemon=True)
                    for i in range(WORKERS)
                ]
                for driver in self._drivers:
                    driver.start()
            self._changed.notify_all()
            return self._progress(job, len(tasks))

    def look(self, key: Hashable) -> Progress | None:
        """The progress of the job `key`, without watching it; None if there is none."""
        with self._changed:
            return self._progress(self._jobs[key], len(self._jobs[key].tasks)) if key in self._jobs else None

    def leave(self, watcher: Hashable, but: Sequence[Hashable] = ()) -> None:
        """Stop watching all jobs except those of `but`; a job that nobody else watches stops."""
        with self._changed:
            for key, job in self._jobs.items():
                if key not in but:
                    job.watchers.pop(watcher, None)
            self._forget()

    def _progress(self, job: _Job, n: int) -> Progress:
        """The progress of the first `n` tasks."""
        results = tuple(job.results[:n])
        return Progress(results, n, job.wanted() and len(results) < n, job.error if len(results) < n else None)

    def _forget(self) -> None:
        """Drop private jobs that nobody watches, and the least recently used finished jobs beyond `KEPT`."""
        for key in [key for key, job in self._jobs.items() if job.private and not job.here()]:
            del self._jobs[key]
        idle = [key for key, job in self._jobs.items() if not job.wanted() and not job.busy]
        for key in idle[: max(0, len(self._jobs) - KEPT)]:
            del self._jobs[key]

    def _drive(self, also_slow: bool) -> None:
        _keep_from_interrupts()
        worker = _Worker()
        while True:
            with self._changed:
                self._forget()
                ready = self._next(also_slow) is not None
                if not ready:  # private jobs are forgotten soon after their last poll
                    self._changed.wait(PATIENCE if any(job.private for job in self._jobs.values()) else None)
            if ready:
                self._do_next(
                    worker, also_slow
                )  # a call of its own, so that no local name here keeps a private job's data alive

    def _do_next(self, worker: _Worker, also_slow: bool) -> None:
        with self._changed:
            job = self._next(also_slow)
            if job is None:
                return
            job.busy, task = True, job.tasks[len(job.results)]
        outcome = worker.do(job.function, task, partial(self._wanted, job))
        with self._changed:
            job.busy, job.waiting = False, time.monotonic()
            if outcome is not None:
                result, job.error = outcome
                if job.error is None:
                    job.results.append(result)

    def _wanted(self, job: _Job) -> bool:
        with self._changed:
            return job.wanted()

    def _next(self, also_slow: bool) -> _Job | None:
        """The wanted job whose turn it is: the one that has waited longest."""
        free = (job for job in self._jobs.values() if job.wanted() and not job.busy and (also_slow or not job.slow))
        return min(free, key=lambda job: job.waiting, default=None)


def _keep_from_interrupts() -> None:
    """Let Ctrl-C not reach the processes that this thread starts: they end with this one, and have nothing to say."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # it is started with the first process, and would lift the block
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


class _Worker:
    """One worker process; it does one task at a time and is restarted after it had to be ended."""

    def __init__(self) -> None:
        self._process: Any = None
        self._connection: Any = None

    def do(
        self, function: Callable[[Any], Any], task: Any, wanted: Callable[[], bool]
    ) -> tuple[Any, str | None] | None:
        """The result and no error, or no result and an error; None when it was no longer `wanted`."""
        try:
            self._start()
            self._connection.send((function, task))
            unwanted_since = None
            while not self._connection.poll(LOOK):
                if wanted():
                    unwanted_since = None
                elif unwanted_since is None:
                    unwanted_since = time.monotonic()
                elif time.monotonic() - unwanted_since > GRACE:
                    self._end()
                    return None
            return self._connection.recv()
        except (EOFError, OSError):
            self._end()
            return None, "the process that computes ended unexpectedly, perhaps for want of memory"
        except Exception as error:  # what cannot be sent there or back
            self._end()
            return None, f"this could not be computed ({type(error).__name__}: {error})"

    def _start(self) -> None:
        """Make sure that the process is alive, also after it died while idle."""
        if self._process is not None and not self._process.is_alive():
            self._end()
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None


def _serve(connection: Connection) -> None:
    """Run in the worker process: do each task that arrives, until the connection closes."""
    os.nice(5)
    while True:
        try:
            connection.send(_outcome(*connection.recv()))  # no local name keeps a task's data alive
        except (EOFError, OSError):
            return


def _outcome(function: Callable[[Any], Any], task: Any) -> tuple[Any, str | None]:
    """The result and no error, or no result and an error."""
    try:
        with threadpool_limits(1, user_api="blas"):  # here, as the task's libraries are loaded by now
            return function(task), None
    except ValueError as error:
        return None, str(error)
    except Exception as error:
        return None, f"this could not be computed ({type(error).__name__}: {error})"

"""Background jobs of a few workers, shared by all visitors; a job stops when nobody watches it.

A job is a list of tasks, done one at a time; the workers alternate between the watched jobs. A watcher is present while
`is_there` says so, and for `WATCH_TIMEOUT` seconds after each poll. A job without a present watcher stops.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from privdemo import limits
from privdemo.workers import Outcome, Process, Worker, keep_from_interrupts

# Seconds after a poll for which a watcher counts as present, whatever `is_there` returns.
WATCH_TIMEOUT = 10.0
# Finished jobs whose results are kept for the next time.
KEPT = 32


@dataclass(frozen=True)
class Progress:
    """The state of a job: its `results` so far, of `total` tasks; `error` says why it failed, if it did.

    `ahead` is the number of jobs that are served before it; `note` describes an incident, such as a lost process.
    """

    results: tuple[Any, ...]
    total: int
    running: bool
    error: str | None = None
    ahead: int = 0
    note: str = ""

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
    # The number of the task that was lost with its process, if one was, and the bytes of the results.
    lost: int | None = None
    note: str = ""
    n_bytes: int = 0
    # When its last task ended, or when it was started.
    waiting: float = field(default_factory=time.monotonic)

    # Whether a watcher is known to be there, however long it has not polled.
    is_there: Callable[[Hashable], bool] = lambda watcher: False

    def here(self) -> dict[Hashable, int]:
        """Return the watchers who count as there, and how many of the tasks they want."""
        now = time.monotonic()
        return {who: n for who, (seen, n) in self.watchers.items() if now - seen < WATCH_TIMEOUT or self.is_there(who)}

    def wanted(self) -> bool:
        """Return whether a watcher wants more tasks than are done; never after a failure."""
        return self.error is None and any(len(self.results) < n for n in self.here().values())


class Runner:
    """Runs the jobs with some `workers`, each job with one at a time. Any thread may call it.

    `is_there(watcher)` returns quickly whether a watcher is still connected, as polls are late under load. `worker`
    makes each worker: a process of this machine, or another `Worker`.
    """

    def __init__(
        self,
        is_there: Callable[[Hashable], bool] = lambda watcher: False,
        workers: int = 2,
        worker: Callable[[], Worker] = Process,
    ) -> None:
        self._is_there, self.n_workers, self._worker = is_there, workers, worker
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

        `function` and each of `tasks` are sent to a worker. A stopped job resumes where it was. A job
        can be given more `tasks`, appended to the same ones; it does as many as the watcher who wants most. A failed
        job stays failed until a `new_try`. Half of the workers never take `slow` jobs, so that others need not wait
        for them. A `private` job, whose tasks hold a visitor's own records, is dropped once it has no watcher. Where
        too many jobs wait it is not started, and `error` gives the reason.
        """
        with self._changed:
            if refusal := self._refusal(key, watcher):
                there = self._jobs[key].results[: len(tasks)] if key in self._jobs else ()
                return Progress(tuple(there), len(tasks), False, refusal)
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
            self._evict()
            if not self._drivers:
                self._drivers = [
                    threading.Thread(target=self._work, args=(i >= self.n_workers // 2,), daemon=True)
                    for i in range(self.n_workers)
                ]
                for driver in self._drivers:
                    driver.start()
            self._changed.notify_all()
            return self._progress(job, len(tasks))

    def look(self, key: Hashable) -> Progress | None:
        """Return the progress of the job `key`, without watching it; None if there is none."""
        with self._changed:
            return self._progress(self._jobs[key], len(self._jobs[key].tasks)) if key in self._jobs else None

    def leave(self, watcher: Hashable, but: Sequence[Hashable] = ()) -> None:
        """Stop watching all jobs except those of `but`; a job without other watchers stops."""
        with self._changed:
            for key, job in self._jobs.items():
                if key not in but:
                    job.watchers.pop(watcher, None)
            self._evict()

    def _refusal(self, key: Hashable, watcher: Hashable) -> str | None:
        """Return why this watcher cannot have one more job, if so."""
        wanted = {other: job for other, job in self._jobs.items() if job.wanted()}
        if key in wanted:
            return None
        if sum(watcher in job.watchers for job in wanted.values()) >= limits.JOBS_EACH.high:
            return f"you have {limits.JOBS_EACH.high} computations waiting already, as many as one visitor may"
        if len(wanted) >= limits.JOBS.high:
            return f"{len(wanted)} computations are waiting already, as many as may; try again in a few minutes"
        return None

    def _progress(self, job: _Job, n: int) -> Progress:
        """Return the progress of the first `n` tasks."""
        results = tuple(job.results[:n])
        if len(results) == n:
            return Progress(results, n, False)
        running = job.wanted()
        return Progress(results, n, running, job.error, self._ahead(job) if running else 0, job.note)

    def _ahead(self, job: _Job) -> int:
        """Return how many other jobs are served before a job."""
        if job.busy:
            return 0
        return sum(other.waiting < job.waiting and not other.busy and other.wanted() for other in self._jobs.values())

    def _evict(self) -> None:
        """Drop private jobs without watchers, and the least recently used finished jobs beyond what is kept."""
        for key in [key for key, job in self._jobs.items() if job.private and not job.here()]:
            del self._jobs[key]
        idle = [key for key, job in self._jobs.items() if not job.wanted() and not job.busy]
        n_bytes = sum(job.n_bytes for job in self._jobs.values())
        for key in idle:
            if len(self._jobs) <= KEPT and n_bytes <= limits.KEPT_BYTES.high:
                break
            n_bytes -= self._jobs.pop(key).n_bytes

    def _work(self, also_slow: bool) -> None:
        keep_from_interrupts()
        worker = self._worker()
        while True:
            with self._changed:
                self._evict()
                ready = self._next(also_slow) is not None
                if not ready:  # private jobs are forgotten soon after their last poll
                    self._changed.wait(WATCH_TIMEOUT if any(job.private for job in self._jobs.values()) else None)
            if ready:
                self._run_next(
                    worker, also_slow
                )  # a call of its own, so that no local name here keeps a private job's data alive

    def _run_next(self, worker: Worker, also_slow: bool) -> None:
        with self._changed:
            job = self._next(also_slow)
            if job is None:
                return
            job.busy, task = True, job.tasks[len(job.results)]
        outcome = worker.do(job.function, task, partial(self._wanted, job), partial(self._set_note, job))
        with self._changed:
            job.busy, job.waiting = False, time.monotonic()
            if outcome is not None:
                self._store_outcome(job, outcome)

    def _store_outcome(self, job: _Job, outcome: Outcome) -> None:
        """Store the outcome of a job's next task; retry a task once if its process was lost."""
        if outcome.lost and job.lost != len(job.results):
            job.lost, job.note = len(job.results), f"{outcome.error}; its task is done once more"
        elif outcome.error is not None:
            job.error = outcome.error
        elif job.n_bytes + outcome.n_bytes > limits.JOB_BYTES.high:
            job.error = f"the results have more than the {limits.JOB_BYTES.high / 1e6:.0f} MB that one job may have"
        else:
            job.results.append(outcome.result)
            job.n_bytes += outcome.n_bytes

    def _wanted(self, job: _Job) -> bool:
        with self._changed:
            return job.wanted()

    def _set_note(self, job: _Job, note: str) -> None:
        with self._changed:
            job.note = note

    def _next(self, also_slow: bool) -> _Job | None:
        """Return the wanted job that has waited longest."""
        free = (job for job in self._jobs.values() if job.wanted() and not job.busy and (also_slow or not job.slow))
        return min(free, key=lambda job: job.waiting, default=None)

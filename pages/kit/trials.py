"""Start, follow, stop and resume the background jobs that run the trials of a page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import Any, Protocol

import streamlit as st

from pages.kit import cache, link, own_data, settings
from privdemo.experiments import results
from privdemo.experiments.trials import with_trial
from privdemo.jobs import Progress
from server import visits

# Seconds between two readings of the progress; the second if many jobs are ahead, as each reading costs time as well.
POLL, SLOW_POLL = 1.5, 5.0
_MANY = 4
# Digits of the id of running jobs in the address.
_ID = 12
_STOPPED, _AGAIN, _VISITOR, _ARRIVED = "stopped_trials", "trials_again", "visitor", "came_by_link"


@dataclass(frozen=True)
class Job:
    """A background job: calls `function` for each of the `tasks`.

    Visitors who need the same `key` share the job; the key starts with the job's kind and its config. `name` is shown
    on screen, and `note` after its progress. `first` runs one more trial at once, within the run of the page. A `slow`
    job leaves a worker process free for others.
    """

    key: Any
    name: str
    function: Callable[[Any], Any]
    tasks: Sequence[Any]
    first: Callable[[], Any] | None = None
    slow: bool = False
    note: str = ""

    @property
    def private(self) -> bool:
        """Return whether the job works on a visitor's own records."""
        return own_data.is_own(self.key[1])


def _check_id(words: str) -> None:
    if not re.fullmatch(f"[0-9a-f]{{{_ID}}}", words):
        raise ValueError(f"the id of a job is {_ID} digits from 0 to f")


# The parameter of the address while jobs run.
JOB = settings.Words("job", _check_id, "")


class Question(Protocol):
    """A question with `n_trials` trials of a `config`; the first runs `at_once` if that is quick enough."""

    @property
    def config(self) -> Any: ...
    @property
    def n_trials(self) -> int: ...
    @property
    def at_once(self) -> bool: ...


def one_job(
    kind: str, question: Question, run: Callable[[Any], Any], first: Callable[[Any], Any], slow: bool = False
) -> list[Job]:
    """Return one job for all trials of a question; `first` runs a quick first trial at once."""
    config, before = question.config, 1 if question.at_once else 0
    tasks = [with_trial(config, i) for i in range(before, question.n_trials)]
    at_once = partial(first, config) if before else None
    return [Job((kind, config, before), "Trial", run, tasks, at_once, slow)]


@dataclass(frozen=True)
class Trials:
    """The progress of a question's jobs, and the `results` of each, with the trial that was run at once."""

    jobs: tuple[Job, ...] = ()
    progress: tuple[Progress, ...] = ()
    results: tuple[tuple[Any, ...], ...] = ()

    @property
    def running(self) -> bool:
        """Return whether any job is still running."""
        return any(progress.running for progress in self.progress)

    @property
    def finished(self) -> bool:
        """Return whether every trial is done."""
        return all(progress.finished for progress in self.progress)

    @property
    def ahead(self) -> int:
        """Return how many other jobs are ahead in the queue."""
        return min((progress.ahead for progress in self.progress if progress.running), default=0)

    @property
    def note(self) -> str:
        """Return the runner's note on a running job, such as a restart, or an empty text."""
        return next((progress.note for progress in self.progress if progress.running and progress.note), "")

    @property
    def poll(self) -> float | None:
        """Return the seconds until the progress is read again; None if no job is running."""
        if not self.running:
            return None
        return POLL if self.ahead < _MANY else SLOW_POLL

    @property
    def stage(self) -> tuple[Any, ...]:
        """Return the values after whose change the whole page is rendered, not the progress bar alone."""
        return self.running, self.poll, self.problem, *map(len, self.results)

    @property
    def ended(self) -> tuple[bool, ...]:
        """Return for each job whether it has ended."""
        return tuple(not progress.running for progress in self.progress)

    @property
    def problem(self) -> str | None:
        """Return why a job failed, or None."""
        return next((progress.error for progress in self.progress if progress.error), None)

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Return how many trials are done, and of how many, by the jobs' names."""
        found: dict[str, tuple[int, int]] = {}
        for job, progress in zip(self.jobs, self.progress, strict=True):
            (done, total), before = found.get(job.name, (0, 0)), 1 if job.first else 0
            found[job.name] = done + len(progress.results) + before, total + progress.total + before
        return found

    @property
    def progress_text(self) -> str:
        """Return how many trials are done, how many jobs are ahead, and the runner's note."""
        notes = {job.name: job.note for job in self.jobs}
        parts = [f"{name} {done} of {total}{notes[name]}" for name, (done, total) in self.counts.items()]
        if self.ahead:
            parts.append("1 computation comes first" if self.ahead == 1 else f"{self.ahead} computations come first")
        return " · ".join([*parts, self.note] if self.note else parts)

    def of_kind(self, kind: str, config: Any = None) -> list[Any]:
        """Return all results of the jobs of one kind; of one config unless that is None."""
        by_job = zip(self.jobs, self.results, strict=True)
        return [
            result
            for job, results in by_job
            if job.key[0] == kind and config in (None, job.key[1])
            for result in results
        ]


def start_or_follow(question: Any, jobs: Sequence[Job]) -> Trials:
    """Start the jobs of a question, or follow them if they run already; jobs that this visitor stopped are not started.

    Shipped trials are not run again: a job runs those after them, and one that needs no others never starts. Raise
    ``ValueError`` with a sentence if a trial that is run at once fails.
    """
    stopped, again = st.session_state.get(_STOPPED) == fingerprint(question), st.session_state.pop(_AGAIN, False)
    progress = tuple((_watch_own if job.private else _watch_shared)(job, stopped, again) for job in jobs)
    results = tuple((*_first_trial(job), *one.results) for job, one in zip(jobs, progress, strict=True))
    return Trials(tuple(jobs), progress, results)


def already_there(jobs: Sequence[Job]) -> Trials:
    """Return the trials of jobs that are shipped or computed already, and those that run at once; start no job.

    Raise ``ValueError`` with a sentence if a trial that is run at once fails.
    """
    progress = tuple(Progress(_done(job), len(job.tasks), False) for job in jobs)
    results = tuple((*_first_trial(job), *one.results) for job, one in zip(jobs, progress, strict=True))
    return Trials(tuple(jobs), progress, results)


def _done(job: Job) -> tuple[Any, ...]:
    """Return the results of a job's first tasks that are shipped, or that the runner still has."""
    shipped = _shipped(job)
    computed = None if job.private else cache.runner().look(job.key)
    return (*shipped, *(computed.results[: len(job.tasks) - len(shipped)] if computed else ()))


def stop_watching_others(jobs: Sequence[Job]) -> None:
    """Stop following all jobs but these; a job that nobody follows is stopped."""
    cache.runner().leave(visitor(), [job.key for job in jobs])


def check_linked_job(jobs: Sequence[Job]) -> None:
    """Once per visit: add a note if the job in the visitor's link cannot be followed."""
    if _ARRIVED in st.session_state:
        return
    arrived, st.session_state[_ARRIVED] = link.parameters().get(JOB.key, [""])[-1], True
    if not arrived:
        return
    if arrived != job_id(jobs):
        link.add_note(f"`job={arrived}` was ignored: this link’s settings have trials of their own, which are shown.")
    elif not any(cache.runner().look(job.key) or len(_shipped(job)) == len(job.tasks) for job in jobs):
        link.add_note(f"`job={arrived}` has ended, and what it made is no longer kept: its trials are run anew.")


def write_job_id(made: Trials) -> None:
    """Keep the id of running jobs in the address, so that a reload of the page follows them."""
    link.set_one(JOB.key, job_id(made.jobs) if made.running else "")


def job_id(jobs: Sequence[Job]) -> str:
    """Return the id of some jobs in the address, the same for the same trials; empty if they use own records."""
    keys = [job.key for job in jobs]
    return "" if any(job.private for job in jobs) else hashlib.sha256(repr(keys).encode()).hexdigest()[:_ID]


def _first_trial(job: Job) -> tuple[Any, ...]:
    """Return the trial that a job runs at once, from the shipped ones if it is there; empty if it runs none."""
    if not job.first:
        return ()
    shipped = None if job.private else cache.shipped_results().find(job.function, job.key[1])
    return (job.first() if shipped is None else shipped,)


def _shipped(job: Job) -> tuple[Any, ...]:
    """Return the shipped results of a job's first tasks; none for a visitor's own records."""
    if job.private:
        return ()
    results = (cache.shipped_results().find(job.function, task) for task in job.tasks)
    return tuple(takewhile(lambda result: result is not None, results))


def _watch_shared(job: Job, stopped: bool, again: bool) -> Progress:
    """Start or follow a job that all visitors share, and return its progress."""
    shipped = _shipped(job)
    left = job.tasks[len(shipped) :]
    if not left:
        return Progress(shipped, len(shipped), False)
    progress = _watch_left(job, left, stopped, again)
    return replace(progress, results=(*shipped, *progress.results), total=len(job.tasks))


def _watch_left(job: Job, left: Sequence[Any], stopped: bool, again: bool) -> Progress:
    """Start or follow the tasks of a job that are not shipped, and return the progress.

    These tasks are always the same for the same key.
    """
    runner = cache.runner()
    if not stopped:
        return runner.watch(job.key, visitor(), job.function, left, new_try=again, slow=job.slow)
    progress = runner.look(job.key)  # shows the results so far; others may go on with the job
    return Progress(progress.results[: len(left)] if progress else (), len(left), False)


def _watch_own(job: Job, stopped: bool, again: bool) -> Progress:
    """Start or follow a job on a visitor's own records: its results move to the session, and are kept only there."""
    n, runner = len(job.tasks), cache.runner()
    # The first task of the running job, and the results of all tasks so far: one entry, so that neither is lost alone.
    begun, kept = own_data.find_result(job.key) or (None, ())
    if stopped or len(kept) >= n:
        return Progress(kept[:n], n, False)
    at_work = runner.look(job.key) is not None
    if at_work and begun is None:
        return Progress((), n, True)  # its earlier results are lost: the runner soon drops it, and then it starts again
    if begun is None or not at_work:  # the runner drops a job that was stopped: start after the results that are kept
        begun = len(kept)
    function, left = partial(results.without_config, job.function), job.tasks[begun:]
    progress = runner.watch(job.key, visitor(), function, left, new_try=again, slow=job.slow, private=True)
    done = zip(progress.results, left, strict=False)
    results_so_far = (*kept[:begun], *(replace(result, config=task) for result, task in done))
    own_data.store_result(job.key, (begun, results_so_far))
    return replace(progress, results=results_so_far, total=n)


def visitor() -> str:
    """Return the name by which the runner knows this visitor."""
    return st.session_state.setdefault(_VISITOR, visits.name())


def fingerprint(question: Any) -> str:
    """Return a text that identifies a question without holding the visitor's own records."""
    return f"{question!r}, {own_data.version()}"


def stop(question: str) -> None:
    """Stop the trials of the question with this `fingerprint` for this visitor."""
    st.session_state[_STOPPED] = question
    cache.runner().leave(visitor())


def resume() -> None:
    """Resume the trials that were stopped."""
    st.session_state.pop(_STOPPED, None)
    st.session_state[_AGAIN] = True

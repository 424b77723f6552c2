"""Background draws: start, follow, stop and resume."""

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

# Seconds between looks at how far the draws are, and where many others come first: each look is work as well.
POLL, SLOW_POLL = 1.5, 5.0
_MANY = 4
# Digits of the id by which the address names the jobs that run.
_ID = 12
_STOPPED, _AGAIN, _VISITOR, _ARRIVED = "stopped_draws", "draws_again", "visitor", "came_by_link"


@dataclass(frozen=True)
class Job:
    """Work in the background: `function` of each of `tasks`, known to all visitors by `key`, called `name` on screen.

    The key is its kind, its config and more. `first` makes one draw more at once, on the page. A `slow` job leaves a
    process free for others; `note` follows its progress.
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
        """Whether it works on a visitor's own records."""
        return own_data.is_own(self.key[1])


def _check_id(words: str) -> None:
    if not re.fullmatch(f"[0-9a-f]{{{_ID}}}", words):
        raise ValueError(f"the id of a job is {_ID} digits from 0 to f")


# In the address while jobs run.
JOB = settings.Words("job", _check_id, "")


class Question(Protocol):
    """A question of `n_draws` draws of a `config`, the first of which may be quick enough to wait for."""

    @property
    def config(self) -> Any: ...
    @property
    def n_draws(self) -> int: ...
    @property
    def at_once(self) -> bool: ...


def one_job(
    kind: str, question: Question, run: Callable[[Any], Any], first: Callable[[Any], Any], slow: bool = False
) -> list[Job]:
    """The draws of a question in one job; a config's `draw` counts them. `first` makes a quick one on the page."""
    config, before = question.config, 1 if question.at_once else 0
    tasks = [with_trial(config, i) for i in range(before, question.n_draws)]
    at_once = partial(first, config) if before else None
    return [Job((kind, config, before), "Draw", run, tasks, at_once, slow)]


@dataclass(frozen=True)
class Trials:
    """How far the jobs of a question are, and the `results` of each, the one made at once among them."""

    jobs: tuple[Job, ...] = ()
    progress: tuple[Progress, ...] = ()
    results: tuple[tuple[Any, ...], ...] = ()

    @property
    def running(self) -> bool:
        """Whether more is to come."""
        return any(progress.running for progress in self.progress)

    @property
    def finished(self) -> bool:
        """Whether every draw is made."""
        return all(progress.finished for progress in self.progress)

    @property
    def ahead(self) -> int:
        """How many other jobs have their turns first."""
        return min((progress.ahead for progress in self.progress if progress.running), default=0)

    @property
    def note(self) -> str:
        """What befell a job that still runs."""
        return next((progress.note for progress in self.progress if progress.running and progress.note), "")

    @property
    def poll(self) -> float | None:
        """Seconds until the next look; None where nothing more is to come."""
        if not self.running:
            return None
        return POLL if self.ahead < _MANY else SLOW_POLL

    @property
    def stage(self) -> tuple[Any, ...]:
        """What makes a difference to more than the line that says how far the draws are."""
        return self.running, self.poll, self.problem, *map(len, self.results)

    @property
    def ended(self) -> tuple[bool, ...]:
        """Which of the jobs have no more to come."""
        return tuple(not progress.running for progress in self.progress)

    @property
    def problem(self) -> str | None:
        """Why a job failed, if one did."""
        return next((progress.error for progress in self.progress if progress.error), None)

    def of_kind(self, kind: str, config: Any = None) -> list[Any]:
        """All results of the jobs of one kind, and, unless it is None, of one config."""
        found = zip(self.jobs, self.results, strict=True)
        return [result for job, made in found if job.key[0] == kind and config in (None, job.key[1]) for result in made]


def start_or_follow(question: Any, jobs: Sequence[Job]) -> Trials:
    """Say how far the jobs are, each started unless this visitor has stopped them.

    Draws that come with the package are not made: a job goes on after them, and one that needs no others never starts.
    Raises ``ValueError`` with a sentence where a draw that is made at once cannot be made.
    """
    stopped, again = st.session_state.get(_STOPPED) == fingerprint(question), st.session_state.pop(_AGAIN, False)
    progress = tuple((_watch_own if job.private else _watch_shared)(job, stopped, again) for job in jobs)
    results = tuple((*_first_trial(job), *far.results) for job, far in zip(jobs, progress, strict=True))
    return Trials(tuple(jobs), progress, results)


def stop_watching_others(jobs: Sequence[Job]) -> None:
    """Stop watching all jobs but these."""
    cache.runner().leave(visitor(), [job.key for job in jobs])


def check_linked_job(jobs: Sequence[Job]) -> None:
    """Once a visit: say so if the job of the link by which a visitor came is not there to be followed."""
    if _ARRIVED in st.session_state:
        return
    arrived, st.session_state[_ARRIVED] = st.query_params.get(JOB.key), True
    if not arrived:
        return
    if arrived != job_id(jobs):
        link.add_note(f"`job={arrived}` was ignored: this link’s settings have draws of their own, which are shown.")
    elif not any(cache.runner().look(job.key) or len(_shipped(job)) == len(job.tasks) for job in jobs):
        link.add_note(f"`job={arrived}` has ended, and what it made is no longer kept: its draws are made anew.")


def write_job_id(draws: Trials) -> None:
    """Keep the id of jobs in the address for as long as they run: a reload goes on with them."""
    link.write(JOB.key, job_id(draws.jobs) if draws.running else "")


def job_id(jobs: Sequence[Job]) -> str:
    """What the address calls some jobs: the same for the same draws; nothing for those of a visitor's own records."""
    keys = [job.key for job in jobs]
    return "" if any(job.private for job in jobs) else hashlib.sha256(repr(keys).encode()).hexdigest()[:_ID]


def _first_trial(job: Job) -> tuple[Any, ...]:
    """The draw that a job makes at once, if it makes one, unless it comes with the package."""
    if not job.first:
        return ()
    there = None if job.private else cache.shipped_results().find(job.function, job.key[1])
    return (job.first() if there is None else there,)


def _shipped(job: Job) -> tuple[Any, ...]:
    """The results of a job's first tasks that come with the package; none of a visitor's own records."""
    if job.private:
        return ()
    there = (cache.shipped_results().find(job.function, task) for task in job.tasks)
    return tuple(takewhile(lambda result: result is not None, there))


def _watch_shared(job: Job, stopped: bool, again: bool) -> Progress:
    """How far a job is that anybody may follow."""
    ready = _shipped(job)
    left = job.tasks[len(ready) :]
    if not left:
        return Progress(ready, len(ready), False)
    made = _watch_left(job, left, stopped, again)
    return replace(made, results=(*ready, *made.results), total=len(job.tasks))


def _watch_left(job: Job, left: Sequence[Any], stopped: bool, again: bool) -> Progress:
    """How far the runner is with the tasks of a job that are `left` to it: for the same key, from the same one on."""
    runner = cache.runner()
    if not stopped:
        return runner.watch(job.key, visitor(), job.function, left, new_try=again, slow=job.slow)
    there = runner.look(job.key)  # what is there is kept; others may go on with it, this visitor does not
    return Progress(there.results[: len(left)] if there else (), len(left), False)


def _watch_own(job: Job, stopped: bool, again: bool) -> Progress:
    """How far a job on a visitor's own records is: its results move to the session, and are kept only there."""
    n, runner = len(job.tasks), cache.runner()
    # From which task on the runner works, and what is there of all tasks: one entry, so that neither is lost alone.
    begun, kept = own_data.find_result(job.key) or (None, ())
    if stopped or len(kept) >= n:
        return Progress(kept[:n], n, False)
    at_work = runner.look(job.key) is not None
    if at_work and begun is None:
        return Progress((), n, True)  # begun for what is lost by now: it is soon forgotten, and then begun anew
    if begun is None or not at_work:  # a job that was stopped is forgotten; it goes on from what is kept
        begun = len(kept)
    function, left = partial(results.without_config, job.function), job.tasks[begun:]
    progress = runner.watch(job.key, visitor(), function, left, new_try=again, slow=job.slow, private=True)
    done = zip(progress.results, left, strict=False)
    found = (*kept[:begun], *(replace(result, config=task) for result, task in done))
    own_data.store_result(job.key, (begun, found))
    return replace(progress, results=found, total=n)


def visitor() -> str:
    """This visitor's name among those who watch."""
    return st.session_state.setdefault(_VISITOR, visits.name())


def fingerprint(question: Any) -> str:
    """A question, to be remembered without the visitor's own records that it may hold."""
    return f"{question!r}, {own_data.version()}"


def stop(question: str) -> None:
    """Stop the draws of a `fingerprint` question for this visitor."""
    st.session_state[_STOPPED] = question
    cache.runner().leave(visitor())


def resume() -> None:
    """Go on with the draws that were stopped."""
    st.session_state.pop(_STOPPED, None)
    st.session_state[_AGAIN] = True

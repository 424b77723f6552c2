"""Draws as they come: work away from the screen, followed, stopped and gone on with."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol
from uuid import uuid4

import streamlit as st

from pages.shared import address, cached, layout, own, settings, text
from privdemo.experiments import results
from privdemo.jobs import Progress

# Seconds between looks at how far the draws are.
POLL = 1.5
# Draws from which on a difference between methods is judged: an interval over two or three is next to none.
ENOUGH = 5
# Digits of the id by which the address names the jobs that run.
_ID = 12
_STOPPED, _AGAIN, _VISITOR, _ARRIVED = "stopped_draws", "draws_again", "visitor", "came_by_link"


@dataclass(frozen=True)
class Job:
    """Work away from the screen: its `key` and `name`, what it does with each of its `tasks`.

    `before` draws of it were made at once, on the page; `note` follows its progress.
    """

    key: Any
    name: str
    function: Callable[[Any], Any]
    tasks: Sequence[Any]
    before: int = 0
    slow: bool = False
    note: str = ""

    @property
    def private(self) -> bool:
        """Whether it works on a visitor's own records: its key is its kind, its config and more."""
        return own.is_own(self.key[1])


Work = list[tuple[Job, Progress]]


def _check_id(words: str) -> None:
    if not re.fullmatch(f"[0-9a-f]{{{_ID}}}", words):
        raise ValueError(f"the id of a job is {_ID} digits from 0 to f")


# In the address while jobs run.
JOB = settings.Words("job", _check_id, "")


@dataclass(frozen=True)
class Lesson:
    """A page of draws: the `jobs` of a question, its `answer` so far, its `takeaway`, and how to `show` it.

    `waiting` are words for before there is any; `answer` raises ``ValueError`` with a sentence where there is nothing
    to learn from, and `failed` begins that note.
    """

    jobs: Callable[[Any], list[Job]]
    answer: Callable[[Any], Any]
    waiting: Callable[[Any], str]
    takeaway: Callable[[Any], str]
    show: Callable[[Any], None]
    failed: str


class Asked(Protocol):
    """A question of `n_draws` draws of a `config`, the first of which may be quick enough to wait for."""

    @property
    def config(self) -> Any: ...
    @property
    def n_draws(self) -> int: ...
    @property
    def at_once(self) -> bool: ...


def one_job(kind: str, question: Asked, run: Callable[[Any], Any], slow: bool = False) -> list[Job]:
    """The draws of a question that are made away from the screen, in one job; a config's `draw` counts them."""
    first = 1 if question.at_once else 0
    tasks = [replace(question.config, draw=i) for i in range(first, question.n_draws)]
    return [Job((kind, question.config, first), "Draw", run, tasks, before=first, slow=slow)]


def draws_so_far(question: Asked, jobs: Sequence[Job], first: Callable[[Any], Any]) -> tuple[list[Any], Work]:
    """The draws of the one job that are there, the first made at once by `first` where that is quick; and the work."""
    work = watch(question, jobs)
    draws = list(work[0][1].results)
    if question.at_once:
        draws.insert(0, first(question.config))
    return draws, work


def running(work: Work) -> bool:
    """Whether more is to come."""
    return any(progress.running for _, progress in work)


def in_words(draws: Sequence[Any]) -> str:
    """“10 draws”, “one draw”."""
    return "one draw" if len(draws) == 1 else f"{len(draws)} draws"


def follow(lesson: Lesson, question: Any, title: str, place: Any) -> None:
    """Show the draws of `question` and go on showing them as they come.

    Where nothing can be shown, a sentence says why: `question` itself, or what is wrong with it.
    """
    asked = not isinstance(question, str)
    jobs = lesson.jobs(question) if asked else []
    cached.runner().leave(visitor(), [job.key for job in jobs])
    problem, more = ("" if asked else question), False
    if _ARRIVED not in st.session_state:
        _attach(jobs)
    if asked:
        try:
            more = running(lesson.answer(question).work)
        except ValueError as error:
            problem = f"{lesson.failed} {text.sentence(error)}"
    if problem:
        address.write(JOB.key, "")
        layout.takeaway(place, title, problem)
        return
    st.fragment(_live, run_every=POLL if more else None)(lesson, question, more, title, place)


def _live(lesson: Lesson, question: Any, was_running: bool, title: str, place: Any) -> None:
    """All that changes while draws come in; alone it runs again."""
    shown = lesson.answer(question)
    if was_running != running(shown.work):
        st.rerun()  # polling ends, or begins again
    problem = next((progress.error for _, progress in shown.work if progress.error), None)
    if problem and not shown.draws:
        layout.takeaway(place, title, f"{lesson.failed} {text.sentence(problem)}")
    elif problem:
        st.warning(f"Not all draws could be made. {text.sentence(problem)}")
    _progress(question, shown.work)
    _address(shown.work)
    if shown.draws:
        layout.takeaway(place, title, lesson.takeaway(shown))
        lesson.show(shown)
    elif not problem:
        waiting = lesson.waiting(question) if was_running else "No draw is there yet: go on, or change the settings."
        layout.takeaway(place, title, waiting)


def job_id(jobs: Sequence[Job]) -> str:
    """What the address calls some jobs: the same for the same draws; nothing for those of a visitor's own records."""
    keys = [job.key for job in jobs]
    return "" if any(job.private for job in jobs) else hashlib.sha256(repr(keys).encode()).hexdigest()[:_ID]


def _attach(jobs: Sequence[Job]) -> None:
    """Say so if the job of the link by which a visitor came is not there to be followed."""
    arrived, st.session_state[_ARRIVED] = st.query_params.get(JOB.key), True
    if not arrived:
        return
    if arrived != job_id(jobs):
        settings.note(f"`job={arrived}` was ignored: this link’s settings have draws of their own, which are shown.")
    elif not any(cached.runner().look(job.key) for job in jobs):
        settings.note(f"`job={arrived}` has ended, and what it made is no longer kept: its draws are made anew.")


def _address(work: Work) -> None:
    """Keep the id of jobs in the address for as long as they run: a reload goes on with them."""
    address.write(JOB.key, job_id([job for job, _ in work]) if running(work) else "")


def watch(question: Any, jobs: Sequence[Job]) -> Work:
    """How far the jobs are, each started unless this visitor has stopped them."""
    stopped, again = st.session_state.get(_STOPPED) == _remembered(question), st.session_state.pop(_AGAIN, False)
    return [(job, (_watch_own if job.private else _watch_shared)(job, stopped, again)) for job in jobs]


def _watch_shared(job: Job, stopped: bool, again: bool) -> Progress:
    """How far a job is that anybody may follow."""
    runner = cached.runner()
    if not stopped:
        return runner.watch(job.key, visitor(), job.function, job.tasks, new_try=again, slow=job.slow)
    there = runner.look(job.key)  # what is there is kept; others may go on with it, this visitor does not
    return Progress(there.results[: len(job.tasks)] if there else (), len(job.tasks), False)


def _watch_own(job: Job, stopped: bool, again: bool) -> Progress:
    """How far a job on a visitor's own records is: its results move to the session, and are kept only there."""
    n, runner = len(job.tasks), cached.runner()
    # From which task on the runner works, and what is there of all tasks: one entry, so that neither is lost alone.
    begun, kept = own.recall(job.key) or (None, ())
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
    own.keep(job.key, (begun, found))
    return replace(progress, results=found, total=n)


def visitor() -> str:
    """This visitor's name among those who watch."""
    return st.session_state.setdefault(_VISITOR, uuid4().hex)


def _progress(question: Any, work: Work) -> None:
    """How many draws are done, and a way to stop or go on."""
    if all(progress.finished for _, progress in work):
        return
    counts: dict[str, tuple[int, int]] = {}
    for job, progress in work:  # one kind of draw may be made in several jobs
        done, total = counts.get(job.name, (0, 0))
        counts[job.name] = done + len(progress.results) + job.before, total + progress.total + job.before
    notes = {job.name: job.note for job, _ in work}
    parts = [f"{name} {done} of {total}{notes[name]}" for name, (done, total) in counts.items()]
    done, total = (sum(numbers) for numbers in zip(*counts.values(), strict=True))
    more = running(work)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="draw-progress"):
        st.progress(done / total, " · ".join(parts) + ("" if more else ", stopped"), width="stretch")
        if more:
            st.button("Stop", on_click=_stop, args=(_remembered(question),), key="stop-draws")
        else:
            st.button("Go on", on_click=_go_on, key="more-draws")


def _remembered(question: Any) -> str:
    """A question, to be remembered without the visitor's own records that it may hold."""
    return f"{question!r}, {id(own.held())}"


def _stop(question: str) -> None:
    st.session_state[_STOPPED] = question
    cached.runner().leave(visitor())


def _go_on() -> None:
    st.session_state.pop(_STOPPED, None)
    st.session_state[_AGAIN] = True

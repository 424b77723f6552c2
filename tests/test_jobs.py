"""Jobs in other processes: order, stopping and going on, sharing, failing. A busy machine only makes them slower."""

import multiprocessing
import os
import signal
import time
import weakref
from itertools import pairwise
from types import SimpleNamespace

import pytest

from privdemo import jobs
from privdemo.jobs import Progress, Runner
from tests.working import (
    Gates,
    Own,
    alive,
    blas_threads,
    die,
    divide,
    done,
    flaky,
    gated,
    give_what_cannot_be_sent,
    numbers,
    process_of,
    refuse,
    unreadable,
    until,
)


@pytest.fixture
def runner(monkeypatch):
    """A runner whose watchers are not given up, whatever else the machine does; its processes end with the test."""
    monkeypatch.setattr(jobs, "PATIENCE", 1e6)
    before = set(multiprocessing.active_children())
    runner = Runner()
    yield runner
    for watcher in ("me", "you"):
        runner.leave(watcher)
    for process in set(multiprocessing.active_children()) - before:
        process.kill()


@pytest.fixture
def lone(runner, monkeypatch):
    """A runner with one process: what comes next must use the same one, or the one that took its place."""
    monkeypatch.setattr(jobs, "WORKERS", 1)
    return runner


# --- doing tasks -------------------------------------------------------------------------------------


def test_tasks_are_done_in_order_in_another_process_and_come_one_by_one(runner, tmp_path):
    gates = Gates(tmp_path / "a", 3)
    first = runner.watch("job", "me", gated, gates.tasks)
    assert (first.results, first.total, first.running, first.error) == ((), 3, True, None)
    for i in range(3):
        until(lambda i=i: gates.starts(i))
        progress = runner.look("job")
        assert numbers(progress) == list(range(i))
        assert progress.running
        assert not progress.finished
        assert not any(gates.starts(later) for later in range(i + 1, 3))
        gates.open(i)
        until(lambda i=i: len(runner.look("job").results) > i)
    progress = runner.look("job")
    assert numbers(progress) == [0, 1, 2]
    assert progress.finished
    assert not progress.running
    (process,) = {pid for i in range(3) for pid in gates.starts(i)}
    assert process != os.getpid()
    assert all(len(gates.starts(i)) == 1 for i in range(3))


def test_a_task_computes_in_one_thread(runner):
    assert done(runner, "job", blas_threads, [3, 4]).results == ({1}, {1})


def test_two_jobs_run_side_by_side_each_in_one_process(runner, tmp_path):
    a, b = Gates(tmp_path / "a", 2), Gates(tmp_path / "b", 1)
    runner.watch("a", "me", gated, a.tasks)
    runner.watch("b", "me", gated, b.tasks)
    until(lambda: a.starts(0) and b.starts(0))
    assert a.starts(0) != b.starts(0)
    b.open(0)
    until(lambda: runner.look("b").finished)
    # the free process takes another job, not a second task of the one that is busy
    assert done(runner, "c", process_of, [0]).results == ((0, b.starts(0)[0]),)
    assert len(a.starts(0)) == 1
    assert not a.starts(1)


def test_a_long_job_has_its_turns_while_shorter_ones_come(lone, tmp_path):
    """The long one is past many tasks when ten short ones arrive: it waits for one of each at most."""
    long = Gates(tmp_path / "long", 30, opened=range(12))
    lone.watch("long", "me", gated, long.tasks)
    until(lambda: long.starts(12))
    short = [Gates(tmp_path / f"short {i}", 6, opened=range(6)) for i in range(10)]
    for i, gates in enumerate(short):
        lone.watch(f"short {i}", "you", gated, gates.tasks)
    long.open(*range(12, 30))
    others = [when for i in range(10) for _, when in until(lambda k=f"short {i}": _all(lone, k)).results]
    mine = [when for _, when in until(lambda: _all(lone, "long")).results]
    turns = [sum(before < when < after for when in others) for before, after in pairwise(mine[11:])]
    assert max(turns) <= 10
    assert sum(turns) == len(others)


def test_a_stream_of_new_jobs_does_not_stop_an_older_one(lone, tmp_path):
    """Somebody who changes a setting before every turn gets every other turn, not all."""
    old = Gates(tmp_path / "old", 4)
    lone.watch("old", "me", gated, old.tasks)
    until(lambda: old.starts(0))
    for i in range(3):
        new = Gates(tmp_path / f"new {i}", 4)
        lone.leave("you")
        lone.watch(f"new {i}", "you", gated, new.tasks)
        old.open(i)
        until(lambda gates=new: gates.starts(0))  # who came while the old one had its turn is next
        newer = Gates(tmp_path / f"newer {i}", 4)
        lone.watch(f"newer {i}", "you", gated, newer.tasks)
        new.open(0)
        until(lambda i=i: old.starts(i + 1))
        assert not newer.starts(0)


def _all(runner, key):
    progress = runner.look(key)
    return progress if progress.finished else None


def test_more_tasks_extend_a_job(runner, tmp_path):
    gates = Gates(tmp_path / "a", 4, opened=(0, 1, 2))
    assert numbers(done(runner, "job", gated, gates.tasks[:2])) == [0, 1]
    more = runner.watch("job", "me", gated, gates.tasks)
    assert (numbers(more), more.total, more.running) == ([0, 1], 4, True)
    gates.open(3)
    assert numbers(done(runner, "job", gated, gates.tasks)) == [0, 1, 2, 3]
    assert [len(gates.starts(i)) for i in range(4)] == [1, 1, 1, 1]


def test_who_wants_less_ends_the_rest_unless_another_wants_it(runner, tmp_path):
    gates = Gates(tmp_path / "a", 6, opened=(0, 1))
    runner.watch("job", "me", gated, gates.tasks)
    until(lambda: gates.starts(2))
    fewer = runner.watch("job", "me", gated, gates.tasks[:2])
    assert (numbers(fewer), fewer.total, fewer.running, fewer.finished) == ([0, 1], 2, False, True)
    until(lambda: not alive(gates.starts(2)[0]))
    other = runner.watch("job", "you", gated, gates.tasks[:3])
    assert other.running
    until(lambda: len(gates.starts(2)) == 2)
    assert not runner.watch("job", "me", gated, gates.tasks[:2]).running
    gates.open(2)
    assert numbers(done(runner, "job", gated, gates.tasks[:3], watcher="you")) == [0, 1, 2]
    assert gates.starts(3) == []


def test_slow_jobs_leave_a_process_to_the_others(runner, tmp_path):
    slow = [Gates(tmp_path / name, 1) for name in ("a", "b")]
    for gates in slow:
        runner.watch(gates.folder, "me", gated, gates.tasks, slow=True)
    until(lambda: slow[0].starts(0) or slow[1].starts(0))
    assert len(done(runner, "quick", process_of, [0, 1]).results) == 2
    assert len(slow[0].starts(0)) + len(slow[1].starts(0)) == 1, "one at a time"
    for gates in slow:
        gates.open(0)
        assert len(until(lambda gates=gates: _all(runner, gates.folder)).results) == 1


# --- stopping ----------------------------------------------------------------------------------------


def test_to_look_neither_starts_nor_keeps_anything(runner, tmp_path, monkeypatch):
    before = set(multiprocessing.active_children())
    assert runner.look("job") is None
    assert set(multiprocessing.active_children()) == before
    gates = Gates(tmp_path / "a", 1)
    runner.watch("job", "me", gated, gates.tasks)
    (process,) = until(lambda: gates.starts(0))
    monkeypatch.setattr(jobs, "PATIENCE", 0.2)
    until(lambda: not runner.look("job").running)  # looked at all the while
    until(lambda: not alive(process))
    assert runner.look("job") == Progress((), 1, False)


def test_a_watcher_who_polls_keeps_the_job_and_a_silent_one_ends_it(runner, tmp_path, monkeypatch):
    gates = Gates(tmp_path / "a", 2)
    runner.watch("job", "me", gated, gates.tasks)
    (process,) = until(lambda: gates.starts(0))
    now = [time.monotonic()]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))  # stands still unless it is moved
    runner.watch("job", "me", gated, gates.tasks)
    monkeypatch.setattr(jobs, "GRACE", -1.0)
    monkeypatch.setattr(jobs, "PATIENCE", 10.0)
    for _ in range(5):
        now[0] += 9
        assert runner.look("job").running
        runner.watch("job", "me", gated, gates.tasks)
    now[0] += 11
    assert not runner.look("job").running
    until(lambda: not alive(process))
    assert gates.starts(0) == [process]


def test_leaving_ends_a_task_that_would_never_end_and_frees_its_process(lone, tmp_path):
    gates = Gates(tmp_path / "a", 1)
    lone.watch("job", "me", gated, gates.tasks)
    (process,) = until(lambda: gates.starts(0))
    lone.leave("me")
    assert not lone.look("job").running
    until(lambda: not alive(process))
    ((_, other),) = done(lone, "next", process_of, [0]).results
    assert other not in (process, os.getpid())
    assert lone.look("job") == Progress((), 1, False)
    assert gates.starts(0) == [process]


def test_a_task_that_ends_within_the_grace_counts_and_no_other_is_started(lone, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "GRACE", 1e6)
    gates = Gates(tmp_path / "a", 2, opened=(1,))
    lone.watch("job", "me", gated, gates.tasks)
    (process,) = until(lambda: gates.starts(0))
    lone.leave("me")
    gates.open(0)
    assert numbers(until(lambda: lone.look("job") if lone.look("job").results else None)) == [0]
    assert done(lone, "next", process_of, [5]).results == ((5, process),)
    assert not gates.starts(1)
    assert numbers(lone.look("job")) == [0]


def test_going_on_after_a_stop_keeps_what_was_done(runner, tmp_path):
    gates = Gates(tmp_path / "a", 3, opened=(0, 2))
    runner.watch("job", "me", gated, gates.tasks)
    (process,) = until(lambda: gates.starts(1))
    earlier = runner.look("job").results
    runner.leave("me")
    until(lambda: not alive(process))
    assert runner.look("job") == Progress(earlier, 3, False)
    assert runner.watch("job", "me", gated, gates.tasks) == Progress(earlier, 3, True)
    gates.open(1)
    progress = done(runner, "job", gated, gates.tasks)
    assert numbers(progress) == [0, 1, 2]
    assert progress.results[:1] == earlier
    assert [len(gates.starts(i)) for i in range(3)] == [1, 2, 1]


def test_a_job_goes_on_while_one_of_two_watchers_stays(runner, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "GRACE", 0.0)
    gates = Gates(tmp_path / "a", 2, opened=(1,))
    runner.watch("job", "me", gated, gates.tasks)
    runner.watch("job", "you", gated, gates.tasks)
    until(lambda: gates.starts(0))
    runner.leave("me")
    assert done(runner, "other", process_of, [0]).finished  # time in which the job would have been ended
    assert runner.look("job").running
    gates.open(0)
    assert numbers(until(lambda: _all(runner, "job"))) == [0, 1]
    assert len(gates.starts(0)) == 1


def test_leaving_all_but_some_jobs(runner, tmp_path):
    a, b = Gates(tmp_path / "a", 1), Gates(tmp_path / "b", 1)
    runner.watch("a", "me", gated, a.tasks)
    runner.watch("b", "me", gated, b.tasks)
    until(lambda: a.starts(0) and b.starts(0))
    runner.leave("me", but=["b"])
    assert not runner.look("a").running
    assert runner.look("b").running
    until(lambda: not alive(a.starts(0)[0]))
    b.open(0)
    assert numbers(until(lambda: _all(runner, "b"))) == [0]


# --- failing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "tasks", "results", "sentence"),
    [
        (refuse, [0, 1, 2], (0,), "p must be in [0, 0.5], got 0.7"),
        (divide, [2, 0], (0.5,), "this could not be computed (ZeroDivisionError: division by zero)"),
        (die, [0, 1], (), "the process that computes ended unexpectedly"),
        (give_what_cannot_be_sent, [0], (), "the process that computes ended unexpectedly"),
        (process_of, [lambda: 1], (), "this could not be computed"),
        (unreadable, [0], (), "this could not be computed"),
    ],
)
def test_a_failure_is_said_and_the_next_job_works(lone, function, tasks, results, sentence):
    failed = done(lone, "job", function, tasks)
    assert failed.results == results
    assert failed.error.startswith(sentence)
    assert not failed.finished
    assert failed.total == len(tasks)
    ((task, process),) = done(lone, "next", process_of, [4]).results
    assert task == 4
    assert process != os.getpid()


def test_a_process_killed_from_outside_is_said_and_the_next_job_works(lone, tmp_path):
    gates = Gates(tmp_path / "a", 1)
    lone.watch("job", "me", gated, gates.tasks)
    (process,) = until(lambda: gates.starts(0))
    os.kill(process, signal.SIGKILL)
    until(lambda: lone.look("job").error)
    ((_, other),) = done(lone, "next", process_of, [0]).results
    assert other != process


# --- keeping -----------------------------------------------------------------------------------------


def test_results_are_kept_for_the_jobs_asked_for_last(runner, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT", 3)
    gates = Gates(tmp_path / "a", 1)
    runner.watch("running", "you", gated, gates.tasks)  # older than all, but wanted
    for key in range(5):
        assert done(runner, key, process_of, [key]).finished
        runner.look(0)  # to look is not to ask
    assert [key for key in range(5) if runner.look(key)] == [3, 4]
    assert runner.look("running").running
    assert done(runner, 3, process_of, [3]).finished
    assert done(runner, 5, process_of, [5]).finished
    assert [key for key in range(6) if runner.look(key)] == [3, 5]


def test_what_is_kept_is_not_done_again_and_what_was_dropped_is(runner, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT", 1)
    gates = Gates(tmp_path / "a", 1, opened=(0,))
    first = done(runner, "job", gated, gates.tasks)
    assert runner.watch("job", "you", gated, gates.tasks) == first
    assert len(gates.starts(0)) == 1
    done(runner, "other", process_of, [0])
    assert runner.look("job") is None
    assert runner.watch("job", "me", gated, gates.tasks).running
    until(lambda: _all(runner, "job"))
    assert len(gates.starts(0)) == 2


def test_a_private_job_is_forgotten_when_its_watcher_leaves_or_falls_silent(runner, monkeypatch):
    for go in (lambda: runner.leave("me"), lambda: monkeypatch.setattr(jobs, "PATIENCE", 0.2)):
        task = Own()
        gone = weakref.ref(task)
        tasks = [task]
        until(lambda tasks=tasks: runner.watch("own", "me", repr, tasks, private=True).finished)
        runner.watch("shared", "me", tuple, [(3,)])
        del task, tasks
        go()
        until(lambda gone=gone: gone() is None)
        assert runner.look("own") is None
    assert done(runner, "shared", tuple, [(3,)]).results == ((3,),)


def test_a_failed_job_fails_for_all_until_somebody_asks_for_a_new_try(lone, tmp_path):
    path = str(tmp_path / "been here")
    assert "ended unexpectedly" in done(lone, "f", flaky, [path]).error
    assert "ended unexpectedly" in done(lone, "f", flaky, [path], watcher="another").error
    lone.watch("f", "me", flaky, [path], new_try=True)
    assert done(lone, "f", flaky, [path]).results == (7,)


def test_a_process_that_died_while_idle_is_replaced(lone):
    ((_, pid),) = done(lone, "x", process_of, [0]).results
    os.kill(pid, signal.SIGKILL)
    until(lambda: pid not in [process.pid for process in multiprocessing.active_children()])
    ((_, other),) = done(lone, "y", process_of, [0]).results
    assert other != pid

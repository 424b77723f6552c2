"""Jobs in other processes: order, stopping and going on, sharing, failing. A busy machine only makes them slower."""

import multiprocessing
import os
import signal
import time
import weakref
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest

from privdemo import jobs, limits, workers
from privdemo.jobs import Progress, Runner
from tests import working
from tests.working import Gates, Own, alive, done, gated, numbers, process_of, until


@pytest.fixture
def runner(monkeypatch):
    """A runner whose watchers are not given up, whatever else the machine does; its processes end with the test."""
    monkeypatch.setattr(jobs, "WATCH_TIMEOUT", 1e6)
    before = set(multiprocessing.active_children())
    runner = Runner()
    yield runner
    for watcher in ("me", "you"):
        runner.leave(watcher)
    for process in set(multiprocessing.active_children()) - before:
        process.kill()


@pytest.fixture
def lone(runner):
    """A runner with one process: what comes next must use the same one, or the one that took its place."""
    runner.n_workers = 1
    return runner


def finished(runner, key):
    progress = runner.look(key)
    return progress if progress.finished else None


def begin(runner, folder, n=1, watcher="me", opened=()):
    """A job of `n` gated tasks under the name of its folder."""
    gates = Gates(folder, n, opened)
    runner.watch(folder.name, watcher, gated, gates.tasks)
    return gates


def test_tasks_are_done_in_order_in_another_process_and_come_one_by_one(runner, tmp_path):
    assert runner.look("job") is None
    gates = begin(runner, tmp_path / "job", 3)
    for i in range(3):
        until(lambda i=i: gates.starts(i))
        progress = runner.look("job")
        assert (numbers(progress), progress.running, progress.finished) == (list(range(i)), True, False)
        gates.open(i)
        until(lambda i=i: len(runner.look("job").results) > i)
    assert runner.look("job").finished
    ((process,),) = {tuple(gates.starts(i)) for i in range(3)}
    assert process != os.getpid()


def test_a_process_has_a_lower_priority_than_the_one_that_asks(lone, monkeypatch):
    monkeypatch.setattr(workers, "NICENESS", 3)
    assert done(lone, "job", working.priority, [0]).results == (min(os.getpriority(os.PRIO_PROCESS, 0) + 3, 19),)


def test_a_long_job_has_its_turns_while_shorter_ones_come(lone, tmp_path):
    """The long one is past many tasks when ten short ones arrive: it waits for one of each at most."""
    long = begin(lone, tmp_path / "long", 30, opened=range(12))
    until(lambda: long.starts(12))
    for i in range(10):
        begin(lone, tmp_path / f"short {i}", 6, "you", opened=range(6))
    long.open(*range(12, 30))
    others = [when for i in range(10) for _, when in until(lambda k=f"short {i}": finished(lone, k)).results]
    mine = [when for _, when in until(lambda: finished(lone, "long")).results]
    turns = [sum(before < when < after for when in others) for before, after in pairwise(mine[11:])]
    assert max(turns) <= 10
    assert sum(turns) == len(others)


def test_a_stream_of_new_jobs_does_not_stop_an_older_one(lone, tmp_path):
    """Somebody who changes a setting before every turn gets every other turn, not all."""
    old = begin(lone, tmp_path / "old", 4)
    until(lambda: old.starts(0))
    for i in range(3):
        lone.leave("you")
        new = begin(lone, tmp_path / f"new {i}", 4, "you")
        old.open(i)
        until(lambda gates=new: gates.starts(0))  # who came while the old one had its turn is next
        newer = begin(lone, tmp_path / f"newer {i}", 4, "you")
        new.open(0)
        until(lambda i=i: old.starts(i + 1))
        assert not newer.starts(0)


def test_slow_jobs_leave_a_process_to_the_others(runner, tmp_path):
    slow = [Gates(tmp_path / name, 1) for name in ("a", "b")]
    for gates in slow:
        runner.watch(gates.folder, "me", gated, gates.tasks, slow=True)
    until(lambda: slow[0].starts(0) or slow[1].starts(0))
    assert len(done(runner, "quick", process_of, [0, 1]).results) == 2
    assert len(slow[0].starts(0)) + len(slow[1].starts(0)) == 1, "one at a time"
    for gates in slow:
        gates.open(0)
        until(lambda gates=gates: finished(runner, gates.folder))


def test_more_tasks_extend_a_job_and_fewer_end_the_rest_unless_another_wants_it(runner, tmp_path):
    gates = Gates(tmp_path / "a", 6, opened=(0, 1))
    assert numbers(done(runner, "job", gated, gates.tasks[:1])) == [0]
    more = runner.watch("job", "me", gated, gates.tasks)
    assert (numbers(more), more.total, more.running) == ([0], 6, True)
    until(lambda: gates.starts(2))
    fewer = runner.watch("job", "me", gated, gates.tasks[:2])
    assert (numbers(fewer), fewer.total, fewer.running, fewer.finished) == ([0, 1], 2, False, True)
    until(lambda: not alive(gates.starts(2)[0]))
    assert runner.watch("job", "you", gated, gates.tasks[:3]).running
    assert not runner.watch("job", "me", gated, gates.tasks[:2]).running
    gates.open(2)
    assert numbers(done(runner, "job", gated, gates.tasks[:3], watcher="you")) == [0, 1, 2]
    assert not gates.starts(3)


def test_a_watcher_who_polls_keeps_the_job_and_one_who_only_looks_ends_it(runner, tmp_path, monkeypatch):
    gates = begin(runner, tmp_path / "job", 2)
    (process,) = until(gates.starts)
    now = [time.monotonic()]
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))  # stands still unless it is moved
    runner.watch("job", "me", gated, gates.tasks)
    monkeypatch.setattr(workers, "GRACE", -1.0)
    monkeypatch.setattr(jobs, "WATCH_TIMEOUT", 10.0)
    for _ in range(3):
        now[0] += 9
        assert runner.look("job").running
        runner.watch("job", "me", gated, gates.tasks)
    now[0] += 9
    assert runner.look("job").running
    now[0] += 2
    assert not runner.look("job").running
    until(lambda: not alive(process))
    assert gates.starts() == [process]


def test_a_watcher_who_is_known_to_be_there_need_not_poll(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "WATCH_TIMEOUT", 0.0)
    there = {"me"}
    runner = Runner(there.__contains__)
    gates = begin(runner, tmp_path / "job", 2, opened=(0,))
    (process,) = until(lambda: gates.starts(1))
    there.clear()
    until(lambda: not alive(process))
    assert not runner.look("job").running


def test_leaving_ends_a_task_that_would_never_end_and_going_on_keeps_what_was_done(lone, tmp_path):
    gates = begin(lone, tmp_path / "job", 3, opened=(0, 2))
    (process,) = until(lambda: gates.starts(1))
    earlier = lone.look("job").results
    lone.leave("me")
    assert lone.look("job") == Progress(earlier, 3, False)
    until(lambda: not alive(process))
    ((_, other),) = done(lone, "next", process_of, [0]).results
    assert other not in (process, os.getpid())
    assert lone.watch("job", "me", gated, gates.tasks) == Progress(earlier, 3, True)
    gates.open(1)
    progress = done(lone, "job", gated, gates.tasks)
    assert (numbers(progress), progress.results[:1]) == ([0, 1, 2], earlier)
    assert [len(gates.starts(i)) for i in range(3)] == [1, 2, 1]


def test_a_job_goes_on_while_one_of_two_watchers_stays_or_its_own_keeps_it(runner, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "GRACE", 0.0)
    a, b = begin(runner, tmp_path / "a"), begin(runner, tmp_path / "b")
    until(lambda: a.starts() and b.starts())
    runner.watch("a", "you", gated, a.tasks)
    runner.leave("you", but=["a"])
    runner.leave("me", but=["b"])
    assert runner.look("a").running
    runner.leave("you")
    until(lambda: not alive(a.starts()[0]))
    assert (runner.look("a").running, runner.look("b").running) == (False, True)
    b.open(0)
    assert numbers(until(lambda: finished(runner, "b"))) == [0]
    assert len(b.starts()) == 1


@pytest.mark.parametrize(
    ("function", "tasks", "results", "sentence"),
    [
        (working.refuse, [3, 1, 4], (1.0,), "p must be in [0, 0.5], got 0.7"),
        (working.refuse, [4, 2], (0.5,), "this could not be computed (ZeroDivisionError: "),
        (process_of, [lambda: 1], (), "this could not be computed"),
    ],
)
def test_a_failure_is_said_to_all_the_next_job_works_and_so_may_a_new_try(
    lone, tmp_path, function, tasks, results, sentence
):
    failed = done(lone, "job", function, tasks)
    assert (failed.results, failed.total, failed.finished) == (results, len(tasks), False)
    assert failed.error.startswith(sentence)
    flaky = [(str(tmp_path / "deaths"), 2)]
    for watcher in ("me", "you"):
        assert "ended unexpectedly" in done(lone, "next", working.flaky, flaky, watcher).error
    lone.watch("next", "me", working.flaky, flaky, new_try=True)
    assert done(lone, "next", working.flaky, flaky).results == (7,)


def test_a_task_that_is_lost_with_its_process_is_done_once_more_and_the_visitor_is_told(lone, tmp_path):
    task = [(str(tmp_path / "deaths"), 1), (str(tmp_path / "never"), 0)]
    until(lambda: (far := lone.watch("job", "me", working.flaky, task)).note or far.finished)
    note = "the process that computes ended unexpectedly, perhaps for want of memory; its task is done once more"
    assert lone.watch("job", "me", working.flaky, [*task, (str(tmp_path / "more"), 0)]).note == note
    assert done(lone, "job", working.flaky, task).results == (7, 7)


def test_a_process_that_hangs_is_replaced_and_its_task_done_once_more(lone, tmp_path, monkeypatch):
    gates = begin(lone, tmp_path / "job")
    (hanging,) = until(gates.starts)
    os.kill(hanging, signal.SIGSTOP)
    silence = workers.SILENCE
    monkeypatch.setattr(workers, "SILENCE", 0.1)
    until(lambda: not alive(hanging))
    monkeypatch.setattr(workers, "SILENCE", silence)
    assert "stopped answering; its task is done once more" in until(lambda: lone.look("job").note)
    until(lambda: len(gates.starts()) == 2)
    gates.open(0)
    assert numbers(until(lambda: finished(lone, "job"))) == [0]


def test_a_stopped_process_that_takes_no_task_is_replaced(lone, monkeypatch):
    ((_, idle),) = done(lone, "first", process_of, [0]).results
    os.kill(idle, signal.SIGSTOP)
    silence = workers.SILENCE
    monkeypatch.setattr(workers, "SILENCE", 0.1)
    large = [bytes(10_000_000)]  # more than a pipe holds
    lone.watch("next", "me", len, large)
    until(lambda: not alive(idle))
    monkeypatch.setattr(workers, "SILENCE", silence)
    until(lambda: lone.watch("next", "me", len, large, new_try=True).finished)


def narrow(monkeypatch, **highest):
    """Lower bounds than the real ones."""
    for name, high in highest.items():
        monkeypatch.setattr(limits, name, replace(getattr(limits, name), high=high))


def test_a_task_that_takes_too_long_is_ended_with_a_sentence(lone, tmp_path, monkeypatch):
    narrow(monkeypatch, TASK_SECONDS=1)
    (process,) = until(begin(lone, tmp_path / "job").starts)
    assert until(lambda: lone.look("job").error) == "this took more than the 1 seconds that a task may"
    assert not alive(process)


def test_so_many_jobs_may_wait_of_one_visitor_and_of_all(lone, tmp_path, monkeypatch):
    narrow(monkeypatch, JOBS_EACH=2, JOBS=3)
    for name in ("a", "b"):
        begin(lone, tmp_path / name)
    refused = Progress((), 1, False, "you have 2 computations waiting already, as many as one visitor may")
    assert lone.watch("c", "me", process_of, [0]) == refused
    assert lone.look("c") is None
    assert lone.watch("a", "me", gated, [0, 1]).running, "what is under way goes on"
    begin(lone, tmp_path / "d", watcher="you")
    assert lone.watch("e", "you", process_of, [0]).error.startswith(
        "3 computations are waiting already, as many as may"
    )
    lone.leave("me")
    assert lone.watch("e", "you", process_of, [0]).running


def test_how_many_jobs_have_their_turns_before(lone, tmp_path):
    until(begin(lone, tmp_path / "a").starts)
    for name in ("b", "c"):
        begin(lone, tmp_path / name)
    assert [lone.look(name).ahead for name in "abc"] == [0, 0, 1]


def test_results_are_kept_within_so_many_bytes(lone, monkeypatch):
    narrow(monkeypatch, KEPT_BYTES=2500, JOB_BYTES=1500)
    for key in range(3):
        assert done(lone, key, bytes, [1000]).finished
    until(lambda: lone.look(0) is None)
    assert lone.look(1).finished
    assert done(lone, "large", bytes, [1000, 1000]).error == "the results have more than the 0 MB that one job may have"


def test_a_process_killed_from_outside_busy_or_idle_is_replaced(lone, tmp_path):
    (busy,) = until((gates := begin(lone, tmp_path / "job")).starts)
    os.kill(busy, signal.SIGKILL)
    (_, again) = until(lambda: (pids := gates.starts())[1:] and pids)
    os.kill(again, signal.SIGKILL)
    until(lambda: lone.look("job").error)
    ((_, idle),) = done(lone, "next", process_of, [0]).results
    os.kill(idle, signal.SIGKILL)
    until(lambda: idle not in [process.pid for process in multiprocessing.active_children()])
    ((_, other),) = done(lone, "last", process_of, [0]).results
    assert len({busy, again, idle, other}) == 4


def test_results_are_kept_for_the_jobs_asked_for_last_and_others_done_again(runner, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT", 3)
    begin(runner, tmp_path / "running", watcher="you")  # older than all, but wanted
    gates = Gates(tmp_path / "a", 1, opened=(0,))
    first = done(runner, 0, gated, gates.tasks)
    assert runner.watch(0, "you", gated, gates.tasks) == first
    for key in range(1, 5):
        assert done(runner, key, process_of, [key]).finished
        runner.look(0)  # to look is not to ask
    assert [key for key in range(5) if runner.look(key)] == [3, 4]
    assert runner.look("running").running
    assert done(runner, 0, gated, gates.tasks).finished
    assert len(gates.starts()) == 2


def test_a_private_job_is_forgotten_when_its_watcher_leaves_or_falls_silent(runner, monkeypatch):
    for go in (lambda: runner.leave("me"), lambda: monkeypatch.setattr(jobs, "WATCH_TIMEOUT", 0.2)):
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

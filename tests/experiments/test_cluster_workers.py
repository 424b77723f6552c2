"""Visitors' jobs on a real Dask cluster of two processes: the same numbers, in turns, stopped, and made again."""

import logging
import os
import signal
import weakref

import numpy as np
import pytest
from dask.distributed import Client, LocalCluster

from privdemo import jobs
from privdemo.experiments import cluster, training
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.trials import with_trial
from privdemo.jobs import Runner
from privdemo.mechanisms import RandomisedResponse
from tests.test_jobs import begin, finished, narrow
from tests.working import Own, done, gated, numbers, process_of, refuse, until

NOTED = []


def noted(task):
    """Remember the task without holding it: the worker is in this process."""
    NOTED.append(weakref.ref(task))
    return type(task).__name__


@pytest.fixture(scope="module")
def dask():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1") as made:
        yield made


def runner_of(address, workers=8):
    there = cluster.Cluster(address)
    return Runner(workers=workers, worker=lambda: cluster.ClusterWorker(there))


@pytest.fixture
def runner(dask, monkeypatch):
    """A runner on the cluster, whose watchers are not given up."""
    monkeypatch.setattr(jobs, "WATCH_TIMEOUT", 1e6)
    monkeypatch.setattr(cluster, "_LOOK_S", 0.05)
    made = runner_of(dask.scheduler_address)
    yield made
    for watcher in ("me", "you"):
        made.leave(watcher)


def servers_of_tasks(dask):
    """How many servers wait for each task that the cluster has."""
    return [len(task.who_wants) for task in list(dask.scheduler.tasks.values())]


def test_trials_on_a_cluster_have_the_numbers_of_trials_here(runner):
    config = TrainingConfig("digits", n_train=20, methods=("naive",), pixels=RandomisedResponse(0.2, 17))
    tasks = [with_trial(config, i) for i in range(3)]
    there = done(runner, "job", training.run, tasks).results
    for found, task in zip(there, tasks, strict=True):
        here = training.run(task)
        assert found.config == task
        for method, fit in here.fits.items():
            np.testing.assert_array_equal(found.fits[method].proba, fit.proba)
    assert done(runner, "bad", refuse, [3, 1]).error == "p must be in [0, 0.5], got 0.7"


def test_every_visitor_has_turns_whatever_others_have_asked_for(runner, dask, tmp_path):
    """Two servers with a job of many tasks each: who comes later waits for one task of each."""
    other = runner_of(dask.scheduler_address)
    long = [begin(one, tmp_path / f"long {i}", 20) for i, one in enumerate((runner, other))]
    until(lambda: all(gates.starts() for gates in long))
    begin(runner, tmp_path / "short", 1, "you", opened=(0,))
    until(lambda: servers_of_tasks(dask) == [1, 1, 1])
    for gates in long:
        gates.open(0)
    until(lambda: finished(runner, "short"))
    assert not any(gates.starts(2) for gates in long)
    for one in (runner, other):
        one.leave("me")
    for gates in long:  # what has begun on the cluster ends there
        gates.open(1)


def test_who_leaves_takes_back_what_waits_and_may_go_on(runner, tmp_path):
    busy = [begin(runner, tmp_path / f"busy {i}", watcher="you") for i in range(2)]
    until(lambda: all(gates.starts() for gates in busy))
    waits = begin(runner, tmp_path / "waits", 2, opened=(0, 1))
    runner.leave("me")
    until(lambda: not runner._jobs["waits"].busy)
    for gates in busy:
        gates.open(0)
    until(lambda: finished(runner, "busy 0") and finished(runner, "busy 1"))
    assert not waits.starts()
    assert numbers(done(runner, "waits", gated, waits.tasks)) == [0, 1]


def test_a_task_for_which_two_servers_wait_is_done_once_and_stays_when_one_leaves(runner, dask, tmp_path):
    gates, other = begin(runner, tmp_path / "job"), runner_of(dask.scheduler_address)
    other.watch("job", "you", gated, gates.tasks)
    until(lambda: servers_of_tasks(dask) == [2])
    runner.leave("me")
    until(lambda: servers_of_tasks(dask) == [1])
    gates.open(0)
    assert numbers(until(lambda: finished(other, "job"))) == [0]
    assert len(gates.starts()) == 1


def test_the_task_of_a_lost_worker_is_done_by_another(runner, tmp_path):
    gates = begin(runner, tmp_path / "job", 2)
    (process,) = until(gates.starts)
    os.kill(process, signal.SIGKILL)
    first, second = until(lambda: (pids := gates.starts())[1:] and pids)
    assert first != second
    gates.open(0, 1)
    assert numbers(until(lambda: finished(runner, "job"))) == [0, 1]


def test_a_task_has_so_many_seconds_of_a_worker(runner, tmp_path, monkeypatch):
    narrow(monkeypatch, TASK_SECONDS=1)
    gates = begin(runner, tmp_path / "job")
    assert until(lambda: runner.look("job").error) == "this took more than the 1 seconds that a task may"
    gates.open(0)


@pytest.fixture
def empty(monkeypatch):
    """A scheduler without workers, in this process."""
    monkeypatch.setattr(cluster, "_LOOK_S", 0.05)
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0", protocol="tcp", host="127.0.0.1") as made:
        yield made


def test_missing_workers_and_a_lost_scheduler_are_said_to_the_visitor(empty, caplog):
    caplog.set_level(logging.WARNING, "distributed.client")
    runner = runner_of(empty.scheduler_address)
    runner.watch("job", "me", process_of, [0])
    until(lambda: runner.look("job").note == "the cluster has no worker at this moment, and trials wait for one")
    assert runner.look("job").running
    assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR), "Dask would log a traceback"
    empty.close()
    assert (
        until(lambda: runner.look("job").error) == "the cluster that computes trials does not answer; try again later"
    )
    assert runner.look("job").note.startswith("the cluster that computes trials was lost; its task is done once more")


def test_of_a_task_nothing_stays_with_the_worker(empty):
    empty.scale(1)
    result = done(runner_of(empty.scheduler_address), "own", noted, [Own()]).results
    assert result == ("Own",)
    until(lambda: NOTED[0]() is None)
    with Client(empty.scheduler_address, set_as_default=False) as client:
        until(lambda: not any(client.has_what().values()))
        assert not client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.tasks)

"""Tasks for other processes, which wait at gates, fail or die; and how to follow the jobs that do them."""

import os
import time
from pathlib import Path

DEADLINE = 120.0


def gated(task):
    """Write down the process in “start i”, wait for “go i”, and give i and when it was started."""
    folder, i = task
    begun = time.monotonic_ns()
    with open(Path(folder, f"start {i}"), "a") as log:
        log.write(f"{os.getpid()}\n")
    while not Path(folder, f"go {i}").exists():
        time.sleep(0.01)
    return i, begun


class Own:
    """Somebody's own records, which can be told to be gone."""


def process_of(task):
    return task, os.getpid()


def priority(task):
    return os.getpriority(os.PRIO_PROCESS, task)


def refuse(task):
    if task == 1:
        raise ValueError("p must be in [0, 0.5], got 0.7")
    return 1 / (task - 2)


def flaky(task):
    """Dies the first times, as many as it is told."""
    path, times = task
    with open(path, "a+") as deaths:
        deaths.seek(0)
        if len(deaths.read()) == times:
            return 7
        deaths.write("x")
    os._exit(1)


class Gates:
    """The tasks of one `gated` job, and what becomes of them."""

    def __init__(self, folder, n, opened=()):
        folder.mkdir()
        self.folder, self.tasks = folder, [(str(folder), i) for i in range(n)]
        self.open(*opened)

    def open(self, *tasks):
        for i in tasks:
            Path(self.folder, f"go {i}").touch()

    def starts(self, i=0):
        """The process of every time that task i was started."""
        file = Path(self.folder, f"start {i}")
        return [int(line) for line in file.read_text().splitlines()] if file.exists() else []


def until(look):
    """What `look` gives as soon as it is true."""
    end = time.monotonic() + DEADLINE
    while not (seen := look()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
    return seen


def numbers(progress):
    return [i for i, _ in progress.results]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def done(runner, key, function, tasks, watcher="me"):
    """The end of a job, watched all the while."""
    until(lambda: not runner.watch(key, watcher, function, tasks).running)
    return runner.watch(key, watcher, function, tasks)

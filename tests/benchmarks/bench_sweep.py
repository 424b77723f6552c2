"""Sweeps and the comparison: two processes beside one, what a trial costs beside its work, and ten draws of everything.

python -m tests.benchmarks.bench_sweep             about five minutes
"""

import sys
import tempfile
import time
from pathlib import Path

from threadpoolctl import threadpool_limits

from privdemo.experiments import comparison, sweep
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.private_training import NAIVE, SPREAD, TrainingConfig
from privdemo.experiments.sweep import Sweep
from privdemo.jobs import Runner
from privdemo.mechanisms import RandomisedResponse
from tests.benchmarks.timing import table


def seconds(wanted, n_jobs, backend="loky"):
    with tempfile.TemporaryDirectory() as folder:
        steps = sweep.sweep(wanted, Path(folder) / "out.csv", n_jobs, backend)
        next(steps)  # processes start with the first trial: left out below
        next(steps)
        start = time.perf_counter()
        for done, total in steps:
            last = done, total
        assert last[0] == last[1]
        return (time.perf_counter() - start) / (total - 1)


def sweeps():
    config = TrainingConfig(
        "digits",
        n_train=100,
        pixels=RandomisedResponse(0.2, 17),
        labels=RandomisedResponse(0.2, 2),
        methods=(NAIVE, SPREAD),
    )
    wanted = Sweep("training", (config,), 50)
    with threadpool_limits(1, user_api="blas"):
        alone = min(seconds(wanted, 1) for _ in range(2))
    rows = [["one process", f"{alone:.3f} s", "1.00 ×"]]
    for name, n_jobs, backend in (("two processes", 2, "loky"), ("Dask, two workers", 2, "dask")):
        per_trial = min(seconds(wanted, n_jobs, backend) for _ in range(2))
        rows.append([name, f"{per_trial:.3f} s", f"{alone / per_trial:.2f} ×"])
    table("A sweep of 50 trials, training on 200 small digits", ["", "a trial", "faster than one"], rows)


def overhead():
    """What the file and the queue cost, with trials that do next to nothing."""
    config = ComparisonConfig("share", "digits", n_train=20, bag_size=10, n_asked=10, methods=("naive count",))
    rows = []
    for name, n_jobs, backend in (("one process", 1, "loky"), ("two processes", 2, "loky"), ("Dask", 2, "dask")):
        per_trial = seconds(Sweep("comparison", (config,), 50), n_jobs, backend)
        rows.append([name, f"{1000 * per_trial:.1f} ms", f"{1 / per_trial:,.0f}"])
    table("Trials of a few milliseconds: a row, a flush and a queue", ["", "a trial", "trials a second"], rows)


def everything():
    """Ten draws of all methods, as the page runs them: two jobs in two processes."""
    rows = []
    for task in ("classify", "share"):
        for private in ("labels", "records"):
            config = ComparisonConfig(task, "mnist", private, epsilon=1.5)
            runner = Runner()
            halves = [[comparison.at_draw(config, draw) for draw in range(half, 10, 2)] for half in range(2)]
            start = time.perf_counter()
            while True:
                states = [runner.watch(half, "bench", comparison.run, tasks) for half, tasks in enumerate(halves)]
                if all(state.finished for state in states):
                    break
                time.sleep(0.05)
            rows.append([task, private, f"{time.perf_counter() - start:.1f} s"])
    table("Ten draws of all methods, 250 + 250 digits, processes started anew", ["task", "private", "time"], rows)


if __name__ == "__main__":
    {"sweeps": sweeps, "overhead": overhead, "everything": everything}.get(
        sys.argv[1] if len(sys.argv) > 1 else "", lambda: (sweeps(), overhead(), everything())
    )()

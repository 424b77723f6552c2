"""Measure sweeps and the comparison: the speedup by a second process, the overhead of a trial, the time of ten trials
of every method, and how much a comparison slows other visitors.
"""

import asyncio
import itertools
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import websockets
from sklearn.linear_model import LogisticRegressionCV
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from threadpoolctl import threadpool_limits

from privdemo.estimators.penalties import C_GRID
from privdemo.experiments import comparison, sweep
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.sweep import Sweep
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.trials import with_trial
from privdemo.jobs import Runner
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import NAIVE, SPREAD
from tests.benchmarks.timing import table, timed
from tests.browser import browsing

# Trials that are not timed, as the processes start with them.
N_WARM_UP = 10


def seconds_per_trial(wanted, n_jobs, backend="loky"):
    """Return the seconds a trial of a sweep takes, without the first `N_WARM_UP` ones."""
    with tempfile.TemporaryDirectory() as folder:
        steps = sweep.sweep(wanted, Path(folder) / "out.csv", n_jobs, backend)
        total = next(total for done, total in steps if done >= N_WARM_UP)
        return timed(lambda: list(steps)) / (total - N_WARM_UP)


def sweeps(n_trials=100):
    """Print the time of a trial in one process and in two, with loky and with Dask."""
    noise = {"pixels": RandomisedResponse(0.2, 17), "labels": RandomisedResponse(0.2, 2)}
    config = TrainingConfig("digits", n_train=100, **noise, methods=(NAIVE, SPREAD))
    wanted = Sweep("training", (config,), n_trials)
    with threadpool_limits(1, user_api="blas"):
        alone = seconds_per_trial(wanted, 1)
    on_dask = seconds_per_trial(wanted, 1, "dask")
    rows = [["one process", f"{alone:.3f} s", "1.00 ×"], ["Dask, one worker", f"{on_dask:.3f} s", "1.00 ×"]]
    for name, backend, one in (("two processes", "loky", alone), ("Dask, two workers", "dask", on_dask)):
        took = seconds_per_trial(wanted, 2, backend)
        rows.append([name, f"{took:.3f} s", f"{one / took:.2f} ×"])
    table("A sweep of 100 trials, training on 200 small digits", ["", "a trial", "faster than one of its kind"], rows)


def overhead(n_trials=500):
    """Print the overhead of the file and the queue, with trials that do next to nothing."""
    config = ComparisonConfig("share", "digits", n_train=20, bag_size=10, n_asked=10, methods=("naive count",))
    rows = []
    for name, n_jobs, backend in (("one process", 1, "loky"), ("two processes", 2, "loky"), ("Dask", 2, "dask")):
        took = seconds_per_trial(Sweep("comparison", (config,), n_trials), n_jobs, backend)
        rows.append([name, f"{1000 * took:.1f} ms", f"{1 / took:,.0f}"])
    table("Trials of a few milliseconds: a row, a flush and a queue", ["", "a trial", "trials a second"], rows)


def run_ten_trials(config):
    """Run ten trials as the page does: two jobs in two processes."""
    runner = Runner()
    halves = [[with_trial(config, trial) for trial in range(half, 10, 2)] for half in range(2)]
    while not all(runner.watch(half, "me", comparison.run, tasks).finished for half, tasks in enumerate(halves)):
        time.sleep(0.05)


def everything():
    """Print the time of ten trials of all methods."""
    people = comparison.sample_people(ComparisonConfig())
    known = LogisticRegressionCV(
        Cs=C_GRID, cv=5, scoring="neg_log_loss", max_iter=2000, l1_ratios=(0,), use_legacy_attributes=False
    )
    with threadpool_limits(1, user_api="blas"):
        one = timed(lambda: known.fit(people.clean, people.y))
    rows = []
    for task, private in itertools.product(("classify", "share"), ("labels", "records")):
        config = ComparisonConfig(task, "mnist", private, epsilon=1.5)
        took, n = timed(partial(run_ten_trials, config)), len(config.chosen)
        rows.append([task, private, f"{took:.1f} s", n, f"{2 * took / (10 * n) / one:.2f} ×"])
    title = (
        f"Ten trials of all methods, 250 + 250 digits, two processes started anew; LogisticRegressionCV on the clean "
        f"images with the same penalties and folds takes {one:.2f} s"
    )
    table(title, ["task", "private", "time", "methods", "a method, beside it"], rows)


# The changes of a number that are timed.
N_CHANGES = 40


async def reruns(address, label):
    """Return the sorted seconds of the reruns of the page on voting, each with a new value of a number.

    This client speaks the app's protocol, as a browser would use the same cores.
    """
    protocol = f"ws://{address.removeprefix('http://')}/_stcore/stream"
    async with websockets.connect(protocol, subprotocols=["streamlit"], max_size=None) as socket:

        async def rerun(widgets=()):
            message = BackMsg()
            message.rerun_script.page_name = "voting"
            message.rerun_script.widget_states.widgets.extend(widgets)
            await socket.send(message.SerializeToString())
            numbers, finished = {}, False
            while not finished:
                reply = ForwardMsg()
                reply.ParseFromString(await socket.recv())
                element = reply.delta.new_element
                if element.WhichOneof("type") == "number_input":
                    numbers[element.number_input.label] = element.number_input.id
                finished = reply.HasField("script_finished")
            return numbers

        number = (await rerun())[label]
        taken = []
        for i in range(N_CHANGES):
            start = time.perf_counter()
            await rerun([WidgetState(id=number, double_value=0.05 + 0.005 * i)])
            taken.append(time.perf_counter() - start)
            await asyncio.sleep(0.5)
        return sorted(taken)


def visitors():
    """Print the time of a visitor's reruns, alone and while a comparison runs for another visitor."""
    rows = []
    for name in ("alone", "beside a comparison"):
        with browsing.running_app() as address, browsing.chromium() as browser:
            other = browser.new_page()
            if name != "alone":
                browsing.open_page(other, f"{address}/comparison?label_epsilon=1.5&compare_draws=50&private=images+too")
                other.wait_for_timeout(5000)  # the processes have started
            with ThreadPoolExecutor(1) as aside:  # Playwright has this thread's event loop
                taken = aside.submit(asyncio.run, reruns(address, "p, lie")).result()
            rows.append([name, *(f"{1000 * taken[int(share * N_CHANGES)]:.0f} ms" for share in (0.5, 0.95))])
            if name != "alone":
                assert other.get_by_role("button", name="Stop", exact=True).count(), "the comparison ended too soon"
    table(f"Another visitor's {N_CHANGES} reruns of the page on voting", ["", "median", "95 % below"], rows)


PARTS = {"sweeps": sweeps, "overhead": overhead, "everything": everything, "visitors": visitors}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()

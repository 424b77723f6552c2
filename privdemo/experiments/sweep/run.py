"""Run a sweep: each finished trial is a row of a CSV file, and rows of the file are not computed again."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from privdemo.experiments import running
from privdemo.experiments.results import TRIAL_COLUMN
from privdemo.experiments.shipped_study import group
from privdemo.experiments.sweep import table
from privdemo.experiments.sweep.catalogue import EXPERIMENTS, range_of
from privdemo.experiments.sweep.spec import ConfigWithTrial, Sweep, settings_of
from privdemo.intervals import Estimate, mean_interval


def run_trial(experiment: str, config: Any) -> dict[str, str]:
    """Return one row of the table, as text.

    Where a trial cannot be run its numbers are missing, and the cell `problem` is the reason.
    """
    chosen, start = EXPERIMENTS[experiment], time.perf_counter()
    asks = config.seeded if isinstance(config, ConfigWithTrial) else config
    found: dict[str, float] = {}
    problem = ""
    try:
        result = chosen.run(asks)
        # No table takes numbers that are infinite or none at all.
        found = {name: value for name, value in chosen.metrics(result).items() if math.isfinite(value)}
        problem = chosen.problem(result)
        if not problem and (missing := [name for name in chosen.given(asks) if name not in found]):
            problem = f"this trial has no number of {', '.join(missing)}"
    except ValueError as error:
        problem = str(error)
    seconds = time.perf_counter() - start
    return (
        trial_cells(experiment, config)
        | {name: repr(float(value)) for name, value in found.items()}
        | {
            "seconds": f"{seconds:.4g}",
            "versions": running.versions(),
            "problem": problem,
        }
    )


def trial_cells(experiment: str, config: Any) -> dict[str, str]:
    """Return a trial's settings as cells of the table; they identify the trial."""
    return {"experiment": experiment} | {name: str(value) for name, value in settings_of(config).items()}


def sweep(
    wanted: Sweep, out: Path, n_jobs: int = 2, backend: str = "loky", scheduler: str | None = None
) -> Iterator[tuple[int, int]]:
    """Run the trials that `out` does not hold yet; each adds its row to `out` as soon as it is done.

    Yields (trials done, trials in all), at first for those that were there already. The numbers are the same for any
    `n_jobs` and `backend`; "dask" runs on the cluster whose `scheduler` is at that address, or on one of this machine.
    Raises ``ValueError`` for a file of another sweep, one with a damaged row, one that another run is writing, no file
    at all, and settings out of range; ``OSError`` with a sentence where the disk is full, and nothing is lost.
    """
    running.check_out(out)
    running.check(n_jobs, backend, scheduler)
    columns, trials = wanted.columns(), _by_key(wanted)
    names = EXPERIMENTS[wanted.experiment].given
    firsts = zip(wanted.configs, wanted.trials(), strict=False)  # the first trial of each
    settings = {table.key(trial_cells(wanted.experiment, one), columns)[:-1]: names(config) for config, one in firsts}
    with running.only_one(out):
        there = table.Table(out, columns, settings)
        arguments = {key: (wanted.experiment, trial) for key, trial in trials.items()}
        yield from running.run_trials(run_trial, arguments, there, n_jobs, backend, scheduler)


def in_order(wanted: Sweep, rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return rows in the order of the sweep's trials, rows of no trial last; a file has them in the order of
    completion.
    """
    columns, order = wanted.columns(), {key: i for i, key in enumerate(_by_key(wanted))}
    return sorted(rows, key=lambda row: order.get(table.key(row, columns), len(order)))


def _by_key(wanted: Sweep) -> dict[tuple[str, ...], Any]:
    """Return the trials of a sweep by what identifies their rows."""
    columns = wanted.columns()
    return {table.key(trial_cells(wanted.experiment, trial), columns): trial for trial in wanted.trials()}


def summary(rows: Sequence[Mapping[str, str]]) -> list[tuple[dict[str, str], dict[str, Estimate]]]:
    """Return each config's settings without the trial, and the mean of each number with a 95 % interval over trials.

    A number is left out where fewer than two trials have it.
    """
    groups = group(rows, lambda row: tuple(itertools.takewhile(lambda cell: cell[0] != TRIAL_COLUMN, row.items())))
    return [
        (
            dict(settings),
            {name: mean_interval(values, *range_of(name)) for name, values in numbers(here).items() if len(values) > 1},
        )
        for settings, here in groups.items()
    ]


def numbers(rows: Sequence[Mapping[str, str]]) -> dict[str, list[float]]:
    """Return the numbers of rows by name, from the columns between the trial and the seconds; empty cells are left
    out.
    """
    names = list(rows[0])
    metrics = names[names.index(TRIAL_COLUMN) + 1 : names.index("seconds")]
    return {name: [float(row[name]) for row in rows if row[name]] for name in metrics}

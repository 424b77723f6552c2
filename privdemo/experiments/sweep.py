"""Sweeps: many configs, many draws of each, on one machine or a cluster; each finished trial is a row of a CSV file.

A trial is one draw of one config: the same people, noise and numbers wherever and whenever it runs, as its random
streams are children of `numpy.random.SeedSequence(config.seed, spawn_key=(config.draw,))`. An
interrupted or killed sweep resumes with the trials that its file does not hold.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import os
import re
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import joblib
from threadpoolctl import threadpool_limits

from privdemo import limits
from privdemo.experiments import class_ratio, comparison, label_proportions, running, training
from privdemo.experiments.images import n_states
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse

_REPEATS = limits.Limit("repeats", 1, limits.DRAW.high + 1, "draws of every config", integer=True)
_MOST_TRIALS = limits.Limit("trials", 1, 1_000_000, "configs times repeats; split the sweep", integer=True)


@dataclass(frozen=True)
class Experiment:
    """An experiment that can be swept.

    `make(fields)` builds a config from the plain values of a spec, and `run(config)` its result. `metrics(result)` are
    the result's numbers by name; `names(config)` are these names, known before the run. `problem(result)` says why some
    numbers are missing; it is empty where none is.
    """

    title: str
    make: Callable[[dict[str, Any]], Any]
    run: Callable[[Any], Any]
    names: Callable[[Any], list[str]]
    metrics: Callable[[Any], dict[str, float]]
    problem: Callable[[Any], str] = lambda result: ""


def _training(given: dict[str, Any]) -> training.TrainingConfig:
    """A config of private training. Pixels: a flip probability or {sigma = …}; labels: one flip probability, or two."""
    known = dict(given)
    dataset = known.get("dataset", training.TrainingConfig.dataset)
    if "pixels" in known:
        pixels = known["pixels"]
        if isinstance(pixels, dict) and pixels.keys() != {"sigma"}:
            raise ValueError(f"pixels must be a flip probability or {{sigma = …}}, got {pixels}")
        known["pixels"] = (
            GaussianNoise(pixels["sigma"])
            if isinstance(pixels, dict)
            else RandomisedResponse(pixels, n_states(dataset))
        )
    elif dataset != training.TrainingConfig.dataset:
        known["pixels"] = RandomisedResponse(0.2, n_states(dataset))
    if "labels" in known:
        labels = known["labels"]
        known["labels"] = BinaryChannel(*labels) if isinstance(labels, tuple) else RandomisedResponse(labels, 2)
    return training.TrainingConfig(**known)


def _by_method(methods: Iterable[str], marks: Iterable[str]) -> list[str]:
    return [f"{method}: {mark}" for method in dict.fromkeys(methods) for mark in marks]


def _training_metrics(draw: training.Trial) -> dict[str, float]:
    return {
        f"{method}: {mark}": getattr(fit, mark)
        for method, fit in draw.fits.items()
        if method in draw.config.methods
        for mark in training.METRICS
    }


def _bag_metrics(draw: label_proportions.Trial) -> dict[str, float]:
    return {
        f"{method}: {kind} F1, threshold {threshold}": getattr(f1, kind)
        for method, fit in draw.fits.items()
        if method in draw.config.methods
        for threshold, f1 in fit.f1.items()
        for kind in label_proportions.F1S
    }


def _ratio_metrics(draw: class_ratio.Trial) -> dict[str, float]:
    return {f"{method}: L1 error": math.fsum(fit.errors) / len(fit.errors) for method, fit in draw.fits.items()} | {
        "distortion": draw.distortion
    }


EXPERIMENTS = {
    "training": Experiment(
        "train on corrupted images and labels",
        _training,
        training.run,
        lambda config: _by_method(config.methods, training.METRICS),
        _training_metrics,
    ),
    "bags": Experiment(
        "learn from bags and their proportions",
        lambda given: label_proportions.BagConfig(**given),
        label_proportions.run,
        lambda config: _by_method(
            config.methods,
            [f"{kind} F1, threshold {t}" for t in label_proportions.THRESHOLDS for kind in label_proportions.F1S],
        ),
        _bag_metrics,
    ),
    "class_ratio": Experiment(
        "find the shares of a group from sets of known proportions",
        lambda given: class_ratio.RatioConfig(**given),
        class_ratio.run,
        lambda config: [*_by_method(config.methods, ["L1 error"]), "distortion"],
        _ratio_metrics,
    ),
    "comparison": Experiment(
        "every family of estimators on the same people",
        lambda given: comparison.ComparisonConfig(**given),
        comparison.run,
        lambda config: _by_method(config.chosen, comparison.METRICS[config.task]),
        lambda draw: {
            f"{fit.method}: {metric}": value for fit in draw.fits.values() for metric, value in fit.marks.items()
        },
        lambda draw: "; ".join(
            f"{fit.method}: {fit.problem or 'the optimiser did not settle'}"
            for fit in draw.fits.values()
            if fit.problem or not fit.settled
        ),
    ),
}


@dataclass(frozen=True)
class Sweep:
    """`configs` of one experiment, each drawn `repeats` times."""

    experiment: str
    configs: tuple[Any, ...]
    repeats: int

    def __post_init__(self) -> None:
        if self.experiment not in EXPERIMENTS:
            raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {self.experiment!r}")
        _REPEATS.check(self.repeats)
        _MOST_TRIALS.check(len(self.configs) * self.repeats)

    def trials(self) -> list[Any]:
        """Every config at every draw."""
        return [replace(config, draw=draw) for draw in range(self.repeats) for config in self.configs]

    def columns(self) -> list[str]:
        """Column names of the results table, in order: settings, numbers, seconds, versions, problem."""
        names = EXPERIMENTS[self.experiment].names
        asked = [field.name for field in fields(self.configs[0])]
        found = dict.fromkeys(name for config in self.configs for name in names(config))
        return ["experiment", *asked, *found, "seconds", "versions", "problem"]


def read_spec(path: Path) -> Sweep:
    """The sweep that a TOML file describes: `experiment`, `repeats`, a table `config` of what all trials share, and a
    table `grid` of lists, every combination of which is one config.

    Raises ``ValueError`` that names the line, key or combination.
    """
    try:
        spec = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    unknown = spec.keys() - {"experiment", "repeats", "config", "grid"}
    if unknown:
        raise ValueError(f"{path} may hold experiment, repeats, config and grid, got {', '.join(sorted(unknown))}")
    name = spec.get("experiment")
    if name not in EXPERIMENTS:
        raise ValueError(f"{path}: experiment must be one of {', '.join(EXPERIMENTS)}, got {name!r}")
    shared, grid = spec.get("config", {}), spec.get("grid", {})
    for key, table in (("config", shared), ("grid", grid)):
        if not isinstance(table, dict):
            raise ValueError(f"{path}: {key} must be a table, such as [{key}], got {table!r}")
    twice = ", ".join(shared.keys() & grid.keys())
    if twice:
        raise ValueError(f"{path}: {twice} must stand in config or in grid, not in both")
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"{path}: {key} in grid must be a list of one or more values, got {values!r}")
    configs = [
        _config(name, shared | dict(zip(grid, values, strict=True)), path)
        for values in itertools.product(*grid.values())
    ]
    return Sweep(name, tuple(dict.fromkeys(configs)), spec.get("repeats", 10))


def _config(experiment: str, given: Mapping[str, Any], path: Path) -> Any:
    """One config; lists become tuples."""
    if "draw" in given:
        raise ValueError(f"{path}: draw counts the repeats and is not set; set repeats")
    values = {key: _frozen(value) for key, value in given.items()}
    try:
        return EXPERIMENTS[experiment].make(values)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        where = ", ".join(f"{key} = {value!r}" for key, value in given.items()) or "the defaults"
        what = explain_error(experiment, str(error))
        raise ValueError(f"{path}: {what} (with {where})") from None


def explain_error(experiment: str, error: str) -> str:
    """The message of an error of a config, in the words of a spec."""
    unknown = re.search(r"unexpected keyword argument '(\w+)'", error)
    if not unknown:
        return re.sub(r"^\w+\.__init__\(\) ", "", error)
    known = [field.name for field in fields(EXPERIMENTS[experiment].make({})) if field.name != "draw"]
    return f"config and grid may hold {', '.join(known)}, got {unknown[1]}"


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def run_trial(experiment: str, config: Any) -> dict[str, str]:
    """One row of the table, as text; always in one thread, for the same numbers everywhere.

    Where a trial cannot be run its numbers are missing, and the cell `problem` says why.
    """
    chosen, start = EXPERIMENTS[experiment], time.perf_counter()
    found: dict[str, float] = {}
    problem = ""
    try:
        with threadpool_limits(1, user_api="blas"):
            result = chosen.run(config)
        found, problem = chosen.metrics(result), chosen.problem(result)
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
    """A trial's settings as cells of the table; they identify the trial."""
    return {"experiment": experiment} | {field.name: str(getattr(config, field.name)) for field in fields(config)}


def sweep(
    wanted: Sweep, out: Path, n_jobs: int = 2, backend: str = "loky", scheduler: str | None = None
) -> Iterator[tuple[int, int]]:
    """Run the trials that `out` does not hold yet; each adds its row to `out` as soon as it is done.

    Yields (trials done, trials in all), at first for those that were there already. The numbers are the same for any
    `n_jobs` and `backend`; "dask" runs on the cluster whose `scheduler` is at that address, or on one of this machine.
    Raises ``ValueError`` for a file of another sweep, a file that another run is writing, and settings out of range.
    """
    running.check(n_jobs, backend, scheduler)
    columns, trials = wanted.columns(), wanted.trials()
    with running.only_one(out):
        done = {_key(row, columns) for row in _resume(out, columns)}
        left = [trial for trial in trials if _key(trial_cells(wanted.experiment, trial), columns) not in done]
        n_done = len(trials) - len(left)
        yield n_done, len(trials)
        with (
            out.open("a", encoding="utf-8", newline="") as file,
            running.parallel(n_jobs, backend, scheduler) as parallel,
        ):
            for row in parallel(joblib.delayed(run_trial)(wanted.experiment, trial) for trial in left):
                file.write(_line([row.get(column, "") for column in columns]))
                file.flush()
                os.fsync(file.fileno())
                n_done += 1
                yield n_done, len(trials)


def load(path: Path) -> list[dict[str, str]]:
    """The rows of a table by column name; a last line that is still being written is left out."""
    return list(csv.DictReader(io.StringIO(_whole_lines(path.read_bytes()).decode("utf-8"), newline="")))


def _whole_lines(content: bytes) -> bytes:
    """All whole lines; the rest was being written and may end within a letter."""
    return content[: content.rfind(b"\n") + 1]


def in_order(wanted: Sweep, rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Rows in the order of the sweep's trials, rows of no trial last; a file has them in the order of completion."""
    columns = wanted.columns()
    order = {_key(trial_cells(wanted.experiment, trial), columns): i for i, trial in enumerate(wanted.trials())}
    return sorted(rows, key=lambda row: order.get(_key(row, columns), len(order)))


def summary(rows: Sequence[Mapping[str, str]]) -> list[tuple[dict[str, str], dict[str, Estimate]]]:
    """Each config's settings without the draw, and the mean of each number with a 95 % interval over draws.

    A number is left out where fewer than two draws have it.
    """
    groups: dict[tuple[tuple[str, str], ...], list[Mapping[str, str]]] = {}
    for row in rows:
        asked = itertools.takewhile(lambda cell: cell[0] != "draw", row.items())
        groups.setdefault(tuple(asked), []).append(row)
    return [
        (
            dict(asked),
            {name: mean_interval(values, *_range(name)) for name, values in numbers(here).items() if len(values) > 1},
        )
        for asked, here in groups.items()
    ]


def _range(name: str) -> tuple[float, float]:
    """The range that a mean of this number can have: [0, 1] for shares, [0, 2] for L1 distances, else from 0 on."""
    mark = name.rpartition(": ")[2]
    if mark in ("accuracy", "brier", "error") or " F1" in mark:
        return 0.0, 1.0
    return 0.0, 2.0 if mark in ("L1 error", "distortion") else math.inf


def numbers(rows: Sequence[Mapping[str, str]]) -> dict[str, list[float]]:
    """The numbers of rows by name, from the columns between the draw and the seconds; empty cells are left out."""
    names = list(rows[0])
    metrics = names[names.index("draw") + 1 : names.index("seconds")]
    return {name: [float(row[name]) for row in rows if row[name]] for name in metrics}


def _resume(out: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """The finished trials in `out`. Creates the file where there is none, and removes a line that a kill cut short."""
    header = _line(columns)
    if not out.exists() or out.stat().st_size < len(header.encode()):
        begun = out.read_bytes() if out.exists() else b""
        if not header.encode().startswith(begun):
            raise ValueError(f"{out} holds something else than this sweep's table; name another file")
        out.write_text(header, encoding="utf-8", newline="")
        return []
    content = out.read_bytes()
    if not content.startswith(header.encode()):
        raise ValueError(
            f"{out} holds another sweep's table, with other columns; name another file, or take its experiment and "
            "methods"
        )
    with out.open("r+b") as file:
        file.truncate(len(_whole_lines(content)))
    return load(out)


def _key(cells: Mapping[str, str], columns: Sequence[str]) -> tuple[str, ...]:
    """What identifies a trial: the cells up to the draw, the last column of a config."""
    return tuple(cells[column] for column in columns[: columns.index("draw") + 1])


def _line(cells: Sequence[str]) -> str:
    """One line of CSV; line breaks within cells become spaces, so that a line is a trial."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([" ".join(cell.splitlines()) for cell in cells])
    return text.getvalue()

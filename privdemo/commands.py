"""The commands of the command line: fetch data, print claims, compute a study anew, run a sweep."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from privdemo import datasets, limits, reports
from privdemo.experiments import (
    claims,
    class_ratio,
    comparison,
    label_counts,
    label_proportions,
    naive_steps,
    packed,
    results,
    running,
    shipped_trials,
    sweep,
    training,
)
from privdemo.experiments.images import guess_study
from privdemo.experiments.many_answers import study as answers_study

Step = TypeVar("Step", bound=tuple[Any, ...])


def show_data(name: str) -> None:
    """Fetch a data set, or "all", unless it is there already; print what it holds and where it comes from."""
    for each in datasets.DATASETS if name == "all" else (name,):
        dataset = datasets.load(each, progress=True)
        n_rows, n_columns = dataset.X.shape
        print(f"{each}: {n_rows:,} rows × {n_columns:,} columns, {dataset.n_classes} classes")
        print(f"  in {datasets.location(each) or 'scikit-learn'}")
        print(f"  {dataset.licence}; {dataset.source}")


def show_claims(source: str | None) -> None:
    """Print every published claim beside ours with its verdict, of one paper (its first author) or of all."""
    shown = [claim for claim in claims.all_claims() if source in (None, claims.FIRST_AUTHORS[claim.source])]
    for claim in shown:
        print("\n".join(reports.claim_lines(claim)))
    print("; ".join(f"{n} {verdict}" for verdict, n in claims.count_verdicts(shown).items()))


# --- sweep ---------------------------------------------------------------------------------------


def run_sweep(spec: Path, out: Path, jobs: int, backend: str, scheduler: str | None) -> None:
    """Run the trials of a TOML file that `out` does not hold yet, and print the mean of each config's numbers.

    Raises ``ValueError`` for a spec or file that cannot be used, and where no trial could be made.
    """
    wanted = sweep.read_spec(spec)
    running.check_out(out)
    _check_jobs(jobs)
    for _ in _with_progress("sweep", sweep.sweep(wanted, out, jobs, backend, scheduler)):
        pass
    rows = sweep.in_order(wanted, sweep.load(out))
    for cells, means in sweep.summary(rows):
        print(", ".join(f"{name} {value}" for name, value in cells.items()))
        for name, estimate in means.items():
            print(f"  {name:40s}  {estimate:.3f}")
    problems = [row for row in rows if row["problem"]]
    if problems:
        print(f"{len(problems):,} trials could not be made in full; the first: {problems[0]['problem']}")
    if {row["versions"] for row in rows} - {running.versions()}:
        print(
            "some rows were made by other versions or other code: see their versions, or name another file for all anew"
        )
    print(f"written to {out}")
    if rows and not any(sweep.numbers(rows).values()):
        raise ValueError("no trial could be made; correct the spec and name another file")


# --- reproduce -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reproduction:
    """A study that can be computed again.

    `trial_arguments(n_trials)` are the arguments of each `run_trial`, whose results all together `to_file` writes and
    `report` prints. `is_own` says whether a file, whose name ends in `suffix`, is one that `to_file` wrote.
    """

    title: str
    run_trial: Callable[..., list[Any]]
    trial_arguments: Callable[[int], Sequence[tuple[Any, ...]]]
    to_file: Callable[[list[Any]], str | bytes]
    report: Callable[[list[Any]], list[str]]
    suffix: str = "csv"
    is_own: Callable[[Path], bool] = results.is_results


def reproductions() -> dict[str, Reproduction]:
    """Return the studies that `reproduce` can compute again, by the names of their results files."""
    of_training = {
        study.name: Reproduction(
            f"{study.title}, needs MNIST",
            training.study.run_trial,
            partial(training.study.trial_arguments, study),
            training.study.to_csv,
            partial(reports.trade_off_lines, study),
        )
        for study in training.study.STUDIES.values()
    }
    others: Sequence[tuple[Any, str, Callable[[list[Any]], list[str]]]] = (
        (naive_steps, ", needs MNIST", reports.step_lines),
        (guess_study, ", needs MNIST", reports.guess_lines),
        (label_proportions.study, ", needs MNIST, Adult and SMS", reports.bag_lines),
        (class_ratio.study, ", needs MNIST, Adult and SMS", reports.ratio_lines),
        (label_counts, "", reports.count_lines),
        (comparison.study, ", needs MNIST and Adult", reports.comparison_lines),
        (answers_study, "", reports.answer_lines),
    )
    defaults = Reproduction(
        f"{shipped_trials.TITLE}, needs MNIST and Adult",
        shipped_trials.run_trial,
        shipped_trials.trial_arguments,
        shipped_trials.to_file,
        reports.trial_lines,
        "npz",
        packed.is_packed,
    )
    studies = {
        module.NAME: Reproduction(module.TITLE + needs, module.run_trial, module.trial_arguments, module.to_csv, report)
        for module, needs, report in others
    }
    return of_training | studies | {shipped_trials.NAME: defaults}


def reproduce(name: str, out: Path | None, n_trials: int, jobs: int, backend: str, scheduler: str | None) -> None:
    """Compute a study, or "all", again; print it and write it to `out` (None: the results file of the package).

    Trials that are done are kept beside the file until all studies are done, so that the same command resumes after
    an interruption. Raises ``ValueError`` for settings out of range and for a file that holds no results.
    """
    studies = reproductions()
    if name == "all" and out and not out.is_dir():
        raise ValueError(f"--out must be a folder that is there for all, got {out}")
    folders = []
    for each in studies if name == "all" else (name,):
        limits.Limit("--draws", 2, limits.N_TRIALS.high, "an interval needs two", integer=True).check(n_trials)
        _check_jobs(jobs)
        if out is None and n_trials != results.N_TRIALS:
            raise ValueError(f"name a file with --out: the app's own has {results.N_TRIALS} draws, not {n_trials}")
        suffix = studies[each].suffix
        file = results.shipped(each, suffix) if out is None else out / f"{each}.{suffix}" if name == "all" else out
        running.check_out(file)
        with running.only_one(file):
            folder = _reproduce_one(each, studies[each], file, n_trials, jobs, backend, scheduler)
            if name == "all":
                folders.append(folder)
            else:
                running.forget(folder)
    for folder in folders:  # only now, so that after an interruption no finished study is computed again
        running.forget(folder)


def _reproduce_one(
    name: str, study: Reproduction, out: Path, n_trials: int, jobs: int, backend: str, scheduler: str | None
) -> Path:
    """Write one study's file and print its report; returns the folder of its trials."""
    folder, part = (out.with_name(out.name + end) for end in (".trials", ".part"))
    for file in (out, part):
        if file.exists() and file.stat().st_size and not study.is_own(file):
            raise ValueError(f"{file} holds something else than results; name another file")
    found: list[Any] = []
    steps = running.side_by_side(study.run_trial, study.trial_arguments(n_trials), jobs, backend, scheduler, folder)
    try:
        for _, _, new in _with_progress(name, steps):
            found += new
    except KeyboardInterrupt:
        if found:
            _write(part, study.to_file(found))
        raise
    _write(out, study.to_file(found))
    part.unlink(missing_ok=True)
    print("\n".join(study.report(found)))
    print(f"written to {out}")
    return folder


def _write(out: Path, content: str | bytes) -> None:
    """Write a file whole or not at all."""
    new = out.with_name(out.name + ".new")
    try:
        if isinstance(content, bytes):
            new.write_bytes(content)
        else:
            new.write_text(content, encoding="utf-8")
        new.replace(out)
    finally:
        new.unlink(missing_ok=True)


# --- what sweep and reproduce share --------------------------------------------------------------


def _check_jobs(jobs: int) -> None:
    limits.Limit("--jobs", 1, 1024, integer=True).check(jobs)


def _with_progress(name: str, steps: Iterator[Step]) -> Iterator[Step]:
    """Yield the same steps (done, of how many, …) and print them: on one line of a terminal, else every 10 seconds."""
    terminal, printed = sys.stderr.isatty(), 0.0
    for step in steps:
        done, total = step[:2]
        if terminal or done == total or time.monotonic() > printed + 10:
            printed = time.monotonic()
            start, end = ("\r", "") if terminal else ("", "\n")
            print(f"{start}{name}: {done:,} of {total:,} trials", end=end, file=sys.stderr, flush=True)
        yield step
    if terminal:
        print(file=sys.stderr)

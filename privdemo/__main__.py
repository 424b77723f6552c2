"""The command line: ``python -m privdemo``."""

from __future__ import annotations

import argparse
import math
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from privdemo import datasets, limits
from privdemo.experiments import (
    bag_studies,
    claims,
    comparison_studies,
    label_counts,
    ratio_studies,
    results,
    running,
    sweep,
    trade_off,
)
from privdemo.experiments.label_proportions import HALF
from privdemo.intervals import Estimate

Step = TypeVar("Step", bound=tuple[Any, ...])

_EXAMPLES = """\
examples:
  python -m privdemo data mnist           fetch and check MNIST (11 MB), once
  python -m privdemo data all             the same for every data set
  python -m privdemo reproduce figure3    train on lies again, as in Barber's figure 3
  python -m privdemo reproduce llp        learn from bags again: the slides' tables, and every lever
  python -m privdemo reproduce classratio shares of groups again: Iyer's figures 2 and 3 (40 minutes)
  python -m privdemo reproduce distortion released counts again: Iyer's figure 1 (seconds)
  python -m privdemo reproduce comparison every method at every ε again (3 to 5 minutes)
  python -m privdemo claims               published claims beside ours, with verdicts
  python -m privdemo sweep spec.toml --out results.csv
                                          your own grid of settings, many draws each; goes on where it stopped

Files go to the user's cache folder. To use files you already have, set PRIVDEMO_DATA to a folder
that holds mnist/*.gz, adult/*.gz and sms/*.gz; nothing is downloaded then.
"""

_SPEC = """\
SPEC, for example:
  experiment = "training"        # or "bags", "class_ratio", "comparison"
  repeats = 10                   # draws of every config

  [config]                       # what all trials share; the rest is as in the package
  dataset = "digits"
  n_train = 100
  methods = ["naive", "spread"]

  [grid]                         # every combination is run
  labels = [0.1, 0.2, [0.1, 0.3]] # flip probabilities; two where the classes lie differently
  pixels = [0.1, {sigma = 0.3}]  # flip probability, or Gaussian noise

On many machines: start `dask scheduler` on one and `dask worker tcp://HOST:8786 --nthreads 1` on each, then add
--backend dask --scheduler tcp://HOST:8786 (pip install 'privdemo[dask]' on all).
"""


_REPRODUCE = """

examples:
  python -m privdemo reproduce distortion                          the app's own file, in seconds
  python -m privdemo reproduce figure3 --draws 3 --out mine.csv    a quick look, in a file of your own
  python -m privdemo reproduce all                                 everything, about two hours on two cores
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0, 1 after a failure, 130 when interrupted, 141 when nobody reads on."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except BrokenPipeError:  # whoever reads, as `head` does, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # as after SIGPIPE
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(f"privdemo: {what}", file=sys.stderr)
        return 1
    except (datasets.DatasetError, ValueError) as error:
        print(f"privdemo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"privdemo: interrupted; {options.when_interrupted}", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m privdemo",
        description="What local privacy methods cost and protect, from a terminal.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    data = commands.add_parser(
        "data",
        help="fetch and check data sets",
        description="Fetch a data set unless it is there already, check it, and say what it holds.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    data.add_argument(
        "name",
        metavar="NAME",
        choices=(*datasets.DATASETS, "all"),
        help=f"{', '.join(datasets.DATASETS)}, or all",
    )
    data.set_defaults(run=_data, when_interrupted="no incomplete file was kept")
    papers = _papers()
    reproduce = commands.add_parser(
        "reproduce",
        help="compute a figure or section of a paper anew",
        description=_wrapped(
            "Compute a study anew, print its means with 95 % intervals beside the published values, and write its "
            "results file. Ended in any way, the same command goes on where it was; the numbers are the same on any "
            "number of processes or machines."
        ),
        epilog="studies:\n" + "\n".join(f"  {name:12s}{paper.title}" for name, paper in papers.items()) + _REPRODUCE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    reproduce.add_argument("name", metavar="NAME", choices=(*papers, "all"), help=f"{', '.join(papers)}, or all")
    reproduce.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="the CSV file to write, or the folder for all (default: those that the app shows)",
    )
    reproduce.add_argument(
        "--draws", type=int, default=results.N_DRAWS, metavar="N", help="repeats (default: %(default)s)"
    )
    _add_where(reproduce)
    reproduce.set_defaults(
        run=_reproduce,
        when_interrupted="the trials that are done are kept beside the file (FILE.trials), what they say so far, if "
        "anything, in FILE.part; the same command goes on",
    )
    checking = commands.add_parser(
        "claims",
        help="published claims beside ours",
        description=_wrapped(
            "Print every published claim beside ours, with its verdict and the reason. What needs no results file is "
            "computed at once, the rest comes from the files that reproduce makes."
        ),
        epilog="example:\n  python -m privdemo claims --source Yan\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    checking.add_argument(
        "--source", choices=[source.split(",")[0] for source in claims.SOURCES], help="of one paper alone"
    )
    checking.set_defaults(run=_claims, when_interrupted="nothing was written")
    sweeping = commands.add_parser(
        "sweep",
        help="run a grid of settings, many draws each",
        description=_wrapped(
            "Run every combination of settings in a TOML file, and add a row to a CSV file as each trial is "
            "done. Ended in any way, the same command goes on where it was; the numbers are the same on any number of "
            "processes or machines."
        ),
        epilog=_SPEC,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sweeping.add_argument("spec", type=Path, metavar="SPEC", help="the TOML file")
    sweeping.add_argument("--out", type=Path, metavar="FILE", required=True, help="the CSV file to write or go on with")
    _add_where(sweeping)
    sweeping.set_defaults(
        run=_sweep, when_interrupted="the trials that are done are in the file; the same command goes on"
    )
    return parser


def _wrapped(words: str) -> str:
    """For a help whose examples keep their lines."""
    return textwrap.fill(words, 100)


def _add_where(parser: argparse.ArgumentParser) -> None:
    """Where trials run."""
    parser.add_argument(
        "--jobs", type=int, default=2, metavar="N", help="trials side by side; a cluster uses all it has (default: 2)"
    )
    parser.add_argument(
        "--backend",
        default="loky",
        choices=running.BACKENDS,
        help="loky, processes of this machine, or a Dask cluster (default: loky)",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of the Dask cluster, tcp://host:8786 (default: one on this machine)"
    )


def _data(options: argparse.Namespace) -> None:
    for name in datasets.DATASETS if options.name == "all" else (options.name,):
        dataset = datasets.load(name, progress=True)
        n_rows, n_columns = dataset.X.shape
        print(f"{name}: {n_rows:,} rows × {n_columns:,} columns, {dataset.n_classes} classes")
        print(f"  in {datasets.location(name) or 'scikit-learn'}")
        print(f"  {dataset.licence}; {dataset.source}")


def _claims(options: argparse.Namespace) -> None:
    shown = [c for c in claims.all_claims() if options.source in (None, c.source.split(",")[0])]
    for claim in shown:
        reading = f", {claim.reading}" if claim.reading else ""
        published = "–" if claim.published is None else f"{_figures(claim.published)}{reading}"
        ours = "–" if claim.ours is None else _figures(claim.ours.mean)
        if claim.ours and claim.ours.low < claim.ours.high:
            ours += f" ({_figures(claim.ours.low)} to {_figures(claim.ours.high)})"
        print(f"{claim.source}, {claim.place}: {claim.words}\n  published {published}; ours {ours}")
        print(f"  {claim.verdict}: {claim.why}\n  {claim.seeds}; {claim.command}")
    print("; ".join(f"{n} {verdict}" for verdict, n in claims.count_verdicts(shown).items()))


def _figures(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _sweep(options: argparse.Namespace) -> None:
    wanted = sweep.read_spec(options.spec)
    if not options.out.absolute().parent.is_dir() or options.out.is_dir():
        raise ValueError(f"--out must be a file in a folder that is there, got {options.out}")
    limits.Limit("--jobs", 1, 1024, integer=True).check(options.jobs)
    for _ in _told("sweep", sweep.sweep(wanted, options.out, options.jobs, options.backend, options.scheduler)):
        pass
    rows = sweep.in_order(wanted, sweep.load(options.out))
    for asked, means in sweep.summary(rows):
        print(", ".join(f"{name} {value}" for name, value in asked.items()))
        for name, estimate in means.items():
            print(f"  {name:40s}  {_interval(estimate)}")
    problems = [row for row in rows if row["problem"]]
    if problems:
        print(f"in {len(problems):,} trials something could not be made; the first: {problems[0]['problem']}")
    others = len({row["versions"] for row in rows} - {running.versions()})
    if others:
        print(
            "some rows were made by other versions or other code: see their versions, or name another file for all anew"
        )
    print(f"written to {options.out}")
    if rows and not any(sweep.numbers(rows).values()):
        raise ValueError("no trial could be made; mend the spec and name another file")


def _reproduce(options: argparse.Namespace) -> None:
    papers = _papers()
    if options.name == "all" and options.out and not options.out.is_dir():
        raise ValueError(f"--out must be a folder that is there for all, got {options.out}")
    kept = []
    for name in papers if options.name == "all" else (options.name,):
        given = options.out / f"{name}.csv" if options.name == "all" and options.out else options.out
        kept.append(_reproduce_one(name, papers[name], given, options))
    for folder in kept:  # only now: of all, a study that is done is not done again
        running.forget(folder)


def _reproduce_one(name: str, paper: _Paper, given: Path | None, options: argparse.Namespace) -> Path:
    """Make one study's file; returns the folder of its trials."""
    limits.Limit("--draws", 2, limits.N_DRAWS.high, "an interval needs two", integer=True).check(options.draws)
    limits.Limit("--jobs", 1, 1024, integer=True).check(options.jobs)
    out = given or results.shipped(name)
    if given is None and options.draws != results.N_DRAWS:
        raise ValueError(f"name a file with --out: the app's own has {results.N_DRAWS} draws, not {options.draws}")
    if not out.absolute().parent.is_dir() or out.is_dir():
        raise ValueError(f"--out must be a file in a folder that is there, got {out}")
    for file in (out, out.with_name(out.name + ".part")):
        if file.exists() and file.stat().st_size and not results.is_results(file):
            raise ValueError(f"{file} holds something else than results; name another file")
    found: list[Any] = []
    kept, part = (out.with_name(out.name + end) for end in (".trials", ".part"))
    with running.only_one(out):
        steps = running.side_by_side(
            paper.trial, paper.trials(options.draws), options.jobs, options.backend, options.scheduler, kept
        )
        try:
            for _, _, new in _told(name, steps):
                found += new
        except KeyboardInterrupt:
            if found:
                _write(part, paper.to_csv(found))
            raise
        _write(out, paper.to_csv(found))
        part.unlink(missing_ok=True)
        if options.name != "all":
            running.forget(kept)
    print("\n".join(paper.report(found)))
    print(f"written to {out}")
    return kept


def _write(out: Path, text: str) -> None:
    """Write a file whole or not at all."""
    new = out.with_name(out.name + ".new")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(out)
    finally:
        new.unlink(missing_ok=True)


def _told(name: str, steps: Iterator[Step]) -> Iterator[Step]:
    """The same steps (done, of how many, …), told as they come: on one line of a terminal, else now and then."""
    terminal, told = sys.stderr.isatty(), 0.0
    for step in steps:
        done, total = step[:2]
        if terminal or done == total or time.monotonic() > told + 10:
            told = time.monotonic()
            start, end = ("\r", "") if terminal else ("", "\n")
            print(f"{start}{name}: {done:,} of {total:,} trials", end=end, file=sys.stderr, flush=True)
        yield step
    if terminal:
        print(file=sys.stderr)


def _trade_off_report(study: trade_off.Study, rows: list[trade_off.Row]) -> list[str]:
    lines = [study.title, f"{study.axis}: accuracy, log loss (mean and 95 % interval), published accuracy"]
    for method, curve in trade_off.points(tuple(rows)).items():
        for point in curve:
            published = study.published.get(method, {}).get(point.level)
            lines.append(
                f"{point.level:5g}  {method:14s}  {_interval(point.accuracy)}  {_interval(point.log_loss)}"
                + (f"  {published:.3f}" if published else "")
            )
    return lines


def _bags_report(marks: list[bag_studies.Mark]) -> list[str]:
    lines = [bag_studies.TITLE, "average F1 on clean test records (mean and 95 % interval), published"]
    for row in bag_studies.rows(marks):
        noise = "".join(
            f"  {name} {epsilon:g}"
            for name, epsilon in (("ε features", row.feature_epsilon), ("ε proportions", row.proportion_epsilon))
            if math.isfinite(epsilon)
        )
        published = bag_studies.published(row) if row.threshold == HALF else None
        lines.append(
            f"{row.study:12s}  {row.dataset:13s}  {row.n_bags} × {row.bag_size}  {row.selection:11s}  "
            f"{row.aggregation} {row.k}{noise}  {row.method:11s}  threshold {row.threshold:5s}  "
            + _interval(row.estimate)
            + (f"  {published:.2f}" if published else "")
        )
    return lines


def _ratio_report(marks: list[ratio_studies.Mark]) -> list[str]:
    lines = [ratio_studies.TITLE, "mean L1 error over shares 0.1 to 0.9 of the first class (mean and 95 % interval)"]
    for row in ratio_studies.rows(marks):
        if math.isnan(row.share):
            lines.append(
                f"{row.study:14s}  {row.dataset:13s}  {row.n_classes:2d} classes  {row.copies} × {row.set_size}  "
                f"ρ {row.rho:<5g}  {row.release:20s}  {row.method:8s}  {_interval(row.estimate)}"
                + ("  (no formal guarantee)" if row.guarantee.startswith("none: noise") else "")
            )
    try:
        claims = ratio_studies.claims(ratio_studies.rows(marks))
    except (KeyError, ValueError):  # not all studies were made
        return lines
    lines.append("the paper's text on its figures 2 and 3, published and ours: how much lower an error is")
    return lines + [f"{claim.words}: {claim.published:.0%}, {claim.ours:.0%}" for claim in claims]


def _comparison_report(marks: list[comparison_studies.Mark]) -> list[str]:
    lines = [comparison_studies.TITLE, "mean and 95 % interval on clean test records; whom one must trust"]
    return lines + [
        f"{row.task:8s}  {row.dataset:6s}  private {row.private:7s}  ε {row.epsilon:<5g}  {row.method:20s}  "
        f"{row.metric:8s}  {_interval(row.estimate)}  {row.trust}"
        for row in comparison_studies.rows(marks)
    ]


def _counts_report(marks: list[label_counts.Mark]) -> list[str]:
    lines = [label_counts.TITLE, "mean L1 distortion (mean and 95 % interval), published"]
    for row in label_counts.rows(marks):
        published = label_counts.published(row)
        lines.append(
            f"{row.axis:8s}  {row.level:<8g}  {row.release:20s}  {_interval(row.estimate)}"
            + ("  (no formal guarantee)" if row.guarantee.startswith("none") else "")
            + (f"  {published:.2f}" if published else "")
        )
    s = label_counts.settle(label_counts.CountConfig())
    return [
        *lines,
        f"scaled Dirichlet at the paper's design: published {s.published:g}, by the published criterion "
        f"{s.by_criterion:.3f}, by the exact profile {s.by_exact:.3f} (means over {label_counts.SETTLING:,} releases, "
        f"those above over {label_counts.BATCH * results.N_DRAWS}); at σ = {s.sigma:.3f}, which gives the published "
        f"distortion, the criterion is {s.criterion:.3f} and the exact δ {s.exact:.3f}",
    ]


@dataclass(frozen=True)
class _Paper:
    """What can be computed anew: its trials, the text of its results file, and what to print of them."""

    title: str
    trial: Callable[..., list[Any]]
    trials: Callable[[int], Sequence[tuple[Any, ...]]]
    to_csv: Callable[[list[Any]], str]
    report: Callable[[list[Any]], list[str]]


def _interval(estimate: Estimate) -> str:
    return f"{estimate.mean:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"


def _papers() -> dict[str, _Paper]:
    """What `reproduce` knows, by name."""
    bags = _Paper(
        f"{bag_studies.TITLE}, needs MNIST, Adult and SMS",
        bag_studies.trial,
        bag_studies.trials,
        bag_studies.to_csv,
        _bags_report,
    )
    ratios = _Paper(
        f"{ratio_studies.TITLE}, needs MNIST, Adult and SMS",
        ratio_studies.trial,
        ratio_studies.trials,
        ratio_studies.to_csv,
        _ratio_report,
    )
    families = _Paper(
        f"{comparison_studies.TITLE}, needs MNIST and Adult",
        comparison_studies.trial,
        comparison_studies.trials,
        comparison_studies.to_csv,
        _comparison_report,
    )
    counts = _Paper(label_counts.TITLE, label_counts.trial, label_counts.trials, label_counts.to_csv, _counts_report)
    return (
        {
            study.name: _Paper(
                f"{study.title}, needs MNIST",
                trade_off.trial,
                partial(trade_off.trials, study),
                trade_off.to_csv,
                partial(_trade_off_report, study),
            )
            for study in trade_off.STUDIES.values()
        }
        | {bag_studies.NAME: bags, ratio_studies.NAME: ratios, label_counts.NAME: counts}
        | {comparison_studies.NAME: families}
    )


if __name__ == "__main__":
    sys.exit(main())

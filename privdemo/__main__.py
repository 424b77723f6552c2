"""The command line: ``python -m privdemo``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from privdemo import datasets, limits
from privdemo.experiments import trade_off
from privdemo.intervals import Estimate

_EXAMPLES = """\
examples:
  python -m privdemo data mnist           fetch and check MNIST (11 MB), once
  python -m privdemo data all             the same for every data set
  python -m privdemo reproduce figure3    train on lies again, as in Barber's figure 3

Files go to the user's cache folder. To use files you already have, set PRIVDEMO_DATA to a folder
that holds mnist/*.gz, adult/*.gz and sms/*.gz; nothing is downloaded then.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0, 1 after a failure, or 130 when interrupted."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (datasets.DatasetError, OSError, ValueError) as error:
        print(f"privdemo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("privdemo: interrupted; no incomplete file was kept", file=sys.stderr)
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
    data.set_defaults(run=_data)
    reproduce = commands.add_parser(
        "reproduce",
        help="compute a figure or section of a paper anew",
        description="Compute a study anew, print its means with 95 % intervals beside the published values, and write "
        "its rows. Needs MNIST. " + " ".join(f"{study.name}: {study.title}." for study in trade_off.STUDIES.values()),
    )
    reproduce.add_argument("name", metavar="NAME", choices=trade_off.STUDIES, help=", ".join(trade_off.STUDIES))
    reproduce.add_argument(
        "--out", type=Path, metavar="FILE", help="the CSV file to write (default: the one that the app shows)"
    )
    reproduce.add_argument(
        "--draws", type=int, default=trade_off.N_DRAWS, metavar="N", help="repeats (default: %(default)s)"
    )
    reproduce.add_argument(
        "--jobs", type=int, default=2, metavar="N", help="processes side by side; the numbers are the same (default: 2)"
    )
    reproduce.set_defaults(run=_reproduce)
    return parser


def _data(options: argparse.Namespace) -> None:
    for name in datasets.DATASETS if options.name == "all" else (options.name,):
        dataset = datasets.load(name, progress=True)
        n_rows, n_columns = dataset.X.shape
        print(f"{name}: {n_rows:,} rows × {n_columns:,} columns, {dataset.n_classes} classes")
        print(f"  in {datasets.location(name) or 'scikit-learn'}")
        print(f"  {dataset.licence}; {dataset.source}")


def _reproduce(options: argparse.Namespace) -> None:
    study = trade_off.STUDIES[options.name]
    limits.Limit("--draws", 2, limits.N_DRAWS.high, "an interval needs two", integer=True).check(options.draws)
    limits.Limit("--jobs", 1, 64, integer=True).check(options.jobs)
    out = options.out or trade_off.shipped(study.name)
    if options.out is None and options.draws != trade_off.N_DRAWS:
        raise ValueError(f"name a file with --out: the app's own has {trade_off.N_DRAWS} draws, not {options.draws}")
    if not out.absolute().parent.is_dir() or out.is_dir():
        raise ValueError(f"--out must be a file in a folder that is there, got {out}")
    rows: list[trade_off.Row] = []
    part = out.with_name(out.name + ".part")
    part.touch()  # fails now rather than after the work, where it cannot be written
    try:
        for done, total, new in trade_off.reproduce(study, options.draws, options.jobs):
            rows += new
            print(f"\r{study.name}: {done} of {total} trials", end="", file=sys.stderr, flush=True)
        part.write_text(trade_off.to_csv(rows), encoding="utf-8")
        part.replace(out)
    finally:
        print(file=sys.stderr)
        part.unlink(missing_ok=True)
    print(f"{study.title}\n{study.axis}: accuracy, log loss (mean and 95 % interval), published accuracy")
    for method, curve in trade_off.points(tuple(rows)).items():
        for point in curve:
            published = study.published.get(method, {}).get(point.level)
            print(
                f"{point.level:5g}  {method:14s}  {_interval(point.accuracy)}  {_interval(point.log_loss)}"
                + (f"  {published:.3f}" if published else "")
            )
    print(f"written to {out}")


def _interval(estimate: Estimate) -> str:
    return f"{estimate.mean:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"


if __name__ == "__main__":
    sys.exit(main())

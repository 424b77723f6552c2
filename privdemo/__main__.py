"""The command line: ``python -m privdemo``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from privdemo import datasets

_EXAMPLES = """\
examples:
  python -m privdemo data mnist    fetch and check MNIST (11 MB), once
  python -m privdemo data all      the same for every data set

Files go to the user's cache folder. To use files you already have, set PRIVDEMO_DATA to a folder
that holds mnist/*.gz, adult/*.gz and sms/*.gz; nothing is downloaded then.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0, 1 after a failure, or 130 when interrupted."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except datasets.DatasetError as error:
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
    return parser


def _data(options: argparse.Namespace) -> None:
    for name in datasets.DATASETS if options.name == "all" else (options.name,):
        dataset = datasets.load(name, progress=True)
        n_rows, n_columns = dataset.X.shape
        print(f"{name}: {n_rows:,} rows × {n_columns:,} columns, {dataset.n_classes} classes")
        print(f"  in {datasets.location(name) or 'scikit-learn'}")
        print(f"  {dataset.licence}; {dataset.source}")


if __name__ == "__main__":
    sys.exit(main())

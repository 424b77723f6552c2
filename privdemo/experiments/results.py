"""Results files: the numbers of a study as a small CSV file that comes with the package."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from importlib import metadata, resources
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from privdemo import csv_text

Row = TypeVar("Row")
# Trials behind every shipped number.
N_TRIALS = 10
_HEAD = "# privdemo results, format 1"
# The column of a trial's number: files and the command line call a trial a draw.
TRIAL_COLUMN = "draw"
# Columns that have other names than the fields of the rows.
_COLUMNS = {"trial": TRIAL_COLUMN, "n_trials": "n_draws", "by_trial": "by_draw"}


def without_config(run: Callable[[Any], Any], config: Any) -> Any:
    """Return the result of `run(config)` without its `config`: the caller has it, and it may hold many records."""
    return replace(run(config), config=None)


def versions(separator: str = ", ") -> str:
    """Return versions of the packages on which numbers depend."""
    return separator.join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn"))


def to_csv(row_type: type[Row], rows: Sequence[Row]) -> str:
    """Return rows, instances of a dataclass, as the text of a results file; its first line names the versions that
    made it.
    """
    names = [field.name for field in fields(row_type)]  # type: ignore[arg-type]
    cells = [[getattr(row, name) for name in names] for row in rows]
    return f"{_HEAD}; {versions()}\n" + csv_text.lines(
        [
            [_column(name) for name in names],
            *([value if isinstance(value, str | int) else f"{value:.6g}" for value in row] for row in cells),
        ]
    )


def is_results(path: Path) -> bool:
    """Return whether a file is one that `to_csv` wrote."""
    with path.open("rb") as file:
        return file.read(len(_HEAD)) == _HEAD.encode()


def from_csv(row_type: type[Row], text: str) -> tuple[Row, ...]:
    """Return the rows of a results file; their fields are numbers and texts. Raises ``ValueError`` for another file."""
    first, _, table = text.partition("\n")
    if not first.startswith(_HEAD):
        raise ValueError(f"a results file must begin with “{_HEAD}”, got “{first[:60]}”")
    read = {_column(name): (name, kind) for name, kind in get_type_hints(row_type).items()}
    return tuple(
        row_type(**{read[column][0]: read[column][1](value) for column, value in row.items()})
        for row in csv.DictReader(io.StringIO(table))
    )


def _column(name: str) -> str:
    return _COLUMNS.get(name, name)


def shipped(name: str, suffix: str = "csv") -> Path:
    """Return the results file of a study that comes with the package."""
    return Path(str(resources.files("privdemo") / "results" / f"{name}.{suffix}"))

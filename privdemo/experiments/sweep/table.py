"""The table of a sweep: a CSV file with a row for each trial. Every row is checked when it is read."""

from __future__ import annotations

import codecs
import csv
import math
import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from privdemo import csv_text, limits
from privdemo.experiments import running
from privdemo.experiments.results import TRIAL_COLUMN
from privdemo.experiments.sweep.catalogue import EXPERIMENTS, range_of

_LAST = ["seconds", "versions", "problem"]
# How far beyond its range rounding takes a number; and what no trial's number reaches, so that squares can be added up.
_ROUNDING, _MOST = 1e-9, 1e100
# A number as a table has it, whatever program has saved it.
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", re.IGNORECASE)


def load(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table by column name; a last line that is still being written is left out.

    Raises ``ValueError`` that names the file, the line and what is wrong there.
    """
    return _rows(path, path.read_bytes())


class Table:
    """The rows of a sweep by the key of their trial, in a file that grows.

    Creates the file where there is none, and removes a line that a kill cut short.

    `settings` maps each setting, all cells of a trial's key but its number, to its numbers: a row has all of them, or a
    reason. Raises ``ValueError`` as `load` does, for a file of something else, for a row of other settings, without
    some of its numbers, or with all and a reason why some are missing, and for a file that has a second name, by which
    another run might write it; the file is not changed.
    """

    def __init__(self, out: Path, columns: Sequence[str], settings: Mapping[tuple[str, ...], Collection[str]]) -> None:
        self._out, self._columns = out, columns
        self._keys = {key(row, columns) for row in self._resume(settings)}

    def __contains__(self, trial: tuple[str, ...]) -> bool:
        return trial in self._keys

    def __setitem__(self, trial: tuple[str, ...], row: Mapping[str, str]) -> None:
        """Add a row; once this returns it is on the disk. Raises ``OSError`` with a sentence for a full one."""
        with running.writing(self._out), self._out.open("ab") as file:
            file.write(line([row.get(column, "") for column in self._columns]).encode())
            file.flush()
            os.fsync(file.fileno())
        self._keys.add(trial)

    def _resume(self, settings: Mapping[tuple[str, ...], Collection[str]]) -> list[dict[str, str]]:
        """Return the rows that are in the file, each of one of the `settings`."""
        out, columns = self._out, self._columns
        if out.exists() and out.stat().st_nlink > 1:
            raise ValueError(f"{out} has a second name (a hard link), by which another run might write it; take a copy")
        content = out.read_bytes() if out.exists() else b""
        header = line(columns)
        if b"\n" not in content:
            if not header.encode().startswith(content):
                raise ValueError(f"{out} holds something else than this sweep's table; name another file")
            with running.writing(out):
                out.write_text(header, encoding="utf-8", newline="")
            return []
        if _header(out, content) != list(columns):
            raise ValueError(
                f"{out} holds another sweep's table, with other columns; name another file, or take its experiment and "
                "methods"
            )
        rows = _rows(out, content)
        for number, row in enumerate(rows, 2):
            if (found := key(row, columns)[:-1]) not in settings:
                raise ValueError(
                    f"{out}, line {number} is of none of the spec’s settings: "
                    f"{_unknown_cells(found, columns, settings)}; correct or delete that line, and the same command "
                    "goes on; if the spec has changed, name another file"
                )
            if wrong := _wrong_problem(row, settings[found]):
                raise ValueError(f"{out}, line {number} {wrong}; delete that line, and the same command goes on")
        with out.open("r+b") as file:
            file.truncate(_whole_lines(content))
        return rows


def line(cells: Sequence[str]) -> str:
    """Return one line of CSV; line breaks within cells become spaces, so that a line is a trial."""
    return csv_text.lines([[" ".join(cell.splitlines()) for cell in cells]])


def key(cells: Mapping[str, str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return what identifies a trial: the cells up to the trial, the last column of a config."""
    return tuple(csv_text.harmless(cells[column]) for column in columns[: columns.index(TRIAL_COLUMN) + 1])


def _unknown_cells(found: Sequence[str], columns: Sequence[str], settings: Collection[tuple[str, ...]]) -> str:
    """Return a setting of a row that is not in the spec."""
    for place, (name, cell) in enumerate(zip(columns, found, strict=False)):
        if cell not in {setting[place] for setting in settings}:
            return f"it has {cell!r} in the column “{name}”"
    return "it asks for each of its cells, but not for all of them together"


def _wrong_problem(row: Mapping[str, str], names: Collection[str]) -> str:
    """Return the fault of a row that lacks a number without a reason, or has a reason and all numbers."""
    problem, missing = row["problem"], [name for name in names if not row[name]]
    if missing and not problem:
        return f"is empty in the column “{missing[0]}”, and the column “problem” does not say why"
    if problem and not missing and not EXPERIMENTS[row["experiment"]].is_remark(problem):
        return "has all its numbers, and the column “problem” says why some are missing"
    return ""


def _whole_lines(content: bytes) -> int:
    """Return the length of all whole lines; the rest was not fully written and may end within a character."""
    return content.rfind(b"\n") + 1


def _header(path: Path, content: bytes) -> list[str]:
    """Return the column names in the first line, also as spreadsheets save it. Raises ``ValueError`` where it holds
    none.
    """
    names, wrong = _cells(content.removeprefix(codecs.BOM_UTF8).partition(b"\n")[0])
    if wrong:
        raise ValueError(f"{path}, line 1 {wrong}; name another file, or correct the names of the columns there")
    return names


def _rows(path: Path, content: bytes) -> list[dict[str, str]]:
    """Return all rows in whole lines, which may end as on Windows."""
    columns = _header(path, content)
    if columns[:1] != ["experiment"] or TRIAL_COLUMN not in columns or columns[-3:] != _LAST:
        raise ValueError(f"{path} holds no table of a sweep; name another file")
    found: list[dict[str, str]] = []
    lines: dict[tuple[str, ...], int] = {}
    whole = content[: _whole_lines(content)].splitlines(keepends=True)
    for number, raw in enumerate(whole[1:], 2):
        cells, wrong = _cells(raw)
        wrong = wrong or _row_fault(cells, columns)
        row = dict(zip(columns, cells, strict=not wrong))
        if not wrong and (first := lines.setdefault(key(row, columns), number)) != number:
            wrong = f"is the trial of line {first} again"
        if wrong:
            raise ValueError(f"{path}, line {number} {wrong}; delete that line, and the same command goes on")
        found.append(row)
    return found


def _cells(raw: bytes) -> tuple[list[str], str]:
    """Return the cells of a line, or what is wrong with it."""
    if b"\0" in raw:
        return [], "holds zero bytes"
    try:
        return next(csv.reader([raw.decode("utf-8").rstrip("\r\n")], strict=True), []), ""
    except UnicodeDecodeError:
        return [], "is no text in UTF-8"
    except csv.Error as error:
        return [], f"is no line of CSV ({error})"


def _row_fault(cells: Sequence[str], columns: Sequence[str]) -> str:
    """Return what is wrong with the cells of a row, if anything."""
    if len(cells) != len(columns):
        return f"has {len(cells)} cells, where {len(columns)} columns are"
    place = columns.index(TRIAL_COLUMN)
    if cells[0] not in EXPERIMENTS:
        return f"names no experiment in the column “experiment”, but {cells[0]!r}"
    if not (
        cells[place].isdecimal() and limits.TRIAL.contains(int(cells[place])) and str(int(cells[place])) == cells[place]
    ):
        return f"has no number of a repeat in the column “{TRIAL_COLUMN}”, but {cells[place]!r}"
    if not limits.TRIAL_SECONDS.contains(_number(cells[-3])):
        return f"has no time in the column “seconds”, but {cells[-3]!r}"
    found = {name: cell for name, cell in zip(columns[place + 1 : -3], cells[place + 1 : -3], strict=True) if cell}
    for name, cell in found.items():
        low, high = range_of(name)
        if not math.isfinite(number := _number(cell)):
            return f"has no number in the column “{name}”, but {cell!r}"
        if not max(low - _ROUNDING, -_MOST) <= number <= min(high + _ROUNDING, _MOST):
            return f"has a number out of range in the column “{name}”: {cell!r}"
    if not found and not cells[-1]:
        return "has no numbers, and the column “problem” does not say why"
    if not cells[-2]:
        return "is empty in the column “versions”"
    return "" if cells[-2].startswith("privdemo ") else f"has no versions in the column “versions”, but {cells[-2]!r}"


def _number(cell: str) -> float:
    """Return a cell as a number; NaN for a text, and for what only Python reads as a number."""
    return float(cell) if _NUMBER.fullmatch(cell) else math.nan

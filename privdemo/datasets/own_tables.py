"""Read a visitor's own table and check every line."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.datasets.dataset import Dataset
from privdemo.datasets.own import (
    STEPS,
    OwnDataError,
    as_number,
    check_limit,
    check_values,
    find_classes,
    own_dataset,
    refuse_errors,
    without_markup,
)
from privdemo.datasets.own_csv import position, read_rows

_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


@refuse_errors
def from_csv(content: bytes, label: str | None = None, name: str = "own.csv") -> Dataset:
    """Return a table of numbers and categories, one row a record, with the class in the column `label` (None: the
    last).

    The first row names the columns; fields are separated by commas, semicolons or tabs. A number is coded in `STEPS`
    steps from the least to the greatest of its column, a range that counts as public; a category becomes a column
    of 0 and the last step. Columns that never change are left out. Raises `OwnDataError` with a sentence that names
    the line or column.
    """
    header, lines, rows = _table(content)
    at = len(header) - 1 if label is None else position(header, label)
    fields = [list(column) for column in zip(*rows, strict=True)]
    y, class_names = find_classes(fields[at], f"the label column “{header[at]}”", lines)
    columns = [
        _column(title, values, lines) for title, values in zip(header, fields, strict=True) if title != header[at]
    ]
    names = tuple(feature for column in columns for feature in column.features)
    if not names:
        raise OwnDataError(f"besides the label “{header[at]}” no column changes from row to row; add one that does")
    check_limit(limits.OWN_COLUMNS, len(names))
    check_values(len(rows), len(names))
    blocks, coarse = zip(*(column.block() for column in columns if column.features), strict=True)
    notes = tuple(note for note in coarse if note)
    return own_dataset(name, np.hstack(blocks), y, names, class_names, STEPS, None, notes)


def _table(content: bytes) -> tuple[list[str], list[int], list[list[str]]]:
    """Return the header, and all rows with their lines in the file; blank lines are left out."""
    rows = read_rows(content)
    _, header = next(rows)
    if len(header) == 1:
        raise OwnDataError(
            f"the header names one column only, “{header[0]}”; there must be a label and something to learn from"
        )
    found = list(islice(rows, int(limits.OWN_ROWS.high) + 1))
    if not limits.OWN_ROWS.contains(len(found)):
        many = f"more than {limits.OWN_ROWS.high:,}" if len(found) > limits.OWN_ROWS.high else f"{len(found):,}"
        raise OwnDataError(
            f"a file must have {limits.OWN_ROWS.low:,} to {limits.OWN_ROWS.high:,} rows under its header, got {many}; "
            f"bring {'fewer' if len(found) > limits.OWN_ROWS.high else 'more'} records"
        )
    check_values(len(found), len(header) - 1)
    return header, [line for line, _ in found], [fields for _, fields in found]


@dataclass(frozen=True)
class _Column:
    """One column of a table: its `numbers`, or the texts and their `categories`; neither where it never changes."""

    title: str
    fields: list[str]
    numbers: NDArray[np.float64] | None = None
    categories: tuple[str, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns that the data set has for this one: one of numbers, or one for each category."""
        if self.numbers is not None:
            return (self.title,)
        return tuple(f"{self.title} = {without_markup(name) or '(nothing)'}" for name in self.categories)

    def block(self) -> tuple[NDArray[np.uint8], str]:
        """Return the discretised values (n, features), and a remark on them, if any."""
        if self.numbers is None:
            place = {name: index for index, name in enumerate(self.categories)}
            block = np.zeros((len(self.fields), len(place)), np.uint8)
            block[np.arange(len(self.fields)), [place[field] for field in self.fields]] = STEPS - 1
            empty = self.fields.count("")
            note = f"“{self.title}” says nothing in {empty:,} of {len(self.fields):,} rows: a category of its own."
            return block, note if empty else ""
        low, high = self.numbers.min(), self.numbers.max()
        share = (self.numbers / 2 - low / 2) / (high / 2 - low / 2)  # halved, for ranges beyond the greatest number
        steps = np.rint(share * (STEPS - 1)).astype(np.uint8)
        used, distinct = len(np.unique(steps)), min(STEPS, len(np.unique(self.numbers)))
        coarse = 4 * used < distinct
        note = (
            f"The {distinct} or more different numbers of “{self.title}” fall on {used} of {STEPS} steps from "
            f"{low:g} to {high:g}, so little is left of them: a few lie far from the others. Cut those, or take "
            "logarithms."
        )
        return steps[:, None], note if coarse else ""


def _column(title: str, fields: list[str], lines: Sequence[int]) -> _Column:
    """Return one column, read as numbers where most of its fields are such."""
    distinct = set(fields)
    if len(distinct) < 2:
        return _Column(title, fields)
    found = {field: as_number(field) for field in distinct}
    finite = {field for field, number in found.items() if number is not None and math.isfinite(number)}
    if finite == distinct and len({found[field] for field in distinct}) < 2:  # the same number, written as 5 and as 5.0
        return _Column(title, fields)
    if finite == distinct:
        return _Column(title, fields, np.array([found[field] for field in fields], dtype=float))
    if 2 * sum(field in finite for field in fields) > len(fields):
        at = next(i for i, field in enumerate(fields) if field not in finite)
        said = f"says “{without_markup(fields[at])}”, which is no finite number" if fields[at] else "says nothing"
        raise OwnDataError(
            f"line {lines[at]}, column “{title}” {said}, while most of the column are numbers; fill it in, or leave "
            "the row or the column out"
        )
    if all(_DECIMAL_COMMA.fullmatch(field) for field in distinct):
        raise OwnDataError(f"column “{title}” has numbers with decimal commas; write 1.5 for 1,5")
    if len(distinct) > limits.OWN_CATEGORIES.high:
        raise OwnDataError(
            f"column “{title}” has {len(distinct):,} different texts, more than {limits.OWN_CATEGORIES.high}; leave it "
            "out (names say nothing about others), group its values, or write numbers as 1234.5"
        )
    return _Column(title, fields, categories=tuple(sorted(distinct)))

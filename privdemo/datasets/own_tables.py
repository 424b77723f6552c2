"""A visitor's own table: every line is checked before it is believed."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.datasets.dataset import Dataset
from privdemo.datasets.own import (
    STEPS,
    TITLE_LENGTH,
    OwnDataError,
    as_number,
    check_bytes,
    check_limit,
    check_values,
    count_things,
    find_classes,
    own_dataset,
    plain,
    refuse_errors,
)

# Letters that a field may have.
_FIELD = 1000
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


def first_rows(content: bytes, n: int) -> list[list[str]]:
    """The columns' names of a CSV file and its first `n` rows. Raises `OwnDataError`."""
    return [fields for _, fields in islice(_rows(content), n + 1)]


@refuse_errors
def from_csv(content: bytes, label: str | None = None, name: str = "own.csv") -> Dataset:
    """A table of numbers and categories, one row a record, with the class in the column `label` (None: the last).

    The first row names the columns; fields are separated by commas, semicolons or tabs. A number is coded in `STEPS`
    steps from the least to the greatest of its column, a range that counts as public; a category becomes a column
    of 0 and the last step. Columns that never change are left out. Raises `OwnDataError` with a sentence that names
    the line or column.
    """
    header, lines, rows = _table(content)
    at = len(header) - 1 if label is None else _position(header, label)
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
    """The header, and all rows with their lines in the file; blank lines are left out."""
    rows = _rows(content)
    _, header = next(rows)
    found = list(islice(rows, int(limits.OWN_ROWS.high) + 1))
    if not limits.OWN_ROWS.contains(len(found)):
        many = f"more than {limits.OWN_ROWS.high:,}" if len(found) > limits.OWN_ROWS.high else f"{len(found):,}"
        raise OwnDataError(
            f"a file must have {limits.OWN_ROWS.low:,} to {limits.OWN_ROWS.high:,} rows under its header, got {many}; "
            f"bring {'fewer' if len(found) > limits.OWN_ROWS.high else 'more'} records"
        )
    check_values(len(found), len(header) - 1)
    return header, [line for line, _ in found], [fields for _, fields in found]


def _rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The header, checked, and then row after row, each with its line in the file."""
    check_bytes(content, "its first line must name the columns")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OwnDataError(f"line {line} is not UTF-8 text; save the file as CSV in UTF-8") from None
    if "\0" in text:
        raise OwnDataError("the file holds zero bytes, so it is no text; save it as CSV in UTF-8")
    unquoted = re.sub(r'"[^"]*"', "", text.lstrip().split("\n", 1)[0])
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=unquoted.count), skipinitialspace=True, strict=True
    )
    header: list[str] | None = None
    try:
        for row in reader:
            fields = [field.strip() for field in row]
            if not any(fields):
                continue
            if header is None:
                header = fields = _checked_header(fields)
            elif len(fields) != len(header):
                raise OwnDataError(
                    f"line {reader.line_num} has {count_things(len(fields), 'field')}, the header has {len(header)}; a "
                    "field that holds a separator needs quotes"
                )
            elif len(max(fields, key=len)) > _FIELD:
                raise OwnDataError(f"line {reader.line_num} has a field of more than {_FIELD:,} letters; shorten it")
            yield reader.line_num, fields
    except csv.Error as error:
        raise OwnDataError(f"line {reader.line_num} cannot be read ({error}); check its quotes") from None
    if header is None:
        raise OwnDataError("the file is empty; its first line must name the columns")


def _checked_header(names: list[str]) -> list[str]:
    if len(names) < 2:
        raise OwnDataError(
            f"the header names one column only, “{plain(names[0])}”; there must be a label and something to learn from"
        )
    check_limit(limits.OWN_FIELDS, len(names))
    for column, name in enumerate(names, start=1):
        if not name:
            raise OwnDataError(f"column {column} has no name in the header; give it one")
    titles = [plain(name, TITLE_LENGTH) for name in names]
    for title, count in Counter(titles).items():
        if count > 1:
            raise OwnDataError(f"{count} columns are called “{title}”; give each its own name")
    if all(as_number(name) is not None for name in names):
        raise OwnDataError("the first line holds numbers only; it must name the columns")
    return titles


def _position(header: Sequence[str], label: str) -> int:
    title = plain(label, TITLE_LENGTH)
    if title not in header:
        raise OwnDataError(f"there is no column “{title}”; there are {', '.join(header)}")
    return header.index(title)


@dataclass(frozen=True)
class _Column:
    """One column of a table: its `numbers`, or the texts and their `categories`; neither where it never changes."""

    title: str
    fields: list[str]
    numbers: NDArray[np.float64] | None = None
    categories: tuple[str, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of what becomes of it."""
        if self.numbers is not None:
            return (self.title,)
        return tuple(f"{self.title} = {plain(name) or '(nothing)'}" for name in self.categories)

    def block(self) -> tuple[NDArray[np.uint8], str]:
        """Its values in steps (n, features), and what is to be said of them, if anything."""
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
    """One column, read as numbers where most of its fields are such."""
    distinct = set(fields)
    if len(distinct) < 2:
        return _Column(title, fields)
    found = {field: as_number(field) for field in distinct}
    finite = {field for field, number in found.items() if number is not None and math.isfinite(number)}
    if finite == distinct and len({found[field] for field in distinct}) < 2:  # 5 and 5.0
        return _Column(title, fields)
    if finite == distinct:
        return _Column(title, fields, np.array([found[field] for field in fields], dtype=float))
    if 2 * sum(field in finite for field in fields) > len(fields):
        at = next(i for i, field in enumerate(fields) if field not in finite)
        said = f"says “{plain(fields[at])}”, which is no finite number" if fields[at] else "says nothing"
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

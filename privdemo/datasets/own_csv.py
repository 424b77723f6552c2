"""Read the rows of a visitor's CSV file with their line numbers, for tables and columns of answers."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from privdemo import limits
from privdemo.datasets.own import (
    FILL_IN,
    TITLE_LENGTH,
    OwnDataError,
    as_number,
    check_bytes,
    check_limit,
    count_things,
    without_markup,
)

# Letters that a field may have, and rows that are read at a time.
_FIELD, _BLOCK = 1000, 1000


class Block(NamedTuple):
    """Some rows of a file: their `lines`, and the fields of each of its `columns`."""

    lines: Sequence[int]
    columns: Sequence[list[str]]


def first_rows(content: bytes, n: int) -> list[list[str]]:
    """Return the columns' names of a CSV file and its first `n` rows. Raises `OwnDataError`."""
    return [fields for _, fields in islice(read_rows(content), n + 1)]


def read_rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The header, and then row after row, each with its line in the file. Raises as `read_blocks`."""
    for block in read_blocks(content):
        for line, *fields in zip(block.lines, *block.columns, strict=True):
            yield line, fields


def read_blocks(content: bytes) -> Iterator[Block]:
    """The header, checked, and then some rows at a time; blank lines are left out.

    Fields are separated by commas, semicolons or tabs. In a file of one column a blank line between others is an empty
    row, and refused. Raises `OwnDataError` with a sentence that names the line.
    """
    text, separator = _opened(content)
    reader = csv.reader(text, delimiter=separator, skipinitialspace=True, strict=True)
    blank = 0
    try:
        header = _checked_header(next(fields for row in reader if any(fields := [field.strip() for field in row])))
        yield Block([reader.line_num], [[title] for title in header])
        while rows := [(reader.line_num, row) for row in islice(reader, _BLOCK)]:
            block = None if blank else _regular(rows, len(header))
            if block is None:
                block, blank = _checked(rows, header, blank)
            if block.lines:
                yield block
    except csv.Error as error:
        raise OwnDataError(f"line {reader.line_num} cannot be read ({error}); check its quotes") from None
    except StopIteration:
        raise OwnDataError("the file is empty; its first line must name the columns") from None


def _regular(rows: Sequence[tuple[int, list[str]]], n_columns: int) -> Block | None:
    """Return the columns of regular rows, as most are: with the same number of fields, none empty, none too long."""
    lines, each = zip(*rows, strict=True)
    fields = list(map(str.strip, chain.from_iterable(each)))
    if set(map(len, each)) != {n_columns} or not all(fields) or max(map(len, fields)) > _FIELD:
        return None
    return Block(lines, [fields[i::n_columns] for i in range(n_columns)])


def _checked(rows: Sequence[tuple[int, list[str]]], header: Sequence[str], blank: int) -> tuple[Block, int]:
    """Return the columns of rows, checked one by one; `blank` is the number of a blank line in a file of one column."""
    lines, kept = [], []
    for line, row in rows:
        fields = [field.strip() for field in row]
        if not any(fields) and not (row and len(header) == 1):
            blank = blank or line * (len(header) == 1)
            continue
        if blank:
            raise OwnDataError(f"line {blank} of the column “{header[0]}” says nothing; {FILL_IN}")
        if len(fields) != len(header):
            raise OwnDataError(
                f"line {line} has {count_things(len(fields), 'field')}, the header has {len(header)}; a "
                "field that holds a separator needs quotes"
            )
        if max(map(len, fields)) > _FIELD:
            raise OwnDataError(f"line {line} has a field of more than {_FIELD:,} letters; shorten it")
        lines.append(line)
        kept.append(fields)
    return Block(lines, list(map(list, zip(*kept, strict=True)))), blank


def _opened(content: bytes) -> tuple[io.TextIOBase, str]:
    """Return a file to be read line after line as UTF-8, and the separator of which its header has most."""
    check_bytes(content, "its first line must name the columns")
    try:
        head = content.decode("utf-8-sig").lstrip().partition("\n")[0]
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OwnDataError(f"line {line} is not UTF-8 text; save the file as CSV in UTF-8") from None
    if b"\0" in content:
        raise OwnDataError("the file holds zero bytes, so it is no text; save it as CSV in UTF-8")
    unquoted = re.sub(r'"[^"]*"', "", head)
    return io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline=""), max(",;\t", key=unquoted.count)


def _checked_header(names: list[str]) -> list[str]:
    check_limit(limits.OWN_FIELDS, len(names))
    for column, name in enumerate(names, start=1):
        if not name:
            raise OwnDataError(f"column {column} has no name in the header; give it one")
    titles = [without_markup(name, TITLE_LENGTH) for name in names]
    for title, count in Counter(titles).items():
        if count > 1:
            raise OwnDataError(f"{count} columns are called “{title}”; give each its own name")
    if all(as_number(name) is not None for name in names):
        raise OwnDataError("the first line holds numbers only; it must name the columns")
    return titles


def position(header: Sequence[str], column: str) -> int:
    """Return the index of the `column` of a name in the `header`. Raises `OwnDataError` where there is none."""
    title = without_markup(column, TITLE_LENGTH)
    if title not in header:
        raise OwnDataError(f"there is no column “{title}”; there are {', '.join(header)}")
    return header.index(title)

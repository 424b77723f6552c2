"""The rows of a visitor's CSV file, each with its line; what tables and columns of answers are read from."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from privdemo import limits
from privdemo.datasets.own import (
    FILL_IN,
    TITLE_LENGTH,
    OwnDataError,
    as_number,
    check_bytes,
    check_limit,
    count_things,
    plain,
)

# Letters that a field may have.
_FIELD = 1000


def first_rows(content: bytes, n: int) -> list[list[str]]:
    """The columns' names of a CSV file and its first `n` rows. Raises `OwnDataError`."""
    return [fields for _, fields in islice(read_rows(content), n + 1)]


def read_rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The header, checked, and then row after row, each with its line in the file; blank lines are left out.

    Fields are separated by commas, semicolons or tabs. In a file of one column a blank line between others is a row
    that says nothing, and refused. Raises `OwnDataError` with a sentence that names the line.
    """
    text, separator = _opened(content)
    reader = csv.reader(text, delimiter=separator, skipinitialspace=True, strict=True)
    header: list[str] = []
    blank = 0
    try:
        for row in reader:
            fields = [field.strip() for field in row]
            if not any(fields) and not (row and len(header) == 1):
                blank = blank or reader.line_num
                continue
            if not header:
                header = fields = _checked_header(fields)
                blank = 0
            elif len(header) == 1 and blank:
                raise OwnDataError(f"line {blank} of the column “{header[0]}” says nothing; {FILL_IN}")
            elif len(fields) != len(header):
                raise OwnDataError(
                    f"line {reader.line_num} has {count_things(len(fields), 'field')}, the header has {len(header)}; a "
                    "field that holds a separator needs quotes"
                )
            elif max(map(len, fields)) > _FIELD:
                raise OwnDataError(f"line {reader.line_num} has a field of more than {_FIELD:,} letters; shorten it")
            yield reader.line_num, fields
    except csv.Error as error:
        raise OwnDataError(f"line {reader.line_num} cannot be read ({error}); check its quotes") from None
    if not header:
        raise OwnDataError("the file is empty; its first line must name the columns")


def _opened(content: bytes) -> tuple[io.TextIOBase, str]:
    """A file to be read line after line as UTF-8, and the separator of which its header has most."""
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
    titles = [plain(name, TITLE_LENGTH) for name in names]
    for title, count in Counter(titles).items():
        if count > 1:
            raise OwnDataError(f"{count} columns are called “{title}”; give each its own name")
    if all(as_number(name) is not None for name in names):
        raise OwnDataError("the first line holds numbers only; it must name the columns")
    return titles


def position(header: Sequence[str], column: str) -> int:
    """Where the `column` of a name stands in the `header`. Raises `OwnDataError` where there is none."""
    title = plain(column, TITLE_LENGTH)
    if title not in header:
        raise OwnDataError(f"there is no column “{title}”; there are {', '.join(header)}")
    return header.index(title)

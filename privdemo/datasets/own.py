"""A visitor's own file, read as one reads a file by a stranger: nothing is believed before it is checked."""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import islice

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from privdemo import limits
from privdemo.datasets.dataset import Dataset

# How many grey levels or steps a number is told in.
STEPS = 256
# What arrays of an .npz file may be called.
IMAGES, LABELS = ("X", "images", "x", "data"), ("y", "labels", "target")
_SIDE = (2, 64)
_MEMBERS = 10
# Letters of a field, and of a text that is a label.
_FIELD, _LABEL = 1000, 100
# Letters that mean something to Markdown or HTML, and what stands for them in names.
_PLAIN = str.maketrans(dict(zip('<>&$`*[]{}|\\~:#"', "‹›＆＄'∗()()//∼∶＃”", strict=True)))
_NAME, _TITLE = 40, 200
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


class OwnDataError(ValueError):
    """A file cannot be used; the message says where and why, and what to do."""


def _refusing(read: Callable[..., Dataset]) -> Callable[..., Dataset]:
    """Whatever goes wrong with a stranger's file is a refusal."""

    @wraps(read)
    def refusing(*args: object, **options: object) -> Dataset:
        try:
            return read(*args, **options)
        except OwnDataError:
            raise
        except Exception as error:
            raise OwnDataError(f"the file cannot be read ({plain(str(error), _TITLE)}); save it anew") from None

    return refusing


def first_rows(content: bytes, n: int) -> list[list[str]]:
    """The columns' names of a CSV file and its first `n` rows. Raises `OwnDataError`."""
    return [fields for _, fields in islice(_rows(content), n + 1)]


@_refusing
def from_csv(content: bytes, label: str | None = None, name: str = "own.csv") -> Dataset:
    """A table of numbers and categories, one row a record, with the class in the column `label` (None: the last).

    The first row names the columns; fields are separated by commas, semicolons or tabs. A number is told in `STEPS`
    steps from the least to the greatest of its column, a range that is taken for public; a category becomes a column
    of 0 and the last step. Columns that never change are left out. Raises `OwnDataError` with a sentence that names
    the line or column.
    """
    header, lines, rows = _table(content)
    at = len(header) - 1 if label is None else _position(header, label)
    fields = [list(column) for column in zip(*rows, strict=True)]
    y, class_names = _classes(fields[at], f"the label column “{header[at]}”", lines)
    columns = [
        _column(title, values, lines) for title, values in zip(header, fields, strict=True) if title != header[at]
    ]
    names = tuple(feature for column in columns for feature in column.features)
    if not names:
        raise OwnDataError(f"besides the label “{header[at]}” no column changes from row to row; add one that does")
    _within(limits.OWN_COLUMNS, len(names))
    _check_values(len(rows), len(names))
    blocks, coarse = zip(*(column.block() for column in columns if column.features), strict=True)
    notes = tuple(note for note in coarse if note)
    return _dataset(name, np.hstack(blocks), y, names, class_names, STEPS, None, notes)


@_refusing
def from_npz(content: bytes, name: str = "own.npz") -> Dataset:
    """Grey images `X` (n, rows, columns) and their classes `y` (n,), in a NumPy archive.

    Images are whole numbers 0 … 255, booleans, or numbers from 0 to 1, told in `STEPS` steps; a file whose greatest
    whole number is m has m + 1 grey levels. Sizes are summed and headers read before any data is. Raises
    `OwnDataError` with a sentence that names the array.
    """
    with _archive(content) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        X = _array(archive, _member(members, IMAGES), (3, 4), "biuf")
        labels = _array(archive, _member(members, LABELS), (1,), "biuUS")
    if X.ndim == 4:
        if X.shape[3] != 1:
            raise OwnDataError(
                f"images must be grey, one value a pixel, got {X.shape[3]} (this looks like colour); convert them first"
            )
        X = X[..., 0]
    if len(X) != len(labels):
        raise OwnDataError(f"there are {len(X):,} images but {len(labels):,} labels; each image needs one")
    if not all(_SIDE[0] <= side <= _SIDE[1] for side in X.shape[1:]):
        raise OwnDataError(
            f"images must have {_SIDE[0]} to {_SIDE[1]} rows and columns, got {X.shape[1]} × {X.shape[2]}; scale them"
        )
    texts = [text.decode("utf-8") if isinstance(text, bytes) else str(text) for text in labels.tolist()]
    y, class_names = _classes([text.strip() for text in texts], "the labels", range(1, len(texts) + 1))
    states, k = _grey(X)
    shape = (int(X.shape[1]), int(X.shape[2]))
    names = tuple(f"pixel {row},{column}" for row in range(shape[0]) for column in range(shape[1]))
    return _dataset(name, states.reshape(len(X), -1), y, names, class_names, k, shape)


def _dataset(
    name: str,
    X: NDArray[np.uint8],
    y: NDArray[np.int64],
    feature_names: tuple[str, ...],
    class_names: tuple[str, ...],
    n_states: int,
    shape: tuple[int, int] | None,
    notes: tuple[str, ...] = (),
) -> Dataset:
    return Dataset(
        name=plain(name),
        title=plain(name),
        X=X,
        y=y,
        feature_names=feature_names,
        class_names=class_names,
        n_states=np.full(X.shape[1], n_states),
        image_shape=shape,
        n_train=None,
        source="brought by its user",
        licence="its user’s",
        notes=notes,
    )


def plain(name: str, length: int = _NAME) -> str:
    """A name of at most `length` letters, none of which means anything to Markdown or HTML."""
    words = " ".join("".join(c if c.isprintable() else " " for c in name.translate(_PLAIN)).split())
    words = re.sub(r"(?<![^\W_])_|_(?![^\W_])", "＿", words)
    return words if len(words) <= length else words[: length - 1] + "…"


def _within(limit: limits.Limit, value: int) -> None:
    try:
        limit.check(value)
    except ValueError as error:
        raise OwnDataError(str(error)) from None


def _counted(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


# --- tables --------------------------------------------------------------------------------------


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
    _check_values(len(found), len(header) - 1)
    return header, [line for line, _ in found], [fields for _, fields in found]


def _rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The header, checked, and then row after row, each with its line in the file."""
    _check_bytes(content, "its first line must name the columns")
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
                    f"line {reader.line_num} has {_counted(len(fields), 'field')}, the header has {len(header)}; a "
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
    _within(limits.OWN_FIELDS, len(names))
    for column, name in enumerate(names, start=1):
        if not name:
            raise OwnDataError(f"column {column} has no name in the header; give it one")
    titles = [plain(name, _TITLE) for name in names]
    for title, count in Counter(titles).items():
        if count > 1:
            raise OwnDataError(f"{count} columns are called “{title}”; give each its own name")
    if all(_number(name) is not None for name in names):
        raise OwnDataError("the first line holds numbers only; it must name the columns")
    return titles


def _position(header: Sequence[str], label: str) -> int:
    title = plain(label, _TITLE)
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
    found = {field: _number(field) for field in distinct}
    finite = {field for field, number in found.items() if number is not None and math.isfinite(number)}
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


def _number(field: str) -> float | None:
    """The number that a field says; None for a text."""
    try:
        return float(field) if "_" not in field else None
    except ValueError:
        return None


def _classes(fields: list[str], what: str, lines: Sequence[int]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The class of each record, and the classes' names: numbers in their order, then texts in theirs."""
    if "" in fields:
        raise OwnDataError(f"line {lines[fields.index('')]} of {what} says nothing; fill it in, or leave the row out")
    counts = Counter(fields)
    if not limits.OWN_CLASSES.contains(len(counts)):
        raise OwnDataError(
            f"{what} must have {limits.OWN_CLASSES.low} to {limits.OWN_CLASSES.high} different values, got "
            f"{len(counts):,}; choose another column, or group its values"
        )
    least = min(counts, key=lambda name: counts[name])
    if counts[least] < limits.OWN_PER_CLASS.low:
        raise OwnDataError(
            f"class “{plain(least)}” of {what} has {_counted(counts[least], 'record')}; every class needs "
            f"{limits.OWN_PER_CLASS.low} to be learnt and tested; leave it out, or group it with another"
        )
    order = sorted(counts, key=_as_sorted)
    names = tuple(plain(name) for name in order)
    for name, count in Counter(names).items():
        if count > 1 or not name:
            raise OwnDataError(f"{what} has classes that look alike, “{name}”; give them shorter, plainer names")
    place = {name: index for index, name in enumerate(order)}
    return np.array([place[field] for field in fields], dtype=np.int64), names


def _as_sorted(name: str) -> tuple[float, str]:
    number = _number(name)
    return (number if number is not None and math.isfinite(number) else math.inf), name


# --- archives ------------------------------------------------------------------------------------


def _archive(content: bytes) -> zipfile.ZipFile:
    """The archive, once what it says of its sizes is believable."""
    _check_bytes(content, "make one with numpy.savez(file, X=images, y=labels)")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except Exception:
        raise OwnDataError("the file is no .npz archive; make one with numpy.savez(file, X=images, y=labels)") from None
    members = archive.infolist()
    if len(members) > _MEMBERS:
        raise OwnDataError(f"the archive holds {len(members)} arrays, more than {_MEMBERS}; keep X and y alone")
    declared = sum(member.file_size for member in members)
    if declared > limits.OWN_UNPACKED.high:
        raise OwnDataError(
            f"unpacked the archive would be {declared:,} bytes, more than {limits.OWN_UNPACKED.high:,}; keep fewer or "
            "smaller images"
        )
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise OwnDataError("the archive is packed in an unusual way; save it with numpy.savez_compressed")
    return archive


def _member(members: dict[str, zipfile.ZipInfo], names: Sequence[str]) -> zipfile.ZipInfo:
    for name in names:
        if name in members:
            return members[name]
    there = ", ".join(map(plain, members)) or "nothing"
    raise OwnDataError(f"there is no array called {' or '.join(names)}; the archive holds {there}; rename one")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, dimensions: tuple[int, ...], kinds: str) -> NDArray:
    """One array, read only once its header says that it is of a plain type and of as many bytes as there are."""
    name = plain(member.filename.removesuffix(".npy"))
    try:
        with archive.open(member) as file:
            content = file.read(member.file_size + 1)
        buffer = io.BytesIO(content)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(buffer)]
        shape, _, dtype = read(buffer)
        wide = dtype.itemsize
    except Exception as error:
        raise OwnDataError(f"array {name} cannot be read ({plain(str(error), _TITLE)}); save it anew") from None
    if dtype.hasobject or dtype.kind not in kinds:
        wanted = "numbers or booleans" if "f" in kinds else "whole numbers or texts"
        raise OwnDataError(
            f"array {name} must be of {wanted}, no Python objects, got {plain(str(dtype))}; save it as such"
        )
    if wide > 4 * _LABEL:
        raise OwnDataError(f"array {name} holds texts of more than {_LABEL} letters; shorten them")
    if len(shape) not in dimensions:
        wanted = "(n, rows, columns)" if 3 in dimensions else "(n,)"
        raise OwnDataError(f"array {name} must have shape {wanted}, got {shape}; reshape it")
    if 3 in dimensions:
        _check_values(shape[0], math.prod(shape[1:]))
    if not limits.OWN_ROWS.contains(shape[0]):
        raise OwnDataError(
            f"array {name} must have {limits.OWN_ROWS.low:,} to {limits.OWN_ROWS.high:,} records, got {shape[0]:,}; "
            f"bring {'fewer' if shape[0] > limits.OWN_ROWS.high else 'more'}"
        )
    if min(shape) < 0 or math.prod(shape) * wide != len(content) - buffer.tell():
        raise OwnDataError(f"array {name} says it is {shape}, but holds another number of values; save it anew")
    return npy.read_array(io.BytesIO(content), allow_pickle=False)


def _grey(X: NDArray) -> tuple[NDArray[np.uint8], int]:
    """Grey levels 0 … k − 1, and k."""
    if not np.isfinite(X).all():
        image = 1 + int(np.flatnonzero(~np.isfinite(X).reshape(len(X), -1).all(axis=1))[0])
        raise OwnDataError(f"image {image} holds a value that is no finite number; mend it or leave it out")
    low, high = float(X.min()), float(X.max())
    if low == high:
        raise OwnDataError("all pixels of all images are the same; there is nothing to see or learn; check the file")
    whole = X.dtype.kind != "f" or bool((np.rint(X) == X).all())
    most = STEPS - 1 if whole else 1
    if low < 0 or high > most:
        kind = "whole" if whole else "decimal"
        raise OwnDataError(
            f"images of {kind} numbers must lie between 0 and {most}, got {low:.4g} to {high:.4g}; scale them"
        )
    if whole:
        return X.astype(np.uint8), max(2, int(high) + 1)
    return np.rint(X * (STEPS - 1)).astype(np.uint8), STEPS


def _check_bytes(content: bytes, what: str) -> None:
    if not content:
        raise OwnDataError(f"the file is empty; {what}")
    if len(content) > limits.OWN_BYTES.high:
        raise OwnDataError(
            f"the file has {len(content):,} bytes, more than {limits.OWN_BYTES.high:,}; bring fewer records or columns"
        )


def _check_values(n_rows: int, n_columns: int) -> None:
    if n_rows * n_columns > limits.OWN_VALUES.high:
        raise OwnDataError(
            f"{n_rows:,} records of {n_columns:,} values are more than {limits.OWN_VALUES.high:,} values; bring fewer "
            "records, or smaller ones"
        )

"""A visitor's own file, read as one reads a file by a stranger: nothing is believed before it is checked."""

from __future__ import annotations

import csv
import io
import math
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
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
# Letters that mean something to Markdown or HTML, and what stands for them in names.
_PLAIN = str.maketrans(dict(zip("<>&$`*[]{}|\\~", "‹›＆＄'∗()()//∼", strict=True)))
_NAME_LENGTH = 40
# What zipfile and NumPy raise where an archive is not what it should be.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, ValueError, TypeError, OSError, EOFError, RuntimeError),
    *(NotImplementedError, OverflowError, MemoryError),
)


class OwnDataError(ValueError):
    """A file cannot be used; the message says where and why, and what to do."""


def first_rows(content: bytes, n: int) -> list[list[str]]:
    """The columns' names of a CSV file and its first `n` rows. Raises `OwnDataError`."""
    return list(islice(_rows(content), n + 1))


def from_csv(content: bytes, label: str | None = None, name: str = "own.csv") -> Dataset:
    """A table of numbers and categories, one row a record, with the class in the column `label` (None: the last).

    The first row names the columns; fields are separated by commas, semicolons or tabs. A number is told in `STEPS`
    steps from the least to the greatest of its column, a range that is taken for public; a category becomes a column
    of 0 and the last step. Columns that never change are left out. Raises `OwnDataError` with a sentence that names
    the row or column.
    """
    header, *rows = _table(content)
    at = len(header) - 1 if label is None else _position(header, label)
    y, class_names = _classes([row[at] for row in rows], f"the label column “{header[at]}”")
    blocks, names = [], []
    for column, title in enumerate(header):
        if column != at:
            block, block_names = _columns(title, [row[column] for row in rows])
            blocks.append(block)
            names += block_names
    if not names:
        raise OwnDataError(f"besides the label “{header[at]}” no column changes from row to row; add one that does")
    limits.OWN_COLUMNS.check(len(names))
    _check_values(len(rows), len(names))
    return _dataset(name, np.hstack(blocks), y, tuple(names), class_names, STEPS, None)


def from_npz(content: bytes, name: str = "own.npz") -> Dataset:
    """Grey images `X` (n, rows, columns) and their classes `y` (n,), in a NumPy archive.

    Images are whole numbers 0 … 255, booleans, or numbers from 0 to 1, told in `STEPS` steps; a file whose greatest
    whole number is m has m + 1 grey levels. Sizes are summed and headers read before any data is. Raises
    `OwnDataError` with a sentence that names the array.
    """
    with _archive(content) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        X = _array(archive, _member(members, IMAGES), (3, 4))
        labels = _array(archive, _member(members, LABELS), (1,))
    if X.ndim == 4:
        if X.shape[3] != 1:
            raise OwnDataError(f"images must be grey, one value a pixel, got {X.shape[3]} values; convert them first")
        X = X[..., 0]
    if len(X) != len(labels):
        raise OwnDataError(f"there are {len(X):,} images but {len(labels):,} labels; each image needs one")
    if not all(_SIDE[0] <= side <= _SIDE[1] for side in X.shape[1:]):
        raise OwnDataError(
            f"images must have {_SIDE[0]} to {_SIDE[1]} rows and columns, got {X.shape[1]} × {X.shape[2]}; scale them"
        )
    if labels.dtype.kind not in "biuUS":
        raise OwnDataError(f"labels must be whole numbers or texts, got {labels.dtype}; save them as such")
    text = labels.astype(str) if labels.dtype.kind != "S" else np.char.decode(labels, "utf-8", "replace")
    y, class_names = _classes(text.tolist(), "the labels")
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
    )


def plain(name: str) -> str:
    """A name of at most `_NAME_LENGTH` letters, none of which means anything to Markdown or HTML."""
    words = " ".join("".join(c if c.isprintable() else " " for c in name.translate(_PLAIN)).split())
    return words if len(words) <= _NAME_LENGTH else words[: _NAME_LENGTH - 1] + "…"


# --- tables --------------------------------------------------------------------------------------


def _table(content: bytes) -> list[list[str]]:
    """The header and all rows, each as long as the header; blank lines are left out."""
    rows = _rows(content)
    header = next(rows)
    found = list(islice(rows, int(limits.OWN_ROWS.high) + 1))
    if not limits.OWN_ROWS.contains(len(found)):
        many = f"more than {limits.OWN_ROWS.high:,}" if len(found) > limits.OWN_ROWS.high else f"{len(found):,}"
        raise OwnDataError(
            f"a file must have {limits.OWN_ROWS.low:,} to {limits.OWN_ROWS.high:,} rows under its header, got {many}"
        )
    return [header, *found]


def _rows(content: bytes) -> Iterator[list[str]]:
    """The header, checked, and then row after row."""
    _check_bytes(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OwnDataError(f"line {line} is not UTF-8 text; save the file as CSV in UTF-8") from None
    if "\0" in text:
        raise OwnDataError("the file holds zero bytes, so it is no text; save it as CSV in UTF-8")
    first = text.lstrip().split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    header: list[str] | None = None
    try:
        for row in reader:
            fields = [field.strip() for field in row]
            if not any(fields):
                continue
            if header is None:
                header = _checked_header(fields)
            elif len(fields) != len(header):
                raise OwnDataError(
                    f"line {reader.line_num} has {len(fields)} fields, the header has {len(header)}; a field that "
                    "holds a separator needs quotes"
                )
            yield fields
    except csv.Error as error:
        raise OwnDataError(f"line {reader.line_num} cannot be read ({error}); check its quotes") from None
    if header is None:
        raise OwnDataError("the file is empty; its first line must name the columns")


def _checked_header(names: list[str]) -> list[str]:
    if len(names) < 2:
        raise OwnDataError(
            f"the header names one column only, “{plain(names[0])}”; there must be a label and something to learn from"
        )
    limits.OWN_FIELDS.check(len(names))
    for column, name in enumerate(names, start=1):
        if not name:
            raise OwnDataError(f"column {column} has no name in the header; give it one")
    for name, count in Counter(map(plain, names)).items():
        if count > 1:
            raise OwnDataError(f"{count} columns are called “{name}”; give each its own name")
    if all(_number(name) is not None for name in names):
        raise OwnDataError("the first line holds numbers only; it must name the columns")
    return [plain(name) for name in names]


def _position(header: Sequence[str], label: str) -> int:
    if plain(label) not in header:
        raise OwnDataError(f"there is no column “{plain(label)}”; there are {', '.join(header)}")
    return header.index(plain(label))


def _columns(title: str, fields: list[str]) -> tuple[NDArray[np.uint8], list[str]]:
    """One column as a block of steps and the names of its columns; none where it never changes."""
    if len(set(fields)) < 2:
        return np.empty((len(fields), 0), np.uint8), []
    numbers = [_number(field) for field in fields]
    known = sum(number is not None and math.isfinite(number) for number in numbers)
    if 2 * known > len(fields):
        return _steps(title, fields, numbers), [title]
    return _categories(title, fields)


def _number(field: str) -> float | None:
    """The number that a field says; None for a text. Infinite and undefined ones count as numbers here."""
    try:
        return float(field) if "_" not in field else None
    except ValueError:
        return None


def _steps(title: str, fields: list[str], numbers: list[float | None]) -> NDArray[np.uint8]:
    for row, (field, number) in enumerate(zip(fields, numbers, strict=True), start=1):
        if number is None or not math.isfinite(number):
            said = f"“{plain(field)}”, which is no finite number" if field else "nothing"
            raise OwnDataError(
                f"row {row} of column “{title}” says {said}, while most of the column are numbers; fill it in, or "
                "leave the row or the column out"
            )
    values = np.array(numbers, dtype=float)
    low, high = values.min(), values.max()
    with np.errstate(over="ignore"):
        share = (values / 2 - low / 2) / (high / 2 - low / 2)  # halved, for ranges beyond the greatest number
    return np.rint(share * (STEPS - 1)).astype(np.uint8)[:, None]


def _categories(title: str, fields: list[str]) -> tuple[NDArray[np.uint8], list[str]]:
    names = sorted(set(fields))
    if len(names) > limits.OWN_CATEGORIES.high:
        raise OwnDataError(
            f"column “{title}” has {len(names):,} different texts, more than {limits.OWN_CATEGORIES.high}; leave it "
            "out (names say nothing about others), group its values, or write numbers as 1234.5"
        )
    block = (np.array(fields)[:, None] == np.array(names)) * np.uint8(STEPS - 1)
    return block, [f"{title} = {plain(name) or '(nothing)'}" for name in names]


def _classes(fields: list[str], what: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The class of each record, and the classes' names: numbers in their order, then texts in theirs."""
    for row, field in enumerate(fields, start=1):
        if not field:
            raise OwnDataError(f"row {row} of {what} says nothing; fill it in, or leave the row out")
    counts = Counter(fields)
    if not limits.OWN_CLASSES.contains(len(counts)):
        raise OwnDataError(
            f"{what} must have {limits.OWN_CLASSES.low} to {limits.OWN_CLASSES.high} different values, got "
            f"{len(counts):,}; choose another column, or group its values"
        )
    least = min(counts, key=lambda name: counts[name])
    if counts[least] < limits.OWN_PER_CLASS.low:
        raise OwnDataError(
            f"class “{plain(least)}” of {what} has {counts[least]} records; every class needs "
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
    _check_bytes(content)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except _DAMAGED:
        raise OwnDataError("the file is no .npz archive; make one with numpy.savez(file, X=images, y=labels)") from None
    members = archive.infolist()
    if len(members) > _MEMBERS:
        raise OwnDataError(f"the archive holds {len(members)} arrays, more than {_MEMBERS}; keep X and y alone")
    declared = sum(member.file_size for member in members)
    if declared > limits.OWN_UNPACKED.high:
        raise OwnDataError(
            f"unpacked the archive would be {declared / 1e6:,.0f} MB, more than {limits.OWN_UNPACKED.high / 1e6:,.0f}; "
            "keep fewer or smaller images"
        )
    return archive


def _member(members: dict[str, zipfile.ZipInfo], names: Sequence[str]) -> zipfile.ZipInfo:
    for name in names:
        if name in members:
            return members[name]
    there = ", ".join(map(plain, members)) or "nothing"
    raise OwnDataError(f"there is no array called {' or '.join(names)}; the archive holds {there}")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, dimensions: tuple[int, ...]) -> NDArray:
    """One array, read only once its header says that it is of a plain type and of as many bytes as there are."""
    name = plain(member.filename.removesuffix(".npy"))
    try:
        with archive.open(member) as file:
            content = file.read(member.file_size + 1)
        buffer = io.BytesIO(content)
        version = npy.read_magic(buffer)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(buffer)
    except _DAMAGED as error:
        raise OwnDataError(f"array {name} cannot be read ({plain(str(error))}); save it anew") from None
    if dtype.hasobject or dtype.kind not in "biufUS":
        raise OwnDataError(
            f"array {name} is of type {plain(str(dtype))}; only numbers, booleans and texts are read, no Python objects"
        )
    if len(shape) not in dimensions:
        wanted = "(n, rows, columns)" if 3 in dimensions else "(n,)"
        raise OwnDataError(f"array {name} must have shape {wanted}, got {shape}")
    if 3 in dimensions:
        _check_values(shape[0], math.prod(shape[1:]))
    if not limits.OWN_ROWS.contains(shape[0]):
        raise OwnDataError(
            f"array {name} must have {limits.OWN_ROWS.low:,} to {limits.OWN_ROWS.high:,} records, got {shape[0]:,}"
        )
    if min(shape) < 0 or math.prod(shape) * dtype.itemsize != len(content) - buffer.tell():
        raise OwnDataError(f"array {name} says it is {shape}, but holds another number of values; save it anew")
    return npy.read_array(io.BytesIO(content), allow_pickle=False)


def _grey(X: NDArray) -> tuple[NDArray[np.uint8], int]:
    """Grey levels 0 … k − 1, and k."""
    if X.dtype.kind == "f" and np.isfinite(X).all() and (np.rint(X) == X).all() and X.max() < STEPS:
        X = X.astype(np.int64)
    if X.dtype.kind == "f":
        if not np.isfinite(X).all() or X.min() < 0 or X.max() > 1:
            raise OwnDataError(
                f"images of decimal numbers must lie between 0 and 1, got {X.min():.4g} to {X.max():.4g}; divide them"
            )
        if X.max() == X.min():
            raise OwnDataError("all pixels of all images are the same; there is nothing to see or learn")
        return np.rint(X * (STEPS - 1)).astype(np.uint8), STEPS
    if X.dtype.kind not in "biu":
        raise OwnDataError(f"images must be numbers, got {X.dtype}")
    if X.min() < 0 or X.max() > STEPS - 1:
        raise OwnDataError(
            f"images of whole numbers must lie between 0 and {STEPS - 1}, got {X.min()} to {X.max()}; scale them"
        )
    if X.max() == X.min():
        raise OwnDataError("all pixels of all images are the same; there is nothing to see or learn")
    return X.astype(np.uint8), max(2, int(X.max()) + 1)


def _check_bytes(content: bytes) -> None:
    if not content:
        raise OwnDataError("the file is empty; its first line must name the columns")
    if len(content) > limits.OWN_BYTES.high:
        raise OwnDataError(
            f"the file has {len(content) / 1e6:.1f} MB, more than {limits.OWN_BYTES.high / 1e6:.0f}; bring fewer "
            "records or columns"
        )


def _check_values(n_rows: int, n_columns: int) -> None:
    if n_rows * n_columns > limits.OWN_VALUES.high:
        raise OwnDataError(
            f"{n_rows:,} records of {n_columns:,} values are more than {limits.OWN_VALUES.high:,} values; bring fewer "
            "records, or smaller ones"
        )

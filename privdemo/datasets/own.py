"""Shared code for a visitor's own tables and images: names, classes, sizes, and the error for a file that is
refused.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.datasets.dataset import Dataset

Found = TypeVar("Found")
# Numbers and grey levels are coded in so many steps, 0 … STEPS − 1.
STEPS = 256
# Characters with a meaning in Markdown or HTML, and their replacements in names.
_PLAIN = str.maketrans(dict(zip('<>&$`*[]{}|\\~:#"', "‹›＆＄'∗()()//∼∶＃”", strict=True)))
# Letters that are kept of a name, and of a column's title or an error.
NAME_LENGTH, TITLE_LENGTH = 40, 200
# What to do about a field that is empty, and about values that look alike.
FILL_IN, PLAINER = "fill it in, or leave the row out", "give them shorter, plainer names"


class OwnDataError(ValueError):
    """A file cannot be used; the message says where, why, and what to do."""


def refuse_errors(read: Callable[..., Found]) -> Callable[..., Found]:
    """Return a decorator: any exception while reading becomes an `OwnDataError`, as the file may hold anything."""

    @wraps(read)
    def checked(*args: object, **options: object) -> Found:
        try:
            return read(*args, **options)
        except OwnDataError:
            raise
        except Exception as error:
            raise OwnDataError(f"the file cannot be read ({describe_error(error)}); save it anew") from None

    return checked


def describe_error(error: Exception) -> str:
    """Return the message of another library's error, without the addresses of its objects."""
    return without_markup(re.sub(r" object at 0x[0-9a-f]+", "", str(error)), TITLE_LENGTH)


def without_markup(name: str, length: int = NAME_LENGTH) -> str:
    """Return a name of at most `length` letters, none of which means anything to Markdown or HTML."""
    words = " ".join("".join(c if c.isprintable() else " " for c in name.translate(_PLAIN)).split())
    words = re.sub(r"(?<![^\W_])_|_(?![^\W_])", "＿", words)
    return words if len(words) <= length else words[: length - 1] + "…"


def own_dataset(
    name: str,
    X: NDArray[np.uint8],
    y: NDArray[np.int64],
    feature_names: tuple[str, ...],
    class_names: tuple[str, ...],
    n_states: int,
    shape: tuple[int, int] | None,
    notes: tuple[str, ...] = (),
) -> Dataset:
    """Return the `Dataset` of a visitor's file, with every feature in `n_states` states."""
    return Dataset(
        name=without_markup(name),
        title=without_markup(name),
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


def find_classes(fields: list[str], what: str, lines: Sequence[int]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the class of each record, and the classes' names: numbers in their order, then texts in theirs."""
    if "" in fields:
        raise OwnDataError(f"line {lines[fields.index('')]} of {what} says nothing; {FILL_IN}")
    counts = Counter(fields)
    if not limits.OWN_CLASSES.contains(len(counts)):
        raise OwnDataError(
            f"{what} must have {limits.OWN_CLASSES.low} to {limits.OWN_CLASSES.high} different values, got "
            f"{len(counts):,}; choose another column, or group its values"
        )
    least = min(counts, key=lambda name: counts[name])
    if counts[least] < limits.OWN_PER_CLASS.low:
        raise OwnDataError(
            f"class “{without_markup(least)}” of {what} has {count_things(counts[least], 'record')}; every class needs "
            f"{limits.OWN_PER_CLASS.low} to be learnt and tested; leave it out, or group it with another"
        )
    order = sorted(counts, key=as_sorted)
    if (alike := look_alike(order)) is not None:
        raise OwnDataError(f"{what} has classes that look alike, “{alike}”; {PLAINER}")
    place = {name: index for index, name in enumerate(order)}
    return np.array([place[field] for field in fields], dtype=np.int64), tuple(map(without_markup, order))


def look_alike(names: Iterable[str]) -> str | None:
    """Return the name that several of `names` share without markup, or an empty one; None where all are distinct."""
    counts = Counter(map(without_markup, names))
    return next((name for name, count in counts.items() if count > 1 or not name), None)


def as_sorted(name: str) -> tuple[float, str]:
    """By which values are put in order: numbers in theirs, then texts in theirs."""
    number = as_number(name)
    return (number if number is not None and math.isfinite(number) else math.inf), name


def as_number(field: str) -> float | None:
    """Return a field as a number; None for a text."""
    try:
        return float(field) if "_" not in field else None
    except ValueError:
        return None


def check_limit(limit: limits.Limit, value: int) -> None:
    """Raise `OwnDataError` for a value outside `limit`."""
    try:
        limit.check(value)
    except ValueError as error:
        raise OwnDataError(str(error)) from None


def check_bytes(content: bytes, what: str) -> None:
    """Raise `OwnDataError` for an empty file (`what` says what it should hold) or one of too many bytes."""
    if not content:
        raise OwnDataError(f"the file is empty; {what}")
    if len(content) > limits.OWN_BYTES.high:
        raise OwnDataError(
            f"the file has {len(content):,} bytes, more than {limits.OWN_BYTES.high:,}; bring fewer records or columns"
        )


def check_values(n_rows: int, n_columns: int) -> None:
    """Raise `OwnDataError` for a table of too many values."""
    if n_rows * n_columns > limits.OWN_VALUES.high:
        raise OwnDataError(
            f"{n_rows:,} records of {n_columns:,} values are more than {limits.OWN_VALUES.high:,} values; bring fewer "
            "records, or smaller ones"
        )


def count_things(n: int, thing: str) -> str:
    """Return the number `n` with its noun, in the plural but for 1."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"

"""A visitor's own column of answers: how many people gave which, counted row by row; no row is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.datasets.own import (
    FILL_IN,
    PLAINER,
    OwnDataError,
    as_sorted,
    check_limit,
    look_alike,
    refuse_errors,
    without_markup,
)
from privdemo.datasets.own_csv import first_rows, position, read_blocks

# The most columns for which the error says why they cannot be used.
_SAID = 3


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """How many people gave each of 2 to 1,024 answers.

    Attributes
    ----------
    name, title : the file's name, and that of the column.
    names : the k different answers, the most frequent first where a file was counted.
    counts : (k,) int64, how many people gave each; read-only.
    """

    name: str
    title: str
    names: tuple[str, ...]
    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        counts = np.array(self.counts, dtype=np.int64)
        limits.ORACLE_ANSWERS.check(len(self.names))
        if counts.shape != (len(self.names),):
            raise ValueError(f"there must be a count for each of {len(self.names)} answers, got {counts.shape}")
        if (counts < 0).any() or not counts.any():
            raise ValueError("counts must not be negative, and somebody must have answered")
        counts.setflags(write=False)
        object.__setattr__(self, "counts", counts)

    def __repr__(self) -> str:
        return f"<Answers {self.name!r}: {len(self.names)} of {self.people} people>"

    @property
    def people(self) -> int:
        """How many people have answered."""
        return int(self.counts.sum())


@refuse_errors
def count_answers(content: bytes, column: str | None = None, name: str = "own.csv") -> Answers:
    """Return the counts of the values in a `column` of a CSV file (None: the last that can be used), one row a person.

    The first row names the columns, of which one will do; fields are separated by commas, semicolons or tabs. Values
    are texts: 5 and 5.0 differ. Equally frequent ones keep their order. Raises `OwnDataError` with a sentence that
    names the line or column.
    """
    columns = _counted(content)
    if column is not None:
        chosen = columns[position([one.title for one in columns], column)]
    elif (last := next((one for one in reversed(columns) if not one.fault), None)) or len(columns) == 1:
        chosen = last or columns[0]
    else:
        raise OwnDataError(f"none of its {len(columns)} columns can be used: {_faults(columns)}")
    if chosen.fault:
        raise OwnDataError("; ".join(chosen.fault))
    order = sorted(chosen.counts, key=lambda value: (-chosen.counts[value], *as_sorted(value)))
    counts = np.array([chosen.counts[value] for value in order])
    return Answers(without_markup(name), chosen.title, tuple(map(without_markup, order)), counts)


@dataclass
class _Column:
    """The values of one column and how often each was seen, until there are too many; the `gap` is an empty line."""

    title: str
    counts: Counter[str] = field(default_factory=Counter)
    gap: int = 0

    @property
    def is_open(self) -> bool:
        """Whether it may still be used."""
        return not self.gap and len(self.counts) <= limits.ORACLE_ANSWERS.high

    @property
    def fault(self) -> tuple[str, str] | None:
        """Why it cannot be used, and what to do."""
        what, n, limit = f"the column “{self.title}”", len(self.counts), limits.ORACLE_ANSWERS
        if self.gap:
            return f"line {self.gap} of {what} says nothing", FILL_IN
        if n < limit.low:
            return f"{what} has one answer only", f"choose one with {limit.low} or more"
        if n > limit.high:
            return f"{what} has more than {limit.high:,} different answers", "choose another one, or group its values"
        if (alike := look_alike(self.counts)) is not None:
            return f"{what} has answers that look alike, “{alike}”", PLAINER
        return None

    def add(self, values: Sequence[str], lines: Sequence[int]) -> None:
        """Count some rows more."""
        self.counts.update(values)
        if "" in self.counts:
            self.gap = lines[values.index("")]


def _counted(content: bytes) -> list[_Column]:
    """Return every column of a file, counted in one pass."""
    header, *_ = first_rows(content, 0)
    columns, n = [_Column(title) for title in header], 0
    for lines, fields in islice(read_blocks(content), 1, None):
        n += len(lines)
        for column, values in zip(columns, fields, strict=True):
            if column.is_open:
                column.add(values, lines)
    check_limit(limits.OWN_PEOPLE, n)
    return columns


def _faults(columns: Sequence[_Column]) -> str:
    """Return why the last few columns cannot be used."""
    said = [one.fault[0] for one in reversed(columns[-_SAID:]) if one.fault]
    return "; ".join(said) + ("; …" if len(columns) > _SAID else "")

"""Rows of many people in chunks, so that memory does not grow with their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]

# People who are processed together: 13 MB of images in single precision.
CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Chunks:
    """Rows of `shape` (n, D) that are not stored: `make` computes them again, chunk after chunk, whenever they are
    read.

    Estimators that read all rows take these in place of an array.
    """

    shape: tuple[int, int]
    make: Callable[[], Iterator[NDArray]]

    def __len__(self) -> int:
        return self.shape[0]

    @cached_property
    def moments(self) -> tuple[Array, Array]:
        """Mean and variance of every column, (D,) each."""
        total, square, shift = np.zeros(self.shape[1]), np.zeros(self.shape[1]), np.zeros(self.shape[1])
        for n, chunk in enumerate(self.make()):
            shift = shift if n else chunk.mean(axis=0, dtype=float)
            deviations = chunk - shift.astype(np.float32)
            total += deviations.sum(axis=0, dtype=float)
            square += np.square(deviations, out=deviations).sum(axis=0, dtype=float)
        mean = total / len(self)
        return shift.astype(np.float32) + mean, square / len(self) - mean**2


Rows = NDArray | Chunks


def in_chunks(rows: Rows) -> Iterator[NDArray]:
    """The rows, chunk after chunk."""
    if isinstance(rows, Chunks):
        return rows.make()
    return (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))


def mean_and_variance(rows: Rows) -> tuple[Array, Array]:
    """Return mean and variance of every column, (D,) each, in double precision."""
    if isinstance(rows, Chunks):
        return rows.moments
    return rows.mean(axis=0, dtype=float), rows.var(axis=0, dtype=float)


def deviation(rows: Rows) -> Array:
    """Return the standard deviation of every column, (D,)."""
    return np.sqrt(rows.moments[1]) if isinstance(rows, Chunks) else rows.std(axis=0)

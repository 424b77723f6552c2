"""The frozen `Dataset` that every loader returns, and the ways to take part of one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from privdemo.limits import Limit


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Labelled records with read-only arrays.

    Attributes
    ----------
    name, title : the name that `load` takes, and the name to show.
    X : (n, d) uint8 array of states, (n, d) float64 array, or (n, d) binary uint8 ``csr_array``.
    y : (n,) int64, the class of each row, 0 … c − 1.
    feature_names, class_names : d and c names.
    n_states : (d,) int64, how many states each discrete feature has; None where features are continuous.
    image_shape : (rows, columns) of the picture that a row of `X` holds; None where it holds none.
    n_train : rows before it are the publisher's training part, the others the publisher's test part;
        None where there is no such split.
    source, licence : citation with URL, and the terms of use.
    notes : sentences on what was lost when a visitor's file was read.
    """

    name: str
    title: str
    X: NDArray[Any] | csr_array
    y: NDArray[np.int64]
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    n_states: NDArray[np.int64] | None
    image_shape: tuple[int, int] | None
    n_train: int | None
    source: str
    licence: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Dataset {self.name!r}: {self.X.shape[0]} records, {self.n_classes} classes>"

    def __post_init__(self) -> None:
        if self.X.shape[0] != self.y.shape[0]:
            raise ValueError(f"X and y must have as many rows, got {self.X.shape[0]} and {self.y.shape[0]}")
        for field in ("X", "y", "n_states"):
            object.__setattr__(self, field, _read_only(getattr(self, field)))

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.class_names)

    @property
    def n_levels(self) -> int:
        """How many states the feature with the most has. Raises ``ValueError`` where features are continuous."""
        if self.n_states is None:
            raise ValueError(f"the features of {self.name} are continuous")
        return int(self.n_states.max())

    @property
    def class_counts(self) -> tuple[int, ...]:
        """How many records each class has."""
        return tuple(np.bincount(self.y, minlength=self.n_classes).tolist())

    @property
    def train(self) -> Dataset:
        """The publisher's training part, a view. Raises ``ValueError`` where there is no such split."""
        return self._rows(slice(None, self._boundary()))

    @property
    def test(self) -> Dataset:
        """The publisher's test part, a view. Raises ``ValueError`` where there is no such split."""
        return self._rows(slice(self._boundary(), None))

    def select_classes(self, classes: Iterable[str | int]) -> Dataset:
        """Return only the rows of `classes` (names or indices), in the order they have here.

        The first of `classes` becomes class 0, the second class 1, and so on; the publisher's split is kept.
        Raises ``ValueError`` for no class, an unknown class or one named twice.
        """
        chosen = [self._class_index(label) for label in classes]
        if not chosen:
            raise ValueError(f"select at least one class of {self.name}: {', '.join(self.class_names)}")
        for index in chosen:
            if chosen.count(index) > 1:
                raise ValueError(f"class {self.class_names[index]!r} is selected {chosen.count(index)} times")
        relabel = np.full(self.n_classes, -1)
        relabel[chosen] = np.arange(len(chosen))
        y = relabel[self.y]
        keep = y >= 0
        return replace(
            self,
            X=self.X[keep],
            y=y[keep],
            class_names=tuple(self.class_names[index] for index in chosen),
            n_train=None if self.n_train is None else int(np.count_nonzero(keep[: self.n_train])),
        )

    def one_against_rest(self, label: str | int) -> Dataset:
        """Return two classes: all others as class 0, and the class `label` (a name or an index) as class 1.

        Raises ``ValueError`` for an unknown class.
        """
        index = self._class_index(label)
        other = self.class_names[1 - index] if self.n_classes == 2 else f"not {self.class_names[index]}"
        return replace(self, y=(self.y == index).astype(np.int64), class_names=(other, self.class_names[index]))

    def sample(self, n_per_class: int, rng: np.random.Generator) -> Dataset:
        """Return exactly `n_per_class` rows of every class, without replacement: all of class 0, then class 1, …

        They come from all rows, so the result has no publisher's split; sample from `train` or `test` to keep
        to one part. Raises ``ValueError`` where a class has too few rows.
        """
        return self._rows(self._sample_rows("n_per_class", n_per_class, rng).ravel())

    def rows_left(self, n_per_class: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the numbers of the rows that `sample` leaves with the same arguments, in random order."""
        sampled = self._sample_rows("n_per_class", n_per_class, rng)
        return rng.permutation(np.setdiff1d(np.arange(len(self.y)), sampled))

    def split(self, n_train_per_class: int, n_test_per_class: int, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
        """Sample a training and a test set that share no row, each in class order.

        They come from the publisher's two parts where there are such, otherwise from disjoint rows.
        Raises ``ValueError`` where a class has too few rows.
        """
        if self.n_train is not None:
            train, test = self.train, self.test
            train_rows = train._sample_rows("n_train_per_class", n_train_per_class, rng)
            test_rows = test._sample_rows("n_test_per_class", n_test_per_class, rng)
            return train._rows(train_rows.ravel()), test._rows(test_rows.ravel())
        _check_count("n_train_per_class", n_train_per_class)
        _check_count("n_test_per_class", n_test_per_class)
        total = n_train_per_class + n_test_per_class
        rows = self._sample_rows("n_train_per_class + n_test_per_class", total, rng)
        return (
            self._rows(rows[:, :n_train_per_class].ravel()),
            self._rows(rows[:, n_train_per_class:].ravel()),
        )

    def unit(self, rows: Any = None, dtype: Any = np.float64) -> NDArray[np.floating] | csr_array:
        """Return the `rows` of X (None: all) on the scale 0 to 1, sparse where X is binary and sparse.

        States are divided by their number less one; continuous columns by their range over all rows, which
        counts as public.
        """
        chosen = self.X if rows is None else self.X[rows]
        if self.n_states is None:
            low, high = self.X.min(axis=0), self.X.max(axis=0)
            return ((chosen - low) / (high - low)).astype(dtype, copy=False)
        if (self.n_states == 2).all():
            return csr_array(chosen, dtype=dtype)
        return np.divide(chosen, self.n_states - 1, dtype=dtype)

    def _rows(self, rows: slice | NDArray[np.int64]) -> Dataset:
        return replace(self, X=self.X[rows], y=self.y[rows], n_train=None)

    def _boundary(self) -> int:
        if self.n_train is None:
            raise ValueError(f"{self.name} has no publisher's split here; make one with split(…)")
        return self.n_train

    def _class_index(self, label: str | int) -> int:
        if isinstance(label, str) and label in self.class_names:
            return self.class_names.index(label)
        is_index = isinstance(label, Integral) and not isinstance(label, bool)
        if is_index and 0 <= int(label) < self.n_classes:
            return int(label)
        raise ValueError(
            f"unknown class {label!r} of {self.name}: name one of {', '.join(self.class_names)}, "
            f"or an index 0 to {self.n_classes - 1}"
        )

    def _sample_rows(self, what: str, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return (n_classes, n) row numbers, sampled without replacement; `what` names `n` in errors."""
        _check_count(what, n)
        rows = []
        for index, label in enumerate(self.class_names):
            members = np.flatnonzero(self.y == index)
            if n > members.size:
                raise ValueError(f"{what} = {n}, but class {label!r} of {self.name} has {members.size} rows here")
            rows.append(rng.choice(members, n, replace=False))
        return np.stack(rows)


def _check_count(name: str, value: int) -> None:
    # Not one of the listed limits: its upper end is what the classes hold.
    Limit(name, 1, math.inf, integer=True).check(value)


def _read_only(array: Any) -> Any:
    """Return a view that cannot be written to; the caller's own array keeps its flags."""
    if array is None:
        return None
    if isinstance(array, csr_array):
        parts = tuple(_read_only(part) for part in (array.data, array.indices, array.indptr))
        return csr_array(parts, shape=array.shape, copy=False)
    view = array.view()
    view.flags.writeable = False
    return view

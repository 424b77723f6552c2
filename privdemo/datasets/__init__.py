"""Loaders, which return the frozen `Dataset` of a name.

The files of MNIST, Adult and SMS come from the folder that the environment variable PRIVDEMO_DATA names, or
else from the user's cache folder, into which they are downloaded once. No other module of the package touches
files or the network.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any

from privdemo.datasets import builders, files
from privdemo.datasets.dataset import Dataset
from privdemo.datasets.files import DatasetError
from privdemo.datasets.own import OwnDataError, without_markup
from privdemo.datasets.own_answers import Answers, count_answers
from privdemo.datasets.own_csv import first_rows
from privdemo.datasets.own_images import from_npz
from privdemo.datasets.own_tables import from_csv

__all__ = [
    "DATASETS",
    "Answers",
    "Dataset",
    "DatasetError",
    "OwnData",
    "OwnDataError",
    "Source",
    "available",
    "count_answers",
    "first_rows",
    "from_csv",
    "from_npz",
    "kept_by_name",
    "load",
    "location",
    "name_of",
    "without_markup",
]

# The name of a data set, or a visitor's own records.
Source = str | Dataset
# A visitor's own data: records, or a column of answers.
OwnData = Dataset | Answers

_BUILDERS: dict[str, Callable[..., Dataset]] = {
    "mnist": builders.build_mnist,
    "digits": builders.build_digits,
    "adult": builders.build_adult,
    "breast_cancer": builders.build_breast_cancer,
    "sms": builders.build_sms,
}
DATASETS = tuple(_BUILDERS)

_loaded: dict[tuple[str, Path | None], Dataset] = {}
# One lock per data set: who waits for a download of MNIST must not keep others from loading the digits.
_locks = {name: threading.Lock() for name in DATASETS}


def load(source: Source, *, progress: bool = False) -> Dataset:
    """Return the data set of a name, one of `DATASETS`; the process keeps one copy, shared by all callers.

    A `Dataset` is returned as it is and not cached. `progress` shows a bar on standard error if files must
    be downloaded. Raises ``ValueError`` for an unknown name and `DatasetError` where the files are missing or wrong
    and cannot be downloaded.
    """
    if isinstance(source, Dataset):
        return source
    name = source
    key = (name, location(name))
    with _locks[name]:
        if key not in _loaded:
            _loaded[key] = _BUILDERS[name](*files.contents(name, progress=progress))
        return _loaded[key]


def kept_by_name(maxsize: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a `functools.lru_cache` for functions of a data set's name; results of a visitor's own records are not
    kept.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        kept = lru_cache(maxsize)(function)

        @wraps(function)
        def call(source: Source, *args: Any) -> Any:
            return (kept if isinstance(source, str) else function)(source, *args)

        return call

    return decorate


def name_of(source: Source) -> str:
    """Return the name of a data set."""
    return source if isinstance(source, str) else source.name


def available(name: str) -> bool:
    """Return whether `load` would need no download: its files exist, or it is part of scikit-learn.

    Neither reads the files nor uses the network. Raises ``ValueError`` for an unknown name.
    """
    _check(name)
    return files.are_present(name)


def location(name: str) -> Path | None:
    """Return the folder that holds the data set's files, or will; None for those that are part of scikit-learn."""
    _check(name)
    return files.data_folder() / name if name in files.FILES else None


def _check(name: str) -> None:
    if name not in DATASETS:
        raise ValueError(f"unknown data set {name!r}: choose one of {', '.join(DATASETS)}")

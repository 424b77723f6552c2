"""A visitor's own records: what is held, and what followed from it, in that visitor's session alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.kit.settings import Number
from pages.kit.snippet import OWN, Snippet, as_code
from privdemo.datasets import Dataset, Source

# What a visitor's own records are called among the data sets, and in a link.
TITLE = "your own"
_HELD, _RESULTS = "own_data", "own_results"
# Values in records that are learnt from in about a second.
_AT_ONCE = 1_000_000
# Results of a visitor's own records that are kept for the next look.
_KEPT = 24


@dataclass(frozen=True, eq=False)
class Own:
    """A file as it came, what was read from it, and the same with `positive` against all other classes.

    `top` is a table's header and first rows.
    """

    content: bytes
    file: str
    label: str | None
    records: Dataset
    positive: str
    binary: Dataset
    top: list[list[str]]

    @property
    def is_table(self) -> bool:
        """Whether it is a CSV file."""
        return self.records.image_shape is None


@dataclass(frozen=True)
class File:
    """How code reads a visitor's records: its `name`, the `reader` in `privdemo.datasets` and the `label` column.

    `positive` is the class asked about against all others; None where all classes are told apart.
    """

    name: str
    reader: str
    label: str | None = None
    positive: str | None = None


def held() -> Own | None:
    """What this visitor has brought."""
    found: Own | None = st.session_state.get(_HELD)
    return found


def hold(own: Own) -> None:
    """Hold these records; what followed from those before is forgotten."""
    st.session_state[_HELD], st.session_state[_RESULTS] = own, {}


def let_go() -> None:
    """Hold no records, nor anything that followed from them."""
    for key in (_HELD, _RESULTS):
        st.session_state.pop(key, None)


def source(title: str, named: Callable[[str], str], binary: bool = False) -> Source:
    """The data set of a title; of a visitor's own with `binary` one class against all others."""
    own = held()
    if title == TITLE and own:
        return own.binary if binary else own.records
    return named(title)


def file_of(source: Source) -> File | None:
    """The file that a page's records came from; None of those that the package has."""
    own = held()
    if own is None or not is_own(source):
        return None
    positive = own.positive if source is own.binary else None
    return File(own.file, "from_csv" if own.is_table else "from_npz", own.label, positive)


def tag(source: Source) -> str:
    """A data set in a few words, for what must not hold its records."""
    return source if isinstance(source, str) else f"{source.name}, {len(source.y)} records"


def reset_sizes(remembered: str, source: Source, numbers: Sequence[Number]) -> None:
    """Other records, other sizes: `numbers` go back to their defaults, which suit those at hand.

    At first, a link's numbers stay; of a visitor's own records no link says anything.
    """
    before, now = st.session_state.get(remembered), tag(source)
    if before != now and (before is not None or is_own(source)):
        for number in numbers:
            st.session_state[number.key] = number.default
    st.session_state[remembered] = now


def is_quick(source: Source, n_records: int) -> bool:
    """Whether so many records have few enough values to be learnt from while a visitor waits; names are known to."""
    return isinstance(source, str) or n_records * len(source.feature_names) <= _AT_ONCE


def is_own(source: Any) -> bool:
    """Whether `source`, or the records of a config, are a visitor's own."""
    return isinstance(getattr(source, "dataset", source), Dataset)


def of_session(name: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """`function(*args)`, computed once in this visitor's session."""
    key = (name, *args)
    if (found := recall(key)) is None:
        found = function(*args)
        keep(key, found)
    return found


def keep(key: Any, result: Any) -> None:
    """Keep a result in this visitor's session; those not asked for longest make room."""
    kept: dict[Any, Any] = st.session_state.setdefault(_RESULTS, {})
    kept.pop(key, None)
    kept[key] = result
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


def recall(key: Any) -> Any:
    """What was kept under `key`, or None; it is then the last to make room."""
    kept = st.session_state.get(_RESULTS, {})
    if key in kept:
        kept[key] = kept.pop(key)
    return kept.get(key)


def snippet(config: Any, file: File | None, *imports: str) -> Snippet:
    """The lines that make `config`; those that read the visitor's `file` come first if its records are of one."""
    code, first = as_code(config), Snippet(imports)
    if file is not None and is_own(config):
        label = f", {file.label!r}" if file.label else ""
        asked = f".one_against_rest({file.positive!r})" if file.positive is not None else ""
        first = first.then(
            f"{OWN} = datasets.{file.reader}(Path({file.name!r}).read_bytes(){label}){asked}",
            imports=("from pathlib import Path", "from privdemo import datasets"),
        )
    return first.then(f"config = {code}", imports=("import math",) if "math.inf" in code else ())

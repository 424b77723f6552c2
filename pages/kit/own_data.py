"""A visitor's own file: what is held, and what followed from it, in that visitor's session alone.

There is one file at a time, which every page reads in its own way (as labelled records, or as a column of answers): so
it need not be brought twice, and what is forgotten on one page is nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from pages.kit.settings import Number
from pages.kit.snippet import OWN, Snippet, as_code
from privdemo import datasets
from privdemo.datasets import Answers, Brought, Dataset, OwnDataError, Source

# What a visitor's own records are called among the data sets, and in a link.
TITLE = "your own"
_HELD, _RESULTS = "own_data", "own_results"
# Values in records that are learnt from in about a second.
_AT_ONCE = 1_000_000
# Results of a visitor's own records that are kept for the next look.
_KEPT = 24
# Rows of a table that are shown.
_TOP = 5


@dataclass(frozen=True, eq=False)
class Own:
    """A file as it came, the records read from it, and the same with `positive` against all other classes.

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

    @classmethod
    def read(cls, content: bytes, file: str, label: str | None = None, positive: str | None = None) -> Own:
        """Read a table with the class in the column `label` (None: the last), or images. Raises `OwnDataError`."""
        table = _is_table(file)
        records = datasets.from_csv(content, label, file) if table else datasets.from_npz(content, file)
        asked = positive if positive in records.class_names else records.class_names[-1]
        top = datasets.first_rows(content, _TOP) if table else []
        return cls(content, file, label if table else None, records, asked, records.one_against_rest(asked), top)


@dataclass(frozen=True, eq=False)
class OwnAnswers:
    """A file as it came, the names of its `columns`, and the answers in one of them."""

    content: bytes
    file: str
    columns: list[str]
    answers: Answers

    @classmethod
    def read(cls, content: bytes, file: str, column: str | None = None) -> OwnAnswers:
        """Count the answers in a `column` (None: the last that can be used). Raises `OwnDataError`."""
        if not _is_table(file):
            raise OwnDataError("only a CSV file, one row a person, can be counted here")
        answers = datasets.count_answers(content, column, file)
        return cls(content, file, datasets.first_rows(content, 0)[0], answers)


# How a page reads the file.
Reading = Own | OwnAnswers
Kind = TypeVar("Kind", Own, OwnAnswers)


def _is_table(file: str) -> bool:
    return file.lower().endswith(".csv")


@dataclass(frozen=True)
class File:
    """How code reads a visitor's file: its `name`, the `reader` in `privdemo.datasets`, and the column `label`.

    That column holds classes, or answers. `positive` is the class asked about against all others; None where all are
    told apart.
    """

    name: str
    reader: str
    label: str | None = None
    positive: str | None = None


def current_reading(kind: type[Kind]) -> Kind | None:
    """What this visitor has brought, as read by pages of this kind; None where nothing can be read so."""
    found = _readings(kind).get(kind)
    return found if isinstance(found, kind) else None


def refusal(kind: type[Reading]) -> str:
    """Why the file that is held cannot be read by pages of this kind; nothing where it can, or there is none."""
    found = _readings(kind).get(kind)
    return f"{datasets.plain(found[0])} cannot be used here: {found[1]}." if isinstance(found, tuple) else ""


def _readings(kind: type[Reading]) -> dict[type[Reading], Any]:
    """How the file was read by each kind of page, or its name and why it cannot be; by this kind now at the latest."""
    readings: dict[type[Reading], Any] = st.session_state.get(_HELD, {})
    if readings and kind not in readings:
        first = next(iter(readings.values()))  # the page to which it was brought has read it
        try:
            readings[kind] = kind.read(first.content, first.file)
        except OwnDataError as error:
            readings[kind] = first.file, str(error)
    return readings


def store_reading(own: Reading) -> None:
    """Hold a file as read here; what followed from another reading is forgotten, and another file altogether."""
    before = st.session_state.get(_HELD, {})
    same = any(own.content is getattr(one, "content", None) for one in before.values())
    st.session_state[_HELD], st.session_state[_RESULTS] = {**(before if same else {}), type(own): own}, {}


def version() -> int:
    """A number that is another one once a file is brought, read anew, or forgotten."""
    return id(st.session_state.get(_HELD))


def forget_file() -> None:
    """Hold no file, nor anything that followed from them."""
    for key in (_HELD, _RESULTS):
        st.session_state.pop(key, None)


def source(title: str, named: Callable[[str], str], binary: bool = False) -> Source:
    """The data set of a title; of a visitor's own with `binary` one class against all others."""
    if title == TITLE and (own := current_reading(Own)):
        return own.binary if binary else own.records
    return named(title)


def answers(title: str, named: Callable[[str], str]) -> Source | Answers:
    """Whose answers a title means: a name, or the column that a visitor has brought."""
    if title == TITLE and (own := current_reading(OwnAnswers)):
        return own.answers
    return named(title)


def file_of(source: Source | Answers) -> File | None:
    """The file that a page's records, or answers, came from; None of those that the package has."""
    if isinstance(source, Answers):
        brought = current_reading(OwnAnswers)
        return File(brought.file, "count_answers", source.title) if brought else None
    own = current_reading(Own)
    if own is None or not is_own(source):
        return None
    positive = own.positive if source is own.binary else None
    return File(own.file, "from_csv" if own.is_table else "from_npz", own.label, positive)


def short_name(source: Source | Answers) -> str:
    """A data set in a few words, for what must not hold its records."""
    if isinstance(source, Answers):
        return f"{source.name}, {source.people} answers"
    return source if isinstance(source, str) else f"{source.name}, {len(source.y)} records"


def reset_sizes(remembered: str, source: Source | Answers, numbers: Sequence[Number]) -> None:
    """Other records, other sizes: `numbers` go back to their defaults, which suit those at hand.

    At first, a link's numbers stay; of a visitor's own records no link says anything.
    """
    before, now = st.session_state.get(remembered), short_name(source)
    if before != now and (before is not None or is_own(source)):
        for number in numbers:
            st.session_state[number.key] = number.default
    st.session_state[remembered] = now


def is_quick(source: Source, n_records: int) -> bool:
    """Whether so many records have few enough values to be learnt from while a visitor waits; names are known to."""
    return isinstance(source, str) or n_records * len(source.feature_names) <= _AT_ONCE


def is_own(source: Any) -> bool:
    """Whether `source`, or that of a config, is a visitor's own."""
    return isinstance(getattr(source, "dataset", source), Brought)


def compute_in_session(name: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """`function(*args)`, computed once in this visitor's session."""
    key = (name, *args)
    if (found := find_result(key)) is None:
        found = function(*args)
        store_result(key, found)
    return found


def store_result(key: Any, result: Any) -> None:
    """Keep a result in this visitor's session; those not asked for longest make room."""
    kept: dict[Any, Any] = st.session_state.setdefault(_RESULTS, {})
    kept.pop(key, None)
    kept[key] = result
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


def find_result(key: Any) -> Any:
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

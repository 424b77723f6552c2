"""Keep a visitor's own file, and results from it, in that visitor's session only.

There is one file at a time, which pages read in one of two ways: as labelled records, or as a column of answers. So it
is uploaded once for all pages, and once removed it is gone for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from pages.kit import values
from pages.kit.settings import Choice, Setting
from pages.kit.snippet import OWN, Snippet, as_code
from privdemo import datasets
from privdemo.datasets import Answers, Dataset, OwnData, OwnDataError, Source

# The title of a visitor's own records among the data sets, and its name in a link.
TITLE = "your own"
_HELD, _RESULTS = "own_data", "own_results"
# The most values in records from which methods learn in about a second.
_AT_ONCE = 1_000_000
# The most results from own records that are kept in a session.
_KEPT = 24
# Rows of a table that are shown.
_TOP = 5


@dataclass(frozen=True, eq=False)
class Own:
    """An uploaded file with its labelled records, and the same with `positive` against all other classes.

    `top` holds a table's header and first rows.
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
        """Return whether it is a CSV file."""
        return self.records.image_shape is None

    @classmethod
    def read(cls, content: bytes, file: str, label: str | None = None, positive: str | None = None) -> Own:
        """Read a table whose column `label` is the class (None: the last one), or images. Raise `OwnDataError`."""
        table = _is_table(file)
        records = datasets.from_csv(content, label, file) if table else datasets.from_npz(content, file)
        chosen = positive if positive in records.class_names else records.class_names[-1]
        top = datasets.first_rows(content, _TOP) if table else []
        return cls(content, file, label if table else None, records, chosen, records.one_against_rest(chosen), top)


@dataclass(frozen=True, eq=False)
class OwnAnswers:
    """An uploaded file with the names of its `columns`, and the answers in one of them."""

    content: bytes
    file: str
    columns: list[str]
    answers: Answers

    @classmethod
    def read(cls, content: bytes, file: str, column: str | None = None) -> OwnAnswers:
        """Count the answers in a `column` (None: the last that can be used). Raise `OwnDataError`."""
        if not _is_table(file):
            raise OwnDataError("only a CSV file, one row a person, can be counted here")
        answers = datasets.count_answers(content, column, file)
        return cls(content, file, datasets.first_rows(content, 0)[0], answers)


# The ways in which pages read the file.
Reading = Own | OwnAnswers
Kind = TypeVar("Kind", Own, OwnAnswers)


def _is_table(file: str) -> bool:
    return file.lower().endswith(".csv")


@dataclass(frozen=True)
class File:
    """How shown code reads a visitor's file: its `name`, the `reader` in `privdemo.datasets`, and the column `label`.

    That column holds classes or answers. `positive` is the class against all others; None if classes are kept apart.
    """

    name: str
    reader: str
    label: str | None = None
    positive: str | None = None


def current_reading(kind: type[Kind]) -> Kind | None:
    """Return the visitor's file as pages of this kind read it; None if there is none, or it cannot be read so."""
    reading = _readings(kind).get(kind)
    return reading if isinstance(reading, kind) else None


def refusal(kind: type[Reading]) -> str:
    """Return why pages of this kind cannot read the visitor's file; empty if they can, or there is none."""
    reading = _readings(kind).get(kind)
    if not isinstance(reading, tuple):
        return ""
    file, reason = reading
    return f"{datasets.without_markup(file)} cannot be used here: {reason}."


def _readings(kind: type[Reading]) -> dict[type[Reading], Any]:
    """Return the visitor's file as each kind of page reads it; for a kind that cannot, its name and the reason.

    If this kind of page has not read it before, it is read now.
    """
    readings: dict[type[Reading], Any] = st.session_state.get(_HELD, {})
    if readings and kind not in readings:
        first = next(iter(readings.values()))  # read by the page to which it was uploaded
        try:
            readings[kind] = kind.read(first.content, first.file)
        except OwnDataError as error:
            readings[kind] = first.file, str(error)
    return readings


def store_reading(own: Reading) -> None:
    """Store a file as read by a page; results from an earlier reading are removed.

    Other readings are removed too, unless they are of the same file.
    """
    before = st.session_state.get(_HELD, {})
    same = any(own.content is getattr(one, "content", None) for one in before.values())
    st.session_state[_HELD], st.session_state[_RESULTS] = {**(before if same else {}), type(own): own}, {}


def version() -> int:
    """Return a number that changes when a file is uploaded, read again or removed."""
    return id(st.session_state.get(_HELD))


def forget_file() -> None:
    """Remove the file and all results from it."""
    for key in (_HELD, _RESULTS):
        st.session_state.pop(key, None)


def choice(key: str, titles: Sequence[str], kind: type[Reading] = Own) -> Choice:
    """Return the choice among data sets; the visitor's own is the last, if pages of this kind can read it."""
    here = (*titles, TITLE) if current_reading(kind) else tuple(titles)
    absent = "A visitor’s own records are in no link: bring the file again."
    return Choice(key, here, titles[0], "Records", hints_by_value={TITLE: absent})


def source(title: str, named: Callable[[str], str], binary: bool = False) -> Source:
    """Return the data set with a title; with `binary`, own records have one class against all others."""
    if title == TITLE and (own := current_reading(Own)):
        return own.binary if binary else own.records
    return named(title)


def answers(title: str, named: Callable[[str], str]) -> Source | Answers:
    """Return where answers come from: the name of a data set, or the column of the visitor's file."""
    if title == TITLE and (own := current_reading(OwnAnswers)):
        return own.answers
    return named(title)


def file_of(source: Source | Answers) -> File | None:
    """Return the file that a page's records or answers came from; None for data sets of the package."""
    if isinstance(source, Answers):
        counted = current_reading(OwnAnswers)
        return File(counted.file, "count_answers", source.title) if counted else None
    own = current_reading(Own)
    if own is None or not is_own(source):
        return None
    positive = own.positive if source is own.binary else None
    return File(own.file, "from_csv" if own.is_table else "from_npz", own.label, positive)


def short_name(source: Source | Answers) -> str:
    """Return a name for a data set that does not hold its records."""
    if isinstance(source, Answers):
        return f"{source.name}, {source.people} answers"
    return source if isinstance(source, str) else f"{source.name}, {len(source.y)} records"


def reset_with_data(session_key: str, source: Source | Answers, settings: Sequence[Setting]) -> None:
    """Set `settings` to their defaults if the data set has changed, as their ranges or options depend on it.

    At first, the values of a link stay, unless the records are a visitor's own, which no link refers to.
    """
    before, now = st.session_state.get(session_key), short_name(source)
    if before != now and (before is not None or is_own(source)):
        values.put_all({setting: setting.default for setting in settings})
    st.session_state[session_key] = now


def is_quick(source: Source, n_records: int) -> bool:
    """Return whether a method can learn from so many records while a visitor waits; data sets with names can."""
    return isinstance(source, str) or n_records * len(source.feature_names) <= _AT_ONCE


def is_own(source: Any) -> bool:
    """Return whether `source`, or the data set of a config, is a visitor's own."""
    return isinstance(getattr(source, "dataset", source), OwnData)


def has_file(question: Any) -> bool:
    """Return whether a page's question names the visitor's file, as a page without the file cannot answer it."""
    return any(isinstance(value, File) for value in getattr(question, "__dict__", {}).values())


def compute_in_session(name: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Return `function(*args)`, computed once per session."""
    key = (name, *args)
    if (result := find_result(key)) is None:
        result = function(*args)
        store_result(key, result)
    return result


def store_result(key: Any, result: Any) -> None:
    """Store a result in this visitor's session; the results that were used longest ago are removed."""
    kept: dict[Any, Any] = st.session_state.setdefault(_RESULTS, {})
    kept.pop(key, None)
    kept[key] = result
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


def find_result(key: Any) -> Any:
    """Return the result stored under `key`, or None, and mark it as used."""
    kept = st.session_state.get(_RESULTS, {})
    if key in kept:
        kept[key] = kept.pop(key)
    return kept.get(key)


def snippet(config: Any, file: File | None, *imports: str) -> Snippet:
    """Return code that makes `config`; if its records are the visitor's own, code that reads the `file` comes first."""
    code, first = as_code(config), Snippet(imports)
    if file is not None and is_own(config):
        label = f", {file.label!r}" if file.label else ""
        against_rest = f".one_against_rest({file.positive!r})" if file.positive is not None else ""
        first = first.then(
            f"{OWN} = datasets.{file.reader}(Path({file.name!r}).read_bytes(){label}){against_rest}",
            imports=("from pathlib import Path", "from privdemo import datasets"),
        )
    return first.then(f"config = {code}", imports=("import math",) if "math.inf" in code else ())

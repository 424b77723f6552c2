"""A visitor's own file: taken, checked, shown, kept in that visitor's session alone, and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.kit.settings import Choice, Number
from pages.kit.snippet import OWN, Snippet, as_code
from privdemo import datasets, figures, limits
from privdemo.datasets import Dataset, OwnDataError, Source

# What a visitor's own records are called among the data sets, and in a link.
TITLE = "your own"
_HELD, _PROBLEM, _RESULTS = "own_data", "own_problem", "own_results"
_FILE, _LABEL, _POSITIVE, _BROUGHT = "own_file", "own_label", "own_positive", "own_files_brought"
# Values in records that are learnt from in about a second.
_AT_ONCE = 1_000_000
# Results of a visitor's own records that are kept for the next look.
_KEPT = 24
_PREVIEW_ROWS, _PREVIEW_COLUMNS, _PREVIEW_IMAGES = 5, 12, 10


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


def choice(key: str, titles: Sequence[str]) -> Choice:
    """The data sets of a page, the visitor's own last."""
    here = (*titles, TITLE) if held() else tuple(titles)
    if st.session_state.get(key, here[0]) not in here:  # forgotten since
        st.session_state[key] = here[0]
    absent = "A visitor’s own records are in no link: bring the file again."
    return Choice(key, here, titles[0], notes={TITLE: absent})


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


# --- the panel -----------------------------------------------------------------------------------


def panel(chosen: Choice, binary: bool = False) -> None:
    """Bring a file, look at what was read, and forget it again; `binary` pages ask about one class."""
    own = held()
    with st.popover(f"Your own data: {own.records.title}" if own else "Your own data…", width="stretch"):
        # A new widget for every file: what Streamlit holds of the last one goes with its own.
        key = f"{_FILE}_{st.session_state.get(_BROUGHT, 0)}"
        st.file_uploader(
            "A table (.csv) or grey images (.npz)",
            ["csv", "npz"],
            key=key,
            on_change=_take,
            args=(key, chosen.key),
            max_upload_size=round(limits.OWN_BYTES.high / 1e6),
            help=_HELP,
        )
        st.caption("It stays in the memory of this app, for this visit alone: not on disk, not in what others see.")
        if problem := st.session_state.get(_PROBLEM):
            st.error(problem)
        if own:
            _settings(own, binary)
            _preview(own)
            st.button("Forget my data", on_click=forget, key="own-forget")


def _settings(own: Own, binary: bool) -> None:
    """Which column is the label, and which class is asked about."""
    if own.is_table:
        st.session_state[_LABEL] = _label_of(own)
        st.selectbox("Column with the label", own.top[0], key=_LABEL, on_change=_again)
    if binary and own.records.n_classes > 2:
        st.session_state[_POSITIVE] = own.positive
        st.selectbox("Class asked about, against all others", own.records.class_names, key=_POSITIVE, on_change=_again)


def _label_of(own: Own) -> str:
    return own.label or own.top[0][-1]


def _preview(own: Own) -> None:
    """What was read: counts of classes, what each column is, and the first records."""
    data = own.records
    n = len(data.y)
    counts = zip(data.class_names, data.class_counts, strict=True)
    classes = f"Classes: {', '.join(f'“{name}” {count:,}' for name, count in counts)}."
    if data.image_shape is None:
        st.markdown(f"{n:,} rows, {len(data.feature_names)} columns to learn from. {classes}")
        _preview_table(own)
    else:
        height, width = data.image_shape
        st.markdown(f"{n:,} images of {height} × {width} pixels, {data.n_levels} grey levels. {classes}")
        sheet, titles = figures.sample_sheet(data, _PREVIEW_IMAGES)
        st.html(figures.picture_html(sheet, titles, [""], f"Images of {', '.join(titles)}."))
    for note in data.notes:
        st.warning(note)


def _preview_table(own: Own) -> None:
    """The first rows, the label first, and which columns were read as numbers."""
    header, *rows = own.top
    label, features = _label_of(own), own.records.feature_names
    others = [title for title in header if title != label]
    kinds = {
        "Numbers": [title for title in others if title in features],
        "Categories": [title for title in others if any(name.startswith(f"{title} = ") for name in features)],
    }
    read = {title for titles in kinds.values() for title in titles}
    kinds["Left out, as they never change"] = [title for title in others if title not in read]
    st.caption(". ".join(f"{kind}: {_some(titles)}" for kind, titles in kinds.items() if titles) + ".")
    shown = [label, *others][:_PREVIEW_COLUMNS]
    st.dataframe(
        [{title: row[header.index(title)] for title in shown} for row in rows],
        hide_index=True,
        key="own-preview",
    )


def _some(titles: Sequence[str]) -> str:
    """A few titles, and how many more there are."""
    more = len(titles) - _PREVIEW_COLUMNS
    return ", ".join(titles[:_PREVIEW_COLUMNS]) + (f" and {more} more" if more > 0 else "")


def _take(key: str, page_key: str) -> None:
    """Read what was brought; what was held before is lost only to a file that can be read."""
    uploaded = st.session_state[key]
    if uploaded is None:
        return
    st.session_state[_BROUGHT] = st.session_state.get(_BROUGHT, 0) + 1
    _read(uploaded.getvalue(), uploaded.name, None, None)
    if _PROBLEM not in st.session_state:
        st.session_state[page_key] = TITLE


def _again() -> None:
    """Read the same file with another label, or ask about another class."""
    own = held()
    if own:
        _read(own.content, own.file, st.session_state.get(_LABEL, own.label), st.session_state.get(_POSITIVE))


def _read(content: bytes, file: str, label: str | None, positive: str | None) -> None:
    table = file.lower().endswith(".csv")
    st.session_state.pop(_PROBLEM, None)
    try:
        records = datasets.from_csv(content, label, file) if table else datasets.from_npz(content, file)
    except OwnDataError as error:
        before = held()
        again = before is not None and before.content is content
        start = f"{datasets.plain(file)} cannot be {'read so' if again else 'used'}: {error}."
        used = f" {datasets.plain(before.file)} is still in use{' as before' if again else ''}." if before else ""
        st.session_state[_PROBLEM] = start + used
        return
    asked = positive if positive in records.class_names else records.class_names[-1]
    top = datasets.first_rows(content, _PREVIEW_ROWS) if table else []
    own = Own(content, file, label if table else None, records, asked, records.one_against_rest(asked), top)
    st.session_state[_HELD] = own
    st.session_state[_RESULTS] = {}


def forget() -> None:
    """Take everything of the visitor's own records out of the session."""
    for key in (_HELD, _PROBLEM, _RESULTS, _LABEL, _POSITIVE):
        st.session_state.pop(key, None)
    st.session_state[_BROUGHT] = st.session_state.get(_BROUGHT, 0) + 1


_HELP = (
    f"Up to {limits.OWN_BYTES.high / 1e6:.0f} MB. A CSV file names its columns in the first line. One column is the "
    f"class: {limits.OWN_CLASSES.low} to {limits.OWN_CLASSES.high} different ones, {limits.OWN_PER_CLASS.low} rows of "
    "each or more; the others are numbers or categories. An .npz file holds grey images X (n, rows, columns) and their "
    "classes y (n)."
)


# --- the code ------------------------------------------------------------------------------------


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

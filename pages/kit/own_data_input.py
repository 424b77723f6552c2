"""The panel of a visitor's own file: brought, checked, looked at and forgotten; and its place among the data sets."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.kit import inputs, visits
from pages.kit.own_data import TITLE, Own, held, hold, let_go
from pages.kit.settings import Choice
from privdemo import datasets, figures, limits
from privdemo.datasets import OwnDataError

_PROBLEM = "own_problem"
_FILE, _LABEL, _POSITIVE, _BROUGHT = "own_file", "own_label", "own_positive", "own_files_brought"
_PREVIEW_ROWS, _PREVIEW_COLUMNS, _PREVIEW_IMAGES = 5, 12, 10


def choice(key: str, titles: Sequence[str]) -> Choice:
    """The data sets of a page, the visitor's own last."""
    here = (*titles, TITLE) if held() else tuple(titles)
    if st.session_state.get(key, here[0]) not in here:  # forgotten since
        st.session_state[key] = here[0]
    absent = "A visitor’s own records are in no link: bring the file again."
    return Choice(key, here, titles[0], "Records", notes={TITLE: absent})


def panel(chosen: Choice, binary: bool = False) -> None:
    """Bring a file, look at what was read, and forget it again; `binary` pages ask about one class."""
    if inputs.unseen():
        return
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
        n_columns = len(data.feature_names)
        st.markdown(f"{n:,} rows, {n_columns} column{'' if n_columns == 1 else 's'} to learn from. {classes}")
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
    if (brought := visits.take(key)) is None:
        return
    st.session_state[_BROUGHT] = st.session_state.get(_BROUGHT, 0) + 1
    _read(*brought, None, None)
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
    hold(Own(content, file, label if table else None, records, asked, records.one_against_rest(asked), top))


def forget() -> None:
    """Take everything of the visitor's own records out of the session."""
    let_go()
    visits.drop_uploads()
    for key in (_PROBLEM, _LABEL, _POSITIVE):
        st.session_state.pop(key, None)
    st.session_state[_BROUGHT] = st.session_state.get(_BROUGHT, 0) + 1


_HELP = (
    f"Up to {limits.OWN_BYTES.high / 1e6:.0f} MB. A CSV file names its columns in the first line. One column is the "
    f"class: {limits.OWN_CLASSES.low} to {limits.OWN_CLASSES.high} different ones, {limits.OWN_PER_CLASS.low} rows of "
    "each or more; the others are numbers or categories. An .npz file holds grey images X (n, rows, columns) and their "
    "classes y (n)."
)

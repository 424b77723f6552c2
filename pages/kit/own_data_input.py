"""Render the upload of a visitor's own file, with a preview and a button to remove it; and add it to the data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.kit import cache, inputs, values
from pages.kit.data_sets import DataSets
from pages.kit.own_data import (
    TITLE,
    Kind,
    Own,
    OwnAnswers,
    Reading,
    current_reading,
    forget_file,
    refusal,
    store_reading,
)
from pages.kit.settings import Choice
from privdemo import datasets, figures, limits
from privdemo.datasets import OwnDataError
from server import visits
from server.streamlit_internals import is_hidden

_PROBLEM = "own_problem"
_FILE, _LABEL, _POSITIVE, _COLUMN, _N_UPLOADS = (
    "own_file",
    "own_label",
    "own_positive",
    "own_column",
    "own_files_brought",
)
_PREVIEW_COLUMNS, _PREVIEW_IMAGES, _PREVIEW_ANSWERS = 12, 10, 6


def choose_records(data_sets: DataSets) -> None:
    """Render the choice among data sets, and the upload of a visitor’s own."""
    inputs.choose(data_sets.choice, "Records")
    panel(data_sets.choice, data_sets.binary)
    if absent := [name for name in data_sets.tasks if not cache.available(name)]:
        st.caption(f"Not on this computer: {', '.join(absent)}. `python -m privdemo data all` fetches them.")


def panel(chosen: Choice, binary: bool = False) -> None:
    """Render the upload and preview of records; on `binary` pages one class is chosen against the others."""
    label = "A table (.csv) or grey images (.npz)"
    _panel(chosen, Own, label, ["csv", "npz"], _HELP, partial(_show_records, binary=binary))


def answers_panel(chosen: Choice) -> None:
    """Render the upload and preview of a column of answers."""
    _panel(chosen, OwnAnswers, "A table (.csv), one row a person", ["csv"], _ANSWERS_HELP, _show_answers)


def _panel(
    chosen: Choice, kind: type[Kind], label: str, types: list[str], advice: str, show: Callable[[Kind], None]
) -> None:
    """Render the upload of a file for pages of this kind, `show` as its preview, and a button to remove it."""
    if is_hidden():
        return
    own, refused = current_reading(kind), refusal(kind)
    with st.popover(
        f"Your own data: {datasets.without_markup(own.file)}" if own else "Your own data…", width="stretch"
    ):
        # Use a new key for every upload, so that Streamlit deletes the previous file.
        key = f"{_FILE}_{st.session_state.get(_N_UPLOADS, 0)}"
        st.file_uploader(
            label,
            types,
            key=key,
            on_change=_read_upload,
            args=(key, chosen, kind),
            max_upload_size=round(limits.OWN_BYTES.high / 1e6),
            help=advice,
        )
        st.caption("It stays in the memory of this app, for this visit alone: not on disk, not in what others see.")
        of_kind, problem = st.session_state.get(_PROBLEM, (None, ""))
        if of_kind is kind:
            st.error(problem)
        if refused:
            st.info(refused)
        if own:
            show(own)
        if own or refused:
            st.button("Forget my data", on_click=forget, key="own-forget")


def _show_answers(own: OwnAnswers) -> None:
    """Render the choice of the column, and the counts of its answers."""
    answers = own.answers
    # Show the column that was read. The widget may remember another one: one that was refused, or none after a run
    # without the widget.
    st.session_state[_COLUMN] = answers.title
    st.selectbox("Column with the answers", own.columns, key=_COLUMN, on_change=_read_answers_again)
    n = len(answers.names)
    each = zip(answers.names[:_PREVIEW_ANSWERS], answers.counts[:_PREVIEW_ANSWERS], strict=True)
    start = "The most frequent" if n > _PREVIEW_ANSWERS else "They are"
    named = ", ".join(f"“{name}” {count:,}" for name, count in each)
    st.markdown(f"{answers.people:,} people, {n:,} different answers. {start}: {named}.")


def _show_records(own: Own, binary: bool) -> None:
    """Render how the records are read, and a preview of them."""
    _settings(own, binary)
    _preview(own)


def _settings(own: Own, binary: bool) -> None:
    """Render the choice of the column with the label, and of the class against all others."""
    # As in `_show_answers`, the widgets show what was read.
    if own.is_table:
        st.session_state[_LABEL] = _label_of(own)
        st.selectbox("Column with the label", own.top[0], key=_LABEL, on_change=_read_records_again)
    if binary and own.records.n_classes > 2:
        st.session_state[_POSITIVE] = own.positive
        st.selectbox(
            "Class asked about, against all others",
            own.records.class_names,
            key=_POSITIVE,
            on_change=_read_records_again,
        )


def _label_of(own: Own) -> str:
    """Return the title of the column with the label, by default the last one."""
    return own.label or own.top[0][-1]


def _preview(own: Own) -> None:
    """Render the counts of classes, and the first records."""
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
    """Render the first rows with the label first, and which columns were read as numbers."""
    header, *rows = own.top
    label, features = _label_of(own), own.records.feature_names
    others = [title for title in header if title != label]
    kinds = {
        "Numbers": [title for title in others if title in features],
        "Categories": [title for title in others if any(name.startswith(f"{title} = ") for name in features)],
    }
    read = {title for titles in kinds.values() for title in titles}
    kinds["Left out, as they never change"] = [title for title in others if title not in read]
    st.caption(". ".join(f"{kind}: {_first_few(titles)}" for kind, titles in kinds.items() if titles) + ".")
    if kinds["Numbers"]:
        st.caption(
            "Noise hides each number within the least and the greatest of its column. Those two are taken as known to "
            "everybody: privacy does not cover them."
        )
    shown = [label, *others][:_PREVIEW_COLUMNS]
    st.dataframe(
        [{title: row[header.index(title)] for title in shown} for row in rows],
        hide_index=True,
        key="own-preview",
    )


def _first_few(titles: Sequence[str]) -> str:
    """Join a few titles, and say how many more there are."""
    more = len(titles) - _PREVIEW_COLUMNS
    return ", ".join(titles[:_PREVIEW_COLUMNS]) + (f" and {more} more" if more > 0 else "")


def _read_upload(key: str, chosen: Choice, kind: type[Reading]) -> None:
    """Read an uploaded file; the file from before is replaced only if the new one can be read."""
    if (upload := visits.pop_upload(key)) is None:
        return
    # The next upload widget has a new key: see `_panel`.
    st.session_state[_N_UPLOADS] = st.session_state.get(_N_UPLOADS, 0) + 1
    _read(kind, *upload)
    if _PROBLEM not in st.session_state:  # `_read` has stored none: the page goes on with the visitor's own records
        values.put(chosen, TITLE)


def _read_records_again() -> None:
    """Read the same file with another column as the label, or another class against all others."""
    if own := current_reading(Own):
        chosen = st.session_state.get(_LABEL, own.label), st.session_state.get(_POSITIVE)
        _read(Own, own.content, own.file, *chosen)


def _read_answers_again() -> None:
    """Count another column of the same file."""
    if own := current_reading(OwnAnswers):
        _read(OwnAnswers, own.content, own.file, st.session_state.get(_COLUMN))


def _read(kind: type[Reading], content: bytes, file: str, *columns_and_class: Any) -> None:
    """Read a file and store it in the session, or store why it cannot be read."""
    st.session_state.pop(_PROBLEM, None)
    try:
        store_reading(kind.read(content, file, *columns_and_class))
    except OwnDataError as error:
        before = current_reading(kind)
        again = before is not None and before.content is content
        start = f"{datasets.without_markup(file)} cannot be {'read so' if again else 'used'}: {error}."
        used = (
            f" {datasets.without_markup(before.file)} is still in use{' as before' if again else ''}." if before else ""
        )
        st.session_state[_PROBLEM] = kind, start + used


def forget() -> None:
    """Remove everything of the visitor's own file from the session."""
    forget_file()
    visits.drop_uploads()
    for key in (_PROBLEM, _LABEL, _POSITIVE, _COLUMN):
        st.session_state.pop(key, None)
    # An upload widget with a new key holds no file: one with the same key would show the forgotten one.
    st.session_state[_N_UPLOADS] = st.session_state.get(_N_UPLOADS, 0) + 1


_HELP = (
    f"Up to {limits.OWN_BYTES.high / 1e6:.0f} MB. A CSV file names its columns in the first line. One column is the "
    f"class: {limits.OWN_CLASSES.low} to {limits.OWN_CLASSES.high} different ones, {limits.OWN_PER_CLASS.low} rows of "
    "each or more; the others are numbers or categories. An .npz file holds grey images X (n, rows, columns) and their "
    "classes y (n)."
)
_ANSWERS_HELP = (
    f"Up to {limits.OWN_BYTES.high / 1e6:.0f} MB. The first line names the columns, and each further one is a person. "
    f"One column holds their answers: {limits.ORACLE_ANSWERS.low} to {limits.ORACLE_ANSWERS.high:,} different ones. It "
    "may be the only one."
)

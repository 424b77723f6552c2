"""The page of lectures: those that come with the app, and the visitor’s own to edit, present, share and save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from pages.kit import handout, lecture, more, numbers, present, screen
from pages.kit.lecture import Lecture, Step
from pages.kit.page import Page
from pages.kit.present import PageInfo, Position
from pages.kit.settings import Words, label_and_key
from pages.kit.values import get, put
from server import visits

LECTURE = Words("lecture", lecture.from_link, "")
_CODE_READ, _EDITS, _PROBLEM = "lecture_read_from_link", "lecture_edits", "lecture_problem"
_PARTS = {"takeaway": "sentence", "figure": "figure", "guess": "guess first", "control": "one control"}
# Those that are switched on and off; the control is chosen from a list.
_SWITCHED = tuple(part for part in _PARTS if part != "control")
_NOTHING = "none"


def arrange(pages: Sequence[Page], page: Page, placeholder: Any) -> None:
    """Render the lectures that come with the app, and the visitor’s own below; the first sentence in `placeholder`."""
    screen.takeaway(
        placeholder,
        page.address,
        "Ready-made lectures show how random changes in data protect people, and what can still be found out. Each is "
        "a slide show of pages of this app, with one sentence for you to say on each. Move on with the arrow keys, a "
        "clicker or a swipe; end with the Esc key or the “Esc” button.",
    )
    _read_link()
    page_info = page.here
    titles = {one.address: one.title for one in pages}
    shipped = lecture.shipped()
    with st.container(key="shipped-lectures"):
        for column, (name, one_lecture) in zip(st.columns(len(shipped)), shipped.items(), strict=True):
            with column, st.container(border=True, key=f"lecture-{name}", height="stretch", gap="small"):
                length = f"{one_lecture.minutes} minutes, {len(one_lecture.steps)} slides"
                st.markdown(f"**{one_lecture.title}**")
                st.caption(f"For {one_lecture.audience}, {length}")
                st.markdown(one_lecture.summary)
                with st.container(horizontal=True, gap="small"):
                    _present_button(Position(one_lecture, name, 1), f"present-{name}", page_info)
                    st.button("Copy and change it", key=f"take-{name}", on_click=_store, args=(one_lecture,))
                    _handout_button(one_lecture, pages, name)
    st.subheader("Your own lecture", anchor=False)
    own: Lecture | None = st.session_state.get(more.OWN)
    if own is None:
        st.markdown(
            "To begin, press **Copy and change it** on one of the three above. Or go to any page of this app, open its "
            "menu **More** and choose **Add to my lecture**. Then a button **Save as a file** "
            "appears; it saves your lecture to your computer."
        )
    else:
        _edit(own, pages, titles, page_info)
    _uploader(page_info)
    code = lecture.to_link(own) if own else ""
    st.session_state[_CODE_READ] = code
    put(LECTURE, code)


def _read_link() -> None:
    """Open the lecture in the link by which a visitor came."""
    code = get(LECTURE)
    if not code or code == st.session_state.get(_CODE_READ):
        return
    if st.session_state.get(_CODE_READ):  # edited since: the address does not hold the last edit yet
        return
    st.session_state[_CODE_READ] = code
    _store(lecture.from_link(code))


def _present_button(at: Position, key: str, page_info: PageInfo) -> None:
    """Render the button that presents a lecture."""
    st.button("Present →", key=key, type="primary", on_click=present.open_step, args=(at, page_info))


def _handout_button(of: Lecture, pages: Sequence[Page], name: str) -> None:
    """Render the button that downloads the hand-out of a lecture, which is made on a click."""
    st.download_button(
        "Hand-out",
        partial(handout.document, of, pages),
        f"{name}.html",
        "text/html",
        key=f"handout-{name}",
        on_click="ignore",
        help="To print on A4: a worksheet, its solutions with your notes, and cards for a show of hands. It takes a "
        "few seconds.",
    )


def _store(changed: Lecture | None) -> None:
    """Store the visitor’s lecture, and give its widgets new keys so that they show it."""
    st.session_state[more.OWN] = changed
    st.session_state[_EDITS] = st.session_state.get(_EDITS, 0) + 1
    st.session_state.pop(_PROBLEM, None)


def _edit(own: Lecture, pages: Sequence[Page], titles: Mapping[str, str], page_info: PageInfo) -> None:
    """Render the widgets to edit, present and save the visitor’s lecture."""
    version = st.session_state.get(_EDITS, 0)
    key = f"lecture-title-{version}"
    st.text_input("Title", own.title, key=key, on_change=_rename, args=(own, key))
    with st.container(horizontal=True, vertical_alignment="center", key="own-lecture"):
        _present_button(Position(own, lecture.to_link(own), 1), "present-own", page_info)
        st.download_button(
            "Save as a file",
            lecture.to_toml(own),
            "lecture.toml",
            "application/toml",
            key="lecture-file",
            on_click="ignore",
        )
        _handout_button(own, pages, "lecture")
        st.button("Delete this lecture", key="lecture-over", on_click=_store, args=(None,))
        st.caption(
            "To send this lecture to somebody, choose **Copy link** in the menu **More**: the link holds all of it."
        )
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem)
    page_of = {page.address: page for page in pages}
    for i, step in enumerate(own.steps):
        with st.container(border=True, key=f"step-{version}-{i}"):
            _edit_step(own, i, step, page_of.get(step.page), titles)


def _edit_step(own: Lecture, i: int, step: Step, page: Page | None, titles: Mapping[str, str]) -> None:
    """Render the widgets of one step: what it shows, what to say, and buttons to move or delete it."""
    version, last = st.session_state.get(_EDITS, 0), len(own.steps) - 1
    labels = {setting.key: setting.label or setting.key for setting in page.here.default_settings} if page else {}
    settings_words = "; ".join(
        f"{labels.get(key, key)}: {', '.join([v] if isinstance(v, str) else v)}" for key, v in step.settings.items()
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{i + 1}. {titles.get(step.page, step.page)}**"
            + (f" · {numbers.escape_markdown(settings_words)}" if settings_words else "")
        )
        for name, to, disabled in (("Earlier", i - 1, i == 0), ("Later", i + 1, i == last)):
            words = f"↑ {name}" if name == "Earlier" else f"↓ {name}"
            st.button(words, key=f"{name}-{version}-{i}", disabled=disabled, on_click=_swap, args=(own, i, to))
        st.button("✕ Delete", key=f"delete-{version}-{i}", on_click=_delete, args=(own, i))
    say_key, show_key, control_key = (f"{part}-{version}-{i}" for part in ("say", "show", "control"))
    change = {"on_change": _change, "args": (own, i, say_key, show_key, control_key)}
    st.text_input("Sentence to say", step.say, key=say_key, placeholder="One sentence", **change)  # type: ignore[arg-type]
    with st.container(horizontal=True):
        st.pills(
            "Show",
            _SWITCHED,
            selection_mode="multi",
            default=[part for part in step.show if part in _SWITCHED],
            format_func=_PARTS.__getitem__,
            key=show_key,
            **change,
        )  # type: ignore[call-overload]
        names = {_NOTHING: _NOTHING} | ({s.key: label_and_key(s) for s in page.here.default_settings} if page else {})
        now = list(names).index(step.control) if step.control in names else 0
        st.selectbox(
            "Control that stays on the screen",
            list(names),
            now,
            format_func=names.__getitem__,
            key=control_key,
            width=320,
            **change,
        )  # type: ignore[call-overload]
    _edit_texts(own, i, step)


# The texts of a step that only the hand-out shows, with what they are called and an example.
_TEXTS = {
    "note": ("Note for the speaker", "What to say and to do"),
    "question": ("Question to the students", "In place of the page’s own"),
    "solution": ("Solution", "Its numbers are blank in the worksheet"),
}


def _edit_texts(own: Lecture, i: int, step: Step) -> None:
    """Render the widgets of what only the hand-out shows of a step, while they are unfolded."""
    version = st.session_state.get(_EDITS, 0)
    fold = st.expander("For the hand-out", key=f"texts-{version}-{i}", on_change="rerun")
    if not fold.open:
        return
    with fold:
        for name, (label, example) in _TEXTS.items():
            key = f"{name}-{version}-{i}"
            change = {"on_change": _change_text, "args": (own, i, name, key)}
            st.text_input(label, getattr(step, name), key=key, placeholder=example, **change)  # type: ignore[arg-type]


def _change_text(own: Lecture, i: int, name: str, key: str) -> None:
    """Set a text of a step that only the hand-out shows, from its widget."""
    _replace_step(own, i, **{name: st.session_state[key]})


def _rename(own: Lecture, key: str) -> None:
    """Set the title of the lecture."""
    _store_changed(own, title=st.session_state[key])


def _change(own: Lecture, i: int, say_key: str, show_key: str, control_key: str) -> None:
    """Set what a step says and shows, from its widgets."""
    control = st.session_state[control_key]
    show = (*st.session_state[show_key], *(() if control == _NOTHING else ("control",)))
    _replace_step(own, i, say=st.session_state[say_key], show=show, control="" if control == _NOTHING else control)


def _replace_step(own: Lecture, i: int, **given: Any) -> None:
    """Store the lecture with fields of a step changed, or show why that is not allowed."""
    try:
        step = replace(own.steps[i], **given)
    except ValueError as error:
        st.session_state[_PROBLEM] = f"Step {i + 1} was left as it was: {error}."
        return
    _store_changed(own, steps=(*own.steps[:i], step, *own.steps[i + 1 :]))


def _swap(own: Lecture, i: int, j: int) -> None:
    """Swap two steps."""
    steps = list(own.steps)
    steps[i], steps[j] = steps[j], steps[i]
    _store_changed(own, steps=tuple(steps))


def _delete(own: Lecture, i: int) -> None:
    """Delete a step, and the lecture with its last one."""
    steps = (*own.steps[:i], *own.steps[i + 1 :])
    if steps:
        _store_changed(own, steps=steps)
    else:
        _store(None)


def _store_changed(own: Lecture, **changed: Any) -> None:
    """Store the lecture with fields changed, or show why that is not allowed."""
    try:
        _store(replace(own, **changed))
    except ValueError as error:
        st.session_state[_PROBLEM] = numbers.error_sentence_html(error)


def _uploader(page_info: PageInfo) -> None:
    """Render the uploader of a lecture’s file."""
    key = f"lecture-brought-{st.session_state.get(_EDITS, 0)}"
    st.file_uploader(
        "Open a lecture that you saved earlier, as a file of at most 1 MB. The app does not keep your file.",
        ["toml"],
        key=key,
        on_change=_open_upload,
        args=(key, page_info),
        max_upload_size=1,
    )
    if st.session_state.get(more.OWN) is None and (problem := st.session_state.get(_PROBLEM)):
        st.error(problem)


def _open_upload(key: str, page_info: PageInfo) -> None:
    """Open the uploaded lecture, or show why it cannot be."""
    if (upload := visits.pop_upload(key)) is None:
        return
    try:
        opened = lecture.read(upload[0])
        lecture.check_pages(opened, page_info.pages)
        _store(opened)
    except ValueError as error:
        st.session_state[_PROBLEM] = f"This file was not opened. {numbers.error_sentence_html(error)}"

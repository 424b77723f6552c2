"""The lectures that come with the app, and the visitor's own: presented, reordered, renamed, mailed, kept as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.kit import lecture, link, more, numbers, present, screen
from pages.kit.lecture import SHOW, Lecture, Step
from pages.kit.page import Page
from pages.kit.present import PageInfo, Position
from pages.kit.settings import Words, label_and_key
from server import visits

LECTURE = Words("lecture", lecture.from_link, "")
_READ, _EDITS, _PROBLEM = "lecture_read_from_link", "lecture_edits", "lecture_problem"
_PARTS = {"takeaway": "sentence", "figure": "figure", "control": "one control"}
_NOTHING = "none"


def arrange(pages: Sequence[Page], page: Page, place: Any) -> None:
    """Render the lectures that come with the app, and below them the visitor's own."""
    screen.takeaway(
        place,
        page.address,
        "Each step is one screen with one sentence to say. Arrow keys, a clicker or a swipe go on; Esc leaves and "
        "keeps the settings.",
    )
    _read_link()
    here = page.here
    titles = {one.address: one.title for one in pages}
    with st.container(key="shipped-lectures", horizontal=True):
        for name, each in lecture.shipped().items():
            with st.container(border=True, key=f"lecture-{name}", width=330):
                st.markdown(f"**{each.title}**")
                st.caption(f"For {each.audience}, {each.minutes} minutes, {len(each.steps)} steps.")
                _present_button(Position(each, name, 1), f"present-{name}", here)
                st.button("Make it mine", key=f"take-{name}", on_click=_keep, args=(each,))
    st.subheader("Your own lecture", anchor=False)
    own: Lecture | None = st.session_state.get(more.OWN)
    if own is None:
        st.markdown("On any page, open the menu **⋯** and choose **Add to my lecture**; or bring a lecture's file.")
    else:
        _edit(own, pages, titles, here)
    _bring(here)
    code = lecture.to_link(own) if own else ""
    st.session_state[_READ] = code
    link.write(LECTURE.key, code)


def _read_link() -> None:
    """Take the lecture of the link by which a visitor came."""
    code = st.query_params.get(LECTURE.key, "")
    if not code or code == st.session_state.get(_READ) or LECTURE.problem([code]):
        return
    if st.session_state.get(_READ):  # the address is of the last edit but one
        return
    st.session_state[_READ] = code
    _keep(lecture.from_link(code))


def _present_button(at: Position, key: str, here: PageInfo) -> None:
    st.button("Present →", key=key, type="primary", on_click=present.open_step, args=(at, here))


def _keep(changed: Lecture | None) -> None:
    """Keep the visitor's lecture as it is now; its widgets are drawn anew."""
    st.session_state[more.OWN] = changed
    st.session_state[_EDITS] = st.session_state.get(_EDITS, 0) + 1
    st.session_state.pop(_PROBLEM, None)


def _edit(own: Lecture, pages: Sequence[Page], titles: Mapping[str, str], here: PageInfo) -> None:
    """Render the visitor's lecture to be changed, presented and taken away."""
    version = st.session_state.get(_EDITS, 0)
    key = f"lecture-title-{version}"
    st.text_input("Title", own.title, key=key, on_change=_rename, args=(own, key))
    with st.container(horizontal=True, vertical_alignment="center", key="own-lecture"):
        _present_button(Position(own, lecture.to_link(own), 1), "present-own", here)
        st.download_button(
            "Save as a file",
            lecture.to_toml(own),
            "lecture.toml",
            "application/toml",
            key="lecture-file",
            on_click="ignore",
        )
        st.button("Start over", key="lecture-over", on_click=_keep, args=(None,))
        st.caption("The address of this page holds the whole lecture: mail it with ⋯ and **Copy link**.")
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem)
    controls = {page.address: page for page in pages}
    for i, step in enumerate(own.steps):
        with st.container(border=True, key=f"step-{version}-{i}"):
            _edit_step(own, i, step, controls.get(step.page), titles)


def _edit_step(own: Lecture, i: int, step: Step, page: Page | None, titles: Mapping[str, str]) -> None:
    """Render one step: what it shows, what is said, and ways to move it."""
    version, last = st.session_state.get(_EDITS, 0), len(own.steps) - 1
    labels = {setting.key: setting.label or setting.key for setting in page.here.settings} if page else {}
    asked = "; ".join(
        f"{labels.get(key, key)}: {', '.join([v] if isinstance(v, str) else v)}" for key, v in step.settings.items()
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{i + 1}. {titles.get(step.page, step.page)}**"
            + (f" · {numbers.escape_markdown(asked)}" if asked else "")
        )
        for name, to, off in (("Earlier", i - 1, i == 0), ("Later", i + 1, i == last)):
            words = f"↑ {name}" if name == "Earlier" else f"↓ {name}"
            st.button(words, key=f"{name}-{version}-{i}", disabled=off, on_click=_swap, args=(own, i, to))
        st.button("✕ Delete", key=f"delete-{version}-{i}", on_click=_delete, args=(own, i))
    said, shown, control = (f"{part}-{version}-{i}" for part in ("say", "show", "control"))
    change = {"on_change": _change, "args": (own, i, said, shown, control)}
    st.text_input("Say", step.say, key=said, placeholder="One sentence", **change)  # type: ignore[arg-type]
    with st.container(horizontal=True):
        st.pills(
            "Show",
            SHOW[:2],
            selection_mode="multi",
            default=[p for p in step.show if p in SHOW[:2]],
            format_func=_PARTS.__getitem__,
            key=shown,
            **change,
        )  # type: ignore[call-overload]
        names = {_NOTHING: _NOTHING} | ({s.key: label_and_key(s) for s in page.here.settings} if page else {})
        now = list(names).index(step.control) if step.control in names else 0
        st.selectbox(
            "Leave one control", list(names), now, format_func=names.__getitem__, key=control, width=320, **change
        )  # type: ignore[call-overload]


def _rename(own: Lecture, key: str) -> None:
    _try(own, title=st.session_state[key])


def _change(own: Lecture, i: int, said: str, shown: str, control: str) -> None:
    left = st.session_state[control]
    show = (*st.session_state[shown], *(() if left == _NOTHING else ("control",)))
    given = {"say": st.session_state[said], "show": show, "control": "" if left == _NOTHING else left}
    try:
        step = replace(own.steps[i], **given)
    except ValueError as error:
        st.session_state[_PROBLEM] = f"Step {i + 1} was left as it was: {error}."
        return
    _try(own, steps=(*own.steps[:i], step, *own.steps[i + 1 :]))


def _swap(own: Lecture, i: int, j: int) -> None:
    steps = list(own.steps)
    steps[i], steps[j] = steps[j], steps[i]
    _try(own, steps=tuple(steps))


def _delete(own: Lecture, i: int) -> None:
    steps = (*own.steps[:i], *own.steps[i + 1 :])
    if steps:
        _try(own, steps=steps)
    else:
        _keep(None)


def _try(own: Lecture, **changed: Any) -> None:
    """Keep the lecture with something changed, or say why it cannot be."""
    try:
        _keep(replace(own, **changed))
    except ValueError as error:
        st.session_state[_PROBLEM] = numbers.sentence(error)


def _bring(here: PageInfo) -> None:
    """Render the place to drop a lecture's file on."""
    key = f"lecture-brought-{st.session_state.get(_EDITS, 0)}"
    st.file_uploader("Open a lecture's file", ["toml"], key=key, on_change=_take, args=(key, here), max_upload_size=1)
    if st.session_state.get(more.OWN) is None and (problem := st.session_state.get(_PROBLEM)):
        st.error(problem)


def _take(key: str, here: PageInfo) -> None:
    if (brought := visits.take_upload(key)) is None:
        return
    try:
        found = lecture.read(brought[0])
        lecture.check_pages(found, here.pages)
        _keep(found)
    except ValueError as error:
        st.session_state[_PROBLEM] = f"This file was not opened. {numbers.sentence(error)}"

"""The menu of every page: reset it, share it, present it, keep its setting as a file, or open one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import streamlit as st

from pages.kit import lecture, link, present, setting_file
from pages.kit.lecture import Lecture, Step
from pages.kit.numbers import sentence
from pages.kit.settings import Choice, Setting

# A visitor's own lecture, for as long as the visit.
OWN = "own_lecture"
_PROBLEM, _OPENED = "setting_file_problem", "setting_files_opened"


def draw(address: str, known: Sequence[Setting], reset: Callable[[], None], pages: Collection[str]) -> Any:
    """Draw the menu with what needs no question, and return the place for the rest."""
    with st.popover("⋯", key="more", help="Reset, share, present, save"):
        st.button("↺ Reset", on_click=reset, key="reset", width="stretch")
        link.copy_button()
        st.button("Add to my lecture", on_click=_add, args=(address, known), key="add-screen", width="stretch")
        rest = st.container()
        _open(address, known, pages)
    return rest


def save(address: str, known: Sequence[Setting], question: Any) -> None:
    """Draw the button that keeps the setting as a file; nothing where there is no question."""
    if isinstance(question, str):
        return
    config = setting_file.config_of(question)
    given = _given(known)
    try:
        text = setting_file.write(address, given, config, getattr(question, "n_draws", 10))
    except ValueError as error:
        st.caption(sentence(error))
        return
    st.download_button(
        "Save this setting",
        text,
        f"{address or setting_file.HOME}.toml",
        "application/toml",
        key="save-setting",
        on_click="ignore",
        width="stretch",
        help="A TOML file that this app opens, and that `python -m privdemo` runs and sweeps.",
    )


def _given(known: Sequence[Setting]) -> dict[str, str | tuple[str, ...]]:
    """The settings of the page as its address holds them."""
    keys = {setting.key: setting for setting in known}
    given: dict[str, str | tuple[str, ...]] = {}
    for key in st.query_params:
        setting = keys.get(key)
        if setting is None or key == "job":
            continue
        raw = st.query_params.get_all(key)
        given[key] = tuple(raw) if isinstance(setting, Choice) and setting.many else raw[-1]
    return given


def _add(address: str, known: Sequence[Setting]) -> None:
    """Add the screen to the visitor's lecture."""
    try:
        step = Step(address, _given(known))
        own = st.session_state.get(OWN) or Lecture("My lecture", "", 10, (step,))
        whole = own if own.steps[-1] is step else Lecture(own.title, own.audience, own.minutes, (*own.steps, step))
        lecture.to_link(whole)
    except ValueError as error:
        st.toast(sentence(error))
        return
    st.session_state[OWN] = whole
    st.toast(f"This screen is step {len(whole.steps)} of your lecture; see the page “Lectures”.")


def _open(address: str, known: Sequence[Setting], pages: Collection[str]) -> None:
    """Draw the place to drop a setting's file on."""
    # A new widget for every file, so that the last one is let go.
    key = f"open_setting_{st.session_state.get(_OPENED, 0)}"
    st.file_uploader(
        "Open a saved setting", ["toml"], key=key, on_change=_take, args=(key, address, known, pages), max_upload_size=1
    )
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem)


def _take(key: str, address: str, known: Sequence[Setting], pages: Collection[str]) -> None:
    brought = st.session_state.get(key)
    if brought is None:
        return
    st.session_state[_OPENED] = st.session_state.get(_OPENED, 0) + 1
    try:
        found = setting_file.read(brought.getvalue(), pages)
    except ValueError as error:
        st.session_state[_PROBLEM] = f"This file was not opened. {sentence(error)}"
        return
    st.session_state.pop(_PROBLEM, None)
    present.open_at(found.page, found.settings, address, known)

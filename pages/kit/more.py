"""Render the menu “More” of every page: reset, share or present the page, save its settings as a file, or open one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.kit import lecture, link, predictions, present, setting_file, values
from pages.kit.lecture import Lecture, Step
from pages.kit.numbers import error_sentence_html
from pages.kit.present import PageInfo, Position
from pages.kit.settings import Setting, label_and_key
from server import visits

# The key of the visitor's own lecture in the session.
OWN = "own_lecture"
# The key of the popover; its value is True while it is open.
MENU = "more"
_PROBLEM, _OPENED = "setting_file_problem", "setting_files_opened"


def render(here: PageInfo, known: Sequence[Setting]) -> Any:
    """Render the menu, and return the container for what needs a question; None while the menu is closed.

    Its content is rendered only while it is open, as it would be an eighth of the cost of a page.
    """
    menu = st.popover("More", key=MENU, help="Reset, share, present, save", on_change="rerun")
    if not menu.open:
        return None
    with menu:
        st.button("↺ Reset", on_click=values.reset, key="reset", width="stretch")
        _copy_link(here)
        st.button("Present this screen", on_click=_present, args=(here, known), key="present", width="stretch")
        st.button(
            "Add to my lecture", on_click=_add_to_lecture, args=(here.address, known), key="add-screen", width="stretch"
        )
        predictions.switch()
        rest = st.container()
        _open(here)
    return rest


def _copy_link(here: PageInfo) -> None:
    """Render the button that copies the link, and the choice of the controls that the link shows to its readers."""
    button = st.container()
    names = {setting.key: label_and_key(setting) for setting in here.default_settings}
    usable = st.multiselect(
        "Link with these controls only",
        list(names),
        format_func=names.__getitem__,
        key=f"link-controls-{here.address}",
        placeholder="All controls",
        help="For readers who are to set just these. In a frame of a course page add `&embed=true`.",
    )
    with button:
        link.copy_button({present.CONTROLS: ",".join(usable)} if usable else {})


def save(address: str, known: Sequence[Setting], question: Any) -> None:
    """Render the button that downloads the settings as a file; nothing where there is no question."""
    if isinstance(question, str):
        return
    config = setting_file.config_of(question)
    try:
        text = setting_file.write(address, values.in_address(known), config, getattr(question, "n_trials", 10))
    except ValueError as error:
        st.caption(error_sentence_html(error))
        return
    st.download_button(
        "Save this setting",
        text,
        _file_name(address),
        "application/toml",
        key="save-setting",
        on_click="ignore",
        width="stretch",
        help="A text file (TOML) that this app opens, and that `python -m privdemo` runs and sweeps.",
    )


def _shown() -> tuple[str, ...]:
    """Return what a slide of this screen shows: sentence and figure or, while a guess is asked for, that first."""
    return ("guess", "figure") if predictions.is_asking() else ("takeaway", "figure")


def _present(here: PageInfo, known: Sequence[Setting]) -> None:
    """Show the screen alone, as a lecture with one step."""
    try:
        step = Step(here.address, values.in_address(known), show=_shown())
        single = Lecture(here.title, "", 1, (step,))
        present.open_step(Position(single, lecture.to_link(single), 1), here)
    except ValueError as error:
        st.toast(error_sentence_html(error))


def _add_to_lecture(address: str, known: Sequence[Setting]) -> None:
    """Add the screen to the visitor's lecture as a step."""
    try:
        step = Step(address, values.in_address(known), show=_shown())
        own = st.session_state.get(OWN) or Lecture("My lecture", "", 10, (step,))
        whole = own if own.steps[-1] is step else Lecture(own.title, own.audience, own.minutes, (*own.steps, step))
        lecture.to_link(whole)
    except ValueError as error:
        st.toast(error_sentence_html(error))
        return
    st.session_state[OWN] = whole
    st.toast(f"This screen is step {len(whole.steps)} of your lecture; see the page “Lectures”.")


def _file_name(address: str) -> str:
    """Return the name of the file with the settings of the page at an address."""
    return f"{address or setting_file.HOME}.toml"


def _open(here: PageInfo) -> None:
    """Render the upload of a file with settings."""
    # A new key for every file, so that Streamlit deletes the one before.
    key = f"open_setting_{st.session_state.get(_OPENED, 0)}"
    st.file_uploader(
        f"Open a saved setting (a text file, such as {_file_name(here.address)})",
        ["toml"],
        key=key,
        on_change=_read_upload,
        args=(key, here),
        max_upload_size=1,
    )
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem)


def _read_upload(key: str, here: PageInfo) -> None:
    """Open the uploaded file on its page, or store the reason why that is not possible."""
    if (upload := visits.pop_upload(key)) is None:
        return
    content, name = upload
    st.session_state[_OPENED] = st.session_state.get(_OPENED, 0) + 1
    try:
        file = setting_file.read(content, here.pages)
    except ValueError as error:
        st.session_state[_PROBLEM] = f"This file was not opened. {error_sentence_html(error)}"
        return
    st.session_state.pop(_PROBLEM, None)
    present.open_file(file.page, file.settings, here, name)

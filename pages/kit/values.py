"""Hold the values of the settings of each page, for a visit: they are read from the address, and written to it.

A value is read by `get` and set by `put`, by nothing else. A widget shows a value and puts another when a visitor changes
it, so that a setting has its value whether or not its widget is rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages.kit import link
from pages.kit.settings import Choice, Number, Setting, problems
from privdemo import limits
from server.streamlit_internals import is_history_navigation

# Keys in the session state: the values of each page by the settings' keys, the address of the page on screen, and the
# length of the last link that was too long.
_VALUES, _PAGE, _TOO_LONG = "values", "page_on_screen", "too_long_link"


def _here() -> dict[str, Any]:
    """Return the values of the page on screen that are not the default, or were set to it."""
    pages: dict[str, dict[str, Any]] = st.session_state.setdefault(_VALUES, {})
    return pages.setdefault(st.session_state.get(_PAGE, ""), {})


def get(setting: Setting) -> Any:
    """Return the value of a setting on the page on screen: a number, a text, an option, or a tuple of options.

    A number beyond its limit, which may depend on the data set, is the nearest within it; an option that is none now is
    the default.
    """
    value = _here().get(setting.key, setting.default)
    if isinstance(setting, Number):
        within = value if setting.limit.contains(value) else setting.limit.nearest(value)
        return int(within) if setting.limit.integer else float(within)
    if isinstance(setting, Choice):
        options = value if setting.many else (value,)
        return value if set(options).issubset(setting.options) else setting.default
    return str(value)


def put(setting: Setting, value: Any) -> None:
    """Set the value of a setting on the page on screen."""
    put_all({setting.key: value})


def put_all(values: Mapping[str, Any]) -> None:
    """Set the values of settings by their keys, for a preset."""
    _here().update({key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


def reset() -> None:
    """Set all settings of the page on screen to their defaults."""
    _here().clear()


def enter(page: str, settings: Callable[[], Sequence[Setting]]) -> bool:
    """Show `page` from now on; return whether its values were read from the address.

    They are when a visitor comes to the page or uses the back or forward button. Values that the address does not hold
    stay as the visitor left them, or are the defaults after the back or forward button. Invalid ones are ignored.
    """
    has_come = st.session_state.get(_PAGE) != page
    if not has_come and not is_history_navigation():
        return False
    st.session_state[_PAGE] = page
    if has_come:
        link.dismiss_notes()
    if is_history_navigation():
        reset()
    if sentence := link.too_long():
        link.set_notes(sentence, of=link.THIS_LINK)
        link.put({key: [] for key in link.parameters()}, "too-long")
    given = link.parameters()
    for _ in range(2):  # the limits of some settings depend on the data set, which is known the second time
        set_from_texts([setting for setting in settings() if is_in_links(setting)], given)
    return True


def set_from_texts(settings: Iterable[Setting], texts: Mapping[str, str | Sequence[str]]) -> None:
    """Set settings from the texts that an address would hold; those that are invalid, or have none, stay."""
    for setting in settings:
        raw = texts.get(setting.key, [])
        raw = [raw] if isinstance(raw, str) else list(raw)
        raw = setting.split_lists(raw) if isinstance(setting, Choice) else raw
        if raw and not setting.problem(raw):
            put(setting, setting.value(raw))


def is_in_links(setting: Setting) -> bool:
    """Return whether the address holds the value of a setting."""
    return not isinstance(setting, Choice) or setting.in_link


def texts_of(setting: Setting) -> list[str]:
    """Return the texts that stand for a setting's value in the address; an empty list for the default."""
    value = get(setting)
    texts = value if isinstance(value, tuple) else (value,)
    default = setting.default if isinstance(setting.default, tuple) else (setting.default,)
    return [] if texts == default else [_text(each) for each in texts]


def _text(value: Any) -> str:
    """Return the shortest text that stands for a value: “5” also for 5.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def write_to_address(settings: Iterable[Setting], name: str) -> None:
    """Have the browser write the values of settings into the address; one that would be too long holds none of them.

    Call it at the end of a run, and of each fragment, with a `name` of its own: what is rendered for it must move no
    other element.
    """
    there = link.parameters()
    wanted = {setting.key: texts_of(setting) for setting in settings if is_in_links(setting)}
    length = len(urlencode({**there, **wanted}, doseq=True))
    if length > limits.LINK_BYTES.high:
        wanted = {key: [] for key in wanted}
        is_new, st.session_state[_TOO_LONG] = st.session_state.get(_TOO_LONG) != length, length
        if is_new:
            has = f"A link with it would have {link.length_words(length)}"
            link.set_notes(f"{has}: the address of this page holds no settings now.", of=link.TYPED_TEXT)
            st.rerun()  # to show the note
    if changed := {key: texts for key, texts in wanted.items() if there.get(key, []) != texts}:
        link.put(changed, name)


def clamp(setting: Number, name: str) -> None:
    """Move a value that is outside the range of this data set to the nearest end, and show a message."""
    value = _here().get(setting.key, setting.default)
    if not setting.limit.contains(value):
        put(setting, get(setting))
        st.toast(f"{name} is now {get(setting):.8g}, the end of its range here.")


def shown_by_widget(setting: Setting, default: str = "default") -> dict[str, Any]:
    """Return the options for a widget of Streamlit's with which it shows the value of a setting, and puts a changed one.

    `default` is the name of the widget's option for its first value.
    """
    value, key = get(setting), setting.key
    value = list(value) if isinstance(value, tuple) else value
    options = {"key": key, "on_change": _put_from_widget, "args": (setting,)}
    if key in st.session_state and st.session_state[key] != value:
        st.session_state[key] = value  # not otherwise: it would undo a key that is pressed meanwhile
        return options
    first = setting.options.index(value) if default == "index" and isinstance(setting, Choice) else value
    return options | {default: first}


def _put_from_widget(setting: Setting) -> None:
    """Set a setting to the value of its widget; an emptied box for a number changes nothing."""
    if (value := st.session_state[setting.key]) is not None:
        put(setting, value)


def bad_parameters(settings: Sequence[Setting], is_new: bool) -> dict[str, str]:
    """Return what is wrong with each parameter of the address by its key; once it is not new, only unknown keys."""
    given = link.parameters()
    if not is_new:
        known = {setting.key for setting in settings if is_in_links(setting)}
        given = {key: texts for key, texts in given.items() if key not in known}
    for setting in settings:
        if isinstance(setting, Choice) and setting.key in given:
            given[setting.key] = setting.split_lists(given[setting.key])
    return problems(settings, given)



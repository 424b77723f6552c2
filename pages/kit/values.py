"""Hold the values of the settings of each page, for a visit: they are read from the address, and written to it.

Only functions of this module read and set values: `here` and `get` read them, `put` and `put_all` set them, `enter` and
`set_from_texts` set them to texts of an address, `reset` to their defaults, and `clamp` to the ends of their ranges. A
widget shows a value and puts another when a visitor changes it, so that a setting has its value whether or not its
widget is rendered.
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
# names of those who last wrote an address that would be too long; whether the back or forward button was used and the
# address has not been read since, whether it is being read, and whether its errors are still to be shown as notes.
_VALUES, _PAGE, _TOO_LONG = "values", "page_on_screen", "too_long_link"
_BACK, _READING, _UNCHECKED = "address_after_back", "reading_address", "address_unchecked"


class Values:
    """The values of a page's settings, of which those `given` are by their keys: `values[setting]` is always valid.

    It is the setting's default if none is given, or one that is no option now. A number outside of the setting's range,
    which may depend on the data set, is the nearest within it.
    """

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        self._given = {} if given is None else given

    def __getitem__(self, setting: Setting) -> Any:
        """Return the value of a setting: a number, a text, an option, or a tuple of options."""
        value = self._given.get(setting.key, setting.default)
        if isinstance(setting, Number):
            within = value if setting.limit.contains(value) else setting.limit.nearest(value)
            return int(within) if setting.limit.integer else float(within)
        if isinstance(setting, Choice):
            options = value if setting.many else (value,)
            return value if set(options).issubset(setting.options) else setting.default
        return str(value)

    def is_outside(self, setting: Number) -> bool:
        """Return whether the given number is outside of the setting's range."""
        return setting.key in self._given and not setting.limit.contains(self._given[setting.key])


def from_texts(settings: Callable[[Values], Sequence[Setting]], texts: Mapping[str, Any]) -> Values:
    """Return the values for the valid ones among texts that an address would hold."""
    given: dict[str, Any] = {}
    for _ in range(2):  # the limits of some settings depend on the data set, which is known the second time
        given |= _valid(settings(Values(given)), texts)
    return Values(given)


def _valid(settings: Iterable[Setting], texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by key for the valid texts of an address."""
    found: dict[str, Any] = {}
    for setting in settings:
        raw = texts.get(setting.key, [])
        raw = [raw] if isinstance(raw, str) else list(raw)
        raw = setting.options_in(raw) if isinstance(setting, Choice) else raw
        if raw and not setting.problem(raw):
            value = setting.value(raw)
            found[setting.key] = tuple(value) if isinstance(value, list) else value
    return found


def _given_here() -> dict[str, Any]:
    """Return the values of the page on screen that were set, by key."""
    pages: dict[str, dict[str, Any]] = st.session_state.setdefault(_VALUES, {})
    return pages.setdefault(st.session_state.get(_PAGE, ""), {})


def here() -> Values:
    """Return the values of the page on screen, which later changes are seen in."""
    return Values(_given_here())


def copy_of_here() -> Values:
    """Return the values of the page on screen as they are now, for use outside of the session."""
    return Values(dict(_given_here()))


def get(setting: Setting) -> Any:
    """Return the value of a setting on the page on screen."""
    return here()[setting]


def put(setting: Setting, value: Any) -> None:
    """Set the value of a setting on the page on screen."""
    put_all({setting: value})


def put_all(values: Mapping[Setting, Any]) -> None:
    """Set the values of settings on the page on screen, for a preset."""
    found = {setting.key: tuple(value) if isinstance(value, list) else value for setting, value in values.items()}
    _given_here().update(found)


def reset(settings: Iterable[Setting] | None = None) -> None:
    """Set settings of the page on screen, or all, to their defaults."""
    given = _given_here()
    for key in list(given) if settings is None else [setting.key for setting in settings]:
        given.pop(key, None)


def notice_navigation() -> None:
    """Have `enter` read the address if this run follows the back or forward button.

    A run that waits for a slot may be stopped by the next one, which no longer follows the button.
    """
    if is_history_navigation():
        st.session_state[_BACK] = True


def enter(page: str, settings: Callable[[Values], Sequence[Setting]]) -> None:
    """Show `page` from now on; read its values from the address if that is new.

    It is when a visitor comes to the page or has used the back or forward button. Values that the address does not hold
    stay as the visitor left them, or are the defaults after the back or forward button. Invalid ones are ignored.
    """
    has_come, is_back = st.session_state.get(_PAGE) != page, st.session_state.get(_BACK)
    if not has_come and not is_back and not st.session_state.get(_READING):
        return
    st.session_state[_READING] = True  # until the end: a run that is stopped here is followed by one that reads
    if has_come:
        link.dismiss_notes()
        st.session_state[_PAGE] = page
    link.read()
    if is_back:
        reset()
    if sentence := link.length_problem():
        link.set_notes(sentence, of=link.THIS_LINK)
    else:
        set_from_texts(settings, link.parameters())
    st.session_state[_READING] = st.session_state[_BACK] = False
    st.session_state[_UNCHECKED] = True


def note_bad_parameters(settings: Sequence[Setting]) -> None:
    """Note what is wrong with the address, once after it was read."""
    if st.session_state.get(_UNCHECKED):
        link.set_notes(*_bad_parameters(settings).values(), of=link.THIS_LINK)
        st.session_state[_UNCHECKED] = False


def set_from_texts(settings: Callable[[Values], Sequence[Setting]], texts: Mapping[str, Any]) -> None:
    """Set settings from the texts that an address would hold; those that are invalid, or have none, stay."""
    given = _given_here()
    for _ in range(2):  # the limits of some settings depend on the data set, which is known the second time
        given |= _valid([setting for setting in settings(Values(given)) if is_in_links(setting)], texts)


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


def in_address(settings: Iterable[Setting]) -> dict[str, str | tuple[str, ...]]:
    """Return the texts by key of all settings that are not at their defaults, as a link or a file holds them."""
    found: dict[str, str | tuple[str, ...]] = {}
    for setting in settings:
        if is_in_links(setting) and (texts := texts_of(setting)):
            found[setting.key] = tuple(texts) if isinstance(setting, Choice) and setting.many else texts[-1]
    return found


def write_to_address(
    settings: Iterable[Setting],
    name: str,
    others: Iterable[Setting] | None = None,
    chapter: Setting | None = None,
) -> None:
    """Have the browser write the values of settings into the address.

    Other parameters of the address stay. If `others` are given, which describe parameters that are no settings of the
    page, such as the step of a lecture, only valid ones of these stay. A new value of `chapter` makes an entry in the
    browser's history, so that the back button leads to the chapter before, with its settings as they were left. An
    address that would be too long holds no settings. Call this at the end of a run, and of each fragment, with a `name`
    of its own: what is rendered for it must move no other element.
    """
    there = link.parameters()
    kept = there if others is None else {one.key for one in others if not one.problem(there.get(one.key, [""]))}
    wanted: dict[str, list[str]] = {key: [] for key in there if link.length_problem() or key not in kept}
    wanted |= {setting.key: texts_of(setting) for setting in settings if is_in_links(setting)}
    length = len(urlencode({**there, **wanted}, doseq=True))
    too_long: set[str] = st.session_state.setdefault(_TOO_LONG, set())
    if length <= limits.LINK_LENGTH.high:
        too_long.discard(name)
    else:
        wanted = {key: [] for key in wanted}
        if name not in too_long:
            too_long.add(name)
            has = f"A link with it would have {link.length_words(length)}"
            link.set_notes(f"{has}: the address of this page holds no settings now.", of=link.TYPED_TEXT)
            st.rerun()  # to show the note
    changed = {key: texts for key, texts in wanted.items() if there.get(key, []) != texts}
    if changed or not link.was_sent():
        has_turned = chapter is not None and chapter.key in changed and link.was_sent()
        link.set_many(changed, name, entry=has_turned)
    else:
        link.send_again(name)


def clamp(settings: Iterable[Setting]) -> None:
    """Move numbers that are outside of their range for this data set to the nearest end, with a message for each."""
    values = here()
    for setting in settings:
        if isinstance(setting, Number) and values.is_outside(setting):
            put(setting, values[setting])
            st.toast(f"“{setting.label}” is now {values[setting]:.8g}, the end of its range here.")


def widget_arguments(setting: Setting, default: str = "default") -> dict[str, Any]:
    """Return keyword arguments for a widget of Streamlit, so that it shows a setting's value and puts a changed one.

    `default` is the name of the widget's parameter for its first value; with "index" that is the number of an option.
    """
    value, key = get(setting), setting.key
    value = list(value) if isinstance(value, tuple) else value
    options = {"key": key, "on_change": _put_from_widget, "args": (setting,)}
    if key in st.session_state and st.session_state[key] != value:
        st.session_state[key] = value  # not otherwise: it would overwrite what the visitor is typing
        return options
    # Also for a widget that is there already: a browser that renders it anew begins with this value.
    first = setting.options.index(value) if default == "index" and isinstance(setting, Choice) else value
    return options | {default: first}


def _put_from_widget(setting: Setting) -> None:
    """Set a setting to the value of its widget; an emptied box for a number changes nothing."""
    if (value := st.session_state[setting.key]) is not None:
        put(setting, value)


def _bad_parameters(settings: Sequence[Setting]) -> dict[str, str]:
    """Return what is wrong with each parameter of the address by its key: it is unknown, or invalid."""
    if link.length_problem():
        return {}
    given = link.parameters()
    for setting in settings:
        if isinstance(setting, Choice) and setting.key in given:
            given[setting.key] = setting.options_in(given[setting.key])
    return problems(settings, given)

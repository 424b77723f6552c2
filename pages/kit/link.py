"""The settings of a page in its address: read, checked, set back, and copied.

A link with a bad value is no error: the value is ignored and a note says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.kit.settings import Choice, Setting, problems
from privdemo import limits
from server.streamlit_internals import is_history_navigation, remove_from_address, set_in_address, unbind_from_address

# Notes that are shown on a link, and how that is called.
_MOST_NOTES, _THIS_LINK, _TYPED_TEXT = 5, "this link", "what was typed"
NOTES, PENDING_NUMBERS, _PAGE = "link_notes", "assigned_later", "page_on_screen"
_TO_WRITE = "kept_unseen"
_RESET_PENDING = "reset_asked"
# On which page a setting was last, by its key; and the values that pages left behind, by page and key.
_LAST_PAGE_OF, _VALUES_OF_PAGES = "settings_last_on", "settings_kept"

_address_component = st.components.v2.component(
    "privdemo_address",
    js="""
export default function ({ data }) {
  const url = new URL(window.location.href);
  for (const [key, values] of Object.entries(data.values)) {
    if (url.searchParams.getAll(key).join("\\n") === values.join("\\n")) continue;
    url.searchParams.delete(key);
    for (const value of values) url.searchParams.append(key, value);
  }
  if (url.href !== window.location.href) window.history.replaceState(window.history.state, "", url);
}
""",
)
_copy_component = st.components.v2.component(
    "privdemo_copy_link",
    html='<button type="button">Copy link</button><span role="status"></span>',
    css="""
button { font: 0.875rem var(--st-font); color: inherit; background: var(--st-background-color); cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 0.5rem);
  padding: 0.25rem 0.75rem; min-height: 2.5rem; white-space: nowrap; }
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
""",
    # The clipboard may be refused (plain http, an old browser): then the address is shown to copy by hand.
    js="""
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("span");
  button.onclick = async () => {
    const link = new URL(window.location.href);
    link.searchParams.delete("job"); // of this moment, not of the settings
    for (const [key, value] of Object.entries(data)) link.searchParams.set(key, value);
    try {
      await navigator.clipboard.writeText(link.href);
      button.textContent = status.textContent = "Link copied";
    } catch {
      window.prompt("Copy this link:", link.href);
    }
    setTimeout(() => { button.textContent = "Copy link"; status.textContent = ""; }, 2000);
  };
}
""",
)


def page_at(address: str, title: str = "there") -> StreamlitPage:
    """Some page of the site, known by its address alone: a link needs no more of it."""
    return st.Page(_do_nothing, title=title, url_path=address or "home", default=not address)


def _do_nothing() -> None:
    """Stand for a page that is elsewhere."""


def copy_button(more: Mapping[str, str]) -> None:
    """Render a button that copies the page's address, settings included, and what the link is to ask `more`."""
    _copy_component(key="copy-link", data=dict(more), width="content")


def write(key: str, value: str) -> None:
    """Have the browser keep `value` under `key` in the address, or drop the key for an empty one.

    Unlike `st.query_params` this makes no entry in the browser's history, where the way back would lead through all.
    """
    _write_in_browser(key, {key: [value] if value else []})


def _write_in_browser(name: str, values: Mapping[str, Sequence[str]]) -> None:
    # Without something new the browser would not look again at an address that has changed since.
    _address_component(key=f"address-{name}", data={"values": values, "now": time.monotonic()}, width="content")


def current(setting: Setting) -> Any:
    """The setting as it will be: from the session, else from a good link, else the default."""
    if setting.key in st.session_state and not (_is_in_links(setting) and is_history_navigation()):
        return st.session_state[setting.key]
    return _value_in_address(setting)


def _value_in_address(setting: Setting) -> Any:
    """What the address says of a setting: the default unless something good stands there."""
    raw = st.query_params.get_all(setting.key)
    if isinstance(setting, Choice):
        raw = setting.split_lists(raw)
    if not raw or setting.problem(raw):
        return setting.default
    value = setting.value(raw)
    return tuple(value) if isinstance(value, list) else value


def _is_in_links(setting: Setting) -> bool:
    return not isinstance(setting, Choice) or setting.in_link


def keep_hidden(setting: Setting) -> Any:
    """The value of a setting that has no widget on the screen; it stays in the address, as far as it belongs there.

    Streamlit takes a setting out of the address together with its widget, unless it is told that they are unbound.
    """
    state, key = st.session_state, setting.key
    value = state[PENDING_NUMBERS].pop(key) if key in state.get(PENDING_NUMBERS, {}) else current(setting)
    value = tuple(value) if isinstance(value, list) else value
    if isinstance(setting, Choice) and not {*(value if setting.many else [value])}.issubset(setting.options):
        value = setting.default  # other records, other options
    state[key] = list(value) if isinstance(value, tuple) else value
    if _is_in_links(setting):
        unbind_from_address(key)
        if _value_in_address(setting) != value:
            state.setdefault(_TO_WRITE, {})[key] = _texts_in_address(setting, value)
    return value


def rewrite_in_address(setting: Setting) -> None:
    """Have the browser write a setting into the address again, where something late may have overwritten it."""
    st.session_state.setdefault(_TO_WRITE, {})[setting.key] = _texts_in_address(setting, st.session_state[setting.key])


def flush_to_address(name: str) -> None:
    """Have the browser write into the address what `keep_hidden` and `rewrite_in_address` collected."""
    if kept := st.session_state.pop(_TO_WRITE, None):
        _put_in_address(kept, quietly=True, name=name)


def separate_pages(settings: Iterable[Setting], page: str) -> bool:
    """Let every page have values of its own where pages have settings of the same name; they come back with the page.

    Streamlit hands the value of a setting that is in the address on to the next page that has one of that name.
    Says whether that changed what the settings are made from.
    """
    last_on = st.session_state.setdefault(_LAST_PAGE_OF, {})
    kept = st.session_state.setdefault(_VALUES_OF_PAGES, {})
    back: dict[str, list[str]] = {}
    changed = False
    for setting in settings:
        key = setting.key
        other, last_on[key] = last_on.get(key, page), page
        if other == page:
            continue
        changed = True
        if key in st.session_state:
            value = st.session_state[key]
            kept[other, key] = tuple(value) if isinstance(value, list) else value
            del st.session_state[key]
        texts = _texts_in_address(setting, kept.get((page, key), setting.default))
        if texts and key not in st.query_params:
            back[key] = texts
    if back:
        _put_in_address(back, quietly=not st.query_params)
    return changed


def enter_page(page: str) -> None:
    """Let go of the notes on a link to another page than this one."""
    if st.session_state.get(_PAGE) != page:
        dismiss_notes()
        st.session_state[_PAGE] = page


def check(settings: Iterable[Setting], page: str) -> None:
    """Take every bad parameter out of the address of `page`, and show a note on each until it is dismissed.

    It runs before the widgets, which would take some bad values for good ones (a seed of 1.5 for 1).
    """
    enter_page(page)
    _refuse_long()
    known = list(settings)
    keys = {setting.key for setting in known}
    _split_lists(known)
    # What a widget has taken from the link is the widget's own by now, until the visitor goes back to another.
    taken = set() if is_history_navigation() else {key for key in keys if key in st.session_state}
    bad = problems(known, {key: texts for key, texts in _in_address().items() if key not in taken})
    if bad:
        remove_from_address(bad)
        set_notes(*bad.values(), of=_THIS_LINK)
    if notes := st.session_state.get(NOTES):
        with st.container(key="link-notes"):
            for of, sentences in notes.items():
                st.warning(
                    f"Part of {of} could not be used.\n\n" + "\n".join(f"- {sentence}" for sentence in sentences)
                )
            st.button("Dismiss", on_click=dismiss_notes)


def _in_address() -> dict[str, list[str]]:
    """Return what stands in the address by its key, but for an empty key, which Streamlit does not take out."""
    return {key: st.query_params.get_all(key) for key in st.query_params if key}


def _refuse_long() -> None:
    """Take everything out of an address that is too long to be looked into, and show a note."""
    length = len(urlencode(_in_address(), doseq=True))
    if not limits.LINK_BYTES.contains(max(1, length)):
        # What a widget has taken was typed into it, unless the visitor goes back to a link.
        is_typed = not is_history_navigation() and any(key in st.session_state for key in _in_address())
        remove_from_address(list(_in_address()))
        has = f"{length:,} characters, {limits.LINK_BYTES.high:,} are allowed"
        if is_typed:
            set_notes(f"A link with it would have {has}: no setting stands in it.", of=_TYPED_TEXT)
        else:
            set_notes(f"It has {has}: none of its settings was used.", of=_THIS_LINK)
        st.rerun()  # the settings were made from it


def _split_lists(settings: Iterable[Setting]) -> None:
    """Split values such as “0,1,2” in the address, before a widget looks for an option of that name.

    A widget that has a value keeps it, unless the visitor goes back to an older link.
    """
    split = {}
    for setting in settings:
        if isinstance(setting, Choice) and setting.in_link and setting.key in st.query_params:
            raw = st.query_params.get_all(setting.key)
            parts = setting.split_lists(raw)
            if parts != raw and not setting.problem(parts):
                is_set = setting.key in st.session_state and not is_history_navigation()
                value = st.session_state[setting.key] if is_set else setting.value(parts)
                split[setting.key] = _texts_in_address(setting, value)
    if split:
        _put_in_address(split, quietly=True)


def _texts_in_address(setting: Setting, value: Any) -> list[str]:
    """What an address holds for a value: nothing for the default."""
    texts = tuple(value) if isinstance(value, list | tuple) else (value,)
    default = setting.default if isinstance(setting.default, tuple) else (setting.default,)
    return [] if texts == default else [str(text) for text in texts]


def _put_in_address(values: Mapping[str, list[str]], quietly: bool, name: str = "put") -> None:
    """Put values into the address, where widgets that are rendered next find theirs; a key without texts is dropped.

    Streamlit's own message makes an entry in the browser's history, except on the way back; `quietly` none is made.
    """
    send = not quietly or is_history_navigation()
    set_in_address(values, send)
    if not send:
        _write_in_browser(name, values)


def dismiss_notes() -> None:
    """Take the notes on the link off the screen."""
    st.session_state.pop(NOTES, None)


def add_note(sentence: str) -> None:
    """Show from now on what else of the link could not be used."""
    st.session_state.setdefault(NOTES, {}).setdefault(_THIS_LINK, []).append(sentence)
    st.rerun()


def set_notes(*sentences: str, of: str) -> None:
    """Show from now on what could not be used `of` a link, a file or a lecture; of many notes only the first few."""
    if sentences:
        more = len(sentences) - _MOST_NOTES
        notes = [*sentences[:_MOST_NOTES], *([f"and {more:,} more"] if more > 0 else [])]
        st.session_state.setdefault(NOTES, {})[of] = notes


def reset(settings: Iterable[Setting]) -> None:
    """Set settings back to their defaults, which also takes them out of the address."""
    for setting in settings:
        default = setting.default
        st.session_state[setting.key] = list(default) if isinstance(default, tuple) else default


def reset_page(settings: Iterable[Setting]) -> None:
    """Set settings back to their defaults; in the next run `reopen_after_reset` clears the address of them."""
    reset(settings)
    st.session_state[_RESET_PENDING] = True


def reopen_after_reset(settings: Callable[[], Iterable[Setting]], page: str) -> None:
    """Once after a reset: open `page` anew without its settings in the address; all else there stays.

    Streamlit takes a setting out of the address only while its widget is on screen. One of a chapter just left would
    stay if the reset came before the browser had heard that the chapter is left.
    """
    if st.session_state.pop(_RESET_PENDING, False):
        ours = {setting.key for setting in settings()}
        rest = {key: st.query_params.get_all(key) for key in st.query_params if key not in ours}
        st.switch_page(page_at(page), query_params=rest)


def set_from_texts(settings: Iterable[Setting], given: Mapping[str, Any]) -> None:
    """Set settings to what an address would hold of them, as its text or texts."""
    for setting in settings:
        if setting.key in given:
            raw = given[setting.key]
            st.session_state[setting.key] = setting.value([raw] if isinstance(raw, str) else list(raw))


def set_choices(values: Mapping[Choice, Any]) -> None:
    """Set choices, as a preset does."""
    for choice, value in values.items():
        st.session_state[choice.key] = value


def set_numbers(values: Mapping[str, Any]) -> None:
    """Set numbers whose widgets may not be on screen yet, as a preset does.

    A widget takes its first value from the link or its default, and only a change after that reaches the address. So a
    value for a widget that comes on screen with the next run is given to it in the run after (see `inputs.number`).
    """
    st.session_state.setdefault(PENDING_NUMBERS, {}).update(values)

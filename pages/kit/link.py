"""Read, check, reset and copy the settings in the address of a page.

A bad value in a link is no error: it is ignored, and a note on the page says so.
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

# The most notes shown for one source, and what notes call the sources.
_MOST_NOTES, _THIS_LINK, _TYPED_TEXT = 5, "this link", "what was typed"
NOTES, PENDING_NUMBERS, _PAGE = "link_notes", "assigned_later", "page_on_screen"
_TO_WRITE = "kept_unseen"
_RESET_PENDING = "reset_asked"
# The page that last had each setting, by the setting's key; and the values on other pages, by page and key.
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
    """Return a page for Streamlit's links and `switch_page`, which use only its address."""
    return st.Page(_do_nothing, title=title, url_path=address or "home", default=not address)


def _do_nothing() -> None:
    """Stand in for the script of a page that is only linked to."""


def copy_button(more: Mapping[str, str]) -> None:
    """Render a button that copies the page's address with its settings; `more` are parameters to add."""
    _copy_component(key="copy-link", data=dict(more), width="content")


def write(key: str, value: str) -> None:
    """Have the browser set `key` to `value` in the address; an empty value removes the key.

    Unlike `st.query_params` this adds no entry to the browser's history, so that the back button does not step through
    every change.
    """
    _write_in_browser(key, {key: [value] if value else []})


def _write_in_browser(name: str, values: Mapping[str, Sequence[str]]) -> None:
    # The time makes the data new: with the same data as before, the component would not run again.
    _address_component(key=f"address-{name}", data={"values": values, "now": time.monotonic()}, width="content")


def current(setting: Setting) -> Any:
    """Return the value of a setting: from the session, else from a valid link, else the default."""
    if setting.key in st.session_state and not (_is_in_links(setting) and is_history_navigation()):
        return st.session_state[setting.key]
    return _value_in_address(setting)


def _value_in_address(setting: Setting) -> Any:
    """Return the value of a setting in the address, or its default if that is missing or invalid."""
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
    """Return the value of a setting whose widget is not rendered, and keep it in the session and in the address.

    Streamlit removes a parameter from the address together with its widget, unless the two are unbound first.
    """
    state, key = st.session_state, setting.key
    value = state[PENDING_NUMBERS].pop(key) if key in state.get(PENDING_NUMBERS, {}) else current(setting)
    value = tuple(value) if isinstance(value, list) else value
    if isinstance(setting, Choice) and not {*(value if setting.many else [value])}.issubset(setting.options):
        value = setting.default  # the options differ for another data set
    state[key] = list(value) if isinstance(value, tuple) else value
    if _is_in_links(setting):
        unbind_from_address(key)
        if _value_in_address(setting) != value:
            state.setdefault(_TO_WRITE, {})[key] = _texts_in_address(setting, value)
    return value


def rewrite_in_address(setting: Setting) -> None:
    """Have the browser write a setting again, as a late message may have overwritten it in the address."""
    st.session_state.setdefault(_TO_WRITE, {})[setting.key] = _texts_in_address(setting, st.session_state[setting.key])


def flush_to_address(name: str) -> None:
    """Have the browser write the values that `keep_hidden` and `rewrite_in_address` collected.

    `name` keys the component that writes; it must be unique on the page.
    """
    if kept := st.session_state.pop(_TO_WRITE, None):
        _put_in_address(kept, quietly=True, name=name)


def separate_pages(settings: Iterable[Setting], page: str) -> bool:
    """Give settings with the same key on several pages a value for each page, restored when the visitor returns.

    Streamlit passes the value of a setting in the address on to the next page that has one with the same key. Return
    whether a value changed, on which ranges of other settings may depend.
    """
    last_on = st.session_state.setdefault(_LAST_PAGE_OF, {})
    kept = st.session_state.setdefault(_VALUES_OF_PAGES, {})
    restored: dict[str, list[str]] = {}
    changed = False
    for setting in settings:
        key = setting.key
        last_page, last_on[key] = last_on.get(key, page), page
        if last_page == page:
            continue
        changed = True
        if key in st.session_state:
            value = st.session_state[key]
            kept[last_page, key] = tuple(value) if isinstance(value, list) else value
            del st.session_state[key]
        texts = _texts_in_address(setting, kept.get((page, key), setting.default))
        if texts and key not in st.query_params:
            restored[key] = texts
    if restored:
        _put_in_address(restored, quietly=not st.query_params)
    return changed


def enter_page(page: str) -> None:
    """Remove the notes of the page that was shown before, if that was another one."""
    if st.session_state.get(_PAGE) != page:
        dismiss_notes()
        st.session_state[_PAGE] = page


def check(settings: Iterable[Setting], page: str) -> None:
    """Remove every invalid parameter from the address of `page`, and show a note on each until it is dismissed.

    Call it before the widgets are rendered, as some accept values that are invalid here (a seed of 1.5 as 1).
    """
    enter_page(page)
    _refuse_long()
    known = list(settings)
    keys = {setting.key for setting in known}
    _split_lists(known)
    # A widget that is set no longer reads the address, unless the visitor used the back or forward button.
    already_set = set() if is_history_navigation() else {key for key in keys if key in st.session_state}
    bad = problems(known, {key: texts for key, texts in _in_address().items() if key not in already_set})
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
    """Return the parameters of the address; without the empty key, which Streamlit cannot remove."""
    return {key: st.query_params.get_all(key) for key in st.query_params if key}


def _refuse_long() -> None:
    """Remove all parameters of an address that is too long to be parsed, and show a note."""
    length = len(urlencode(_in_address(), doseq=True))
    if not limits.LINK_BYTES.contains(max(1, length)):
        # If a widget is set, the text was typed into it, unless the visitor used the back or forward button.
        is_typed = not is_history_navigation() and any(key in st.session_state for key in _in_address())
        remove_from_address(list(_in_address()))
        most = int(limits.ADDRESS_BYTES.high)  # what a browser sends is cut to one more
        shown = f"{length:,}" if length <= most else f"more than {most:,}"
        has = f"{shown} characters, {limits.LINK_BYTES.high:,} are allowed"
        if is_typed:
            set_notes(
                f"A link with it would have {has}: the address of this page holds no settings now.", of=_TYPED_TEXT
            )
        else:
            set_notes(f"It has {has}: none of its settings was used.", of=_THIS_LINK)
        st.rerun()  # settings were already computed from the address


def _split_lists(settings: Iterable[Setting]) -> None:
    """Split values such as “0,1,2” in the address before a widget looks for an option of that name.

    A widget that is set keeps its value, unless the visitor used the browser's back or forward button.
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
    """Return the texts that represent a value in the address; an empty list for the default."""
    texts = tuple(value) if isinstance(value, list | tuple) else (value,)
    default = setting.default if isinstance(setting.default, tuple) else (setting.default,)
    return [] if texts == default else [str(text) for text in texts]


def _put_in_address(values: Mapping[str, list[str]], quietly: bool, name: str = "put") -> None:
    """Put values into the address, where widgets that are rendered next read them; a key without texts is removed.

    Streamlit's own message adds an entry to the browser's history, except after the back button; with `quietly` none is
    added.
    """
    send = not quietly or is_history_navigation()
    set_in_address(values, send)
    if not send:
        _write_in_browser(name, values)


def dismiss_notes() -> None:
    """Remove all notes."""
    st.session_state.pop(NOTES, None)


def add_note(sentence: str) -> None:
    """Add a note on the link, and rerun the script to show it."""
    st.session_state.setdefault(NOTES, {}).setdefault(_THIS_LINK, []).append(sentence)
    st.rerun()


def set_notes(*sentences: str, of: str) -> None:
    """Replace the notes `of` a link, a file or a lecture; of many sentences only the first few are shown."""
    if sentences:
        more = len(sentences) - _MOST_NOTES
        notes = [*sentences[:_MOST_NOTES], *([f"and {more:,} more"] if more > 0 else [])]
        st.session_state.setdefault(NOTES, {})[of] = notes


def reset(settings: Iterable[Setting]) -> None:
    """Set settings to their defaults, which also removes them from the address."""
    for setting in settings:
        default = setting.default
        st.session_state[setting.key] = list(default) if isinstance(default, tuple) else default


def reset_page(settings: Iterable[Setting]) -> None:
    """Set settings to their defaults; in the next run `reopen_after_reset` removes them from the address."""
    reset(settings)
    st.session_state[_RESET_PENDING] = True


def reopen_after_reset(settings: Callable[[], Iterable[Setting]], page: str) -> None:
    """After a reset, open `page` once more without its settings in the address; other parameters stay.

    Streamlit removes a parameter only while its widget is rendered. One of a chapter that was just left would stay if
    the reset arrived before the browser processed the change of chapter.
    """
    if st.session_state.pop(_RESET_PENDING, False):
        keys = {setting.key for setting in settings()}
        rest = {key: st.query_params.get_all(key) for key in st.query_params if key not in keys}
        st.switch_page(page_at(page), query_params=rest)


def set_from_texts(settings: Iterable[Setting], texts: Mapping[str, Any]) -> None:
    """Set settings from the text or texts that an address would hold."""
    for setting in settings:
        if setting.key in texts:
            raw = texts[setting.key]
            st.session_state[setting.key] = setting.value([raw] if isinstance(raw, str) else list(raw))


def set_choices(values: Mapping[Choice, Any]) -> None:
    """Set choices, for a preset."""
    for choice, value in values.items():
        st.session_state[choice.key] = value


def set_numbers(values: Mapping[str, Any]) -> None:
    """Set numbers whose widgets may not be rendered yet, for a preset.

    A widget takes its first value from the link or its default, and only later changes reach the address. So the value
    of a widget that first appears in the next run is set in the run after that (see `inputs.number`).
    """
    st.session_state.setdefault(PENDING_NUMBERS, {}).update(values)

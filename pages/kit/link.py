"""Read and write the address of a page, copy it as a link, and show notes on what is wrong with it.

A bad value in a link is no error: it is ignored, and a note on the page says so.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from privdemo import limits
from server.streamlit_internals import set_in_address

NOTES = "link_notes"
# The most notes shown for one source, and what notes call the sources.
_MOST_NOTES, THIS_LINK, TYPED_TEXT = 5, "this link", "what was typed"

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


def parameters() -> dict[str, list[str]]:
    """Return the texts in the address by their keys; without the empty key, which no page has."""
    return {key: st.query_params.get_all(key) for key in st.query_params if key}


def write(key: str, value: str) -> None:
    """Set `key` to `value` in the address; an empty value removes the key."""
    put({key: [value] if value else []}, key)


def put(texts: Mapping[str, Sequence[str]], name: str) -> None:
    """Set keys in the address, for this run and in the browser; a key without texts is removed.

    Unlike `st.query_params` this adds no entry to the browser's history, so that the back button does not step through
    every change. `name` keys the component that writes; it must be unique on the page.
    """
    set_in_address({key: list(each) for key, each in texts.items()})
    # The time makes the data new: with the same data as before, the component would not run again.
    _address_component(key=f"address-{name}", data={"values": texts, "now": time.monotonic()}, width="content")


def too_long() -> str:
    """Return a sentence about the length of the address if it is too long to be read, else an empty text."""
    length = len(urlencode(parameters(), doseq=True))
    return "" if length <= limits.LINK_BYTES.high else f"It has {length_words(length)}: none of its settings was used."


def length_words(length: int) -> str:
    """Return how many characters a link has, and how many are allowed."""
    most = int(limits.ADDRESS_BYTES.high)  # what a browser sends is cut to one more
    shown = f"{length:,}" if length <= most else f"more than {most:,}"
    return f"{shown} characters, {limits.LINK_BYTES.high:,} are allowed"


def show_notes() -> None:
    """Render the notes, and a button to remove them."""
    if notes := st.session_state.get(NOTES):
        with st.container(key="link-notes"):
            for of, sentences in notes.items():
                st.warning(
                    f"Part of {of} could not be used.\n\n" + "\n".join(f"- {sentence}" for sentence in sentences)
                )
            st.button("Dismiss", on_click=dismiss_notes)


def dismiss_notes() -> None:
    """Remove all notes."""
    st.session_state.pop(NOTES, None)


def add_note(sentence: str) -> None:
    """Add a note on the link, and rerun the script to show it."""
    st.session_state.setdefault(NOTES, {}).setdefault(THIS_LINK, []).append(sentence)
    st.rerun()


def set_notes(*sentences: str, of: str) -> None:
    """Replace the notes `of` a link, a file or a lecture; of many sentences only the first few are shown."""
    if sentences:
        more = len(sentences) - _MOST_NOTES
        notes = [*sentences[:_MOST_NOTES], *([f"and {more:,} more"] if more > 0 else [])]
        st.session_state.setdefault(NOTES, {})[of] = notes

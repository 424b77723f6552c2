"""Read and write the address of a page, copy it as a link, and show notes on what is wrong with it.

A bad value in a link is no error: it is ignored, and a note on the page says so.

Streamlit's browser reads its address only when a page is opened or the back or forward button is used, and sends that
with every run, whatever has been written since. So the address is kept in the session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from privdemo import limits
from server.streamlit_internals import session_name, set_in_address

NOTES = "link_notes"
# Keys in the session state: the texts in the address by their keys, those that the browser sent when it was last read,
# and what was last sent to the browser, with the count of the changes.
_ADDRESS, _READ, _SENT = "address", "address_read", "address_sent"
# The most notes shown for one source, and what notes call the sources.
_MOST_NOTES, THIS_LINK, TYPED_TEXT = 5, "this link", "what was typed"

_address_component = st.components.v2.component(
    "privdemo_address",
    js="""
export default function ({ data }) {
  // A component may run again with its old data, for example when it is moved: only newer data is written.
  const last = globalThis.privdemoAddress;
  if (last?.session === data.session && data.count <= last.count) return;
  globalThis.privdemoAddress = data;
  // After a reconnection to another server, that has read an address of earlier: have it read the one of now.
  const isOurs = (key) => !["embed", "embed_options"].includes(key.toLowerCase()); // the others are Streamlit's
  const now = [...new URLSearchParams(window.location.search)].filter(([key]) => isOurs(key));
  if (last && last.session !== data.session && `${now.sort()}` !== `${data.read.sort()}`) {
    window.dispatchEvent(new PopStateEvent("popstate"));
    return;
  }
  const url = new URL(window.location.href);
  for (const key of new Set(url.searchParams.keys())) if (isOurs(key)) url.searchParams.delete(key);
  for (const [key, value] of data.address) url.searchParams.append(key, value);
  if (url.href === window.location.href) return;
  if (data.entry) window.history.pushState(window.history.state, "", url);
  else window.history.replaceState(window.history.state, "", url);
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


def read() -> None:
    """Read the address that the browser sends: when a page is opened, or the back or forward button is used."""
    found = {key: st.query_params.get_all(key) for key in st.query_params if key}  # no page has the empty key
    st.session_state[_ADDRESS], st.session_state[_READ] = found, found


def parameters() -> dict[str, list[str]]:
    """Return the texts in the address by their keys."""
    if _ADDRESS not in st.session_state:
        read()
    return dict(st.session_state[_ADDRESS])


def set_with_history(key: str, value: str) -> None:
    """Set `key` to `value` with an entry in the browser's history; an empty value removes the key."""
    there = parameters()
    _set_for_this_run(there)
    if value:
        st.query_params[key] = value
    elif key in st.query_params:
        del st.query_params[key]
    st.session_state[_ADDRESS] = {**there, key: [value]} if value else {k: v for k, v in there.items() if k != key}


def set_one(key: str, value: str) -> None:
    """Set `key` to `value` in the address; an empty value removes the key."""
    set_many({key: [value] if value else []}, key)


def set_unsent(key: str, value: str) -> None:
    """Set `key` to `value` in the address, for this run; the browser gets it from `send_again` at the run's end."""
    _set({key: [value] if value else []}, entry=False)


def set_many(texts: Mapping[str, Sequence[str]], name: str, *, entry: bool = False) -> None:
    """Set keys in the address, for this run and in the browser; a key without texts is removed.

    Unlike `st.query_params` this adds no entry to the browser's history, so that the back button does not step through
    every change, unless an `entry` is wanted. `name` keys the component that writes; it must be unique on the page.
    """
    _set(texts, entry=entry)
    send_again(name)


def _set(texts: Mapping[str, Sequence[str]], *, entry: bool) -> None:
    there = parameters() | {key: list(each) for key, each in texts.items()}
    st.session_state[_ADDRESS] = there = {key: each for key, each in there.items() if each}
    _set_for_this_run(there)
    count = st.session_state[_SENT]["count"] + 1 if _SENT in st.session_state else 1
    data = {"session": session_name(), "count": count}
    data |= {"address": _pairs(there), "read": _pairs(st.session_state[_READ]), "entry": entry}
    st.session_state[_SENT] = data


def send_again(name: str) -> None:
    """Send the last change to the browser once more, which ignores it if it has it.

    When a run begins, Streamlit drops what the run before it has not sent yet.
    """
    _address_component(key=f"address-{name}", data=st.session_state[_SENT], width="content")


def _pairs(texts: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return each key and text of an address."""
    return [[key, text] for key, each in texts.items() for text in each]


def _set_for_this_run(texts: Mapping[str, Sequence[str]]) -> None:
    """Set the address that Streamlit reads in this run."""
    set_in_address({key: list(texts.get(key, [])) for key in {**dict(st.query_params), **texts} if key})


def was_sent() -> bool:
    """Return whether an address was sent in this session; if not, the browser may have to compare its own."""
    return _SENT in st.session_state


def length_problem() -> str:
    """Return a sentence about the length of the address if it is too long to be read, else an empty text."""
    length = len(urlencode(parameters(), doseq=True))
    return "" if length <= limits.LINK_LENGTH.high else f"It has {length_words(length)}: none of its settings was used."


def length_words(length: int) -> str:
    """Return how many characters a link has, and how many are allowed."""
    most = int(limits.ADDRESS_BYTES.high)  # what a browser sends is cut to one more
    shown = f"{length:,}" if length <= most else f"more than {most:,}"
    return f"{shown} characters, {limits.LINK_LENGTH.high:,} are allowed"


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
    """Replace the notes `of` a link, a file or a lecture; without sentences, leave them as they are.

    Of many sentences only the first few are shown.
    """
    if sentences:
        more = len(sentences) - _MOST_NOTES
        notes = [*sentences[:_MOST_NOTES], *([f"and {more:,} more"] if more > 0 else [])]
        st.session_state.setdefault(NOTES, {})[of] = notes

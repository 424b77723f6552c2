"""A button that copies the page's address, settings included."""

from __future__ import annotations

import streamlit as st

_component = st.components.v2.component(
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
export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("span");
  button.onclick = async () => {
    const link = new URL(window.location.href);
    link.searchParams.delete("job"); // of this moment, not of the settings
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


def copy_link() -> None:
    """Mount the button."""
    _component(key="copy-link", width="content")

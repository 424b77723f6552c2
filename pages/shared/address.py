"""A parameter of the page's address that no visitor sets."""

from __future__ import annotations

import time

import streamlit as st

_component = st.components.v2.component(
    "privdemo_address",
    js="""
export default function ({ data }) {
  const url = new URL(window.location.href);
  if ((url.searchParams.get(data.key) ?? "") === data.value) return;
  if (data.value) url.searchParams.set(data.key, data.value);
  else url.searchParams.delete(data.key);
  window.history.replaceState(window.history.state, "", url);
}
""",
)


def write(key: str, value: str) -> None:
    """Have the browser keep `value` under `key`, or nothing.

    Unlike `st.query_params` this makes no entry in the browser's history, where the way back would lead through all.
    """
    # Without something new the browser would not look again at an address that has changed since.
    _component(key=f"address-{key}", data={"key": key, "value": value, "now": time.monotonic()}, width="content")

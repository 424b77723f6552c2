"""Make a small HTML page of one sentence, for light and dark screens, where no page of the app is the answer."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import HTMLResponse

_STYLE = """
:root { color-scheme: light dark; }
body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1.125rem/1.5 system-ui, sans-serif;
  background: light-dark(#ffffff, #0e1117); color: light-dark(#1b1f27, #e8eaee); }
a { color: light-dark(#0077bb, #3a9ad9); }
h1 { font-size: 1.5rem; }
"""


def page(title: str, words: str, status: int, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """Return an answer with a `title` and `words`, which are HTML."""
    return HTMLResponse(
        f'<!DOCTYPE html><html lang="en"><title>privdemo: {title.lower()}</title>'
        '<meta name="viewport" content="width=device-width"><meta charset="utf-8">'
        f"<style>{_STYLE}</style><body><h1>{title}</h1><p>{words}</p></body></html>",
        status,
        headers,
    )

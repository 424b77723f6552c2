"""Make a small HTML page of a sentence, for light and dark screens, where no page of the app is the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from starlette.responses import HTMLResponse

_STYLE = """
:root { color-scheme: light dark; }
body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1.125rem/1.5 system-ui, sans-serif;
  background: light-dark(#ffffff, #0e1117); color: light-dark(#1b1f27, #e8eaee); }
a { color: light-dark(#0077bb, #3a9ad9); }
h1 { font-size: 1.5rem; }
"""


@dataclass(frozen=True)
class Words:
    """What a page says in a language: a `title` and a sentence, `html`."""

    title: str
    html: str
    language: str = "en"

    def with_english(self, html: str) -> Words:
        """Return these words with a paragraph in English below them."""
        return replace(self, html=f'{self.html}<p lang="en">{html}')


def page(words: Words, status: int, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """Return an answer that says `words`."""
    return HTMLResponse(
        f'<!DOCTYPE html><html lang="{words.language}"><title>privdemo: {words.title.lower()}</title>'
        '<meta name="viewport" content="width=device-width"><meta charset="utf-8">'
        f"<style>{_STYLE}</style><body><h1>{words.title}</h1><p>{words.html}</p></body></html>",
        status,
        {"Content-Language": words.language, "Vary": "Accept-Language", **(headers or {})},
    )

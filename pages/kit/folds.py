"""Read the folded texts at the end of a page: Markdown files with {names} that are replaced by values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

HOW, ADVERSARY, CAVEATS, CODE = (
    "How it works",
    "What others see",
    "Limits",
    "For programmers",
)


def fill(words: str, **values: object) -> str:
    """Replace {names} in a text by `values`; other braces, as in formulas, stay.

    Raise ``KeyError`` for a value whose name is not in the text, so that text and code agree.
    """
    if absent := [name for name in values if f"{{{name}}}" not in words]:
        raise KeyError(f"the text has no place for {', '.join(absent)}")
    return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], found[0])), words)


def read(file: Path, **values: object) -> str:
    """Read a Markdown file and `fill` it."""
    return fill(file.read_text(encoding="utf-8"), **values)


def folds(how: str, adversary: str, caveats: str, code: str = "") -> Mapping[str, str]:
    """Return the folded texts of a page in order, by title."""
    by_title = {HOW: how, ADVERSARY: adversary, CAVEATS: caveats}
    return by_title | {CODE: code} if code else by_title


# Code and formulas, in which < must not be escaped.
_VERBATIM = re.compile(r"(```.*?```|`[^`]*`|\$[^$]*\$)", re.DOTALL)


def in_details(contents: Mapping[str, str]) -> str:
    """Return Markdown with the texts folded under their titles; HTML in them is escaped."""
    parts = (
        f'<details class="fold"><summary>{escape(title)}</summary>\n\n{_escape_tags(words.strip())}\n\n</details>'
        for title, words in contents.items()
    )
    return "\n\n".join(parts)


def _escape_tags(markdown: str) -> str:
    """Return Markdown in which HTML tags are escaped."""
    between = _VERBATIM.split(markdown)
    between[::2] = [re.sub(r"<(?=[A-Za-z/!?])", r"\\<", words) for words in between[::2]]
    return "".join(between)

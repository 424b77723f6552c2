"""The words that stand folded away at a page's end: Markdown files with {names} to fill in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

HOW, ADVERSARY, CAVEATS, CODE = (
    "How it works",
    "What the adversary sees",
    "Caveats",
    "Code that reproduces this",
)


def fill(words: str, **values: object) -> str:
    """Put `values` where {their names} stand; other braces, as in formulas, stay.

    Raises ``KeyError`` for a name that does not stand there: words and numbers must not drift apart.
    """
    if absent := [name for name in values if f"{{{name}}}" not in words]:
        raise KeyError(f"the text has no place for {', '.join(absent)}")
    return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], found[0])), words)


def read(file: Path, **values: object) -> str:
    """Read a Markdown file and `fill` it."""
    return fill(file.read_text(encoding="utf-8"), **values)


def folds(how: str, adversary: str, caveats: str, code: str = "") -> Mapping[str, str]:
    """The folds of a page in their order, by title."""
    found = {HOW: how, ADVERSARY: adversary, CAVEATS: caveats}
    return found | {CODE: code} if code else found


# Code and formulas, in which a < is a <.
_VERBATIM = re.compile(r"(```.*?```|`[^`]*`|\$[^$]*\$)", re.DOTALL)


def in_details(contents: Mapping[str, str]) -> str:
    """Markdown folded away under its titles, as one text of Markdown; what would be HTML in it is shown as it is."""
    parts = (
        f'<details class="fold"><summary>{escape(title)}</summary>\n\n{_without_html(words.strip())}\n\n</details>'
        for title, words in contents.items()
    )
    return "\n\n".join(parts)


def _without_html(markdown: str) -> str:
    """Markdown whose tags are words."""
    between = _VERBATIM.split(markdown)
    between[::2] = [re.sub(r"<(?=[A-Za-z/!?])", r"\\<", words) for words in between[::2]]
    return "".join(between)

"""The words that stand folded away at a page's end: Markdown files with {names} to fill in."""

from __future__ import annotations

import re
from collections.abc import Mapping
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

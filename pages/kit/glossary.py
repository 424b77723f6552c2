"""Explain each term of the glossary where a page first uses it; the text appears on hover, tap or focus."""

from __future__ import annotations

import re
import tomllib
from collections.abc import MutableMapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

_FILE = Path(__file__).parent / "glossary.toml"
# Where terms are not explained: in tags, links, buttons and headings.
_NOT_EXPLAINED = re.compile(r"(<(a|button|summary|h[1-6])\b.*?</\2>|<[^>]*>)", re.DOTALL)


@dataclass(frozen=True)
class Term:
    """A term: its `name`, the `forms` in which it appears on screen, its `meaning`, and its name in the `paper`.

    `avoid` are words that pages must not use in its place.
    """

    name: str
    forms: tuple[str, ...]
    meaning: str
    paper: str = ""
    avoid: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        """Return the meaning, and the paper's word for the term."""
        return f"{self.meaning} In the papers: {self.paper}." if self.paper else self.meaning


@cache
def terms() -> tuple[Term, ...]:
    """Return all terms of the glossary."""
    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))["term"]
    return tuple(
        Term(**{key: tuple(value) if isinstance(value, list) else value for key, value in one.items()}) for one in rows
    )


@cache
def _forms() -> tuple[re.Pattern[str], dict[str, Term]]:
    """Return a pattern that matches all forms, the longest first, and the term of each form."""
    by_form = {_key(form): term for term in terms() for form in term.forms}
    words = sorted((form for term in terms() for form in term.forms), key=len, reverse=True)
    # A letter such as p must match exactly; a word also with a capital letter or with unbreakable spaces.
    each = (re.escape(w) if len(w) == 1 else f"(?i:{re.escape(w)})".replace(r"\ ", r"[ \u00a0]") for w in words)
    return re.compile(rf"(?<![\w’-])({'|'.join(each)})(?![\w’])"), by_form


def _key(form: str) -> str:
    return form if len(form) == 1 else form.lower().replace("\u00a0", " ")


def explain(markup: str, part: str, explained: MutableMapping[str, str]) -> str:
    """Return `markup` with each term explained once, unless another part of the page explains it.

    `explained` holds the part of the page that explains each term, so that a part that is rendered again keeps its
    explanations.
    """
    pattern, by_form = _forms()
    here: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        term = by_form[_key(found[1])]
        if explained.setdefault(term.name, part) != part or term.name in here:
            return found[0]
        here.add(term.name)
        name = f"meaning-{terms().index(term)}"
        return (
            f'<span class="term" tabindex="0" aria-describedby="{name}">{found[0]}'
            f'<span class="meaning" role="tooltip" id="{name}">{escape(term.explanation)}</span></span>'
        )

    pieces: list[str] = []
    last = 0
    for skipped in _NOT_EXPLAINED.finditer(markup):
        pieces += [pattern.sub(mark, markup[last : skipped.start()]), skipped[0]]
        last = skipped.end()
    return "".join([*pieces, pattern.sub(mark, markup[last:])])

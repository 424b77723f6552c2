"""The glossary: a term is explained where a page first uses it, for those who point at it, tap it or tab to it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import MutableMapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

_FILE = Path(__file__).parent / "glossary.toml"
# Tags, and what is not to be explained: links, buttons, headings, and the terms that are explained already.
_NOT_EXPLAINED = re.compile(r"(<(a|button|summary|h[1-6])\b.*?</\2>|<[^>]*>)", re.DOTALL)


@dataclass(frozen=True)
class Term:
    """A term: its `name`, the `forms` it has on screen, its `meaning`, and what the `paper` calls it.

    `avoid` are words that a default view uses the term for.
    """

    name: str
    forms: tuple[str, ...]
    meaning: str
    paper: str = ""
    avoid: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        """The meaning, and the paper's word for it."""
        return f"{self.meaning} In the papers: {self.paper}." if self.paper else self.meaning


@cache
def terms() -> tuple[Term, ...]:
    """Every term of the glossary."""
    found = tomllib.loads(_FILE.read_text(encoding="utf-8"))["term"]
    return tuple(
        Term(**{key: tuple(value) if isinstance(value, list) else value for key, value in one.items()}) for one in found
    )


@cache
def _forms() -> tuple[re.Pattern[str], dict[str, Term]]:
    """One pattern for all forms, the longest first, and the term of each form."""
    by_form = {_key(form): term for term in terms() for form in term.forms}
    words = sorted((form for term in terms() for form in term.forms), key=len, reverse=True)
    # A letter such as p is a term only as it stands; a word also with a capital, and across unbreakable spaces.
    each = (re.escape(w) if len(w) == 1 else f"(?i:{re.escape(w)})".replace(r"\ ", r"[ \u00a0]") for w in words)
    return re.compile(rf"(?<![\w’-])({'|'.join(each)})(?![\w’])"), by_form


def _key(form: str) -> str:
    return form if len(form) == 1 else form.lower().replace("\u00a0", " ")


def explain(markup: str, place: str, explained: MutableMapping[str, str]) -> str:
    """`markup` with each term explained that no other place of the page explains before.

    `explained` holds the place at which each term is explained; a place that is drawn again explains the same ones.
    """
    pattern, by_form = _forms()
    here: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        term = by_form[_key(found[1])]
        if explained.setdefault(term.name, place) != place or term.name in here:
            return found[0]
        here.add(term.name)
        name = f"meaning-{terms().index(term)}"
        return (
            f'<span class="term" tabindex="0" aria-describedby="{name}">{found[0]}'
            f'<span class="meaning" role="tooltip" id="{name}">{escape(term.explanation)}</span></span>'
        )

    pieces: list[str] = []
    last = 0
    for apart in _NOT_EXPLAINED.finditer(markup):
        pieces += [pattern.sub(mark, markup[last : apart.start()]), apart[0]]
        last = apart.end()
    return "".join([*pieces, pattern.sub(mark, markup[last:])])

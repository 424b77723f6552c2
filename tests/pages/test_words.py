"""The words of every view: the glossary's, each explained once on a page, and none of those that it avoids."""

import json
import re
from collections.abc import Iterator
from functools import cache
from html import escape

import pytest
from streamlit.testing.v1.element_tree import Block

from pages.kit import glossary
from pages.topics import PAGES
from privdemo.deployments import DEPLOYMENTS
from tests.pages.visiting import FOLD, plain, view

pytestmark = pytest.mark.mnist
# What papers call things may stand where somebody asks for more: in the folds under a page, and in code.
ASKED_FOR = {"expander", "popover", "code"}
SAYING = ("body", "label", "help", "options", "value")


@pytest.fixture(autouse=True)
def _real_data(mnist: object) -> None:
    """Pages open on MNIST."""


def views() -> list[tuple[str, dict[str, str]]]:
    """Every chapter of every page, as a link to it."""
    return [
        (page.address, {page.chapters.key: chapter.name} if page.chapters else {})
        for page in PAGES
        for chapter in (page.chapters.all if page.chapters else [None])
    ]


def markup(block: Block) -> Iterator[str]:
    """What stands in a block, but for what is folded away or hidden in code."""
    for child in block.children.values():
        kind = child.type.removeprefix("flex_")
        if isinstance(child, Block):
            if kind not in ASKED_FOR or getattr(child, "label", "") == "Settings":
                yield from markup(child)
        elif kind == "plotly_chart":
            yield from chart_words(json.loads(child.proto.spec))
        elif kind not in ASKED_FOR:
            yield from (str(getattr(child.proto, name, "")) for name in SAYING)


def chart_words(spec: dict) -> Iterator[str]:
    """The names of curves and rows, the titles of axes, and what is written into a chart."""
    layout = spec["layout"]
    yield from (trace.get("name", "") for trace in spec["data"] if trace.get("showlegend", True))
    yield from (note.get("text", "") for note in layout.get("annotations", ()))
    for axis in (value for key, value in layout.items() if "axis" in key):
        yield from (axis.get("title", {}).get("text", ""), *map(str, axis.get("ticktext", ())))


@cache
def shown(address: str, *link: tuple[str, str]) -> str:
    """The markup of one view."""
    return FOLD.sub("", "\n".join(markup(view(address, *link).at.main)))


# The titles of papers and web pages on deployments stand as their authors wrote them.
TITLES = "|".join(f">{re.escape(escape(one.source))}</a>" for one in DEPLOYMENTS)


def words(text: str) -> str:
    """The words of some markup, without explanations, code, titles of sources and tags."""
    return re.sub(r"<code>.*?</code>|<[^>]*>", " ", re.sub(TITLES, "></a>", plain(text)))


# Where claims are told one by one, they name things as their papers do.
QUOTED = ("claims", {"chapter": "All claims"})


@pytest.mark.parametrize(("address", "link"), [one for one in views() if one != QUOTED], ids=str)
def test_no_view_uses_a_word_in_the_place_of_a_term(address: str, link: dict[str, str]) -> None:
    markup_of_it = shown(address, *link.items())
    said = words(markup_of_it)
    for term in glossary.terms():
        for word in term.avoid:
            found = re.search(rf"(?i).{{0,40}}(?<![\w’-]){re.escape(word)}(?![\w’-]).{{0,40}}", said)
            assert not found, f"{found[0]!r}: say {term.name}"
    explained = re.findall(r'id="(meaning-\d+)"', markup_of_it)
    assert len(explained) == len(set(explained)), "a term is explained once"


def test_every_term_stands_on_some_page() -> None:
    found = "\n".join(words(shown(address, *link.items())) for address, link in views())
    forms = {term.name: "|".join(map(re.escape, term.forms)) for term in glossary.terms()}
    assert not [name for name, form in forms.items() if not re.search(rf"(?i)(?<![\w’-])({form})(?![\w’])", found)]

"""What a page shows of one question: a value, so that words, numbers and code are tested without an app."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.kit.numbers import unbroken
from pages.kit.snippet import Snippet
from privdemo import figures

# The rows of a figure's CSV file, made only when somebody asks for them.
Rows = Callable[[], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Chart:
    """A Plotly figure; one of curves may be seen `at_once`, before Plotly has started."""

    figure: figures.Figure
    at_once: bool = False

    def page(self) -> str:
        """The figure as one self-contained HTML page."""
        return figures.to_html(self.figure)


@dataclass(frozen=True)
class Markup:
    """A picture as HTML, and how it is made a page of its own."""

    html: str
    page: Callable[[], str]


@dataclass(frozen=True)
class Table:
    """A small table of texts; the first cell of a row names it. `labelled` rows are cards where it is narrow."""

    heads: Sequence[str]
    body: Sequence[Sequence[str]]
    labelled: bool = False

    @property
    def html(self) -> str:
        """The table as HTML."""
        head = "".join(f'<th scope="col">{words}</th>' for words in self.heads)
        openings = [f'<td data-label="{words}">' if self.labelled else "<td>" for words in self.heads[1:]]
        body = "".join(
            f'<tr><th scope="row">{row[0]}</th>{"".join(map(_cell, openings, row[1:]))}</tr>' for row in self.body
        )
        kind = "grid labelled" if self.labelled else "grid"
        return f'<div class="{kind}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'

    def page(self) -> str:
        """The table as one self-contained HTML page."""
        plain = Table(self.heads, self.body).html
        return _whole_page(plain)


@dataclass(frozen=True)
class Sheet:
    """A table that a click on a head sorts. `forms` are printf formats of its columns of numbers; None is no number."""

    rows: Sequence[Mapping[str, Any]]
    forms: Mapping[str, str]

    def page(self) -> str:
        """The table as one self-contained HTML page."""
        body = [["" if cell is None else str(cell) for cell in row.values()] for row in self.rows]
        return Table(list(self.rows[0]), body).page()


def _whole_page(body: str) -> str:
    return f"<!doctype html><meta charset='utf-8'><title>privdemo</title>{body}"


def _cell(opening: str, content: str) -> str:
    return f"{opening}{unbroken(content)}</td>"


@dataclass(frozen=True)
class Cards:
    """Numbers that belong together, each with its title and what it means."""

    contents: Sequence[tuple[str, str, str]]

    @property
    def html(self) -> str:
        """The cards as HTML."""
        boxes = "".join(
            f'<section class="card"><h4>{title}</h4><div class="number">{number}</div><p>{sentence}</p></section>'
            for title, number, sentence in self.contents
        )
        return f'<div class="cards">{boxes}</div>'

    def page(self) -> str:
        """The cards as one self-contained HTML page."""
        return _whole_page(self.html)


@dataclass(frozen=True)
class Live:
    """The live dial: the `data` it draws from, and the number `key` that it sets; as a page it is a still picture."""

    data: Mapping[str, Any]
    key: str
    page: Callable[[], str]


@dataclass(frozen=True)
class Panel:
    """A question with its answer in one sentence, a figure, and all that stands under it.

    `name` keys its widgets and names its files. `summary` says the figure in words; `rows` are its data; `snippet` is
    the Python that makes it. `note` stands in small print over the figure. `links` are ways to other pages: their
    addresses, and words. Each may be left out.
    """

    name: str = ""
    question: str = ""
    answer: str = ""
    figure: Chart | Markup | Table | Sheet | Cards | Live | None = None
    summary: str = ""
    rows: Rows | None = None
    snippet: Snippet | None = None
    note: str = ""
    links: Sequence[tuple[str, str]] = ()


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV text, the first row's keys as the header."""
    lines = io.StringIO()
    writer = csv.DictWriter(lines, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return lines.getvalue()

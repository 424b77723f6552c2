"""What a page shows of one question: a value, so that words, numbers and code are tested without an app."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from pages.kit.numbers import without_breaks
from pages.kit.settings import Number
from pages.kit.snippet import Snippet
from privdemo import csv_text, figures

# The rows of a figure's CSV file, made only when somebody asks for them.
Rows = Callable[[], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Chart:
    """A Plotly figure, which is seen before Plotly has started."""

    figure: figures.Figure

    def body(self, library: bool = True) -> str:
        """The figure as a part of an HTML page; one chart of a page brings Plotly's `library`."""
        return figures.chart(self.figure, library)


@dataclass(frozen=True)
class Markup:
    """A picture as HTML."""

    html: str

    def body(self) -> str:
        """The picture as a part of an HTML page."""
        return self.html


@dataclass(frozen=True)
class Table:
    """A small table of texts; the first cell of a row names it. `labelled` rows are cards where it is narrow."""

    heads: Sequence[str]
    cells: Sequence[Sequence[str]]
    labelled: bool = False

    @property
    def html(self) -> str:
        """The table as HTML."""
        head = "".join(f'<th scope="col">{words}</th>' for words in self.heads)
        openings = [f'<td data-label="{words}">' if self.labelled else "<td>" for words in self.heads[1:]]
        body = "".join(
            f'<tr><th scope="row">{row[0]}</th>{"".join(map(_cell, openings, row[1:]))}</tr>' for row in self.cells
        )
        kind = "grid labelled" if self.labelled else "grid"
        return f'<div class="{kind}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'

    def body(self) -> str:
        """The table as a part of an HTML page."""
        return Table(self.heads, self.cells).html


def table_of_rows(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table of rows, the first row's keys as the heads; None is no number."""
    heads = [escape(str(name)) for name in rows[0]]
    return Table(heads, [["" if cell is None else escape(str(cell)) for cell in row.values()] for row in rows])


def _cell(opening: str, content: str) -> str:
    return f"{opening}{without_breaks(content)}</td>"


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

    def body(self) -> str:
        """The cards as a part of an HTML page."""
        return self.html


@dataclass(frozen=True)
class LiveDial:
    """The live dial: the `data` it draws from, and the `number` that it sets; elsewhere it is a `still` picture.

    `first` makes the markup that is seen until the dial has started, `later` the guesses that it gets after all else.
    """

    data: Mapping[str, Any]
    number: Number
    still: Callable[[], str]
    first: Callable[[], str] = str
    later: Callable[[], Mapping[str, Any] | None] = field(default=lambda: None)

    def body(self) -> str:
        """The still picture as a part of an HTML page."""
        return self.still()


@dataclass(frozen=True)
class LiveDots:
    """Fields of people who follow the dial of a lie: the `data` they are drawn from; elsewhere they are `still`."""

    data: Mapping[str, Any]
    still: Callable[[], str]

    def body(self) -> str:
        """The still pictures as a part of an HTML page."""
        return self.still()


@dataclass(frozen=True)
class Panel:
    """A question with its answer in one sentence, a figure, and all that stands under it.

    `name` keys its widgets and names its files. `summary` says the figure in words; `rows` are its data; `snippet` is
    the Python that makes it. `note` stands in small print over the figure. `links` are ways to other pages: their
    addresses, words, and perhaps more words for whoever rests on one. Each may be left out.
    """

    name: str = ""
    question: str = ""
    answer: str = ""
    figure: Chart | Markup | Table | Cards | LiveDial | LiveDots | None = None
    summary: str = ""
    rows: Rows | None = None
    snippet: Snippet | None = None
    note: str = ""
    links: Sequence[tuple[str, str] | tuple[str, str, str]] = ()


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV text, the first row's keys as the header."""
    return csv_text.lines([rows[0], *([row.get(name) for name in rows[0]] for row in rows)], "\r\n")

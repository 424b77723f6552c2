"""Define a panel: what a page shows for one question, as a value.

Words, numbers and code are tested on these values without an app; `screen` renders them, `report` writes them as HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

from pages.kit.numbers import with_no_break_spaces
from pages.kit.settings import Number
from pages.kit.snippet import Snippet
from privdemo import csv_text, figures

# Makes the rows of a figure's CSV file, when it is downloaded.
Rows = Callable[[], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Chart:
    """A Plotly figure."""

    figure: figures.Figure

    def body(self, library: bool = True) -> str:
        """Return the figure as a part of an HTML page; the first chart of a page includes Plotly's `library`."""
        return figures.chart(self.figure, library)


@dataclass(frozen=True)
class Markup:
    """A picture as HTML."""

    html: str

    def body(self) -> str:
        """Return the picture as a part of an HTML page."""
        return self.html


@dataclass(frozen=True)
class Table:
    """A small table; the first cell of a row is its name. On narrow screens `labelled` rows become cards.

    `heads` and `cells` are HTML: whoever makes the table escapes what others have written.
    """

    heads: Sequence[str]
    cells: Sequence[Sequence[str]]
    labelled: bool = False

    @property
    def html(self) -> str:
        """Return the table as HTML."""
        head = "".join(f'<th scope="col">{words}</th>' for words in self.heads)
        openings = [f'<td data-label="{words}">' if self.labelled else "<td>" for words in self.heads[1:]]
        body = "".join(
            f'<tr><th scope="row">{row[0]}</th>{"".join(map(_cell, openings, row[1:]))}</tr>' for row in self.cells
        )
        kind = "grid labelled" if self.labelled else "grid"
        return f'<div class="{kind}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'

    def body(self) -> str:
        """Return the table as a part of an HTML page, not labelled."""
        return Table(self.heads, self.cells).html


def table_of_rows(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of rows with the first row's keys as heads; None becomes an empty cell."""
    heads = [escape(str(name)) for name in rows[0]]
    return Table(heads, [["" if cell is None else escape(str(cell)) for cell in row.values()] for row in rows])


def _cell(opening: str, content: str) -> str:
    return f"{opening}{with_no_break_spaces(content)}</td>"


@dataclass(frozen=True)
class Cards:
    """Numbers that belong together, each with a title and a sentence, all HTML: escape what others have written."""

    contents: Sequence[tuple[str, str, str]]

    @property
    def html(self) -> str:
        """Return the cards as HTML."""
        boxes = "".join(
            f'<section class="card"><h4>{title}</h4><div class="number">{number}</div><p>{sentence}</p></section>'
            for title, number, sentence in self.contents
        )
        return f'<div class="cards">{boxes}</div>'

    def body(self) -> str:
        """Return the cards as a part of an HTML page."""
        return self.html


@dataclass(frozen=True)
class LiveDial:
    """A dial with pictures that the browser renders again while it is dragged: made from `data`, it sets `number`.

    `still` makes a picture for reports, `first` the markup shown until the dial has started, and `later` the
    adversary's reconstructions, which are sent to the browser after everything else.
    """

    data: Mapping[str, Any]
    number: Number
    still: Callable[[], str]
    first: Callable[[], str] = str
    later: Callable[[], Mapping[str, Any] | None] = field(default=lambda: None)

    def body(self) -> str:
        """Return the still picture as a part of an HTML page."""
        return self.still()


@dataclass(frozen=True)
class LiveDots:
    """Dots for people that follow the dial of a lie, made from `data`; `still` makes a picture of them."""

    data: Mapping[str, Any]
    still: Callable[[], str]

    def body(self) -> str:
        """Return the still pictures as a part of an HTML page."""
        return self.still()


@dataclass(frozen=True)
class Component:
    """What the browser does by itself, without the server, from `data`: a component of this `name` with its files.

    `still` makes a picture for reports.
    """

    name: str
    html: str
    css: str
    js: str
    data: Mapping[str, Any]
    still: Callable[[], str]

    def first(self) -> str:
        """Return the HTML with its style and disabled buttons: what is shown until the component has started."""
        html = self.html.replace("<button", "<button disabled")
        return f'<style>.{self.name}-first {{ {self.css} }}</style><div class="{self.name}-first">{html}</div>'

    def body(self) -> str:
        """Return the still picture as a part of an HTML page."""
        return self.still()


# What a panel shows.
Figure = Chart | Markup | Table | Cards | LiveDial | LiveDots | Component


@dataclass(frozen=True)
class Scale:
    """The numbers that can be guessed: from `low` to `high` by `step`, or some `stops`; `unit` follows a number."""

    low: float
    high: float
    step: float = 1.0
    unit: str = "\u00a0%"
    stops: tuple[float, ...] = ()


class KnownNumber(NamedTuple):
    """A number on the scale of a guess, and what it is: `before` it or, if that is empty, after it and its unit."""

    value: float
    after: str
    before: str = ""


@dataclass(frozen=True)
class Prediction:
    """A guess that a visitor is asked for before a figure is shown.

    `name` is unique in the app. `ask` is the question, `label` stands above the control; `truth` is from the same
    answer as the figure, in the unit of the `scale`, or one of its options. `covered` is shown in place of the figure
    until then, without what it decides; `explain` says afterwards why it is so. `known` numbers are marked on the scale
    from low to high: they are no secret, and a guess is made from there.
    """

    name: str
    ask: str
    truth: float | str
    scale: Scale | tuple[str, ...]
    covered: Figure | None = None
    explain: str = ""
    label: str = "Your guess"
    known: Sequence[KnownNumber] = ()


@dataclass(frozen=True)
class Panel:
    """A question with its answer in one sentence, a figure, and what stands below the figure. Every part is optional.

    `name` is used for keys of widgets and names of files. `summary` describes the figure in words; `rows` makes its
    data; `snippet` is the Python that plots it. `note` is a caption above the figure. `links` lead to other pages: each
    has an address, a text and optionally a tooltip. With a `prediction`, the visitor is asked for a guess first.
    `facts` are numbers as texts by name, for the sentences of a lecture. `on_slide` is shown there in place of the
    `figure`. If the panel `is_waiting`, its answer only says why there is nothing to read yet, on a slide too.
    """

    name: str = ""
    question: str = ""
    answer: str = ""
    figure: Figure | None = None
    summary: str = ""
    rows: Rows | None = None
    snippet: Snippet | None = None
    note: str = ""
    links: Sequence[tuple[str, str] | tuple[str, str, str]] = ()
    prediction: Prediction | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    on_slide: Figure | None = None
    is_waiting: bool = False


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV text with the first row's keys as the header."""
    return csv_text.lines([rows[0], *([row.get(name) for name in rows[0]] for row in rows)], "\r\n")


def one_by_one(panels: Iterable[Panel | tuple[Panel, ...]]) -> Iterator[Panel]:
    """Yield each of some panels, of which those of a tuple stand side by side."""
    for panel in panels:
        yield from panel if isinstance(panel, tuple) else (panel,)

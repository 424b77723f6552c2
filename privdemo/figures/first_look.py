"""A curve chart as plain markup: what stands on screen until Plotly, a large library, has started in the browser."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator
from html import escape
from itertools import pairwise
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette

_DASHES = {"dot": "2 4", "dash": "8 6", "longdash": "12 6", "dashdot": "8 4 2 4", "longdashdot": "12 4 2 4"}
_MARKS = {
    "circle": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "square": "M-4-4h8v8h-8z",
    "diamond": "M0-5.5L5.5 0L0 5.5L-5.5 0z",
    "line-ns": "M0-6v12",
}
# Pixels under a plot for its axis, and those by which Plotly widens the margin for a vertical axis with a title.
_AXIS, _TITLE = 62, 17
# Labels on an axis of which none are given, at most.
_TICKS = 6

# Plotly's drawing, once it is there, takes the place of this one.
FIRST_LOOK_CSS = """
[data-testid="stVerticalBlock"]:has(.main-svg) > [data-testid="stElementContainer"]:has(.first-look) { display: none; }
[data-testid="stVerticalBlock"]:has(> [data-testid="stElementContainer"] .first-look):not(:has(.main-svg))
  > [data-testid="stElementContainer"]:not(:has(.first-look)) { position: absolute; inset: 0; visibility: hidden; }
.first-look { display: flex; flex-direction: column; font-size: 12px; line-height: 1.2; }
.first-look > div { position: relative; flex: 1; }
.first-look > div > img { position: absolute; width: 100%; height: 100%; }
.first-look > div > span { position: absolute; white-space: nowrap; opacity: 0.75; }
.first-look p { margin: 0; font-size: 12px; line-height: 29px; }
.first-look p span { display: inline-block; white-space: nowrap; padding-right: 0.5rem; }
.first-look p img { vertical-align: middle; }
"""


def first_look(figure: Figure) -> str:
    """The curves, marks, intervals, rules and names of `figure`, as `charts.curve_chart` makes it, in HTML.

    Both axes must have a ``range``. It says nothing to screen readers, for whom a figure has words of its own.
    """
    layout, margin = figure.layout, figure.layout.margin
    x, y = _place(layout.xaxis), _place(layout.yaxis)
    drawn = [*_lines(layout, x, y), *(part for trace in figure.data for part in _trace(trace, x, y))]
    left = margin.l + _TITLE
    inset = f"margin:{margin.t:g}px {margin.r:g}px {_AXIS}px {left:g}px"
    names = "".join(_name(trace) for trace in figure.data if trace.showlegend is not False)
    return (
        f'<div class="first-look" aria-hidden="true" style="height:{layout.height:g}px">'
        f'<div style="{inset}">{_image("".join(drawn))}{"".join(_words(layout, x, y))}</div>'
        f'<p style="margin-left:{left:g}px;min-height:{margin.b - _AXIS:g}px">{names}</p></div>'
    )


def _image(svg: str, size: str = "") -> str:
    """An image of some SVG, as large as its place."""
    content = base64.b64encode(f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>'.encode()).decode()
    return f'<img alt="" {size} src="data:image/svg+xml;base64,{content}">'


def _place(axis: Any) -> Callable[[float], float]:
    """Where a value stands along an axis, in percent of its length."""
    low, high = axis.range
    log = axis.type == "log"
    return lambda value: round(100 * ((math.log10(value) if log else value) - low) / (high - low), 2)


def _words(layout: Any, x: Callable[[float], float], y: Callable[[float], float]) -> Iterator[str]:
    """What stands at the axes and over the rules."""
    for value, words in _ticks(layout.xaxis):
        yield _text(words, f"left:{x(value)}%;top:calc(100% + 10px);transform:translateX(-50%)")
    for value, words in _ticks(layout.yaxis):
        yield _text(words, f"right:calc(100% + 8px);top:{100 - y(value):.2f}%;transform:translateY(-50%)")
    yield _text(layout.xaxis.title.text, "left:50%;top:calc(100% + 34px);transform:translateX(-50%)")
    side = "left:-54px;top:50%;transform:translate(-50%,-50%) rotate(-90deg)"
    yield _text(layout.yaxis.title.text, side)
    low, high = layout.xaxis.range
    for note in layout.annotations:  # whose place on a logarithmic axis is a logarithm
        shift = {"left": 0, "right": -100}.get(note.xanchor, -50)
        place = f"left:{100 * (note.x - low) / (high - low):.2f}%;bottom:calc(100% + 4px)"
        yield _text(note.text, f"{place};transform:translateX({shift}%)")


def _text(words: str, place: str) -> str:
    return f'<span style="{place}">{escape(words)}</span>'


def _ticks(axis: Any) -> list[tuple[float, str]]:
    """The values and words that stand at an axis."""
    if axis.tickvals is not None:
        return list(zip(axis.tickvals, axis.ticktext, strict=True))
    low, high = axis.range
    raw = (high - low) / _TICKS
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * nice for nice in (1, 2, 5, 10) if power * nice >= raw)
    values = [step * i for i in range(math.ceil(round(low / step, 9)), math.floor(round(high / step, 9)) + 1)]
    return [(value, f"{value:{axis.tickformat or '.4g'}}") for value in values]


def _lines(layout: Any, x: Callable[[float], float], y: Callable[[float], float]) -> Iterator[str]:
    """The grid, and the rules through the whole plot."""
    for value, _ in _ticks(layout.yaxis):
        yield _line(0, 100, 100 - y(value), 100 - y(value), f'{_pen(palette.TRUTH.colour, None, 1)} opacity="0.25"')
    for shape in layout.shapes:
        across = shape.xref != "x"
        x0, x1 = (0, 100) if across else (x(shape.x0), x(shape.x0))
        y0, y1 = (100 - y(shape.y0), 100 - y(shape.y0)) if across else (0, 100)
        yield _line(x0, x1, y0, y1, _pen(shape.line.color, shape.line.dash, shape.line.width))


def _trace(trace: Any, x: Callable[[float], float], y: Callable[[float], float]) -> Iterator[str]:
    places = [(x(a), 100 - y(b)) for a, b in zip(trace.x, trace.y, strict=True)]
    colour = trace.marker.color
    if "lines" in trace.mode:
        pen = _pen(colour, trace.line.dash, 2)
        for (x0, y0), (x1, y1) in pairwise(places):
            yield _line(x0, x1, y0, y1, pen)
    if trace.error_y.array is not None:
        ends = zip(trace.x, trace.y, trace.error_y.array, trace.error_y.arrayminus, strict=True)
        for a, b, above, below in ends:
            yield _line(x(a), x(a), 100 - y(b - below), 100 - y(b + above), _pen(colour, None, 1.2))
    for a, b in places:
        yield f'<svg x="{a}%" y="{b:.2f}%" overflow="visible">{_mark(trace.marker)}</svg>'


def _mark(marker: Any) -> str:
    symbol = marker.symbol or "circle"
    fill = "none" if symbol.endswith("-open") else marker.color
    drawn = f'd="{_MARKS[symbol.removesuffix("-open")]}" fill="{fill}" stroke="{marker.color}" stroke-width="2"'
    return f'<path {drawn} transform="scale({(marker.size or 8) / 8:g})"/>'


def _name(trace: Any) -> str:
    """A curve's name beside a piece of it."""
    sample = f'<line x2="28" y1="6" y2="6" {_pen(trace.marker.color, trace.line.dash, 2)}/>'
    mark = f'<svg x="14" y="6" overflow="visible">{_mark(trace.marker)}</svg>'
    image = _image(sample + mark, 'width="28" height="12"')
    return f"<span>{image} {escape(trace.name)}</span> "


def _pen(colour: str, dash: str | None, width: float) -> str:
    dashes = f' stroke-dasharray="{_DASHES[dash]}"' if dash in _DASHES else ""
    return f'stroke="{colour}" stroke-width="{width:g}"{dashes}'


def _line(x0: float, x1: float, y0: float, y1: float, pen: str) -> str:
    return f'<line x1="{x0}%" x2="{x1}%" y1="{y0:.2f}%" y2="{y1:.2f}%" {pen}/>'

"""Names at the ends of curves instead of a legend, where curves are few and end apart."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import fmean
from typing import NamedTuple

from plotly.graph_objects import Figure

from privdemo.figures.chart_style import BOTTOM_MARGIN, SIZE, legend_entries, width
from privdemo.figures.plain import Plain, PlainFigure, at, copied, merge, parts

# The height of a line of a name, in sizes of its letters, and the pixels between a curve and its name.
_LINE, _AWAY = 1.3, 8
LINE = _LINE * SIZE
# Characters that look like the markers, for names that are not next to the ends of their curves.
_MARKER_LETTERS = {"circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "triangle-down": "▼", "star": "★"}
_OPEN_MARKER_LETTERS = {"circle": "○", "square": "□", "diamond": "◇", "triangle-up": "△", "triangle-down": "▽"}
# Characters that look like pieces of lines without markers.
_LINE_LETTERS = {"solid": "—", "dash": "- -", "dot": "····", "dashdot": "-·-", "longdash": "— —"}


class LabelSpace(NamedTuple):
    """What names at the ends of curves may take: the `size` of their letters, `letters` a line, the `most` curves.

    `margins` are the pixels that all the names and the words of the axis get at the most, `high` those of the plot.
    """

    size: float
    letters: int
    most: int
    margins: float
    high: float | None = None


# On a page 60 % of a telephone's width is left for the plot.
PAGE = LabelSpace(SIZE, 10, 4, 140)


class _End(NamedTuple):
    """Where a curve ends, as numbers of its axes, and its name in short lines, with the `height` of it in pixels."""

    x: float
    y: float
    words: str
    height: float


def label_ends(figure: Figure, avoid_overlap: bool = False, space: LabelSpace = PAGE) -> Figure:
    """Return the chart with the names of its curves at their ends instead of a legend; the same chart where they do not
    fit.

    They fit where one plot has few curves, all of which end at its right, far enough apart for their names.
    With `avoid_overlap` names are moved apart where curves end together, and each has the marker of its curve before
    it; then as many are named as fit one over the other.
    """
    plain = copied(parts(figure))
    layout, margin = plain["layout"], plain["layout"]["margin"]
    named = [trace for _, trace in legend_entries(plain)]
    if not 0 < len(named) <= (len(named) if avoid_overlap else space.most) or any(
        "lines" not in trace.get("mode", "") for trace in named
    ):
        return figure
    ends = sorted((_end(trace, layout, avoid_overlap, space) for trace in named), key=lambda end: end.y)
    right = round(max(width(end.words, space.size) for end in ends) + _AWAY + 3)
    high = space.high or layout["height"] - margin["t"] - margin["b"]
    if avoid_overlap:
        left, edge = layout["xaxis"]["range"]
        if any(abs(edge - end.x) > 0.1 * abs(edge - left) for end in ends):
            return figure
        ends = _move_apart(ends, layout, high)
    if right + margin["l"] > space.margins or not _names_fit(ends, layout, high):
        return figure
    foot = BOTTOM_MARGIN * space.size / SIZE
    # Where curves end beside each other, all names stand right of the last, clear of its error bar.
    edge = layout["xaxis"]["range"][1]
    furthest = min((end.x for end in ends), key=lambda x: abs(edge - x))
    for end in ends:
        place = {"x": furthest, "y": end.y, "xref": "x", "yref": "y", "xanchor": "left", "yanchor": "middle"}
        words = {"text": end.words, "xshift": _AWAY, "align": "left", "showarrow": False}
        layout.setdefault("annotations", []).append(place | words)
    merge(layout, {"showlegend": False, "height": high + margin["t"] + foot, "margin": {"r": right, "b": foot}})
    return PlainFigure(plain)


def _end(trace: Plain, layout: Plain, with_marker: bool, space: LabelSpace) -> _End:
    x, y = next((x, y) for x, y in zip(trace["x"][::-1], trace["y"][::-1], strict=True) if y is not None)
    lines = textwrap.wrap(trace["name"], space.letters, break_long_words=False)
    words = "<br>".join(lines)
    x, y = (math.log10(v) if layout[name].get("type") == "log" else v for v, name in ((x, "xaxis"), (y, "yaxis")))
    return _End(x, y, f"{_marker_letter(trace)} {words}" if with_marker else words, _LINE * space.size * len(lines))


def _marker_letter(trace: Plain) -> str:
    """Return the marker of a curve as a letter of its colour; a piece of its line for a curve without."""
    symbol = at(trace, "marker.symbol") or ""
    piece = _LINE_LETTERS.get(at(trace, "line.dash") or "solid", "–")
    letters = _OPEN_MARKER_LETTERS if symbol.endswith("-open") else _MARKER_LETTERS
    return f"<span style='color:{trace['line']['color']}'>{letters.get(symbol.removesuffix('-open'), piece)}</span>"


def _move_apart(ends: Sequence[_End], layout: Plain, high: float) -> list[_End]:
    """Return the ends with their names so far apart that none is over another, and moved as little as that takes.

    The sum of the squares of the ways is the least, before all are moved into the plot of `high` pixels.
    """
    low, top = layout["yaxis"]["range"]
    heights = [end.height + 1 for end in ends]
    stacked = [0.0, *accumulate((one + other) / 2 for one, other in pairwise(heights))]
    firsts = _isotonic([(end.y - low) / (top - low) * high - up for end, up in zip(ends, stacked, strict=True)])
    least, most = heights[0] / 2, high - heights[-1] / 2 - stacked[-1]
    places = [max(least, min(most, first)) + up for first, up in zip(firsts, stacked, strict=True)]
    return [end._replace(y=low + (top - low) * place / high) for end, place in zip(ends, places, strict=True)]


def _isotonic(values: Sequence[float]) -> list[float]:
    """Return the nearest values that never fall, by least squares: neighbours that would are replaced by their mean."""
    pools: list[list[float]] = []
    for value in values:
        pools.append([value])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    return [fmean(pool) for pool in pools for _ in pool]


def _names_fit(ends: list[_End], layout: Plain, high: float) -> bool:
    """Return whether all curves end at the right of the plot, and no name is over another or beyond the plot."""
    (left, right), (low, top) = layout["xaxis"]["range"], layout["yaxis"]["range"]
    pixels = [(end, (end.y - low) / (top - low) * high) for end in ends]
    at_right = all((right - end.x) / (right - left) < 0.1 for end in ends)
    fits = all(b - a >= (one.height + other.height) / 2 for (one, a), (other, b) in pairwise(pixels))
    return at_right and fits and all(0 <= place <= high for _, place in pixels)

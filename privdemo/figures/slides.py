"""Charts for a slide: letters that the last row reads, and names at the ends of curves or in one row."""

from __future__ import annotations

import math

from plotly.graph_objects import Figure

from privdemo.figures import ends
from privdemo.figures.chart_style import (
    EMPTY,
    SIZE,
    apply_text_size_and_margins,
    axis_foot,
    axis_names,
    legend_entries,
    width,
)
from privdemo.figures.charts import legend_below
from privdemo.figures.plain import PlainFigure, at, copied, merge, parts

# The size of letters on a slide in pixels: the smallest and largest, and what part of the width they otherwise are.
_LEAST, _MOST, _PART = 20, 25, 0.0126
# The part of a slide's height that a plot has at the least, of its width that names at the ends of curves may take, and
# how many pixels of its width a chart leaves to the page.
PLOT, _NAMES, _BESIDE = 0.45, 0.36, 80
# Letters of a line of a name, and the pixels of a legend's marker and of the gap after a name, in letters' sizes.
_LINE_LETTERS, _MARKER = 20, 3.5


def letter_size(screen_width: float) -> int:
    """Return the size of letters in a chart on a screen of this width, in pixels."""
    return round(min(max(_LEAST, _PART * screen_width), _MOST))


def for_slide(figure: Figure, screen_width: float, screen_height: float) -> Figure:
    """Return a copy of a chart for a slide on a screen of this width and height, in pixels.

    The chart is as high as the page leaves it. Names of curves stand in one row below the plot. If one row does not
    hold them, they stand at the ends of the curves, or in several rows where the ends have no space for them either.
    """
    size, grown = letter_size(screen_width), screen_height / 768
    plain = copied(parts(figure))
    layout = plain["layout"]
    if notes := layout.get("annotations"):  # an empty one keeps space over the plot for a legend, which goes below it
        layout["annotations"] = [note for note in notes if note["text"] != EMPTY]
    foot = axis_foot(plain)
    apply_text_size_and_margins(plain, size)
    for trace in plain["data"]:
        if trace["type"] == "scatter":
            merge(trace, {"line": {"width": (at(trace, "line.width") or 2) * grown}})
            if isinstance(at(trace, "marker.size"), int | float):
                trace["marker"]["size"] *= grown
    for _, trace in legend_entries(plain):
        trace["name"] = trace["name"].partition(", line: ")[0]  # what lines are is said on the page
    names = [name for name, _ in legend_entries(plain)] if layout.get("showlegend") is not False else []
    row_width = screen_width - _BESIDE
    rows = math.ceil(sum(width(name, size) + _MARKER * size for name in names) / row_width) if len(names) > 1 else 0
    merge(layout, {"margin": {"b": foot * size / SIZE + 1.5 * size * rows}, "showlegend": rows > 0})
    merge(layout, {"legend": legend_below() | {"entrywidth": 0}})
    if rows > 1 and len(axis_names(plain, "x")) == 1:
        fit = ends.LabelSpace(size, _LINE_LETTERS, len(names), _NAMES * row_width, PLOT * screen_height)
        plain = parts(ends.label_ends(PlainFigure(plain), avoid_overlap=True, space=fit))
    plain["layout"].pop("height", None)
    return PlainFigure(plain)

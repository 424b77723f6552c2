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
    extent,
    legend_entries,
    set_ticks,
    traces_on,
    width,
)
from privdemo.figures.charts import legend_below, reference_label
from privdemo.figures.plain import Plain, PlainFigure, at, copied, merge, parts

# The size of letters on a slide in pixels: the smallest and largest, and what part of the width they otherwise are.
_LEAST, _MOST, _PART = 20, 25, 0.0126
# The part of a slide's height that a plot has at the least, of its width that names at the ends of curves may take, and
# how many pixels of its width a chart leaves to the page.
PLOT, _NAMES, _BESIDE = 0.45, 0.36, 80
# Letters of a line of a name, and the pixels of a legend's marker and of the gap after a name, in letters' sizes.
_LINE_LETTERS, _MARKER = 20, 3.5
# The most of an axis that its marks take where the axis is shortened to them, and the space beside them then; how much
# larger the one mark of a row is, how much thicker a curve is, and how thick it is on a page at the most: bars in rows
# are lines as well.
_USED, _MARGIN, _LARGER, _THICKER, _CURVE = 0.75, 0.06, 1.4, 1.5, 4


def letter_size(screen_width: float) -> int:
    """Return the size of letters in a chart on a screen of this width, in pixels."""
    return round(min(max(_LEAST, _PART * screen_width), _MOST))


def for_slide(figure: Figure, screen_width: float, screen_height: float) -> Figure:
    """Return a copy of a chart for a slide on a screen of this width and height, in pixels.

    The chart is as high as the page leaves it, and its rows are as wide as their marks need. Names of curves stand in
    one row below the plot. If one row does not hold them, they stand at the ends of the curves, or in several rows
    where the ends have no space for them either.
    """
    size, grown = letter_size(screen_width), screen_height / 768
    plain = copied(parts(figure))
    layout = plain["layout"]
    if notes := layout.get("annotations"):  # an empty one keeps space over the plot for a legend, which goes below it
        layout["annotations"] = [note for note in notes if note["text"] != EMPTY]
    foot, n_named = axis_foot(plain), len(legend_entries(plain))
    _use_width(plain)
    _name_points(plain)
    apply_text_size_and_margins(plain, size)
    for trace in plain["data"]:
        if trace["type"] == "scatter":
            thick = at(trace, "line.width") or 2
            merge(trace, {"line": {"width": thick * grown * (_THICKER if thick <= _CURVE else 1)}})
            if isinstance(at(trace, "marker.size"), int | float):
                trace["marker"]["size"] *= grown * (_LARGER if _is_in_row(trace) else 1)
            if _is_in_row(trace) and at(trace, "error_x.array"):
                merge(trace, {"error_x": {"thickness": 3 * grown, "width": 8 * grown}})
    for _, trace in legend_entries(plain):
        trace["name"] = trace["name"].partition(", line: ")[0]  # what lines are is said on the page
    names = [name for name, _ in legend_entries(plain)] if layout.get("showlegend") is not False else []
    row_width = screen_width - _BESIDE
    rows = math.ceil(sum(width(name, size) + _MARKER * size for name in names) / row_width) if n_named > 1 else 0
    merge(layout, {"margin": {"b": foot * size / SIZE + 1.5 * size * rows}, "showlegend": rows > 0})
    merge(layout, {"legend": legend_below() | {"entrywidth": 0}})
    if rows > 1 and len(axis_names(plain, "x")) == 1:
        fit = ends.LabelSpace(size, _LINE_LETTERS, len(names), _NAMES * row_width, PLOT * screen_height)
        plain = parts(ends.label_ends(PlainFigure(plain), avoid_overlap=True, space=fit))
    plain["layout"].pop("height", None)
    return PlainFigure(plain)


def _is_in_row(trace: Plain) -> bool:
    """Return whether a trace is the mark of a row with a name."""
    return trace.get("mode") == "markers" and all(isinstance(value, str) for value in trace["y"])


def _use_width(plain: Plain) -> None:
    """Shorten horizontal axes to the marks in their rows and the vertical lines, where these take a part of them.

    An axis stays as it is where its title says at which value it starts.
    """
    if any("axis starts at" in note["text"] for note in plain["layout"].get("annotations", ())):
        return
    for name in axis_names(plain, "x"):
        axis, traces = plain["layout"][name], traces_on(plain, name)
        if axis.get("type") == "log" or not all(trace["type"] == "scatter" and _is_in_row(trace) for trace in traces):
            continue
        ref, (low, high) = name.replace("axis", ""), axis["range"]
        lines = [shape["x0"] for shape in plain["layout"].get("shapes", ()) if shape.get("xref", "x") == ref]
        shown = [x for x in (*(x for trace in traces for x in extent(trace, "x")), *lines) if low <= x <= high]
        if not shown or max(shown) - min(shown) > _USED * (high - low):
            continue
        margin = _MARGIN * (max(shown) - min(shown)) or (high - low) / 4
        low, high = min(shown) - margin, max(shown) + margin
        is_percent = str(axis.get("tickformat")).endswith("%")
        for key in ("tickvals", "ticktext", "tick0", "dtick", *(() if is_percent else ("tickformat",))):
            axis.pop(key, None)
        axis["range"] = [low, high]
        set_ticks(axis, "x")
        for note in plain["layout"].get("annotations", ()):
            if note.get("xref", "x") == ref and note.get("yanchor") == "bottom" and note.get("yref") == "paper":
                note["xanchor"] = reference_label(note["x"], note["text"], low, high)["xanchor"]


def _name_points(plain: Plain) -> None:
    """Name single points among curves: in the curve's own name, where theirs continues it, or else beside them."""
    entries = legend_entries(plain)
    curves = {name: trace for name, trace in entries if "lines" in trace.get("mode", "")}
    for name, trace in entries if curves else ():
        if "lines" in trace.get("mode", "") or len(trace.get("x", ())) != 1:
            continue
        trace["showlegend"] = False
        if curve := next((curves[one] for one in curves if name.startswith(f"{one}: ")), None):
            curve["name"] = name
            continue
        axis, (x,), (y,) = plain["layout"]["xaxis"], trace["x"], trace["y"]
        (low, high), is_log = axis["range"], axis.get("type") == "log"
        x, y = math.log10(x) if is_log else x, math.log10(y) if plain["layout"]["yaxis"].get("type") == "log" else y
        anchor, away = ("right", -10) if x > (low + 2 * high) / 3 else ("left", 10)
        place = {"x": x, "y": y, "xanchor": anchor, "yanchor": "bottom", "xshift": away, "showarrow": False}
        plain["layout"].setdefault("annotations", []).append({"text": name} | place)

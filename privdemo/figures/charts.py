"""Shared parts of charts: lines, markers, error bars, axes and rules, and a chart as an HTML page."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.figures.chart_style import BOTTOM_MARGIN, EMPTY, SIZE, TITLE_GAP, chart, spaced_percent
from privdemo.figures.ends import label_ends
from privdemo.intervals import Estimate
from privdemo.methods import Method


def line(style: palette.Style) -> dict:
    """Return Plotly's line in a method's style."""
    return {"color": style.colour, "dash": style.dash, "width": 2}


def marker(style: palette.Style) -> dict:
    """Return Plotly's marker in a method's style."""
    return {"color": style.colour, "symbol": style.marker, "size": 8}


def outlined(colour: str, pattern: str) -> dict:
    """Return the look of bars: where a `pattern` leaves them half empty, the outline still shows their height."""
    shape = {"shape": pattern, "solidity": 0.35, "size": 8}
    return {"color": colour, "pattern": shape, "line": {"color": colour, "width": 1.5}}


def error_bars(estimates: Sequence[Estimate], style: palette.Style) -> dict:
    """Return error bars of 95 % intervals; none where an interval is unknown, as of a single trial, or has no width."""
    if not any(e.known and not e.has_no_width for e in estimates):
        return {"visible": False}
    return {
        "type": "data",
        "symmetric": False,
        "array": [e.high - e.mean if e.known and not e.has_no_width else None for e in estimates],
        "arrayminus": [e.mean - e.low if e.known and not e.has_no_width else None for e in estimates],
        "color": style.colour,
        "thickness": 1.2,
        "width": 3,
    }


def interval_bars(
    value: float | NDArray, low: float | NDArray, high: float | NDArray, style: palette.Style
) -> dict[str, Any]:
    """Return error bars from `low` to `high` around one or many values."""
    values, lows, highs = (np.atleast_1d(x) for x in (value, low, high))
    return error_bars([Estimate(*e) for e in zip(values, lows, highs, strict=True)], style)


def legend_below() -> dict[str, Any]:
    """Return a legend in one or more lines at the foot of a figure, clear of the data."""
    return {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0}


def legend_over() -> dict[str, Any]:
    """Return a legend at the top of a figure, where a telephone shows it with the plot; `space_over` keeps it free."""
    return legend_below() | {"y": 1, "yanchor": "top"}


def space_over(pixels: float) -> dict[str, Any]:
    """Return an empty note that keeps so many pixels free over the plot."""
    place = {"x": 0, "xref": "paper", "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return place | {"text": EMPTY, "yshift": pixels - 1.3 * SIZE}


def reference_line(x: float, xref: str = "x", yref: str = "paper") -> dict[str, Any]:
    """Return a vertical reference line, such as the truth or the visitor's own setting."""
    shape = {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "xref": xref, "yref": yref}
    return shape | {"line": {"color": palette.TRUTH.colour, "width": 1.5}}


def reference_label(x: float, text: str, low: float, high: float) -> dict[str, Any]:
    """Return words over a reference line at `x` of an axis from `low` to `high`: centred, but towards the middle near
    an end.
    """
    place = (x - low) / (high - low)
    anchor = "left" if place < 0.12 else "right" if place > 0.79 else "center"
    return {"text": text, "x": x, "y": 1, "yref": "paper", "xanchor": anchor, "yanchor": "bottom", "showarrow": False}


def label_over(text: str, x: float, row: str | int, low: float, high: float) -> dict[str, Any]:
    """Return words over a mark at `x`, in a row, on an axis from `low` to `high`: towards the middle near an end."""
    place = (x - low) / (high - low)
    anchor = "left" if place < 0.3 else "right" if place > 0.7 else "center"
    return {"text": text, "x": x, "y": row, "xanchor": anchor, "yanchor": "bottom", "yshift": 6, "showarrow": False}


def rows(labels: Mapping[str, str]) -> dict[str, Any]:
    """Return a vertical axis with a row for each key of `labels`, the first at the top; the key's value is written over
    the row.

    Over their rows names need no margin, so that the plot is as wide as the screen.
    """
    names = list(labels)
    return {
        "categoryorder": "array",
        "categoryarray": names[::-1],
        "tickvals": names,
        "ticktext": list(labels.values()),
        "range": [-0.4, len(names) - 0.2],
        "ticklabelposition": "inside top",
        "showgrid": False,
    }


class DotPlot(NamedTuple):
    """One measure of several methods, a row each: its `title`, the ends of its axis, and how its numbers are written.

    `rules` are vertical rules: solid without words (""), dotted with words or, where a row has them, None. `how` says
    in a line below its title how a method works, by its title; the plots of a figure have it all or none.
    """

    title: str
    low: float
    high: float
    rows: Sequence[tuple[Method, Estimate]]
    number: Callable[[float], str]
    short: Callable[[float], str]
    rules: Sequence[tuple[float, str | None]]
    tickformat: str = ""
    how: Mapping[str, str] = {}


# The colour of the least of a table in colours: light, so that numbers can be read on it by day and by night.
PALE = "#E3EFF7"
# Height of a row, in pixels, and with two lines of words.
ROW, TWO_LINE_ROW = 40, 66
# Letters of a name that stand in one line of a telephone, with a number behind them.
_LETTERS = 46


class Below(NamedTuple):
    """A plot below dot plots: its title, height in pixels, trace and two axes."""

    title: str
    height: int
    trace: dict[str, Any]
    x_axis: dict[str, Any]
    y_axis: dict[str, Any]


# The marker of true data where a bar could not be told from the rule behind it.
_ON_A_RULE = {"symbol": "hexagon", "size": 9}


def dot_plots(contents: Sequence[DotPlot], below: Below | None = None) -> Figure:
    """Return estimates with 95 % intervals, one plot under the other. An estimate beyond its axis is an arrow in its
    label.
    """
    n_rows = len(contents[0].rows)
    row = TWO_LINE_ROW if contents[0].how else ROW
    # Rows of two lines are high: their scale stands above them, where it is seen first.
    above = 56 if contents[0].how else 34
    step = row * n_rows + 44 + above
    height = step * len(contents) - 44  # the last plot's tick labels are in the margin
    if below:
        height += 78 + below.height
    layout: dict[str, Any] = {"shapes": [], "annotations": []}
    traces = []
    for i, content in enumerate(contents):
        axis = str(i + 1) if i else ""
        top = 1 - (step * i + above) / height
        bottom = max(0.0, top - row * n_rows / height)
        for method, estimate in content.rows:
            known = estimate.known
            bars = {"error_x": error_bars([estimate], method.style) | {"thickness": 2, "width": 6}} if known else {}
            traces.append(
                {
                    "x": [estimate.mean],
                    "y": [method.title],
                    "xaxis": f"x{axis}",
                    "yaxis": f"y{axis}",
                    "mode": "markers",
                    "marker": point(method.style) | (_ON_A_RULE if method.style == palette.TRUTH else {}),
                    "hovertemplate": f"{method.in_full}: {estimate.formatted(content.number, HOVER)}<extra></extra>",
                    **bars,
                }
            )
        for x, words in content.rules:
            shape = reference_line(x, f"x{axis}", f"y{axis} domain")
            layout["shapes"].append(shape if words == "" else dotted(shape))
            if words:
                layout["annotations"].append(_words(words, x, top, "center", f"x{axis}"))
        layout["annotations"].append(heading(content.title, top) | {"yshift": above - 14})
        layout[f"xaxis{axis}"] = {"range": [content.low, content.high], "domain": [0, 1], "anchor": f"y{axis}"}
        if content.how:
            layout[f"xaxis{axis}"]["side"] = "top"
        if content.tickformat:
            layout[f"xaxis{axis}"]["tickformat"] = content.tickformat
        labels = {m.title: f"{m.title} <b>{_with_arrow(e.mean, content)}</b>" for m, e in content.rows}
        labels = {name: f"{words}<br>{content.how[name]}" if content.how else words for name, words in labels.items()}
        layout[f"yaxis{axis}"] = {"domain": [bottom, top], "anchor": f"x{axis}", **rows(labels)}
    if below:
        top = below.height / height
        traces.append(below.trace | {"xaxis": "x9", "yaxis": "y9"})
        layout |= {"xaxis9": below.x_axis | {"anchor": "y9"}, "yaxis9": below.y_axis | {"anchor": "x9"}}
        layout["yaxis9"]["domain"] = [0, top]
        layout["annotations"].append(heading(below.title, top) | {"yshift": 4})
    size = {"height": height + 52, "margin": {"b": 44}, "showlegend": False}
    return chart(data=[{"type": "scatter", **trace} for trace in traces], layout=layout | size)


def _words(text: str, x: float, y: float, anchor: str, xref: str) -> dict[str, Any]:
    place = {"x": x, "xref": xref, "xanchor": anchor, "y": y, "yref": "paper", "yanchor": "bottom"}
    return {"text": text, "showarrow": False} | place


def heading(words: str, y: float) -> dict[str, Any]:
    """Return the title of a part of a figure, at its left end, over the height `y` of the whole."""
    return _words(f"<b>{words}</b>", 0, y, "left", "paper")


def _with_arrow(value: float, content: DotPlot) -> str:
    shown = content.short(value)
    return f"← {shown}" if value < content.low else f"{shown} →" if value > content.high else shown


def point(style: palette.Style) -> dict[str, Any]:
    """Return a method's marker with an outline; that of true data is a bar."""
    shape = marker(style) if style != palette.TRUTH else {"color": style.colour, "symbol": "line-ns-open", "size": 12}
    return shape | {"line": {"width": 2, "color": style.colour}}


def dotted(shape: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of a rule, but dotted."""
    return shape | {"line": {"color": palette.TRUTH.colour, "width": 1, "dash": "dot"}}


def guesses(
    rates: Mapping[str, Estimate],
    promised: tuple[float, str],
    dots: Sequence[float],
    title: str,
    high: float = 1.02,
) -> Figure:
    """Return how often an adversary guesses right from each source, a row for each of `rates`.

    `promised` is a rule and its words, `dots` are dotted rules of luck, named where there is room; the axis ends at
    `high`.
    """
    style = palette.ADVERSARY
    low = min(0.5, math.floor(10 * min([*dots, *(rate.low for rate in rates.values())])) / 10) - 0.02
    stems = [
        {
            "x": [low, rate.mean],
            "y": [source, source],
            "mode": "lines",
            "line": {"color": style.colour, "width": 3},
            "opacity": 0.35,
            "hoverinfo": "skip",
        }
        for source, rate in rates.items()
    ]
    traces = [
        {
            "x": [rate.mean],
            "y": [source],
            "mode": "markers",
            "marker": marker(style) | {"size": 11},
            "error_x": error_bars([rate], style) | {"thickness": 2, "width": 8},
            "hovertemplate": f"{source}: {rate.formatted(percent, HOVER)}<extra></extra>",
        }
        for source, rate in rates.items()
    ]
    labels = {
        source: f"{'<br>'.join(textwrap.wrap(source, _LETTERS))}: <b>{percent(rate.mean)}</b>"
        for source, rate in rates.items()
    }
    return chart(
        data=[{"type": "scatter", **trace} for trace in (*stems, *traces)],
        layout={
            "xaxis": {"title": {"text": title}, "range": [low, high], "tickformat": ".0%"},
            "yaxis": rows(labels),
            "shapes": [reference_line(promised[0]), *(dotted(reference_line(x)) for x in dots)],
            "annotations": [
                reference_label(promised[0], promised[1], low, high),
                *(
                    reference_label(x, f"luck: {100 * x:g} %", low, high)
                    for x in dots
                    if promised[0] - x > 0.3 * (high - low)
                ),
            ],
            "height": 100 + (TWO_LINE_ROW if any("<br>" in label for label in labels.values()) else ROW) * len(rates),
            "margin": {"b": 48},
            "showlegend": False,
        },
    )


def published(x: float, y: float, style: palette.Style, words: str) -> dict[str, Any]:
    """Return a published value: an open star with `words` in its hover."""
    return {
        "x": [x],
        "y": [y],
        "mode": "markers",
        "marker": {"symbol": "star-open", "size": 13, "color": style.colour, "line": {"width": 2}},
        "name": "published",
        "showlegend": False,
        "hovertemplate": f"{words}<extra></extra>",
    }


def own(x: float, mark: Estimate, style: palette.Style, name: str, group: str, axis: str = "y") -> dict[str, Any]:
    """Return the result at the visitor's own setting, a larger marker among the curves."""
    return {
        "x": [x],
        "y": [mark.mean],
        "yaxis": axis,
        **({"error_y": error_bars([mark], style)} if mark.known else {}),
        "mode": "markers",
        "marker": point(style) | {"size": 12},
        "name": f"{name}, your setting",
        "legendgroup": group,
        "showlegend": False,
    }


class Curve(NamedTuple):
    """A line with 95 % intervals: its name and style, the abscissas `x` and the estimates there; its name `in_full`."""

    name: str
    style: palette.Style
    x: Sequence[float]
    estimates: Sequence[Estimate]
    in_full: str = ""


def method_curve(method: Method, points: Mapping[float, Estimate]) -> Curve:
    """Return the curve of a method through `points`, which map abscissas to estimates."""
    return Curve(method.title, method.style, list(points), list(points.values()), method.in_full)


def curve_chart(
    lines: Sequence[Curve],
    x_axis: dict[str, Any],
    y_axis: dict[str, Any],
    number: str = ".3f",
    stars: Sequence[tuple[float, float, palette.Style, str]] = (),
    yours: float | None = None,
    legend: int = 130,
    more: Sequence[dict[str, Any]] = (),
    height: int = 360,
    avoid_overlap: bool = False,
    legend_on_top: bool = False,
) -> Figure:
    """Return several curves; `stars` are published values (x, y, style, words), and a rule marks the visitor's own
    `yours`.

    `more` are further traces. `legend` and `height` are the pixels of the legend, below the plot or on top, and of all
    else. With `avoid_overlap` curves are named at their ends also where these are close (see `label_ends`).
    """
    first, last = x_axis["range"]
    # From left to right, so that a curve is named at its right end.
    rightwards = slice(None, None, 1 if first < last else -1)
    traces = [
        {
            "x": list(curve.x)[rightwards],
            "y": [estimate.mean for estimate in curve.estimates[rightwards]],
            "error_y": error_bars(curve.estimates[rightwards], curve.style),
            "mode": "lines+markers",
            "line": line(curve.style),
            "marker": point(curve.style),
            "name": curve.name,
            "hovertemplate": f"{curve.in_full or curve.name}: %{{y:{number}}}<extra></extra>",
        }
        for curve in lines
    ]
    traces += [published(*star) for star in stars]
    traces += [trace | {axis: list(trace[axis])[rightwards] for axis in "xy"} for trace in more]
    layout: dict[str, Any] = {}
    if yours is not None:
        low, high = sorted((first, last))
        at = math.log10(yours) if x_axis.get("type") == "log" else yours
        at = min(max(at, low), high)
        layout = {"shapes": [reference_line(10**at if x_axis.get("type") == "log" else at)]}
        layout["annotations"] = [reference_label(at, _setting(x_axis, yours), first, last)]
    if legend_on_top:
        # The title of the axis stands between the legend and the plot.
        place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom"}
        title = place | {"text": y_axis["title"]["text"], "yshift": TITLE_GAP, "showarrow": False}
        layout.setdefault("annotations", []).extend([title, space_over(legend + TITLE_GAP + 1.3 * SIZE)])
        y_axis = {**y_axis, "title": {"text": ""}}
    figure = chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": x_axis,
            "yaxis": y_axis,
            "height": height + legend,
            "margin": {"b": BOTTOM_MARGIN if legend_on_top else legend + 10},
            "legend": legend_over() if legend_on_top else legend_below(),
            **layout,
        },
    )
    return label_ends(figure, avoid_overlap)


def _setting(x_axis: Mapping[str, Any], value: float) -> str:
    """Name the visitor's own value on an axis: “your setting: ε = 1”, “your setting: 10,000”, “your setting: 90 %”."""
    if x_axis.get("tickformat") == ".0%":
        return f"your setting: {100 * value:g} %"
    title = x_axis["title"]["text"]
    symbol = f"{title[0]} = " if re.match(r"[εδ]\b", title) else ""
    return f"your setting: {symbol}" + (f"{value:,.0f}" if value >= 1000 else f"{value:g}")


def log_axis(title: str, levels: Sequence[float]) -> dict[str, Any]:
    """Return a logarithmic axis with a margin around `levels`, and numbers at them."""
    low, high = math.log10(min(levels)), math.log10(max(levels))
    margin = 0.05 * (high - low) or 0.1
    ticks = {"tickvals": list(levels), "ticktext": [f"{level:g}" for level in levels]}
    return {"title": {"text": title}, "type": "log", "range": [low - margin, high + margin], **ticks}


def privacy_axis(title: str, levels: Sequence[float]) -> dict[str, Any]:
    """Return a logarithmic axis of a privacy loss, as `log_axis`, but with the least at the right: there every slider
    is more private too.
    """
    across = log_axis(f"{title}, log scale (right: more private)", levels)
    return across | {"range": across["range"][::-1]}


def round_ticks(low: float, high: float, steps: Sequence[int] = (1, 2, 5)) -> dict[str, Any]:
    """Return ticks of a logarithmic axis at round numbers from `low` to `high`.

    They are the `steps` times powers of ten, or those powers alone if they are many.
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    several = [step * 10.0**decade for decade in decades for step in (steps if math.log10(high / low) < 2.5 else (1,))]
    shown = [value for value in several if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
    words = [f"{value / 1e6:g} million" if value >= 1e6 else f"{value:,g}" for value in shown]
    return {"tickvals": shown, "ticktext": words}


def axis(title: str, levels: Sequence[float], tickformat: str = "") -> dict[str, Any]:
    """Return an axis with a margin around `levels`."""
    margin = 0.05 * (max(levels) - min(levels)) or 0.1 * abs(levels[0])
    shown = {"tickformat": tickformat} if tickformat else {}
    return {"title": {"text": title}, "range": [min(levels) - margin, max(levels) + margin], **shown}


# How the hover of a mark writes its interval.
HOVER = ", 95 %: {} to {}"


def percent(value: float) -> str:
    """Return a share as charts write it: “35.0 %”, “−1.2 %”, “12,050.0 %”."""
    return spaced_percent(f"{round(value, 3) + 0.0:,.1%}".replace("-", "−"))

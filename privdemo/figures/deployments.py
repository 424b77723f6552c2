"""The chart of real deployments: one box for each unit that an ε is stated for, as units cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.deployments import CENTRAL, LOCAL, REPORT, Deployment
from privdemo.figures.chart_style import BOTTOM_MARGIN, GRID, chart
from privdemo.figures.charts import error_bars, legend_below, point
from privdemo.intervals import Estimate
from privdemo.palette import Style

# Marks by who adds the noise, and that of one's own setting.
STYLES = {LOCAL: palette.SPREAD, CENTRAL: Style(palette.NAIVE.colour, "solid", "square-open")}
TITLES = {LOCAL: "noise is added by the person", CENTRAL: "noise is added by whoever publishes"}
OWN, OWN_STYLE = "your setting on this page", palette.ADVERSARY
# The pixels of a line of the chart, and the lines between two rows.
_LINE, _GAP = 24, 0.6
# The ends of the axis, and the ε from which on a name stands at the right of its mark. A setting below the least ε of a
# mark is an arrow there.
_LOW, _HIGH, _NAME_AT_RIGHT_FROM = 0.7, 26.0, 3.5
_LEAST_MARK = 0.76
_TICKS = (1, 2, 5, 10, 20)


def by_unit(found: Mapping[str, Sequence[Deployment]], own: float) -> Figure:
    """Return the ε of every deployment on one axis, in a row for each unit, and one's own ε in the row of a report."""
    places: list[tuple[float, Deployment | None]] = []
    shapes, notes, down = [], [], 0.0
    for unit, here in found.items():
        top = down
        notes.append(_note(f"<b>{unit}</b>", y=-(down + 0.5)) | {"x": 0, "xref": "paper", "xanchor": "left"})
        down += 1
        members = [*here, *([None] if unit == REPORT else [])]
        for one in members:
            places.append((-(down + 0.5), one))
            down += 1
        shapes.append(_band(-down - 0.1, -top + 0.1))
        down += _GAP
    for y, one in places:
        notes.append(_name(y, one, own))
    return chart(
        data=_marks(places, own),
        layout={
            "xaxis": {
                "title": {"text": "ε, log scale (right: more private)"},
                "type": "log",
                "side": "top",
                "range": [math.log10(_HIGH), math.log10(_LOW)],
                "tickvals": list(_TICKS),
                "ticktext": [f"{tick:g}" for tick in _TICKS],
                "fixedrange": True,
            },
            "yaxis": {"range": [-down, 0.2], "tickvals": [], "showgrid": False, "zeroline": False, "fixedrange": True},
            "shapes": shapes,
            "annotations": notes,
            "height": round(_LINE * down) + 150,
            "margin": {"b": BOTTOM_MARGIN + 40},
            "legend": legend_below(),
        },
    )


def _marks(places: Sequence[tuple[float, Deployment | None]], own: float) -> list[dict[str, Any]]:
    """Return the marks, a trace for each model and one for one's own ε; a range is a line that ends in its mark."""
    traces = []
    for model, style in STYLES.items():
        here = [(y, one) for y, one in places if one is not None and one.model == model]
        ranges = [Estimate(one.epsilon, one.least_epsilon or one.epsilon, one.epsilon) for _, one in here]
        traces.append(
            {
                "x": [one.epsilon for _, one in here],
                "y": [y for y, _ in here],
                "mode": "markers",
                "name": TITLES[model],
                "marker": point(style) | {"size": 11},
                "error_x": error_bars(ranges, style) | {"thickness": 2, "width": 0},
                "customdata": [[one.organisation, one.protects, _bound(one)] for _, one in here],
                "hovertemplate": "%{customdata[0]}: %{customdata[2]} for %{customdata[1]}<extra></extra>",
            }
        )
    y = next(y for y, one in places if one is None)
    return [
        *traces,
        {
            "x": [max(own, _LEAST_MARK)],
            "y": [y],
            "mode": "markers",
            "name": OWN,
            "marker": point(OWN_STYLE) | {"size": 11} | ({"symbol": "triangle-right"} if own < _LEAST_MARK else {}),
            "hovertemplate": f"{OWN}: ε = {own:g}<extra></extra>",
        },
    ]


def _bound(one: Deployment) -> str:
    """Write ε, and δ if there is one."""
    least = f"{one.least_epsilon:.3g} to " if one.least_epsilon else ""
    delta = f", δ = {one.delta:g}" if one.delta else ""
    return f"ε = {least}{one.epsilon:.3g}{delta}"


def _name(y: float, one: Deployment | None, own: float) -> dict[str, Any]:
    """Return the name of a mark, on the side where there is space."""
    words, at = (one.name, one.epsilon) if one else ("your setting", own)
    least = max((one.least_epsilon if one else None) or at, _LEAST_MARK)
    number = f"<b>{one.least_epsilon:.3g} to {at:.3g}</b>" if one and one.least_epsilon else f"<b>{at:.3g}</b>"
    note = _note(f"{words} {number}", y)
    if at >= _NAME_AT_RIGHT_FROM:
        return note | {"x": math.log10(least), "xanchor": "left", "xshift": 9}
    return note | {"x": math.log10(max(at, _LEAST_MARK)), "xanchor": "right", "xshift": -9}


def _note(words: str, y: float) -> dict[str, Any]:
    return {"text": words, "y": y, "yanchor": "middle", "showarrow": False}


def _band(low: float, high: float) -> dict[str, Any]:
    """Return the frame of a row."""
    across = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": low, "y1": high, "layer": "below"}
    return across | {"fillcolor": "rgba(128,132,149,0.08)", "line": {"color": GRID, "width": 1}}

"""What the charts share: lines, markers and error bars in a meaning's colours, and a chart as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import look
from privdemo.intervals import Estimate


def to_html(figure: Figure) -> str:
    """The figure as one self-contained HTML page that needs no network."""
    return Figure(figure).update_layout(template="plotly_white").to_html(include_plotlyjs=True)


def line(style: look.Style) -> dict:
    return {"color": style.colour, "dash": style.dash, "width": 2}


def marker(style: look.Style) -> dict:
    return {"color": style.colour, "symbol": style.marker, "size": 8}


def error_bars(estimates: Sequence[Estimate], style: look.Style) -> dict:
    return {
        "type": "data",
        "symmetric": False,
        "array": [estimate.high - estimate.mean for estimate in estimates],
        "arrayminus": [estimate.mean - estimate.low for estimate in estimates],
        "color": style.colour,
        "thickness": 1.2,
        "width": 3,
    }


def interval_bars(
    value: float | NDArray, low: float | NDArray, high: float | NDArray, style: look.Style
) -> dict[str, Any]:
    """Error bars from `low` to `high` around one or many values."""
    values, lows, highs = (np.atleast_1d(x) for x in (value, low, high))
    return error_bars([Estimate(*e) for e in zip(values, lows, highs, strict=True)], style)


def legend_below() -> dict[str, Any]:
    """A legend in one or more lines at the foot of a figure, clear of the data."""
    return {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0}


def rule(x: float, xref: str = "x", yref: str = "paper") -> dict[str, Any]:
    """A vertical rule, such as the truth or the visitor's own setting."""
    shape = {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "xref": xref, "yref": yref}
    return shape | {"line": {"color": look.TRUTH.colour, "width": 1.5}}


def over_rule(x: float, text: str, low: float, high: float) -> dict[str, Any]:
    """Words over a rule at `x` of an axis from `low` to `high`: centred, but towards the middle near an end."""
    place = (x - low) / (high - low)
    anchor = "left" if place < 0.12 else "right" if place > 0.88 else "center"
    return {"text": text, "x": x, "y": 1, "yref": "paper", "xanchor": anchor, "yanchor": "bottom", "showarrow": False}


def rows(labels: Mapping[str, str]) -> dict[str, Any]:
    """A vertical axis with one named row for each key of `labels`, the first at the top; its values stand there."""
    names = list(labels)
    return {
        "categoryorder": "array",
        "categoryarray": names[::-1],
        "tickvals": names,
        "ticktext": list(labels.values()),
        "range": [-0.6, len(names) - 0.4],
    }


def percent(value: float) -> str:
    """A share as charts write it: “35.0%”, “−1.2%”, “12,050.0%”."""
    return f"{round(value, 3) + 0.0:,.1%}".replace("-", "−")

"""What the charts share: lines, markers and error bars in a meaning's colours, and a chart as a page."""

from __future__ import annotations

from collections.abc import Sequence

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

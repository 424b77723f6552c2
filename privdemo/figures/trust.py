"""The cost of privacy by trust: a small chart for the first page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plotly.graph_objects import Figure

from privdemo.figures.charts import HOVER, error_bars, percent, point, rows
from privdemo.figures.house import chart
from privdemo.intervals import Estimate
from privdemo.methods import Method

# Where the axis begins.
_COIN = 0.5


def by_trust(best: Mapping[str, tuple[Method, Estimate]], title: str) -> Figure:
    """Return the accuracy of the best method for each kind of trust, with 95 % intervals, a row each, from a coin's
    half on.

    `best` maps the words for a kind of trust to its method; `title` stands at the axis. A stem in the
    method's colour and dash leads to each mark.
    """
    traces = [
        {
            "x": [mark.mean],
            "y": [words],
            "mode": "markers",
            "marker": point(method.style) | {"size": 11},
            "error_x": error_bars([mark], method.style) | {"thickness": 2, "width": 8},
            "hovertemplate": f"{method.in_full}: {mark.written(percent, HOVER)}<extra></extra>",
        }
        for words, (method, mark) in best.items()
    ]
    labels = {words: f"{words} <b>{percent(mark.mean)}</b>" for words, (_, mark) in best.items()}
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": title}, "range": [_COIN, 1], "tickvals": [0.5, 1], "ticktext": ["50%", "100%"]},
            "yaxis": rows(labels),
            "height": 60 + 42 * len(labels),
            "margin": {"b": 60},
            "shapes": [_stem(words, method, mark) for words, (method, mark) in best.items()],
            "showlegend": False,
        },
    )


def _stem(words: str, method: Method, mark: Estimate) -> dict[str, Any]:
    """Return a line from a coin's half to a mark."""
    style = {"color": method.style.colour, "dash": method.style.dash, "width": 2}
    return {"type": "line", "x0": _COIN, "x1": mark.mean, "y0": words, "y1": words, "line": style, "layer": "below"}

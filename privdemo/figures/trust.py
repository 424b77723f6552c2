"""What privacy costs, by whom one trusts: a small chart for the first page."""

from __future__ import annotations

from collections.abc import Mapping

from plotly.graph_objects import Figure

from privdemo.figures.charts import HOVER, error_bars, percent, point, rows
from privdemo.figures.house import chart
from privdemo.intervals import Estimate
from privdemo.methods import Method


def by_trust(best: Mapping[str, tuple[Method, Estimate]], title: str) -> Figure:
    """The accuracy of the best method for each kind of trust, with 95 % intervals, a row each, from a coin's half on.

    `best` maps the words for a kind of trust to its method; `title` stands at the axis.
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
            "xaxis": {"title": {"text": title}, "range": [0.5, 1], "tickvals": [0.5, 1], "ticktext": ["50%", "100%"]},
            "yaxis": rows(labels),
            "height": 60 + 42 * len(labels),
            "margin": {"b": 60},
            "showlegend": False,
        },
    )

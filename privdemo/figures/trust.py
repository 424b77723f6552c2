"""Plot the accuracy of the best method for each party that is trusted: a small chart for the home page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plotly.graph_objects import Figure

from privdemo.figures.chart_style import chart
from privdemo.figures.charts import HOVER, error_bars, percent, point, rows
from privdemo.intervals import Estimate
from privdemo.methods import Method

# The accuracy of guessing between two classes, where the axis begins.
_CHANCE_ACCURACY = 0.5


def by_trust(best: Mapping[str, tuple[Method, Estimate]], title: str) -> Figure:
    """Return a chart with a row for each kind of trust: the accuracy of its best method, with a 95 % interval.

    `best` maps the words for a kind of trust, on one or more lines, to its best method and that method's accuracy;
    `title` is the title of the x axis, which begins at ½, the accuracy of guessing. A line in the method's colour and
    dash leads to each marker.
    """
    traces = [
        {
            "x": [accuracy.mean],
            "y": [words],
            "mode": "markers",
            "marker": point(method.style) | {"size": 11},
            "error_x": error_bars([accuracy], method.style) | {"thickness": 2, "width": 8},
            "hovertemplate": f"{method.in_full}: {accuracy.formatted(percent, HOVER)}<extra></extra>",
        }
        for words, (method, accuracy) in best.items()
    ]
    more_lines = max(words.count("<br>") for words in best)
    labels = {words: f"{words} <b>{100 * accuracy.mean:.0f} of 100</b> right" for words, (_, accuracy) in best.items()}
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {
                "title": {"text": title},
                "range": [_CHANCE_ACCURACY, 1],
                "tickvals": [0.5, 1],
                "ticktext": ["50", "100"],
            },
            "yaxis": rows(labels),
            "height": 60 + (42 + 18 * more_lines) * len(labels),
            "margin": {"b": 60},
            "shapes": [_stem(words, method, accuracy) for words, (method, accuracy) in best.items()],
            "showlegend": False,
        },
    )


def _stem(words: str, method: Method, accuracy: Estimate) -> dict[str, Any]:
    """Return a line from the accuracy of guessing to a method's marker."""
    style = {"color": method.style.colour, "dash": method.style.dash, "width": 2}
    return {
        "type": "line",
        "x0": _CHANCE_ACCURACY,
        "x1": accuracy.mean,
        "y0": words,
        "y1": words,
        "line": style,
        "layer": "below",
    }

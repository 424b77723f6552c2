"""Show what hides labels for each party that may be trusted, and plot what the best method of each reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from plotly.graph_objects import Figure

from privdemo.figures.chart_style import chart
from privdemo.figures.charts import HOVER, error_bars, percent, point, rows
from privdemo.intervals import Estimate
from privdemo.methods import Method

# The CSS of `flows_html`: a row for each way, with arrows between its steps; what chance changes is dashed.
FLOWS_CSS = """
.flows, .flows li { list-style: none; margin: 0 !important; padding: 0 !important; }
.flows { display: grid; gap: 0.4rem; padding: 0.5rem 0 0.75rem !important; max-width: 68rem; }
.flows li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.4rem; }
.flows b { min-width: 10.5rem; }
.flows span { border: 1px solid currentColor; border-radius: 0.4rem; padding: 0.1rem 0.5rem; }
.flows span + span { margin-left: 1.3rem; position: relative; }
.flows span + span::before { content: "→"; position: absolute; left: -1.25rem; }
.flows .chance { border: 2px dashed #D55E00; }
@media (max-width: 640px) { .flows b { min-width: 100%; } .flows span { padding: 0 0.3rem; } }
"""
# The accuracy of guessing between two classes, where the axis begins.
_CHANCE_ACCURACY = 0.5


class Flow(NamedTuple):
    """A way from true labels to a computer that learned: whom people trust, and its `steps` in order, each with whether
    chance changes something there.
    """

    trust: str
    steps: Sequence[tuple[str, bool]]


def flows_html(flows: Sequence[Flow]) -> str:
    """Return ways to hide labels as HTML, a row each: steps with arrows between them."""
    rows = (
        f"<li><b>{escape(flow.trust)}</b>"
        + "".join(f"<span{' class=chance' * by_chance}>{escape(step)}</span>" for step, by_chance in flow.steps)
        + "</li>"
        for flow in flows
    )
    return f'<ul class="flows">{"".join(rows)}</ul>'


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

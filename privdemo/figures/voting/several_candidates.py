"""The chart of shares of several candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.voting import ManyResult, candidate_name
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import interval_bars, legend_below, marker


def candidates(shares: Sequence[float], result: ManyResult) -> Figure:
    """Return true and estimated shares of k candidates; the inverted channel has 95 % intervals."""
    names = [candidate_name(i) for i in range(len(shares))]
    raw = palette.Style(palette.SPREAD.colour, "solid", "circle-open")
    estimates = (
        ("ignore the changes", result.naive, palette.NAIVE),
        ("simple inversion", result.inversion, raw),
        ("inversion brought into range", result.projected, palette.OTHERS[1]),
        ("best fit", result.mle, palette.SPREAD),
    )
    truth = {"color": palette.TRUTH.colour, "opacity": 0.3}
    traces: list[dict[str, Any]] = [
        {"type": "bar", "x": names, "y": list(shares), "name": "truth", "marker": truth, "width": 0.9}
    ]
    for i, (name, values, style) in enumerate(estimates):
        bars = {"error_y": interval_bars(values, result.low, result.high, style)} if style is raw else {}
        traces.append(
            {
                "type": "scatter",
                "x": [place + 0.2 * i - 0.3 for place in range(len(names))],
                "y": values,
                "xaxis": "x2",
                "mode": "markers",
                "marker": marker(style) | {"size": 9, "line": {"width": 2, "color": style.colour}},
                "name": name,
                "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
                **bars,
            }
        )
    edge = [-0.5, len(names) - 0.5]
    return chart(
        data=traces,
        layout={
            "xaxis": {"range": edge, "title": {"text": "candidate"}},
            "xaxis2": {"overlaying": "x", "range": edge, "visible": False},
            "yaxis": {"title": {"text": "share of the vote"}, "tickformat": ".0%"},
            "height": 380,
            "margin": {"b": 110},
            "legend": legend_below(),
        },
    )

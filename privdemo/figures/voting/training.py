"""The chart of the loss of naive training over the direction of the weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.naive_training import NaiveResult
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import legend_below, line, marker, reference_label, reference_line


def naive_training(isotropic: NaiveResult, yours: NaiveResult) -> Figure:
    """Return the loss of naive training above its minimum, over the direction of the weights; the minima are marked."""
    traces: list[dict[str, Any]] = []
    for name, result, style in (
        ("same spread in all directions", isotropic, palette.Style(palette.TRUTH.colour, "dot", "circle-open")),
        ("your inputs", yours, palette.NAIVE),
    ):
        above = result.loss - result.loss.min()
        traces.append(
            {
                "x": result.alpha,
                "y": above,
                "mode": "lines",
                "line": line(style),
                "name": name,
                "hovertemplate": f"{name}: α = %{{x:.0f}}°, %{{y:.3f}} nats above the least<extra></extra>",
            }
        )
        if result.best:
            angles = " and ".join(f"{round(a, 1) + 0.0:.1f}°" for a in result.best).replace("-", "−")
            traces.append(
                {
                    "x": result.best,
                    "y": np.interp(result.best, result.alpha, above),
                    "mode": "markers",
                    "marker": marker(style) | {"size": 12, "line": {"width": 2, "color": style.colour}},
                    "name": f"{name}: least at {angles}",
                    "cliponaxis": False,
                    "hovertemplate": "α = %{x:.1f}°<extra></extra>",
                }
            )
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {
                "title": {"text": "direction of the weights, degrees from the true one"},
                "tickvals": [-180, -90, 0, 90, 180],
                "range": [-185, 185],
            },
            "yaxis": {"title": {"text": "loss minus its minimum, nats a person"}, "rangemode": "tozero"},
            "shapes": [reference_line(0)],
            "annotations": [reference_label(0, "truth", -185, 185)],
            "height": 360,
            "margin": {"b": 130},
            "legend": legend_below(),
        },
    )

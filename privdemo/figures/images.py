"""The chart of images under pixel noise."""

from __future__ import annotations

from collections.abc import Sequence

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.images import Point
from privdemo.figures.charts import error_bars, legend_below, line, marker
from privdemo.figures.house import chart
from privdemo.intervals import Estimate
from privdemo.mechanisms.pixels import PixelFamily


def damage_and_linkage(curve: Sequence[Point], here: Point, family: PixelFamily, n_candidates: int) -> Figure:
    """Two plots over the noise level: the error of a pixel, and how often the sender is found.

    Lines of the upper plot are exact expectations; all markers are measured, with 95 % intervals. A rule marks the
    visitor's own level. Margins are fixed, so that the plots stay in place when the dial is let go.
    """
    levels = [point.level for point in curve]
    linked = [point.linked for point in curve]
    chance = 1 / n_candidates
    traces = [
        *_error(
            levels,
            "absolute error",
            palette.OTHERS[0],
            [p.expected.absolute for p in curve],
            [p.absolute for p in curve],
        ),
        *_error(
            levels, "squared error", palette.OTHERS[1], [p.expected.squared for p in curve], [p.squared for p in curve]
        ),
        _measured(levels, linked, "sender found", palette.ADVERSARY) | {"mode": "lines+markers", "yaxis": "y2"},
        {
            "x": [levels[0], levels[-1]],
            "y": [chance, chance],
            "yaxis": "y2",
            "mode": "lines",
            "name": f"chance, 1 in {n_candidates}",
            "line": {"color": palette.TRUTH.colour, "width": 1.5, "dash": "dot"},
        },
    ]
    level = here.level
    rule = {"x0": level, "x1": level, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": palette.TRUTH.colour}}
    label = {"x": level, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": f"{family.level_name} {family.symbol}"}, "rangemode": "tozero", "anchor": "y2"},
            "yaxis": {"title": {"text": "error of a pixel"}, "rangemode": "tozero", "domain": [0.54, 1]},
            "yaxis2": {
                "title": {"text": "sender found"},
                "range": [-0.04, 1.06],
                "tickformat": ".0%",
                "domain": [0, 0.46],
            },
            "shapes": [{"type": "line", **rule}],
            "annotations": [{"text": f"{family.symbol} = {level:.4g}", **label}],
            "height": 520,
            "margin": {"b": 110},
            "legend": legend_below(),
            "hovermode": "closest",
        },
    )


def _error(
    levels: list[float], name: str, style: palette.Style, expected: list[float], measured: list[Estimate]
) -> list[dict]:
    curve = {"x": levels, "y": expected, "mode": "lines", "name": name, "line": line(style)}
    return [curve, _measured(levels, measured, f"{name}, measured", style) | {"mode": "markers", "showlegend": False}]


def _measured(levels: list[float], estimates: list[Estimate], name: str, style: palette.Style) -> dict:
    return {
        "x": levels,
        "y": [estimate.mean for estimate in estimates],
        "error_y": error_bars(estimates, style),
        "name": name,
        "line": line(style),
        "marker": marker(style),
    }

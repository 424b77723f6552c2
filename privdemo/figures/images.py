"""The charts of images under pixel noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.images import Point
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import error_bars, legend_below, line, marker, reference_label, reference_line
from privdemo.intervals import Estimate
from privdemo.mechanisms.pixels import PixelFamily


def pixel_error_figure(curve: Sequence[Point], here: Point, family: PixelFamily) -> Figure:
    """Return the error of a pixel over the noise level: lines are exact, markers measured, with 95 % intervals."""
    levels = [point.level for point in curve]
    absolute, squared = palette.OTHERS[:2]
    traces = [
        *_error(levels, "error", absolute, [p.expected.absolute for p in curve], [p.absolute for p in curve]),
        *_error(levels, "squared error", squared, [p.expected.squared for p in curve], [p.squared for p in curve]),
    ]
    return _over_levels(
        traces,
        {"title": {"text": "how far a pixel is off (0 is not at all)"}, "rangemode": "tozero"},
        levels,
        here,
        family,
    )


def reidentification_figure(curve: Sequence[Point], here: Point, family: PixelFamily) -> Figure:
    """Return the rate of re-identification over the noise level, with 95 % intervals, and that of chance."""
    levels = [point.level for point in curve]
    chance = 1 / here.n_candidates
    traces = [
        _measured(levels, [p.linked for p in curve], "right person picked", palette.ADVERSARY)
        | {"mode": "lines+markers"},
        {
            "x": [levels[0], levels[-1]],
            "y": [chance, chance],
            "mode": "lines",
            "name": f"guessing blindly, 1 in {here.n_candidates}",
            "line": {"color": palette.TRUTH.colour, "width": 1.5, "dash": "dot"},
        },
    ]
    shown = {"title": {"text": "right person picked"}, "range": [-0.04, 1.06], "tickformat": ".0%"}
    return _over_levels(traces, shown, levels, here, family)


# What an adversary knows of clean pixels, by the name of the prior: the better, the fuller the line and its marks.
KNOWLEDGE = {
    "flat": palette.ADVERSARY._replace(dash="dot", marker="diamond-open"),
    "learned": palette.ADVERSARY._replace(dash="dash", marker="square-open"),
    "true": palette.ADVERSARY._replace(dash="longdashdot", marker="circle-open"),
    "low_rank": palette.ADVERSARY,
}


def reconstruction_figure(
    errors: Mapping[float, Mapping[str, Estimate]], titles: Mapping[str, str], here: Point, family: PixelFamily
) -> Figure:
    """Return the squared error of an adversary's guess over the noise level, by what is known of pixels, with 95 %
    intervals.

    `errors` are those of each prior by level, `titles` what the priors are called.
    """
    levels = list(errors)
    traces = [
        _measured(levels, [at[prior] for at in errors.values()], titles[prior], KNOWLEDGE[prior])
        | {"mode": "lines+markers"}
        for prior in titles
    ]
    axis = {"title": {"text": "squared error of a guessed pixel (0 is perfect)"}, "rangemode": "tozero"}
    return _over_levels(traces, axis, levels, here, family)


def _over_levels(
    traces: Sequence[Mapping[str, Any]], y_axis: dict[str, Any], levels: list[float], here: Point, family: PixelFamily
) -> Figure:
    """Return a chart over the noise level, with a rule at the visitor's own."""
    title = f"{family.symbol}, {family.level_name}"
    low, high = levels[0], levels[-1]
    margin = 0.03 * (high - low)
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": title}, "range": [low - margin, high + margin]},
            "yaxis": y_axis,
            "shapes": [reference_line(here.level)],
            "annotations": [reference_label(here.level, f"{family.symbol} = {here.level:.4g}", low, high)],
            "height": 380,
            "margin": {"b": 90},
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

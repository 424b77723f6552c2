"""Charts of released label counts: their distance from the true ones, and their guarantees."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import Outcome
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import (
    axis,
    curve_chart,
    error_bars,
    guesses,
    legend_below,
    line,
    log_axis,
    method_curve,
    outlined,
    percent,
    point,
    privacy_axis,
    reference_label,
    reference_line,
)
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import CountRelease
from privdemo.methods import LABEL_COUNTS

TITLES = {
    label_counts.C_AXIS: "number of classes",
    label_counts.RHO_AXIS: "share of every class but the last",
    label_counts.EPSILON_AXIS: "ε",
    label_counts.DELTA_AXIS: "δ, log scale",
}
# By how many of 1,000 people all counts together are off at an L1 distance of 1.
OFF_BY = 1000.0
# The most classes that are plotted as bars, and the pixels of the row of each: its words over two bars. Where those
# begin, and how thick they are, in rows; the filling of bars of true counts.
MOST_BARS, _CLASS_ROW = 16, 48
_TRUE_BAR, _RELEASED_BAR, _BAR = -0.14, -0.36, 0.2
_PALE_TRUTH = "rgba(122,122,122,0.08)"
# Where the counts end and their errors begin, as parts of the width.
_COUNTS_TO, _ERRORS_FROM = 0.66, 0.7
# With more kinds of noise than these, a telephone needs more height for their names.
_FEW = 3
# What stands over the errors.
_ERROR_HEADING = {"text": "<b>error</b>: published minus true", "xref": "paper", "y": 1, "yref": "paper"}
_ERROR_HEADING |= {"yanchor": "bottom", "x": 1, "xanchor": "right", "showarrow": False}
# What the bars are called.
_TRUE, _PUBLISHED = "true counts (not published)", "published counts (randomly raised or lowered)"


def along(
    axis_name: str,
    distortions: Mapping[float, Mapping[str, Estimate]],
    yours: float | None,
    as_published: bool = True,
    in_l1: bool = True,
) -> Figure:
    """Return mean L1 distortion along an axis (the paper's figure 1), a line for every mechanism, with 95 % intervals.

    `distortions` maps levels and mechanisms to estimates; a line ends where its mechanism has none. Where all other
    settings are `as_published`, stars mark the values that the paper's text gives. Not `in_l1`, it is plotted as the
    people by whom all counts together are off, of 1,000.
    """
    unit = 1.0 if in_l1 else OFF_BY
    names = [name for name in LABEL_COUNTS if any(name in here for here in distortions.values())]
    lines = []
    for name, short in _short(names).items():
        there = {x: here[name].times(unit) for x, here in distortions.items() if name in here}
        lines.append(method_curve(LABEL_COUNTS[name], there)._replace(name=short))
    levels = list(distortions)
    means = [e.mean for curve in lines for e in curve.estimates]
    logarithmic = axis_name in (label_counts.EPSILON_AXIS, label_counts.DELTA_AXIS)
    across = privacy_axis if axis_name == label_counts.EPSILON_AXIS else log_axis if logarithmic else axis
    x_axis = across(TITLES[axis_name], levels)
    if logarithmic:
        named = sorted({*label_counts.AXES[axis_name], *_ticks_beyond(axis_name, levels), *([yours] if yours else [])})
        words = [f"10<sup>{round(math.log10(x))}</sup>" if x < 0.01 else f"{x:g}" for x in named]
        x_axis |= {"tickvals": named, "ticktext": words}
    low, high = math.log10(min(means)) - 0.04, math.log10(max(means)) + 0.04
    decades = range(math.floor(low), math.ceil(high) + 1)
    ticks = [
        step * 10.0**decade for decade in decades for step in (1, 2, 5) if low <= math.log10(step) + decade <= high
    ]
    y_axis = {
        "title": {
            "text": "distortion (L1; 0.02: off by 20 of 1,000 people)"
            if in_l1
            else "errors of all counts, of 1,000 people, log scale"
        },
        "type": "log",
        "range": [low, high],
    }
    y_axis |= {"tickvals": ticks, "ticktext": [f"{t:,.10g}" for t in ticks]}
    stars = _stars(axis_name, names, unit) if as_published else []
    legend = 150 if len(lines) > _FEW else 110
    return curve_chart(lines, x_axis, y_axis, ".3g", stars, yours, legend=legend, height=390, avoid_overlap=True)


def _ticks_beyond(axis_name: str, levels: Sequence[float]) -> Sequence[float]:
    """Return the levels of ε beyond those of the paper, for ticks."""
    return [x for x in levels if x in label_counts.LARGER_EPSILONS] if axis_name == label_counts.EPSILON_AXIS else ()


def _short(names: Sequence[str]) -> dict[str, str]:
    """Return the names of curves: of the only scaled Dirichlet among them no more than whose it is, as its title is
    long.
    """
    dirichlet = [name for name in names if name.startswith("dirichlet")]
    titles = {name: LABEL_COUNTS[name].title for name in names}
    if len(dirichlet) == 1:
        kind = re.split(r" \(| for | from ", titles[dirichlet[0]].partition(", ")[2])[0]
        titles[dirichlet[0]] = f"Dirichlet, {kind}"
    return titles


def _stars(axis_name: str, names: Sequence[str], unit: float) -> list[tuple[float, float, palette.Style, str]]:
    at = {
        label_counts.C_AXIS: float(label_counts.CLASSES),
        label_counts.RHO_AXIS: label_counts.RHO,
        label_counts.EPSILON_AXIS: label_counts.EPSILON,
    }
    words = {"dirichlet published": "scaled Dirichlet", "laplace published": "the best of the others"}
    return [
        (at[axis_name], unit * value, LABEL_COUNTS[name].style, f"{words[name]}, published: {unit * value:g}")
        for name, value in label_counts.PUBLISHED.items()
        if axis_name in at and name in names
    ]


def beside(
    counts: Sequence[int],
    outcome: Outcome,
    classes: Sequence[int],
    names: Sequence[str] = (),
    unit: str = "people",
    *,
    is_covered: bool = False,
) -> Figure:
    """Return true counts of `classes` and one release, and at the right how far each is off, with the range of 95 % of
    all releases. If it `is_covered`, only the first count is shown as it is published, the others as “?”, and no error.

    Each class is a row with both counts in words, under its one of `names`, or its number without names. `unit` is the
    title of the axis.
    """
    total, n = sum(counts), len(classes)
    places = [float(n - 1 - row) for row in range(n)]
    words = [f"{names[c] if names else f'class {c + 1}'}: true count {counts[c]:,}" for c in classes]
    grey = {"color": _PALE_TRUTH, "line": {"color": palette.TRUTH.colour, "width": 1.5}}
    traces = [_row_bars(_TRUE, [counts[c] for c in classes], places, _TRUE_BAR, words, grey)]
    layout: dict[str, Any] = {"annotations": []}
    style = LABEL_COUNTS[outcome.release].style
    every_error = published_errors(outcome, counts)
    errors = [every_error[c] for c in classes]
    released = [counts[c] + error for c, error in zip(classes, errors, strict=True)][: 1 if is_covered else None]
    published = [f"{value:,.0f}" for value in released] + ["?"] * (n - len(released))
    words[:] = [f"{one}, published <b>{value}</b>" for one, value in zip(words, published, strict=True)]
    look = outlined(style.colour, "/")
    traces.append(_row_bars(_PUBLISHED, released, places[: len(released)], _RELEASED_BAR, words[: len(released)], look))
    largest = [*(counts[c] for c in classes), *released]
    if not is_covered:
        ranges = [tuple(total * end - counts[c] for end in outcome.ranges[c]) for c in classes]
        traces += _row_errors(errors, ranges, places, style)
        layout["annotations"] = [
            {"text": _signed(error), "x": error, "xref": "x2", "y": place + _TRUE_BAR + _BAR, "yanchor": "bottom"}
            | {"showarrow": False}
            for error, place in zip(errors, places, strict=True)
        ]
        layout["annotations"].append(_ERROR_HEADING)
        reach = 1.15 * max(abs(end) for end in (*errors, *itertools.chain(*ranges))) or 1.0
        layout["xaxis2"] = {"range": [-reach, reach], "domain": [_ERRORS_FROM, 1], "anchor": "y", "nticks": 6}
        layout["xaxis2"] |= {"title": {"text": f"error, {unit}"}}
        layout["shapes"] = [reference_line(0.0, "x2", "y domain")]
    domain, below = ([0, 1], 90) if is_covered else ([0, _COUNTS_TO], 116)
    return chart(
        data=traces,
        layout={
            "xaxis": {
                "title": {"text": unit},
                "range": [0, 1.05 * max(largest)],
                "domain": domain,
                "nticks": 4,
            },
            "yaxis": {
                "tickvals": places,
                "ticktext": words,
                "range": [-0.6, n - 0.4],
                "showgrid": False,
            }
            | {"ticklabelposition": "inside top"},
            "barmode": "overlay",
            "height": 20 + below + _CLASS_ROW * n,
            "margin": {"b": below},
            "legend": legend_below(),
            **layout,
        },
    )


def published_errors(outcome: Outcome, counts: Sequence[int]) -> list[int]:
    """Return by how many people each published count is off: counts are published as whole numbers."""
    total = sum(counts)
    return [round(share * total) - n for share, n in zip(outcome.example, counts, strict=True)]


def _signed(error: int) -> str:
    """Write an error in whole people: “+1”, “−2”, “0”."""
    return f"{error:+,}".replace("-", "−") if error else "0"


def _row_bars(
    name: str, values: Sequence[float], places: Sequence[float], shift: float, words: Sequence[str], look: dict
) -> dict[str, Any]:
    """Return bars across, below the words of their rows; `shift` is where a bar begins in its row."""
    return {
        "type": "bar",
        "orientation": "h",
        "x": list(values),
        "y": list(places),
        "offset": shift,
        "width": _BAR,
        "name": name,
        "marker": look,
        "customdata": list(words),
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _row_errors(
    errors: Sequence[int], ranges: Sequence[Sequence[float]], places: Sequence[float], style: palette.Style
) -> list[dict[str, Any]]:
    """Return how far released counts are off, and the ranges of these errors in most releases."""
    y = [place + _TRUE_BAR for place in places]
    ends = [Estimate((low + high) / 2, low, high) for low, high in ranges]
    across = {
        "x": [one.mean for one in ends],
        "y": y,
        "xaxis": "x2",
        "mode": "markers",
        "marker": {"size": 1, "opacity": 0},
        "error_x": error_bars(ends, palette.TRUTH),
        "showlegend": False,
        "hoverinfo": "skip",
    }
    here = {
        "x": list(errors),
        "y": y,
        "xaxis": "x2",
        "mode": "markers",
        "marker": {"symbol": "diamond", "size": 9, "color": style.colour},
        "name": "error this time",
        "hovertemplate": "%{x:+,}<extra></extra>",
    }
    in_legend = {
        "x": [None],
        "y": [None],
        "mode": "lines",
        "line": {"color": palette.TRUTH.colour, "width": 2},
        "name": "range of the error in 95 of 100 repetitions",
    }
    return [across, here, in_legend]


def profiles(curves: Mapping[str, CountRelease], chosen: str, epsilon: float, delta: float) -> Figure:
    """Return δ(ε) of each mechanism on a logarithmic axis, that of `chosen` thicker; a cross marks the wanted (ε,
    δ).
    """
    high = 3 * epsilon
    while high < 20 * epsilon and max(m.delta_at(high) for m in curves.values()) > delta / 100:
        high *= 1.5
    epsilons = [high * i / 120 for i in range(121)]
    traces = []
    least = 1e-12
    for name, mechanism in curves.items():
        style = LABEL_COUNTS[name].style
        deltas = label_counts.profile(mechanism, epsilons)
        traces.append(
            {
                "type": "scatter",
                "x": epsilons,
                "y": [d if d > 0 else None for d in deltas],
                "mode": "lines",
                "line": line(style) | {"width": 3 if name == chosen else 1.5},
                "name": LABEL_COUNTS[name].title,
                "hovertemplate": f"{LABEL_COUNTS[name].in_full}: δ = %{{y:.2g}} at ε = %{{x:.3g}}<extra></extra>",
            }
        )
    traces.append(
        {
            "type": "scatter",
            "x": [epsilon],
            "y": [delta],
            "mode": "markers",
            "marker": point(palette.Style(palette.TRUTH.colour, "solid", "x")) | {"size": 11},
            "name": "wanted (ε, δ)",
            "hovertemplate": "wanted: ε = %{x:.3g}, δ = %{y:.2g}<extra></extra>",
        }
    )
    bottom = max(math.log10(least), math.log10(delta) - 5) if delta > 0 else math.log10(least)
    ticks = [10.0**e for e in range(math.ceil(bottom), 1)]
    return chart(
        data=traces,
        layout={
            "xaxis": {"title": {"text": "ε"}, "range": [0, high]},
            "yaxis": {"title": {"text": "δ(ε)"}, "type": "log", "range": [bottom, 0.15]}
            | {
                "tickvals": ticks,
                "ticktext": [f"10<sup>{round(math.log10(t))}</sup>" if t < 1 else "1" for t in ticks],
            },
            "shapes": [reference_line(epsilon)],
            "annotations": [reference_label(epsilon, "wanted ε", 0, high)],
            "height": 400,
            "margin": {"b": 110},
            "legend": legend_below(),
        },
    )


def attack(rates: Mapping[str, float], promised: float) -> Figure:
    """Return how often the last unknown label is named from each mechanism's release; a rule marks what (ε, δ)
    allows.
    """
    named = {LABEL_COUNTS[name].title: Estimate(rate, rate, rate) for name, rate in rates.items()}
    high = min(1.02, max(promised, *rates.values()) + 0.05)
    return guesses(
        named,
        (promised, f"promised: at most {percent(promised)}"),
        [0.5],
        "guessed correctly",
        high,
    )

"""Charts of released label counts: their distance from the true ones, and their guarantees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

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
    label_counts.DELTA_AXIS: "δ",
}
# Labels of 1,000 that are in a wrong class at an L1 distance of 1.
MISPLACED = 500.0
# The most classes that are plotted as bars.
MOST_BARS = 40


def along(
    axis_name: str,
    distortions: Mapping[float, Mapping[str, Estimate]],
    yours: float | None,
    as_published: bool = True,
    in_l1: bool = True,
) -> Figure:
    """Return mean L1 distortion along an axis (the paper's figure 1), a line for every mechanism, with 95 % intervals.

    `distortions` maps levels and mechanisms to estimates; a line ends where its mechanism has none. Where all other
    settings are `as_published`, stars mark the values that the paper's text gives. Not `in_l1`, they are plotted as
    labels misplaced of 1,000: half the L1 distance is the share of them.
    """
    unit = 1.0 if in_l1 else MISPLACED
    names = [name for name in LABEL_COUNTS if any(name in here for here in distortions.values())]
    lines = []
    for name, short in _short(names).items():
        there = {x: here[name].times(unit) for x, here in distortions.items() if name in here}
        lines.append(method_curve(LABEL_COUNTS[name], there)._replace(name=short))
    levels = list(distortions)
    means = [e.mean for curve in lines for e in curve.estimates]
    logarithmic = axis_name in (label_counts.EPSILON_AXIS, label_counts.DELTA_AXIS)
    x_axis = (log_axis if logarithmic else axis)(TITLES[axis_name], levels)
    if logarithmic:
        named = label_counts.AXES[axis_name]
        words = [f"10<sup>{round(math.log10(x))}</sup>" if x < 0.01 else f"{x:g}" for x in named]
        x_axis |= {"tickvals": named, "ticktext": words}
    low, high = math.log10(min(means)) - 0.04, math.log10(max(means)) + 0.04
    decades = range(math.floor(low), math.ceil(high) + 1)
    ticks = [
        step * 10.0**decade for decade in decades for step in (1, 2, 5) if low <= math.log10(step) + decade <= high
    ]
    y_axis = {
        "title": {
            "text": "distortion (L1; 0.02 misplaces 10 of 1,000 labels)" if in_l1 else "misplaced of 1,000 labels"
        },
        "type": "log",
        "range": [low, high],
    }
    y_axis |= {"tickvals": ticks, "ticktext": [f"{t:,.10g}" for t in ticks]}
    stars = _stars(axis_name, names, unit) if as_published else []
    return curve_chart(lines, x_axis, y_axis, ".3g", stars, yours, legend=150, height=390)


def _short(names: Sequence[str]) -> dict[str, str]:
    """Return the names of curves: of the only scaled Dirichlet among them no more than whose it is, as its title is
    long.
    """
    dirichlet = [name for name in names if name.startswith("dirichlet")]
    titles = {name: LABEL_COUNTS[name].title for name in names}
    if len(dirichlet) == 1:
        titles[dirichlet[0]] = f"Dirichlet, {titles[dirichlet[0]].partition(', ')[2].split()[0]}"
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


def beside(counts: Sequence[int], outcome: Outcome, classes: Sequence[int]) -> Figure:
    """Return true counts of `classes` and one release, with the range of 95 % of all releases."""
    style, total = LABEL_COUNTS[outcome.release].style, sum(counts)
    names = [str(c + 1) for c in classes]
    released = [total * outcome.example[c] for c in classes]
    ranges = [(total * outcome.ranges[c][0], total * outcome.ranges[c][1]) for c in classes]
    middle = [(low + high) / 2 for low, high in ranges]
    return chart(
        data=[
            {
                "type": "bar",
                "x": names,
                "y": [counts[c] for c in classes],
                "name": "true",
                "marker": {"color": palette.TRUTH.colour},
                "hovertemplate": "class %{x}: %{y:,.0f}<extra>true</extra>",
            },
            {
                "type": "bar",
                "x": names,
                "y": released,
                "name": "one release",
                "marker": outlined(style.colour, "/"),
                "hovertemplate": "class %{x}: %{y:,.1f}<extra>released</extra>",
            },
            {
                "type": "scatter",
                "x": names,
                "y": middle,
                "mode": "markers",
                "marker": {"symbol": "line-ns-open", "size": 9, "color": palette.TRUTH.colour},
                "error_y": error_bars(
                    [Estimate(m, *ends) for m, ends in zip(middle, ranges, strict=True)], palette.TRUTH
                ),
                "name": "95 % of releases",
                "hoverinfo": "skip",
            },
        ],
        layout={
            "xaxis": {"title": {"text": "class"}, "type": "category"},
            "yaxis": {"title": {"text": "records"}, "rangemode": "tozero"},
            "barmode": "group",
            "height": 360,
            "margin": {"b": 90},
            "legend": legend_below(),
        },
    )


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
    return guesses(named, (promised, f"(ε, δ) allows {percent(promised)}"), [0.5], "label named", high)

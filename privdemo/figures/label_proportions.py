"""Charts and pictures of bags of records, of which only proportions are released."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import Trial
from privdemo.experiments.label_proportions.study import Row
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import (
    DotPlot,
    dot_plots,
    dotted,
    error_bars,
    guesses,
    heading,
    legend_below,
    line,
    own,
    percent,
    point,
    published,
    reference_label,
    reference_line,
)
from privdemo.figures.ends import label_ends
from privdemo.figures.people import A_COLOUR
from privdemo.intervals import Estimate
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import (
    ALTERNATING,
    FULL,
    LABEL_PROPORTIONS,
    LABELLED,
    LLP,
    MEAN_MAP,
    NAMES,
    TRUTH,
    Method,
    by_trying,
)
from privdemo.tasks import Task

AVERAGE = "average F1 score (1 is perfect)"
TITLES = {"average": AVERAGE, "positive": "F1 of positives", "negative": "F1 of negatives"}
# The most bags that are plotted as columns.
COLUMNS, FEW_COLUMNS = 40, 12
# Steps that a column is plotted in; where there is space, one separates a record or a mean from the next.
STEPS = 180
# A pale tint of the colour of those who are not positive: on a black-and-white projector it is lighter than the other.
PALE = "#D9C6BB"
# The colour of records whose labels are not released.
UNKNOWN = "#C9CCD4"


def scores(
    trials: Sequence[Trial],
    methods: Sequence[str],
    threshold: str,
    measures: Sequence[str] = label_proportions.F1S,
) -> Figure:
    """Return average F1, F1 of positives and of negatives, of every method with 95 % intervals over trials.

    Rules mark the F1 with the labels known, and that of calling every record negative.
    """
    return dot_plots([_dot_plot(trials, methods, threshold, which) for which in measures])


# How each method learns, in one line of a telephone; {records} are what is classified, of which some
# {positive}; {bag} is the percentage of a bag.
HOW = {
    FULL: "knows which {records} {positive}",
    LABELLED: "knows all labels of what is sent on",
    NAMES: "treats each one in a {bag} bag as {bag} likely",
    by_trying(NAMES): "takes percentages as chances, or compares averages",
    LLP: "finds a rule whose answers match each bag’s percentage",
    MEAN_MAP: "finds what bags of high percentage have in common",
    ALTERNATING: "compares typical members, then corrects bag by bag",
}
_HOW_LAZY = "learns nothing (for comparison)"


def accuracies(trials: Sequence[Trial], methods: Sequence[str], threshold: str, task: Task) -> Figure:
    """Return which share of the test records every method classifies correctly, with 95 % intervals over trials.

    Two more rows with rules are that share with the labels known, and that of calling every record negative. Below its
    title each row says how it learns.
    """
    named = {name: LABEL_PROPORTIONS[name] for name in methods}
    marks = [(named[name], label_proportions.mean_accuracy(trials, name, threshold)) for name in methods]
    nothing = 1 - float(np.mean([trial.test_share for trial in trials]))
    low = max(0.0, math.floor(10 * min(nothing, *(e.ends[0] for _, e in marks)) - 0.2) / 10)
    rules = [(label_proportions.mean_accuracy(trials, FULL, threshold).mean, ""), (nothing, None)]
    lazy = f"always say “{task.labels[0]}”"
    marks.append((Method("", lazy, TRUTH, palette.TRUTH), Estimate(nothing, -math.inf, math.inf)))
    shares = trials[0].proportions  # that of a bag with both labels is the clearest example
    share = next((share for share in shares if 0.005 < share < 0.995), shares[0])
    words = {"records": task.records, "positive": task.positive, "bag": f"{share:.0%}".replace("%", "\u00a0%")}
    how = {named[name].title: HOW[name].format(**words) for name in methods} | {lazy: _HOW_LAZY}
    title = f"new {task.records} classified correctly" + f" (axis starts at {low:.0%})".replace("%", "\u00a0%") * (
        low > 0
    )
    # A little more than the range, so that the words of its lowest tick are not cut off on a projector.
    return dot_plots([DotPlot(title, low - 0.02, 1.0, marks, percent, percent, rules, ".0%", how)])


def _dot_plot(trials: Sequence[Trial], methods: Sequence[str], threshold: str, which: str) -> DotPlot:
    marks = [
        (LABEL_PROPORTIONS[name], label_proportions.mean_score(trials, name, which, threshold)) for name in methods
    ]
    least = min(e.ends[0] for _, e in marks)
    low = max(0.0, math.floor(10 * least - 0.2) / 10)
    nothing = getattr(label_proportions.all_negative(trials), which)
    rules = [(label_proportions.mean_score(trials, FULL, which, threshold).mean, "")]
    rules += [(nothing, "always “no”")] if low <= nothing and nothing > 0 else []
    return DotPlot(TITLES[which], low, 1.0, marks, "{:.3f}".format, "{:.3f}".format, rules)


def shown_bags(trial: Trial, few: bool = False) -> NDArray[np.intp]:
    """Return the numbers of the bags that `columns` shows: all, or, where there are many, the bags with the least and
    the largest share and evenly picked others.
    """
    n = len(trial.blocks)
    wanted = min(FEW_COLUMNS if few else COLUMNS, n)
    ends = {int(trial.true_proportions.argmin()), int(trial.true_proportions.argmax())}
    picked = set(np.linspace(0, n - 1, wanted).round().astype(int).tolist())
    for end in sorted(ends - picked):
        picked.remove(min(picked - ends, key=lambda bag: abs(bag - end)))
        picked.add(end)
    return np.array(sorted(picked), np.intp)


def columns(trial: Trial, positive: str, few: bool = False) -> Figure:
    """Return bags as columns of records: at the top what whoever collected them knows, at the bottom what is released.

    At the top, `positive` records are at the foot of each column. At the bottom, every k-mean is one block, all grey as
    no label is released, and a diamond marks a bag's released proportion. With `few` it is a small picture,
    without numbers at its axes.
    """
    chosen = shown_bags(trial, few)
    sizes, share, released = trial.sizes[chosen], trial.true_proportions[chosen], trial.proportions[chosen]
    full, n = float(sizes.max()), len(chosen)
    y = (np.arange(STEPS) + 0.5) * full / STEPS
    known = _column_picture(y[:, None] < share * sizes, sizes, [[1.0] * int(size) for size in sizes])
    released_columns = _column_picture(np.zeros(n), sizes, [trial.blocks[bag] for bag in chosen])
    x = np.arange(1, n + 1)
    shared = {"type": "heatmap", "x": x, "y": y, "zmin": 0, "zmax": 1, "xgap": 1.5}
    at = np.clip(released, -0.2, 1.2)  # a proportion far outside is an arrow at the edge
    ticks = at * sizes
    names = np.broadcast_to(chosen + 1, known.shape)
    hover = np.stack((names, np.broadcast_to(released, known.shape)), axis=2).astype(np.float32)
    return chart(
        data=[
            shared
            | {"z": known, "showscale": False, "customdata": names}
            | {"colorscale": [[0, PALE], [1, A_COLOUR]]}
            | {"hovertemplate": "bag %{customdata}<extra></extra>"},
            shared
            | {"z": released_columns, "yaxis": "y2", "customdata": hover, "showscale": False}
            | {"colorscale": [[0, UNKNOWN], [1, UNKNOWN]]}
            | {"hovertemplate": "bag %{customdata[0]}: %{customdata[1]:.1%} released<extra></extra>"},
            {
                "type": "scatter",
                "x": x,
                "y": ticks,
                "yaxis": "y2",
                "mode": "markers",
                "marker": {
                    "symbol": np.select((released > at, released < at), ("triangle-up", "triangle-down"), "diamond")
                }
                | {"size": 8, "color": "white", "line": {"width": 1.5, "color": "#333"}},
                "hoverinfo": "skip",
                "showlegend": False,
            },
        ],
        layout={
            "xaxis": {"title": {"text": "bag"}, "range": [0.4, n + 0.6], "anchor": "y2"}
            | {"tickvals": x[:: max(1, n // 8)], "ticktext": (chosen + 1)[:: max(1, n // 8)]}
            | {"showgrid": False, "showticklabels": not few},
            "yaxis": {"range": [0, full], "domain": [0.55, 1], **_axis_without_grid(few)}
            | ({"dtick": 1} if full <= 5 else {}),
            "yaxis2": {
                "range": [min(0.0, ticks.min() - 0.05 * full), max(full, ticks.max() + 0.05 * full)],
                "domain": [0, 0.45],
                **_axis_without_grid(few),
                "title": None,  # the title of the counts is over the upper plot
            },
            "annotations": [
                heading(f"the collector knows: {_square(A_COLOUR)} {positive}", 1.0),
                heading("sent on: each bag’s percentage (diamond’s height)", 0.45),
            ],
            "height": 330 if few else 440,
            "margin": {"b": 60},
        },
    )


def _axis_without_grid(few: bool) -> dict[str, Any]:
    """Return an axis without a grid, and without numbers where few bags are shown."""
    return {"showgrid": False} | ({"showticklabels": False} if few else {"title": {"text": "records"}})


def _column_picture(values: NDArray, sizes: NDArray, blocks: Sequence[Sequence[float]]) -> NDArray:
    """Return `values` in columns (STEPS, n_bags) as high as the bags; nan beyond them and where one of their blocks
    ends.
    """
    height = float(sizes.max())
    filled = ((np.arange(STEPS) + 0.5) * height / STEPS)[:, None] < sizes
    picture = np.where(filled, np.float32(values), np.float32(np.nan))
    for column, parts in enumerate(blocks):
        if len(parts) <= STEPS / 4:  # more would leave no space between the lines
            picture[np.rint(np.cumsum(parts) * STEPS / height).astype(int) - 1, column] = np.nan
    return picture


def _square(colour: str) -> str:
    return f"<span style='color:{colour}'>■</span>"


# --- curves --------------------------------------------------------------------------------------


def axis_position(values: Sequence[float], value: float) -> float:
    """Return the position of `value` on an axis with a step for each of the ascending `values`, the last of which may
    be ∞.

    Between two values it is interpolated in the logarithm; beyond the ends it is at them.
    """
    if value >= values[-1]:
        return len(values) - 1.0
    finite = [v for v in values if math.isfinite(v)]
    if value > finite[-1]:
        return len(finite) - 0.5
    return float(np.interp(math.log(value), np.log(finite), np.arange(len(finite))))


def curves(
    lines: Sequence[tuple[str, str, palette.Style, Sequence[Row], Callable[[Row], float]]],
    axis: str,
    levels: Sequence[float],
    yours: Mapping[str, Estimate],
    level: float,
    marks: Sequence[tuple[float, str]] = (),
) -> Figure:
    """Return average F1 along an axis, with 95 % intervals over trials: `lines` are (method, name, style, rows, a row's
    level).

    `yours` are the visitor's own estimates by method, at `level`, which a rule marks; `marks` further rules (x, words).
    """
    traces: list[dict[str, Any]] = []
    for i, (method, name, style, along, level_of) in enumerate(lines):
        shift = 0.05 * (i - (len(lines) - 1) / 2)  # side by side, so that no error bar hides another
        estimates = [row.estimate for row in along]
        traces.append(
            {
                "x": [axis_position(levels, level_of(row)) + shift for row in along],
                "y": [e.mean for e in estimates],
                "error_y": error_bars(estimates, style),
                "mode": "lines+markers",
                "line": line(style),
                "marker": point(style),
                "name": name,
                "legendgroup": name,
                "hovertemplate": f"{name}: %{{y:.3f}}<extra></extra>",
            }
        )
        if method in yours and method not in [m for m, *_ in lines[:i]]:
            traces.append(
                own(axis_position(levels, level) + shift, yours[method], style, LABEL_PROPORTIONS[method].title, name)
            )
    plotted = [*(row.estimate for _, _, _, along, _ in lines for row in along), *yours.values()]
    lows = [mark.ends[0] for mark in plotted]
    low, high = -0.5, len(levels) - 0.5
    own_position = axis_position(levels, level)
    rules = [reference_line(own_position)] if yours else []
    figure = chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": _steps(axis, levels),
            "yaxis": {"title": {"text": AVERAGE}, "range": [math.floor(20 * min(lows)) / 20, 1.0]},
            "shapes": rules + [dotted(reference_line(axis_position(levels, x))) for x, _ in marks],
            "annotations": [reference_label(own_position, "your setting", low, high)] * len(rules)
            + [_above(axis_position(levels, x), words, low, high) for x, words in marks],
            "height": 474,
            "margin": {"b": 130},
            "legend": legend_below(),
        },
    )
    return label_ends(figure)


def _above(x: float, words: str, low: float, high: float) -> dict[str, Any]:
    """Return words over a dotted rule, one line higher than those over the visitor's own rule."""
    return reference_label(x, words, low, high) | {"yshift": 20}


def _steps(axis: str, levels: Sequence[float]) -> dict[str, Any]:
    ticks = ["no<br>noise" if math.isinf(v) else f"{v:g}" for v in levels]
    shown = {"tickvals": list(range(len(levels))), "ticktext": ticks}
    return {"title": {"text": axis}, "range": [-0.5, len(levels) - 0.5], **shown}


def losses(by_aggregation: Mapping[str, Sequence[Row]], levels: Sequence[float], yours: tuple[float, float]) -> Figure:
    """Return information loss against k for every aggregation; `yours` is the visitor's own (k, loss)."""
    traces = []
    for (name, along), style in zip(by_aggregation.items(), palette.OTHERS, strict=True):
        traces.append(
            {
                "x": [axis_position(levels, row.k) for row in along],
                "y": [row.loss for row in along],
                "mode": "lines+markers",
                "line": line(style),
                "marker": point(style),
                "name": name,
                "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
            }
        )
    traces.append(
        {
            "x": [axis_position(levels, yours[0])],
            "y": [yours[1]],
            "mode": "markers",
            "marker": {"symbol": "x", "size": 11, "color": palette.TRUTH.colour},
            "name": "your setting",
            "hovertemplate": "yours: %{y:.1%}<extra></extra>",
        }
    )
    figure = chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": _steps("k, records in a mean at least", levels),
            "yaxis": {"title": {"text": "information loss"}, "range": [-0.03, 1.03], "tickformat": ".0%"},
            "height": 320,
            "margin": {"b": 90},
            "legend": legend_below(),
        },
    )
    return label_ends(figure)


# How far below its name a row's marks lie, as a part of the row.
_UNDER = 0.22


def selections(all_rows: Sequence[Row], methods: Sequence[str]) -> Figure:
    """Return average F1 of every way to fill bags, one row each; the published values are stars."""
    names = {name: selection.title for name, selection in SELECTIONS.items()}
    there = [name for name in names if any(row.selection == name for row in all_rows)]
    traces: list[dict[str, Any]] = []
    for i, method in enumerate(methods):
        style, here = LABEL_PROPORTIONS[method].style, [row for row in all_rows if row.method == method]
        traces.append(
            {
                "x": [row.average for row in here],
                "y": [there.index(row.selection) + _UNDER + 0.13 * ((len(methods) - 1) / 2 - i) for row in here],
                "error_x": error_bars([row.estimate for row in here], style),
                "mode": "markers",
                "marker": point(style),
                "name": LABEL_PROPORTIONS[method].title,
                "hovertemplate": f"{LABEL_PROPORTIONS[method].in_full}: %{{x:.3f}}<extra></extra>",
            }
        )
        for row in here:
            if value := label_proportions.study.published(row):
                words = f"{LABEL_PROPORTIONS[method].title}, published: {value:.2f}"
                traces.append(published(value, there.index(row.selection) + _UNDER, style, words))
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": AVERAGE}},
            "yaxis": {
                "tickvals": list(range(len(there))),
                "ticktext": [names[name] for name in there],
                "range": [len(there) - 0.5, -0.6],
                "ticklabelposition": "inside top",
                "showgrid": False,
            },
            "height": 110 + 58 * len(there),
            "margin": {"b": 110},
            "legend": legend_below(),
        },
    )


def attack(rates: Mapping[str, Estimate]) -> Figure:
    """Return how often the true label of a record in the bags is named, from each source of the adversary."""
    sources = {
        "prior": "the overall share",
        "bag": "the bag’s share",
        "model": "a model",
        "both": "a model and the bag’s share",
    }
    prior = rates["prior"].mean
    named = {f"by {sources[source]}": rate for source, rate in rates.items()}
    return guesses(named, (prior, f"without the bags {percent(prior)}"), [], "true label guessed correctly")

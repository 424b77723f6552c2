"""Charts of the comparison: every method along the ε of a label, and the three label channels of one likelihood."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.comparison.study import EPSILONS, Row
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import PALE, ROW, curve_chart, heading, log_axis, method_curve, own, percent, point
from privdemo.figures.charts import rows as rows_of_words
from privdemo.figures.plain import PlainFigure, copied, merge, parts
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, COMPARISON, TRUTH

AXES = {
    "accuracy": "share of test records named correctly",
    "log_loss": "log loss",
    "brier": "Brier score",
    "error": "error of the share",
}
_SHARES = ("accuracy", "error")
# Pixels for the words of the axis across and the names of so many curves, and for each name of more: a telephone shows
# one below the other, so that the plot keeps its height.
_FEW, _LEGEND, _NAME = 4, 85, 20


# What the ε of an axis covers: of methods that learn from a publisher's sets, and of all others.
OF_LABELS = "ε of a label, log scale (left: more private)"
OF_COUNTS = "ε of a set’s counts, log scale (left: more private)"


def frontier(
    rows: Sequence[Row],
    metric: str,
    mine: Mapping[str, Estimate],
    epsilon: float,
    goal: float | None,
    axis: str = OF_LABELS,
) -> Figure:
    """Return one metric of every method along ε, with 95 % intervals; `mine` are the visitor's own, larger.

    The dotted rule across is the `goal`, if there is one; `axis` is the title of the axis, which names what ε covers.
    """
    plotted = [name for name in COMPARISON if any(row.method == name for row in rows)]
    curves = [
        method_curve(COMPARISON[name], {row.epsilon: row.estimate for row in rows if row.method == name})._replace(
            name=_with_trust(name)
        )
        for name in plotted
    ]
    marks = [e for curve in curves for e in curve.estimates] + list(mine.values())
    low = min((e.ends[0] for e in marks), default=0.0)
    high = max((e.ends[1] for e in marks), default=1.0)
    pad = 0.04 * (high - low or 1.0)
    x_axis = log_axis(axis, sorted({*EPSILONS, epsilon}))
    x_axis |= {"tickvals": list(EPSILONS), "ticktext": [f"{e:g}" for e in EPSILONS]}
    most = 1.02 if metric in _SHARES else math.inf
    y_axis = {"title": {"text": AXES[metric]}, "range": [max(0.0, low - pad), min(most, high + pad)]}
    number = ".3f"
    if metric in _SHARES:
        y_axis |= {"tickformat": ".0%"}
        number = ".1%"
    marked = []
    for name, mark in mine.items():  # a legend entry toggles a curve together with its large mark
        title = _with_trust(name)
        alone = {} if name in plotted else {"name": title, "showlegend": True}
        marked.append(own(epsilon, mark, COMPARISON[name].style, title, title) | alone)
    figure = curve_chart(
        curves,
        x_axis,
        y_axis,
        number,
        yours=epsilon,
        legend=_LEGEND + _NAME * max(0, len(curves) - _FEW + 1),
        more=marked,
    )
    plain = copied(parts(figure))
    for trace in plain["data"]:
        merge(trace, {"legendgroup": trace.get("legendgroup") or trace.get("name")})
    if goal is not None:
        plain["layout"].setdefault("shapes", []).append(_goal_rule(goal))
    return PlainFigure(plain)


def still_empty(ways: Mapping[str, str], known: float, least: float) -> Figure:
    """Return a row without a mark for each of the `ways` to learn, and below them that of all true labels, at `known`.

    `ways` map keys to the words of their rows; the axis begins at `least`.
    """
    method = COMPARISON[CLEAN]
    mark = {
        "type": "scatter",
        "x": [known],
        "y": [method.name],
        "mode": "markers",
        "marker": point(method.style),
        "hovertemplate": f"{method.in_full}: {percent(known)}<extra></extra>",
    }
    words = {name: f"{way} <b>?</b>" for name, way in ways.items()}
    words[method.name] = f"with {method.title}: <b>{percent(known)}</b>"
    return chart(
        data=[mark],
        layout={
            "xaxis": {"title": {"text": AXES["accuracy"]}, "range": [least, 1.02], "tickformat": ".0%"},
            "yaxis": rows_of_words(words),
            "height": 100 + ROW * len(words),
            "margin": {"b": 48},
            "showlegend": False,
        },
    )


def _with_trust(name: str) -> str:
    """Return a method's title, and who is trusted where true labels are not released as they are."""
    method = COMPARISON[name]
    return method.title if method.trust == TRUTH else f"{method.title} · {method.trust} trusted"


def _goal_rule(goal: float) -> dict[str, Any]:
    """Return a dotted rule across the whole plot."""
    place = {"x0": 0, "x1": 1, "xref": "x domain", "y0": goal, "y1": goal, "yref": "y"}
    return place | {"type": "line", "line": {"dash": "dot", "width": 1, "color": palette.TRUTH.colour}}


def channels(
    matrices: Mapping[str, Sequence[Sequence[float]]], classes: Sequence[str], answers: Mapping[str, Sequence[str]]
) -> Figure:
    """Return T[answer | class] of several label channels side by side: a row for each answer, a column for each class.

    `answers` are the names of a channel's answers; rows without a name have no label. The deepest colour is the
    channel's largest probability.
    """
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": []}
    gap = 0.16
    width = (1 - gap * (len(matrices) - 1)) / len(matrices)
    for i, (title, matrix) in enumerate(matrices.items()):
        number = str(i + 1) if i else ""
        left = i * (width + gap)
        named = list(answers.get(title, ()))
        traces.append(
            {
                "type": "heatmap",
                "z": [list(row) for row in matrix],
                "zmin": 0,
                "zmax": max(max(row) for row in matrix),
                "colorscale": [[0, PALE], [1, palette.SPREAD.colour]],
                "showscale": False,
                "xaxis": f"x{number}",
                "yaxis": f"y{number}",
                "xgap": 2,
                "ygap": 1,
                "texttemplate": "%{z:.2f}" if named else "",
                "customdata": [[f"T[{row} | {name}]" for name in classes] for row in named or range(len(matrix))],
                "hovertemplate": "%{customdata} = %{z:.3f}<extra></extra>",
            }
        )
        layout[f"xaxis{number}"] = {
            "domain": [left, left + width],
            "anchor": f"y{number}",
            "tickvals": list(range(len(classes))),
            "ticktext": list(classes),
            "title": {"text": "class"},
        }
        layout[f"yaxis{number}"] = {
            "anchor": f"x{number}",
            "autorange": "reversed",
            "tickvals": list(range(len(named))),
            "ticktext": named,
        }
        layout["annotations"].append(heading(title, 1) | {"x": left})
    return chart(traces, layout | {"height": 290, "margin": {"b": 54}})

"""Charts of the comparison: every method along the ε of a label, and the three label channels of one likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.comparison.pushed import PARTS, PushedRow
from privdemo.experiments.comparison.study import EPSILONS, Row
from privdemo.figures.chart_style import chart, spaced_percent
from privdemo.figures.charts import (
    HOVER,
    PALE,
    TWO_LINE_ROW,
    curve_chart,
    dotted,
    error_bars,
    heading,
    method_curve,
    own,
    point,
    privacy_axis,
    reference_label,
    reference_line,
)
from privdemo.figures.charts import rows as rows_of_words
from privdemo.figures.plain import PlainFigure, copied, merge, parts
from privdemo.intervals import Estimate
from privdemo.methods import COMPARISON, TRUTH, Method

AXES = {
    "accuracy": "share of new records right",
    "log_loss": "log loss",
    "brier": "Brier score",
    "error": "error of the share",
}
_SHARES = ("accuracy", "error")
# The accuracy of a guess between two classes, and what it is called.
COIN, _COIN_WORDS = 0.5, "by luck"
# Pixels for the words of the axis across and the names of so many curves, and for each name of more: a telephone shows
# one below the other, so that the plot keeps its height.
_FEW, _LEGEND, _NAME = 4, 85, 20


# What the ε of an axis covers: of methods that learn from a publisher's sets, and of all others.
OF_LABELS = "ε of a label"
OF_COUNTS = "ε of a large group’s counts"


def title(metric: str, records: str) -> str:
    """Return the title of an axis of a metric, with what a model names: “share of new images right”."""
    return AXES[metric].replace("records", records)


def frontier(
    rows: Sequence[Row],
    metric: str,
    mine: Mapping[str, Estimate],
    epsilon: float,
    goal: float | None,
    axis: str = OF_LABELS,
    names: Mapping[str, str] | None = None,
    records: str = "records",
) -> Figure:
    """Return one metric of every method along ε, with 95 % intervals; `mine` are the visitor's own, larger.

    The dotted rule across is the `goal`, if there is one; `axis` is the title of the axis, which names what ε covers.
    `records` are what a model names. With `names`, few curves are called by them at their ends, and a
    dotted rule marks blind guessing.
    """
    x_axis = privacy_axis(axis, sorted({*EPSILONS, epsilon}))
    x_axis |= {"tickvals": list(EPSILONS), "ticktext": [f"{e:g}" for e in EPSILONS]}
    points = [(row.epsilon, row) for row in rows]
    return _curves(points, metric, mine, epsilon, x_axis, goal, names, records)


def pushed(
    rows: Sequence[PushedRow],
    metric: str,
    mine: Mapping[str, Estimate],
    part: float,
    names: Mapping[str, str],
    records: str = "records",
) -> Figure:
    """Return one metric of few methods along the part of the people who push their labels, called by `names` at the
    ends of their curves; `mine` are the visitor's own at their `part`.
    """
    parts_tried = sorted({part, *PARTS})
    pad = 0.04 * parts_tried[-1]
    x_axis = {
        "title": {"text": "people who send a false label"},
        "range": [-pad, parts_tried[-1] + pad],
        "tickformat": ".0%",
        "tickvals": list(PARTS),
        "ticktext": [spaced_percent(f"{one:.0%}") for one in PARTS],
    }
    points = [(row.fake_part, row) for row in rows]
    least = COIN - 0.02 if metric == "accuracy" else math.inf
    return _curves(points, metric, mine, part, x_axis, None, names, records, least)


def _curves(
    points: Sequence[tuple[float, Row]],
    metric: str,
    mine: Mapping[str, Estimate],
    yours: float,
    x_axis: dict[str, Any],
    goal: float | None,
    names: Mapping[str, str] | None,
    records: str,
    least: float = math.inf,
) -> Figure:
    """Return a curve for each method of the `points` (x, row); `mine` are marks at `yours`.

    The axis upwards begins at `least`, or lower.
    """
    plotted = [name for name in COMPARISON if any(row.method == name for _, row in points)]
    curves = []
    for name in plotted:
        curve = method_curve(COMPARISON[name], {x: row.estimate for x, row in points if row.method == name})
        if names is None:
            curves.append(curve._replace(name=_with_trust(name)))
        else:
            curves.append(curve._replace(name=names[name], style=curve.style._replace(dash="solid")))
    marks = [e for curve in curves for e in curve.estimates] + list(mine.values())
    low = min(least, *(e.ends[0] for e in marks)) if marks else 0.0
    high = max((e.ends[1] for e in marks), default=1.0)
    pad = 0.04 * (high - low or 1.0)
    most = 1.02 if metric in _SHARES else math.inf
    y_axis = {"title": {"text": title(metric, records)}, "range": [max(0.0, low - pad), min(most, high + pad)]}
    number = ".3f"
    if metric in _SHARES:
        y_axis |= {"tickformat": ".0%"}
        number = ".1%"
    marked = []
    for name, mark in mine.items():  # a legend entry toggles a curve together with its large mark
        words = _with_trust(name) if names is None else names[name]
        alone = {} if name in plotted else {"name": words, "showlegend": True}
        marked.append(own(yours, mark, COMPARISON[name].style, words, words) | alone)
    figure = curve_chart(
        curves,
        x_axis,
        y_axis,
        number,
        yours=yours,
        legend=_LEGEND + _NAME * max(0, len(curves) - _FEW + 1),
        more=marked,
        avoid_overlap=names is not None,
    )
    plain = copied(parts(figure))
    for trace in plain["data"]:
        merge(trace, {"legendgroup": trace.get("legendgroup") or trace.get("name")})
    if goal is not None:
        plain["layout"].setdefault("shapes", []).append(_rule_across(goal))
    if names is not None:
        plain["layout"]["shapes"][0]["line"] |= {"dash": "dash", "width": 1}  # the solid grey line is that of the truth
        if metric == "accuracy" and low <= COIN <= high:
            plain["layout"]["shapes"].append(_rule_across(COIN))
            place = {"x": 0.08, "xref": "x domain", "xanchor": "left", "y": COIN, "yanchor": "top", "showarrow": False}
            plain["layout"]["annotations"].append({"text": _COIN_WORDS, **place})
    return PlainFigure(plain)


class Way(NamedTuple):
    """A way to learn: its name and what is done, in `words`; its `method`, and what that reaches."""

    words: tuple[str, str]
    method: Method
    reached: Estimate


def by_trust(
    ways: Sequence[Way], known: Estimate | None, metric: str, write: Callable[[float], str], records: str = "records"
) -> Figure:
    """Return what each of the `ways` reaches by a metric, a row each, with 95 % intervals; rules mark what is reached
    with all labels true, `known`, and of an accuracy blind guessing.

    `write` writes a number.
    """
    marks = [mark for mark in (known, *(way.reached for way in ways)) if mark is not None]
    ends = [end for mark in marks for end in mark.ends]
    if metric == "accuracy":
        start, low, high = COIN, min(COIN - 0.05, *ends), 1.0
    else:
        start, low, high = 0.0, min(0.0, *ends), 1.08 * max(ends)
    rules = [(known.mean, f"without privacy: {write(known.mean)}", False)] if known else []
    rules += [(COIN, f"{_COIN_WORDS}: {write(COIN)}", True)] * (metric == "accuracy")
    labels, traces = {}, []
    for way in ways:
        name = way.method.trust
        who, what = way.words
        labels[name] = f"{who}: <b>{write(way.reached.mean)}</b><br>{what}"
        stem = {
            "x": [start, way.reached.mean],
            "y": [name, name],
            "mode": "lines",
            "hoverinfo": "skip",
            "opacity": 0.35,
        }
        traces.append(stem | {"line": {"color": way.method.style.colour, "width": 3}})
        bars = error_bars([way.reached], way.method.style) | {"thickness": 2, "width": 6}
        traces.append(
            {
                "x": [way.reached.mean],
                "y": [name],
                "mode": "markers",
                "marker": point(way.method.style) | {"size": 11},
                "error_x": bars,
                "hovertemplate": f"{way.method.in_full}: {way.reached.formatted(write, HOVER)}<extra></extra>",
            }
        )
    shapes = [dotted(reference_line(x)) if is_dotted else reference_line(x) for x, _, is_dotted in rules]
    axis_format = {"tickformat": ".0%"} if metric in _SHARES else {}
    return chart(
        data=traces,
        layout={
            "xaxis": {"title": {"text": title(metric, records)}, "range": [low, high], **axis_format},
            "yaxis": rows_of_words(labels),
            "shapes": shapes,
            "annotations": [reference_label(x, words, low, high) for x, words, _ in rules],
            "height": 100 + TWO_LINE_ROW * len(ways),
            "margin": {"b": 48},
            "showlegend": False,
        },
    )


def _with_trust(name: str) -> str:
    """Return a method's title, and who is trusted where true labels are not released as they are."""
    method = COMPARISON[name]
    return method.title if method.trust == TRUTH else f"{method.title} · {method.trust} trusted"


def _rule_across(level: float) -> dict[str, Any]:
    """Return a dotted rule across the whole plot."""
    place = {"x0": 0, "x1": 1, "xref": "x domain", "y0": level, "y1": level, "yref": "y"}
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

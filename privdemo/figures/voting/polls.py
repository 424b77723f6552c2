"""Charts of polls: the estimates of one, and the distribution over many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from privdemo.estimators.votes import VoteEstimate
from privdemo.experiments import voting
from privdemo.experiments.voting import Histogram, Record
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import (
    HOVER,
    ROW,
    interval_bars,
    label_over,
    marker,
    percent,
    reference_label,
    reference_line,
    rows,
)
from privdemo.methods import RAW_SPREAD, RECONSTRUCTION, SPREAD_MLE, VOTING

PERCENT = {"tickformat": ".0%"}


def estimates(found: Mapping[str, VoteEstimate], truth: float) -> Figure:
    """Return every estimate of one poll with its 95 % interval, a row each; a rule marks the true share.

    The unlimited correction is left out where it gives the same as the other.
    """
    best = found.get(SPREAD_MLE)
    if best and found[RAW_SPREAD].value == best.value:
        found = {name: e for name, e in found.items() if name != RAW_SPREAD}
    ends = [end for e in found.values() for end in (e.low, e.high)]
    low, high = max(voting.FAR[0], min(0.0, *ends)), min(voting.FAR[1], max(1.0, *ends))
    low, high = low - 0.03 * (high - low), high + 0.03 * (high - low)
    traces = [
        {
            "x": [e.value],
            "y": [VOTING[name].title],
            "mode": "markers",
            "marker": marker(VOTING[name].style) | {"line": {"width": 2, "color": VOTING[name].style.colour}},
            "error_x": interval_bars(e.value, e.low, e.high, VOTING[name].style) | {"thickness": 2, "width": 8},
            "hovertemplate": f"{VOTING[name].in_full}: {e.interval.formatted(percent, HOVER)}<br>s.e. "
            f"{percent(e.standard_error)}<extra></extra>",
        }
        for name, e in found.items()
    ]
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": "share for A"}, "range": [low, high], **PERCENT},
            "yaxis": rows({VOTING[name].title: "" for name in found}),
            "shapes": [reference_line(truth)],
            "annotations": [
                reference_label(truth, f"truth {percent(truth)}", low, high),
                *(_row_label(VOTING[name].title, e.value, low, high) for name, e in found.items()),
            ],
            "height": ROW * len(found) + 90,
            "margin": {"b": 48},
            "showlegend": False,
        },
    )


def _row_label(title: str, value: float, low: float, high: float) -> dict[str, Any]:
    """Return an estimate's name and number over its mark, with an arrow where it lies outside the axis."""
    arrows = ("← " if value < low else "", " →" if value > high else "")
    text = f"{title} <b>{percent(value).join(arrows)}</b>"
    if title == VOTING[RECONSTRUCTION].title and value in (0, 1):
        text += f" (all guessed to be {'A' if value else 'B'})"
    return label_over(text, min(max(value, low), high), title, low, high)


def repeated_polls(records: Sequence[Record], truth: float) -> Figure:
    """Return one histogram an estimator over a common axis: filled the simulated polls, the line the exact
    distribution.
    """
    low, high = voting.span(records, truth)
    n = len(records)
    traces: list[dict[str, Any]] = []
    words = reference_label(truth, f"truth {percent(truth)}", low, high) | {"yshift": 20}
    layout: dict[str, Any] = {"annotations": [words], "shapes": []}
    for i, record in enumerate(records):
        axis, top = str(i + 1) if i else "", 1 - i / n
        traces += _histogram(record, voting.histogram(record, low, high), f"y{axis}")
        layout["shapes"].append(reference_line(truth, yref=f"y{axis} domain"))
        layout[f"yaxis{axis}"] = {
            "domain": [top - 0.86 / n, top - 0.1 / n],
            "rangemode": "tozero",
            "tickformat": ".0%",
            "nticks": 3,
        }
        layout["annotations"].append(
            {
                "text": _note(record),
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": top - 0.1 / n,
                "yref": "paper",
                "yanchor": "bottom",
                "yshift": -6,
                "showarrow": False,
            }
        )
    layout["xaxis"] = {"title": {"text": "estimated share for A"}, "range": [low, high], "anchor": f"y{n}", **PERCENT}
    size = {"height": 80 * n + 66, "margin": {"b": 48}}
    return chart(data=traces, layout=layout | size | {"showlegend": False})


def _note(record: Record) -> str:
    """Return the name of one estimator, and its bias in percentage points."""
    square = f"<span style='color:{VOTING[record.name].style.colour}'>■</span>"
    words = f"{square} <b>{VOTING[record.name].title}</b> off by {round(100 * record.bias.mean, 1) + 0.0:+,.1f} points"
    return words.replace("-", "−")


def _histogram(record: Record, bins: Histogram, axis: str) -> list[dict[str, Any]]:
    """Return the simulated polls, filled, and the exact distribution, as outlines: browsers render them faster than
    bars.
    """
    style, name = VOTING[record.name].style, VOTING[record.name].title
    edges = np.repeat(bins.edges, 2)[1:-1]
    outline = {"type": "scatter", "x": edges, "mode": "lines", "yaxis": axis}
    held = {
        "y": np.repeat(bins.measured, 2),
        "fill": "tozeroy",
        "line": {"color": style.colour, "width": 0},
        "name": f"{name}, held",
        "hovertemplate": f"{name}: %{{y:.1%}} of polls near %{{x:.1%}}<extra></extra>",
    }
    exact = {
        "y": np.repeat(bins.exact, 2),
        "line": {"color": style.colour, "width": 1.5},
        "name": f"{name}, exact",
        "hoverinfo": "skip",
    }
    return [outline | held, outline | exact]

"""Charts of the polls: one poll, many polls, and what estimators tend to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.estimators.votes import VoteEstimate
from privdemo.experiments import voting
from privdemo.experiments.voting import Histogram, LongRun, Record
from privdemo.figures.charts import interval_bars, legend_below, line, marker, over_rule, percent, rows, rule
from privdemo.methods import VOTING

Array = NDArray[np.floating]
PERCENT = {"tickformat": ".0%"}


def estimates(found: Mapping[str, VoteEstimate], truth: float) -> Figure:
    """Every estimate of one poll with its 95 % interval, one under the other, the truth a rule through all."""
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
            "hovertemplate": f"{VOTING[name].title}: {percent(e.value)}, s.e. {percent(e.standard_error)}"
            f"<br>95 %: {percent(e.low)} to {percent(e.high)}<extra></extra>",
        }
        for name, e in found.items()
    ]
    return Figure(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": "share for A"}, "range": [low, high], **PERCENT},
            "yaxis": rows(
                {
                    VOTING[name].title: f"{VOTING[name].title}<br><b>{_where(e.value, low, high)}</b>"
                    for name, e in found.items()
                }
            ),
            "shapes": [rule(truth)],
            "annotations": [over_rule(truth, f"truth {percent(truth)}", low, high)],
            "height": 56 * len(found) + 80,
            "margin": {"l": 118, "r": 12, "t": 26, "b": 48},
            "showlegend": False,
        },
    )


def _where(value: float, low: float, high: float) -> str:
    """An estimate as its row's label says it, with an arrow where it is too far off to be drawn."""
    arrows = ("← " if value < low else "", " →" if value > high else "")
    return percent(value).join(arrows)


def repeated_polls(records: Sequence[Record], truth: float) -> Figure:
    """One histogram an estimator, over one axis: filled are polls held, the line is the exact distribution."""
    low, high = voting.span(records, truth)
    n = len(records)
    traces: list[dict[str, Any]] = []
    words = over_rule(truth, f"truth {percent(truth)}", low, high) | {"yshift": 14}
    layout: dict[str, Any] = {"annotations": [words], "shapes": []}
    for i, record in enumerate(records):
        axis, top = str(i + 1) if i else "", 1 - i / n
        traces += _histogram(record, voting.histogram(record, low, high), f"y{axis}")
        layout["shapes"].append(rule(truth, yref=f"y{axis} domain"))
        layout[f"yaxis{axis}"] = {
            "domain": [top - 0.8 / n, top - 0.1 / n],
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
                "showarrow": False,
                "font": {"color": VOTING[record.name].style.colour},
            }
        )
    layout["xaxis"] = {"title": {"text": "estimated share for A"}, "range": [low, high], "anchor": f"y{n}", **PERCENT}
    size = {"height": 120 * n + 80, "margin": {"l": 48, "r": 12, "t": 44, "b": 48}}
    return Figure(data=traces, layout=layout | size | {"showlegend": False})


def _note(record: Record) -> str:
    """What one estimator is off by, and how much it varies, in points."""
    words = f"<b>{VOTING[record.name].title}</b> off by {round(100 * record.bias.mean, 1) + 0.0:+,.1f} points"
    varies = f", s.d. {100 * record.deviation:,.1f}" if len(record.values) > 1 else ""
    return f"{words}{varies}".replace("-", "−")


def _histogram(record: Record, bins: Histogram, axis: str) -> list[dict[str, Any]]:
    """Two outlines, which a browser draws several times faster than bars: the polls held, filled, and the exact law."""
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


def figure1(runs: Sequence[LongRun], here: tuple[float, float] | None = None) -> Figure:
    """Small multiples, one for each lie: what every estimator tends to, against the true share.

    `here` (flip_prob, share) marks the visitor's share in the panel of the visitor's lie, if there is one.
    """
    n_rows = -(-len(runs) // 3)
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": [], "shapes": []}
    for i, run in enumerate(runs):
        axis = str(i + 1) if i else ""
        row, column = divmod(i, 3)
        x_domain = [column / 3 + 0.02, (column + 1) / 3 - 0.02]
        y_domain = [1 - (row + 0.84) / n_rows, 1 - (row + 0.1) / n_rows]
        ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0", "½", "1"], "range": [-0.05, 1.05], "zeroline": False}
        layout[f"xaxis{axis}"] = ticks | {"domain": x_domain, "anchor": f"y{axis}"}
        layout[f"yaxis{axis}"] = ticks | {"domain": y_domain, "anchor": f"x{axis}", "showticklabels": column == 0}
        yours = here is not None and here[0] == run.flip_prob
        title = f"p = {run.flip_prob:.3g}{', yours' if yours else ''}"
        layout["annotations"].append(_words(title, sum(x_domain) / 2, y_domain[1]))
        if np.isnan(run.reconstruction).all():
            words = _words("reconstruction: 0 or 1,<br>by luck", sum(x_domain) / 2, (y_domain[0] + y_domain[1]) / 2)
            layout["annotations"].append(words | {"font": {"color": palette.RECONSTRUCTION.colour}, "yshift": 12})
        traces += _long_run(run, axis, in_legend=i == 0)
        if here is not None and yours:
            layout["shapes"].append(rule(here[1], xref=f"x{axis}", yref=f"y{axis} domain"))
    layout["annotations"] += [
        _words("true share θ₀", 0.5, 0) | {"yshift": -18, "yanchor": "top"},
        _words("estimate θ in the long run", 0, 0.5) | {"xshift": -34, "textangle": -90, "xanchor": "right"},
    ]
    size = {"height": 240 * n_rows + 100, "margin": {"l": 56, "r": 8, "t": 8, "b": 100}}
    return Figure(data=traces, layout=layout | size | {"legend": legend_below()})


def _long_run(run: LongRun, axis: str, in_legend: bool) -> list[dict[str, Any]]:
    """The curves of one panel; the maximum on a grid lies as a broad pale band under the others."""
    curves = (
        ("reconstruction, largest J∞ on a grid", run.grid_maximum, palette.RECONSTRUCTION, True),
        ("spread likelihood", run.spread, palette.SPREAD, False),
        ("naive", run.naive, palette.NAIVE, False),
        ("reconstruction, climbing from the answers", run.reconstruction, palette.RECONSTRUCTION, False),
    )
    return [
        {
            "type": "scatter",
            "x": run.share,
            "y": _gapped(y),
            "mode": "lines",
            "line": {"color": style.colour, "width": 8} if band else line(style) | {"width": 2.5},
            "opacity": 0.35 if band else 1,
            "name": name,
            "legendgroup": name,
            "showlegend": in_legend,
            "xaxis": f"x{axis}",
            "yaxis": f"y{axis}",
            "hovertemplate": f"p = {run.flip_prob:.3g}, truth %{{x:.1%}}: {name} %{{y:.1%}}<extra></extra>",
        }
        for name, y, style, band in curves
    ]


def landscape(theta: Array, objective: Array, marks: Mapping[str, float], truth: float) -> Figure:
    """J∞ over θ, with where the estimators end: `marks` from an estimator's name to its long-run estimate."""
    curve: dict[str, Any] = {
        "x": theta,
        "y": objective,
        "mode": "lines",
        "line": line(palette.RECONSTRUCTION),
        "name": "J∞(θ)",
        "hovertemplate": "θ = %{x:.1%}: J∞ = %{y:.3f}<extra></extra>",
    }
    spots: list[dict[str, Any]] = [
        {
            "x": [value],
            "y": [float(np.interp(value, theta, objective))],
            "mode": "markers",
            "marker": marker(VOTING[name].style) | {"size": 12},
            "name": VOTING[name].title if name != "spread MLE" else "spread",
            "hovertemplate": "%{x:.1%}<extra>%{fullData.name}</extra>",
        }
        for name, value in marks.items()
        if np.isfinite(value)
    ]
    return Figure(
        data=[{"type": "scatter", **trace} for trace in (curve, *spots)],
        layout={
            "xaxis": {"title": {"text": "assumed share for A, θ"}, "range": [-0.03, 1.03], **PERCENT},
            "yaxis": {"title": {"text": "J∞(θ), nats a voter"}},
            "shapes": [rule(truth)],
            "annotations": [over_rule(truth, f"truth {percent(truth)}", -0.03, 1.03)],
            "height": 360,
            "margin": {"l": 60, "r": 12, "t": 26, "b": 96},
            "legend": legend_below(),
        },
    )


def _words(text: str, x: float, y: float) -> dict[str, Any]:
    """Words at a place of the paper, centred over it."""
    place = {"x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
    return {"text": text, "showarrow": False, **place}


def _gapped(values: Array) -> Array:
    """`values` with nan where they jump, so that a step is not drawn as a slope."""
    jumps = np.abs(np.diff(values, prepend=values[0])) > 0.05
    return np.where(jumps, np.nan, values)

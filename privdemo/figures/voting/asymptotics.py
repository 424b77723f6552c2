"""Charts of the limits of estimators for infinitely many voters: the paper's figure 1, and J∞ over θ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments.voting import LongRun
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import legend_below, line, marker, percent, reference_label, reference_line
from privdemo.figures.voting.polls import PERCENT
from privdemo.methods import SPREAD_MLE, VOTING

Array = NDArray[np.floating]


def figure1(runs: Sequence[LongRun], here: tuple[float, float] | None = None) -> Figure:
    """Return small multiples, one for each flip probability: the limit of every estimator against the true share.

    `here` (flip_prob, share) marks the visitor's share in the plot of the visitor's flip probability, if there is one.
    """
    n_rows = -(-len(runs) // 3)
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": [], "shapes": []}
    for i, run in enumerate(runs):
        axis = str(i + 1) if i else ""
        row, column = divmod(i, 3)
        x_domain = [column / 3 + 0.02, (column + 1) / 3 - 0.02]
        below, above = (0.82, 0.18) if n_rows > 1 else (1.0, 0.14)
        y_domain = [1 - (row + below) / n_rows, 1 - (row + above) / n_rows]
        ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0", "½", "1"], "range": [-0.05, 1.05], "zeroline": False}
        layout[f"xaxis{axis}"] = ticks | {"domain": x_domain, "anchor": f"y{axis}"}
        layout[f"yaxis{axis}"] = ticks | {"domain": y_domain, "anchor": f"x{axis}", "showticklabels": column == 0}
        yours = here is not None and here[0] == run.flip_prob
        title = f"p = {run.flip_prob:.3g}{', your setting' if yours else ''}"
        layout["annotations"].append(_words(title, sum(x_domain) / 2, y_domain[1]))
        if np.isnan(run.reconstruction).all():
            words = _words("guessed: 0 or 1,<br>by luck", sum(x_domain) / 2, (y_domain[0] + y_domain[1]) / 2)
            layout["annotations"].append(words | {"yshift": 12})
        traces += _long_run(run, axis, in_legend=i == 0)
        if here is not None and yours:
            layout["shapes"].append(reference_line(here[1], xref=f"x{axis}", yref=f"y{axis} domain"))
    layout["annotations"] += [_words("estimate (up) against true share (across)", 0, 1) | {"xanchor": "left"}]
    size = {"height": 190 * n_rows + 100, "margin": {"b": 100}}
    return chart(data=traces, layout=layout | size | {"legend": legend_below()})


def _long_run(run: LongRun, axis: str, in_legend: bool) -> list[dict[str, Any]]:
    """Return the curves of one plot; the maximum on a grid is a broad pale band under the others."""
    curves = (
        (
            "guessed: best share, 0 % and 100 % left out",
            run.grid_maximum,
            palette.RECONSTRUCTION,
            True,
        ),
        (VOTING[SPREAD_MLE].title, run.spread, palette.SPREAD, False),
        (VOTING["naive"].title, run.naive, palette.NAIVE, False),
        (
            "guessed: share reached from the answers",
            run.reconstruction,
            palette.RECONSTRUCTION,
            False,
        ),
    )
    return [
        {
            "type": "scatter",
            "x": run.share,
            "y": _without_jumps(y),
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
    """Return J∞ over θ, with the limits of the estimators: `marks` maps an estimator's name to its limit."""
    curve: dict[str, Any] = {
        "x": theta,
        "y": objective,
        "mode": "lines",
        "line": line(palette.RECONSTRUCTION),
        "name": "what guessing each vote maximises",
        "hovertemplate": "θ = %{x:.1%}: J∞ = %{y:.3f}<extra></extra>",
    }
    spots: list[dict[str, Any]] = [
        {
            "x": [value],
            "y": [float(np.interp(value, theta, objective))],
            "mode": "markers",
            "marker": marker(VOTING[name].style) | {"size": 12},
            "name": VOTING[name].title,
            "hovertemplate": "%{x:.1%}<extra>%{fullData.name}</extra>",
        }
        for name, value in marks.items()
        if np.isfinite(value)
    ]
    return chart(
        data=[{"type": "scatter", **trace} for trace in (curve, *spots)],
        layout={
            "xaxis": {"title": {"text": "assumed share for A"}, "range": [-0.03, 1.03], **PERCENT},
            "yaxis": {"title": {"text": "how well the guesses fit (0 is best)"}},
            "shapes": [reference_line(truth)],
            "annotations": [reference_label(truth, f"truth {percent(truth)}", -0.03, 1.03)],
            "height": 360,
            "margin": {"b": 96},
            "legend": legend_below(),
        },
    )


def _words(text: str, x: float, y: float) -> dict[str, Any]:
    """Return words centred above a point, whose coordinates are fractions of the figure."""
    place = {"x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
    return {"text": text, "showarrow": False, **place}


def _without_jumps(values: Array) -> Array:
    """Return `values` with nan where they jump, so that a step is not plotted as a slope."""
    jumps = np.abs(np.diff(values, prepend=values[0])) > 0.05
    return np.where(jumps, np.nan, values)

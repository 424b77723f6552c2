"""Charts of the voting lesson."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import look
from privdemo.attacks import RepeatedAnswers
from privdemo.estimators.votes import VoteEstimate
from privdemo.experiments.naive_training import NaiveResult
from privdemo.experiments.voting import HONEST, Histogram, LongRun, ManyResult
from privdemo.figures.charts import line, marker
from privdemo.figures.people import A_COLOUR, B_COLOUR

Array = NDArray[np.floating]
TITLES = {
    HONEST: "if nobody lied",
    "naive": "naive",
    "reconstruction": "reconstruction",
    "spread": "spread, raw",
    "spread MLE": "spread, in [0, 1]",
}
RAW = look.Style(look.SPREAD.colour, "dot", "circle-open")
STYLES = {
    HONEST: look.Style(look.TRUTH.colour, "solid", "line-ns-open"),
    "naive": look.NAIVE,
    "reconstruction": look.RECONSTRUCTION,
    "spread": RAW,
    "spread MLE": look.SPREAD,
}
PERCENT = {"tickformat": ".0%"}


def estimates(found: Mapping[str, VoteEstimate], truth: float) -> Figure:
    """Every estimate of one poll with its 95 % interval, one under the other, the truth a rule through all."""
    ends = [end for e in found.values() for end in (e.low, e.high)]
    low, high = min(0.0, *ends), max(1.0, *ends)
    pad = 0.03 * (high - low)
    traces = [
        {
            "x": [e.value],
            "y": [TITLES[name]],
            "mode": "markers",
            "marker": marker(STYLES[name]) | {"size": 12, "line": {"width": 2, "color": STYLES[name].colour}},
            "error_x": {
                "type": "data",
                "symmetric": False,
                "array": [e.high - e.value],
                "arrayminus": [e.value - e.low],
                "color": STYLES[name].colour,
                "thickness": 2,
                "width": 6,
            },
            "hovertemplate": f"{TITLES[name]}: %{{x:.1%}}<br>95 %: {e.low:.1%} to {e.high:.1%}<extra></extra>",
        }
        for name, e in found.items()
    ]
    names = [TITLES[name] for name in found]
    return Figure(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": "share for A"}, "range": [low - pad, high + pad], **PERCENT},
            "yaxis": {
                "categoryorder": "array",
                "categoryarray": names[::-1],
                "automargin": False,
                "tickvals": names,
                "ticktext": [f"{TITLES[name]}<br><b>{e.value:.1%}</b>" for name, e in found.items()],
                "range": [-0.6, len(names) - 0.4],
            },
            "shapes": [_rule(truth)],
            "annotations": [_over(truth, f"truth {truth:.1%}")],
            "height": 56 * len(names) + 80,
            "margin": {"l": 118, "r": 12, "t": 26, "b": 48},
            "showlegend": False,
        },
    )


def repeated_polls(
    histograms: Mapping[str, Histogram], truth: float, notes: Mapping[str, str], low: float, high: float
) -> Figure:
    """One histogram an estimator, over one axis: bars are polls held, the line is the exact distribution."""
    n = len(histograms)
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": [_over(truth, f"truth {truth:.1%}")], "shapes": [_rule(truth)]}
    for i, (name, bins) in enumerate(histograms.items()):
        axis = "" if i == 0 else str(i + 1)
        style = STYLES[name]
        centres, widths = (bins.edges[:-1] + bins.edges[1:]) / 2, np.diff(bins.edges)
        traces.append(
            {
                "type": "bar",
                "x": centres,
                "y": bins.measured,
                "width": widths,
                "marker": {"color": style.colour, "opacity": 0.55, "line": {"width": 0}},
                "yaxis": f"y{axis}",
                "name": f"{TITLES[name]}, held",
                "hovertemplate": f"{TITLES[name]}: %{{y:.1%}} of polls near %{{x:.1%}}<extra></extra>",
            }
        )
        edges = np.repeat(bins.edges, 2)[1:-1]
        traces.append(
            {
                "type": "scatter",
                "x": edges,
                "y": np.repeat(bins.exact, 2),
                "mode": "lines",
                "line": {"color": style.colour, "width": 1.5, "dash": "solid"},
                "yaxis": f"y{axis}",
                "name": f"{TITLES[name]}, exact",
                "hoverinfo": "skip",
            }
        )
        top = 1 - i / n
        layout[f"yaxis{axis}"] = {
            "domain": [top - 0.8 / n, top - 0.1 / n],
            "rangemode": "tozero",
            "tickformat": ".0%",
            "nticks": 3,
            "fixedrange": True,
        }
        layout["annotations"].append(
            {
                "text": f"<b>{TITLES[name]}</b>  {notes[name]}",
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": top - 0.1 / n,
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"color": style.colour},
            }
        )
    layout["xaxis"] = {"title": {"text": "estimated share for A"}, "range": [low, high], **PERCENT}
    layout["xaxis"]["anchor"] = f"y{n}" if n > 1 else "y"
    layout |= {"height": 120 * n + 80, "margin": {"l": 48, "r": 12, "t": 30, "b": 48}, "showlegend": False, "bargap": 0}
    return Figure(data=traces, layout=layout)


def figure1(runs: Sequence[LongRun], here: tuple[float, float] | None = None) -> Figure:
    """Small multiples, one for each lie: what every estimator tends to, against the true share.

    `here` (flip_prob, share) marks the visitor's share in the panel of the visitor's lie.
    """
    columns, n_rows = 3, -(-len(runs) // 3)
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": []}
    for i, run in enumerate(runs):
        axis = "" if i == 0 else str(i + 1)
        row, column = divmod(i, columns)
        left, top = column / columns, 1 - row / n_rows
        x_domain = [left + 0.02, left + 1 / columns - 0.02]
        y_domain = [top - 0.84 / n_rows, top - 0.1 / n_rows]
        ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0", "½", "1"], "range": [-0.05, 1.05], "zeroline": False}
        layout[f"xaxis{axis}"] = {"domain": x_domain, "anchor": f"y{axis}", **ticks}
        layout[f"yaxis{axis}"] = {
            "domain": y_domain,
            "anchor": f"x{axis}",
            **ticks,
            "showticklabels": column == 0,
        }
        layout["annotations"].append(
            {
                "text": f"p = {run.flip_prob:.3g}",
                "x": sum(x_domain) / 2,
                "y": y_domain[1],
                "xref": "paper",
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
        inside = look.Style(look.RECONSTRUCTION.colour)
        for name, y, style in (
            ("reconstruction, largest J∞ on a grid", _gapped(run.best_inside), inside),
            ("spread likelihood", run.spread, look.SPREAD),
            ("naive", run.naive, look.NAIVE),
            ("reconstruction, climbing from the answers", _gapped(run.reconstruction), look.RECONSTRUCTION),
        ):
            traces.append(
                {
                    "type": "scatter",
                    "x": run.share,
                    "y": y,
                    "mode": "lines",
                    "line": line(style) | {"width": 8 if style is inside else 2.5},
                    "opacity": 0.35 if style is inside else 1,
                    "name": name,
                    "legendgroup": name,
                    "showlegend": i == 0,
                    "xaxis": f"x{axis}",
                    "yaxis": f"y{axis}",
                    "hovertemplate": f"p = {run.flip_prob:.3g}, truth %{{x:.1%}}: {name} %{{y:.1%}}<extra></extra>",
                }
            )
        if here is not None and here[0] == run.flip_prob:
            layout.setdefault("shapes", []).append(_rule(here[1], f"x{axis}", f"y{axis}"))
    layout["annotations"] += [
        _caption("true share θ₀", 0.5, 0, -18, "top"),
        {
            "text": "estimate θ in the long run",
            "x": 0,
            "xref": "paper",
            "xshift": -34,
            "y": 0.5,
            "yref": "paper",
            "textangle": -90,
            "showarrow": False,
            "xanchor": "right",
        },
    ]
    layout |= {
        "height": 240 * n_rows + 100,
        "margin": {"l": 56, "r": 8, "t": 8, "b": 100},
        "legend": {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
    }
    return Figure(data=traces, layout=layout)


def landscape(theta: Array, objective: Array, marks: Mapping[str, float], truth: float) -> Figure:
    """J∞ over θ, with where the estimators end: `marks` from an estimator's name to its long-run estimate."""
    traces: list[dict[str, Any]] = [
        {
            "x": theta,
            "y": objective,
            "mode": "lines",
            "line": line(look.RECONSTRUCTION),
            "name": "J∞(θ)",
            "hovertemplate": "θ = %{x:.1%}: J∞ = %{y:.3f}<extra></extra>",
        }
    ]
    for name, value in marks.items():
        style = STYLES[name]
        traces.append(
            {
                "x": [value],
                "y": [float(np.interp(value, theta, objective))],
                "mode": "markers",
                "marker": marker(style) | {"size": 12},
                "name": TITLES[name] if name != "spread MLE" else "spread",
                "hovertemplate": "%{x:.1%}<extra>%{fullData.name}</extra>",
            }
        )
    return Figure(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": "assumed share for A, θ"}, "range": [-0.03, 1.03], **PERCENT},
            "yaxis": {"title": {"text": "J∞(θ), nats a voter"}},
            "shapes": [_rule(truth)],
            "annotations": [_over(truth, f"truth {truth:.1%}")],
            "height": 360,
            "margin": {"l": 60, "r": 12, "t": 26, "b": 96},
            "legend": {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
        },
    )


def price(
    epsilons: Sequence[float],
    needed: Sequence[float],
    honest: float,
    here: tuple[float, float] | None,
    half_width: float,
) -> Figure:
    """Voters needed against ε, both on a logarithmic scale; honest answers a line below, the visitor's plan a rule."""
    traces: list[dict[str, Any]] = [
        {
            "x": epsilons,
            "y": needed,
            "mode": "lines",
            "line": line(look.SPREAD),
            "name": "with lies, corrected",
            "hovertemplate": "ε = %{x:.3g}: %{y:,.0f} people<extra></extra>",
        },
        {
            "x": [epsilons[0], epsilons[-1]],
            "y": [honest, honest],
            "mode": "lines",
            "line": line(look.TRUTH) | {"dash": "dot"},
            "name": "if everyone told the truth",
            "hovertemplate": "honest answers: %{y:,.0f} people<extra></extra>",
        },
    ]
    layout: dict[str, Any] = {
        "xaxis": {
            "title": {"text": "ε of one answer (smaller is more private)"},
            "type": "log",
            **_log_ticks(epsilons),
        },
        "yaxis": {"title": {"text": f"people to ask for ± {100 * half_width:.3g} points"}, "type": "log", "dtick": 1},
        "height": 380,
        "margin": {"l": 70, "r": 12, "t": 26, "b": 96},
        "legend": {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
    }
    if here is not None:
        traces.append(
            {
                "x": [here[0]],
                "y": [here[1]],
                "mode": "markers",
                "marker": marker(look.SPREAD) | {"size": 12},
                "name": "your plan",
                "hovertemplate": "your plan: ε = %{x:.3g}, %{y:,.0f} people<extra></extra>",
            }
        )
        layout["shapes"] = [_rule(here[0])]
        layout["annotations"] = [_over(float(np.log10(here[0])), f"ε = {here[0]:.3g}")]
    return Figure(data=[{"type": "scatter", **trace} for trace in traces], layout=layout)


def asking_again(rows: Sequence[tuple[int, float, float]], here: RepeatedAnswers, n_answers: int) -> Figure:
    """Above, how often a vote is found out against the number of answers; below, the answers of one person.

    `rows` holds (M, majority right, best guess right). The lower bars show how likely each number of answers A is for
    a voter of A and for a voter of B: once they are apart, nothing can be denied.
    """
    asked = [row[0] for row in rows]
    told = look.Style(look.ADVERSARY.colour, "dash", "x")
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": asked,
            "y": [row[2] for row in rows],
            "mode": "lines+markers",
            "line": line(look.ADVERSARY),
            "marker": marker(look.ADVERSARY) | {"size": 5},
            "name": "the adversary’s best guess is right",
            "hovertemplate": "%{x} answers: best guess right %{y:.2%}<extra></extra>",
        },
        {
            "type": "scatter",
            "x": asked,
            "y": [row[1] for row in rows],
            "mode": "lines",
            "line": line(told),
            "name": "the majority of the answers is right",
            "hovertemplate": "%{x} answers: majority right %{y:.2%}<extra></extra>",
        },
    ]
    for chances, colour, pattern, name in (
        (here.chances[1], A_COLOUR, "", "a voter of A"),
        (here.chances[0], B_COLOUR, "/", "a voter of B"),
    ):
        traces.append(
            {
                "type": "bar",
                "x": list(range(n_answers + 1)),
                "y": chances,
                "yaxis": "y2",
                "xaxis": "x2",
                "marker": {"color": colour, "pattern": {"shape": pattern}, "line": {"width": 0}},
                "name": name,
                "hovertemplate": f"{name} says A %{{x}} times: %{{y:.2%}}<extra></extra>",
            }
        )
    return Figure(
        data=traces,
        layout={
            "xaxis": {"title": {"text": "answers asked of one person"}, "anchor": "y", "range": [0, 51]},
            "yaxis": {"title": {"text": "found out"}, "domain": [0.6, 1], "tickformat": ".0%", "range": [0.45, 1.03]},
            "xaxis2": {
                "title": {"text": f"answers A among the {n_answers}"},
                "anchor": "y2",
                "dtick": 1 if n_answers <= 12 else 5,
                "range": [-0.6, n_answers + 0.6],
            },
            "yaxis2": {
                "title": {"text": "probability"},
                "domain": [0, 0.4],
                "tickformat": ".0%",
                "rangemode": "tozero",
            },
            "shapes": [_rule(n_answers, "x", "y domain")],
            "height": 560,
            "margin": {"l": 64, "r": 12, "t": 12, "b": 120},
            "legend": {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
            "bargap": 0.15,
        },
    )


def candidates(shares: Sequence[float], result: ManyResult) -> Figure:
    """True and estimated shares of k candidates, side by side; the raw inversion with its 95 % intervals."""
    names = [candidate_name(i) for i in range(len(shares))]
    raw = look.Style(look.SPREAD.colour, "solid", "circle-open")
    projected = look.Style(look.OTHERS[1].colour, "solid", "square-open")
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "x": names,
            "y": list(shares),
            "name": "truth",
            "marker": {"color": look.TRUTH.colour, "opacity": 0.3},
            "width": 0.9,
        }
    ]
    for offset, (name, values, style) in zip(
        (-0.3, -0.1, 0.1, 0.3),
        (
            ("naive", result.naive, look.NAIVE),
            ("channel inverted", result.inversion, raw),
            ("inverted, projected", result.projected, projected),
            ("maximum likelihood", result.mle, look.SPREAD),
        ),
        strict=True,
    ):
        trace: dict[str, Any] = {
            "type": "scatter",
            "x": [i + offset for i in range(len(names))],
            "y": values,
            "xaxis": "x2",
            "mode": "markers",
            "marker": marker(style) | {"size": 9, "line": {"width": 2, "color": style.colour}},
            "name": name,
            "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
        }
        if name == "channel inverted":
            trace["error_y"] = {
                "type": "data",
                "symmetric": False,
                "array": result.high - values,
                "arrayminus": values - result.low,
                "color": style.colour,
                "thickness": 1.2,
                "width": 3,
            }
        traces.append(trace)
    edge = [-0.5, len(names) - 0.5]
    return Figure(
        data=traces,
        layout={
            "xaxis": {"range": edge, "title": {"text": "candidate"}},
            "xaxis2": {"overlaying": "x", "range": edge, "visible": False},
            "yaxis": {"title": {"text": "share of the vote"}, "tickformat": ".0%"},
            "height": 380,
            "margin": {"l": 60, "r": 12, "t": 12, "b": 110},
            "legend": {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
        },
    )


def candidate_name(index: int) -> str:
    """A, B, C, …"""
    return chr(ord("A") + index)


def naive_training(isotropic: NaiveResult, yours: NaiveResult) -> Figure:
    """The loss of naive training over the direction of the weights, above its least, with the best direction marked."""
    traces: list[dict[str, Any]] = []
    for name, result, style in (
        ("same spread in all directions", isotropic, look.Style(look.TRUTH.colour, "dot", "circle-open")),
        ("your inputs", yours, look.NAIVE),
    ):
        least = float(result.loss.min())
        traces.append(
            {
                "x": result.alpha,
                "y": result.loss - least,
                "mode": "lines",
                "line": line(style),
                "name": name,
                "hovertemplate": f"{name}: α = %{{x:.0f}}°, %{{y:.3f}} nats above the least<extra></extra>",
            }
        )
        if np.isfinite(result.best):
            traces.append(
                {
                    "x": [result.best],
                    "y": [max(0.0, float(np.interp(result.best, result.alpha, result.loss)) - least)],
                    "mode": "markers",
                    "marker": marker(style) | {"size": 12, "line": {"width": 2, "color": style.colour}},
                    "name": f"{name}: least at α = {round(result.best, 1) + 0.0:.1f}°",
                    "cliponaxis": False,
                    "hovertemplate": "α = %{x:.1f}°<extra></extra>",
                }
            )
    return Figure(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {
                "title": {"text": "direction of the weights, α degrees from the true one"},
                "tickvals": [-180, -90, 0, 90, 180],
                "range": [-185, 185],
            },
            "yaxis": {"title": {"text": "−L′∞(α) above its least, nats"}, "rangemode": "tozero"},
            "shapes": [_rule(0)],
            "annotations": [_over(0, "truth")],
            "height": 400,
            "margin": {"l": 64, "r": 12, "t": 26, "b": 130},
            "legend": {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
        },
    )


def _rule(x: float, xref: str = "x", yref: str = "paper") -> dict[str, Any]:
    """A vertical rule through a whole panel."""
    ends = {"y0": 0, "y1": 1} if yref != "y" and not yref[1:].isdigit() else {"y0": -0.05, "y1": 1.05}
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "xref": xref,
        "yref": yref,
        "line": {"color": look.TRUTH.colour, "width": 1.5},
        **ends,
    }


def _over(x: float, text: str) -> dict[str, Any]:
    """Words over a vertical rule."""
    return {"text": text, "x": x, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}


def _caption(text: str, x: float, y: float, shift: int, anchor: str) -> dict[str, Any]:
    place = {"x": x, "y": y, "xref": "paper", "yref": "paper", "yshift": shift, "yanchor": anchor}
    return {"text": text, "showarrow": False, **place}


def _gapped(values: Array) -> Array:
    """`values` with nan where they jump, so that a step is not drawn as a slope."""
    jumps = np.abs(np.diff(values, prepend=values[0])) > 0.05
    return np.where(jumps, np.nan, values)


def _log_ticks(values: Sequence[float]) -> dict[str, Any]:
    ticks = [
        tick for tick in (0.01, 0.03, 0.1, 0.3, 1, 3, 10) if values[0] <= tick * 1.001 and tick <= values[-1] * 1.001
    ]
    return {"tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}

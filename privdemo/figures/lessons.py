"""Charts of the lessons beside the polls: price, asking again, more candidates, naive training."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.attacks import RepeatedAnswers
from privdemo.experiments.naive_training import NaiveResult
from privdemo.experiments.voting import ManyResult, candidate_name
from privdemo.figures.charts import interval_bars, legend_below, line, marker, over_rule, rule
from privdemo.figures.people import A_COLOUR, B_COLOUR


def price(curve: Sequence[tuple[float, float]], honest: float, here: tuple[float, float], half_width: float) -> Figure:
    """Voters needed against ε, both on a logarithmic scale: `curve` of (ε, voters).

    `honest` voters would do if everyone told the truth; `here` (ε, voters) is the visitor's plan.
    """
    epsilons, needed = zip(*curve, strict=True)
    shown = epsilons[0] <= here[0] <= epsilons[-1]
    low, place, high = (math.log10(epsilon) if epsilon > 0 else 0.0 for epsilon in (epsilons[0], here[0], epsilons[-1]))
    traces: list[dict[str, Any]] = [
        {
            "x": epsilons,
            "y": needed,
            "mode": "lines",
            "line": line(palette.SPREAD),
            "name": "with lies, corrected",
            "hovertemplate": "ε = %{x:.3g}: %{y:,.0f} people<extra></extra>",
        },
        {
            "x": [epsilons[0], epsilons[-1]],
            "y": [honest, honest],
            "mode": "lines",
            "line": line(palette.TRUTH) | {"dash": "dot"},
            "name": "if everyone told the truth",
            "hovertemplate": "honest answers: %{y:,.0f} people<extra></extra>",
        },
        {
            "x": [here[0]] if shown else [],
            "y": [here[1]] if shown else [],
            "mode": "markers",
            "marker": marker(palette.SPREAD) | {"size": 12},
            "name": "your plan",
            "hovertemplate": "your plan: ε = %{x:.3g}, %{y:,.0f} people<extra></extra>",
        },
    ]
    ticks = [
        tick
        for tick in (*(10.0**i for i in range(-9, 0)), 0.3, 1, 3, 10, 30, 100)
        if epsilons[0] <= tick * 1.001 <= epsilons[-1] * 1.002
    ]
    return Figure(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {
                "title": {"text": "ε of one answer (smaller is more private)"},
                "type": "log",
                "tickvals": ticks,
                "ticktext": [f"{tick:g}" for tick in ticks],
            },
            "yaxis": {
                "title": {"text": f"people to ask for ± {100 * half_width:.3g} points"},
                "type": "log",
                "dtick": 1,
            },
            "shapes": [rule(here[0])] if shown else [],
            "annotations": [over_rule(place, f"ε = {here[0]:.3g}", low, high)] if shown else [],
            "height": 380,
            "margin": {"l": 70, "r": 12, "t": 26, "b": 96},
            "legend": legend_below(),
        },
    )


def asking_again(all_asked: Sequence[RepeatedAnswers], n_answers: int) -> Figure:
    """Three panels: how often a guess is right after M answers; the M answers; and what each count of them tells.

    `all_asked` holds M = 1, 2, …; `n_answers` is the visitor's M. The bars show how likely each number of answers A is
    for a voter of A and for a voter of B: once they are apart, nothing can be denied.
    """
    here = all_asked[n_answers - 1]
    asked, counts = list(range(1, len(all_asked) + 1)), list(range(n_answers + 1))
    told = palette.Style(palette.ADVERSARY.colour, "dash", "x")
    by_count = {"dtick": 1 if n_answers <= 12 else 5, "range": [-0.6, n_answers + 0.6], "matches": "x3"}
    share = {"tickformat": ".0%", "range": [-0.03, 1.03]}
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": asked,
            "y": [found.best_guess_right for found in all_asked],
            "mode": "lines+markers",
            "line": line(palette.ADVERSARY),
            "marker": marker(palette.ADVERSARY) | {"size": 5},
            "name": "the adversary’s best guess is right",
            "hovertemplate": "%{x} answers: best guess right %{y:.3%}<extra></extra>",
        },
        {
            "type": "scatter",
            "x": [0, len(asked) + 1],
            "y": [here.guess_before] * 2,
            "mode": "lines",
            "line": line(palette.TRUTH) | {"dash": "dot"},
            "name": "a guess before any answer is right",
            "hovertemplate": "before any answer: %{y:.3%}<extra></extra>",
        },
        {
            "type": "scatter",
            "x": asked,
            "y": [found.majority_right for found in all_asked],
            "mode": "lines",
            "line": line(told),
            "name": "the majority of the answers is right",
            "hovertemplate": "%{x} answers: majority right %{y:.3%}<extra></extra>",
        },
        *(_answers(counts, chances, *kind) for chances, kind in zip(here.chances[::-1], _VOTERS, strict=True)),
        {
            "type": "scatter",
            "x": counts,
            "y": here.posterior,
            "xaxis": "x3",
            "yaxis": "y3",
            "mode": "lines+markers",
            "line": line(palette.Style(palette.ADVERSARY.colour, "dot")),
            "marker": marker(palette.ADVERSARY) | {"size": 8},
            "showlegend": False,
            "hovertemplate": "after %{x} answers A: %{y:.3%} voted A<extra></extra>",
        },
    ]
    return Figure(
        data=traces,
        layout={
            "xaxis": {"title": {"text": "answers asked of one person"}, "anchor": "y", "range": [0, len(asked) + 1]},
            "yaxis": {"title": {"text": "right"}, "domain": [0.75, 1], **share},
            "xaxis2": {"anchor": "y2", **by_count},
            "yaxis2": {
                "title": {"text": "probability"},
                "domain": [0.33, 0.58],
                "tickformat": ".0%",
                "rangemode": "tozero",
            },
            "xaxis3": {"title": {"text": f"answers A among the {n_answers}"}, "anchor": "y3", **by_count},
            "yaxis3": {"title": {"text": "voted A"}, "domain": [0, 0.25], **share},
            "shapes": [rule(n_answers, yref="y domain")],
            "height": 680,
            "margin": {"l": 64, "r": 12, "t": 12, "b": 130},
            "legend": legend_below(),
            "bargap": 0.15,
        },
    )


_VOTERS = (("a voter of A", A_COLOUR, ""), ("a voter of B", B_COLOUR, "/"))


def _answers(counts: list[int], chances: Any, name: str, colour: str, pattern: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": counts,
        "y": chances,
        "xaxis": "x2",
        "yaxis": "y2",
        "marker": {"color": colour, "pattern": {"shape": pattern}, "line": {"width": 0}},
        "name": f"answers of {name}",
        "hovertemplate": f"{name} says A %{{x}} times: %{{y:.3%}}<extra></extra>",
    }


def candidates(shares: Sequence[float], result: ManyResult) -> Figure:
    """True and estimated shares of k candidates, side by side; the raw inversion with its 95 % intervals."""
    names = [candidate_name(i) for i in range(len(shares))]
    raw = palette.Style(palette.SPREAD.colour, "solid", "circle-open")
    estimates = (
        ("naive", result.naive, palette.NAIVE),
        ("channel inverted", result.inversion, raw),
        ("inverted, projected", result.projected, palette.OTHERS[1]),
        ("maximum likelihood", result.mle, palette.SPREAD),
    )
    truth = {"color": palette.TRUTH.colour, "opacity": 0.3}
    traces: list[dict[str, Any]] = [
        {"type": "bar", "x": names, "y": list(shares), "name": "truth", "marker": truth, "width": 0.9}
    ]
    for i, (name, values, style) in enumerate(estimates):
        bars = {"error_y": interval_bars(values, result.low, result.high, style)} if style is raw else {}
        traces.append(
            {
                "type": "scatter",
                "x": [place + 0.2 * i - 0.3 for place in range(len(names))],
                "y": values,
                "xaxis": "x2",
                "mode": "markers",
                "marker": marker(style) | {"size": 9, "line": {"width": 2, "color": style.colour}},
                "name": name,
                "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
                **bars,
            }
        )
    edge = [-0.5, len(names) - 0.5]
    return Figure(
        data=traces,
        layout={
            "xaxis": {"range": edge, "title": {"text": "candidate"}},
            "xaxis2": {"overlaying": "x", "range": edge, "visible": False},
            "yaxis": {"title": {"text": "share of the vote"}, "tickformat": ".0%"},
            "height": 380,
            "margin": {"l": 60, "r": 12, "t": 12, "b": 110},
            "legend": legend_below(),
        },
    )


def naive_training(isotropic: NaiveResult, yours: NaiveResult) -> Figure:
    """The loss of naive training over the direction of the weights, above its least; the best directions marked."""
    traces: list[dict[str, Any]] = []
    for name, result, style in (
        ("same spread in all directions", isotropic, palette.Style(palette.TRUTH.colour, "dot", "circle-open")),
        ("your inputs", yours, palette.NAIVE),
    ):
        above = result.loss - result.loss.min()
        traces.append(
            {
                "x": result.alpha,
                "y": above,
                "mode": "lines",
                "line": line(style),
                "name": name,
                "hovertemplate": f"{name}: α = %{{x:.0f}}°, %{{y:.3f}} nats above the least<extra></extra>",
            }
        )
        if result.best:
            angles = " and ".join(f"{round(a, 1) + 0.0:.1f}°" for a in result.best).replace("-", "−")
            traces.append(
                {
                    "x": result.best,
                    "y": np.interp(result.best, result.alpha, above),
                    "mode": "markers",
                    "marker": marker(style) | {"size": 12, "line": {"width": 2, "color": style.colour}},
                    "name": f"{name}: least at α = {angles}",
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
            "shapes": [rule(0)],
            "annotations": [over_rule(0, "truth", -185, 185)],
            "height": 400,
            "margin": {"l": 64, "r": 12, "t": 26, "b": 130},
            "legend": legend_below(),
        },
    )

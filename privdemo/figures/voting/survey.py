"""Charts of a survey: people needed against ε, and the leak of repeated answers of one person."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.attacks import RepeatedAnswers
from privdemo.figures.chart_style import chart
from privdemo.figures.charts import legend_below, line, marker, outlined, reference_label, reference_line
from privdemo.figures.people import A_COLOUR, B_COLOUR
from privdemo.figures.plain import PlainFigure, copied, parts
from privdemo.methods import NOBODY, OPPOSITE, SURVEY_DESIGNS, TRUSTED_WITH_ANSWERS, UNRELATED, Method

_HONEST = "no privacy: no answer is changed"
# Designs of a survey that need the same people.
_ALIKE = "truth or opposite, a coin’s answer, same or different"


def price(
    curve: Sequence[tuple[float, float]],
    honest: float,
    here: tuple[float, float],
    half_width: float,
    trusted: Mapping[str, Sequence[tuple[float, float]]] | None = None,
) -> Figure:
    """Return people needed for an interval of ± `half_width` against ε, both on logarithmic axes: `curve` of (ε,
    people).

    `honest` people would be enough with true answers; `here` (ε, people) is the visitor's plan. `trusted` are
    further such curves, by the names of `methods.TRUSTED_WITH_ANSWERS`.
    """
    epsilons, needed = zip(*curve, strict=True)
    shown = epsilons[0] <= here[0] <= epsilons[-1]
    traces: list[dict[str, Any]] = [
        {
            "x": epsilons,
            "y": needed,
            "mode": "lines",
            "line": line(palette.SPREAD),
            "name": TRUSTED_WITH_ANSWERS[NOBODY].title,
            "hovertemplate": "nobody is trusted, ε = %{x:.3g}: %{y:,.0f} people<extra></extra>",
        },
        {
            "x": [epsilons[0], epsilons[-1]],
            "y": [honest, honest],
            "mode": "lines",
            "line": line(palette.TRUTH) | {"dash": "dot"},
            "name": _HONEST,
            "hovertemplate": "no answer is changed: %{y:,.0f} people<extra></extra>",
        },
        *(_trusted(TRUSTED_WITH_ANSWERS[name], points) for name, points in (trusted or {}).items()),
        {
            "x": [here[0]] if shown else [],
            "y": [here[1]] if shown else [],
            "mode": "markers",
            "marker": marker(palette.SPREAD) | {"size": 12},
            "name": "your plan",
            "hovertemplate": "your plan: ε = %{x:.3g}, %{y:,.0f} people<extra></extra>",
        },
    ]
    return _people_chart(traces, epsilons, here[0], half_width)


def design_prices(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    honest: float,
    here: tuple[float, float],
    half_width: float,
) -> Figure:
    """Return people needed against ε as `price` does, a curve of (ε, people) for each design of a survey.

    The curve of the opposite is that of a coin's answer and of the crosswise model too. `here` (ε, people) are the
    visitor's settings.
    """
    epsilons = [epsilon for epsilon, _ in curves[OPPOSITE]]
    shown = epsilons[0] <= here[0] <= epsilons[-1] and math.isfinite(here[1])
    names = {OPPOSITE: _ALIKE, UNRELATED: SURVEY_DESIGNS[UNRELATED].title}
    traces: list[dict[str, Any]] = [
        {
            "x": epsilons,
            "y": [needed if math.isfinite(needed) else None for _, needed in points],
            "mode": "lines",
            "line": line(SURVEY_DESIGNS[name].style),
            "name": names[name],
            "hovertemplate": f"{names[name]}, ε = %{{x:.3g}}: %{{y:,.0f}} people<extra></extra>",
        }
        for name, points in curves.items()
    ]
    traces += [
        {
            "x": [epsilons[0], epsilons[-1]],
            "y": [honest, honest],
            "mode": "lines",
            "line": line(palette.TRUTH) | {"dash": "dot"},
            "name": "no privacy: all are asked openly",
            "hovertemplate": "all are asked openly: %{y:,.0f} people<extra></extra>",
        },
        {
            "x": [here[0]] if shown else [],
            "y": [here[1]] if shown else [],
            "mode": "markers",
            "marker": marker(palette.ADVERSARY) | {"symbol": "circle", "size": 12},
            "name": "your setting",
            "hovertemplate": "your setting: ε = %{x:.3g}, %{y:,.0f} people<extra></extra>",
        },
    ]
    return _people_chart(traces, epsilons, here[0], half_width)


def _people_chart(
    traces: Sequence[Mapping[str, Any]], epsilons: Sequence[float], here: float, half_width: float
) -> Figure:
    """Return the chart of people needed against ε, both on logarithmic axes, with the ε `here` marked."""
    shown = epsilons[0] <= here <= epsilons[-1]
    low, place, high = (math.log10(epsilon) if epsilon > 0 else 0.0 for epsilon in (epsilons[0], here, epsilons[-1]))
    ticks = _ticks(epsilons[0], epsilons[-1])
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {
                "title": {"text": "ε of one answer, log scale (right: more private)"},
                "type": "log",
                "autorange": "reversed",
                "tickvals": ticks,
                "ticktext": [f"{tick:g}" for tick in ticks],
            },
            "yaxis": {
                "title": {"text": f"people to ask for ± {100 * half_width:.3g} points (log scale)"},
                "type": "log",
                "dtick": 1,
            },
            "shapes": [reference_line(here)] if shown else [],
            "annotations": [reference_label(place, f"ε = {here:.3g}", high, low)] if shown else [],
            "height": 380,
            "margin": {"b": 96},
            "legend": legend_below(),
        },
    )


def honest_price(figure: Figure) -> Figure:
    """Return the chart of `price` with the people who would be enough with true answers alone."""
    plain = copied(parts(figure))
    plain["data"] = [trace for trace in plain["data"] if trace.get("name") == _HONEST]
    plain["layout"] |= {
        "shapes": [],
        "showlegend": True,
        "annotations": [n for n in plain["layout"]["annotations"] if n.get("name")],
    }
    return PlainFigure(plain)


def _ticks(low: float, high: float) -> list[float]:
    """Return round ε from `low` to `high`."""
    every = (*(10.0**i for i in range(-9, 0)), 0.3, 1, 3, 10, 30, 100)
    return [tick for tick in every if low <= tick * 1.001 <= high * 1.002]


def _trusted(method: Method, points: Sequence[tuple[float, float]]) -> dict[str, Any]:
    epsilons, needed = zip(*points, strict=True)
    return {
        "x": epsilons,
        "y": needed,
        "mode": "lines",
        "line": line(method.style),
        "name": method.title,
        "hovertemplate": f"{method.title}, ε = %{{x:.3g}}: %{{y:,.0f}} people<extra></extra>",
    }


_SHARE = {"tickformat": ".0%", "range": [-0.03, 1.03]}


def asking_again(all_guesses: Sequence[RepeatedAnswers], n_answers: int) -> Figure:
    """Return how often a guess is right after M answers: `all_guesses` holds M = 1, 2, …; `n_answers` is the visitor's
    M.
    """
    low = min(0.5, *(found.majority_right for found in all_guesses)) - 0.02
    return chart(
        data=_guesses(all_guesses, all_guesses[n_answers - 1]),
        layout={
            "xaxis": {"title": {"text": "answers asked of one person"}, "range": [0, len(all_guesses) + 1]},
            "yaxis": {"title": {"text": "how often the guess is right"}, "tickformat": ".0%", "range": [low, 1.01]},
            "shapes": [reference_line(n_answers)],
            "annotations": [reference_label(n_answers, f"your setting: {n_answers}", 0, len(all_guesses) + 1)],
            "height": 385,
            "margin": {"b": 130},
            "legend": legend_below(),
        },
    )


def answers(here: RepeatedAnswers) -> Figure:
    """Return two plots: how likely each number of answers A is, for a voter of A and of B, and the posterior after
    each.

    Once the bars of the two do not overlap, nothing can be denied.
    """
    n_answers = len(here.posterior) - 1
    counts = list(range(n_answers + 1))
    by_count = {"dtick": 1 if n_answers <= 12 else 5, "range": [-0.6, n_answers + 0.6], "matches": "x2"}
    traces = [
        *(_answers(counts, chances, *kind) for chances, kind in zip(here.chances[::-1], _VOTERS, strict=True)),
        {
            "type": "scatter",
            "x": counts,
            "y": here.posterior,
            "xaxis": "x2",
            "yaxis": "y2",
            "mode": "lines+markers",
            "line": line(palette.Style(palette.ADVERSARY.colour, "dot")) | {"width": 1},
            "marker": marker(palette.ADVERSARY) | {"size": 10},
            "showlegend": False,
            "hovertemplate": "after %{x} answers A: %{y:.3%} voted A<extra></extra>",
        },
    ]
    return chart(
        data=traces,
        layout={
            "xaxis": {"anchor": "y", **by_count},
            "yaxis": {
                "title": {"text": f"how often {_counts_words(n_answers)} answers are A"},
                "domain": [0.62, 1],
                "tickformat": ".0%",
                "rangemode": "tozero",
            },
            "xaxis2": {"title": {"text": f"how many of the {n_answers} answers are A"}, "anchor": "y2", **by_count},
            "yaxis2": {"title": {"text": "chance that this person voted A"}, "domain": [0, 0.38], **_SHARE},
            "height": 385,
            "margin": {"b": 100},
            "legend": legend_below(),
            "bargap": 0.15,
        },
    )


def _counts_words(n_answers: int) -> str:
    """Write the counts of an axis: “0 or 1”, “0, 1 or 2”, “0, 1, …, 9”."""
    return {1: "0 or 1", 2: "0, 1 or 2"}.get(n_answers, f"0, 1, …, {n_answers}")


def _guesses(all_guesses: Sequence[RepeatedAnswers], here: RepeatedAnswers) -> list[dict[str, Any]]:
    """Return how often the best guess and the majority of the answers are right, and the guess before any answer."""
    n_answers = list(range(1, len(all_guesses) + 1))
    majority = palette.OTHERS[1]
    return [
        {
            "type": "scatter",
            "x": n_answers,
            "y": [found.best_guess_right for found in all_guesses],
            "mode": "lines+markers",
            "line": line(palette.ADVERSARY),
            "marker": marker(palette.ADVERSARY) | {"size": 5},
            "name": "right by the best guess",
            "hovertemplate": "%{x} answers: best guess right %{y:.3%}<extra></extra>",
        },
        {
            "type": "scatter",
            "x": [0, len(all_guesses) + 1],
            "y": [here.guess_before] * 2,
            "mode": "lines",
            "line": line(palette.TRUTH) | {"dash": "dot"},
            "name": "right without any answer",
            "hovertemplate": "before any answer: %{y:.3%}<extra></extra>",
        },
        {
            "type": "scatter",
            "x": n_answers,
            "y": [found.majority_right for found in all_guesses],
            "mode": "lines",
            "line": line(majority),
            "name": "right if one believes the majority",
            "hovertemplate": "%{x} answers: majority right %{y:.3%}<extra></extra>",
        },
    ]


# Name, colour and pattern of the bars of each kind of voter.
_VOTERS = (("a voter of A", A_COLOUR, ""), ("a voter of B", B_COLOUR, "/"))


def _answers(counts: list[int], chances: Any, name: str, colour: str, pattern: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": counts,
        "y": chances,
        "marker": outlined(colour, pattern),
        "name": f"answers of {name}",
        "hovertemplate": f"{name} says A %{{x}} times: %{{y:.3%}}<extra></extra>",
    }

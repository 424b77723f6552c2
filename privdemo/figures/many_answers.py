"""Charts of many answers: true and estimated shares, errors, which oracle wins where, and what a report says."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import Fit, OneReport, Release, Trusted, Winners
from privdemo.figures.charts import (
    Curve,
    DotPlot,
    curve_chart,
    dot_plots,
    interval_bars,
    legend_below,
    line,
    log_axis,
    marker,
    point,
)
from privdemo.figures.ends import LINE
from privdemo.figures.house import AXIS, SIZE, chart, shortened, width
from privdemo.intervals import Estimate
from privdemo.methods import (
    CURATOR,
    FREQUENCY_ORACLES,
    NOBODY,
    SHARES_OF_ANSWERS,
    SHUFFLER,
    TRUSTED_WITH_ANSWERS,
    Method,
)

Array = NDArray[np.floating]

# The answers that are drawn, the most frequent ones: their names fit on a telephone.
SHOWN = 16
AXES = {
    many_answers.EPSILON_AXIS: "ε of an answer",
    many_answers.K_AXIS: "different answers",
    many_answers.PEOPLE_AXIS: "people",
}
# One's place on an axis in words.
WORDS = {
    many_answers.EPSILON_AXIS: "ε = {:g}",
    many_answers.K_AXIS: "{:,g} answers",
    many_answers.PEOPLE_AXIS: "{:,.0f} people",
}
ERROR = "typical error of a share, points"
UNASKED = "asking nobody"
_ANSWERS = "answer, the most frequent first"
# The filling of bars of true shares, on which marks are seen, and the part of a bar over which marks stand.
_PALE_TRUTH, _ASIDE = "rgba(122,122,122,0.08)", 0.65
# The colour of words and lines on the map, whose ground is light by night too, and a cell's size on a telephone.
_ON_MAP, _CELL = "#0E1117", (7.0, 9.0)


def shares(found: Release) -> Figure:
    """True shares as bars, and what the config's oracle and its rival make of them, with 95 % intervals."""
    names, truth = found.truth.names[:SHOWN], found.truth.shares[:SHOWN]
    marks = []
    for oracle, estimate in found.found.items():
        style = FREQUENCY_ORACLES[oracle].style
        ends = interval_bars(estimate.shares[:SHOWN], estimate.low[:SHOWN], estimate.high[:SHOWN], style)
        bars = {"error_y": ends | {"thickness": 2}}
        marks.append(_points(names, estimate.shares[:SHOWN], FREQUENCY_ORACLES[oracle]) | bars)
    return _over_answers(_bars(names, truth, "true"), marks)


def estimates(fit: Fit, names: Sequence[str], truth: Array) -> Figure:
    """True shares as bars, and what each estimator makes of the same reports."""
    marks = [_points(names[:SHOWN], fit.shares[name][:SHOWN], method) for name, method in SHARES_OF_ANSWERS.items()]
    return _over_answers(_bars(names[:SHOWN], truth[:SHOWN], "true"), marks)


def one_report(found: OneReport, shown: Sequence[int]) -> Figure:
    """What is believed of each answer in `shown` before a report, as bars, and after it."""
    names = [found.names[i] for i in shown]
    style = palette.ADVERSARY
    after = {
        "type": "scatter",
        "y": found.posterior[list(shown)].tolist(),
        "customdata": names,
        "mode": "markers",
        "marker": marker(style) | {"size": 10},
        "name": "after the report",
        "hovertemplate": "%{customdata}: %{y:.2%}<extra>after</extra>",
    }
    return _over_answers(_bars(names, found.prior[list(shown)], "before"), [after], "believed of this answer")


def _bars(names: Sequence[str], heights: Array, name: str) -> dict[str, Any]:
    colour = palette.TRUTH.colour
    return {
        "type": "bar",
        "x": list(names),
        "y": heights.tolist(),
        "name": name,
        "marker": {"color": _PALE_TRUTH, "line": {"color": colour, "width": 1.5}},
        "hovertemplate": f"%{{x}}: %{{y:.2%}}<extra>{name}</extra>",
    }


def _points(names: Sequence[str], values: Array, method: Method) -> dict[str, Any]:
    return {
        "type": "scatter",
        "y": values.tolist(),
        "customdata": list(names),
        "mode": "markers",
        "marker": point(method.style),
        "name": method.title,
        "hovertemplate": f"%{{customdata}}: %{{y:.2%}}<extra>{method.in_full}</extra>",
    }


def _over_answers(
    bars: Mapping[str, Any], marks: Sequence[Mapping[str, Any]], title: str = "share of all people"
) -> Figure:
    """Bars over answers, and marks side by side in each, which none hides."""
    n, names = len(bars["x"]), list(map(shortened, bars["x"]))
    aside = [_ASIDE * ((i + 0.5) / len(marks) - 0.5) for i in range(len(marks))]
    beside = [
        {**mark, "xaxis": "x2", "x": [place + shift for place in range(n)]}
        for mark, shift in zip(marks, aside, strict=True)
    ]
    return chart(
        data=[bars, *beside],
        layout={
            "xaxis": {"title": {"text": _ANSWERS}, "type": "category", "ticktext": names, "fixedrange": True},
            # The same places as numbers, so that marks may stand beside the middle of a bar.
            "xaxis2": {"range": [-0.5, n - 0.5], "overlaying": "x", "visible": False, "fixedrange": True},
            "yaxis": {"title": {"text": title}, "tickformat": ".0%"},
            "height": 375,
            "margin": {"b": 66 + 21 * len(marks)},  # on a telephone each name has a line
            "legend": legend_below(),
        },
    )


def along(
    axis: str, errors: Mapping[float, Mapping[str, float]], oracles: Sequence[str], own: float, unasked: float | None
) -> Figure:
    """The typical error of each of the `oracles` along an axis, in points; `unasked` is that of asking nobody."""
    lines = [_curve(FREQUENCY_ORACLES[name], {level: at[name] for level, at in errors.items()}) for name in oracles]
    return _log_curves(lines, AXES[axis], list(errors), own, unasked)


def trusted(found: Sequence[Trusted], own: float) -> Figure:
    """The typical error of a share along ε, by whom one trusts, in points."""
    values = {
        NOBODY: {each.epsilon: each.local for each in found},
        SHUFFLER: {each.epsilon: each.shuffled for each in found},
        CURATOR: {each.epsilon: each.curated for each in found},
    }
    lines = [_curve(TRUSTED_WITH_ANSWERS[name], points) for name, points in values.items()]
    return _log_curves(lines, "ε, with the same δ for all", [each.epsilon for each in found], own, height=320)


def read_along(axis: str, errors: Mapping[float, Mapping[str, Estimate]], own: float) -> Figure:
    """The typical error of each estimator along an axis, in points, with the 95 % intervals that do not reach 0."""
    lines = []
    for name, method in SHARES_OF_ANSWERS.items():
        points = [at[name].times(100) for at in errors.values()]
        shown = [point if point.low > 0 else Estimate(point.mean, -math.inf, math.inf) for point in points]
        lines.append(Curve(method.title, method.style, list(errors), shown, method.in_full))
    return _log_curves(lines, AXES[axis], list(errors), own)


def _curve(method: Method, errors: Mapping[float, float]) -> Curve:
    points = [Estimate(100 * error, 100 * error, 100 * error) for error in errors.values()]
    return Curve(method.title, method.style, list(errors), points, method.in_full)


def _log_curves(
    lines: Sequence[Curve],
    title: str,
    levels: Sequence[float],
    own: float,
    unasked: float | None = None,
    height: int = 380,
) -> Figure:
    x_axis = log_axis(title, levels) | {"tickvals": _round(min(levels), max(levels))}
    x_axis["ticktext"] = [_short(value) for value in x_axis["tickvals"]]
    more = [_level(100 * unasked, levels)] if unasked else []
    means = [mean for curve in lines for mean in (e.mean for e in curve.estimates)]
    means += [trace["y"][0] for trace in more]
    low, high = math.log10(min(means)) - 0.06, math.log10(max(means)) + 0.06
    ticks = _round(10**low, 10**high)
    y_axis = {"title": {"text": ERROR}, "type": "log", "range": [low, high], "tickvals": ticks}
    y_axis["ticktext"] = [_short(value) for value in ticks]
    return curve_chart(lines, x_axis, y_axis, ".3g", yours=own, legend=110, more=more, height=height, spread=True)


def _level(error: float, levels: Sequence[float]) -> dict[str, Any]:
    """The line of whoever asks nobody."""
    return {
        "x": list(levels),
        "y": [error] * len(levels),
        "mode": "lines",
        "line": line(palette.TRUTH),
        "name": UNASKED,
        "hovertemplate": f"{UNASKED}, all alike: %{{y:.3g}}<extra></extra>",
    }


def _round(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`: 1, 2 and 5 times powers of ten, or those powers alone if they are many."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if math.log10(high / low) < 2.5 else (1,)
    found = [step * 10.0**decade for decade in decades for step in steps]
    return [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def _short(value: float) -> str:
    """“0.05”, “200”, “10 k”, “3 M”."""
    for unit, letter in ((1e6, " M"), (1e4, " k")):
        if value >= unit:
            return f"{value / min(unit, 1e6 if unit == 1e6 else 1e3):g}{letter}"
    return f"{value:g}"


def winners(found: Winners, own: tuple[float, int]) -> Figure:
    """A map of the best oracle over ε and k: paler where it gains little on k-ary randomised response.

    A line is k = 3e^ε + 2; a star is one's own (ε, k). Names stand where they belong.
    """
    n_across, n_up = len(found.epsilons), len(found.ks)

    def across(epsilon: float) -> float:
        first, last = math.log(found.epsilons[0]), math.log(found.epsilons[-1])
        return min(1.0, max(0.0, (math.log(epsilon) - first) / (last - first))) * (n_across - 1)

    def up(k: float) -> float:
        return math.log(k / found.ks[0]) / math.log(found.ks[-1] / found.ks[0]) * (n_up - 1)

    crossed = [(across(e), up(many_answers.crossover(e))) for e in found.epsilons]
    inside = [(x, y) for x, y in crossed if y <= n_up - 1]
    here = across(own[0]), up(own[1])
    e_ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10]
    k_ticks = [2, 4, 16, 64, 256, 1024]
    return chart(
        data=[
            *_cells(found),
            {
                "x": [x for x, _ in inside],
                "y": [y for _, y in inside],
                "mode": "lines",
                "line": {"color": _ON_MAP, "dash": "dash", "width": 2},
                "hoverinfo": "skip",
            },
            {
                "x": [here[0]],
                "y": [here[1]],
                "mode": "markers",
                "marker": {"symbol": "star", "size": 15, "color": palette.ADVERSARY.colour}
                | {"line": {"color": "#FFFFFF", "width": 1}},
                "hovertemplate": f"yours: ε = {own[0]:g}, {own[1]:,} answers<extra></extra>",
            },
        ],
        layout={
            "xaxis": _ticked("ε of an answer", [across(e) for e in e_ticks], e_ticks, n_across),
            "yaxis": _ticked("different answers", [up(k) for k in k_ticks], k_ticks, n_up),
            "annotations": _map_words(found, inside, here),
            "height": 430,
            "margin": {"b": AXIS},
            "showlegend": False,
        },
    )


def _map_words(found: Winners, line: Sequence[tuple[float, float]], own: tuple[float, float]) -> list[dict[str, Any]]:
    """The names on the map: of each oracle within its area, of the line at its middle, and of one's own place."""
    left = own[0] < 0.8 * len(found.epsilons)
    aside = {"xanchor": "left", "xshift": 10} if left else {"xanchor": "right", "xshift": -10}
    notes = [_on_map("yours", *own) | aside]
    taken = [*line, own]
    if line:
        x, y = line[len(line) * 2 // 3]
        name = "k = 3e^ε + 2"
        notes.append(_on_map(name, x, y) | {"xanchor": "right", "yanchor": "bottom", "xshift": -4})
        taken.append((x - width(name, SIZE) / _CELL[0] / 2, y + 1.5))
    for oracle in {name: None for row in found.names for name in row}:
        words = "<br>".join(textwrap.wrap(FREQUENCY_ORACLES[oracle].title, 10, break_long_words=False))
        place = _inside(found, oracle, taken, words)
        notes.append(_on_map(f"<b>{words}</b>", *place))
    return notes


def _inside(found: Winners, oracle: str, taken: Sequence[tuple[float, float]], words: str) -> tuple[float, float]:
    """Where in the area of an oracle its name stands: where most of its box is free, and furthest from what is taken.

    The size of the box is that on a telephone.
    """
    area = np.array([[name == oracle for name in row] for row in found.names])
    half_wide = math.ceil(width(words, SIZE) / _CELL[0] / 2)
    half_high = math.ceil(LINE * (words.count("<br>") + 1) / _CELL[1] / 2)
    ys, xs = np.indices(area.shape)
    away = np.min([np.hypot((xs - x) / half_wide, (ys - y) / half_high) for x, y in taken], axis=0)
    free = area & (away > 1)
    sums = np.pad(free, ((half_high + 1, half_high), (half_wide + 1, half_wide))).cumsum(0).cumsum(1)
    rows = sums[2 * half_high + 1 :] - sums[: -2 * half_high - 1]
    boxes = rows[:, 2 * half_wide + 1 :] - rows[:, : -2 * half_wide - 1]
    far = np.where(boxes == boxes.max(), np.minimum(away, 3), -1.0)
    best = np.argwhere(far == far.max())
    y, x = min(best, key=lambda place: float(np.hypot(*(place - best.mean(axis=0)))))
    return float(x), float(y)


def _on_map(words: str, x: float, y: float) -> dict[str, Any]:
    dark = f"<span style='color:{_ON_MAP}'>{words}</span>"
    return {"text": dark, "x": x, "y": y, "showarrow": False, "bgcolor": "rgba(255,255,255,0.75)", "borderpad": 1}


def _ticked(title: str, places: Sequence[float], values: Sequence[float], n: int) -> dict[str, Any]:
    words = {"tickvals": list(places), "ticktext": [f"{value:,g}" for value in values]}
    return {"title": {"text": title}, "range": [-0.5, n - 0.5], "showgrid": False} | words


def _cells(found: Winners) -> list[dict[str, Any]]:
    """A picture for every oracle that wins somewhere."""
    traces: list[dict[str, Any]] = []
    there = [name for name in FREQUENCY_ORACLES if any(name in row for row in found.names)]
    most = max(math.log(times) for row in found.times for times in row)
    for name in there:
        method = FREQUENCY_ORACLES[name]
        strength = [
            [0.25 + 0.75 * math.log(t) / most if won == name else None for won, t in zip(won_row, row, strict=True)]
            for won_row, row in zip(found.names, found.times, strict=True)
        ]
        words = [
            [
                f"ε = {e:.2g}, {k:,} answers: {method.title}" + (f", {t:.3g} times as exact" if t > 1.005 else "")
                for e, t in zip(found.epsilons, row, strict=True)
            ]
            for k, row in zip(found.ks, found.times, strict=True)
        ]
        if name == many_answers.PAPERS:
            strength = [[value and 1.0 for value in row] for row in strength]
        traces.append(
            {
                "type": "heatmap",
                "z": strength,
                "zmin": 0,
                "zmax": 1,
                "colorscale": [[0, "#FFFFFF"], [1, method.style.colour]],
                "showscale": False,
                "customdata": words,
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        )
    return traces


def bits(errors: Mapping[str, float], sent: Mapping[str, int]) -> Figure:
    """The typical error of a share against the bits that a person sends, a marker for every oracle."""
    traces = [
        {
            "x": [sent[name]],
            "y": [100 * error],
            "mode": "markers",
            "marker": point(FREQUENCY_ORACLES[name].style) | {"size": 13},
            "name": FREQUENCY_ORACLES[name].title,
            "hovertemplate": f"{FREQUENCY_ORACLES[name].in_full}: %{{x:,}} bits, ± %{{y:.3g}} points<extra></extra>",
        }
        for name, error in errors.items()
    ]
    least, most = math.log10(min(sent.values())), math.log10(max(sent.values()))
    ticks = [2**i for i in range(11) if 2**i >= 0.7 * min(sent.values())]
    high = 1.1 * 100 * max(errors.values())
    return chart(
        data=traces,
        layout={
            "xaxis": {"title": {"text": "bits that a person sends"}, "type": "log"}
            | {"range": [least - 0.15, most + 0.15], "tickvals": ticks, "ticktext": [f"{t:,}" for t in ticks]},
            "yaxis": {"title": {"text": ERROR}, "range": [0, high]},
            "height": 420,
            "margin": {"b": 150},
            "legend": legend_below(),
        },
    )


def estimators(errors: Mapping[str, Estimate]) -> Figure:
    """The typical error of each estimator on the same reports, in points."""
    rows = [(SHARES_OF_ANSWERS[name], error.times(100)) for name, error in errors.items()]
    high = 1.1 * max(error.ends[1] for _, error in rows)
    written = "{:#.3g}".format
    return dot_plots([DotPlot(ERROR, 0.0, high, rows, written, written, ())])

"""The map of many answers: the best oracle over ε and the number of answers."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import Winners
from privdemo.figures.chart_style import BOTTOM_MARGIN, SIZE, chart, width
from privdemo.figures.ends import LINE
from privdemo.methods import FREQUENCY_ORACLES

# The colour of words and lines on the map, whose ground is light by night too, and a cell's size on a telephone.
_ON_MAP, _CELL = "#0E1117", (6.2, 9.0)


def winners(found: Winners, own: tuple[float, int]) -> Figure:
    """Return a map of the best oracle over ε and k: paler where its gain over k-ary randomised response is small.

    A line is the rule k = 3e^ε + 2; a star is one's own (ε, k). Names stand in the areas of their oracles.
    """
    n_across, n_up = len(found.epsilons), len(found.ks)

    def across(epsilon: float) -> float:
        first, last = math.log(found.epsilons[0]), math.log(found.epsilons[-1])
        return (math.log(epsilon) - first) / (last - first) * (n_across - 1)

    def up(k: float) -> float:
        return math.log(k / found.ks[0]) / math.log(found.ks[-1] / found.ks[0]) * (n_up - 1)

    crossed = [(across(e), up(many_answers.crossover(e))) for e in found.epsilons]
    inside = [(x, y) for x, y in crossed if y <= n_up - 1]
    here = across(own[0]), up(own[1])
    e_ticks = [0.01, 0.03, 0.1, 0.3, 1, 3, 10]
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
            "xaxis": _ticked("ε of an answer (right: more private)", [across(e) for e in e_ticks], e_ticks, n_across)
            | {"range": [n_across - 0.5, -0.5]},
            "yaxis": _ticked("possible answers", [up(k) for k in k_ticks], k_ticks, n_up),
            "annotations": _map_words(found, inside, here),
            "height": 430,
            "margin": {"b": BOTTOM_MARGIN},
            "showlegend": False,
        },
    )


def _map_words(found: Winners, line: Sequence[tuple[float, float]], own: tuple[float, float]) -> list[dict[str, Any]]:
    """Return the names on the map: of each oracle within its area, of the line at its middle, and of one's own
    place.
    """
    is_left = own[0] > 0.2 * len(found.epsilons)
    aside = {"xanchor": "left", "xshift": 10} if is_left else {"xanchor": "right", "xshift": -10}
    notes = [_on_map("your setting", *own) | aside]
    taken = [*line, own]
    if line:
        x, y = line[len(line) * 2 // 3]
        name = "rule of 2017"
        notes.append(_on_map(name, x, y) | {"xanchor": "left", "yanchor": "bottom", "xshift": 4})
        taken.append((x - width(name, SIZE) / _CELL[0] / 2, y + 1.5))
    for oracle in {name: None for row in found.names for name in row}:
        words = "<br>".join(textwrap.wrap(FREQUENCY_ORACLES[oracle].title, 10, break_long_words=False))
        place = _inside(found, oracle, taken, words)
        notes.append(_on_map(f"<b>{words}</b>", *place))
    return notes


def _inside(found: Winners, oracle: str, taken: Sequence[tuple[float, float]], words: str) -> tuple[float, float]:
    """Return the place of an oracle's name in its area: where most of the box is inside, and furthest from other areas.

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
    """Return a picture for every oracle that wins somewhere."""
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
                f"ε = {e:.2g}, {k:,} answers: {method.title}" + (f", error {t:.3g} times smaller" if t > 1.005 else "")
                for e, t in zip(found.epsilons, row, strict=True)
            ]
            for k, row in zip(found.ks, found.times, strict=True)
        ]
        if name == many_answers.RANDOMISED_RESPONSE:
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

"""Charts and pictures of training on released images and labels."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import training
from privdemo.experiments.training import Trial
from privdemo.experiments.training.study import Point, Study
from privdemo.figures.charts import (
    DotPlot,
    dot_plots,
    error_bars,
    guesses,
    legend_below,
    line,
    over_rule,
    own,
    percent,
    point,
    published,
    rule,
)
from privdemo.figures.house import chart
from privdemo.figures.pictures import contact_sheet, data_uri
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, TRAINING

Array = NDArray[np.floating]

# Of each measure: its name, the ends of its axis, and the value of a coin.
MARKS = {
    "accuracy": ("accuracy", (0.4, 1.0), 0.5),
    "log_loss": ("log loss (less is better)", (0.0, 0.8), math.log(2)),
    "brier": ("Brier score (less is better)", (0.0, 0.3), 0.25),
}


def scores(draws: Sequence[Trial], methods: Sequence[str]) -> Figure:
    """Accuracy, log loss and Brier score of every method with 95 % intervals, one plot under the other.

    Rules mark the score of clean data and that of a coin. A score beyond its axis is an arrow in its label.
    """
    contents = []
    for mark, (title, (low, high), nothing) in MARKS.items():
        number = percent if mark == "accuracy" else "{:.3f}".format
        marks = [(TRAINING[name], training.mean_score(draws, name, mark)) for name in methods]
        rules = [(training.mean_score(draws, CLEAN, mark).mean, ""), (nothing, "coin")]
        short = percent if mark == "accuracy" else _short
        contents.append(DotPlot(title, low, high, marks, number, short, rules, ".0%" if mark == "accuracy" else ""))
    return dot_plots(contents)


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1 else f"{value:.1f}"


def calibration(draws: Sequence[Trial], methods: Sequence[str]) -> Figure:
    """The share of images that are of the second class, against the probability that a method gives them."""
    second = draws[0].config.classes[1]
    traces: list[dict[str, Any]] = [
        {
            "x": [0, 1],
            "y": [0, 1],
            "mode": "lines",
            "name": "as it should be",
            "line": {"color": palette.TRUTH.colour, "width": 1.5, "dash": "dot"},
            "hoverinfo": "skip",
        }
    ]
    for name in methods:
        bins, style = training.calibration(draws, name), TRAINING[name].style
        traces.append(
            {
                "x": [b.said for b in bins],
                "y": [b.true.mean for b in bins],
                "error_y": error_bars([b.true for b in bins], style),
                "mode": "lines+markers",
                "name": TRAINING[name].title,
                "line": line(style),
                "marker": point(style),
                "customdata": [b.n for b in bins],
                "hovertemplate": f"{TRAINING[name].in_full}: of %{{customdata}} images said to be a {second} with "
                "%{x:.0%}, %{y:.0%} are<extra></extra>",
            }
        )
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": f"probability of “{second}” that the model gives"}, "range": [-0.03, 1.03]}
            | {"tickformat": ".0%"},
            "yaxis": {"title": {"text": f"share that are {second}s"}, "range": [-0.03, 1.03], "tickformat": ".0%"},
            "height": 460,
            "margin": {"b": 110},
            "legend": legend_below(),
        },
    )


def trade_off(
    study: Study, curves: Mapping[str, Sequence[Point]], yours: Mapping[str, tuple[Estimate, Estimate]], level: float
) -> Figure:
    """Accuracy and log loss against the noise, every method with 95 % intervals; the paper's numbers are stars.

    `yours` are the visitor's (accuracy, log loss) of each method at their own `level`, a rule through both plots.
    """
    traces: list[dict[str, Any]] = []
    levels = [*study.levels, *([level] if yours else [])]
    low, high = min(levels), max(levels)
    low, high = low - 0.06 * (high - low), high + 0.06 * (high - low)
    apart = 0.004 * (high - low)
    least = min(point.accuracy.low for curve in curves.values() for point in curve)
    floor = 0.45 if least < 0.6 else math.floor(20 * least - 0.2) / 20
    for i, (name, curve) in enumerate(curves.items()):
        style = TRAINING[name].style
        # Side by side, so that no error bar hides another.
        shift = apart * (i - (len(curves) - 1) / 2)
        shared = {
            "x": [p.level + shift for p in curve],
            "mode": "lines+markers",
            "line": line(style),
            "marker": point(style),
        }
        shared |= {"name": TRAINING[name].title, "legendgroup": name}
        for axis, marks in (("y", [p.accuracy for p in curve]), ("y2", [p.log_loss for p in curve])):
            bars = error_bars(marks, style)
            traces.append(
                shared
                | {"y": [m.mean for m in marks], "error_y": bars, "yaxis": axis, "showlegend": axis == "y"}
                | {"hovertemplate": f"{TRAINING[name].in_full}: %{{y:.3f}}<extra></extra>"}
            )
        for x, accuracy in study.published.get(name, {}).items():
            words = f"{TRAINING[name].title}, published: {percent(accuracy)}"
            traces.append(published(x, accuracy, style, words))
        if name in yours:
            for axis, mark in zip(("y", "y2"), yours[name], strict=True):
                traces.append(own(level + shift, mark, style, TRAINING[name].title, name, axis))
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": study.axis}, "range": [low, high], "anchor": "y2"},
            "yaxis": {"title": {"text": "accuracy"}, "range": [floor, 1.0], "tickformat": ".0%", "domain": [0.54, 1]},
            "yaxis2": {"title": {"text": "log loss (less is better)"}, "range": [0, 0.85], "domain": [0, 0.46]},
            "shapes": [rule(level)] if yours else [],
            "annotations": [over_rule(level, f"yours, {level:.3g}", low, high)] if yours else [],
            "height": 640,
            "margin": {"b": 150},
            "legend": legend_below(),
        },
    )


def attack(rates: Mapping[str, Estimate], promised: float) -> Figure:
    """How often the true label is named from each source; a rule marks what the label's randomised response allows."""
    sources = {"label": "from the released label", "image": "from the released image", "both": "from both"}
    named = {sources[source]: rate for source, rate in rates.items()}
    return guesses(named, (promised, f"label alone, at best {percent(promised)}"), [0.5], "true label named")


def weight_sheet(coefs: Sequence[Array], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Weights as grey pictures side by side: each model's largest is white or black, 0 mid-grey.

    Weights of which none reaches `NO_WEIGHT`, a model that says the same of every image, are all mid-grey.
    """
    return contact_sheet(weight_pictures(coefs, shape), gap=2, gutter=255)


def weight_pictures(coefs: Sequence[Array], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """The pictures of `weight_sheet`, (1, n, height, width)."""
    largest = [max(np.abs(coef).max(), training.NO_WEIGHT) for coef in coefs]
    grey = [np.round(127.5 + 127.5 * coef / top) for coef, top in zip(coefs, largest, strict=True)]
    return np.stack(grey).astype(np.uint8).reshape(1, len(coefs), *shape)


def digits_html(
    images: NDArray[np.uint8], truths: Sequence[str], rows: Sequence[tuple[str, Sequence[tuple[str, bool]]]], alt: str
) -> str:
    """Test digits over what every method says of them: `rows` are (method, [(words, right) for each digit]).

    Wrong answers are underlined, and marked as wrong for screen readers.
    """
    heads = "".join(
        f'<th scope="col"><img class="digit" src="{data_uri(image)}" alt="a {html.escape(truth)}"></th>'
        for image, truth in zip(images, truths, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>{"".join(map(_verdict, cells))}</tr>' for name, cells in rows
    )
    return (
        f'<div class="grid digits"><table aria-label="{html.escape(alt, quote=True)}"><thead><tr><td></td>{heads}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def _verdict(cell: tuple[str, bool]) -> str:
    words, right = cell
    return f"<td>{words}</td>" if right else f'<td class="wrong" title="wrong">{words}</td>'


DIGITS_CSS = """
.digits table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.digits th, .digits td { text-align: center; padding: 0.25rem 0.4rem; font-weight: 400; }
.digits tbody th { text-align: left; }
.digit { width: 3rem; image-rendering: pixelated; border-radius: 3px; display: inline-block; }
.digits .wrong { text-decoration: underline wavy; text-underline-offset: 0.2em; }
@media (max-width: 640px) {
  .digit { width: 2rem; }
  .digits th, .digits td { padding: 0.2rem 0.15rem; font-size: 0.72rem; }
}
"""

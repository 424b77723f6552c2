"""Charts and pictures of training on released images and labels."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import training
from privdemo.experiments.training import Trial
from privdemo.experiments.training.study import Point, Study
from privdemo.figures.chart_style import chart, spaced_percent
from privdemo.figures.charts import (
    PALE,
    DotPlot,
    curve_chart,
    dot_plots,
    error_bars,
    guesses,
    heading,
    legend_below,
    line,
    method_curve,
    own,
    percent,
    point,
)
from privdemo.figures.pictures import contact_sheet, data_uri
from privdemo.figures.plain import changed
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, TRAINING

Array = NDArray[np.floating]

# Pixels for a legend of three methods and clean data.
_LEGEND = 100
# The title of each score.
SCORE_TITLES = {"accuracy": "right answers on clean test data", "log_loss": "log loss (0 is perfect)"}
# How high a table of classes is, in pixels.
_TABLE = 400


def _axis_of(metric: str, n_classes: int) -> tuple[tuple[float, float], float]:
    """Return the ends of a measure's axis, and its value for a guess among so many classes."""
    if metric == "accuracy":  # the first number of the axis, 40 %, has space beside it
        return (0.38 if n_classes == 2 else 0.0, 1.0), 1 / n_classes
    return (0.0, 0.8 if n_classes == 2 else math.ceil(11 * math.log(n_classes)) / 10), math.log(n_classes)


def scores(trials: Sequence[Trial], methods: Sequence[str], metric: str) -> Figure:
    """Return one of `SCORE_TITLES` of every method with 95 % intervals.

    Rules mark the score of clean data and that of a coin. A score beyond its axis is an arrow in its label.
    """
    n_classes = len(trials[0].config.classes)
    title, ((low, high), nothing) = SCORE_TITLES[metric], _axis_of(metric, n_classes)
    means = [(TRAINING[name], training.mean_score(trials, name, metric)) for name in methods]
    rules = [
        (training.mean_score(trials, CLEAN, metric).mean, ""),
        (nothing, "a coin" if n_classes == 2 else "a guess"),
    ]
    if metric == "accuracy":
        return dot_plots([DotPlot(title, low, high, means, percent, percent, rules, ".0%")])
    return dot_plots([DotPlot(title, low, high, means, "{:.3f}".format, _short, rules)])


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1 else f"{value:.1f}"


def calibration(trials: Sequence[Trial], methods: Sequence[str]) -> Figure:
    """Return the share of images that are of the second class, against the probability that a method gives them.

    Of more than two classes, the share of right answers against how sure the method is of them.
    """
    *_, second = trials[0].config.classes
    of_two = len(trials[0].config.classes) == 2
    hover = f"said to be a {second} with %{{x:.0%}}, %{{y:.0%}} are" if of_two else "%{x:.0%} sure, right on %{y:.0%}"
    said = f"probability of “{second}” that the model gives" if of_two else "how sure the model is of its answer"
    true = f"of these images, share that are {second}s" if of_two else "share that are right"
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
        bins, style = training.calibration(trials, name), TRAINING[name].style
        traces.append(
            {
                "x": [b.predicted for b in bins],
                "y": [b.observed.mean for b in bins],
                "error_y": error_bars([b.observed for b in bins], style),
                "mode": "lines+markers",
                "name": TRAINING[name].title,
                "line": line(style),
                "marker": point(style),
                "customdata": [b.n for b in bins],
                "hovertemplate": f"{TRAINING[name].in_full}: of %{{customdata}} images {hover}<extra></extra>",
            }
        )
    return chart(
        data=[{"type": "scatter", **trace} for trace in traces],
        layout={
            "xaxis": {"title": {"text": said}, "range": [-0.03, 1.03], "tickformat": ".0%"},
            "yaxis": {"title": {"text": true}, "range": [-0.03, 1.03], "tickformat": ".0%"},
            "height": 400,
            "margin": {"b": 110},
            "legend": legend_below(),
        },
    )


def trade_off(
    study: Study, curves: Mapping[str, Sequence[Point]], yours: Mapping[str, Estimate], level: float, metric: str
) -> Figure:
    """Return accuracy or log loss against the noise, every method with 95 % intervals; the paper's numbers are stars.

    `yours` are the visitor's own scores of each method at their own `level`, a rule through the plot.
    """
    levels = [*study.levels, *([level] if yours else [])]
    low, high = min(levels), max(levels)
    low, high = low - 0.06 * (high - low), high + 0.06 * (high - low)
    lines, stars, own_points = [], [], []
    for i, (name, points) in enumerate(curves.items()):
        # Side by side, so that no error bar hides another.
        shift = 0.004 * (high - low) * (i - (len(curves) - 1) / 2)
        method = TRAINING[name]
        lines.append(method_curve(method, {p.level + shift: getattr(p, metric) for p in points}))
        if metric == "accuracy":
            words = f"{method.title}, published: "
            published = study.published.get(name, {}).items()
            stars += [(x, accuracy, method.style, f"{words}{percent(accuracy)}") for x, accuracy in published]
        if name in yours:
            own_points.append(own(level + shift, yours[name], method.style, method.title, name))
    figure = curve_chart(
        lines,
        {"title": {"text": study.axis}, "range": [low, high], "tickvals": list(study.levels)},
        _trade_off_axis(curves, metric),
        ".1%" if metric == "accuracy" else ".3f",
        stars,
        level if yours else None,
        _LEGEND,
        own_points,
    )
    return changed(figure, {"height": 440})


def _trade_off_axis(curves: Mapping[str, Sequence[Point]], metric: str) -> dict[str, Any]:
    """Return the vertical axis of a study: its ends are round, and losses beyond that of a coin are cut off."""
    title = SCORE_TITLES[metric]
    if metric == "log_loss":
        return {"title": {"text": title}, "range": [0, 0.85]}
    least = min((point.accuracy.low for curve in curves.values() for point in curve), default=0.5)
    floor = 0.45 if least < 0.6 else math.floor(20 * least - 0.2) / 20
    return {"title": {"text": title}, "range": [floor, 1.0], "tickformat": ".0%"}


def confusion(trials: Sequence[Trial], method: str) -> Figure:
    """Return the share of the test images of each class, the rows, to which a method gives each class, the columns."""
    names, shares = list(trials[0].config.classes), training.confusion(trials, method)
    places = list(range(len(names)))
    title = {"text": "named", "standoff": 4}
    trace = {
        "type": "heatmap",
        "z": shares.tolist(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, PALE], [1, TRAINING[method].style.colour]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "text": [[spaced_percent(f"{share:.0%}") for share in row] for row in shares],
        "texttemplate": "%{text}",
        "customdata": [[f"of images of “{row}”, named “{column}”" for column in names] for row in names],
        "hovertemplate": "%{customdata}: %{z:.1%}<extra></extra>",
    }
    layout = {
        "annotations": [heading(TRAINING[method].title, 1) | {"x": 0}],
        "xaxis": {"tickvals": places, "ticktext": names, "title": title, "showgrid": False},
        "yaxis": {"tickvals": places, "ticktext": names, "title": {"text": "truth"}, "showgrid": False}
        | {"autorange": "reversed"},
        "height": _TABLE,
        "margin": {"b": 54},
    }
    return chart([trace], layout)


def attack(rates: Mapping[str, Estimate], promised: float, n_classes: int = 2) -> Figure:
    """Return how often the true label is named from each source; a rule marks what the label's randomised response
    allows.
    """
    sources = {"label": "from the label sent", "image": "from the image sent", "both": "from both"}
    named = {sources[source]: rate for source, rate in rates.items()}
    rule = promised, f"label alone, in theory {percent(promised)}"
    return guesses(named, rule, [1 / n_classes], "true label guessed correctly")


def weight_sheet(coefs: Sequence[Array], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Return weights as grey pictures with their opacity: each model's largest is white or black, 0 mid-grey.

    Those of two classes are side by side; of more, a model has a row with a picture of each class. What is between the
    pictures is transparent, as white and black have a meaning.

    Weights below `NO_WEIGHT`, of a model with the same output for every image, are all mid-grey.
    """
    pictures = weight_pictures(coefs, shape)
    opacity = contact_sheet(np.full_like(pictures, 255), gap=2, gap_level=0)
    return np.stack([contact_sheet(pictures, gap=2), opacity], axis=-1)


def weight_pictures(coefs: Sequence[Array], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the pictures of `weight_sheet`, (1, n, height, width) or (n, K, height, width)."""
    largest = [max(np.abs(coef).max(), training.NO_WEIGHT) for coef in coefs]
    grey = [np.round(127.5 + 127.5 * coef / top) for coef, top in zip(coefs, largest, strict=True)]
    rows = len(coefs) if coefs[0].ndim == 2 else 1
    return np.stack(grey).astype(np.uint8).reshape(rows, -1, *shape)


class Said(NamedTuple):
    """A method's prediction for an image: a class, how `sure` the method is in words, and whether it is right."""

    name: str
    sure: str
    right: bool


def digits_html(
    images: NDArray[np.uint8],
    truths: Sequence[str],
    rows: Sequence[tuple[tuple[str, str], Sequence[Said] | str]],
    alt: str,
    *,
    groups: Sequence[tuple[str, int]] = (),
    trained_on: tuple[str, Sequence[NDArray[np.uint8]]] | None = None,
    legend: str = "",
) -> str:
    """Return test digits with their true classes over the predictions of every method.

    `rows` are ((method, note), its predictions). Wrong answers are said to be. A prediction that is the same for all
    images is one text. `groups` are titles over so many digits each; `trained_on` are examples of the training images,
    with a title; the `legend` stands below.
    """
    pictures = "".join(
        f'<td><img class="digit" src="{data_uri(image)}" alt="a {html.escape(truth)}"></td>'
        for image, truth in zip(images, truths, strict=True)
    )
    heads = "".join(f'<th scope="col"><b>{html.escape(truth)}</b></th>' for truth in truths)
    body = "".join(
        f'<tr><th scope="row">{html.escape(name)}'
        f"<small>{html.escape(note)}</small></th>{_cells(said, len(images))}</tr>"
        for (name, note), said in rows
    )
    name = html.escape(alt, quote=True)
    return (
        f'<div class="digits" style="--digits: {len(images)}"><table aria-label="{name}"><thead>'
        f"{_above(groups, trained_on, pictures)}"
        f'<tr class="truth"><th scope="row">true answer</th>{heads}</tr></thead><tbody>{body}</tbody></table>'
        f"{f'<p>{html.escape(legend)}</p>' if legend else ''}</div>"
    )


def _above(
    groups: Sequence[tuple[str, int]], trained_on: tuple[str, Sequence[NDArray[np.uint8]]] | None, row: str
) -> str:
    """Return the row of digits, with the groups' titles above it and the training images at the left of both."""
    corner = ""
    if trained_on:
        title, images = trained_on
        examples = "".join(f'<img class="digit" src="{data_uri(image)}" alt="">' for image in images)
        corner = f'<div class="learnt">{html.escape(title)}<div>{examples}</div></div>'
    if not groups:
        return f"<tr><td>{corner}</td>{row}</tr>"
    titles = "".join(
        f'<th scope="colgroup" colspan="{n}" style="--span: {n}">{html.escape(title)}</th>' for title, n in groups
    )
    return f'<tr class="groups"><td rowspan="2">{corner}</td>{titles}</tr><tr>{row}</tr>'


def _cells(said: Sequence[Said] | str, n: int) -> str:
    if isinstance(said, str):
        return f'<td colspan="{n}">{html.escape(said)}</td>'
    return "".join(map(_verdict, said))


def _verdict(said: Said) -> str:
    wrong = "" if said.right else ' <span class="wrong">✗\u00a0wrong</span>'
    return f"<td><b>{html.escape(said.name)}</b>{wrong}<small>{html.escape(said.sure)}</small></td>"


DIGITS_CSS = """
.weights .sheet { max-width: min(100%, calc(var(--columns) * 15rem)); }
.digits table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; max-width: 68rem; }
.digits th, .digits td { text-align: left; padding: 0.3rem 0.5rem; font-weight: 400; }
.digits b { font-size: 1.25em; }
.digits thead td { vertical-align: bottom; }
.digits thead td[rowspan] { vertical-align: top; }
.digits tbody :is(th, td), .digits .truth th { vertical-align: baseline; }
.digits small { display: block; font-size: max(0.875rem, var(--least-letters, 0px)); opacity: 0.85;
  line-height: 1.2; }
.digits p { font-size: max(0.875rem, var(--least-letters, 0px)); margin: 0.3rem 0.5rem; max-width: 68rem; }
.digits .groups th { border-bottom: 1px solid; padding-bottom: 0.15rem; vertical-align: bottom; }
.digits .groups th + th { border-left: 1rem solid transparent; background-clip: padding-box; }
.digits .learnt { margin-right: 1rem; padding: 0.3rem 0.5rem; border-radius: 6px;
  background: rgba(128, 128, 128, 0.14); }
.digits .learnt div { display: flex; gap: 0.5rem; margin-top: 0.25rem; }
.digit { width: clamp(3rem, 6.2vw, 9rem); image-rendering: pixelated; border-radius: 3px; display: block; }
.digits .wrong { color: light-dark(#B3261E, #FF8A80); font-weight: 600; white-space: nowrap; }
@media (min-width: 701px) { .digits tbody :is(th, td) { padding-block: 0.55rem; } }
@media (min-width: 501px) { .digits td:has(> .digit) { width: calc(74% / var(--digits)); } }
@media (max-width: 700px) {
  .digits th, .digits td { padding: 0.1rem 0.25rem; font-size: max(0.875rem, var(--least-letters, 0px)); }
  .digits tbody th { max-width: 10rem; }
}
@media (max-width: 500px) {
  .digits tr { display: grid; grid-template-columns: repeat(var(--digits), 1fr); }
  .digits tr > td:first-child:not(:has(> .digit)), .digits :is(tbody, .truth) th[scope="row"], .digits td[colspan] {
    grid-column: 1 / -1;
    max-width: none;
  }
  .digits .groups th { grid-column: span var(--span); }
  .digits tbody tr { border-top: 1px solid rgba(128, 128, 128, 0.35); }
  .digits :is(tbody, .truth) th[scope="row"] { font-weight: 600; }
  .digits th small { display: inline; font-weight: 400; }
  .digits th small::before { content: " – "; }
}
"""

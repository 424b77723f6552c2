"""Charts of class ratios: estimated and true proportions, and errors along an axis."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import SHARES, Trial
from privdemo.experiments.class_ratio.study import Row
from privdemo.figures.chart_style import chart, spaced_percent
from privdemo.figures.charts import (
    PALE,
    Below,
    Curve,
    DotPlot,
    axis,
    curve_chart,
    dot_plots,
    error_bars,
    guesses,
    legend_below,
    line,
    log_axis,
    method_curve,
    outlined,
    percent,
)
from privdemo.figures.people import A_COLOUR, B_COLOUR
from privdemo.figures.pictures import data_uri
from privdemo.intervals import Estimate
from privdemo.methods import (
    CLASS_RATIO,
    COUNT,
    EM,
    IDENTITY,
    LABEL_COUNTS,
    MMD,
    PCC,
    PSVM,
    PUBLISHER,
    RFF,
    SPREAD,
    Method,
    by_trying,
)

# The most sets of which each has its name and its numbers.
FEW_SETS = 6
_PATTERNS = {
    SPREAD: "",
    by_trying(SPREAD): "-",
    MMD: "/",
    RFF: "\\",
    IDENTITY: "x",
    COUNT: "\\",
    PSVM: "-",
    EM: "+",
    PCC: "|",
}


# How high an image on the axis is, and the words of the axis without one, in pixels; the part of the axis that an image
# takes at most; and half the width of the line that marks a class's true share.
_IMAGE, _IMAGE_SHARE, _HALF = 36, 0.3, 0.46


def proportions(trials: Sequence[Trial], methods: Sequence[str], pictures: Sequence[NDArray[np.uint8]] = ()) -> Figure:
    """Return every method's estimate of the share of each class in the test set, with 95 % intervals.

    A grey line marks the true share. `pictures`, one a class, stand on the axis over the names of the classes.
    """
    config, truth = trials[0].config, [float(share) for share in trials[0].truth]
    classes = list(config.labels)
    traces: list[dict[str, Any]] = []
    plotted: list[Estimate] = []
    for method in methods:
        estimates = [class_ratio.share_of(trials, method, c) for c in range(len(classes))]
        plotted += estimates
        style = CLASS_RATIO[method].style
        bars = error_bars(estimates, style) | {"color": palette.TRUTH.colour, "thickness": 1.5}
        traces.append(
            {
                "type": "bar",
                "x": classes,
                "y": [estimate.mean for estimate in estimates],
                "error_y": bars,
                "name": CLASS_RATIO[method].title,
                "marker": outlined(style.colour, _PATTERNS[method]),
                "hovertemplate": f"%{{x}}: %{{y:.1%}}<extra>{CLASS_RATIO[method].in_full}</extra>",
            }
        )
    # The lines are shapes, as wide as all bars of a class; this is their name in the legend.
    traces.append(
        {"x": classes, "y": [None] * len(classes), "mode": "lines", "name": "truth", "line": line(palette.TRUTH)}
    )
    lines = [
        {
            "type": "line",
            "x0": place - _HALF,
            "x1": place + _HALF,
            "y0": share,
            "y1": share,
            "line": line(palette.TRUTH),
        }
        for place, share in enumerate(truth)
    ]
    highest = max(*truth, *(estimate.ends[1] for estimate in plotted))
    # With images, the names of the classes stand below them.
    under = {}
    if pictures:
        under = {
            "xaxis": {"ticklabelstandoff": _IMAGE + 4},
            "images": [_on_axis(picture, place) for place, picture in enumerate(pictures)],
        }
    return chart(
        data=traces,
        layout=under
        | {
            "yaxis": {
                "title": {"text": "share of the new group"},
                "tickformat": ".0%",
                "range": [0, 1.05 * min(1.0, highest)],
            },
            "shapes": lines,
            "barmode": "group",
            "bargroupgap": 0.05,
            "height": 380 + (_IMAGE if pictures else 0),
            "margin": {"b": 120 + (_IMAGE if pictures else 0)},
            "legend": legend_below(),
        },
    )


def _on_axis(picture: NDArray[np.uint8], place: int) -> dict[str, Any]:
    """Return an image of a class under its place on the axis."""
    return {
        "source": data_uri(picture),
        "xref": "x",
        "yref": "paper",
        "x": place,
        "y": -0.02,
        "sizex": _IMAGE_SHARE,
        "sizey": 0.16,
        "xanchor": "center",
        "yanchor": "top",
    }


class Found(NamedTuple):
    """What a method finds for the share of the first class: its title, how it works, its colour, and the share.

    `words` write it, `off` says how far it is from the truth, and `interval` what chance may have done. A share that
    is not `is_near` the truth has a pale bar.
    """

    title: str
    how: str
    colour: str
    estimate: Estimate
    words: str
    off: str
    interval: str
    is_near: bool


class Given(NamedTuple):
    """What methods learn from: `shares` of the first class in each known set, with `told` as their heading.

    `truth` is the share in the set of which it is wanted. `classes` are the names of the first class and of the others,
    with a picture of each where there are `pictures`. `n_more` sets are not shown.
    """

    told: str
    shares: Sequence[float]
    n_more: int
    classes: tuple[str, str]
    pictures: Sequence[NDArray[np.uint8]]
    truth: float


RATIO_CSS = f"""
.ratio {{ margin: 0.25rem 0 0.5rem; font-variant-numeric: tabular-nums; --first: {B_COLOUR}; --others: {A_COLOUR};
  --truth: {palette.TRUTH.colour}; }}
.ratio h4 {{ font-size: 1rem; font-weight: 600; margin: 0 0 0.35rem; padding: 0; line-height: 1.3; }}
.ratio p {{ margin: 0 0 0.6rem; font-size: max(0.9rem, var(--least-letters, 0px)); line-height: 1.35; }}
.ratio-given {{ max-width: 48rem; margin-bottom: 0.75rem; }}
.ratio-key span {{ display: inline-flex; align-items: center; gap: 0.35rem; margin-right: 1rem; }}
.ratio-key i {{ width: 0.8rem; height: 0.8rem; border-radius: 0.15rem; }}
.ratio-key img {{ width: 1.6rem; image-rendering: pixelated; border-radius: 2px; }}
.ratio-set {{ display: grid; grid-template-columns: 4.25rem 1fr; align-items: center; margin-bottom: 0.3rem;
  font-size: max(0.9rem, var(--least-letters, 0px)); }}
.ratio-set div {{ display: flex; height: 1.4rem; border-radius: 0.2rem; overflow: hidden; }}
.ratio-set div span {{ color: #fff; padding-left: 0.4rem; overflow: hidden; white-space: nowrap; line-height: 1.4rem; }}
.ratio-set .first, .ratio-key .first {{ background: color-mix(in srgb, var(--first) 70%, black); }}
.ratio-set .others, .ratio-key .others {{ background: color-mix(in srgb, var(--others) 80%, black); }}
.ratio-row {{ display: grid; grid-template-columns: minmax(0, 23rem) minmax(0, 1fr) 11.5rem; gap: 0 1rem;
  align-items: center; min-height: 3.2rem; }}
.ratio-row small {{ display: block; font-size: max(0.875rem, var(--least-letters, 0px)); opacity: 0.85;
  line-height: 1.25; }}
.ratio-row b {{ font-weight: 600; line-height: 1.25; }}
.ratio-row .track {{ position: relative; height: 1.2rem; border-radius: 0.2rem;
  background: rgba(128, 128, 128, 0.15); }}
.ratio-row .track * {{ position: absolute; }}
.ratio-row .bar {{ top: 0; bottom: 0; left: 0; border-radius: 0.2rem; }}
.ratio-row.far .bar {{ opacity: 0.4; }}
.ratio-row .truth {{ top: -1rem; bottom: -1rem; width: 2px; margin-left: -1px; background: var(--truth); }}
.ratio-row .track.label {{ background: none; font-weight: 600; }}
.ratio-row .label span {{ white-space: nowrap; transform: translateX(-50%); }}
.ratio-row .label .high {{ transform: translateX(-100%); }}
.ratio-row .label .low {{ transform: none; }}
.ratio-row ~ p {{ margin-top: 0.5rem; }}
.ratio-row:not(.known) + .known {{ border-top: 1px solid var(--truth); margin-top: 0.5rem; padding-top: 0.4rem; }}
.ratio-row.head {{ min-height: 1.4rem; }}
@media (max-width: 700px) {{
  .ratio p {{ margin-bottom: 0.3rem; }}
  .ratio-row {{ grid-template-columns: 1fr auto; padding-bottom: 0.5rem; }}
  .ratio-row .track {{ grid-row: 2; grid-column: 1 / -1; }}
  .ratio-row .truth {{ top: -0.15rem; bottom: -0.15rem; }}
}}
"""


def answers_html(given: Given, found: Sequence[Found], title: str, legend: str) -> str:
    """Return what is given, and every method's estimate of the share of the first class beside the truth, as HTML.

    A line at the truth, which is named, goes through all bars; the interval of a share is its hover.
    """
    truth = given.truth
    place = "high" if truth > 0.85 else "low" if truth < 0.15 else "middle"
    head = (
        f'<h4>{html.escape(title)}</h4><div class="ratio-row head"><div></div><div class="track label">'
        f'<span class="{place}" style="left:{_at(truth)}">truth {_share(truth)}</span></div><div></div></div>'
    )
    rows = "".join(_found_row(one, truth) for one in found)
    return f'<div class="ratio">{_given(given)}{head}{rows}<p>{html.escape(legend)}</p></div>'


def _given(given: Given) -> str:
    kinds = ("first", "others")
    pictures = [f'<img src="{data_uri(picture)}" alt="">' for picture in given.pictures] or ["", ""]
    key = "".join(
        f'<span><i class="{kind}"></i>{picture}{html.escape(name)}</span>'
        for kind, picture, name in zip(kinds, pictures, given.classes, strict=True)
    )
    sets = "".join(
        f'<div class="ratio-set">group {n}<div><span class="first" style="width:{_at(share)}">{_share(share, 0)}</span>'
        f'<span class="others" style="flex:1">{_share(1 - share, 0)}</span></div></div>'
        for n, share in enumerate(given.shares, 1)
    )
    more = f"<p>and {given.n_more} more such group{'s' if given.n_more > 1 else ''}</p>" if given.n_more else ""
    return (
        f'<div class="ratio-given"><h4>{html.escape(given.told)}</h4><p class="ratio-key">{key}</p>{sets}{more}</div>'
    )


def _found_row(found: Found, truth: float) -> str:
    interval = html.escape(found.interval, quote=True)
    known = " known" * (found.colour == palette.TRUTH.colour)
    far = "" if found.is_near else " far"
    how = html.escape(found.how).replace(" %", "\u00a0%")
    return (
        f'<div class="ratio-row{known}{far}" title="{interval}"><div><b>{html.escape(found.title)}</b>'
        f"<small>{how}</small></div>"
        f'<div class="track" aria-hidden="true"><i class="bar" style="width:{_at(found.estimate.mean)};'
        f'background:{found.colour}"></i><i class="truth" style="left:{_at(truth)}"></i></div>'
        f"<div><b>{found.words}</b><small>{html.escape(found.off)}</small></div></div>"
    )


def _at(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def _share(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}\u00a0%"


def mean_errors(trials: Sequence[Trial], methods: Sequence[str]) -> Figure:
    """Return how many of 1,000 records every method puts in a wrong class, half the L1 error: the mean over all mixes.

    With 95 % intervals. Below is the training data of all methods in the first trial: the released proportions of the
    sets.
    """
    marks = [(CLASS_RATIO[name], class_ratio.mean_error(trials, name).times(1000 / 2)) for name in methods]
    high = 1.1 * max(estimate.ends[1] for _, estimate in marks)
    title = "mean in a wrong class, of 1,000"
    plot = DotPlot(title, 0.0, high, marks, "{:.2f}".format, "{:.1f}".format, ())
    return dot_plots([plot], _released_proportions(trials[0]))


def _released_proportions(trial: Trial) -> Below:
    """Return the released mix of every set, a row for each class."""
    classes, (n_sets, n_classes) = list(trial.config.labels), trial.released.shape
    few = n_sets <= FEW_SETS
    trace = {
        "type": "heatmap",
        "z": trial.released.T.tolist(),
        "zmin": 0,
        "zmax": max(1e-9, float(trial.released.max())),
        "colorscale": [[0, PALE], [1, palette.OTHERS[0].colour]],
        "showscale": False,
        "xgap": 2,
        "ygap": 1,
        "text": [[spaced_percent(f"{share:.0%}") for share in row] for row in trial.released.T] if few else [],
        "texttemplate": "%{text}" if few else "",
        "customdata": [[f"group {i + 1}, {name}" for i in range(n_sets)] for name in classes],
        "hovertemplate": "%{customdata}: %{z:.1%}<extra></extra>",
    }
    x_axis = {"range": [-0.5, n_sets - 0.5], "tickvals": list(range(n_sets)), "showgrid": False}
    y_axis = {"range": [n_classes - 0.5, -0.5], "tickvals": list(range(n_classes)), "showgrid": False}
    return Below(
        "given: the shares in each group",
        min(110, 36 * n_classes),
        trace,
        x_axis | {"ticktext": [f"group {i + 1}" if few else "" for i in range(n_sets)]},
        y_axis | {"ticktext": classes if few else [""] * n_classes},
    )


def errors(trials: Sequence[Trial], methods: Sequence[str], first: str = "the first class") -> Figure:
    """Return how many of 1,000 records every method counts in a wrong class, half the L1 error, against the share of
    the `first` class in the test set, as it is called.
    """
    lines = [
        method_curve(
            CLASS_RATIO[method],
            {share: class_ratio.error_along(trials, method, i).times(1000 / 2) for i, share in enumerate(SHARES)},
        )
        for method in methods
    ]
    return _error_chart(
        lines, _test_share_axis(first), trials[0].config.share, title="counted in a wrong class, of 1,000"
    )


def study_errors(by_name: Mapping[str, Sequence[Row]]) -> Figure:
    """Return shipped errors against the share of the first class; the lines' names are methods' or releases'."""
    lines = [
        method_curve(_method_of(name), {row.share: row.estimate for row in rows}) for name, rows in by_name.items()
    ]
    return _error_chart(lines, _test_share_axis(), legend=170 if len(lines) > 4 else 90)


def _test_share_axis(first: str = "the first class") -> dict[str, Any]:
    return axis(f"true share of {first} in the new group", SHARES, ".0%") | {"dtick": 0.2}


def errors_along_setting(
    by_name: Mapping[tuple[str, str], Sequence[tuple[float, Estimate]]], title: str, yours: float | None
) -> Figure:
    """Return mean L1 errors along a setting, a line for each method with and without noise."""
    levels = sorted({x for points in by_name.values() for x, _ in points})
    lines = []
    for (method, release), points in by_name.items():
        noisy = release != class_ratio.NO_RELEASE
        style = CLASS_RATIO[method].style
        line_style = style._replace(dash="dot", marker=f"{style.marker}-open") if noisy else style
        name, in_full = (
            f"{words}, {'private counts' if noisy else 'true counts'}"
            for words in (CLASS_RATIO[method].title, CLASS_RATIO[method].in_full)
        )
        lines.append(Curve(name, line_style, [x for x, _ in points], [e for _, e in points], in_full))
    wide = max(levels) / min(levels) > 10
    return _error_chart(lines, (log_axis if wide else axis)(title, levels), yours=yours)


def attack(rates: Mapping[str, Estimate]) -> Figure:
    """Return how often the label of a record in the training sets is named, from each source of the adversary."""
    sources = {
        "set": "the shares of its group",
        "model": "a model of the groups",
        "both": "the shares of its group and a model",
        "new": "a model, of new records",
    }
    named = {f"by {sources[source]}": rate for source, rate in rates.items()}
    known = rates["set"].mean
    return guesses(named, (known, f"without a model {percent(known)}"), [], "true label guessed correctly")


def title_of(name: str) -> str:
    """Return a method or a release in words."""
    return _method_of(name).title


def _method_of(name: str) -> Method:
    """Return a method, or a release as one."""
    if name == class_ratio.NO_RELEASE:
        return Method(name, "true counts, no privacy", PUBLISHER, palette.TRUTH)
    return CLASS_RATIO[name] if name in CLASS_RATIO else LABEL_COUNTS[name]


def _error_chart(
    lines: Sequence[Curve],
    x_axis: dict[str, Any],
    yours: float | None = None,
    legend: int = 130,
    title: str = "L1 error (0 is perfect)",
) -> Figure:
    highs = [e.ends[1] for curve in lines for e in curve.estimates]
    y_axis = {"title": {"text": title}, "range": [0, 1.05 * max(highs)]}
    return curve_chart(lines, x_axis, y_axis, yours=yours, legend=legend, height=380, avoid_overlap=True)

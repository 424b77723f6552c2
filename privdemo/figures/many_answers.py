"""Charts of many answers: true and estimated shares, errors, bits, and the posterior of a sender."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from privdemo import palette
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import Fit, OneReport, Release, Trusted
from privdemo.figures.chart_style import PHONE_PLOT_WIDTH, chart, shortened
from privdemo.figures.charts import (
    Curve,
    DotPlot,
    curve_chart,
    dot_plots,
    interval_bars,
    legend_below,
    legend_over,
    line,
    log_axis,
    marker,
    point,
    privacy_axis,
    round_ticks,
    space_over,
)
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

# The answers that are plotted, the most frequent ones: their names fit on a telephone.
SHOWN = 16
AXES = {
    many_answers.EPSILON_AXIS: "ε of an answer",
    many_answers.K_AXIS: "possible answers, log scale",
    many_answers.PEOPLE_AXIS: "people, log scale",
}
# One's place on an axis in words.
WORDS = {
    many_answers.EPSILON_AXIS: "ε = {:g}",
    many_answers.K_AXIS: "{:,g} answers",
    many_answers.PEOPLE_AXIS: "{:,.0f} people",
}
ERROR = "typical error of a share, in points"
UNASKED = "guessing blindly"
# So many curves have space for their names in a low chart, of which a telephone shows more.
_FEW = 3
# The filling of bars of true shares, on which marks are seen, and the part of a row that a bar takes.
_PALE_TRUTH, _ASIDE = "rgba(122,122,122,0.08)", 0.84
# The pixels of a row, at least and for each mark, and of a name in the key.
_LEAST_ROW, _MARK_ROW, _NAME_ROW = 18, 10, 21
# Against bits: the size of a marker, by how much one around it is larger, and how near such two are to each other, in
# pixels of a plot as it is on a telephone.
_MARK, _RING, _REACH, _PLOT = 13, 11, 8.0, (PHONE_PLOT_WIDTH, 240)


OPEN_SHARES_CSS = f"""
.hundred {{ max-width: 48rem; }}
.open-shares {{ display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 1rem; align-items: center;
  max-width: 48rem; line-height: 1.7; margin: 0.75rem 0; font-size: max(0.9rem, var(--least-letters, 0px));
  font-variant-numeric: tabular-nums; }}
.open-shares h4 {{ grid-column: 1 / -1; font-size: 1rem; font-weight: 600; margin: 0 0 0.35rem; padding: 0;
  line-height: 1.3; }}
.open-shares p {{ grid-column: 1 / -1; font-size: 1rem; margin: 0.5rem 0 0; }}
.open-shares i {{ height: 0.8rem; box-sizing: border-box; border: 1px solid {palette.TRUTH.colour};
  background: {_PALE_TRUTH}; }}
@media (max-width: 700px) {{ .open-shares {{ grid-template-columns: fit-content(60%) minmax(0, 1fr); }} }}
"""


def open_shares_html(
    title: str, estimated: str, names: Sequence[str], true: Sequence[float], written: Sequence[str]
) -> str:
    """Return `true` shares as bars, each with its name and the words `written` on it, as HTML.

    Below them stand as many open places for the `estimated` ones.
    """
    most, nbsp = max(true), "\u00a0"
    rows = "".join(
        f"<span>{html.escape(name)}: {words.replace(' %', nbsp + '%')}</span>"
        f'<i style="width:{100 * share / most:.2f}%"></i>'
        for name, share, words in zip(names, true, written, strict=True)
    )
    places = '<b class="sent">?</b> ' * len(names)
    return (
        f'<div class="open-shares"><h4>{html.escape(title)}</h4>{rows}'
        f"<p><b>{html.escape(estimated)}</b> {places}</p></div>"
    )


def shares(found: Release) -> Figure:
    """Return true shares as bars, and the estimates of the config's oracle as points, each joined to the end of its bar
    by a line: its error.
    """
    mark = _estimated(found)
    errors = found.truth.shares[:SHOWN] - np.array(mark["x"])
    joined = {
        "type": "data",
        "symmetric": False,
        "array": np.maximum(errors, 0).tolist(),
        "arrayminus": np.maximum(-errors, 0).tolist(),
        "color": mark["marker"]["color"],
        "thickness": 2,
        "width": 0,
    }
    below = ", by chance also below 0 %" * bool(min(mark["x"]) < 0)
    figure = _over_answers(
        _true_shares(found), [mark | {"error_x": joined, "name": f"estimated share{below}"}], in_one_row=True
    )
    line_style = {"color": joined["color"], "width": joined["thickness"]}
    figure.add_scatter(x=[None], y=[None], mode="lines", line=line_style, name="gap to the true share")
    return figure.add_annotation(_largest_gap(figure, errors))


def _largest_gap(figure: Figure, errors: Array) -> dict[str, Any]:
    """Return the note beside the estimate with the largest gap to its true share, which says how large it is."""
    bars, marks = figure.data[:2]
    row = int(np.abs(errors).argmax())
    left, right = sorted((bars.x[row], marks.x[row]))
    low, high = figure.layout.xaxis.range
    is_left = right > (low + high) / 2  # there is more space, within the bar
    return {
        "x": left if is_left else right,
        "y": bars.y[row],
        "text": f"largest gap: {100 * abs(errors[row]):.1f} points",
        "xanchor": "right" if is_left else "left",
        "xshift": -10 if is_left else 10,
        "showarrow": False,
    }


def ranges(found: Release) -> Figure:
    """Return true shares as bars, and the estimates of the config's oracle with 95 % intervals.

    Those that miss the true share are marked apart.
    """
    method, estimate = FREQUENCY_ORACLES[found.config.oracle], found.found[found.config.oracle]
    ends = interval_bars(estimate.shares[:SHOWN], estimate.low[:SHOWN], estimate.high[:SHOWN], method.style)
    mark = _estimated(found) | {"error_x": ends | {"thickness": 2}}
    missed = missed_ranges(found)
    hit = [i for i in range(len(mark["x"])) if i not in missed]
    marks = [_some(mark, hit, "estimated share and its 95 % range")]
    if missed:
        style = palette.Style(palette.NAIVE.colour, "solid", "diamond")
        other = {"marker": point(style), "error_x": mark["error_x"] | {"color": style.colour}}
        marks.append(_some(mark | other, missed, "range that misses the true share by chance"))
    return _over_answers(_true_shares(found), marks, in_one_row=True)


def _true_shares(found: Release) -> dict[str, Any]:
    """Return the bars of the true shares of the most frequent answers."""
    return _bars(found.truth.names[:SHOWN], found.truth.shares[:SHOWN], "true share")


def _estimated(found: Release) -> dict[str, Any]:
    """Return the points of the shares that the config's oracle estimates of the most frequent answers."""
    oracle = found.config.oracle
    return _points(found.truth.names[:SHOWN], found.found[oracle].shares[:SHOWN], FREQUENCY_ORACLES[oracle])


def _some(mark: Mapping[str, Any], which: Sequence[int], name: str) -> dict[str, Any]:
    """Return a trace with some of its points alone, under another name."""
    bars = mark["error_x"]
    bars = bars | {key: [bars[key][i] for i in which] for key in ("array", "arrayminus") if key in bars}
    some = {key: [mark[key][i] for i in which] for key in ("x", "customdata")}
    return {**mark, **some, "error_x": bars, "name": name}


def missed_ranges(found: Release) -> list[int]:
    """Return which of the answers in `ranges` have a 95 % interval that misses their true share."""
    truth, estimate = found.truth.shares[:SHOWN], found.found[found.config.oracle]
    low, high = estimate.low[:SHOWN], estimate.high[:SHOWN]
    return np.flatnonzero((low > truth) | (truth > high)).tolist()


def estimates(fit: Fit, names: Sequence[str], truth: Array) -> Figure:
    """Return true shares as bars, and the estimates of each estimator from the same reports."""
    marks = [_points(names[:SHOWN], fit.shares[name][:SHOWN], method) for name, method in SHARES_OF_ANSWERS.items()]
    return _over_answers(_bars(names[:SHOWN], truth[:SHOWN], "true share"), marks)


def one_report(found: OneReport, shown: Sequence[int]) -> Figure:
    """Return what is believed of each answer in `shown` before a report, as bars, and after it.

    The names of the answers that the report fits are bold.
    """
    names = [found.names[i] for i in shown]
    fits = [shortened(name) for name, i in zip(names, shown, strict=True) if found.supported[i]]
    after = {
        "type": "scatter",
        "x": found.posterior[list(shown)].tolist(),
        "customdata": names,
        "mode": "markers",
        "marker": marker(palette.SPREAD) | {"size": 10},
        "name": "chance after the report",
        "hovertemplate": "%{customdata}: %{x:.2%}<extra>after</extra>",
    }
    return _over_answers(
        _bars(names, found.prior[list(shown)], "chance before the report: share of all people"),
        [after],
        "chance of each answer",
        fits,
    )


def _bars(names: Sequence[str], heights: Array, name: str) -> dict[str, Any]:
    colour = palette.TRUTH.colour
    return {
        "type": "bar",
        "orientation": "h",
        "x": heights.tolist(),
        "customdata": list(names),
        "name": name,
        "marker": {"color": _PALE_TRUTH, "line": {"color": colour, "width": 1.5}},
        "hovertemplate": f"%{{customdata}}: %{{x:.2%}}<extra>{name}</extra>",
    }


def _points(names: Sequence[str], values: Array, method: Method) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": values.tolist(),
        "customdata": list(names),
        "mode": "markers",
        "marker": point(method.style),
        "name": method.title,
        "hovertemplate": f"%{{customdata}}: %{{x:.2%}}<extra>{method.in_full}</extra>",
    }


def _over_answers(
    bars: Mapping[str, Any],
    marks: Sequence[Mapping[str, Any]],
    title: str = "share of all people",
    bold: Sequence[str] = (),
    in_one_row: bool = False,
) -> Figure:
    """Return a bar for each answer, one below the other, and marks one below the other in each, which none hides.

    The names that are `bold` are printed so. With `in_one_row` an answer has one mark only, of one kind or another.
    """
    ends = [0.0, *bars["x"], *(x for mark in marks for x in mark["x"])]
    for mark in marks:
        lines = mark.get("error_x", {"visible": False})
        if lines.get("visible", True):
            ends += [x - less for x, less in zip(mark["x"], lines["arrayminus"], strict=True)]
            ends += [x + more for x, more in zip(mark["x"], lines["array"], strict=True)]
    pad = 0.03 * (max(ends) - min(ends))
    names = list(map(shortened, bars["customdata"]))
    low, high = min(ends) - pad, max(ends) + pad
    ticks = _share_ticks(low, high)
    legend_height = _NAME_ROW * (max(len(marks), 1 + in_one_row) + 2)  # the same with and without a second kind
    places = [len(names) - 1 - row for row in range(len(names))]
    n_rows = 1 if in_one_row else len(marks)
    down = [_ASIDE * ((i % n_rows + 0.5) / n_rows - 0.5) for i in range(len(marks))]
    at = dict(zip(bars["customdata"], places, strict=True))
    below = [{**m, "y": [at[name] - shift for name in m["customdata"]]} for m, shift in zip(marks, down, strict=True)]
    return chart(
        data=[{**bars, "y": places, "width": _ASIDE}, *below],
        layout={
            "xaxis": {"title": {"text": title}, "range": [low, high], "tickvals": ticks, "ticktext": _percent(ticks)}
            | {"showgrid": True, "fixedrange": True},
            "yaxis": {
                "tickvals": places,
                "ticktext": [f"<b>{name}</b>" if name in bold else name for name in names],
                "range": [-0.5, len(names) - 0.5],
                "showgrid": False,
                "fixedrange": True,
            },
            "height": 90 + max(_LEAST_ROW, _MARK_ROW * n_rows) * len(names) + legend_height,
            "margin": {"b": 60},
            # The key is over the bars, so that a telephone shows it with them; there each name has a line.
            "annotations": [space_over(legend_height), *_ticks_over(ticks)],
            "legend": legend_over(),
        },
    )


def _share_ticks(low: float, high: float) -> list[float]:
    """Return at most seven round shares from `low` to `high`, 0 among them if it lies there; fewer of over 100 %."""
    least = (high - low) / (6 if high - low < 1 else 4)
    decade = 10.0 ** math.floor(math.log10(least))
    step = next(times * decade for times in (1, 2, 5, 10) if times * decade >= least)
    return [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _percent(shares: Sequence[float]) -> list[str]:
    return [f"{100 * share:,.10g} %".replace("-", "−") for share in shares]


def _ticks_over(shares: Sequence[float]) -> list[dict[str, Any]]:
    """Return the numbers of the axis once more over the plot: on a telephone its foot is far below."""
    place = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return [place | {"x": share, "text": text} for share, text in zip(shares, _percent(shares), strict=True)]


def along(
    axis: str, errors: Mapping[float, Mapping[str, float]], oracles: Sequence[str], own: float, unasked: float | None
) -> Figure:
    """Return the typical error of each of the `oracles` along an axis, in points; `unasked` is that of the uniform
    distribution, without any report.
    """
    lines = [
        _curve(FREQUENCY_ORACLES[name], {level: at[name] for level, at in errors.items() if name in at})
        for name in oracles
    ]
    height = 310 if len(oracles) <= _FEW else 380
    return _log_curves(lines, AXES[axis], list(errors), own, unasked, height)


def trusted(found: Sequence[Trusted], own: float, shown: Sequence[str] = tuple(TRUSTED_WITH_ANSWERS)) -> Figure:
    """Return the typical error of a share along ε, in points, for each of those `shown` who may be trusted."""
    values = {
        NOBODY: {each.epsilon: each.local for each in found},
        SHUFFLER: {each.epsilon: each.shuffled for each in found},
        CURATOR: {each.epsilon: each.curated for each in found},
    }
    lines = [_curve(TRUSTED_WITH_ANSWERS[name], points) for name, points in values.items() if name in shown]
    return _log_curves(
        lines,
        AXES[many_answers.EPSILON_AXIS],
        [each.epsilon for each in found],
        own,
        height=320,
    )


def read_along(axis: str, errors: Mapping[float, Mapping[str, Estimate]], own: float) -> Figure:
    """Return the typical error of each estimator along an axis, in points, with the 95 % intervals that do not reach
    0.
    """
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
    across = privacy_axis if title == AXES[many_answers.EPSILON_AXIS] else log_axis
    x_axis = across(title, levels) | round_ticks(min(levels), max(levels))
    more = [_level(100 * unasked, levels)] if unasked else []
    means = [mean for curve in lines for mean in (e.mean for e in curve.estimates)]
    means += [trace["y"][0] for trace in more]
    low, high = math.log10(min(means)) - 0.06, math.log10(max(means)) + 0.06
    y_axis = {
        "title": {"text": f"{ERROR}, log scale"},
        "type": "log",
        "range": [low, high],
        **round_ticks(10**low, 10**high),
    }
    return curve_chart(
        lines, x_axis, y_axis, ".3g", yours=own, legend=110, more=more, height=height, avoid_overlap=True
    )


def _level(error: float, levels: Sequence[float]) -> dict[str, Any]:
    """Return the line of the uniform distribution."""
    return {
        "x": list(levels),
        "y": [error] * len(levels),
        "mode": "lines",
        "line": line(palette.TRUTH),
        "name": UNASKED,
        "hovertemplate": f"{UNASKED}, that all are equally frequent: %{{y:.3g}}<extra></extra>",
    }


def bits(errors: Mapping[str, float], sent: Mapping[str, int]) -> Figure:
    """Return the typical error of a share against the bits that a person sends, a marker for every oracle.

    Markers at one place are concentric and share their hover text.
    """
    least, most = math.log10(min(sent.values())) - 0.15, math.log10(max(sent.values())) + 0.15
    high = 1.1 * 100 * max(errors.values())
    low = -0.1 * high  # a marker at 0 is seen whole
    places = {
        name: (_PLOT[0] * (math.log10(sent[name]) - least) / (most - least), _PLOT[1] * 100 * error / (high - low))
        for name, error in errors.items()
    }
    words = {
        name: f"{FREQUENCY_ORACLES[name].in_full}: {sent[name]:,} bits, ± {100 * error:.3g} points"
        for name, error in errors.items()
    }
    traces = []
    for name, error in errors.items():
        group = _overlapping(name, places)
        traces.append(
            {
                "x": [sent[name]],
                "y": [100 * error],
                "mode": "markers",
                "marker": point(FREQUENCY_ORACLES[name].style) | {"size": _MARK + _RING * group.index(name)},
                "name": FREQUENCY_ORACLES[name].title,
                "hovertemplate": "<br>".join(words[other] for other in group) + "<extra></extra>",
            }
        )
    ticks = [2**i for i in range(11) if 2**i >= 0.7 * min(sent.values())]
    return chart(
        data=traces,
        layout={
            "xaxis": {"title": {"text": "bits that a person sends"}, "type": "log"}
            | {"range": [least, most], "tickvals": ticks, "ticktext": [f"{t:,}" for t in ticks]},
            "yaxis": {"title": {"text": ERROR}, "range": [low, high]},
            "height": 420,
            "margin": {"b": 150},
            "legend": legend_below(),
        },
    )


def _overlapping(name: str, places: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the oracles whose markers would lie on that of `name` or on each other's, from the inmost to the outmost.

    Full markers are within open ones, of two the one that is plotted last.
    """
    found = [name]
    for one in found:  # goes on with those that are found
        found += [other for other in places if other not in found and math.dist(places[one], places[other]) < _REACH]
    order = list(FREQUENCY_ORACLES)
    return sorted(found, key=lambda other: ("open" in FREQUENCY_ORACLES[other].style.marker, -order.index(other)))


def estimators(errors: Mapping[str, Estimate]) -> Figure:
    """Return the typical error of each estimator on the same reports, in points."""
    rows = [(SHARES_OF_ANSWERS[name], error.times(100)) for name, error in errors.items()]
    high = 1.1 * max(error.ends[1] for _, error in rows)
    written = "{:#.3g}".format
    return dot_plots([DotPlot(ERROR, 0.0, high, rows, written, written, ())])

"""The style of every chart: text large enough for a projector, and axes whose ends and ticks are known before
rendering.

Plotly chooses no range, tick or margin: a chart has the same ones in a page, a report and a notebook, and its height is
known to the page before Plotly has started.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from privdemo.figures.plain import Plain, PlainFigure, at, copied, merge

# The size of all text, in pixels.
SIZE = 14
# The text of an annotation that only reserves space.
EMPTY = "&nbsp;"
# The most steps between the ticks of an axis across and of one upwards: their words fit on a telephone.
_STEPS = {"x": 4, "y": 6}
# How wide a letter is, as a share of its size, by how many letters a percent sign is wider and the space before it
# narrower, and how many pixels wide a plot is on a telephone.
_LETTER, _PERCENT, _SPACE, PHONE_PLOT_WIDTH = 0.48, 0.75, 0.6, 250
# The hyphen of a number on an axis, which becomes a minus sign; one within a name stays.
_MINUS = re.compile(r"(?<!\w)-(?=[\d.])")
# Letters of a name under a bar.
_NAME = 16
# Pixels between an axis and the words at it, between those and the axis's title, and between a title and its plot.
TICK_GAP, TITLE_STANDOFF, TITLE_GAP = 6, 10, 6
# The least margin on any side; Plotly leaves as many pixels under the words of an axis.
LEAST_MARGIN = 12
# The margin at the right, where half of the last words of an axis may be.
RIGHT_MARGIN = 20
# Pixels under a plot for the labels of its axis: with a title of the axis, and without.
BOTTOM_MARGIN, BOTTOM_MARGIN_UNTITLED = 60, 40
GRID = "rgba(128,132,149,0.25)"
BARGAP = 0.2
# How far a vertical line in one row goes below its middle and above it, as fractions of the row: it ends below the
# text.
RULE_BELOW, RULE_ABOVE = 0.22, 0.1
# Words have the page's own colour, as Streamlit's grey is too pale for a projector, and stand on the page's own ground:
# where a chart gets a new size and a new colour scheme at once, Plotly may keep the background of the old one.
CHART_CSS = """
.js-plotly-plot .main-svg :is([class$="tick"] text, .legendtext, [class$="title"], .annotation-text) {
  fill: currentColor !important; }
.js-plotly-plot .main-svg { background: transparent !important; }
.js-plotly-plot .main-svg :is(.bglayer, .legend) .bg { fill: transparent !important; }
"""


def chart(data: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> Figure:
    """Return a figure in the common style: ranges, ticks and the margins at the left and at the top follow from its
    content.

    The title of a vertical axis stands over it. The margin at the foot is the caller's, as it holds the legend.
    """
    plain = copied({"data": [{"type": "scatter", **trace} for trace in data], "layout": dict(layout)})
    for letter in "xy":
        for name in axis_names(plain, letter):
            _set_axis(plain["layout"].setdefault(name, {}), letter, traces_on(plain, name))
    merge(plain["layout"], {"bargap": layout.get("bargap") or BARGAP, "legend": _LEGEND if data else {}})
    _titles_over(plain)
    _names_over_rows(plain)
    apply_text_size_and_margins(plain, SIZE)
    return PlainFigure(plain)


def apply_text_size_and_margins(plain: Plain, size: float) -> None:
    """Set all text to `size` pixels, and the margins, the height and the shifts of words that follow from it."""
    layout = plain["layout"]
    now = at(layout, "font.size") or SIZE
    for letter in "xy":
        for name in axis_names(plain, letter):
            merge(layout, {name: {"tickfont": {"size": size}, "title": {"font": {"size": size}}}})
    margin = {"l": _left(plain, size), "t": _top(layout, size), "b": _bottom_margin(plain)}
    margin["r"] = max(RIGHT_MARGIN, at(layout, "margin.r") or 0)
    legend = {"font": {"size": size}, "entrywidth": round(width(_longest_name(plain), size))}
    merge(layout, {"font": {"size": size}, "legend": legend, "hoverlabel": {"font": {"size": size}}, "margin": margin})
    grown = size / now
    if grown != 1:
        layout["height"] = round(layout["height"] + (grown - 1) * (margin["b"] + margin["t"]))
        layout["margin"] |= {"b": margin["b"] * grown, "r": margin["r"] * grown}
        for note in layout.get("annotations", ()):
            note["yshift"] = note.get("yshift", 0) * grown


def axis_names(plain: Plain, letter: str) -> list[str]:
    """Return the names in the layout of all axes across or upwards, that of the first trace first."""
    used = [trace.get(f"{letter}axis", letter) for trace in plain["data"]]
    return [f"{letter}axis{ref[1:]}" for ref in dict.fromkeys(used)]


def traces_on(plain: Plain, name: str) -> list[Plain]:
    """Return the traces on the axis of this name."""
    letter, ref = name[0], name.replace("axis", "")
    return [trace for trace in plain["data"] if trace.get(f"{letter}axis", letter) == ref]


def width(words: str, size: float) -> float:
    """Return about how many pixels wide a line of `words` is; rather too many than too few."""
    lines = re.sub(r"</?(b|sup|span\b[^>]*)>", "", words).split("<br>")
    return max(
        _LETTER * size * (len(line) + _PERCENT * line.count("%") - _SPACE * line.count("\u00a0")) for line in lines
    )


def spaced_percent(words: str) -> str:
    """Return words with a space before each percent sign that follows a number: “35.0 %”."""
    return re.sub(r"(?<=\d)%", "\u00a0%", words)


def shortened(name: str) -> str:
    """Return a name as it fits under a bar: of a long one the beginning and the end."""
    return name if len(name) <= _NAME else f"{name[: _NAME // 2].rstrip()}…{name[1 - _NAME // 2 :].lstrip()}"


def are_turned(names: Sequence[str], space: float) -> bool:
    """Return whether names of classes are rotated, as one of them is wider than its `space` in pixels on a
    telephone.
    """
    return any(width(name, SIZE) > space for name in names)


def beside(size: float) -> float:
    """Return how many pixels Plotly leaves between a vertical axis and the words of `size` pixels at it."""
    return 2 + size / 2


# --- axes ----------------------------------------------------------------------------------------


def _set_axis(axis: Plain, letter: str, traces: Sequence[Plain]) -> None:
    names = _categories(traces, letter)
    if names:
        axis.setdefault("type", "category")
    if axis.get("type") == "category" and "tickvals" not in axis:
        axis |= {"categoryorder": "array", "categoryarray": names, "tickvals": names}
        axis.setdefault("ticktext", names)
    if "tickvals" in axis:
        words = axis["ticktext"] if "ticktext" in axis else [f"{value:g}" for value in axis["tickvals"]]
        axis |= {"tickvals": list(axis["tickvals"]), "ticktext": [_MINUS.sub("−", str(word)) for word in words]}
    if "range" not in axis:
        axis["range"] = [-0.5, len(names) - 0.5] if names else _range(axis, traces, letter)
    if axis.get("autorange") == "reversed":
        axis["range"] = axis["range"][::-1]
        del axis["autorange"]
    if "tickvals" not in axis:
        set_ticks(axis, letter)
    margin = "height" if letter == "x" else False
    axis |= {"automargin": margin, "tickangle": 0, "ticks": "", "zeroline": False, "gridcolor": GRID}
    axis.setdefault("showgrid", letter == "y")
    if letter == "x":
        merge(axis, {"title": {"standoff": TITLE_STANDOFF}, "ticklabeloverflow": "allow"})
        if "ticktext" in axis:
            _fit_tick_labels(axis)


def _categories(traces: Sequence[Plain], letter: str) -> list[str]:
    """Return the words along an axis in their order, if it has words."""
    found = (value for trace in traces for value in _values(trace, letter) if isinstance(value, str))
    return list(dict.fromkeys(found))


def _values(trace: Plain, letter: str) -> list[Any]:
    values = trace.get(letter)
    if values is None and trace["type"] == "heatmap":
        return list(range(len(trace["z"]) if letter == "y" else len(trace["z"][0])))
    return [] if values is None else list(values)


def _range(axis: Plain, traces: Sequence[Plain], letter: str) -> list[float]:
    """Return the ends of an axis around all its values, as logarithms on a logarithmic one."""
    log = axis.get("type") == "log"
    numbers = np.array([v for trace in traces for v in extent(trace, letter)], float)
    numbers = numbers[np.isfinite(numbers) & ((numbers > 0) | (not log))]
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    if log:
        low, high = math.log10(low), math.log10(high)
    lengths = any(t["type"] == "bar" and letter == ("x" if t.get("orientation") == "h" else "y") for t in traces)
    from_zero = not log and (axis.get("rangemode") == "tozero" or lengths)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.05 * (high - low) or 0.5
    if all(trace["type"] == "heatmap" for trace in traces):
        return [low, high]
    foot = from_zero and letter == "y"  # across, a mark at zero is seen whole
    return [low if foot and low == 0 else low - margin, high if foot and high == 0 else high + margin]


def extent(trace: Plain, letter: str) -> Iterator[float]:
    """What an axis must reach for a trace: its values, the ends of its intervals, the sides of its cells."""
    values = _values(trace, letter)
    half = 0.5 if trace["type"] == "heatmap" or (trace["type"] == "bar" and letter == "x") else 0.0
    bars, nothing = trace.get(f"error_{letter}", {}), [None] * len(values)
    sides = bars.get("array", nothing), bars.get("arrayminus", nothing)
    for value, more, less in zip(values, *sides, strict=True):
        if value is not None:
            yield value - half - (less or 0.0)
            yield value + half + (more or 0.0)


def set_ticks(axis: Plain, letter: str) -> None:
    """Set ticks at round numbers, and their format; on a logarithmic axis at powers of ten."""
    low, high = sorted(axis["range"])
    if axis.get("type") == "log":
        powers = range(math.ceil(low), math.floor(high) + 1)
        axis |= {"tickvals": [10.0**power for power in powers], "ticktext": [_power(power) for power in powers]}
        axis.pop("dtick", None)
        return
    step = axis.get("dtick") or _step((high - low) / (axis.pop("nticks", None) or _STEPS[letter]))
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    axis |= {"tick0": 0, "dtick": step, "tickformat": axis.get("tickformat") or f",.{places}f"}
    if axis["tickformat"] == ".0%" and step < 0.01:
        axis["tickformat"] = ".1%"
    if axis["tickformat"].endswith("%"):  # which Plotly writes without a space
        shown = tick_words(axis)
        del axis["tick0"], axis["dtick"]
        axis |= {"tickvals": [value for value, _ in shown], "ticktext": [spaced_percent(words) for _, words in shown]}


def _power(power: int) -> str:
    return (
        f"{10.0**power:,.0f}" if 0 <= power < 7 else f"{10.0**power:g}" if -3 < power < 0 else f"10<sup>{power}</sup>"
    )


def _step(least: float) -> float:
    """Return the round number at or above `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return float(next(power * nice for nice in (1, 2, 5, 10) if power * nice >= least * (1 - 1e-9)))


def _fit_tick_labels(axis: Plain) -> None:
    """Leave out tick labels of a horizontal axis that would touch on a telephone, and rotate names of classes that
    would.
    """
    start, end = axis.get("domain", (0.0, 1.0))
    low, high = axis["range"]
    scale = PHONE_PLOT_WIDTH * (end - start) / abs(high - low)
    if axis.get("type") == "category":
        if are_turned(axis["ticktext"], scale):
            axis["tickangle"] = -45
            axis["title"].pop("text", None)
        return
    shown: list[str] = []
    last = -math.inf
    for value, words in zip(axis["tickvals"], axis["ticktext"], strict=True):
        middle = scale * ((math.log10(value) if axis.get("type") == "log" else value) - low)
        half = width(words, SIZE) / 2
        fits = middle - half > last + 4
        shown.append(words if fits else "")
        last = middle + half if fits else last
    axis["ticktext"] = shown


# --- round the plot ------------------------------------------------------------------------------

# A legend in columns of one width, so that the positions of its entries are known without rendering it.
_LEGEND = {"traceorder": "normal", "itemwidth": 30, "entrywidthmode": "pixels"}


def legend_entries(plain: Plain) -> list[tuple[str, Plain]]:
    """Return the names in a figure's legend, each with its trace."""
    return [(t["name"], t) for t in plain["data"] if t.get("showlegend") is not False and t.get("name")]


def _longest_name(plain: Plain) -> str:
    return max((name for name, _ in legend_entries(plain)), key=len, default="")


def _titles_over(plain: Plain) -> None:
    """Move the titles of vertical axes over their plots, where they are horizontal and need no margin at the left."""
    layout = plain["layout"]
    for name in axis_names(plain, "y"):
        axis = layout[name]
        if not at(axis, "title.text"):
            continue
        top = axis.get("domain", (0.0, 1.0))[1]
        above = _notes_over(layout, top)
        place = {"x": 0, "xref": "paper", "xanchor": "left", "y": top, "yref": "paper", "yanchor": "bottom"}
        words = {"text": axis["title"].pop("text"), "showarrow": False, "name": "axis title"}
        words["yshift"] = TITLE_GAP + above
        layout.setdefault("annotations", []).append(place | words)


def _names_over_rows(plain: Plain) -> None:
    """Write the words at a vertical axis whose labels are to be inside over their rows."""
    layout = plain["layout"]
    for name in axis_names(plain, "y"):
        axis = layout[name]
        if axis.get("ticklabelposition") != "inside top":
            continue
        del axis["ticklabelposition"]
        axis["showticklabels"] = False
        place = {"x": 0, "xref": "paper", "xanchor": "left", "yref": name.replace("axis", ""), "yanchor": "bottom"}
        names = axis.get("categoryarray", ())  # numbers of rows, as Plotly reads a name such as “3” as a number
        for value, words in tick_words(axis):
            row = names.index(value) if names else value
            words_over = {"text": words, "y": row, "yshift": TICK_GAP, "showarrow": False}
            aligned = {"align": "left"} if "<br>" in words else {}
            layout.setdefault("annotations", []).append(place | words_over | aligned)
        _split_reference_lines(layout, name.replace("axis", ""), len(tick_words(axis)))


def _split_reference_lines(layout: Plain, axis: str, n_rows: int) -> None:
    """Split vertical reference lines through the rows of an axis into a piece for each row, as high as the markers, so
    that none crosses the names over the rows.
    """
    whole = ("paper", f"{axis} domain") if axis == "y" else (f"{axis} domain",)
    shapes: list[Plain] = []
    for shape in layout.get("shapes", ()):
        if shape["type"] != "line" or shape.get("yref") not in whole:
            shapes.append(shape)
            continue
        for row in range(n_rows):
            shapes.append(shape | {"yref": axis, "y0": row - RULE_BELOW, "y1": row + RULE_ABOVE})
    merge(layout, {"shapes": shapes or None})


def _notes_over(layout: Plain, top: float) -> float:
    """Return how many pixels the words over a plot take."""
    over = {"yref": "paper", "y": top, "yanchor": "bottom"}
    notes = [note for note in layout.get("annotations", ()) if over.items() <= note.items() and note.get("text")]
    return max((note.get("yshift", 0) + 1.3 * SIZE for note in notes), default=0.0)


def _top(layout: Plain, size: float) -> float:
    return max(LEAST_MARGIN, round(_notes_over(layout, 1.0) * size / SIZE + 6))


def _bottom_margin(plain: Plain) -> float:
    """Return the caller's margin at the foot, or what the axis there needs, if that is more."""
    return max(at(plain["layout"], "margin.b") or 0.0, axis_foot(plain))


def axis_foot(plain: Plain) -> float:
    """Return the pixels under a figure's plots for the words at the axis there; few where all are at the top."""
    if all(plain["layout"][name].get("side") == "top" for name in axis_names(plain, "x")):
        return LEAST_MARGIN
    titled = any(at(plain["layout"][name], "title.text") for name in axis_names(plain, "x"))
    return BOTTOM_MARGIN if titled else BOTTOM_MARGIN_UNTITLED


def _left(plain: Plain, size: float) -> float:
    """Return the left margin for the widest words at a vertical axis, and for rotated words that begin left of the
    plot.
    """
    widest = 0.0
    for name in axis_names(plain, "y"):
        axis = plain["layout"][name]
        if axis.get("showticklabels") is False:
            continue
        words = [w for _, w in tick_words(axis)]
        widest = max([widest, *(width(w, size) for w in words)])
    turned = max(_overhang(plain["layout"][name], size) for name in axis_names(plain, "x"))
    upright = 1.05 * widest + beside(size) + 2 if widest else 0.0  # figures are wide
    return round(max(upright, turned, LEAST_MARGIN * size / SIZE))


def _overhang(axis: Plain, size: float) -> float:
    """Return the pixels by which the rotated words of an axis reach to the left of a plot on a telephone."""
    if axis.get("tickangle") != -45 or axis.get("domain", (0, 1))[0] > 0:
        return 0.0
    words = axis["ticktext"]
    return max(math.sqrt(0.5) * width(w, size) - (i + 0.5) * PHONE_PLOT_WIDTH / len(words) for i, w in enumerate(words))


def tick_words(axis: Plain) -> list[tuple[Any, str]]:
    """Return the values and words of the ticks of an axis."""
    if "tickvals" in axis:
        return list(zip(axis["tickvals"], axis["ticktext"], strict=True))
    low, high = sorted(axis["range"])
    step = axis["dtick"]
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(step * i, f"{step * i + 0.0:{axis['tickformat']}}".replace("-", "−")) for i in range(first, last + 1)]

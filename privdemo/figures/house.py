"""How every chart is set: text large enough for a projector, and axes whose ends and ticks are known before drawing.

Nothing is left for Plotly to choose, so that `first_look` draws the same chart as Plotly does later.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

# The size of all text, in pixels.
SIZE = 14
# The most steps between the ticks of an axis across and of one upwards: their words fit on a telephone.
_STEPS = {"x": 4, "y": 6}
# How wide a letter is, as a share of its size, and the pixels that a plot has across on a telephone.
_LETTER, _PHONE = 0.48, 250
# Pixels between an axis and the words at it, between those and the axis's title, and between a title and its plot.
TICK, STANDOFF, OVER = 6, 10, 6
# The least margin; Plotly leaves as many pixels under the words of an axis.
EDGE = 12
# The margin at the right, where half of the last words of an axis may stand.
RIGHT = 20
# Pixels under a plot for the words of its axis with a title, and without.
AXIS, UNTITLED = 60, 40
GRID = "rgba(128,132,149,0.25)"
BARGAP = 0.2
# How far a rule reaches from the middle of a row, as a part of the row: up to the words over it.
BESIDE = 0.22


def chart(data: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> Figure:
    """A figure in the house's style: ranges, ticks and the margins at the left and at the top follow from its content.

    The title of a vertical axis stands over it. The margin at the foot is the caller's, as it holds the legend.
    """
    figure = Figure(data=list(data), layout=dict(layout))
    for letter in "xy":
        for name in axis_names(figure, letter):
            _set_axis(figure, name, traces_on(figure, name))
    figure.update_layout(bargap=figure.layout.bargap or BARGAP, legend=_legend(figure))
    _titles_over(figure)
    _names_over_rows(figure)
    return larger(figure, SIZE)


def larger(figure: Figure, size: float) -> Figure:
    """A copy of a chart with all its text of `size` pixels; what holds the text grows with it."""
    copy = Figure(figure)
    now = copy.layout.font.size or SIZE
    for letter in "xy":
        for name in axis_names(copy, letter):
            copy.layout[name].update(tickfont={"size": size}, title={"font": {"size": size}})
    copy.update_layout(
        font={"size": size},
        legend={"font": {"size": size}, "entrywidth": round(width(_longest_name(copy), size))},
        hoverlabel={"font": {"size": size}},
        margin={
            "l": _left(copy, size),
            "t": _top(copy, size),
            "b": _foot(copy),
            "r": max(RIGHT, copy.layout.margin.r or 0),
        },
    )
    grown = size / now
    if grown != 1:
        margin = copy.layout.margin
        more = (grown - 1) * (margin.b + margin.t)
        copy.update_layout(
            height=round(copy.layout.height + more), margin={"b": margin.b * grown, "r": margin.r * grown}
        )
        for note in copy.layout.annotations:
            note.yshift = (note.yshift or 0) * grown
    return copy


def axis_names(figure: Figure, letter: str) -> list[str]:
    """The names in the layout of all axes across or upwards, that of the first trace first."""
    used = [getattr(trace, f"{letter}axis") or letter for trace in figure.data]
    return [f"{letter}axis{ref[1:]}" for ref in dict.fromkeys(used)]


def traces_on(figure: Figure, name: str) -> list[Any]:
    """The traces on the axis of this name."""
    letter, ref = name[0], name.replace("axis", "")
    return [trace for trace in figure.data if (getattr(trace, f"{letter}axis") or letter) == ref]


def width(words: str, size: float) -> float:
    """About how many pixels wide a line of `words` is; rather too many than too few."""
    return max(_LETTER * size * len(line) for line in re.sub(r"</?(b|sup|span\b[^>]*)>", "", words).split("<br>"))


# --- axes ----------------------------------------------------------------------------------------


def _set_axis(figure: Figure, name: str, traces: Sequence[Any]) -> None:
    figure.update_layout({name: {}})
    axis, letter = figure.layout[name], name[0]
    names = _categories(traces, letter)
    if names and axis.type is None:
        axis.type = "category"
    if axis.type == "category" and axis.tickvals is None:
        axis.update(categoryorder="array", categoryarray=names, tickvals=names, ticktext=names)
    if axis.tickvals is not None:
        words = [f"{value:g}" for value in axis.tickvals] if axis.ticktext is None else axis.ticktext
        axis.update(tickvals=list(axis.tickvals), ticktext=[str(word).replace("-", "−") for word in words])
    if axis.range is None:
        axis.range = [-0.5, len(names) - 0.5] if names else _range(axis, traces, letter)
    if axis.autorange == "reversed":
        axis.update(range=axis.range[::-1], autorange=None)
    if axis.tickvals is None:
        _set_ticks(axis, letter)
    grid = axis.showgrid if axis.showgrid is not None else letter == "y"
    margin = "height" if letter == "x" else False
    axis.update(automargin=margin, tickangle=0, ticks="", zeroline=False, showgrid=grid, gridcolor=GRID)
    if letter == "x":
        axis.update(title={"standoff": STANDOFF}, ticklabeloverflow="allow")
        if axis.ticktext is not None:
            _thin(axis)


def _categories(traces: Sequence[Any], letter: str) -> list[str]:
    """The words along an axis in their order, if it has words."""
    found = (value for trace in traces for value in _values(trace, letter) if isinstance(value, str))
    return list(dict.fromkeys(found))


def _values(trace: Any, letter: str) -> list[Any]:
    values = getattr(trace, letter)
    if values is None and trace.type == "heatmap":
        return list(range(len(trace.z) if letter == "y" else len(trace.z[0])))
    return [] if values is None else list(values)


def _range(axis: Any, traces: Sequence[Any], letter: str) -> list[float]:
    """The ends of an axis around all that stands at it, as logarithms on a logarithmic one."""
    log = axis.type == "log"
    numbers = np.array([v for trace in traces for v in _extent(trace, letter)], float)
    numbers = numbers[np.isfinite(numbers) & ((numbers > 0) | (not log))]
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    if log:
        low, high = math.log10(low), math.log10(high)
    lengths = any(trace.type == "bar" and letter == ("x" if trace.orientation == "h" else "y") for trace in traces)
    from_zero = not log and (axis.rangemode == "tozero" or lengths)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.05 * (high - low) or 0.5
    if all(trace.type == "heatmap" for trace in traces):
        return [low, high]
    foot = from_zero and letter == "y"  # across, a mark at zero is seen whole
    return [low if foot and low == 0 else low - room, high if foot and high == 0 else high + room]


def _extent(trace: Any, letter: str) -> Iterator[float]:
    """What an axis must reach for a trace: its values, the ends of its intervals, the sides of its cells."""
    values = _values(trace, letter)
    half = 0.5 if trace.type == "heatmap" or (trace.type == "bar" and letter == "x") else 0.0
    bars = getattr(trace, f"error_{letter}", None)
    above = bars.array if bars is not None and bars.array is not None else [None] * len(values)
    below = bars.arrayminus if bars is not None and bars.array is not None else [None] * len(values)
    for value, more, less in zip(values, above, below, strict=True):
        if value is not None:
            yield value - half - (less or 0.0)
            yield value + half + (more or 0.0)


def _set_ticks(axis: Any, letter: str) -> None:
    """Ticks at round numbers, and how those are written; on a logarithmic axis at powers of ten."""
    low, high = sorted(axis.range)
    if axis.type == "log":
        powers = range(math.ceil(low), math.floor(high) + 1)
        values = [10.0**power for power in powers]
        axis.update(tickvals=values, ticktext=[_power(power) for power in powers], dtick=None)
        return
    step = axis.dtick or _step((high - low) / (axis.nticks or _STEPS[letter]))
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    axis.update(tick0=0, dtick=step, nticks=None, tickformat=axis.tickformat or f",.{places}f")
    if axis.tickformat == ".0%" and step < 0.01:
        axis.tickformat = ".1%"


def _power(power: int) -> str:
    return (
        f"{10.0**power:,.0f}" if 0 <= power < 5 else f"{10.0**power:g}" if -3 < power < 0 else f"10<sup>{power}</sup>"
    )


def _step(least: float) -> float:
    """The round number at or above `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return float(next(power * nice for nice in (1, 2, 5, 10) if power * nice >= least * (1 - 1e-9)))


def _thin(axis: Any) -> None:
    """Leave out words at an axis across that would touch on a telephone, and turn names of classes that would."""
    domain = axis.domain or (0.0, 1.0)
    scale = _PHONE * (domain[1] - domain[0]) / abs(axis.range[1] - axis.range[0])
    if axis.type == "category":
        longest = max((width(words, SIZE) for words in axis.ticktext), default=0.0)
        if longest > scale:
            axis.update(tickangle=-45, title={"text": None})
        return
    shown: list[str] = []
    end = -math.inf
    for value, words in zip(axis.tickvals, axis.ticktext, strict=True):
        middle = scale * ((math.log10(value) if axis.type == "log" else value) - axis.range[0])
        half = width(words, SIZE) / 2
        fits = middle - half > end + 4
        shown.append(words if fits else "")
        end = middle + half if fits else end
    axis.ticktext = shown


# --- round the plot ------------------------------------------------------------------------------


def _legend(figure: Figure) -> dict[str, Any]:
    """A legend in columns of one width, so that where its entries stand can be told without drawing it."""
    return {"traceorder": "normal", "itemwidth": 30, "entrywidthmode": "pixels"} if figure.data else {}


def _longest_name(figure: Figure) -> str:
    names = [trace.name for trace in figure.data if trace.showlegend is not False and trace.name]
    return max(names, key=len, default="")


def _titles_over(figure: Figure) -> None:
    """Move the titles of vertical axes over their plots, where they need no room at the left and no turned head."""
    for name in axis_names(figure, "y"):
        axis = figure.layout[name]
        if not axis.title.text:
            continue
        top = (axis.domain or (0.0, 1.0))[1]
        above = _notes_over(figure, top)
        place = {"x": 0, "xref": "paper", "xanchor": "left", "y": top, "yref": "paper", "yanchor": "bottom"}
        words = {"text": axis.title.text, "showarrow": False, "name": "axis title", "yshift": OVER + above}
        figure.add_annotation(place | words)
        axis.title.text = None


def _names_over_rows(figure: Figure) -> None:
    """Write the words at a vertical axis whose labels are to be inside over their rows."""
    for name in axis_names(figure, "y"):
        axis = figure.layout[name]
        if axis.ticklabelposition != "inside top":
            continue
        axis.update(ticklabelposition=None, showticklabels=False)
        place = {"x": 0, "xref": "paper", "xanchor": "left", "yref": name.replace("axis", ""), "yanchor": "bottom"}
        names = list(axis.categoryarray or ())  # numbers of rows, as Plotly reads a name such as “3” as a number
        for value, words in tick_words(axis):
            row = names.index(value) if names else value
            figure.add_annotation(place | {"text": words, "y": row, "yshift": TICK, "showarrow": False})
        _break_rules(figure, name.replace("axis", ""), len(tick_words(axis)))


def _break_rules(figure: Figure, axis: str, n_rows: int) -> None:
    """Leave of rules through the rows of an axis what stands beside the marks: none crosses the names over the rows."""
    whole = ("paper", f"{axis} domain") if axis == "y" else (f"{axis} domain",)
    shapes = []
    for shape in figure.layout.shapes:
        if shape.type != "line" or shape.yref not in whole:
            shapes.append(shape.to_plotly_json())
            continue
        for row in range(n_rows):
            piece = {"yref": axis, "y0": row - BESIDE, "y1": row + BESIDE}
            shapes.append(shape.to_plotly_json() | piece)
    figure.layout.shapes = shapes


def _notes_over(figure: Figure, top: float) -> float:
    """How many pixels the words over a plot take."""
    notes = [n for n in figure.layout.annotations if n.yref == "paper" and n.y == top and n.yanchor == "bottom"]
    return max(((n.yshift or 0) + 1.3 * SIZE for n in notes if n.text), default=0.0)


def _top(figure: Figure, size: float) -> float:
    return max(EDGE, round(_notes_over(figure, 1.0) * size / SIZE + 6))


def _foot(figure: Figure) -> float:
    """The caller's margin at the foot, or what the axis there needs, if that is more."""
    return max(figure.layout.margin.b or 0.0, axis_foot(figure))


def axis_foot(figure: Figure) -> float:
    """The pixels under a figure's plots for the words at the axis there."""
    return AXIS if any(figure.layout[name].title.text for name in axis_names(figure, "x")) else UNTITLED


def _left(figure: Figure, size: float) -> float:
    """Room for the widest words at a vertical axis."""
    widest = 0.0
    for name in axis_names(figure, "y"):
        axis = figure.layout[name]
        if axis.showticklabels is False:
            continue
        words = [w for _, w in tick_words(axis)]
        widest = max([widest, *(width(w, size) for w in words)])
    return round(1.15 * widest + TICK + 6)  # figures are wider than letters


def tick_words(axis: Any) -> list[tuple[Any, str]]:
    """The values and words that stand at an axis."""
    if axis.tickvals is not None:
        return list(zip(axis.tickvals, axis.ticktext, strict=True))
    low, high = sorted(axis.range)
    step = axis.dtick
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(step * i, f"{step * i + 0.0:{axis.tickformat}}".replace("-", "−")) for i in range(first, last + 1)]

"""A chart as plain markup: what stands on screen until Plotly, a large library, has started in the browser."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from plotly.graph_objects import Figure

from privdemo.figures import first_marks as marks
from privdemo.figures.first_marks import Axis, Plane
from privdemo.figures.house import SIZE, STANDOFF, TICK, axis_foot, axis_names, tick_words, traces_on

# Pixels by which a legend's column is wider than its words.
SAMPLE = 40
# Tags that Plotly knows in the words of a chart.
_TAGS = re.compile(r"&lt;(/?(?:b|br|sup)|span style=&#x27;color:#[0-9A-Fa-f]{6}&#x27;|/span)&gt;")

# Plotly's drawing, once it is there, takes the place of this one; both write in the page's own colour, as Streamlit's
# grey is too pale for a projector.
FIRST_LOOK_CSS = """
[data-testid="stVerticalBlock"]:has(.main-svg) > [data-testid="stElementContainer"]:has(.first-look) { display: none; }
[data-testid="stVerticalBlock"]:has(> [data-testid="stElementContainer"] .first-look):not(:has(.main-svg))
  > [data-testid="stElementContainer"]:not(:has(.first-look)) { position: absolute; inset: 0; visibility: hidden; }
.first-look { display: flex; flex-direction: column; line-height: 1.3; overflow: hidden; }
.first-look > div { position: relative; flex: 1; }
.first-look > div > img { position: absolute; width: 100%; height: 100%; max-width: none; }
.first-look > div > span { position: absolute; white-space: nowrap; }
.first-look sup { font-size: 70%; line-height: 1; }
.first-look > p { box-sizing: border-box; font-size: inherit; display: grid; align-content: end; column-gap: 5px;
  padding: 6px 0 4px; }
.first-look > p > span { white-space: nowrap; }
.first-look > p img { vertical-align: middle; margin: 0 5px; display: inline; max-width: none; }
.js-plotly-plot .main-svg :is([class$="tick"] text, .legendtext, [class$="title"], .annotation-text) {
  fill: currentColor !important; }
"""


def first_look(figure: Figure) -> str:
    """A chart made by `house.chart`, in HTML, where and as Plotly will draw it.

    It says nothing to screen readers, for whom a figure has words of its own. What it cannot draw raises `ValueError`.
    """
    layout, margin = figure.layout, figure.layout.margin
    size = layout.font.size or SIZE
    entries = _entries(figure)
    foot = axis_foot(figure) if entries else margin.b
    rules = "".join(marks.rule(shape, _plane(figure, shape.xref, shape.yref)) for shape in layout.shapes)
    image = _image(marks.patterns(figure) + "".join(_plots(figure)) + rules)
    words = "".join([*_tick_labels(figure, size), *_titles(figure, size), *_notes(figure), *_cells(figure)])
    inset = f"margin:{margin.t:g}px {margin.r:g}px {foot:g}px {margin.l:g}px"
    return (
        f'<div class="first-look" aria-hidden="true" style="height:{layout.height:g}px;font-size:{size:g}px">'
        f'<div style="{inset}">{image}{words}</div>{_legend(figure, entries, size)}</div>'
    )


def _image(svg: str, size: str = "") -> str:
    """An image of some SVG, as large as its place."""
    content = base64.b64encode(f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>'.encode()).decode()
    return f'<img alt="" {size} src="data:image/svg+xml;base64,{content}">'


# --- plots ---------------------------------------------------------------------------------------


def _plane(figure: Figure, xref: str | None, yref: str | None) -> Plane:
    return Plane(_axis(figure, "x", xref), _axis(figure, "y", yref))


def _axis(figure: Figure, letter: str, ref: str | None) -> Axis:
    """The axis that `ref` names; the whole “paper”, or an axis's “domain”, goes from 0 to 1."""
    ref = ref or letter
    if ref == "paper":
        return Axis(0.0, 1.0, 0.0, 1.0)
    name, _, domain = ref.partition(" ")
    axis = figure.layout[f"{letter}axis{name[1:]}"]
    start, end = axis.domain or (0.0, 1.0)
    if domain:
        return Axis(start, end, 0.0, 1.0)
    (low, high), named = axis.range, () if axis.categoryarray is None else tuple(axis.categoryarray)
    return Axis(start, end, low, high, axis.type == "log", named)


def _plots(figure: Figure) -> Iterator[str]:
    """The grids, then the traces, cut off at the edges of their plot."""
    places = [(trace, _plane(figure, trace.xaxis, trace.yaxis)) for trace in figure.data]
    grids = {(trace.xaxis or "x", trace.yaxis or "y"): plane for trace, plane in places}
    for (xref, yref), plane in grids.items():
        yield marks.grid(plane, *(figure.layout[f"{ref[0]}axis{ref[1:]}"] for ref in (xref, yref)))
    for i, (trace, plane) in enumerate(places):
        cut = trace.type != "scatter" or trace.cliponaxis is not False
        yield plane.svg(marks.draw(trace, plane, i, figure), cut)


# --- words ---------------------------------------------------------------------------------------


def _text(words: str, place: str) -> str:
    """Words of a chart at a place; tags that Plotly knows are tags, all else is text."""
    return f'<span style="{place}">{_TAGS.sub(lambda tag: _tag(tag[1]), escape(words))}</span>'


def _tag(inside: str) -> str:
    return f"<{inside.replace('&#x27;', chr(39))}>"


def _tick_labels(figure: Figure, size: float) -> Iterator[str]:
    for name in axis_names(figure, "x"):
        axis = figure.layout[name]
        if axis.visible is False or axis.showticklabels is False:
            continue
        place, foot = _axis(figure, "x", name.replace("axis", "")), _foot(figure, name)
        turn = "translateX(-50%)" if not axis.tickangle else f"translateX(-100%) rotate({axis.tickangle:g}deg)"
        origin = ";transform-origin:100% 0" if axis.tickangle else ""
        for value, words in tick_words(axis):
            left = place.overall(place.number(value))
            yield _text(words, f"left:{left:.2f}%;top:calc({foot:.2f}% + {TICK + 3.4:g}px);transform:{turn}{origin}")
    for name in axis_names(figure, "y"):
        axis = figure.layout[name]
        if axis.visible is False or axis.showticklabels is False:
            continue
        place, side = _axis(figure, "y", name.replace("axis", "")), _side(figure, name)
        for value, words in tick_words(axis):
            top = 100 - place.overall(place.number(value))
            yield _text(words, f"right:calc({100 - side:.2f}% + 9px);top:{top:.2f}%;transform:translateY(-50%)")


def _foot(figure: Figure, name: str) -> float:
    """How far down the words at an axis across stand, in percent of the figure: at the foot of its plot."""
    ref = figure.layout[name].anchor or _partner(figure, name, "y")
    return 100 - 100 * _axis(figure, "y", ref).start


def _side(figure: Figure, name: str) -> float:
    """How far to the right the words at an axis upwards stand, in percent of the figure: at the left of its plot."""
    ref = figure.layout[name].anchor or _partner(figure, name, "x")
    return 100 * _axis(figure, "x", ref).start


def _partner(figure: Figure, name: str, letter: str) -> str:
    return next((getattr(trace, f"{letter}axis") for trace in traces_on(figure, name)), None) or letter


def _titles(figure: Figure, size: float) -> Iterator[str]:
    """The titles of the axes across."""
    for name in axis_names(figure, "x"):
        axis = figure.layout[name]
        if axis.title.text and axis.visible is not False:
            place = _axis(figure, "x", name.replace("axis", ""))
            middle = 50 * (place.start + place.end)
            down = TICK + size + STANDOFF - 2
            top = f"top:calc({_foot(figure, name):.2f}% + {down:g}px)"
            yield _text(axis.title.text, f"left:{middle:.2f}%;{top};transform:translateX(-50%)")


def _notes(figure: Figure) -> Iterator[str]:
    """The words that stand in and over the plots."""
    for note in figure.layout.annotations:
        if note.showarrow is not False or note.textangle:
            raise ValueError("a first look knows level words without an arrow")
        across, upwards = _axis(figure, "x", note.xref), _axis(figure, "y", note.yref)
        left, top = across.overall(_note_at(across, note.x)), 100 - upwards.overall(_note_at(upwards, note.y))
        along = {"left": 0, "right": -100}.get(note.xanchor, -50)
        down = {"top": 0, "bottom": -100}.get(note.yanchor, -50)
        align = "" if note.align is None else f";text-align:{note.align}"
        middle = ";text-align:center" if note.align is None else align
        right = (note.xshift or 0) + {"left": 2, "right": -2}.get(note.xanchor, 0)
        up = (note.yshift or 0) + {"top": -2, "bottom": 2.2}.get(note.yanchor, 0)
        at = f"left:calc({left:.2f}% + {right:g}px);top:calc({top:.2f}% - {up:g}px)"
        yield _text(note.text, f"{at};transform:translate({along}%,{down}%){middle}")


def _note_at(axis: Axis, value: Any) -> float:
    """Where words stand; on a logarithmic axis their place is a logarithm already."""
    return axis.number(value) if isinstance(value, str) else float(value)


def _cells(figure: Figure) -> Iterator[str]:
    """The numbers in the cells of pictures."""
    for trace in figure.data:
        if trace.type != "heatmap" or not trace.texttemplate:
            continue
        if trace.texttemplate != "%{z:.2f}":
            raise ValueError(f"a first look writes two places into cells, but not {trace.texttemplate}")
        plane = _plane(figure, trace.xaxis, trace.yaxis)
        for row, cells in enumerate(trace.z):
            for column, value in enumerate(cells):
                left, top = plane.across.overall(column), 100 - plane.upwards.overall(row)
                dark = _is_dark(marks.shade(trace, value))
                place = f"left:{left:.2f}%;top:{top:.2f}%;transform:translate(-50%,-50%)"
                yield _text(f"{value:.2f}", f"{place};color:{'#fff' if dark else '#444'}")


def _is_dark(colour: str) -> bool:
    """Whether Plotly writes in white on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return (red * 299 + green * 587 + blue * 114) / 1000 < 128


# --- the legend ----------------------------------------------------------------------------------


def _entries(figure: Figure) -> list[tuple[int, Any]]:
    """The traces that the legend names, with their numbers."""
    found = [(i, t) for i, t in enumerate(figure.data) if t.type != "heatmap" and t.showlegend is not False and t.name]
    shown = figure.layout.showlegend
    return found if shown is not False and (shown or len(figure.data) > 1) else []


def _legend(figure: Figure, entries: list[tuple[int, Any]], size: float) -> str:
    """The names beside a piece of their curves, in columns as wide as the longest name."""
    if not entries:
        return ""
    defs = marks.patterns(figure)
    names = "".join(
        f"<span>{_image((defs if t.type == 'bar' else '') + marks.sample(t, i), SAMPLE_SIZE)}{escape(t.name)}</span>"
        for i, t in entries
    )
    column = figure.layout.legend.entrywidth + SAMPLE
    room = figure.layout.margin.b - axis_foot(figure)
    rows = f"grid-template-columns:repeat(auto-fill,{column:g}px);line-height:{1.3 * size + 3:.1f}px"
    left = f"clamp(0px,100% - {column + 5:g}px,{figure.layout.margin.l:g}px)"
    margin = f"margin:0 {figure.layout.margin.r:g}px 0 {left}"
    return f'<p style="{margin};min-height:{room:g}px;{rows}">{names}</p>'


SAMPLE_SIZE = 'width="30" height="14"'

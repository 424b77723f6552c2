"""A chart as plain markup, shown until Plotly, a large library, has started in the browser."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from plotly.graph_objects import Figure

from privdemo.figures import first_marks as marks
from privdemo.figures.first_marks import Axis, Plane
from privdemo.figures.house import SIZE, STANDOFF, TICK, axis_foot, axis_names, beside, tick_words, traces_on
from privdemo.figures.plain import Plain, at, parts

# Pixels by which a legend's column is wider than its words.
SAMPLE = 40
# Tags that Plotly knows in the words of a chart.
_TAGS = re.compile(r"&lt;(/?(?:b|br|sup)|span style=&#x27;color:#[0-9A-Fa-f]{6}&#x27;|/span)&gt;")

# Plotly's figure, once it is rendered, takes the place of this one; both write in the page's own colour, as Streamlit's
# grey is too pale for a projector.
FIRST_LOOK_CSS = """
.stElementContainer:has(.first-look):has(~ .stElementContainer .main-svg) { display: none; }
[data-testid="stVerticalBlock"]:has(> [data-testid="stElementContainer"] .first-look) { position: relative; }
.stElementContainer:has(.first-look) ~ .stElementContainer:not(:has(.main-svg)) {
  position: absolute; inset: 0; visibility: hidden; }
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
    """Return a chart made by `house.chart`, in HTML, where and as Plotly will render it.

    It is hidden from screen readers, for which a figure has a text of its own. Raises `ValueError` for a trace that it
    cannot render.
    """
    plain = parts(figure)
    layout, margin = plain["layout"], plain["layout"]["margin"]
    size = at(layout, "font.size") or SIZE
    entries = _entries(plain)
    foot = axis_foot(plain) if entries else margin["b"]
    shapes = layout.get("shapes", ())
    rules = "".join(marks.rule(shape, _plane(layout, shape.get("xref"), shape.get("yref"))) for shape in shapes)
    image = _image(marks.patterns(plain) + "".join(_plots(plain)) + rules)
    words = "".join([*_tick_labels(plain, size), *_titles(plain, size), *_notes(layout), *_cells(plain)])
    inset = f"margin:{margin['t']:g}px {margin['r']:g}px {foot:g}px {margin['l']:g}px"
    return (
        f'<div class="first-look" aria-hidden="true" style="height:{layout["height"]:g}px;font-size:{size:g}px">'
        f'<div style="{inset}">{image}{words}</div>{_legend(plain, entries, size)}</div>'
    )


def _image(svg: str, size: str = "") -> str:
    """Return an image of some SVG, as large as its place."""
    content = base64.b64encode(f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>'.encode()).decode()
    return f'<img alt="" {size} src="data:image/svg+xml;base64,{content}">'


# --- plots ---------------------------------------------------------------------------------------


def _plane(layout: Plain, xref: str | None, yref: str | None) -> Plane:
    return Plane(_axis(layout, "x", xref), _axis(layout, "y", yref))


def _axis(layout: Plain, letter: str, ref: str | None) -> Axis:
    """Return the axis that `ref` names; “paper”, or an axis's “domain”, is 0 to 1."""
    ref = ref or letter
    if ref == "paper":
        return Axis(0.0, 1.0, 0.0, 1.0)
    name, _, domain = ref.partition(" ")
    axis = layout[f"{letter}axis{name[1:]}"]
    start, end = axis.get("domain", (0.0, 1.0))
    if domain:
        return Axis(start, end, 0.0, 1.0)
    low, high = axis["range"]
    return Axis(start, end, low, high, axis.get("type") == "log", tuple(axis.get("categoryarray", ())))


def _plots(plain: Plain) -> Iterator[str]:
    """The grids, then the traces, cut off at the edges of their plot."""
    layout = plain["layout"]
    places = [(trace, _plane(layout, trace.get("xaxis"), trace.get("yaxis"))) for trace in plain["data"]]
    grids = {(trace.get("xaxis", "x"), trace.get("yaxis", "y")): plane for trace, plane in places}
    for (xref, yref), plane in grids.items():
        yield marks.grid(plane, *(layout[f"{ref[0]}axis{ref[1:]}"] for ref in (xref, yref)))
    for i, (trace, plane) in enumerate(places):
        cut = trace["type"] != "scatter" or trace.get("cliponaxis") is not False
        yield plane.svg(marks.render(trace, plane, i, plain), cut)


# --- words ---------------------------------------------------------------------------------------


def _text(words: str, place: str) -> str:
    """Return words of a chart at a place; tags that Plotly knows are tags, all else is text."""
    return f'<span style="{place}">{_TAGS.sub(lambda tag: _tag(tag[1]), escape(words))}</span>'


def _tag(inside: str) -> str:
    return f"<{inside.replace('&#x27;', chr(39))}>"


def _labelled(plain: Plain, letter: str) -> Iterator[tuple[str, Plain]]:
    """The axes across or upwards that have words, with their names."""
    for name in axis_names(plain, letter):
        axis = plain["layout"][name]
        if axis.get("visible") is not False and axis.get("showticklabels") is not False:
            yield name, axis


def _tick_labels(plain: Plain, size: float) -> Iterator[str]:
    layout = plain["layout"]
    for name, axis in _labelled(plain, "x"):
        place, foot = _axis(layout, "x", name.replace("axis", "")), _foot(plain, name)
        angle = axis.get("tickangle")
        turn = "translateX(-50%)" if not angle else f"translateX(-100%) rotate({angle:g}deg)"
        origin = ";transform-origin:100% 0" if angle else ""
        for value, words in tick_words(axis):
            left = place.overall(place.number(value))
            yield _text(words, f"left:{left:.2f}%;top:calc({foot:.2f}% + {TICK + 3.4:g}px);transform:{turn}{origin}")
    for name, axis in _labelled(plain, "y"):
        place, side = _axis(layout, "y", name.replace("axis", "")), _side(plain, name)
        for value, words in tick_words(axis):
            top = 100 - place.overall(place.number(value))
            right = f"right:calc({100 - side:.2f}% + {beside(size):g}px)"
            yield _text(words, f"{right};top:{top:.2f}%;transform:translateY(-50%)")


def _foot(plain: Plain, name: str) -> float:
    """Return the y position of the words at a horizontal axis, in percent of the figure: at the foot of its plot."""
    ref = plain["layout"][name].get("anchor") or _other_axis(plain, name, "y")
    return 100 - 100 * _axis(plain["layout"], "y", ref).start


def _side(plain: Plain, name: str) -> float:
    """Return the x position of the words at a vertical axis, in percent of the figure: at the left of its plot."""
    ref = plain["layout"][name].get("anchor") or _other_axis(plain, name, "x")
    return 100 * _axis(plain["layout"], "x", ref).start


def _other_axis(plain: Plain, name: str, letter: str) -> str:
    return next((trace.get(f"{letter}axis") for trace in traces_on(plain, name)), None) or letter


def _titles(plain: Plain, size: float) -> Iterator[str]:
    """The titles of the axes across."""
    for name in axis_names(plain, "x"):
        axis = plain["layout"][name]
        title = at(axis, "title.text")
        if title and axis.get("visible") is not False:
            place = _axis(plain["layout"], "x", name.replace("axis", ""))
            middle = 50 * (place.start + place.end)
            down = TICK + size + STANDOFF - 2
            top = f"top:calc({_foot(plain, name):.2f}% + {down:g}px)"
            yield _text(title, f"left:{middle:.2f}%;{top};transform:translateX(-50%)")


def _notes(layout: Plain) -> Iterator[str]:
    """Yield the annotations in and over the plots."""
    for note in layout.get("annotations", ()):
        if note.get("showarrow") is not False or note.get("textangle"):
            raise ValueError("a first look knows level words without an arrow")
        across, upwards = _axis(layout, "x", note.get("xref")), _axis(layout, "y", note.get("yref"))
        left, top = across.overall(_note_at(across, note["x"])), 100 - upwards.overall(_note_at(upwards, note["y"]))
        x_anchor, y_anchor, align = (note.get(key) for key in ("xanchor", "yanchor", "align"))
        along = {"left": 0, "right": -100}.get(x_anchor, -50)
        down = {"top": 0, "bottom": -100}.get(y_anchor, -50)
        aligned = f";text-align:{align or 'center'}"
        right = note.get("xshift", 0) + {"left": 2, "right": -2}.get(x_anchor, 0)
        up = note.get("yshift", 0) + {"top": -2, "bottom": 2.2}.get(y_anchor, 0)
        place = f"left:calc({left:.2f}% + {right:g}px);top:calc({top:.2f}% - {up:g}px)"
        yield _text(note["text"], f"{place};transform:translate({along}%,{down}%){aligned}")


def _note_at(axis: Axis, value: Any) -> float:
    """Return the position of an annotation; on a logarithmic axis it is given as a logarithm."""
    return axis.number(value) if isinstance(value, str) else float(value)


# How the numbers in cells are written, as Plotly calls it and as Python does.
_CELLS = {"%{z:.2f}": "{:.2f}", "%{z:.0%}": "{:.0%}"}


def _cells(plain: Plain) -> Iterator[str]:
    """The numbers in the cells of pictures."""
    for trace in plain["data"]:
        template = trace.get("texttemplate")
        if trace["type"] != "heatmap" or not template:
            continue
        if template not in _CELLS:
            raise ValueError(f"a first look writes {' or '.join(_CELLS)} into cells, but not {template}")
        plane = _plane(plain["layout"], trace.get("xaxis"), trace.get("yaxis"))
        for row, cells in enumerate(trace["z"]):
            for column, value in enumerate(cells):
                left, top = plane.across.overall(column), 100 - plane.upwards.overall(row)
                dark = _is_dark(marks.shade(trace, value))
                place = f"left:{left:.2f}%;top:{top:.2f}%;transform:translate(-50%,-50%)"
                yield _text(_CELLS[template].format(value), f"{place};color:{'#fff' if dark else '#444'}")


def _is_dark(colour: str) -> bool:
    """Return whether Plotly writes in white on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return (red * 299 + green * 587 + blue * 114) / 1000 < 128


# --- the legend ----------------------------------------------------------------------------------


def _entries(plain: Plain) -> list[tuple[int, Plain]]:
    """Return the traces that the legend names, with their numbers."""
    traces, shown = plain["data"], plain["layout"].get("showlegend")
    if shown is False or not (shown or len(traces) > 1):
        return []
    named = [(i, t) for i, t in enumerate(traces) if t.get("showlegend") is not False and t.get("name")]
    return [(i, trace) for i, trace in named if trace["type"] != "heatmap"]


def _legend(plain: Plain, entries: list[tuple[int, Plain]], size: float) -> str:
    """Return the legend, names with a piece of their curves, in columns as wide as the longest name."""
    if not entries:
        return ""
    defs, margin = marks.patterns(plain), plain["layout"]["margin"]
    names = "".join(
        f"<span>{_image((defs if t['type'] == 'bar' else '') + marks.sample(t, i), SAMPLE_SIZE)}{escape(t['name'])}"
        "</span>"
        for i, t in entries
    )
    column = plain["layout"]["legend"]["entrywidth"] + SAMPLE
    height = margin["b"] - axis_foot(plain)
    rows = f"grid-template-columns:repeat(auto-fill,{column:g}px);line-height:{1.3 * size + 3:.1f}px"
    left = f"clamp(0px,100% - {column + 5:g}px,{margin['l']:g}px)"
    sides = f"margin:0 {margin['r']:g}px 0 {left}"
    return f'<p style="{sides};min-height:{height:g}px;{rows}">{names}</p>'


SAMPLE_SIZE = 'width="30" height="14"'

"""The marks of a chart as SVG, for `first_look`: lines, bands, intervals, markers, bars, cells and rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from privdemo.figures.house import GRID, tick_words
from privdemo.figures.plain import Plain, at

_DASHES = {"dot": "2 4", "dash": "8 6", "longdash": "12 6", "dashdot": "8 4 2 4", "longdashdot": "12 4 2 4"}
# Pixels between the lines of a pattern, and how thick they are.
_PATTERN, _LINE = 8, 2.2
_PATTERNS = {
    "/": f"M-2 2L2 -2M0 {_PATTERN}L{_PATTERN} 0M{_PATTERN - 2} {_PATTERN + 2}L{_PATTERN + 2} {_PATTERN - 2}",
    "\\": f"M-2 {_PATTERN - 2}L2 {_PATTERN + 2}M0 0L{_PATTERN} {_PATTERN}M{_PATTERN - 2} -2L{_PATTERN + 2} 2",
    "-": f"M0 {_PATTERN / 2}H{_PATTERN}",
    "|": f"M{_PATTERN / 2} 0V{_PATTERN}",
    ".": f"M{_PATTERN / 2 - 1} {_PATTERN / 2}h2",
}
_PATTERNS["x"] = _PATTERNS["/"] + _PATTERNS["\\"]
_PATTERNS["+"] = _PATTERNS["-"] + _PATTERNS["|"]
# Height in pixels that is assumed to convert the gap between cells to a share of the plot.
_ACROSS = 700
# The largest marker in a legend; Plotly makes larger ones as small.
_LEGEND_MARKER = 16


class Axis(NamedTuple):
    """Where an axis starts and ends in the whole plot, and the values there; `named` are the values of a category axis.

    On a logarithmic axis `low` and `high` are logarithms.
    """

    start: float
    end: float
    low: float
    high: float
    log: bool = False
    named: tuple[Any, ...] = ()

    def number(self, value: Any) -> float:
        """Return a value on the scale of the range; nan where it has no place on the axis."""
        if value is None:
            return math.nan
        if isinstance(value, str):
            return float(self.named.index(value))
        if self.log:
            return math.log10(value) if value > 0 else math.nan
        return float(value)

    def along(self, number: float) -> float:
        """Return the position of a number of the range, in percent of the axis."""
        return 100 * (number - self.low) / (self.high - self.low)

    def overall(self, number: float) -> float:
        """Return the position of a number of the range, in percent of the whole figure."""
        return 100 * self.start + (self.end - self.start) * self.along(number)


class Plane(NamedTuple):
    """The place of two axes; heights are counted from the top."""

    across: Axis
    upwards: Axis

    def x(self, value: Any) -> float:
        """Return the x position of a value, in percent of this plot."""
        return self.across.along(self.across.number(value))

    def y(self, value: Any) -> float:
        """Return the y position of a value from the top, in percent of this plot."""
        return 100 - self.upwards.along(self.upwards.number(value))

    def svg(self, svg: str, cut: bool = True) -> str:
        """Return the `svg`, in percent of this plot, at its place in the figure."""
        left, top = 100 * self.across.start, 100 - 100 * self.upwards.end
        wide, high = 100 * (self.across.end - self.across.start), 100 * (self.upwards.end - self.upwards.start)
        place = f'x="{left:.3f}%" y="{top:.3f}%" width="{wide:.3f}%" height="{high:.3f}%"'
        return f'<svg {place} overflow="{"hidden" if cut else "visible"}">{svg}</svg>'


def render(trace: Plain, plane: Plane, index: int, plain: Plain) -> str:
    """Return the marks of one trace, the `index`-th of the figure."""
    makers: dict[str, Callable[[], Iterator[str]]] = {
        "scatter": lambda: _scatter(trace, plane),
        "bar": lambda: _bars(trace, plane, index, plain),
        "heatmap": lambda: _heatmap(trace, plane),
    }
    if trace["type"] not in makers:
        raise ValueError(f"a first look knows {', '.join(makers)}, but not {trace['type']}")
    svg, opacity = "".join(makers[trace["type"]]()), trace.get("opacity")
    return svg if opacity in (None, 1) else f'<g opacity="{opacity:g}">{svg}</g>'


# --- curves and markers --------------------------------------------------------------------------


def _scatter(trace: Plain, plane: Plane) -> Iterator[str]:
    places = [(plane.x(a), plane.y(b)) for a, b in zip(trace["x"], trace["y"], strict=True)]
    mode, line_of = trace.get("mode", "lines+markers"), trace.get("line", {})
    if set(mode.split("+")) - {"lines", "markers"}:
        raise ValueError(f"a first look knows lines and markers, but not {mode}")
    colour = line_of.get("color") or at(trace, "marker.color")
    if trace.get("fill", "none") != "none":
        yield from _band(trace, plane, places, colour)
    width = line_of.get("width", 2)
    if "lines" in mode and width:
        for piece in _pieces(places):
            points = " ".join(f"{x:.2f},{y:.2f}" for x, y in piece)
            pen = _pen(colour, line_of.get("dash"), width)
            yield _stretched(f'<polyline points="{points}" fill="none" {pen} vector-effect="non-scaling-stroke"/>')
    yield from _intervals(trace, plane)
    if "markers" in mode:
        for i, (x, y) in enumerate(places):
            if math.isfinite(x + y):
                yield _at(x, y, mark(trace.get("marker", {}), i))


def _pieces(places: Sequence[tuple[float, float]]) -> Iterator[list[tuple[float, float]]]:
    """The runs of places without a gap."""
    piece: list[tuple[float, float]] = []
    for x, y in places:
        if math.isfinite(x + y):
            piece.append((x, y))
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def _band(trace: Plain, plane: Plane, places: Sequence[tuple[float, float]], colour: str) -> Iterator[str]:
    if trace["fill"] != "tozeroy":
        raise ValueError(f"a first look fills to zero, but not {trace['fill']}")
    foot, own = plane.y(0), trace.get("fillcolor")
    fill = f'fill="{own}"' if own else f'fill="{colour}" fill-opacity="0.5"'
    for piece in _pieces(places):
        corners = [(piece[0][0], foot), *piece, (piece[-1][0], foot)]
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
        yield _stretched(f'<polygon points="{points}" {fill}/>')


def _intervals(trace: Plain, plane: Plane) -> Iterator[str]:
    """The error bars with their caps."""
    for letter in "xy":
        bars = trace.get(f"error_{letter}", {})
        if bars.get("visible") is False or "array" not in bars:
            continue
        pen, cap = _pen(bars["color"], None, bars["thickness"]), bars["width"]
        for x, y, above, below in zip(trace["x"], trace["y"], bars["array"], bars["arrayminus"], strict=True):
            if above is None or below is None:
                continue
            if letter == "y":
                place, ends, path = plane.x(x), (plane.y(y - below), plane.y(y + above)), f"M-{cap:g} 0h{2 * cap:g}"
                yield line(place, place, *ends, pen)
                yield from (_at(place, end, f'<path d="{path}" {pen}/>') for end in ends)
            else:
                place, ends, path = plane.y(y), (plane.x(x - below), plane.x(x + above)), f"M0-{cap:g}v{2 * cap:g}"
                yield line(*ends, place, place, pen)
                yield from (_at(end, place, f'<path d="{path}" {pen}/>') for end in ends)


def mark(marker: Plain, i: int = 0) -> str:
    """Return the `i`-th of some markers around the origin."""
    symbol, colour = marker.get("symbol", "circle"), marker.get("color")
    symbol = symbol if isinstance(symbol, str) else str(symbol[i])
    r = (marker.get("size") or 6) / 2
    shape, is_open = symbol.removesuffix("-open"), symbol.endswith("-open")
    bare = shape in ("line-ns", "cross-thin")
    outline = (at(marker, "line.color") or colour) if not is_open else colour
    width = at(marker, "line.width") or (1 if is_open or bare else 0)
    fill = "none" if is_open or bare else colour
    return f'<path d="{_path(shape, r)}" fill="{fill}" stroke="{outline}" stroke-width="{width:g}"/>'


def _path(shape: str, r: float) -> str:
    """Return Plotly's own path of a marker of radius `r`."""
    if shape == "circle":
        return f"M{-r:g} 0a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"
    if shape == "star-triangle-up":
        side, up, arc = 1.3856 * r, 0.8 * r, f"A{4 * r:g} {4 * r:g} 0 0 1 "
        return f"M{-side:.2f} {up:.2f}{arc}{side:.2f} {up:.2f}{arc}0 {-2 * up:.2f}{arc}{-side:.2f} {up:.2f}z"
    if shape in _LINES:
        return "".join(f"M{x0 * r:g} {y0 * r:g}L{x1 * r:g} {y1 * r:g}" for x0, y0, x1, y1 in _LINES[shape])
    if shape not in _CORNERS:
        raise ValueError(f"a first look knows no marker {shape}")
    return "M" + "L".join(f"{x * r:.2f} {y * r:.2f}" for x, y in _CORNERS[shape]) + "z"


def _spikes(n: int, outer: float, inner: float) -> list[tuple[float, float]]:
    """Return the corners of a star of `n` spikes, or of a polygon where it has no `inner` ones; the first points
    upwards.
    """
    turns = [(math.pi * i / n, outer if i % 2 == 0 else inner) for i in range(2 * n)]
    return [(far * math.sin(turn), -far * math.cos(turn)) for turn, far in turns if far]


_TALL, _WIDE, _ARM = 1.4, 1.3, 0.8 / math.sqrt(2)
# The corners of each marker of radius 1, and its lines where it has nothing inside.
_CORNERS: dict[str, Sequence[tuple[float, float]]] = {
    "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    "diamond": [(0, -_WIDE), (_WIDE, 0), (0, _WIDE), (-_WIDE, 0)],
    "diamond-tall": [(0, -_TALL), (0.7, 0), (0, _TALL), (-0.7, 0)],
    "hourglass": [(1, 1), (-1, 1), (1, -1), (-1, -1)],
    "triangle-up": [(-2 / math.sqrt(3), 0.5), (2 / math.sqrt(3), 0.5), (0, -1)],
    "triangle-down": [(-2 / math.sqrt(3), -0.5), (2 / math.sqrt(3), -0.5), (0, 1)],
    "pentagon": _spikes(5, 1, 0),
    "star": _spikes(5, _TALL, 0.382 * _TALL),
    "x": [
        (_ARM * x, _ARM * y)
        for x, y in ((0, 1), (1, 2), (2, 1), (1, 0), (2, -1), (1, -2), (0, -1), (-1, -2), (-2, -1), (-1, 0), (-2, 1))
    ]
    + [(-_ARM, 2 * _ARM)],
}
_LINES: dict[str, list[tuple[float, float, float, float]]] = {
    "line-ns": [(0, _TALL, 0, -_TALL)],
    "cross-thin": [(0, _TALL, 0, -_TALL), (_TALL, 0, -_TALL, 0)],
}


# --- bars and cells ------------------------------------------------------------------------------


def _bars(trace: Plain, plane: Plane, index: int, plain: Plain) -> Iterator[str]:
    """Upright bars, side by side with those of the other traces of their plot."""
    layout, here = plain["layout"], (trace.get("xaxis"), trace.get("yaxis"))
    beside = [t for t in plain["data"] if t["type"] == "bar" and (t.get("xaxis"), t.get("yaxis")) == here]
    if trace.get("orientation") == "h" or layout.get("barmode", "group") != "group":
        raise ValueError("a first look knows upright bars side by side")
    place = next(i for i, other in enumerate(beside) if other is trace)
    slot = (1 - layout["bargap"]) / len(beside)
    wide = trace.get("width") or slot * (1 - layout.get("bargroupgap", 0))
    middle = 0.0 if trace.get("width") else slot * (place - (len(beside) - 1) / 2)
    foot, marker = plane.y(0), trace.get("marker", {})
    paint = f'fill="{_filling(marker, index)}" {_pen(at(marker, "line.color") or "none", None, _outline(marker))}'
    if "opacity" in marker:
        paint += f' opacity="{marker["opacity"]:g}"'
    for i, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
        centre = plane.across.number(x) + middle
        left, right = plane.across.along(centre - wide / 2), plane.across.along(centre + wide / 2)
        top = plane.y(y)
        if math.isfinite(top):
            yield _rect(left, right, min(top, foot), max(top, foot), paint)
            yield from _bar_interval(trace.get("error_y", {}), plane, i, y, centre)


def _filling(marker: Plain, index: int) -> str | None:
    """Return what the bars of the `index`-th trace are filled with."""
    return f"url(#p{index})" if at(marker, "pattern.shape") else marker.get("color")


def _outline(marker: Plain) -> float:
    return at(marker, "line.width") or 0


def _bar_interval(bars: Plain, plane: Plane, i: int, y: float, centre: float) -> Iterator[str]:
    if bars.get("visible") is False or "array" not in bars:
        return
    above, below = bars["array"][i], bars["arrayminus"][i]
    if above is None:
        return
    place, pen, cap = plane.across.along(centre), _pen(bars["color"], None, bars["thickness"]), bars["width"]
    ends = plane.y(y - below), plane.y(y + above)
    yield line(place, place, *ends, pen)
    yield from (_at(place, end, f'<path d="M-{cap:g} 0h{2 * cap:g}" {pen}/>') for end in ends)


def patterns(plain: Plain) -> str:
    """Return the patterns that bars of a figure are filled with."""
    found = []
    for i, trace in enumerate(plain["data"]):
        shape = at(trace, "marker.pattern.shape") if trace["type"] == "bar" else ""
        if shape:
            box = f'id="p{i}" width="{_PATTERN}" height="{_PATTERN}" patternUnits="userSpaceOnUse"'
            pen = f'stroke="{trace["marker"]["color"]}" stroke-width="{_LINE}"'
            found.append(f'<pattern {box}><path d="{_PATTERNS[shape]}" fill="none" {pen}/></pattern>')
    return f"<defs>{''.join(found)}</defs>" if found else ""


def _heatmap(trace: Plain, plane: Plane) -> Iterator[str]:
    """The cells of a picture; equal cells over each other are one."""
    columns = list(zip(*trace["z"], strict=True))
    xs, ys = (list(trace.get(letter, range(n))) for letter, n in (("x", len(columns)), ("y", len(trace["z"]))))
    high = (ys[1] - ys[0]) / 2 if len(ys) > 1 else 0.5
    gap, y_gap = 50 * trace.get("xgap", 0) / _ACROSS, trace.get("ygap", 0)
    inset = 50 * y_gap / 300
    for x, column in zip(xs, columns, strict=True):
        left, right = sorted((plane.x(x - 0.5), plane.x(x + 0.5)))
        for first, last in _runs(column, bool(y_gap)):
            if column[first] is not None and not math.isnan(column[first]):
                top, bottom = sorted((plane.y(ys[first] - high), plane.y(ys[last] + high)))
                paint = f'fill="{shade(trace, column[first])}"'
                yield _rect(left + gap, right - gap, top + inset, bottom - inset, paint)


def _runs(column: Sequence[float | None], apart: bool) -> Iterator[tuple[int, int]]:
    """Yield the first and last index of each run of equal values; of each value where there are gaps between cells
    (`apart`).
    """
    start = 0
    for i in range(1, len(column) + 1):
        if i == len(column) or apart or column[i] != column[start]:
            yield start, i - 1
            start = i


def shade(trace: Plain, value: float) -> str:
    """Return the colour of a cell."""
    (_, first), (_, last) = trace["colorscale"]
    low, high = trace["zmin"], trace["zmax"]
    part = min(1.0, max(0.0, (value - low) / ((high - low) or 1)))
    ends = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (first, last)]
    return "#" + "".join(f"{round(a + part * (b - a)):02X}" for a, b in zip(*ends, strict=True))


# --- lines ---------------------------------------------------------------------------------------


def grid(plane: Plane, x_axis: Plain, y_axis: Plain) -> str:
    """Return the lines at the ticks of the axes that have a grid."""
    pen, svg = f'stroke="{GRID}" stroke-width="1"', []
    if x_axis.get("showgrid"):
        svg += [line(plane.x(v), plane.x(v), 0, 100, pen) for v, _ in tick_words(x_axis)]
    if y_axis.get("showgrid"):
        svg += [line(0, 100, plane.y(v), plane.y(v), pen) for v, _ in tick_words(y_axis)]
    return plane.svg("".join(svg))


def rule(shape: Plain, plane: Plane) -> str:
    """Return a line through a plot."""
    if shape["type"] != "line":
        raise ValueError(f"a first look knows lines, but no {shape['type']}")
    look = shape.get("line", {})
    pen = _pen(look.get("color"), look.get("dash"), look.get("width", 2))
    return plane.svg(line(plane.x(shape["x0"]), plane.x(shape["x1"]), plane.y(shape["y0"]), plane.y(shape["y1"]), pen))


def line(x0: float, x1: float, y0: float, y1: float, pen: str) -> str:
    """Return a straight line between places in percent."""
    return f'<line x1="{x0:.2f}%" x2="{x1:.2f}%" y1="{y0:.2f}%" y2="{y1:.2f}%" {pen}/>'


def sample(trace: Plain, index: int) -> str:
    """Return a piece of a trace for its name in the legend, 30 pixels wide and 14 high."""
    marker, look = trace.get("marker", {}), trace.get("line", {})
    if trace["type"] == "bar":
        fill, outline = _filling(marker, index), at(marker, "line.color") or "none"
        return f'<rect x="9" y="1" width="12" height="12" fill="{fill}" stroke="{outline}"/>'
    mode = trace.get("mode", "lines+markers")
    pen = _pen(look.get("color") or marker.get("color"), look.get("dash"), look.get("width") or 2)
    svg = f'<line x1="0" x2="30" y1="7" y2="7" {pen}/>' if "lines" in mode else ""
    small = marker | {"size": min(marker.get("size") or 6, _LEGEND_MARKER)}
    place = f'<svg x="15" y="7" overflow="visible">{mark(small)}</svg>' if "markers" in mode else ""
    return svg + place


def _at(x: float, y: float, svg: str) -> str:
    return f'<svg x="{x:.2f}%" y="{y:.2f}%" overflow="visible">{svg}</svg>'


def _rect(left: float, right: float, top: float, bottom: float, paint: str) -> str:
    size = f'width="{right - left:.2f}%" height="{bottom - top:.2f}%"'
    return f'<rect x="{left:.2f}%" y="{top:.2f}%" {size} {paint}/>'


def _stretched(svg: str) -> str:
    """Return the `svg`, in a square of 100, stretched to the plot."""
    return f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" overflow="visible">{svg}</svg>'


def _pen(colour: str | None, dash: str | None, width: float) -> str:
    dashes = f' stroke-dasharray="{_DASHES[dash]}"' if dash in _DASHES else ""
    return f'stroke="{colour}" stroke-width="{width:g}"{dashes}'

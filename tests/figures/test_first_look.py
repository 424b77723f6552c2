"""What stands on screen until Plotly has started shows the same numbers as Plotly's figure, for every chart."""

import base64
import json
import math
import pickle
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from privdemo import figures, palette
from privdemo.figures import charts, house
from privdemo.figures.plain import PlainFigure, parts
from privdemo.intervals import Estimate
from privdemo.methods import CLASS_RATIO, COMPARISON, LABEL_COUNTS, LABEL_PROPORTIONS, TRAINING, VOTING
from tests.figures.gallery import gallery, of_every_chart
from tests.figures.reading import NASTY

SVG = "{http://www.w3.org/2000/svg}"


def drawings(markup):
    """Every image of the markup, as SVG: the plot first, then a piece of each named curve."""
    return [base64.b64decode(found).decode() for found in re.findall(r"base64,([^\"]+)", markup)]


def share(text, whole=1.0):
    return whole * float(text.removesuffix("%")) / 100


def walk(node, box=(0.0, 0.0, 1.0, 1.0)):
    """Every element of a drawing with the box of shares of the whole (left, top, width, height) that it is in."""
    for child in node:
        inner = box
        if child.tag == f"{SVG}svg" and "%" in child.get("x", ""):
            left, top = box[0] + share(child.get("x"), box[2]), box[1] + share(child.get("y"), box[3])
            wide, high = (share(child.get(key, "0%"), box[i]) for key, i in (("width", 2), ("height", 3)))
            inner = (left, top, wide, high)
        yield child, inner
        yield from walk(child, inner)


def drawn(figure):
    """The elements of the plots of a figure with their boxes."""
    return list(walk(ElementTree.fromstring(drawings(figures.first_look(figure))[0])))


def ends(axis, value):
    """Where Plotly puts a value along an axis, as a share of the whole plot."""
    start, end = axis.domain or (0, 1)
    low, high = axis.range
    number = (
        axis.categoryarray.index(value)
        if isinstance(value, str)
        else math.log10(value)
        if axis.type == "log"
        else value
    )
    return start + (end - start) * (number - low) / (high - low)


def axes(figure, trace):
    return (figure.layout[f"{letter}axis{(trace[f'{letter}axis'] or letter)[1:]}"] for letter in "xy")


def shown(axis, value):
    return value is not None and (isinstance(value, str) or (np.isfinite(value) and (axis.type != "log" or value > 0)))


def points(figure, trace):
    """The places at which Plotly draws the points of a trace, from the left and from the top."""
    x_axis, y_axis = axes(figure, trace)
    both = zip(trace.x, trace.y, strict=True)
    return [(ends(x_axis, x), 1 - ends(y_axis, y)) for x, y in both if shown(x_axis, x) and shown(y_axis, y)]


@of_every_chart
def test_a_chart_passes_all_of_plotlys_checks_and_stays_as_it_is(figure):
    plain, checked = (PlainFigure(parts(figure)) for _ in range(2))
    assert checked.data is not None, "whoever asks for a part of a figure gets a whole one, each attribute checked"
    assert json.loads(checked.to_json()) == json.loads(plain.to_json())
    assert pickle.loads(pickle.dumps(plain)) == checked


@of_every_chart
def test_every_marker_stands_where_plotly_puts_it(figure):
    marked = [t for t in figure.data if t.type == "scatter" and "markers" in (t.mode or "markers")]
    wanted = [place for trace in marked for place in points(figure, trace)]
    caps = r"M-[\d.]+ 0h|M0-[\d.]+v"
    found = [
        box[:2]
        for path, box in drawn(figure)
        if path.tag == f"{SVG}path" and box[2] == 0 and not re.match(caps, path.get("d"))
    ]
    # Places are written to a hundredth of a percent.
    assert found == pytest.approx(np.array(wanted), abs=2e-4) if wanted else not found


@of_every_chart
def test_every_interval_and_every_bar_ends_at_its_numbers(figure):
    wanted, bars = [], []
    for trace in figure.data:
        x_axis, y_axis = axes(figure, trace)
        if trace.type == "bar":
            bars += [1 - ends(y_axis, y) for y in trace.y]
        for letter, axis in (("x", x_axis), ("y", y_axis)):
            error = getattr(trace, f"error_{letter}", None)
            if error is None or error.array is None:
                continue
            values = list(getattr(trace, letter))
            for value, above, below in zip(values, error.array, error.arrayminus, strict=True):
                if above is not None:
                    wanted += [(letter, ends(axis, value + side)) for side in (-below, above)]
    elements = drawn(figure)
    paths = [(p.get("d"), box) for p, box in elements if p.tag == f"{SVG}path" and box[2] == 0]
    found = [
        ("y", 1 - box[1]) if d.startswith("M-") else ("x", box[0])
        for d, box in paths
        if re.match(r"M-[\d.]+ 0h|M0-[\d.]+v", d)
    ]
    assert [axis for axis, _ in found] == [axis for axis, _ in wanted]
    assert [at for _, at in found] == pytest.approx([at for _, at in wanted], abs=2e-4)
    tops = [box[1] + share(r.get("y"), box[3]) for r, box in elements if r.tag == f"{SVG}rect"]
    heatmap = any(trace.type == "heatmap" for trace in figure.data)
    assert heatmap or tops == pytest.approx(bars, abs=2e-4)


@of_every_chart
def test_curves_go_through_their_points(figure):
    wanted = [
        place
        for trace in figure.data
        if trace.type == "scatter" and "lines" in (trace.mode or "") and trace.line.width != 0
        for place in points(figure, trace)
    ]
    found = []
    for element, (left, top, wide, high) in drawn(figure):
        if element.tag == f"{SVG}polyline":
            pairs = [map(float, pair.split(",")) for pair in element.get("points").split()]
            found += [(left + wide * x / 100, top + high * y / 100) for x, y in pairs]
    assert found == pytest.approx(np.array(wanted), abs=2e-4) if wanted else not found


@of_every_chart
def test_nothing_of_a_chart_is_left_for_plotly_to_choose(figure):
    layout = figure.layout
    for letter in "xy":
        for name in house.axis_names(parts(figure), letter):
            axis = layout[name]
            assert axis.range is not None
            assert axis.tickvals is not None or (axis.dtick and axis.tickformat)
            assert axis.tickfont.size == axis.title.font.size == house.SIZE
    assert layout.font.size == layout.legend.font.size == house.SIZE >= 14
    assert all(note.font.size is None for note in layout.annotations)
    # At 390 pixels a chart is 358 wide.
    assert 358 - layout.margin.l - layout.margin.r >= 0.6 * 390


@of_every_chart
def test_every_name_and_word_of_a_chart_is_there_at_once(figure):
    words = re.sub(r"<[^>]+>", "", figures.first_look(figure))
    for trace in figure.data:
        if (
            trace.name
            and trace.showlegend is not False
            and figure.layout.showlegend is not False
            and len(figure.data) > 1
        ):
            assert trace.name.replace("'", "&#x27;") in words
    for note in figure.layout.annotations:
        assert re.sub(r"<[^>]+>", "", note.text) in words


@of_every_chart
def test_no_cap_has_no_width(figure):
    for trace in figure.data:
        for letter in "xy":
            bars = getattr(trace, f"error_{letter}", None)
            if bars is not None and bars.array is not None:
                both = zip(bars.array, bars.arrayminus, strict=True)
                assert all(above is None or above + below > 0 for above, below in both)


def test_larger_text_needs_more_room_and_leaves_the_marks_alone():
    figure = gallery("sets")["class_ratio.errors 2"]
    larger = figures.projected(figure, 16, 1, math.inf)
    assert (larger.layout.xaxis.tickfont.size, larger.layout.legend.font.size, larger.layout.font.size) == (16, 16, 16)
    assert larger.layout.height > figure.layout.height
    assert larger.layout.margin.l >= figure.layout.margin.l
    assert figure.layout.font.size == 14, "the chart itself is left alone"
    assert "font-size:16px" in figures.first_look(larger)
    assert drawings(figures.first_look(larger))[0] == drawings(figures.first_look(figure))[0]


@pytest.mark.parametrize(
    "trace",
    [
        {"type": "pie", "values": [1, 2]},
        {"type": "scatter", "x": [1], "y": [1], "mode": "markers", "marker": {"symbol": "bowtie", "color": "red"}},
        {"type": "scatter", "x": [1], "y": [1], "mode": "text"},
        {"type": "bar", "x": [1], "y": [1], "orientation": "h"},
    ],
    ids=lambda trace: trace["type"],
)
def test_what_cannot_be_drawn_at_once_is_refused(trace):
    with pytest.raises((ValueError, AttributeError)):
        figures.first_look(house.chart([trace], {"height": 100, "margin": {"r": 0, "b": 0}}))


def test_the_marker_of_every_method_is_known():
    tables = (VOTING, TRAINING, LABEL_COUNTS, LABEL_PROPORTIONS, CLASS_RATIO, COMPARISON)
    styles = {method.style for table in tables for method in table.values()} | set(palette.STYLES)
    curves = [charts.Curve(f"{i}", style, [1], [Estimate(0.5, 0.4, 0.6)]) for i, style in enumerate(styles)]
    figure = charts.curve_chart(curves, charts.axis("x", [0, 2]), {"range": [0, 1]})
    assert len(drawings(figures.first_look(figure))) == 1 + len(styles)


def test_names_are_text_and_open_marks_are_not_filled():
    named = ((NASTY, palette.OTHERS[0]), ("full", palette.SPREAD))
    curves = [charts.Curve(name, style, [1], [Estimate(0.5, 0.4, 0.6)]) for name, style in named]
    y_axis = {"title": {"text": "share"}, "range": [0, 1]}
    figure = charts.curve_chart(curves, charts.axis("x", [0, 2]), y_axis)
    markup = figures.first_look(figure.update_layout(annotations=[{"text": NASTY, "x": 1, "y": 1, "showarrow": False}]))
    assert NASTY not in markup
    assert markup.count("&lt;script&gt;") == 2
    circles = re.findall(r'd="M-4 0a[^"]+" fill="([^"]+)"', drawings(markup)[0])
    assert circles == ["none", palette.SPREAD.colour]

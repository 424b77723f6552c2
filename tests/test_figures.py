"""Figures hold exactly the numbers they are given; pictures and pages stand on their own."""

import base64
import html
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from privdemo import figures, palette
from privdemo.experiments.images import Point
from privdemo.figures import pictures
from privdemo.intervals import Estimate
from privdemo.mechanisms import Distortion
from privdemo.mechanisms.pixels import FAMILIES

NASTY = "<script>alert('1')</script> & \"7\""
GREY = np.arange(24, dtype=np.uint8).reshape(4, 6) * 10


def point(level, start):
    """A point whose every number is different, with lopsided intervals."""

    def estimate(mean):
        return Estimate(mean, mean - 0.011, mean + 0.023)

    return Point(
        level, 25, Distortion(start, start + 0.01), estimate(start + 0.1), estimate(start + 0.2), estimate(start + 0.3)
    )


POINTS = tuple(point(level, start) for level, start in ((0.0, 0.05), (0.25, 0.15), (0.5, 0.3)))
HERE = point(0.3125, 0.2)


def figure(family="randomised_response", n_candidates=25):
    return figures.damage_and_linkage(POINTS, HERE, FAMILIES[family], n_candidates)


def trace(name, fig=None):
    (found,) = [t for t in (fig or figure()).data if t.name == name]
    return found


# --- the curves --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "style"), [("absolute", palette.OTHERS[0]), ("squared", palette.OTHERS[1])], ids=["absolute", "squared"]
)
def test_the_upper_panel_holds_the_points(kind, style):
    exact, measured = trace(f"{kind} error"), trace(f"{kind} error, measured")
    assert list(exact.x) == list(measured.x) == [p.level for p in POINTS]
    assert list(exact.y) == [getattr(p.expected, kind) for p in POINTS]
    assert_measured(measured, [getattr(p, kind) for p in POINTS], style)
    assert exact.mode == "lines"
    assert measured.mode == "markers"
    assert (exact.line.color, exact.line.dash) == (style.colour, style.dash)
    assert exact.yaxis in (None, "y")
    assert measured.yaxis in (None, "y")


def assert_measured(found, estimates, style):
    assert list(found.y) == [e.mean for e in estimates]
    bars = found.error_y
    assert bars.symmetric is False
    assert [m + up for m, up in zip(found.y, bars.array, strict=True)] == pytest.approx([e.high for e in estimates])
    assert [m - down for m, down in zip(found.y, bars.arrayminus, strict=True)] == pytest.approx(
        [e.low for e in estimates]
    )
    assert bars.color == style.colour
    assert (found.marker.color, found.marker.symbol) == (style.colour, style.marker)


def test_the_lower_panel_holds_linkage_and_chance():
    found = trace("sender found")
    assert list(found.x) == [p.level for p in POINTS]
    assert_measured(found, [p.linked for p in POINTS], palette.ADVERSARY)
    assert found.mode == "lines+markers"
    assert found.yaxis == "y2"
    chance = trace("chance, 1 in 25")
    assert list(chance.x) == [0.0, 0.5]
    assert list(chance.y) == [1 / 25] * 2
    assert chance.yaxis == "y2"
    assert chance.line.color == palette.TRUTH.colour
    assert list(trace("chance, 1 in 400", figure(n_candidates=400)).y) == [1 / 400] * 2


def test_there_is_nothing_else_to_see():
    fig = figure()
    assert len(fig.data) == 6
    assert {t.type for t in fig.data} == {"scatter"}
    assert len(fig.layout.shapes) == len(fig.layout.annotations) == 1


def test_the_rule_stands_at_the_visitors_level():
    fig = figure()
    (rule,), (label,) = fig.layout.shapes, fig.layout.annotations
    assert rule.type == "line"
    assert (rule.x0, rule.x1, rule.y0, rule.y1, rule.yref) == (0.3125, 0.3125, 0, 1, "paper")
    assert rule.line.color == palette.TRUTH.colour
    assert label.x == 0.3125
    assert label.text == "p = 0.3125"
    lone = figures.damage_and_linkage(POINTS, point(0.123456, 0.1), FAMILIES["gaussian"], 25)
    assert lone.layout.annotations[0].text == "σ = 0.1235"


@pytest.mark.parametrize(
    ("family", "title"),
    [("randomised_response", "flip probability p"), ("gaussian", "standard deviation σ"), ("laplace", "scale b")],
)
def test_the_axes_say_what_they_show(family, title):
    layout = figure(family).layout
    assert layout.xaxis.title.text == title
    assert layout.yaxis.title.text == "error of a pixel"
    assert layout.yaxis2.title.text == "sender found"
    low, high = layout.yaxis2.range
    assert low < 0 < 1 < high
    assert layout.yaxis.domain[0] > layout.yaxis2.domain[1]  # two panels that do not overlap


# --- contact sheets and PNG ------------------------------------------------------------------------------


def test_contact_sheet_by_hand():
    images = np.array([[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]]], np.uint8)  # two by two pictures of one by two
    g = pictures.GUTTER
    assert figures.contact_sheet(images).tolist() == [[1, 2, g, 3, 4], [g] * 5, [5, 6, g, 7, 8]]
    assert figures.contact_sheet(images, gap=0).tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert figures.contact_sheet(images, gap=2).tolist() == [
        [1, 2, g, g, 3, 4],
        [g] * 6,
        [g] * 6,
        [5, 6, g, g, 7, 8],
    ]
    assert figures.contact_sheet(images[:1, :1]).tolist() == [[1, 2]]
    assert figures.contact_sheet(images).dtype == np.uint8


@settings(deadline=None)
@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=4, max_dims=4, max_side=4)), st.integers(0, 3))
def test_contact_sheet_keeps_every_picture(images, gap):
    sheet = figures.contact_sheet(images, gap)
    rows, columns, height, width = images.shape
    assert sheet.shape == (rows * (height + gap) - gap, columns * (width + gap) - gap)
    for r, c in np.ndindex(rows, columns):
        top, left = r * (height + gap), c * (width + gap)
        np.testing.assert_array_equal(sheet[top : top + height, left : left + width], images[r, c])
    gutters = np.ones(sheet.shape, bool)
    for r, c in np.ndindex(rows, columns):
        gutters[r * (height + gap) : r * (height + gap) + height, c * (width + gap) : c * (width + gap) + width] = False
    assert (sheet[gutters] == pictures.GUTTER).all()


def decoded(data):
    with Image.open(io.BytesIO(data)) as image:
        assert image.format == "PNG"
        return np.asarray(image)


@settings(deadline=None)
@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=9)))
def test_png_decodes_to_the_same_array(grey):
    np.testing.assert_array_equal(decoded(figures.png(grey)), grey)


def test_png_of_a_view():
    sheet = figures.contact_sheet(np.arange(48, dtype=np.uint8).reshape(2, 3, 2, 4), gap=3)
    np.testing.assert_array_equal(decoded(figures.png(sheet)), sheet)
    np.testing.assert_array_equal(decoded(figures.png(GREY.T)), GREY.T)


# --- HTML ------------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """The tags with their attributes and the text of a piece of HTML, with scripts and styles apart."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.code, self.inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        (self.code if self.inside in ("script", "style") else self.words).append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def test_picture_html_carries_the_picture_and_its_headings():
    text = figures.picture_html(GREY, ["p = 0.1", "p = 0.2"], ["7", "9", "8"], "two digits")
    reader = Reader(text)
    (image,) = reader.all("img")
    head, data = image["src"].split(",")
    assert head == "data:image/png;base64"
    np.testing.assert_array_equal(decoded(base64.b64decode(data)), GREY)
    assert image["alt"] == "two digits"
    assert reader.words == ["p = 0.1", "p = 0.2", "7", "9", "8"]
    assert reader.all("figure") == [{"class": "sheet", "style": "--columns:2;--rows:3"}]


@pytest.mark.parametrize("make", [figures.picture_html, figures.picture_page])
def test_text_is_escaped(make):
    reader = Reader(make(GREY, [NASTY], [NASTY], NASTY))
    assert not reader.all("script")
    assert [image["alt"] for image in reader.all("img")] == [NASTY]
    assert reader.words.count(NASTY) == (3 if make is figures.picture_page else 2)
    assert html.escape(NASTY) in make(GREY, [NASTY], [], "")


def test_picture_page_stands_on_its_own():
    text = figures.picture_page(GREY, ["a"], ["b"], "what it shows")
    reader = Reader(text)
    assert text.startswith("<!doctype html>")
    assert figures.picture_html(GREY, ["a"], ["b"], "what it shows") in text
    assert reader.words[-1] == "what it shows"
    assert figures.SHEET_CSS.strip() in "".join(reader.code)
    assert {"charset": "utf-8"} in reader.all("meta")
    assert "http" not in re.sub(r"base64,[^\"]*", "", text)
    assert not reader.all("link")


def test_to_html_needs_no_network_and_leaves_the_figure_alone():
    fig = figure()
    before = fig.to_dict()
    text = figures.to_html(fig)
    assert fig.to_dict() == before
    reader = Reader(text)
    scripts = reader.all("script")
    assert scripts
    assert not [s for s in scripts if "src" in s]
    assert not reader.all("link")
    assert not reader.all("img")
    assert len(text) > 1_000_000  # the library is inside
    assert "Plotly.newPlot" in text
    for number in ("0.3125", "chance, 1 in 25"):
        assert number in text

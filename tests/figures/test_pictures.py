"""Contact sheets, PNG pictures and HTML pages keep every pixel, escape every word and need no network."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from privdemo import figures
from privdemo.figures import charts, pictures
from privdemo.intervals import Estimate
from privdemo.palette import SPREAD
from tests.figures.reading import NASTY, Reader, decoded, inline

GREY = np.arange(24, dtype=np.uint8).reshape(4, 6) * 10


def test_a_contact_sheet_by_hand():
    images = np.array([[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]]], np.uint8)  # two by two pictures of one by two
    g = pictures.GUTTER
    assert figures.contact_sheet(images).tolist() == [[1, 2, g, 3, 4], [g] * 5, [5, 6, g, 7, 8]]
    assert figures.contact_sheet(images, gap=2).tolist() == [[1, 2, g, g, 3, 4], [g] * 6, [g] * 6, [5, 6, g, g, 7, 8]]
    assert figures.contact_sheet(images).dtype == np.uint8


@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=4, max_dims=4, max_side=4)), st.integers(0, 3))
def test_a_contact_sheet_keeps_every_picture(images, gap):
    sheet = figures.contact_sheet(images, gap)
    rows, columns, height, width = images.shape
    assert sheet.shape == (rows * (height + gap) - gap, columns * (width + gap) - gap)
    gutters = np.ones(sheet.shape, bool)
    for r, c in np.ndindex(rows, columns):
        top, left = r * (height + gap), c * (width + gap)
        here = np.s_[top : top + height, left : left + width]
        np.testing.assert_array_equal(sheet[here], images[r, c])
        gutters[here] = False
    assert (sheet[gutters] == pictures.GUTTER).all()


@given(hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=9)))
def test_a_png_decodes_to_the_same_array(grey):
    np.testing.assert_array_equal(decoded(figures.png(grey)), grey)
    np.testing.assert_array_equal(decoded(figures.png(grey.T)), grey.T)


def test_picture_html_carries_the_picture_and_its_headings():
    reader = Reader(figures.picture_html(GREY, ["p = 0.1", "p = 0.2"], ["7", "9", "8"], "two digits"))
    (image,) = reader.all("img")
    np.testing.assert_array_equal(inline(image["src"]), GREY)
    assert image["alt"] == "two digits"
    assert reader.words == ["p = 0.1", "p = 0.2", "7", "9", "8"]
    assert reader.all("figure") == [{"class": "sheet", "style": "--columns:2;--rows:3"}]


@pytest.mark.parametrize(("make", "times"), [(figures.picture_html, 2), (figures.picture_page, 3)])
def test_words_are_escaped(make, times):
    reader = Reader(make(GREY, [NASTY], [NASTY], NASTY))
    assert not reader.all("script")
    assert [image["alt"] for image in reader.all("img")] == [NASTY]
    assert reader.words.count(NASTY) == times


def test_a_picture_page_stands_on_its_own():
    text = figures.picture_page(GREY, ["a"], ["b"], "what it shows")
    reader = Reader(text.removeprefix("<!doctype html>"))
    assert figures.picture_html(GREY, ["a"], ["b"], "what it shows") in text
    assert reader.words[-1] == "what it shows"
    assert figures.SHEET_CSS.strip() in "".join(reader.code)
    assert "http" not in re.sub(r"base64,[^\"]*", "", text)
    assert not reader.all("link")


def test_a_figures_page_needs_no_network_and_leaves_the_figure_alone():
    curve = charts.Curve("a curve", SPREAD, [1.0], [Estimate(0.5, 0.4, 0.6)])
    figure = charts.curve_chart([curve], charts.axis("x", [1.0]), {})
    before = figure.to_dict()
    text = figures.to_html(figure)
    assert figure.to_dict() == before
    assert not re.findall(r"<(?:script|img)[^>]* src=|<link", text)
    assert len(text) > 1_000_000, "the library is inside"
    assert "a curve" in text

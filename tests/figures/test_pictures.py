"""Dots, PNG pictures and HTML pages keep everybody and every pixel, escape words, need no network."""

import base64
import re

import numpy as np

from privdemo import figures
from privdemo.experiments.voting import A_LIED, A_TRUE, B_LIED, B_TRUE
from privdemo.figures import charts, people
from privdemo.intervals import Estimate
from privdemo.palette import SPREAD
from tests.figures.reading import NASTY, Reader, inline


def test_a_dot_field_shows_every_person_once_and_the_pollster_sees_answers_alone():
    kinds = np.array([A_TRUE] * 5 + [A_LIED] * 2 + [B_TRUE] * 6 + [B_LIED])
    ours = figures.dot_field("ours", kinds, people.TRUTH).svg
    # people, looks that are hollow as chance changed the answer, and discs: those who say A
    assert (ours.count("M"), ours.count('fill="none"'), ours.count("0 1 0 7")) == (14, 2, 5 + 1)
    theirs = figures.dot_field("theirs", kinds, people.ANSWERS).svg
    assert (theirs.count('fill="none"'), theirs.count("0 1 0 7")) == (0, 5 + 1)
    # A voter of A who lies looks like an honest voter of B, to the last byte.
    honest = figures.dot_field("x", np.array([B_TRUE, A_TRUE]), people.ANSWERS)
    assert honest.svg == figures.dot_field("x", np.array([A_LIED, B_LIED]), people.ANSWERS).svg


def test_a_person_has_the_same_colour_and_shape_in_both_fields():
    for kind, dot in people.TRUTH.items():
        assert people.ANSWERS[kind] == dot._replace(hollow=False)
        assert dot.hollow == (kind in (A_LIED, B_LIED))
        assert people.VOTES[kind] == people.TRUTH[A_TRUE if kind in (A_TRUE, A_LIED) else B_TRUE]
    assert len({(dot.colour, dot.shape) for dot in people.SAID}) == 6, "an answer is known by its mark"
    assert len({dot.sign for kind in (people.TRUTH, people.VOTES) for dot in kind.values()}) == 4


def test_a_picture_of_people_is_whole_and_escapes_its_words():
    field = figures.dot_field("a <b>", np.zeros(3, int), people.TRUTH)
    page = figures.people_html([field], {"x & y": people.SAID_A}, 'say "A" <now>')
    for words in ("a &lt;b&gt;", "x &amp; y", 'alt="say &quot;A&quot; &lt;now&gt;"'):
        assert words in page
    assert base64.b64decode(re.search(r"base64,([^\"]+)", page).group(1)).decode() == field.svg


GREY = np.arange(24, dtype=np.uint8).reshape(4, 6) * 10


def test_picture_html_carries_the_picture_and_its_headings_in_escaped_words():
    reader = Reader(figures.picture_html(GREY, ["p = 0.1", NASTY], ["7", "9", "8"], NASTY))
    (image,) = reader.all("img")
    np.testing.assert_array_equal(inline(image["src"]), GREY)
    assert image["alt"] == NASTY
    assert reader.words == ["p = 0.1", NASTY, "7", "9", "8"]
    assert reader.all("figure") == [{"class": "sheet", "style": "--columns:2;--rows:3"}]


def test_a_document_stands_on_its_own_and_is_titled():
    picture = figures.picture_html(GREY, ["a"], [NASTY], NASTY)
    text = figures.document("7 < 9 & so on", picture, figures.CSS)
    reader = Reader(text.removeprefix("<!doctype html>"))
    assert picture in text
    assert "<title>7 &lt; 9 &amp; so on · privdemo</title>" in text
    assert "<h1>7 &lt; 9 &amp; so on</h1>" in text
    assert "http" not in re.sub(r"base64,[^\"]*", "", text)
    assert not reader.all("link") + reader.all("script")


def test_a_figures_page_needs_no_network_and_leaves_the_figure_alone():
    curve = charts.Curve("a curve", SPREAD, [1.0], [Estimate(0.5, 0.4, 0.6)])
    figure = charts.curve_chart([curve], charts.axis("x", [1.0]), {})
    before = figure.to_dict()
    text = figures.document("A chart", figures.chart(figure))
    assert figure.to_dict() == before
    assert not re.findall(r"<(?:script|img)[^>]* src=|<link", text)
    assert len(text) > 1_000_000, "the library is inside"
    assert "a curve" in text
    assert len(figures.chart(figure, library=False)) < 100_000


def test_a_field_has_another_picture_for_wide_screens():
    usual, wide = (people.split_field("", 1, 8, people.SAID_A, people.SAID_B, columns) for columns in (2, 4))
    page = figures.people_html([usual], {}, "eight", wide=[wide])
    assert page.index("--width:3rem") < page.index('<img class="wide" style="--width:6rem"')
    assert ".people img:has(+ .wide) { display: none; }" in people.PEOPLE_CSS

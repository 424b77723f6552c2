"""Charts and pictures of training hold the numbers that the experiment found."""

from __future__ import annotations

import base64
import html
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image
from scipy.special import expit
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo import palette
from privdemo.experiments import training
from privdemo.experiments.training.study import STUDIES
from privdemo.figures import training as charts
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, FLAT, NAIVE, RECONSTRUCTION, SPREAD, TRAINING

NAMES = (CLEAN, NAIVE, RECONSTRUCTION, SPREAD)


def draw_of(seed):
    """Four methods of different skill on two hundred images; reconstruction is sure of one class."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 100)
    score = 2 * y - 1 + rng.normal(size=200)
    scores = {CLEAN: 3 * score, NAIVE: score / 2, RECONSTRUCTION: np.full(200, 9.0), SPREAD: 2 * score}
    fits = {}
    for name, s in scores.items():
        p = expit(s)
        marks = accuracy_score(y, p > 0.5), log_loss(y, p), brier_score_loss(y, p)
        fits[name] = training.Fit(name, p, s[:4], 0.0, 5.0, 0.1, 1.0, *map(float, marks), None)
    attack = training.Attack(200, 160, 170, 184)
    return training.Trial(training.TrainingConfig("digits", ("3", "8"), draw=seed), fits, y, attack)


DRAWS = [draw_of(seed) for seed in range(3)]


def interval(trace, i, axis):
    """The mean and both ends of the i-th point of a trace."""
    at, bars = getattr(trace, axis)[i], getattr(trace, f"error_{axis}")
    return at, at - bars.arrayminus[i], at + bars.array[i]


def near(estimate):
    return pytest.approx(tuple(estimate), abs=1e-12)


def dotted(shapes):
    return [shape for shape in shapes if shape.line.dash == "dot"]


def cues(trace):
    return trace.marker.color, trace.marker.symbol


# --- scores ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draws", [DRAWS, DRAWS[:1]], ids=["three", "one"])
def test_scores_are_those_of_the_experiment(draws):
    figure = charts.scores(draws, NAMES)
    assert len(figure.data) == 3 * len(NAMES)
    clean_rules = [shape for shape in figure.layout.shapes if shape.line.dash != "dot"]
    for i, mark in enumerate(training.METRICS):
        axis = str(i + 1) if i else ""
        here = [trace for trace in figure.data if trace.xaxis == f"x{axis}"]
        assert [trace.yaxis for trace in here] == [f"y{axis}"] * len(NAMES)
        labels = dict(zip(figure.layout[f"yaxis{axis}"].tickvals, figure.layout[f"yaxis{axis}"].ticktext, strict=True))
        low, high = figure.layout[f"xaxis{axis}"].range
        for trace, name in zip(here, NAMES, strict=True):
            estimate = training.mean_score(draws, name, mark)
            assert interval(trace, 0, "x") == near(estimate)
            assert list(trace.y) == [TRAINING[name].title]
            label = labels[TRAINING[name].title]
            number = re.search(r"<b>(.*)</b>", label).group(1)
            assert ("→" in number) == (estimate.mean > high)
            assert ("←" in number) == (estimate.mean < low)
            shown = float(re.search(r"[\d.]+", number).group(0)) / (100 if mark == "accuracy" else 1)
            assert shown == pytest.approx(estimate.mean, rel=0.005, abs=0.0005)  # three digits
        assert clean_rules[i].x0 == clean_rules[i].x1 == training.mean_score(draws, CLEAN, mark).mean
        assert clean_rules[i].xref == f"x{axis}"
    nothing = {"accuracy": 0.5, "log_loss": log_loss([0, 1], [0.5, 0.5]), "brier": brier_score_loss([0, 1], [0.5, 0.5])}
    assert [shape.x0 for shape in dotted(figure.layout.shapes)] == pytest.approx(list(nothing.values()), abs=1e-12)
    words = [note.text for note in figure.layout.annotations]
    assert [text for text in words if text.startswith("<b>")] == [
        f"<b>{charts.MARKS[m][0]}</b>" for m in training.METRICS
    ]
    assert words.count("coin") == 3


def test_a_mark_beyond_its_axis_is_an_arrow():
    figure = charts.scores(DRAWS, NAMES)
    (far,) = [text for text in figure.layout.yaxis2.ticktext if "→" in text]
    assert TRAINING[RECONSTRUCTION].title in far
    worst = [charts.scores([draw_with(0.3)], (CLEAN,)).layout[axis].ticktext for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert ["←" in texts[0] for texts in worst] == [True, False, False]


def draw_with(accuracy, n=100):
    y = np.repeat([0, 1], n // 2)
    p = np.where(np.arange(n) % 10 < accuracy * 10, y * 0.2 + 0.4, 0.6 - y * 0.2)
    fit = training.Fit(CLEAN, p, np.ones(4), 0.0, 0.0, 1.0, 1.0, accuracy_score(y, p > 0.5), log_loss(y, p), 0.2, None)
    assert fit.accuracy == accuracy
    return training.Trial(training.TrainingConfig("digits"), {CLEAN: fit}, y, training.Attack(n, 1, 1, 1))


def test_panels_of_scores_lie_apart():
    for names in (NAMES, NAMES[:1], NAMES[::-1]):
        layout = charts.scores(DRAWS, names).layout
        domains = [layout[axis].domain for axis in ("yaxis", "yaxis2", "yaxis3")]
        ends = [end for domain in reversed(domains) for end in domain]
        assert ends[0] >= 0
        assert ends[-1] <= 1
        assert ends == sorted(ends)
        assert all(layout[axis].categoryarray[-1] == TRAINING[names[0]].title for axis in ("yaxis", "yaxis2", "yaxis3"))


def test_methods_differ_by_colour_and_marker():
    curves = training.study.points(training.study.load("figure3"))
    assert set(curves) == set(TRAINING)
    drawn = charts.trade_off(STUDIES["figure3"], curves, {}, 0.1).data
    above = [trace for trace in drawn if (trace.yaxis or "y") == "y"]
    assert len({trace.marker.symbol for trace in above}) == len({trace.name for trace in above}) == len(TRAINING)
    assert len({(trace.line.color, trace.line.dash) for trace in above}) == len(TRAINING)
    assert len({cues(trace) for trace in charts.scores(DRAWS, NAMES).data}) == len(NAMES)


# --- calibration -------------------------------------------------------------------------------------


def test_calibration_curves_are_the_bins():
    figure = charts.calibration(DRAWS, NAMES)
    ideal, *curves = figure.data
    assert list(ideal.x) == list(ideal.y) == [0, 1]
    for trace, name in zip(curves, NAMES, strict=True):
        bins = training.calibration(DRAWS, name)
        assert trace.name == TRAINING[name].title
        np.testing.assert_array_equal(trace.x, [b.said for b in bins])
        np.testing.assert_array_equal(trace.customdata, [b.n for b in bins])
        for i, b in enumerate(bins):
            assert interval(trace, i, "y") == near(b.true)
        assert trace.line.color == TRAINING[name].style.colour
        assert trace.line.dash == TRAINING[name].style.dash
    assert "“8”" in figure.layout.xaxis.title.text
    assert figure.layout.yaxis.title.text == "share that are 8s"
    assert all("8" in trace.hovertemplate for trace in curves)


# --- the trade-off -----------------------------------------------------------------------------------


@pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))
def test_the_trade_off_draws_every_point_of_a_study(study):
    curves = training.study.points(training.study.load(study.name))
    figure = charts.trade_off(study, curves, {}, 0.17)
    drawn = [trace for trace in figure.data if "lines" in trace.mode]
    for axis, mark in (("y", "accuracy"), ("y2", "log_loss")):
        here = [trace for trace in drawn if (trace.yaxis or "y") == axis]
        assert [trace.name for trace in here] == [TRAINING[name].title for name in curves]
        for trace, (name, curve) in zip(here, curves.items(), strict=True):
            assert (trace.line.color, trace.line.dash) == TRAINING[name].style[:2]
            for i, point in enumerate(curve):
                assert interval(trace, i, "y") == near(getattr(point, mark))
                assert abs(trace.x[i] - point.level) < 0.02 * np.ptp(study.levels)  # side by side, near the level
            assert trace.showlegend == (axis == "y")
        for i, _ in enumerate(study.levels):
            places = [trace.x[i] for trace in here if len(trace.x) > i]
            assert len(set(places)) == len(places)
            assert np.mean(places) == pytest.approx(study.levels[i], abs=1e-9)
    stars = [trace for trace in figure.data if trace.name == "published"]
    published = [
        (x, y, TRAINING[name].style.colour) for name in curves for x, y in study.published.get(name, {}).items()
    ]
    assert [(trace.x[0], trace.y[0], trace.marker.color) for trace in stars] == published
    assert len(figure.data) == len(drawn) + len(stars)
    assert all("star" in trace.marker.symbol and "published" in trace.hovertemplate for trace in stars)
    assert not figure.layout.shapes
    assert not figure.layout.annotations
    assert figure.layout.xaxis.title.text == study.axis
    assert figure.layout.yaxis.title.text == "accuracy"
    assert figure.layout.yaxis2.title.text.startswith("log loss")
    low, high = figure.layout.xaxis.range
    assert low < min(study.levels) < max(study.levels) < high


def test_stars_stand_only_for_methods_that_are_drawn():
    study = STUDIES["section6.1"]
    curves = training.study.points(training.study.load(study.name))
    for names, n_stars in (((NAIVE,), 0), ((NAIVE, CLEAN), 2), ((CLEAN, FLAT), 4)):
        figure = charts.trade_off(study, {name: curves[name] for name in names}, {}, 0.1)
        assert sum(trace.name == "published" for trace in figure.data) == n_stars


@pytest.mark.parametrize("level", [0.25, 0.02, 0.6])
def test_the_visitors_own_marks_stand_at_their_level(level):
    study = STUDIES["figure3"]
    curves = training.study.points(training.study.load(study.name))
    yours = {NAIVE: (Estimate(0.8, 0.75, 0.84), Estimate(0.5, 0.4, 0.7)), SPREAD: (Estimate(0.9, 0.8, 0.92),) * 2}
    figure = charts.trade_off(study, curves, yours, level)
    own = [trace for trace in figure.data if trace.name and trace.name.endswith(", yours")]
    assert [(trace.name, trace.yaxis or "y") for trace in own] == [
        (f"{TRAINING[name].title}, yours", axis) for name in (NAIVE, SPREAD) for axis in ("y", "y2")
    ]
    low, high = figure.layout.xaxis.range
    for trace, mark in zip(own, [*yours[NAIVE], *yours[SPREAD]], strict=True):
        assert interval(trace, 0, "y") == near(mark)
        assert abs(trace.x[0] - level) < 0.02 * (high - low)
        assert low < trace.x[0] < high
    assert own[0].marker.color == TRAINING[NAIVE].style.colour
    (rule,) = figure.layout.shapes
    assert rule.x0 == rule.x1 == level
    assert rule.yref == "paper"  # through both panels
    (note,) = figure.layout.annotations
    assert note.x == level
    assert f"{level:g}" in note.text


# --- the adversary -----------------------------------------------------------------------------------


def test_the_attack_is_drawn_with_its_intervals_and_what_the_lie_promises():
    rates = training.attack_rates(DRAWS)
    figure = charts.attack(rates, 0.8)
    assert len(figure.data) == 3
    for trace, (source, rate) in zip(figure.data, rates.items(), strict=True):
        assert interval(trace, 0, "x") == near(rate)
        assert source in trace.y[0]
        assert cues(trace) == (palette.ADVERSARY.colour, palette.ADVERSARY.marker)
    assert [shape.x0 for shape in figure.layout.shapes] == [0.8, 0.5]
    assert "80.0%" in figure.layout.annotations[0].text
    assert figure.layout.xaxis.title.text == "true label named"
    for text, share in zip(figure.layout.yaxis.ticktext, ("80.0%", "85.0%", "92.0%"), strict=True):
        assert f"<b>{share}</b>" in text
    assert figure.layout.yaxis.categoryarray[::-1] == figure.layout.yaxis.tickvals


# --- weights -----------------------------------------------------------------------------------------


def test_weights_are_white_for_one_class_black_for_the_other_and_grey_for_none():
    coefs = [np.array([0.0, 2.0, -2.0, 1.0, -0.5, 0.002]), np.array([3.0, -1.5, 0.0, 0.0, 0.75, -3.0]), np.zeros(6)]
    pictures = charts.weight_pictures(coefs, (2, 3))
    assert pictures.shape == (1, 3, 2, 3)
    assert pictures.dtype == np.uint8
    for picture, coef in zip(pictures[0], coefs, strict=True):
        found = picture.ravel().astype(float)
        largest = np.abs(coef).max() or 1
        # half a grey level of rounding; mid-grey itself lies between 127 and 128
        assert np.abs(found - (127.5 + 127.5 * coef / largest)).max() <= 0.5
        assert set(found[coef == 0]) <= {127, 128}
        for sign, end in ((1, 255), (-1, 0)):
            assert (found[coef == sign * largest] == end).all()
    np.testing.assert_array_equal(charts.weight_pictures([7 * c for c in coefs], (2, 3)), pictures)
    with pytest.raises(ValueError, match="cannot reshape"):
        charts.weight_pictures(coefs, (2, 2))


# --- digits ------------------------------------------------------------------------------------------


class Table(HTMLParser):
    """The cells of every row, each with its tag, attributes and text; the elements must close as they were opened."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.pictures, self.label = [], [], [], None
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "img":
            self.pictures.append(given)
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append([tag, given, ""])
        elif tag == "table":
            self.label = given["aria-label"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("th", "td"):
            self.rows[-1][-1][2] += data


IMAGES = np.random.default_rng(0).integers(0, 256, (3, 8, 8), dtype=np.uint8)
SAID = [("naive", [("7: 90%", True), ("9: 55%", False), ("7: 51%", True)]), ("a & <b>", [("x", False)] * 3)]


def test_digits_stand_over_what_every_method_says():
    table = Table(charts.digits_html(IMAGES, ["7", "9", 'a "<4>"'], SAID, 'six "verdicts" & <more>'))
    assert table.label == 'six "verdicts" & <more>'
    assert [picture["alt"] for picture in table.pictures] == ["a 7", "a 9", 'a a "<4>"']
    for picture, image in zip(table.pictures, IMAGES, strict=True):
        head, coded = picture["src"].split(",")
        assert head == "data:image/png;base64"
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(base64.b64decode(coded)))), image)
    heads, *body = table.rows
    assert [cell[0] for cell in heads] == ["td", "th", "th", "th"]
    for row, (name, cells) in zip(body, SAID, strict=True):
        assert row[0][0] == "th"
        assert row[0][1] == {"scope": "row"}
        assert row[0][2] == name
        assert [cell[2] for cell in row[1:]] == [words for words, _ in cells]
        for cell, (_, right) in zip(row[1:], cells, strict=True):
            assert cell[1] == ({} if right else {"class": "wrong", "title": "wrong"})


def test_a_page_of_digits_is_whole():
    content = charts.digits_html(IMAGES, ["7"] * 3, SAID, "verdicts")
    page = charts.digits_page(content, "7 < 9 & so on")
    assert page.startswith("<!doctype html>")
    assert content in page
    assert "<p>7 &lt; 9 &amp; so on</p>" in page
    assert ".wrong" in page.split("</style>")[0]
    assert "http" not in html.unescape(page).replace("data:", "")

"""Charts and pictures of training hold the numbers that the experiment found."""

import re

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo.experiments import training
from privdemo.experiments.training.study import STUDIES
from privdemo.figures import training as charts
from privdemo.methods import CLEAN, NAIVE, RECONSTRUCTION, SPREAD, TRAINING
from tests.figures.reading import Reader, holds, inline, rules

NAMES = (CLEAN, NAIVE, RECONSTRUCTION, SPREAD)


def trial(seed):
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


TRIALS = [trial(seed) for seed in range(3)]


@pytest.mark.parametrize("trials", [TRIALS, TRIALS[:1]], ids=["three", "one"])
def test_scores_are_those_of_the_experiment(trials):
    figure = charts.scores(trials, NAMES)
    layout = figure.layout
    nothing = {"accuracy": 0.5, "log_loss": np.log(2), "brier": 0.25}
    for axis, metric in zip(("", "2", "3"), training.METRICS, strict=True):
        here = [trace for trace in figure.data if trace.xaxis == f"x{axis}"]
        labels = dict(zip(layout[f"yaxis{axis}"].tickvals, layout[f"yaxis{axis}"].ticktext, strict=True))
        low, high = layout[f"xaxis{axis}"].range
        for trace, name in zip(here, NAMES, strict=True):
            estimate = training.mean_score(trials, name, metric)
            assert holds(trace, estimate, axis="x")
            number = re.search(r"<b>(.*)</b>", labels[trace.y[0]]).group(1)
            assert trace.y[0] == TRAINING[name].title
            # beyond its axis an estimate is an arrow in its label
            assert ("→" in number, "←" in number) == (estimate.mean > high, estimate.mean < low)
            shown = float(re.search(r"[\d.]+", number).group(0)) / (100 if metric == "accuracy" else 1)
            assert shown == pytest.approx(estimate.mean, rel=0.005, abs=0.0005)  # three digits
        assert rules(figure, False, f"x{axis}") == [training.mean_score(trials, CLEAN, metric).mean]
        assert rules(figure, True, f"x{axis}") == pytest.approx([nothing[metric]])
    assert "→" in "".join(layout.yaxis2.ticktext), "reconstruction is wrong and sure of it"


def test_calibration_curves_are_the_bins():
    ideal, *curves = charts.calibration(TRIALS, NAMES).data
    assert list(ideal.x) == list(ideal.y) == [0, 1]
    for trace, name in zip(curves, NAMES, strict=True):
        bins = training.calibration(TRIALS, name)
        assert list(zip(trace.x, trace.customdata, strict=True)) == [(b.said, b.n) for b in bins]
        assert holds(trace, *(b.true for b in bins))


def test_the_trade_off_draws_every_point_of_a_study():
    study = STUDIES["figure3"]
    curves = training.study.points(training.study.load("figure3"))
    figure = charts.trade_off(study, curves, {}, 0.17)
    for axis, metric in (("y", "accuracy"), ("y2", "log_loss")):
        here = [trace for trace in figure.data if "lines" in trace.mode and (trace.yaxis or "y") == axis]
        for trace, (method, curve) in zip(here, curves.items(), strict=True):
            assert trace.name == TRAINING[method].title
            assert holds(trace, *(getattr(point, metric) for point in curve))
    stars = [(t.x[0], t.y[0], t.marker.color) for t in figure.data if t.name == "published"]
    published = [(x, y, n) for n in curves for x, y in study.published.get(n, {}).items()]
    assert stars == [(x, y, TRAINING[n].style.colour) for x, y, n in published]


def test_weights_are_white_for_one_class_black_for_the_other_and_grey_for_none():
    coefs = [np.array([0.0, 2.0, -2.0, 1.0, -0.5, 0.002]), np.array([3.0, -1.5, 0.0, 0.0, 0.75, -3.0]), np.zeros(6)]
    pictures = charts.weight_pictures(coefs, (2, 3))
    assert (pictures.shape, pictures.dtype) == ((1, 3, 2, 3), np.uint8)
    for picture, coef in zip(pictures[0], coefs, strict=True):
        largest = np.abs(coef).max() or 1
        # half a grey level of rounding; mid-grey itself lies between 127 and 128
        assert np.abs(picture.ravel() - (127.5 + 127.5 * coef / largest)).max() <= 0.5


IMAGES = np.random.default_rng(0).integers(0, 256, (3, 8, 8), dtype=np.uint8)
SAID = [("naive", [("7: 90%", True), ("9: 55%", False), ("7: 51%", True)]), ("a & <b>", [("x", False)] * 3)]


def test_digits_stand_over_what_every_method_says():
    content = charts.digits_html(IMAGES, ["7", "9", 'a "<4>"'], SAID, 'six "verdicts" & <more>')
    reader = Reader(content)
    assert reader.all("table") == [{"aria-label": 'six "verdicts" & <more>'}]
    assert [image["alt"] for image in reader.all("img")] == ["a 7", "a 9", 'a a "<4>"']
    for image, drawn in zip(reader.all("img"), IMAGES, strict=True):
        np.testing.assert_array_equal(inline(image["src"]), drawn)
    assert reader.words == [words for name, cells in SAID for words in (name, *(said for said, _ in cells))]
    wrong = [cell == {"class": "wrong", "title": "wrong"} for cell in reader.all("td")[1:]]
    assert wrong == [not right for _, cells in SAID for _, right in cells]

"""Charts and pictures of training hold the numbers that the experiment found."""

import io
import re

import numpy as np
import pytest
from PIL import Image
from scipy.special import expit
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo.experiments import training
from privdemo.experiments.training.study import STUDIES
from privdemo.figures import png
from privdemo.figures import training as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import CLEAN, NAIVE, RECONSTRUCTION, SPREAD, TRAINING
from tests.figures.reading import Reader, inline, shows_estimates, vertical_lines

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
        scores = accuracy_score(y, p > 0.5), log_loss(y, p), brier_score_loss(y, p)
        fits[name] = training.Fit(name, p, s[:4], 0.0, 5.0, 0.1, 1.0, *map(float, scores), None)
    attack = training.Attack(200, 160, 170, 184)
    return training.Trial(training.TrainingConfig("digits", ("3", "8"), trial=seed), fits, y, attack)


TRIALS = [trial(seed) for seed in range(3)]


@pytest.mark.parametrize("trials", [TRIALS, TRIALS[:1]], ids=["three", "one"])
@pytest.mark.parametrize(("metric", "nothing"), [("accuracy", 0.5), ("log_loss", np.log(2))])
def test_scores_are_those_of_the_experiment(trials, metric, nothing):
    figure = charts.scores(trials, NAMES, metric)
    axis = figure.layout.yaxis
    labels = dict(zip(axis.tickvals, axis.ticktext, strict=True))
    low, high = figure.layout.xaxis.range
    for trace, name in zip(figure.data, NAMES, strict=True):
        estimate = training.mean_score(trials, name, metric)
        assert shows_estimates(trace, estimate, axis="x")
        number = re.search(r"<b>(.*)</b>", labels[trace.y[0]]).group(1)
        assert trace.y[0] == TRAINING[name].title
        # beyond its axis an estimate is an arrow in its label
        assert ("→" in number, "←" in number) == (estimate.mean > high, estimate.mean < low)
        shown = float(re.search(r"[\d.]+", number).group(0)) / (100 if metric == "accuracy" else 1)
        assert shown == pytest.approx(estimate.mean, rel=0.005, abs=0.0005)  # three digits
    assert vertical_lines(figure, False, "x") == [training.mean_score(trials, CLEAN, metric).mean]
    assert vertical_lines(figure, True, "x") == pytest.approx([nothing])
    assert ("→" in "".join(axis.ticktext)) == (metric == "log_loss"), "reconstruction is wrong and sure of it"


def test_calibration_curves_are_the_bins():
    ideal, *curves = charts.calibration(TRIALS, NAMES).data
    assert list(ideal.x) == list(ideal.y) == [0, 1]
    for trace, name in zip(curves, NAMES, strict=True):
        bins = training.calibration(TRIALS, name)
        assert list(zip(trace.x, trace.customdata, strict=True)) == [(b.predicted, b.n) for b in bins]
        assert shows_estimates(trace, *(b.observed for b in bins))


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda study: study.name)
def test_the_trade_off_shows_every_point_of_a_study(study, metric):
    curves = training.study.points(training.study.load(study.name))
    mine = {NAIVE: Estimate(0.7, 0.6, 0.8)}
    figure = charts.trade_off(study, curves, mine, 0.17, metric)
    here = [trace for trace in figure.data if "lines" in trace.mode]
    for trace, (method, curve) in zip(here, curves.items(), strict=True):
        assert trace.name == TRAINING[method].title
        assert shows_estimates(trace, *(getattr(point, metric) for point in curve))
    (own,) = [trace for trace in figure.data if trace.name.endswith(", your setting")]
    assert shows_estimates(own, mine[NAIVE])
    stars = [(t.x[0], t.y[0], t.marker.color) for t in figure.data if t.name == "published"]
    published = [(x, y, n) for n in curves for x, y in study.published.get(n, {}).items() if metric == "accuracy"]
    assert stars == [(x, y, TRAINING[n].style.colour) for x, y, n in published]


def test_weights_are_white_for_one_class_black_for_the_other_and_grey_for_none():
    coefs = [np.array([0.0, 2.0, -2.0, 1.0, -0.5, 0.002]), np.array([3.0, -1.5, 0.0, 0.0, 0.75, -3.0]), np.zeros(6)]
    pictures = charts.weight_pictures(coefs, (2, 3))
    assert (pictures.shape, pictures.dtype) == ((1, 3, 2, 3), np.uint8)
    for picture, coef in zip(pictures[0], coefs, strict=True):
        largest = np.abs(coef).max() or 1
        # half a grey level of rounding; mid-grey itself lies between 127 and 128
        assert np.abs(picture.ravel() - (127.5 + 127.5 * coef / largest)).max() <= 0.5


def test_nothing_is_between_pictures_of_weights():
    coefs = [np.array([0.0, 2.0, -2.0, 1.0]), np.array([3.0, -1.5, 0.0, 0.75])]
    with Image.open(io.BytesIO(png(charts.weight_sheet(coefs, (2, 2))))) as picture:
        grey, opacity = np.moveaxis(np.asarray(picture), -1, 0)
    assert (opacity == [[255, 255, 0, 0, 255, 255]] * 2).all()
    np.testing.assert_array_equal(grey[:, [0, 1, 4, 5]], np.hstack(charts.weight_pictures(coefs, (2, 2))[0]))


def test_of_more_classes_a_model_has_a_picture_of_each_and_a_table_of_what_it_names_them():
    coefs = [np.arange(18.0).reshape(3, 6), -np.ones((3, 6))]
    pictures = charts.weight_pictures(coefs, (2, 3))
    assert pictures.shape == (2, 3, 2, 3)
    np.testing.assert_array_equal(pictures[0].ravel(), np.round(127.5 + 127.5 * np.arange(18) / 17).astype(np.uint8))
    y = np.array([0, 1, 1, 2])
    proba = np.array([[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.1, 0.3, 0.6], [0.2, 0.2, 0.6]])
    fit = training.Fit(SPREAD, proba, coefs[0], np.zeros(3), 5.0, 0.1, 1.0, 0.75, 0.6, 0.1, None)
    config = training.TrainingConfig("digits", ("3", "8", "5"), labels=RandomisedResponse(0.2, 3))
    trial = training.Trial(config, {SPREAD: fit, CLEAN: fit}, y, training.Attack(4, 3, 3, 3))
    (trace,) = charts.confusion([trial], SPREAD).data
    assert [list(row) for row in trace.z] == [[1, 0, 0], [0, 0.5, 0.5], [0, 0, 1]]
    assert vertical_lines(charts.scores([trial], [SPREAD], "log_loss"), True, "x") == pytest.approx([np.log(3)])


IMAGES = np.random.default_rng(0).integers(0, 256, (4, 8, 8), dtype=np.uint8)
SAID = [
    (
        ("naive", "how"),
        [charts.Said("7", "very sure", True), charts.Said("a & <b>", "unsure", False)] * 2,
    ),
    (("a & <b>", "<i>"), "the same"),
]


def test_digits_stand_over_what_every_method_says():
    content = charts.digits_html(IMAGES, ["7", "9", 'a "<4>"', "3"], SAID, 'six "verdicts" & <more>')
    reader = Reader(content)
    assert reader.all("table") == [{"aria-label": 'six "verdicts" & <more>'}]
    assert [image["alt"] for image in reader.all("img")] == ["a 7", "a 9", 'a a "<4>"', "a 3"]
    for image, digit in zip(reader.all("img"), IMAGES, strict=True):
        np.testing.assert_array_equal(inline(image["src"]), digit)
    assert reader.words[:5] == ["true answer", "7", "9", 'a "<4>"', "3"]
    said = ["7", "very sure", "a & <b>", " ", "✗\u00a0wrong", "unsure"] * 2
    assert reader.words[5:] == ["naive", "how", *said, "a & <b>", "<i>", "the same"]
    assert reader.all("td")[-1] == {"colspan": "4"}


def test_groups_of_digits_have_titles_and_what_was_learnt_from_stands_beside():
    trained_on = "From 9 such", IMAGES[:2]
    content = charts.digits_html(
        IMAGES, list("7979"), SAID, "x", groups=[("alike", 1), ("not <b>", 3)], trained_on=trained_on, legend="a < b"
    )
    assert Reader(content).words[-1] == "a < b"
    reader = Reader(content)
    assert [head["colspan"] for head in reader.all("th") if head["scope"] == "colgroup"] == ["1", "3"]
    assert reader.words[:4] == ["From 9 such", "alike", "not <b>", "true answer"]
    for image, digit in zip(reader.all("img"), [*IMAGES[:2], *IMAGES], strict=True):
        np.testing.assert_array_equal(inline(image["src"]), digit)

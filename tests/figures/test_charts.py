"""The traces of shared charts and of images, label counts and class ratios equal the estimates given to them."""

import math

import numpy as np
import pytest

from privdemo import figures, palette
from privdemo.datasets import Answers
from privdemo.experiments import class_ratio, label_counts, many_answers
from privdemo.experiments.class_ratio import SHARES, RatioConfig
from privdemo.experiments.images import Point
from privdemo.experiments.label_counts import CountConfig
from privdemo.experiments.many_answers import AnswersConfig
from privdemo.experiments.trials import with_trial
from privdemo.figures import chart_style, charts, people
from privdemo.figures import class_ratio as ratio_charts
from privdemo.figures import label_counts as count_charts
from privdemo.figures import label_proportions as bag_charts
from privdemo.figures import many_answers as answer_charts
from privdemo.figures import training as training_charts
from privdemo.figures.pictures import data_uri
from privdemo.intervals import Estimate
from privdemo.mechanisms import Distortion
from privdemo.mechanisms.pixels import FAMILIES
from privdemo.methods import CLASS_RATIO, EM, LABEL_COUNTS, MMD, SPREAD
from tests.figures.reading import Reader, colour_and_marker, shows_estimates, traces_by_name


def rates(*sources):
    return {source: Estimate(0.5 + i / 16, 0.49, 0.61 + i / 16) for i, source in enumerate(sources)}


@pytest.mark.parametrize(
    ("attack", "rates", "promised", "rules"),
    [
        (training_charts.attack, rates("label", "image", "both"), (0.8,), [0.8, 0.5]),
        (ratio_charts.attack, rates("model", "set", "both", "new"), (), [0.5625]),
        (bag_charts.attack, rates("bag", "prior", "model", "both"), (), [0.5625]),
    ],
)
def test_an_adversarys_hit_rates_are_plotted_with_lines_at_the_guarantee_or_the_prior(attack, rates, promised, rules):
    figure = attack(rates, *promised)
    stems, marks = figure.data[: len(rates)], figure.data[len(rates) :]
    assert [stem.x[1] for stem in stems] == [rate.mean for rate in rates.values()]
    for trace, rate, text in zip(marks, rates.values(), figure.layout.yaxis.ticktext, strict=True):
        assert shows_estimates(trace, rate, axis="x")
        assert colour_and_marker(trace) == (palette.ADVERSARY.colour, palette.ADVERSARY.marker)
        assert text.endswith(f"<b>{charts.percent(rate.mean)}</b>")
    pieces = [(shape.x0, shape.y0, shape.y1) for shape in figure.layout.shapes]
    assert list(dict.fromkeys(x for x, _, _ in pieces)) == rules
    beside = [(row - chart_style.RULE_BELOW, row + chart_style.RULE_ABOVE) for row in range(len(rates))]
    assert [ends for _, *ends in pieces] == [list(ends) for _ in rules for ends in beside], "none crosses a name"
    low, high = figure.layout.xaxis.range
    assert low <= 0.5 < 1 < high


def point(level, start):
    """Return a point whose numbers all differ, with asymmetric intervals."""
    absolute, squared, linked = (Estimate(m, m - 0.011, m + 0.023) for m in (start + 0.1, start + 0.2, start + 0.3))
    return Point(level, 25, Distortion(start, start + 0.01), absolute, squared, linked)


POINTS = tuple(point(level, start) for level, start in ((0.0, 0.05), (0.25, 0.15), (0.5, 0.3)))


def test_measured_points_have_intervals_expected_values_and_chance_level():
    here, family = point(0.3125, 0.2), FAMILIES["randomised_response"]
    errors = figures.pixel_error_figure(POINTS, here, family)
    linkage = figures.reidentification_figure(POINTS, here, family)
    for figure in (errors, linkage):
        (rule,), label = figure.layout.shapes, figure.layout.annotations[0]
        assert (rule.x0, label.x, label.text) == (0.3125, 0.3125, "your setting: 31.25 %")
    traces = traces_by_name(errors) | traces_by_name(linkage)
    assert len(traces) == 6
    for name, mark, style in (
        ("error, measured", "absolute", palette.OTHERS[0]),
        ("squared error, measured", "squared", palette.OTHERS[1]),
        ("right person picked", "linked", palette.ADVERSARY),
    ):
        trace = traces[name]
        assert list(trace.x) == [0.0, 0.25, 0.5]
        assert shows_estimates(trace, *(getattr(p, mark) for p in POINTS))
        assert colour_and_marker(trace) == (style.colour, style.marker)
    assert list(traces["error"].y) == [p.expected.absolute for p in POINTS]
    assert list(traces["squared error"].y) == [p.expected.squared for p in POINTS]
    chance = traces["guessing blindly, 1 in 25"]
    assert (list(chance.x), list(chance.y)) == ([0.0, 0.5], [1 / 25] * 2)


def test_errors_of_guesses_have_one_curve_for_each_prior_on_pixels():
    errors = {p.level: {"learned": p.squared, "low_rank": p.absolute} for p in POINTS}
    titles = {"learned": "one by one", "low_rank": "strokes"}
    here, family = point(0.3125, 0.2), FAMILIES["randomised_response"]
    traces = traces_by_name(figures.reconstruction_figure(errors, titles, here, family))
    assert list(traces) == ["one by one", "strokes"]
    assert shows_estimates(traces["one by one"], *(p.squared for p in POINTS))
    assert shows_estimates(traces["strokes"], *(p.absolute for p in POINTS))
    assert colour_and_marker(traces["strokes"]) == (palette.ADVERSARY.colour, palette.ADVERSARY.marker)


def test_distortion_along_an_axis_ends_where_there_is_no_noise():
    axis = label_counts.DELTA_AXIS
    outcomes = label_counts.along(CountConfig(repeats=20), axis, 5, 1000, 0.05)
    estimates = {x: {name: o.distortion for name, o in here.items() if o.mechanism} for x, here in outcomes.items()}
    traces = traces_by_name(count_charts.along(axis, estimates, None))
    for name, method in LABEL_COUNTS.items():
        there = [x for x, here in estimates.items() if name in here]
        assert (method.title in traces) == bool(there)
        if not there:
            continue
        assert list(traces[method.title].x) == there
        assert shows_estimates(traces[method.title], *(estimates[x][name] for x in there))


def test_distortion_is_plotted_as_people_that_counts_are_off_by_of_1000_with_the_published_stars():
    estimates = {0.05: {"laplace published": Estimate(0.16, 0.15, 0.17)}}
    line, star, *_ = count_charts.along(label_counts.EPSILON_AXIS, estimates, None, in_l1=False).data
    assert shows_estimates(line, Estimate(160, 150, 170))
    assert (star.name, star.y[0]) == ("published", 1000 * label_counts.PUBLISHED["laplace published"])


def test_a_release_is_plotted_with_the_true_counts():
    outcome = label_counts.run(CountConfig((50, 70, 200)))["laplace tight"]
    figure = count_charts.beside((50, 70, 200), outcome, [0, 2], ("flu", "gout", "none"))
    true, released, ranges, errors, in_legend = figure.data
    assert (errors.name, in_legend.name) == ("error this time", "range of the error in 95 of 100 repetitions")
    assert in_legend.x == (None,)
    assert [words.split(":")[0] for words in true.customdata] == ["flu", "none"]
    assert list(true.x) == [50, 200]
    assert list(true.y) == [1, 0], "the first class at the top"
    published = [round(320 * outcome.example[c]) for c in (0, 2)]
    assert list(released.x) == published
    assert list(errors.x) == [n - true for n, true in zip(published, (50, 200), strict=True)]
    ends = [[320 * end - true for end in outcome.ranges[c]] for c, true in ((0, 50), (2, 200))]
    assert shows_estimates(ranges, *((sum(both) / 2, *both) for both in ends), axis="x")


CONFIG = RatioConfig("breast_cancer", 2, 80, n_test=80, methods=(SPREAD, MMD, EM))


@pytest.fixture(scope="module")
def trials():
    return [class_ratio.run(with_trial(CONFIG, i)) for i in range(2)]


def test_true_shares_are_plotted_with_every_methods_estimates(trials):
    traces = traces_by_name(ratio_charts.proportions(trials, (SPREAD, MMD, EM)))
    assert tuple(traces["truth"].x) == ("malignant", "benign")
    lines = ratio_charts.proportions(trials, (SPREAD,)).layout.shapes
    assert [line.y0 for line in lines] == [line.y1 for line in lines] == pytest.approx(list(trials[0].truth))
    for method in (SPREAD, MMD, EM):
        trace = traces[CLASS_RATIO[method].title]
        assert shows_estimates(trace, *(class_ratio.share_of(trials, method, c) for c in range(2)))
        assert trace.marker.color == CLASS_RATIO[method].style.colour


@pytest.mark.parametrize(("truth", "place"), [(0.9, "high"), (0.5, "middle"), (0.1, "low")])
def test_answers_stand_beside_the_truth_and_what_is_given(truth, place):
    image = np.zeros((8, 8), np.uint8)
    given = ratio_charts.Given("told <", (0.7, 0.3), 2, ("7s", "<9>"), (image, image), truth)
    found = [
        ratio_charts.Found(
            "one & only", "how <", "#123456", Estimate(0.8, 0.7, 1.1), "80 %", "9 < 10", "70 to 110", True
        ),
        ratio_charts.Found("other", "how", "#654321", Estimate(0.25, math.nan, math.nan), "25 %", "", "", False),
    ]
    reader = Reader(ratio_charts.answers_html(given, found, "how many", "marks"))
    assert [bar["style"] for bar in reader.all("i") if bar["class"] == "bar"] == [
        "width:80.00%;background:#123456",
        "width:25.00%;background:#654321",
    ]
    rows = [row for row in reader.all("div") if row.get("class", "").startswith("ratio-row")][1:]
    assert [(row["class"], row["title"]) for row in rows] == [("ratio-row", "70 to 110"), ("ratio-row far", "")]
    assert [line["style"] for line in reader.all("i") if line["class"] == "truth"] == [f"left:{100 * truth:.2f}%"] * 2
    assert [one["class"] for one in reader.all("span") if one.get("class") in ("high", "middle", "low")] == [place]
    assert [one["style"] for one in reader.all("span") if one.get("class") == "first"] == [
        "width:70.00%",
        "width:30.00%",
    ]
    words = " ".join(reader.words)
    for part in (
        "told <",
        "70\u00a0%",
        "<9>",
        "and 2 more such groups",
        f"truth {100 * truth:.1f}\u00a0%",
        "one & only",
        "9 < 10",
    ):
        assert part in words
    assert len(reader.all("img")) == 2


def test_an_image_of_each_class_stands_on_the_axis_over_its_name(trials):
    images = [np.full((8, 8), grey, np.uint8) for grey in (0, 255)]
    plain, pictured = (ratio_charts.proportions(trials, (SPREAD,), some) for some in ((), images))
    assert [(image.x, image.source) for image in pictured.layout.images] == [
        (0, data_uri(images[0])),
        (1, data_uri(images[1])),
    ]
    assert pictured.layout.xaxis.ticklabelstandoff > 30
    assert pictured.layout.height > plain.layout.height


@pytest.mark.parametrize(
    ("name", "word"), [("First-line supervisors of retail sales", "First-li…sales{}"), ("nurse", "nurse{}"), ("", "{}")]
)
def test_names_of_answers_fit_beside_their_bars(name, word):
    names = tuple(f"{name}{i}" for i in range(10))
    own = Answers("jobs.csv", "job", names, np.ones(10))
    figure = answer_charts.shares(many_answers.run(AnswersConfig(own, 1024, people=10)))
    axis = figure.layout.yaxis
    assert list(axis.ticktext) == [word.format(i) for i in range(10)]
    assert list(axis.tickvals) == list(figure.data[0].y) == list(range(9, -1, -1)), "the most frequent at the top"
    assert figure.data[0].customdata == names, "whole where somebody points at a bar"


def test_every_method_has_bars_of_its_own_colour_and_pattern():
    looks = {(method.style.colour, ratio_charts._PATTERNS[name]) for name, method in CLASS_RATIO.items()}
    assert len(looks) == len(CLASS_RATIO)


def test_errors_are_plotted_at_their_mix_with_a_line_at_the_visitors_mix(trials):
    figure = ratio_charts.errors(trials, (SPREAD, MMD))
    for trace, method in zip(figure.data, (SPREAD, MMD), strict=True):
        assert tuple(trace.x) == SHARES
        errors = (class_ratio.error_along(trials, method, i).times(500) for i in range(len(SHARES)))
        assert shows_estimates(trace, *errors), "half the L1 error, of 1,000 records"
    assert figure.layout.shapes[0].x0 == 0.5


def ending_at(*ends, name="method"):
    """Return a chart of curves that end at the given heights."""
    curves = [
        charts.Curve(f"{name} {i}", palette.STYLES[i], [1, 2], [Estimate(0.5, 0.4, 0.6), Estimate(y, y, y)])
        for i, y in enumerate(ends)
    ]
    return charts.curve_chart(curves, charts.axis("x", [1, 2]), {"range": [0, 1]})


def test_few_curves_with_distant_ends_are_labelled_at_their_ends():
    figure = ending_at(0.9, 0.2, 0.5)
    notes = [(note.text, note.x, note.y) for note in figure.layout.annotations]
    assert notes == [("method 1", 2, 0.2), ("method 2", 2, 0.5), ("method 0", 2, 0.9)]
    assert figure.layout.showlegend is False
    assert figure.layout.margin.r > len("method 1") * 5


@pytest.mark.parametrize(
    "figure",
    [ending_at(0.9, 0.89), ending_at(0.1, 0.3, 0.5, 0.7, 0.9), ending_at(0.2, 0.9, name="incomprehensibilities")],
    ids=["together", "many", "long"],
)
def test_other_curves_are_named_in_the_legend(figure):
    assert not figure.layout.annotations
    assert figure.layout.showlegend is None


@pytest.mark.parametrize(("n", "columns"), [(1000, 40), (100, 10), (1, 1), (7, 4)])
def test_dots_fill_their_rectangle(n, columns):
    field = figures.dot_field("people", np.zeros(n, int), people.TRUTH)
    assert field.columns == columns
    assert -n % columns <= 1

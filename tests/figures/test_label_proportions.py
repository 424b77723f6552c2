"""Charts of label proportions hold the numbers that the experiment found."""

import base64
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from privdemo import palette
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig, study
from privdemo.experiments.label_proportions.fit import F1
from privdemo.figures import label_proportions as charts
from privdemo.figures.bag import PEOPLE, bag_html
from privdemo.figures.people import A_COLOUR, B_COLOUR
from privdemo.intervals import Estimate
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LLP, MEAN_MAP
from privdemo.methods import NAMES as BAG_NAMES
from privdemo.tasks import BINARY
from tests.figures.reading import shows_estimates, vertical_lines

METHODS = (FULL, BAG_NAMES, LLP, MEAN_MAP, ALTERNATING)
LEVELS = study.EPSILONS


def title(name):
    return LABEL_PROPORTIONS[name].title


def made(blocks=((4,), (4,)), true=(0.25, 0.5), released=(0.25, 0.5), fits=None):
    """A trial of bags with groups of the given sizes."""
    attack = label_proportions.Attack(
        n=1, prior_right=1, bag_right=1, model_right=1, both_right=1, exposed=0, prior=0.5, guesses=()
    )
    return label_proportions.Trial(
        BagConfig(),
        fits or {},
        blocks=tuple(map(tuple, blocks)),
        proportions=np.array(released),
        true_proportions=np.array(true),
        loss=0.0,
        least_labels=(1, 1),
        turned=0.0,
        identified=True,
        n_test=1,
        test_share=0.4,
        attack=attack,
    )


def scored(seed):
    rng = np.random.default_rng(seed)
    marks = ({HALF: F1(*rng.uniform(0.6, 0.9, 3)), SHARE: F1(*rng.uniform(0.6, 0.9, 3))} for _ in METHODS)
    return made(
        fits={
            name: label_proportions.Fit(name, f1, C=1.0, seconds=0.1) for name, f1 in zip(METHODS, marks, strict=True)
        }
    )


TRIALS = [scored(seed) for seed in range(2)]


@pytest.mark.parametrize("threshold", [HALF, SHARE])
def test_scores_are_those_of_the_experiment(threshold):
    figure = charts.scores(TRIALS, METHODS, threshold)
    for axis, which in zip(("", "2", "3"), label_proportions.F1S, strict=True):
        here = [trace for trace in figure.data if trace.xaxis == f"x{axis}"]
        low, high = figure.layout[f"xaxis{axis}"].range
        for trace, name in zip(here, METHODS, strict=True):
            estimate = label_proportions.mean_score(TRIALS, name, which, threshold)
            assert list(trace.y) == [title(name)]
            assert shows_estimates(trace, estimate, axis="x")
            assert low < estimate.mean <= high == 1
        assert vertical_lines(figure, False, f"x{axis}") == [here[0].x[0]], "of whoever has all labels"
        nothing = getattr(label_proportions.all_negative(TRIALS), which)
        assert vertical_lines(figure, True, f"x{axis}") == ([nothing] if low <= nothing > 0 else [])


@pytest.mark.parametrize("threshold", [HALF, SHARE])
def test_shares_of_right_answers_stand_beside_those_of_all_labels_and_of_always_no(threshold):
    figure = charts.accuracies(TRIALS, METHODS, threshold, BINARY["adult"])
    *traces, lazy = figure.data
    for trace, name in zip(traces, METHODS, strict=True):
        assert list(trace.y) == [title(name)]
        assert shows_estimates(trace, label_proportions.mean_accuracy(TRIALS, name, threshold), axis="x")
    assert (lazy.x[0], lazy.y[0]) == (pytest.approx(0.6), "always say “$50,000 or less”")
    assert vertical_lines(figure, False, "x") == [figure.data[0].x[0]], "of whoever has all labels"
    assert vertical_lines(figure, True, "x") == [pytest.approx(0.6)], "40 % of the test records are positive"
    assert figure.layout.xaxis.range[0] < 0.6


def test_every_method_says_below_its_name_how_it_learns():
    assert set(charts.HOW) == set(LABEL_PROPORTIONS)
    words = charts.accuracies(TRIALS, (BAG_NAMES, MEAN_MAP, FULL), SHARE, BINARY["adult"]).layout.yaxis.ticktext
    assert [one.partition("<br>")[2] for one in words[:3]] == [
        "treats each one in a {0} bag as {0} likely".format(f"{TRIALS[0].proportions[0]:.0%}".replace("%", "\u00a0%")),
        "finds what bags of high percentage have in common",
        "knows which people earn over $50,000 a year",
    ]
    assert words[3].endswith("</b><br>learns nothing (for comparison)")
    extreme = replace(TRIALS[0], proportions=np.array([0.0, 1.0, 0.4, 0.2]))
    words = charts.accuracies([extreme], (BAG_NAMES,), SHARE, BINARY["adult"]).layout.yaxis.ticktext
    assert words[0].endswith("treats each one in a 40\u00a0% bag as 40\u00a0% likely"), "0 % says nothing"


@pytest.mark.parametrize(("size", "dots"), [(10, 10), (4000, 1000)])
def test_a_bag_shows_who_has_which_label_and_that_what_leaves_has_none(size, dots):
    words = {
        "kept": "kept & seen",
        "legend": ("yes", "no"),
        "sent": "What is told: 30 %",
        "told": "30 %",
        "unknown": "?",
    }
    page = bag_html(size, 0.3, size // 2, PEOPLE, **words, alt="a bag")
    owner, *keys, leaving, key = (base64.b64decode(one).decode() for one in re.findall(r"base64,([^\"]*)", page))
    assert [re.findall(r'fill="(#\w+)"', one) for one in (*keys, key)] == [
        [A_COLOUR],
        [B_COLOUR],
        [palette.TRUTH.colour],
    ]
    fills = [re.findall(r'fill="(#\w+)" d="([^"]*)"', picture) for picture in (owner, leaving)]
    counts = [{colour: outline.count("M") for colour, outline in fill} for fill in fills]
    assert counts[0] == {A_COLOUR: round(0.3 * dots), B_COLOUR: round(0.7 * dots)}
    assert counts[1] == {palette.TRUTH.colour: min(size // 2, 1000)}
    assert "kept &amp; seen" in page
    assert "What is told: <b>30 %</b>" in page


def column_of(trace, column):
    return np.array([row[column] for row in trace.z], dtype=float)


def test_columns_hold_positives_at_the_top_and_released_proportions_at_the_bottom():
    true, released, sizes = (0.25, 0.7, 0.0, 1.0), (0.31, -0.1, -0.3, 1.4), (20, 10, 12, 7)
    trial = made([[4, 16], [10], [3] * 4, [7]], true, released)
    known, sent, diamonds = charts.columns(trial, "are malignant").data
    assert list(known.x) == [1, 2, 3, 4]
    assert (known.zmin, known.zmax) == (sent.zmin, sent.zmax) == (0, 1)
    assert known.colorscale == ((0, charts.PALE), (1, A_COLOUR))
    assert sent.colorscale == ((0, charts.UNKNOWN), (1, charts.UNKNOWN)), "no label is released"
    record = np.arange(charts.STEPS) * 20 // charts.STEPS  # of every step, the record it is in
    for bag, size in enumerate(sizes):
        top, bottom = column_of(known, bag), column_of(sent, bag)
        plotted = ~np.isnan(top)
        np.testing.assert_array_equal(top[plotted], record[plotted] < round(true[bag] * size))
        assert set(record[plotted]) == set(range(size)), "no record beyond the bag, and each of it"
        assert set(bottom[~np.isnan(bottom)]) == {0}
        assert sent.customdata[0][bag].tolist() == pytest.approx([bag + 1, released[bag]], abs=1e-6)
    # as released, also where noise has carried it outside; far outside it is an arrow at the edge
    assert diamonds.y == pytest.approx([0.31 * 20, -0.1 * 10, -0.2 * 12, 1.2 * 7])
    assert list(diamonds.marker.symbol) == ["diamond", "diamond", "triangle-down", "triangle-up"]


def test_places_keep_the_order_and_infinity_is_last():
    assert [charts.axis_position(LEVELS, level) for level in LEVELS] == pytest.approx(range(len(LEVELS)), abs=1e-12)
    places = [
        charts.axis_position(LEVELS, value) for value in (1e-6, 0.01, 0.013, 0.1, 0.14, 1, 3, 5, 7, 1e9, math.inf)
    ]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, len(LEVELS) - 1)
    assert places[-3] == places[-2] < places[-1], "beyond 5, but not ∞"


def rows_of(name, method, **place):
    rows = [row for row in study.select(study.load(), name, "breast_cancer", HALF) if row.method == method]
    return [row for row in rows if all(getattr(row, key) == value for key, value in place.items())]


def line(name, rows):
    return name, title(name), LABEL_PROPORTIONS[name].style, rows, lambda row: row.proportion_epsilon


def test_curves_are_the_rows_and_own_results_stand_at_their_level():
    level, names = 40.0, (FULL, BAG_NAMES, LLP)
    yours = {
        LLP: Estimate(0.8, 0.7, 0.93),
        BAG_NAMES: Estimate(0.62, -math.inf, math.inf),
        MEAN_MAP: Estimate(0.1, 0, 1),
    }
    rows = {name: rows_of(study.PROPORTION_NOISE, name) for name in names}
    lines = [line(name, rows[name]) for name in names]
    figure = charts.curves(lines, "ε of every label", LEVELS, yours, level, [(0.05, "published")])
    shift = {}
    for trace, name in zip([trace for trace in figure.data if trace.mode == "lines+markers"], names, strict=True):
        assert shows_estimates(trace, *(row.estimate for row in rows[name]))
        shift[name] = trace.x[0]
        assert list(trace.x) == pytest.approx(np.arange(len(LEVELS)) + shift[name])
    own = {trace.name: trace for trace in figure.data if trace.mode == "markers"}
    both = [name for name in names if name in yours]
    assert set(own) == {f"{title(name)}, your setting" for name in both}, "a result without its curve is not plotted"
    for name in both:
        trace = own[f"{title(name)}, your setting"]
        assert (trace.x[0], trace.y[0]) == (
            pytest.approx(charts.axis_position(LEVELS, level) + shift[name]),
            yours[name].mean,
        )
        assert (trace.error_y.array is None) == math.isinf(yours[name].low)
    assert [shape.x0 for shape in figure.layout.shapes] == [charts.axis_position(LEVELS, level), 2]

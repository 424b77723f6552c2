"""Charts of label proportions hold the numbers that the experiment found."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig, study
from privdemo.experiments.label_proportions.fit import F1
from privdemo.figures import label_proportions as charts
from privdemo.figures.people import A_COLOUR, B_COLOUR
from privdemo.intervals import Estimate
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES
from tests.figures.reading import holds, is_finite, look, rules

METHODS = (FULL, NAMES, LLP, MEAN_MAP, ALTERNATING)
LEVELS = study.EPSILONS


def title(name):
    return LABEL_PROPORTIONS[name].title


def made(blocks=((4,), (4,)), true=(0.25, 0.5), released=(0.25, 0.5), fits=None):
    """A trial of bags with groups of the given sizes."""
    attack = label_proportions.Attack(1, 1, 1, 1, 1, 0, 0.5, ())
    blocks, shares = tuple(map(tuple, blocks)), (np.array(released), np.array(true))
    return label_proportions.Trial(BagConfig(), fits or {}, blocks, *shares, 0.0, (1, 1), 0.0, True, 1, 0.4, attack)


def scored(seed):
    rng = np.random.default_rng(seed)
    marks = ({HALF: F1(*rng.uniform(0.6, 0.9, 3)), SHARE: F1(*rng.uniform(0.6, 0.9, 3))} for _ in METHODS)
    return made(fits={name: label_proportions.Fit(name, f1, 1.0, 0.1) for name, f1 in zip(METHODS, marks, strict=True)})


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
            assert holds(trace, estimate, axis="x")
            assert low < estimate.mean <= high == 1
        assert rules(figure, False, f"x{axis}") == [here[0].x[0]], "of whoever has all labels"
        nothing = getattr(label_proportions.all_negative(TRIALS), which)
        assert rules(figure, True, f"x{axis}") == ([nothing] if low <= nothing > 0 else [])


def test_one_draw_has_no_interval():
    for trace in charts.scores(TRIALS[:1], METHODS, HALF).data:
        assert trace.error_x.array is None
        assert "95 %" not in trace.hovertemplate
    one = replace(rows_of(study.PROPORTION_NOISE, LLP)[0], n_draws=1, low=-math.inf, high=math.inf)
    assert holds(charts.curves([line(LLP, [one])], "ε", LEVELS, {}, 0.1).data[0], [one.average] * 3)
    assert holds(charts.selections([one], (LLP,)).data[0], [one.average] * 3, axis="x")


def column_of(trace, column):
    return np.array([row[column] for row in trace.z], dtype=float)


def test_columns_hold_positives_at_the_top_and_released_proportions_at_the_bottom():
    true, released, sizes = (0.25, 0.7, 0.0, 1.0), (0.31, -0.1, -0.3, 1.4), (20, 10, 12, 7)
    trial = made([[4, 16], [10], [3] * 4, [7]], true, released)
    known, told, diamonds = charts.columns(trial, "are malignant").data
    assert list(known.x) == [1, 2, 3, 4]
    assert (known.zmin, known.zmax) == (told.zmin, told.zmax) == (0, 1)
    assert known.colorscale == told.colorscale == ((0, B_COLOUR), (1, A_COLOUR))
    record = np.arange(charts.STEPS) * 20 // charts.STEPS  # of every step, the record it is in
    for bag, size in enumerate(sizes):
        top, bottom = column_of(known, bag), column_of(told, bag)
        drawn = ~np.isnan(top)
        np.testing.assert_array_equal(top[drawn], record[drawn] < round(true[bag] * size))
        assert set(record[drawn]) == set(range(size)), "no record beyond the bag, and each of it"
        assert bottom[~np.isnan(bottom)] == pytest.approx(np.clip(released[bag], 0, 1), abs=1e-6)  # single precision
        assert told.customdata[0][bag].tolist() == [bag + 1, released[bag]]
    # as released, also where noise has carried it outside; far outside it is an arrow at the edge
    assert diamonds.y == pytest.approx([0.31 * 20, -0.1 * 10, -0.2 * 12, 1.2 * 7])
    assert list(diamonds.marker.symbol) == ["diamond", "diamond", "triangle-down", "triangle-up"]


@pytest.mark.parametrize("blocks", [[[4] * 5, [7, 6, 7], [20]], [[3, 2], [10, 10], [1] * 7]])
def test_lines_part_the_groups_of_a_bag(blocks):
    trial = made(blocks, [0.4, 0.5, 0.0], [0.4, 0.5, 0.0])
    known, told, _ = charts.columns(trial, "").data
    y = np.array(told.y)
    for column, block in enumerate(blocks):
        for trace, parts in ((told, block), (known, [1] * sum(block))):
            lines = y[np.isnan(column_of(trace, column)) & (y < sum(block))]
            assert lines == pytest.approx(np.cumsum(parts), abs=trial.sizes.max() / charts.STEPS)


@pytest.mark.parametrize(("n", "expected"), [(2, 2), (40, 40), (41, 40), (1000, 40)])
def test_of_many_bags_forty_evenly_picked_ones_are_drawn(n, expected):
    trial = made([[2, 2]] * n, np.arange(n) % 5 / 4, np.arange(n) / n)
    shown = charts.shown_bags(trial)
    assert (len(shown), shown[0], shown[-1]) == (expected, 0, n - 1)
    assert np.ptp(np.diff(shown)) <= 1
    figure = charts.columns(trial, "")
    assert figure.data[2].y == pytest.approx(4 * shown / n)
    ticks = dict(zip(figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext, strict=True))
    assert {x: int(text) for x, text in ticks.items()} == {x: shown[x - 1] + 1 for x in ticks}


def test_places_keep_the_order_and_infinity_is_last():
    assert [charts.place(LEVELS, level) for level in LEVELS] == pytest.approx(range(len(LEVELS)), abs=1e-12)
    places = [charts.place(LEVELS, value) for value in (1e-6, 0.01, 0.013, 0.1, 0.14, 1, 3, 5, 7, 1e9, math.inf)]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, len(LEVELS) - 1)
    assert places[-4] < places[-3] == places[-2] < places[-1], "beyond 5, but not ∞"
    assert charts.place((1, 2, 5), 7) == 2, "where there is no ∞, at the end"
    assert charts.place((1, 10, 100), math.sqrt(10)) == pytest.approx(0.5)


def rows_of(name, method, **place):
    rows = [row for row in study.select(study.load(), name, "breast_cancer", HALF) if row.method == method]
    return [row for row in rows if all(getattr(row, key) == value for key, value in place.items())]


def line(name, rows):
    return name, title(name), LABEL_PROPORTIONS[name].style, rows, lambda row: row.proportion_epsilon


@pytest.mark.parametrize("level", [0.3, 40.0, math.inf])
@pytest.mark.parametrize("names", [(FULL, NAMES, LLP), (LLP,)])
def test_curves_are_the_rows_and_own_results_stand_at_their_level(level, names):
    yours = {LLP: Estimate(0.8, 0.7, 0.93), NAMES: Estimate(0.62, -math.inf, math.inf), MEAN_MAP: Estimate(0.1, 0, 1)}
    rows = {name: rows_of(study.PROPORTION_NOISE, name) for name in names}
    lines = [line(name, rows[name]) for name in names]
    figure = charts.curves(lines, "ε of every label", LEVELS, yours, level, [(0.05, "published")])
    shift = {}
    for trace, name in zip([trace for trace in figure.data if trace.mode == "lines+markers"], names, strict=True):
        assert holds(trace, *(row.estimate for row in rows[name]))
        shift[name] = trace.x[0]
        assert list(trace.x) == pytest.approx(np.arange(len(LEVELS)) + shift[name])
        assert (trace.line.color, trace.line.dash) == LABEL_PROPORTIONS[name].style[:2]
    assert sum(shift.values()) == pytest.approx(0, abs=1e-12)
    assert len(set(shift.values())) == len(names)
    own = {trace.name: trace for trace in figure.data if trace.mode == "markers"}
    both = [name for name in names if name in yours]
    assert set(own) == {f"{title(name)}, yours" for name in both}, "a result without its curve is not drawn"
    twice = charts.curves(lines * 2, "", LEVELS, yours, level).data
    assert sum(trace.mode == "markers" for trace in twice) == len(both), "and once where there are two"
    for name in both:
        trace = own[f"{title(name)}, yours"]
        assert (trace.x[0], trace.y[0]) == (pytest.approx(charts.place(LEVELS, level) + shift[name]), yours[name].mean)
        assert (trace.error_y.array is None) == math.isinf(yours[name].low)
    assert [shape.x0 for shape in figure.layout.shapes] == [charts.place(LEVELS, level), 2]
    low, high = figure.layout.yaxis.range
    assert all(low <= value <= high for trace in figure.data for value in trace.y)
    assert is_finite(figure)


def test_losses_are_the_rows_and_rise_with_k():
    along = {how: rows_of(study.BY_K, LABELLED, aggregation=how) for how in label_proportions.AGGREGATIONS[1:]}
    *curves, own = charts.losses(along, study.KS, (7, 0.42)).data
    assert len({look(trace) for trace in curves}) == 3
    for trace, (name, rows) in zip(curves, along.items(), strict=True):
        assert trace.name == name
        assert list(trace.y) == [row.loss for row in rows] == sorted(row.loss for row in rows)
        assert list(trace.x) == [study.KS.index(row.k) for row in rows]
    assert (own.x[0], own.y[0]) == (charts.place(study.KS, 7), 0.42)
    assert 2 < own.x[0] < 3, "between 5 and 10"


@pytest.mark.parametrize(("dataset", "names"), [("adult", METHODS), ("adult", (NAMES,)), ("sms", METHODS)])
def test_selections_hold_the_rows_and_the_published_stars(dataset, names):
    rows = study.select(study.load(), study.SELECTING, dataset, HALF)
    figure = charts.selections(rows, names)
    there = [name for name in SELECTIONS if any(row.selection == name for row in rows)]
    assert list(figure.layout.yaxis.ticktext) == [SELECTIONS[name].title for name in there]
    traces = {trace.name: trace for trace in figure.data if trace.name != "published"}
    assert list(traces) == [title(name) for name in names]
    for name, trace in zip(names, traces.values(), strict=True):
        by_place = {row.selection: row.estimate for row in rows if row.method == name}
        assert len(trace.y) == len(by_place)
        assert np.abs(trace.y - np.round(trace.y)).max() <= 0.3, "in its own row"
        assert holds(trace, *(by_place[there[round(y)]] for y in trace.y), axis="x")
    assert len({y for trace in traces.values() for y in trace.y}) == len(names) * len(there)
    stars = [(t.marker.color, there[t.y[0]], t.x[0]) for t in figure.data if t.name == "published"]
    expected = [
        (LABEL_PROPORTIONS[method].style.colour, selection, value)
        for (selection, method), value in study.PUBLISHED.items()
        if dataset == "adult" and method in names
    ]
    assert sorted(stars) == sorted(expected)

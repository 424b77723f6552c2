"""Charts and pictures of bags hold the numbers that the experiment found."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from privdemo import palette
from privdemo.experiments import label_proportions
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig
from privdemo.experiments.label_proportions.study import Row
from privdemo.figures import label_proportions as charts
from privdemo.figures.charts import to_html
from privdemo.figures.people import A_COLOUR, B_COLOUR
from privdemo.intervals import Estimate
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import ALTERNATING, FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES

ALL = tuple(LABEL_PROPORTIONS)
SINGLE = BagConfig("breast_cancer", 12, 20, "skewed", methods=ALL)
GROUPED = replace(SINGLE, aggregation="random-k", k=4, proportion_epsilon=0.1)
BAG_NAMES = (FULL, NAMES, LLP, MEAN_MAP, ALTERNATING)


@pytest.fixture(scope="module")
def draws():
    with threadpool_limits(1, user_api="blas"):
        return [label_proportions.run(at_draw(SINGLE, draw)) for draw in range(3)]


@pytest.fixture(scope="module")
def grouped():
    with threadpool_limits(1, user_api="blas"):
        return label_proportions.run(GROUPED)


def interval(trace, i, axis):
    """The mean and both ends of the i-th point of a trace."""
    at, bars = getattr(trace, axis)[i], getattr(trace, f"error_{axis}")
    return at, at - bars.arrayminus[i], at + bars.array[i]


def near(estimate):
    return pytest.approx(tuple(estimate), abs=1e-12)


def cues(trace):
    return trace.marker.color, trace.marker.symbol


def finite(figure):
    """Whether nothing drawn is NaN or infinite, and it makes a page of its own."""
    numbers = []
    for trace in figure.data:
        bars = () if trace.type == "heatmap" else (trace.error_x, trace.error_y)
        for values in (trace.x, trace.y, *(end for bar in bars for end in (bar.array, bar.arrayminus))):
            numbers += [] if values is None else [v for v in list(values) if not isinstance(v, str)]
    page = to_html(figure)
    return (
        all(map(math.isfinite, numbers))
        and page.startswith("<!doctype html>")
        and not re.search(r"<script[^>]* src=", page)
    )


# --- scores ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 1])
@pytest.mark.parametrize("threshold", [HALF, SHARE])
def test_scores_are_those_of_the_experiment(draws, n, threshold):
    some = draws[:n]
    figure = charts.scores(some, BAG_NAMES, threshold)
    assert len(figure.data) == 3 * len(BAG_NAMES)
    for i, which in enumerate(label_proportions.F1S):
        axis = str(i + 1) if i else ""
        here = [trace for trace in figure.data if trace.xaxis == f"x{axis}"]
        labels = dict(zip(figure.layout[f"yaxis{axis}"].tickvals, figure.layout[f"yaxis{axis}"].ticktext, strict=True))
        low, high = figure.layout[f"xaxis{axis}"].range
        assert high == 1
        for trace, name in zip(here, BAG_NAMES, strict=True):
            estimate = label_proportions.mean_score(some, name, which, threshold)
            assert list(trace.y) == [LABEL_PROPORTIONS[name].title]
            assert f"<b>{estimate.mean:.3f}</b>" in labels[LABEL_PROPORTIONS[name].title]
            assert low < trace.x[0] <= high
            if n == 1:
                assert trace.x[0] == estimate.mean
                assert trace.error_x.array is None
                assert "95 %" not in trace.hovertemplate
            else:
                assert interval(trace, 0, "x") == near(estimate)
                assert f"95 %: {estimate.low:.3f} to {estimate.high:.3f}" in trace.hovertemplate
        rules = [shape for shape in figure.layout.shapes if shape.xref == f"x{axis}"]
        assert rules[0].x0 == rules[0].x1 == label_proportions.mean_score(some, FULL, which, threshold).mean
        assert rules[0].line.dash != "dot"
        nothing = getattr(label_proportions.all_negative(some), which)
        assert [rule.x0 for rule in rules[1:]] == ([nothing] if low <= nothing > 0 else [])
        assert all(rule.line.dash == "dot" for rule in rules[1:])
    words = [note.text for note in figure.layout.annotations if note.text.startswith("<b>")]
    assert words == ["<b>average F1</b>", "<b>F1 of positives</b>", "<b>F1 of negatives</b>"]
    assert finite(figure)


def test_what_naming_all_negative_gets_is_drawn_where_it_can_be_seen(draws):
    poor = replace(draws[0], fits=dict(draws[0].fits))
    poor.fits[LLP] = replace(poor.fits[LLP], f1={HALF: label_proportions.F1(0.0, 0.31, 0.25)})
    figure = charts.scores([poor], (FULL, LLP), HALF)
    nothing = label_proportions.all_negative([poor])
    dotted = [shape.x0 for shape in figure.layout.shapes if shape.line.dash == "dot"]
    assert dotted == [nothing.average, nothing.negative]  # of positives it gets nothing, and no rule
    assert [note.x for note in figure.layout.annotations if note.text == "all negative"] == dotted
    assert figure.layout.xaxis2.range[0] == 0  # a mark of 0 is on its axis
    assert all(figure.layout[f"xaxis{axis}"].range[0] < 0.31 for axis in ("", "3"))


def test_methods_differ_by_colour_or_dash_and_by_marker():
    styles = [method.style for method in LABEL_PROPORTIONS.values()]
    assert len({(style.colour, style.marker) for style in styles}) == len(LABEL_PROPORTIONS)
    assert len({style.colour for style in styles}) == len(LABEL_PROPORTIONS) - 1  # both fits to labels are grey
    rows = [
        row
        for row in label_proportions.study.load()
        if row.study == label_proportions.study.SELECTING and row.dataset == "adult"
    ]
    figure = charts.selections([row for row in rows if row.threshold == HALF], BAG_NAMES)
    drawn = [trace for trace in figure.data if trace.name in {method.title for method in LABEL_PROPORTIONS.values()}]
    assert len({trace.marker.symbol for trace in drawn}) == len({cues(trace) for trace in drawn}) == len(BAG_NAMES)


# --- bags as columns ---------------------------------------------------------------------------------


def made(blocks, true, released):
    """A draw of bags with groups of the given sizes."""
    attack = label_proportions.Attack(1, 1, 1, 1, 1, 0, 0.5, ())
    return label_proportions.Trial(
        SINGLE, {}, tuple(map(tuple, blocks)), np.array(released, float), np.array(true, float),
        0.0, (1, 1), 0.0, True, 1, 0.5, attack,
    )  # fmt: skip


def column_of(trace, column):
    return np.array([row[column] for row in trace.z], dtype=float)


def test_columns_hold_positives_above_and_released_proportions_below(grouped):
    figure = charts.columns(grouped, "are malignant")
    known, told, diamonds = figure.data
    height = grouped.sizes.max()
    assert list(known.x) == list(range(1, 13))
    assert (known.zmin, known.zmax) == (told.zmin, told.zmax) == (0, 1)
    assert known.colorscale == told.colorscale == ((0, B_COLOUR), (1, A_COLOUR))
    assert (told.yaxis, diamonds.yaxis) == ("y2", "y2")
    y = np.array(known.y)
    for bag in range(12):
        size = grouped.sizes[bag]
        n_positive = round(grouped.true_proportions[bag] * size)
        above, below = column_of(known, bag), column_of(told, bag)
        records = [int(i * height / charts.STEPS) for i in range(charts.STEPS)]  # of every step, the record it is in
        cells = {r: set(above[[i for i, q in enumerate(records) if q == r]]) - {np.nan} for r in range(int(size))}
        values = {r: {v for v in found if not math.isnan(v)} for r, found in cells.items()}
        assert values == {r: {1.0 if r < n_positive else 0.0} for r in range(int(size))}
        assert np.isnan(above[y > size]).all()
        released = float(np.clip(grouped.proportions[bag], 0, 1))
        assert below[~np.isnan(below)] == pytest.approx(released, abs=1e-6)  # single precision
        # as released, also where noise has carried it outside; far outside it is an arrow at the edge
        inside = -0.2 <= grouped.proportions[bag] <= 1.2
        assert diamonds.y[bag] == pytest.approx(np.clip(grouped.proportions[bag], -0.2, 1.2) * size)
        arrow = "triangle-up" if grouped.proportions[bag] > 1.2 else "triangle-down"
        assert diamonds.marker.symbol[bag] == ("diamond" if inside else arrow)
        assert told.customdata[0][bag].tolist() == [bag + 1, grouped.proportions[bag]]
    low, high = figure.layout.yaxis2.range
    assert low <= min(diamonds.y)
    assert high >= max(*diamonds.y, height)
    assert min(diamonds.y) < 0
    assert set(diamonds.marker.symbol) >= {"diamond", "triangle-down"}
    assert "are malignant" in figure.layout.annotations[0].text
    assert finite(figure)


@pytest.mark.parametrize("blocks", [[[4] * 5, [7, 6, 7], [20]], [[3, 2], [10, 10], [1] * 7]])
def test_lines_part_the_groups_of_a_bag(blocks):
    draw = made(blocks, [0.4, 0.5, 0.0], [0.4, 0.5, 0.0])
    known, told, _ = charts.columns(draw, "").data
    height, y = draw.sizes.max(), np.array(told.y)
    for column, block in enumerate(blocks):
        for trace, parts in ((told, block), (known, [1] * sum(block))):
            lines = y[np.isnan(column_of(trace, column)) & (y < sum(block))]
            ends = np.cumsum(parts)
            assert len(lines) == len(parts)
            assert lines == pytest.approx(ends, abs=height / charts.STEPS)  # a line is the last step of its group


def test_groups_too_many_for_lines_have_none():
    draw = made([[1] * 100, [2] * 50], [0.25, 0.5], [0.3, 0.5])
    known, told, _ = charts.columns(draw, "").data
    for trace in (known, told):
        assert not np.isnan(column_of(trace, 0)).any()
    assert np.nanmean(column_of(known, 0)) == pytest.approx(0.25, abs=1 / charts.STEPS)


def test_of_many_bags_forty_evenly_picked_ones_are_drawn():
    for n, expected in ((2, 2), (40, 40), (41, 40), (100, 40), (1000, 40)):
        draw = made([[2, 2]] * n, np.arange(n) % 5 / 4, np.arange(n) / n)
        shown = charts.shown_bags(draw)
        assert len(shown) == len(set(shown)) == expected
        assert (shown[0], shown[-1]) == (0, n - 1)
        assert np.ptp(np.diff(shown)) <= 1
        figure = charts.columns(draw, "")
        assert len(figure.data[0].x) == expected
        assert figure.data[2].y == pytest.approx(4 * shown / n)
        ticks = dict(zip(figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext, strict=True))
        assert {x: int(text) for x, text in ticks.items()} == {x: shown[x - 1] + 1 for x in ticks}
        assert len(ticks) <= 16


# --- curves ------------------------------------------------------------------------------------------

LEVELS = label_proportions.study.EPSILONS


def test_places_keep_the_order_and_infinity_is_last():
    assert [charts.place(LEVELS, level) for level in LEVELS] == pytest.approx(range(len(LEVELS)), abs=1e-12)
    values = [1e-6, 0.01, 0.013, 0.1, 0.14, 1, 3, 5, 7, 1e9, math.inf]
    places = [charts.place(LEVELS, value) for value in values]
    assert places == sorted(places)
    assert places[0] == 0
    assert places[-1] == len(LEVELS) - 1
    assert places[-4] < places[-3] == places[-2] < places[-1]  # beyond 5, but not ∞
    assert charts.place((1, 2, 5), 7) == 2  # where there is no ∞, at the end
    assert charts.place((1, 10, 100), math.sqrt(10)) == pytest.approx(0.5)


def study_rows(study, method, threshold=HALF, **place):
    return [
        row
        for row in label_proportions.study.select(label_proportions.study.load(), study, "breast_cancer", threshold)
        if row.method == method and all(getattr(row, name) == value for name, value in place.items())
    ]


def lines(names):
    return [
        (
            name,
            LABEL_PROPORTIONS[name].title,
            LABEL_PROPORTIONS[name].style,
            study_rows(label_proportions.study.PROPORTION_NOISE, name),
            lambda row: row.proportion_epsilon,
        )
        for name in names
    ]


@pytest.mark.parametrize("level", [0.1, 0.3, 40.0, math.inf])
@pytest.mark.parametrize("names", [(FULL, NAMES, LLP), (LLP,)])
def test_curves_are_the_rows_and_own_marks_stand_at_their_level(level, names):
    yours = {LLP: Estimate(0.8, 0.7, 0.93), NAMES: Estimate(0.62, -math.inf, math.inf), MEAN_MAP: Estimate(0.1, 0, 1)}
    figure = charts.curves(lines(names), "ε of every label", LEVELS, yours, level, [(0.05, "published")])
    curves = [trace for trace in figure.data if trace.mode == "lines+markers"]
    shifts = []
    for trace, name in zip(curves, names, strict=True):
        rows = study_rows(label_proportions.study.PROPORTION_NOISE, name)
        assert len(rows) == len(LEVELS) == len(trace.x)
        for i, row in enumerate(rows):
            assert interval(trace, i, "y") == near(row.estimate)
        shifts += [trace.x[0]]
        assert np.diff(trace.x) == pytest.approx(1)
        assert (cues(trace)[0], trace.line.dash) == (
            LABEL_PROPORTIONS[name].style.colour,
            LABEL_PROPORTIONS[name].style.dash,
        )
    assert sum(shifts) == pytest.approx(0, abs=1e-12)
    assert len(set(shifts)) == len(names)
    assert max(map(abs, shifts)) <= 0.1
    own = {trace.name: trace for trace in figure.data if trace.mode == "markers"}
    assert set(own) == {
        f"{LABEL_PROPORTIONS[name].title}, yours" for name in names if name in yours
    }  # a mark without its curve is not
    for name in set(names) & set(yours):
        trace = own[f"{LABEL_PROPORTIONS[name].title}, yours"]
        assert trace.y[0] == yours[name].mean
        assert trace.x[0] == pytest.approx(charts.place(LEVELS, level) + shifts[names.index(name)])
        assert (trace.error_y.array is None) == math.isinf(yours[name].low)
        assert trace.marker.size > curves[names.index(name)].marker.size
        assert cues(trace)[0] == LABEL_PROPORTIONS[name].style.colour
    assert [shape.x0 for shape in figure.layout.shapes] == [charts.place(LEVELS, level), 2]
    assert [note.text for note in figure.layout.annotations] == ["yours", "published"]
    low, high = figure.layout.yaxis.range
    for trace in figure.data:
        assert all(low <= value <= high for value in trace.y)
        assert all(figure.layout.xaxis.range[0] < x < figure.layout.xaxis.range[1] for x in trace.x)
    assert list(figure.layout.xaxis.ticktext)[-2:] == ["5", "∞"]
    assert list(figure.layout.xaxis.tickvals) == list(range(len(LEVELS)))
    assert finite(figure)


def test_without_own_marks_there_is_no_rule_of_yours():
    figure = charts.curves(lines((NAMES,)), "ε", LEVELS, {}, 0.1)
    assert not figure.layout.shapes
    assert not figure.layout.annotations
    assert len(figure.data) == 1


def test_a_curve_may_come_twice_but_own_marks_only_once():
    several = [
        (
            NAMES,
            f"k = {k}",
            LABEL_PROPORTIONS[NAMES].style,
            study_rows(label_proportions.study.BY_K, NAMES, aggregation=how),
            lambda r: r.k,
        )
        for k, how in ((1, "random-k"), (2, "nearest-k"))
    ]
    figure = charts.curves(several, "k", label_proportions.study.KS, {NAMES: Estimate(0.9, 0.8, 1.0)}, 5)
    # under the method's own name, as the curve's is that of one k
    assert [trace.name for trace in figure.data] == ["k = 1", f"{LABEL_PROPORTIONS[NAMES].title}, yours", "k = 2"]


def test_a_curve_of_one_draw_has_no_endless_error_bars():
    (row,) = study_rows(label_proportions.study.PROPORTION_NOISE, LLP, proportion_epsilon=0.1)
    one = [replace(row, n_draws=1, low=-math.inf, high=math.inf)]
    figure = charts.curves(
        [(LLP, "x", LABEL_PROPORTIONS[LLP].style, one, lambda r: r.proportion_epsilon)], "ε", LEVELS, {}, 0.1
    )
    assert finite(figure)
    assert interval(figure.data[0], 0, "y") == (row.average,) * 3


# --- losses ------------------------------------------------------------------------------------------


def test_losses_are_the_rows_and_rise_with_k():
    along = {
        how: study_rows(label_proportions.study.BY_K, LABELLED, aggregation=how)
        for how in label_proportions.AGGREGATIONS[1:]
    }
    figure = charts.losses(along, label_proportions.study.KS, (7, 0.42))
    *curves, own = figure.data
    assert [trace.name for trace in curves] == list(along)
    assert len({cues(trace) for trace in curves}) == len({trace.line.dash for trace in curves}) == 3
    for trace, rows in zip(curves, along.values(), strict=True):
        assert len(rows) >= 2
        assert list(trace.y) == [row.loss for row in rows] == sorted(row.loss for row in rows)
        assert list(trace.x) == [label_proportions.study.KS.index(row.k) for row in rows]
    assert (own.x[0], own.y[0]) == (charts.place(label_proportions.study.KS, 7), 0.42)
    assert 2 < own.x[0] < 3  # between 5 and 10
    low, high = figure.layout.yaxis.range
    assert low < 0 < 1 < high
    assert finite(figure)


# --- selections --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dataset", ["adult", "sms"])
@pytest.mark.parametrize("threshold", [HALF, SHARE])
@pytest.mark.parametrize("names", [BAG_NAMES, (LLP, FULL), (NAMES,)])
def test_selections_hold_the_rows_and_the_published_stars(dataset, threshold, names):
    rows = label_proportions.study.select(
        label_proportions.study.load(), label_proportions.study.SELECTING, dataset, threshold
    )
    figure = charts.selections(rows, names)
    titles = list(figure.layout.yaxis.ticktext)
    there = [name for name in SELECTIONS if any(row.selection == name for row in rows)]
    assert titles == [SELECTIONS[name].title for name in there]
    assert len(there) == 8 or dataset == "sms"
    top, bottom = figure.layout.yaxis.range
    assert top > len(there) - 1 > 0 > bottom  # the first at the top
    places = set()
    for name in names:
        (trace,) = [trace for trace in figure.data if trace.name == LABEL_PROPORTIONS[name].title]
        by_place = {row.selection: row for row in rows if row.method == name}
        assert len(trace.x) == len(by_place)
        for i, y in enumerate(trace.y):
            assert abs(y - round(y)) <= 0.3  # in its own row
            assert interval(trace, i, "x") == near(by_place[there[round(y)]].estimate)
            places.add(y)
    assert len(places) == len(names) * len(there)
    stars = [(trace.marker.color, there[trace.y[0]], trace.x[0]) for trace in figure.data if trace.name == "published"]
    expected = [
        (LABEL_PROPORTIONS[method].style.colour, selection, value)
        for (selection, method), value in label_proportions.study.PUBLISHED.items()
        if dataset == "adult" and method in names
    ]
    assert sorted(stars) == sorted(expected)
    assert all(re.search(r"published: 0\.\d\d", t.hovertemplate) for t in figure.data if t.name == "published")
    assert finite(figure)


def test_a_selection_without_an_interval_is_drawn_without_one():
    rows = [
        row
        for row in label_proportions.study.load()
        if row.study == label_proportions.study.SELECTING and row.dataset == "adult"
    ]
    assert isinstance(rows[0], Row)
    figure = charts.selections([replace(rows[0], n_draws=1, low=-math.inf, high=math.inf)], (rows[0].method,))
    assert finite(figure)
    (trace,) = [trace for trace in figure.data if trace.name == LABEL_PROPORTIONS[rows[0].method].title]
    assert interval(trace, 0, "x") == (rows[0].average,) * 3


# --- the adversary -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 1])
def test_the_attack_is_drawn_with_its_intervals_beside_what_is_known_without(draws, n):
    rates = label_proportions.attack_rates(draws[:n])
    figure = charts.attack(rates)
    assert len(figure.data) == 4
    sources = ("the overall share", "its bag’s proportion", "a model", "bag and model")
    for trace, rate, source in zip(figure.data, rates.values(), sources, strict=True):
        assert interval(trace, 0, "x") == near(rate)
        assert list(trace.y) == [f"by {source}"]
        assert cues(trace) == (palette.ADVERSARY.colour, palette.ADVERSARY.marker)
    assert [shape.x0 for shape in figure.layout.shapes] == [rates["prior"].mean]
    assert f"{100 * rates['prior'].mean:.1f}%" in figure.layout.annotations[0].text
    for text, rate in zip(figure.layout.yaxis.ticktext, rates.values(), strict=True):
        assert f"<b>{100 * rate.mean:.1f}%</b>" in text
    low, high = figure.layout.xaxis.range
    assert all(low < rate.mean <= 1 < high for rate in rates.values())
    assert finite(figure)


@pytest.mark.parametrize("right", [0, 4, 37, 50, 100])
def test_every_rate_of_the_attack_is_on_its_axis(draws, right):
    """Noise can make the released share lie, and who names by it is then wrong more often than a coin."""
    named = dict.fromkeys(("prior_right", "bag_right", "model_right", "both_right"), right)
    figure = charts.attack(
        label_proportions.attack_rates([replace(draws[0], attack=replace(draws[0].attack, n=100, **named))])
    )
    low, high = figure.layout.xaxis.range
    for trace in figure.data:
        mean, *ends = interval(trace, 0, "x")
        assert mean == right / 100
        assert low <= ends[0] <= ends[1] <= high
    assert low <= figure.layout.shapes[0].x0 <= high
    assert low > 0.4 or right < 60  # no wider than it must be

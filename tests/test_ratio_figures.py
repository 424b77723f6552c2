"""Charts of class ratios and of released counts hold the numbers they are given, in the colours of their meaning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from privdemo import palette
from privdemo.experiments import class_ratio, label_counts
from privdemo.experiments.class_ratio import NO_RELEASE, SHARES, RatioConfig
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_counts import CountConfig
from privdemo.figures import charts
from privdemo.figures import class_ratio as ratio_charts
from privdemo.figures import label_counts as count_charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, EM, LABEL_COUNTS, MMD, SPREAD

CONFIG = RatioConfig("breast_cancer", 2, 80, n_test=80, methods=(SPREAD, MMD, EM))


@pytest.fixture(scope="module")
def draws():
    return [class_ratio.run(at_draw(CONFIG, i)) for i in range(2)]


def named(figure):
    return {trace.name: trace for trace in figure.data}


def test_the_truth_stands_beside_every_methods_shares_with_their_intervals(draws):
    traces = named(ratio_charts.proportions(draws, (SPREAD, MMD, EM)))
    assert traces["true"].y == pytest.approx(draws[0].truth)
    assert tuple(traces["true"].x) == ("benign", "malignant")
    for method in (SPREAD, MMD, EM):
        trace = traces[CLASS_RATIO[method].title]
        estimates = [class_ratio.share_of(draws, method, c) for c in range(2)]
        assert trace.y == pytest.approx([e.mean for e in estimates])
        assert trace.error_y.array == pytest.approx([e.high - e.mean for e in estimates])
        assert trace.marker.color == CLASS_RATIO[method].style.colour
    assert traces[CLASS_RATIO[SPREAD].title].marker.color == palette.SPREAD.colour
    patterns = [trace.marker.pattern.shape for trace in traces.values()]
    assert len(set(patterns[1:])) == 3, "a second cue for those who cannot see colours"


def test_errors_stand_at_their_mix_and_the_visitors_own_is_a_rule(draws):
    figure = ratio_charts.errors(draws, (SPREAD, MMD))
    for trace, method in zip(figure.data, (SPREAD, MMD), strict=True):
        assert tuple(trace.x) == SHARES
        assert trace.y == pytest.approx([class_ratio.error_along(draws, method, i).mean for i in range(9)])
    assert figure.layout.shapes[0].x0 == 0.5
    at_random = [replace_share(draw) for draw in draws]
    assert not ratio_charts.errors(at_random, (SPREAD,)).layout.shapes
    assert figure.layout.yaxis.range[0] == 0


def replace_share(draw):
    return replace(draw, config=replace(draw.config, share=None))


def row(method, share, error, release="none", rho=0.1):
    return class_ratio.study.Row(
        *("two classes", "adult", 2, 600, 1, rho, release, "none", 0.05, 0.05, 25, method, share, 10),
        *(error, error - 0.01, error + 0.01, 5.0, 100.0, 0.0, 1.0),
    )


def test_shipped_errors_are_drawn_by_method_and_by_release():
    by_method = {name: [row(name, share, share / 10) for share in SHARES] for name in (SPREAD, MMD)}
    figure = ratio_charts.study_errors(by_method)
    assert [trace.name for trace in figure.data] == [CLASS_RATIO[SPREAD].title, CLASS_RATIO[MMD].title]
    assert figure.data[1].y == pytest.approx([share / 10 for share in SHARES])
    assert figure.data[1].error_y.array == pytest.approx([0.01] * 9)
    releases = (NO_RELEASE, *RELEASES)
    figure = ratio_charts.study_errors({name: [row(MMD, 0.5, 0.1, name)] for name in releases})
    assert [trace.name for trace in figure.data][1:] == [release.title for release in RELEASES.values()]
    looks = {(trace.line.color, trace.line.dash, trace.marker.symbol) for trace in figure.data}
    assert len(looks) == len(releases)


@pytest.mark.parametrize(("levels", "kind"), [((0.05, 0.3), None), ((1.0, 16.0), "log")])
def test_levers_are_drawn_with_and_without_noise(levels, kind):
    points = [(x, Estimate(x / 100, x / 200, x / 50)) for x in levels]
    figure = ratio_charts.levers({(SPREAD, NO_RELEASE): points, (SPREAD, "gaussian tight"): points}, "lever", levels[0])
    plain, noisy = figure.data
    assert (plain.line.dash, noisy.line.dash) == ("solid", "dot")
    assert noisy.name == "spread on set names, private counts"
    assert figure.layout.xaxis.type == kind
    assert figure.layout.shapes[0].x0 == pytest.approx(levels[0])
    assert plain.y == pytest.approx([x / 100 for x in levels])


def test_a_rule_beyond_the_axis_is_at_its_end():
    lines = [charts.Curve("a", palette.SPREAD, (1, 10), (Estimate(1, 0.5, 2), Estimate(2, 1, 3)))]
    figure = charts.curve_chart(lines, charts.log_axis("x", (1, 10)), {}, yours=1000.0)
    assert np.log10(figure.layout.shapes[0].x0) == pytest.approx(1.05)
    assert charts.curve_chart(lines, charts.axis("x", (1, 10)), {}, yours=-5.0).layout.shapes[0].x0 == pytest.approx(
        0.55
    )


def test_the_adversarys_guesses_are_in_their_colour(draws):
    rates = class_ratio.attack_rates(draws)
    figure = ratio_charts.attack(rates)
    assert [trace.x[0] for trace in figure.data] == pytest.approx([rate.mean for rate in rates.values()])
    assert {trace.marker.color for trace in figure.data} == {palette.ADVERSARY.colour}


# --- released counts


@pytest.mark.parametrize("axis", label_counts.AXES)
def test_distortion_along_an_axis_ends_where_there_is_no_noise(axis):
    outcomes = label_counts.along(CountConfig(repeats=20), axis, 5, 1000, 0.05)
    estimates = {x: {name: o.distortion for name, o in here.items() if o.mechanism} for x, here in outcomes.items()}
    figure = count_charts.along(axis, estimates, None)
    traces = named(figure)
    for name, release in RELEASES.items():
        there = [x for x, here in outcomes.items() if not here[name].problem]
        if not there:
            assert release.title not in traces
            continue
        assert list(traces[release.title].x) == there
        assert traces[release.title].y == pytest.approx([outcomes[x][name].distortion.mean for x in there])
    stars = [trace for trace in figure.data if trace.name == "published"]
    assert sorted(star.y[0] for star in stars) == ([] if axis == label_counts.DELTA_AXIS else [0.06, 0.15])
    low, high = figure.layout.yaxis.range
    everything = [y for trace in figure.data for y in trace.y]
    assert 10**low <= min(everything)
    assert max(everything) <= 10**high


def test_tight_published_and_data_dependent_noise_look_different_and_a_family_has_one_colour():
    styles = {name: method.style for name, method in LABEL_COUNTS.items()}
    assert len({(s.colour, s.dash, s.marker) for s in styles.values()}) == len(RELEASES)
    for name, release in RELEASES.items():
        assert (styles[name].dash == "dot") == release.data_dependent
        assert (styles[name].dash == "solid") == (release.tight and not release.data_dependent)
    assert styles["laplace prior"].colour == styles["laplace tight"].colour != styles["gaussian tight"].colour


def test_released_counts_stand_beside_the_true_ones():
    outcome = label_counts.run(CountConfig((50, 70, 200)))["laplace tight"]
    figure = count_charts.beside((50, 70, 200), outcome, [0, 2])
    true, released, ranges = figure.data
    assert list(true.x) == ["1", "3"]
    assert list(true.y) == [50, 200]
    assert released.y == pytest.approx([320 * outcome.example[c] for c in (0, 2)])
    ends = [
        (m - down, m + up)
        for m, up, down in zip(ranges.y, ranges.error_y.array, ranges.error_y.arrayminus, strict=True)
    ]
    np.testing.assert_allclose(ends, [[320 * end for end in outcome.ranges[c]] for c in (0, 2)])


def test_profiles_are_the_mechanisms_deltas_and_the_wish_is_marked():
    outcomes = label_counts.run(CountConfig())
    curves = {name: outcomes[name].mechanism for name in ("gaussian tight", "dirichlet public")}
    figure = count_charts.profiles(curves, "dirichlet public", 0.05, 0.05)
    for trace, mechanism in zip(figure.data, curves.values(), strict=False):
        assert trace.y[40] == pytest.approx(mechanism.delta_at(trace.x[40]))
        # tight: through the wish, between two points of a curve that hardly bends there
        assert np.interp(0.05, trace.x, trace.y) == pytest.approx(0.05, rel=0.01)
        assert trace.x[0] == 0
    assert (figure.data[-1].x[0], figure.data[-1].y[0]) == (0.05, 0.05)
    assert figure.data[1].line.width > figure.data[0].line.width
    nothing = count_charts.profiles({"laplace published": outcomes["laplace published"].mechanism}, "", 0.05, 0.0)
    assert all(np.isfinite(nothing.layout.yaxis.range))


def test_guesses_of_the_last_label_are_drawn_with_what_the_promise_allows():
    figure = count_charts.attack({"laplace tight": 0.53, "gaussian tight": 0.52}, 0.54)
    assert [trace.x[0] for trace in figure.data] == [0.53, 0.52]
    assert {shape.x0 for shape in figure.layout.shapes} == {0.54, 0.5}

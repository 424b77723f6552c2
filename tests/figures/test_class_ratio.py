"""Charts of class ratios hold the shares and errors they are given."""

from dataclasses import replace

import pytest

from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, SHARES, RatioConfig
from privdemo.experiments.draws import at_draw
from privdemo.figures import class_ratio as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, EM, MMD, SPREAD
from tests.figures.reading import holds, named

CONFIG = RatioConfig("breast_cancer", 2, 80, n_test=80, methods=(SPREAD, MMD, EM))


@pytest.fixture(scope="module")
def draws():
    return [class_ratio.run(at_draw(CONFIG, i)) for i in range(2)]


def test_the_truth_stands_beside_every_methods_shares(draws):
    traces = named(charts.proportions(draws, (SPREAD, MMD, EM)))
    assert traces["true"].y == pytest.approx(draws[0].truth)
    assert tuple(traces["true"].x) == ("benign", "malignant")
    for method in (SPREAD, MMD, EM):
        trace = traces[CLASS_RATIO[method].title]
        assert holds(trace, *(class_ratio.share_of(draws, method, c) for c in range(2)))
        assert trace.marker.color == CLASS_RATIO[method].style.colour
    patterns = [trace.marker.pattern.shape for trace in traces.values()]
    assert len(set(patterns[1:])) == 3, "a second cue for those who cannot see colours"


def test_errors_stand_at_their_mix_and_a_rule_at_the_visitors(draws):
    figure = charts.errors(draws, (SPREAD, MMD))
    for trace, method in zip(figure.data, (SPREAD, MMD), strict=True):
        assert tuple(trace.x) == SHARES
        assert holds(trace, *(class_ratio.error_along(draws, method, i) for i in range(len(SHARES))))
    assert figure.layout.shapes[0].x0 == 0.5
    assert figure.layout.yaxis.range[0] == 0
    at_random = [replace(draw, config=replace(draw.config, share=None)) for draw in draws]
    assert not charts.errors(at_random, (SPREAD,)).layout.shapes


def row(method, share, error, release="none"):
    return class_ratio.study.Row(
        *("two classes", "adult", 2, 600, 1, 0.1, release, "none", 0.05, 0.05, 25, method, share, 10),
        *(error, error - 0.01, error + 0.01, 5.0, 100.0, 0.0, 1.0),
    )


def test_shipped_errors_are_drawn_by_method_or_by_release():
    figure = charts.study_errors({name: [row(name, share, share / 10) for share in SHARES] for name in (SPREAD, MMD)})
    assert [trace.name for trace in figure.data] == [CLASS_RATIO[SPREAD].title, CLASS_RATIO[MMD].title]
    assert holds(figure.data[1], *((share / 10, share / 10 - 0.01, share / 10 + 0.01) for share in SHARES))
    releases = (NO_RELEASE, *RELEASES)
    figure = charts.study_errors({name: [row(MMD, 0.5, 0.1, name)] for name in releases})
    assert [trace.name for trace in figure.data][1:] == [release.title for release in RELEASES.values()]
    assert len({(t.line.color, t.line.dash, t.marker.symbol) for t in figure.data}) == len(releases)


@pytest.mark.parametrize(("levels", "kind"), [((0.05, 0.3), None), ((1.0, 16.0), "log")])
def test_levers_are_drawn_with_and_without_noise(levels, kind):
    points = [(x, Estimate(x / 100, x / 200, x / 50)) for x in levels]
    figure = charts.levers({(SPREAD, NO_RELEASE): points, (SPREAD, "gaussian tight"): points}, "lever", levels[0])
    plain, noisy = figure.data
    assert (plain.line.dash, noisy.line.dash) == ("solid", "dot")
    assert noisy.marker.symbol == plain.marker.symbol + "-open"
    assert figure.layout.xaxis.type == kind
    assert figure.layout.shapes[0].x0 == pytest.approx(levels[0])
    assert holds(plain, *(estimate for _, estimate in points))

"""The chart of pixel errors and linkage holds the points it is given."""

import pytest

from privdemo import figures, palette
from privdemo.experiments.images import Point
from privdemo.intervals import Estimate
from privdemo.mechanisms import Distortion
from privdemo.mechanisms.pixels import FAMILIES
from tests.figures.reading import interval, look, named, near


def point(level, start):
    """A point whose every number is different, with lopsided intervals."""
    absolute, squared, linked = (Estimate(m, m - 0.011, m + 0.023) for m in (start + 0.1, start + 0.2, start + 0.3))
    return Point(level, 25, Distortion(start, start + 0.01), absolute, squared, linked)


POINTS = tuple(point(level, start) for level, start in ((0.0, 0.05), (0.25, 0.15), (0.5, 0.3)))


def figure(family="randomised_response", level=0.3125):
    return figures.damage_and_linkage(POINTS, point(level, 0.2), FAMILIES[family], 25)


@pytest.mark.parametrize(
    ("name", "estimates", "axis", "style"),
    [
        ("absolute error, measured", [p.absolute for p in POINTS], None, palette.OTHERS[0]),
        ("squared error, measured", [p.squared for p in POINTS], None, palette.OTHERS[1]),
        ("sender found", [p.linked for p in POINTS], "y2", palette.ADVERSARY),
    ],
)
def test_measured_points_stand_with_their_intervals(name, estimates, axis, style):
    trace = named(figure())[name]
    assert list(trace.x) == [0.0, 0.25, 0.5]
    for i, estimate in enumerate(estimates):
        assert interval(trace, i, "y") == near(estimate)
    assert trace.yaxis == axis
    assert look(trace) == (style.colour, style.marker)


def test_lines_are_exact_expectations_and_chance():
    traces = named(figure())
    assert list(traces["absolute error"].y) == [p.expected.absolute for p in POINTS]
    assert list(traces["squared error"].y) == [p.expected.squared for p in POINTS]
    assert list(traces["chance, 1 in 25"].y) == [1 / 25] * 2
    assert list(traces["chance, 1 in 25"].x) == [0.0, 0.5]
    assert traces["chance, 1 in 25"].yaxis == "y2"
    assert len(traces) == 6


@pytest.mark.parametrize(
    ("family", "symbol", "title"),
    [
        ("randomised_response", "p", "flip probability p"),
        ("gaussian", "σ", "standard deviation σ"),
        ("laplace", "b", "scale b"),
    ],
)
def test_a_rule_marks_the_visitors_level_on_a_named_axis(family, symbol, title):
    layout = figure(family, 0.123456).layout
    (rule,), (label,) = layout.shapes, layout.annotations
    assert (rule.x0, rule.x1, rule.yref) == (0.123456, 0.123456, "paper")
    assert (label.x, label.text) == (0.123456, f"{symbol} = 0.1235")
    assert layout.xaxis.title.text == title
    assert layout.yaxis.domain[0] > layout.yaxis2.domain[1], "two plots that do not overlap"

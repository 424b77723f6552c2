"""The chart of pixel errors and linkage holds the points it is given."""

import pytest

from privdemo import figures, palette
from privdemo.experiments.images import Point
from privdemo.intervals import Estimate
from privdemo.mechanisms import Distortion
from privdemo.mechanisms.pixels import FAMILIES
from tests.figures.reading import holds, look, named


def point(level, start):
    """A point whose every number is different, with lopsided intervals."""
    absolute, squared, linked = (Estimate(m, m - 0.011, m + 0.023) for m in (start + 0.1, start + 0.2, start + 0.3))
    return Point(level, 25, Distortion(start, start + 0.01), absolute, squared, linked)


POINTS = tuple(point(level, start) for level, start in ((0.0, 0.05), (0.25, 0.15), (0.5, 0.3)))


def test_measured_points_stand_with_their_intervals_beside_expectations_and_chance():
    traces = named(figures.damage_and_linkage(POINTS, point(0.3125, 0.2), FAMILIES["randomised_response"], 25))
    assert len(traces) == 6
    for name, mark, axis, style in (
        ("absolute error, measured", "absolute", None, palette.OTHERS[0]),
        ("squared error, measured", "squared", None, palette.OTHERS[1]),
        ("sender found", "linked", "y2", palette.ADVERSARY),
    ):
        trace = traces[name]
        assert list(trace.x) == [0.0, 0.25, 0.5]
        assert holds(trace, *(getattr(p, mark) for p in POINTS))
        assert (trace.yaxis, look(trace)) == (axis, (style.colour, style.marker))
    assert list(traces["absolute error"].y) == [p.expected.absolute for p in POINTS]
    assert list(traces["squared error"].y) == [p.expected.squared for p in POINTS]
    chance = traces["chance, 1 in 25"]
    assert (list(chance.x), list(chance.y), chance.yaxis) == ([0.0, 0.5], [1 / 25] * 2, "y2")


@pytest.mark.parametrize(
    ("family", "symbol", "title"),
    [
        ("randomised_response", "p", "flip probability p"),
        ("gaussian", "σ", "standard deviation σ"),
        ("laplace", "b", "scale b"),
    ],
)
def test_a_rule_marks_the_visitors_level_on_a_named_axis(family, symbol, title):
    layout = figures.damage_and_linkage(POINTS, point(0.123456, 0.2), FAMILIES[family], 25).layout
    (rule,), (label,) = layout.shapes, layout.annotations
    assert (rule.x0, rule.x1, rule.yref) == (0.123456, 0.123456, "paper")
    assert (label.x, label.text) == (0.123456, f"{symbol} = 0.1235")
    assert layout.xaxis.title.text == title
    assert layout.yaxis.domain[0] > layout.yaxis2.domain[1], "two plots that do not overlap"

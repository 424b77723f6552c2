"""What stands on screen until Plotly has started shows the same numbers as Plotly's figure."""

import base64
import re

import numpy as np

from privdemo import figures, palette
from privdemo.experiments.comparison import ComparisonConfig, study
from privdemo.figures import charts, comparison
from privdemo.intervals import Estimate
from tests.figures.reading import NASTY

ROWS = study.select(study.load(), ComparisonConfig(dataset="digits", n_train=120), "accuracy")
MINE = {row.method: row.estimate for row in ROWS if row.epsilon == 1.0}
FRONTIER = comparison.frontier(ROWS, "accuracy", MINE, 1.0, 0.9)


def drawings(markup):
    """Every image of the markup, as SVG: the plot first, then a piece of each named curve."""
    return [base64.b64decode(found).decode() for found in re.findall(r"base64,([^\"]+)", markup)]


def values(axis, percentages):
    """What stands at percentages of an axis."""
    low, high = axis.range
    places = low + np.array(percentages, float) / 100 * (high - low)
    return 10**places if axis.type == "log" else places


def test_every_mark_and_interval_stands_at_its_numbers():
    plot = drawings(figures.first_look(FRONTIER))[0]
    x_axis, y_axis, data = FRONTIER.layout.xaxis, FRONTIER.layout.yaxis, FRONTIER.data
    marks = np.array(re.findall(r'<svg x="([-\d.]+)%" y="([-\d.]+)%"', plot), float)
    ends = np.array(re.findall(r'y1="([-\d.]+)%" y2="([-\d.]+)%" stroke="[^"]+" stroke-width="1.2"', plot), float)
    y = np.concatenate([trace.y for trace in data])
    below, above = (np.concatenate([trace.error_y[end] for trace in data]) for end in ("arrayminus", "array"))
    assert len(y) > 60
    # Places are written to a hundredth of a percent.
    np.testing.assert_allclose(values(x_axis, marks[:, 0]), np.concatenate([trace.x for trace in data]), rtol=1e-3)
    for drawn, wanted in ((marks[:, 1], y), (ends[:, 0], y - below), (ends[:, 1], y + above)):
        np.testing.assert_allclose(values(y_axis, 100 - drawn), wanted, atol=1e-4)


def test_names_are_text_and_open_marks_are_not_filled():
    named = ((NASTY, palette.OTHERS[0]), ("full", palette.SPREAD))
    curves = [charts.Curve(name, style, [1], [Estimate(0.5, 0.4, 0.6)]) for name, style in named]
    y_axis = {"title": {"text": "share"}, "range": [0, 1]}
    markup = figures.first_look(charts.curve_chart(curves, charts.axis("x", [0, 2]), y_axis))
    assert NASTY not in markup
    assert "&lt;script&gt;" in markup
    assert re.findall(r'fill="([^"]+)"', drawings(markup)[0]) == ["none", palette.SPREAD.colour]

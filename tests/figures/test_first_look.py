"""What stands on screen until Plotly has started shows the same numbers as Plotly's figure."""

import base64
import re

import numpy as np
import pytest

from privdemo import figures, palette
from privdemo.experiments.comparison import ComparisonConfig, study
from privdemo.figures import charts, comparison
from privdemo.intervals import Estimate

NASTY = "<script>alert('1')</script> & \"7\""
CONFIG = ComparisonConfig(dataset="digits", n_train=120)
ROWS = study.select(study.load(), CONFIG, "accuracy")
MINE = {row.method: row.estimate for row in ROWS if row.epsilon == 1.0}
FRONTIER = comparison.frontier(ROWS, "accuracy", MINE, 1.0, 0.9)


def drawings(markup: str) -> list[str]:
    """Every image of the markup, as SVG: the plot first, then a piece of each named curve."""
    return [base64.b64decode(found).decode() for found in re.findall(r"base64,([^\"]+)", markup)]


def value(axis, percent):
    """What stands at a percentage of an axis."""
    low, high = axis.range
    place = low + percent / 100 * (high - low)
    return 10**place if axis.type == "log" else place


def test_every_mark_and_interval_stands_at_its_numbers():
    plot = drawings(figures.first_look(FRONTIER))[0]
    marks = [(float(x), 100 - float(y)) for x, y in re.findall(r'<svg x="([-\d.]+)%" y="([-\d.]+)%"', plot)]
    x, y = FRONTIER.layout.xaxis, FRONTIER.layout.yaxis
    wanted = [(a, b) for trace in FRONTIER.data for a, b in zip(trace.x, trace.y, strict=True)]
    assert len(wanted) > 60
    # Places are written to a hundredth of a percent.
    np.testing.assert_allclose([value(x, a) for a, _ in marks], [a for a, _ in wanted], rtol=1e-3)
    np.testing.assert_allclose([value(y, b) for _, b in marks], [b for _, b in wanted], atol=1e-4)
    ends = re.findall(r'y1="([-\d.]+)%" y2="([-\d.]+)%" stroke="[^"]+" stroke-width="1.2"', plot)
    lows = [b - e for trace in FRONTIER.data for b, e in zip(trace.y, trace.error_y.arrayminus, strict=True)]
    highs = [b + e for trace in FRONTIER.data for b, e in zip(trace.y, trace.error_y.array, strict=True)]
    np.testing.assert_allclose([value(y, 100 - float(low)) for low, _ in ends], lows, atol=1e-4)
    np.testing.assert_allclose([value(y, 100 - float(high)) for _, high in ends], highs, atol=1e-4)


def test_it_has_the_rules_the_words_and_a_name_for_each_curve():
    markup = figures.first_look(FRONTIER)
    plot, *samples = drawings(markup)
    named = [trace.name for trace in FRONTIER.data if trace.showlegend is not False]
    assert [words.strip() for words in re.findall(r">\s*([^<>]+)</span>", markup.split("<p ")[1])] == named
    assert len(samples) == len(named)
    for words in ("yours, 1", "accuracy", "ε of every label (log scale)", ">0.25<", ">80%<"):
        assert words in markup
    # The goal, across, is dotted; the visitor's own ε is a line from the foot to the top.
    low, high = FRONTIER.layout.yaxis.range
    goal = f"{100 - 100 * (0.9 - low) / (high - low):.2f}%"
    assert f'x1="0%" x2="100%" y1="{goal}" y2="{goal}" stroke="{palette.TRUTH.colour}" stroke-width="1" ' in plot
    assert 'y1="0.00%" y2="100.00%"' in plot
    assert markup.startswith('<div class="first-look" aria-hidden="true"')


@pytest.mark.parametrize(("low", "high", "labels"), [(0.0, 1.0, 6), (0.42, 0.47, 6), (0.0, 0.031, 4)])
def test_an_axis_without_labels_of_its_own_gets_round_ones(low, high, labels):
    curve = charts.Curve("a", palette.SPREAD, [0, 1], [Estimate(low, low, low), Estimate(high, high, high)])
    y_axis = {"title": {"text": "share"}, "range": [low, high]}
    markup = figures.first_look(charts.curve_chart([curve], charts.axis("x", [0, 1]), y_axis))
    shown = [float(words) for words in re.findall(r'right:[^"]+">([-\d.]+)</span>', markup)]
    assert len(shown) == labels
    assert np.ptp(np.diff(shown)) < 1e-9
    assert low <= shown[0]
    assert shown[-1] <= high


def test_names_are_text_and_open_marks_are_not_filled():
    one = [Estimate(0.5, 0.4, 0.6)]
    curves = [charts.Curve(NASTY, palette.OTHERS[0], [1], one), charts.Curve("full", palette.SPREAD, [1], one)]
    y_axis = {"title": {"text": "share"}, "range": [0, 1]}
    markup = figures.first_look(charts.curve_chart(curves, charts.axis("x", [0, 2]), y_axis))
    assert NASTY not in markup
    assert "&lt;script&gt;" in markup
    assert re.findall(r'fill="([^"]+)"', drawings(markup)[0]) == ["none", palette.SPREAD.colour]

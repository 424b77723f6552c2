"""The style of every chart: Plotly takes it as it is, chooses nothing itself, and a telephone has space for it."""

import json
import pickle

import numpy as np
import pytest

from privdemo import figures, palette
from privdemo.figures import chart_style, charts
from privdemo.figures.plain import PlainFigure, changed, parts
from privdemo.intervals import Estimate
from privdemo.methods import CLASS_RATIO, COMPARISON, LABEL_COUNTS, LABEL_PROPORTIONS, TRAINING, VOTING
from tests.figures.gallery import of_every_chart


@of_every_chart
def test_a_chart_passes_all_of_plotlys_checks_and_stays_as_it_is(figure):
    plain, checked = (PlainFigure(parts(figure)) for _ in range(2))
    assert checked.data is not None, "whoever asks for a part of a figure gets a whole one, each attribute checked"
    assert json.loads(checked.to_json()) == json.loads(plain.to_json())
    assert pickle.loads(pickle.dumps(plain)) == checked


@of_every_chart
def test_nothing_of_a_chart_is_left_for_plotly_to_choose(figure):
    layout = figure.layout
    for letter in "xy":
        for name in chart_style.axis_names(parts(figure), letter):
            axis = layout[name]
            assert axis.range is not None
            assert axis.tickvals is not None or (axis.dtick and axis.tickformat)
            assert axis.tickfont.size == axis.title.font.size == chart_style.SIZE
    assert layout.font.size == layout.legend.font.size == chart_style.SIZE >= 14
    assert all(note.font.size is None for note in layout.annotations)
    assert figures.height(figure) == layout.height
    # At 390 pixels a chart is 358 wide.
    assert 358 - layout.margin.l - layout.margin.r >= 0.59 * 390


@of_every_chart
def test_no_cap_has_no_width(figure):
    for trace in figure.data:
        for letter in "xy":
            bars = getattr(trace, f"error_{letter}", None)
            if bars is not None and bars.array is not None:
                both = zip(bars.array, bars.arrayminus, strict=True)
                assert all(above is None or above + below > 0 for above, below in both)


def test_plotly_knows_the_marker_of_every_method():
    tables = (VOTING, TRAINING, LABEL_COUNTS, LABEL_PROPORTIONS, CLASS_RATIO, COMPARISON)
    styles = {method.style for table in tables for method in table.values()} | set(palette.STYLES)
    curves = [charts.Curve(f"{i}", style, [1], [Estimate(0.5, 0.4, 0.6)]) for i, style in enumerate(styles)]
    figure = charts.curve_chart(curves, charts.axis("x", [0, 2]), {"range": [0, 1]})
    assert len(figure.data) == len(styles)


@pytest.mark.parametrize("wrap", [list, np.array])
def test_a_fingerprint_is_that_of_the_numbers_to_nine_digits_and_of_the_words(wrap):
    def chart(*numbers, title="share"):
        layout = {"height": 250, "margin": {"b": 0}, "xaxis": {"title": {"text": title}}}
        return chart_style.chart([{"x": [1, 2], "y": wrap(numbers)}], layout)

    known = figures.fingerprint(chart(0.1, 0.2))
    assert known == figures.fingerprint(chart(0.1, 0.2 * (1 + 1e-13)))
    others = [chart(0.1, 0.2001), chart(0.1, 0.2, title="part"), changed(chart(0.1, 0.2), {"height": 251})]
    assert len({known, *map(figures.fingerprint, others)}) == 4

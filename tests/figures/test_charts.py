"""Rules and axes that charts share, and looks that tell methods apart."""

import numpy as np
import pytest

from privdemo import palette
from privdemo.figures import charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, LABEL_COUNTS, LABEL_PROPORTIONS, TRAINING, VOTING

LINES = [charts.Curve("a", palette.SPREAD, (1, 10), (Estimate(1, 0.5, 2), Estimate(2, 1, 3)))]


@pytest.mark.parametrize(("yours", "place"), [(1000.0, 1.05), (3.0, np.log10(3)), (0.001, -0.05)])
def test_a_rule_beyond_a_logarithmic_axis_is_at_its_end(yours, place):
    figure = charts.curve_chart(LINES, charts.log_axis("x", (1, 10)), {}, yours=yours)
    assert np.log10(figure.layout.shapes[0].x0) == pytest.approx(place)


@pytest.mark.parametrize(("yours", "place"), [(-5.0, 0.55), (4.0, 4.0), (11.0, 10.45)])
def test_a_rule_beyond_an_axis_is_at_its_end(yours, place):
    figure = charts.curve_chart(LINES, charts.axis("x", (1, 10)), {}, yours=yours)
    assert figure.layout.shapes[0].x0 == pytest.approx(place)


@pytest.mark.parametrize(
    ("share", "text"), [(0.35, "35.0%"), (-0.0123, "−1.2%"), (120.5, "12,050.0%"), (-0.0001, "0.0%")]
)
def test_shares_are_written_as_percentages(share, text):
    assert charts.percent(share) == text


@pytest.mark.parametrize("table", [VOTING, TRAINING, LABEL_PROPORTIONS, CLASS_RATIO, LABEL_COUNTS])
def test_no_two_methods_of_a_chart_look_alike(table):
    looks = {tuple(method.style) for method in table.values()}
    assert len(looks) == len({method.title for method in table.values()}) == len(table)


def test_tight_published_and_data_dependent_noise_look_different_and_a_family_has_one_colour():
    styles = {name: method.style for name, method in LABEL_COUNTS.items()}
    for name, release in RELEASES.items():
        assert (styles[name].dash == "dot") == release.data_dependent
        assert (styles[name].dash == "solid") == (release.tight and not release.data_dependent)
    assert styles["laplace prior"].colour == styles["laplace tight"].colour != styles["gaussian tight"].colour

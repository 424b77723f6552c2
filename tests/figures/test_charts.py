"""Rules and axes that charts share, and looks that tell methods apart."""

import pytest

from privdemo import palette
from privdemo.figures import charts, class_ratio, label_counts, label_proportions, training
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import LABEL_COUNTS
from tests.figures.reading import holds, look

CURVE = charts.Curve("a", palette.SPREAD, (1, 10), (Estimate(1, 0.5, 2), Estimate(2, 1, 3)))


@pytest.mark.parametrize(
    ("x_axis", "yours", "place"),
    [
        *((charts.log_axis, yours, place) for yours, place in ((1000.0, 10**1.05), (3.0, 3.0), (0.001, 10**-0.05))),
        *((charts.axis, yours, place) for yours, place in ((-5.0, 0.55), (4.0, 4.0), (11.0, 10.45))),
    ],
)
def test_a_rule_beyond_an_axis_is_at_its_end(x_axis, yours, place):
    figure = charts.curve_chart([CURVE], x_axis("x", (1, 10)), {}, yours=yours)
    assert figure.layout.shapes[0].x0 == pytest.approx(place)


@pytest.mark.parametrize(
    ("share", "text"), [(0.35, "35.0%"), (-0.0123, "−1.2%"), (120.5, "12,050.0%"), (-0.0001, "0.0%")]
)
def test_shares_are_written_as_percentages(share, text):
    assert charts.percent(share) == text


def rates(*sources):
    return {source: Estimate(0.5 + i / 16, 0.49, 0.61 + i / 16) for i, source in enumerate(sources)}


@pytest.mark.parametrize(
    ("attack", "rates", "promised", "rules"),
    [
        (training.attack, rates("label", "image", "both"), (0.8,), [0.8, 0.5]),
        (class_ratio.attack, rates("model", "set", "both", "new"), (), [0.5625]),
        (label_proportions.attack, rates("bag", "prior", "model", "both"), (), [0.5625]),
    ],
)
def test_an_adversarys_guesses_stand_beside_what_is_promised_or_known(attack, rates, promised, rules):
    figure = attack(rates, *promised)
    for trace, rate, text in zip(figure.data, rates.values(), figure.layout.yaxis.ticktext, strict=True):
        assert holds(trace, rate, axis="x")
        assert look(trace) == (palette.ADVERSARY.colour, palette.ADVERSARY.marker)
        assert text.endswith(f"<b>{charts.percent(rate.mean)}</b>")
    assert [shape.x0 for shape in figure.layout.shapes] == rules
    low, high = figure.layout.xaxis.range
    assert low <= 0.44 < 1 < high


def test_guesses_of_the_last_label_are_drawn_with_what_the_promise_allows():
    figure = label_counts.attack({"laplace tight": 0.53, "gaussian tight": 0.52}, 0.54)
    assert [trace.x[0] for trace in figure.data] == [0.53, 0.52]
    assert [shape.x0 for shape in figure.layout.shapes] == [0.54, 0.5]


def test_tight_published_and_data_dependent_noise_look_different_and_a_family_has_one_colour():
    styles = {name: method.style for name, method in LABEL_COUNTS.items()}
    for name, release in RELEASES.items():
        assert (styles[name].dash == "dot") == release.data_dependent
        assert (styles[name].dash == "solid") == (release.tight and not release.data_dependent)
    assert styles["laplace prior"].colour == styles["laplace tight"].colour != styles["gaussian tight"].colour

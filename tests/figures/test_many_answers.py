"""Charts of many answers: marks that none hides, and names that stand where they belong."""

import itertools
import re

import numpy as np
import pytest

from privdemo import palette
from privdemo.experiments import many_answers
from privdemo.figures import answer_map
from privdemo.figures import many_answers as charts
from privdemo.methods import FREQUENCY_ORACLES
from tests.figures.reading import Reader


def test_shares_are_marked_in_full_colour_by_the_chosen_method_alone() -> None:
    found = many_answers.run(many_answers.AnswersConfig(k=20, people=500))
    figure = charts.ranges(found)
    bars, mark, missed = figure.data
    assert bars.marker.line.color == palette.TRUTH.colour
    name = found.config.oracle
    assert mark.marker.color == mark.error_x.color == FREQUENCY_ORACLES[name].style.colour
    assert mark.opacity is None
    assert list(bars.y) == list(range(charts.SHOWN - 1, -1, -1))
    places = {float(round(y)): x for one in (mark, missed) for x, y in zip(one.x, one.y, strict=True)}
    assert [places[y] for y in bars.y] == found.found[name].shares[: charts.SHOWN].tolist()
    low, high = (end[: charts.SHOWN] for end in (found.found[name].low, found.found[name].high))
    truth = found.truth.shares[: charts.SHOWN]
    assert len(missed.x) == ((truth < low) | (high < truth)).sum() > 0
    assert missed.marker.color == missed.error_x.color != mark.marker.color


def test_each_share_is_joined_to_the_true_one_and_the_largest_gap_is_named() -> None:
    found = many_answers.run(many_answers.AnswersConfig(k=20, people=500))
    figure = charts.shares(found)
    bars, mark, key = figure.data
    truth, shares = np.array(bars.x), np.array(mark.x)
    assert shares.tolist() == found.found[found.config.oracle].shares[: charts.SHOWN].tolist()
    np.testing.assert_allclose(shares + mark.error_x.array - mark.error_x.arrayminus, truth, atol=1e-12)
    assert mark.name == "estimated share, by chance also below 0 %"
    assert key.line.color == mark.error_x.color == mark.marker.color
    (note,) = [note for note in figure.layout.annotations if note.text.startswith("largest gap")]
    row = int(np.abs(truth - shares).argmax())
    assert note.text == f"largest gap: {100 * abs(truth - shares)[row]:.1f} points"
    assert (note.y, note.x in (truth[row], shares[row])) == (bars.y[row], True)
    many = charts.shares(many_answers.run(many_answers.AnswersConfig(k=4, people=100_000)))
    assert many.data[1].name == "estimated share", "none is below 0"


def plain(text: str) -> str:
    """The words of a note, without tags and without the sign of a curve."""
    return re.sub(r"<[^>]+>", "", re.sub(r"<span[^>]*>.</span> ", "", text.replace("<br>", " ")))


@pytest.mark.parametrize("axis", many_answers.AXES)
@pytest.mark.parametrize(("k", "people"), [(2, 100), (64, 10_000)])
def test_all_methods_are_named_at_the_ends_of_their_curves(axis: str, k: int, people: int) -> None:
    errors = many_answers.along(axis, k, 1.0, people)
    own = {"epsilon": 1.0, "answers": k, "people": people}[axis]
    layout = charts.along(axis, errors, list(FREQUENCY_ORACLES), own, 0.02).layout
    assert layout.showlegend is False
    assert f"your setting: {'ε = ' * (axis == 'epsilon')}{own:,g}" in [note.text for note in layout.annotations]
    names = sorted((note.y, note.text) for note in layout.annotations if note.align == "left")
    rightmost = (min if axis == "epsilon" else max)(errors)  # more private is at the right
    last = {method.title: 100 * errors[rightmost][name] for name, method in FREQUENCY_ORACLES.items()}
    last[charts.UNASKED] = 2.0
    assert {plain(text) for _, text in names} == set(last)
    ends = [last[plain(text)] for _, text in names]
    assert ends == sorted(ends)
    low, high = layout.yaxis.range
    pixel = (high - low) / (layout.height - layout.margin.t - layout.margin.b)
    places = [(y / pixel, 18 * (text.count("<br>") + 1)) for y, text in names]
    assert all(b - a >= (one + other) / 2 for (a, one), (b, other) in itertools.pairwise(places))


@pytest.mark.parametrize(
    ("among", "own"),
    [
        (tuple(FREQUENCY_ORACLES), (1.0, 64)),
        (tuple(FREQUENCY_ORACLES), (0.01, 1024)),
        (("randomised response", "optimised unary"), (10.0, 2)),
    ],
)
def test_names_on_the_map_stand_in_their_areas(among: tuple[str, ...], own: tuple[float, int]) -> None:
    found = many_answers.winners(among)
    figure = answer_map.winners(found, own)
    star = next(trace for trace in figure.data if trace.type == "scatter" and trace.mode == "markers")
    assert found.epsilons[round(star.x[0])] == own[0]
    assert found.ks[round(star.y[0])] == own[1]
    notes = {plain(note.text): note for note in figure.layout.annotations}
    there = {FREQUENCY_ORACLES[name].title: name for row in found.names for name in row}
    assert set(notes) == {"possible answers", "your setting", "rule of 2017", *there}
    for title, name in there.items():
        assert found.names[round(notes[title].y)][round(notes[title].x)] == name


@pytest.mark.parametrize(("k", "epsilon", "at_once"), [(2, 1.0, 2), (64, 1.0, 2), (94, 0.01, 4), (1024, 0.01, 3)])
def test_against_bits_no_marker_hides_another(k: int, epsilon: float, at_once: int) -> None:
    sent = {name: many_answers.mechanism(name, k, epsilon).bits for name in FREQUENCY_ORACLES}
    figure = charts.bits(many_answers.errors(k, epsilon, 10_000), sent)
    (left, right), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range
    places = [
        (250 * np.log10(trace.x[0]) / (right - left), 240 * trace.y[0] / (high - low), trace) for trace in figure.data
    ]
    together = 0
    for (x, y, under), (other_x, other_y, over) in itertools.combinations(places, 2):
        if np.hypot(x - other_x, y - other_y) < 6:
            together += 1
            assert abs(under.marker.size - over.marker.size) >= 10
            assert over.marker.size < under.marker.size or over.marker.symbol.endswith("-open")
            assert under.hovertemplate == over.hovertemplate
    assert together >= at_once * (at_once - 1) / 2


@pytest.mark.parametrize("axis", many_answers.AXES)
def test_numbers_on_axes_are_written_one_way(axis: str) -> None:
    errors = many_answers.along(axis, 1024, 0.01, 100)
    layout = charts.along(axis, errors, list(FREQUENCY_ORACLES), min(errors), None).layout
    words = [word for one in (layout.xaxis, layout.yaxis) for word in one.ticktext if word]
    assert words
    assert all(re.fullmatch(r"0\.\d+|\d{1,3}(,\d{3})?|\d+ million", word) for word in words), words


@pytest.mark.parametrize(("epsilon", "people"), [(1.0, 10_000), (9.0, 1_000_000), (0.1, 1_000)])
def test_the_scale_of_shares_stands_over_the_plot_and_below_it(epsilon: float, people: int) -> None:
    found = many_answers.run(many_answers.AnswersConfig(k=16, people=people, epsilon=epsilon))
    layout = charts.shares(found).layout
    low, high = layout.xaxis.range
    ticks = dict(zip(layout.xaxis.tickvals, layout.xaxis.ticktext, strict=True))
    assert ticks[0.0] == "0 %"
    assert 3 <= len(ticks) <= 7
    assert all(low <= share <= high for share in ticks)
    assert {note.x: note.text for note in layout.annotations if note.text.endswith("%")} == ticks


def test_true_shares_and_open_places_for_the_estimated_stand_apart() -> None:
    reader = Reader(charts.open_shares_html("who <", "found >", ["cold", "a & b"], [0.4, 0.1], ["40 %", "10 %"]))
    assert [bar["style"] for bar in reader.all("i")] == ["width:100.00%", "width:25.00%"]
    words = " ".join(reader.words)
    for part in ("who <", "found >", "?", "cold: 40\u00a0%", "a & b: 10\u00a0%"):
        assert part in words

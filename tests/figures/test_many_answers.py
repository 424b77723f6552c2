"""Charts of many answers: marks that none hides, and names that stand where they belong."""

import itertools
import re

import numpy as np
import pytest

from privdemo import palette
from privdemo.experiments import many_answers
from privdemo.figures import many_answers as charts
from privdemo.methods import FREQUENCY_ORACLES


def test_shares_are_marked_side_by_side_in_full_colour() -> None:
    found = many_answers.run(many_answers.AnswersConfig(k=20, people=500))
    figure = charts.shares(found)
    bars, *marks = figure.data
    assert bars.marker.line.color == palette.TRUTH.colour
    for name, mark in zip(found.found, marks, strict=True):
        assert mark.marker.color == mark.error_y.color == FREQUENCY_ORACLES[name].style.colour
        assert mark.opacity is None
        assert np.round(mark.x).tolist() == list(range(charts.SHOWN))
        assert list(mark.y) == found.found[name].shares[: charts.SHOWN].tolist()
    assert min(abs(np.subtract(marks[0].x, marks[1].x))) > 0.2


def plain(text: str) -> str:
    """The words of a note, without tags and without the sign of a curve."""
    return re.sub(r"<[^>]+>", "", re.sub(r"<span[^>]*>.</span> ", "", text.replace("<br>", " ")))


@pytest.mark.parametrize("axis", many_answers.AXES)
@pytest.mark.parametrize(("k", "people"), [(2, 100), (64, 10_000)])
def test_all_lies_are_named_at_the_ends_of_their_curves(axis: str, k: int, people: int) -> None:
    errors = many_answers.along(axis, k, 1.0, people)
    own = {"epsilon": 1.0, "answers": k, "people": people}[axis]
    layout = charts.along(axis, errors, list(FREQUENCY_ORACLES), own, 0.02).layout
    assert layout.showlegend is False
    assert f"yours, {own:,g}" in [note.text for note in layout.annotations]
    names = sorted((note.y, note.text) for note in layout.annotations if note.align == "left")
    last = {method.title: 100 * errors[max(errors)][name] for name, method in FREQUENCY_ORACLES.items()}
    last[charts.UNASKED] = 2.0
    assert {plain(text) for _, text in names} == set(last)
    ends = [last[plain(text)] for _, text in names]
    assert ends == sorted(ends)
    low, high = layout.yaxis.range
    pixel = (high - low) / (layout.height - layout.margin.t - layout.margin.b)
    places = [(y / pixel, 18 * (text.count("<br>") + 1)) for y, text in names]
    assert all(b - a >= (one + other) / 2 for (a, one), (b, other) in itertools.pairwise(places))


@pytest.mark.parametrize(
    ("among", "own"), [(tuple(FREQUENCY_ORACLES), (1.0, 64)), (("randomised response", "optimised unary"), (10.0, 2))]
)
def test_names_on_the_map_stand_in_their_areas(among: tuple[str, ...], own: tuple[float, int]) -> None:
    found = many_answers.winners(among)
    notes = {plain(note.text): note for note in charts.winners(found, own).layout.annotations}
    there = {FREQUENCY_ORACLES[name].title: name for row in found.names for name in row}
    assert set(notes) == {charts.AXES["answers"], "yours", "k = 3e^ε + 2", *there}
    for title, name in there.items():
        assert found.names[round(notes[title].y)][round(notes[title].x)] == name

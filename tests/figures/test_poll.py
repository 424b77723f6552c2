"""Charts of a class hold its reveal, and show its words as they stand."""

import numpy as np
import pytest

from privdemo import figures
from privdemo.experiments import poll
from privdemo.figures import people
from privdemo.figures import poll as charts
from tests.figures.reading import NASTY, shows_estimates

FOUND = poll.reveal(poll.PollConfig(("Yes", NASTY, "Neither"), 0.3), (30, 40, 10))
SAID = [reading.reported for reading in FOUND.readings]


def heights(traces):
    return [trace.y[0] for trace in traces]


def test_bars_are_as_long_as_what_was_said_in_the_order_of_the_answers():
    bars = charts.said(FOUND).data
    assert [bar.x for bar in bars] == [(0, share.mean) for share in SAID]
    assert heights(bars) == sorted(heights(bars), reverse=True)


def test_readings_stand_with_their_intervals():
    for trace, share in zip(charts.naive(FOUND).data, SAID, strict=True):
        assert shows_estimates(trace, share, axis="x")
    traces = charts.corrected(FOUND, (0.5, 0.3, 0.2)).data
    named = {name: [trace for trace in traces if trace.name == name] for name in {trace.name for trace in traces}}
    for trace, reading in zip(named["corrected for the changed answers"], FOUND.readings, strict=True):
        assert shows_estimates(trace, reading.estimated, axis="x")
    assert [trace.x[0] for trace in named["the truth"]] == [0.5, 0.3, 0.2]
    assert [sum(trace.showlegend for trace in each) for each in named.values()] == [1, 1, 1]


def test_a_rule_stands_at_the_times_asked_and_curves_at_the_beliefs():
    again = poll.asked_again(FOUND)
    figure = charts.again(again, 2)
    assert figure.layout.shapes[0].x0 == 2
    for trace, each in zip(figure.data, again, strict=True):
        assert shows_estimates(trace, *each.meant)
        np.testing.assert_array_equal(np.round(trace.x), [1, 2, 3, 4, 5])


def test_of_a_hundred_senders_as_many_meant_it():
    for field, reading in zip(charts.meant(FOUND), FOUND.readings, strict=True):
        assert field.svg.split('d="')[1].count("M") == round(100 * reading.meant.mean)
    assert "<script>" not in figures.people_html(charts.meant(FOUND), charts.meant_legend(FOUND), NASTY)


def test_senders_of_an_answer_have_its_mark_hollow_where_chance_changed_it():
    for field, mark in zip(charts.meant(FOUND), people.SAID, strict=False):
        assert field.svg.count(mark.colour) == 2
        assert field.svg.count('fill="none"') == 1


def test_the_price_is_two_bars_of_people():
    cost = poll.price(FOUND)
    assert [bar.x[1] for bar in charts.price(cost).data] == [cost.with_lies, cost.without_lies]


@pytest.mark.parametrize(
    "figure", [charts.said(FOUND), charts.again(poll.asked_again(FOUND), 1)], ids=["rows", "curves"]
)
def test_words_of_a_teacher_are_no_tags(figure):
    shown = [note.text for note in figure.layout.annotations] + [trace.name or "" for trace in figure.data]
    assert any("alert" in words for words in shown)
    assert not any("<script" in words or "</script" in words or "&amp" in words for words in shown)


def test_of_many_answers_the_likeliest_are_plotted():
    many = poll.asked_again(poll.reveal(poll.PollConfig(tuple("abcdef"), 0.3), (30, 5, 40, 10, 1, 20)))
    assert [trace.name for trace in charts.again(many, 1).data] == ["always “a”", "always “c”", "always “f”"]


def test_answers_that_say_less_than_an_honest_one_are_worth_under_1():
    figure = charts.price(poll.price(poll.reveal(poll.PollConfig(lie=0.45), (2, 1))))
    assert "under 1" in str(figure.layout.to_plotly_json())


@pytest.mark.parametrize(
    ("n", "wide", "columns"),
    [(0, 1.7, 1), (1, 2.1, 1), (4, 1.7, 2), (3, 1.7, 2), (4, 2.1, 2), (22, 2.1, 8), (40, 1.7, 8), (40, 2.1, 10)],
)
def test_dots_of_a_class_fill_a_slide(n, wide, columns):
    assert charts._largest_dots(n, wide) == columns

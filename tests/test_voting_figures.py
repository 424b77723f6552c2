"""Charts and dot fields of the voting lesson hold the numbers they are given."""

from __future__ import annotations

import base64
import math
import re

import numpy as np
import pytest

from privdemo import attacks, figures
from privdemo.estimators import survey, votes
from privdemo.experiments import naive_training, voting
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel
from privdemo.methods import VOTING

CONFIG = voting.ElectionConfig(n_elections=50)
ELECTIONS = voting.run(CONFIG)
POLL = voting.poll(CONFIG, ELECTIONS)
RECORDS = voting.records(CONFIG, ELECTIONS)


def test_a_dot_field_draws_every_person_once():
    kinds = np.array([voting.A_TRUE] * 5 + [voting.A_LIED] * 2 + [voting.B_TRUE] * 6 + [voting.B_LIED])
    ours = figures.dot_field("ours", kinds, people.TRUTH)
    assert ours.svg.count('fill="none"') == 2
    assert ours.svg.count("M") == len(kinds)
    assert ours.svg.count("0 1 0 7") == 7  # discs: the voters of A
    theirs = figures.dot_field("theirs", kinds, people.ANSWERS)
    assert 'fill="none"' not in theirs.svg
    assert theirs.svg.count("0 1 0 7") == 5 + 1  # truthful voters of A, and the liar who voted B


def test_where_two_people_differ_in_truth_alone_the_pollster_sees_the_same():
    """The answer is all that leaves: a voter of A who lies looks like an honest voter of B."""
    honest = figures.dot_field("x", np.array([voting.B_TRUE, voting.A_TRUE]), people.ANSWERS)
    liars = figures.dot_field("x", np.array([voting.A_LIED, voting.B_LIED]), people.ANSWERS)
    assert honest.svg == liars.svg  # to the last byte


def test_dots_lie_inside_the_picture_and_apart():
    for n in (1, 2, 10, 999, 1000):
        field = figures.dot_field("x", np.zeros(n, int), people.TRUTH)
        width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', field.svg).groups())
        spots = [tuple(map(float, spot)) for spot in re.findall(r"M([\d.]+) ([\d.]+)a", field.svg)]
        assert len(set(spots)) == n
        assert all(0 <= x <= width - 7 and 3.5 <= y <= height - 3.5 for x, y in spots)


def test_people_pages_are_whole_and_escape_their_text():
    field = figures.dot_field("a <b>", np.zeros(3, int), people.TRUTH)
    page = figures.people_page([field], {"x & y": people.VOTED_A}, 'say "A" <now>')
    assert "a &lt;b&gt;" in page
    assert "x &amp; y" in page
    assert 'alt="say &quot;A&quot; &lt;now&gt;"' in page
    assert "<style>" in page
    picture = re.search(r"base64,([^\"]+)", page).group(1)
    assert base64.b64decode(picture).decode() == field.svg


def test_estimates_and_their_intervals():
    figure = charts.estimates(POLL.estimates, CONFIG.share)
    for trace, (name, e) in zip(figure.data, POLL.estimates.items(), strict=True):
        assert trace.x[0] == e.value
        assert trace.x[0] + trace.error_x.array[0] == pytest.approx(e.high)
        assert trace.x[0] - trace.error_x.arrayminus[0] == pytest.approx(e.low)
        assert trace.y[0] == VOTING[name].title
    assert figure.layout.shapes[0].x0 == CONFIG.share
    outside = votes.estimate("spread", 0, 50, BinaryChannel(0.2, 0.2))
    low, high = charts.estimates({"spread": outside}, 0.1).layout.xaxis.range
    assert low < outside.low < 0
    assert high > 1


def test_histograms_hold_all_polls():
    low, high = -0.2, 1.2
    for record in RECORDS:
        bins = voting.histogram(record, low, high)
        assert bins.measured.sum() == pytest.approx(1)
        assert bins.exact.sum() == pytest.approx(1, abs=1e-9)
        assert bins.edges[0] <= low
        assert bins.edges[-1] >= high - 1e-9
    figure = charts.repeated_polls(RECORDS[:2], 0.35)
    assert len({trace.yaxis for trace in figure.data}) == 2
    for record, held, exact in zip(RECORDS[:2], figure.data[::2], figure.data[1::2], strict=True):
        bins = voting.histogram(record, *voting.span(RECORDS[:2], 0.35))
        np.testing.assert_allclose(held.y[::2], bins.measured)
        np.testing.assert_allclose(exact.y[1::2], bins.exact)
        np.testing.assert_allclose(held.x, np.repeat(bins.edges, 2)[1:-1])
        assert held.x.min() <= record.values.min()
        assert held.x.max() >= record.values.max()


def test_no_bin_of_a_lattice_is_fuller_for_its_place_alone():
    """Every inner bin holds the same number of the values an estimate can take."""
    for n_voters in (7, 10, 30, 1000):
        config = voting.ElectionConfig(n_voters, 0.5, BinaryChannel(0.3, 0.1), 5)
        for record in voting.records(config, voting.run(config)):
            if record.name in ("reconstruction", "spread MLE"):
                continue
            edges = voting.histogram(record, -0.5, 1.5).edges
            held, _ = np.histogram(record.law.values, edges)
            first, last = np.flatnonzero(held)[[0, -1]]
            assert len(set(held[first + 1 : last])) <= 2 if n_voters < 60 else len(set(held[first + 1 : last])) == 1


def test_figure_1_has_a_panel_for_every_lie_and_breaks_lines_at_jumps():
    runs = voting.figure1()
    figure = charts.figure1(runs, (0.2, 0.35))
    assert len(figure.data) == 4 * len(runs)
    assert len({trace.xaxis for trace in figure.data}) == len(runs)
    by_panel = [trace for trace in figure.data if "climbing" in trace.name]
    for trace, run in zip(by_panel, runs, strict=True):
        kept = ~np.isnan(trace.y)
        np.testing.assert_array_equal(np.asarray(trace.y)[kept], run.reconstruction[kept])
        assert (np.abs(np.diff(trace.y)[~np.isnan(np.diff(trace.y))]) <= 0.05).all()
    assert figure.layout.shapes[0].x0 == 0.35
    assert figure.layout.shapes[0].xref == "x3"
    assert "p = 0.2, yours" in [note.text for note in figure.layout.annotations]
    assert not charts.figure1(runs).layout.shapes


def test_the_landscape_marks_lie_on_the_curve():
    theta, objective = voting.landscape(CONFIG)
    marks = voting.in_the_long_run(CONFIG)
    figure = charts.landscape(theta, objective, marks, CONFIG.share)
    for trace, value in zip(figure.data[1:], marks.values(), strict=True):
        exact = votes.reconstruction_objective(value, CONFIG.answer_prob, CONFIG.channel)
        assert trace.x[0] == value
        assert trace.y[0] == pytest.approx(float(exact), abs=1e-3)


def test_asking_again_and_candidates_and_training():
    all_asked = [attacks.repeated_answers(CONFIG.channel, 0.5, m) for m in range(1, 51)]
    figure = charts.asking_again(all_asked, 7)
    assert sum(figure.data[3].y) == pytest.approx(1)
    assert sum(figure.data[4].y) == pytest.approx(1)
    assert list(figure.data[3].x) == list(figure.data[5].x) == list(range(8))
    np.testing.assert_array_equal(figure.data[5].y, all_asked[6].posterior)
    config = voting.ManyConfig()
    result = voting.run_many(config)
    drawn = charts.candidates(config.shares, result)
    inverted = next(trace for trace in drawn.data if trace.name == "channel inverted")
    np.testing.assert_allclose(inverted.y + inverted.error_y.array, result.high)
    yours = naive_training.run(naive_training.NaiveConfig(ratio=3.0))
    same = naive_training.run(naive_training.NaiveConfig())
    names = [trace.name for trace in charts.naive_training(same, yours).data]
    assert f"your inputs: least at α = {yours.best[0]:.1f}°" in names
    assert "same spread in all directions: least at α = 0.0°" in names


def test_the_price_marks_the_visitors_plan_where_it_can_be_drawn():
    curve = survey.curve(0.02, 0.5, through=0.01)
    assert curve[0][0] < 0.01
    plan = charts.price(curve, 2398, (0.01, 9e7), 0.02)
    assert list(plan.data[2].x) == [0.01]
    assert plan.layout.shapes[0].x0 == 0.01
    free = charts.price(survey.curve(0.02, through=math.inf), 2398, (math.inf, 2398), 0.02)
    assert not len(free.data[2].x)
    assert not free.layout.shapes

"""The home page: its numbers are the package's, it leads to every page, its pictures have data and code."""

import json

import numpy as np
import pytest

from pages.kit import cache, dials, numbers
from pages.kit.trials import Trials
from pages.topics import PAGES
from pages.topics.home.answer import answer
from pages.topics.home.cost import EPSILON, best_by_trust, cost
from pages.topics.home.question import FAMILY, Question
from privdemo.experiments import images
from privdemo.experiments.comparison import study
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import CURVES_FIRST, NOBODY, OWNER, TRUTH
from tests.pages.visiting import html, visit

QUESTION = Question("digits", 4, 0.6)


def shown():
    return answer((("voting", "Voting", "Ask."),), QUESTION, Trials())


@pytest.mark.parametrize("dataset", ["mnist", "digits"])
def test_each_mark_is_the_best_of_the_methods_that_the_comparison_begins_with(dataset):
    rows = [
        row
        for row in study.load()
        if (row.task, row.dataset, row.private, row.metric) == ("classify", dataset, "labels", "accuracy")
        and row.epsilon == EPSILON
        and row.method in CURVES_FIRST
    ]
    best, panel = best_by_trust(dataset), cost(dataset)
    for trust, trace, row in zip((TRUTH, NOBODY, OWNER), panel.figure.figure.data, panel.rows(), strict=True):
        means = [one.mean for one in rows if one.trust == trust]
        assert best[trust].mean == max(means) == trace.x[0] == row["accuracy"]
        assert trace.x[0] + trace.error_x.array[0] == pytest.approx(best[trust].high)
        assert f"{100 * max(means):.1f} % (" in panel.summary
    assert f"{100 * RandomisedResponse.from_epsilon(EPSILON, 2).flip_prob:.0f} % of the time" in panel.summary
    assert f"The same {2 * best[TRUTH].n_train} people, ε = 1:" in panel.summary
    exec(str(panel.snippet), names := {})
    assert names["best"][NOBODY].mean == pytest.approx(study.best_by_trust(names["best"].values())[NOBODY].mean)


def test_the_dial_says_how_often_the_sender_is_found():
    (dial, costs), _ = shown().main()
    data = dial.figure.data
    point = images.measure(QUESTION.curve, QUESTION.level)
    assert (
        data["linkingHere"]
        == f"Among 100 people we still pick the right person, {dials.times_of_100(point.linked.mean)}."
    )
    assert len(data["linking"]) == len(data["levels"]) == len(images.curve(QUESTION.curve))
    fixed = json.loads(data["pictures"])
    assert fixed["low"] <= QUESTION.level <= fixed["high"] == FAMILY.limit(17).high
    assert costs == cost("digits") or costs.summary == cost("digits").summary
    last = images.curve(QUESTION.curve)[-1]
    assert f"at p = {last.level:.3g} {numbers.out_of_100(last.linked.mean)} (" in dial.summary


def test_the_shown_code_makes_the_shown_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = shown()
    exec(str(made.main()[0][0].snippet), names := {})
    np.testing.assert_array_equal(names["result"].released, made.result.released)
    np.testing.assert_array_equal(names["result"].guesses["low_rank"], made.guesses.pictures["low_rank"])
    assert (names["here"], names["points"]) == (made.own_point, made.points)
    assert (tmp_path / "picture.png").exists()


def test_the_page_leads_to_every_other_by_its_own_name_and_samples_other_people(mnist):
    at = visit("")
    ways = at.get("page_link")
    others = [page for page in PAGES if page.address]
    assert [way.proto.page for way in ways] == ["voting", *(page.address for page in others)]
    assert [(way.proto.label, way.proto.help) for way in ways[1:]] == [(page.title, page.blurb) for page in others]
    before = html(at)
    next(button for button in at.button if button.label == "Draw two other people").click().run()
    assert not at.exception
    assert html(at) != before
    assert at.session_state["people_seed"] == 1


def test_the_dial_starts_where_strokes_are_guessed_that_no_eye_sees(mnist):
    at = visit("")
    level = at.number_input(key="home_p").value
    assert "Among 100 people we still pick the right person, 100 times of 100." in html(at)
    result = images.run(Question("mnist", 0, level).config)
    clean = result.clean / 255.0
    sent, strokes, alone = (
        np.mean((pictures / 255.0 - clean) ** 2)
        for pictures in (result.released, result.guesses["low_rank"], result.guesses["learned"])
    )
    assert strokes < 0.9 * alone < 0.5 * sent


def test_without_mnist_the_small_digits_are_shown(monkeypatch):
    monkeypatch.setattr(cache, "image_titles", lambda: ("Small digits",))
    assert "we still pick the right person" in html(visit(""))


def test_a_link_sets_the_dial(mnist):
    at = visit("", home_p="0.9")
    assert at.number_input(key="home_p").value == 0.9

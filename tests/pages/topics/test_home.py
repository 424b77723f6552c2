"""The home page: its numbers are the package's, it leads to every page, its picture has data and code."""

import re

import numpy as np
import pytest

from pages.kit.draws import Draws
from pages.topics import PAGES
from pages.topics.home.answer import answer
from pages.topics.home.controls import Question
from pages.topics.home.cost import EPSILON, best_by_trust, cost
from privdemo.experiments import images
from privdemo.experiments.comparison import study
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import NOBODY, OWNER, PUBLISHER, SHOWN_FIRST, TRUTH
from tests.pages.visiting import html, visit

QUESTION = Question("digits", 4)


@pytest.mark.parametrize("dataset", ["mnist", "digits"])
def test_each_card_holds_the_best_of_the_methods_shown_first(dataset):
    rows = [
        row
        for row in study.load()
        if (row.task, row.dataset, row.private, row.metric) == ("classify", dataset, "labels", "accuracy")
        and row.epsilon == EPSILON
        and row.method in SHOWN_FIRST
    ]
    best = best_by_trust(dataset)
    cards = dict(zip((NOBODY, OWNER, PUBLISHER, TRUTH), cost(dataset).figure.contents, strict=True))
    for trust, (_, number, _) in cards.items():
        means = [row.mean for row in rows if row.trust == trust]
        assert best[trust].mean == max(means)
        assert number.startswith(f"{100 * max(means):.1f} % (")
    assert f"{RandomisedResponse.from_epsilon(EPSILON, 2).flip_prob:.4f}" in cards[NOBODY][2]
    assert f"The same {2 * best[TRUTH].n_train} people, ε = 1</b>" in cost(dataset).answer


def test_the_picture_says_how_often_the_sender_is_found():
    made = images.gallery(images.GalleryConfig("digits", seed=4))
    shown = answer(QUESTION, Draws())
    linked = re.search(r"<b>(\d+) %</b>", shown.takeaway())
    assert int(linked[1]) == round(100 * made.points[-2].linked.mean)
    panel, costs = shown.main()
    assert costs == cost("digits")
    assert shown.takeaway().split(". ", 1)[1].rstrip(".") in panel.summary


def test_the_shown_code_makes_the_shown_picture(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    shown = answer(QUESTION, Draws())
    exec(str(shown.main()[0].snippet), names)
    np.testing.assert_array_equal(names["picture"].images, shown.gallery.images)
    assert (tmp_path / "picture.png").exists()


def test_the_page_leads_to_every_other_and_draws_other_people(mnist):
    at = visit("")
    assert [link.proto.page for link in at.get("page_link")] == [page.address for page in PAGES[1:]]
    before = html(at)
    next(button for button in at.button if button.label == "Draw two other people").click().run()
    assert not at.exception
    assert html(at) != before
    assert at.session_state["people_seed"] == 1
    assert html(visit("", people_seed="1")) == html(at)

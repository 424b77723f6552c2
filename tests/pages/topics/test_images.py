"""The page on noise and images: words follow the numbers, presets and links set what they say, the code runs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from pages.kit.draws import Draws
from pages.topics.images import label_verdict, standing_words
from pages.topics.images.answer import answer, below, snippet
from pages.topics.images.controls import FIGURE_2, FIGURE_4, LIVE, Question
from pages.topics.images.promises import image_slack_words, image_words, label_words, pixel_epsilon, pixel_words
from privdemo import accounting
from privdemo.experiments import images
from privdemo.experiments.images import Privacy
from privdemo.intervals import Estimate
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES
from tests.pages.visiting import html, takeaway, visit


def asked(family="randomised_response", level=0.2, **changes) -> Question:
    numbers = {"shown": 2, "people": 100, "candidates": 20, "delta": 1e-5, "seed": 3, "level": level}
    lies = RandomisedResponse(0.2, 2)
    return replace(Question("digits", ("7", "9"), FAMILIES[family], lies, **numbers, view=LIVE), **changes)


def shown(**changes):
    return answer(asked(**changes), Draws())


def promise(**changes) -> Privacy:
    return replace(Privacy(1e-5, 784, 2.0, 2.0, 1568.0, 900.0, 1.39, (0.8, 0.8)), **changes)


@pytest.mark.parametrize(
    ("changes", "epsilon", "words"),
    [
        ({}, 2.0, "multiplies the odds of any guess about it by at most a factor of 7.39"),
        ({"pixel": 0.0}, 0.0, "at most a factor of 1.00"),
        ({"pixel": math.inf, "pixel_at_delta": 3.0}, 3.0, "a factor of 21 more likely under one value"),
        ({"pixel": math.inf, "pixel_at_delta": math.inf}, math.inf, "Without noise a released pixel is the pixel"),
    ],
)
def test_the_promise_of_a_pixel(changes, epsilon, words):
    assert pixel_epsilon(promise(**changes)) == epsilon
    assert words in pixel_words(promise(**changes))


@pytest.mark.parametrize(
    ("epsilon", "words", "void"),
    [(0.0, "most a factor of 1.00", False), (10.0, "at most", False), (10.1, "may rise by a factor of 24,344", True)],
)
def test_the_promise_of_an_image_is_called_void_where_it_is(epsilon, words, void):
    said = image_words(promise(image=epsilon))
    assert words in said
    assert ("not private" in said) is void
    assert ("not private" in image_slack_words(FAMILIES["laplace"], promise(image_at_delta=epsilon))) is void
    assert "No ε bounds the whole image" in image_words(promise(image=math.inf))


@pytest.mark.parametrize(
    ("names", "truth", "words"),
    [
        (("7", "9"), (0.8, 0.8), "Of 100 people who sent “7”, 80 meant it, if both digits"),
        (("7", "9"), (0.75, 0.6), "“7”, 75 meant it; of 100 who sent “9”, 60 meant it, if both"),
        (("7", "9"), (None, 0.5), "Of 100 people who sent “9”, 50 meant it, if both"),
        (("0", "1", "2"), (0.4, 0.4, 0.4), "“0”, 40 meant it, if all 3 digits"),
    ],
)
def test_of_those_who_sent_a_label_so_many_meant_it(names, truth, words):
    assert words in label_words(names, truth)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.51, 0.6, "betrays"), (0.5, 0.6, "no better than chance"), (0.4, 0.45, "no better than chance")],
)
def test_an_image_betrays_the_label_only_where_that_is_clear(low, high, words):
    assert words in label_verdict(Estimate((low + high) / 2, low, high), 0.5)


def test_the_takeaway_holds_the_packages_numbers():
    made = shown(candidates=1000)
    words, n = made.takeaway(), images.measure(made.question.curve, 0.2).n_candidates
    assert f"ε = {accounting.randomised_response_loss(0.2, 17, 64).epsilon(1e-5):,.0f}" in words
    assert "80</b> meant it (<b>ε = 1.39</b>)" in words
    assert n < 400
    assert f"among {n} people" in words
    assert f"{made.result.changed_pixels:.0f}</b> of an image's 64 pixels change" in words
    assert "who sent “9”, <b>50</b> meant it" in shown(labels=BinaryChannel(1.0, 0.0)).takeaway()


def test_caveats_name_labels_that_say_nothing():
    for lies, there in ((BinaryChannel(0.3, 0.7), True), (BinaryChannel(0.3, 0.6), False)):
        words = standing_words("", shown(labels=lies))["Caveats"]
        assert ("add up to 1" in words) is there
    assert standing_words("Choose at least two digits.", None) == {}


@pytest.mark.parametrize(("view", "name", "columns"), [(FIGURE_2, "figure2", 5), (FIGURE_4, "figure4", 3)])
def test_the_papers_figures_show_each_class_at_each_level(view, name, columns):
    (panel,) = shown(view=view).main()
    assert panel.name == name
    assert len(panel.rows()) == 2 * columns
    assert ("σ² = 0.1 and 0.5 added" if columns == 3 else "p = 0.1, 0.2, 0.3, 0.4.") in panel.summary


@pytest.mark.parametrize("view", [LIVE, FIGURE_4])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_shown_code_gives_the_shown_numbers(family, view, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = shown(family=family, view=view, level=0.9)
    names: dict = {}
    panels = [panel for panel in (*made.main(), *below(made)) if panel.rows]
    assert [panel.snippet for panel in panels] == [snippet(made.question)] * 2
    exec(str(panels[0].snippet).replace(".show()", ""), names)
    assert names["promise"] == made.privacy
    assert names["here"] == made.here
    np.testing.assert_array_equal(names["result"].released, made.result.released)
    assert [row["linked_mean"] for row in below(made)[1].rows()] == [point.linked.mean for point in names["points"]]
    assert (tmp_path / "figure.png").exists() is (view == FIGURE_4)


@pytest.mark.parametrize("name", ["p = 0.3", "σ² = 0.5"])
def test_presets_set_the_papers_values_and_show_the_dial(name):
    at = visit("image_noise", data="Small digits", label_lie="asymmetric", view=FIGURE_2)
    at.button(key=f"preset {name}").click().run()
    key, level, flip = ("p", 0.3, 0.3) if name.startswith("p") else ("sigma", math.sqrt(0.5), 0.2)
    assert at.number_input(key=key).value == level
    assert at.number_input(key="flip").value == flip
    assert at.session_state["view"] == LIVE
    assert f"= <b>{level:.4g}</b>" in takeaway(at)


def test_a_typed_epsilon_sets_the_level_at_the_chosen_slack():
    at = visit("image_noise", data="Small digits", noise="Gaussian", delta="0.001")
    at.number_input(key="pixel_epsilon").set_value(5.0).run()
    assert math.isclose(at.number_input(key="sigma").value, accounting.gaussian_sigma(5.0, 1e-3))
    assert "ε = 5<" in html(at)


def test_another_data_set_brings_the_level_inside_its_range_and_one_digit_is_not_enough(mnist):
    at = visit("image_noise", p="0.99")
    at.get("button_group")[0].set_value("Small digits").run()
    assert at.number_input(key="p").value == 16 / 17
    assert "the end of its range" in at.toast[0].value
    at.get("button_group")[1].set_value(["7"]).run()
    assert "Choose at least two digits" in takeaway(at)

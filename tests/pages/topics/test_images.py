"""The page on noise and images: words follow the numbers, presets and the dial show the very result, the code runs."""

import base64
import math
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from pages.kit.draws import Draws
from pages.topics.images import label_verdict
from pages.topics.images.answer import answer, below, snippet
from pages.topics.images.controls import FIGURE_2, FIGURE_4, LEVELS, LIVE, Question
from pages.topics.images.dial import captions, dial_data
from pages.topics.images.promises import image_slack_words, image_words, label_words, pixel_words
from privdemo import accounting
from privdemo.experiments import images
from privdemo.experiments.images import Privacy
from privdemo.intervals import Estimate
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES
from tests.pages.visiting import visit

LIES = RandomisedResponse(0.2, 2)
ASKED = {"shown": 2, "people": 100, "candidates": 20, "delta": 1e-5, "seed": 3, "level": 0.2, "view": LIVE}
PROMISE = Privacy(1e-5, 784, 2.0, 2.0, 1568.0, 900.0, 1.39, (0.8, 0.8))


def shown(family="randomised_response", labels=LIES, **changes):
    return answer(Question("digits", ("7", "9"), FAMILIES[family], labels, **(ASKED | changes)), Draws())


def promise(**changes) -> Privacy:
    return replace(PROMISE, **changes)


def guessed(low, high) -> Estimate:
    return Estimate((low + high) / 2, low, high)


@pytest.mark.parametrize(
    ("function", "given", "words"),
    [
        (pixel_words, [promise(pixel=inf, pixel_at_delta=3.0)], "a factor of 21 more likely under one value"),
        (image_words, [promise(image=10.1)], "may rise by a factor of 24,344, so it is <b>not private"),
        (image_words, [promise(image=inf)], "No ε bounds the whole image"),
        (image_slack_words, [FAMILIES["laplace"], promise(image_at_delta=10.1)], "or take δ, so it is <b>not private"),
        (label_words, ["79", (0.75, 0.6)], "“7”, 75 meant it; of 100 who sent “9”, 60 meant it, if both"),
        (label_verdict, [guessed(0.51, 0.6), 0.5], "the image betrays the label"),
        (label_verdict, [guessed(0.5, 0.6), 0.5], "no better than chance"),
    ],
)
def test_a_promise_is_told_for_what_it_is(function, given, words):
    assert words in function(*given)


def test_the_takeaway_holds_the_packages_numbers():
    made = shown(candidates=1000)
    words, n = made.takeaway(), images.measure(made.question.curve, 0.2).n_candidates
    assert f"ε = {accounting.randomised_response_loss(0.2, 17, 64).epsilon(1e-5):,.0f}" in words
    assert "80</b> meant it (<b>ε = 1.39</b>)" in words
    assert n < 400
    assert f"among {n} people" in words
    assert f"{made.result.changed_pixels:.0f}</b> of an image's 64 pixels change" in words


@pytest.mark.parametrize(
    ("family", "view"),
    [*((family, LIVE) for family in FAMILIES), ("randomised_response", FIGURE_2), ("laplace", FIGURE_4)],
)
def test_the_shown_code_gives_the_shown_numbers(family, view, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = shown(family, view=view, level=0.9)
    panels = [panel for panel in (*made.main(), *below(made)) if panel.rows]
    assert [panel.snippet for panel in panels] == [snippet(made.question)] * 2
    exec(str(panels[0].snippet).replace(".show()", ""), names := {})
    assert (names["promise"], names["here"]) == (made.privacy, made.here)
    np.testing.assert_array_equal(names["result"].released, made.result.released)
    assert [row["linked_mean"] for row in below(made)[1].rows()] == [point.linked.mean for point in names["points"]]
    assert (tmp_path / "figure.png").exists() is (view != LIVE)


@pytest.mark.parametrize(
    ("name", "key", "level", "flip"), [("p = 0.3", "p", 0.3, 0.3), ("σ² = 0.5", "sigma", math.sqrt(0.5), 0.2)]
)
def test_presets_set_the_papers_values_and_show_the_dial(name, key, level, flip):
    at = visit("image_noise", data="Small digits", label_lie="asymmetric", view=FIGURE_2)
    at.button(key=f"preset {name}").click().run()
    assert [at.number_input(key=which).value for which in (key, "flip")] == [level, flip]
    assert at.session_state["view"] == LIVE


@pytest.fixture(scope="module", params=list(FAMILIES))
def dial(request):
    """A result, and what the browser is told of it at a level, in so fine a step."""
    family = FAMILIES[request.param]
    result = images.run(images.Config("digits", pixels=family.make(0.3, 17), per_class=4, n_people=100, seed=3))
    return result, lambda level=0.3, step=LEVELS[family.name].step: dial_data(result, family, level, step)


def test_pixels_released_from_the_dials_draws_are_the_released_ones(dial):
    def decoded(text, kind=np.uint8):
        return np.frombuffer(base64.b64decode(text), kind)

    result, data = dial[0], dial[1]()
    np.testing.assert_array_equal(decoded(data["states"]), result.states.ravel())
    np.testing.assert_array_equal(decoded(data["clean"]), result.clean.ravel())
    for sent, guess in zip(data["guesses"], result.guesses.values(), strict=True):
        np.testing.assert_array_equal(decoded(sent), guess.ravel())
    if "noise" in data:
        np.testing.assert_array_equal(decoded(data["noise"], np.float32), result.draws.ravel())
    else:
        replaced = decoded(data["uniform"], np.float32) < np.ceil(0.3 * 17 / 16 * 2**24) / 2**24
        released = np.where(replaced, decoded(data["replacement"]), decoded(data["states"])).astype(float)
        np.testing.assert_array_equal(np.floor(released * 255 / 16 + 0.5), result.released.ravel())


def test_a_flipped_label_shows_what_it_was(dial):
    result, data = dial[0], dial[1]()
    flipped = list(result.labels != result.released_labels)
    assert [caption["flipped"] for caption in data["captions"]] == flipped
    assert [" → " in words for words in captions(result)] == flipped
    sent = [result.class_names[label] for label in result.released_labels]
    assert [words.split(" → ")[-1] for words in captions(result)] == sent

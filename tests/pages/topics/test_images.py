"""The page on noise and images: words follow the numbers, presets and the dial show the very result, the code runs."""

import base64
import json
import math
import re
import zlib
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from pages.kit import dials, numbers
from pages.kit.trials import Trials
from pages.topics.images import label_verdict
from pages.topics.images.answer import (
    SHOWN_PRIORS,
    _strokes_words,
    answer,
    extra_jobs,
    match_words,
    paper_figure,
    snippet,
    strip_snippet,
)
from pages.topics.images.promises import (
    image_delta_words,
    image_words,
    label_words,
    pixel_words,
    promise_words,
)
from pages.topics.images.question import CHANGED, DIAL, Question
from privdemo import accounting
from privdemo.experiments import images
from privdemo.experiments.images import PRIORS, Privacy
from privdemo.intervals import Estimate
from privdemo.jobs import Progress
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES
from tests.pages.visiting import visit

LIES = RandomisedResponse(0.2, 2)
ASKED = {"shown": 2, "people": 100, "candidates": 20, "delta": 1e-5, "seed": 3, "level": 0.2}
PROMISE = Privacy(1e-5, 784, 2.0, 2.0, 1568.0, 900.0, 1.39, (0.8, 0.8))


def question_with(family="randomised_response", labels=LIES, **changes):
    return Question("digits", ("7", "9"), FAMILIES[family], labels, **(ASKED | changes))


def shown(*given, **changes):
    return answer(question_with(*given, **changes), Trials())


def promise(**changes) -> Privacy:
    return replace(PROMISE, **changes)


def guessed(low, high) -> Estimate:
    return Estimate((low + high) / 2, low, high)


@pytest.mark.parametrize(
    ("function", "given", "words"),
    [
        (pixel_words, [promise(pixel=inf, pixel_at_delta=3.0)], "a factor of 21 at most, plus 10⁻⁵"),
        (pixel_words, [promise()], "by a factor of 7.39 at most."),
        (
            image_words,
            [promise(image=10.1)],
            "784 pixels, each with its own ε, add up. That is <b>no promise at all</b> in practice.",
        ),
        (image_words, [promise(image=inf)], "No limit holds for the whole image"),
        (
            image_delta_words,
            [FAMILIES["laplace"], promise(image_at_delta=10.1)],
            "it is <b>no promise at all</b> in practice.",
        ),
        (
            image_delta_words,
            [FAMILIES["laplace"], promise(image_at_delta=1.0)],
            "fail once in 100,000 times (δ = 10⁻⁵)",
        ),
        (image_delta_words, [FAMILIES["laplace"], promise(image_at_delta=1.0, delta=0.3)], "fail with a chance of 0.3"),
        (
            label_words,
            ["79", (0.75, 0.6)],
            "“7”, <b>75</b> really have this digit; of 100 people reporting “9”, <b>60</b>",
        ),
        (promise_words, ["79", promise()], "<b>80</b> really have this digit."),
        (promise_words, ["79", promise(image_at_delta=1.0)], "the odds of a guess change by a factor of 2.72 at most"),
        (label_verdict, [guessed(0.51, 0.6), 0.5], "the image betrays the label"),
        (label_verdict, [guessed(0.5, 0.6), 0.5], "no better than chance"),
    ],
)
def test_the_words_of_a_promise_say_what_it_means(function, given, words):
    assert words in function(*given)


def test_the_takeaway_holds_the_packages_numbers():
    made = shown(candidates=1000)
    words, point = made.takeaway(), images.measure(made.question.curve, 0.2)
    assert point.n_candidates < 400
    assert words.startswith(
        f"<b>No, not if a random shade of grey replaces 20 % of the pixels.</b> Say {point.n_candidates} people each "
        "send a handwritten digit, speckled and without a name. Somebody who already has the "
    )
    found = numbers.out_of_100(point.linked.mean)
    assert words.endswith(f"picks the right sender for <b>{found}</b> images.")
    hidden = shown(level=FAMILIES["randomised_response"].limit(17).high).takeaway()
    assert hidden.startswith("<b>Yes, if a random shade of grey replaces ")
    assert hidden.endswith("</b> images, no more often than by chance.")
    assert f"With the noise at 20 %, a program that has the originals of {point.n_candidates} people" in (
        made.lost()[0].answer
    )
    assert f"<b>{found}</b>" in made.lost()[0].answer
    assert f"for {found} such images" in made.main()[0].figure.data["linkingHere"]
    assert (
        f"ε = {accounting.randomised_response_loss(0.2, 17, 64).epsilon(1e-5):,.0f}" in made.promised()[0].figure.html
    )
    assert f"off by <b>{0.3 * math.sqrt(2 / math.pi):.2f}</b>" in shown("gaussian", level=0.3).lost()[2].answer


@pytest.mark.parametrize("family", FAMILIES)
def test_the_shown_code_gives_the_shown_numbers(family):
    made = shown(family, level=0.9)
    (linkage, _), damage = made.lost()[1:]
    panels = [*made.main(), damage, linkage]
    assert {panel.snippet for panel in panels} == {snippet(made.question)}
    exec(str(panels[0].snippet).replace(".show()", ""), names := {})
    assert (names["promise"], names["here"]) == (made.privacy, made.own_point)
    np.testing.assert_array_equal(names["result"].released, made.result.released)
    for panel in panels[1:]:
        assert [row["linked_mean"] for row in panel.rows()] == [point.linked.mean for point in names["points"]]


@pytest.mark.parametrize("kind", ["randomised_response", "gaussian"])
def test_a_figure_of_the_paper_shows_its_own_noise_whatever_the_settings(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (panel,) = paper_figure(shown("laplace"), kind)
    assert panel.figure == paper_figure(shown("randomised_response", level=0.7), kind)[0].figure
    assert ("chance p" in panel.answer, "variance σ²" in panel.answer) == (kind != "gaussian", kind == "gaussian")
    exec(str(strip_snippet(shown("laplace").question, kind)), {})
    assert (tmp_path / "figure.png").exists()


@pytest.mark.parametrize(
    ("name", "key", "level", "flip"), [("p = 0.3", "p", 0.3, 0.3), ("σ² = 0.5", "sigma", math.sqrt(0.5), 0.2)]
)
def test_presets_set_the_papers_values_and_show_the_dial(name, key, level, flip):
    at = visit("image_noise", data="Small digits", label_lie="asymmetric", view=CHANGED)
    at.button(key=f"preset {name}").click().run()
    assert [at.number_input(key=which).value for which in (key, "flip")] == [level, flip]
    assert at.session_state["view"] == DIAL


@pytest.fixture(scope="module", params=list(FAMILIES))
def dial(request):
    """A result, what the browser gets of it, and the guesses that follow."""
    family = FAMILIES[request.param]
    config = images.Config("digits", pixels=family.make(0.3, 17), per_class=4, n_people=100, seed=3)
    linking = images.CurveConfig("digits", family=family.name, n_candidates=20, seed=3)
    points = images.curve(linking)
    result, names = images.run(config), {prior: (prior, "") for prior in PRIORS}
    data = dials.dial_data(result, result.guessed, family, images.measure(linking, 0.3), points, names)
    return config, result, data


def decoded(text, kind=np.uint8):
    return np.frombuffer(base64.b64decode(text), kind)


def test_pixels_released_from_the_dials_random_numbers_are_the_released_ones(dial):
    _, result, sent = dial
    data = json.loads(sent["pictures"])
    np.testing.assert_array_equal(decoded(data["states"]), result.states.ravel())
    np.testing.assert_array_equal(decoded(data["clean"]), result.clean.ravel())
    np.testing.assert_array_equal(np.frombuffer(sent["guesses"], np.uint8), np.ravel([*result.guesses.values()]))
    if "noise" in data:
        np.testing.assert_array_equal(decoded(data["noise"], np.float32), result.noise.ravel())
    else:
        replaced = decoded(data["uniform"], np.float32) < np.ceil(0.3 * 17 / 16 * 2**24) / 2**24
        released = np.where(replaced, decoded(data["replacement"]), decoded(data["states"])).astype(float)
        np.testing.assert_array_equal(np.floor(released * 255 / 16 + 0.5), result.released.ravel())


def test_the_guesses_that_follow_are_those_of_a_run_at_each_level(dial):
    config, result, data = dial
    family = next(family for family in FAMILIES.values() if isinstance(config.pixels, family.mechanism))
    (job,) = dials.guess_jobs(config, family)
    for made in (0, len(job.tasks) - 1):
        assert dials.more_guesses(data, dials.guesses_along(config, family, done(job, made)), PRIORS) is None
    sent = dials.more_guesses(data, dials.guesses_along(config, family, done(job, len(job.tasks))), PRIORS)
    assert (sent["token"], sent["nPriors"], sent["nLevels"]) == (data["token"], len(PRIORS), len(data["levels"]))
    steps = np.frombuffer(zlib.decompress(sent["packed"]), np.uint8)
    pictures = steps.reshape(len(PRIORS), *result.states.shape, -1).cumsum(axis=-1, dtype=np.uint8)
    for n, level in enumerate(data["levels"]):
        guesses = images.run(images.with_mechanism(config, family, level)).guesses
        np.testing.assert_array_equal(pictures[..., n], np.stack([guesses[prior] for prior in PRIORS]))


def done(job, n):
    """What there is of a dial's job once `n` of its tasks are done."""
    results = tuple(map(job.function, job.tasks[:n]))
    return Trials((job,), (Progress(results, len(job.tasks), n < len(job.tasks)),), (results,))


def test_what_many_teach_is_learned_in_the_background_and_the_rest_is_there_at_once(monkeypatch):
    monkeypatch.setattr(images, "AT_A_TIME", 50)
    question = question_with(people=100)
    here, _ = extra_jobs(question)
    before = answer(question, Trials())
    assert list(before.guesses.pictures) == ["flat", "true"]
    data = before.main()[0].figure.data
    assert (data["ready"], len(data["guesses"])) == ([False, False, True, True], 2 * 4 * 64)
    frame = dials.first_frame(data, before.result, question.family, before.guesses, SHOWN_PRIORS[0])
    assert frame.count("<img") == 3, "the pictures of a match"
    made = answer(question, done(here, 1))
    assert tuple(made.guesses.pictures) == PRIORS
    assert made.main()[0].figure.data["ready"] == [True] * 4


def test_errors_of_guesses_are_plotted_once_all_are_finished_with_the_gain_from_strokes():
    level = float(FAMILIES["randomised_response"].levels(17)[8])
    question = question_with(people=300, level=level)
    (job,) = extra_jobs(question)
    before, after = (answer(question, done(job, n)).lost() for n in (0, len(job.tasks)))
    assert (before[1][1].figure, "25 levels of noise" in before[1][1].note) == (None, True)
    chart = after[1][1]
    errors = images.run(question.config).guessed.errors
    assert f"pixels together {errors['low_rank'].mean:.3f}" in chart.summary
    at = {row["level"]: row for row in chart.rows()}
    assert at[level]["low_rank_mean"] == errors["low_rank"].mean
    learned, strokes = (f"{errors[prior].mean:.3f}" for prior in ("learned", "low_rank"))
    assert (
        "What 300 noisy images teach of pixels together cuts the squared error of a guessed pixel from "
        f"{learned} to {strokes}" in chart.summary
    )
    exec(str(chart.snippet).replace(".show()", ""), names := {})
    assert names["result"].guessed.errors == errors
    assert "tells an adversary no more" in _strokes_words(shown(people=10, level=0.9))


def test_other_lies_about_labels_need_no_other_guesses():
    same = [extra_jobs(question_with(labels=RandomisedResponse(p, 2)))[0].key for p in (0.1, 0.3)]
    assert same[0] == same[1] == extra_jobs(question_with(level=0.7))[0].key != extra_jobs(question_with(seed=4))[0].key


def test_what_is_found_stands_beside_each_level(dial):
    data = dial[2]
    assert (
        data["linking"][0]
        == "A program that has the originals of 20 people picks the right sender for 100 of 100 such images."
    )
    assert len(data["linking"]) == len(data["levels"])
    words = re.compile(
        r"A program that has .* of 20 people picks the right sender for .* of 100 such images(: no better .*)?\."
    )
    assert all(map(words.fullmatch, data["linking"]))


def test_an_image_is_matched_against_the_originals_as_often_as_it_is_counted():
    made = shown()
    config, n = made.question.curve, made.own_point.n_candidates
    found = [images.match(config, 0.6, release) for release in range(0, images.N_RELEASES, 20)]
    assert all(one.owner == 20 * i * n // images.N_RELEASES for i, one in enumerate(found))
    assert all(one.originals.shape == (n, 8, 8) for one in found)
    assert images.measure(config, 0.6).linked.mean == 1.0
    assert {match_words(one) for one in found} == {"Program’s pick: <b>correct</b>"}
    lost = images.match(config, FAMILIES["randomised_response"].limit(17).high)
    assert lost.n_best == n
    assert match_words(lost) == f"Program’s pick: <b>nobody</b>, {n} fit alike (dashed: the sender)"
    wrong = replace(lost, n_best=1, owner=(int(lost.order[0]) + 1) % n)
    assert match_words(wrong) == "Program’s pick: <b>wrong</b> (dashed: the sender)"
    matching = made.main()[0].figure.data["matching"].decode()
    assert f"Which of these {n} people sent this image?" in matching
    assert [matching.count(f'<i class="{name}"') for name in ("best right", "owner")] == [1, 0]


def test_the_first_frame_holds_the_very_pictures(dial):
    config, result, data = dial
    family = next(family for family in FAMILIES.values() if isinstance(config.pixels, family.mechanism))
    markup = dials.first_frame(data, result, family, result.guessed, PRIORS[0])
    assert markup.count("<img") == 0, "images of others are folded"
    assert f"<output>{'30 %' if family.replaces_pixels else f'{family.symbol} = 0.3'}</output>" in markup
    assert data["linkingHere"] in markup
    pictures = json.loads(data["pictures"]) | {"halves": ["sent", "guess"]}
    halves = dials.first_frame(data | {"pictures": json.dumps(pictures)}, result, family, result.guessed, "learned")
    assert halves.count("<img") == 2 * len(result.labels)


def test_a_guess_of_the_noise_that_hides_the_sender_is_judged_by_the_curve():
    made = shown()
    (linkage, _), _ = made.lost()[1:]
    prediction = linkage.prediction
    lost = [point for point in made.points if point.linked.low <= 1 / point.n_candidates]
    assert prediction.truth == 100 * min(point.level for point in lost)
    hides = f" Of 25 levels of noise tried, <b>{prediction.truth:.4g} %</b> is the lowest that hides the sender."
    assert made.lost()[0].answer.endswith(hides)
    last = max((point for point in made.points if point not in lost), key=lambda point: point.level)
    assert numbers.out_of_100(last.linked.mean) in prediction.explain
    assert prediction.covered.html.count("<span>") == 6, "an image at five levels"
    (linkage, _), _ = shown("gaussian", level=0.3).lost()[1:]
    assert linkage.prediction is None

"""The page "Can a classifier be trained on noise?" through AppTest: defaults, changes, links and hard settings."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import cached, training_controls
from pages.shared.training_panels import Shown, clear, verdict
from privdemo.experiments import training
from privdemo.experiments.draws import at_draw
from privdemo.experiments.training import TrainingConfig
from privdemo.intervals import Estimate
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import CLEAN, NAIVE, RECONSTRUCTION, SPREAD, TRAINING
from tests import visiting
from tests.visiting import answers, takeaway, warnings

PAGE = "pages/training.py"
DIGITS = {"images": "Small digits", "n": "40", "draws": "1"}
CONFIG = TrainingConfig("digits", n_train=40, pixels=RandomisedResponse(0.2, 17))


def opened(**link) -> AppTest:
    return visiting.opened(PAGE, **(DIGITS | link))


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def summaries(at: AppTest) -> str:
    return "\n".join(re.findall(r'<p class="summary">(.*?)</p>', visiting.html(at), re.DOTALL))


@pytest.mark.mnist
def test_default_shows_the_first_draw_of_seven_and_nine(mnist):
    at = visiting.opened(PAGE, draws="1")
    draw = training.run(TrainingConfig())
    words = takeaway(at)
    assert "250 people with a 7 and 250 with a 9" in words
    for name in (SPREAD, NAIVE, CLEAN):
        assert f"<b>{percent(draw.fits[name].accuracy)}</b>" in words
    assert f"log loss: naive {draw.fits[NAIVE].log_loss:.2f}, spread {draw.fits[SPREAD].log_loss:.2f}" in words
    assert "One draw cannot tell which is better" in words
    assert not warnings(at)


@pytest.mark.parametrize(
    ("link", "config"),
    [
        ({}, CONFIG),
        ({"training_seed": "5"}, TrainingConfig("digits", n_train=40, pixels=RandomisedResponse(0.2, 17), seed=5)),
        (
            {"first": "3", "second": "8", "pixel_noise": "Gaussian", "pixel_sigma": "0.3", "label_p": "0.1"},
            TrainingConfig("digits", ("3", "8"), 40, GaussianNoise(0.3), RandomisedResponse(0.1, 2)),
        ),
        (
            {"label_lies": "asymmetric", "first_lies": "0.05", "second_lies": "0.45", "methods": ["naive", "spread"]},
            TrainingConfig(
                "digits", ("7", "9"), 40, RandomisedResponse(0.2, 17), BinaryChannel(0.05, 0.45), (CLEAN, NAIVE, SPREAD)
            ),
        ),
    ],
)
def test_the_screen_says_what_the_package_computes(link, config):
    at = opened(**link)
    draw = training.run(config)
    words, summary = takeaway(at), summaries(at)
    for name in (SPREAD, NAIVE, CLEAN):
        assert f"<b>{percent(draw.fits[name].accuracy)}</b>" in words
    for fit in draw.fits.values():
        assert f"log loss {fit.log_loss:.3f}, Brier score {fit.brier:.3f}" in summary
    # Of another seed, the numbers are others.
    other = training.run(at_draw(config, 3))
    assert f"log loss {other.fits[SPREAD].log_loss:.3f}" not in summary


def test_controls_change_the_screen_and_reset_brings_it_back():
    at = opened()
    before = takeaway(at)
    at.number_input(key="label_p").set_value(0.4).run()
    assert "flipped with probability <b>0.4</b>" in takeaway(at)
    at.selectbox(key="second").set_value("1").run()
    assert "40 with a 1" in takeaway(at)
    at.button(key="reset").click().run()
    at.number_input(key="draws").set_value(1).run()
    at.button_group(key="images").set_value("Small digits").run()
    at.number_input(key="n").set_value(40).run()
    assert takeaway(at) == before


def test_epsilon_and_level_follow_each_other():
    at = opened()
    at.number_input(key="training_pixel_epsilon").set_value(2.0).run()
    expected = RandomisedResponse.from_epsilon(2.0, 17).flip_prob
    assert at.number_input(key="pixel_p").value == pytest.approx(expected)
    at.number_input(key="training_label_epsilon").set_value(1.0).run()
    assert at.number_input(key="label_p").value == pytest.approx(RandomisedResponse.from_epsilon(1.0).flip_prob)


@pytest.mark.parametrize("lesson", training_controls.LESSONS)
def test_every_lesson_has_an_answer_data_and_code(lesson):
    at = opened(look_at=lesson)
    assert len(answers(at)) == 1
    assert len(at.get("download_button")) == 4, "CSV and HTML of the marks, and of the lesson"
    assert len(at.get("code")) == 2
    draw = training.run(CONFIG)
    answer, summary = answers(at)[0], summaries(at)
    if lesson == training_controls.PROBABILITIES:
        assert f"naive</b> by {100 * training.calibration_error([draw], NAIVE):.1f} points" in answer
    elif lesson == training_controls.WEIGHTS:
        assert f"naive by {draw.fits[NAIVE].angle:.0f}°" in answer
    elif lesson == training_controls.TEST_DIGITS:
        assert f"{100 * draw.fits[NAIVE].proba[0]:.0f} %" in visiting.html(at)
    elif lesson == training_controls.ADVERSARY:
        assert f"{100 * draw.attack.image / draw.attack.n:.1f} %" in answer
        assert f"released label {100 * draw.attack.label / draw.attack.n:.1f} %" in summary
    elif lesson == training_controls.BY_METHOD:
        assert f"<td>{draw.fits[RECONSTRUCTION].angle:.1f}°</td>" in visiting.html(at)


@pytest.mark.parametrize(("tab", "name"), training_controls.STUDIES.items())
def test_the_trade_off_says_what_the_shipped_draws_say(tab, name):
    at = opened(study=tab)
    rows = training.study.load(name)
    for method, curve in training.study.points(rows).items():
        accuracies = ", ".join(percent(point.accuracy.mean) for point in curve)
        assert f"{TRAINING[method].title} {accuracies}" in summaries(at)
    worse = [level for level, gap in training.study.compare(rows, SPREAD, NAIVE, "log_loss").items() if gap.high < 0]
    listed = " and ".join([", ".join(f"{level:g}" for level in worse[:-1]), f"{worse[-1]:g}"])
    assert f"{listed}: its log loss is the higher one" in answers(at)[0]
    for values in training.study.STUDIES[name].published.values():
        for level, value in values.items():
            assert f"{percent(value)} at {level:g}" in summaries(at)


@pytest.mark.parametrize(
    ("link", "note"),
    [
        ({"n": "5000"}, "n=5000` was ignored: it must be a whole number in [20, 1"),
        ({"n": "1.5"}, "n=1.5` was ignored"),
        ({"first": "x"}, "first=x` was ignored: it must be one of “0”, “1”"),
        ({"methods": "magic"}, "methods=magic` was ignored: it must be at least 1 of “naive”"),
        ({"pixel_p": "0.99"}, "pixel_p=0.99` was ignored: it must be in [0, 0.9411]"),
        ({"label_p": "-1"}, "label_p=-1` was ignored: it must be in [0, 0.5]"),
        ({"draws": "0"}, "draws=0` was ignored: it must be a whole number in [1, 50]"),
        ({"training_seed": "-3"}, "training_seed=-3` was ignored"),
        ({"look_at": "nothing"}, "look_at=nothing` was ignored"),
        ({"colour": "red"}, "`colour` was ignored: this page has no such setting"),
    ],
)
def test_a_bad_link_is_noted_and_the_rest_of_it_kept(link, note):
    at = opened(second="8", methods=["naive"], **link) if "methods" not in link else opened(second="8", **link)
    assert note in warnings(at)
    assert "with a 8" in takeaway(at)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"label_p": "0.5"}, "the lies about the label add up to 1"),
        (
            {"label_lies": "asymmetric", "first_lies": "0.3", "second_lies": "0.7"},
            "7 sent as 9 with 0.3, 9 as 7 with 0.7",
        ),
        ({"pixel_p": str(16 / 17)}, "draws every pixel afresh"),
    ],
)
def test_noise_that_leaves_nothing_gets_its_sentence_and_keeps_the_controls(link, sentence):
    at = opened(**link)
    assert sentence.lower() in takeaway(at).lower()
    assert "Nothing can be trained here" in takeaway(at)
    assert not at.get("plotly_chart")
    assert at.number_input(key="n").value == 40


def test_two_digits_alike_or_no_method_get_a_sentence_and_keep_the_rest():
    at = opened(first="9")
    assert "Choose two different digits: 9 cannot be told from 9" in takeaway(at)
    at = opened()
    at.button_group(key="methods").set_value([]).run()
    assert "Choose at least one way to train" in takeaway(at)
    at.button_group(key="methods").set_value(["naive"]).run()
    assert "(naive)" in takeaway(at)


@pytest.mark.parametrize("n", ["40", "100"])
def test_useless_noise_is_said_whether_or_not_the_first_draw_is_quick(n, monkeypatch):
    monkeypatch.setattr(training_controls, "AT_ONCE", 50)
    at = opened(n=n, label_p="0.5")
    assert "the lies about the label add up to 1" in takeaway(at).lower()
    assert not at.get("progress")


def test_naive_training_on_more_lies_than_truths_is_explained():
    link = {"label_lies": "asymmetric", "first_lies": "0.9", "second_lies": "0.8"}
    assert "what naive training takes for “7” is “9”" in takeaway(opened(**link))
    assert "is more often a lie" not in takeaway(opened())


def test_the_published_em_is_for_few_people(monkeypatch):
    monkeypatch.setattr(training_controls, "AT_ONCE", 30)
    at = opened(methods=["published", "naive"])
    assert "runs here with up to 30 people" in at.info[0].value
    assert "published" not in summaries(at)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((80, 95), "The released image gives it away 95.0 % of the time</b>, as much as a label"),
        ((80, 60), "The released image gives it away less often, 60.0 % of the time"),
        ((80, 81), "81.0 % of the time: no clear difference in one draw"),
    ],
)
def test_the_adversary_is_judged_by_the_interval(counts, words, monkeypatch):
    real = training.run(CONFIG)
    draw = replace(real, attack=training.Attack(100, counts[0], counts[1], counts[1]))
    monkeypatch.setattr(cached, "one_draw", lambda config: draw)
    assert words in answers(opened(look_at="the adversary"))[0]


def test_weights_that_say_nothing_are_said_to(monkeypatch):
    real = training.run(CONFIG)
    fits = real.fits | {RECONSTRUCTION: replace(real.fits[RECONSTRUCTION], coef=np.full(64, 1e-7))}
    monkeypatch.setattr(cached, "one_draw", lambda config: replace(real, fits=fits))
    answer = answers(opened(look_at="weights"))[0]
    assert "The weights of reconstruction are practically 0" in answer
    assert "reconstruction by" not in answer


HARD = [
    {"pixel_p": "0", "label_p": "0"},
    {"pixel_p": "0.94"},
    {"label_lies": "asymmetric", "first_lies": "1", "second_lies": "1"},
    {"label_lies": "asymmetric", "first_lies": "0", "second_lies": "0.9", "n": "20"},
    {"pixel_noise": "Gaussian", "pixel_sigma": "5"},
    {"pixel_noise": "Gaussian", "pixel_sigma": "0.01"},
    {"methods": "spread true"},
]


@pytest.mark.parametrize(
    ("link", "lesson"),
    [(link, training_controls.LESSONS[(i + j) % 6]) for i, link in enumerate(HARD) for j in (0, 3)],
)
def test_hard_settings_are_shown_without_a_traceback(link, lesson):
    at = opened(look_at=lesson, **link)
    assert "is right on" in takeaway(at)
    assert "nan" not in takeaway(at) + summaries(at) + "".join(answers(at))


@pytest.mark.mnist
def test_presets_set_the_papers_numbers(mnist):
    at = opened(label_lies="asymmetric")
    at.button(key="train p = 0.3").click().run()
    assert at.number_input(key="pixel_p").value == at.number_input(key="label_p").value == 0.3
    assert at.number_input(key="n").value == 250
    assert "250 people with a 7" in takeaway(at)
    at.number_input(key="draws").set_value(1).run()
    at.button(key="train σ² = 0.5").click().run()
    assert at.number_input(key="pixel_sigma").value == pytest.approx(np.sqrt(0.5))
    assert at.number_input(key="n").value == 4500
    at.button(key="reset").click().run()


def test_more_draws_come_from_elsewhere_and_can_be_stopped():
    at = opened(draws="3", look_at="weights")
    deadline = time.monotonic() + 60
    while "over 3 draws" not in summaries(at):
        assert time.monotonic() < deadline
        time.sleep(0.3)
        at.run()
    draws = [training.run(at_draw(CONFIG, i)) for i in range(3)]
    assert f"<b>{percent(training.mean_score(draws, SPREAD, 'accuracy').mean)}</b>" in takeaway(at)
    assert not at.get("progress")
    at.number_input(key="draws").set_value(50).run()
    at.button(key="stop-draws").click().run()
    assert not any(button.key == "stop-draws" for button in at.button)
    done = re.search(r"over (\d+) draws", summaries(at))
    assert done
    assert 3 <= int(done[1]) < 50, "what was done is kept"
    assert not cached.runner().look(("draws", CONFIG, 1)).running
    at.button(key="more-draws").click().run()
    assert any(button.key == "stop-draws" for button in at.button)
    at.number_input(key="draws").set_value(1).run()  # nobody waits for the others


def fake(accuracy: float, loss: float, seed: int) -> training.Fit:
    return training.Fit("", np.zeros(1), np.zeros(1), 0.0, 0.0, 1.0, 0.0, accuracy + 0.001 * seed, loss, 0.1, None)


@pytest.mark.parametrize(
    ("spread", "naive", "words"),
    [
        (
            (0.9, 0.3),
            (0.8, 0.5),
            "Spread is more accurate than naive by 10.0 points in 5 draws, and naive’s probabilities",
        ),
        (
            (0.8, 0.3),
            (0.9, 0.5),
            "Naive is more accurate than spread by 10.0 points in 5 draws, but naive’s probabilities",
        ),
        ((0.9, 0.5), (0.8, 0.3), "Spread is more accurate than naive by 10.0 points in 5 draws, but spread’s prob"),
        (
            (0.9, 0.3),
            (0.9, 0.5),
            "No difference in accuracy shows in 5 draws, but naive’s probabilities are worse than",
        ),
        ((0.9, 0.3), (0.9, 0.301), "No difference in accuracy shows in 5 draws, nor in how good the probabilities are"),
        (
            (0.9, 0.3),
            (0.8, 0.301),
            "in 5 draws, but no difference shows in how good the probabilities are",
        ),
    ],
)
def test_the_verdict_names_the_better_one(spread, naive, words):
    draws = [
        training.Trial(CONFIG, {SPREAD: fake(*spread, i), NAIVE: fake(*naive, i)}, np.zeros(1, int), None)
        for i in range(5)
    ]
    assert words in verdict(Shown(training_controls.Question(CONFIG, 5), draws, []))
    few = verdict(Shown(training_controls.Question(CONFIG, 5), draws[:4], []))
    assert few.startswith("4 draws cannot tell which is better")


def test_a_difference_is_clear_when_its_interval_leaves_out_nothing():
    assert clear(Estimate(0.2, 0.1, 0.3), least=0.001)
    assert clear(Estimate(-0.2, -0.3, -0.1), least=0.001)
    assert not clear(Estimate(0.2, -0.1, 0.5), least=0.001)
    assert not clear(Estimate(0.0004, 0.0003, 0.0005), least=0.001)

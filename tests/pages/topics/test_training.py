"""The page on training: words follow the trials and shipped draws in both directions, and code asks for them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss

from pages.kit.draws import Draws
from pages.topics.training import TABS, tabs, trade_off
from pages.topics.training.answer import Answer, answer, compare, jobs, noise_words
from pages.topics.training.controls import AT_ONCE, EM_DRAWS, Question
from privdemo import accounting, datasets
from privdemo.experiments import training
from privdemo.experiments.training import Attack, Fit, TrainingConfig, Trial
from privdemo.experiments.training.study import STUDIES, Row
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import CLEAN, NAIVE, PUBLISHED, SPREAD, TRAINING
from tests.pages.visiting import takeaway, visit

SMALL = TrainingConfig("digits", n_train=40, pixels=RandomisedResponse(0.2, 17))
DIFFERENT, GAUSSIAN = BinaryChannel(0.05, 0.45), GaussianNoise(0.5)
TRUTH = np.array([0, 1] * 50)


def made(attack=None, config=SMALL, **probas):
    """One trial in which methods give these probabilities to a hundred images."""
    fits = {}
    for name, given in {CLEAN: TRUTH, **probas}.items():
        p = np.broadcast_to(given, 100).astype(float)
        marks = accuracy_score(TRUTH, p > 0.5), log_loss(TRUTH, p), 0.2
        fits[name] = Fit(name, p, np.arange(4.0), 0.5, 10.0, 0.1, 0.2, *marks, None)
    return Answer(Question(config, 1), [Trial(SMALL, fits, TRUTH, attack or Attack(100, 0, 0, 0))])


def compared(n, accuracy, loss):
    """The comparison of spread with naive training, by how much more accurate it is and how much larger its loss."""
    trial = made().trials[0]
    naive = replace(trial.fits[CLEAN], accuracy=0.8, log_loss=0.5)
    fits = {NAIVE: naive, SPREAD: replace(naive, accuracy=0.8 + accuracy, log_loss=0.5 + loss)}
    return compare(Answer(Question(SMALL, n), [replace(trial, fits=fits)] * n))


def told(**changes):
    return noise_words(Question(replace(SMALL, **changes), 1))


def own(study, **changes):
    yours = made(config=replace(TrainingConfig(), **changes))
    return trade_off.own_words(STUDIES[study], yours, trade_off.own_level(STUDIES[study], yours))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (compared(4, 0.1, 0.1), "4 draws cannot tell which is better (log loss: naive 0.50, spread 0.60)"),
        (compared(5, 0.012, -0.1), "Spread is more accurate than naive by 1.2 points in 5 draws, and naive’s prob"),
        (compared(5, -0.012, 0.1), "Naive is more accurate than spread by 1.2 points in 5 draws, and spread’s prob"),
        (compared(5, 0.0009, 0.009), "No difference in accuracy shows in 5 draws, nor in how good the prob"),
        (told(), f"(ε = {math.log(64):.3g} a pixel) and the label is flipped with probability <b>0.2</b> (ε = 1.39)"),
        (told(pixels=GAUSSIAN), f"<b>0.25</b> (ε = {accounting.gaussian_epsilon(0.5, 1e-5):.3g} a pixel at δ = 10⁻⁵)"),
        (told(labels=DIFFERENT), f"probability <b>0.05</b>, “9” as “7” with <b>0.45</b> (ε = {math.log(11):.3g})"),
        (own("figure3"), "The rule and the large markers are your setting (one draw)."),
        (own("section6.1", pixels=GAUSSIAN, labels=DIFFERENT, n_train=4500), "has other lies about the label."),
    ],
)
def test_words_follow_the_trials_and_the_setting(words, part):
    assert part in words


def test_the_takeaway_names_what_was_tried_and_labels_that_lie_more_than_not():
    spread, naive = (TRAINING[name].title for name in (SPREAD, NAIVE))
    reached = f"on <b>50.0 %</b> ({spread}) and <b>100.0 %</b> ({naive}) of clean test images; on clean data,"
    assert f"{reached} on <b>100.0 %</b>. One draw cannot tell" in made(spread=0.9, naive=TRUTH).takeaway()
    lying, told = replace(SMALL, labels=BinaryChannel(0.9, 0.8)), "what naive training takes for “7” is “9”"
    found = made(config=lying, naive=0.6), made(config=lying, spread=0.6), made(naive=0.6)
    assert [told in answer.takeaway() for answer in found] == [True, False, False]


@pytest.mark.parametrize(
    ("found", "words", "timid"),
    [
        ((800, 950, 960), "<b>The released image gives it away 95.0 % of the time</b>, as much as a label", False),
        ((800, 950, 900), f"released with ε = {math.log(19):.3g}: the label’s ε is no promise about the pair", True),
        ((900, 600, 610), "The released image gives it away less often, 60.0 % of the time", False),
        ((800, 810, 810), "81.0 % of the time: no clear difference in one draw", False),
    ],
)
def test_an_image_leaks_where_its_interval_is_beyond_the_labels_own_lie(found, words, timid):
    (panel,) = tabs.the_adversary(made(Attack(1000, *found), spread=0.5))
    assert "(ε = 1.39) lets it be guessed 80.0 % of the time at best" in panel.answer
    assert words in panel.answer
    assert ("Both together do worse" in panel.summary) == timid


def test_the_published_em_has_a_slow_job_of_few_draws_that_are_merged():
    question = Question(replace(SMALL, methods=(CLEAN, PUBLISHED, NAIVE)), 9)
    (quick, slow), (alone,) = jobs(question), jobs(Question(replace(SMALL, n_train=AT_ONCE + 1), 2))
    done = [[task.draw for task in job.tasks] for job in (quick, slow, alone)]
    assert done == [[*range(1, 9)], [*range(EM_DRAWS)], [0, 1]]
    assert (quick.slow, slow.slow, slow.first, slow.key[1].methods) == (False, True, None, (PUBLISHED,))
    results = tuple(made(**{name: 0.5}).trials for name in (NAIVE, PUBLISHED))
    assert answer(question, Draws(results=results)).methods == (NAIVE, PUBLISHED, CLEAN)
    with pytest.raises(ValueError, match="lies about the label add up to 1"):
        answer(Question(replace(SMALL, labels=RandomisedResponse(0.5)), 1), Draws(results=results))


def test_every_code_asks_for_the_shown_draws(monkeypatch):
    shown = Answer(Question(SMALL, 1), [training.run(SMALL)])
    monkeypatch.setattr(training, "run", {SMALL: shown.trials[0]}.__getitem__)
    for found in (shown.main(), *(tab.panels(shown, *(s.default for s in tab.settings)) for tab in TABS.all)):
        for panel in (panel for panel in found if panel.snippet):
            exec(str(panel.snippet), names := {"print": lambda *_: None})
            assert names.get("draws") == shown.trials or names["rows"] == trade_off.shipped("figure3")


def test_a_table_has_records_columns_and_classes():
    rows = "".join(f"{i % 40 + 20 * (i % 2)},{i % 7},{'no' if i % 2 else 'yes'}\n" for i in range(120))
    config = TrainingConfig(datasets.from_csv(f"size,day,digit\n{rows}".encode()), ("no", "yes"), 20, methods=(CLEAN,))
    yours = Answer(Question(config, 1), [training.run(config)])
    assert "Of 20 people of class “no” and 20 of class “yes” every column is replaced" in yours.takeaway()
    assert tabs.weights(yours)[0].figure.body[0][0] == "size"
    assert "some images" not in TABS.choice(yours).options
    assert trade_off.panels(yours, "figure 3")[0].answer.startswith("Of MNIST’s 7s and 9s, not of your records")


def test_a_preset_sets_the_papers_numbers_and_what_cannot_be_learnt_is_refused(mnist):
    at = visit("training", draws="1", label_lies="asymmetric", second="7", methods="naive")
    assert "Choose two different digits: 7 cannot be told from 7" in takeaway(at)
    at.button(key="train p = 0.3").click().run()
    assert "Of 250 people with a 7 and 250 with a 9 every pixel is replaced with probability <b>0.3</b>" in takeaway(at)
    at.button_group(key="methods").set_value([]).run()
    assert "Choose at least one way to train" in takeaway(at)


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({SPREAD: (0.8, 0.5), NAIVE: (0.8, 0.5)}, ["naive training is as accurate", "No difference in log loss"]),
        ({SPREAD: (0.8, 0.5), NAIVE: (0.9, 0.4)}, ["Naive is more accurate at p = 0.3 (by 10.0", "Spread’s prob"]),
        ({SPREAD: (0.8, 0.4), PUBLISHED: (0.9, 0.5)}, ["EM is more accurate than quad", "EM’s prob"]),
    ],
)
def test_what_shipped_draws_say_follows_them(marks, words):
    rows = tuple(Row(0.3, i, name, *at, 0.1, 0.0, 1.0, 0.5) for name, at in marks.items() for i in (0, 1))
    found = trade_off.findings(STUDIES["figure3"], rows)
    assert all(part in sentence for part, sentence in zip(words, found, strict=True))

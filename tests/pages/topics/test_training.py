"""The page on training: words follow the trials and shipped ones in both directions, and code asks for them."""

import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss

from pages.kit import cache, numbers
from pages.kit.trials import Trials
from pages.topics.training import CHAPTERS, chapters, trade_off
from pages.topics.training.answer import Answer, answer, compare, jobs, noise_words, released
from pages.topics.training.question import AT_ONCE, EM_TRIALS, Question
from privdemo import accounting, datasets
from privdemo.estimators import choose
from privdemo.estimators.choose import AHEAD, TIE
from privdemo.experiments import training
from privdemo.experiments.training import Attack, Fit, TrainingConfig, Trial
from privdemo.experiments.training.study import STUDIES, Row
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import (
    CHOSEN,
    CLEAN,
    FLAT,
    LOW_RANK,
    NAIVE,
    PUBLISHED,
    RECONSTRUCTION,
    SPREAD,
    TRAINING,
    TRUE,
)
from tests.pages.visiting import html, takeaway, until, visit, warnings

SMALL = TrainingConfig("digits", n_train=40, pixels=RandomisedResponse(0.2, 17))
DIFFERENT, GAUSSIAN = BinaryChannel(0.05, 0.45), GaussianNoise(0.5)
TRUTH = np.array([0, 1] * 50)
OURS, THEIRS = TRAINING[SPREAD].title, TRAINING[NAIVE].title


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


def takeaway_of(**changes):
    return noise_words(Question(replace(SMALL, **changes), 1))


def own(study, **changes):
    yours = made(config=replace(TrainingConfig(), **changes))
    return trade_off.own_words(STUDIES[study], yours, trade_off.own_level(STUDIES[study], yours))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (
            compared(4, 0.1, 0.1),
            f"4 trials cannot tell whether “{OURS}” or “{THEIRS}” is better (log loss 0.60 and 0.50)",
        ),
        (compared(5, 0.012, -0.1), f"“{OURS}” is more accurate than “{THEIRS}” by 1.2 points, and the first is"),
        (compared(5, -0.012, 0.1), f"“{THEIRS}” is more accurate than “{OURS}” by 1.2 points, and the first is"),
        (
            compared(5, -0.012, -0.1),
            "by 1.2 points, but the second is better at saying how sure it is (log loss 0.50 and 0.40; 0 is perfect)",
        ),
        (
            compared(5, 0.0001, -0.1),
            "are statistically tied in accuracy, but the first is better at saying how sure it is (log",
        ),
        (
            compared(5, 0.0001, 0.1),
            "tied in accuracy, but the second is better at saying how sure it is (log loss 0.60 and 0.50; 0",
        ),
        (compared(5, 0.0009, 0.009), "tied in accuracy; in saying how sure they are they do not clearly differ (log"),
        (takeaway_of(), f"(ε = {math.log(64):.3g} a pixel) and 20 % of labels are wrong (ε = 1.39)"),
        (takeaway_of(pixels=GAUSSIAN), f"0.25 (ε = {accounting.gaussian_epsilon(0.5, 1e-5):.3g} a pixel at δ = 10⁻⁵)"),
        (takeaway_of(labels=DIFFERENT), f"sent as “9”, 45 % of “9” as “7” (ε = {math.log(11):.3g})"),
        (own("figure3"), "Vertical line and large marks: your setting (one trial)."),
        (own("section6.1", pixels=GAUSSIAN, labels=DIFFERENT, n_train=4500), "has other lies about the label."),
        (
            own("asymmetric", pixels=RandomisedResponse(0.3, 256), labels=BinaryChannel(0.2, 0.3)),
            "your setting (one trial), which has 20.0 % of the 7s lying and 30.0 % of pixels replaced.",
        ),
    ],
)
def test_words_follow_the_trials_and_the_setting(words, part):
    assert part in words


def test_the_takeaway_says_how_many_are_right_and_names_labels_that_lie_more_than_not():
    words = made(spread=0.9, naive=TRUTH).takeaway()
    assert words.startswith(
        "<b>Yes, but people are hardly protected with these settings.</b> It names <b>50 of 100</b> new images "
        "correctly if it corrects for the changes, 100 if it ignores them; 100 if nothing is changed. To hide what "
        "each of 80 people sent, about 20 % of the pixels and 20 % of the labels (“7” or “9”) were changed at random. "
        "From these, a computer learned to tell 7 from 9."
    )
    close = made(spread=np.where(TRUTH == 1, 0.9, 0.4), naive=TRUTH)
    fits = close.trials[0].fits | {SPREAD: replace(close.trials[0].fits[SPREAD], accuracy=0.934)}
    fits[NAIVE] = replace(fits[NAIVE], accuracy=0.926)
    close = Answer(close.question, [replace(close.trials[0], fits=fits)] * 5)
    assert "names <b>93 of 100</b> new images correctly if it corrects for the changes, 93 if it" in close.takeaway()
    lying, takeaway_of = replace(SMALL, labels=BinaryChannel(0.9, 0.8)), "whoever ignores the noise takes “9” for “7”"
    found = made(config=lying, naive=0.6), made(config=lying, spread=0.6), made(naive=0.6)
    assert [takeaway_of in answer.takeaway() for answer in found] == [True, False, False]


def test_the_cost_of_noise_is_stated_for_the_choosing_method_if_it_is_shown():
    shown = Answer(Question(TrainingConfig(), 1), made(config=TrainingConfig(), spread=0.9, naive=0.9).trials)
    choosing = Answer(shown.question, made(config=TrainingConfig(), naive=0.9, **{CHOSEN: 0.9}).trials)
    assert f"“{OURS}” and “{THEIRS}” are statistically tied" in trade_off.panels(shown)[0].answer
    assert (
        f"“{TRAINING[CHOSEN].title}” is more accurate than “{THEIRS}” at every level"
        in trade_off.panels(choosing)[0].answer
    )


def test_a_choosing_method_says_what_it_took_and_why():
    trial = made(**{CHOSEN: 0.9}).trials[0]
    taken = [
        replace(trial.fits[CHOSEN], chosen=name, why=why)
        for name, why in ((choose.CLASSES, TIE), (choose.LOW_RANK, AHEAD), (choose.CLASSES, AHEAD))
    ]
    trials = [replace(trial, fits=trial.fits | {CHOSEN: taken[i]}) for i in (0, 1, 0, 2)]
    words = chapters.scores(Answer(Question(SMALL, 4), trials))[1][0].summary
    takeaway_of = "class by class in 3 (no clear difference in 2, clearly ahead in 1) and strokes in 1 (clearly ahead)."
    assert words.endswith(f"Chosen by trying, of 4 trials: {takeaway_of}")
    assert "Chosen" not in chapters.scores(made(spread=0.9))[1][0].summary


@pytest.mark.parametrize(
    ("methods", "ours"),
    [
        ((SPREAD, LOW_RANK, CHOSEN), CHOSEN),
        ((SPREAD, LOW_RANK), LOW_RANK),
        ((RECONSTRUCTION, FLAT, SPREAD), SPREAD),
        ((TRUE, FLAT), FLAT),
        ((TRUE,), TRUE),
        ((RECONSTRUCTION,), ""),
    ],
)
def test_headline_and_scores_compare_the_same_method_whatever_its_scores(methods, ours):
    shown = made(naive=TRUTH, **{name: 0.6 if name == ours else 0.9 for name in methods})
    title, ignoring = TRAINING[ours or NAIVE].title, THEIRS if ours else ""
    right = numbers.whole_per_hundred(shown.score(ours or NAIVE, "accuracy").mean)
    how = ", knowing how often clean pixels have each grey" if ours == TRUE else ""
    learns = f"corrects for the changes{how}, 100 if it ignores them" if ours else "ignores the changes"
    assert f"names <b>{right} of 100</b> new images correctly if it {learns}; 100 if" in shown.takeaway()
    assert (f"“{title}” or “{ignoring}” is better" in chapters.scores(shown)[0].answer) == bool(ours)


def test_sentences_are_about_the_trials_on_which_both_methods_were_tried():
    first, second = made(naive=0.9).trials * 2, made(naive=0.9, **{PUBLISHED: 0.8}).trials * 3
    shown = Answer(Question(SMALL, 5), first + second)
    assert compare(shown).startswith("3 trials cannot tell"), "five trials could"


def test_the_first_chapter_is_of_images_and_says_who_tells_none_apart():
    spread = np.where(TRUTH == 1, 0.8, 0.3)
    shown = Answer(Question(SMALL, 1), [replace(made(spread=spread, naive=0.999, reconstruction=spread).trials[0])])
    (panel,) = chapters.some_images(shown)
    assert panel.figure.html.count("gives nearly every image the same answer: too little shows through the noise") == 1
    assert "ignore the noise 2; guess the true answers first 0" in panel.summary
    (first,) = chapters.some_images(Answer(replace(shown.question, picked="as they come"), shown.trials))
    assert (panel.name, first.name) == ("images-in-dispute", "images-as-they-come")


_NOISY = f"“{THEIRS}” and “{OURS}”"


@pytest.mark.parametrize(
    ("disputes", "titles"),
    [
        ([], ["the two methods agree", f"{_NOISY} differ most in how sure they are"]),
        ([3], ["the two methods agree", f"{_NOISY} disagree, or are not as sure"]),
        (
            [3, 9, 60, 62],
            [
                "the two methods agree",
                "the two methods disagree",
            ],
        ),
        (
            [*range(0, 100, 2), 7],
            ["the two methods disagree"],
        ),
    ],
)
def test_beside_images_on_which_methods_agree_stand_those_on_which_they_name_different_labels(disputes, titles):
    naive, spread = np.where(TRUTH == 1, 0.6, 0.3), np.where(TRUTH == 1, 0.9, 0.2)
    naive[5] = spread[5] = 0.4  # only clean data has it right
    spread[disputes] = 1 - spread[disputes]
    shown = made(naive=naive, spread=spread)
    (panel,) = chapters.some_images(shown)
    *alike, first, second = (row["image"] for row in panel.rows())
    assert (len(alike), TRUTH[[first, second]].tolist()) == (2 * len(titles) - 2, [0, 1])
    for image, of_class in (
        (first, [i for i in disputes if not TRUTH[i]]),
        (second, [i for i in disputes if TRUTH[i]]),
    ):
        assert image in (of_class[:1] or [image])
    assert not set(alike) & set(disputes)
    assert [title for title in titles if title in panel.figure.html] == titles


def test_where_a_third_method_differs_those_that_agree_are_named():
    naive, spread = np.where(TRUTH == 1, 0.6, 0.3), np.where(TRUTH == 1, 0.9, 0.2)
    naive[::25] = 1 - naive[::25]
    shown = made(naive=naive, spread=spread)
    clean = replace(shown.trials[0].fits[CLEAN], proba=1.0 - TRUTH)
    trial = replace(shown.trials[0], fits=shown.trials[0].fits | {CLEAN: clean})
    (panel,) = chapters.some_images(Answer(shown.question, [trial]))
    assert "on which the two methods agree</th>" in panel.figure.html
    assert "on which the two methods disagree (4\u00a0of\u00a0100)</th>" in panel.figure.html
    assert f"right are “{THEIRS}” on " in panel.figure.html


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (
            {"pixels": GAUSSIAN, "labels": BinaryChannel(0.0, 0.0)},
            "labelled “7” and “9”. All labels are true:",
        ),
        (
            {"labels": BinaryChannel(0.3, 0.3)},
            "images that it learned from, labelled “",
        ),
        ({"pixels": RandomisedResponse(0.0, 17), "labels": BinaryChannel(0.0, 0.0)}, ". Nothing was changed:"),
    ],
)
def test_what_noise_did_is_said_of_pixels_and_of_labels(config, words):
    shown = made(spread=TRUTH, naive=TRUTH)
    (panel,) = chapters.some_images(replace(shown, trials=[replace(shown.trials[0], config=replace(SMALL, **config))]))
    assert words in panel.figure.html


def test_the_labels_of_the_two_images_to_learn_from_are_those_that_were_sent():
    shown = made(spread=TRUTH, naive=TRUTH)
    lies = replace(SMALL, labels=BinaryChannel(0.95, 0.95))
    sent = training.released_images(lies).labels
    assert sent == ("9", "7"), "of a 7 and a 9, as nearly all lie"
    (panel,) = chapters.some_images(replace(shown, trials=[replace(shown.trials[0], config=lies)]))
    assert "labelled “9” and “7”" in panel.figure.html
    found = training.released_images(lies, 3)
    assert found.true_labels == ("7", "9") * 3
    differ = [true != sent for true, sent in zip(found.true_labels, found.labels, strict=True)]
    rows = panel.prediction.covered.html.split('<b class="words">')[2::2]  # each below its images
    dashed = [["chance" in kind for kind in re.findall('class="(label[^"]*)"', row)] for row in rows]
    assert dashed == [[False] * 6, differ]
    assert sum(differ) >= 5, "as nearly all lie"


def test_an_8_has_its_article():
    digits = replace(SMALL, classes=("8", "5"))
    shown = made(config=digits, spread=TRUTH, naive=TRUTH)
    assert "learned to tell 8 from 5." in shown.takeaway()


def test_agreed_images_are_those_on_which_the_methods_are_as_sure_as_they_mostly_are():
    sure = np.where(TRUTH == 1, 0.9, np.linspace(0.01, 0.4, 100))
    alike = training.agreed(made(naive=sure, spread=sure).trials[0], 4)
    assert sorted(alike[:2]) + alike[2:].tolist() == [48, 50, 1, 3], (
        "the middle of 50 images of the first class, and the first of the other"
    )


def of_three():
    """Three classes and a hundred images: spread takes some 3s for 5s, naive training names nothing 5."""
    y = np.array([0, 1, 2, 2] * 25)
    right = np.eye(3)[y]
    mixed = np.where((np.arange(100) % 8 == 2)[:, None], [0.1, 0.7, 0.2], 0.8 * right + 0.2 / 3)
    blind = np.where((y == 1)[:, None], [0.5, 0.1, 0.4], right)
    fits = {}
    for name, p in {CLEAN: right, SPREAD: mixed, NAIVE: blind}.items():
        marks = accuracy_score(y, p.argmax(axis=1)), log_loss(y, p), 0.2
        fits[name] = Fit(name, p, np.arange(3.0 * 64).reshape(3, 64), np.zeros(3), 10.0, 0.1, 0.2, *marks, None)
    config = replace(SMALL, classes=("8", "5", "3"), n_train=100, labels=RandomisedResponse(0.2, 3))
    return Answer(Question(config, 1), [Trial(config, fits, y, Attack(100, 80, 90, 95))])


def test_more_than_two_classes_are_said_and_every_chapter_is_theirs():
    shown = of_three()
    assert [one.name for one in CHAPTERS.all if one.fits(shown.question) != one.fits(made().question)] == [
        "Which classes are mixed up",
        "Accuracy by noise level",
    ]
    assert released(shown).startswith(
        "What 100 people with each of the digits 8, 5 and 3 send: 20 % of pixels are replaced"
    )
    assert "20 % of labels are wrong" in released(shown)
    question, matrices, (_, table) = chapters.classes(shown)
    assert f"“{OURS}” most often takes a “3” for a “5”: <b>26.0 %</b> of the time" in question.answer
    assert f"“{THEIRS}” most often takes a “5” for a “8”: <b>100.0 %</b>" in question.answer
    assert [panel.figure.figure.data[0].z[2][1] for panel in matrices] == [0.26, 0]
    (trial,) = shown.trials
    choosing = Answer(shown.question, [replace(trial, fits=trial.fits | {CHOSEN: trial.fits[SPREAD]})])
    question, (_, other), _ = chapters.classes(choosing)
    assert question.answer.startswith(f"“{TRAINING[CHOSEN].title}” most often takes a “3”"), "as the headline does"
    assert other.name == "confusion-naive"
    assert table.figure.cells[1][0] == "5"
    assert table.figure.cells[1][-1] == "never named"
    assert "guess among 3 classes, whose log loss is ln 3 = 1.099" in chapters.scores(shown)[1][0].summary
    assert "about equally sure of its answer" in chapters.probabilities(shown)[0].summary
    (weights,) = chapters.weights(shown)
    assert "speak for a class; black: against it" in weights.answer
    assert [row["class"] for row in weights.rows()][:4] == ["8", "5", "3", "8"]
    (adversary,) = chapters.the_adversary(shown)
    assert f"as much as a label with ε = {math.log(18):.3g} would." in adversary.summary
    (images,) = chapters.some_images(shown)
    about = "labelled “8” and “5”:"
    assert f"Two of the 300 images that it learned from, {about}" in images.figure.html
    assert {"named_spread", "proba_spread", "true_class"} <= set(images.rows()[0])


def test_links_ask_for_two_to_ten_digits(mnist):
    at = visit(
        "training",
        draws="1",
        n="20",
        methods="ignore the noise",
        more_digits="7,3",
        look_at="Which classes are mixed up",
        label_p="0.6",
    )
    until(at, lambda at: "most often takes" in "".join(text.value for text in at.markdown))
    assert not at.warning, warnings(at)
    assert "With more than two digits, every wrong one is equally likely" in "".join(c.value for c in at.caption)
    at = visit(
        "training", draws="1", methods="ignore the noise", more_digits=["3", "11"], label_p="0.6", classes="0,1,2"
    )
    assert "`classes` was ignored: this page has no such setting. Write `first=0&second=1&more" in warnings(at)
    assert "`more_digits=3, 11` was ignored" in warnings(at)
    assert "`label_p=0.6` was ignored" in warnings(at), "half is the most for two digits"
    at.button(key="train ten").click().run()
    assert not at.exception
    assert at.session_state["n"] == 500
    for job in list(cache.runner()._jobs.values()):
        job.watchers.clear()  # nobody waits for it
    assert "models are being trained</b> on 500 people with each of the digits 0, 1, 2" in takeaway(at)


@pytest.mark.parametrize(
    ("found", "words", "timid"),
    [
        ((800, 950, 960), "from the image alone <b>95.0 %</b>; from the label alone", False),
        ((800, 950, 900), f"The image tells as much as a label with ε = {math.log(19):.3g} would.", True),
        ((900, 600, 610), "right <b>61.0 %</b> of the time; from the image alone <b>60.0 %</b>; from", False),
        ((800, 810, 810), "<b>81.0 %</b>, statistically tied with the label alone over one trial", False),
    ],
)
def test_an_image_leaks_where_its_interval_is_beyond_the_labels_own_lie(found, words, timid):
    (panel,) = chapters.the_adversary(made(Attack(1000, *found), spread=0.5))
    assert "from the label alone <b>80.0 %</b> at best." in panel.answer
    assert "own lie (ε = 1.39) allows" in panel.summary
    assert words in f"{panel.answer} {panel.summary}"
    assert ("Both together do worse" in panel.summary) == timid


def test_the_published_em_has_a_slow_job_of_few_trials_that_are_merged():
    question = Question(replace(SMALL, methods=(CLEAN, PUBLISHED, NAIVE)), 9)
    (quick, slow), (alone,) = jobs(question), jobs(Question(replace(SMALL, n_train=AT_ONCE + 1), 2))
    done = [[task.trial for task in job.tasks] for job in (quick, slow, alone)]
    assert done == [[*range(1, 9)], [*range(EM_TRIALS)], [0, 1]]
    assert (quick.slow, slow.slow, slow.first, slow.key[1].methods) == (False, True, None, (PUBLISHED,))
    results = tuple(made(**{name: 0.5}).trials for name in (NAIVE, PUBLISHED))
    assert answer(question, Trials(results=results)).methods == (NAIVE, PUBLISHED, CLEAN)
    with pytest.raises(ValueError, match="lies about the label add up to 1"):
        answer(Question(replace(SMALL, labels=RandomisedResponse(0.5)), 1), Trials(results=results))


def test_every_code_asks_for_the_shown_trials(monkeypatch):
    shown = Answer(Question(SMALL, 1), [training.run(SMALL)])
    monkeypatch.setattr(training, "run", {SMALL: shown.trials[0]}.__getitem__)
    found = [panel for chapter in CHAPTERS.all for panel in chapter.panels(shown)]
    for several in found:
        for panel in (panel for panel in (several if isinstance(several, tuple) else (several,)) if panel.snippet):
            exec(str(panel.snippet), names := {"print": lambda *_: None})
            assert names.get("trials") == shown.trials or names["rows"] == trade_off.shipped("figure3")


def test_a_table_has_records_columns_and_classes():
    rows = "".join(f"{i % 40 + 20 * (i % 2)},{i % 7},{'no' if i % 2 else 'yes'}\n" for i in range(120))
    config = TrainingConfig(datasets.from_csv(f"size,day,digit\n{rows}".encode()), ("no", "yes"), 20, methods=(CLEAN,))
    yours = Answer(Question(config, 1), [training.run(config)])
    assert "What 20 people of class “no” and 20 of class “yes” send: 20 % of pixels are replaced" in released(yours)
    assert yours.takeaway().startswith("Without noise a computer learned to tell no from yes. It names <b>")
    assert yours.takeaway().endswith("</b> new records correctly.")
    assert chapters.weights(yours)[0].figure.cells[0][0] == "size"
    assert CHAPTERS.choice(yours.question).default == "Accuracy of each method"
    assert trade_off.panels(yours)[0].answer.startswith("Of MNIST’s 7s and 9s, not of your records")


def test_a_preset_sets_the_papers_numbers_and_what_cannot_be_learnt_is_refused(mnist):
    at = visit("training", draws="1", label_lies="asymmetric", second="7", methods="ignore the noise")
    assert "Choose two different digits: 7 cannot be told from 7" in takeaway(at)
    at.button(key="train p = 0.3").click().run()
    assert "What 250 people with a 7 and 250 with a 9 send: 30 % of pixels are replaced" in html(at)
    at.button_group(key="methods").set_value([]).run()
    assert "Choose at least one method" in takeaway(at)


@pytest.mark.parametrize(
    ("marks", "words", "short"),
    [
        (
            {SPREAD: (0.8, 0.5), NAIVE: (0.8, 0.5)},
            ["are statistically tied in accuracy", "does not clearly differ"],
            "tied in accuracy at every level; in saying how sure they are they do not clearly differ.",
        ),
        (
            {SPREAD: (0.8, 0.5), NAIVE: (0.9, 0.4)},
            [f"“{THEIRS}” is more accurate at p = 0.3 (by 10.0", f"probabilities of “{THEIRS}” are better at p"],
            f"“{THEIRS}” is more accurate than “{OURS}” at every level (by up to <b>10.0 points</b>); “{THEIRS}” is "
            "better",
        ),
        (
            {SPREAD: (0.8, 0.4), NAIVE: (0.7, 0.5), PUBLISHED: (0.9, 0.5)},
            ["accurate at", "The prob", "as published” is more accurate than", f"“{OURS}” gives better prob"],
            f"“{OURS}” is more accurate than “{THEIRS}” at every level (by up to <b>10.0 points</b>); "
            f"“{OURS}” is better at saying how sure it is at every level.",
        ),
        (
            {SPREAD: (0.8, 0.5), NAIVE: (0.8, 0.5), CHOSEN: (0.9, 0.5)},
            [
                "tied",
                "not clearly differ",
                f"“{TRAINING[CHOSEN].title}” is more accurate than “{OURS}”",
                f"than “{THEIRS}” at p",
            ],
            "tied in accuracy at every level",
        ),
    ],
)
def test_sentences_about_shipped_trials_follow_them(marks, words, short):
    rows = tuple(Row(0.3, i, name, *at, 0.1, 0.0, 1.0, 0.5) for name, at in marks.items() for i in (0, 1))
    found = trade_off.findings(STUDIES["figure3"], rows)
    assert all(part in sentence for part, sentence in zip(words, found, strict=True))
    assert short in trade_off.in_short(STUDIES["figure3"], rows)


def ship(monkeypatch, *levels):
    """The package ships a trial of two methods at these levels, and no other."""
    trial = made(spread=0.9).trials[0]
    configs = [asked_at(level).config for level in levels]
    there = {config: replace(trial, config=config) for config in configs}
    monkeypatch.setattr(cache, "shipped_results", lambda: SimpleNamespace(find=lambda run, config: there.get(config)))


def asked_at(level):
    return Question(replace(SMALL, methods=(CLEAN, SPREAD), pixels=RandomisedResponse(level, 17)), 3)


def test_until_a_trial_is_there_that_of_the_nearest_level_is_shown_and_said_to_be_so(monkeypatch):
    ship(monkeypatch, 0.1, 0.3)
    question = asked_at(0.28)
    (job,) = jobs(question)
    assert (job.first, [task.trial for task in job.tasks]) == (None, [0, 1, 2]), "nobody waits for the first one"
    shown = answer(question, Trials((job,), (), ((),)))
    assert shown.nearest.level == shown.question.config.pixels.flip_prob == 0.3
    label = "<b>Shown: p = 0.3, the nearest level computed beforehand</b> (p = 0.28 is being computed)"
    assert shown.takeaway().startswith(f"{label}. <b>No")
    for chapter in CHAPTERS.all[1:]:
        if chapter.fits(shown.question) and chapter.name != "Weights that were learned":  # these trials have none
            assert chapter.panels(shown)[0].answer.startswith(label), chapter.name
    prediction = chapters.some_images(shown)[0].prediction
    assert "30 % of the dots in each image (pixels) were replaced" in prediction.ask, "a guess is of what is shown"
    later = answer(question, Trials((job,), (), (tuple(made(spread=0.9).trials),)))
    assert (later.nearest, later.question) == (None, question)


@pytest.mark.parametrize(
    "question",
    [asked_at(0.3), Question(replace(asked_at(0.28).config, seed=1), 3), Question(replace(SMALL, pixels=GAUSSIAN), 3)],
    ids=["shipped itself", "other people", "other noise"],
)
def test_no_level_stands_in_for_a_question_that_is_shipped_or_differs_in_more(monkeypatch, question):
    ship(monkeypatch, 0.1, 0.3)
    assert jobs(question)[0].first is not None
    assert answer(question, Trials((), (), ((),))) is None


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (BinaryChannel(0.0, 0.3), "15 % of the labels were switched (“9” to “7”)."),
        (BinaryChannel(0.1, 0.0), "5 % of the labels were switched (“7” to “9”)."),
        (BinaryChannel(0.0, 0.0), "replaced by a random shade of grey."),
    ],
)
def test_only_labels_that_are_switched_are_said_to_be(labels, words):
    shown = made(spread=TRUTH, naive=TRUTH)
    shown = replace(shown, trials=[replace(one, config=replace(one.config, labels=labels)) for one in shown.trials])
    assert words in chapters.some_images(shown)[0].prediction.ask


def test_images_without_noise_are_not_called_noisy():
    shown = made(spread=TRUTH, naive=TRUTH)
    whole = RandomisedResponse(0.0, shown.trials[0].config.pixels.n_states)
    config = replace(shown.question.config, pixels=whole)
    trials = [replace(one, config=replace(one.config, pixels=whole)) for one in shown.trials]
    shown = replace(shown, question=replace(shown.question, config=config), trials=trials)
    assert "20 % of the labels (“7” or “9”) were changed at random. From these, a computer learned" in shown.takeaway()
    asked = chapters.some_images(shown)[0].prediction
    assert (
        "80 people each sent something private, here a handwritten “7” or “9”, with a label saying which it is. To "
        "protect them, about "
        "20 % of the labels "
        "were switched. A" in asked.ask
    )
    assert asked.explain == "More labels are right than wrong."


def test_a_guess_of_how_many_images_are_named_rightly_is_judged_by_the_headlines_method():
    shown = made(spread=np.where(TRUTH == 1, 0.9, 0.3), naive=TRUTH)
    (panel,) = chapters.some_images(shown)
    assert panel.prediction.truth == 100 * shown.score(SPREAD, "accuracy").mean == 100
    assert panel.prediction.ask == (
        "80 people each sent something private, here a handwritten “7” or “9”, with a label saying which it is. To "
        "protect them, about 20 % of the dots in each image (pixels) were replaced by a random shade of grey. Also, "
        "about 20 % of the labels were switched. A computer learned from these. "
        "<b>Of 100 new, unchanged images, how many will it label correctly?</b>"
    )
    assert panel.prediction.known == [
        (50.0, "pure guessing", ""),
        (100 * shown.score(CLEAN, "accuracy").mean, "if nothing had been changed", ""),
    ]
    assert "6 of the 80 that the computer learns from" in panel.prediction.covered.html
    assert panel.prediction.covered.html.count("<img") == 2, "images as they are, and as the computer gets them"


def test_where_nothing_was_changed_the_slider_does_not_show_the_answer():
    shown = made(spread=TRUTH, naive=TRUTH)
    unchanged = replace(shown.trials[0].config, pixels=RandomisedResponse(0.0, 256), labels=BinaryChannel(0.0, 0.0))
    shown = replace(shown, trials=[replace(trial, config=unchanged) for trial in shown.trials])
    assert chapters._without_changes(shown) == []
    switched = replace(unchanged, labels=BinaryChannel(0.7, 0.6))
    assert not chapters._why_learned(switched), "most labels are wrong"
    assert chapters._why_learned(replace(unchanged, labels=BinaryChannel(0.1, 0.1))).startswith("More labels")

"""The tab on the trade-off of training: what it finds follows the shipped draws, and one's own point is told apart."""

from dataclasses import replace

import pytest

from pages.topics.training import trade_off
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.training.study import STUDIES, Row
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD
from tests.pages.topics.test_training import DIFFERENT, GAUSSIAN, made


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({SPREAD: (0.8, 0.5), NAIVE: (0.8, 0.5)}, ["naive training is as accurate", "No difference in log loss"]),
        ({SPREAD: (0.9, 0.4), NAIVE: (0.8, 0.5)}, ["Spread is more accurate at p = 0.3 (by 10.0", "Naive’s prob"]),
        ({SPREAD: (0.8, 0.5), NAIVE: (0.9, 0.4)}, ["Naive is more accurate at p = 0.3 (by 10.0", "Spread’s prob"]),
        ({RECONSTRUCTION: (0.549, 0.7)}, ["Reconstruction ends up naming one class only in some draws at p = 0.3."]),
        (
            {SPREAD: (0.8, 0.5), FLAT: (0.7, 0.4)},
            ["learned prior is more accurate than", "flat prior gives the better"],
        ),
        (
            {SPREAD: (0.8, 0.4), PUBLISHED: (0.9, 0.5)},
            ["EM is more accurate than quad", "EM’s probabilities are worse"],
        ),
        ({SPREAD: (0.9, 0.5), PUBLISHED: (0.8, 0.4)}, ["Quadrature is more accurate", "EM’s probabilities are better"]),
    ],
)
def test_what_shipped_draws_say_follows_them(marks, words):
    rows = tuple(Row(0.3, i, name, *at, 0.1, 0.0, 1.0, 0.5) for name, at in marks.items() for i in (0, 1))
    found = trade_off.findings(STUDIES["figure3"], rows)
    assert all(part in sentence for part, sentence in zip(words, found, strict=True))


@pytest.mark.parametrize(
    ("study", "changes", "words"),
    [
        ("figure3", {}, "The rule and the large markers are your setting (one draw)."),
        (
            "figure3",
            {"pixels": RandomisedResponse(0.3, 256), "n_train": 99},
            "9 people of each class and label flips of",
        ),
        ("figure3", {"pixels": RandomisedResponse(0.5500001, 256)}, "Your own setting, 0.55, lies far outside"),
        ("figure3", {"labels": DIFFERENT}, "it has one under “lies that differ”"),
        ("figure3", {"pixels": GAUSSIAN}, "it has one under “section 6.1”"),
        ("section6.1", {"pixels": GAUSSIAN, "labels": DIFFERENT, "n_train": 4500}, "has other lies about the label."),
        ("asymmetric", {"labels": DIFFERENT, "pixels": RandomisedResponse(0.1, 256)}, "0.05 of the 7s lying and pixel"),
    ],
)
def test_your_own_point_on_a_study_says_how_it_differs(study, changes, words):
    yours = made(config=replace(TrainingConfig(), **changes))
    assert words in trade_off.own_words(STUDIES[study], yours, trade_off.own_level(STUDIES[study], yours))

"""Words for what a method chose, on their own and on every page with such a method."""

from dataclasses import replace

import pytest

from pages.kit import chosen
from pages.kit.panel import Panel
from pages.topics import class_ratio as ratio_page
from pages.topics import label_proportions as bag_page
from privdemo.estimators.choose import AHEAD, CLASSES, FEW, LOW_RANK, NONE, SHARES, TIE
from privdemo.experiments import class_ratio, label_proportions
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.label_proportions import BagConfig
from privdemo.experiments.trials import with_trial
from privdemo.methods import NAMES, SPREAD, by_trying


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ([(CLASSES, AHEAD)], "class by class in 1 (clearly ahead)"),
        ([(LOW_RANK, FEW), (SHARES, NONE), (LOW_RANK, FEW)], "as it is in 2 (labels say too little) and the classes’"),
        ([(CLASSES, TIE), (CLASSES, AHEAD), (CLASSES, TIE)], "in 3 (no clear difference in 2, clearly ahead in 1)"),
    ],
)
def test_ways_are_described_by_how_often_and_why_they_were_chosen(choices, words):
    assert words in chosen.describe_choices(choices, {LOW_RANK: "as it is"})


def _bags(methods):
    config = BagConfig("breast_cancer", 10, 12, "skewed", methods=methods)
    trials = [label_proportions.run(with_trial(config, i)) for i in range(2)]
    return bag_page, bag_page.Question(config, 2, "share"), trials


def _sets(methods):
    config = RatioConfig("digits", 2, 60, rho=0.2, n_test=40, share=0.5, methods=methods)
    return ratio_page, ratio_page.Question(config, 2), tuple(class_ratio.run(with_trial(config, i)) for i in range(2))


@pytest.mark.parametrize(("made", "plain"), [(_bags, NAMES), (_sets, SPREAD)])
def test_the_chapter_of_all_numbers_says_what_was_chosen(made, plain):
    page, question, trials = made((plain, by_trying(plain)))
    shown = page.Answer(question, trials)
    assert "Chosen by trying, of 2 trials: " in _answer(page, shown)
    without = [replace(trial, fits={plain: trial.fits[plain]} | _full(trial)) for trial in trials]
    assert "Chosen by trying" not in _answer(page, page.Answer(question, type(trials)(without)))


def _full(trial):
    return {name: fit for name, fit in trial.fits.items() if name == "full"}


def _answer(page, shown) -> str:
    (panels,) = (chapter.panels(shown) for chapter in page.CHAPTERS.all if chapter.name == "All results in a table")
    return next(panel.answer for panel in panels if isinstance(panel, Panel))

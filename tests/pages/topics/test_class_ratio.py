"""The page on shares: its numbers are the package's, and its words follow them in both directions."""

import base64
import io
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st
from PIL import Image
from streamlit.testing.v1 import AppTest

from pages.kit.panel import Prediction, Scale
from pages.kit.predictions import SHOW_BUTTON
from pages.topics.class_ratio import CHAPTERS, figures, sets
from pages.topics.class_ratio.answer import (
    HOW,
    Answer,
    _noisy_counts_words,
    class_images,
    compare_words,
    off_words,
    takeaway,
)
from pages.topics.class_ratio.controls import _apply
from pages.topics.class_ratio.question import (
    NAME_BY_TITLE,
    PRESETS,
    Question,
    ShownCurves,
    can_be_guessed,
    first_class_words,
)
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, RatioConfig
from privdemo.experiments.class_ratio.config import TEST_STREAM
from privdemo.experiments.trials import generator, with_trial
from privdemo.intervals import Estimate
from privdemo.methods import CLASS_RATIO, EM, IDENTITY, MMD, PSVM, SPREAD
from privdemo.tasks import COUNTING
from privdemo.verdict import Verdict
from tests.pages.visiting import first_visit

SMALL = RatioConfig("digits", 2, 60, rho=0.2, n_test=40, share=0.5)


@pytest.fixture(scope="module")
def shown() -> Answer:
    return Answer(Question(SMALL, 2), tuple(class_ratio.run(with_trial(SMALL, i)) for i in range(2)))


def test_the_takeaway_has_the_numbers_of_the_package(shown: Answer) -> None:
    words = takeaway(shown)
    shares = {name: class_ratio.share_of(shown.trials, name, 0) for name in (SPREAD, MMD, IDENTITY)}
    nearest = min(shares, key=lambda name: abs(shares[name].mean - 0.5))
    assert words == (
        "<b>Yes.</b> We know that in one group of images 80 % show a 7 and in another 20 %, but not which images those "
        "are. In this test <b>50.0 %</b> of 40 other images show a 7; the closest of 3 methods says "
        f"<b>{100 * shares[nearest].mean:.1f} %</b>."
    )
    (panel,) = shown.main()
    assert "Given are two other groups: 80 % of group 1 show a 7 and 20 % of group 2." in panel.summary
    assert "2 trials cannot tell which is closer" in panel.summary
    alone = [replace(trial, fits={EM: trial.fits[EM]}) for trial in shown.trials]
    said = takeaway(replace(shown, trials=tuple(alone)))
    assert "<b>50.0 %</b> of 40 other images show a 7; “labels known (for comparison)” says <b>" in said


def test_the_share_is_guessed_from_the_average_images_of_the_sets() -> None:
    config = replace(SMALL, share=0.1)
    shown = Answer(Question(config, 1), (class_ratio.run(config),))
    asked = shown.main()[0].prediction
    assert (asked.truth, asked.scale) == (10, Scale(0, 100, 1, " %"))
    assert asked.ask == (
        "We are told only what percentage of group 1 and of group 2 show a 7, but not which images. <b>What "
        "percentage of group 3 "
        "show a 7?</b> Use the groups’ average images as a clue."
    )
    shares = [class_ratio.share_of(shown.trials, name, 0).mean for name in shown.methods if name != EM]
    found, first, second = (f"{100 * share:.1f} %" for share in sorted(shares, key=lambda share: abs(share - 0.1)))
    assert asked.explain == (
        f"The closest of 3 methods, which use the images themselves, finds {found}. The others find {first} and "
        f"{second}."
    )
    page = asked.covered.html
    assert re.findall(r"<b>Group (\d): (\d+) (?:other )?images</b>", page) == [("1", "60"), ("2", "60"), ("3", "40")]
    assert re.findall(r"<b>(\S+) %</b>", page) == ["80", "20", "?"]
    sample = class_ratio.sample_records(config)
    images = [np.array(Image.open(io.BytesIO(base64.b64decode(one)))) for one in re.findall(r"base64,([^\"]*)", page)]
    for image, rows in zip(images, sample.training.rows, strict=False):
        average = sample.dataset.X[rows].mean(axis=0).reshape(8, 8) / 16  # of 17 grey levels
        assert abs(image - 255 * average).max() <= 0.5 + 1e-4
    assert len(images) == 3
    assert 'class="bar"' not in page, "what methods find is not shown yet"


def test_the_share_of_people_is_guessed_from_how_many_are_married() -> None:
    config = RatioConfig("adult", 2, 100, rho=0.3, n_test=200, share=0.1, methods=(SPREAD, MMD))
    trial = class_ratio.run(config)
    asked = Answer(Question(config, 1), (trial,)).main()[0].prediction
    assert asked.ask == (
        "To protect people, we are told only what percentage of group 1 and of group 2 earn over $50,000 a year, but "
        "not which people. <b>What percentage of group 3 earn over $50,000 a year?</b> Use how many are married as a "
        "clue."
    )
    sample = class_ratio.sample_records(config)
    names = sample.dataset.feature_names
    married = [i for i, name in enumerate(names) if name.startswith("marital-status = Married")]
    assert len(married) == 3
    target, _ = class_ratio.sample_target_set(config, sample, 0.1, generator(config, TEST_STREAM))
    sets = [*(sample.dataset.X[rows] for rows in sample.training.rows), target]
    shares = [float(records[:, married].sum()) / records.shape[0] for records in sets]
    written = [f"{100 * share:.0f}" for share in shares]
    assert re.findall(r"<b>(\S+) %</b>", asked.covered.html) == ["70", "30", "?", *written]
    widths = [float(width) for width in re.findall(r"width:([\d.]+)%", asked.covered.html)]
    assert widths == pytest.approx([70, 30, *(100 * share for share in shares)], abs=0.05)


def test_no_share_is_asked_for_that_a_visitor_has_set_or_that_nothing_hints_at() -> None:
    def ask(config: RatioConfig) -> Prediction | None:
        return Answer(Question(config, 1), (class_ratio.run(config),)).main()[0].prediction

    config = replace(SMALL, share=0.1, methods=(SPREAD, MMD))
    assert ask(replace(config, share=0.4)) is None
    assert ask(replace(config, share=None)) is not None
    assert ask(replace(config, methods=(MMD,))) is None
    assert ask(replace(config, dataset="breast_cancer")) is None
    pure = ask(replace(config, rho=0.0))
    assert pure.ask.startswith("We are told what percentage of"), "a set of one class says what each is"
    assert "but not which" not in pure.ask
    assert "The other finds" in pure.explain
    private = ask(replace(config, release="laplace tight", epsilon=1.0, delta=0.01))
    assert "only what percentage (with noise) of group 1" in private.ask
    assert private.covered.html.count(" (with noise)") == 2


def test_images_of_the_classes_are_shown_if_there_are_any() -> None:
    assert [image.shape for image in class_images("digits", ("7", "9"))] == [(8, 8)] * 2
    assert len(class_images("breast_cancer", ("benign", "malignant"))) == 0


def test_every_method_is_explained_beside_what_it_finds(shown: Answer) -> None:
    assert set(HOW) == set(CLASS_RATIO)
    (panel,) = shown.main()
    truth = shown.trials[0].truth[0]
    for row, name in zip(panel.rows(), shown.methods, strict=True):
        mean = class_ratio.share_of(shown.trials, name, 0).mean
        assert (row["method"], row["mean"]) == (CLASS_RATIO[name].title, mean)
        how = row["how"].replace(" %", "\u00a0%")
        assert f"<b>{row['method']}</b><small>{how}</small>" in panel.figure.html
        near = "close" if abs(mean - truth) <= 0.05 else "misses"
        assert f"<b>{100 * mean:.1f} %</b><small>{near}: {off_words(mean - truth)}</small>" in panel.figure.html
        assert "{" not in row["how"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (0.0194, "1.9 points too high"),
        (-0.0981, "9.8 points too low"),
        (-0.0004, "off by less than 0.1 points"),
        (0.0, "exactly right"),
    ],
)
def test_how_far_off_a_share_is_is_said_in_points(error, words) -> None:
    assert off_words(error) == words


def test_of_more_than_two_classes_all_shares_follow_and_not_every_set_is_shown(shown: Answer) -> None:
    config = replace(SMALL, n_classes=4, rho=0.1)
    four = Answer(Question(config, 1), (class_ratio.run(config),))
    panel, shares = four.main()
    html = panel.figure.html
    assert "The computer is told the percentages in 4 groups of 60 images:" in html
    assert "and 1 more such group<" in html
    assert "How many of group 5 show a 0? What each method finds:" in html
    assert "0s</span>" in html
    assert "all others</span>" in html
    assert "Bars: one simulated trial; a full bar" in html
    assert len(shares.figure.figure.data[0].x) == 4
    shares = [class_ratio.share_of(shown.trials, name, 0) for name in shown.methods]
    off = max(max(share.high - share.mean, share.mean - share.low) for share in shares)
    averages = f"averages of 2 trials with different images, uncertain by up to ± {100 * off:.1f} points"
    assert averages in shown.main()[0].figure.html


def test_the_first_class_is_named_as_in_a_sentence() -> None:
    assert [first_class_words(*asked) for asked in (("digits", 2), ("mnist", 3), ("breast_cancer", 2))] == [
        "show a 7",
        "show a 0",
        "are malignant",
    ]


def test_the_chapter_of_other_mixes_tells_mean_errors_twice_alike(shown: Answer) -> None:
    others, errors = CHAPTERS.all[1].panels(shown)
    for name in shown.methods:
        mean = class_ratio.mean_error(shown.trials, name).mean
        assert f"{CLASS_RATIO[name].title} {mean:.3f}" in errors.summary
        assert any(trace.x[0] == 500 * mean for trace in errors.figure.figure.data), "of 1,000"
    assert errors.summary.partition(" An L1")[0] in others.summary
    assert "an error at the line is not that of chapter 1" in others.summary


@pytest.mark.parametrize(
    ("bound", "release", "part"),
    [
        (735.2, NO_RELEASE, "guarantees only an error below 735: no use here"),
        (8.891, NO_RELEASE, "below 8.89: no use here, as none is above 1.41."),
        (0.5, NO_RELEASE, "below 0.5 (L2, in 95 of 100 cases)."),
        (float("inf"), NO_RELEASE, "For more groups than classes Theorem 1 guarantees nothing."),
        (2.0, "gaussian tight", "With private counts"),
    ],
)
def test_the_theorem_is_said_to_help_only_where_it_does(shown: Answer, bound, release, part) -> None:
    question = Question(replace(SMALL, release=release), 2)
    assert part in sets.bound_words(replace(shown, question=question), bound)


def proportions(release: str, holds: bool = True, times: int = 1) -> str:
    config = replace(SMALL, release=release, epsilon=0.1, delta=0.05)
    trial = SimpleNamespace(config=config, holds=holds, most_sets=times)
    return _noisy_counts_words(Answer(Question(config, 1), (trial,)))


def estimate(low: float, high: float, **more) -> SimpleNamespace:
    return SimpleNamespace(estimate=Estimate((low + high) / 2, low, high), **more)


def counting(mmd: tuple[float, float], spread: tuple[float, float]) -> str:
    return figures.counting_words({MMD: estimate(*mmd), SPREAD: estimate(*spread), PSVM: estimate(0.3, 0.5)})


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (compare_words(Verdict.TOO_FEW, MMD, "10 trials"), "10 trials cannot tell"),
        (compare_words(Verdict.WORSE, MMD, "10 trials"), "Over all mixes, blend the groups’ averages is closer."),
        (compare_words(Verdict.BETTER, MMD, "10 trials"), "Over all mixes, use each group as a hint is closer."),
        (compare_words(Verdict.NOT_CLEAR, MMD, "10 trials"), "the two are statistically tied"),
        (proportions("gaussian tight"), "have noise (ε = 0.1, δ = 0.05)"),
        (proportions("gaussian tight", times=2), "δ = 0.05; 2 times that for records in 2 groups)"),
        (proportions("gaussian published", holds=False), "its promise of ε = 0.1, δ = 0.05 is broken"),
        (proportions("dirichlet local", holds=False), "no guarantee: it is chosen from the secret counts"),
        (counting((0.1, 0.2), (0.1, 0.2)), "clearly worse."),
        (counting((0.25, 0.4), (0.3, 0.4)), "not clearly worse"),
        (figures._claims(figures.shipped(), 0, 1), "a share of 0.1 (Adult): 70 % lower published, 87 % lower here."),
    ],
)
def test_words_follow_verdicts_promises_and_intervals(words: str, part: str) -> None:
    assert part in words


def test_every_chapter_gives_code_that_asks_for_the_shown_trials(shown: Answer, monkeypatch) -> None:
    monkeypatch.setattr(class_ratio, "run", {trial.config: trial for trial in shown.trials}.__getitem__)
    for chapter in CHAPTERS.all:
        panels = chapter.panels(shown, *([ShownCurves(chapter.settings[0].default)] if chapter.controls else []))
        for panel in (one for some in panels for one in (some if isinstance(some, tuple) else (some,)) if one.rows):
            exec(str(panel.snippet), names := {})
            assert tuple(names.get("trials", shown.trials)) == shown.trials


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_what_it_says(name, monkeypatch) -> None:
    preset = PRESETS[name]
    monkeypatch.setattr(st, "session_state", state := {})
    _apply(name)
    values = state["values"][""]
    assert values["ratio_records"] == COUNTING[preset.dataset].title
    assert NAME_BY_TITLE[values["release"]] == (preset.release or NO_RELEASE)
    sizes = [preset.n_classes, preset.set_size, preset.rho, preset.n_test]
    assert [values[key] for key in ("classes", "set_size", "rho", "asked")] == sizes
    noise = [preset.epsilon, preset.delta, preset.n_min]
    assert [values[key] for key in ("ratio_epsilon", "ratio_delta", "n_min")] == noise
    assert (values["mix"], values["sets_of_each"]) == ("set by hand", 1)


@pytest.mark.parametrize("chapter", ["The paper’s test: two classes", "Error if the counts have noise"])
def test_a_figure_of_the_paper_begins_with_three_curves(chapter: str) -> None:
    panels = next(one for one in CHAPTERS.all if one.name == chapter)
    three, every = (
        panels.panels(None, ShownCurves(panels.settings[0].default, everything))[0].figure.figure.data
        for everything in (False, True)
    )
    assert len(three) == 3 < len(every)
    assert {trace.name for trace in three} < {trace.name for trace in every}


def test_the_settings_do_not_tell_the_share_that_is_to_be_guessed() -> None:
    def boxes(at: AppTest) -> list[str]:
        return [box.label for box in at.number_input if box.label.startswith("The truth")]

    at = first_visit("class_ratio")
    (show_me,) = (button for button in at.button if button.label == SHOW_BUTTON)
    assert boxes(at) == []
    show_me.click().run()
    assert len(boxes(at)) == 1


def test_the_share_is_a_setting_where_nothing_is_asked() -> None:
    assert can_be_guessed(RatioConfig("digits", 2, 60, share=0.1))
    for config in (
        RatioConfig("breast_cancer", 2, 60, share=0.1),
        RatioConfig("digits", 2, 60, share=0.8),
        RatioConfig("digits", 3, 60, share=0.1),
        RatioConfig("digits", 2, 60, copies=2, share=0.1),
        RatioConfig("digits", 2, 60, share=0.1, methods=(SPREAD, EM)),
    ):
        assert not can_be_guessed(config)

"""The page on shares: its numbers are the package's, and its words follow them in both directions."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
import streamlit as st

from pages.topics.class_ratio import CHAPTERS, figures, sets
from pages.topics.class_ratio.answer import (
    HOW,
    Answer,
    _how_close,
    _noisy_counts_words,
    class_images,
    compare_words,
    off_words,
    takeaway,
)
from pages.topics.class_ratio.controls import _apply
from pages.topics.class_ratio.question import NAME_BY_TITLE, PRESETS, Question, ShownCurves, first_class_words
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, RatioConfig
from privdemo.experiments.trials import with_trial
from privdemo.intervals import Estimate
from privdemo.methods import CLASS_RATIO, EM, IDENTITY, MMD, PSVM, SPREAD
from privdemo.tasks import COUNTING
from privdemo.verdict import Verdict

SMALL = RatioConfig("digits", 2, 60, rho=0.2, n_test=40, share=0.5)


@pytest.fixture(scope="module")
def shown() -> Answer:
    return Answer(Question(SMALL, 2), tuple(class_ratio.run(with_trial(SMALL, i)) for i in range(2)))


def test_the_takeaway_has_the_numbers_of_the_package(shown: Answer) -> None:
    words = takeaway(shown)
    shares = {name: class_ratio.share_of(shown.trials, name, 0) for name in (SPREAD, MMD, IDENTITY)}
    nearest = min(shares, key=lambda name: abs(shares[name].mean - 0.5))
    assert words == (
        "<b>Yes.</b> We know that in one set of images 80 % show a 7 and in another 20 %, but not which images those "
        "are. In this test <b>50.0 %</b> of 40 other images show a 7; the closest of 3 methods says "
        f"<b>{100 * shares[nearest].mean:.1f} %</b>."
    )
    (panel,) = shown.main()
    assert "Given are two other sets: 80 % of set 1 show a 7 and 20 % of set 2." in panel.summary
    assert "2 trials cannot tell which is closer" in panel.summary
    alone = [replace(trial, fits={EM: trial.fits[EM]}) for trial in shown.trials]
    said = takeaway(replace(shown, trials=tuple(alone)))
    assert "<b>50.0 %</b> of 40 other images show a 7; “labels known (for comparison)” says <b>" in said


def test_a_guess_of_how_close_an_estimate_is_is_judged_by_the_closest_method(shown: Answer) -> None:
    asked = shown.main()[0].prediction
    shares = [class_ratio.share_of(shown.trials, name, 0).mean for name in shown.methods if name != EM]
    nearest, *others = sorted(shares, key=lambda share: abs(share - 0.5))
    off = abs(nearest - 0.5)
    assert asked.truth == asked.scale[0 if off <= 0.05 else 1 if off <= 0.15 else 2]
    assert asked.ask == (
        "A computer is told only what percentages of two groups (sets 1 and 2) show a 7, not which. It also sees "
        "images without labels. From all this it works out the percentage in set 3. <b>How close will the "
        "best of its 3 methods come?</b>"
    )
    found, first, second = (f"{100 * share:.1f} %" for share in (nearest, *others))
    assert (
        asked.explain
        == f"The truth is 50 %. The closest of 3 methods finds {found}. The others find {first} and {second}."
    )
    assert [_how_close(error) for error in (0.55 - 0.5, 0.051, 0.9 - 0.75, 0.151)] == [
        asked.scale[i] for i in (0, 1, 1, 2)
    ]
    pure = replace(SMALL, rho=0.0, methods=(SPREAD, MMD))
    alone = Answer(Question(pure, 1), (class_ratio.run(pure),)).main()[0].prediction
    noisy = replace(SMALL, release="laplace tight", epsilon=1.0, delta=0.01, methods=(SPREAD, MMD))
    private = Answer(Question(noisy, 1), (class_ratio.run(noisy),)).main()[0].prediction
    assert "(sets 1 and 2) show a 7 (with noise), not which. It also" in private.ask
    assert len(re.findall(r"Set [12]: <b>\d+ %</b> \(with noise\) of", private.covered.html)) == 2
    assert "labels unknown in set 3" in alone.covered.html
    assert "A computer is told what percentages" in alone.ask
    assert "not which" not in alone.ask, "a set of one class says what each is"
    assert "The closest of 2 methods finds" in alone.explain
    sets = re.findall(r"Set (\d): <b>(.+?)</b> of (\d+) images show a 7", asked.covered.html)
    assert [(name, share) for name, share, _ in sets] == [("1", "80 %"), ("2", "20 %"), ("3", "? %")]
    assert [int(size) for *_, size in sets] == [SMALL.set_size, SMALL.set_size, SMALL.n_test]
    assert 'class="bar"' not in asked.covered.html, "what methods find is not shown yet"


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
    assert "The computer is told the percentages in 4 sets of 60 images:" in html
    assert "and 1 more such set<" in html
    assert "How many of set 5 show a 0? What each method finds:" in html
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
        "are benign",
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
        (float("inf"), NO_RELEASE, "For more sets than classes Theorem 1 guarantees nothing."),
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
        (compare_words(Verdict.WORSE, MMD, "10 trials"), "Over all mixes, blend the sets’ averages is closer."),
        (compare_words(Verdict.BETTER, MMD, "10 trials"), "Over all mixes, use each set as a hint is closer."),
        (compare_words(Verdict.NOT_CLEAR, MMD, "10 trials"), "the two are statistically tied"),
        (proportions("gaussian tight"), "have noise (ε = 0.1, δ = 0.05)"),
        (proportions("gaussian tight", times=2), "δ = 0.05; 2 times that for records in 2 sets)"),
        (proportions("gaussian published", holds=False), "its promise of ε = 0.1, δ = 0.05 is broken"),
        (proportions("dirichlet local", holds=False), "no guarantee: it is chosen from the secret counts"),
        (counting((0.1, 0.2), (0.1, 0.2)), "clearly worse."),
        (counting((0.25, 0.4), (0.3, 0.4)), "not clearly worse"),
        (figures._claims(figures.shipped(), 0, 1), "a share of 0.2 (Adult): 70 % lower published, 89 % lower here."),
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

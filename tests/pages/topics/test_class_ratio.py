"""The page on class ratios: its numbers are the package's, and its words follow them in both directions."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import streamlit as st

from pages.topics.class_ratio import TABS, figures
from pages.topics.class_ratio.answer import Answer, _proportions, compare_words, takeaway
from pages.topics.class_ratio.controls import PRESETS, TITLES, Question, _apply
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, RatioConfig
from privdemo.experiments.draws import at_draw
from privdemo.intervals import Estimate
from privdemo.methods import EM, MMD, PSVM, SPREAD
from privdemo.tasks import COUNTING
from privdemo.verdict import Verdict

SMALL = RatioConfig("digits", 2, 60, rho=0.2, n_test=40, share=0.5)


@pytest.fixture(scope="module")
def shown() -> Answer:
    return Answer(Question(SMALL, 2), tuple(class_ratio.run(at_draw(SMALL, i)) for i in range(2)))


def test_the_takeaway_has_the_numbers_of_the_package(shown: Answer) -> None:
    words = takeaway(shown)
    for name in (SPREAD, MMD):
        error = class_ratio.error(shown.trials, name)
        assert f"<b>{error.mean:.3f}</b> ± {error.half:.3f}" in words
        assert f"<b>{100 * class_ratio.share_of(shown.trials, name, 0).mean:.1f} %</b>" in words
    assert f"against {class_ratio.error(shown.trials, EM).mean:.3f} with every training label" in words
    assert "Both shares together" in words
    assert "2 draws cannot tell" in words


def proportions(release: str, holds: bool = True, times: int = 1) -> str:
    config = replace(SMALL, release=release, epsilon=0.1, delta=0.05)
    trial = SimpleNamespace(config=config, holds=holds, most_sets=times)
    return _proportions(Answer(Question(config, 1), (trial,)))


def estimate(low: float, high: float, **more) -> SimpleNamespace:
    return SimpleNamespace(estimate=Estimate((low + high) / 2, low, high), **more)


def counting(mmd: tuple[float, float], spread: tuple[float, float]) -> str:
    return figures.counting_words({MMD: estimate(*mmd), SPREAD: estimate(*spread), PSVM: estimate(0.3, 0.5)})


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (compare_words(Verdict.TOO_FEW, 0.02, "10 draws"), "10 draws cannot tell"),
        (compare_words(Verdict.WORSE, 0.02, "10 draws"), "MMD’s error is 0.020 below spread’s"),
        (proportions("gaussian tight"), "(private, ε = 0.1, δ = 0.05)"),
        (proportions("gaussian tight", times=2), "δ = 0.05; 2 times that for records that are in 2 sets)"),
        (proportions("gaussian published", holds=False), "its promise of ε = 0.1, δ = 0.05 is void"),
        (proportions("dirichlet local", holds=False), "no formal guarantee: chosen from the private counts"),
        (counting((0.1, 0.2), (0.1, 0.2)), "clearly worse."),
        (counting((0.25, 0.4), (0.3, 0.4)), "not clearly worse"),
    ],
)
def test_words_follow_verdicts_promises_and_intervals(words: str, part: str) -> None:
    assert part in words


def test_every_tab_gives_code_that_asks_for_the_shown_draws(shown: Answer, monkeypatch) -> None:
    monkeypatch.setattr(class_ratio, "run", {trial.config: trial for trial in shown.trials}.__getitem__)
    for tab in TABS.all:
        for panel in tab.panels(shown, *([tab.settings[0].default] if tab.controls else [])):
            exec(str(panel.snippet), names := {})
            assert tuple(names.get("draws", shown.trials)) == shown.trials


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_what_it_says(name, monkeypatch) -> None:
    dataset, n_classes, size, rho, n_test, release, epsilon, delta, n_min = PRESETS[name]
    monkeypatch.setattr(st, "session_state", state := {})
    _apply(name)
    numbers = next(value for value in state.values() if isinstance(value, dict))
    assert (state["ratio_records"], TITLES[state["release"]]) == (COUNTING[dataset].title, release or NO_RELEASE)
    assert [numbers[key] for key in ("classes", "set_size", "rho", "asked")] == [n_classes, size, rho, n_test]
    assert [numbers[key] for key in ("ratio_epsilon", "ratio_delta", "n_min")] == [epsilon, delta, n_min]
    assert (state["mix"], numbers["sets_of_each"]) == ("set by hand", 1)

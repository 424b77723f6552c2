"""The page on class ratios: its numbers are the package's, and its words follow them in both directions."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pages.topics.class_ratio import PAGE, figures, sets
from pages.topics.class_ratio.answer import Answer, _proportions, compare_words, takeaway
from pages.topics.class_ratio.controls import Question
from pages.topics.class_ratio.tabs import TABS
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, RatioConfig, study
from privdemo.experiments.draws import at_draw
from privdemo.intervals import Estimate
from privdemo.methods import EM, MMD, PSVM, SPREAD
from privdemo.verdict import Verdict
from tests.pages.visiting import answers, finished, plain, visit
from tests.pages.visiting import takeaway as seen

SMALL = RatioConfig("digits", 2, 60, rho=0.2, n_test=40, share=0.5)


@pytest.fixture(scope="module")
def shown() -> Answer:
    return Answer(Question(SMALL, 2), tuple(class_ratio.run(at_draw(SMALL, i)) for i in range(2)))


def test_the_takeaway_has_the_numbers_of_the_package(shown: Answer) -> None:
    words = takeaway(shown)
    for name in (SPREAD, MMD):
        error = class_ratio.error(shown.trials, name)
        assert f"<b>{error.mean:.3f}</b> ± {max(error.high - error.mean, error.mean - error.low):.3f}" in words
        assert f"<b>{100 * class_ratio.share_of(shown.trials, name, 0).mean:.1f} %</b>" in words
    assert f"against {class_ratio.error(shown.trials, EM).mean:.3f} with every training label" in words
    assert "Both shares together" in words
    assert "Two draws" not in words
    assert "2 draws cannot tell" in words


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.TOO_FEW, "10 draws cannot tell"),
        (Verdict.NOT_CLEAR, "No difference shows"),
        (Verdict.BETTER, "spread’s error is 0.020 below MMD’s"),
        (Verdict.WORSE, "MMD’s error is 0.020 below spread’s"),
    ],
)
def test_a_verdict_names_who_is_ahead(verdict: Verdict, words: str) -> None:
    assert words in compare_words(verdict, 0.02, "10 draws")


@pytest.mark.parametrize(
    ("release", "holds", "times", "words"),
    [
        (NO_RELEASE, True, 1, "true proportions are"),
        ("gaussian tight", True, 1, "(private, ε = 0.1, δ = 0.05)"),
        ("gaussian tight", True, 2, "(private, ε = 0.1, δ = 0.05; 2 times that for records that are in 2 sets)"),
        ("gaussian published", False, 1, "its promise of ε = 0.1, δ = 0.05 is void"),
        ("dirichlet local", False, 1, "no formal guarantee: chosen from the private counts"),
    ],
)
def test_a_promise_is_named_only_where_it_holds(release: str, holds: bool, times: int, words: str) -> None:
    config = replace(SMALL, release=release, epsilon=0.1, delta=0.05)
    trial = SimpleNamespace(config=config, holds=holds, most_sets=times)
    assert words in _proportions(Answer(Question(config, 1), (trial,)))


def estimates(**at: tuple[float, float]) -> dict:
    return {name: SimpleNamespace(estimate=Estimate(sum(e) / 2, *e)) for name, e in at.items()}


@pytest.mark.parametrize(
    ("mmd", "spread", "words"),
    [
        ((0.1, 0.2), (0.1, 0.2), "clearly worse."),
        ((0.1, 0.2), (0.25, 0.4), "clearly worse than MMD only"),
        ((0.25, 0.4), (0.3, 0.4), "not clearly worse"),
    ],
)
def test_counting_is_worse_only_where_intervals_part(mmd, spread, words) -> None:
    at = estimates(**{MMD: mmd, SPREAD: spread, PSVM: (0.3, 0.5)})
    assert words in figures.counting_words(at)


@pytest.mark.parametrize(
    ("small", "words"),
    [((0.3, 0.4), "(more)"), ((0.15, 0.4), "(no clear difference)"), ((0.01, 0.05), "(less)")],
)
def test_small_sets_are_judged_by_their_intervals(small, words) -> None:
    rows = [
        SimpleNamespace(copies=copies, method=method, release=release, estimate=Estimate(sum(ends) / 2, *ends))
        for method in (SPREAD, MMD)
        for release in (NO_RELEASE, study.WITH_NOISE)
        for copies, ends in ((1, (0.1, 0.2)), (8, small))
    ]
    said = sets.few_words(rows)
    assert words in said
    assert ("helps nowhere" in said) == (words != "(more)")
    assert "In 8 times as many" in said


def test_every_tab_gives_code_that_runs(shown: Answer) -> None:
    for tab in TABS.all:
        panels = tab.panels(shown, tab.settings[0].default) if tab.controls else tab.panels(shown)
        for panel in panels:
            names: dict = {}
            exec(str(panel.snippet), names)
            if "draws" in names:
                assert [trial.config for trial in names["draws"]] == [trial.config for trial in shown.trials]


def test_pure_sets_and_noise_are_told_to_whoever_asks_for_the_adversary(shown: Answer) -> None:
    tab = next(tab for tab in TABS.all if tab.name == "the adversary")
    assert "Even true counts" in tab.panels(shown)[0].answer
    pure = replace(shown, question=Question(replace(SMALL, rho=0.0), 2))
    assert "Pure sets release every label" in tab.panels(pure)[0].answer
    private = replace(shown, question=Question(replace(SMALL, release="gaussian tight"), 2))
    assert "Noise on the counts bounds" in tab.panels(private)[0].answer


def test_a_preset_and_a_link_reach_the_page(mnist: object) -> None:
    at = finished(visit(PAGE.address, ratio_records="Small digits", set_size="60", asked="40", ratio_draws="2"))
    assert "Of 40 images" in seen(at)
    at.button(key="ratio three digits, private").click().run()
    assert not at.exception
    assert at.session_state["release"] == "Gaussian, tight" or at.session_state["ratio_epsilon"] == 0.05
    assert "Does it work for other mixes?" in [plain(head.value) for head in at.subheader]
    assert answers(at)

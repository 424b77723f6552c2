"""The tabs of the comparison: pairs are of one source, goals are told, and the code gives the numbers shown."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pages.kit.draws import Draws
from pages.topics import PAGES
from pages.topics.comparison import PAGE, against_pin, goal, one_likelihood, shipped
from pages.topics.comparison.answer import answer, rows_of
from pages.topics.comparison.words import Change
from privdemo.experiments import comparison
from privdemo.experiments.draws import at_draw
from privdemo.methods import COMPARISON, NAIVE, SPREAD
from privdemo.verdict import Verdict
from tests.pages.topics.comparison.made import DIGITS, SMALL, question, row, shown, trials

TABS = {tab.name: tab.panels for tab in PAGE.tabs.all}


def test_a_pair_is_never_of_two_sources():
    lies, bags, _ = one_likelihood.PAIRS
    asked = question(replace(DIGITS, n_train=30, epsilon=7.0))
    mine = tuple(replace(r, n_train=30) for r in shipped.marks(DIGITS))
    whose, rows = one_likelihood.of_one_source(lies, shown(asked, *mine), 8.0)
    assert (whose, {r.n_train for r in rows}) == ("of your setting", {30})
    half = tuple(r for r in mine if r.method == NAIVE)
    for pair in (lies, bags):
        whose, rows = one_likelihood.of_one_source(pair, shown(asked, *half), 8.0)
        assert whose == "shipped, 120 people of each class, ε = 8"
        assert {(r.n_train, r.epsilon) for r in rows} == {(120, 8.0)}
        assert [r.method for r in rows] == [pair.ours, pair.made]
    assert one_likelihood.nearest_epsilon(5.0) == 4.0
    ours = question(replace(DIGITS, dataset="breast_cancer"))
    words = [p.answer for p in TABS["one likelihood"](shown(ours))]
    assert any("No numbers are shipped for these records" in answer for answer in words)


def test_only_clear_differences_are_counted():
    verdicts = (Verdict.BETTER, Verdict.WORSE, Verdict.WORSE, Verdict.NOT_CLEAR, Verdict.TOO_FEW)
    changes = [Change(verdict, verdict.value) for verdict in verdicts]
    assert "Of the 5, the one likelihood is clearly better in 1, clearly worse in 2; in 1" in (
        one_likelihood.clear_words(changes)
    )
    few = against_pin.clear_words({NAIVE: changes[0], SPREAD: changes[4]})
    assert few == "Of 2 methods <b>1</b> differs clearly: naive better."
    assert against_pin.clear_words({NAIVE: changes[3]}) == "Of 1 method <b>0</b> differ clearly."


def test_the_pages_that_are_led_to_are_there():
    links = TABS["one likelihood"](answer(question(), Draws()))[-1].links
    assert {address for address, _ in links} <= {page.address for page in PAGES}
    assert len(links) == 3


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (0.6, "<b>ε = 0.5</b> by naive, 70.0 ± 2.0 % (its whole 95 % interval does), the least that was tried."),
        (0.69, "70.0 ± 2.0 % (its 95 % interval reaches to the other side of the goal), the least"),
        (0.8, "<b>ε = 2</b> by naive, 90.0 ± 2.0 % (its whole 95 % interval does); at ε = 0.5 it does not."),
        (0.99, "<b>none here does</b>. The best is 90.0 %, by naive at ε = 2."),
    ],
)
def test_the_least_epsilon_for_a_goal_is_told(wanted, words):
    rows = [replace(row(replace(DIGITS, epsilon=e), 0, 1), mean=m, low=m - 0.02, high=m + 0.02)
            for e, m in ((0.5, 0.7), (2.0, 0.9))]  # fmt: skip
    assert words in goal.reached_words(question(goal=wanted), rows)


@pytest.mark.parametrize(("mark", "words"), [(0.9, "reaches it at ε = 1: naive"), (0.5, "does not reach it at ε = 1")])
def test_ones_own_setting_is_held_against_the_goal(mark, words):
    asked = question(SMALL, goal=0.8)
    mine = tuple(rows_of(asked.config, 5, trials(asked.config, *5 * [mark])))
    assert words in goal.own_words(shown(asked, *mine))
    assert not goal.own_words(shown(question(goal=0.8), *mine))


@pytest.fixture(scope="module")
def drawn():
    """A small setting and a pinned one that differs in ε, two draws of each."""
    small = replace(SMALL, n_train=20, bag_size=10)
    asked = question(small, 2, goal=0.6, pinned=replace(small, epsilon=4.0))
    mine, pinned = (
        rows_of(config, 2, [comparison.run(at_draw(config, i)) for i in range(2)]) for config in (small, asked.pinned)
    )
    return shown(asked, *mine, pinned=tuple(pinned), curves=tuple(shipped.curves(small)))


@pytest.mark.parametrize("tab", TABS)
def test_the_code_of_every_tab_gives_the_numbers_shown(drawn, tab):
    panel, said = TABS[tab](drawn)[0], []
    exec(str(panel.snippet), {"print": lambda *words: said.append(words)})
    if tab == "goal seek":
        ((found,),) = said
        assert f"<b>ε = {found.epsilon:g}</b> by {COMPARISON[found.method].title}" in panel.answer
    elif tab == "all numbers":
        assert [round(100 * mark.mean, 3) for _, mark in said] == [r["accuracy (%)"] for r in panel.figure.rows]
    else:
        gaps = [100 * gap.mean if tab == "against a pin" else gap.mean for _, gap in said]
        cells = re.findall(r"[+−][\d.]+", " ".join(" ".join(line) for line in panel.figure.body))
        found = [float(cell.replace("−", "-")) for cell in cells]
        assert any(cell == pytest.approx(gaps[0], abs=0.06) for cell in found)

"""The comparison's answer: its words follow the rows, and few draws are not judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pages.topics.comparison import shipped
from pages.topics.comparison.answer import jobs, mark_words, own_curves, rows_of
from pages.topics.comparison.words import about_sets, change, differing
from privdemo.experiments import comparison
from privdemo.experiments.comparison import SHARE
from privdemo.intervals import Estimate, mean_interval
from privdemo.methods import CLEAN, LLP, NAIVE, NOBODY, PUBLISHER, SPREAD, set_names
from privdemo.verdict import Verdict
from tests.pages.topics.comparison.made import BOTH, DIGITS, question, row, shown, trials
from tests.pages.visiting import html, takeaway, visit, warnings

SETS = set_names("gaussian")


def test_it_opens_with_the_shipped_marks_of_its_setting():
    at = visit("comparison", compare_on="Small digits")
    marks = {r.method: r.estimate for r in shipped.marks(replace(DIGITS, methods=())) if r.metric == "accuracy"}
    best, owner = (max(names, key=lambda n: marks[n].mean) for names in (BOTH, (LLP, "bag names")))
    for name, whom in ((best, "nobody"), (owner, "a bag owner")):
        half = max(marks[name].high - marks[name].mean, marks[name].mean - marks[name].low)
        assert f"<b>{100 * marks[name].mean:.1f} ± {100 * half:.1f} %</b> trusting {whom}" in takeaway(at)
    assert f"with all true labels {100 * marks[CLEAN].mean:.1f} %" in takeaway(at)
    assert "Equal ε under unequal trust is not equal privacy." in takeaway(at)
    assert "covers the counts alone" in html(at)
    assert not warnings(at)


def test_who_is_trusted_decides_what_is_said():
    marks, config = {NAIVE: Estimate(0.9, 0.88, 0.92), CLEAN: Estimate(0.99, 0.98, 1.0)}, replace(DIGITS, epsilon=2.0)
    alone = mark_words(question(config), marks, {NOBODY: NAIVE})
    named = "clean test records are named right in <b>90.0 ± 2.0 %</b> trusting nobody (naive)"
    assert alone == f"{named}; with all true labels 99.0 %."
    assert "nothing that asks for so little trust" in mark_words(question(config), marks, {})
    sets = mark_words(
        question(replace(config, methods=(SETS,)), trusted=(PUBLISHER,)), {SETS: marks[NAIVE]}, {PUBLISHER: SETS}
    )
    assert sets.endswith(about_sets(config))


@pytest.mark.parametrize(
    ("rho", "words"),
    [
        (0.1, "covers the counts alone"),
        (0.1, "ε = 2.94 may (it is right for 85.0 % to 95.0"),
        (0.0, "covers nothing"),
    ],
)
def test_what_a_sets_name_tells_is_said(rho, words):
    assert words in about_sets(replace(DIGITS, rho=rho))


@pytest.mark.parametrize(
    ("now", "then", "verdict", "words"),
    [
        ((0.9, 0.91, 0.9, 0.91, 0.9), (0.8,) * 5, Verdict.BETTER, "+10.4 ± 0.7 points, better"),
        ((0.8,) * 5, (0.9, 0.91, 0.9, 0.91, 0.9), Verdict.WORSE, "−10.4 ± 0.7 points, worse"),
        ((0.9, 0.7, 0.9, 0.7, 0.9), (0.8,) * 5, Verdict.NOT_CLEAR, "+2.0 ± 13.6 points, not clear"),
        ((0.9, 0.91, 0.9, 0.91), (0.8,) * 5, Verdict.TOO_FEW, "+10.5 ± 0.9 points, too few draws"),
        ((0.8,) * 5, (0.8,) * 5, Verdict.NOT_CLEAR, "the same"),
        ((0.80001, 0.80001, 0.80001, 0.80001, 0.80002), (0.8,) * 5, Verdict.BETTER, "+0.001 ± 0.001 points, better"),
    ],
)
def test_a_difference_is_judged_over_the_draws_of_both(now, then, verdict, words):
    assert change(row(DIGITS, *now), row(DIGITS, *then)) == (verdict, words)


def test_a_lower_error_is_better():
    asked = replace(DIGITS, task=SHARE, methods=(SPREAD,))
    low, high = (rows_of(asked, 5, trials(asked, *5 * [mark]))[0] for mark in (0.01, 0.02))
    assert (change(low, high).verdict, change(high, low).verdict) == (Verdict.BETTER, Verdict.WORSE)


@pytest.mark.parametrize(("there", "asked", "known"), [(2, 10, False), (4, 10, False), (5, 10, True), (2, 2, True)])
def test_few_of_many_draws_have_no_interval_and_no_verdict(there, asked, known):
    marks = (0.9, 0.8, 0.85, 0.7, 0.75)[:there]
    found = rows_of(replace(DIGITS, n_train=60), asked, trials(replace(DIGITS, n_train=60), *marks))[0]
    assert found.estimate.mean == pytest.approx(mean_interval(marks).mean)
    assert (found.low > 0, bool(found.values)) == (known, known)
    assert known or change(found, found) == (Verdict.TOO_FEW, "too few draws of both")


def test_without_a_mark_the_page_says_why():
    told = shown(question(), problems={NAIVE: "no noise will do"})
    assert "none of the methods has a mark. Naive: no noise will do." in told.takeaway()
    assert "2 methods are learning" in replace(told, running=True).takeaway()
    assert "there is no mark yet" in replace(told, problems={}).takeaway()
    assert told.main() == ()


def test_where_no_curves_are_shipped_five_draws_of_each_epsilon_are_made_with_the_own_among_them():
    asked = question(replace(DIGITS, dataset="breast_cancer", n_train=40, epsilon=3.0))
    curve = jobs(asked)[-1]
    assert len(curve.tasks) == 5 * len(comparison.study.EPSILONS)
    mine = trials(asked.config, *10 * [0.9])
    other = trials(replace(asked.config, epsilon=1.0), 0.7, 0.8)
    assert [(r.epsilon, r.n_draws) for r in own_curves(asked, other, mine)] == [(1.0, 2), (3.0, 5)]


def test_curves_of_another_setting_say_so():
    unlike = shipped.unlike_yours(replace(DIGITS, task=SHARE, methods=(), share=0.9, bag_size=10))
    assert unlike == " (not your setting: people in a bag 25, yours 10; their share 30.0 %, yours 90.0 %)"
    assert not shipped.unlike_yours(replace(DIGITS, share=0.9))


@pytest.mark.parametrize("changed", [{"share": 0.3001}, {"rho": 0.10000001}, {"epsilon": 1.004}])
def test_settings_that_differ_in_late_digits_differ(changed):
    asked = replace(DIGITS, task=SHARE, methods=())
    (_, here, there), *more = differing(replace(asked, **changed), asked)
    assert here != there
    assert not more
    assert not differing(replace(DIGITS, share=0.4), DIGITS), "nobody is asked about a share"

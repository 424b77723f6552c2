"""The page on bags: words follow the numbers, promises hold only where they may, and the code gives what is shown."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest
import streamlit as st

from pages.kit.draws import Draws
from pages.kit.verdict import Verdict
from pages.topics.label_proportions import FIRST_ORDER, PAGE, curves, filling, noise, shipped, tabs
from pages.topics.label_proportions.answer import Answer, answer, beside_words, compare_words, jobs, threshold_words
from pages.topics.label_proportions.controls import FILLS, PRESETS, Question, _apply
from privdemo.experiments import label_proportions
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig, study
from privdemo.methods import FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES
from privdemo.tasks import BINARY
from tests.pages.visiting import finished, html, takeaway, visit

CONFIG = BagConfig("breast_cancer", 10, 12, "skewed", methods=(FULL, LABELLED, NAMES, LLP))
NOISY = replace(CONFIG, selection="iid", aggregation="random-k", k=4, proportion_epsilon=0.5)
TUMOURS = {"records": "Breast cancer", "bags": "10", "bag_size": "12", "bag_draws": "1", "fill": "skewed"}


@cache
def an_answer(config: BagConfig) -> Answer:
    return Answer(Question(config, 2, SHARE), [label_proportions.run(at_draw(config, i)) for i in range(2)])


@pytest.fixture(params=[CONFIG, NOISY], ids=["plain", "noisy"])
def shown(request) -> Answer:
    return an_answer(request.param)


@pytest.fixture
def plain() -> Answer:
    return an_answer(CONFIG)


def panels_of(shown: Answer):
    """All panels of the page, those of every tab by each of its choices."""
    found = list(shown.main())
    for tab in PAGE.tabs.all:
        asked = [(option,) for option in tab.settings[0].options] if tab.settings else [()]
        found += [panel for choice in asked for panel in tab.panels(shown, *choice)]
    return found


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.TOO_FEW, "Two draws cannot tell which method is better."),
        (Verdict.NOT_CLEAR, "No difference shows between spread and the slides’ model in two draws."),
        (Verdict.BETTER, "In two draws, spread is ahead of the slides’ model by 0.012."),
        (Verdict.WORSE, "In two draws, the slides’ model is ahead of spread by 0.012."),
    ],
)
def test_which_method_is_ahead(verdict, words):
    assert compare_words(verdict, 0.012, "two draws") == words


@pytest.mark.parametrize(
    ("reached", "words"),
    [
        (0.64, "worse than calling everything negative"),
        (0.656, "no better than calling everything negative"),
        (0.664, "no better than calling everything negative"),
        (0.67, "0.190 below full labels (0.860)"),
        (0.87, "0.010 above full labels (0.860)"),
    ],
)
def test_an_f1_beside_full_labels_and_beside_none(reached, words):
    assert beside_words(reached, 0.86, 0.66) == words


def test_more_bags_and_a_turned_gradient_in_words():
    assert [curves.compare_gains(noisy, 0.05).split()[0] for noisy in (0.07, 0.055, 0.03)] == ["more", "much", "less"]
    for turned, words in ((0.0, "not moved at all"), (math.inf, "no direction"), (0.2, "by 20.0 % of its length")):
        assert words in curves.turned_words(turned)


@pytest.mark.parametrize(
    ("config", "asked", "start", "why"),
    [(CONFIG, SHARE, "The threshold", ""), (CONFIG, HALF, "A record", ""), (NOISY, SHARE, "A record", "cannot be")],
)
def test_the_threshold_in_use(config, asked, start, why):
    words = threshold_words(Question(config, 1, asked))
    assert words.startswith(start)
    assert why in words
    assert ("counted off" in words) == bool(why)


def test_the_smallest_epsilon_that_keeps_f1_or_that_none_does():
    row = next(row for row in shipped.all_rows() if row.method == LLP)
    made = [replace(row, proportion_epsilon=e, average=f1) for e, f1 in ((0.1, 0.6), (1, 0.79), (math.inf, 0.8))]
    words = noise.cost_words(made, lambda row: row.proportion_epsilon, False, 12)
    assert "keeps its F1 of 0.800 within 0.02 from <b>ε = 1 a label</b> on; with ε = 0.1 it is 0.600" in words
    made[1] = replace(made[1], average=0.7)
    words = noise.cost_words(made, lambda row: row.proportion_epsilon, True, 12)
    assert "loses more than 0.02 of its F1 of 0.800 <b>even at ε = 1</b>" in words


@pytest.mark.parametrize(
    ("how", "label_holds", "column_holds"),
    [
        ({"selection": "iid"}, True, True),
        ({"selection": "iid", "aggregation": "random-k", "k": 4}, True, True),
        ({"selection": "iid", "aggregation": "nearest-k", "k": 4}, True, False),  # looks at records, but at no label
        ({"selection": "iid", "aggregation": "k-tree", "k": 4}, False, False),
        ({"selection": "even"}, False, False),
    ],
)
def test_noise_promises_nothing_where_what_it_protects_chose_the_bags_or_groups(plain, how, label_holds, column_holds):
    config = replace(CONFIG, feature_epsilon=1.0, proportion_epsilon=0.2, **how)
    cards = noise.promises(replace(plain, question=Question(config, 1, HALF)))
    assert [title for title, _, _ in cards] == [
        "One column" + ("" if column_holds else ": no promise"),
        "One label" + ("" if label_holds else ": no promise"),
        "A whole record" + ("" if column_holds else ": no promise"),
    ]
    assert cards[0][1] == "ε = 1" + ("" if column_holds else " does not hold")
    assert cards[2][1].startswith(f"ε = {label_proportions.record_epsilon(config)[1]:.3g}")


def test_without_noise_nothing_is_promised_of_a_record(plain):
    ((title, number, words),) = noise.promises(replace(plain, question=Question(CONFIG, 1, HALF)))
    assert (title, number) == ("A whole record", "ε = ∞")
    assert words.startswith("Without noise on columns and proportions nothing bounds")


def test_what_is_shown_is_what_the_package_computes(shown):
    summary, sentence = shown.main()[0].summary, shown.takeaway()
    best = max((NAMES, LLP), key=lambda name: shown.score(name).mean)
    assert f"<b>{shown.score(best).mean:.3f}</b> ± " in sentence
    assert "2 draws cannot tell" in sentence
    for name in shown.methods:
        f1 = label_proportions.mean_score(shown.trials, name, "average", shown.question.threshold)
        assert f"{LABEL_PROPORTIONS[name].title} {f1.mean:.3f} ({max(0, f1.low):.3f}–{min(1, f1.high):.3f})" in summary
    attack = label_proportions.attack_rates(shown.trials)
    assert f"<b>{100 * attack['both'].mean:.1f} %</b>" in tabs.the_adversary(shown)[0].answer
    exposed = f"<b>{shown.trials[0].attack.exposed:,} of {shown.trials[0].attack.n:,} tumours are in bags of one label"
    assert (exposed in tabs.the_bags(shown)[0].answer) == (shown.trials[0].least_labels[0] < 2)


def test_every_figure_has_rows_and_code_that_runs(shown, monkeypatch):
    known = {trial.config: trial for trial in shown.trials}  # so the code makes the very configs of the page
    monkeypatch.setattr(label_proportions, "run", known.__getitem__)
    codes = {}
    for panel in panels_of(shown):
        if panel.name != "bag-promises":
            assert panel.rows()
            assert panel.summary
            codes[str(panel.snippet)] = panel.name
    for code, name in codes.items():
        printed: list = []
        scope = {"print": lambda *words, to=printed: to.append(words)}
        exec(code, scope)
        assert printed, name
        if name == "bag-scores":
            assert dict(printed)[LLP] == shown.score(LLP)


def test_a_method_and_a_bag_less_are_said(plain):
    trial = replace(plain.trials[0], fits={FULL: plain.trials[0].fits[FULL]}, identified=False)
    alone = replace(plain, trials=[trial])
    assert alone.takeaway().endswith(f"With every label known, F1 is <b>{alone.score(FULL).mean:.3f}</b>.")
    assert "none of the models" in tabs.the_adversary(alone)[0].answer
    same = replace(plain, trials=[replace(plain.trials[0], identified=False)])
    assert same.takeaway().endswith("nothing tells the classes apart.")


def test_curves_say_what_the_shipped_results_say(plain):
    of = study.select(study.load(), study.BY_K, "breast_cancer", HALF)
    at = {(row.k, row.method): row.average for row in of if row.aggregation == "random-k" or row.k == 1}
    fall = at[1, LLP] - at[max(k for k, _ in at), LLP]
    assert f"falls by <b>{fall:.3f}</b> for the slides’ model" in curves.k_anonymity(plain, "random-k")[0].answer
    adult = {(r.selection, r.method): r for r in study.select(study.load(), study.SELECTING, "adult", SHARE)}
    best, tables = filling.panels(plain)
    assert f"<b>{adult['balanced', LLP].average:.3f}</b> with balanced ones" in best.answer
    assert "<td>0.81</td>" in tables.figure.html


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("dataset", ["adult", "sms", "mnist", "digits"])
def test_curves_are_there_for_every_data_set(plain, dataset):
    other = replace(plain, question=replace(plain.question, config=replace(plain.question.config, dataset=dataset)))
    for made in (curves.k_anonymity(other, "k-tree"), curves.number_of_bags(other), filling.panels(other)):
        assert all(panel.rows() for panel in made)
    for option in noise.NOISY.options:
        assert BINARY["mnist" if dataset == "digits" else dataset].title in noise.panels(other, option)[0].summary


@pytest.mark.usefixtures("data_folder")
def test_a_preset_sets_what_it_says(monkeypatch):
    for name, (fill, means, k, columns, proportions) in PRESETS.items():
        state: dict = {}
        monkeypatch.setattr(st, "session_state", state)
        _apply(name)
        noisy = ["Laplace" if epsilon else "none" for epsilon in (columns, proportions)]
        assert [state[key] for key in ("records", "means", "column_noise", "proportion_noise")] == [
            "Adult",
            means,
            *noisy,
        ]
        assert FILLS[state["fill"]] == fill
        assert state["positive_if"] == "½"
        later = next(value for key, value in state.items() if isinstance(value, dict))
        assert (later["bags"], later["bag_size"], later["k"]) == (100, 100, k if k > 1 else 5)
        assert (later["column_epsilon"], later["proportion_epsilon"]) == (columns or 1.0, proportions or 0.2)


def test_there_is_no_answer_before_the_first_trial():
    question = Question(CONFIG, 1, SHARE)
    assert answer(question, Draws(results=((),))) is None
    assert jobs(question)[0].first is not None
    assert list(PAGE.folds(question, None))[1] == FIRST_ORDER


def test_a_visit_answers_and_a_change_shows():
    at = finished(visit(PAGE.address, **TUMOURS))
    assert "Of 10 bags of 12 tumours" in takeaway(at)
    assert "so no interval is known" in html(at)
    at.button_group(key="look_into").set_value("noise").run()
    at.button_group(key="means").set_value("nearest-k").run()
    at.button_group(key="proportion_noise").set_value("Laplace").run()
    at.number_input(key="proportion_epsilon_scale").set_value(0.25).run()
    assert at.number_input(key="proportion_epsilon").value == pytest.approx(1 / (12 * 0.25))  # b = 1/(m ε)
    assert "the means of 5 or more records" in takeaway(finished(at))
    at.button_group(key="train_by").set_value(["mean map"]).run()
    assert f"by {LABEL_PROPORTIONS[MEAN_MAP].title}" in takeaway(finished(at))


def test_hard_settings_get_a_sentence():
    at = visit(PAGE.address, **TUMOURS | {"means": "k-tree", "bag_size": "3"})
    assert "Nothing can be learnt here. K must be at most 1, half a bag" in takeaway(at)
    at = visit(PAGE.address, **TUMOURS | {"bags": "15", "bag_size": "20", "fill": "balanced"})
    assert "“balanced” needs at least 8 records" in takeaway(at)

"""The page on bags: words follow the numbers, promises hold only where they may, and the code gives what is shown."""

import math
import re
from dataclasses import replace
from functools import cache

import pytest

from pages.kit import more
from pages.topics.label_proportions import PAGE, chapters, curves, noise, shipped
from pages.topics.label_proportions.answer import (
    Answer,
    _known,
    _some_bags,
    beside_words,
    compare_words,
    threshold_words,
)
from pages.topics.label_proportions.question import Question
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig
from privdemo.experiments.trials import with_trial
from privdemo.methods import FULL, LABEL_PROPORTIONS, LLP, NAMES
from privdemo.tasks import BINARY, binary_task
from privdemo.verdict import Verdict
from tests.pages.visiting import finished, first_visit, takeaway, visit

OURS, THEIRS = f"“{LABEL_PROPORTIONS[NAMES].title}”", f"“{LABEL_PROPORTIONS[LLP].title}”"
MALIGNANT = binary_task("breast_cancer")
CONFIG = BagConfig("breast_cancer", 10, 12, "skewed", methods=(FULL, NAMES, LLP))
NOISY = replace(CONFIG, selection="iid", aggregation="random-k", k=4, proportion_epsilon=0.5)


@cache
def an_answer(config: BagConfig) -> Answer:
    return Answer(Question(config, 2, SHARE), [label_proportions.run(with_trial(config, i)) for i in range(2)])


def answer_of(config: BagConfig) -> Answer:
    """The question of `config` with the trials of another."""
    return replace(an_answer(CONFIG), question=Question(config, 2, HALF))


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (
            compare_words(Verdict.TOO_FEW, NAMES, LLP, "two trials"),
            f" Two trials cannot tell whether {OURS} or {THEIRS}",
        ),
        (
            compare_words(Verdict.BETTER, NAMES, LLP, ""),
            f" Trial by trial, {OURS} has a clearly better F1 than {THEIRS}",
        ),
        (compare_words(Verdict.NOT_CLEAR, NAMES, LLP, ""), f" {OURS} and {THEIRS} are statistically tied in F1"),
        (
            beside_words(MALIGNANT, 0.64, 0.86, 0.66),
            "told the diagnosis, a computer is right for <b>86</b>, and always saying “benign” is right for 66, more",
        ),
        (
            beside_words(MALIGNANT, 0.66, 0.86, 0.66),
            "told the diagnosis, a computer is right for <b>86</b>, and always saying “benign” is right as often,",
        ),
        (
            beside_words(MALIGNANT, 0.8, 0.86, 0.66),
            "that is between 66 (always saying “benign”) and 86 (told the diagnosis)",
        ),
        (curves.compare_gains(0.07, 0.05), "the noise of many bags averages out"),
        (curves.compare_gains(0.03, 0.05), "this much noise is too much"),
        (curves.gradient_words(math.inf), "In your own trials all shares are ½"),
        (threshold_words(Question(NOISY, 1, SHARE)).partition("cannot be")[2], " counted off"),
    ],
)
def test_words_follow_the_numbers(words, start):
    assert words.startswith(start)


def test_the_smallest_epsilon_that_keeps_f1_or_that_none_does():
    row = next(row for row in shipped.all_rows() if row.method == LLP)
    made = [replace(row, proportion_epsilon=e, average=f1) for e, f1 in ((0.1, 0.6), (1, 0.79), (math.inf, 0.8))]
    words = noise.cost_words(made, lambda row: row.proportion_epsilon, False, 12, MALIGNANT)
    lowers = f"that lowers the F1 score of {THEIRS} by"
    assert f"<b>With ε of 1 or more</b> {lowers} less than 0.02, from 0.800 without noise; with ε = 0.1 it is" in words
    made[:2] = replace(made[0], positive=0.0), replace(made[1], average=0.7)
    words = noise.cost_words(made, lambda row: row.proportion_epsilon, True, 12, MALIGNANT)
    assert f"<b>Even with ε = 1</b> {lowers} more than 0.02" in words
    assert (
        "it is 0.600, which calling all tumours “benign” reaches too. For the same ε averages of more tumours need"
        in words
    )


@pytest.mark.parametrize(
    ("selection", "means", "k", "label_holds", "column_holds"),
    [
        ("iid", "none", 1, True, True),
        ("iid", "nearest-k", 4, True, False),  # it looks at records, but at no label
        ("iid", "k-tree", 4, False, False),
        ("even", "none", 1, False, False),
    ],
)
def test_no_promise_where_what_it_protects_chose_the_bags_or_groups(selection, means, k, label_holds, column_holds):
    noisy = replace(CONFIG, selection=selection, aggregation=means, k=k, feature_epsilon=1.0, proportion_epsilon=0.2)
    whole = f"ε = {label_proportions.record_epsilon(noisy)[1]:.3g}"
    promised = ("One column", "ε = 1", column_holds), ("One label", "ε = 0.2", label_holds)
    assert [(title, number) for title, number, _ in noise.promises(answer_of(noisy))] == [
        (title, epsilon) if holds else (f"{title}: no promise", f"{epsilon} does not hold")
        for title, epsilon, holds in (*promised, ("A whole record", whole, column_holds))
    ]


@pytest.mark.parametrize("config", [CONFIG, NOISY], ids=["plain", "noisy"])
def test_what_is_shown_is_what_the_package_computes_and_the_code_repeats_it(config, monkeypatch):
    shown = an_answer(config)
    known = {trial.config: trial for trial in shown.trials}  # so the code makes the very configs of the page
    monkeypatch.setattr(label_proportions, "run", known.__getitem__)
    best = max(shown.accuracy(name).mean for name in (NAMES, LLP))
    right = f"<b>{100 * best:.0f} of 100</b>"
    assert f"The best of 2 methods is right for {right} new tumours; that is between" in shown.takeaway()
    ((scores, bag),) = shown.main()
    assert "2 trials cannot tell" in scores.summary
    assert scores.prediction.truth == 100 * best
    negative = 1 - sum(trial.test_share for trial in shown.trials) / len(shown.trials)
    assert scores.prediction.known == [
        (50, "right", "tossing a coin gets"),
        (pytest.approx(100 * negative), "right", "always saying “benign” gets"),
    ]
    trial = shown.trials[0]
    positive = round(float(trial.true_proportions[0]) * trial.sizes[0])
    assert f"knows that {positive} of its {trial.sizes[0]:.0f} tumours are malignant" in bag.summary
    percent = f"{100 * trial.proportions[0]:.1f}".removesuffix(".0")
    assert f"What the computer is told: <b>{percent} %</b> of this group are malignant" in bag.figure.html
    covered = scores.prediction.covered.html
    told = [f"{100 * share:.1f}".removesuffix(".0") for share in trial.proportions[:4]]
    assert re.findall("<figure><div><b>(.*?) %</b>", covered) == told
    assert "and 6 more groups" in covered
    is_noisy = math.isfinite(config.proportion_epsilon)
    assert ("malignant (with noise)" in bag.figure.html) == is_noisy
    assert ("Which ones, and how many exactly, are hidden" in bag.figure.html) == is_noisy
    assert f"{positive} of its {trial.sizes[0]:.0f} tumours are malignant" in bag.figure.html
    averages = f"{len(trial.blocks[0])} averages of 4 or more records without labels"
    sent = averages if config.k > 1 else "measurements without a diagnosis"
    noisy = ", with noise" if math.isfinite(config.feature_epsilon) else ""
    assert (f", and {sent}{noisy}<" in bag.figure.html) == (config.k > 1 or bool(noisy)), "the sentence says the rest"
    for name in shown.methods:
        assert f"{LABEL_PROPORTIONS[name].title} {100 * shown.accuracy(name).mean:.1f} % (" in scores.summary
        assert f"{LABEL_PROPORTIONS[name].title} {shown.score(name).mean:.3f} (" in scores.summary
    both = label_proportions.attack_rates(shown.trials)["both"].mean
    attack, guesses = chapters.the_adversary(shown)
    assert f"right for <b>{100 * both:.3g} of 100</b>" in attack.answer
    assert [row[0] for row in guesses.figure.cells] == [str(guess["bag"]) for guess in guesses.rows()]
    panels = (
        panel
        for chapter in PAGE.chapters.all
        for some in chapter.panels(shown, *(setting.options[0] for setting in chapter.settings))
        for panel in (some if isinstance(some, tuple) else (some,))
    )
    for panel in (panel for panel in panels if panel.rows):
        printed: list = []
        exec(str(panel.snippet), {"print": lambda *words, to=printed: to.append(words)})
        assert printed, panel.name
        assert panel.name != "bag-scores" or (LLP, shown.score(LLP)) in printed


def test_a_visit_answers_a_change_shows_and_hard_settings_get_a_sentence():
    at = finished(visit(PAGE.address, records="Breast cancer", bags="10", bag_size="12", bag_draws="1", fill="skewed"))
    assert "10 groups of 12 tumours" in takeaway(at)
    at.button_group(key="proportion_noise").set_value("Laplace").run()
    at.number_input(key="proportion_epsilon_scale").set_value(0.25).run()
    assert at.number_input(key="proportion_epsilon").value == pytest.approx(1 / (12 * 0.25))  # b = 1/(m ε)
    at.button_group(key="means").set_value("k-tree").run()
    at.number_input(key="bag_size").set_value(3).run()
    assert "Nothing can be learned here. K must be at most 1, half a bag" in takeaway(at)


def test_the_slider_splits_the_same_records_into_other_bags():
    at = finished(visit(PAGE.address, records="Breast cancer", bags="10", bag_size="12", bag_draws="1"))
    between = ["3", "4", "5", "6", "8", "10", "12", "15", "20", "24", "30", "40"]
    sizes = ["more accurate (2 per bag)", *between, "more private (60 per bag)"]
    for size, bags in ((60, 2), (15, 8), (12, 10)):
        at.select_slider(key="bag_size_slide").set_value(size).run()
        assert [at.number_input(key=key).value for key in ("bags", "bag_size")] == [bags, size]
        slider = at.select_slider(key="bag_size_slide")
        assert (slider.options, slider.value) == (sizes, size)
        assert slider.label.startswith("Tumours per bag, of 120 in all")
    at.number_input(key="bags").set_value(11).run()  # other bags: other records in all, and other stops
    between = ["3", "4", "6", "11", "12", "22", "33", "44"]
    stops = ["more accurate (2 per bag)", *between, "more private (66 per bag)"]
    assert at.select_slider(key="bag_size_slide").options == stops
    at.number_input(key="bag_size").set_value(11).run()
    assert not at.select_slider, "121 records make bags of 11 alone"


@pytest.mark.parametrize(
    ("always", "marks"),
    [
        (50.4, ["always saying “no” gets"]),
        (76, ["tossing a coin gets", "always saying “no” gets"]),
    ],
)
def test_two_marks_of_what_is_right_without_learning_are_not_one_over_the_other(always, marks):
    assert [known.before for known in _known(always, BINARY["adult"])] == marks


def test_a_group_of_people_is_shown_with_their_details_only_where_these_are_sent_on():
    """And only of the groups in which these people are, which other bags and seeds do not have."""
    shown = Answer(
        Question(BagConfig("adult"), 1, SHARE), [replace(an_answer(CONFIG).trials[0], config=BagConfig("adult"))]
    )
    people = _some_bags(shown).html
    assert people.count("income: hidden") == 2
    assert people.count("over $50,000: yes or no?") == 3
    assert re.search(r"<b>[\d.]+ %</b> of this group earn over \$50,000 a year<div", people)
    others = [
        {"selection": "skewed"},
        {"aggregation": "random-k", "k": 10},
        {"feature_epsilon": 1.0},
        {"seed": 2},
        {"bag_size": 10},
        {"n_bags": 20},
    ]
    for other in others:
        changed = replace(shown, question=Question(BagConfig("adult", **other), 1, SHARE))
        covered = _some_bags(changed).html
        assert "income: hidden" not in covered
        assert "what percentage earn over $50,000 a year" in covered


def test_one_trial_alone_gives_no_verdict():
    shown = an_answer(CONFIG)
    assert shown.takeaway().startswith("<b>")
    assert replace(shown, trials=shown.trials[:1]).takeaway().startswith("A computer learns from")


def test_a_screen_that_asks_for_a_guess_becomes_a_slide_that_asks_for_it():
    for visited, shown in ((first_visit, ("guess", "figure")), (visit, ("takeaway", "figure"))):
        at = visited(PAGE.address)
        at.session_state[more.MENU] = True
        at.run()
        at.button(key="add-screen").click().run()
        assert at.session_state[more.OWN].steps[-1].show == shown

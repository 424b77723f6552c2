"""The page "Which method, at which privacy?" through AppTest: defaults, changes, links, goals and pins."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import comparison_controls, comparison_lessons, comparison_panels, live, settings
from privdemo import datasets
from privdemo.experiments import comparison
from privdemo.experiments.comparison import SHARE, ComparisonConfig
from privdemo.experiments.draws import at_draw
from privdemo.methods import BAG_NAMES, COMPARISON, CORRECTED_COUNT, COUNT_NAIVE, SPREAD, set_names
from tests import visiting
from tests.visiting import answers, takeaway, warnings

PAGE = "pages/comparison.py"
SMALL = {"compare_on": "Small digits"}
DIGITS = ComparisonConfig(dataset="digits", n_train=120)


def opened(**link) -> AppTest:
    at = visiting.opened(PAGE, **(SMALL | link))
    deadline = time.monotonic() + 90
    while " learning</b>" in takeaway(at) and time.monotonic() < deadline:
        time.sleep(0.3)
        at.run()
    return at


def summaries(at: AppTest) -> str:
    return "\n".join(re.findall(r'<p class="summary">(.*?)</p>', visiting.html(at), re.DOTALL))


def shipped(config: ComparisonConfig, method: str, metric: str) -> comparison.study.Row:
    rows = comparison.study.select(comparison.study.load(), config, metric)
    return next(row for row in rows if (row.method, row.epsilon) == (method, config.epsilon))


@pytest.mark.usefixtures("data_folder")
def test_the_first_view_is_shipped_and_says_what_each_trust_costs():
    at = visiting.opened(PAGE)
    names = ("clean", "naive", SPREAD, "bag names", "llp")
    rows = {name: shipped(ComparisonConfig(), name, "accuracy") for name in names}
    marks = {name: row.mean for name, row in rows.items()}
    local, owner = max(("naive", SPREAD), key=marks.get), max(("bag names", "llp"), key=marks.get)
    for name, whom in ((local, "nobody"), (owner, "a bag owner")):
        half = 100 * max(rows[name].high - marks[name], marks[name] - rows[name].low)
        mark = f"<b>{100 * marks[name]:.1f} ± {half:.1f} %</b> trusting {whom} ({COMPARISON[name].title})"
        assert mark in takeaway(at)
    assert f"with all true labels {100 * marks['clean']:.1f} %" in takeaway(at)
    assert "trusting a publisher" not in takeaway(at)
    assert "covers the counts alone" in summaries(at)
    assert "Equal ε under unequal trust is not equal privacy." in takeaway(at)
    assert not warnings(at)
    scope: dict = {"print": lambda *_: None}
    lines = at.code[0].value.replace("range(10)", "range(2)")
    exec(lines, scope)
    assert scope["draws"][0].fits[SPREAD].marks["accuracy"] == pytest.approx(marks[SPREAD], abs=0.1)


def test_a_setting_of_ones_own_is_computed_on_top():
    at = opened(people="30", label_epsilon="2", compare_draws="2", show=["spread on lies", "naive"])
    config = replace(DIGITS, n_train=30, epsilon=2.0, methods=("naive", SPREAD), bag_size=25)
    draws = [comparison.run(at_draw(config, i)) for i in range(2)]
    best = max(comparison.mean_mark(draws, name, "accuracy").mean for name in ("naive", SPREAD))
    assert f"<b>{100 * best:.1f} ± " in takeaway(at)
    assert "Large marks: your setting, 30 people of each class, 2 draws." in summaries(at)
    assert "Shipped means over 10 draws of 120 people of each class" in summaries(at)


def test_a_share_is_judged_by_its_error():
    at = opened(task="find a share")
    local = (COUNT_NAIVE, CORRECTED_COUNT, SPREAD)
    error = min(shipped(replace(DIGITS, task=SHARE), name, "error").mean for name in local)
    assert "the share of “9” is off by" in takeaway(at)
    assert f"is off by <b>{100 * error:.1f} ± " in takeaway(at)
    assert "For a share off by at most 3 points" in answers(at)[0]


@pytest.mark.parametrize("goal", [60.0, 99.99])
def test_goal_seek_finds_the_least_epsilon_or_says_that_none_does(goal):
    at = opened(goal=f"{goal}")
    rows = comparison.study.select(comparison.study.load(), DIGITS, "accuracy")
    found = comparison.study.seek(rows, goal / 100, comparison_controls.TRUSTED.default)
    if found is None:
        assert "<b>none here does</b>" in answers(at)[0]
        assert "The best is" in answers(at)[0]
    else:
        assert f"<b>ε = {found.epsilon:g}</b> by {COMPARISON[found.method].title}" in answers(at)[0]


def test_fewer_may_be_trusted():
    at = opened(goal="60", trusting="nobody")
    assert "trusting nobody, with 120 people of each class in 10 draws: " in answers(at)[0]
    assert "covers the counts alone" not in answers(at)[0]
    assert "trusting a bag owner" not in takeaway(at)
    at = opened(goal="60", trusting=["nobody", "a publisher"])
    assert "covers the counts alone" in takeaway(at)
    assert "trusting a publisher" in takeaway(at)
    assert "its whole interval" in visiting.html(at)


def test_curves_of_another_setting_say_so():
    """A goal sought along shipped curves is not the visitor's own where ρ, the bags or the share asked for differ."""
    at = opened(task="find a share", true_share="0.9", asked_about="60", set_rho="0.3", people_in_bag="10", off_by="4")
    unlike = (
        "not your setting: people in a bag 25, yours 10; ρ of the sets 0.1, yours 0.3; people asked about 500, "
        "yours 60; their share 30.0 %, yours 90.0 %"
    )
    assert unlike in answers(at)[0]
    assert unlike in summaries(at)
    same = opened(task="find a share", off_by="4")
    assert "not your setting" not in answers(same)[0] + summaries(same)
    # who is asked for a share says nothing of single records
    assert "not your setting" not in summaries(opened(true_share="0.9"))


def test_epsilon_and_the_lie_follow_each_other(monkeypatch):
    monkeypatch.setattr(settings, "ECHO", 0.0)  # nobody types as fast as a test
    at = opened()
    at.number_input(key="compare_p").set_value(0.1192).run()
    assert at.number_input(key="label_epsilon").value == pytest.approx(2.0, abs=1e-3)
    at.number_input(key="label_epsilon").set_value(1.0).run()
    assert at.number_input(key="compare_p").value == pytest.approx(0.26894, abs=1e-5)


@pytest.mark.parametrize("lesson", comparison_controls.LESSONS)
@pytest.mark.parametrize("task", comparison_controls.TASK_TITLES)
def test_every_lesson_has_an_answer(lesson, task):
    at = opened(compare_look=lesson, task=task)
    assert len(answers(at)) == 1
    if lesson == comparison_controls.ONE:
        assert "T[answer | class]" in answers(at)[0]
        assert len(at.get("page_link")) == 3
    elif lesson == comparison_controls.NUMBERS:
        table = at.dataframe[0].value
        assert set(table["trusts"]) == {"no privacy", "nobody", "a bag owner", "a publisher"}
        metric = next(iter(comparison.METRICS[comparison_controls.TASK_TITLES[task]]))
        mine = shipped(replace(DIGITS, task=comparison_controls.TASK_TITLES[task]), SPREAD, metric)
        row = table[table["method"] == "spread on lies"].iloc[0]
        head = {"accuracy": "accuracy (%)", "error": "error (points)"}[metric]
        assert row[head] == pytest.approx(100 * mine.mean, abs=1e-3)


def test_a_pin_holds_the_whole_setting():
    config = replace(DIGITS, epsilon=1 / 3, rho=0.2, bag_size=10, delta=0.01, share=0.7, n_asked=90, seed=4)
    assert comparison_controls.decode(comparison_controls.encode(config)) == config
    assert "covers the counts alone" in summaries(opened())
    assert "covers the counts alone" not in takeaway(opened())
    trusted = {"trusting": ["nobody", "a publisher"]}
    assert "a lie with ε = 2.94 may (it is right for 85.0–95.0 %)" in takeaway(opened(**trusted))
    assert "covers the counts alone" not in takeaway(opened(show="naive", **trusted))
    with pytest.raises(ValueError, match="it is no pinned setting"):
        comparison_controls.decode("classify,digits,labels,120,1,0,magic=3")


def test_a_pinned_setting_is_compared_in_words():
    at = opened(compare_look="against a pin")
    assert "Nothing is pinned" in answers(at)[0]
    at.button(key="pin-it").click().run()
    assert at.text_input(key="pin").value == "classify,digits,labels,120,1,0"
    at.number_input(key="label_epsilon").set_value(0.25).run()
    now, then = (shipped(replace(DIGITS, epsilon=e), SPREAD, "accuracy") for e in (0.25, 1.0))
    grid = visiting.html(at).replace("\u00a0", " ")
    assert "spread on lies" in grid
    gap = comparison.study.difference(now, then)
    half = 100 * (gap.high - gap.mean)
    worse = f"{100 * (now.mean - then.mean):+.1f} ± {half:.1f} points, worse".replace("-", "−")
    assert gap.high < 0
    assert worse in grid
    assert "What differs: ε 0.25 (pinned 1). Of " in answers(at)[0]
    assert f"spread on lies {worse}" in answers(at)[0]
    assert "the same" in grid, "true labels have no ε"
    code = next(block.value for block in at.code if "then = config" in block.value)
    told: list = []
    quick = re.sub(r"methods=\([^)]*\)", "methods=('naive',)", code.replace("range(10)", "range(2)"))
    exec(quick, {"print": lambda *words: told.append(words)})  # the page's own lines, with less to do
    assert [method for method, _ in told] == ["naive"]
    assert abs(told[0][1].mean) < 0.2
    at.button_group(key="task").set_value("find a share").run()
    assert "The pinned setting is of the other task" in answers(at)[0]
    at.button(key="unpin").click().run()
    assert "Nothing is pinned" in answers(at)[0]


def test_no_noise_for_sets_is_no_trouble():
    at = opened(counts_delta="0", compare_look="one likelihood", compare_draws="2", show="naive")
    assert "lies, 2 answers; bag names" in summaries(at)


def test_without_shipped_numbers_the_one_likelihood_is_compared_by_ones_own_draws():
    at = opened(
        compare_on="Breast cancer", people="40", compare_look="one likelihood", compare_draws="3",
        show=["naive", "spread on lies"],
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while "after" in takeaway(at):
        assert time.monotonic() < deadline
        time.sleep(0.3)
        at.run()
    config = ComparisonConfig(dataset="breast_cancer", n_train=40, methods=("naive", SPREAD))
    draws = [comparison.run(at_draw(config, i)) for i in range(3)]
    for name in ("naive", SPREAD):
        assert f"{comparison.mean_mark(draws, name, 'log_loss').mean:.3f} ± " in visiting.html(at)
    assert ">of your setting<" in visiting.html(at)
    assert "Of the 1, the one likelihood is" in summaries(at)
    told: list = []
    exec(next(code.value for code in at.code if "for task, metric" in code.value), {"print": lambda *w: told.append(w)})
    gap = comparison.study.difference(*(
        next(r for r in comparison.study.rows(m for d in draws for m in comparison.study.trial_marks(d))
             if (r.method, r.metric) == (name, "log_loss"))
        for name in (SPREAD, "naive")
    ))  # fmt: skip
    assert told == [(SPREAD, gap)]
    none = opened(
        compare_on="Breast cancer", people="40", compare_look="one likelihood", compare_draws="2", show=["naive"]
    )
    assert "No numbers are shipped for these records" in "".join(text.value for text in none.markdown)


def test_shipped_numbers_of_the_one_likelihood_are_at_the_visitors_epsilon():
    at = opened(compare_look="one likelihood", label_epsilon="4")
    assert ">of your setting<" in visiting.html(at)
    row = shipped(replace(DIGITS, task=SHARE, epsilon=4.0), set_names("gaussian"), "error")
    assert f"{100 * row.mean:.1f} ± " in visiting.html(at)
    assert "shipped, 120 people of each class, ε = 4" in visiting.html(at)


def test_settings_that_differ_in_late_digits_differ():
    for change in ({"share": 0.3001}, {"rho": 0.10000001}, {"epsilon": 1.004}):
        parts = comparison_panels.differing(replace(DIGITS, task="share", **change), replace(DIGITS, task="share"))
        assert len(parts) == 1
        assert parts[0][1] != parts[0][2]
    assert not comparison_panels.differing(replace(DIGITS, share=0.4), DIGITS), "nobody is asked about a share"


def test_a_pin_of_the_same_setting_counts_no_draw_twice():
    setting = {"people": "40", "compare_draws": "3", "show": "naive", "compare_look": "against a pin"}
    at = opened(pin="classify,digits,labels,40,1,0", **setting)
    deadline = time.monotonic() + 60
    while "The draws" in answers(at)[0] or "after" in takeaway(at):
        assert time.monotonic() < deadline, answers(at)
        time.sleep(0.3)
        at.run()
    assert "Nothing differs: this is the pinned setting." in answers(at)[0]
    assert "40 people of each class, 3 draws." in summaries(at)
    assert "the same" in visiting.html(at)


def test_a_pin_without_the_methods_on_screen_says_so():
    flat = COMPARISON["spread flat"].title
    at = opened(
        private="images too", show=flat, pin="classify,digits,labels,120,1,0", compare_look="against a pin",
        compare_draws="2",
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not answers(at):
        assert time.monotonic() < deadline
        time.sleep(0.3)
        at.run()
    assert "None of the methods that are shown says anything of the pinned setting" in answers(at)[0]


def test_where_no_noise_meets_the_promise_the_page_says_so_and_waits_for_nothing():
    only = COMPARISON["set names dirichlet"].title
    at = opened(label_epsilon="0.05", show=only, compare_look="all numbers", compare_draws="2")
    deadline = time.monotonic() + 60
    while "is learning" in takeaway(at):
        assert time.monotonic() < deadline
        time.sleep(0.3)
        at.run()
    assert "none of the methods has a mark. " in takeaway(at)
    assert "No draw is there yet" not in takeaway(at)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("label_epsilon", "0", "it must be in [0.05, 8]. The default, 1, is shown."),
        ("people", "500", "it must be a whole number in [20, 120]"),
        (
            "task",
            "guess",
            "it must be one of “tell records apart”, “find a share”. The default, tell records apart, is shown.",
        ),
        ("pin", "nonsense", "it does not read as a pinned setting; pin one anew. All else is shown"),
        ("pin", "classify,digits,labels,5,1,0", "n_train must be"),
        ("pin", "classify,digits,labels,100000,1,0", "people of each class"),
        ("pin", "classify,digits,labels,120,0.001,0", "epsilon must be in [0.05, 8]"),
        ("pin", "classify,digits,labels,120,20,0", "epsilon must be in [0.05, 8]"),
        ("pin", "classify,digits,labels,120,1,0,bag_size=100000", "bag_size must be"),
        ("pin", "classify,digits,labels,120,1,0,delta=0.9", "delta must be"),
        ("nonsense", "1", "this page has no such setting"),
    ],
)
def test_a_bad_value_in_a_link_is_ignored_with_a_note(key, value, sentence):
    at = opened(**{key: value})
    assert sentence in warnings(at)
    assert takeaway(at)


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"people": "20", "people_in_bag": "25"}, "Bag size must be a whole number in [2, 20]"),
        ({"show": "lies, counted"}, "None of the methods that are chosen under “More settings” can do this"),
    ],
)
def test_settings_that_do_not_go_together_get_a_sentence(link, words):
    assert words in takeaway(opened(**link))


def test_a_link_with_a_job_that_is_not_there_says_so_and_shows_its_settings():
    setting = {"people": "30", "label_epsilon": "2.3", "compare_draws": "2", "show": ["spread on lies", "naive"]}
    config = replace(DIGITS, n_train=30, epsilon=2.3, methods=("naive", SPREAD), bag_size=25)
    jobs = [live.Job(("compare", config, half), "Draw", comparison.run, []) for half in range(2)]
    forgotten = opened(**setting, job=live.job_id(jobs))
    assert f"`job={live.job_id(jobs)}` has ended, and what it made is no longer kept" in warnings(forgotten)
    other = opened(**setting, job="0123456789ab")
    assert "`job=0123456789ab` was ignored: this link’s settings have draws of their own" in warnings(other)
    found = opened(**setting, job=live.job_id(jobs))
    assert not warnings(found)
    wrong = opened(**setting, job="1 OR 1=1")
    assert "`job=1 OR 1=1` was ignored: the id of a job is 12 digits from 0 to f" in warnings(wrong)
    for at in (forgotten, other, found, wrong):
        assert "Large marks: your setting, 30 people of each class, 2 draws." in summaries(at)


def test_the_same_draws_have_the_same_job_others_have_another_and_ones_own_records_none():
    def of(config):
        return live.job_id([live.Job(("compare", config, half), "Draw", comparison.run, []) for half in range(2)])

    assert of(DIGITS) == of(replace(DIGITS))
    assert len({of(DIGITS), of(replace(DIGITS, seed=8)), of(replace(DIGITS, epsilon=1.0000001))}) == 3
    assert of(replace(DIGITS, dataset=datasets.load("digits").one_against_rest("9"))) == ""


@pytest.mark.parametrize(("n_draws", "judged"), [(2, False), (4, False), (5, True)])
def test_few_of_many_draws_are_not_judged_yet(n_draws, judged):
    config = replace(DIGITS, n_train=60, epsilon=4.0, methods=("naive", SPREAD), bag_size=25)
    draws = [comparison.run(at_draw(config, i)) for i in range(n_draws)]
    question = comparison_controls.Question(config, 10, "accuracy", ("naive", SPREAD), None, (), None)
    rows = comparison_panels._rows(comparison.study.load(), question, config, draws)
    row, other = ({r.method: r for r in rows if r.metric == "accuracy"}[name] for name in (SPREAD, "naive"))
    assert ("±" in comparison_panels.marked("accuracy", row.estimate)) == judged
    assert (comparison_lessons.changed(row, other) != "too few draws of both") == judged


def test_a_clear_difference_never_reads_as_none():
    row = shipped(DIGITS, SPREAD, "log_loss")
    values = [0.0450 + i * 1e-4 for i in range(10)]
    one, other = (
        replace(row, by_draw=" ".join(f"{v + more:.6f}" for v in values), n_draws=10) for more in (0.0001, 0.0)
    )
    assert comparison_lessons.changed(one, other) == "+0.0001 ± 0.0000, worse"
    assert comparison_lessons.changed(other, one) == "−0.0001 ± 0.0000, better"


def test_one_likelihood_never_takes_the_two_of_a_pair_from_two_settings():
    """With one method of the pair hidden, both are the shipped ones."""
    at = opened(
        compare_look="one likelihood", label_epsilon="8", people="30", compare_draws="2", show=["spread on bag names"]
    )
    row = shipped(replace(DIGITS, epsilon=8.0), BAG_NAMES, "accuracy")
    half = max(row.high - row.mean, row.mean - row.low)
    assert f"{100 * row.mean:.1f} ± {100 * half:.1f} %" in visiting.html(at)
    assert "shipped, 120 people of each class, ε = 8" in visiting.html(at)
    assert ">of your setting<" not in visiting.html(at)

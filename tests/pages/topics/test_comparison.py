"""The comparison: words follow the rows, few trials are not judged, a pin holds all, code gives what is shown."""

import re
from dataclasses import replace
from typing import Any

import pytest

from pages.kit.panel import Panel, Table
from pages.kit.trials import Trials
from pages.kit.values import from_texts
from pages.topics.comparison import PAGE, against_pin, goal, one_likelihood, shipped
from pages.topics.comparison.answer import (
    N_IMAGES,
    Answer,
    answer,
    frontiers,
    jobs,
    mark_words,
    ranked,
    rows_of,
    what_it_costs,
)
from pages.topics.comparison.question import Question, decode, delta_setting, encode, question_of, settings
from pages.topics.comparison.words import Change, about_sets, change
from privdemo.experiments import comparison
from privdemo.experiments.comparison import (
    CLASSIFY,
    LABELS,
    OPPOSITE,
    RECORDS,
    SECOND,
    SHARE,
    ComparisonConfig,
    Fit,
    Trial,
    study,
)
from privdemo.experiments.comparison.study import Row
from privdemo.experiments.trials import with_trial
from privdemo.figures.plain import parts
from privdemo.intervals import Estimate, mean_interval
from privdemo.methods import (
    CLEAN,
    COMPARISON,
    CORRECTED_COUNT,
    CURATED,
    CURATOR,
    CURVES_FIRST,
    LEADER,
    LLP,
    NAIVE,
    NOBODY,
    PUBLISHER,
    SHUFFLER,
    SPREAD,
    by_trying,
    set_names,
)
from privdemo.verdict import Verdict
from tests.pages.visiting import html, takeaway, visit, warnings

BOTH, TRYING = (NAIVE, SPREAD), by_trying(SPREAD)
DIGITS = ComparisonConfig(dataset="digits", n_train=120, methods=BOTH)
DIGITS_ALL = replace(DIGITS, methods=())
CHAPTERS = {chapter.name: chapter.panels for chapter in PAGE.chapters.all}


def question(config: ComparisonConfig = DIGITS, n_trials: int = 10, **more: Any) -> Question:
    return Question(config, n_trials, **({"metric": "accuracy", "goal": None, "trusted": (NOBODY, LEADER)} | more))


def trials(config: ComparisonConfig, *marks: float) -> list[Trial]:
    """One trial a mark of the config's first method, by the main metric of its task."""
    method, metric = config.methods[0], "accuracy" if config.task == CLASSIFY else "error"
    return [Trial(with_trial(config, i), {method: Fit(method, {metric: mark}, 0.0)}) for i, mark in enumerate(marks)]


def row(config: ComparisonConfig, *marks: float) -> Row:
    """The row of such trials once all are made."""
    return rows_of(config, len(marks), trials(config, *marks))[0]


def shown(asked: Question, *own: Row, **more: Any) -> Answer:
    nothing = {"curves": (), "pinned": (), "n_trials": 10, "problems": {}, "running": False}
    return Answer(asked, own=own, **(nothing | more))


MARKS = {NAIVE: Estimate(0.9, 0.88, 0.92), CLEAN: Estimate(0.99, 0.98, 1.0)}
NONE, OTHER = shown(question(), problems={NAIVE: "no noise will do"}), replace(DIGITS, task=SHARE, methods=())
PINNED, ROWS = replace(DIGITS, methods=()), [row(DIGITS, 0.8, 0.9)]
CLEAR, UNSURE, WORSE = (
    replace(row(replace(DIGITS, methods=(name,)), *marks), trust=COMPARISON[name].trust)
    for name, marks in ((NAIVE, [0.9, 0.91, 0.89, 0.9, 0.9]), (LLP, [0.7, 1.0, 1.0, 0.9, 1.0]), (LLP, [0.7] * 5))
)
SEEN_BY_NOBODY = (
    "<b>Yes: it gets 90.0 % of new images right, although nobody sees true labels (without privacy, 99.0 %).</b>"
)
SECRET = "Handwritten digits stand for private images here."
CHANGED = "each is switched with a chance of 27 %"
SEVERAL = [Change(verdict, verdict.value) for verdict in Verdict] + [Change(Verdict.WORSE, "worse")]


def reached(wanted: float, config: ComparisonConfig = DIGITS, **more: Any) -> str:
    """Of two ε of which the lower one reaches 0.7 ± 0.02, the higher one 0.9 ± 0.02."""
    some = row(config, 0, 1)
    rows = [replace(some, epsilon=e, mean=m, low=m - 0.02, high=m + 0.02) for e, m in ((0.5, 0.7), (2.0, 0.9))]
    return goal.reached_words(question(config, goal=wanted, **more), rows)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (
            mark_words(question(), MARKS, {NOBODY: CLEAR}),
            f"{SEEN_BY_NOBODY} {SECRET} The privacy loss is ε = 1.",
        ),
        (
            mark_words(question(), MARKS, ranked([WORSE, CLEAR])),
            f"{SEEN_BY_NOBODY} That is the best of these 2 ways, with these settings. {SECRET} Each way hides a label "
            "equally well from outsiders, by changing something at random.",
        ),
        (
            mark_words(question(), MARKS, ranked([replace(CLEAR, trust=CURATOR), replace(WORSE, trust=NOBODY)])),
            "<b>Yes: it gets 90.0 % of new images right, although only one office (a curator) sees true labels (",
        ),
        (
            mark_words(question(), MARKS, ranked([WORSE])),
            "<b>Partly: it gets 70.0 % of new images right, although",
        ),
        (
            mark_words(question(replace(DIGITS, private=RECORDS)), MARKS, ranked([WORSE, CLEAR])),
            "All ways below change something at random, with the same privacy loss (ε = 1 for every label and pixel).",
        ),
        (
            mark_words(question(replace(DIGITS, task=SHARE), metric="error"), MARKS, ranked([CLEAR, WORSE])),
            "<b>The share of “9” is off by 90.0 points, if nobody sees true labels (without privacy, 99.0 points).</b>",
        ),
        (
            mark_words(question(), MARKS, ranked([CLEAR, UNSURE])),
            "<b>Yes: it gets 92.0 % or 90.0 % of new images right, although only a group leader sees true labels or "
            f"nobody sees true labels (without privacy, 99.0 %).</b> The difference is not clear. {SECRET}",
        ),
        (
            mark_words(question(), MARKS, ranked([CLEAR, replace(WORSE, by_trial="")])),
            f", although nobody sees true labels (without privacy, 99.0 %).</b> {SECRET}",
        ),
        (
            mark_words(question(DIGITS, metric="log_loss"), MARKS, ranked([WORSE, CLEAR])),
            "<b>The log loss is 0.900, if nobody sees true labels (without privacy, 0.990).</b> That is the best of",
        ),
        (
            mark_words(question(DIGITS, metric="log_loss"), MARKS, {LEADER: CLEAR}),
            "<b>The log loss is 0.900, if only a group leader sees true labels (without privacy, 0.990).</b>",
        ),
        (
            mark_words(question(replace(DIGITS, private=RECORDS)), MARKS, {}),
            "No method that is shown needs so little trust. Without privacy, it gets 99.0 % of new images right.",
        ),
        (NONE.takeaway(), "None of the methods has a result. Ignore the noise: no noise will do."),
        (against_pin.why_not(question(pinned=OTHER), False), "of the other task"),
        (against_pin.why_not(question(pinned=PINNED), False), "No method has results of both settings."),
        (
            against_pin._people_words(DIGITS, replace(DIGITS, epsilon=2.0)),
            "the same people, so that chance matters less for the difference.",
        ),
        (against_pin._people_words(DIGITS, replace(DIGITS, n_train=50)), "The people of the two are not the same."),
        (goal._whose_words(question(), ROWS), ", with 120 people of each class in 2 trials"),
        (
            goal._whose_words(question(replace(DIGITS, n_train=50)), ROWS),
            "each class (not your setting: people of each class 120, yours 50) in 2 trials",
        ),
        (about_sets(DIGITS), "Of large groups, ε (with δ = 10⁻⁶ more) covers the counts alone: they are filled by"),
        (
            about_sets(replace(DIGITS, rho=0.01)),
            "covers nothing here, as at so small a ρ the counts are known: they are filled by label, and the name of "
            "a group says as much of a label as an answer with ε = 4.78 may (it is right for 99.2 %).",
        ),
        (
            reached(0.99),
            "reaches 99 % accuracy if nobody or a group leader may be trusted. The best is 90.0 %, by",
        ),
        (
            reached(0.8),
            "The strongest protection with which 80 % accuracy can be reached is <b>weak (ε = 2)</b>, with nobody "
            "trusted: “ignore the noise” reaches <b>90.0",
        ),
        (reached(0.8), "; at ε = 0.5 it does not."),
        (
            reached(0.8, replace(DIGITS, methods=(set_names("gaussian"),)), trusted=(PUBLISHER,)),
            "with which 80 % accuracy can be reached is <b>ε = 2, for the counts alone</b>, with a publisher trusted: ",
        ),
        (goal._goal_words(question(OTHER, metric="error", goal=0.03)), "a share within 3 points of the truth"),
        (reached(0.89), ", though its interval goes on to the other side"),
        (
            one_likelihood.clear_words(SEVERAL),
            "clearly better in <b>1</b> of 5, clearly worse in 2, statistically tied",
        ),
    ],
)
def test_words_follow_the_numbers(words, part):
    assert part in words


def test_it_opens_with_the_shipped_scores_of_its_setting():
    at = visit("comparison", compare_on="Small digits")
    marks = {r.method: r.estimate for r in shipped.marks(replace(DIGITS, methods=())) if r.metric == "accuracy"}
    for names in (BOTH, (LLP,), (CURATED,)):
        best = max((marks[name] for name in names), key=lambda mark: mark.mean)
        assert f"{100 * best.mean:.1f} ± {100 * best.half:.1f} %" in html(at)
    best = max(marks[name].mean for name in BOTH)
    assert f"<b>Yes: it gets {100 * best:.1f} % or " in takeaway(at)
    assert " right, although nobody sees true labels or only one office (a curator) sees true labels " in takeaway(at)
    assert f"(without privacy, {100 * marks[CLEAN].mean:.1f} %).</b> The difference is not clear." in takeaway(at)
    assert not warnings(at)


SETS = [COMPARISON[name].title for name in (NAIVE, set_names("gaussian"), CLEAN)]


def test_sets_are_said_to_be_promised_no_more_than_their_counts():
    at = visit("comparison", compare_on="Small digits", trusting=["nobody", "a publisher"], show=SETS)
    assert "A publisher, whose ε covers no more than its counts, gives " in takeaway(at)
    assert "covers the counts alone" in html(at)
    assert not warnings(at)


def test_sets_have_a_panel_of_their_own_as_their_epsilon_covers_the_counts_alone():
    names = (NAIVE, set_names("gaussian"), CURATED)
    found = [shown(question(replace(DIGITS, methods=some)), *shipped.marks(DIGITS_ALL)) for some in (names, names[1:2])]
    both, alone = ([(p.name, chart_names(p)) for p in frontiers(one, "by-epsilon", None)] for one in found)
    of_sets = ("by-epsilon-of-sets", {COMPARISON[names[1]].title})
    assert both == [("by-epsilon", {COMPARISON[NAIVE].title, COMPARISON[CURATED].title}), of_sets]
    panels = [[panel.name for panel in CHAPTERS["Results by who is trusted"](one)] for one in found]
    assert panels == [["by-trust", "by-epsilon", "by-epsilon-of-sets"], ["by-epsilon-of-sets"]]
    assert alone == [of_sets]


def chart_names(panel: Panel) -> set[str]:
    """The titles of the methods in a figure, each with whom it trusts."""
    names = [trace["name"] for trace in parts(panel.figure.figure)["data"] if trace.get("name")]
    titles = {name.partition(" · ")[0] for name in names}
    trusts = {method.title: method.trust for method in COMPARISON.values()}
    assert all(name.endswith(f" · {trusts[name.partition(' · ')[0]]} trusted") for name in names if " · " in name)
    return titles


def test_luck_of_ten_trials_stands_beside_the_closed_form():
    chosen = question(ComparisonConfig(SHARE, epsilon=4.0, methods=(CORRECTED_COUNT, SPREAD)), metric="error")
    found = shown(chosen, *shipped.marks(chosen.config))
    lucky = found.marks[CORRECTED_COUNT]
    assert 100 * lucky.mean == pytest.approx(0.2, abs=0.05)
    words = "<b>The share of “9” is off by 0.2 points (0.5 points in the long run), if nobody sees true labels.</b> "
    assert words in found.takeaway()
    (panel,) = CHAPTERS["All results in a table"](found)
    assert [cells[-1] for cells in panel.figure.cells] == ["0.5 points", "–"]
    assert [one["error in the long run (points)"] for one in panel.rows()] == [0.492, None]


def test_ties_are_of_the_same_trust():
    marks = shipped.marks(replace(DIGITS, epsilon=8.0, methods=()))
    found = shown(question(replace(DIGITS, epsilon=8.0, methods=(NAIVE, SPREAD, LLP))), *marks)
    best, other = sorted(BOTH, key=lambda name: -found.marks[name].mean)
    tied = change(*(next(r for r in marks if (r.method, r.metric) == (n, "accuracy")) for n in (other, best)))
    words = f"Statistically tied: {COMPARISON[best].title} with {COMPARISON[other].title}. "
    assert found.ties() == (words if tied.verdict is Verdict.NOT_CLEAR else "")


@pytest.mark.parametrize(
    ("accuracies", "losses", "won"),
    [
        ({NAIVE: 0.8, SPREAD: 0.8, TRYING: 0.9}, {}, "The first is clearly better than “{naive}” (80.0 %). "),
        ({NAIVE: 0.89, SPREAD: 0.8, TRYING: 0.9}, {}, "The first is statistically tied with “{naive}”. "),
        ({NAIVE: 0.9, SPREAD: 0.89, TRYING: 0.89}, {}, "The first is statistically tied with “{trying}”. "),
        ({NAIVE: 0.9, SPREAD: 0.89}, {}, "The first is statistically tied with “{spread}”. "),
        ({SPREAD: 0.9, TRYING: 0.89}, {}, ""),
        (
            {NAIVE: 0.89, TRYING: 0.9},
            {NAIVE: 0.6, TRYING: 0.2},
            "The first is statistically tied with “{naive}”, its log loss lower (0.20, not 0.60). ",
        ),
        (
            {NAIVE: 0.9, TRYING: 0.89},
            {NAIVE: 0.6, TRYING: 0.2},
            "The first is statistically tied with “{trying}”, whose log loss is lower (0.20, not 0.60). ",
        ),
        ({NAIVE: 0.89, TRYING: 0.9}, {NAIVE: 0.6, TRYING: 0.59}, "The first is statistically tied with “{naive}”. "),
    ],
)
def test_the_summary_says_what_the_method_that_it_names_wins_over_its_counterpart(accuracies, losses, won):
    config = replace(DIGITS, methods=tuple(accuracies))
    luck = (0, 0.05, -0.05, 0.04, -0.04)
    marks = {name: tuple(mark + (i - 1) * 0.3 * u for u in luck) for i, (name, mark) in enumerate(accuracies.items())}
    rows = [row(replace(config, methods=(name,)), *marks[name]) for name in accuracies]
    for name, loss in losses.items():
        of_trials = row(replace(config, methods=(name,)), *(loss + (u if name == NAIVE else -u) for u in luck))
        rows.append(replace(of_trials, metric="log_loss"))
    titles = {word: COMPARISON[name].title for word, name in (("naive", NAIVE), ("spread", SPREAD), ("trying", TRYING))}
    assert shown(question(config), *rows).beside_counterpart() == won.format(**titles)


@pytest.mark.parametrize(
    ("now", "then", "verdict", "words"),
    [
        ((0.9, 0.91, 0.9, 0.91, 0.9), 0.8, Verdict.BETTER, "+10.4 ± 0.7 points, better"),
        ((0.7, 0.69, 0.7, 0.69, 0.7), 0.8, Verdict.WORSE, "−10.4 ± 0.7 points, worse"),
        ((0.9, 0.7, 0.9, 0.7, 0.9), 0.8, Verdict.NOT_CLEAR, "+2.0 ± 13.6 points, not clear"),
        ((0.9, 0.91, 0.9, 0.91), 0.8, Verdict.TOO_FEW, "+10.5 ± 0.9 points, too few trials"),
        ((0.80006,) * 5, 0.8, Verdict.BETTER, "+0.01 ± 0.00 points, better"),
        ((0.8,) * 5, 0.8, Verdict.NOT_CLEAR, "the same"),
    ],
)
def test_a_difference_is_judged_over_the_trials_of_both(now, then, verdict, words):
    assert change(row(DIGITS, *now), row(DIGITS, *5 * [then])) == (verdict, words)
    asked = replace(DIGITS, task=SHARE, methods=(SPREAD,))
    low, high = (row(asked, *5 * [mark]) for mark in (0.01, 0.02))
    assert change(low, high).verdict == Verdict.BETTER, "an error is better if it is lower"


@pytest.mark.parametrize(("there", "asked", "known"), [(2, 10, False), (4, 10, False), (5, 10, True), (2, 2, True)])
def test_few_of_many_trials_have_no_interval_and_no_verdict(there, asked, known):
    marks, config = (0.9, 0.8, 0.85, 0.7, 0.75)[:there], replace(DIGITS, n_train=60)
    found = rows_of(config, asked, trials(config, *marks))[0]
    assert found.estimate.mean == pytest.approx(mean_interval(marks).mean)
    assert (found.low > 0, bool(found.values)) == (known, known)
    assert known or change(found, found) == (Verdict.TOO_FEW, "too few trials of both")


def test_of_a_method_that_chooses_by_trying_all_numbers_say_what_it_took_and_why():
    marks = replace(row(replace(DIGITS, methods=(TRYING,)), 0.8, 0.9), chosen="classes: clearly ahead; low rank: …")
    for private, plain in ((LABELS, COMPARISON[SPREAD].title), (RECORDS, "strokes")):
        asked = question(replace(DIGITS, methods=(TRYING, SPREAD), private=private))
        _, panel = CHAPTERS["All results in a table"](shown(asked, *_all_marks(marks)))
        assert panel.figure.cells == [
            [COMPARISON[TRYING].title, "2", f"class by class in 1 (clearly ahead) and {plain} in 1 (…)"]
        ]
        assert [line["name"] for line in panel.rows()] == ["classes", "low rank"]
    plain = row(replace(DIGITS, methods=(SPREAD,)), 0.8, 0.9)
    assert len(CHAPTERS["All results in a table"](shown(asked, *_all_marks(plain)))) == 1


def _all_marks(one: Row) -> list[Row]:
    return [replace(one, metric=metric) for metric in ("accuracy", "log_loss", "brier")]


def test_a_pin_by_its_button_is_compared_and_let_go():
    at = visit(
        "comparison",
        compare_on="Small digits",
        compare_look="Compare two settings",
        show=["ignore the noise", "all labels true"],
    )
    at.button(key="pin-it").click().run()
    assert at.session_state["values"]["comparison"]["pin"] == "classify,digits,labels,120,1,0"
    at.number_input(key="label_epsilon").set_value(0.25).run()
    assert "What differs: ε 0.25 (pinned 1). Of 2 methods <b>1</b> differs clearly: ignore the noise −" in takeaway(at)
    assert "the same" in html(at)
    at.button(key="unpin").click().run()
    assert "Nothing is compared yet: press “Pin this setting”" in takeaway(at)


@pytest.mark.parametrize(
    ("n_train", "pinned", "counts"),
    [
        (120, None, {}),
        (40, None, {"Trial": 3}),
        (40, replace(DIGITS, n_train=50), {"Trial": 3, "Pinned trial": 3}),
        (40, replace(DIGITS, n_train=50, task=SHARE, methods=(SPREAD,)), {"Trial": 3}),
    ],
)
def test_no_trial_is_made_twice_and_nothing_shipped_anew(n_train, pinned, counts):
    found = jobs(question(replace(DIGITS, n_train=n_train), 10 if n_train == 120 else 3, pinned=pinned))
    assert {name: sum(len(j.tasks) for j in found if j.name == name) for name in {j.name for j in found}} == counts
    answer_of_trials = [task for job in found for task in job.tasks]
    assert len(set(answer_of_trials)) == len(answer_of_trials)


def test_where_no_curves_are_shipped_they_are_of_the_trials_at_every_epsilon():
    chosen = question(replace(DIGITS, dataset="breast_cancer", n_train=40), 2)
    made = jobs(chosen)
    fit = Fit(NAIVE, {"accuracy": 0.9}, 0.0)
    found = answer(chosen, Trials(tuple(made), (), tuple(tuple(Trial(c, {NAIVE: fit}) for c in j.tasks) for j in made)))
    assert [curve.epsilon for curve in found.curves] == list(comparison.study.EPSILONS)


def test_a_pin_holds_the_whole_setting():
    more = {"epsilon": 1 / 3, "rho": 0.2, "bag_size": 10, "delta": 0.01, "share": 0.7, "n_asked": 90, "seed": 4}
    more |= {"fake_part": 0.15, "fake_label": SECOND}
    config = ComparisonConfig(dataset="digits", n_train=120, **more)
    assert decode(encode(config)) == config
    assert decode("") is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("classify,digits,labels,120,1,0,magic=3", "it is no pinned setting; pin"),
        ("classify,digits,labels,5,1,0", r"it is no pinned setting \(n_train must be"),
        ("classify,digits,labels,120,0.001,0", r"it is no pinned setting \(epsilon must be in \[0.05, 8\]"),
        ("classify,your own,labels,120,1,0", "its records were a visitor’s own"),
    ],
)
def test_what_is_no_pin_is_refused(words, why):
    with pytest.raises(ValueError, match=why):
        decode(words)


def test_a_pair_is_never_of_two_sources():
    lies, bags, _ = one_likelihood.PAIRS
    chosen = question(replace(DIGITS, n_train=30, epsilon=7.0))
    own = tuple(replace(r, n_train=30) for r in shipped.marks(DIGITS))
    whose, rows = one_likelihood.of_one_source(lies, shown(chosen, *own), 8.0)
    assert (whose, {r.n_train for r in rows}) == ("of your setting", {30})
    half = tuple(r for r in own if r.method == NAIVE)
    for pair in (lies, bags):
        whose, rows = one_likelihood.of_one_source(pair, shown(chosen, *half), 8.0)
        assert whose == "shipped, 120 people of each class, ε = 8"
        assert [(r.method, r.n_train, r.epsilon) for r in rows] == [(pair.ours, 120, 8.0), (pair.made, 120, 8.0)]
    assert one_likelihood.nearest_epsilon(5.0) == 4.0
    panels = CHAPTERS["One method for labels, bags and groups"](
        shown(question(replace(DIGITS, dataset="breast_cancer")))
    )
    assert any("No numbers are shipped for these records" in panel.answer for panel in panels)


@pytest.fixture(scope="module")
def answer_of_trials():
    """A small setting and a pinned one that differs in ε, two trials of each."""
    small = replace(DIGITS, n_train=20, bag_size=10)
    chosen = question(small, 2, goal=0.6, pinned=replace(small, epsilon=4.0))
    own, pinned = (
        rows_of(config, 2, [comparison.run(with_trial(config, i)) for i in range(2)])
        for config in (small, chosen.pinned)
    )
    trials = [comparison.run(with_trial(one, i)) for one in comparison.pushed.along(small) for i in range(2)]
    pushed = comparison.pushed.rows(mark for trial in trials for mark in comparison.study.trial_marks(trial))
    curves = tuple(shipped.curves(small))
    return shown(chosen, *own, pinned=tuple(pinned), curves=curves, pushed=tuple(pushed))


def flat(panels):
    return [one for panel in panels for one in (panel if isinstance(panel, tuple) else (panel,))]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_code_of_every_chapter_gives_the_numbers_shown(answer_of_trials, chapter):
    panels, said = flat(CHAPTERS[chapter](answer_of_trials)), []
    answer = " ".join(panel.answer for panel in panels)
    for panel in panels:
        exec(str(panel.snippet or ""), {"print": lambda *words: said.append(words)})
    cells = " ".join(c for p in panels if isinstance(p.figure, Table) for line in p.figure.cells for c in line)
    if chapter == "Most privacy for a goal you set":
        *_, (found,) = said
        assert f"(ε = {found.epsilon:g})</b>, with " in answer
        assert f"“{COMPARISON[found.method].title}” reaches" in answer
    elif chapter == "Results by who is trusted":
        shown_there = {row.mean for row in answer_of_trials.own if row.metric == "accuracy"}
        assert {mark.mean for _, mark in said} == shown_there
    elif chapter == "Labels pushed by some":
        rows = [row for row in answer_of_trials.pushed if row.metric == "accuracy"]
        assert [found[-1].mean for found in said] == [row.mean for row in rows]
        assert {row.fake_part for row in rows} == set(comparison.pushed.PARTS)
    elif chapter == "All results in a table":
        shown_there = [row.mean for row in answer_of_trials.own if row.metric == "accuracy"]
        assert sorted(mark.mean for _, mark in said) == pytest.approx(sorted(shown_there))
    else:
        gap = next(gap for _, gap, *_ in said if gap is not None).mean * (
            100 if chapter == "Compare two settings" else 1
        )
        shown_gaps = [float(cell.replace("−", "-")) for cell in re.findall(r"[+−][\d.]+", cells)]
        assert any(shown_gap == pytest.approx(gap, abs=0.06) for shown_gap in shown_gaps)


def test_the_guess_is_how_accurate_a_model_is_if_nobody_is_trusted():
    found = shown(question(replace(DIGITS_ALL, methods=(CLEAN, NAIVE, SPREAD, LLP))), *shipped.marks(DIGITS_ALL))
    panel, *_ = CHAPTERS["Results by who is trusted"](found)
    prediction = panel.prediction
    best = {trust: found.marks[name].mean for trust, name in found.best_by_trust.items()}
    assert prediction.truth == 100 * best[NOBODY]
    assert "a private label: here “7” or “9”, but think of “ill” or “healthy”. To protect people, about 27 of" in (
        prediction.ask
    )
    assert (
        "100 labels, picked by chance, are switched to the other one before the computer sees them." in prediction.ask
    )
    assert prediction.known == [
        (50, "pure guessing", ""),
        (100 * found.marks[CLEAN].mean, "if all labels were true", ""),
    ]
    covered = prediction.covered.html
    assert not any(f"{100 * mark:.1f}" in prediction.ask + covered for mark in best.values()), "nothing gives it away"
    true, told = (
        [(label, "chance" in kind) for kind, label in re.findall('<span class="(label[^"]*)">(.*?)</span>', row)]
        for row in covered.split('<b class="words">')[2:]
    )
    assert len(true) == len(told) == N_IMAGES
    assert not any(is_dashed for _, is_dashed in true)
    assert [is_dashed for _, is_dashed in told] == [
        one != other for (one, _), (other, _) in zip(true, told, strict=True)
    ]
    assert any(is_dashed for _, is_dashed in told)
    answered = parts(panel.figure.figure)
    assert [100 * mark for mark in best.values()] == pytest.approx(sorted(100 * m for m in best.values())[::-1])
    written = [note["text"] for note in answered["layout"]["annotations"] if "<b>" in note["text"]]
    counts = "passes on how many are “9”, changed at random"
    assert {one.partition("<br>")[2] for one in written} == {CHANGED, counts}
    assert [re.split("<b>|<br>", one)[1] for one in written] == [f"{100 * mark:.1f} %</b>" for mark in best.values()]
    for other in (
        replace(found.question, metric="log_loss"),
        question(replace(DIGITS, methods=(CLEAN, LLP))),
        question(replace(DIGITS, private=RECORDS)),
    ):
        assert CHAPTERS["Results by who is trusted"](replace(found, question=other))[0].prediction is None
    assert all(panel.prediction is None for panel in CHAPTERS["Compare two settings"](found))


def test_before_the_guess_records_without_pixels_have_labels_alone():
    config = replace(DIGITS, dataset="breast_cancer", methods=(CLEAN, NAIVE))
    rows = [row(replace(config, methods=(name,)), 0.9, 0.8) for name in config.methods]
    found = shown(question(config), *[replace(one, trust=COMPARISON[one.method].trust) for one in rows])
    prediction = CHAPTERS["Results by who is trusted"](found)[0].prediction
    assert "records, each with a private label: “benign” or “malignant”." in prediction.ask
    assert "<img" not in prediction.covered.html
    assert len(re.findall('class="label[ "]', prediction.covered.html)) == 2 * N_IMAGES


def test_why_more_trust_may_help_less_is_said_where_it_does():
    of_leader = "A group leader gives one total for 25 labels, which teaches less than 25 labels one by one."
    of_curator = "A curator’s noise must hide image and label, not the label alone, so there is more of it."
    may_fail = "With a curator, protection can fail once in 1,000,000 times (δ\u00a0=\u00a010⁻⁶)."
    assert _why(nobody=0.92, leader=0.80, curator=0.88) == f"{of_leader} {of_curator} {may_fail}"
    assert _why(nobody=0.92, leader=0.93, curator=0.88) == f"{of_curator} {may_fail}"
    assert _why(nobody=0.92, leader=0.93, curator=0.94) == may_fail


def _why(**scores: float) -> str | None:
    """What is said of why more trust helps less, where each of those trusted has such a score; None if nothing is."""
    names = {"nobody": NAIVE, "leader": LLP, "curator": CURATED}
    config = replace(DIGITS_ALL, methods=(CLEAN, *names.values()))
    rows = [
        replace(row(replace(config, methods=(name,)), *[scores[who]] * 3), trust=COMPARISON[name].trust)
        for who, name in names.items()
    ]
    found = shown(question(config, trusted=(NOBODY, LEADER, CURATOR)), *rows)
    panels = CHAPTERS["Results by who is trusted"](found)
    return next((panel.answer for panel in panels if panel.name == "why"), None)


def test_where_another_trust_does_better_is_said_of_the_shipped_curves():
    config = ComparisonConfig(methods=(CLEAN, NAIVE, TRYING, LLP, CURATED))
    chosen = question(config, trusted=(NOBODY, LEADER, CURATOR))
    found = answer(chosen, Trials())
    assert found.elsewhere() == "", "a curator is ahead nowhere at the default δ"
    at_large_delta = study.select(comparison.deltas.load(), config, "accuracy")
    found = replace(found, curves=(*(r for r in found.curves if r.method != CURATED), *at_large_delta))
    best = {r.method: r for r in found.curves if r.metric == "accuracy" and r.epsilon == 0.1}
    assert change(best[CURATED], best[NAIVE]).verdict is Verdict.BETTER
    assert change(best[LLP], best[NAIVE]).verdict is not Verdict.BETTER
    assert found.elsewhere() == "At ε = 0.1 trusting a curator does better than trusting nobody."
    assert found.elsewhere() in [panel.answer for panel in what_it_costs(found)]
    assert answer(replace(chosen, config=replace(config, n_train=40)), Trials()).elsewhere() == ""


def test_the_best_method_of_each_trust_is_named_in_the_summary():
    found = shown(question(replace(DIGITS_ALL, methods=(CLEAN, NAIVE, LLP))), *shipped.marks(DIGITS_ALL))
    panel, *_ = CHAPTERS["Results by who is trusted"](found)
    assert (
        "Best with nobody trusted, ignore the noise; with a group leader, match each bag’s percentage. "
        in panel.summary
    )


# --- pushed labels -------------------------------------------------------------------------------

METHODS = (CLEAN, NAIVE, TRYING, LLP, CURATED)
TRUSTING = {"trusted": (NOBODY, LEADER, CURATOR), "along_pushed": True}


def pushed_panel(part: float = 0.0, label: str = OPPOSITE, **asked: Any) -> Panel:
    """The chapter of shipped people; `asked` are fields of the config, and the metric."""
    metric = asked.pop("metric", "accuracy")
    config = ComparisonConfig(methods=METHODS, fake_part=part, fake_label=label)
    asking = question(replace(config, **asked), metric=metric, **TRUSTING)
    (panel,) = CHAPTERS["Labels pushed by some"](answer(asking, Trials()))
    return panel


def means(part: float, label: str = OPPOSITE, task: str = CLASSIFY, metric: str = "accuracy") -> dict[str, float]:
    """The shipped means at a part, by method."""
    return {
        row.method: row.mean
        for row in comparison.pushed.load()
        if (row.task, row.metric, row.fake_part) == (task, metric, part) and (not part or row.fake_label == label)
    }


@pytest.mark.mnist
@pytest.mark.parametrize(("part", "label"), [(0.0, OPPOSITE), (0.2, SECOND), (0.3, OPPOSITE)])
def test_pushed_labels_are_told_with_what_would_be_without_them(mnist, part, label):
    panel, said = pushed_panel(part, label), part or 0.2
    before, after = means(0.0), means(said, label)
    what = "the opposite of their true label" if label == OPPOSITE else "“9”, whatever is true"
    first = f"it gets <b>{100 * after[TRYING]:.1f} %</b> of new images right "
    first += f"instead of {100 * before[TRYING]:.1f} %"
    start = "Results get worse: if" if part else "Results get worse: for example, if"
    people = f"<b>{100 * said:g} of 100 people</b> send {what}"
    assert panel.answer.startswith(f"{start} {people}, trusting nobody, {first}; ")
    assert (
        f"trusting a curator <b>{100 * after[CURATED]:.1f} %</b> instead of {100 * before[CURATED]:.1f} %"
        in panel.answer
    )
    assert panel.prediction.truth == 100 * after[TRYING]
    assert f"{100 * said:g} of 100 people</b> send {what}" in panel.prediction.ask
    assert "counts as 2.2 people" in panel.prediction.explain  # 1/(1 − 2p) at ε = 1
    curves = {tuple(trace["x"]) for trace in parts(panel.figure.figure)["data"] if trace["mode"] == "lines+markers"}
    assert curves == {comparison.pushed.PARTS}
    covered = parts(panel.prediction.covered.figure)["data"]
    assert {trace["name"]: len(trace["x"]) for trace in covered}["nobody"] == 1


@pytest.mark.mnist
def test_pushed_labels_move_a_share_and_other_scores(mnist):
    counted = (CLEAN, CORRECTED_COUNT, LLP, CURATED)
    panel = pushed_panel(0.2, task=SHARE, metric="error", methods=counted)
    found = means(0.2, task=SHARE, metric="error")[CORRECTED_COUNT]
    assert f"trusting nobody, the share of “9” is off by <b>{100 * found:.1f} points</b> instead of" in panel.answer
    assert panel.prediction is None
    loss = pushed_panel(0.2, metric="log_loss").answer
    assert "send the opposite of their true label, trusting nobody, the log loss is <b>" in loss


@pytest.mark.mnist
def test_what_is_shipped_of_pushed_labels_needs_no_trials(mnist):
    """And with nobody who pushes it is what the comparison ships."""
    config = ComparisonConfig(fake_part=0.2, fake_label=SECOND)
    assert jobs(question(config, 10, **TRUSTING)) == []
    kinds = [job.key[0] for job in jobs(question(replace(config, fake_part=0.15), 10, **TRUSTING))]
    assert kinds == ["compare", "compare"], "the curves are there"
    (job,) = [job for job in jobs(question(DIGITS, 10, **TRUSTING)) if job.key[0] == "pushed"]
    assert [(task.fake_part, task.trial) for task in job.tasks[:4]] == [(part, 0) for part in comparison.pushed.PARTS]
    assert len(job.tasks) == 20
    assert "pushed" not in {job.key[0] for job in jobs(question(DIGITS))}
    shown_there = shipped.marks(ComparisonConfig())
    assert [(r.method, r.metric, r.by_trial) for r in shipped.pushed_curves(config) if not r.fake_part] == [
        (r.method, r.metric, r.by_trial) for r in shown_there
    ]


@pytest.mark.mnist
def test_a_link_sets_how_many_push_and_the_sentence_says_so(mnist):
    words = takeaway(visit("comparison", fake="0.2", fake_label="the second class"))
    assert f"{SECRET} 20 of 100 people send “9”, whatever is true." in words
    at = visit("comparison", compare_look="Labels pushed by some", fake="0.3")
    assert not warnings(at)
    assert "<b>30 of 100 people</b> send the opposite of their true label" in takeaway(at)
    assert "Nothing is chosen" not in html(at)


# --- δ -------------------------------------------------------------------------------------------


def by_trust(config: ComparisonConfig, metric: str) -> tuple[Answer, dict[str, Panel]]:
    """The answer of the shipped trials, and the panels of the first chapter by name."""
    config = replace(config, methods=tuple(name for name in config.chosen if name in CURVES_FIRST))
    trusted = (NOBODY, SHUFFLER, LEADER, CURATOR)
    found = shown(question(config, metric=metric, trusted=trusted), *shipped.marks(replace(config, delta=None)))
    return found, {panel.name: panel for panel in CHAPTERS["Results by who is trusted"](found)}


@pytest.mark.mnist
def test_the_note_names_delta_and_a_shuffler_is_compared_at_two(mnist):
    _, panels = by_trust(ComparisonConfig(SHARE), "error")
    words = "With a curator and a shuffler, protection can fail once in 1,000,000 times (δ = 10⁻⁶)."
    assert panels["why"].answer.replace("\u00a0", " ").endswith(words)
    panel = panels["two-deltas"]
    assert "<b>77 %</b> of the way from lies to a curator at δ = 10⁻⁶, and 89 % at δ = 10⁻³." in panel.answer
    assert [cells[1:] for cells in panel.figure.cells] == [
        ["3.4 points", "3.4 points"],
        ["0.9 points", "0.6 points"],
        ["0.2 points", "0.2 points"],
    ]
    assert "nδ = 0.0005 and 0.5 people" in panel.summary


@pytest.mark.mnist
def test_a_curators_model_is_compared_at_two_deltas_where_both_are_shipped(mnist):
    _, panels = by_trust(ComparisonConfig(epsilon=0.25), "accuracy")
    here, there = (
        next(r for r in study.select(rows, ComparisonConfig(), "accuracy") if (r.epsilon, r.method) == (0.25, CURATED))
        for rows in (study.load(), comparison.deltas.load())
    )
    panel = panels["two-deltas"]
    assert f"<b>{100 * here.mean:.1f} ± {100 * here.estimate.half:.1f} %</b> at δ = 10⁻⁶" in panel.answer
    assert f"{100 * there.mean:.1f} ± {100 * there.estimate.half:.1f} % at δ = 10⁻³" in panel.answer
    assert here.mean < there.mean
    _, panels = by_trust(ComparisonConfig(epsilon=0.25, n_train=200), "accuracy")
    assert "two-deltas" not in panels


@pytest.mark.mnist
def test_a_large_delta_is_said_to_be_large_and_compared_with_the_default(mnist):
    _, panels = by_trust(ComparisonConfig(SHARE, delta=1e-3), "error")
    assert "can fail once in 1,000 times (δ\u00a0=\u00a010⁻³)" in panels["why"].answer
    assert "at worst the true label" in panels["by-trust"].note
    assert (
        "<b>89 %</b> of the way from lies to a curator at δ = 10⁻³, and 77 % at δ = 10⁻⁶."
        in panels["two-deltas"].answer
    )


def test_delta_of_the_page_follows_from_the_people_unless_it_is_set():
    texts = {"compare_on": "Small digits", "task": "find a share"}
    for more, delta in (({}, 1e-6), ({"asked_about": "5000"}, 1 / 5000**2), ({"counts_delta": "0.001"}, 1e-3)):
        values = from_texts(settings, texts | more)
        assert values[delta_setting(values)] == pytest.approx(delta)
        asked = question_of(values)
        assert isinstance(asked, Question)
        assert asked.config.delta == (delta if "counts_delta" in more else None)

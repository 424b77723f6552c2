"""The page on released counts: words on promises and leaks follow the outcome, and its code gives its numbers."""

import math
from dataclasses import replace

import pytest

from pages.kit.values import Values, from_texts
from pages.topics.label_counts import CHAPTERS, PAGE, adversary, along, chapters, claim
from pages.topics.label_counts.answer import least_words, takeaway
from pages.topics.label_counts.question import AXIS, PATIENTS, Curves, Question, parse, question_of, settings
from privdemo.experiments.label_counts import CountConfig, Leak, Outcome, Settled
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES, STUDIED, GaussianCounts
from tests.pages.visiting import takeaway as seen
from tests.pages.visiting import visit

LAPLACE, TIGHT, GAUSS, GAUSS_TIGHT = "laplace published", "laplace tight", "gaussian published", "gaussian tight"
DATA, PUBLIC = "dirichlet published", "dirichlet public"
QUESTION = Question(CountConfig(releases=STUDIED, repeats=20), 5, 1000, 0.05, False, PUBLIC)


def outcome(release=LAPLACE, delta=0.05, distortion=0.2, half=0.001, problem=""):
    holds = delta <= 0.05 and not RELEASES[release].data_dependent and not problem
    mean, ends = Estimate(distortion, distortion - half, distortion + half), ((0.1, 0.3), (0.7, 0.9))
    return Outcome(release, GaussianCounts(2.0), mean, 0.1, (0.25, 0.75), ends, delta, holds, problem)


def question_about(release):
    return replace(QUESTION, release=release)


def promised(release, delta):
    return chapters.promise_words(question_about(release), outcome(release, delta))


def exact(release):
    return chapters.exact_words(question_about(release), outcome(release, 0.05))


def chosen(*given, **problem):
    """The words where Gaussian noise is best that holds, and another release is chosen."""
    best, mine = outcome(GAUSS_TIGHT, 0.05, 0.1), outcome(*given, **problem)
    return least_words(question_about(mine.release), {o.release: o for o in (outcome(), best, mine)})


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (promised(DATA, 0.05), "<b>no guarantee</b> of ε = 0.05, δ = 0.05. Its noise is chosen from the secret counts"),
        (promised(GAUSS, 0.06), "as in the paper <b>breaks</b> the promise of ε = 0.05, δ = 0.05: its δ is 0.06."),
        (promised(GAUSS_TIGHT, 0.05 + 1e-10), "<b>breaks</b> the promise of ε = 0.05, δ = 0.05: its δ is 0.05."),
        (promised(PUBLIC, 0.05), "keeps the promise of ε = 0.05, δ = 0.05, with as little noise as possible."),
        (promised(GAUSS, 0.05), "Gaussian, as in the paper keeps the promise of ε = 0.05, δ = 0.05."),
        (
            promised(LAPLACE, 5e-4),
            "keeps the promise of ε = 0.05, δ = 0.05 with <b>too much noise</b>: its δ is only 5·10⁻⁴",
        ),
        (exact(PUBLIC), "is 0.05, for the worst set whose classes have at least 25 labels, the public minimum."),
        (exact(DATA), "is 0.05 if its σ had been chosen beforehand; chosen from the secret counts, the true δ can be"),
        (
            chosen(DATA, 0.05, 0.01),
            "as in the paper (no guarantee): 10, but the noise is chosen from the secret counts: <b>no",
        ),
        (chosen(GAUSS, 0.2, 0.02), "as in the paper: 20, but <b>its promise is broken</b>: at this ε its δ is 0.2."),
        (
            chosen(TIGHT, 0.05, 0.15),
            "By <b>100 of 1,000</b> people in all with Gaussian noise, the best here; with "
            "Laplace noise as in the paper, by <b>200</b>; with Laplace noise, by <b>150</b>.",
        ),
        (
            chosen(PUBLIC, math.nan, math.nan, problem="no σ will do"),
            "Dirichlet, least noise from a public minimum on: No σ will do.",
        ),
    ],
)
def test_words_follow_the_outcome(words, part):
    assert part in words


def test_the_table_says_whether_each_promise_holds_and_why_not():
    kinds = outcome(delta=0.0), outcome(DATA), outcome(GAUSS, 0.2), outcome(PUBLIC, problem="no σ")
    rows = [chapters._table_row(o.release, o, 1000) for o in kinds]
    assert [row[-1] for row in rows] == ["yes", "no: σ from the secret counts", "no: δ too large", "No σ."]
    assert rows[0][1:4] == ["0.2000 ± 0.0010", "200", "0"]


def test_the_table_of_winners_lists_those_tied_or_says_none():
    cells = chapters.who_wins(PAGE.answer(QUESTION, None))[0].figure.cells
    assert cells[0] == ["0.1", "Gaussian, least noise", "0.016", "none"]
    assert cells[3] == ["10⁻³", "Gaussian, least noise", "0.140", "Laplace, as in the paper; Laplace, least noise"]


def test_the_papers_claim_is_judged_by_its_own_criterion():
    found = [Settled(0.06, 0.5, criterion, 0.2, by, 0.08, 0.04) for criterion, by in ((0.05, 0.0699), (0.06, 0.0701))]
    assert [claim.claim_words(f).partition(":")[0] for f in found] == ["Yes", "No"]


def test_three_numbers_for_one_mean_are_explained_where_they_stand():
    shown = PAGE.answer(QUESTION, None)
    words = claim.other_estimates_words(shown, CountConfig())
    mine = shown.outcomes[DATA].distortion
    assert "The mean over 2,000 releases; by chance it is 0.306 over the 1,000 of the chart" in words
    assert f"and {mine.mean:.2f}" in words
    assert "over your own 20." in words
    other = replace(shown, question=replace(QUESTION, config=CountConfig(epsilon=0.1)))
    assert "your own" not in claim.other_estimates_words(other, CountConfig())


def test_three_curves_are_plotted_by_default_and_all_if_chosen():
    shown = PAGE.answer(QUESTION, None)
    assert shown.shown_first == (LAPLACE, GAUSS_TIGHT, PUBLIC)
    assert replace(shown, question=question_about(GAUSS_TIGHT)).shown_first == (LAPLACE, GAUSS_TIGHT, PUBLIC)
    assert replace(shown, question=question_about(TIGHT)).shown_first == (LAPLACE, TIGHT, GAUSS_TIGHT)
    for curves, n in ((None, 3), (Curves(all=True), len(STUDIED))):
        (panel,) = along.panels(shown, curves)
        assert len([trace for trace in panel.figure.figure.data if trace.name != "published"]) == n


@pytest.mark.parametrize("name", ["discrete laplace", "discrete gaussian"])
def test_noise_of_whole_numbers_is_one_more_choice_in_every_chapter(name):
    question = replace(question_of(Values()), release=name)
    shown = PAGE.answer(question, None)
    title = RELEASES[name].title
    assert "each count is changed by a random amount (noise) before it is published" in shown.takeaway()
    assert f"{title[:-13]} noise" in CHAPTERS.all[0].panels(shown)[0].summary
    assert name in shown.shown_first
    assert chapters.promise_words(question, shown.chosen).startswith(f"D{title[1:]} keeps the promise")
    assert title in [row[0] for row in chapters.all_numbers(shown)[0].figure.cells]
    assert f"published counts ({title})." in adversary.panels(shown)[0].answer
    assert len(along.panels(shown, Curves(all=True))[0].figure.figure.data) == len(RELEASES)


def test_a_number_with_commas_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="“1,000” may be a part of a number, or several"):
        parse("1,000 2,000")


def test_more_people_than_a_release_may_be_about_are_refused():
    with pytest.raises(ValueError, match=r"people must be a whole number in .*, got 1800000000"):
        parse("900000000, 900000000")


def test_the_code_of_every_tab_gives_the_shown_numbers():
    shown = PAGE.answer(QUESTION, None)
    others = [chapter.panels(shown, *(["epsilon"] if chapter.settings == [AXIS] else [])) for chapter in CHAPTERS.all]
    code = [str(panel.snippet) for panels in others for panel in panels if panel.snippet]
    names = {"print": lambda *_: None}
    exec("\n".join(code), names)
    assert names["config"] == QUESTION.config
    found, known = ({name: o.distortion.mean for name, o in all.items()} for all in (names["outcomes"], shown.outcomes))
    assert found == known


def test_typed_counts_reach_the_page_and_bad_ones_stay_to_be_mended():
    at = visit(PAGE.address, counts_of="my own", counts="120, 80\t300;500")
    assert "each of the 4 counts is off by" in seen(at)
    assert "class 2: true count 80, published" in at.get("plotly_chart")[0].proto.spec
    at.text_input(key="counts").set_value("ten, 20").run()
    assert "“ten” is not a number" in seen(at)
    assert at.text_input(key="counts").value == "ten, 20"


def leak(sigma=0.3, there=0.25, low=0.06):
    return Leak(sigma, (1, 2), there, 0.1, Estimate(low + 0.01, low, low + 0.02))


@pytest.mark.parametrize(
    ("local", "published", "words"),
    [
        (leak(there=math.nan), None, "σ = 0.3 here. With one person moved there is no σ at all, so that a release"),
        (
            leak(),
            None,
            "be 0.25. The amount of noise itself tells something, so that protection fails with a chance of δ = 0.07 "
            "(simulated), more than the 0.05 that was asked",
        ),
        (
            leak(low=0.05),
            None,
            "Protection still fails with a chance of δ = 0.060 (simulated), no more than the 0.05 that was asked",
        ),
        (leak(), leak(there=math.nan), "paper’s criterion there is no σ at all with one person moved"),
    ],
)
def test_noise_chosen_from_the_counts_leaks(local, published, words, monkeypatch):
    def found(config, release="dirichlet local"):
        if release == DATA and published is None:
            raise ValueError("no σ")
        return published if release == DATA else local

    monkeypatch.setattr(adversary, "leaked", found)
    said = adversary.leak_words(QUESTION.config)
    assert words in said
    assert ("paper’s criterion" in said) == ("paper’s criterion" in words)


def test_the_page_opens_on_one_release_of_a_clinics_counts_by_name():
    default = question_of(Values())
    assert default.class_names == tuple(PATIENTS)
    assert sum(default.config.counts) == 1000
    shown = PAGE.answer(default, None)
    released = shown.chosen.example
    (panel,) = CHAPTERS.all[0].panels(shown)
    words = panel.figure.figure.layout.annotations
    for name, true, share in zip(PATIENTS, default.config.counts, released, strict=True):
        assert f"{name}: true count {true}, published <b>{1000 * share:,.0f}</b>" in [note.text for note in words]
    mean = 1000 * shown.chosen.distortion.mean
    assert shown.takeaway() == (
        f"<b>Only a little:</b> over many repetitions, each of the 6 counts is off by <b>{mean / 6:.1f}</b> on average "
        "(1,000 patients in all). To hide every single patient, each count is changed by a random amount (noise) "
        "before it is published. Readers cannot tell which counts are exact."
    )
    errors = [round(1000 * share) - true for true, share in zip(default.config.counts, released, strict=True)]
    assert [abs(error) for error in errors] == [2, 1, 1, 2, 0, 2]
    assert 0 in errors
    signed = {f"{error:+}".replace("-", "−") if error else "0" for error in errors}
    assert signed <= {note.text for note in words}
    assert [row["class"] for row in panel.rows()] == list(PATIENTS)
    assert panel.prediction.truth == pytest.approx(mean / 6)
    true, published = panel.prediction.covered.figure.data
    assert list(true.x) == list(default.config.counts)
    assert list(published.x) == [true.x[0] + errors[0]], "one example"
    rows = panel.prediction.covered.figure.layout.yaxis.ticktext
    assert [words.endswith("<b>?</b>") for words in rows] == [False, *[True] * 5]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (
            {},
            "So that nobody can be sure of any one patient’s illness",
        ),
        (
            {"count_epsilon": "5"},
            "To give each patient weak protection",
        ),
        (
            {"mechanism": RELEASES["dirichlet local"].title},
            "To protect each patient, without a guarantee",
        ),
    ],
)
def test_before_a_guess_the_noise_promises_no_more_than_it_keeps(texts, words):
    shown = PAGE.answer(question_of(from_texts(PAGE.all_settings, texts)), None)
    (panel,) = CHAPTERS.all[0].panels(shown)
    assert f"by illness. {words}, it changes every count by a random number (noise)" in panel.prediction.ask


def test_nothing_is_hidden_where_noise_hardly_ever_changes_a_count():
    found = PAGE.answer(question_of(from_texts(settings, {"count_epsilon": "20"})), None).takeaway()
    assert "each of the 6 counts is off by <b>less than 0.1</b> on average" in found
    assert "can tell which" not in found


def test_one_person_is_one_person():
    typed = {"counts_of": "my own", "counts": "1, 0", "count_seed": "1"}
    found = PAGE.answer(question_of(from_texts(settings, typed)), None).takeaway()
    assert "each of the 2 counts is off by <b>0.4</b> on average (1 person in all)" in found


def test_readers_are_said_not_to_know_an_exact_count_if_there_is_one():
    default = question_of(Values())
    chosen = PAGE.answer(default, None).chosen
    counts = default.config.counts

    def said(errors):
        example = tuple((n + error) / 1000 for n, error in zip(counts, errors, strict=True))
        return takeaway(default, replace(chosen, example=example))

    hidden = "Readers cannot tell which counts are exact."
    assert said((3, 0.4, -2, 1, 1, 1)).endswith(hidden), "counts are published as whole numbers"
    assert hidden not in said((3, 1, -2, 1, 1, 1))


def test_a_release_that_is_not_possible_or_promises_nothing_says_so_at_first():
    broken, impossible = outcome(DATA, 0.05, 0.01), outcome(PUBLIC, math.nan, math.nan, problem="no σ will do")
    example = (0.05, 0.05, 0.05, 0.05, 0.8)
    assert "<b>no guarantee</b>" in takeaway(question_about(DATA), replace(broken, example=example))
    assert takeaway(question_about(PUBLIC), impossible).endswith("No σ will do.")


def test_counts_without_names_have_numbers_and_ask_for_no_guess():
    shown = PAGE.answer(QUESTION, None)
    (panel,) = CHAPTERS.all[0].panels(shown)
    assert panel.prediction is None
    assert panel.rows()[4]["class"] == "class 5"


def test_the_story_comes_before_what_specialists_ask():
    special = [chapter.name for chapter in CHAPTERS.all if chapter.for_specialists]
    assert special == [
        "Is the privacy promise kept?",
        "Best noise for each δ",
        "The paper’s number, checked",
        "All results in a table",
    ]
    assert [chapter.name for chapter in CHAPTERS.all][-4:] == special

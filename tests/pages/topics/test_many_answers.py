"""The page on many answers: its sentences hold the package's numbers, whatever the setting."""

from dataclasses import replace

import pytest

from pages.kit.numbers import standard_error
from pages.kit.trials import Job, Trials
from pages.topics.many_answers import PAGE, senders
from pages.topics.many_answers.answer import Answer, answer, extra_jobs
from pages.topics.many_answers.question import PRESETS, Curves, Question
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import PAPERS, AnswersConfig, Fit
from privdemo.methods import FREQUENCY_ORACLES
from tests.pages.visiting import takeaway, visit

CHAPTERS = {chapter.name: chapter for chapter in PAGE.chapters.all}
DEFAULT = AnswersConfig()
ERRORS = {name: standard_error(error) for name, error in many_answers.errors(64, 1.0, 10_000).items()}


HALVED = many_answers.halving_epsilon("subset selection", 64, 1.0)


def shown(config: AnswersConfig = DEFAULT, made: Trials | None = None) -> Answer:
    return answer(Question(config), made or Trials())


def says(chapter: str, of: Answer, *asked: object) -> str:
    return CHAPTERS[chapter].panels(of, *asked)[0].answer


def test_the_sentence_has_both_errors_and_that_of_asking_nobody() -> None:
    words = shown().takeaway()
    assert words.startswith(
        "With ε = 1 and 10,000 people, <b>subset selection</b> is typically off by <b>1.9 points</b>"
    )
    assert f"k-ary randomised response by <b>{ERRORS[PAPERS]}</b>: 2.5 times as much." in words
    assert words.endswith("Asking nobody, and taking all answers for equally frequent, is off by 4.0.")
    assert "Best here" not in words
    clear = shown(replace(DEFAULT, people=1_000_000)).takeaway()
    assert "Asking nobody" not in clear
    assert "Asking nobody" not in shown(replace(DEFAULT, dataset="uniform")).takeaway()


@pytest.mark.parametrize("oracle", [PAPERS, "subset selection"])
def test_of_two_answers_subset_selection_is_called_the_papers_lie(oracle: str) -> None:
    (other,) = {PAPERS, "subset selection"} - {oracle}
    assert many_answers.same_lie(oracle, other, 2, 1.0)
    said = shown(replace(DEFAULT, k=2, oracle=oracle)).takeaway()
    assert f"{FREQUENCY_ORACLES[other].title} is the same lie where sets hold one answer" in said
    assert not many_answers.same_lie(oracle, other, 64, 1.0)


@pytest.mark.parametrize(
    ("oracle", "words"),
    [
        (PAPERS, f"subset selection by <b>{ERRORS['subset selection']}</b>: 2.5 times as exact."),
        ("hadamard response", f"Best here: subset selection, {ERRORS['subset selection']}."),
    ],
)
def test_another_lie_is_measured_against_the_best(oracle: str, words: str) -> None:
    said = shown(replace(DEFAULT, oracle=oracle)).takeaway()
    assert f"<b>{FREQUENCY_ORACLES[oracle].title}</b> is typically off by <b>{ERRORS[oracle]} points</b>" in said
    assert words in said


def test_a_lie_a_hundred_times_as_far_off_is_compared_in_plain_figures() -> None:
    errors = many_answers.errors(64, 10.0, 10_000)
    times = errors["hadamard response"] / errors["subset selection"]
    said = shown(replace(DEFAULT, oracle="hadamard response", epsilon=10.0)).takeaway()
    assert f"</b>: {times:.0f} times as exact." in said
    assert "e+" not in said


def test_errors_that_differ_never_read_the_same() -> None:
    few = many_answers.errors(6, 1.0, 10_000)
    assert standard_error(few[PAPERS]) == standard_error(few["subset selection"])
    words = shown(replace(DEFAULT, k=6)).takeaway()
    assert f"off by <b>{100 * few['subset selection']:.2f} points</b>" in words
    assert f"by <b>{100 * few[PAPERS]:.2f}</b>" in words
    of = shown(replace(DEFAULT, epsilon=10.0))
    (panel,) = CHAPTERS["All numbers"].panels(of)
    cells = [row[1].removesuffix(" points") for row in panel.figure.cells]
    assert len({len(cell.partition(".")[2]) for cell in cells}) == 1, "the same decimals in a column"
    assert any(f"<b>{cell} points</b>" in panel.answer for cell in cells)
    (report,) = CHAPTERS["One report"].panels(of)
    assert "e+" not in report.answer + report.summary


def test_the_file_of_the_figure_has_every_answer_and_both_lies() -> None:
    of = shown()
    rows = of.main()[0].rows()
    assert len(rows) == 64
    found = of.release.found["subset selection"]
    assert rows[3]["subset selection: low"] == found.low[3]
    assert sum(row["true"] for row in rows) == pytest.approx(1)
    assert rows[3]["randomised response: estimate"] == of.release.found[PAPERS].shares[3]


def test_chapters_say_their_numbers() -> None:
    of = shown()
    assert f"<b>1.9 points</b>; half of that takes ε = {HALVED:.3g}." in says("Errors", of)
    assert "From 2 to 1,024 answers the error of k-ary randomised response grows <b>19.4-fold</b>" in (
        says("Errors", of, Curves("answers"))
    )
    assert "<b>0.060 points</b> with 10,000,000 people" in says("Errors", of, Curves("people"))
    assert "<b>subset selection</b> is the most exact, 2.5 times" in says("Who wins", of)
    assert "k-ary randomised response beats optimised unary encoding up to 9 answers." in says("Who wins", of)
    assert "<b>optimised unary encoding</b> is the most" in says("Who wins", of, (PAPERS, "optimised unary"))
    assert "takes <b>51 bits</b>, k-ary randomised response 6 bits" in says("Bits", of)
    trust = many_answers.trusted(64, 10_000, 1.0, 1e-9)
    assert f"by <b>{standard_error(trust.shuffled)}</b> if a shuffler" in says("Whom to trust", of, 1e-9)
    assert "cannot be shuffled apart from their labels" in says("Whom to trust", of)


def test_of_two_answers_all_is_said_for_one_count_and_one_bit() -> None:
    two = shown(replace(DEFAULT, k=2))
    assert says("Bits", two).startswith("Subset selection takes <b>1 bit</b>, k-ary randomised response 1 bit. Of ")
    of_two, of_many = (
        senders._trust_summary(of, many_answers.trusted(of.k, 10_000, 1.0, 1e-6), 1e-6) for of in (two, shown())
    )
    assert of_two.endswith(
        "with ε = 5.69, and all of them together keep the promise; that ε is as large as can be. A curator is trusted: "
        "Laplace noise on one count, from which the other follows."
    )
    assert of_many.endswith(
        "that ε is as large as a bound allows, so that the error may be less than shown. A curator is trusted: Laplace "
        "noise on every count."
    )


def test_the_code_of_every_chapter_gives_its_numbers() -> None:
    asked = Question(replace(DEFAULT, k=4, people=100), reads=True)
    job = extra_jobs(asked)[0]
    made, said = answer(asked, Trials((job,), (), ((job.first(),),))), {}
    for panel in (panel for chapter in CHAPTERS.values() for panel in chapter.panels(made)):
        said[panel.name] = printed = []
        exec(str(panel.snippet), {"print": lambda *words, to=printed: to.append(words)})
    assert said["readings"] == [(made.fits[0].errors,)]
    assert said["all-lies"] == [(made.errors,)]
    assert dict(said["error"])[1.0] == made.errors
    (local,) = (trust.local for (trust,) in said["trust"] if trust.epsilon == 1.0)
    assert local == pytest.approx(min(made.errors.values()))
    assert len(said) == 9, "every panel has code"


def test_one_report_is_of_the_chosen_sender() -> None:
    of, config = shown(), DEFAULT
    first, last = many_answers.one_report(config, 0), many_answers.one_report(config, 63)
    assert f"supports {first.supported.sum()} of 64 answers" in says("One report", of)
    assert f"<b>{100 * last.posterior[63]:.3g}</b> have that answer" in says("One report", of, True)
    (panel,) = CHAPTERS["One report"].panels(of, True)
    assert "64" in panel.figure.figure.data[0].x, "the rarest answer stands beside the frequent ones"


def test_reports_are_simulated_only_for_their_chapter_and_not_too_many() -> None:
    assert extra_jobs(Question(DEFAULT)) == []
    here, *along = extra_jobs(Question(DEFAULT, reads=True))
    assert [config.trial for config in here.tasks] == list(range(1, 10))
    assert [len(job.tasks) // many_answers.N_READ for job in along] == [7, 4, 4]
    elsewhere = extra_jobs(Question(replace(DEFAULT, epsilon=3.0), reads=True))[1]
    assert elsewhere.key == along[0].key, "along ε it is the same whatever one's own ε"
    many = replace(DEFAULT, people=1_000_000)
    assert [job.key for job in extra_jobs(Question(many, reads=True))][1:] == [along[2].key]
    assert "for up to 156,250 people, and there are 1,000,000" in says("Reading reports", shown(many))
    read = answer(Question(DEFAULT, reads=True), Trials((here,), (), ((here.first(),),)))
    fit = many_answers.fit(DEFAULT)
    assert f"<b>{standard_error(fit.errors['likeliest'])} points</b>" in says("Reading reports", read)
    assert "is being drawn" in says("Reading reports", read, "epsilon")


def test_readings_along_an_axis_stand_once_all_trials_are_there() -> None:
    config = replace(DEFAULT, k=4, people=100)
    along = extra_jobs(Question(config, reads=True))[2]
    fits = tuple(map(many_answers.fit, along.tasks))
    found = many_answers.errors_along(fits, "answers")
    assert list(found) == [4, 16, 64, 256]
    assert found[16] == many_answers.mean_errors([fit for fit in fits if fit.config.k == 16])
    (panel,) = CHAPTERS["Reading reports"].panels(_with(config, along, fits), "answers")
    assert [row["error"] for row in panel.rows()] == [e.mean for here in found.values() for e in here.values()]
    gain = found[256]["inverted"].mean / found[256]["likeliest"].mean
    assert panel.answer.startswith("Most at <b>256 answers</b>")
    assert f"off by {gain:.1f} times" in panel.answer
    (panel,) = CHAPTERS["Reading reports"].panels(_with(config, along, fits[:-1]), "answers")
    assert "is being drawn" in panel.answer


def _with(config: AnswersConfig, job: Job, fits: tuple[Fit, ...]) -> Answer:
    return answer(Question(config, reads=True), Trials((job,), (), (fits,)))


def test_a_preset_is_a_survey() -> None:
    at = visit("many_answers")
    at.button(key="survey Which emoji?").click().run()
    k, people, epsilon = PRESETS["Which emoji?"][1:4]
    error = many_answers.errors(k, epsilon, people)["subset selection"]
    assert f"off by <b>{standard_error(error)} points</b>" in takeaway(at)
    assert "1,000,000 people" in takeaway(at)

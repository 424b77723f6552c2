"""The page on many answers: its sentences hold the package's numbers, whatever the setting."""

import base64
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from urllib.parse import parse_qs

import pytest

from pages.kit import numbers
from pages.kit.numbers import standard_error
from pages.kit.trials import Job, Trials
from pages.kit.values import Values, from_texts, in_address
from pages.polls import languages
from pages.topics.many_answers import PAGE, senders
from pages.topics.many_answers.answer import Answer, answer, extra_jobs
from pages.topics.many_answers.question import PAIR, PEOPLE, PRESETS, Curves, Question, question_of
from privdemo import deployments
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import ILLNESS_NAMES, ILLNESSES, RANDOMISED_RESPONSE, ZIPF, AnswersConfig, Fit
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.methods import FREQUENCY_ORACLES, NOBODY, TRUSTED_WITH_ANSWERS
from tests.pages.visiting import takeaway, visit, warnings

BY_NAME = {one.name: one for one in deployments.DEPLOYMENTS}
CHAPTERS = {chapter.name: chapter for chapter in PAGE.chapters.all}
DEFAULT = AnswersConfig()
ERRORS = {name: standard_error(error) for name, error in many_answers.errors(64, 1.0, 10_000).items()}


HALVED = many_answers.halving_epsilon("subset selection", 64, 1.0)


def shown(config: AnswersConfig = DEFAULT, made: Trials | None = None) -> Answer:
    return answer(Question(config), made or Trials())


def says(chapter: str, of: Answer, *question: object) -> str:
    return CHAPTERS[chapter].panels(of, *question)[0].answer


def test_the_sentence_says_what_is_sent_and_how_far_the_shown_estimates_are_off() -> None:
    of = shown()
    made = ORACLES["subset selection"](64, of.question.config.epsilon)
    off = abs(of.release.found["subset selection"].shares - of.release.truth.shares).mean()
    first, last = 100 * of.release.truth.shares[[0, -1]]
    estimates = of.release.found["subset selection"]
    common = (of.release.truth.shares > estimates.high - estimates.low).sum()
    assert 1 < common < 10
    sending = (
        "Each of 10,000 simulated people gives one of 64 answers. To hide it, each sends 17 "
        "answers, drawn so that "
        f"{100 * made.p:.0f} of 100 people name their own."
    )
    assert of.takeaway() == (
        f"<b>Yes, for the {common} most common answers, not for rarer ones.</b> {sending} From these we estimate how "
        f"common each answer is, off by <b>{standard_error(off)} percentage points</b> on average. That is little "
        f"beside the share of “1” ({first:.1f} %), but more than that of “64” ({last:.1f} %)."
    )
    (panel,) = CHAPTERS["True and estimated shares"].panels(of)
    ranked = (-estimates.shares).argsort()[:5]
    assert panel.prediction.truth == sum(i < 5 for i in ranked) < 5
    assert panel.prediction.ask == (
        f"{sending} <b>How many of the true top 5 answers will researchers find from what is sent?</b>"
    )
    first_five = ", ".join(f"“{i + 1}”" for i in ranked[:4])
    assert panel.prediction.explain.startswith(f"The estimated top 5: {first_five} and “{ranked[4] + 1}”. “")
    assert re.search("(is|are) not among them[.]$", panel.prediction.explain)
    assert (
        f"Any answer is also named by {100 * made.q:.0f} of 100 people whose own is another."
    ) in panel.prediction.covered.html
    assert f"<span>1: {first:.1f}\u00a0%</span>" in panel.prediction.covered.html
    assert "The true top 5 answers (the researchers cannot see this)</h4>" in panel.prediction.covered.html
    assert "<b>The researchers’ estimated top 5:</b>" in panel.prediction.covered.html
    found, shares = of.release.found["subset selection"], of.release.truth.shares
    every = list(zip(found.low, shares, found.high, strict=True))
    missed = sum(not low <= share <= high for low, share, high in every[:16])
    (ranges,) = CHAPTERS["Range of each estimate"].panels(of)
    assert ranges.answer.startswith(
        f"{16 - missed} of these 16 ranges contain the true share. Over many surveys, about 19 of 20 ranges do."
    )
    little, *_ = CHAPTERS["True and estimated shares"].panels(shown(replace(DEFAULT, epsilon=0.01, people=10**6)))
    assert "Any answer is also named by 5,000 of 10,000 people whose" in little.prediction.covered.html
    lost, *_ = CHAPTERS["True and estimated shares"].panels(shown(replace(DEFAULT, epsilon=0.01, people=100)))
    assert lost.prediction.truth < 5
    (alike, *_), (two, *_) = (
        CHAPTERS["True and estimated shares"].panels(shown(replace(DEFAULT, **other)))
        for other in ({"dataset": "uniform"}, {"k": 3})
    )
    assert alike.prediction is two.prediction is None, "all answers are equally common, or there are few"
    blind = "Taking all answers for equally frequent, without asking, would typically be off by less."
    few = shown(replace(DEFAULT, people=100)).takeaway()
    assert few.startswith("<b>Not here.</b> Each of ")
    assert few.endswith(blind)
    assert blind not in shown(replace(DEFAULT, dataset="uniform", people=100)).takeaway()
    panel, *_ = of.main()
    error = f"subset selection {ERRORS['subset selection']} points, k-ary randomised response "
    assert f"{error}{ERRORS[RANDOMISED_RESPONSE]} points." in panel.summary


def test_where_every_answer_is_found_none_is_called_rare() -> None:
    of = shown(replace(DEFAULT, k=4, exponent=0.1, people=2000))
    assert of.is_worse_than_guessing
    assert of.takeaway().startswith("<b>Yes.</b> Each of 2,000")


def each_of(sent, own=""):
    return " ".join(f'<span class="sent{" own" * (name == own)}">{name}</span>' for name in sent)


def test_one_person_is_an_example_with_the_very_report_that_a_chapter_examines() -> None:
    config = replace(DEFAULT, dataset=ILLNESSES, k=16)
    report = many_answers.one_report(config, 0)
    sent = [name for name, is_in in zip(report.names, report.supported, strict=True) if is_in]
    holds = [many_answers.one_report(config, i).supported[i] for i in range(10)]
    first = holds.index(True)
    assert not holds[0]
    other = many_answers.one_report(config, first)
    also = [name for name, is_in in zip(other.names, other.supported, strict=True) if is_in]
    assert shown(config).examples == (
        f"For example, one person has “{other.names[first]}” and sends: {each_of(also, other.names[first])} "
        f"(“{other.names[first]}” is among them).<br>"
        f"Another has “cold” and sends: {each_of(sent)} (“cold” was left out by chance)."
    )
    several = shown(replace(config, oracle="basic rappor")).examples
    assert re.search(
        'and says yes to: <span class="sent own">cold</span> <span .*</span> [(]“cold” is among them[)][.]<br>Another',
        several,
    )
    assert re.search("and 269 more [(].*[)][.]<br>Another", shown(replace(config, k=1024)).examples)


@pytest.mark.parametrize("oracle", [RANDOMISED_RESPONSE, "subset selection"])
def test_of_two_answers_subset_selection_is_called_the_papers_method(oracle: str) -> None:
    (other,) = {RANDOMISED_RESPONSE, "subset selection"} - {oracle}
    assert many_answers.same_lie(oracle, other, 2, 1.0)
    said = shown(replace(DEFAULT, k=2, oracle=oracle)).takeaway()
    both = f"{FREQUENCY_ORACLES[oracle].title} and {FREQUENCY_ORACLES[other].title}"
    assert f"Here {both} are the same method, because each person sends one answer." in said
    assert not many_answers.same_lie(oracle, other, 64, 1.0)


@pytest.mark.parametrize(
    ("oracle", "words"),
    [
        ("optimised unary", "on average"),
        ("hadamard response", "Here subset selection would be more exact than Hadamard response."),
    ],
)
def test_another_method_is_measured_against_the_best(oracle: str, words: str) -> None:
    said = shown(replace(DEFAULT, oracle=oracle)).takeaway()
    method = FREQUENCY_ORACLES[oracle]
    assert f"sends {method.sends}. " in said
    assert words in said


def test_before_the_guess_a_hundred_people_show_how_many_send_the_true_answer() -> None:
    of = shown(replace(DEFAULT, dataset=ILLNESSES, k=16, oracle=RANDOMISED_RESPONSE))
    assert re.fullmatch(
        'For example, one person has “([a-z ]+)” and sends: <span class="sent own">\\1</span> [(]the true one[)][.]<br>'
        'Another has “cold” and sends: <span class="sent">[a-z ]+</span> [(]a false one[)][.]',
        of.examples,
    )
    html = of.main()[0].prediction.covered.html
    assert "</b> 15 of 100 phones send the true illness</span>" in html
    assert "</b> 85 of 100 send a false one</span>" in html
    svg = base64.b64decode(re.search(r'svg\+xml;base64,([^"]+)"', html)[1]).decode()
    assert [path.count("M") for path in re.findall("<path[^>]*>", svg)] == [15, 85]
    several = shown(replace(DEFAULT, dataset=ILLNESSES, k=16, oracle="subset selection")).main()[0].prediction
    assert "svg+xml" not in several.covered.html


def test_what_is_said_to_be_found_is_never_missing_in_the_estimated_top() -> None:
    # Of the illness with this seed the interval is narrow enough, and misses its share.
    of = shown(replace(DEFAULT, dataset=ILLNESSES, k=16, oracle=RANDOMISED_RESPONSE))
    panel, *_ = CHAPTERS["True and estimated shares"].panels(of)
    assert "“hay fever” is not among them" in panel.prediction.explain
    assert of.takeaway().startswith("<b>Yes, for the 2 most common illnesses, not for rarer ones.</b>")
    assert "Here subset selection would be more exact than k-ary randomised response." in of.takeaway()


def test_who_sends_one_answer_is_said_to_send_it_and_no_list() -> None:
    of = shown(replace(DEFAULT, dataset=ILLNESSES, k=16, oracle=RANDOMISED_RESPONSE))
    assert "This person sends “eczema” in place of “cold”, the true answer. To whoever" in says(
        "What one person gives away", of
    )
    (panel,) = CHAPTERS["What one person gives away"].panels(of)
    assert panel.note == "Bold: the illness that is sent."


def test_a_list_of_one_is_what_randomised_response_sends() -> None:
    said = shown(replace(DEFAULT, oracle="subset selection", epsilon=10.0)).takeaway()
    assert (
        "They answer in an app: to hide the truth, fewer than 1 of 100 phones send a false answer instead, picked at "
        "random. "
        "From" in said
    )
    assert "e+" not in said


def test_errors_that_differ_never_read_the_same() -> None:
    few = many_answers.errors(6, 1.0, 10_000)
    assert standard_error(few[RANDOMISED_RESPONSE]) == standard_error(few["subset selection"])
    words = shown(replace(DEFAULT, k=6)).main()[0].summary
    assert f"subset selection {100 * few['subset selection']:.2f} points" in words
    assert f"k-ary randomised response {100 * few[RANDOMISED_RESPONSE]:.2f} points" in words
    of = shown(replace(DEFAULT, epsilon=10.0))
    (panel,) = CHAPTERS["All results in a table"].panels(of)
    cells = [row[1].removesuffix(" points") for row in panel.figure.cells]
    assert len({len(cell.partition(".")[2]) for cell in cells}) == 1, "the same decimals in a column"
    assert any(f"<b>{cell} points</b>" in panel.answer for cell in cells)
    (report,) = CHAPTERS["What one person gives away"].panels(of)
    assert "e+" not in report.answer + report.summary


def test_the_file_of_the_figure_has_every_answer_and_both_methods() -> None:
    of = shown()
    rows = of.main()[0].rows()
    assert len(rows) == 64
    found = of.release.found["subset selection"]
    assert rows[3]["subset selection: low"] == found.low[3]
    assert sum(row["true"] for row in rows) == pytest.approx(1)
    assert rows[3]["randomised response: estimate"] == of.release.found[RANDOMISED_RESPONSE].shares[3]


def test_chapters_say_their_numbers() -> None:
    of = shown()
    assert f"<b>1.9 points</b>. To halve that error takes ε = {HALVED:.3g}, which is less private." in (
        says("Curves of the error", of)
    )
    assert "With 1,024 possible answers instead of 2 the error of k-ary randomised response is <b>19.4</b> times" in (
        says("Curves of the error", of, Curves("answers"))
    )
    assert "With 10,000,000 people subset selection is typically off by <b>0.060 points</b>" in (
        says("Curves of the error", of, Curves("people"))
    )
    best = "<b>subset selection</b> is the most exact: the error of k-ary randomised response is 2.5 times as large."
    assert f"64 possible answers {best}" in says("Map of best methods", of)
    (panel,) = CHAPTERS["Map of best methods"].panels(of)
    assert "k-ary randomised response beats optimised unary encoding up to 9 answers" in panel.summary
    assert "<b>optimised unary encoding</b> is the most" in says(
        "Map of best methods", of, (RANDOMISED_RESPONSE, "optimised unary")
    )
    assert "sends <b>51 bits</b>, with k-ary randomised response 6 bits" in says("Data each person sends", of)
    trust = many_answers.trusted(64, 10_000, 1.0, 1e-9)
    assert f"by <b>{standard_error(trust.shuffled)}</b> if a shuffler" in says("Error by who is trusted", of, 1e-9)
    (panel,) = CHAPTERS["Error by who is trusted"].panels(of)
    assert "cannot be shuffled apart from their labels" in panel.summary


def test_delta_follows_the_number_of_people_unless_it_is_typed() -> None:
    chapter = CHAPTERS["Error by who is trusted"]
    for link, delta, words in (
        ({}, 1e-8, "10⁻⁸"),
        ({"people": "500"}, 1e-6, "10⁻⁶"),
        ({"people": "10000000"}, 1e-14, "10⁻¹⁴"),
        ({"people": "500", "answers_delta": "0.001"}, 1e-3, "10⁻³"),
    ):
        now = from_texts(PAGE.all_settings, link)
        of = shown(replace(DEFAULT, people=now[PEOPLE]))
        (panel,) = chapter.panels_for(of, now)
        assert [row["delta"] for row in panel.rows()] == pytest.approx([delta] * len(panel.rows()))
        assert f"but for a chance of δ = {words} that protection fails; if nobody is trusted, it never" in panel.note
        assert ("For real use" in panel.note) == ("answers_delta" in link)
    assert in_address(PAGE.all_settings(from_texts(PAGE.all_settings, {"people": "500"}))) == {}


def test_answers_are_called_what_they_are() -> None:
    words = shown(replace(DEFAULT, dataset=ILLNESSES, k=16)).takeaway()
    assert (
        "Each of 10,000 simulated people has one of 16 illnesses. To hide it, each sends the names "
        "of 4 illnesses, drawn so that 48 of 100 people name their own." in words
    )
    words = shown(replace(DEFAULT, dataset=ILLNESSES, k=16, oracle=RANDOMISED_RESPONSE)).takeaway()
    assert (
        "to hide the truth, about 85 of 100 phones send a false illness instead, picked at random. From these" in words
    )
    words = shown(replace(DEFAULT, dataset=ILLNESSES, k=16, oracle=RANDOMISED_RESPONSE, epsilon=3.0)).takeaway()
    assert (
        "to hide the truth, about 43 of 100 phones send a false illness instead, picked at random. From these" in words
    )
    words = shown(replace(DEFAULT, k=2, oracle=RANDOMISED_RESPONSE)).takeaway()
    assert (
        "to hide the truth, about 27 of 100 phones send a false answer instead, picked at random. From these" in words
    )


def test_of_two_answers_all_is_said_for_one_count_and_one_bit() -> None:
    two = shown(replace(DEFAULT, k=2))
    assert says("Data each person sends", two).startswith(
        "With subset selection each person sends <b>1 bit</b>, with k-ary randomised response 1 bit. Of "
    )
    of_two, of_many = (
        senders._trust_summary(of, many_answers.trusted(of.k, 10_000, 1.0, 1e-6), 1e-6) for of in (two, shown())
    )
    assert of_two.endswith(
        "with ε = 5.69, and all of them together keep the promise; that ε is as large as can be. A curator is trusted: "
        "Laplace noise on one count, from which the other follows. Records that carry their own features cannot be "
        "shuffled apart from their labels."
    )
    assert of_many.endswith(
        "that ε is as large as a bound for this method allows, so that the error may be less than shown. A curator is "
        "trusted: Laplace noise on every count. Records that carry their own features cannot be shuffled apart from "
        "their labels."
    )


def test_the_code_of_every_chapter_gives_its_numbers() -> None:
    question = Question(replace(DEFAULT, k=4, people=100), reads=True)
    job = extra_jobs(question)[0]
    made, said = answer(question, Trials((job,), (), ((job.first(),),))), {}
    for panel in (panel for chapter in CHAPTERS.values() for panel in chapter.panels(made) if panel.figure):
        said[panel.name] = printed = []
        exec(str(panel.snippet), {"print": lambda *words, to=printed: to.append(words)})
    assert said["readings"] == [(made.fits[0].errors,)]
    assert said["all-methods"] == [(made.errors,)]
    assert dict(said["error"])[1.0] == made.errors
    (local,) = (trust.local for (trust,) in said["trust"] if trust.epsilon == 1.0)
    assert local == pytest.approx(min(made.errors.values()))
    assert len(said) == 14, "every panel with a figure has code"


def test_a_report_that_leaves_out_the_true_answer_is_said_to_do_so() -> None:
    said = set()
    for seed in range(8):
        config = replace(DEFAULT, seed=seed)
        supported = bool(many_answers.one_report(config, 0).supported[0])
        fits = ", which holds “1”, the" if supported else ", which by chance leaves out “1”, the"
        words = says("What one person gives away", shown(config))
        assert fits in words
        assert ("</b>: it is misled. " in words) is not supported
        said.add(supported)
    assert said == {True, False}


def test_one_report_is_of_the_chosen_sender() -> None:
    of, config = shown(), DEFAULT
    first, last = many_answers.one_report(config, 0), many_answers.one_report(config, 63)
    assert f"sends a list of {first.supported.sum()} answers" in says("What one person gives away", of)
    other = shown(replace(config, oracle="basic rappor"))
    assert re.search(r"sends a report that fits \d+ of 64 answers", says("What one person gives away", other))
    assert f"to <b>{numbers.out_of_100(float(last.posterior[63]))}</b>." in says("What one person gives away", of, True)
    (panel,) = CHAPTERS["What one person gives away"].panels(of, True)
    assert "64" in panel.figure.figure.data[0].customdata, "the rarest answer stands beside the frequent ones"
    sent = [name for name, is_in in zip(last.names, last.supported, strict=True) if is_in]
    bold = [words for words in panel.figure.figure.layout.yaxis.ticktext if words.startswith("<b>")]
    assert bold
    assert set(bold) <= {f"<b>{name}</b>" for name in sent}


def test_reports_are_simulated_only_for_their_chapter_and_not_too_many() -> None:
    assert extra_jobs(Question(DEFAULT)) == []
    here, *along = extra_jobs(Question(DEFAULT, reads=True))
    assert [config.trial for config in here.tasks] == list(range(1, 10))
    assert [len(job.tasks) // many_answers.N_READ for job in along] == [7, 4, 4]
    elsewhere = extra_jobs(Question(replace(DEFAULT, epsilon=3.0), reads=True))[1]
    assert elsewhere.key == along[0].key, "along ε it is the same whatever one's own ε"
    many = replace(DEFAULT, people=1_000_000)
    assert [job.key for job in extra_jobs(Question(many, reads=True))][1:] == [along[2].key]
    assert "for up to 156,250 people, and there are 1,000,000" in says("Three estimators compared", shown(many))
    read = answer(Question(DEFAULT, reads=True), Trials((here,), (), ((here.first(),),)))
    fit = many_answers.fit(DEFAULT)
    assert f"<b>{standard_error(fit.errors['likeliest'])} points</b>" in says("Three estimators compared", read)
    assert "is being simulated" in says("Three estimators compared", read, "epsilon")


def test_readings_along_an_axis_stand_once_all_trials_are_there() -> None:
    config = replace(DEFAULT, k=4, people=100)
    along = extra_jobs(Question(config, reads=True))[2]
    fits = tuple(map(many_answers.fit, along.tasks))
    found = many_answers.errors_along(fits, "answers")
    assert list(found) == [4, 16, 64, 256]
    assert found[16] == many_answers.mean_errors([fit for fit in fits if fit.config.k == 16])
    (panel,) = CHAPTERS["Three estimators compared"].panels(_with(config, along, fits), "answers")
    assert [row["error"] for row in panel.rows()] == [e.mean for here in found.values() for e in here.values()]
    gain = found[256]["inverted"].mean / found[256]["likeliest"].mean
    assert panel.answer.startswith("It matters most at <b>256 answers</b>")
    assert f"off by {gain:.1f} times" in panel.answer
    (panel,) = CHAPTERS["Three estimators compared"].panels(_with(config, along, fits[:-1]), "answers")
    assert "is being simulated" in panel.answer


def _with(config: AnswersConfig, job: Job, fits: tuple[Fit, ...]) -> Answer:
    return answer(Question(config, reads=True), Trials((job,), (), (fits,)))


def test_a_preset_is_a_survey() -> None:
    at = visit("many_answers")
    at.button(key="survey Which emoji?").click().run()
    k, _, epsilon = PRESETS["Which emoji?"][1:4]
    size = many_answers.mechanism("subset selection", k, epsilon).size
    assert f"gives one of {k:,} answers. To hide it, each sends {size} answers, drawn so that" in takeaway(at)
    assert "1,000,000 simulated people" in takeaway(at)


def test_the_page_opens_on_sixteen_illnesses_by_name() -> None:
    question = question_of(Values())
    assert (question.config.dataset, question.config.k) == (ILLNESSES, 16)
    panel, *_ = answer(question, Trials()).main()
    assert list(panel.figure.figure.data[0].customdata) == list(ILLNESS_NAMES)
    names = many_answers.truth(replace(question.config, k=18)).names
    assert names[:16] == ILLNESS_NAMES
    assert names[16:] == ("illness 17", "illness 18")
    same = [many_answers.truth(replace(question.config, dataset=source)).counts for source in (ILLNESSES, ZIPF)]
    assert same[0].tolist() == same[1].tolist()


@pytest.mark.parametrize(("epsilon", "is_there"), [(1.0, True), (9.0, False)])
def test_a_share_below_0_is_explained_where_it_is_on_the_screen(epsilon: float, is_there: bool) -> None:
    of = shown(replace(DEFAULT, dataset=ILLNESSES, k=16, epsilon=epsilon))
    panel, *why = of.main()
    _, estimates, _ = panel.figure.figure.data
    assert (min(estimates.x) < 0) == is_there
    assert [one.question for one in why] == ["Why is an estimate below 0 %?"] * is_there


def test_a_guess_is_asked_for_with_what_the_figure_shows_as_its_truth() -> None:
    of = shown()
    (panel,) = CHAPTERS["Map of best methods"].panels(of)
    errors = many_answers.errors(64, 1.0, 10_000)
    best = min(errors, key=lambda name: errors[name])
    assert panel.prediction.truth == FREQUENCY_ORACLES[best].title
    assert panel.prediction.scale == tuple(method.title for method in FREQUENCY_ORACLES.values())
    assert f"{errors[RANDOMISED_RESPONSE] / errors[best]:.1f} times as far off" in panel.prediction.explain
    assert CHAPTERS["Map of best methods"].panels(of, PAIR)[0].prediction is None
    (panel,) = CHAPTERS["Error by who is trusted"].panels(of)
    trust = many_answers.trusted(64, 10_000, 1.0, 1e-8)
    assert trust.local - trust.shuffled > trust.shuffled - trust.curated
    assert panel.prediction.truth == panel.prediction.scale[0] == "trusting a shuffler"
    assert languages.guessed("de", panel.prediction.scale)[0] == "de", "telephones have it in their language"
    assert [curve.name for curve in panel.prediction.covered.figure.data] == [TRUSTED_WITH_ANSWERS[NOBODY].title]


def test_tables_and_what_only_specialists_ask_come_last() -> None:
    special = [chapter.name for chapter in PAGE.chapters.all if chapter.for_specialists]
    assert special == [
        "Map of best methods",
        "Error by who is trusted",
        "Who can push the result?",
        "Where real systems stand",
        "Curves of the error",
        "Three estimators compared",
        "Data each person sends",
        "All results in a table",
    ]
    assert [chapter.name for chapter in PAGE.chapters.all][-8:] == special


MANY = {"different": "65536", "answer_epsilon": "4", "answers_of": "Zipf’s law", "people": "1000000"}
SYSTEMS = "Where real systems stand"


def test_two_methods_take_65536_answers_and_every_chapter_is_there() -> None:
    for oracle, other in (("hadamard response", "local hashing"), ("local hashing", "hadamard response")):
        of = shown(AnswersConfig(ZIPF, 65_536, 1.2, 1_000_000, 4.0, oracle))
        assert of.k == 65_536
        assert set(of.errors) == {oracle, other} == set(of.release.found)
        assert f"sends {FREQUENCY_ORACLES[oracle].sends}" in of.takeaway()
        for name in ("Map of best methods", "Error by who is trusted", "Data each person sends"):
            assert says(name, of)
        assert "up to 1,024" in says("Three estimators compared", of)
        assert "With 65,536 possible answers instead of 2" in says("Curves of the error", of, Curves("answers"))
        assert says("Curves of the error", of, Curves("answers", all=True))
        assert len(CHAPTERS["All results in a table"].panels(of)[0].rows()) == 2


@pytest.mark.parametrize(
    "method",
    [
        name
        for name in FREQUENCY_ORACLES
        if FREQUENCY_ORACLES[name].title not in ("optimised local hashing", "Hadamard response")
    ],
)
def test_the_others_say_why_they_do_not(method: str) -> None:
    title = FREQUENCY_ORACLES[method].title
    at = visit("many_answers", lie=title, **MANY)
    assert "takes up to 1,024 possible answers here, and there are 65,536" in takeaway(at)
    assert numbers.capital(title) in takeaway(at)
    assert "Choose local hashing or Hadamard response, whose reports stay short." in takeaway(at)


def test_the_page_counts_65536_answers() -> None:
    at = visit("many_answers", lie="Hadamard response", **MANY)
    assert "one of 65,536 answers" in takeaway(at)
    assert "sends a number that stands for half of the answers" in takeaway(at)


def test_real_systems_stand_in_rows_of_their_units() -> None:
    chart, table = CHAPTERS[SYSTEMS].panels(shown())
    assert "Compare within a grey box only" in chart.answer
    found = deployments.by_unit()
    daily, in_all = BY_NAME["Symptom searches"], found[deployments.PERSON][-1]
    days = int(re.search(r"after (\d+) days", chart.answer)[1])  # type: ignore[index]
    assert (days - 1) * daily.epsilon <= in_all.epsilon < days * daily.epsilon
    assert [row["system"] for row in chart.rows()] == list(BY_NAME)  # type: ignore[misc]
    html = table.figure.body()  # type: ignore[union-attr]
    for one in deployments.DEPLOYMENTS:
        assert html.count(f'href="{one.address}"') == 1
        assert f"read {one.read.isoformat()}" in html
        assert one.name in chart.summary
    assert html.count("<tr>") == len(BY_NAME) + 1


def test_the_figure_keeps_units_apart_and_marks_the_visitors_epsilon() -> None:
    for epsilon in (0.05, 1.0, 10.0):
        panel = CHAPTERS[SYSTEMS].panels(shown(replace(DEFAULT, epsilon=epsilon)))[0]
        figure = panel.figure.figure  # type: ignore[union-attr]
        bands = sorted((shape["y0"], shape["y1"]) for shape in figure["layout"]["shapes"])
        assert len(bands) == len(deployments.UNITS)
        assert all(above < below for (_, above), (below, _) in pairwise(bands))  # none touches another
        local, central, own = figure["data"]
        for trace in (local, central):
            for x, y in zip(trace["x"], trace["y"], strict=True):
                one = next(
                    d
                    for d in deployments.DEPLOYMENTS
                    if d.epsilon == x and d.model in (deployments.LOCAL if trace is local else deployments.CENTRAL)
                )
                low, high = bands[len(bands) - 1 - deployments.UNITS.index(one.unit)]
                assert low < y < high
        assert own["x"][0] == pytest.approx(max(epsilon, 0.76))
        assert bands[-1][0] < own["y"][0] < bands[-1][1]  # in the row of one report


def test_a_link_of_a_system_opens_the_page_at_its_epsilon_and_answers() -> None:
    html = CHAPTERS[SYSTEMS].panels(shown())[1].figure.body()  # type: ignore[union-attr]
    links = [parse_qs(unescape(address)) for address in re.findall(r'href="\?(.*?)"', html)]
    assert len(links) == sum(one.preset is not None for one in deployments.DEPLOYMENTS) == 2
    for link, one in zip(links, (BY_NAME["Exposure notifications"], BY_NAME["Chrome home pages"]), strict=True):
        at = visit("many_answers", **{key: value[0] for key, value in link.items()})
        assert one.preset
        assert f"one of {one.preset.k} answers" in takeaway(at)
        is_response = one.preset.oracle == RANDOMISED_RESPONSE
        sends = (
            "send a false answer instead, picked at random."
            if is_response
            else f"sends {FREQUENCY_ORACLES[one.preset.oracle].sends}."
        )
        assert sends in takeaway(at)
        of = {key: value[0] for key, value in link.items()} | {"answers_look": "Curves of the error"}
        assert f">At ε = {numbers.epsilon(one.epsilon)} " in takeaway(visit("many_answers", **of))


def test_the_chapter_opens_by_its_link_also_with_nonsense_in_it() -> None:
    for more in ({}, {"answer_epsilon": "3"}, {"answer_epsilon": "a lot", "different": "70000"}):
        at = visit("many_answers", answers_look=SYSTEMS, **more)
        assert (
            f"ε from 1 to 17.1, in {len(BY_NAME)} systems: none of them under 0.5, which we call strong."
            in takeaway(at)
        )
    assert "`different" in warnings(at)
    assert "`answer_epsilon" in warnings(at)

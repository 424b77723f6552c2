"""The page of polls: its words follow the numbers of the package, and its code gives them."""

import base64
import math
import re
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from pages.kit import quiz, screen
from pages.kit.panel import Panel
from pages.kit.trials import Trials
from pages.topics.voting import PAGE, adversary, designs, misprint_words, price, six_questions
from pages.topics.voting.answer import Answer, answer, estimate_words
from pages.topics.voting.candidates import inversion_words
from pages.topics.voting.disobedience import Choice
from pages.topics.voting.question import PEOPLE, POLLS, PRECISION, PRIVACY, SEED, Plan, many_config
from privdemo import accounting, attacks
from privdemo.estimators import survey, trusted_survey
from privdemo.experiments import voting
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.voting import ElectionConfig, ManyConfig, many_table, run_many
from privdemo.mechanisms import BinaryChannel, Crosswise, RandomisedResponse, UnrelatedQuestion
from privdemo.methods import SURVEY_DESIGNS
from tests.pages.visiting import html, takeaway, visit, warnings

FIFTH, HONEST, OPPOSITE = BinaryChannel(0.2, 0.2), BinaryChannel(0.0, 0.0), BinaryChannel(1.0, 1.0)
EMPTY, B_HONEST, A_HONEST = BinaryChannel(0.3, 0.7), BinaryChannel(0.0, 0.3), BinaryChannel(0.3, 0.0)
CHAPTERS = {chapter.name: chapter for chapter in PAGE.chapters.all}
POLL, ESTIMATES, AGAIN, PRICE, DISOBEY, ONE, MANY, QUIZ, BACK, WAYS_TO_ASK, MORE, TRAIN = CHAPTERS
PLAN = Plan(PEOPLE, 9, FIFTH, 0.02, 0.5)
ASKED = {
    PRICE: PLAN,
    DISOBEY: Choice(0.25, "always say B"),
    ONE: (0.1, "A"),
    MANY: (0.1, 5),
    WAYS_TO_ASK: designs.Choice(0.02, 0.25),
    MORE: "0.5 0.3 0.2",
    TRAIN: NaiveConfig(ratio=3.0),
}


def polls(channel: BinaryChannel = FIFTH, **changes) -> Answer:
    """An answer of the page, at its own seed unless another is given."""
    return answer(ElectionConfig(**{"channel": channel, "seed": SEED.default} | changes), Trials())


def look(name: str, shown: Answer, chosen: object = None) -> list[Panel]:
    """The panels of a chapter, those that stand side by side too."""
    panels = CHAPTERS[name].panels(shown, *([chosen or ASKED[name]] if name in ASKED else []))
    return [one for panel in panels for one in (panel if isinstance(panel, tuple) else (panel,))]


def test_it_opens_with_the_numbers_of_its_settings():
    at, shown = visit("voting"), polls()
    best = shown.poll.estimates["spread MLE"]
    assert takeaway(at) == (
        '<p class="takeaway">To protect people, about 20 % (1 in 5) of those asked, picked at random, '
        "gave the opposite answer. From 1,000 simulated answers "
        f"we estimate that <b>{100 * best.value:.1f} %</b> voted for A (95 % interval: {100 * best.low:.1f}–"
        f"{100 * best.high:.1f} %). The truth in the simulated country: <b>35.0 %</b>.</p>"
    )
    naive = shown.records[1]
    words = takeaway(visit("voting", lesson="Many polls"))
    assert f"<b>{100 * naive.bias.mean:+.1f} points</b> on average" in words
    assert f"contained the truth in only <b>{naive.n_covered}</b> of 100 polls" in words


def test_the_first_poll_is_as_far_off_as_most():
    for lie in (0.1, 0.2, 0.3, 0.4):
        shown = polls(BinaryChannel(lie, lie))
        law = next(record.law for record in shown.records if record.name == "spread MLE")
        usual = norm.ppf(0.75) * law.deviation  # half of all polls are less far off
        assert 0.5 < abs(shown.poll.estimates["spread MLE"].value - 0.35) / usual < 2, lie


def test_an_interval_that_misses_the_truth_says_so():
    held, unlucky = polls(), polls(BinaryChannel(0.3, 0.3), seed=0)
    n_missed = 100 - next(record.n_covered for record in unlucky.records if record.name == "spread MLE")
    assert not held.takeaway().count("misses")
    misses = f"interval <b>misses</b> the truth in the country, as it does in {n_missed} of 100 such polls"
    ending = f"{misses}; 5 in 100 are expected."
    assert unlucky.takeaway().endswith(ending)
    few = polls(BinaryChannel(0.3, 0.3), seed=0, n_elections=10)
    misses = not few.poll.estimates["spread MLE"].interval.covers(0.35)
    assert few.takeaway().endswith("as about 1 in 20 does.") == misses


def test_more_polls_are_held_on_a_click_up_to_the_most_there_are_and_then_other_ones():
    at, most = visit("voting", polls="7", lesson="Many polls"), POLLS.limit.high
    for key, n in (("again", 8), ("more", 108), ("most", most), ("again", most), ("one", 1)):
        at.button(key=f"hold {key}").click().run()
        assert at.session_state["polls"] == n
        assert at.button(key="hold more").disabled == (n == most)
        assert at.button(key="hold one").disabled == (n == 1)
    assert at.session_state["poll_seed"] == SEED.default + 1


def test_the_votes_stand_beside_the_answers_hollow_where_chance_changed_them():
    shown = polls()
    page, poll = shown.main()[0].figure.body(), shown.poll
    pictures = [base64.b64decode(picture).decode() for picture in re.findall(r'base64,([^"]+)', page)]
    assert len(pictures) == 4  # both fields, each upright as well
    assert [field.count("0 1 0 7") for field in pictures] == [poll.voted_a] * 2 + [poll.said_a] * 2  # discs
    assert ['fill="none"' in field for field in pictures] == [False, False, True, True]
    assert [re.search('viewBox="([^"]+)"', field)[1] for field in pictures] == ["0 0 250 400", "0 0 400 250"] * 2
    assert f"How those asked really voted: {poll.voted_a} of 1,000 for A (only this simulation knows)" in page
    assert f"hears: {poll.said_a} of 1,000 say A; a real pollster cannot see which are hollow" in page


def test_in_the_first_poll_as_many_voted_for_a_as_in_the_country():
    assert polls().poll.voted_a == 350


@pytest.mark.parametrize("n_voters", [1, 7, 1000, 3000, 99_999])
@pytest.mark.parametrize(
    "channel",
    [
        FIFTH,
        BinaryChannel(0.1, 0.3),
        BinaryChannel(0.0, 0.3),
        BinaryChannel(0.7, 0.6),
        OPPOSITE,
        RandomisedResponse.from_epsilon(1.0, 2).flip_prob,
        BinaryChannel(0.4999, 0.4999),
    ],
)
def test_the_arithmetic_on_screen_gives_the_estimate(channel, n_voters):
    channel = channel if isinstance(channel, BinaryChannel) else BinaryChannel(channel, channel)
    shown = polls(channel, n_voters=n_voters, n_elections=1)
    words = shown.main()[0].note
    raw = shown.poll.estimates["spread"].value
    shown_numbers = re.search(r"is (.+) % of the way from .+: \((.+) − (.+)\) / \((.+) − (.+)\)\.", words).groups()
    result, said, nobody, everybody, least = (float(number.replace("−", "-")) for number in shown_numbers)
    assert nobody == least
    assert result == round(100 * (said - nobody) / (everybody - nobody), 1) == pytest.approx(100 * raw, abs=0.0501)
    assert [nobody, everybody] == pytest.approx([100 * channel.p10, 100 * (1 - channel.p01)], abs=0.051)
    assert ("No share is below 0 %" in words, "No share is above 100 %" in words) == (result < 0, result > 100)


def test_where_nothing_is_to_be_corrected_or_can_be_there_is_no_arithmetic():
    assert polls(HONEST).main()[0].note == polls(EMPTY).main()[0].note == ""


def test_the_adversarys_belief_follows_the_true_share_until_it_is_set():
    at = visit("voting", lesson="What one answer reveals", share="0.6")
    assert at.session_state["prior"] == 0.6
    at.number_input(key="share").set_value(0.7).run()
    assert at.session_state["prior"] == 0.7
    at.number_input(key="prior").set_value(0.1).run()
    at.number_input(key="share").set_value(0.4).run()
    assert at.session_state["prior"] == 0.1
    assert visit("voting", lesson="Asking a person again").session_state["asked"] == 2


@pytest.mark.parametrize(
    ("channel", "lies", "known", "one_answer"),
    [
        (
            FIFTH,
            "To protect people, about 20 % (1\u00a0in\u00a05) of those asked, picked at random, gave the opposite "
            "answer.",
            "cannot tell whose",
            "until nothing",
        ),
        (
            HONEST,
            "No answer was changed: everyone tells the truth.",
            "whoever says A voted A and whoever says B voted B",
            "several answers",
        ),
        (EMPTY, "Voters of B say A 30 % of the time, and voters of A say B", "cannot tell whose", "no more"),
        (
            OPPOSITE,
            "Every answer was changed to the other one.",
            "says A voted B and whoever says B voted A",
            "ε = ∞",
        ),
    ],
)
def test_the_lies_decide_what_can_be_known(channel, lies, known, one_answer):
    shown = polls(channel)
    assert lies in shown.takeaway()
    assert known in shown.main()[0].summary
    assert one_answer in PAGE.folds(shown.config, shown)["What others see"]
    assert ("the answers say nothing" in shown.takeaway()) == (channel == EMPTY)
    assert ("carry no information" in look(AGAIN, shown)[0].answer) == (channel == EMPTY)
    assert ("the printed formula tends to" in misprint_words(shown.config)) == (channel in (FIFTH, OPPOSITE))


def test_an_estimate_holds_the_truth_where_its_interval_does():
    shown, beyond = polls(), polls(share=0.0, n_voters=100, n_elections=1, seed=17)
    words = estimate_words(shown.poll, 0.35)
    for name, verdict in (("honest", "contains"), ("naive", "misses")):
        e = shown.poll.estimates[name]
        assert (e.low <= 0.35 <= e.high) == (verdict == "contains")
        error = f"s.e. {100 * e.standard_error:.2g} points; {100 * e.low:.1f} to {100 * e.high:.1f} %"
        assert f" {100 * e.value:.1f} % ({error}, {verdict} the truth)" in words
    assert "unlimited" not in words  # it is the one in [0, 1]
    words = estimate_words(beyond.poll, 0.0)
    assert "no certainty, but a poll that such changes hardly explain" in words
    assert " 0.0 % (at the end, without an interval, contains the truth)" in words
    doubt = "Such changes hardly explain these answers: <b>the model is doubtful</b>."
    for sentence in (beyond.takeaway(), look(ESTIMATES, beyond)[0].answer):
        assert doubt in sentence
    assert "<b>0.0 % (doubtful)</b>" in beyond.takeaway()
    assert doubt not in shown.takeaway() + look(ESTIMATES, shown)[0].answer
    assert "<b>missed</b> the truth. Corrected" in look(AGAIN, beyond)[0].answer


def test_an_interval_of_all_shares_is_said_to_leave_any_possible():
    few = answer(ElectionConfig(3, 0.35, BinaryChannel(0.4, 0.4)), Trials())
    assert few.poll.estimates["spread MLE"].interval[1:] == (0.0, 1.0)
    assert "voted for A (so few answers leave any share possible)." in few.takeaway()


def test_candidates_whose_whole_interval_is_out_of_range_make_the_model_doubtful():
    result = replace(
        run_many(ManyConfig()), low=np.array([-0.3, -0.1, 0.2, 1.01]), high=np.array([-0.1, 0.2, 0.3, 1.2])
    )
    assert result.doubtful == 2
    doubt = "Of 2 the whole interval is out of range: <b>the model is doubtful</b>."
    assert inversion_words(1, result.doubtful).endswith(doubt)
    assert "doubtful" not in inversion_words(1, 0)


@pytest.mark.parametrize(
    ("name", "channel", "chosen", "words"),
    [
        (BACK, B_HONEST, None, "where everybody voted A, whatever"),
        (PRICE, FIFTH, None, "<b>2.8 times as many people.</b> To know the share within "
            "<b>± 2 points</b>, ask <b>6,666 people</b> whose answers are changed with a chance of 20 %; if no answer"),
        (PRICE, FIFTH, Plan(PEOPLE, 9, B_HONEST, 0.02, 0.5), "people</b> whose answers are changed as set above; if"),
        (PRICE, FIFTH, Plan(PRIVACY, 11_239, HONEST, 0.02, 0.5), "a chance of <b>0.2689</b> at most (<b>ε = 1</b>)"),
        (ONE, FIFTH, (0.1, "A"), "Before they answer: <b>10</b>. Whatever is known beforehand, one answer can change"),
        (MANY, FIFTH, (0.5, 50), "If all 50 answers are A, the odds that this person voted A are over 10³⁰ to"),
        (MANY, A_HONEST, (0.0, 3), "this person certainly voted B"),
        (MORE, FIFTH, "<b>x</b>", "Shares must be numbers such as 0.4, 0.3, 0.2, 0.1, got “&lt;b&gt;x&lt;/b&gt;”"),
        (TRAIN, FIFTH, None, "the right way</b>, but are only <b>0.25</b> times as long"),
        (TRAIN, FIFTH, NaiveConfig(one_to_one=0.2, zero_to_one=0.8), "exactly the wrong way"),
    ],
)  # fmt: skip
def test_the_words_of_chapters_follow_the_numbers(name, channel, chosen, words):
    panels = look(name, polls(channel), chosen)
    assert words in " ".join(panel.answer + panel.summary + panel.note for panel in panels)


@pytest.mark.parametrize(
    ("share", "parts"),
    [
        (0.0, ("± 4.13 points</b>", "43 people would be enough", "")),
        (0.3, ("± 5 points</b>", "319 people would be enough", "such changes take 3.1 times as many people")),
    ],
)
def test_the_price_of_a_lie_is_a_factor_where_true_answers_vary(share, parts):
    plan = price.solve(Plan(PRECISION, 1_000, FIFTH, 0.02, share))
    words = price.price_words(plan)
    assert all(part in words for part in parts)
    assert ("times as many" in words) == (share > 0)


def test_delta_of_a_shuffler_and_a_curator_follows_from_the_people_who_are_needed():
    (panel,) = look(PRICE, polls())
    shuffled, curated = (
        f"{needed(FIFTH.epsilon, None, 0.02):,.0f}"
        for needed in (trusted_survey.shuffled_voters_needed, trusted_survey.curated_voters_needed)
    )
    assert panel.note.startswith(f"With the same ε, {shuffled} people are enough if they trust a shuffler")
    assert f"and {curated} if they trust a curator" in panel.note
    assert panel.note.endswith(
        "protection can fail with a chance of δ: 10⁻⁶ or 1/n² for n people, whichever is smaller."
    )
    assert panel.summary.endswith("There δ is 10⁻⁶ or 1/n² for n people, whichever is smaller.")
    nearly_half = BinaryChannel(0.49999999, 0.49999999)
    (panel,) = price.panels(polls(), replace(PLAN, lie=nearly_half))
    assert "With the same ε" not in panel.note, "so small an ε takes more noise than is computed with"


def test_the_shown_code_gives_the_shown_numbers(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    shown, names = polls(n_elections=20, n_voters=300), {}
    snippets = [panel.snippet for name in CHAPTERS for panel in look(name, shown)]
    exec("\n".join(map(str, filter(None, snippets))).replace(".show()", ""), names)
    assert names["poll"].estimates == shown.poll.estimates
    assert (tmp_path / "people.html").exists()
    assert [record.bias for record in names["records"]] == [record.bias for record in shown.records]
    assert names["people"] == survey.voters_needed(0.2, 0.02)
    assert names["belief"] == pytest.approx(accounting.posterior(FIFTH.channel_matrix, [0.9, 0.1], 1)[1])
    assert names["found"][4].majority_right == attacks.repeated_answers(FIFTH, 0.1, 5).majority_right
    assert names["result"].answers.sum() == 300
    several = many_config(ASKED[MORE], FIFTH.epsilon, 300, SEED.default)
    assert look(MORE, shown)[0].rows() == many_table(several, names["result"])


def test_a_report_states_what_is_set(monkeypatch):
    made = []
    monkeypatch.setattr(screen, "offering_report", lambda make, name: nullcontext(made.append(make)))
    visit("voting", lie="0.3")
    page = made[-1]()
    assert "<h2>How to compute this again</h2><pre><code>from privdemo import figures" in page
    assert re.search(r">Chance of a changed answer \(lie\)</th><td[^>]*>0\.3<", page)
    named = (
        "“How many to ask”, “If some ignore the rules”, “What one answer reveals”, “Asking a person again”, "
        "“Other ways to ask”, “More than two candidates”, “Training on changed labels”"
    )
    assert f"<p>{named}: these chapters have" in page


# --- predictions and questions ---------------------------------------------------------------------


def test_what_is_asked_before_the_figure_has_the_figures_own_truth():
    shown = polls()
    (share,), (people,), (one,) = shown.main(), look(PRICE, shown), look(ONE, shown, (0.35, "A"))
    assert [panel.prediction.truth for panel in (share, people, one)] == [35.0, survey.voters_needed(0.2, 0.02), 68.0]
    assert share.prediction.ask.startswith(
        f"{shown.poll.said_a / 10:.1f} % of 1,000 simulated people say that they voted for A. But"
    )
    assert share.prediction.ask.endswith("<b>What share really voted for A?</b>")
    assert f"{survey.voters_needed(0.0, 0.02):,} people are enough" in people.prediction.ask
    for panel in (share, people, one):
        scale = panel.prediction.scale
        assert scale.low <= panel.prediction.truth <= scale.high
    names = [p.prediction.name for name in CHAPTERS for p in look(name, shown) if p.prediction]
    assert names == ["voting-share", "voting-people", "voting-disobedience", "voting-one-answer"]


def test_what_is_shown_before_a_guess_holds_nothing_decisive():
    shown = polls()
    share, people, one = (
        panel.prediction.covered for panel in (shown.main()[0], look(PRICE, shown)[0], look(ONE, shown)[0])
    )
    assert [field["heading"][:14] for field in share.data["fields"]] == ["What the polls"]
    assert str(shown.poll.voted_a) not in share.data["words"] + share.body()
    assert 'fill="none"' not in base64.b64decode(re.search(r'base64,([^"]+)', share.body())[1]).decode()
    assert [trace.name for trace in people.figure.data] == ["no privacy: no answer is changed"]
    assert not people.figure.layout.shapes
    assert "Afterwards" not in one.body()


@pytest.mark.parametrize("channel", [EMPTY, HONEST, OPPOSITE])
def test_nothing_is_asked_where_the_answers_say_nothing_or_all(channel):
    shown = polls(channel)
    assert (shown.main()[0].prediction is None) == (channel == EMPTY)
    assert look(PRICE, shown, Plan(PRECISION, 9000, channel, 0.02, 0.5))[0].prediction is None
    if channel == HONEST:
        assert look(PRICE, shown, replace(PLAN, lie=HONEST))[0].prediction is None


@pytest.mark.parametrize("share", [0.0, 0.35, 0.5, 1.0])
@pytest.mark.parametrize(
    "channel", [FIFTH, EMPTY, HONEST, B_HONEST, OPPOSITE, BinaryChannel(0.499, 0.499), BinaryChannel(0.01, 0.3)]
)
def test_the_six_questions_have_one_right_answer_and_a_reason_for_each_at_all_settings(channel, share):
    questions = six_questions.questions(polls(channel, share=share, n_elections=1, n_voters=30))
    assert len({question.name for question in questions}) == len(questions) == 6
    for question in questions:  # a question checks itself
        assert all(option.reason.endswith(".") for option in question.options)


def test_the_six_questions_have_the_numbers_of_the_settings():
    shown = polls()
    _, subpoena, one, same, interval, ignored = six_questions.questions(shown)
    right = [next(option for option in question.options if option.right) for question in (one, same, interval, ignored)]
    again = attacks.repeated_answers(FIFTH, 0.35, 5)
    assert right[0].words == "68"
    assert "35 of 100 people voted A, and 68 of 100 who say A" in subpoena.options[2].reason
    assert right[1].words.endswith(f"together their privacy loss is ε = {5 * FIFTH.epsilon:.3g}.")
    assert f"right {100 * again.best_guess_right:.1f} % of the time" in right[1].reason
    record = next(record for record in shown.records if record.name == "spread")
    assert right[2].reason.endswith(f"in {100 - record.n_covered} of your 100 polls.")
    assert "41.0 %" in right[3].words  # 0.2 + 0.6 · 0.35
    assert "so the questions are about another" in six_questions.panels(polls(HONEST))[0].answer


def test_a_question_needs_one_right_answer():
    yes, no = quiz.Option("Yes", "So it is.", right=True), quiz.Option("No", "It is not.")
    for options in (
        (yes,),
        (no, replace(no, words="Never")),
        (yes, replace(no, words="Yes")),
        (yes, replace(yes, words="x")),
    ):
        with pytest.raises(ValueError, match="one of them be right"):
            quiz.Question("x", "?", options)


def test_each_answer_to_a_question_is_told_why_and_is_kept_nowhere():
    at = visit("voting", lesson=QUIZ)
    questions = six_questions.questions(polls())
    assert [radio.value for radio in at.radio] == [None] * 6
    wrong, right = (next(o for o in questions[0].options if o.right == is_right) for is_right in (False, True))
    at.radio[0].set_value(wrong.words).run()
    assert [box.value for box in at.info] == [f"**No.** {wrong.reason}"]
    for radio, question in zip(at.radio, questions, strict=True):
        radio.set_value(next(option.words for option in question.options if option.right))
    at.run()
    assert f"**Right.** {right.reason}" in [box.value for box in at.success]
    assert any(words.value == "**6 of 6 are right.**" for words in at.markdown)
    assert dict(at.query_params) == {"lesson": QUIZ}


def test_a_report_holds_no_answer_to_a_question(monkeypatch):
    made = []
    monkeypatch.setattr(screen, "offering_report", lambda make, name: nullcontext(made.append(make)))
    at = visit("voting", lesson=QUIZ)
    option = six_questions.questions(polls())[0].options[0]
    at.radio[0].set_value(option.words).run()
    assert "Quiz" in made[-1]()
    assert option.words not in made[-1]()


def test_the_story_comes_before_what_is_for_specialists():
    kinds = [chapter.for_specialists for chapter in PAGE.chapters.all]
    assert kinds == sorted(kinds)
    assert [name for name, chapter in CHAPTERS.items() if chapter.for_specialists] == [BACK, WAYS_TO_ASK, MORE, TRAIN]


# --- an innocent question instead of changed answers ------------------------------------------------

COIN_AND_BIRTHDAY, BIRTHDAY = UnrelatedQuestion(0.5, 0.25), Crosswise(0.25)
EXTREMES = [UnrelatedQuestion(1.0, 0.25), UnrelatedQuestion(0.0, 0.25), UnrelatedQuestion(0.5, 0.0), Crosswise(0.0)]
EXTREMES += [UnrelatedQuestion(0.5, 1.0), Crosswise(0.5)]


@pytest.mark.parametrize(
    ("link", "channel", "asked", "hears", "room"),
    [
        (
            {"lying": "unrelated question"},
            COIN_AND_BIRTHDAY,
            "Chance asks 50 % of the people whether they voted A, the others whether their birthday is in January to "
            "March (25 % of all), and they say only yes or no. From 1,000",
            "say “yes”; a real pollster cannot",
            "“Did you vote for A?” or “Is your birthday in January to March?”",
        ),
        (
            {"lying": "same or different", "born": "0.4"},
            Crosswise(0.4),
            "People say only whether two answers are the same or different: did they vote A, and is their birthday in "
            "certain months (40 % of all)",
            "say “different”; a real pollster cannot",
            "Say only whether both answers are the same or different.”",
        ),
    ],
    ids=["unrelated", "crosswise"],
)
def test_an_innocent_question_is_asked_explained_and_corrected_for(link, channel, asked, hears, room):
    at, shown = visit("voting", **link), polls(channel)
    best = shown.poll.estimates["spread MLE"]
    assert not at.warning
    assert asked in takeaway(at)
    assert f"<b>{100 * best.value:.1f} %</b> voted for A (95 % interval: {100 * best.low:.1f}–" in takeaway(at)
    assert room in html(at)
    (panel,) = shown.main()
    assert hears in panel.figure.body()
    assert {row["said"] for row in panel.rows()} in ({"yes", "no"}, {"same", "different"})
    said = hears.split("“")[1].split("”")[0]
    assert f"{shown.poll.said_a} said “{said}”. The pollster cannot tell who these are." in panel.summary
    assert f"would say “{said}” by chance; if everybody had, " in panel.note
    assert f"of 1,000 simulated people say “{said}”. But " in panel.prediction.ask
    assert f"of 100 people who say “{said}”, " in PAGE.folds(shown.config, shown)["What others see"]
    assert shown.poll.estimates["spread MLE"].interval.covers(0.35)
    _, again, _ = look(MANY, shown, (0.35, 2))
    assert "about a birthday of somebody else" in again.note


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ({"asks_vote": "1.5"}, "`asks_vote=1.5` was ignored: it must be in [0, 1]. The default, 0.5, is shown."),
        ({"other_yes": "25"}, "`other_yes=25` was ignored: it must be in [0, 1]. The default, 0.25, is shown."),
        ({"born": "0.75"}, "`born=0.75` was ignored: it must be in [0, 0.5]. The default, 0.25, is shown."),
        ({"lying": "crosswise"}, "it must be one of “symmetric”, “asymmetric”, “unrelated question”, “same or"),
    ],
    ids=["vote", "other", "born", "kind"],
)
def test_a_link_with_a_wrong_innocent_question_says_so(link, problem):
    at = visit("voting", **{"lying": "unrelated question"} | link)
    assert problem in warnings(at)


def test_an_epsilon_that_is_typed_sets_the_design():
    at = visit("voting", lying="same or different")
    at.number_input(key="answer_epsilon").set_value(2.0).run()
    assert at.session_state["born"] == Crosswise.from_epsilon(2.0).innocent
    at = visit("voting", lying="unrelated question", other_yes="0.4")
    at.number_input(key="answer_epsilon").set_value(2.0).run()
    assert at.session_state["asks_vote"] == UnrelatedQuestion.from_epsilon(2.0, 0.4).asked


@pytest.mark.parametrize(
    "channel", [COIN_AND_BIRTHDAY, BIRTHDAY, *EXTREMES], ids=lambda one: f"{one.p10:g}-{one.p01:g}"
)
def test_every_chapter_speaks_of_an_innocent_question_and_its_code_runs(channel, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    shown = polls(channel, n_elections=20, n_voters=300)
    panels = [panel for name in CHAPTERS for panel in look(name, shown)]
    words = " ".join(panel.answer + panel.summary + panel.note for panel in panels)
    assert not re.search(r"\b(nan|None|inf)\b", words)
    told = look(PRICE, shown, replace(PLAN, lie=channel))[0].answer
    assert ("who are asked this way" in told) == (channel.contrast > 0 and not channel.is_truthful)
    if math.isfinite(channel.epsilon):
        names = {}
        exec("\n".join(str(panel.snippet) for panel in panels if panel.snippet).replace(".show()", ""), names)
        assert names["poll"].estimates == shown.poll.estimates
    questions = six_questions.questions(shown)
    assert len({question.name for question in questions}) == 6
    asked = six_questions.panels(shown)[0].answer
    assert ("whose answers say as much" in asked) == (channel in (COIN_AND_BIRTHDAY, BIRTHDAY))


@pytest.mark.parametrize("asked", [0.0, 0.25, 0.5, 1.0])
def test_the_dots_follow_the_slider_of_an_innocent_question(asked):
    data = polls(UnrelatedQuestion(0.9, 0.25)).main()[0].figure.data
    there = UnrelatedQuestion(asked, 0.25)
    lies = [slider["at_0"] + slider["slope"] * asked for (slider,) in data["sliders"]]
    assert lies == pytest.approx([there.p10, there.p01])
    assert [slider["key"] for (slider,) in data["sliders"]] == ["asks_vote", "asks_vote"]
    data = polls(BIRTHDAY).main()[0].figure.data
    assert {"key": "born", "at_0": 0, "slope": 1} in data["sliders"][0]
    assert {"key": "born", "at_0": 0, "slope": 1} in data["sliders"][1]


def test_each_voter_gives_an_answer_as_often_as_the_channel_says():
    unequal = BinaryChannel(0.1, 0.3)
    chances = [adversary.says(unequal, voted, said) for voted in (0, 1) for said in "AB"]
    assert chances == pytest.approx([0.1, 0.9, 0.7, 0.3])
    assert "A voter of A says A 70 % of the time, a voter of B 10 % of the time." in str(
        look(ONE, polls(unequal))[0].prediction
    )


def test_ways_to_ask_are_compared_at_the_epsilon_of_the_page():
    shown = polls(COIN_AND_BIRTHDAY)
    chart, table = look(WAYS_TO_ASK, shown, designs.Choice(0.05, 0.25))
    costs = voting.design_costs(COIN_AND_BIRTHDAY.epsilon, 0.25, 1000, 0.35, 0.05)
    assert [row["people_needed"] for row in chart.rows()] == [cost.people for cost in costs]
    times = costs[2].people / costs[0].people
    assert chart.answer == (
        f"At the same ε = 1.61, “same or different” needs as many people as changed answers: <b>{costs[0].people}</b> "
        f"for ± 5 points. An unrelated question needs <b>{times:.1f} times</b> as many."
    )
    assert costs[2].people == survey.voters_needed(COIN_AND_BIRTHDAY, 0.05, 0.35), "the page's own setting"
    (own,) = (trace for trace in chart.figure.figure.data if trace.name == "your setting")
    assert (own.x[0], own.y[0]) == (COIN_AND_BIRTHDAY.epsilon, costs[2].people)
    assert [row[0] for row in table.figure.cells] == [one.in_full for one in SURVEY_DESIGNS.values()]
    assert [row[2] for row in table.figure.cells] == [f"± {100 * cost.half_width:.1f} points" for cost in costs]
    two = look(WAYS_TO_ASK, polls(BinaryChannel(0.1, 0.3)))[1].figure.cells
    assert two[4][:2] == ["your two chances", "A or B: voters of B say A 10 %, of A say B 30 %"]
    assert "So does an unrelated" in look(WAYS_TO_ASK, shown, designs.Choice(0.05, 0.5))[0].answer
    assert "all say the same" in look(WAYS_TO_ASK, polls(), designs.Choice(0.05, 1.0))[0].answer
    _, wide = look(WAYS_TO_ASK, polls(BinaryChannel(0.45, 0.45)), designs.Choice(0.05, 0.01))
    assert "says nothing" in {cell for cells in wide.figure.cells for cell in cells}
    assert "January to March" in str(
        look(WAYS_TO_ASK, polls(Crosswise(0.25)), designs.Choice(0.05, 0.25))[1].figure.cells
    )
    assert "ε = 0" in look(WAYS_TO_ASK, polls(EMPTY))[0].answer
    assert "ε = ∞" in look(WAYS_TO_ASK, polls(HONEST))[0].answer


def test_the_share_of_the_unrelated_question_is_set_where_it_is_shown():
    at = visit("voting", lesson=WAYS_TO_ASK)
    at.number_input(key="other_yes").set_value(0.5).run()
    assert "So does an unrelated question" in takeaway(at)
    assert at.query_params["other_yes"] == "0.5"
    assert (
        len(
            [
                box
                for box in visit("voting", lesson=WAYS_TO_ASK, lying="unrelated question").number_input
                if box.key == "other_yes"
            ]
        )
        == 1
    )

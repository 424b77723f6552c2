"""The page that advises: four questions, one sentence, the curves with the advice on them, and the privacy label."""

import math
import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from pages.kit import more
from pages.kit.lecture import Lecture, from_link, to_link
from pages.kit.present import Position
from pages.kit.trials import Trials
from pages.kit.values import Values, from_texts, in_address
from pages.topics.advice import PAGE, standing_words
from pages.topics.advice.answer import _protection, answer, error_curves, guesses, what_to_do
from pages.topics.advice.label import privacy_label
from pages.topics.advice.question import (
    EPSILON,
    GOAL,
    KIND,
    KINDS,
    MOST_IN_CODE,
    MOST_LETTERS,
    PEOPLE,
    TRUST_NAMES,
    Question,
    delta_setting,
    question_of,
    settings,
    trust_choice,
)
from privdemo import accounting, advise
from privdemo.advise import TRUSTS, YES_NO
from privdemo.advise.shipped import people_of
from tests.pages.visiting import finished, html, plain, takeaway, visit, warnings

LINK = "https://example.org/advice?people=2000"
MEMBERS = Question("yes-no", "nobody", people=5000, within=0.03, groups=20)


def bare(markup: str) -> str:
    """The words of `markup` alone."""
    return re.sub("<[^>]+>", "", markup)


def advice_of(question: advise.Question) -> str:
    """The recommendation as it stands above the page: that the people are enough, and without the exact chance."""
    words = advise.action(question, advise.advise(question).plan).replace("about 1 in 4 (26.9 %)", "about 27 in 100")
    return (
        f"Your {question.people:,} people are enough, even if they trust nobody. To protect each answer, "
        f"{words[0].lower()}{words[1:]} Our formula corrects the total, usually to within 3 percentage points."
    )


def advice_in(words: str, trust: str) -> str:
    """The recommendation as it stands above the page, where people have this trust."""
    return f"Our advice if people trust {trust}: {words[0].lower()}{words[1:]}"


def values_of(given: dict) -> Values:
    return Values({setting.key: value for setting, value in given.items()})


def test_the_page_opens_with_questions_and_one_recommendation_below_them():
    words = takeaway(visit("advice"))
    assert bare(words) == advice_of(MEMBERS)
    assert (
        "<b>Your 5,000 people are enough, even if they trust nobody.</b> To protect each answer, let each person’s "
        "phone sometimes send the opposite answer on purpose, with a chance of about 27 in 100. So nobody, not even "
        "you, can be sure of any one answer." in words
    )


def test_a_link_holds_the_answers():
    at = visit("advice", people="2000", points="2", trust_yes_no=TRUST_NAMES["curator"])
    wanted = Question("yes-no", "curator", people=2000, within=0.02, groups=20)
    assert bare(takeaway(at)) == advise.sentence(advise.advise(wanted))


def test_a_step_of_a_lecture_holds_the_answers_and_shows_them_again():
    at = visit("advice", people="2000", points="2", trust_yes_no=TRUST_NAMES["curator"])
    said = takeaway(at)
    at.button(key="add-screen").click().run()
    (step,) = from_link(to_link(at.session_state[more.OWN])).steps
    assert step.page == "advice"
    assert step.settings == {"people": "2000", "points": "2", "trust_yes_no": TRUST_NAMES["curator"]}
    lecture = Lecture("Ours", "", 10, (replace(step, say="{people} people, ± {half_width} points."),))
    shown = finished(visit("advice", present=Position(lecture, to_link(lecture), 1).link, **step.settings))
    wanted = advise.advise(Question("yes-no", "curator", people=2000, within=0.02, groups=20))
    assert bare(said) == advise.sentence(wanted)
    (heading,) = (bare(one.value) for one in shown.markdown if "<h1" in one.value)
    assert plain(heading).strip() == f"2,000 people, ± {100 * wanted.plan.half_width:.3g} points."


def test_what_cannot_be_done_says_what_would_have_to_change():
    at = visit("advice", people="1000", points="1")
    assert "<b>It cannot be done:</b> with 1,000 people and ε of at most 1, the share of yes is right to" in takeaway(
        at
    )
    needed = advise.advise(Question("yes-no", "nobody", people=1000, within=0.01, groups=20)).plan.people_needed
    assert f"ask {needed:,} people, or accept ±" in takeaway(at)


@pytest.mark.parametrize(("key", "value"), [("people", "0"), ("points", "0"), ("trust_yes_no", "God")])
def test_an_impossible_link_is_named_and_the_default_shown(key, value):
    at = visit("advice", **{key: value})
    assert f"{key}={value}" in warnings(at)
    assert bare(takeaway(at)) == advice_of(MEMBERS)


def test_there_are_no_more_groups_than_pairs_of_people():
    at = visit("advice", people="20", groups="50", trust_yes_no=TRUST_NAMES["leader"])
    assert "`groups=50` was ignored: it must be a whole number in [1, 10]" in warnings(at)
    assert at.number_input(key="groups").value == 10
    assert "It cannot be done:" in takeaway(at)
    few = visit("advice", people="10", trust_yes_no=TRUST_NAMES["leader"])
    assert not warnings(few)
    assert few.number_input(key="groups").value == 5
    assert "It cannot be done:" in takeaway(few)


@pytest.mark.parametrize(("title", "kind"), KINDS.items())
def test_every_question_offers_those_with_whom_it_can_be_answered(title, kind):
    for word in TRUSTS[kind]:
        values = values_of({KIND: title, trust_choice(kind): TRUST_NAMES[word]})
        question = question_of(values)
        assert (question.ask, question.trust) == (kind, word)
        made = answer(question, Trials())
        (first,), (second,) = what_to_do(made), error_curves(made)
        plan = advise.advise(question).plan
        right = accounting.right_of_100_words(plan.epsilon, plan.delta)
        chance = accounting.most_guessed_right(plan.epsilon, plan.delta)
        risks = [card.probability for card in first.figure.cards if card.probability]
        if risks:
            assert risks == [chance]
            assert right.replace("fewer than", "up to") in first.figure.html
        else:
            assert f"What was sent is false about {100 * (1 - chance):.0f} of 100 times" in first.figure.html
        assert {row["trust"] for row in second.rows()} <= set(TRUSTS[kind])


def test_delta_follows_the_number_of_people_unless_it_is_typed():
    for people, default in ((500, 1e-6), (5000, 4e-8)):
        values = values_of({PEOPLE: people})
        delta = delta_setting(values)
        assert delta.default == pytest.approx(default)
        assert delta.key not in in_address(settings(values))
        assert question_of(values).delta is None
        assert question_of(values_of({PEOPLE: people, delta: 1e-5})).delta == 1e-5


def test_as_exact_as_possible_takes_the_largest_epsilon_that_is_allowed():
    values = values_of({GOAL: GOAL.options[1], EPSILON: 2.0, PEOPLE: 3000})
    question = question_of(values)
    assert question.within is None
    assert advise.advise(question).plan.epsilon == 2.0


def test_the_star_stands_where_the_advised_plan_is_on_the_curve_of_its_trust():
    made = answer(MEMBERS, Trials())
    (curves,) = error_curves(made)
    traces = curves.figure.figure.data
    (star,) = [trace for trace in traces if trace.name == "published"]
    plan = made.advice.plan
    assert (star.x[0], star.y[0]) == (plan.people, 100 * plan.half_width)
    nobody = next(trace for trace in traces if trace.name == "nobody")
    assert nobody.y[list(nobody.x).index(plan.people)] == pytest.approx(100 * plan.half_width)
    (goal,) = [trace for trace in traces if trace.name.startswith("limit")]
    assert set(goal.y) == {3.0}


def right(epsilon):
    return accounting.most_guessed_right(epsilon, 0.0)


def rows_by_title(made):
    """How often a guess is right in each case, by the title of its row."""
    return {guess.title: guess for guess in guesses(made)}


def test_the_rows_say_what_the_next_trust_gives_and_what_stays_at_risk():
    made = answer(MEMBERS, Trials())
    rows, (panel,) = rows_by_title(made), what_to_do(made)
    shuffled = made.advice.alternatives[0]

    def most_right(plan):
        return accounting.most_guessed_right(plan.epsilon_needed, plan.delta)

    mixed = rows["If people trusted a service that mixes answers"]
    assert (mixed.number, mixed.probability) == ("fewer than 52 of 100 times", most_right(shuffled))
    loss = "5,000 people are protected better, for the same ± 3 points."
    but = "But you said that people trust nobody."
    assert mixed.words == f"It mixes all answers so that nobody knows whose is whose. Then {loss} {but}"
    assert (
        f"{loss} That takes ε = {shuffled.epsilon_needed:g}. "
        f"Or keep ε = 1 and ask only {shuffled.people_needed:,} people." in panel.summary
    )
    assert panel.summary.endswith("No method hides that somebody took part, or what is true of people in general.")
    again = rows["With our advice, if a person is asked the same question 5 times"]
    assert again.number == "fewer than 88 of 100 times"
    assert panel.figure.html.count("guess-row") == 1 + len(rows)


def test_cards_say_how_many_people_are_needed_what_phones_send_what_that_protects_and_how_exact_it_is():
    (panel,) = what_to_do(answer(MEMBERS, Trials()))
    (price, sent), cards = panel.figure.contents, panel.figure.cards
    assert sent == (
        "Each phone sends",
        "the true answer 73 of 100 times, the opposite answer 27 of 100 times",
        "What was sent is false about 27 of 100 times: moderate protection. At 50 of 100 it would be a coin toss: "
        "full protection, but nothing could be learned.",
    )
    assert [(bar.name, bar.part) for bar in cards[1].bars] == [
        ("the true answer", pytest.approx(right(1.0))),
        ("the opposite answer", pytest.approx(1 / (1 + math.e))),
    ]
    assert [(bar.part, bar.words) for bar in cards[0].bars] == [(1, "4,993"), (1064 / 4993, "1,064")]
    means = "Example: if the share of yes is truly 50 %, the survey finds 47 to 53 %. About "
    means += "1 survey in 20 will miss by more."
    title = "People needed to come within 3 percentage points of the truth"
    assert price == (title, "4,993, and 1,064 with true answers", means)
    (more,) = what_to_do(answer(replace(MEMBERS, people=6000), Trials()))
    assert advise.result(advise.advise(replace(MEMBERS, people=6000))) in more.figure.contents
    for title, number, sentence in panel.figure.contents:
        assert f"{title}: {number}. {sentence}" in panel.summary
    assert "The best that is possible" not in panel.figure.html


def test_where_what_is_sent_is_not_what_others_guess_from_the_risk_has_its_own_card():
    shuffled, *_ = what_to_do(answer(replace(MEMBERS, trust="shuffler", people=50_000), Trials()))
    sent, risk = (card for card in shuffled.figure.cards if "phone" in card.title or "Risk" in card.title)
    assert (sent.title, risk.title) == (
        "Each phone sends",
        "Risk: others guess an answer right",
    )
    assert not sent.probability
    assert risk.probability < max(bar.part for bar in sent.bars), "a shuffler hides whose answer it is"
    trusted, *_ = what_to_do(answer(replace(MEMBERS, trust="curator"), Trials()))
    assert trusted.figure.cards[0].title == "Risk: others guess an answer right"


def test_where_the_goal_cannot_be_reached_the_rows_do_not_call_it_advice():
    made = answer(Question("yes-no", "nobody", people=1000, within=0.01), Trials())
    assert not made.advice.reached
    assert made.takeaway().startswith("<b>It cannot be done")
    assert [title for title in rows_by_title(made) if "our advice" in title] == []
    assert "With the best that is possible, if a person is asked the same question 5 times" in rows_by_title(made)
    (panel,) = what_to_do(made)
    assert panel.figure.html.startswith('<div class="guesses"><h4>The best that is possible:</h4>')
    assert [title for title, *_ in panel.figure.contents] == [
        "Each phone sends",
        "Margin of error",
    ]


def test_a_delta_that_adds_up_to_more_than_1_over_several_answers_counts_as_1():
    made = answer(
        replace(MEMBERS, ask="counts", trust="curator", answers=16, epsilon=0.5, within=None, delta=0.3), Trials()
    )
    # Five times, four fifths of a chance of 0.7 that nothing is told outright.
    often = accounting.most_guessed_right_again(0.5, 0.3, 5)
    again = rows_by_title(made)["With our advice, if a person is in 5 such tables"]
    assert (again.number, again.probability) == (f"fewer than {math.ceil(100 * often)} of 100 times", often)


@pytest.mark.parametrize(
    "question",
    [
        replace(MEMBERS, trust="curator", within=0.1, groups=None),
        replace(MEMBERS, trust="shuffler", people=50_000, within=0.05),
    ],
    ids=["a curator", "a shuffler"],
)
def test_curves_have_the_least_epsilon_of_every_method_where_less_is_advised(question):
    made = answer(question, Trials())
    advised = made.advice.plan.epsilon
    assert advised < 0.01
    (curves,) = error_curves(made)
    assert {row["epsilon"] for row in curves.rows()} == {0.01}
    assert f"at the same protection (ε\u00a0=\u00a00.01). Star: our advice (ε = {advised:g})." in curves.note


def test_every_option_that_is_called_otherwise_on_screen_is_one():
    for choice in (KIND, GOAL, trust_choice(YES_NO)):
        assert set(choice.shown) <= set(choice.options)


def test_a_share_of_which_nothing_is_learnt_is_said_to_be_anything():
    made = answer(Question("yes-no", "curator", people=50, within=None, epsilon=0.01), Trials())
    mixed = rows_by_title(made)["If people trusted a service that mixes answers"]
    assert (mixed.number, mixed.probability) == ("result may be anything", None)
    assert mixed.words.endswith("Then the share of yes may be anything, with ε = 0.01.")


def test_another_trust_is_said_not_to_be_theirs_only_where_it_protects_better():
    worse = answer(Question("yes-no", "curator", people=600, within=0.05), Trials())
    assert not [row for row in guesses(worse) if "But you said" in row.words]
    lost = answer(Question("yes-no", "nobody", people=50, within=None, epsilon=0.01), Trials())
    assert not [row for row in guesses(lost) if "But you said" in row.words]


def test_trust_that_changes_nothing_is_said_to_be_no_gain():
    made = answer(question_of(values_of({KIND: next(reversed(KINDS))})), Trials())
    row = rows_by_title(made)["If people trusted the leader of each group"]
    assert (row.number, row.words) == ("no gain", "Then nothing changes.")


def test_a_classifiers_advice_says_that_one_number_of_people_was_tried():
    values = values_of({KIND: next(reversed(KINDS)), PEOPLE: 5000})
    made = answer(question_of(values), Trials())
    assert "No other number of people was tried." in what_to_do(made)[0].figure.html
    (curves,) = error_curves(made)
    assert "with 500 people" in curves.note
    assert curves.links[0][0] == "comparison"
    tried = {people_of(name) for name in advise.SHIPPED}
    assert tried == {500, 240}
    assert "ten trials with 500 people, or 240 with small digits" in standing_words(made.question)["Limits"]


def test_five_questions_are_answered_from_the_label_alone():
    made = answer(MEMBERS, Trials())
    (panel,) = privacy_label(made, ("Have you ever cheated?", LINK))
    card = bare(panel.figure.html).replace("\u00a0", " ")
    for words in (
        "ε = 1 for one answer (0 gives nothing away)",  # how much does one answer give away?
        "After 5 times such a guess is right fewer than 88 of 100 times",  # and if I am asked again?
        "sees what each telephone sends, and cannot be sure which answers are true",  # who sees my answer?
        "Only the telephone: to change answers as this label says",  # whom must I trust?
        "With 5,000 people the share of yes is right to ± 3 percentage points in 95 of 100 surveys",  # how exact is it?
        "“Have you ever cheated?”",
        LINK,
    ):
        assert words in card, words
    assert 'src="data:image/svg+xml' in panel.figure.html


LONG = {"question": "問" * MOST_LETTERS, "people": "800"}


def words_of(at):
    """The markup on screen, with plain spaces."""
    return unescape(html(at)).replace("\u00a0", " ")


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"people": "800", "points": "4", "question": "Did you?"},
        {"ask": next(reversed(KINDS))},
        {"trust_yes_no": TRUST_NAMES["shuffler"], "most_epsilon": "0.5"},
        LONG,
    ],
)
def test_every_number_of_the_label_is_computed_from_the_link_that_it_shows(link):
    card = words_of(visit("advice", advice_look="Privacy label", **link))
    (shown,) = re.findall(r"<div>(/advice.*?)<br>", card)
    settings = {key: value for key, (value,) in parse_qs(urlsplit(shown).query).items()}
    assert settings == {key: value for key, value in link.items() if link is not LONG or key != "question"}
    found = advise.advise(question_of(from_texts(PAGE.settings, settings)))
    for line in advise.label(found, link.get("question", "")):
        assert line.text in card, line.title
    if found.question.trust == "nobody" and found.question.ask == "yes-no":
        # The same from the numbers on the card alone.
        epsilon = float(re.search(r"ε = ([\d.]+) for one answer", card)[1])
        people = int(re.search(r"With ([\d,]+) people", card)[1].replace(",", ""))
        lie = 1 / (1 + math.exp(epsilon))
        half_width = 100 * 1.96 * 0.5 / math.sqrt(people + 1.96**2) / (1 - 2 * lie)
        assert re.search(
            rf"send the opposite answer with a chance of (about 1 in \d+ \()?{100 * lie:.3g} %",
            card,
        )
        assert accounting.right_of_100_words(epsilon, 0.0) in card
        assert float(re.search(r"right to ± ([\d.]+) percentage points", card)[1]) == pytest.approx(
            half_width, abs=0.005
        )


def test_a_question_for_which_a_code_has_no_room_is_left_out_of_the_link_not_off_the_card():
    card = words_of(visit("advice", advice_look="Privacy label", **LONG))
    assert f"“{LONG['question']}” Wanted" in card
    assert "computed from this link, which has no room for the question." in card
    assert "no room" not in words_of(visit("advice", advice_look="Privacy label", question="Did you?"))


def test_the_squares_of_the_longest_code_are_large_enough_on_paper():
    link = "https://example.org/advice?".ljust(MOST_IN_CODE, "x")
    (panel,) = privacy_label(answer(MEMBERS, Trials()), ("", link))
    squares = int(re.search(r"%200h(\d+)v", panel.figure.html)[1])
    assert "img { width: 34mm" in panel.figure.html
    assert 34 / squares >= 0.4, "millimetres"


def test_the_code_of_the_page_prints_the_advice():
    printed = []
    for panel in [
        *what_to_do(answer(MEMBERS, Trials())),
        *error_curves(answer(MEMBERS, Trials())),
        *privacy_label(answer(MEMBERS, Trials()), ("", LINK)),
    ]:
        exec(str(panel.snippet), {"print": lambda *words, **_: printed.append(words)})
    assert printed[0] == (advise.sentence(advise.advise(MEMBERS)),)


def test_a_question_stands_on_the_label_and_one_that_is_too_long_is_refused():
    at = visit("advice", advice_look="Privacy label", question="Did you <b>pay</b>?")
    assert "“Did you &lt;b&gt;pay&lt;/b&gt;?” Wanted: the share" in html(at)
    at = visit("advice", advice_look="Privacy label", question="x" * 300)
    assert "question" in warnings(at)
    assert "200" in warnings(at)


def test_the_people_that_another_protection_would_need_are_not_said_to_be_needed():
    many = answer(replace(MEMBERS, people=1_000_000), Trials())
    assert many.advice.plan.epsilon < MEMBERS.epsilon
    assert many.takeaway().startswith("<b>Your 1,000,000 people are enough")
    assert "4,993" not in many.takeaway()
    assert "about 1 in 2 (48.4 %)" in many.takeaway(), "not a fair coin, which would say nothing"
    (panel,) = what_to_do(many)
    title, number, words = panel.figure.contents[-1]
    assert (title, number) == ("People needed to come within 3 percentage points of the truth", "4,993")
    assert words.startswith("This is with the least protection that you allow. ")
    assert "Example" not in words, "with the advised protection they would need more people"
    few = advise.price(advise.advise(Question("yes-no", "nobody", people=20, within=0.3, epsilon=10.0)))
    assert few[2].startswith("This is with the least protection that you allow. Privacy needs no more")


def test_an_epsilon_that_is_the_allowed_one_but_for_rounding_counts_as_it():
    asked = Question("one-of-k", "nobody", within=0.03, answers=16, epsilon=5.0)
    made = answer(asked, Trials())
    assert 0.99 * asked.epsilon < made.advice.plan.epsilon < asked.epsilon
    assert made.people_needed
    assert "least protection" not in advise.price(made.advice)[2]


@pytest.mark.parametrize(
    ("within", "words"),
    [
        (0.0299, "finds 47.01 to 52.99 %. About"),
        (0.01, "people are enough for a result within 1 percentage point of the truth;"),
        (0.5, "would be enough."),
    ],
)
def test_an_example_of_the_error_is_exact_and_left_out_where_it_would_be_everything(within, words):
    made = answer(Question("yes-no", "nobody", within=within, epsilon=1.0), Trials())
    said = f"{made.takeaway()} {advise.price(made.advice)[2]}"
    assert words in said
    assert ("Example: if" in said) == (within < 0.5)


def test_of_two_answers_a_phone_sends_the_opposite_one():
    two = answer(Question("one-of-k", "nobody", people=5000, within=0.03, answers=2), Trials())
    assert "send the opposite answer" in two.takeaway()
    (panel,) = what_to_do(two)
    assert "the opposite answer" in panel.summary


def test_of_three_answers_the_risk_is_not_that_of_what_one_phone_sends():
    three = Question("one-of-k", "nobody", people=5000, answers=3, within=0.05, epsilon=8.0)
    made = answer(three, Trials())
    plan = replace(made.advice.plan, epsilon=8.0, parameters={**made.advice.plan.parameters, "flip_prob": 6.7e-4})
    cards = _protection(replace(made, advice=replace(made.advice, plan=plan)))
    assert [card.title for card in cards][-1] == "Risk: others guess an answer right"


def test_whom_the_people_must_trust_is_who_adds_the_noise():
    trusted = answer(replace(MEMBERS, trust="curator"), Trials()).takeaway()
    assert trusted.startswith(
        "<b>Your 5,000 people are enough, if they trust a curator.</b> To protect each answer, let a"
    )
    assert trusted.endswith("The result is usually within 3 percentage points of the truth.")
    needless = Question("one-of-k", "leader", people=100, within=0.2, answers=3, epsilon=2.0, groups=20)
    assert "even if they trust nobody." in answer(needless, Trials()).takeaway()

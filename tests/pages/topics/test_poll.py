"""The page that asks a class: steps that follow the answers, three ways to one reveal, and a secret that stays one."""

import re
from collections.abc import Callable
from statistics import median
from unittest.mock import Mock

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.kit import lecture, presenter, screen
from pages.kit.panel import Panel
from pages.kit.present import read_position
from pages.kit.qr_code import qr_code
from pages.kit.trials import Trials
from pages.kit.values import Values
from pages.topics import many_answers
from pages.topics.poll import PAGE, join
from pages.topics.poll.answer import Answer, answer, how_to_lie
from pages.topics.poll.controls import PEOPLE, QUESTIONS, REAL_SYSTEMS, SEED, rehearsing
from pages.topics.poll.question import (
    HANDS,
    REHEARSAL,
    STEPS,
    TELEPHONES,
    Join,
    Question,
    check_answers,
    check_question,
)
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig
from privdemo.figures import poll as charts
from server import server_settings
from server.room import Room
from tests.figures.reading import NASTY
from tests.pages.kit.elements import component_data
from tests.pages.visiting import html as markup
from tests.pages.visiting import takeaway, visit, warnings

CHAPTERS = {chapter.name: chapter for chapter in PAGE.chapters.all}
COIN = PollConfig()


def shown(way: str = HANDS, *rounds: tuple[int, ...], config: PollConfig = COIN, **more) -> Answer:
    return answer(Question(way, "Is it so?", config, rounds or ((60, 40),), **more), Trials())


def join_words(at: AppTest) -> str:
    """What stands beside the dots: how to join, and how many have answered."""
    (data,) = component_data(at, "poll_reveal")
    return data["head"]


def panel(step: str, of: Answer, *arguments: int) -> Panel:
    (found,) = CHAPTERS[step].panels(of, *arguments)
    return found


def disobeyed(check: str, **more) -> Answer:
    """A rehearsal of 400 people, of whom 80 always send “No”."""
    config = PollConfig(lie=0.1, check=check)
    class_ = poll.rehearse(config, 400, 78, 0.2)
    given = {"expected": 400, "truth": class_.truth, "disobey": class_.disobey} | more
    return shown(REHEARSAL, class_.counts(1, 400), config=config, **given)


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [(2, 1), (87, 113), (700, 300)])
def test_each_step_is_said_in_so_few_words_that_a_slide_shows_them(counts):
    of = shown(REHEARSAL, counts, expected=sum(counts), truth=counts)
    for step in STEPS[1:]:
        said = screen._bare(panel(step, of, *([2] if step == "Asking everybody again" else [])).answer)
        assert len(said.split()) <= screen._MOST_WORDS, said


@pytest.mark.parametrize(
    ("way", "counts", "code", "ready"),
    [
        (REHEARSAL, (0, 0), None, False),
        (REHEARSAL, (1, 0), None, True),
        (HANDS, (0, 0), None, False),
        (TELEPHONES, (0, 0), "", False),
        (TELEPHONES, (0, 0), "abcd", True),
    ],
)
def test_chapters_are_folded_until_somebody_has_answered_or_may_on_a_telephone(way, counts, code, ready):
    joined = None if code is None else Join(code, "here", True, False)
    assert PAGE.chapters.ready(shown(way, counts, join=joined).question) == ready


def test_the_fold_has_every_chapter_and_the_next_one_waits():
    at = visit("poll")
    folds = [one.proto.body for one in at.get("html") if "all-chapters" in one.proto.body]
    (fold,) = folds
    assert "<summary>What happens next</summary>" in fold
    assert " open" not in fold
    assert not [button for button in at.button if button.key == "next-chapter"]
    at = visit("poll", people="50", step="Answers as sent")
    assert not [one for one in at.get("html") if "all-chapters" in one.proto.body]
    assert [button for button in at.button if button.key == "next-chapter"]


def test_each_step_says_its_number():
    of = shown()
    (_, yes_true, *_), found = ("", of.found.readings[0].estimated), of.found
    assert of.takeaway().startswith(
        "Each person switches their answer (“Yes” to “No”, or “No” to “Yes”) with a chance of <b>25 %</b>, so nobody"
    )
    assert of.takeaway().endswith("Type how many people raise a hand for each answer.")
    assert "<b>100</b> have answered" in of.main()[0].figure.data["head"]
    assert of.main()[0].figure.data["counts"] == [100], "what they sent is not told before the reveal"
    assert panel("Answers as sent", of).answer == (
        "<b>60</b> of 100 people sent “Yes”. Chance may have changed any of these answers."
    )
    assert (
        "“Yes” would be true for <b>60.0 %</b> (95 % interval: 49.7–69.7 %). But if it were true for nobody"
        in panel("Percentages as sent", of).answer
    )
    assert (
        f"<b>70.0 %</b> (95 % interval: {100 * yes_true.low:.1f}–{100 * yes_true.high:.1f} %)."
        in panel("Estimated percentages", of).answer
    )
    one = panel("What one answer reveals", of).answer
    assert (
        "Of 100 people who sent “Yes”, about <b>88 (95 % interval: 75–96)</b> would honestly say “Yes”. Before their "
        "answer we would have guessed 70 (49" in one
    )
    assert "One answer changes the odds by a factor of 3.00 at most." in panel("What one answer reveals", of).summary
    cost = poll.price(found)
    assert f"100 private answers are worth <b>{cost.without_lies}</b> open ones" in panel("How many to ask", of).answer
    last = panel("Asking everybody again", shown(HANDS, (3200, 1200)), 5).answer
    assert last.endswith("“Yes” all 5 times, it is true for <b>over 99.9</b>.")
    assert "answer “Yes” both times, it is true for <b>95 (90–99)</b>; all 5 times, for 99.8 (" in (
        panel("Asking everybody again", of, 2).answer
    )


def test_of_more_than_two_answers_sentences_are_about_the_one_most_widely_true():
    of = shown(HANDS, (5, 30, 10), config=PollConfig(("a", "b", "c"), 0.3))
    assert panel("Answers as sent", of).answer.startswith("<b>30</b> of 45 people sent “b”")
    assert panel("What one answer reveals", of).answer.startswith("Of 100 people who sent “b”")


def test_an_answer_that_names_a_picture_stands_as_it_was_typed():
    of = shown(config=PollConfig((":material/close:", "no"), 0.25))
    assert "“:material&#47;close:”" in panel("Answers as sent", of).answer, "else Streamlit makes it :material_close:"


def test_where_nobody_has_answered_there_is_nothing_to_read():
    of = shown(HANDS, (0, 0))
    assert "answered" not in of.takeaway() + of.main()[0].figure.html
    for step in STEPS[1:]:
        found = panel(step, of, *([2] if step == "Asking everybody again" else []))
        assert found.figure is None
        assert found.question
        assert "nothing to read" in found.answer


def test_the_time_that_most_answered_is_read():
    at = join.join("BCDFG", True, None)
    of = shown(TELEPHONES, (60, 40), (1, 2), join=at)
    assert of.found.n_answers == 100
    assert of.takeaway().startswith("The question is asked for the 2nd time. Each phone switches")
    assert of.main()[0].figure.data["head"].count("<b>3</b> have answered") == 1
    assert panel("Asking everybody again", of, 2).answer.startswith(
        "The 2nd time, <b>3 people</b> answered. Asking again "
    )
    assert shown(TELEPHONES, (5, 5), (4, 6), join=at).question.counts == (4, 6)


def test_a_rehearsal_shows_its_true_shares_only_at_the_end():
    of = shown(REHEARSAL, (60, 40), expected=100, truth=(55, 45))
    said = panel("Comparison with the truth", of).answer
    assert "true for <b>55.0 %</b>" in said
    assert said.endswith("%, contains this; the interval without correction, 49.7–69.7 %, contains it.")
    assert panel("Comparison with the truth", of).rows()[0]["true"] == 0.55
    assert "; in truth 55. Nobody can tell for sure" in panel("Summary", of).answer
    for step in [step for step in STEPS[1:-1] if step != "Comparison with the truth"]:
        found = panel(step, of, *([2] if step == "Asking everybody again" else []))
        assert "55" not in re.sub(r"“.*?”", "", found.answer), step
        assert "true" not in found.rows()[0]
    assert not CHAPTERS["Comparison with the truth"].fits(Question(HANDS, "?", COIN, ((1, 1),)))


@pytest.mark.parametrize("check", [poll.HALVES, poll.CONTROL])
def test_a_poll_with_a_check_says_how_many_did_not_follow_the_wheel(check):
    of = disobeyed(check)
    part, share = of.found.noticed.part, of.found.noticed.share
    estimated = panel("Estimated percentages", of)
    number, low, high = (f"{100 * one:.0f}" for one in part)
    assert estimated.answer == (
        f"Of those who followed the wheel, “Yes” is true for <b>{100 * share.mean:.1f} %</b> (95 % interval: "
        f"{100 * share.low:.1f}–{100 * share.high:.1f} %); about <b>{number} of 100</b> did not follow it "
        f"({low}–{high})."
    )
    assert "Those who did not follow the wheel are taken to have sent “No”" in estimated.summary
    assert "share among those who followed the wheel" in estimated.figure.data["note"]
    assert estimated.rows()[0]["not_following"] == part.mean
    truth = panel("Comparison with the truth", of).answer
    assert truth.endswith(f"<b>80 of 400</b> always sent “No”, estimated {number} of 100 ({low}–{high}).")
    last = panel("Summary", of).answer
    assert "if it is as common among those who did not follow the wheel" in last
    for step in STEPS[1:]:
        words = screen._bare(panel(step, of, *([2] if step == "Asking everybody again" else [])).answer)
        assert len(words.split()) <= screen._MOST_WORDS, words


def test_what_two_wheels_do_is_said_of_each():
    of = disobeyed(poll.HALVES)
    assert (
        "switches each answer (“Yes” to “No”, or “No” to “Yes”) with a chance of <b>10 %</b> on half of the "
        "telephones, of <b>40 %</b> on the others" in of.takeaway()
    )
    assert "With probability 10 % on one half of the telephones and 40 % on the other" in how_to_lie(of.question)
    assert "by chance" in panel("Percentages as sent", of).answer
    assert "both times with the 10 % wheel, it is true" in panel("Asking everybody again", of, 2).answer
    one = panel("What one answer reveals", of)
    meant = of.found.readings[0].meant
    assert meant.mean == pytest.approx(poll.asked_again(of.found)[0].meant[0].mean)
    assert "Of 100 people who sent “Yes” with the 10 % wheel, about" in one.answer
    assert one.summary.endswith("The odds change at most 9.00-fold.")
    assert "with the 10 % wheel" in one.summary
    piles = panel("Answers as sent", of).figure.data
    share, part, lie = of.found.noticed.share.mean, of.found.noticed.part.mean, of.found.channel.p10
    assert 0.2 < lie < 0.3
    assert piles["changed"] == pytest.approx([400 * (1 - part) * one * lie for one in (1 - share, share)], rel=0.1)
    assert "has the probability 10 %, the other 40 %" in PAGE.folds(of.question, of)["How it works"]
    assert "their birthday is in January" in PAGE.folds(disobeyed(poll.CONTROL).question, of)["How it works"]


def test_a_rehearsal_of_people_who_disobey_misleads_a_poll_without_a_check_and_says_so():
    of = disobeyed(poll.NO_CHECK)
    assert panel("Comparison with the truth", of).answer.endswith("misses this; <b>80 of 400</b> always sent “No”.")
    assert "follow" not in panel("Estimated percentages", of).answer
    obeyed = disobeyed(poll.CONTROL, disobey=0)
    assert "; everybody followed the wheel, estimated 1" in panel("Comparison with the truth", obeyed).answer


def test_with_one_wheel_alone_nothing_is_said_of_who_does_not_follow_it():
    of = shown(TELEPHONES, (20, 20, 0, 0), config=PollConfig(check=poll.HALVES))
    assert "follow" not in panel("Estimated percentages", of).answer
    assert panel("How many to ask", of).answer.startswith("40 private answers are worth")


def test_doubtful_answers_are_said_to_be():
    doubted = shown(HANDS, (10, 90))
    for step, arguments in {
        "Estimated percentages": (),
        "What one answer reveals": (),
        "Asking everybody again": (2,),
    }.items():
        assert "the model is doubtful</b>. If it held: " in panel(step, doubted, *arguments).answer, step
        assert "doubtful" not in panel(step, shown(), *arguments).answer
    assert "narrower" not in panel("Estimated percentages", doubted).answer


def test_few_answers_are_no_certainty():
    few = shown(HANDS, (3, 0), shows_few=True)
    assert "about <b>100 (95 % interval: 22–100)</b> would" in panel("What one answer reveals", few).answer
    again = panel("Asking everybody again", few, 2).answer
    assert again.startswith("Of 100 people who answer “Yes” both times, it is true for <b>100 (45–100)</b>; all 5"), (
        "the estimate cannot rise"
    )
    assert panel("How many to ask", few).answer.startswith("3 private answers are worth <b>less than 1</b> open one.")
    assert panel("How many to ask", shown(HANDS, (1, 0), shows_few=True)).answer.startswith(
        "1 private answer is worth <b>less than 1</b>"
    )
    assert "worth <b>3</b> open ones." in panel("How many to ask", shown(HANDS, (10, 9), shows_few=True)).answer


def test_an_answer_among_few_lies_is_not_said_to_give_nobody_away():
    assert "so nobody can be sure of any one person’s true answer. As we know this chance" in shown().takeaway()
    assert (
        "so an answer changes the odds by a factor of 99 at most. As" in shown(config=PollConfig(lie=0.01)).takeaway()
    )


@pytest.mark.parametrize("step", STEPS)
def test_a_teachers_words_are_no_markup_anywhere(step):
    of = shown(REHEARSAL, (60, 40), config=PollConfig((NASTY, "no"), 0.2), expected=100, truth=(55, 45))
    found = panel(step, of, *([2] if step == "Asking everybody again" else []))
    for words in (found.question, found.answer, found.summary, found.figure.body(), how_to_lie(of.question)):
        assert "<script>alert" not in words
    compile(str(found.snippet), step, "exec")


def test_how_to_lie_is_a_coin_or_cards():
    assert "First tails: the second toss answers; heads is “Yes”, tails is “No”." in how_to_lie(shown().question)
    fifth = how_to_lie(shown(config=PollConfig(lie=0.2)).question)
    assert "one of 5 cards, 1 of which says “other”" in fifth
    assert "raises a hand for the other answer" in fifth
    three = PollConfig(("a", "b", "c"), 0.4)
    hands = how_to_lie(shown(HANDS, (1, 2, 3), config=three).question)
    assert (
        "two cards and shows them to nobody: one of 5, 2 of which say “other”, and one of 2, numbered 1 to 2." in hands
    )
    assert "for the answer that many places after the true one (after the last comes the first)" in hands
    sends = how_to_lie(shown(REHEARSAL, (1, 2, 3), config=three, expected=6).question)
    assert "sends one of the other answers, each as often, in the place" in sends


# --- what is asked -------------------------------------------------------------------------------


def test_below_the_epsilon_of_an_answer_stands_a_link_to_those_of_real_systems():
    (way,) = [one for one in visit("poll").get("page_link") if "real systems" in one.proto.label]
    chapters = many_answers.PAGE.chapters
    assert (way.proto.page, way.proto.query_string) == (
        "many_answers",
        "answers_look=Where+real+systems+stand&answer_epsilon=1.1",
    )
    assert list(REAL_SYSTEMS) == [chapters.key]
    assert "answer_epsilon" in [setting.key for setting in many_answers.PAGE.all_settings(Values())]
    assert REAL_SYSTEMS[chapters.key] in [chapter.name for chapter in chapters.all]


def test_questions_to_start_from_can_be_asked():
    for text, answers in QUESTIONS.values():
        assert check_question(text) == text
        assert " / ".join(check_answers(answers)) == answers


def test_a_question_to_start_from_is_asked_by_the_button_with_its_name():
    at, (name, (asked, answers)) = visit("poll"), list(QUESTIONS.items())[-1]
    at.button(key=f"ask {name}").click().run()
    assert [at.text_input(key=key).value for key in ("asked", "answers")] == [asked, answers]
    assert [button.label for button in at.button if button.key.startswith("ask ")] == list(QUESTIONS)


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("Yes/No", ("Yes", "No")),
        (" Yes /  not  yet ", ("Yes", "not yet")),
        ("Tea and/or milk / neither", ("Tea and/or milk", "neither")),
    ],
)
def test_a_slash_parts_answers(line, answers):
    assert check_answers(line) == answers


@pytest.mark.parametrize(
    ("check", "words", "sentence"),
    [
        (check_question, " ", "there is no question yet; type one"),
        (
            check_question,
            "x" * 10_000,
            "the question may have 800 characters, this has 10,000; at most 200 letters are shown",
        ),
        (check_answers, "Yes", "a question has 2 to 6 answers, this one has 1; one answer hides nothing"),
        (check_answers, "/".join("abcdefg"), "this one has 7"),
        (check_answers, "Yes / yes", "answers must differ"),
        (check_answers, "Yes / ", "answer 2 is empty; type it"),
    ],
)
def test_invalid_questions_and_answers_are_refused_in_a_sentence(check, words, sentence):
    with pytest.raises(ValueError, match=sentence):
        check(words)


# --- how to join ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "seen", "address"),
    [
        ("https://class.example/", "http://localhost:8501/poll", "https://class.example/p/BCDFG"),
        ("", "http://10.0.0.5:8501/poll?way=On+their+phones", "http://10.0.0.5:8501/p/BCDFG"),
        ("class.example", "http://10.0.0.5/poll", "http://10.0.0.5/p/BCDFG"),  # no address without a scheme
        ("", "http://teacher:word@class.example/poll", "http://class.example/p/BCDFG"),
        ("", "javascript:alert(1)", "http://localhost:8501/p/BCDFG"),
        ("", "http://class.example:port/", "http://localhost:8501/p/BCDFG"),
        ("", None, "http://localhost:8501/p/BCDFG"),
    ],
)
def test_a_class_goes_to_the_address_given_or_to_the_teachers_own(monkeypatch, given, seen, address):
    monkeypatch.setenv(server_settings.SITE, given)
    at = join.join("BCDFG", True, seen)
    assert at.address == address
    assert at.local == ("localhost" in address)


def test_a_class_goes_to_the_address_at_which_the_poll_is_open_to_the_room(monkeypatch):
    registry = Room()
    monkeypatch.setattr(join, "ROOM", registry)
    seen = "http://localhost:8501/poll"
    registry.open("BCDFG", "192.168.1.20", 8501, 60, ())
    at, other = join.join("BCDFG", True, seen), join.join("ZZZZZ", True, seen)
    assert (at.address, at.local) == ("http://192.168.1.20:8501/p/BCDFG", False)
    assert (other.address, other.local) == ("http://localhost:8501/p/ZZZZZ", True)
    registry.close("BCDFG")
    assert join.join("BCDFG", True, seen).local


def test_the_wall_shows_no_address_that_telephones_cannot_reach_and_no_command():
    for seen in ("http://localhost:8501/poll", "http://127.0.0.1:8501", "http://[::1]:8501/", None):
        html = join.picture(join.join("BCDFG", True, seen))
        assert html == '<p class="poll-closed">The teacher has not opened the poll to this room yet.</p>'


def test_the_picture_holds_the_address_its_code_and_whether_it_is_closed():
    at = join.join("BCDFG", True, "http://10.0.0.5:8501")
    html = join.picture(at)
    assert "10.0.0.5:8501/p/<wbr><b>BCDFG</b>" in html
    assert "closed" not in html
    closed = join.picture(join.join("BCDFG", False, "http://10.0.0.5:8501"))
    assert "closed" in closed
    assert "<img" not in closed, "nobody joins it any more"
    assert qr_code(at.address).startswith("data:image/svg+xml")
    assert qr_code(at.address) != qr_code(at.address + "H")


# --- the page ------------------------------------------------------------------------------------


def test_the_class_that_rehearses_first_is_as_far_off_as_most():
    def error(seed: int) -> float:
        group = poll.rehearse(COIN, PEOPLE.default, seed)
        found = poll.reveal(COIN, group.counts(1, PEOPLE.default))
        return abs(found.readings[0].estimated.mean - group.shares[0])

    assert error(SEED.default) == pytest.approx(median(map(error, range(100))))


def test_a_show_of_hands_is_read_and_another_lie_with_it():
    at = visit("poll", way=HANDS, hands_1="60", hands_2="40", step="Estimated percentages", poll_lie="0.1")
    assert "“Yes” is true for <b>62.5 %" in takeaway(at)
    assert at.number_input(key="hands_1").label == "Hands for “Yes”"
    at = visit("poll", way=HANDS)
    at.text_input(key="answers").set_value("Yes / <b>No</b> / Perhaps").run()
    assert not at.exception
    assert at.number_input(key="hands_3").label == "Hands for “Perhaps”"
    at.text_input(key="answers").set_value("Yes").run()
    assert takeaway(at).endswith("this one has 1; one answer hides nothing, and six fit on a telephone.</p>")


def test_a_check_is_set_in_the_settings_and_kept_in_the_link_where_there_can_be_one():
    at = visit("poll", rules_check="two wheels", disobey="20", poll_lie="0.1", step="Estimated percentages")
    assert "did not follow it" in takeaway(at)
    assert at.selectbox(key="rules_check").value == "two wheels"
    assert any("a wheel that changes 40 % of the answers (ε = 0.41)" in caption.value for caption in at.caption)
    at.selectbox(key="rules_check").set_value("a control question").run()
    assert any("Each of the two answers has ε = 2.2" in caption.value for caption in at.caption)
    assert "did not follow it" in takeaway(at)
    at.selectbox(key="rules_check").set_value("no").run()
    assert "did not follow it" not in takeaway(at)
    of_three = visit("poll", rules_check="two wheels", answers="a / b / c", step="Estimated percentages")
    assert "did not follow it" not in takeaway(of_three)
    assert any(caption.value.endswith("can be checked for two answers only.") for caption in of_three.caption)
    hands = visit("poll", way=HANDS, rules_check="two wheels", hands_1="60", hands_2="40")
    assert any(caption.value.startswith("A show of hands cannot check") for caption in hands.caption)
    assert not hands.selectbox
    assert not hands.exception


def test_a_bad_link_is_noted():
    at = visit("poll", way="Carrier pigeon", asked="x" * 201, answers="Yes", poll_lie="0.6")
    for key in ("way", "asked", "answers", "poll_lie"):
        assert f"`{key}" in warnings(at), key
    assert "Rehearse with simulated people" in takeaway(at)


def test_a_rehearsal_is_watched_from_the_start(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(rehearsing.time, "monotonic", lambda: now[0])
    at = visit("poll", people="50", pace="10")
    assert "<b>0</b> of 50 simulated people" in join_words(at)
    at.button(key="watch").click().run()
    assert "<b>0</b> of 50 simulated people" in join_words(at)
    now[0] += 2.05
    at.run()
    assert "<b>20</b> of 50 simulated people" in join_words(at)
    now[0] += 60
    at.run()
    assert "<b>50</b> of 50 simulated people" in join_words(at)


def test_a_later_step_of_a_rehearsal_is_about_all_of_them():
    assert "of 50 people sent" in takeaway(visit("poll", people="50", step="Answers as sent"))


def test_estimates_wait_for_thirty_answers_or_for_the_teacher():
    of = shown(HANDS, (20, 9))
    for step in STEPS[1:]:
        if step != "Comparison with the truth":
            arguments = [2] if step == "Asking everybody again" else []
            found = panel(step, of, *arguments)
            assert found.answer == "Too few to tell: <b>29</b> have answered; 30 are enough."
            assert found.figure is None
            assert (found.on_slide.data["counts"], found.on_slide.data["expected"]) == ([29], 30)
            assert panel(step, shown(HANDS, (20, 10)), *arguments).figure is not None
    at = visit("poll", way=HANDS, hands_1="2", hands_2="1", step="Estimated percentages")
    assert "Too few to tell: <b>3</b> have answered" in takeaway(at)
    at.button(key="show-few").click().run()
    assert "Corrected for the changed answers, we estimate that “Yes” is true for" in takeaway(at)
    assert at.query_params["few"] == "show them anyway"
    assert not any(button.key == "show-few" for button in at.button)


def test_the_picture_of_answers_has_a_dot_for_each_and_as_many_hollow_as_chance_changes_on_average():
    of = shown(HANDS, (600, 400))
    data = panel("Answers as sent", of).figure.data
    assert (data["counts"], data["labels"]) == ([600, 400], ["600", "400"])
    assert data["changed"] == [round(r.senders * (1 - r.meant.mean)) for r in of.found.readings]
    many = panel("Answers as sent", shown(HANDS, (3000, 2000))).figure.data
    assert many["counts"] == [600, 400]
    assert "Each dot stands for 5 people." in many["note"]
    last = panel("Estimated percentages", of).figure.data["readings"][0]
    assert (last["said"][0], last["estimated"]) == (0.6, list(of.found.readings[0].estimated))


@pytest.mark.parametrize(("counts", "number"), [((26, 14), 0), ((600, 400), 0), ((5, 30, 10), 1), ((3000, 2000), 0)])
def test_the_last_frame_is_everybody_who_answered_as_the_interval_has_it(counts, number):
    of = shown(HANDS, counts, config=PollConfig(("a", "b", "c")[: len(counts)], 0.25))
    n, shown_people = sum(counts), min(sum(counts), 1000)
    mean, low, high = of.found.readings[number].estimated
    found = panel("Summary", of)
    whole = f"<b>{n * mean:,.0f}</b> (95 % interval: {n * low:,.0f}–{n * high:,.0f})"
    assert found.answer.startswith(f"Of these {n:,} people, “{'ab'[number]}” is true for about {whole}.")
    assert "Nobody can tell for sure for whom it is true" in found.answer
    picture = charts.whole_class(of.found, number)
    assert picture.svg.count("M") == shown_people
    hollow = re.findall(r'fill="none"[^>]* d="([^"]*)"', picture.svg)
    assert sum(path.count("M") for path in hollow) == round(shown_people * high) - round(shown_people * low)
    assert picture.heading == "How many, not who: no mark is a particular person." + " Each dot stands for 5 people" * (
        n == 5000
    )
    wide = charts.whole_class(of.found, number, on_wide_screen=True)
    assert wide.svg.count("M") == shown_people
    assert wide.columns >= picture.columns
    legend = charts.whole_class_legend(of.found, number)
    assert len(set(legend.values())) == 4
    assert list(legend)[-1] == ("“b”" if len(counts) == 2 else "another answer")


def test_the_last_frame_of_few_changed_answers_does_not_say_that_nobody_knows():
    last = panel("Summary", shown(config=PollConfig(lie=0.01))).answer
    assert last.endswith("What is learned of each of them changes the odds by a factor of 99 at most.")


def test_it_is_projected_step_by_step(monkeypatch):
    at = visit("poll", way=HANDS, hands_1="60", hands_2="40", step="Answers as sent", asked="Is *it* so?")
    with monkeypatch.context() as too_long:
        too_long.setattr(lecture, "to_link", Mock(side_effect=ValueError("the link is too long")))
        at.button(key="project").click().run()
    assert at.toast[0].value == "The link is too long."
    at.button(key="project").click().run()
    assert not at.exception
    here = read_position("".join(at.query_params["present"]))
    assert here.number == 2
    known = [step for step in STEPS[1:] if step != "Comparison with the truth"]
    assert [step.settings.get("step") for step in here.lecture.steps] == [None, *known]
    assert [step.say for step in here.lecture.steps] == ["Is *it* so?", *([""] * len(known))]
    assert "60</b> of 100 people sent" in takeaway(at)
    assert here.lecture == lecture.from_link(here.name)


@pytest.fixture
def clicker(monkeypatch) -> None:
    """Buttons in the place of a clicker's keys."""

    def buttons(number: int, n_steps: int, title: str, moved: Callable[[str], None]) -> None:
        for move in (presenter.NEXT, presenter.PREVIOUS):
            st.button(move, key=move, on_click=moved, args=(move,))

    monkeypatch.setattr(presenter, "mount", buttons)


def test_hands_are_counted_on_the_wall(clicker):
    at = visit("poll", way=HANDS)
    at.button(key="project").click().run()
    for key, people in {"hands_1": 30, "hands_2": 4}.items():
        at.number_input(key=key).set_value(people).run()
    at.button(key="next").click().run()
    assert "<b>30</b> of 34 people sent" in takeaway(at)
    assert not [box for box in at.number_input if box.key.startswith("hands")], "all have been counted"
    at.button(key="previous").click().run()
    assert (at.number_input(key="hands_1").value, at.number_input(key="hands_2").value) == (30, 4)


def test_a_rehearsal_starts_on_the_projected_page(clicker, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(rehearsing.time, "monotonic", lambda: now[0])
    at = visit("poll", people="50", pace="10")
    at.button(key="project").click().run()
    at.button(key="watch").click().run()
    now[0] += 4.05
    at.button(key="next").click().run()
    assert "of 40 people sent" in takeaway(at)
    assert not any(button.key == "watch" for button in at.button)


def test_what_cards_lie_is_corrected_for():
    at = visit("poll", way=HANDS, hands_1="60", hands_2="40", poll_lie="0.01")
    assert "a chance of <b>1.92 %</b>" in takeaway(at)
    assert "one of 52 cards, 1 of which says" in markup(at)
    assert any("close to the 1 % that are set" in caption.value for caption in at.caption)

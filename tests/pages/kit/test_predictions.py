"""A guess before a figure: when it is asked for, what is covered until then, and what is said afterwards."""

import re

import pytest

from pages.kit import predictions, room_guesses
from pages.kit.lecture import Lecture, Step, to_link
from pages.kit.panel import KnownNumber, Prediction, Scale
from pages.polls.rules import Guess, SentGuess
from pages.polls.store import Store
from tests.pages.kit.elements import opened
from tests.pages.visiting import takeaway

PERCENT = Scale(0, 100, 1)
PAGE = """
from types import SimpleNamespace

import streamlit as st

from pages.kit import inputs
from pages.kit.page import Chapter, Chapters, Page
from pages.kit.panel import KnownNumber, Markup, Panel, Prediction, Scale, Table
from pages.kit.settings import Number
from privdemo.limits import Limit

SHARE = Number("share", Limit("share", 0, 100), 35, "Share")


def panels(answer):
    guess = Prediction("share", "How many?", answer.share, Scale(0, 100, 5), Markup("<p>Covered</p>"), "So it is.")
    rows = lambda: [{"share": answer.share}]
    yield Panel("first", figure=Markup("<p>Decided</p>"), summary="It is so.", rows=rows, prediction=guess)
    yield Panel("second", figure=Markup("<p>More</p>"))


def best(answer):
    guess = Prediction("best", "Which one?", "the second", ("the first", "the second"))
    yield Panel("best", "Which is best?", "The second is.", Markup("<p>Best</p>"), prediction=guess)


Page(
    title="Made up", question="What?", address=st.session_state.get("page", "made"),
    answer=lambda question, made: SimpleNamespace(share=question, takeaway=lambda: f"It is {question:g}."),
    question_of=lambda values: values[SHARE], controls=lambda values, main: inputs.number(SHARE),
    settings=lambda values: [SHARE], folds=lambda question, answer: {},
    chapters=Chapters(
        "view",
        (
            Chapter("One", panels), Chapter("Two", best), Chapter("Three", best),
            Chapter("Four", best, for_specialists=True),
        ),
        guess="share",
    ),
).run()
"""


def bodies(at):
    """Return what stands on the page as HTML, in order."""
    return [element.proto.body for element in at.get("html")]


def shown(at):
    """Return the figures on the page."""
    return [word for word in ("Covered", "Decided", "More", "Best") if f"<p>{word}</p>" in bodies(at)]


def press(at, label):
    """Return the page after a click on a button."""
    next(button for button in at.button if button.label == label).click()
    at.run()
    assert not at.exception
    return at


def test_until_a_guess_the_page_asks_and_covers_the_figure_its_numbers_and_what_follows():
    at = opened(PAGE)
    assert "How many?" in takeaway(at)
    assert "It is" not in takeaway(at)
    assert shown(at) == ["Covered"]
    assert not [button for button in at.get("download_button") if "first" in str(button.proto.id)]
    assert not [body for body in bodies(at) if "It is so." in body]


def test_after_a_guess_it_stands_beside_the_truth_and_the_page_shows_all():
    at = opened(PAGE)
    assert at.select_slider(key="guess-share").value is None
    assert shown(press(at, "This is my guess")) == ["Covered"], "no guess is suggested"
    assert any(caption.value == "Move the slider first." for caption in at.caption)
    at.select_slider(key="guess-share").set_value(60.0)
    press(at, "This is my guess")
    assert "It is 35." in takeaway(at)
    assert shown(at) == ["Decided", "More"]
    (result,) = [body for body in bodies(at) if 'class="guess"' in body]
    assert (
        'You guessed 60\u00a0%; it is 35\u00a0%: 25 points too high.</b> <span class="why">So it is.</span>' in result
    )
    assert 'class="pentagon" style="left:60.0%"' in result
    assert 'class="truth" style="left:35.0%"' in result
    assert "How many?" in takeaway(press(at, "Guess again"))


def test_a_guess_among_few_numbers_is_made_by_buttons_and_judged_by_its_distance():
    few = PAGE.replace('"share", 0, 100), 35', '"share", 0, 5), 4').replace("Scale(0, 100, 5)", "Scale(0, 5, 1, '')")
    at = opened(few)
    assert not at.select_slider
    asked = at.radio(key="guess-share")
    assert (asked.options, asked.value) == (["0", "1", "2", "3", "4", "5"], None)
    assert shown(press(at, "This is my guess")) == ["Covered"]
    assert any(caption.value == "Choose one of them first." for caption in at.caption)
    at.radio(key="guess-share").set_value(2.0)
    press(at, "This is my guess")
    (result,) = [body for body in bodies(at) if 'class="guess"' in body]
    assert "You guessed 2; it is 4: 2 too low.</b>" in result
    assert 'class="pentagon" style="left:40.0%"' in result


def test_the_chapters_are_folded_until_the_guess_of_the_first_is_made():
    at = opened(PAGE)
    assert [body for body in bodies(at) if "More on this topic" in body and " open" not in body]
    at.button_group(key="view").set_value("Two").run()
    assert [body for body in bodies(at) if "More on this topic" in body and " open" in body], "one of them is shown"
    at.button_group(key="view").set_value("One").run()
    press(at, "Just show me")
    assert not [body for body in bodies(at) if "More on this topic" in body]
    assert [body for body in bodies(at) if "For specialists" in body], "they have a fold of their own"
    assert not [body for body in bodies(opened(PAGE, {"share": "40"})) if "More on this topic" in body]


def test_who_wants_no_guess_is_shown_the_figure_without_a_result():
    at = press(opened(PAGE), "Just show me")
    assert shown(at) == ["Decided", "More"]
    assert not [body for body in bodies(at) if 'class="guess"' in body]


def test_a_guess_among_options_is_kept_once_one_is_chosen():
    at = opened(PAGE)
    at.button_group(key="view").set_value("Two").run()
    assert "Which one?" in takeaway(at)
    assert shown(press(at, "This is my guess")) == [], "nothing is chosen yet"
    at.radio(key="guess-best").set_value("the first")
    press(at, "This is my guess")
    assert shown(at) == ["Best"]
    assert any("You guessed the first; it is the second." in body for body in bodies(at))


def test_what_a_page_does_not_know_in_a_link_is_no_reason_not_to_ask():
    assert "Just show me" in [button.label for button in opened(PAGE, {"utm_source": "mail"}).button]
    assert "Just show me" not in [button.label for button in opened(PAGE, {"utm_source": "mail", "share": "40"}).button]


@pytest.mark.parametrize("link", [{"share": "40"}, {"view": "Two"}, {"controls": "share"}])
def test_who_comes_by_a_link_is_shown_the_figures_at_once(link):
    at = opened(PAGE, link)
    assert "Covered" not in shown(at)
    at.session_state["page"] = "other"
    at.query_params.clear()
    assert shown(at.run()) == ["Covered"], "on another page a guess is asked for"


@pytest.mark.parametrize(
    ("show", "figures"), [(("guess", "takeaway", "figure"), ["Covered"]), (("figure",), ["Decided"])]
)
def test_a_step_of_a_lecture_asks_for_a_guess_only_if_it_shows_one(show, figures):
    step = Step("made", {}, "Guess.", show)
    at = opened(PAGE, {"present": f"1-{to_link(Lecture('Guesses', '', 5, (step,)))}"})
    assert shown(at) == figures


def test_a_visitor_turns_predictions_off_in_the_menu():
    at = opened(PAGE, more=True)
    at.toggle(key=predictions.ASK).set_value(False).run()
    assert shown(at) == ["Decided", "More"]
    assert "It is 35." in takeaway(at)


@pytest.mark.parametrize(
    ("scale", "guess", "truth", "words"),
    [
        (PERCENT, 42, 35.0, "You guessed 42\u00a0%; it is 35\u00a0%: 7 points too high."),
        (PERCENT, 34, 35.2, "You guessed 34\u00a0%; it is 35\u00a0%: 1 point too low."),
        (PERCENT, 35, 35.4, "You guessed 35\u00a0%: right."),
        (Scale(0, 1, 0.01, ""), 0.5, 0.991, "You guessed 0.50; it is 0.99: 0.49 too low."),
        (
            Scale(0, 0, 1, " people", (1, 10, 100, 1000)),
            1000,
            250,
            "You guessed 1,000 people; it is 250 people: 750 people too high.",
        ),
        (("a", "b"), "a", "b", "You guessed a; it is b."),
        (("a", "b"), "b", "b", "You guessed b: right."),
    ],
)
def test_the_result_says_the_guess_the_truth_and_how_far_they_are_apart(scale, guess, truth, words):
    assert predictions.result_words(Prediction("name", "?", truth, scale), guess) == words


@pytest.mark.parametrize(
    ("scale", "truth", "left"),
    [
        (PERCENT, 35.0, 35.0),
        (PERCENT, 120.0, 100.0),
        (Scale(0.5, 1.5, 0.1), 0.75, 25.0),
        (Scale(0, 0, 1, "", (1, 10, 100)), 1, 0.0),
        (Scale(0, 0, 1, "", (1, 10, 100)), 55, 75.0),
        (Scale(0, 0, 1, "", (1, 10, 100)), 1000, 100.0),
    ],
)
def test_the_truth_stands_at_its_place_on_the_scale(scale, truth, left):
    html = predictions.result_html(Prediction("name", "?", truth, scale), 1)
    assert f'class="truth" style="left:{left:.1f}%"' in html


@pytest.fixture
def store(monkeypatch, tmp_path) -> Store:
    made = Store(f"sqlite:///{tmp_path / 'polls.db'}")
    monkeypatch.setattr(room_guesses, "store", lambda: made)
    return made


def in_a_lecture(poll=None, view="One"):
    """The step of a lecture that waits for a guess, of a teacher who owns a poll."""
    step = Step("made", {"view": view}, "Guess.", ("guess", "takeaway", "figure"))
    link = {"present": f"1-{to_link(Lecture('Guesses', '', 5, (step,)))}", "view": view}
    if not poll:
        return opened(PAGE, link)
    return opened(f'import streamlit\nstreamlit.session_state["poll_owned"] = {poll!r}\n{PAGE}', link)


def labels(at):
    return [button.label for button in at.button]


@pytest.mark.parametrize(
    ("scale", "known", "at", "words"),
    [
        (Scale(0, 100), 50.0, 51 / 101, "50\u00a0%: the truth"),
        (Scale(0, 100), 12.5, 13.5 / 101, "12.5\u00a0%: the truth"),
        (Scale(0, 100, unit=" people"), 76.4, 77.4 / 101, "76 people: the truth"),
        (Scale(0, 20, 0.5, " points"), 0.0, 1 / 41, "0.0 points: the truth"),
    ],
)
def test_a_known_number_is_marked_where_the_slider_has_it(scale, known, at, words):
    mark = predictions._known_mark(KnownNumber(known, "the truth"), scale, 1)
    assert f"--at: {100 * at:.2f}%" in mark
    assert "--line: 1" in mark
    assert f"<span>{words}</span>" in mark


def test_the_room_guesses_with_the_teachers_open_poll_and_stands_above_the_truth(store):
    poll, secret = store.open("Well?", ("Yes", "No"), 0.25)
    at = press(in_a_lecture((poll.code, secret)), "Ask the room")
    assert "Ask the room" not in labels(at)
    assert store.poll(poll.code).guess == Guess("How many?", 0, 100, 5, "\u00a0%")
    assert not any(store.guess_all([SentGuess(poll.code, 1, value, f"{value:032d}") for value in (20, 30, 60)]))
    assert "**3** have guessed" in "".join(words.value for words in at.run().markdown)
    press(at, "Just show me")
    assert shown(at)[0] == "Decided"
    (result,) = [body for body in bodies(at) if 'class="guess"' in body]
    assert "The room’s middle guess was 30\u00a0%; it is 35\u00a0%." in result
    assert [f"left:{value:.1f}%;bottom" in result for value in (20, 30, 60)] == 3 * [True]
    assert store.poll(poll.code).guess is None, "later guesses are refused"
    assert "20" not in str(dict(at.query_params)).partition("present")[0]
    again = press(at, "Guess again")
    assert "Ask the room" in labels(again)
    assert not [body for body in bodies(again) if 'class="guess"' in body]


def test_the_room_chooses_among_options(store):
    poll, secret = store.open("Well?", ("Yes", "No"), 0.25)
    at = press(in_a_lecture((poll.code, secret), "Two"), "Ask the room")
    assert store.poll(poll.code).guess == Guess("Which one?", options=("the first", "the second"))
    assert not any(store.guess_all([SentGuess(poll.code, 1, i % 2, f"{i:032d}") for i in range(3)]))
    press(at, "Just show me")
    assert any("Of the room, 1 of 3 guessed right: the second." in body for body in bodies(at))


def test_without_an_open_poll_and_outside_of_a_lecture_the_room_is_not_asked(store):
    poll, secret = store.open("Well?", ("Yes", "No"), 0.25)
    assert "Ask the room" not in labels(in_a_lecture())
    outside = f'import streamlit\nstreamlit.session_state["poll_owned"] = {(poll.code, secret)!r}\n{PAGE}'
    assert "Ask the room" not in labels(opened(outside))
    at = in_a_lecture((poll.code, "stolen"))
    assert "Only whoever opened this poll" in "".join(words.value for words in press(at, "Ask the room").caption)
    assert store.poll(poll.code).guess is None
    store.close(poll.code, secret)
    assert "Ask the room" not in labels(in_a_lecture((poll.code, secret)))


def test_a_step_that_is_left_ends_the_guess(store):
    poll, secret = store.open("Well?", ("Yes", "No"), 0.25)
    at = press(in_a_lecture((poll.code, secret)), "Ask the room")
    at.run()
    assert store.poll(poll.code).guess
    at.session_state["page"] = "other"
    at.query_params.clear()
    at.run()
    assert store.poll(poll.code).guess is None


def test_of_many_guesses_a_thousand_dots_stand_within_the_strip():
    guess = Prediction("n", "How many?", 35, PERCENT)
    strip = predictions.result_html(guess, None, [float(i % 3) for i in range(5000)])
    heights = [float(up) for up in re.findall(r"bottom:([\d.]+)%", strip)]
    assert len(heights) == 1000
    assert max(heights) < 100
    assert strip == predictions.result_html(guess, None, [float(i % 3) for i in range(5000)])


def test_what_the_room_is_asked_is_plain_text_of_a_bounded_length():
    prediction = Prediction("n", f"<b>35\u00a0%</b> say &lt;A&gt;. {500 * 'a'}?", 35, PERCENT)
    words = room_guesses.question(prediction).words
    assert words.startswith("35 % say <A>. aaa")
    assert (len(words), words[-1]) == (500, "…")


def test_a_known_number_may_stand_within_its_words_whatever_these_are():
    known = KnownNumber(76.4, "right", "always saying “{a}” gets")  # as a visitor's class may be called
    assert "<span>always saying “{a}” gets 76 right</span>" in predictions._known_mark(
        known, Scale(0, 100, unit=" people"), 0
    )

"""A step is answer_step without a screen as its slide answers it; what goes wrong is a sentence."""

import threading
from dataclasses import replace

import pytest

from pages.kit import handout, step_answer
from pages.kit.lecture import Lecture, Step
from pages.kit.step_answer import answer_step
from pages.topics import PAGES, page_at
from tests.pages.visiting import takeaway, visit


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ({"lie": "0.3", "voters": "500"}, "How many voted for A?"),
        ({"lesson": "Asking a person again", "asked": "7", "prior": "0.4"}, "What do several answers"),
        ({"lesson": "How many to ask", "solve": "precision", "plan_voters": "500"}, "What does privacy cost?"),
        ({"lesson": "Many polls", "polls": "30"}, "What if the poll is repeated?"),
    ],
)
def test_a_step_says_what_the_page_says_with_its_settings(settings, asked):
    found = answer_step(Step("voting", settings), PAGES)
    assert found.question_text.startswith(asked)
    assert takeaway(visit("voting", **settings)).endswith(f'<p class="takeaway">{found.answer}</p>')
    assert not found.problem
    assert found.facts["lie"] == ("30 %" if "lie" in settings else "20 %")
    assert found.title == ("Voting with a lie" if "lie" in settings else f"Voting with a lie: {settings['lesson']}")
    assert found.panel.figure


def test_a_step_is_answered_in_a_thread_that_runs_no_script():
    made = []
    thread = threading.Thread(
        target=lambda: made.append(answer_step(Step("voting", {"lesson": "What one answer reveals"}), PAGES))
    )
    thread.start()
    thread.join()
    assert made[0].facts["after"] == "68"


def test_what_a_page_does_not_take_is_said():
    found = answer_step(Step("voting", {"lie": "7", "colour": "<b>red</b>"}), PAGES)
    assert found.facts["lie"] == "20 %", "as on the slide"
    assert "lie=7 was ignored: it must be in" in found.ignored
    assert "colour was ignored: this page has no such setting." in found.ignored
    assert answer_step(Step("lectures"), PAGES).question_text == "Give a lecture on privacy with this app"


def test_what_goes_wrong_is_said(monkeypatch, caplog):
    assert "no such page" in answer_step(Step("gone"), PAGES).problem
    voting = page_at("voting")

    def raises(error):
        def answer(question, trials):
            raise error

        return [replace(voting, answer=answer, failed="Nothing is here.")]

    assert answer_step(Step("voting"), raises(ValueError("lie must be small"))).problem == (
        "Nothing is here. Lie must be small."
    )
    assert (
        answer_step(Step("voting"), raises(ValueError("it must be < 5"))).problem
        == "Nothing is here. It must be &lt; 5."
    )
    assert "Nothing is here. It must be &lt; 5." in handout.document(
        Lecture("Lies", "", 5, (Step("voting"),)), raises(ValueError("it must be < 5"))
    )
    assert not caplog.records
    assert "could not be computed" in answer_step(Step("voting"), raises(KeyError("secret"))).problem
    assert "secret" in caplog.text, "whoever runs the server reads why"
    refused = [replace(voting, question_of=lambda values: "There is no question yet.")]
    assert answer_step(Step("voting"), refused).problem == "There is no question yet."
    nothing = [replace(voting, answer=lambda question, trials: None)]
    assert "has not been computed yet" in answer_step(Step("voting"), nothing).problem


def test_no_job_is_started_and_what_is_not_computed_yet_is_said(monkeypatch):
    monkeypatch.setattr(step_answer.trials.cache.runner(), "watch", lambda *_, **__: pytest.fail("a job was started"))
    assert "has not been computed yet" in answer_step(Step("proportions", {"bags": "55"}), PAGES).problem


@pytest.mark.mnist
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address or "home")
def test_every_chapter_of_every_page_can_be_a_step_of_a_hand_out(page, mnist):
    for chapter in page.chapters.all if page.chapters else ():
        found = answer_step(Step(page.address, {page.chapters.key: chapter.name}), PAGES)
        assert not found.problem, chapter.name
        assert found.question_text
        assert found.answer

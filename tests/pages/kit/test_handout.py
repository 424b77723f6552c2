"""The hand-out of a lecture: questions with blanks, their solutions, and nothing that a text of a link could do."""

import re
from dataclasses import dataclass, replace

import pytest

from pages.kit import handout
from pages.kit.lecture import Lecture, Step
from pages.kit.panel import Cards, Chart, Component, Markup, Panel, Prediction, Scale, Table
from pages.kit.step_answer import StepAnswer
from pages.topics import PAGES
from privdemo import figures
from privdemo.experiments.poll import PollConfig
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel

EVIL = "<script>alert(1)</script><img src=//elsewhere.test onerror=alert(2)>"
PICTURE = Markup(
    '<figure><figcaption>419 of 1,000 say A; 7, $50,000</figcaption><img alt="350 voted A" src="data:,"></figure>'
)
FACTS = {"asked": "1,000", "truth": "35.0 %", "estimate": "36.5 %", "verdict": "clearly less", "odds": "10¹¹ to 1"}
FOUND = StepAnswer(
    "Voting", None, "How many?", "It was <b>35.0 %</b>.", Panel("people", figure=PICTURE, summary="In words."), FACTS
)


@dataclass(frozen=True)
class Asked:
    """The question of a class poll."""

    text: str
    config: PollConfig


@pytest.fixture
def shown(monkeypatch):
    """A function that returns the worksheet and the solutions of a step, with what it finds in place of its page's."""

    def parts(step, found=FOUND):
        monkeypatch.setattr(handout, "answer_step", lambda step, pages: found)
        whole = handout.document(Lecture("Lies", "students", 5, (step,)), PAGES)
        body = whole.split("</style>")[1]
        return body.replace(handout._BLANK, "____").split("<h2>Solutions and notes: Lies</h2>")

    return parts


def test_a_number_that_is_the_answer_is_blank_in_the_worksheet_and_filled_in_among_the_solutions(shown):
    step = Step(
        "voting",
        {},
        "Of {asked}, {truth} voted A.",
        note="Wait.",
        question="Of {asked}: what share?",
        solution="It is {truth}.",
    )
    worksheet, solutions = shown(step)
    assert "Of <b>1,000</b>, <b>____\u00a0%</b> voted A." in worksheet
    assert "<p><b>Of <b>1,000</b>: what share?</b></p>" in worksheet
    assert "35.0" not in worksheet
    assert "Wait." not in worksheet
    assert "Of <b>1,000</b>, <b>35.0\u00a0%</b> voted A." in solutions
    assert "It is <b>35.0\u00a0%</b>." in solutions
    assert "<b>For the speaker:</b> Wait." in solutions
    assert "In words." in solutions


def test_without_a_solution_every_number_of_the_sentence_is_an_answer(shown):
    worksheet, solutions = shown(Step("voting", {}, "Of {asked}, {estimate}, {verdict}: {odds}, {none}."))
    assert "Of <b>____</b>, <b>____\u00a0%</b>, <b>____</b>: <b>____ to ____</b>, <b>…</b>." in worksheet
    assert "<p><b>How many?</b></p>" in worksheet
    assert "It was <b>35.0 %</b>." in solutions


def test_a_picture_has_blanks_for_numbers_that_are_not_given(shown):
    worksheet, _ = shown(Step("voting", question="What do {asked} people say?", solution="{truth}"))
    assert "____ of 1,000 say A; 7, $50,000" in worksheet
    assert "350" not in worksheet
    worksheet, _ = shown(Step("voting", question="Of 1,000 of them, how many?", solution="{asked}"))
    assert "____ of ____ say A" in worksheet, "1,000 is an answer, and no number of those who say"
    worksheet, _ = shown(Step("voting", question="1,000 say A or B. How many?", solution="{asked}"))
    assert "____ of 1,000 say A" in worksheet
    worksheet, _ = shown(Step("voting", show=("takeaway",)))
    assert "picture" not in worksheet


def test_where_the_page_asks_for_a_guess_the_worksheet_shows_what_stands_there_before(shown):
    covered = Markup("<p>419 say A, 35.0 of them</p>")
    guess = Prediction("share", "What share do you think?", 35.0, Scale(0, 100), covered)
    found = replace(FOUND, panel=replace(FOUND.panel, prediction=guess))
    worksheet, solutions = shown(Step("voting", solution="{truth}"), found)
    assert "<p>419 say A, ____ of them</p>" in worksheet
    assert "<b>What share do you think?</b>" in worksheet
    assert "<b>What share do you think?</b>" in solutions
    worksheet, _ = shown(
        Step("voting"), replace(found, panel=replace(found.panel, prediction=replace(guess, covered=None)))
    )
    assert "picture" not in worksheet


@pytest.mark.parametrize(
    "figure",
    [Chart(figures.Figure(data=[{"x": [1], "y": [2]}])), Table(["a"], [["35 b"]]), Cards([("Cost", "35 c", "Three.")])],
)
def test_charts_and_tables_are_not_in_the_worksheet(shown, figure):
    worksheet, solutions = shown(Step("voting"), replace(FOUND, panel=Panel("one", figure=figure, summary="In words.")))
    assert "picture" not in worksheet
    assert "plotly" not in (worksheet + solutions).lower()
    assert "<script" not in worksheet
    assert ("In words." in solutions) == isinstance(figure, Chart | Component)
    assert ("35" in solutions.replace("35.0", "")) != isinstance(figure, Chart | Component)


def test_long_words_of_a_figure_are_left_out(shown):
    _, solutions = shown(Step("voting"), replace(FOUND, panel=Panel("one", figure=PICTURE, summary="long " * 100)))
    assert "long long" not in solutions


def test_a_step_without_an_answer_has_a_sentence_in_its_place(shown):
    found = StepAnswer("Voting", problem="Voters must be &lt; 5.", ignored="x was ignored.")
    worksheet, solutions = shown(Step("voting", {}, "Say {truth}.", note="Go on."), found)
    for part in (worksheet, solutions):
        assert "Voters must be &lt; 5." in part
        assert "Say <b>…</b>." in part
    assert "Go on." in solutions
    assert "x was ignored." in solutions
    assert "x was ignored." not in worksheet


def test_steps_that_are_left_after_a_minute_are_left_out():
    ticks = iter([0.0, 1.0, 61.0])
    two = Lecture("Lies", "", 5, (Step("voting"), Step("voting", {"lesson": "Ways to estimate"})))
    whole = handout.document(two, PAGES, lambda: next(ticks))
    assert whole.count("This step was left out") == 2, "in the worksheet and among the solutions"
    assert "1. Voting with a lie" in whole


def test_while_three_are_made_a_fourth_is_refused(monkeypatch):
    inside = []

    def nested(step, pages):
        inside.append(handout.document(Lecture("Lies", "", 5, (Step("voting"),)), PAGES))
        return FOUND

    monkeypatch.setattr(handout, "answer_step", nested)
    whole = handout.document(Lecture("Lies", "", 5, (Step("voting"),)), PAGES)
    assert ["Other hand-outs are being made" in one for one in [*inside, whole]] == [True, False, False, False]
    monkeypatch.setattr(handout, "answer_step", lambda step, pages: 1 / 0)
    for _ in range(4):
        with pytest.raises(ZeroDivisionError):
            handout.document(Lecture("Lies", "", 5, (Step("voting"),)), PAGES)


def test_texts_of_a_link_have_no_effect(shown):
    step = Step(EVIL[:120], {EVIL[:60]: EVIL}, EVIL + "{truth}", note=EVIL, question=EVIL + "{truth}", solution=EVIL)
    evil = Lecture(
        EVIL, EVIL, 5, (step, replace(step, page="voting"), replace(step, page="poll", settings={"asked": EVIL}))
    )
    whole = handout.document(evil, PAGES)
    assert "<script" not in whole
    assert "<img src=//" not in whole
    assert not re.findall(r"<[^>]*\son\w+=", whole)
    assert not re.findall(r"(?:src|href)=\"(?!data:)", whole)
    assert whole.index("default-src 'none'; img-src data:; style-src 'unsafe-inline'") < whole.index("<title>")


def test_the_cards_are_for_the_poll_of_the_class_before_any_other(monkeypatch):
    found = {
        "voting": StepAnswer("Voting", ElectionConfig(100, 0.35, BinaryChannel(0.2, 0.2), 1, 0)),
        "poll": StepAnswer("Poll", Asked("Ever <copied>?", PollConfig(("Yes", "No"), 0.25))),
        "none": StepAnswer("None"),
    }
    monkeypatch.setattr(handout, "answer_step", lambda step, pages: found[step.page])

    def cards(*pages):
        lecture = Lecture("Lies", "", 5, tuple(Step(page) for page in pages))
        return handout.document(lecture, PAGES).partition("<h2>Coins and cards")[2]

    assert "as in step 2, “Ever &lt;copied&gt;?”" in cards("voting", "poll")
    assert "as in step 2, “Voting”" in cards("none", "voting", "voting")
    assert cards("none") == ""

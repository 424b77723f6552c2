"""The one way through a page: each step once a run; what cannot be answered is said."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.kit import draws
from privdemo.jobs import Progress
from tests.pages.kit.elements import drawn, opened
from tests.pages.visiting import answers, takeaway

# What a made-up page of draws counts of its steps, and how many of its draws are there.
SCRIPT = """
from dataclasses import dataclass

import streamlit as st

from pages.kit import draws, inputs
from pages.kit.page import Page, Tab, Tabs
from pages.kit.panel import Cards, Panel, Table
from pages.kit.settings import Choice, Number
from privdemo.limits import Limit

N = Number("n", Limit("n", 0, 9, integer=True), 3, "How many")
SIGN = Choice("sign", ("+", "-"), "+", "Sign")
calls = st.session_state.setdefault("calls", [])


@dataclass(frozen=True)
class Question:
    config: str
    n_draws: int


@dataclass(frozen=True)
class Answer:
    n: int

    def takeaway(self):
        return f"There are {self.n}."

    def main(self):
        left, right = (Panel(f"main-{i}", answer=f"Main {i}", figure=Table(["a"], [["b"]])) for i in (1, 2))
        return [(left, right)]


def controls():
    n = inputs.dial(N)
    return "Choose more than 0." if n == 0 else Question("c", n)


def jobs(question):
    calls.append("jobs")
    return [draws.Job(("kind", "c", 0), "Draw", len, ["x"] * question.n_draws)]


def answer(question, made):
    calls.append("answer")
    if question.n_draws == 9:
        raise ValueError("n_draws is too much")
    return Answer(sum(made.results[0])) if made.results[0] else None


def numbers(shown, sign):
    calls.append("tab")
    cards = Panel(figure=Cards([("Card", "1", "One.")]))
    return [Panel("numbers", "How many?", f"{sign}{shown.n}", Table(["x"], [["y"]])), cards]


none = Tab("none", lambda shown: [Panel(answer=f"None of {shown.n}")])
tabs = Tabs("look", (Tab("numbers", numbers, lambda shown: inputs.choose(SIGN), [SIGN]), none))
Page(
    title="Made up", question="How many are there?", address="made-up", answer=answer, controls=controls,
    settings=lambda: [N], folds=lambda question, answer: {"Caveats": str(answer)}, jobs=jobs,
    waiting=lambda question: "Counting.", failed="Nothing can be counted.", tabs=tabs,
).run()
"""


class Runner:
    """A runner of which as many tasks are done, and such an error met, as a test wants."""

    done: int | None = None
    error: str | None = None

    def watch(self, key: object, visitor: str, function: object, tasks: list, **options: object) -> Progress:
        done = len(tasks) if self.done is None else self.done
        return Progress((1,) * done, len(tasks), done < len(tasks), self.error)

    def leave(self, *args: object) -> None:
        pass

    def look(self, key: object) -> None:
        return None


@pytest.fixture(autouse=True)
def runner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.kit.cache.runner", Runner)
    monkeypatch.setattr(Runner, "done", None)
    monkeypatch.setattr(Runner, "error", None)


def visit(done: int | None = None, error: str | None = None, **link: str) -> AppTest:
    Runner.done, Runner.error = done, error
    at = AppTest.from_string(SCRIPT, default_timeout=20)
    for key, value in link.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def test_each_step_is_taken_once_a_run():
    at = visit()
    assert at.session_state["calls"] == ["jobs", "answer", "tab"]
    assert "There are 3." in takeaway(at)
    assert [words.split(">")[1].split("<")[0] for words in answers(at)] == ["Main 1", "Main 2", "+3"]
    assert not at.get("progress")


def test_a_tabs_own_controls_and_the_link_reach_its_words():
    at = visit(sign="-", n="2")
    assert "-2" in answers(at)[-1]
    at.get("button_group")[0].set_value("none").run()
    assert "None of 2" in answers(at)[-1]


def test_reset_sets_every_setting_back_those_of_tabs_too():
    at = visit(sign="-", n="2", look="numbers")
    at.button(key="reset").click().run()
    assert "+3" in answers(at)[-1]


def test_draws_under_way_are_looked_at_again_and_can_be_stopped(monkeypatch):
    every, fragment = [], st.fragment
    monkeypatch.setattr(st, "fragment", lambda *args, **given: every.append(given) or fragment(*args, **given))
    visit()
    at = visit(done=1)
    assert every == [{"run_every": None}, {"run_every": draws.POLL}]
    assert "There are 1." in takeaway(at)
    assert at.get("progress")[0].proto.text == "Draw 1 of 3"
    assert any(button.key == "stop-draws" for button in at.button)


def test_before_the_first_draw_the_page_says_what_is_done():
    assert "Counting." in takeaway(visit(done=0))


def test_a_failed_job_is_told_beside_what_there_is_and_alone():
    assert "Not all draws could be made. It broke." in visit(done=1, error="it broke").warning[0].value
    assert "Nothing can be counted. It broke." in takeaway(visit(done=0, error="it broke"))


def test_no_question_and_no_answer_are_said_in_a_sentence():
    assert "Choose more than 0." in takeaway(visit(n="0"))
    assert "Nothing can be counted. N draws is too much." in takeaway(visit(n="9"))


def test_a_bad_link_is_noted_until_dismissed():
    at = visit(n="11", what="1", sign="*")
    words = at.warning[0].value
    assert all(part in words for part in ("`n=11`", "`what`", "`sign=*`"))
    assert "There are 3." in takeaway(at)
    next(button for button in at.button if button.label == "Dismiss").click().run()
    assert not at.warning


def test_a_job_of_a_link_that_is_not_there_is_noted():
    words = visit(job="0123456789ab").warning[0].value
    assert "this link’s settings have draws of their own" in words
    assert "the id of a job is 12 digits" in visit(job="xyz").warning[0].value


LEVER = """
from dataclasses import dataclass
from pages.kit import inputs
from pages.kit.page import Page
from pages.kit.panel import Live, Panel, Sheet
from pages.kit.settings import Number, Words
from privdemo.limits import Limit

LEVEL = Number("level", Limit("level", 0, 9), 3, "Level")


@dataclass(frozen=True)
class Answer:
    level: float

    def takeaway(self):
        return f"The level is {self.level:g}."

    def main(self):
        return [Panel("main", answer="Main", figure=Live(lambda: inputs.write(Words("seen", str, "")), str))]


Page(
    title="Made up", question="How high?", address="high", answer=lambda level, draws: Answer(level),
    controls=lambda: ["all but the level"], settings=lambda: [LEVEL], lever=lambda question: inputs.number(LEVEL),
    folds=lambda level, answer: {"Caveats": f"of {level:g}"},
    below=lambda answer: [
        Panel("sheet", answer="Below", figure=Sheet([{"a": 2.0}], {"a": "%.1f"}), links=[("far", "Far →")])
    ],
).run()
"""


def test_what_the_lever_asks_is_answered_with_what_stands_below_and_folds():
    at = AppTest.from_string(LEVER, default_timeout=20).run()
    at.number_input(key="level").set_value(5).run()
    assert not at.exception
    assert "The level is 5." in takeaway(at)
    assert [words.split(">")[1].split("<")[0] for words in answers(at)] == ["Main", "Below"]
    assert at.text_input(key="seen").value == ""
    assert at.dataframe[0].value.to_dict("list") == {"a": [2.0]}
    assert [(link.proto.page, link.proto.label) for link in at.get("page_link")] == [("far", "Far →")]
    assert at.expander[0].markdown[0].value == "of 5"


LEVER_DRAWN = """\
container direction=HORIZONTAL justify=SPACE_BETWEEN align=ALIGN_CENTER
  title tag=h1 body=How high? hide_anchor=True
  container direction=HORIZONTAL use_content=True
    button reset label=↺ Reset
    bidi_component copy-link component_name=privdemo_copy_link
transparent allow_empty=True
  markdown body=<p class="takeaway">The level is 3.</p> allow_html=True
container page-main
  container gap_size=MEDIUM direction=HORIZONTAL align=STRETCH
    column weight=0.25 gap_size=MEDIUM
      container controls
    column weight=0.75 gap_size=MEDIUM
      container
        number_input level label=Level format=%0.2f default=3 step=1 max=9 query_param_key=level
        markdown body=<p class="answer">Main</p> allow_html=True
        text_input seen default= query_param_key=seen
        container rest
          markdown body=<p class="answer">Below</p> allow_html=True
          dataframe columns={"a": {"type…den": true}}
          container direction=HORIZONTAL
            page_link page=far label=Far →
        container end
          expander label=Caveats expanded=False
            markdown body=of 3
"""


def test_a_page_is_laid_out_in_two_columns_and_an_end():
    assert drawn(opened(LEVER).main) == LEVER_DRAWN.rstrip()


def test_a_page_without_a_lever_answers_its_question():
    at = opened(LEVER.replace('["all but the level"]', "7").replace("lever=lambda question: inputs.number(LEVEL),", ""))
    assert "The level is 7." in takeaway(at)
    assert at.expander[0].markdown[0].value == "of 7"
    assert not at.number_input

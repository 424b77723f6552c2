"""The one way through a page: each step once a run; what cannot be answered is said."""

import pytest
import streamlit as st

from pages.kit import cache, draws
from tests.pages.kit.elements import Runner, drawn, opened
from tests.pages.visiting import answers, takeaway

# A made-up page of draws, which notes its steps.
SCRIPT = """
from types import SimpleNamespace
import streamlit as st
from pages.kit import draws, inputs
from pages.kit.page import Page, Tab, Tabs
from pages.kit.panel import Cards, Panel, Table
from pages.kit.settings import Choice, Number
from privdemo.limits import Limit

N = Number("n", Limit("n", 0, 9, integer=True), 3, "How many")
SIGN = Choice("sign", ("+", "-"), "+", "Sign")
calls = st.session_state.setdefault("calls", [])


def jobs(n):
    calls.append("jobs")
    return [draws.Job(("kind", "c", 0), "Draw", len, ["x"] * n)]


def answer(n, made):
    calls.append("answer")
    if n == 9:
        raise ValueError("n_draws is too much")
    main = tuple(Panel(f"main-{i}", answer=f"Main {i}", figure=Table(["a"], [["b"]])) for i in (1, 2))
    n = sum(made.results[0])
    return SimpleNamespace(n=n, takeaway=lambda: f"There are {n}.", main=lambda: [main]) if n else None


def numbers(shown, sign):
    calls.append("tab")
    cards = Panel(figure=Cards([("Card", "1", "One.")]))
    return [Panel("numbers", "How many?", f"{sign}{shown.n}", Table(["x"], [["y"]])), cards]


none = Tab("none", lambda shown: [Panel(answer=f"None of {shown.n}")])
tabs = Tabs("look", (Tab("numbers", numbers, lambda shown: inputs.choose(SIGN), [SIGN]), none))
Page(
    title="Made up", question="How many are there?", address="made-up", answer=answer,
    controls=lambda: inputs.dial(N) or "Choose more than 0.",
    settings=lambda: [N], folds=lambda question, answer: {"Caveats": str(answer)}, jobs=jobs,
    waiting=lambda question: "Counting.", failed="Nothing can be counted.", tabs=tabs,
).run()
"""


@pytest.fixture
def visit(monkeypatch):
    """The made-up page behind a link, with so many of its draws done, and such an error met."""

    def visit(done=None, error=None, **link):
        monkeypatch.setattr(cache, "runner", lambda: Runner(done, error))
        return opened(SCRIPT, link)

    return visit


def said(at):
    return [words.split(">")[1].split("<")[0] for words in answers(at)]


def test_each_step_is_taken_once_a_run(visit):
    at = visit()
    assert at.session_state["calls"] == ["jobs", "answer", "tab"]
    assert "There are 3." in takeaway(at)
    assert said(at) == ["Main 1", "Main 2", "+3"]
    assert not at.get("progress")


def test_the_link_reaches_a_tabs_own_controls_and_reset_takes_all_back(visit):
    at = visit(sign="-", n="2", look="numbers")
    assert said(at)[-1] == "-2"
    at.get("button_group")[0].set_value("none").run()
    assert said(at)[-1] == "None of 2"
    at.button(key="reset").click().run()
    assert said(at)[-1] == "+3"


def test_draws_under_way_are_looked_at_again_and_can_be_stopped(visit, monkeypatch):
    every, fragment = [], st.fragment
    monkeypatch.setattr(st, "fragment", lambda *args, **given: every.append(given) or fragment(*args, **given))
    visit()
    at = visit(done=1)
    assert every == [{"run_every": None}, {"run_every": draws.POLL}]
    assert "There are 1." in takeaway(at)
    assert at.get("progress")[0].proto.text == "Draw 1 of 3"
    assert any(button.key == "stop-draws" for button in at.button)


def test_an_error_is_told_beside_the_draws_that_there_are(visit):
    assert "Not all draws could be made. It broke." in visit(done=1, error="it broke").warning[0].value


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"done": 0}, "Counting."),
        ({"done": 0, "error": "it broke"}, "Nothing can be counted. It broke."),
        ({"n": "0"}, "Choose more than 0."),
        ({"n": "9"}, "Nothing can be counted. N draws is too much."),
    ],
)
def test_why_there_is_no_answer_is_said_in_a_sentence(visit, given, words):
    assert words in takeaway(visit(**given))


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"n": "11", "what": "1", "sign": "*"}, ("`n=11`", "`what`", "`sign=*`")),
        ({"job": "0123456789ab"}, ("this link’s settings have draws of their own",)),
        ({"job": "xyz"}, ("the id of a job is 12 digits",)),
    ],
)
def test_a_bad_link_is_noted_and_the_page_answers(visit, link, words):
    at = visit(**link)
    assert all(part in at.warning[0].value for part in words)
    assert "There are 3." in takeaway(at)


LEVER = """
from types import SimpleNamespace
from pages.kit import inputs
from pages.kit.page import Page
from pages.kit.panel import Live, Panel, Sheet
from pages.kit.settings import Number
from privdemo.limits import Limit

LEVEL = Number("level", Limit("level", 0, 9), 3, "Level")
live = Panel("main", answer="Main", figure=Live({"level": 3}, "level", str))
sheet = Panel("sheet", answer="Below", figure=Sheet([{"a": 2.0}], {"a": "%.1f"}), links=[("far", "Far →")])


def answer(level, draws):
    if level == 9:
        raise ValueError("level is too high")
    return SimpleNamespace(takeaway=lambda: f"The level is {level:g}.", main=lambda: [live])


Page(
    title="Made up", question="How high?", address="high", answer=answer,
    controls=lambda: ["the rest"], settings=lambda: [LEVEL], lever=lambda asked: asked and inputs.number(LEVEL),
    folds=lambda level, answer: {"Caveats": f"of {level:g}"}, below=lambda answer: [sheet],
).run()
"""
LEVER_DRAWN = """\
container direction=HORIZONTAL justify=SPACE_BETWEEN align=ALIGN_CENTER
  title tag=h1 body=How high? hide_anchor=True
  container direction=HORIZONTAL use_content=True
    button reset label=↺ Reset
    bidi_component copy-link component_name=privdemo_copy_link
transparent allow_empty=True > markdown body=<p class="takeaway">The level is 3.</p> allow_html=True
container page-main > container gap_size=MEDIUM direction=HORIZONTAL align=STRETCH
  column weight=0.25 gap_size=MEDIUM > container controls
  column weight=0.75 gap_size=MEDIUM > container
    number_input level label=Level format=%0.2f default=3 step=1 max=9 in_link=True
    markdown body=<p class="answer">Main</p> allow_html=True
    bidi_component dial component_name=privdemo_live_dial json={"level": 3}
    container rest
      markdown body=<p class="answer">Below</p> allow_html=True
      dataframe columns={"a": {"type…den": true}}
      container direction=HORIZONTAL > page_link page=far label=Far →
    container end > expander label=Caveats expanded=False > markdown body=of 3"""


def test_a_page_is_laid_out_in_two_columns_and_an_end():
    assert drawn(opened(LEVER).main) == LEVER_DRAWN


def test_what_the_lever_asks_is_answered_with_what_stands_below_and_folds():
    at = opened(LEVER)
    at.number_input(key="level").set_value(5).run()
    assert "The level is 5." in takeaway(at)
    assert said(at) == ["Main", "Below"]
    assert "Level is too high." in takeaway(opened(LEVER, {"level": "9"}))
    assert at.dataframe[0].value.to_dict("list") == {"a": [2.0]}
    assert at.expander[0].markdown[0].value == "of 5"


def test_a_page_may_have_its_controls_above_and_no_lever():
    script = LEVER.replace('["the rest"]', "7").replace("lever=lambda asked: asked and inputs.number(LEVEL),", "")
    at = opened(script.replace("below=", "controls_above=True, below="))
    assert "The level is 7." in takeaway(at)
    assert "column weight" not in drawn(at.main)
    assert not at.number_input
    refused = LEVER.replace('["the rest"]', '"Choose."').replace('f"of {level:g}"', "level")
    assert "Choose." in takeaway(opened(refused))

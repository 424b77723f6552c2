"""A page runs each of its steps once, and shows a sentence where it has no answer."""

import pytest
import streamlit as st

from pages.kit import cache, trials, values
from pages.kit.lecture import Lecture, Step, to_link
from pages.kit.page import Chapter, Chapters
from pages.kit.settings import Choice, Number
from pages.kit.values import Values
from privdemo.limits import COUNT, Limit
from tests.pages.kit.elements import Runner, opened, rendered, sent_addresses, written
from tests.pages.visiting import answers, folds, takeaway

# A step of a lecture that shows the example page, as a link has it.
SCREEN = f"1-{to_link(Lecture('Made up', '', 1, (Step('made-up'),)))}"

# A made-up page of trials, which notes its steps.
SCRIPT = """
from types import SimpleNamespace
import streamlit as st
from pages.kit import inputs, trials
from pages.kit.page import Chapter, Chapters, Page
from pages.kit.panel import Cards, Panel, Table
from pages.kit.settings import Choice, Number
from privdemo.limits import Limit

N = Number("n", Limit("n", 0, 9, integer=True), 3, "How many")
SIGN = Choice("sign", ("+", "-"), "+", "Sign")
calls = st.session_state.setdefault("calls", [])


def jobs(n):
    calls.append("jobs")
    return [trials.Job(("kind", "c", 0), "Trial", len, ["x"] * n)]


def answer(n, made):
    calls.append("answer")
    if n == 9:
        raise ValueError("n_trials is too much")
    n = sum(made.results[0])
    return SimpleNamespace(n=n, takeaway=lambda: f"There are {n}.") if n else None


def main(shown):
    return [tuple(Panel(f"main-{i}", answer=f"Main {i}", figure=Table(["a"], [["b"]])) for i in (1, 2))]


def numbers(shown, sign):
    calls.append("tab")
    cards = Panel(figure=Cards([("Card", "1", "One.")]))
    return [Panel("numbers", "How many?", f"{sign}{shown.n}", Table(["x"], [["y"]])), cards]


none = Chapter("none", lambda shown: [Panel(answer=f"None of {shown.n}")])
signed = Chapter("numbers", numbers, lambda shown: inputs.choose(SIGN), [SIGN], lambda now, shown: now[SIGN])
chapters = Chapters("look", (Chapter("all", main), Chapter("again", main), signed, none))
Page(
    title="Made up", question="How many are there?", address="made-up", answer=answer,
    question_of=lambda values: calls.append("question") or values[N] or "Choose more than 0.",
    controls=lambda values, main: calls.append("controls") or inputs.slider_and_box(N),
    settings=lambda values: [N], folds=lambda question, answer: {"Caveats": str(answer)}, jobs=jobs,
    waiting=lambda question: "Counting.", failed="Nothing can be counted.", chapters=chapters, following=("far", "Far"),
).run()
"""


@pytest.fixture
def visit(monkeypatch):
    """Return the example page opened by a link, with so many trials done, or with this error."""

    def visit(done=None, error=None, **link):
        monkeypatch.setattr(cache, "runner", lambda: Runner(done, error))
        return opened(SCRIPT, link, more=True, settings=True)

    return visit


def said(at):
    return [words.split(">")[1].split("<")[0] for words in answers(at)]


def test_each_step_is_run_once(visit):
    at = visit()
    assert at.session_state["calls"] == ["question", "controls", "jobs", "answer"]
    assert "There are 3." in takeaway(at)
    assert said(at) == ["Main 1", "Main 2"]
    assert not at.get("progress")


def test_a_chapter_takes_the_place_of_the_figure_and_its_answer_that_of_the_sentence(visit):
    at = visit(sign="-", n="2", look="numbers")
    assert at.session_state["calls"] == ["question", "controls", "jobs", "answer", "tab"]
    assert takeaway(at) == '<h2 class="chapter">How many?</h2><p class="takeaway">-2</p>'
    assert not said(at)
    at.button(key="next-chapter").click().run()
    assert ">None of 2<" in takeaway(at)
    assert not [button for button in at.button if button.key == "next-chapter"]
    assert "page_link page=far label=Next page: Far →" in rendered(at.main)
    at.get("button_group")[0].set_value("all").run()
    assert ">There are 2.<" in takeaway(at)
    at.get("button_group")[0].set_value("numbers").run()
    assert at.get("button_group")[1].value == "-", "each chapter keeps its settings"
    at.button(key="reset").click().run()
    assert ">There are 3.<" in takeaway(at)
    at.get("button_group")[0].set_value("numbers").run()
    assert at.get("button_group")[1].value == "+"


def test_running_jobs_are_polled_and_can_be_stopped(visit, monkeypatch):
    every, fragment = [], st.fragment
    monkeypatch.setattr(st, "fragment", lambda *args, **given: every.append(given) or fragment(*args, **given))
    visit()
    at = visit(done=1)
    assert every == [{"run_every": trials.POLL}]
    assert "There are 1." in takeaway(at)
    assert at.get("progress")[0].proto.text == "Trial 1 of 3"
    assert any(button.key == "stop-trials" for button in at.button)


def test_an_error_is_shown_beside_the_trials_that_are_done(visit):
    assert "Not all trials could be run. It broke." in visit(done=1, error="it broke").warning[0].value


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"done": 0}, "Counting."),
        ({"done": 0, "error": "it broke"}, "Nothing can be counted. It broke."),
        ({"n": "0"}, "Choose more than 0."),
        ({"n": "9"}, "Nothing can be counted. N trials is too much."),
    ],
)
def test_why_there_is_no_answer_is_said_in_a_sentence(visit, given, words):
    assert words in takeaway(visit(**given))


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"n": "11", "what": "1", "sign": "*"}, ("`n=11`", "`what`", "`sign=*`")),
        ({"job": "0123456789ab"}, ("this link’s settings have trials of their own",)),
        ({"job": "xyz"}, ("the id of a job is 12 digits",)),
    ],
)
def test_a_bad_link_is_noted_and_the_page_answers(visit, link, words):
    at = visit(**link)
    assert all(part in at.warning[0].value for part in words)
    assert "There are 3." in takeaway(at)
    assert sent_addresses(at)[-1] == dict(at.query_params) == {}


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ({"what": "1"}, {}),
        ({"present": "1-nothing"}, {"controls": "n"}),
        ({"controls": "n,what"}, {"present": SCREEN}),
        ({"job": "xyz"}, {"present": SCREEN, "controls": "n"}),
        ({"present": "", "controls": ""}, {}),
    ],
)
def test_what_is_no_setting_stays_in_the_address_only_if_the_page_can_use_it(visit, bad, good):
    at = visit(n="5", **bad, **good)
    kept = {"n": "5"} | good
    assert dict(at.query_params) == kept
    assert sent_addresses(at)[-1] == {key: [text] for key, text in kept.items()}
    assert {key for key in kept | bad if f"`{key}" in at.warning[0].value} == set(bad)


def test_the_job_of_a_link_stays_in_the_address_while_it_runs(visit):
    name = visit(done=1, n="5").query_params["job"]
    assert dict(visit(done=1, n="5", job=name, what="1").query_params) == {"n": "5", "job": name}
    assert dict(visit(n="5", job=name).query_params) == {"n": "5"}, "it has ended"


def test_without_a_question_chapters_of_some_questions_are_left_out_unless_first_or_chosen():
    few, many = (Chapter(name, list, fits=lambda asked, name=name: asked == name) for name in ("few", "many"))
    chapters = Chapters("look", (few, Chapter("all", list), many, Chapter("more", list)))
    assert chapters.choice().options == ("few", "all", "many", "more"), "a link may ask for any"
    assert chapters.choice("Choose two.").options == ("few", "all", "more")
    assert chapters.choice("Choose two.", "many").options == ("few", "all", "many", "more")
    assert chapters.choice(("many",)).options == ("all", "more")


def test_a_chapter_with_a_title_has_it_on_screen_and_its_name_in_links():
    choice = Chapters("look", (Chapter("all", list), Chapter("few", list, title="The few"))).choice()
    assert choice.options == ("all", "few")
    assert [choice.on_screen(name) for name in choice.options] == ["all", "The few"]


def test_chapters_that_do_not_fit_are_no_options_and_a_shared_setting_is_listed_once():
    prior = Choice("prior", ("a", "b"), "a")
    fits = Chapter("b", list, settings=[prior], fits=lambda question: question["of"] == "images")
    tabs = Chapters("look", (Chapter("a", list, settings=[prior]), fits))
    assert [tabs.choice(answer).options for answer in (None, {"of": "table"}, {"of": "images"})] == [
        ("a", "b"),
        ("a",),
        ("a", "b"),
    ]
    assert tabs.choice("images").default == "a"
    assert tabs.choice().key == "look"
    assert tabs.settings_for(Values()) == [tabs.choice(), prior]


def test_the_default_of_a_chapters_setting_may_follow_from_another_setting():
    many = Number("many", COUNT, 3)
    twice = Chapter("a", list, settings=lambda now: [Number("twice", COUNT, 2 * now[many])])
    assert [setting.default for setting in Chapters("look", (twice,)).settings_for(Values({"many": 5}))[1:]] == [10]


WITH_MAIN_CONTROL = """
from types import SimpleNamespace
from pages.kit import inputs
from pages.kit.page import Chapter, Chapters, Page
from pages.kit.panel import LiveDial, Panel, Table
from pages.kit.settings import Number
from privdemo.limits import Limit

LEVEL = Number("level", Limit("level", 0, 9), 3, "Level")
live = Panel("main", answer="Main", figure=LiveDial({"level": 3}, LEVEL, str))
sheet = Panel("sheet", answer="Below", figure=Table(["a"], [["b"]]), links=[("far", "Far →")])


def answer(level, made):
    if level == 9:
        raise ValueError("level is too high")
    return SimpleNamespace(takeaway=lambda: f"The level is {level:g}.")


Page(
    title="Made up", question="How high?", address="high", answer=answer,
    question_of=lambda values: values[LEVEL], controls=lambda values, main: None, settings=lambda values: [LEVEL],
    main_control=lambda values: inputs.number(LEVEL),
    folds=lambda level, answer: {"Caveats": f"of {level:g}"},
    chapters=Chapters("chapter", (Chapter("one", lambda answer: [live, sheet]),)),
).run()
"""
WITH_MAIN_CONTROL_RENDERED = """\
container head direction=HORIZONTAL justify=SPACE_BETWEEN align=ALIGN_CENTER
  title tag=h1 body=How high? hide_anchor=True
  html body=<a class="sk… control</a>
  popover more allow_empty=True label=More help=Reset, share, present, save open=True use_content=True
    button reset label=↺ Reset
    container > bidi_component copy-link component_name=privdemo_copy_link json={}
    multiselect link-controls-high label=Link with these controls only options=Level (level)/Chapter (chapter)
        help=For readers …embed=true`. placeholder=All controls select_all=1000
    button present label=Present this screen
    button add-screen label=Add to my lecture
    toggle ask_for_guesses label=Ask me to guess first help=Some figures…t they show. value=True
    container > download_button save-setting label=Save this setting help=A text file … and sweeps.
        url=/mock/media/…9d2370e4af79 ignore_rerun=True
    file_uploader open_setting_0 label=Open a saved…s high.toml) max_upload_size_mb=1
transparent allow_empty=True > markdown body=<p class="takeaway">The level is 3.</p> allow_html=True
container page-main
  container nav direction=HORIZONTAL align=ALIGN_CENTER
    container chapters direction=HORIZONTAL align=ALIGN_CENTER use_content=True > container chapter-choice
        gap_size=NONE direction=HORIZONTAL align=ALIGN_CENTER > button_group chapter options=one default=0
        label=Chapter label_visibility=COLLAPSED required=True
    expander settings label=Settings expanded=False icon=:material/tune:
  container stage
    html body=<span id="ma…"-1"></span>
    container
      container main-control-fragment > bidi_component level-number component_name=privdemo_number json={"key":
          "lev…oxes": true}
      container figure
        markdown body=<p class="answer">Main</p> allow_html=True
        container live-level
          container dial-first
          bidi_component dial component_name=privdemo_live_dial json={"level": 3}
        markdown body=<p class="answer">Below</p> allow_html=True
        html body=<div class="…table></div>
        container links-sheet direction=HORIZONTAL > page_link page=far label=Far →
      download_button report label=Save this page (HTML) help=The whole pa… a hand-out. ignore_rerun=True
      container end > container direction=HORIZONTAL align=ALIGN_CENTER > markdown body=<details cla…  </details>
          allow_html=True
      bidi_component address-main-control component_name=privdemo_address json={"session": …try": false}
bidi_component address-page component_name=privdemo_address json={"session": …try": false}"""


def test_a_page_is_a_sentence_a_line_of_chapters_the_main_control_the_figure_and_an_end():
    assert rendered(opened(WITH_MAIN_CONTROL, more=True, no_browser=False).main) == WITH_MAIN_CONTROL_RENDERED


def test_the_menu_is_rendered_only_while_it_is_open():
    at = opened(WITH_MAIN_CONTROL)
    assert not [button for button in at.button if button.key == "reset"]
    assert "save-setting" not in rendered(at.main)


def test_a_change_of_the_main_control_is_answered_in_the_takeaway_and_in_the_folds_and_written():
    at = opened(WITH_MAIN_CONTROL)
    at.number_input(key="level").set_value(5).run()
    assert "The level is 5." in takeaway(at)
    assert said(at) == ["Main", "Below"]
    assert folds(at) == {"Caveats": "of 5"}
    assert written(at) == [{"level": ["5"]}]


def test_the_answer_alone_is_rendered_again_for_the_number_that_the_main_control_has_now(monkeypatch):
    """In a run of the fragment the question of the last run of the whole page is an old one."""

    def fragment_alone(part, **options):
        def run(*args):
            values.put(Number("level", Limit("level", 0, 9), 3), 5)
            part(*args)

        return run

    monkeypatch.setattr(st, "fragment", fragment_alone)
    at = opened(WITH_MAIN_CONTROL, {"level": "4"})
    assert "The level is 5." in takeaway(at)
    assert written(at)[0] == {"level": ["5"]}


def test_what_cannot_be_answered_is_said_beside_the_main_control():
    at = opened(WITH_MAIN_CONTROL, {"level": "9"})
    assert "Level is too high." in takeaway(at)
    assert folds(at) == {"Caveats": "of 9"}
    at.number_input(key="level").set_value(8).run()
    assert "The level is 8." in takeaway(at)


def test_a_page_may_have_no_main_control():
    at = opened(WITH_MAIN_CONTROL.replace("main_control=lambda values: inputs.number(LEVEL),", ""), {"level": "7"})
    assert "The level is 7." in takeaway(at)
    assert not at.number_input


def test_a_sentence_in_the_place_of_a_question_is_shown_without_an_answer():
    script = WITH_MAIN_CONTROL.replace("values[LEVEL],", '"Choose.",').replace('f"of {level:g}"', "level")
    at = opened(script, more=True)
    assert "Choose." in takeaway(at)
    assert (said(at), folds(at)) == ([], {"Caveats": "Choose."})
    assert "save-setting" not in rendered(at.main)


def test_a_chapter_that_no_longer_fits_gives_way_to_the_first_one():
    high = 'Chapter("high", lambda answer: [sheet], fits=lambda level: level > 5)'
    script = WITH_MAIN_CONTROL.replace("[live, sheet]),)", f"[live, sheet]), {high})")
    at = opened(script, {"level": "6", "chapter": "high"})
    assert (at.get("button_group")[0].options, at.get("button_group")[0].value) == (["one", "high"], "high")
    at.number_input(key="level").set_value(4).run()
    assert (at.get("button_group")[0].options, at.get("button_group")[0].value) == (["one"], "one")
    assert "The level is 4." in takeaway(at)
    changes = {key: texts for change in written(at) for key, texts in change.items()}
    assert changes == {"level": ["4"], "chapter": []}
    assert dict(at.query_params) == {"level": "4"}


PARTS = """
from types import SimpleNamespace
import streamlit as st
from pages.kit import inputs, values
from pages.kit.page import Page
from pages.kit.settings import Choice, Number
from privdemo.limits import Limit

DATA = Choice("data", ("small", "large"), "small", "Data")
FEW = Choice("few", ("yes", "no"), "yes", "Few")


def size(now):
    return Number("size", Limit("size", 1, 9 if now[DATA] == "small" else 99, integer=True), 3, "Size")


def adjust(now):
    if now[FEW] == "no" and now[size(now)] < 5:
        values.put(size(now), 5)


def controls(now, main):
    for setting in (DATA, FEW):
        inputs.choose(setting)
    with main:
        inputs.number(size(now))


Page(
    title="Made up", question="How many?", address="parts", adjust=adjust, controls=controls,
    answer=lambda question, made: SimpleNamespace(takeaway=lambda: f"{question[1]} of the {question[0]} ones."),
    question_of=lambda now: (now[DATA], now[size(now)]), settings=lambda now: [size(now), DATA, FEW],
    remarks=lambda now: ["Hardly any."] if now[size(now)] < 4 else (), folds=lambda question, answer: {},
    presets=lambda question: st.button("Double", on_click=values.put, args=(size(values.here()), 2 * question[1])),
).run()
"""


@pytest.mark.parametrize(
    ("link", "words", "noted"),
    [
        ({}, "3 of the small ones.", 0),
        ({"size": "50", "data": "large"}, "50 of the large ones.", 0),
        ({"size": "50"}, "3 of the small ones.", 1),
        ({"few": "no"}, "5 of the small ones.", 0),
        ({"few": "no", "size": "4"}, "5 of the small ones.", 0),
        ({"few": "no", "size": "6"}, "6 of the small ones.", 0),
    ],
)
@pytest.mark.parametrize("unfolded", [False, True])
def test_the_range_and_the_size_of_a_data_set_come_before_the_question(link, words, noted, unfolded):
    at = opened(PARTS, link, settings=unfolded)
    assert f">{words}<" in takeaway(at)
    assert (len(at.warning), len(at.toast)) == (noted, 0)


def test_a_number_that_a_smaller_data_set_does_not_allow_is_moved_with_a_message():
    at = opened(PARTS, {"size": "50", "data": "large"}, settings=True)
    at.get("button_group")[0].set_value("small").run()
    assert ">9 of the small ones.<" in takeaway(at)
    assert [toast.value for toast in at.toast] == ["“Size” is now 9, the end of its range here."]
    assert (at.number_input(key="size").value, at.number_input(key="size").max) == (9, 9)
    assert written(at) == [{"size": ["9"], "data": []}]
    assert not at.warning, "the link was valid"
    assert not at.run().toast


def test_remarks_and_presets_stand_with_the_settings_and_the_main_control_outside_of_them():
    at = opened(PARTS)
    assert ([one.value for one in at.info], [one.label for one in at.button]) == ([], [])
    assert [box.key for box in at.number_input] == ["size"]
    at.session_state["settings"] = True
    at.run()
    assert ([one.value for one in at.info], [one.label for one in at.button]) == (["Hardly any."], ["Double"])
    at.button[0].click().run()
    assert ">6 of the small ones.<" in takeaway(at)
    assert at.number_input(key="size").value == 6
    assert not at.info


def test_jobs_that_add_to_an_answer_are_polled_until_they_have_ended(monkeypatch):
    every, fragment, runner = [], st.fragment, Runner(1, None)
    monkeypatch.setattr(st, "fragment", lambda *args, **given: every.append(given) or fragment(*args, **given))
    monkeypatch.setattr(cache, "runner", lambda: runner)
    extra_jobs = 'extra_jobs=lambda level: [Job(("more", level), "Trial", len, ["x"] * 3)],'
    script = WITH_MAIN_CONTROL.replace("title=", f"{extra_jobs} title=").replace(
        "level is {level:g}.", "level is {level:g} {made.results}."
    )
    at = opened(f"from pages.kit.trials import Job\n{script}")
    assert "The level is 3 ((1,),)." in takeaway(at)
    assert {"run_every": trials.POLL} in every
    assert not at.get("progress")
    every.clear()
    runner.done = 3
    assert "The level is 3 ((1, 1, 1),)." in takeaway(at.run())
    assert {"run_every": trials.POLL} not in every
    runner.error = "it broke"
    assert at.run().warning[0].value == "Not everything could be computed. It broke."

"""Steps of a lecture: what is hidden, and how they are opened; links with only some controls."""

from dataclasses import replace

import pytest
import streamlit as st

from pages.kit import present, presenter, values
from pages.kit.lecture import Lecture, Step, shipped, to_link
from pages.kit.present import PageInfo, Position, View, link_parameters, read_position
from pages.kit.settings import Choice, Number
from privdemo.limits import Limit
from tests.pages.kit.elements import opened
from tests.pages.visiting import visit as visit_page
from tests.pages.visiting import warnings

N = Number("n", Limit("n", 0, 9, integer=True), 3, "How many")
SIGN = Choice("sign", ("+", "-", "±"), ("+", "-"), "Signs", many=True)
HERE = PageInfo("made", "Made up", lambda given: [N, SIGN], ("", "made", "far"))
LECTURE = Lecture(
    "Signs",
    "",
    5,
    (
        Step("made", {"n": "5"}, "Five of them."),
        Step("made", {"sign": ("±",)}, "", ("figure", "control"), "n"),
        Step("far", {"x": ("1", "2"), "y": "3"}, "Far away."),
        Step("made", {"n": "12", "m": "1"}, "Wrong."),
        Step("nowhere", {}, "Nowhere."),
    ),
)
NAME = to_link(LECTURE)
# The page on screen, with a button for each way on.
SCRIPT = """
import streamlit as st
from pages.kit import inputs, link, present, values
from tests.pages.kit.test_present import HERE, N, SIGN

values.enter("made", HERE.settings_for)
present.finish_navigation(HERE)
seen = present.read_view(HERE)
st.title(seen.position.step.say if seen.position else "Made up")
present.render(seen, HERE)
values.note_bad_parameters([*HERE.default_settings, *present.link_parameters(HERE)])
link.show_notes()
inputs.number(N)
inputs.choose(SIGN)
st.session_state["found"] = values.get(N), values.get(SIGN)
values.write_to_address(HERE.default_settings, "page", present.link_parameters(HERE))
"""


@pytest.fixture
def visit(monkeypatch):
    """Return the page at a step of the lecture, or opened by another link; and the pages that it switches to."""
    switched = []

    def buttons(number, n_steps, title, moved):
        st.caption(f"{number} of {n_steps}: {title}")
        for move in (presenter.NEXT, presenter.PREVIOUS, presenter.LEAVE, "elsewhere"):
            st.button(move, key=move, on_click=moved, args=(move,))

    monkeypatch.setattr(presenter, "mount", buttons)
    monkeypatch.setattr(st, "switch_page", lambda page: switched.append(page.url_path) or st.stop())

    def visit(step=None, **link):
        at = opened(SCRIPT, link | ({"present": f"{step}-{NAME}"} if step else {}))
        return at, switched

    return visit


def shown(at):
    return at.title[0].value, *at.session_state["found"]


def test_a_link_to_a_step_may_leave_out_its_settings(visit):
    assert shown(visit(1)[0]) == ("Five of them.", 5, ("+", "-"))
    assert shown(visit(1, n="7")[0])[1] == 7
    at, _ = visit(4)
    assert shown(at)[1] == 3
    assert warnings(at).startswith("Part of the lecture `Signs` could not be used.\n\n- `n=12`")


def test_what_a_lecture_says_is_plain_text():
    """The text of a link is not trusted: no link or image in it has an effect on the page."""
    words = "[Log in again](https://evil.example) **now**"
    at = visit_page("voting", present=f"1-{to_link(Lecture('Words', '', 5, (Step('voting', say=words),)))}")
    assert f'<h1 class="headline short">{words}</h1>' in [each.value for each in at.markdown]
    script = visit_page(
        "voting", present=f"1-{to_link(Lecture('Words', '', 5, (Step('voting', say='<b onclick=1>'),)))}"
    )
    assert "<b onclick" not in "".join(each.value for each in script.markdown)


def test_without_mnist_a_page_says_how_to_get_it_and_a_slide_that_it_is_missing(no_mnist, monkeypatch):
    titles = []
    monkeypatch.setattr(presenter, "mount", lambda number, n_steps, title, moved: titles.append(title))
    (note,) = [each.value for each in visit_page("image_noise").info]
    assert note.startswith("Showing scikit-learn's small digits, because MNIST cannot be read: ")
    slide = visit_page("image_noise", present=f"1-{to_link(Lecture('Light', '', 5, (Step('image_noise'),)))}")
    assert not slide.info, "it would lie over the figure"
    assert titles.pop() == "Noise on images · small digits, as MNIST is missing"
    visit_page("comparison", present=f"1-{to_link(Lecture('Light', '', 5, (Step('comparison'),)))}")
    assert titles.pop() == "Methods compared · Light", "it shows tumours"
    link = {"compare_on": "Small digits", "present": f"1-{to_link(Lecture('Light', '', 5, (Step('comparison'),)))}"}
    visit_page("comparison", **link)
    assert titles.pop() == "Methods compared · small digits, as MNIST is missing"


def test_a_bad_setting_of_a_step_is_noted_on_a_page_whose_link_has_it(visit):
    at, _ = visit(n="7")
    at.session_state["on_the_way_to"] = ("made", {"n": "12"}, "the lecture", None)
    assert not at.run().exception
    assert "`n=12` was ignored" in warnings(at)


def test_a_position_is_the_number_of_a_step_and_a_lecture_by_its_name_or_as_a_link():
    assert read_position(f"2-{NAME}") == Position(LECTURE, NAME, 2)
    assert read_position(f"2-{NAME}").step is not LECTURE.steps[1]
    name, known = next(iter(shipped().items()))
    assert read_position(f"1-{name}") == Position(known, name, 1)
    assert read_position(f"1-{name}").link == f"1-{name}"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("3", "it must be the number of a step, a dash"),
        ("1" * 5000 + "-vote", "it must be the number of a step, a dash"),
        ("x-lecture", "it must be the number of a step, a dash"),
        ("1-", "this is not the link of a lecture"),
        (f"0-{NAME}", "that lecture has steps 1 to 5"),
        (f"6-{NAME}", "that lecture has steps 1 to 5"),
        (f"1-{NAME[:-9]}", "the link of this lecture is damaged"),
    ],
)
def test_what_is_no_position_in_a_lecture_is_refused_with_a_sentence(words, problem):
    with pytest.raises(ValueError, match=problem):
        read_position(words)


def test_a_link_may_ask_for_a_step_on_this_page_and_for_controls_that_it_has():
    at_step, controls = link_parameters(HERE)
    assert at_step.problem([f"1-{NAME}"]) is None
    assert "that step is on another page" in at_step.problem([f"3-{NAME}"])
    assert controls.problem(["n,sign"]) is None
    assert "this page has no setting “m”" in controls.problem(["n,m"])
    assert "this page has no setting" in controls.problem(["n,"])


def test_a_view_says_what_is_shown_and_which_controls_are_left():
    step = Position(LECTURE, NAME, 2)
    assert View().whole
    assert (View().shows("takeaway"), View().usable) == (True, [])
    assert not View(step).whole
    assert [View(step).shows(part) for part in ("takeaway", "figure")] == [False, True]
    assert View(step, ["sign"]).usable == ["n"]
    assert View(Position(LECTURE, NAME, 1), ["sign"]).usable == []
    assert View(controls=["sign"]).usable == ["sign"]
    assert View(controls=["sign"]).shows("takeaway")


def test_all_controls_are_hidden_but_those_left():
    sheet = present._sheet(View(controls=["n"]), HERE)
    kept = ".st-key-n, .st-key-n-number, .st-key-n-boxes"
    shown = '[class*="st-key-shown-"]'  # such as a button that is part of what is shown
    assert f".st-key-main-control > *:not({kept}):not(:has({kept})):not(:has({shown}))," in sheet
    assert f"\n:is(.st-key-sign, .st-key-sign-number, .st-key-sign-boxes):not({shown} *) {{ display: none; }}" in sheet
    assert ":root { --dial-control: none; }" in sheet
    assert ".st-key-live-n { --dial-control: initial; }" in sheet
    assert ".takeaway" not in sheet
    assert "h2.chapter" not in sheet


def test_what_a_step_does_not_show_is_hidden():
    first, second = (present._sheet(View(Position(LECTURE, NAME, number)), HERE) for number in (1, 2))
    assert '.st-key-chapters > *:not(:has([class*="st-key-shown-"])) { display: none; }' in first
    assert ".st-key-figure" not in first
    assert ".st-key-controls > *:not(.st-key-n," in second
    only_said = View(Position(replace(LECTURE, steps=(Step("made", show=("takeaway",)),)), NAME, 1))
    assert ".st-key-figure { display: none; }" in present._sheet(only_said, HERE)


def test_steps_on_a_page_set_all_its_settings_and_leaving_keeps_them(visit):
    at, switched = visit(1, n="5", sign=["-"])
    assert shown(at) == ("Five of them.", 5, ("-",))
    assert at.caption[0].value == "1 of 5: Made up · Signs"
    at.button(key="previous").click().run()
    assert shown(at) == ("Five of them.", 5, ("-",)), "there is none before the first"
    at.button(key="next").click().run()
    assert shown(at) == ("", 3, ("±",))
    assert at.query_params["present"] == f"2-{NAME}"
    at.number_input(key="n").set_value(7).run()
    at.button(key="leave").click().run()
    assert shown(at) == ("Made up", 7, ("±",))
    assert "present" not in at.query_params
    assert dict(at.query_params) == {"n": "7", "sign": "±"}
    assert not at.button
    assert not switched


def test_a_lecture_goes_on_and_is_left_while_the_browser_sends_the_address_of_its_first_step(visit, entries):
    at, _ = visit(1)
    first, second = f"1-{NAME}", f"2-{NAME}"

    def click(move):
        at.query_params = {"present": first}
        return shown(at.button(key=move).click().run())

    assert click("next") == ("", 3, ("±",))
    assert click("previous") == ("Five of them.", 5, ("+", "-"))
    assert click("next") == ("", 3, ("±",))
    assert click("leave") == ("Made up", 3, ("±",))
    assert [one.get("present") for one in entries] == [[second], [first], [second], None]
    at.query_params = {"present": first}
    assert shown(at.run()) == ("Made up", 3, ("±",))


@pytest.mark.parametrize(
    ("by_audience", "step", "n"),
    [(True, 1, 5), (True, 2, 7), (False, 2, 5), (True, 3, 3), (False, 3, 3)],
    ids=["another number", "the same number", "not set by the audience", "none then", "none then, not by it"],
)
def test_a_number_of_the_audience_stays_where_two_steps_give_it_the_same_value(monkeypatch, by_audience, step, n):
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", {})
    number = replace(N, set_by_audience=by_audience)
    here = replace(HERE, settings_for=lambda given: [number, SIGN])
    lecture = replace(LECTURE, steps=tuple(Step("made", {"n": n} if n else {}) for n in ("4", "5", "5", "")))
    values.put_all({number: 7, SIGN: ("±",)})
    present._move(Position(lecture, "name", step), presenter.NEXT, here)
    assert (values.get(number), values.get(SIGN)) == (n, ("+", "-")), "all else is as the step has it"
    assert st.query_params == {"present": f"{step + 1}-name"}


def test_a_number_of_the_audience_does_not_go_along_to_another_page(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    here = replace(HERE, settings_for=lambda given: [replace(N, set_by_audience=True)])
    lecture = replace(LECTURE, steps=(Step("made", {"n": "5"}), Step("far", {"n": "5"})))
    values.put(N, 7)
    present._move(Position(lecture, "name", 1), presenter.NEXT, here)
    page, given, *_ = st.session_state["on_the_way_to"]
    assert (page, given) == ("far", {"n": "5"})


def test_a_screen_alone_says_its_title_once(visit):
    at, _ = visit(present=f"1-{to_link(Lecture('Made up', '', 1, (Step('made'),)))}")
    assert at.caption[0].value == "1 of 1: Made up"


def test_a_step_on_another_page_is_opened_with_its_settings(visit):
    at, switched = visit(2)
    at.button(key="next").click().run()
    assert switched == ["far"]


def test_a_step_on_another_page_resets_all_else_there_once(visit):
    at, switched = visit(n="7")
    at.session_state["on_the_way_to"] = "made", {"sign": ("±",)}, "the lecture", Position(LECTURE, NAME, 2)
    at.run()
    assert shown(at) == ("", 3, ("±",))
    assert not switched
    at.number_input(key="n").set_value(8).run()
    assert shown(at) == ("", 8, ("±",)), "once"


def test_bad_settings_of_a_step_and_a_page_that_is_not_there_are_noted(visit):
    at, switched = visit()
    at.session_state["on_the_way_to"] = "made", LECTURE.steps[3].settings, "it", Position(LECTURE, NAME, 4)
    at.run()
    assert shown(at) == ("Wrong.", 3, ("+", "-"))
    assert "n=12" in warnings(at)
    assert "m" in warnings(at)
    at.button(key="next").click().run()
    assert shown(at)[0] == "Wrong."
    assert "nowhere` was ignored: there is no such page." in warnings(at)
    assert not switched


def test_invalid_parameters_of_a_view_are_noted_and_all_is_shown(visit):
    at, _ = visit(present="1-nothing", controls="n,m")
    assert at.title[0].value == "Made up"
    assert "present=1-nothing" in warnings(at)
    assert "controls=n,m" in warnings(at)
    assert not at.get("html")
    assert dict(at.query_params) == {}
    at, _ = visit(controls="n")
    assert not at.warning
    assert dict(at.query_params) == {"controls": "n"}
    assert ".st-key-main-control > *:not(.st-key-n," in at.get("html")[0].proto.body


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (None, (1024, 768)),
        ([1920, 1080], (1920, 1080)),
        ([1366, 700], (1366, 768)),
        ([99999, -1], (1920, 768)),
        ([1366], (1024, 768)),
        (["1366", 700], (1024, 768)),
        ("x", (1024, 768)),
    ],
)
def test_the_size_of_a_projector_is_what_a_browser_sends_within_limits(monkeypatch, said, kept):
    monkeypatch.setattr(st, "session_state", {"presenter": {"screen": said}})
    presenter._store_screen_size()
    assert presenter.screen_size() == kept

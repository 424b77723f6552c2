"""Widgets of settings and of privacy: their values, their elements, and how linked ones follow each other."""

import math

import pytest

from privdemo.mechanisms import GaussianNoise
from tests.pages.kit.elements import drawn, opened

SETTINGS = """
import streamlit as st
from pages.kit import inputs, privacy_inputs
from pages.kit.settings import Choice, Number, Words
from privdemo.limits import Limit
from privdemo.mechanisms.pixels import FAMILIES

N = Number("n", Limit("n", 1, 9, integer=True), 3, "N", help="Whole")
P = Number("p", Limit("p", 0.0, 0.5), 0.2, "P", 0.1, "%.2f", "Share")
Q = Number("q", Limit("q", 0.0, 0.5), 0.3, "Q")
ONE, TWO = Choice("one", ("a", "b"), "b", "One"), Choice("two", ("a", "b"), ("b",), "Two", many=True)
WORDS = Words("words", str, "so", "Words", "Any")
"""
PLAIN = f"""{SETTINGS}
found = inputs.slider_and_box(N), inputs.slider_and_box(P, "Other"), inputs.choose(TWO), inputs.choose(ONE)
inputs.slider_and_box(Number("fixed", Limit("fixed", 2, 2, integer=True), 2, "Fixed"), "Same")
inputs.choose(Choice("hidden", ("a", "b"), "b", "One"), "Uno", hide_label=True)
inputs.choose(Choice("some", ("a", "b"), (), "Two", many=True), "Due")
inputs.choose_from_list(Choice("list", ("a", "b"), "b", "List"))
inputs.choose_from_list(Choice("own", ("a", "b"), "a", "List", in_link=False), "Lista")
st.session_state["found"] = *found, inputs.text_input(WORDS)
st.session_state["found"] += (inputs.text_input(Words("more", str, "", "Words"), "Parole"),)
"""
PLAIN_DRAWN = """\
container
  slider n_slide label=N format=%d default=3 min=1 max=9 step=1 help=Whole
  number_input n_heard label=heard format=%d default=0 step=1 max=9.0072e+15 value=0
number_input n label=N format=%d default=3 step=1 min=1 max=9 help=Whole label_visibility=COLLAPSED in_link=True
container
  slider p_slide label=Other format=%.2f default=0.2 max=0.5 step=0.1 help=Share
  number_input p_heard label=heard format=%d default=0 step=1 max=9.0072e+15 value=0
number_input p label=Other format=%.2f default=0.2 step=0.1 max=0.5 help=Share label_visibility=COLLAPSED in_link=True
button_group two options=a/b default=1 click_mode=MULTI_SELECT style=PILLS label=Two in_link=True
button_group one options=a/b default=1 label=One in_link=True required=True
number_input fixed label=Same format=%d default=2 step=1 min=2 max=2 in_link=True
button_group hidden options=a/b default=1 label=Uno label_visibility=COLLAPSED in_link=True required=True
button_group some options=a/b click_mode=MULTI_SELECT style=PILLS label=Due in_link=True
selectbox list label=List default=1 options=a/b in_link=True
selectbox own label=Lista default=0 options=a/b
text_input words label=Words default=so help=Any in_link=True
text_input more label=Parole default= in_link=True"""
LIES = f"""{SETTINGS}
flip = privacy_inputs.lie(P, 3, name="x", label="Lie", p_label="p", epsilon_label="ε")
both = privacy_inputs.two_lies(P.__class__("r", P.limit, 0.2), Q, labels=("a", "b"), titles=("A", "B"))
st.session_state["found"] = flip, both.p10, both.p01
"""
COUNTS = f"""{SETTINGS}
EPSILON, DELTA = Number("e", Limit("e", 0.001, 20.0), 0.3), Number("d", Limit("d", 0, 0.5), 0.05)
st.session_state["found"] = privacy_inputs.epsilon_and_delta(EPSILON, DELTA, "counts")
"""
PIXELS = f"""{SETTINGS}
found = []
for (name, family), low in zip(FAMILIES.items(), (0.0, 0.2, 0.2)):
    level = Number(name[0], Limit("level", low, 0.5), 0.3, step=0.1)
    what = {{"what": "value"}} if name == "laplace" else {{}}
    found.append(privacy_inputs.pixel_level(level, family, 4, 1e-5, name[0] + "_e", **what))
st.session_state["found"] = tuple(found)
"""

SCRIPTS = {"plain": PLAIN, "lies": LIES, "counts": COUNTS, "pixels": PIXELS}
FOUND = (3, 0.2, ("b",), "b", "so", "")


def test_every_widget_says_what_its_setting_does():
    assert drawn(opened(PLAIN).main) == PLAIN_DRAWN


@pytest.mark.parametrize(
    ("script", "left", "right"), [("lies", "accurate", "private"), ("counts", "private", "accurate")]
)
def test_a_slider_says_which_end_is_private(script, left, right):
    ends = f"<span>more {left}</span><span>more {right}</span>"
    assert any(ends in one.proto.body for one in opened(SCRIPTS[script]).main.get("html"))


@pytest.mark.parametrize(
    ("script", "key", "says"),
    [
        ("lies", "pair-x", "direction=HORIZONTAL"),
        ("lies", "p_slide", "label=Lie format=%0.2f default=0.2 max=0.5 step=0.01"),
        ("lies", "p", "label=p format=%.8g default=0.2 step=0.01 max=0.5 help=Share in_link=True"),
        (
            "lies",
            "x_epsilon",
            "label=ε format=%.4g default=2.07944 step=0.1 min=0.693147 max=700 help=ε bounds wha…her follows.",
        ),
        ("lies", "q_slide", "label=B format=%0.2f default=0.3 max=0.5 step=0.01"),
        ("lies", "q", "label=b format=%.8g default=0.3 step=0.01 max=0.5 help=Both 0: ever…information."),
        (
            "counts",
            "e_ladder",
            "label=ε, how much …nge the odds format=%s default=8 max=18 step=1 options=0.001/0",
        ),
        (
            "counts",
            "d_ladder",
            "label=δ, chance that the promise fails format=%s default=8 max=11 step=1 options=0/1e-10/",
        ),
        ("counts", "e", "label=ε format=%.4g default=0.3 step=0.01 min=0.001 max=20 in_link=True"),
        ("counts", "d", "label=δ format=%.3g default=0.05 step=0.01 max=0.5 in_link=True"),
        ("pixels", "r", "label=p, chance of change format=%.8g default=0.3 step=0.1 max=0.5 help=Type an exact"),
        (
            "pixels",
            "r_e",
            "label=ε of one pixel format=%.4g default=1.94591 step=0.1 min=1.09861 max=700 help=One released",
        ),
        ("pixels", "g", "label=σ, noise strength format=%.8g default=0.3 step=0.1 min=0.2 max=0.5"),
        ("pixels", "g_e", "ε of one pixel at δ = 10⁻⁵ format=%.4g default=19.1308 step=0.1 min=9.99726 max=33.1037"),
        ("pixels", "l_e", "label=ε of one value format=%.4g default=3.33333 step=0.1 min=2 max=5"),
    ],
)
def test_linked_widgets_say_which_numbers_they_take(script, key, says):
    words = " ".join(drawn(opened(SCRIPTS[script]).main).split())
    assert says in words.partition(f" {key} ")[2][: len(says) + 60]


@pytest.mark.parametrize(
    ("script", "kind", "key", "value", "found", "views"),
    [
        ("plain", "slider", "n_slide", 5, (5, *FOUND[1:]), {"n": 5}),
        ("plain", "slider", "p_slide", 0.30000000000000004, (3, 0.3, *FOUND[2:]), {"p": 0.3}),
        ("plain", "number_input", "p", 0.4, (3, 0.4, *FOUND[2:]), {"p_slide": 0.4}),
        ("lies", "number_input", "x_epsilon", math.log(2), (0.5, 0.2, 0.3), {"p": 0.5, "p_slide": 0.5}),
        ("lies", "number_input", "p", 0.0, (0.0, 0.2, 0.3), {"x_epsilon": None, "p_slide": 0.0}),
        ("lies", "slider", "q_slide", 0.1, (0.2, 0.2, 0.1), {"q": 0.1}),
        ("counts", "select_slider", "e_ladder", 5.0, (5.0, 0.05), {"e": 5.0}),
        ("counts", "number_input", "e", 0.33, (0.33, 0.05), {"e_ladder": 0.33}),
        ("counts", "number_input", "d", 0.0, (0.3, 0.0), {"d_ladder": 0.0}),
        ("counts", "number_input", "d", 2e-9, (0.3, 2e-9), {"d_ladder": 2e-9}),
        ("pixels", "number_input", "r_e", math.log(9), (0.25, 0.3, 0.3), {"r": 0.25}),
        ("pixels", "number_input", "r", 0.0, (0.0, 0.3, 0.3), {"r_e": None}),
        ("pixels", "number_input", "g_e", 12.0, (0.3, GaussianNoise.from_epsilon(12, 1e-5).sigma, 0.3), {}),
        ("pixels", "number_input", "l_e", 4.0, (0.3, 0.3, 0.25), {"l": 0.25}),
    ],
)
def test_a_number_is_set_by_any_of_its_widgets_and_the_others_follow(script, kind, key, value, found, views):
    at = opened(SCRIPTS[script])
    getattr(at, kind)(key=key).set_value(value).run()
    assert at.session_state["found"] == (found if script == "plain" else pytest.approx(found))
    assert {view: at.session_state[view] for view in views} == pytest.approx(views)


LATER = f"""{SETTINGS}
from pages.kit import link

st.button("Preset", on_click=link.set_numbers, args=({{"n": 7}},))
st.button("Reset", on_click=link.reset, args=([N, ONE, TWO],))
st.button("Choose", on_click=link.set_choices, args=({{ONE: "a", TWO: ["a"]}},))
if st.checkbox("Show"):
    st.session_state["found"] = inputs.number(N), inputs.choose(ONE), inputs.choose(TWO)
"""


@pytest.mark.parametrize("shown", [False, True])
def test_a_preset_sets_what_is_or_comes_on_screen_and_reset_takes_it_back(shown):
    at = opened(LATER)
    if shown:
        at.checkbox[0].check().run()
    at.button[0].click().run()
    at.checkbox[0].check().run()
    assert at.session_state["found"] == (7, "b", ("b",))
    assert at.session_state["assigned_later"] == {}
    at.button[2].click().run()
    assert at.session_state["found"] == (7, "a", ("a",))
    at.button[1].click().run()
    assert at.session_state["found"] == (3, "b", ("b",))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [(None, None, []), (9, 9, []), (12.5, 9, ["Size is now 9, the end of its range here."])],
)
def test_a_number_out_of_its_new_range_is_brought_back_in(before, after, said):
    at = opened(f'{SETTINGS}\nst.session_state["n"] = {before}\ninputs.clamp(N, "Size")')
    assert (at.session_state["n"], [toast.value for toast in at.toast]) == (after, said)


LATE = f"""{SETTINGS}
from pages.kit import link

st.button("Preset", on_click=link.set_numbers, args=({{"n": 7}},))
st.session_state["found"] = inputs.slider_and_box(N)
"""


@pytest.mark.parametrize(("heard", "found"), [(0, 7), (1, 3)])
def test_a_preset_is_not_taken_back_by_a_browser_that_has_not_heard_of_it(heard, found):
    at = opened(LATE).run()
    at.button[0].click().run()
    assert at.session_state["found"] == 7
    ear = at.number_input(key="n_heard")
    ear.set_value(ear.value - 1 + heard)
    at.number_input(key="n").set_value(3).run()
    assert at.session_state["found"] == found

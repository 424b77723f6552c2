"""Reading, noting and writing the settings in the address of a page."""

import json
from functools import partial

import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import local_script_runner

from tests.pages.kit.elements import drawn, opened

CHECK = """
import streamlit as st
from pages.kit import link
from pages.kit.settings import Choice, Number
from privdemo.limits import Limit

ONE, TWO = Choice("one", ("a", "b"), "b", "One"), Choice("two", ("a", "b"), ("b",), "Two", many=True)
N = Number("n", Limit("n", 1, 9, integer=True), 3, "N")
st.session_state["found"] = link.current(ONE), link.current(TWO)
link.check([ONE, TWO, N], st.session_state["page"])
"""


@pytest.mark.parametrize(
    ("link", "state", "found", "left"),
    [
        ({}, {}, ("b", ("b",)), {}),
        ({"one": "a", "two": ["a", "b"]}, {}, ("a", ("a", "b")), {"one": "a", "two": ["a", "b"]}),
        ({"one": "c", "two": "c", "n": "0"}, {}, ("b", ("b",)), {}),
        ({"one": "a", "n": "0"}, {"one": "b", "n": 5}, ("b", ("b",)), {"one": "a", "n": "0"}),
    ],
)
def test_a_choice_is_what_the_session_or_a_good_link_says(link, state, found, left):
    at = opened(CHECK, link, page="p", **state)
    assert at.session_state["found"] == found
    assert dict(at.query_params) == left


def test_notes_on_a_link_stay_until_dismissed_or_another_page():
    at = opened(CHECK, {"what": "1", "n": "0"}, page="p")
    start = "Part of this link could not be used.\n\n- `what` was ignored: this page has no such setting.\n- `n=0` was "
    assert at.run().warning[0].value.startswith(start)
    assert "container link-notes\n  warning" in drawn(at.main)
    assert at.button[0].label == "Dismiss"
    at.button[0].click().run()
    assert not at.warning
    at.query_params["what"] = "1"
    assert len(at.run().warning) == 1
    at.session_state["page"] = "another"
    assert not at.run().warning


def addresses_told(monkeypatch):
    """Return the list of addresses sent to the browser, each of which adds an entry to its history."""
    told, tell = [], QueryParams._send_query_param_msg
    monkeypatch.setattr(QueryParams, "_send_query_param_msg", lambda new: (told.append(dict(new)), tell(new)))
    return told


def test_bad_keys_leave_in_one_message_and_few_of_many_notes_are_shown(monkeypatch):
    told = addresses_told(monkeypatch)
    at = opened(CHECK, {f"k{i}": "1" for i in range(70)} | {"one": "a"}, page="p")
    assert told == [{"one": "a"}]
    assert at.warning[0].value.count("\n- ") == 6
    assert at.warning[0].value.endswith("- and 65 more")


def test_of_a_link_that_is_too_long_nothing_is_used(monkeypatch):
    told = addresses_told(monkeypatch)
    at = opened(CHECK, {"one": "a", "two": "a" * 9000}, page="p")
    assert told == [{}]
    assert "It has 9,010 characters, 8,192 are allowed: none of its settings was used." in at.warning[0].value
    assert at.session_state["found"] == ("b", ("b",))
    at = opened(CHECK, {"two": "a" * 9000}, page="p", two=["a"])
    assert at.warning[0].value.startswith("Part of what was typed"), "nobody used a link"


@pytest.mark.parametrize("value", ["", "a" * 9000])
def test_an_empty_key_of_a_link_is_passed_over(value):
    at = opened(CHECK, {"one": "a", "": value}, page="p")
    assert not at.exception
    assert at.session_state["found"] == ("a", ("b",))
    assert not at.warning


LISTS = """
import streamlit as st
from pages.kit import inputs, link
from pages.kit.settings import Choice

WHICH = Choice("which", ("a", "b", "c"), "a", "Which")
MANY = Choice("many", ("a", "b", "c"), ("a",), "Many", many=True)
link.check([WHICH, MANY], "p")
st.session_state["found"] = link.current(WHICH), inputs.choose(WHICH), inputs.choose(MANY)
"""


def written(at):
    """Return what the browser has to write into its address without an entry in its history."""
    return [json.loads(c.proto.json)["values"] for c in at.get("bidi_component")]


def test_a_list_with_commas_becomes_several_values_without_an_entry_in_the_history(monkeypatch):
    told, at = addresses_told(monkeypatch), opened(LISTS, {"which": "b", "many": ["c,b"]})
    assert at.session_state["found"] == ("b", "b", ("c", "b"))
    assert (written(at), told) == ([{"many": ["c", "b"]}], [])
    assert written(opened(LISTS, {"many": "a,"})) == [], "what is no list is refused as it stands"


def test_a_widget_on_screen_keeps_its_value_where_an_older_address_is_opened_again():
    at = opened(LISTS, {"many": "a,b"})
    at.button_group(key="many").set_value(["c"])
    at.query_params["many"] = "a,b"
    assert not at.run().exception
    assert (at.session_state["found"][2], written(at)) == (("c",), [{"many": ["c"]}])


def test_the_way_back_to_a_list_shows_what_it_names(monkeypatch):
    at, told = opened(LISTS, {"many": "c"}), addresses_told(monkeypatch)
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
    at.query_params["many"] = "a,b"
    assert not at.run().exception
    assert (at.session_state["found"][2], written(at)) == (("a", "b"), [])
    assert len(told) == 1


APART = """
import streamlit as st
from pages.kit import inputs, link
from pages.kit.settings import Number
from privdemo.limits import Limit

N = Number("n", Limit("n", 1, 9, integer=True), 3, "N")
link.separate_pages([N], st.session_state["page"])
st.session_state["found"] = inputs.number(N)
"""


def test_pages_keep_values_of_one_name_apart_without_an_entry_in_the_history(monkeypatch):
    at = opened(APART, {"n": "5"}, page="one")
    told = addresses_told(monkeypatch)
    found = []
    for page in ("two", "one"):
        at.session_state["page"] = page
        at.query_params.clear()
        assert not at.run().exception
        found.append(at.session_state["found"])
    assert (found, written(at), told) == ([3, 5], [{"n": ["5"]}], [])


def test_what_a_page_writes_into_the_address():
    at = opened('from pages.kit import link\nlink.copy_button({"controls": "n"})\nlink.write("job", "abc")')
    found = [(c.proto.component_name, c.proto.id.split("-", 2)[-1]) for c in at.get("bidi_component")]
    assert found == [("privdemo_copy_link", "copy-link"), ("privdemo_address", "address-job")]
    said = json.loads(at.get("bidi_component")[1].proto.json)
    assert said["values"] == {"job": ["abc"]}
    assert json.loads(at.run().get("bidi_component")[1].proto.json)["now"] > said["now"]


KEPT = """
import streamlit as st
from pages.kit import inputs, link
from pages.kit.settings import Choice, Number, Words
from privdemo.limits import Limit
from server.streamlit_internals import hidden_container

SETTINGS = {
    Choice("one", ("a", "b"), "b", "One"): inputs.choose,
    Choice("two", ("a", "b", "c"), ("b",), "Two", many=True): inputs.choose,
    Choice("own", ("x", "y"), "x", "Own", in_link=False): inputs.choose_from_list,
    Number("n", Limit("n", 1, 9, integer=True), 3, "N"): inputs.slider_and_box,
    Words("w", str, "old", "W"): inputs.text_input,
}
with st.container() if st.session_state["seen"] else hidden_container():
    st.session_state["found"] = tuple(draw(setting) for setting, draw in SETTINGS.items())
link.flush_to_address("settings")
"""
LINKED = ("a", ("a", "c"), "x", 5, "new")
LINK = {"one": "a", "two": ["a", "c"], "n": "5", "w": "new"}


def test_settings_drawn_nowhere_are_what_the_link_says_and_draw_nothing():
    at = opened(KEPT, LINK, seen=False)
    assert at.session_state["found"] == LINKED
    assert drawn(at.main) == ""
    assert dict(at.query_params) == LINK
    assert opened(KEPT, {"n": "50", "one": "c"}, seen=False).session_state["found"] == ("b", ("b",), "x", 3, "old")


def test_what_was_set_is_kept_through_folding_and_unfolding():
    at = opened(KEPT, {"n": "5", "one": "a"}, seen=True)
    at.number_input(key="n").set_value(6).run()
    at.selectbox(key="own").set_value("y").run()
    found = at.session_state["found"]
    assert found == ("a", ("b",), "y", 6, "old")
    for seen in (False, False, False, True, False):
        at.session_state["seen"] = seen
        assert at.run().session_state["found"] == found
        assert seen or written(at) in ([{"n": ["6"]}], [])
        at.query_params["n"] = "6"  # as the browser tells from then on


def test_what_is_set_of_a_setting_drawn_nowhere_reaches_the_address_and_a_default_leaves_it(monkeypatch):
    at = opened(KEPT, LINK, seen=False)
    told = addresses_told(monkeypatch)
    at.session_state["n"], at.session_state["assigned_later"] = 3, {"w": "newer"}
    assert at.run().session_state["found"] == ("a", ("a", "c"), "x", 3, "newer")
    assert written(at) == [{"n": [], "w": ["newer"]}]
    del at.query_params["n"]
    at.query_params["w"] = "newer"
    assert written(at.run()) == []
    assert told == []


def test_an_option_that_is_gone_is_not_kept():
    at = opened(KEPT, seen=False, one="gone", two=["a", "gone"])
    assert at.session_state["found"][:2] == ("b", ("b",))


def test_the_way_back_leads_to_what_the_address_said_then(monkeypatch):
    at = opened(KEPT, {"n": "5"}, seen=False)
    at.query_params["n"] = "7"
    assert at.run().session_state["found"][3] == 5
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
    at.query_params["n"] = "7"
    assert at.run().session_state["found"][3] == 7

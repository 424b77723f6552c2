"""The address of a page: what of it is taken, noted and written."""

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
    """The addresses that the browser is told of from now on, each of which makes an entry in its history."""
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


RENAMED = """
import streamlit as st
from pages.kit import inputs, link
from pages.kit.settings import Choice

WHICH = Choice("which", ("a", "b", "c"), "a", "Which", formerly={"the first": "a", "the second": "b"})
MANY = Choice("many", ("a", "b", "c"), ("a",), "Many", many=True, formerly={"the second": "b"})
link.check([WHICH, MANY], "p")
st.session_state["found"] = link.current(WHICH), inputs.choose(WHICH), inputs.choose(MANY)
"""


def written(at):
    """What the browser is told to write into its address without an entry in its history."""
    return [json.loads(c.proto.json)["values"] for c in at.get("bidi_component")]


def test_old_names_become_new_ones_without_an_entry_in_the_history(monkeypatch):
    told, at = addresses_told(monkeypatch), opened(RENAMED, {"which": "the second", "many": ["a", "the second"]})
    assert at.session_state["found"] == ("b", "b", ("a", "b"))
    assert (written(at), told) == ([{"which": ["b"], "many": ["a", "b"]}], [])
    assert written(opened(RENAMED, {"which": "the first"})) == [{"which": []}], "a default is in no address"


def test_a_widget_on_screen_keeps_its_value_where_an_older_address_is_told_again():
    at = opened(RENAMED, {"which": "the second"})
    at.button_group(key="which").set_value("c")
    at.query_params["which"] = "the second"
    assert not at.run().exception
    assert (at.session_state["found"][1], written(at)) == ("c", [{"which": ["c"]}])


def test_the_way_back_to_an_old_name_shows_what_it_names(monkeypatch):
    at, told = opened(RENAMED, {"which": "c"}), addresses_told(monkeypatch)
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
    at.query_params["which"] = "the second"
    assert not at.run().exception
    assert (at.session_state["found"][1], written(at), told) == ("b", [], [{"which": "b"}])


APART = """
import streamlit as st
from pages.kit import inputs, link
from pages.kit.settings import Number
from privdemo.limits import Limit

N = Number("n", Limit("n", 1, 9, integer=True), 3, "N")
link.keep_apart([N], st.session_state["page"])
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

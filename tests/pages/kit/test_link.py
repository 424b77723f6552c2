"""Reading and writing the address of a page, and notes on what is wrong with it."""

import pytest

from pages.kit import link
from privdemo import limits
from tests.pages.kit.elements import component_data, opened, rendered, sent_addresses
from tests.pages.visiting import warnings

NOTES = """
import streamlit as st
from pages.kit import link

st.session_state["parameters"] = link.parameters()
for of, sentences in st.session_state["notes"].items():
    link.set_notes(*sentences, of=of)
link.show_notes()
if added := st.session_state.pop("added", None):
    link.add_note(added)
"""


def test_notes_stay_until_they_are_dismissed():
    at = opened(NOTES, notes={"this link": ["One.", "Two."], "the file": ["Three."]})
    at.session_state["notes"] = {"this link": [], "the file": ["Four."]}
    at.run()
    start = "could not be used.\n\n- "
    assert warnings(at) == f"Part of this link {start}One.\n- Two.\nPart of the file {start}Four."
    assert rendered(at.main).startswith("container link-notes\n  warning")
    assert [button.label for button in at.button] == ["Dismiss"]
    at.session_state["notes"] = {}
    at.button[0].click().run()
    assert rendered(at.main) == ""


@pytest.mark.parametrize(("n", "more"), [(5, []), (6, ["and 1 more"]), (1_005, ["and 1,000 more"])])
def test_of_many_notes_the_first_five_are_shown(n, more):
    at = opened(NOTES, notes={"this link": [f"N{i}" for i in range(n)]})
    assert warnings(at).split("\n- ")[1:] == ["N0", "N1", "N2", "N3", "N4", *more]


def test_a_note_that_is_added_later_in_a_run_is_shown_at_once():
    at = opened(NOTES, notes={}, added="Two.")
    assert warnings(at) == "Part of this link could not be used.\n\n- Two."
    assert warnings(at.run()) == "Part of this link could not be used.\n\n- Two."


@pytest.mark.parametrize("value", ["", "a" * 9000])
def test_an_empty_key_of_a_link_is_ignored(value):
    at = opened(NOTES, {"one": ["a", "b"], "": value}, notes={})
    assert at.session_state["parameters"] == {"one": ["a", "b"]}


TOO_LONG = 'import streamlit as st\nfrom pages.kit import link\nst.session_state["found"] = link.length_problem()'
NONE_USED = "8,192 are allowed: none of its settings was used."


@pytest.mark.parametrize(
    ("letters", "sentence"),
    [
        (0, ""),
        (8_190, ""),
        (8_191, f"It has 8,193 characters, {NONE_USED}"),
        (200_000, f"It has more than {int(limits.ADDRESS_BYTES.high):,} characters, {NONE_USED}"),
    ],
)
def test_a_link_of_over_8192_characters_is_too_long(letters, sentence):
    assert opened(TOO_LONG, {"w": "a" * letters} if letters else {}).session_state["found"] == sentence


def test_the_length_of_a_link_is_that_of_its_bytes_in_the_address():
    found = opened(TOO_LONG, {"w": "ε" * 1366}).session_state["found"]  # each is written as %CE%B5
    assert found == f"It has 8,198 characters, {NONE_USED}"
    assert link.length_words(8_198) == "8,198 characters, 8,192 are allowed"


def test_what_a_page_writes_into_the_address(entries):
    script = """
import streamlit as st
from pages.kit import link
link.copy_button({"controls": "n"})
link.set_one("job", "abc")
link.set_one("old", "")
st.session_state["parameters"] = link.parameters()
"""
    at = opened(script, {"old": "1", "other": ["2", "3"]})
    found = [(c.proto.component_name, c.proto.id.split("-", 2)[-1]) for c in at.get("bidi_component")]
    assert found == [
        ("privdemo_copy_link", "copy-link"),
        ("privdemo_address", "address-job"),
        ("privdemo_address", "address-old"),
    ]
    assert component_data(at, "copy_link") == [{"controls": "n"}]
    old, other, job = ["old", "1"], [["other", "2"], ["other", "3"]], ["job", "abc"]
    sent = {"session": "test session id", "read": [old, *other], "entry": False}
    assert component_data(at, "address") == [
        sent | {"count": 1, "address": [old, *other, job]},
        sent | {"count": 2, "address": [*other, job]},
    ]
    assert at.session_state["parameters"] == {"other": ["2", "3"], "job": ["abc"]}, "the same run reads what it wrote"
    assert dict(at.query_params) == {"other": ["2", "3"], "job": "abc"}
    assert entries == []


def test_the_same_text_is_written_again_in_each_run_with_a_higher_count():
    """The browser runs a component only for new data, and its address may have changed meanwhile."""
    at = opened('from pages.kit import link\nlink.set_one("job", "abc")')
    (first,) = component_data(at, "address")
    (second,) = component_data(at.run(), "address")
    assert first["address"] == second["address"] == [["job", "abc"]]
    assert second["count"] > first["count"]


# A page that writes some keys, and sets others with an entry in the browser's history.
WRITING = """
import streamlit as st
from pages.kit import link

for key, value in st.session_state["written"].items():
    link.set_one(key, value)
for key, value in st.session_state["pushed"].items():
    link.set_with_history(key, value)
st.session_state["parameters"] = link.parameters()
"""


def run(at, late=None, written=(), pushed=()):
    """Run the page that writes; the browser sends the address `late`, or else the one of the last run."""
    at.session_state["written"], at.session_state["pushed"] = dict(written), dict(pushed)
    if late is not None:
        at.query_params = dict(late)
    assert not at.run().exception
    return at.session_state["parameters"]


def test_an_address_that_the_browser_sends_late_is_not_read():
    link_there = {"one": "1", "two": "2"}
    at = opened(WRITING, link_there, written={"one": "5", "two": ""}, pushed={})
    assert run(at, late=link_there) == {"one": ["5"]}
    assert sent_addresses(at) == []
    assert run(at, late=link_there, written={"three": "3"}) == {"one": ["5"], "three": ["3"]}
    assert sent_addresses(at) == [{"one": ["5"], "three": ["3"]}]
    assert dict(at.query_params) == {"one": "5", "three": "3"}
    assert component_data(at, "address")[0]["read"] == [["one", "1"], ["two", "2"]], "what was read at first"


def test_a_key_is_set_and_removed_with_an_entry_in_the_history_and_all_others_stay(entries):
    late = {"old": "1", "other": ["2", "3"], "present": "0-vote"}
    at = opened(WRITING, late, written={"old": "", "n": "5"}, pushed={"present": "1-vote"})
    kept = {"other": ["2", "3"], "n": ["5"]}
    assert entries == [kept | {"present": ["1-vote"]}]
    assert dict(at.query_params) == {"other": ["2", "3"], "n": "5", "present": "1-vote"}
    for words, there in (("2-vote", kept | {"present": ["2-vote"]}), ("", kept)):
        assert run(at, late, pushed={"present": words}) == entries[-1] == there
        assert sent_addresses(at) == [], "Streamlit itself sends it"
        assert run(at, late) == there
    assert len(entries) == 3
    run(at, late, written={"n": ""})
    assert sent_addresses(at) == [{"other": ["2", "3"]}]


def test_the_removal_of_a_key_that_is_not_there_makes_no_entry_in_the_history(entries):
    at = opened(WRITING, {"present": "1-vote"}, written={"present": ""}, pushed={})
    assert run(at, late={"present": "1-vote"}, pushed={"present": ""}) == {}
    assert entries == []


def test_that_a_page_is_in_a_frame_is_neither_read_nor_removed():
    """This part of the address is Streamlit's own."""
    at = opened(WRITING, {"embed": "true", "n": "5"}, written={"n": ""}, pushed={"present": "1-vote"})
    assert at.session_state["parameters"] == {"present": ["1-vote"]}
    (sent,) = component_data(at, "address")
    assert (sent["address"], sent["read"]) == ([], [["n", "5"]])
    assert dict(at.query_params) == {"embed": "true", "present": "1-vote"}

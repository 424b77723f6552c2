"""Reading and writing the address of a page, and notes on what is wrong with it."""

import json

import pytest

from pages.kit import link
from privdemo import limits
from tests.pages.kit.elements import opened, rendered, written
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


TOO_LONG = 'import streamlit as st\nfrom pages.kit import link\nst.session_state["found"] = link.too_long()'
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


def test_what_a_page_writes_into_the_address():
    script = """
import streamlit as st
from pages.kit import link
link.copy_button({"controls": "n"})
link.write("job", "abc")
link.write("old", "")
st.session_state["parameters"] = link.parameters()
"""
    at = opened(script, {"old": "1", "other": "2"})
    found = [(c.proto.component_name, c.proto.id.split("-", 2)[-1]) for c in at.get("bidi_component")]
    assert found == [
        ("privdemo_copy_link", "copy-link"),
        ("privdemo_address", "address-job"),
        ("privdemo_address", "address-old"),
    ]
    assert json.loads(at.get("bidi_component")[0].proto.json) == {"controls": "n"}
    assert written(at) == [{"job": ["abc"]}, {"old": []}]
    assert at.session_state["parameters"] == {"other": ["2"], "job": ["abc"]}, "the same run reads what it wrote"


def test_the_same_text_is_written_again_in_each_run():
    """The browser runs a component only for new data, and its address may have changed meanwhile."""
    at = opened('from pages.kit import link\nlink.write("job", "abc")')
    first = json.loads(at.get("bidi_component")[0].proto.json)
    second = json.loads(at.run().get("bidi_component")[0].proto.json)
    assert first["address"] == second["address"] == [["job", "abc"]]
    assert second["count"] > first["count"]

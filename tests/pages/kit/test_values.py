"""The values of a page's settings: read from its address, kept for the visit, shown by widgets, written back."""

from functools import partial

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import local_script_runner

from pages.kit import inputs, link, values
from pages.kit.settings import Choice, Number, Words
from pages.kit.values import Values
from privdemo.limits import Limit
from tests.pages.kit.elements import component_data, opened, rendered, sent_addresses, written
from tests.pages.visiting import warnings

ONE = Choice("one", ("a", "b"), "b", "One")
TWO = Choice("two", ("a", "b", "c"), ("b",), "Two", many=True)
OWN = Choice("own", ("x", "y"), "x", "Own", in_link=False)
N = Number("n", Limit("n", 1, 9, integer=True), 3, "N")
P = Number("p", Limit("p", 0.0, 0.5), 0.2, "P")
WORDS = Words("words", str, "old", "Words")
# How many records there are: nine, or ninety-nine in the data set “b”.
DATA = Choice("data", ("a", "b"), "a", "Data")
SIZE = Number("size", Limit("size", 1, 9, integer=True), 3, "Size")


def with_data(given: Values) -> list:
    return [Number("size", Limit("size", 1, 99 if given[DATA] == "b" else 9, integer=True), 3, "Size"), DATA]


@pytest.fixture
def session(monkeypatch):
    """Return the session of a visit, a dictionary."""
    monkeypatch.setattr(st, "session_state", {})
    return st.session_state


@pytest.mark.parametrize(
    ("setting", "given", "found"),
    [
        (N, {}, 3),
        (N, {"n": 5.0}, 5),
        (N, {"n": 0}, 1),
        (N, {"n": 12.5}, 9),
        (P, {}, 0.2),
        (P, {"p": 0}, 0.0),
        (P, {"p": 0.6}, 0.5),
        (ONE, {}, "b"),
        (ONE, {"one": "a"}, "a"),
        (ONE, {"one": "gone"}, "b"),
        (TWO, {}, ("b",)),
        (TWO, {"two": ("c", "a")}, ("c", "a")),
        (TWO, {"two": ("a", "gone")}, ("b",)),
        (WORDS, {"words": "new"}, "new"),
    ],
)
def test_a_value_is_what_was_set_or_its_nearest_or_the_default(setting, given, found):
    value = Values(given)[setting]
    assert (value, type(value)) == (found, type(found))


@pytest.mark.parametrize(("given", "outside"), [({}, False), ({"n": 9}, False), ({"n": 10}, True), ({"n": 0}, True)])
def test_only_a_number_that_was_set_can_be_outside_of_its_range(given, outside):
    assert Values(given).is_outside(N) is outside


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ({}, {}),
        ({"n": "5", "p": "0.25"}, {N: 5, P: 0.25}),
        ({"n": ["5", "7"]}, {N: 7}),
        ({"n": "10", "p": "0.6"}, {}),
        ({"n": "5.5", "p": "x"}, {}),
        ({"n": "", "p": []}, {}),
        ({"one": "a", "own": "y"}, {ONE: "a", OWN: "y"}),
        ({"one": "c"}, {}),
        ({"two": ("c", "a")}, {TWO: ("c", "a")}),
        ({"two": "c, a"}, {TWO: ("c", "a")}),
        ({"two": "c,d"}, {}),
        ({"words": "new", "what": "1"}, {WORDS: "new"}),
    ],
)
def test_of_the_texts_of_a_link_the_valid_ones_set_their_settings(texts, found):
    all_settings = [N, P, ONE, TWO, OWN, WORDS]
    read = values.from_texts(lambda given: all_settings, texts)
    assert {setting: read[setting] for setting in all_settings} == {
        setting: found.get(setting, setting.default) for setting in all_settings
    }


@pytest.mark.parametrize(("data", "size"), [("a", 3), ("b", 50)])
def test_a_range_that_depends_on_the_data_set_of_a_link_is_that_of_this_data_set(data, size):
    found = values.from_texts(with_data, {"size": "50", "data": data})
    assert found[with_data(found)[0]] == size


@pytest.mark.parametrize(
    ("setting", "value", "texts"),
    [
        (N, 5, ["5"]),
        (N, 3, []),
        (P, 0.25, ["0.25"]),
        (P, 0.2, []),
        (P, 0.0, ["0"]),
        (Number("large", Limit("large", 0.0, 1e20), 1.0), 1e20, ["1e+20"]),
        (ONE, "a", ["a"]),
        (ONE, "b", []),
        (TWO, ["c", "a"], ["c", "a"]),
        (TWO, ("b",), []),
        (WORDS, "new", ["new"]),
    ],
)
def test_the_address_has_the_shortest_text_of_a_value_and_no_default(session, setting, value, texts):
    values.put(setting, value)
    assert values.texts_of(setting) == texts
    if texts:
        values.reset()
        values.set_from_texts(lambda given: [setting], {setting.key: texts})
        assert values.get(setting) == (tuple(value) if isinstance(value, list) else value)


def test_a_file_holds_what_a_link_would_hold(session):
    values.put_all({N: 5, P: 0.2, TWO: ["c"], OWN: "y"})
    assert values.in_address([N, P, ONE, TWO, OWN, WORDS]) == {"n": "5", "two": ("c",)}


def test_no_link_or_file_sets_a_setting_that_is_in_no_link(session):
    values.set_from_texts(lambda given: [OWN, N], {"own": "y", "n": "5"})
    assert (values.get(OWN), values.get(N)) == ("x", 5)
    values.put(OWN, "y")
    values.set_from_texts(lambda given: [OWN, N], {"n": "50"})
    assert (values.get(OWN), values.get(N)) == ("y", 5), "what is invalid or not there stays"


def test_later_changes_are_not_seen_in_a_copy_of_the_values(session):
    now, copy = values.here(), values.copy_of_here()
    before = copy[N]
    values.put(N, before + 1)
    assert (now[N], copy[N]) == (before + 1, before)


def test_reset_sets_some_settings_or_all_of_this_page_alone_to_their_defaults(session):
    values.enter("far", lambda _: [])
    values.put(N, 8)
    values.enter("here", lambda _: [])
    values.put_all({N: 5, P: 0.1, ONE: "a"})
    values.reset([N, TWO])
    assert [values.get(setting) for setting in (N, P, ONE)] == [3, 0.1, "a"]
    values.reset()
    assert [values.get(setting) for setting in (N, P, ONE)] == [3, 0.2, "b"]
    values.enter("far", lambda _: [])
    assert values.get(N) == 8


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({}, 3, []),
        ({SIZE: 9}, 9, []),
        ({SIZE: 50}, 9, ["“Size” is now 9, the end of its range here."]),
        ({SIZE: 0}, 1, ["“Size” is now 1, the end of its range here."]),
        ({SIZE: 50, DATA: "b"}, 50, []),
    ],
)
def test_a_number_outside_of_a_new_range_is_moved_to_its_end_with_a_message(session, monkeypatch, before, after, words):
    messages = []
    monkeypatch.setattr(st, "toast", messages.append)
    values.put_all(before)
    for _ in range(2):
        values.clamp(with_data(values.here()))
    assert messages == words, "said once"
    values.put(DATA, "b")
    assert values.get(with_data(values.here())[0]) == after, "a wider range does not bring it back"


def test_the_default_of_a_range_without_it_is_the_nearest_number_without_a_message(session, monkeypatch):
    messages = []
    monkeypatch.setattr(st, "toast", messages.append)
    narrow = Number("n", Limit("n", 5, 9, integer=True), 3, "N")
    values.clamp([narrow])
    assert (values.get(narrow), messages) == (5, [])


@pytest.mark.parametrize(
    ("setting", "default", "first"),
    [(N, "value", 3), (TWO, "default", ["b"]), (ONE, "index", 1), (WORDS, "value", "old")],
)
def test_a_widget_begins_with_the_value_and_puts_what_is_chosen(session, setting, default, first):
    shown = values.widget_arguments(setting, default)
    assert (shown["key"], shown[default]) == (setting.key, first)
    assert session.keys() == {"values"}, "the state of the widget is Streamlit's"
    new = {"n": 5, "two": ["a"], "one": "a", "words": "new"}[setting.key]
    session[setting.key] = new
    shown["on_change"](*shown["args"])
    assert values.get(setting) == (tuple(new) if isinstance(new, list) else new)


def test_an_emptied_box_changes_nothing(session):
    values.put(N, 5)
    shown = values.widget_arguments(N, "value")
    session["n"] = None
    shown["on_change"](*shown["args"])
    assert values.get(N) == 5


class Written(dict):
    """A session state that notes which keys are set."""

    def __init__(self, **state):
        super().__init__(state)
        self.keys_set = []

    def __setitem__(self, key, value):
        self.keys_set.append(key)
        super().__setitem__(key, value)


@pytest.mark.parametrize(("value", "keys_set", "default"), [(5, [], {"value": 5}), (6, ["n"], {})])
def test_the_state_of_a_widget_is_set_only_to_another_value(monkeypatch, value, keys_set, default):
    """Setting it while the script runs would undo a key that is pressed meanwhile; Streamlit warns of both at once."""
    monkeypatch.setattr(st, "session_state", Written(n=5, values={"": {"n": value}}))
    options = values.widget_arguments(N, "value")
    assert {key: each for key, each in options.items() if key == "value"} == default
    assert (st.session_state.keys_set, st.session_state["n"]) == (keys_set, value)


# A page of five settings with a preset; with `wide`, another page has a wider range for n.
PAGE = """
from types import SimpleNamespace
import streamlit as st
from pages.kit import inputs, values
from pages.kit.page import Page
from pages.kit.settings import Number
from privdemo.limits import Limit
from tests.pages.kit.test_values import N, ONE, OWN, TWO, WORDS

SETTINGS = {
    ONE: inputs.choose, TWO: inputs.choose, OWN: inputs.choose_from_list, N: inputs.slider_and_box,
    WORDS: inputs.text_input,
}


def interrupt(where):
    # Rerun the script once, if the test asks for it there.
    if st.session_state.get("interrupted") == where:
        del st.session_state["interrupted"]
        st.rerun()


def answer(question, made):
    st.session_state["question"] = question
    return SimpleNamespace(takeaway=lambda: "So.")


def controls(now, main):
    interrupt("controls")
    for setting, render in SETTINGS.items():
        assert render(setting) == now[setting]


st.button("Preset", key="preset", on_click=values.put_all, args=({ONE: "a", TWO: ["a", "c"], N: 7},))
Page(
    title="Made up",
    question="What?",
    address=st.session_state.get("page", "one"),
    answer=answer,
    question_of=lambda now: tuple(now[setting] for setting in SETTINGS),
    adjust=lambda now: interrupt("adjust"),
    controls=controls,
    settings=lambda now: list(SETTINGS),
    folds=lambda question, answer: {},
).run()
"""
DEFAULTS = ("b", ("b",), "x", 3, "old")
LINK = {"one": "a", "two": ["a", "c"], "n": "5", "words": "new"}
LINKED = ("a", ("a", "c"), "x", 5, "new")


def visit(link=None, unfolded=False, **state):
    """Return the page opened by a link, with its settings folded away or not."""
    return opened(PAGE, link, **{inputs.SETTINGS: unfolded, "more": True} | state)


def found(at):
    """Return the question that the page has answered: the values of its settings."""
    assert not at.exception
    return at.session_state["question"]


def as_in_browser(at):
    """Return the address, after the browser has written into it what the page asked it to."""
    for changes in written(at):
        for key, texts in changes.items():
            if texts:
                at.query_params[key] = texts
            elif key in at.query_params:
                del at.query_params[key]
    return {key: link_texts(texts) for key, texts in at.query_params.items()}


def link_texts(texts):
    """Return the texts of a key of a link, which may be one."""
    return texts if isinstance(texts, list) else [texts]


def at_page(at, page, **address):
    """Return the page of an address in the same visit, opened from the menu, or by a link with settings."""
    at.session_state["page"] = page
    at.query_params.clear()
    for key, value in address.items():
        at.query_params[key] = value
    return at.run()


@pytest.fixture
def back(monkeypatch):
    """Return a function that runs the page as after the back button, with the address there."""

    def back(at, **address):
        with monkeypatch.context() as patched:
            patched.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
            return at_page(at, at.session_state.get("page", "one"), **address)

    return back


@pytest.mark.parametrize("unfolded", [False, True])
@pytest.mark.parametrize(
    ("link", "values_found", "changes", "noted"),
    [
        ({}, DEFAULTS, [], []),
        (LINK, LINKED, [], []),
        ({"n": "3", "words": "old"}, DEFAULTS, [{"n": [], "words": []}], []),
        ({"n": "05", "two": "c,b"}, ("b", ("c", "b"), "x", 5, "old"), [{"two": ["c", "b"], "n": ["5"]}], []),
        (
            {"n": "50", "one": "c", "words": "new"},
            (*DEFAULTS[:4], "new"),
            [{"n": [], "one": []}],
            ["n=50", "one=c"],
        ),
        ({"own": "y", "what": "1"}, DEFAULTS, [{"own": [], "what": []}], ["own", "what"]),
        ({"": "1", "n": "5"}, (*DEFAULTS[:3], 5, "old"), [], []),
    ],
    ids=["none", "all", "defaults", "spelt otherwise", "bad values", "unknown keys", "empty key"],
)
def test_a_link_sets_the_page_with_its_settings_folded_away_or_not(
    entries, unfolded, link, values_found, changes, noted
):
    at = visit(link, unfolded)
    assert (found(at), written(at), entries) == (values_found, changes, [])
    assert [part.split("` was ignored")[0] for part in warnings(at).split("\n- `")[1:]] == noted
    (sent,) = component_data(at, "address")
    assert sent["read"] == [[key, text] for key, texts in link.items() if key for text in link_texts(texts)]
    at.query_params = dict(link)  # the browser sends it again, whatever it has written
    assert (found(at.run()), sent_addresses(at)) == (values_found, []), "the address is as it should be"


def test_widgets_and_boxes_are_rendered_only_while_the_settings_are_unfolded():
    def keys(at):
        return [one.key for one in (*at.get("button_group"), *at.selectbox, *at.number_input, *at.text_input)]

    assert keys(visit(LINK)) == []
    assert keys(visit(LINK, unfolded=True)) == ["one", "two", "own", "n", "words"]


def test_a_change_reaches_the_address_and_a_default_leaves_it(entries):
    at = visit({"n": "5"}, unfolded=True)
    at.text_input(key="words").set_value("new").run()
    assert (found(at), written(at)) == ((*DEFAULTS[:3], 5, "new"), [{"words": ["new"]}])
    assert as_in_browser(at) == {"n": ["5"], "words": ["new"]}
    at.number_input(key="n").set_value(3).run()
    assert (found(at), written(at)) == ((*DEFAULTS[:4], "new"), [{"n": []}])
    at.selectbox(key="own").set_value("y").run()
    assert found(at) == ("b", ("b",), "y", 3, "new")
    assert as_in_browser(at) == {"words": ["new"]}
    assert entries == []


def test_what_was_set_is_kept_while_the_settings_are_folded_away_and_shown_again():
    at = visit({"one": "a"}, unfolded=True)
    at.number_input(key="n").set_value(6).run()
    at.selectbox(key="own").set_value("y").run()
    expected = ("a", ("b",), "y", 6, "old")
    for unfolded in (False, False, True, False, True):
        at.session_state[inputs.SETTINGS] = unfolded
        assert found(at.run()) == expected
        assert as_in_browser(at) == {"one": ["a"], "n": ["6"]}
    assert (at.number_input(key="n").value, at.selectbox(key="own").value) == (6, "y")


@pytest.mark.parametrize("unfolded", [False, True])
def test_a_preset_sets_what_is_or_comes_on_screen_and_reset_takes_it_back(unfolded):
    at = visit(unfolded=unfolded)
    at.button(key="preset").click().run()
    assert found(at) == ("a", ("a", "c"), "x", 7, "old")
    assert as_in_browser(at) == {"one": ["a"], "two": ["a", "c"], "n": ["7"]}
    at.session_state[inputs.SETTINGS] = True
    at.run()
    assert (at.number_input(key="n").value, at.get("button_group")[1].value) == (7, ["a", "c"])
    at.session_state[inputs.SETTINGS] = unfolded
    at.button(key="reset").click().run()
    assert (found(at), as_in_browser(at)) == (DEFAULTS, {})
    at.session_state[inputs.SETTINGS] = True
    assert at.run().number_input(key="n").value == 3


def test_a_preset_counts_while_a_box_in_the_browser_shows_another_number():
    at = visit(unfolded=True)
    at.number_input(key="n").set_value(5).run()
    at.button(key="preset").click()
    at.number_input(key="n").set_value(5).run()
    assert (found(at)[3], at.number_input(key="n").value) == (7, 7)
    at.number_input(key="n").set_value(5).run()
    assert (found(at)[3], at.number_input(key="n").value) == (5, 5)


def test_an_address_from_before_a_change_is_not_read_again():
    before = {"n": "5", "two": "a,b"}
    at = visit(before, unfolded=True)
    at.number_input(key="n").set_value(6).run()
    at_page(at, "one", **before)
    assert (found(at), sent_addresses(at)) == (("b", ("a", "b"), "x", 6, "old"), [])
    assert warnings(at) == ""
    at.query_params = dict(before)
    at.text_input(key="words").set_value("new").run()
    assert found(at) == ("b", ("a", "b"), "x", 6, "new")
    assert sent_addresses(at) == [{"two": ["a", "b"], "n": ["6"], "words": ["new"]}]
    assert dict(at.query_params) == {"two": ["a", "b"], "n": "6", "words": "new"}


def test_the_browser_is_sent_the_whole_address_with_a_count_and_what_it_sent_when_that_was_read(back):
    before = {"n": "50", "two": "a,b"}
    at = visit(before, unfolded=True)
    (first,) = component_data(at, "address")
    two = [["two", "a"], ["two", "b"]]
    assert first == {
        "session": "test session id",
        "count": 1,
        "address": two,
        "read": [["n", "50"], ["two", "a,b"]],
        "entry": False,
    }
    at.query_params = dict(before)
    at.number_input(key="n").set_value(6).run()
    (second,) = component_data(at, "address")
    assert second == first | {"count": 2, "address": [*two, ["n", "6"]]}
    back(at, words="old")
    (third,) = component_data(at, "address")
    assert third == first | {"count": 3, "address": [], "read": [["words", "old"]]}


def test_each_page_keeps_its_own_value_of_a_key_without_an_entry_in_the_history(entries):
    at = visit({"n": "5"}, unfolded=True)
    assert found(at_page(at, "two"))[3] == 3
    at.number_input(key="n").set_value(8).run()
    assert found(at)[3] == 8
    at_page(at, "one")
    assert (found(at)[3], at.number_input(key="n").value, written(at)) == (5, 5, [{"n": ["5"]}])
    at_page(at, "two", n="2", words="new")
    assert found(at)[3:] == (2, "new"), "a link to a page that was shown before"
    assert sent_addresses(at) == [], "the browser has that address"
    assert found(at_page(at, "two", n="4"))[3] == 2, "read once"
    assert entries == []


def test_the_back_button_leads_to_what_the_address_was_then(back, entries):
    at = visit({"n": "5", "words": "new"}, unfolded=True)
    at.selectbox(key="own").set_value("y").run()
    back(at, n="7", two="a,b")
    assert found(at) == ("b", ("a", "b"), "x", 7, "old"), "what the address does not hold is at its default"
    assert (at.number_input(key="n").value, at.text_input(key="words").value) == (7, "old")
    assert written(at) == [{"two": ["a", "b"]}]
    assert found(back(at)) == DEFAULTS
    back(at, n="70")
    assert (found(at), written(at)) == (DEFAULTS, [{"n": []}])
    assert warnings(at).startswith("Part of this link could not be used.\n\n- `n=70` was ignored")
    assert entries == []


def test_an_address_that_the_browser_sends_late_is_neither_read_nor_noted():
    at = visit({"n": "5"})
    at_page(at, "one", n="50", what="1")
    assert (found(at)[3], warnings(at), sent_addresses(at)) == (5, "", [])
    assert at.session_state["address"] == {"n": ["5"]}


@pytest.mark.parametrize("came", ["from another page", "by the back button"])
def test_what_is_invalid_in_an_address_that_is_read_later_is_noted_and_leaves_it(back, came):
    at = visit({"n": "5"})
    if came == "from another page":
        at_page(at, "two")
        at_page(at, "one", one="c", n="6", what="1")
    else:
        back(at, one="c", n="6", what="1")
    assert [part.split("` was ignored")[0] for part in warnings(at).split("\n- `")[1:]] == ["one=c", "what"]
    assert (found(at)[3], sent_addresses(at)) == (6, [{"n": ["6"]}])


@pytest.mark.parametrize(("unfolded", "interrupted"), [(False, "controls"), (True, "controls"), (False, "adjust")])
def test_an_invalid_link_is_noted_once_after_an_interrupted_first_run(unfolded, interrupted):
    link = {"n": "50", "one": "c", "what": "1", "present": "x", "words": "new"}
    at = visit(link, unfolded, interrupted=interrupted)
    assert "interrupted" not in at.session_state
    notes = [part.split("` was ignored")[0] for part in warnings(at).split("\n- `")[1:]]
    assert notes == ["n=50", "one=c", "what", "present=x"]
    assert (found(at), sent_addresses(at)) == ((*DEFAULTS[:4], "new"), [{"words": ["new"]}])
    assert dict(at.query_params) == {"words": "new"}
    next(button for button in at.button if button.label == "Dismiss").click()
    at.query_params = dict(link)
    assert (warnings(at.run()), sent_addresses(at)) == ("", [])


def test_what_is_invalid_in_an_address_is_noted_once_and_leaves_it():
    at = visit({"n": "50", "what": "1", "words": "new"})
    assert "`n=50` was ignored" in warnings(at)
    assert "`what` was ignored: this page has no such setting." in warnings(at)
    assert written(at) == [{"n": [], "what": []}]
    at.button[-1].click().run()  # Dismiss
    assert (warnings(at), written(at)) == ("", [])
    assert dict(at.query_params) == {"words": "new"}


@pytest.mark.parametrize("came", [False, True])
@pytest.mark.parametrize("key", ["words", "other"])
def test_of_a_link_that_is_too_long_nothing_is_used(key, came):
    too_long = {"one": "a", key: "a" * 9000}
    if came:
        at = visit({"n": "5"})
        at_page(at, "two")
        at_page(at, "one", **too_long)
    else:
        at = visit(too_long)
    start = "Part of this link could not be used.\n\n- It has 9,012 characters, 8,192 are allowed: none of its settings"
    assert warnings(at) == f"{start} was used."
    assert found(at) == (*DEFAULTS[:3], 5 if came else 3, "old"), "what was set before stays"
    assert sent_addresses(at) == [{"n": ["5"]} if came else {}]
    at.query_params = dict(too_long)
    assert found(at.run()) == (*DEFAULTS[:3], 5 if came else 3, "old")


def test_a_text_that_is_too_long_for_a_link_empties_the_address_with_a_note():
    at = visit({"n": "5"}, unfolded=True)
    at.text_input(key="words").set_value("a" * 9000).run()
    start = (
        "Part of what was typed could not be used.\n\n- A link with it would have 9,010 characters, 8,192 are allowed"
    )
    assert warnings(at) == f"{start}: the address of this page holds no settings now."
    assert found(at)[3:] == (5, "a" * 9000)
    assert as_in_browser(at) == {}
    next(button for button in at.button if button.label == "Dismiss").click().run()
    assert (warnings(at), written(at)) == ("", [])
    at.text_input(key="words").set_value("short").run()
    assert as_in_browser(at) == {"n": ["5"], "words": ["short"]}
    at.text_input(key="words").set_value("a" * 9000).run()
    assert warnings(at).startswith(start), "the same text once more"
    assert as_in_browser(at) == {}


def test_bad_keys_are_removed_in_one_message_and_few_of_many_are_noted(entries):
    keys = [f"k{i}" for i in range(70)]
    at = visit(dict.fromkeys(keys, "1") | {"one": "a"})
    assert (written(at), entries) == ([{key: [] for key in keys}], [])
    notes = warnings(at).split("\n- ")[1:]
    assert [note.split("`")[1] for note in notes[:5]] == keys[:5]
    assert notes[5:] == ["and 65 more"]


def test_the_parts_of_a_page_that_run_alone_write_under_names_of_their_own(monkeypatch):
    script = """
import streamlit as st
from pages.kit import values
from pages.kit.settings import Words
from tests.pages.kit.test_values import N, OWN, P

values.enter("one", lambda given: [N, OWN, P])
values.put_all({N: 5, P: 0.1, OWN: "y"})
values.write_to_address([N, OWN], "page", [Words("job", str, "")])
values.write_to_address([P], "chapter")
values.write_to_address([P, N], "again")
"""
    at = opened(script, {"what": "1", "job": "abc"})
    assert written(at) == [{"what": [], "n": ["5"]}, {"p": ["0.1"]}]
    names = ["address-page", "address-chapter", "address-again"]
    assert [line.split()[1] for line in rendered(at.main).splitlines()] == names
    assert [data["count"] for data in component_data(at, "address")] == [1, 2, 2]
    assert as_in_browser(at) == {"job": ["abc"], "n": ["5"], "p": ["0.1"]}


# A page that sets new values, among them its chapter, and writes the address.
WRITES_CHAPTER = """
import streamlit as st
from pages.kit import values
from tests.pages.kit.test_values import N, ONE

values.enter("one", lambda given: [N, ONE])
values.put_all(st.session_state.get("new", {}))
values.write_to_address([N, ONE], "page", [], chapter=ONE)
"""


def test_another_chapter_makes_an_entry_in_the_history_but_not_the_first_write_or_another_setting():
    at = opened(WRITES_CHAPTER, {"one": "c"})
    entries = [data["entry"] for data in component_data(at, "address")]
    for new in ({N: 5}, {ONE: "a"}, {N: 6}):
        at.session_state["new"] = new
        entries += [data["entry"] for data in component_data(at.run(), "address")]
    assert entries == [False, False, True, False]


def test_a_part_of_a_page_that_runs_alone_leaves_in_the_address_what_only_the_page_knows():
    script = """
from pages.kit import values
from tests.pages.kit.test_values import N, P

values.enter("one", lambda given: [N, P])
values.put(P, 0.1)
values.write_to_address([P], "chapter")
values.write_to_address([N, P], "page", [])
"""
    at = opened(script, {"what": "1", "n": "5"})
    assert sent_addresses(at) == [{"what": ["1"], "n": ["5"], "p": ["0.1"]}, {"n": ["5"], "p": ["0.1"]}]
    assert sent_addresses(at.run()) == [], "it is as it should be"


def test_the_last_address_is_sent_again_in_a_run_that_changes_nothing_as_the_next_run_drops_what_was_not_sent():
    at = opened(WRITES_CHAPTER, {"n": "5"})
    at.session_state["new"] = {ONE: "a"}
    (sent,) = component_data(at.run(), "address")
    assert (sent["address"], sent["entry"]) == ([["n", "5"], ["one", "a"]], True)
    at.session_state["new"] = {}
    assert component_data(at.run(), "address") == [sent]


def test_notes_are_those_of_the_page_on_screen(session):
    values.enter("one", lambda _: [])
    link.set_notes("No.", of=link.THIS_LINK)
    values.enter("one", lambda _: [])
    assert session[link.NOTES] == {"this link": ["No."]}
    values.enter("two", lambda _: [])
    assert link.NOTES not in session


def test_a_link_is_read_again_after_a_run_that_was_interrupted_while_it_read_it(session, monkeypatch):
    def interrupted(_):
        raise RuntimeError

    monkeypatch.setattr(link, "read", lambda: session.update(address={"n": ["8"]}, address_read={"n": ["8"]}))
    with pytest.raises(RuntimeError):
        values.enter("one", interrupted)
    values.enter("one", lambda _: [N])
    assert values.get(N) == 8
    values.put(N, 5)
    values.enter("one", lambda _: [N])
    assert values.get(N) == 5


def test_the_address_after_the_back_button_is_read_although_that_run_was_stopped_before_its_turn(session, monkeypatch):
    monkeypatch.setattr(link, "read", lambda: session.update(address={"n": ["8"]}, address_read={"n": ["8"]}))
    values.enter("one", lambda _: [N, P])
    values.put_all({N: 5, P: 0.1})
    for is_history in (True, False):
        monkeypatch.setattr(values, "is_history_navigation", lambda is_history=is_history: is_history)
        values.notice_navigation()
    values.enter("one", lambda _: [N, P])
    assert (values.get(N), values.get(P)) == (8, 0.2)
    values.put(N, 5)
    values.notice_navigation()
    values.enter("one", lambda _: [N, P])
    assert values.get(N) == 5

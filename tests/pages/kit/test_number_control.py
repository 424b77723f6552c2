"""The control of a number: what is sent to the browser, and what is taken of what it sends."""

import json
import math

import pytest
import streamlit as st

from pages.kit import number_control, values
from pages.kit.number_control import OtherUnit, Slider
from pages.kit.settings import Number
from privdemo.limits import Limit
from tests.pages.kit.elements import component_data, opened, rendered

N = Number("n", Limit("n", 1, 9, integer=True), 3, "N", help="Whole")
P = Number("p", Limit("p", 0.0, 0.5), 0.2, "P", 0.01)
E = Number("e", Limit("e", 0.0, 5.0, low_open=True), 1.0, "E", 0.1)
FIXED = Number("fixed", Limit("fixed", 2, 2, integer=True), 2, "Fixed")
ODDS = OtherUnit("odds", "Odds", lambda o: o / (1 + o), lambda p: p / (1 - p), 0.0, 2.0, 0.1, "For one against")
INVERSE = OtherUnit("inverse", "1/p", lambda x: 1 / x, lambda p: 1 / p if p else None, 2.0, 700.0, 1.0, "")


class Session(dict):
    """A session with the control of a number in a browser."""

    def render(self, setting, label="Label", *more):
        """Return the data that the browser is sent."""
        number_control.render(setting, label, *more)
        assert self.options["key"] == f"{setting.key}-number"
        json.dumps(self.options["data"], allow_nan=False)  # as the browser reads it
        return self.options["data"]

    def send(self, change):
        """Receive what the browser sends of a change in the control that was rendered last."""
        self[self.options["key"]] = {"changed": change}
        self.options["on_changed_change"]()


@pytest.fixture
def session(monkeypatch):
    session = Session()
    monkeypatch.setattr(st, "session_state", session)
    monkeypatch.setattr(number_control, "_control", lambda **options: vars(session).update(options=options))
    return session


def test_a_whole_number_with_a_box_alone(session):
    assert session.render(N, "How many") == {
        "key": "n",
        "session": "",
        "count": 0,
        "value": 3,
        "text": "3",
        "box": {
            "label": "How many",
            "hideLabel": False,
            "help": "Whole",
            "low": 1,
            "high": 9,
            "lowOpen": False,
            "range": "1 to 9, a whole number",
            "integer": True,
            "step": 1,
        },
        "slider": None,
        "other": None,
        "hasBoxes": True,
    }


def test_a_share_with_a_slider_and_another_unit(session):
    values.put(P, 1 / 3)
    data = session.render(P, "p", Slider("Lie", ("less", "more"), percent=True, live=True), ODDS)
    assert (data["value"], data["text"]) == (1 / 3, "0.33333333")
    assert data["slider"] == {
        "name": "Lie",
        "ends": ("less", "more"),
        "stops": None,
        "percent": True,
        "unit": "",
        "scale": (),
        "live": True,
        "largestLeft": False,
    }
    assert data["other"] == {
        "label": "Odds",
        "help": "For one against",
        "low": 0.0,
        "high": 2.0,
        "range": "0 to 2",
        "step": 0.1,
        "text": "0.5",
        "placeholder": "∞",
    }


def test_a_slider_and_boxes_in_two_places_count_their_changes_apart_and_show_one_number(session):
    session.render(P, "p", Slider("Lie", largest_left=True), None, "slider")
    assert (session.options["data"]["hasBoxes"], session.options["data"]["slider"]["largestLeft"]) == (False, True)
    session.send({"count": 3, "value": 0.4})
    number_control.render(P, "p", None, ODDS, "boxes")
    boxes = session.options
    assert boxes["key"] == "p-boxes"
    assert (boxes["data"]["count"], boxes["data"]["value"], boxes["data"]["slider"]) == (0, 0.4, None)
    session.send({"count": 1, "value": 0.1})
    assert (session.render(P, "p", Slider("Lie"), None, "slider")["count"], values.get(P)) == (3, 0.1)


@pytest.mark.parametrize(
    ("setting", "words", "low_open"),
    [
        (N, "1 to 9, a whole number", False),
        (P, "0 to 0.5", False),
        (E, "above 0, up to 5", True),
        (Number("seed", Limit("seed", 0, 1_000_000, integer=True), 1), "0 to 1,000,000, a whole number", False),
        (Number("third", Limit("third", 1 / 3, 2 / 3), 0.5), "0.3334 to 0.6666", False),
    ],
    ids=lambda value: value.key if isinstance(value, Number) else None,
)
def test_the_range_is_given_in_words_for_what_is_outside_of_it(session, setting, words, low_open):
    box = session.render(setting)["box"]
    assert (box["range"], box["lowOpen"], box["help"]) == (words, low_open, setting.help or "")


@pytest.mark.parametrize(
    ("setting", "label", "slider", "hidden"),
    [
        (P, "p", None, False),
        (P, "p", Slider("Lie"), False),
        (P, "Lie", Slider("Lie"), True),
        (FIXED, "Lie", Slider("Lie"), False),
    ],
)
def test_the_label_of_a_box_is_hidden_if_its_slider_has_the_same_name(session, setting, label, slider, hidden):
    box = session.render(setting, label, slider)["box"]
    assert (box["label"], box["hideLabel"]) == (label, hidden)


@pytest.mark.parametrize("stops", [(), (2.0,), (1.0, 2.0, 3.0)])
def test_a_slider_with_one_position_is_left_out(session, stops):
    data = session.render(FIXED, "Same", Slider("Same", stops=stops))
    assert (data["slider"], data["value"], data["box"]["range"]) == (None, 2, "2 to 2, a whole number")


@pytest.mark.parametrize(
    ("value", "stops"),
    [
        (0.2, [0.0, 0.1, 0.2, 0.5]),
        (0.1, [0.0, 0.1, 0.5]),
        (0.15, [0.0, 0.1, 0.15, 0.5]),
        (1e-9, [0.0, 1e-9, 0.1, 0.5]),
        (0.0, [0.0, 0.1, 0.5]),
    ],
)
def test_a_typed_number_is_one_more_stop_and_all_stops_are_in_the_range(session, value, stops):
    values.put(P, value)
    assert session.render(P, "p", Slider("Lie", stops=(0.5, 0.1, 0.0, 0.6, -1.0)))["slider"]["stops"] == stops


@pytest.mark.parametrize(("value", "text"), [(0.0, ""), (0.25, "4"), (0.3, "3.333"), (0.5, "2")])
def test_the_box_of_another_unit_is_empty_where_it_would_be_infinite(session, value, text):
    values.put(P, value)
    other = session.render(P, "p", None, INVERSE)["other"]
    assert (other["text"], other["placeholder"]) == (text, "∞")


@pytest.mark.parametrize(
    ("setting", "change", "value"),
    [
        (P, {"count": 1, "value": 0.4}, 0.4),
        (P, {"count": 1, "value": 0}, 0.0),
        (P, {"count": 1, "value": 0.5, "more": "x"}, 0.5),
        (N, {"count": 1, "value": 9}, 9),
        (E, {"count": 1, "value": 1e-9}, 1e-9),
    ],
)
def test_a_valid_number_is_taken_with_its_count(session, setting, change, value):
    session.render(setting)
    session.send(change)
    data = session.render(setting)
    assert (data["value"], type(data["value"]), data["count"]) == (value, type(value), 1)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *((P, value) for value in (0.6, -0.1, math.nan, math.inf, 10**400, True, "0.4", None, [0.4])),
        *((N, value) for value in (0, 10, 4.5, 4.0, False)),
        (E, 0.0),
        (E, 0),
    ],
    ids=lambda value: str(value)[:12] if not isinstance(value, Number) else value.key,
)
def test_of_what_is_no_number_in_the_range_only_the_count_is_taken(session, setting, value):
    """The control, which has ignored all older values since then, shows the number that stays."""
    session.render(setting)
    session.send({"count": 3, "value": value})
    data = session.render(setting)
    assert (data["value"], data["count"]) == (setting.default, 3)


@pytest.mark.parametrize(
    "change",
    [None, [], "x", 0.4, {}, {"value": 0.4}, {"count": "1", "value": 0.4}, {"count": None, "value": 0.4}, [1, 0.4]],
    ids=str,
)
def test_what_has_no_count_is_no_change(session, change):
    session.render(P, "p", None, ODDS)
    session.send(change)
    data = session.render(P)
    assert (data["value"], data["count"]) == (0.2, 0)


@pytest.mark.parametrize(("sent", "kept"), [(-5, 0), (0, 0), (7, 7), (10**9, 10**9), (10**400, 10**9)], ids=range(5))
def test_a_count_is_kept_within_what_a_browser_can_count_on_from(session, sent, kept):
    session.render(P)
    session.send({"count": sent, "value": 0.4})
    assert (session.render(P)["count"], values.get(P)) == (kept, 0.4)


@pytest.mark.parametrize(
    ("other", "sent", "value"),
    [
        (ODDS, 0.25, 0.2),
        (ODDS, 0.5, 1 / 3),
        (ODDS, 1, 0.5),
        (ODDS, 2.0, 0.5),  # a probability of 2/3 is outside of the range
        (INVERSE, 700.0, 1 / 700),
        (ODDS, 2.1, 0.1),
        (ODDS, -0.1, 0.1),
        (ODDS, math.nan, 0.1),
        (ODDS, "0.5", 0.1),
        (ODDS, None, 0.1),
        (None, 0.5, 0.1),
    ],
)
def test_a_number_in_another_unit_is_converted_if_it_is_in_its_range(session, other, sent, value):
    values.put(P, 0.1)
    session.render(P, "p", None, other)
    session.send({"count": 2, "other": sent})
    data = session.render(P, "p", None, other)
    assert (data["value"], data["count"]) == (pytest.approx(value, rel=1e-12), 2)
    assert not values.here().is_outside(P), "of that there would be a message"


def test_a_change_that_arrives_twice_is_one_change(session):
    session.render(P)
    for _ in range(2):
        session.send({"count": 1, "value": 0.4})
        data = session.render(P)
        assert (data["value"], data["count"]) == (0.4, 1)


def test_of_changes_that_arrive_together_the_last_is_shown_with_its_count(session):
    session.render(P, "p", None, ODDS)
    for change in ({"count": 1, "value": 0.4}, {"count": 2, "other": 0.25}, {"count": 3, "value": 0.3}):
        session.send(change)
    data = session.render(P, "p", None, ODDS)
    assert (data["value"], data["count"], data["other"]["text"]) == (0.3, 3, "0.4286")


def test_a_preset_after_a_change_is_sent_with_the_count_of_the_change(session):
    """So the control shows it: no later change of its own is on the way."""
    session.render(P)
    session.send({"count": 4, "value": 0.4})
    values.put(P, 0.1)
    data = session.render(P)
    assert (data["value"], data["text"], data["count"]) == (0.1, "0.1", 4)


def test_each_number_has_its_own_count(session):
    session.render(P)
    session.send({"count": 4, "value": 0.4})
    assert session.render(N)["count"] == 0
    session.send({"count": 1, "value": 5})
    assert (session.render(P)["count"], session.render(N)["count"]) == (4, 1)
    assert (values.get(P), values.get(N)) == (0.4, 5)


SCRIPT = """
from pages.kit import number_control
from pages.kit.number_control import Slider
from tests.pages.kit.test_number_control import N, ODDS, P

number_control.render(N, "How many", Slider("How many"))
number_control.render(P, "p", None, ODDS)
"""


def test_with_a_browser_a_number_is_one_element_and_knows_its_session():
    at = opened(SCRIPT, no_browser=False)
    assert [line.split(" json")[0] for line in rendered(at.main).splitlines()] == [
        "bidi_component n-number component_name=privdemo_number",
        "bidi_component p-number component_name=privdemo_number",
    ]
    first, second = component_data(at, "number")
    assert (first["value"], first["box"]["hideLabel"], first["session"]) == (3, True, "test session id")
    assert (second["value"], second["other"]["text"], second["session"]) == (0.2, "0.25", "test session id")


def test_without_a_browser_a_number_is_a_plain_box_with_one_for_the_other_unit():
    at = opened(SCRIPT)
    assert rendered(at.main).splitlines() == [
        "number_input n label=How many format=%d default=3 step=1 min=1 max=9 help=Whole",
        "number_input p label=p format=%0.2f default=0.2 step=0.01 max=0.5",
        "number_input odds label=Odds format=%0.2f step=0.1 max=2 value=0.25",
    ]
    assert component_data(at, "number") == []

"""Two widgets of one number agree whatever the order in which a slow browser tells of them."""

import math

import pytest

from pages.kit import linked
from pages.kit.linked import ECHO, View
from pages.kit.settings import Number
from privdemo.limits import Limit

P = Number("p", Limit("p", 0.0, 0.5), 0.2)


class Clock:
    """Seconds that pass when they are told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def views(state, clock):
    """A slider that says the number itself, and a box that says its odds."""
    slider = View("slide", P, lambda v: v, lambda v: v, state, clock)
    odds = View("odds", P, lambda o: o / (1 + o), lambda p: p / (1 - p), state, clock)
    return slider, odds


def rerun(*all_views):
    for view in all_views:
        view.prepare()


def test_views_show_the_default_and_then_the_number(clock):
    state: dict = {}
    slider, odds = views(state, clock)
    rerun(slider, odds)
    assert (state["slide"], state["odds"]) == (0.2, 0.25)
    state["p"] = 0.5
    rerun(slider, odds)
    assert (state["slide"], state["odds"]) == (0.5, 1.0)
    assert "p" in state


def test_a_view_sets_the_number_and_the_other_view_follows(clock):
    state: dict = {}
    slider, odds = views(state, clock)
    rerun(slider, odds)
    state["odds"] = 1 / 3
    odds.write_back()
    assert math.isclose(state["p"], 0.25)
    rerun(slider, odds)
    assert math.isclose(state["slide"], 0.25)
    assert state["odds"] == 1 / 3, "the view that set the number keeps its very value"


def test_an_emptied_box_changes_nothing(clock):
    state: dict = {"p": 0.3}
    _, odds = views(state, clock)
    odds.prepare()
    state["odds"] = None
    odds.write_back()
    assert state["p"] == 0.3


@pytest.mark.parametrize(("seconds", "taken"), [(0.0, False), (ECHO - 0.01, False), (ECHO, True)])
def test_an_echo_of_what_a_view_was_told_is_not_taken_for_a_wish(clock, seconds, taken):
    state: dict = {"p": 0.2}
    slider, odds = views(state, clock)
    rerun(slider, odds)
    state["slide"] = 0.4
    slider.write_back()
    rerun(slider, odds)  # the odds are told 2/3
    clock.now += seconds
    state["odds"] = 0.25  # what the box said before it was told
    odds.write_back()
    assert math.isclose(state["p"], 0.2 if taken else 0.4)


@pytest.mark.parametrize(("seconds", "kept"), [(0.5, 0.4), (ECHO, 0.2)])
def test_a_late_box_of_the_number_itself_is_put_right(clock, seconds, kept):
    state: dict = {"p": 0.2}
    slider, _ = views(state, clock)
    slider.prepare()
    state["slide"] = 0.4
    slider.write_back()
    clock.now += seconds
    state["p"] = 0.2  # the box says again what it said before
    linked.set_by_itself(state, "p", clock)
    assert state["p"] == kept


def test_a_typed_number_is_taken_and_views_follow_it(clock):
    state: dict = {"p": 0.2}
    slider, odds = views(state, clock)
    rerun(slider, odds)
    state["slide"] = 0.4
    slider.write_back()
    state["p"] = 0.1
    linked.set_by_itself(state, "p", clock)
    rerun(slider, odds)
    assert (state["p"], state["slide"]) == (0.1, 0.1)


def test_a_number_that_no_view_has_set_is_left_alone(clock):
    state: dict = {"p": 0.3}
    linked.set_by_itself(state, "p", clock)
    linked.repeat(state, "p")
    assert state == {"p": 0.3}


def test_a_number_set_by_a_view_is_told_to_the_browser_again(clock):
    told = []

    class State(dict):
        def __setitem__(self, key, value):
            told.append((key, value))
            super().__setitem__(key, value)

    state = State(p=0.2)
    slider, _ = views(state, clock)
    slider.prepare()
    state["slide"] = 0.4
    slider.write_back()
    told.clear()
    linked.repeat(state, "p")
    assert told == [("p", 0.4)]


def test_all_that_was_said_lately_is_remembered(clock):
    state: dict = {"p": 0.2}
    slider, odds = views(state, clock)
    for value in (0.2, 0.4, 0.3):
        state["slide"] = value
        slider.write_back()
        odds.prepare()
    state["odds"] = 0.25  # what the box said two changes ago
    odds.write_back()
    assert state["p"] == 0.3

"""Two widgets of one number agree whatever the order in which a slow browser tells of them."""

import pytest

from pages.kit import linked
from pages.kit.linked import ECHO, View
from pages.kit.settings import Number
from privdemo.limits import Limit

P = Number("p", Limit("p", 0.0, 0.5), 0.2)


class Widgets:
    """A slider that says a number itself, a box that says its odds, and seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.state, self.now = {}, 100.0
        slider = View("slide", P, lambda v: v, lambda v: v, self.state, self.clock)
        odds = View("odds", P, lambda o: o / (1 + o), lambda p: p / (1 - p), self.state, self.clock)
        self.views = {"slide": slider, "odds": odds}
        self.rerun()

    def clock(self) -> float:
        return self.now

    def rerun(self, **state: float) -> None:
        self.state |= state
        for key, view in self.views.items():
            start = view.prepare()
            self.state.setdefault(key, start)  # as a widget does

    def told(self, key: str, value: float | None) -> None:
        self.state[key] = value
        self.views[key].write_back()


@pytest.fixture
def widgets():
    return Widgets()


def test_views_show_the_default_and_then_the_number(widgets):
    assert (widgets.state["slide"], widgets.state["odds"]) == (0.2, 0.25)
    widgets.rerun(p=0.5)
    assert (widgets.state["slide"], widgets.state["odds"]) == (0.5, 1.0)
    assert "p" in widgets.state


def test_a_view_sets_the_number_and_the_other_view_follows(widgets):
    widgets.told("odds", 0.9)
    assert widgets.state["p"] == pytest.approx(0.9 / 1.9)
    widgets.rerun()
    assert widgets.state["slide"] == pytest.approx(0.9 / 1.9)
    assert widgets.state["odds"] == 0.9, "the view that set the number keeps its very value"
    widgets.told("odds", None)
    assert widgets.state["p"] == pytest.approx(0.9 / 1.9), "an emptied box changes nothing"


@pytest.mark.parametrize(("seconds", "taken"), [(0.0, False), (ECHO - 0.01, False), (ECHO, True)])
def test_an_echo_of_what_a_view_was_told_is_not_taken_for_a_wish(widgets, seconds, taken):
    widgets.rerun(p=0.2)
    widgets.told("slide", 0.4)
    widgets.rerun()  # the odds are told 2/3
    widgets.now += seconds
    widgets.told("odds", 0.25)  # what the box said before it was told
    assert widgets.state["p"] == pytest.approx(0.2 if taken else 0.4)


@pytest.mark.parametrize(("typed", "seconds", "kept"), [(0.3, 0.5, 0.4), (0.3, ECHO, 0.3), (0.1, 0.0, 0.1)])
def test_a_typed_number_is_taken_unless_it_is_a_late_one_from_before(widgets, typed, seconds, kept):
    widgets.rerun(p=0.3)
    widgets.told("slide", 0.4)
    widgets.now += seconds
    widgets.state["p"] = typed
    linked.set_by_itself(widgets.state, "p", widgets.clock)
    widgets.rerun()
    assert (widgets.state["p"], widgets.state["slide"]) == (kept, kept)


class Told(dict):
    """A state that keeps what is written into it apart."""

    def __setitem__(self, key: str, value: float) -> None:
        if not key.endswith(("_said", "_set_by")):
            vars(self).setdefault("written", {})[key] = value


def test_a_view_is_written_to_only_once_somebody_has_changed_something(widgets):
    """While the page is drawn a first key is pressed: what is written then would take it back."""
    slide = View("slide", P, lambda v: v, lambda v: v, Told(widgets.state), widgets.clock)
    assert slide.prepare() == 0.2
    assert not vars(slide.state)
    for key, set_by, told in (("slide", "slide", 0.4), ("odds", "slide", 2 / 3)):
        widgets.told("slide", 0.4)
        view = widgets.views[key]
        state = Told(widgets.state)
        assert View(key, P, view.to_source, view.from_source, state, widgets.clock).prepare() is None
        assert vars(state) == ({} if key == set_by else {"written": {key: pytest.approx(told)}}), key
    widgets.state["p"] = 0.3
    widgets.now += ECHO
    linked.set_by_itself(widgets.state, "p", widgets.clock)
    state = Told(widgets.state | {"slide": 0.3})
    assert View("slide", P, lambda v: v, lambda v: v, state, widgets.clock).prepare() is None
    assert state.written["slide"] == 0.3, "a run cut short may have told it in vain"


def test_what_is_set_from_elsewhere_is_told_in_every_run(widgets):
    widgets.rerun(p=0.3)
    state = Told(widgets.state)
    View("slide", P, lambda v: v, lambda v: v, state, widgets.clock).prepare()
    assert state.written["slide"] == 0.3


def test_a_number_is_told_to_the_browser_again_only_if_a_view_has_set_it(widgets):
    state = Told(p=0.3)
    linked.set_by_itself(state, "p", widgets.clock)
    linked.repeat(state, "p")
    assert not vars(state)
    widgets.told("slide", 0.4)
    state = Told(widgets.state)
    linked.repeat(state, "p")
    assert state.written == {"p": 0.4}


def test_all_that_was_said_lately_is_remembered(widgets):
    for value in (0.2, 0.4, 0.3):
        widgets.told("slide", value)
        widgets.views["odds"].prepare()
    widgets.told("odds", 0.25)  # what the box said two changes ago
    assert widgets.state["p"] == 0.3

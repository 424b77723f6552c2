"""Linked widgets agree, in whatever order the messages of a slow browser arrive."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pages.kit import linked
from pages.kit.linked import LinkedWidget
from pages.kit.settings import Number
from privdemo.limits import Limit

P = Number("p", Limit("p", 0.0, 0.5), 0.2)


class Widgets:
    """A slider of a number, a box of its odds, and a browser that receives changes when the test says so."""

    def __init__(self) -> None:
        self.state = {}
        slider = LinkedWidget("slide", P, lambda v: v, lambda v: v, self.state)
        odds = LinkedWidget("odds", P, lambda o: o / (1 + o), lambda p: p / (1 - p), self.state)
        self.views = {"slide": slider, "odds": odds}
        self.rerun()

    def rerun(self, heard: bool = True, **state: float) -> None:
        """A run of the page; unless the browser has `heard`, it goes on to say what its ear held before."""
        self.state |= state
        for key, view in self.views.items():
            start = view.prepare()
            self.state.setdefault(key, start)  # as a widget does
        before = self.state.get("p_heard", 0)
        assert linked.prepare_acknowledgement(self.state, "p") == "p_heard"
        if not heard:
            self.state["p_heard"] = before

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


@pytest.mark.parametrize("heard", [False, True])
def test_what_a_view_said_before_is_a_wish_once_the_browser_has_heard_and_else_an_echo(widgets, heard):
    widgets.rerun(p=0.2)
    widgets.told("slide", 0.4)
    widgets.rerun(heard)  # the odds are told 2/3
    widgets.told("odds", 0.25)  # what the box said before it was told
    assert widgets.state["p"] == pytest.approx(0.2 if heard else 0.4)


@pytest.mark.parametrize(("typed", "heard", "kept"), [(0.3, False, 0.4), (0.3, True, 0.3), (0.1, False, 0.1)])
def test_a_typed_number_is_taken_unless_it_is_a_late_one_from_before(widgets, typed, heard, kept):
    widgets.rerun(p=0.3)
    widgets.told("slide", 0.4)
    widgets.rerun(heard)
    widgets.state["p"] = typed
    linked.accept_typed(widgets.state, "p")
    widgets.rerun()
    assert (widgets.state["p"], widgets.state["slide"]) == (kept, kept)


def test_a_browser_that_comes_from_another_session_has_heard_nothing(widgets):
    widgets.told("slide", 0.4)
    widgets.state["p_heard"] = 37
    widgets.rerun(heard=False)
    widgets.told("odds", 0.25)
    assert widgets.state["p"] == 0.4


class Told(dict):
    """A session state that records separately what is written to it."""

    def __setitem__(self, key: str, value: float) -> None:
        if not key.endswith(("_said", "_set", "_overtaken")):
            vars(self).setdefault("written", {})[key] = value


def test_a_view_is_written_to_only_once_somebody_has_changed_something(widgets):
    """While the script runs a first key is pressed: setting the widget then would undo it."""
    slide = LinkedWidget("slide", P, lambda v: v, lambda v: v, Told(widgets.state))
    assert slide.prepare() == 0.2
    assert not vars(slide.state)
    for key, set_by, told in (("slide", "slide", 0.4), ("odds", "slide", 2 / 3)):
        widgets.told("slide", 0.4)
        view = widgets.views[key]
        state = Told(widgets.state)
        assert LinkedWidget(key, P, view.to_source, view.from_source, state).prepare() is None
        assert vars(state) == ({} if key == set_by else {"written": {key: pytest.approx(told)}}), key


@pytest.mark.parametrize("heard", [False, True])
def test_what_is_set_from_elsewhere_is_told_in_every_run_until_the_browser_has_heard(widgets, heard):
    """An interrupted run may not have sent the value; sending it later would undo what is being typed."""
    widgets.rerun(heard, p=0.3)
    state = Told(widgets.state)
    LinkedWidget("slide", P, lambda v: v, lambda v: v, state).prepare()
    assert vars(state) == ({} if heard else {"written": {"slide": 0.3}})


@pytest.mark.parametrize("heard", [False, True])
def test_a_number_is_told_to_the_browser_again_only_if_another_widget_has_set_it(widgets, heard):
    state = Told(p=0.3)
    linked.accept_typed(state, "p")
    linked.resend_pending(state, "p")
    assert not vars(state)
    linked.set_from_other_widget(widgets.state, "p", 0.4)
    widgets.rerun(heard)
    state = Told(widgets.state)
    linked.resend_pending(state, "p")
    assert vars(state) == ({} if heard else {"written": {"p": 0.4}})


def test_all_that_was_said_lately_is_remembered(widgets):
    for value in (0.2, 0.4, 0.3):
        widgets.told("slide", value)
        widgets.rerun(heard=False)
    for value in (0.25, 0.4 / (1 - 0.4)):  # what the box said two changes ago, and was told one ago
        widgets.told("odds", value)
        assert widgets.state["p"] == 0.3


def test_what_a_box_was_told_of_a_dial_is_not_taken_for_typed_when_a_later_message_is_later_still(widgets):
    """The second message still has the first value of the box, so that of the third is new to the server."""
    for dial in (0.4, 0.3):
        widgets.state["p"] = 0.2
        linked.set_from_other_widget(widgets.state, "p", dial)
        widgets.rerun(heard=False)
    widgets.state["p"] = 0.4
    linked.accept_typed(widgets.state, "p")
    assert widgets.state["p"] == 0.3


class Noted(dict):
    """A session state that records what was written to it."""

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        vars(self).setdefault("written", set()).add(key)


class Far:
    """A box of p, a box of its odds and a slider in a slow browser, and the server, with a queue in each direction."""

    def __init__(self) -> None:
        self.state, self.says, self.tells = Noted(p=0.2), [], []
        self.views = {
            "odds": LinkedWidget("odds", P, lambda o: o / (1 + o), lambda p: p / (1 - p), self.state),
            "slide": LinkedWidget("slide", P, lambda v: v, lambda v: v, self.state),
        }
        self.shows = {"p": 0.2, "odds": 0.25, "slide": 0.2, "p_heard": 0}
        self.draw()
        self.tells.clear()
        self.state |= self.shows

    def choose(self, widget: str, p: float) -> None:
        """The visitor sets a widget, and the browser says what all of them show."""
        self.shows[widget] = p / (1 - p) if widget == "odds" else p
        self.says.append(dict(self.shows))

    def hear(self) -> None:
        if self.tells:
            self.shows |= self.tells.pop(0)

    def run(self, widgets: int = 4) -> None:
        """The server takes what was said next, and draws so many widgets if something else was said meanwhile."""
        said = self.says.pop(0)
        changed = [widget for widget in said if self.state.get(widget) != said[widget]]
        self.state |= said
        for widget in changed:
            if widget == "p":
                linked.accept_typed(self.state, "p")
            elif widget in self.views:
                self.views[widget].write_back()
        self.draw(widgets if self.says else 4)

    def draw(self, widgets: int = 4) -> None:
        self.state.written = set()
        for widget in ("p", "odds", "slide", "p_heard")[:widgets]:
            if widget in self.views:
                self.views[widget].prepare()
            else:
                linked.resend_pending(self.state, "p") if widget == "p" else linked.prepare_acknowledgement(
                    self.state, "p"
                )
            if widget in self.state.written:
                self.tells.append({widget: self.state[widget]})


STEPS = st.one_of(
    st.tuples(st.just("choose"), st.sampled_from(["p", "odds", "slide"]), st.sampled_from([0.1, 0.2, 0.3])),
    st.tuples(st.just("hear")),
    st.tuples(st.just("run"), st.integers(1, 4)),
)


HEARD_IN_PART = [("choose", "p", 0.1), *2 * [("choose", "p", 0.1)], ("run", 4), *3 * [("hear",)]]


@given(st.lists(STEPS, max_size=40))
@example([*HEARD_IN_PART, ("run", 1), ("choose", "p", 0.1), ("run", 1)])
@settings(max_examples=400)
def test_the_last_wish_stands_however_late_browser_and_server_hear_of_each_other(steps):
    """Return actions of a visitor who waits for the page before setting a number back to an earlier value."""
    far, wish = Far(), 0.2
    for i, (what, *how) in enumerate(steps):
        if what == "choose":
            widget, p = how
            wish = p if not (far.says or far.tells) else p + (i + 1) / 1000
            far.choose(widget, wish)
        elif what == "hear" or far.says:
            getattr(far, what)(*how)
    while far.says or far.tells:
        far.run() if far.says else far.hear()
    found = far.shows["p"], far.shows["odds"] / (1 + far.shows["odds"]), far.shows["slide"]
    assert found == pytest.approx(3 * (wish,)), far.shows
    assert far.state["p"] == pytest.approx(wish)


def test_what_a_view_was_told_last_can_be_wished_again_after_something_else(widgets):
    widgets.told("slide", 0.4)
    widgets.rerun()
    for odds in (1.0, 0.4 / (1 - 0.4)):
        widgets.told("odds", odds)
        widgets.rerun()
        assert widgets.state["p"] == pytest.approx(odds / (1 + odds))


def test_a_view_without_a_value_is_told_one_once_a_number_is_typed_that_has_one():
    state = {"p": 0.0}
    view = LinkedWidget("epsilon", P, lambda e: 1 / (1 + e), lambda p: 1 / p - 1 if p else None, state)
    assert view.prepare() is None
    state["epsilon"] = None  # as an empty box has it
    state["p"] = 0.5
    linked.accept_typed(state, "p")
    view.prepare()
    assert state["epsilon"] == 1.0


def test_what_is_said_while_the_browser_hears_nothing_is_remembered_once(widgets):
    for _ in range(20):
        widgets.told("slide", 0.4)
        widgets.rerun(heard=False)
    assert {key: len(widgets.state[f"{key}_said"][0]) for key in ("p", "odds")} == {"p": 2, "odds": 2}


def test_a_number_typed_while_its_browser_has_more_to_hear_is_put_into_the_address_once_more(widgets):
    linked.set_from_other_widget(widgets.state, "p", 0.4)
    widgets.rerun(heard=False)
    assert not linked.must_rewrite_address(widgets.state, "p")
    widgets.state["p"] = 0.1
    linked.accept_typed(widgets.state, "p")
    assert [linked.must_rewrite_address(widgets.state, "p") for _ in range(2)] == [True, False]


def test_a_number_slid_while_its_browser_has_more_to_hear_is_put_into_the_address_once_more(widgets):
    widgets.told("slide", 0.4)
    assert not linked.must_rewrite_address(widgets.state, "p")
    widgets.rerun(heard=False)
    widgets.told("slide", 0.1)
    assert [linked.must_rewrite_address(widgets.state, "p") for _ in range(2)] == [True, False]

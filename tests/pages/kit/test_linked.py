"""Two widgets of one number agree whatever the order in which a slow browser tells of them."""

import pytest

from pages.kit import linked
from pages.kit.linked import View
from pages.kit.settings import Number
from privdemo.limits import Limit

P = Number("p", Limit("p", 0.0, 0.5), 0.2)


class Widgets:
    """A slider that says a number itself, a box that says its odds, and a browser that hears when it is let."""

    def __init__(self) -> None:
        self.state = {}
        slider = View("slide", P, lambda v: v, lambda v: v, self.state)
        odds = View("odds", P, lambda o: o / (1 + o), lambda p: p / (1 - p), self.state)
        self.views = {"slide": slider, "odds": odds}
        self.rerun()

    def rerun(self, heard: bool = True, **state: float) -> None:
        """A run of the page; unless the browser has `heard`, it goes on to say what its ear held before."""
        self.state |= state
        for key, view in self.views.items():
            start = view.prepare()
            self.state.setdefault(key, start)  # as a widget does
        before = self.state.get("p_heard", 0)
        assert linked.tell_ear(self.state, "p") == "p_heard"
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
    linked.set_by_itself(widgets.state, "p")
    widgets.rerun()
    assert (widgets.state["p"], widgets.state["slide"]) == (kept, kept)


def test_a_browser_that_comes_from_another_session_has_heard_nothing(widgets):
    widgets.told("slide", 0.4)
    widgets.state["p_heard"] = 37
    widgets.rerun(heard=False)
    widgets.told("odds", 0.25)
    assert widgets.state["p"] == 0.4


class Told(dict):
    """A state that keeps what is written into it apart."""

    def __setitem__(self, key: str, value: float) -> None:
        if not key.endswith(("_said", "_set_by", "_held")):
            vars(self).setdefault("written", {})[key] = value


def test_a_view_is_written_to_only_once_somebody_has_changed_something(widgets):
    """While the page is drawn a first key is pressed: what is written then would take it back."""
    slide = View("slide", P, lambda v: v, lambda v: v, Told(widgets.state))
    assert slide.prepare() == 0.2
    assert not vars(slide.state)
    for key, set_by, told in (("slide", "slide", 0.4), ("odds", "slide", 2 / 3)):
        widgets.told("slide", 0.4)
        view = widgets.views[key]
        state = Told(widgets.state)
        assert View(key, P, view.to_source, view.from_source, state).prepare() is None
        assert vars(state) == ({} if key == set_by else {"written": {key: pytest.approx(told)}}), key


@pytest.mark.parametrize("heard", [False, True])
def test_what_is_set_from_elsewhere_is_told_in_every_run_until_the_browser_has_heard(widgets, heard):
    """A run cut short may have told it in vain; later it would take back what is being typed."""
    widgets.rerun(heard, p=0.3)
    state = Told(widgets.state)
    View("slide", P, lambda v: v, lambda v: v, state).prepare()
    assert vars(state) == ({} if heard else {"written": {"slide": 0.3}})


@pytest.mark.parametrize("heard", [False, True])
def test_a_number_is_told_to_the_browser_again_only_if_another_widget_has_set_it(widgets, heard):
    state = Told(p=0.3)
    linked.set_by_itself(state, "p")
    linked.repeat(state, "p")
    assert not vars(state)
    linked.set_by(widgets.state, "dial", "p", 0.4)
    widgets.rerun(heard)
    state = Told(widgets.state)
    linked.repeat(state, "p")
    assert vars(state) == ({} if heard else {"written": {"p": 0.4}})


def test_all_that_was_said_lately_is_remembered(widgets):
    for value in (0.2, 0.4, 0.3):
        widgets.told("slide", value)
        widgets.rerun(heard=False)
    for value in (0.25, 0.4 / (1 - 0.4)):  # what the box said two changes ago, and was told one ago
        widgets.told("odds", value)
        assert widgets.state["p"] == 0.3

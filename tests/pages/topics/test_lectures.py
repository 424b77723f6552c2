"""The page of lectures: those that come with the app, and the visitor's own, changed, mailed and kept."""

import pytest
import streamlit as st

from pages.kit import handout, more
from pages.kit.lecture import Lecture, Step, read, shipped, to_link, to_toml
from tests.pages.visiting import visit, warnings

OWN = Lecture(
    "Signs",
    "friends",
    5,
    (
        Step("voting", {"lie": "0.3"}, "Ask *anybody*.", ("takeaway", "figure", "control"), "lie"),
        Step("image_noise", {"classes": ("3", "8")}),
        Step("gone", {}, "No such page."),
    ),
)


@pytest.fixture
def own():
    """The page with a visitor's own lecture."""
    return visit("lectures", lecture=to_link(OWN))


def kept(at) -> Lecture:
    return at.session_state[more.OWN]


def named(elements, label):
    return [one for one in elements if one.label == label]


def test_every_lecture_that_comes_with_the_app_is_listed_and_can_be_presented(monkeypatch):
    switched = []
    monkeypatch.setattr(st, "switch_page", lambda page: switched.append(page.url_path) or st.stop())
    at = visit("lectures")
    for name, each in shipped().items():
        assert each.summary
        assert {f"**{each.title}**", each.summary} <= {text.value for text in at.markdown}
        caption = f"For {each.audience}, {each.minutes} minutes, {len(each.steps)} slides"
        assert caption in [text.value for text in at.caption]
        at.button(key=f"present-{name}").click().run()
        assert (switched.pop() or "home") == (each.steps[0].page or "home")
        assert at.session_state["on_the_way_to"][-1].link == f"1-{name}"
        del at.session_state["on_the_way_to"]
        at.run()


def test_a_lecture_that_comes_with_the_app_can_be_made_ones_own():
    at = visit("lectures")
    name, each = next(iter(shipped().items()))
    at.button(key=f"take-{name}").click().run()
    assert kept(at) == each
    at.button(key="lecture-over").click().run()
    assert kept(at) is None
    assert not at.text_input


def test_the_lecture_of_a_link_is_read_and_the_link_follows_it(own):
    assert kept(own) == OWN
    assert not own.warning
    assert [box.value for box in named(own.text_input, "Sentence to say")] == ["Ask *anybody*.", "", "No such page."]
    assert [box.value for box in own.selectbox] == ["lie", "none", "none"]
    heads = [text.value for text in own.markdown if text.value.startswith("**")]
    assert heads[-3].startswith("**1. Voting with a lie** · Chance of a changed answer")
    assert heads[-1] == "**3. gone**"
    own.text_input[0].set_value("Lies").run()
    assert kept(own).title == "Lies"
    assert to_link(kept(own)) == own.query_params["lecture"]


def test_steps_are_moved_deleted_and_changed(own):
    assert [button.disabled for button in named(own.button, "↑ Earlier")] == [True, False, False]
    assert [button.disabled for button in named(own.button, "↓ Later")] == [False, False, True]
    named(own.button, "↓ Later")[0].click().run()
    assert [step.page for step in kept(own).steps] == ["image_noise", "voting", "gone"]
    named(own.button, "↑ Earlier")[2].click().run()
    assert [step.page for step in kept(own).steps] == ["image_noise", "gone", "voting"]
    named(own.button, "✕ Delete")[1].click().run()
    assert [step.page for step in kept(own).steps] == ["image_noise", "voting"]
    named(own.text_input, "Sentence to say")[0].set_value("Drag it.").run()
    own.selectbox[0].select("p").run()
    assert kept(own).steps[0] == Step(
        "image_noise", {"classes": ("3", "8")}, "Drag it.", ("takeaway", "figure", "control"), "p"
    )
    own.selectbox[1].select("none").run()
    assert kept(own).steps[1].show == ("takeaway", "figure")
    for _ in range(2):
        named(own.button, "✕ Delete")[0].click().run()
    assert kept(own) is None


def test_every_lecture_has_a_hand_out_that_is_made_on_a_click(monkeypatch):
    offered = {}
    monkeypatch.setattr(
        st,
        "download_button",
        lambda label, data, name, *_, **options: offered.setdefault(label, []).append((name, data)),
    )
    made = []
    monkeypatch.setattr(handout, "document", lambda of, pages: made.append((of, {page.address for page in pages})))
    visit("lectures", lecture=to_link(OWN))
    names, makers = zip(*offered["Hand-out"], strict=True)
    assert names == (*(f"{name}.html" for name in shipped()), "lecture.html")
    assert not made
    for make in makers:
        make()
    assert [of for of, _ in made] == [*shipped().values(), OWN]
    assert all({"voting", "image_noise", "poll", ""} <= addresses for _, addresses in made)


def test_the_texts_of_the_hand_out_are_changed_where_they_are_unfolded(own):
    assert not named(own.text_input, "Solution")
    own.session_state["texts-1-0"] = True
    own.run()
    named(own.text_input, "Question to the students")[0].set_value("How many of {asked}?").run()
    own.session_state["texts-2-0"] = True
    own.run()
    named(own.text_input, "Solution")[0].set_value("x" * 1001).run()
    assert "Step 1 was left as it was: solution must have 0 to 1000 characters" in own.error[0].value
    named(own.text_input, "Solution")[0].set_value("{said_a}.").run()
    assert (kept(own).steps[0].question, kept(own).steps[0].solution) == ("How many of {asked}?", "{said_a}.")
    assert to_link(kept(own)) == own.query_params["lecture"]


def test_what_cannot_be_is_said_and_changes_nothing(own):
    own.text_input[0].set_value("").run()
    assert "Title" in own.error[0].value
    assert kept(own) == OWN
    named(own.text_input, "Sentence to say")[1].set_value("x" * 301).run()
    assert "Step 2 was left as it was" in own.error[0].value
    assert kept(own) == OWN
    own.button_group[2].set_value([]).run()
    assert "show must be a list" in own.error[0].value
    assert kept(own) == OWN
    named(own.text_input, "Sentence to say")[1].set_value("Short.").run()
    assert not own.error


def test_a_file_of_a_lecture_is_opened_and_a_wrong_one_changes_nothing(own):
    def drop(content):
        own.file_uploader[-1].set_value(("lecture.toml", content.encode(), "application/toml")).run()

    drop("title = 3")
    assert "This file was not opened. A lecture must have minutes." in own.error[0].value
    assert kept(own) == OWN
    drop(to_toml(OWN))
    assert "This file was not opened. Step 3: page must be one of " in own.error[0].value
    assert "“” (home), " in own.error[0].value
    assert "got “gone”" in own.error[0].value
    assert kept(own) == OWN
    drop(to_toml(OWN).replace("Signs", "Other signs").replace("gone", "training"))
    assert kept(own).title == "Other signs"
    assert not own.error
    assert read(to_toml(kept(own))) == kept(own)


def test_a_damaged_link_is_noted(own):
    at = visit("lectures", lecture=to_link(OWN)[:-9])
    assert "the link of this lecture is damaged" in warnings(at)
    assert more.OWN not in at.session_state

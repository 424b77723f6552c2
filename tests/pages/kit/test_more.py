"""The menu of a page: links, files of settings, and the visitor's lecture."""

import json

import pytest
import streamlit as st

from pages.kit import more, setting_file
from pages.kit.lecture import Lecture, Step, to_link
from pages.kit.present import read_position
from privdemo.experiments.voting import ElectionConfig
from tests.pages.kit.elements import opened

# A page with the menu and three settings, of which one is a text.
SCRIPT = """
import streamlit as st
from pages.kit import inputs, link, more, present, trials, values
from pages.kit.settings import Choice, Number, Words
from pages.kit.present import read_position
from privdemo.experiments.voting import ElectionConfig
from privdemo.limits import Limit

N = Number("n", Limit("n", 0, 9, integer=True), 3, "How many")
SIGN = Choice("sign", ("+", "-", "±"), ("+", "-"), "Signs", many=True)
TEXT = Words("text", str.strip, "")
known = [N, SIGN, TEXT]
HERE = present.PageInfo("made", "Made up", lambda given: known, ("", "made", "far"))
values.enter("made", HERE.settings_for)
present.finish_navigation(HERE)
with more.render(HERE, known):
    more.save("made", known, st.session_state.get("question", ElectionConfig(n_voters=500)))
values.note_bad_parameters([*known, *present.link_parameters(HERE), trials.JOB])
link.show_notes()
inputs.number(N)
inputs.choose(SIGN)
inputs.text_input(TEXT, "Text")
st.session_state["found"] = values.get(N), values.get(SIGN), values.get(TEXT)
"""


def menu(monkeypatch, **link):
    """Return the page opened by a link, and its downloads."""
    files = []
    monkeypatch.setattr(st, "download_button", lambda label, data, name, *_, **__: files.append((name, data)))
    return opened(SCRIPT, link, more=True), files


def dropped(at, content):
    """Return the page after a file was uploaded in its menu."""
    at.file_uploader[0].set_value(("setting.toml", content.encode(), "application/toml")).run()
    assert not at.exception
    return at


def shown(at):
    return at.session_state["found"]


def test_a_saved_setting_opens_on_its_page_as_it_was_and_all_else_is_as_reset_leaves_it(monkeypatch):
    at, files = menu(monkeypatch, n="5", sign=["±", "-"], job="0123456789ab")
    ((name, saved),) = files
    assert name == "made.toml"
    found = setting_file.read(saved, ("made",))
    assert (found.page, found.settings) == ("made", {"n": "5", "sign": ("±", "-")})
    assert (found.experiment, found.config["n_voters"]) == ("voting", 500)
    at.number_input(key="n").set_value(7).run()
    at.text_input(key="text").set_value("changed").run()
    assert shown(dropped(at, saved)) == (5, ("±", "-"), "")
    assert not at.error
    assert shown(at.run()) == (5, ("±", "-"), ""), "the file is taken once"


def test_a_file_with_the_settings_of_another_page_opens_that_page(monkeypatch):
    switched = []
    monkeypatch.setattr(st, "switch_page", lambda page: switched.append(page.url_path) or st.stop())
    at, _ = menu(monkeypatch)
    dropped(at, setting_file.write("far", {"x": ("1", "2")}))
    assert switched == ["far"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("page = 3 +", "This file was not opened. A setting is TOML, which this file is not"),
        ("page = 'train'", "This file was not opened. Page must be one of home, made, far, got “train”."),
    ],
)
def test_a_wrong_file_gets_a_sentence_and_nothing_is_lost(monkeypatch, content, words):
    at, _ = menu(monkeypatch, n="5")
    assert words in dropped(at, content).error[0].value
    assert shown(at) == (5, ("+", "-"), "")
    assert not dropped(at, setting_file.write("made", {"n": "6"})).error
    assert shown(at) == (6, ("+", "-"), "")


def test_bad_values_of_a_file_are_noted_one_by_one(monkeypatch):
    at, _ = menu(monkeypatch)
    dropped(at, setting_file.write("made", {"n": "12", "sign": ("±",), "more": "x"}))
    assert shown(at) == (3, ("±",), "")
    assert at.warning[0].value.startswith("Part of the file `setting.toml` could not be used.")
    assert all(f"`{part}" in at.warning[0].value for part in ("n=12", "more"))


def test_what_cannot_be_saved_says_why_or_is_not_offered(monkeypatch):
    at, files = menu(monkeypatch)
    files.clear()
    at.session_state["question"] = "Choose more than 0."
    assert not at.run().caption
    monkeypatch.setattr(setting_file, "write", lambda *args: more.lecture.read("") and "")
    at.session_state["question"] = ElectionConfig()
    assert at.run().caption[0].value == "A lecture must have title."
    assert not files


def test_screens_are_collected_until_a_lecture_is_full(monkeypatch):
    at, _ = menu(monkeypatch, n="5", sign="±")
    at.button(key="add-screen").click().run()
    at.number_input(key="n").set_value(3).run()
    at.button(key="add-screen").click().run()
    first, second = at.session_state[more.OWN].steps
    assert first == Step("made", {"n": "5", "sign": ("±",)})
    assert second.settings == {"sign": ("±",)}, "a default is in no address"
    assert [toast.value for toast in at.toast] == ["This screen is step 2 of your lecture; see the page “Lectures”."]
    full = Lecture("Full", "", 1, (first,) * 50)
    at.session_state[more.OWN] = full
    at.button(key="add-screen").click().run()
    assert "1 to 50 steps" in at.toast[0].value
    assert to_link(at.session_state[more.OWN]) == to_link(full)


def test_a_screen_is_presented_as_it_is(monkeypatch):
    at, _ = menu(monkeypatch, n="5")
    at.button(key="present").click().run()
    assert shown(at) == (5, ("+", "-"), "")
    now = read_position(at.query_params["present"])
    assert (now.lecture.title, now.lecture.steps) == ("Made up", (Step("made", {"n": "5"}),))


def test_a_link_may_show_some_controls_only(monkeypatch):
    at, _ = menu(monkeypatch)
    data = lambda: json.loads(at.get("bidi_component")[0].proto.json)  # noqa: E731
    assert at.multiselect[0].options == ["How many (n)", "Signs (sign)", "text"]
    assert data() == {}
    at.multiselect[0].set_value(["n", "text"]).run()
    assert data() == {"controls": "n,text"}

"""Panels of every kind, the takeaway, folds and the dial are rendered."""

import math
import re
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
import streamlit as st
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from pages.kit import live_dial, live_dots, screen, values
from pages.kit.panel import LiveDial, LiveDots, Panel, Table
from pages.kit.settings import Number
from privdemo.limits import Limit
from tests.pages.kit.elements import opened, rendered
from tests.pages.visiting import folds

LEVEL = Number("p", Limit("p", 0, 1), 0.5)

PANELS = """
from plotly.graph_objects import Figure

from pages.kit import screen
from pages.kit.panel import Cards, Chart, Panel, Table
from pages.kit.snippet import Snippet

rows, links = lambda: [{"a": 1}], [("far", "Far")]
table, sheet = Table(["a"], [["b"]]), Table(["c"], [["d"]])
full = Panel("full", "Why?", "A 5 %.", table, "In 5 %.", rows, Snippet(("import a",)), "Note", links)
chart = Chart(Figure(layout={"height": 250}))
curves = Panel("curves", figure=chart, summary="A curve.", rows=rows)
screen.begin("Charts")
screen.render([(full, curves), Panel("sheet", figure=sheet), Panel("late", figure=chart), Panel(rows=rows)])
screen.folds({"A": "B", "C": "D"})
"""


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Return the list of seconds that were waited for the browser."""
    waited = []
    monkeypatch.setattr(screen, "time", SimpleNamespace(sleep=waited.append))
    return waited


def test_panels_are_rendered_with_all_that_belongs_to_them(waits):
    at = opened(PANELS)
    words = rendered(at.main)
    parts = ("subheader tag=h3 body=Why?", "A 5\u00a0%.", "caption body=Note", "table></div>", "details>")
    parts += ("popover full-save", "page=far label=Far")
    parts += ("curves-place", "50px", "curves-figure")
    parts += ('{"displayModeBar": false}', "alt=A curve.", "popover curves-save", "late-figure")
    assert folds(at) == {"A": "B", "C": "D"}
    assert sorted(parts, key=words.index) == list(parts)
    assert words.count("column weight=0.5 gap_size=MEDIUM") == 2
    assert waits == [screen.BEFORE_PLOTLY]
    at.run()
    assert waits == [screen.BEFORE_PLOTLY], "the first chart alone is waited for"
    html = "".join(one.proto.body for one in at.get("html"))
    places = re.findall('chart-place" data-number="(.*?)" style="height:250px"', html)
    assert places == ["3", "4"], "each place replaces the one before it"


CODE = """
from pages.kit import folds, screen
from pages.kit.panel import Panel, Table
from pages.kit.snippet import Snippet

sheet = Panel("sheet", figure=Table(["a"], [["b"]]), rows=lambda: [{"a": 1}], snippet=Snippet(("import a",), ()))
screen.render([sheet])
screen.folds({folds.CODE: "import b"})
"""


@pytest.mark.parametrize("is_open", [False, True])
def test_the_code_is_rendered_only_while_it_is_unfolded(is_open):
    words = rendered(opened(CODE, **{"sheet-save": is_open, screen.CODE_OPEN: is_open}).main)
    assert ["import a" in words, "import b" in words] == [is_open, is_open]


TAKEN_AWAY = """
from pages.kit import folds, screen
from pages.kit.panel import Panel, Table
from pages.kit.snippet import Snippet

sheet = Panel("sheet", figure=Table(["a"], [["b"]]), rows=lambda: [{"a": 1}], snippet=Snippet(("import a",), ()))
screen.begin("Made up")
screen.set_code_to_take_away(screen.CodeToTakeAway(lambda panel: lambda: panel.name, LINES))
screen.render([sheet])
screen.folds({folds.CODE: "Words.\\n```python\\nimport b\\n```"})
"""


@pytest.mark.parametrize("lines", ["None", "Snippet(('import opendp',))"])
def test_the_code_comes_with_a_notebook_and_with_the_lines_for_opendp_if_there_are_any(lines):
    words = rendered(opened(TAKEN_AWAY.replace("LINES", lines), **{"sheet-save": True}).main)
    assert "Save notebook (.ipynb)" in words
    assert "sheet-notebook" in words
    assert ["The same noi" in words, "import opendp" in words] == [lines != "None"] * 2
    whole_page = rendered(opened(TAKEN_AWAY.replace("LINES", lines), **{screen.CODE_OPEN: True}).main)
    assert whole_page.count("-notebook") == 1
    assert "code-notebook" in whole_page
    assert ("import opendp" in whole_page) == (lines != "None")
    closed = rendered(opened(TAKEN_AWAY.replace("LINES", lines)).main)
    assert "notebook" not in closed
    assert "opendp" not in closed


def test_data_and_figure_can_be_downloaded(monkeypatch):
    offered = []
    monkeypatch.setattr(st, "download_button", lambda *args, **options: offered.append((*args, options)))
    menu = mock.MagicMock(open=True)
    monkeypatch.setattr(st, "popover", lambda *args, **options: menu)
    table = Table(["a"], [["b"]])
    screen.begin("Made up")
    screen.below_figure(Panel("name", figure=table, rows=lambda: [{"a": 1}]))
    csv, page = offered
    assert (csv[0], csv[1](), *csv[2:4]) == ("Save numbers (CSV)", "a\r\n1\r\n", "name.csv", "text/csv")
    assert (page[0], *page[2:4]) == ("Save figure (HTML)", "name.html", "text/html")
    assert "<title>Made up · privdemo</title>" in page[1]()
    assert table.html in page[1]()
    buttons = [{"key": f"name-{kind}", "on_click": "ignore"} for kind in ("csv", "html")]
    assert [options for *_, options in offered] == buttons
    menu.open = False
    screen.below_figure(Panel("name", figure=table, rows=lambda: [{"a": 1}]))
    assert len(offered) == 2, "a menu that is closed makes nothing"
    menu.open = True
    screen.below_figure(Panel("name", figure=table))
    screen.below_figure(Panel("name", rows=list))
    assert len(offered) == 2


SENTENCE = """
import streamlit as st
from pages.kit import screen

page = st.session_state["page"]
place = st.empty()
screen.last_takeaway(place, page)
if "new" in st.session_state:
    screen.takeaway(place, page, st.session_state["new"])
"""


def test_the_last_sentence_stays_until_the_new_one_is_known():
    at = opened(SENTENCE, page="one", new="It is 5 %.")
    words = 'markdown body=<p class="takeaway">It is 5\u00a0%.</p> allow_html=True'
    assert rendered(at.main).replace("\n", "") == words
    del at.session_state["new"]
    last = at.run().markdown[0].value.replace("\u00a0", " ")
    assert last == '<div class="last"><p class="takeaway">It is 5 %.</p></div>'
    at.session_state["page"] = "another"
    assert "takeaway" not in rendered(at.run().main)


@pytest.mark.parametrize(
    ("moved", "level"),
    [
        (1, 1.0),
        (0.25, 0.25),
        *((wrong, 0.5) for wrong in (2, -1, 10**400, math.nan, math.inf, True, None, "1", [1], {})),
    ],
    ids=lambda value: str(value)[:9],
)
def test_a_dial_that_is_released_sets_its_number_if_its_level_is_valid(monkeypatch, moved, level):
    mounted = {}
    monkeypatch.setattr(live_dial, "_dial", lambda **options: mounted.update(options))
    monkeypatch.setattr(st, "session_state", {"dial": {"moved": moved}})
    screen.figure(Panel(figure=LiveDial({"level": 0.5, "x": 2}, LEVEL, str)))
    screen.figure(Panel(figure=None))
    mounted.pop("on_moved_change")()
    assert mounted == {"key": "dial", "data": {"level": 0.5, "x": 2}}
    assert (values.get(LEVEL), type(values.get(LEVEL))) == (level, float)


def test_dots_are_shown_as_markup_until_they_have_started(monkeypatch):
    seen, mounted = [], []
    monkeypatch.setattr(live_dots, "_dots", lambda **options: mounted.append(options))
    monkeypatch.setattr(st, "html", seen.append)
    monkeypatch.setattr(st, "session_state", {})
    for lie in (0.1, 0.2):
        screen.figure(Panel("people", figure=LiveDots({"lies": [lie, lie]}, lambda: "<p>still</p>")))
    assert seen == ["<p>still</p>"]
    assert mounted == [{"key": "people-dots", "data": {"lies": [lie, lie]}} for lie in (0.1, 0.2)]


def test_a_dial_is_shown_as_markup_until_it_has_started_and_more_guesses_follow(monkeypatch):
    seen, sent = [], []
    monkeypatch.setattr(live_dial, "_dial", lambda **_: None)
    monkeypatch.setattr(live_dial, "_guesses", lambda **options: sent.append(options["data"]))
    monkeypatch.setattr(st, "html", seen.append)
    monkeypatch.setattr(st, "session_state", {})
    for _ in range(2):
        screen.render(
            [Panel(figure=LiveDial({"level": 0.5}, LEVEL, str, lambda: "<p>still</p>", lambda: {"packed": ""}))]
        )
    assert [markup.endswith("<p>still</p>") for markup in seen] == [True]
    assert sent == [{"packed": ""}] * 2


def test_a_dial_is_sent_addresses_of_its_files_the_same_ones_again_and_the_last_ones_are_kept(monkeypatch):
    sent, manager = [], MediaFileManager(MemoryMediaFileStorage("/media"))
    monkeypatch.setattr(live_dial.runtime, "get_instance", lambda: SimpleNamespace(media_file_mgr=manager))
    monkeypatch.setattr(live_dial, "_guesses", lambda **options: sent.append(options["data"]))
    for packed in (b"one", b"one", b"two"):
        live_dial.follow({"token": "t", "packed": packed})
    manager.remove_orphaned_files()
    first, again, second = (data["packed"] for data in sent)
    assert first == again != second
    kept = [manager.read_file(Path(address).stem) for address in (first, second)]
    assert (kept[0], kept[1].content) == (None, b"two")


SLIDE = """
import streamlit as st
from pages.kit import screen

screen.begin("Is it so?")
screen.set_slide(st.session_state["slide"])
sentence, facts = st.session_state["sentence"], st.session_state.get("facts")
screen.takeaway(st.empty(), "one", sentence, "What now?", facts)
"""


@pytest.mark.parametrize(
    ("say", "shows_sentence", "facts", "headline"),
    [
        ("We find {share}.", True, {"share": "35 %"}, 'short">We find <b>35\u00a0%</b>.'),
        ("We find {shore}.", True, {"share": "35 %"}, 'short">We find <b>…</b>.'),
        ("We find {share}.", True, None, 'short">It is 5\u00a0%.'),
        ("", True, {}, 'short">It is 5\u00a0%.'),
        ("", False, {}, 'short">What now?'),
        ("Long " * 20 + "{share}.", False, {"share": "<1 %"}, 'long">' + "Long " * 20 + "<b>&lt;1\u00a0%</b>."),
    ],
)
def test_a_slide_says_its_own_sentence_with_numbers_by_name_or_the_pages(say, shows_sentence, facts, headline):
    slide = screen.Slide(1024, 768, say, shows_sentence)
    at = opened(SLIDE, slide=slide, sentence="It is 5 %.", facts=facts)
    assert [each.value for each in at.markdown] == [f'<h1 class="headline {headline}</h1>']


@pytest.mark.parametrize(
    ("verdict", "headline"),
    [("", "What now?"), ("<b>Partly.</b> ", "What now?"), ("<b>They are enough here.</b> ", "They are enough here.")],
)
def test_a_long_sentence_of_a_page_gives_way_to_its_verdict_or_question_on_a_slide(verdict, headline):
    at = opened(SLIDE, slide=screen.Slide(1024, 768), sentence=f"{verdict}{'word ' * 31}", facts={})
    assert at.markdown[0].value == f'<h1 class="headline short">{headline}</h1>'


def test_a_headline_with_an_explained_term_is_as_large_as_others_and_an_interval_stays_in_one_line():
    at = opened(SLIDE, slide=screen.Slide(1024, 768), sentence="The ε is 1, within 23.0–51.3 or 1,024–2,048.", facts={})
    (shown,) = [each.value for each in at.markdown]
    assert shown.startswith('<h1 class="headline short">')
    assert 'class="term"' in shown
    for interval in ("23.0–51.3", "1,024–2,048"):
        assert f'<span class="unbroken">{interval}</span>' in shown
    at = opened(SLIDE, slide=screen.Slide(1024, 768), sentence='<b title="1–2">3–4.</b>', facts={})
    assert '<b title="1–2"><span class="unbroken">3–4</span>.</b>' in at.markdown[0].value

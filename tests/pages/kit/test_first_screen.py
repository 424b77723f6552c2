"""First screens are saved in visits without settings in the link, and sent to such visits only."""

import re

import pytest
from starlette.responses import PlainTextResponse

from pages.kit import cache, first_screen
from pages.kit.first_screen import charts
from pages.topics import PAGES
from privdemo.figures import Figure
from tests.pages.visiting import first_visit, plain, takeaway, visit
from tests.server.asking import ask

STALE = "the pictures of default charts are stale: make first-figures"


@pytest.fixture(autouse=True)
def known(monkeypatch):
    kept = {}
    monkeypatch.setattr(first_screen, "_SCREENS", kept)
    return kept


@pytest.mark.parametrize("address", [page.address for page in PAGES if page.address != "lectures"])
def test_a_visit_without_settings_saves_its_sentence_and_figure_for_the_next(address, known):
    words = takeaway(first_visit(address))
    assert list(known) == [address]
    assert words in plain(known[address])
    assert re.search("<img|verdict|chart-place", known[address])


def first_charts(known):
    """The fingerprints of the charts on the first screens of all pages; each has its pictures."""
    found = set()
    for page in PAGES:
        known.clear()
        first_visit(page.address)
        for screen in known.values():
            for chart, content in re.findall(r'data-chart="(\w+)" style="[^"]*">(.*?)</div>', screen, re.DOTALL):
                windows = re.findall(r'class="window-(\d+)"', content)
                assert sorted(map(int, windows)) == list(charts.WINDOWS), f"{page.address} {chart}: {STALE}"
                found.add(chart)
    return found


def test_every_chart_on_a_first_screen_has_its_pictures_with_data_and_without(
    known, data_folder, no_mnist, monkeypatch
):
    found = first_charts(known)
    monkeypatch.setenv("PRIVDEMO_DATA", str(data_folder))
    cache.clear()
    found |= first_charts(known)
    assert found == {file.stem.rpartition("-")[2] for file in charts.FOLDER.iterdir()}, STALE


def test_a_chart_without_pictures_has_an_empty_place():
    chart = Figure(layout={"height": 250})
    assert re.fullmatch(
        r'<div class="chart-place" data-chart="\w+" style="height:250px"></div>', charts.place_with_pictures(chart)
    )


def test_a_visit_with_settings_in_its_link_saves_no_first_screen_in_any_run(known):
    at = visit("voting", lie="0.3")
    at.query_params.clear()
    at.run()
    assert not known


def test_only_the_plain_address_of_a_known_page_is_answered_with_its_first_screen(known):
    app = first_screen.FirstScreens(PlainTextResponse("the app's own"), {"", "voting"}.copy)
    first_screen.save("voting", "How many?", "<p>Some</p>", ["<img>"], first_screen.Heights(1, 1, 1))
    page = ask(app, "/voting").text
    assert page.index("How many?") < page.index('<div id="root">')
    assert ask(app, "/voting").headers["cache-control"] == "no-cache", "the next version has other files"
    for other in ("/", "/voting?lie=0.3"):
        assert "How many?" not in ask(app, other).text
    for asked in (("/voting/_stcore/health",), ("/claims",), ("/voting", "POST")):
        assert ask(app, *asked).text == "the app's own"

"""First screens are saved in visits without settings in the link, and sent to such visits only."""

import pytest
from starlette.responses import PlainTextResponse

from pages.kit import first_screen
from pages.topics import PAGES
from tests.pages.visiting import plain, takeaway, visit
from tests.server.asking import ask


@pytest.fixture(autouse=True)
def known(monkeypatch):
    kept = {}
    monkeypatch.setattr(first_screen, "_SCREENS", kept)
    return kept


@pytest.mark.parametrize("address", [page.address for page in PAGES if page.address != "lectures"])
def test_a_visit_without_settings_saves_its_sentence_and_figure_for_the_next(address, known):
    words = takeaway(visit(address))
    assert list(known) == [address]
    assert words in plain(known[address])
    assert "<img" in known[address] or "verdict" in known[address]


def test_a_visit_with_settings_in_its_link_saves_no_first_screen_in_any_run(known):
    at = visit("voting", lie="0.3")
    at.query_params.clear()
    at.run()
    assert not known


def test_only_the_plain_address_of_a_known_page_is_answered_with_its_first_screen(known):
    app = first_screen.FirstScreens(PlainTextResponse("the app's own"), {"", "voting"}.copy)
    first_screen.save("voting", "How many?", "<p>Some</p>", ["<img>"], (1, 1))
    page = ask(app, "/voting").text
    assert page.index("How many?") < page.index('<div id="root">')
    for other in ("/", "/voting?lie=0.3"):
        assert "How many?" not in ask(app, other).text
    for asked in (("/voting/_stcore/health",), ("/claims",), ("/voting", "POST")):
        assert ask(app, *asked).text == "the app's own"

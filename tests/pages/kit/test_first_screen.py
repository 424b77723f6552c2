"""A page's first screen: kept of a visit without settings, and sent to those who come after without any."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse

from pages.kit import first_screen
from pages.topics import PAGES
from tests.pages.visiting import plain, takeaway, visit


@pytest.fixture(autouse=True)
def known(monkeypatch):
    kept = {}
    monkeypatch.setattr(first_screen, "_KNOWN", kept)
    return kept


@pytest.mark.parametrize("address", [page.address for page in PAGES if page.address != "lectures"])
def test_a_visit_without_settings_leaves_the_sentence_and_the_figure_for_the_next(address, known):
    words = takeaway(visit(address))
    assert list(known) == [address]
    assert words in plain(known[address])
    assert "<img" in known[address] or "verdict" in known[address]


def test_what_a_link_asks_for_and_what_a_later_run_shows_are_not_kept(known):
    at = visit("voting", lie="0.3")
    at.query_params.clear()
    at.run()
    assert not known


def body(app, method, path):
    """What an app answers to a browser."""
    path, _, query = path.partition("?")
    sent = []

    async def send(message):
        sent.append(message.get("body", b""))

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": []}
    asyncio.run(app(scope, None, send))
    return b"".join(sent).decode()


def test_only_the_plain_address_of_a_known_page_is_answered_with_its_first_screen(known):
    app = first_screen.FirstScreens(PlainTextResponse("the app's own"))
    first_screen.remember("voting", "", "How many?", "<p>Some</p>", ["<img>"], (1, 1))
    page = body(app, "GET", "/voting")
    assert page.index("How many?") < page.index('<div id="root">')
    for other in ("/", "/voting?lie=0.3", "/voting/_stcore/health", "/claims"):
        assert body(app, "GET", other) == "the app's own"
    assert body(app, "POST", "/voting") == "the app's own"

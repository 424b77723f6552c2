"""A teacher opens a poll to the room with one button, sees how far telephones come, and closes it again."""

from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from server import own_computer
from tests.browser import browsing
from tests.browser.test_every_view import SIDEWAYS, audited
from tests.conftest import missing

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def open_address(mnist: object) -> Iterator[str]:
    """The address of an app that listens at every address of this computer, as `make run` starts it."""
    with browsing.running_app(listening="::") as address:
        yield address


def status(host: str, port: int, path: str) -> int:
    """The status that this computer gets under one of its own addresses."""
    with closing(HTTPConnection(host.strip("[]"), port, timeout=20)) as connection:
        connection.request("GET", path, headers={"Host": f"{host}:{port}"})
        return connection.getresponse().status


def open_poll(page: Page, address: str) -> None:
    """Open a poll on telephones."""
    page.goto(f"{address}/poll?way=On+their+phones")
    page.get_by_role("button", name="Open the poll").click()
    expect(page.get_by_role("button", name="Open to this room")).to_be_visible()
    browsing.settled(page)


def test_a_poll_is_opened_to_the_room_and_closed(page: Page, open_address: str) -> None:
    addresses = own_computer.private_addresses()
    if not addresses:
        missing("this computer is in no private network")
    host, port = addresses[0].host, urlsplit(open_address).port
    assert port
    open_poll(page, open_address)
    expect(page.locator(".poll-join")).to_contain_text("The teacher has not opened the poll to this room yet.")
    expect(page.locator(".poll-join img")).to_have_count(0)
    assert status(host, port, "/p/") == 421
    page.get_by_role("button", name="Open to this room").click()
    expect(page.locator(".poll-checks .good")).to_have_count(2)
    code = page.locator(".poll-address b").inner_text()
    assert page.locator(".poll-address").inner_text().replace("\n", "") == f"{host}:{port}/p/{code}"
    assert [status(host, port, path) for path in (f"/p/{code}", "/p/BBBBB", "/poll", "/_stcore/health")] == [
        *(200, 404, 421, 421)
    ]
    expect(page.locator(".poll-checks")).to_contain_text("Waiting for the first telephone")
    page.get_by_text("It does not open?").click()
    expect(page.get_by_text("A firewall on this computer.")).to_be_visible()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        browsing.settled(page)
        assert page.evaluate(SIDEWAYS) <= 0
        assert audited(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Show on the big screen").click()
    expect(page.locator(".poll-address b")).to_have_text(code)
    expect(page.locator(".poll-checks")).to_have_count(0)
    expect(page.locator(".place")).to_be_visible()
    browsing.settled(page)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-presenter-line")).to_have_count(0)
    for end in ("Close the room", "Close"):
        assert status(host, port, f"/p/{code}") == 200
        page.get_by_role("button", name=end, exact=True).click()
        expect(page.locator(".poll-checks")).to_have_count(0)
        assert status(host, port, f"/p/{code}") == 421
        if end == "Close the room":
            page.get_by_role("button", name="Open to this room").click()
            expect(page.locator(".poll-checks .good")).to_have_count(2)


def test_an_app_that_listens_for_this_computer_alone_says_so(page: Page, address: str) -> None:
    if not own_computer.private_addresses():
        missing("this computer is in no private network")
    open_poll(page, address)
    page.get_by_role("button", name="Open to this room").click()
    expect(page.get_by_role("alert")).to_contain_text("it was started for this computer alone")
    expect(page.locator(".poll-checks")).to_have_count(0)
    expect(page.locator(".poll-address")).to_have_count(0)

"""Of a visitor's own data nothing stays: a real server says what it still holds, by weak references."""

import json
import time
import urllib.request
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from server import visits
from tests.browser import browsing

pytestmark = pytest.mark.browser

TABLE = "\n".join(["size,day,kind", *(f"{i % 40 + 10 * (i % 2)},{i % 7},{'ab'[i % 2]}" for i in range(120))])
FILE = {"name": "mine.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
PLACE = "[data-testid=stPopoverBody] input[type=file]"
# What the promise says; after a visitor has left, what of it remains with the break of `watched_app`.
SECONDS = 10.0
LEFT = SECONDS - visits.ENDED_AFTER + 0.5


@pytest.fixture(scope="module")
def watched(mnist: object) -> Iterator[str]:
    """The address of a server whose first visitors are those of the tests."""
    with browsing.running_script("tests.browser.watched_app:app", "uvicorn") as (address, _):
        yield address


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """A tab that can be closed."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def held(watched: str, there: set[str], seconds: float = SECONDS) -> dict[str, int]:
    """What the server holds of what the test has seen of it, once these are the kinds of it, or these seconds over."""
    end = time.monotonic() + seconds
    while True:
        with urllib.request.urlopen(f"{watched}/held") as answer:
            now = json.load(answer)
        if set(now) == there or time.monotonic() > end:
            return now
        time.sleep(0.1)


def at_rest(page: Page) -> None:
    """Wait until no trial is under way: after the last one the page is rendered again, which may close what is open."""
    expect(page.locator(browsing.PROGRESS)).to_have_count(0)
    browsing.settled(page)


def open_own_data(page: Page) -> None:
    """Unfold what is asked of a visitor's own data, where it is folded."""
    at_rest(page)
    if not page.locator(PLACE).count():
        page.get_by_role("button", name="Your own data").click()
    expect(page.locator(PLACE)).to_have_count(1)


# A page, what it says of a file there, and what the server then holds: of records, and of a column of answers.
RECORDS = (
    "training?images=Small+digits&n=40&methods=ignore+the+noise&draws=2",
    "if nothing is changed",
    {"AppSession", "Own", "Dataset", "Trial"},
)
ANSWERS = ("many_answers", "120 people", {"AppSession", "OwnAnswers", "Answers", "Release"})


def bring(page: Page, watched: str, where: tuple[str, str, set[str]]) -> Request:
    """Visit a page and bring a file, all of which the server then holds but for the file itself.

    The first of these visits is the first thing that a fresh server is asked: a straight link, not its home page.
    """
    link, said, everything = where
    browsing.open_page(page, f"{watched}/{link}")
    expect(page.get_by_text("Page not found")).to_have_count(0)
    browsing.open_settings(page)
    open_own_data(page)
    with page.expect_request(lambda request: request.method == "PUT") as put:
        page.locator(PLACE).set_input_files(FILE)
    expect(page.locator(".takeaway")).to_contain_text(said)
    assert set(held(watched, everything)) == everything
    return put.value


def upload_again(page: Page, put: Request) -> list[int]:
    """The answers to three files more that no page asked for."""
    given = put.all_headers()
    headers = {name: given[name] for name in ("x-xsrftoken", "origin") if name in given}
    return [page.request.put(f"{put.url}{i}", multipart={"file": FILE}, headers=headers).status for i in range(3)]


def test_forgetting_and_leaving_take_everything(visitor: Page, watched: str) -> None:
    """The last visitor is forgotten with nobody else there; files that no page asked for are few, and go as well."""
    put = bring(visitor, watched, ANSWERS)
    assert upload_again(visitor, put) == [204, 204, 503]
    assert held(watched, ANSWERS[2] | {"file"})["file"] == 2
    open_own_data(visitor)  # with a place of its own for the next file
    visitor.locator(PLACE).set_input_files(FILE)
    expect(visitor.get_by_test_id("stToast")).to_contain_text("This visit has 2 files under way, as many as it may.")
    open_own_data(visitor)
    visitor.get_by_role("button", name="Forget my data").click()
    assert held(watched, {"AppSession"}) == {"AppSession": 1}
    bring(visitor, watched, RECORDS)
    visitor.goto("about:blank")
    assert not held(watched, set(), LEFT)
    with urllib.request.urlopen(f"{watched}/elsewhere") as answer:
        assert json.load(answer) == [], "the server connects to no other machine"

"""A visitor's own file in a real Chromium: taken, refused, for that visit alone, and gone after a reload."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser

TABLE = "\n".join(
    [
        "size,colour,kind",
        *(f"{i % 37 + 20 * (i % 2)},{'red' if i % 3 else 'blue'},{'yes' if i % 2 else 'no'}" for i in range(200)),
    ]
)


def bring(page: Page, name: str, content: str) -> None:
    browsing.settled(page)  # every file has an upload of its own
    file = {"name": name, "mimeType": "text/csv", "buffer": content.encode()}
    page.locator("input[type=file]").last.set_input_files([file])  # type: ignore[list-item]


def test_a_file_is_for_this_visit_alone(page: Page, browser: Browser, address: str) -> None:
    browsing.open_page(
        page, f"{address}/proportions?records=Breast+cancer&bags=12&bag_size=20&bag_draws=2&train_by=llp"
    )
    page.get_by_role("button", name="Your own data").focus()
    page.keyboard.press("Enter")
    bring(page, "mine.csv", TABLE.replace("\n20,", "\nmany,", 1))
    expect(
        page.get_by_text(re.compile("line .*, column “size” says “many”, which is no finite number"))
    ).to_be_visible()
    bring(page, "mine.csv", TABLE)
    expect(page.get_by_text("200 rows, 3 columns to learn from.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".takeaway", has_text="the share that are “yes”")).to_be_visible()
    expect(page).to_have_url(re.compile("records=your(\\+|%20)own"))

    other = browser.new_context(reduced_motion="reduce").new_page()
    other.goto(page.url)
    expect(other.get_by_text("A visitor’s own records are in no link: bring the file again.")).to_be_visible()
    expect(other.get_by_role("button", name="mine.csv")).to_have_count(0)
    other.context.close()

    page.reload()
    expect(page.get_by_text("A visitor’s own records are in no link: bring the file again.")).to_be_visible()

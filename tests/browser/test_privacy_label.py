"""The privacy label on paper: from the page and from its saved figure, one page of A5 with the label alone."""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from pages.topics.advice.question import KIND, KINDS, MOST_LETTERS, TRUST_NAMES, trust_choice
from privdemo.advise import CLASSIFIER, ONE_OF_K
from tests.browser import browsing

pytestmark = pytest.mark.browser
NAMES = {kind: name for name, kind in KINDS.items()}
SETTINGS: dict[str, dict[str, str]] = {
    "default": {},
    "longest question": {"question": "W" * MOST_LETTERS},
    "longest link": {
        KIND.key: NAMES[ONE_OF_K],
        trust_choice(ONE_OF_K).key: TRUST_NAMES["shuffler"],
        "question": "ñ " * (MOST_LETTERS // 2 - 1) + "?",
        "people": "123456",
        "points": "0.7",
        "answers": "1000",
        "most_epsilon": "2.34",
        "advice_delta": "0.00000123",
    },
    "classifier": {KIND.key: NAMES[CLASSIFIER], "question": "Which of these pictures do you like?"},
}
# Letters of nine points at the least.
SMALLEST = 9 * 96 / 72
LETTERS = """() => [...document.querySelectorAll(".privacy-label *")].filter((one) => one.checkVisibility()
  && [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim()))
  .map((one) => parseFloat(getComputedStyle(one).fontSize))"""


def assert_is_one_page(page: Page) -> None:
    """Assert that a page is printed as one page of A5, in letters that can be read."""
    page.emulate_media(media="print")
    assert min(page.evaluate(LETTERS)) >= SMALLEST - 0.05
    assert page.locator("h1").first.is_hidden()
    pdf = page.pdf(prefer_css_page_size=True)
    page.emulate_media(media="null")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    (size,) = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", pdf)
    assert [round(float(side) * 25.4 / 72) for side in size] == [148, 210], "A5"


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_the_label_is_one_page_of_a5(page: Page, address: str, tmp_path: Path, settings: dict[str, str]) -> None:
    browsing.open_page(page, f"{address}/advice?{urlencode({'advice_look': 'Privacy label', **settings})}")
    assert_is_one_page(page)
    file = tmp_path / "label.html"
    browsing.download_figure(page, "privacy-label", "Save figure (HTML)", file)
    page.goto(file.as_uri())
    assert_is_one_page(page)


def test_a_report_with_the_label_prints_its_other_parts_too(page: Page, address: str, tmp_path: Path) -> None:
    browsing.open_page(page, f"{address}/advice?advice_look=Privacy+label")
    file = tmp_path / "report.html"
    browsing.download_figure(page, "privacy-label", "Save this page (HTML)", file)
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    for part in (page.locator("h1"), page.get_by_role("heading", name="Settings"), page.locator(".privacy-label")):
        assert part.first.is_visible()

"""The page "How many voted for A?" in a real Chromium: drawing again, quick keys, and lessons that change alone."""

from __future__ import annotations

import base64
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser


def dots(page: Page) -> list[str]:
    """The pictures of the two dot fields, as SVG."""
    sources = [picture.get_attribute("src") for picture in page.locator(".people img").all()]
    return [base64.b64decode(source.split(",")[1]).decode() for source in sources if source]


def test_drawing_again_reaches_the_link_which_shows_the_same_screen(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?poll_seed=3")
    before = dots(page)
    page.get_by_role("button", name="Draw again").click()
    expect(page).to_have_url(re.compile("polls=101"))
    browsing.settled(page)
    seen, words = dots(page), page.locator(".takeaway, .answer").all_inner_texts()
    assert len(seen) == 2
    assert seen != before
    page.reload()
    page.locator(".people").first.wait_for()
    browsing.settled(page)
    assert page.locator(".takeaway, .answer").all_inner_texts() == words
    assert dots(page) == seen


def test_after_quick_keys_slider_words_and_link_agree(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    slider = page.get_by_role("slider", name="Each person lies with probability")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowRight")
        page.wait_for_timeout(200)  # while the server may be at work on the one before
    expect(page.locator(".takeaway")).not_to_contain_text("probability 0.2 (")
    page.wait_for_timeout(1500)
    browsing.settled(page)
    shown = page.locator(".takeaway").inner_text()
    held = re.search(r"probability ([\d.]+) ", shown.replace("\u00a0", " "))
    assert held is not None
    assert float(slider.input_value()) == pytest.approx(float(held[1]))
    expect(page).to_have_url(re.compile(rf"lie={re.escape(held[1])}$"))


def test_a_lesson_is_changed_alone_and_keeps_its_setting(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lesson=the+price")
    takeaway = page.locator(".takeaway").inner_text()
    page.get_by_role("radio", name="precision").click()
    expect(page).to_have_url(re.compile("solve=precision"))
    expect(page.locator(".answer", has_text="10,000 people at ε = 1 let you know this within")).to_be_visible()
    page.get_by_role("radio", name="more candidates").click()
    expect(page).to_have_url(re.compile("lesson=more"))
    box = page.get_by_role("textbox", name="True shares of the candidates")
    box.fill("0.6, 0.4")
    box.press("Enter")
    expect(page.locator(".answer", has_text="2 candidates")).to_be_visible()
    expect(page).to_have_url(re.compile("shares=0.6"))
    expect(page.locator(".takeaway")).to_have_text(takeaway)
    page.get_by_role("radio", name="the price").click()
    expect(page.locator(".answer", has_text="10,000 people at ε = 1 let you know this within")).to_be_visible()
    expect(page).to_have_url(re.compile("solve=precision"))
    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile("/voting$"))
    expect(page.locator(".answer", has_text="the naive reading is off by")).to_be_visible()
    browsing.settled(page)
    page.get_by_role("radio", name="the price").click()
    expect(page.locator(".answer", has_text="you need N")).to_be_visible()

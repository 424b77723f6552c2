"""Many answers on a telephone: the slider among typed numbers, what stays in sight, and the way to a chapter."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser


def test_on_a_telephone_the_slider_stays_and_a_chapter_comes_into_sight(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    browsing.open_page(page, f"{address}/many_answers?answer_epsilon=3.3")
    slider = page.get_by_role("slider", name="Protection of one answer")
    expect(slider).to_have_attribute("aria-valuetext", "weak (ε = 3.3)")
    slider.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight"):  # 3.3 is a step only until it is left
        slider.press(key)
    expect(page).to_have_url(re.compile(r"answer_epsilon=4(\.0)?(&|$)"))
    browsing.settled(page)
    expect(slider).to_have_attribute("aria-valuetext", "weak (ε = 4)")
    expect(page.locator(".st-key-row-answers output")).to_have_text("weak")
    browsing.unfold_chapters(page)
    chapter = page.get_by_role("radio", name="How the error changes")
    chapter.scroll_into_view_if_needed()
    stays = page.locator(".st-key-row-answers .slide").bounding_box()
    assert 0 < stays["y"] < 60
    assert stays["height"] < 0.15 * 844
    chapter.click()
    expect(page.locator(".st-key-error-figure .js-plotly-plot")).to_be_visible(timeout=15_000)
    browsing.settled(page)
    expect(page.get_by_role("heading", name="How far off is each method?")).to_be_in_viewport()
    expect(page.locator(".st-key-error-figure .js-plotly-plot")).to_be_in_viewport(ratio=0.8)

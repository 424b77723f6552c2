"""The control of a number in a real Chromium: what is shown, sent and said."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser
OUTPUT = ".st-key-main-control-fragment output"


def test_a_number_out_of_range_stays_as_typed_with_the_range_beside_it(page: Page, address: str) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    browsing.open_page(page, f"{address}/voting")
    box, problem = page.get_by_label("p, lie", exact=True), page.locator("#number-range:visible")
    browsing.settled(page)
    sent.clear()
    for typed in ("0.9", "-1"):
        box.fill(typed)
        box.press("Enter")
        expect(problem).to_have_text("0 to 0.5")
        expect(box).to_have_value(typed)
        expect(box).to_have_attribute("aria-invalid", "true")
    below, beside = problem.bounding_box(), box.bounding_box()
    assert below is not None
    assert beside is not None
    assert 0 <= below["y"] - beside["y"] - beside["height"] < 10
    assert not sent
    box.fill("0.4")
    box.press("Enter")
    expect(problem).to_have_count(0)
    expect(page.locator(".takeaway")).to_contain_text("a chance of 40\u00a0%")


def test_an_emptied_box_shows_its_number_again(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lie=0.3")
    box = page.get_by_label("p, lie", exact=True)
    box.fill("")
    box.press("Tab")
    expect(box).to_have_value("0.3")


def test_each_box_steps_by_keys_and_all_follow(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    slider = page.get_by_role("slider", name="Chance that an answer is false")
    slider.focus()
    for name, key, shown in (("p, lie", "ArrowUp", "21 %"), ("ε of one answer", "ArrowDown", "22.71 %")):
        page.keyboard.press("Tab")
        while not page.get_by_label(name, exact=True).evaluate("(box) => box.matches(':focus')"):
            page.keyboard.press("Tab")
        page.keyboard.press(key)
        expect(page.locator(OUTPUT)).to_have_text(shown)
        browsing.settled(page)
    expect(page).to_have_url(re.compile(r"lie=0\.227"))
    expect(slider).to_have_attribute("aria-valuetext", "22.71 %")

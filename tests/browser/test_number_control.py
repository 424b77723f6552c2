"""The control of a number in a real Chromium: what is shown, sent and said."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser
BOX, EPSILON = ".st-key-lie-boxes #number", ".st-key-lie-boxes #other"
OUTPUT = ".st-key-main-control-fragment output"


def test_a_number_out_of_range_stays_as_typed_with_the_range_beside_it_and_an_emptied_box_shows_its_number_again(
    page: Page, address: str
) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    browsing.open_page(page, f"{address}/voting")
    browsing.open_settings(page)
    box, problem = page.locator(BOX), page.locator(".st-key-lie-boxes #number-range")
    browsing.settled(page)
    sent.clear()
    for typed in ("0.9", "-1"):
        box.fill(typed)
        box.press("Enter")
        expect(problem).to_have_text("Type 0 to 0.5.")
        expect(box).to_have_value(typed)
        expect(box).to_have_attribute("aria-invalid", "true")
    below, beside = problem.bounding_box(), box.bounding_box()
    assert below is not None
    assert beside is not None
    assert 0 <= below["y"] - beside["y"] - beside["height"] < 10
    assert not sent
    box.fill("0.4")
    box.press("Enter")
    expect(problem).to_have_text("")
    expect(page.locator(".takeaway")).to_contain_text("40\u00a0%")
    box.fill("")
    box.press("Tab")
    expect(box).to_have_value("0.4")


def test_each_box_steps_by_keys_and_the_slider_follows(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    browsing.open_settings(page)
    for box, key, shown in ((BOX, "ArrowUp", "21 %"), (EPSILON, "ArrowDown", "22.71 %")):
        page.locator(box).focus()
        page.keyboard.press(key)
        expect(page.locator(OUTPUT)).to_have_text(shown)
        browsing.settled(page)
    expect(page).to_have_url(re.compile(r"lie=0\.227"))
    slider = page.locator(".st-key-lie-number input[type=range]")
    expect(slider).to_have_attribute("aria-valuetext", "22.71 %")
    slider.focus()
    page.keyboard.press("ArrowLeft")  # more accurate is on the left
    expect(page.locator(OUTPUT)).to_have_text("22 %")
    expect(page.locator(BOX)).to_have_value("0.22")


@pytest.mark.parametrize(("epsilon", "shown"), [("0.4", "strong"), ("0.5", "moderate"), ("2", "weak")])
def test_a_slider_of_epsilon_says_how_well_it_protects(page: Page, address: str, epsilon, shown) -> None:
    browsing.open_page(page, f"{address}/many_answers?answer_epsilon={epsilon}")
    expect(page.locator(".st-key-row-answers output")).to_have_text(shown)
    slider = page.locator(".st-key-row-answers input[type=range]")
    expect(slider).to_have_attribute("aria-valuetext", f"{shown} (ε = {epsilon})")

"""The control of a number in a real Chromium, also with a slow server: what is shown, sent and said."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

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
    expect(page.locator(".takeaway")).to_contain_text("40\u00a0% of the time")


def test_an_emptied_box_shows_its_number_again(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lie=0.3")
    box = page.get_by_label("p, lie", exact=True)
    box.fill("")
    box.press("Tab")
    expect(box).to_have_value("0.3")


def test_each_box_steps_by_keys_and_all_follow(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    slider = page.get_by_role("slider", name="Each person lies")
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


def test_with_a_slow_server_no_press_is_lost_or_taken_back(page: Page, address: str) -> None:
    """Every answer of the server comes a second late, so that each is of an earlier press."""

    def on_its_way(browser: WebSocketRoute) -> None:
        def deliver(message: str | bytes) -> None:
            delayed.append(partial(browser.send, message))

        browser.connect_to_server().on_message(deliver)

    delayed: list[partial[None]] = []
    page.route_web_socket("**/_stcore/stream", on_its_way)
    page.goto(f"{address}/voting")

    def pass_on(seconds: float) -> None:
        for _ in range(round(seconds * 20)):
            page.wait_for_timeout(50)
            waiting, delayed[:] = delayed[:], []
            for message in waiting:
                message()

    pass_on(5)
    slider = page.get_by_role("slider", name="Each person lies")
    slider.focus()
    for press in range(1, 16):
        slider.press("ArrowRight")
        assert page.locator(OUTPUT).inner_text() == f"{20 + press} %"
        if press % 4 == 0:
            pass_on(0.3)  # answers to earlier presses
            assert page.locator(OUTPUT).inner_text() == f"{20 + press} %"
    box = page.get_by_label("ε of one answer", exact=True)
    box.fill("1")
    box.press("Enter")
    pass_on(4)
    expect(page.locator(OUTPUT)).to_have_text("26.89 %")
    expect(box).to_have_value("1")
    expect(page).to_have_url(re.compile(r"lie=0\.2689"))

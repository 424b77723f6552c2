"""A lecture in a real Chromium, walked with the keys of a clicker and by a swipe; test_slides.py measures slides."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from pages.kit.lecture import shipped
from tests.browser import browsing
from tests.pages.test_lectures import linked

pytestmark = pytest.mark.browser
NAME = "what-does-privacy-cost"
# A step that is on the same page as the one before it.
ON_ONE_PAGE = 4
# From this step on, each is on another page than the one before it.
OTHER_PAGES = 6
# A finger that goes from the right to the left.
SWIPE = """
() => {
  for (const [name, clientX] of [["touchstart", 600], ["touchend", 300]]) {
    const touch = new Touch({ identifier: 1, target: document.body, clientX, clientY: 300 });
    document.body.dispatchEvent(new TouchEvent(name, { bubbles: true, changedTouches: [touch] }));
  }
}
"""
# What kind of input has the focus, also within a component.
FOCUSED_TYPE = """
() => {
  let one = document.activeElement;
  while (one.shadowRoot) one = one.shadowRoot.activeElement;
  return one.type;
}
"""


def at_step(page: Page, number: int) -> str:
    """What is said on a step, once it is on screen and nothing moves any more."""
    lecture = shipped()[NAME]
    expect(page.locator(".place")).to_have_text(f"{number} / {len(lecture.steps)}")
    first, *_ = re.split(r"\{\w+\}", lecture.steps[number - 1].say)
    expect(page.locator("h1")).to_contain_text(first.strip())
    browsing.settled(page)
    assert page.get_by_test_id("stException").count() == page.get_by_test_id("stAlert").count() == 0
    return page.locator("h1").inner_text()


def test_a_lecture_is_walked_with_a_clicker_by_a_swipe_and_with_the_browsers_back_button(
    page: Page, address: str
) -> None:
    lecture = shipped()[NAME]
    begin, last = ON_ONE_PAGE - 1, len(lecture.steps)
    first = lecture.steps[begin - 1]
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(f"{address}/{first.page}?{urlencode({**linked(first), 'present': f'{begin}-{NAME}'}, doseq=True)}")
    said = {}
    for number in range(begin, last + 1):
        said[number] = at_step(page, number)
        if number == ON_ONE_PAGE:
            page.go_back()
            assert at_step(page, number - 1) == said[number - 1]
            page.go_forward()
            assert at_step(page, number) == said[number]
        page.keyboard.press("PageDown")
    for number in range(last - 1, OTHER_PAGES - 1, -1):
        page.go_back()
        assert at_step(page, number) == said[number]
    for number in range(OTHER_PAGES + 1, last + 1):
        page.go_forward()
        assert at_step(page, number) == said[number]
    assert not re.search(r"[\u0370-\u03ff{}…]", " ".join(said.values())), said
    page.keyboard.press("PageUp")
    at_step(page, last - 1)
    page.evaluate(SWIPE)
    assert at_step(page, last) == said[last]
    page.keyboard.press("Escape")
    expect(page.locator(".place")).to_have_count(0)
    expect(page.locator(".st-key-more").get_by_role("button", name="More")).to_be_visible()


def test_the_tab_key_leads_to_a_step_s_control_and_a_clicker_goes_on_from_there(page: Page, address: str) -> None:
    name = "randomised-response"
    steps = shipped()[name].steps
    for number, step in enumerate(steps[:-1], start=1):
        if "guess" not in step.show and step.control != "lie":
            continue
        page.goto(f"{address}/{step.page}?{urlencode({**linked(step), 'present': f'{number}-{name}'}, doseq=True)}")
        expect(page.locator(".place")).to_have_text(f"{number} / {len(steps)}")
        browsing.settled(page)
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED_TYPE) == "range"
        page.keyboard.press("PageDown")
        expect(page.locator(".place")).to_have_text(f"{number + 1} / {len(steps)}")

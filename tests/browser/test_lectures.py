"""Every lecture in a real Chromium, walked with the keys of a clicker: what the last row sees, on two projectors."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from pages.kit.lecture import Lecture, Step, shipped
from tests.browser import browsing
from tests.pages.test_lectures import linked

pytestmark = pytest.mark.browser
# Pixels of what is said, and of what stands in a figure, at the least.
SAID, DRAWN = 24, 20
# Steps gone back on the larger projector, which has more room.
BACK = 1
# What is below the line or beside the screen, the smallest letters of sentences, and in figures, and the words that a
# chart cuts off at its sides.
LOOK = """
() => {
  const line = document.querySelector(".st-key-presenter-line").getBoundingClientRect().top;
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const figures = shown(".st-key-figure [data-testid=stElementContainer]").filter((one) => one.offsetHeight > 0);
  const main = document.querySelector("[data-testid=stMain]");
  const letters = (one) => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1);
  const beside = (one) => {
    const [words, chart] = [one, one.closest(".js-plotly-plot")].map((each) => each.getBoundingClientRect());
    return Math.max(chart.left - words.left, words.right - chart.right);
  };
  const smallest = (all) => Math.min(99, ...all.map(letters));
  return {
    screen: `${window.innerWidth} × ${window.innerHeight}`,
    figures: figures.length,
    below: Math.round(Math.max(0, ...figures.map((one) => one.getBoundingClientRect().bottom - line))),
    sideways: main.scrollWidth - main.clientWidth,
    said: smallest(shown("h1, .takeaway")),
    drawn: smallest(shown(".js-plotly-plot text, .people figcaption, .sheet span, .digits td")),
    cut: shown(".js-plotly-plot text").filter((one) => beside(one) > 1).map((one) => one.textContent),
    words: main.innerText,
  };
}
"""
# A finger that goes from the right to the left.
SWIPE = """
() => {
  for (const [name, clientX] of [["touchstart", 600], ["touchend", 300]]) {
    const touch = new Touch({ identifier: 1, target: document.body, clientX, clientY: 300 });
    document.body.dispatchEvent(new TouchEvent(name, { bubbles: true, changedTouches: [touch] }));
  }
}
"""


def at_step(page: Page, lecture: Lecture, number: int) -> Step:
    """The step, once it is on screen and nothing moves any more."""
    step = lecture.steps[number - 1]
    said = re.escape(step.say).replace(":", ":\u2060?")  # what keeps words between colons from becoming a picture
    expect(page.locator("h1")).to_have_text(re.compile(f"^{said}$"))
    expect(page.locator(".place")).to_have_text(f"{number} / {len(lecture.steps)}")
    browsing.settled(page)
    expect(page.locator(browsing.PROGRESS)).to_have_count(0)
    expect(page.locator(".chart-place:visible")).to_have_count(0)
    assert page.get_by_test_id("stException").count() == page.get_by_test_id("stAlert").count() == 0
    return step


def faults(step: Step, look: dict) -> list[str]:
    """What the last row cannot see or read of a step."""
    wrong = {
        "no figure": "figure" in step.show and not look["figures"],
        "a figure that is not to be seen": "figure" not in step.show and look["figures"],
        f"{look['below']:.0f} pixels below the screen": look["below"] >= 1,
        f"{look['sideways']} pixels sideways": look["sideways"] > 0,
        f"sentences of {look['said']} pixels": look["said"] < SAID,
        f"words of {look['drawn']:.1f} pixels in a figure": look["drawn"] < DRAWN,
        f"a chart cuts off {look['cut']}": look["cut"],
    }
    return [f"“{step.say}” on {look['screen']}: {fault}" for fault, there in wrong.items() if there]


@pytest.mark.parametrize("name", shipped())
def test_a_lecture_is_read_from_the_last_row(page: Page, address: str, name: str) -> None:
    lecture = shipped()[name]
    first, last = lecture.steps[0], len(lecture.steps)
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(f"{address}/{first.page}?{urlencode({**linked(first), 'present': f'1-{name}'}, doseq=True)}")
    found, greek = [], []
    # All of it on the smaller projector, which has less room, and on the larger one some of the way back.
    for key, numbers in (("PageDown", range(1, last + 1)), ("PageUp", range(last, last - BACK, -1))):
        for number in numbers:
            step = at_step(page, lecture, number)
            look = page.evaluate(LOOK)
            found += faults(step, look)
            if key == "PageDown" and (letters := set(re.findall(r"[\u0370-\u03ff]", look["words"]))):
                greek.append(letters)
            page.keyboard.press(key)
        page.set_viewport_size({"width": 1920, "height": 1080})
    assert not found, "\n".join(found)
    if name == "what-does-privacy-cost":
        assert greek == [{"ε"}], "in one step of the whole lecture"
    at_step(page, lecture, last - BACK)
    page.evaluate(SWIPE)
    at_step(page, lecture, last - BACK + 1)
    page.keyboard.press("Escape")
    expect(page.locator(".place")).to_have_count(0)
<<<<<<< HEAD
    expect(page.get_by_test_id("stPopoverButton").filter(has_text="More")).to_be_visible()
=======
    expect(page.locator(".st-key-more").get_by_role("button", name="More")).to_be_visible()
>>>>>>> 107eb6b1409b50a88b3f670729004fb67e31389a

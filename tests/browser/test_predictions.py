"""A guess before a figure in a real Chromium: by keyboard, on a telephone, in the dark, after a reload and Back."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import browsing
from tests.browser.test_every_view import NIGHT_ON_A_TELEPHONE, faults_of

pytestmark = pytest.mark.browser
# What stands beside a guess that is asked for: a chart, dots, or another picture.
PICTURES = ".st-key-figure :is(.js-plotly-plot, [class*=-dots], .ratio, .labelled, .sent, .bag)"
ENDS = """
(selector) => {
  const all = [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
  const shown = all.filter((one) => one.height);
  return [Math.min(...shown.map((one) => one.top)), Math.max(...shown.map((one) => one.bottom))];
}
"""


def test_a_guess_is_made_by_keyboard_and_stands_beside_the_truth(page: Page, address: str) -> None:
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    browsing.open_page(page, f"{address}/voting", guesses=True)
    expect(page.locator(".takeaway")).to_contain_text("What share really voted for A?")
    expect(page.locator(".st-key-people-dots figure")).to_have_count(1)
    assert not faults_of(page, "before the guess", (NIGHT_ON_A_TELEPHONE,), "html")
    guess = page.get_by_role("slider", name="Your guess")
    expect(guess).to_have_attribute("aria-valuetext", "no guess yet")
    following = page.get_by_role("button", name=re.compile("^Next: "))
    expect(following).to_be_hidden()  # it would lead past the guess
    guess.focus()
    for _ in range(46):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="This is my guess")).to_be_focused()
    page.keyboard.press("Enter")
    result = page.locator(".guess")
    expect(result).to_contain_text("You guessed 45\u00a0%; it is 35\u00a0%: 10 points too high.")
    expect(page.locator(".st-key-people-dots figure")).to_have_count(2)
    expect(following).to_be_visible()
    truth, mark = (page.locator(f".guess-scale .{name}").bounding_box() for name in ("truth", "pentagon"))
    line = page.locator(".guess-scale .line").bounding_box()
    assert truth is not None
    assert mark is not None
    assert line is not None
    places = [(box["x"] + box["width"] / 2 - line["x"]) / line["width"] for box in (truth, mark)]
    assert places == pytest.approx([0.35, 0.45], abs=0.01)
    assert not faults_of(page, "after the guess", (NIGHT_ON_A_TELEPHONE,), "html")
    assert not wrong


@pytest.mark.parametrize(
    "at", ["voting", "training", "proportions", "class_ratio", "distortion", "comparison", "many_answers"]
)
def test_the_guess_is_on_the_first_screen_below_what_is_known_if_there_is_room(
    page: Page, address: str, at: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    browsing.open_page(page, f"{address}/{at}", guesses=True)
    for width, height, is_below in ((1280, 800, True), (1366, 650, False), (390, 844, False)):
        page.set_viewport_size({"width": width, "height": height})
        browsing.settled(page)
        asked, shown = (page.evaluate(ENDS, one) for one in (".st-key-prediction", PICTURES))
        above, below = (shown, asked) if is_below else (asked, shown)
        assert above[1] <= below[0], (width, height)
        assert asked[1] <= height, (width, height)


@pytest.mark.parametrize("at", ["voting", "comparison"])
def test_the_main_control_is_shown_after_the_guess_below_its_result(page: Page, address: str, at: str) -> None:
    browsing.open_page(page, f"{address}/{at}", guesses=True)
    control = page.locator(".st-key-stage [class*='st-key-row-']").locator("input[type=range]").first
    stands_above = "([above, below]) => above.getBoundingClientRect().bottom <= below.getBoundingClientRect().top"
    question, result = (page.locator(f".st-key-{name}") for name in ("prediction", "prediction-result"))
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        if (again := page.get_by_role("button", name="Guess again")).count():
            again.click()
        expect(question).to_be_visible()
        expect(control).not_to_be_visible()
        if (options := question.get_by_role("radio")).count():
            options.first.check(force=True)
        else:
            question.get_by_role("slider").press("ArrowRight")
        page.get_by_role("button", name="This is my guess").click()
        expect(result).to_be_visible()
        expect(control).to_be_visible()
        browsing.settled(page)
        assert page.evaluate(stands_above, [result.element_handle(), control.element_handle()]), width


def test_a_guess_stays_for_the_visit_and_is_in_no_link(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting", guesses=True)
    page.get_by_role("slider", name="Your guess").press("End")
    page.get_by_role("button", name="This is my guess").click()
    expect(page.locator(".guess")).to_contain_text("You guessed 100")
    page.get_by_role("radio", name="Many polls").click()  # chapters are folded until the guess is made
    expect(page).to_have_url(re.compile("lesson=Many"))
    assert "100" not in page.url.split("?")[1]
    page.go_back()
    expect(page.locator(".guess")).to_contain_text("You guessed 100")
    page.get_by_role("button", name="Guess again").click()
    expect(page.get_by_role("button", name="Just show me")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Just show me")).to_be_visible()


def test_a_link_with_settings_shows_its_figure_at_once(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lie=0.3", guesses=True)
    expect(page.locator(".st-key-people-dots figure")).to_have_count(2)
    assert not browsing.asks_for_guess(page)

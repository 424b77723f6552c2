"""Lessons in a real Chromium, opened as files without a network: ready at once, by keyboard, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from pages import lessons
from pages.lessons import image_dial, voting
from pages.terminal import text_of
from pages.topics.home.secret import others, true_share
from pages.topics.poll.question import STEPS
from privdemo.experiments import images, poll
from privdemo.experiments.poll import PollConfig
from tests.browser.test_every_view import DAY, NIGHT_ON_A_TELEPHONE, Look, audited
from tests.browser.test_images import grey_levels

pytestmark = pytest.mark.browser

LOOKS = (DAY, NIGHT_ON_A_TELEPHONE)
MOST_SECONDS, TRIES = 2.0, 3
# Pixels by which something is wider than the window, also within components; pictures that scroll have their own place.
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Text that is cut off or runs out of its place, within components too.
CUT_OFF = """
() => {
  const found = [];
  const look = (root) => root.querySelectorAll("*").forEach((one) => {
    if (one.shadowRoot) look(one.shadowRoot);
    const box = one.getBoundingClientRect();
    if (box.width && one.textContent.trim() && box.right > innerWidth + 1) found.push(one.outerHTML);
  });
  look(document.body);
  return found.map((html) => html.slice(0, 120));
}
"""
SAID = "#takeaway"


class Opened:
    """A tab with a lesson, and what went wrong in it."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page, self.file, self.faults = page, file, []
        page.on("console", lambda message: self.faults.append(message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self.faults.append(socket.url))
        self.load()

    def _asked(self, url: str) -> None:
        if url != self.file.as_uri() and not url.startswith("data:"):
            self.faults.append(url)

    def load(self) -> float:
        """Open the lesson, and return after how many seconds it could be used."""
        self.page.goto(self.file.as_uri())
        self.page.wait_for_selector("html[data-lesson=started]")
        return self.page.evaluate("() => performance.now()") / 1000


@pytest.fixture
def open_lesson(browser: Browser, lessons_folder: Path) -> Iterator[Callable[..., Page]]:
    """Open a lesson as a file in a browser without a network; at the end nothing has gone wrong."""
    opened: list[Opened] = []

    def open_one(name: str, look: Look = DAY, motion: str = "reduce") -> Page:
        size = {"width": look.width, "height": look.height}
        context = browser.new_context(viewport=size, color_scheme=look.scheme, reduced_motion=motion, offline=True)
        context.set_default_timeout(40_000)
        opened.append(Opened(context.new_page(), lessons_folder / f"{name}.html"))
        return opened[-1].page

    yield open_one
    for one in opened:
        one.page.context.close()
    assert [fault for one in opened for fault in one.faults] == []


def press(page: Page, key: str, times: int = 1) -> None:
    for _ in range(times):
        page.keyboard.press(key)


def guess(page: Page) -> None:
    """Guess two steps more than the middle, by keyboard alone."""
    press(page, "Tab")
    expect(page.get_by_label("Your guess")).to_be_focused()
    press(page, "ArrowRight", 2)
    press(page, "Tab")
    press(page, "Enter")
    expect(page.locator("#guessed")).to_be_focused()


def wrong(page: Page) -> list[str]:
    """What is wrong with what is on screen."""
    found = [*audited(page), *page.evaluate(CUT_OFF)]
    return [*found, *([f"{over} pixels sideways"] if (over := page.evaluate(SIDEWAYS)) > 0 else [])]


@pytest.mark.parametrize("name", [Path(name).stem for name in lessons.LESSONS])
def test_a_lesson_can_be_used_at_once(open_lesson, lessons_folder, name):
    """In one of some tries: other tests work beside this one."""
    page = open_lesson(name)
    tab = Opened(page, lessons_folder / f"{name}.html")
    assert any(tab.load() < MOST_SECONDS for _ in range(TRIES))


@pytest.mark.parametrize("look", LOOKS, ids=["day", "night on a telephone"])
def test_voting_by_keyboard_has_the_numbers_of_python(open_lesson, look):
    page, faults = open_lesson("voting", look), []
    expect(page.locator(SAID)).to_contain_text("What share really voted for A?")
    expect(page.locator("#controls")).to_be_hidden()
    faults += wrong(page)
    guess(page)
    truth = round(100 * voting.config().share)
    expect(page.locator("#guessed")).to_contain_text(
        f"You guessed 52 %; it is {truth} %: {52 - truth} points too high."
    )
    faults += wrong(page)
    press(page, "Tab")
    expect(page.get_by_role("slider", name="Chance of a changed answer")).to_be_focused()
    for moves, lie in ((5, 0.25), (25, 0.5)):
        press(page, "ArrowRight", moves)
        answer = voting.answer_at(lie)
        expect(page.locator("output").last).to_have_text(f"{100 * lie:.0f} %")
        assert text_of(page.locator(SAID).inner_text()) == text_of(answer.takeaway())
        heard = f"{answer.poll.said_a:,} of 1,000 say A; a real pollster cannot see which are hollow"
        expect(page.locator("#people figcaption").last).to_contain_text(heard)
        expect(page.locator("#people [role=img]")).to_have_attribute("aria-label", answer.main()[0].summary)
        expect(page.locator("#epsilon")).to_contain_text(f"Of 100 people who voted A, {100 * (1 - lie):.0f} say A.")
    assert faults + wrong(page) == []


@pytest.mark.parametrize("look", LOOKS, ids=["day", "night on a telephone"])
def test_the_image_dial_by_keyboard_has_the_pixels_and_numbers_of_python(open_lesson, look):
    page, faults = open_lesson("image_dial", look), []
    faults += wrong(page)
    guess(page)
    expect(page.locator("#guessed")).to_contain_text("You guessed 51.0 %; it is")
    dial = page.get_by_label("Share of pixels replaced by random grey")
    expect(dial).to_be_enabled()
    faults += wrong(page)
    press(page, "Tab")
    expect(dial).to_be_focused()
    press(page, "ArrowRight", 10)
    expect(page.locator(".dial")).to_have_attribute("data-guesses", "exact")
    found = next(one for one in image_dial.answers_along() if one.question.level == 0.9)
    expect(page.locator(".dial output")).to_have_text("90 %")
    assert text_of(page.locator(SAID).inner_text()) == text_of(found.takeaway())
    expect(page.locator(".found")).to_contain_text("picks the right sender for 11 of 100 such images.")
    result = images.sample_release(found.question.config)
    shape = len(result.labels), -1
    people = (
        [*range(0, 10, 2), *range(1, 10, 2)] if look.width < 560 else list(range(10))
    )  # as a narrow screen lines up
    for kind, expected in (("clean", result.clean), ("released", result.released)):
        np.testing.assert_array_equal(grey_levels(page, kind), expected.reshape(shape)[people])
    assert page.locator('.dial .fold canvas[aria-label^="Guessed picture"]').count() == len(people)
    press(page, "ArrowRight", 5)
    expect(page.locator(".dial output")).to_have_text("94.12 %")
    assert faults + wrong(page) == []


@pytest.mark.parametrize("look", LOOKS, ids=["day", "night on a telephone"])
def test_a_show_of_hands_has_the_numbers_of_python_for_what_is_typed(open_lesson, look):
    page, config, faults = open_lesson("show_of_hands", look), PollConfig(("Yes", "No"), 0.25), []
    press(page, "Tab", 2)
    expect(page.get_by_role("radio", name=STEPS[0])).to_be_focused()
    for name in (STEPS[1], STEPS[3], STEPS[7]):
        press(page, "ArrowRight")
        expect(page.get_by_role("radio", name=name)).to_be_checked()
        faults += wrong(page)
    share = poll.rehearse(config, 200, 78).shares[0]
    expect(page.locator(SAID)).to_contain_text(f"“Yes” is true for {100 * share:.1f} % of these simulated people.")
    page.get_by_role("radio", name="Show of hands").check()
    expect(page.locator(SAID)).to_have_text("Nobody has answered yet: there is nothing to read.")
    expect(page.locator("#answers")).to_be_hidden()
    type_hands(page, 12, 8)
    expect(page.locator(SAID)).to_have_text("Too few to tell: 20 have answered; 30 are enough.")
    page.get_by_role("button", name="Show the estimates anyway").press("Enter")
    expect(page.locator(SAID)).to_be_focused()
    expect(page.locator(SAID)).to_contain_text("12 of 20 people sent “Yes”.")
    expect(page.locator("canvas")).to_have_attribute("data-dots", "20")
    faults += wrong(page)
    page.get_by_role("radio", name=STEPS[3]).check()
    for yes, no in ((12, 8), (21, 19), (60, 60)):
        type_hands(page, yes, no)
        first = poll.reveal(config, (yes, no)).readings[0].estimated
        expect(page.locator(SAID)).to_contain_text(f"{100 * first.mean:.1f} % (95 % interval: {100 * first.low:.1f}–")
        expect(page.locator(".row b").first).to_contain_text(f"{100 * first.mean:.1f} %")
    page.get_by_label("Hands for “No”").fill("61")
    press(page, "Enter")
    expect(page.get_by_role("alert").filter(has_text="Type 0 to 60, a whole number.")).to_be_visible()
    assert faults + wrong(page) == []


def type_hands(page: Page, yes: int, no: int) -> None:
    for answer, number in (("Yes", yes), ("No", no)):
        page.get_by_label(f"Hands for “{answer}”").fill(str(number))
        press(page, "Enter")


@pytest.mark.parametrize("sandbox", ["", "sandbox=allow-scripts"])
def test_a_lesson_runs_in_a_frame_of_a_course_page(browser, lessons_folder, tmp_path, sandbox):
    outer = tmp_path / "course.html"
    source = (lessons_folder / "image_dial.html").as_uri()
    outer.write_text(f"<!doctype html><iframe {sandbox} src={source} width=800 height=600></iframe>")
    page = browser.new_page()
    page.goto(outer.as_uri())
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Just show me").click()
    expect(frame.locator(".dial")).to_have_attribute("data-guesses", "exact")
    page.close()


def test_where_no_script_runs_a_lesson_says_so_and_offers_nothing(browser, lessons_folder):
    page = browser.new_page(java_script_enabled=False)
    page.goto((lessons_folder / "voting.html").as_uri())
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("button").first).to_be_hidden()
    page.close()


def test_answers_fall_and_bars_slide_where_motion_is_wanted(open_lesson):
    page = open_lesson("show_of_hands", motion="no-preference")
    page.get_by_role("radio", name=STEPS[1]).check()
    expect(page.locator("canvas")).to_have_attribute("data-hollow", "0")
    expect(page.locator("canvas")).not_to_have_attribute("data-hollow", "0")
    page.get_by_role("radio", name=STEPS[3]).check()
    expect(page.locator(".row b").first).to_contain_text("before correction")
    expect(page.locator(".row b").first).not_to_contain_text("before correction")
    expect(page.locator(".row .lines").first).to_contain_text("dashed line: ")


@pytest.mark.parametrize("look", LOOKS, ids=["day", "night on a telephone"])
def test_your_own_secret_by_keyboard_ends_with_the_numbers_of_python(open_lesson, look):
    page, faults = open_lesson("own_secret", look), []
    faults += wrong(page)
    expect(page.get_by_role("button", name="Skip this tour")).to_be_hidden()
    yes = page.get_by_role("button", name="Yes", exact=True)
    for _ in range(4):
        press(page, "Tab")
        if yes.evaluate("(one) => one === one.getRootNode().activeElement"):
            break
    press(page, "Enter")
    for name in ("Spin the wheel", "Add it to 999 others", "Find me", "Can we still count?"):
        page.get_by_role("button", name=name).press("Enter")
        faults += wrong(page)
    page.get_by_role("slider").press("Home")
    press(page, "ArrowRight", 51)  # from “no guess yet” to 50
    page.get_by_role("button", name="Show what we can count").press("Enter")
    faults += wrong(page)
    expect(page.get_by_text("You guessed 50 %; it is")).to_contain_text(f"{100 * true_share():.1f} %")
    assert len(others().voted_a) == 999
    expect(page.get_by_text("Three ways to go on are below.").first).to_be_hidden()
    expect(page.locator("#epsilon")).to_contain_text("Of 100 people who did it, 75 say Yes.")
    assert faults == []

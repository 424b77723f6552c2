"""The room guesses on a step of a lecture: a teacher with a projector and three people with telephones."""

import re
from contextlib import ExitStack
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.kit.lecture import Step, shipped
from tests.browser import browsing
from tests.browser.slides import MEASURE, SECOND_LOOKS, SIZES, Look, Screen, faults
from tests.browser.test_every_view import audited

pytestmark = pytest.mark.browser
# Milliseconds after which a telephone that waits has heard of a guess.
A_WHILE = 20_000
LECTURE = "randomised-response"


def telephone(stack: ExitStack, browser: Browser, scheme: str, locale: str) -> Page:
    """A tab of a telephone."""
    size = {"width": 320, "height": 568}
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce", locale=locale)  # type: ignore[arg-type]
    return stack.enter_context(context).new_page()


def seen_faults(teacher: Page, name: str) -> list[str]:
    """What is wrong with the step on the projector, at three sizes."""
    wrong = []
    for i, (width, height) in enumerate(SIZES):
        teacher.set_viewport_size({"width": width, "height": height})
        scheme = "dark" if i % 2 else "light"
        teacher.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        teacher.wait_for_timeout(300)  # until the browser has sent the new size
        browsing.settled(teacher)
        look = Look(1, Step("voting"), Screen(width, height, scheme), teacher.evaluate(MEASURE))
        for _ in range(SECOND_LOOKS):  # at a page that a busy machine has not finished?
            if not faults(look):
                break
            teacher.wait_for_timeout(1000)
            browsing.settled(teacher)
            look = replace(look, seen=teacher.evaluate(MEASURE))
        wrong += faults(look)
    return wrong


def guess(person: Page, value: str) -> None:
    """Have somebody guess."""
    person.locator("#guess input").fill(value)
    person.locator("#guess-send").click()
    expect(person.locator("#guess-sent")).to_be_visible()


def open_guess_step(page: Page) -> None:
    """Go to the step of a lecture that waits for a guess, in the visit that has the poll."""
    steps = shipped()[LECTURE].steps
    number = next(i for i, step in enumerate(steps, start=1) if "guess" in step.show)
    page.locator(f".st-key-present-{LECTURE} button").click()
    for i in range(1, number):
        expect(page.locator(".place")).to_have_text(f"{i} / {len(steps)}")
        browsing.settled(page)
        page.keyboard.press("PageDown")
    expect(page.locator(".place")).to_have_text(f"{number} / {len(steps)}")


def test_three_telephones_guess_and_their_dots_stand_above_the_truth(
    page: Page, address: str, browser: Browser
) -> None:
    page.goto(f"{address}/poll?way=On+their+phones")
    page.get_by_label("Question").fill("Have you ever copied homework?")
    page.keyboard.press("Enter")
    browsing.settled(page)
    page.get_by_role("button", name="Open the poll").click()
    code = page.locator("strong").filter(has_text=re.compile("^[A-Z]{5}$")).inner_text()
    with ExitStack() as stack:
        schemes = (("light", "en"), ("dark", "de"), ("light", "pl"))
        people = [telephone(stack, browser, *one) for one in schemes]
        wrong: list[str] = []
        for person in people:
            person.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
            person.goto(f"{address}/p/{code}")
            expect(person.locator("#guess input")).to_have_count(0)
        browsing.go_to(page, "In class", "Lectures")
        open_guess_step(page)
        assert seen_faults(page, "before") == []
        page.get_by_role("button", name="Ask the room").click()
        expect(page.locator(".st-key-shown-room-guess")).to_contain_text("0 have guessed")
        for person in people:
            expect(person.locator("#guess p[lang=en]")).to_contain_text(
                "how many do you think voted A?", timeout=A_WHILE
            )
            assert person.evaluate("document.documentElement.scrollWidth") == 320
            assert audited(person) == []
        first, second, third = people
        expect(second.locator("#guess-send")).to_have_text("Meinen Tipp senden")
        first.locator("#guess-send").click()  # nothing is typed yet
        first.locator("#guess input").fill("101")
        first.locator("#guess-send").click()
        expect(first.locator("#guess-sent")).to_be_hidden()
        guess(first, "20")
        first.reload()
        expect(first.locator("#guess-sent")).to_be_visible(timeout=A_WHILE)
        expect(first.locator("#guess-send")).to_be_hidden()
        second.locator("#guess input").fill("30")
        second.evaluate(
            "() => { const button = document.querySelector('#guess-send'); button.click(); button.click(); }"
        )
        expect(second.locator("#guess-sent")).to_be_visible()
        guess(third, "60")
        expect(page.locator(".st-key-shown-room-guess")).to_contain_text("3 have guessed")
        third.get_by_role("radio").first.check()
        third.locator("#send").click()
        expect(third.locator("#result")).to_be_focused()
        kept = third.evaluate("Object.values(localStorage).join()")
        assert "token" not in kept, "both have arrived"
        page.get_by_role("button", name="Just show me").click()
        expect(page.locator(".guess")).to_contain_text("The room’s middle guess was 30 people; it is")
        expect(page.locator(".guess .room i")).to_have_count(3)
        line = page.locator(".guess-scale .line").bounding_box()
        dots = [dot.bounding_box() for dot in page.locator(".guess .room i").all()]
        assert line is not None
        places = [(box["x"] + box["width"] / 2 - line["x"]) / line["width"] for box in dots if box]
        assert places == pytest.approx([0.2, 0.3, 0.6], abs=0.01)
        assert seen_faults(page, "after") == []
        for person in people:
            expect(person.locator("#guess input")).to_have_count(0, timeout=A_WHILE)
        assert not wrong
    page.keyboard.press("Escape")
    assert "60" not in page.url.partition("?")[2]

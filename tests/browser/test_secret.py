"""The home page's story of a secret in a real Chromium: by keyboard, on a telephone, and with nothing of it sent."""

from typing import Self

import pytest
from playwright.sync_api import Locator, Page, Request, WebSocket, expect

from pages.kit import numbers
from pages.topics.home.question import LIE, OTHERS, QUESTIONS
from pages.topics.home.secret import cases, others, true_share
from privdemo.figures import people
from tests.browser import browsing
from tests.browser.test_every_view import IN_COLOURS, SIDEWAYS, audited

pytestmark = pytest.mark.browser

# Every random word is this one: the wheel stops at this part of its round.
STOP_AT = "(part) => { crypto.getRandomValues = (into) => into.fill(Math.floor(part * 2 ** 32)); }"
TRUTH, OTHER = (1 + LIE) / 2, LIE / 2
OWN = "Did a cat ever crash your car?"  # with the letters of Streamlit's shortcuts
KEPT = """
() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.length,
  history.state])
"""
# Milliseconds in which the page has asked the server for nothing: guesses of the dial are learnt for a while.
QUIET = 3_000
# The others whose answer the wheel has changed.
N_CHANGED = int((others().uniform < LIE).sum())


class Sent:
    """Everything that a tab sends and receives: requests with their content, and the frames of web sockets."""

    def __init__(self, page: Page) -> None:
        self.all: list[str] = []
        self.page = page

    def __enter__(self) -> Self:
        """Begin to listen."""
        self.page.on("request", self._note)
        self.page.on("websocket", self._listen)
        return self

    def __exit__(self, *_: object) -> None:
        """Listen to what comes later no longer."""
        self.page.remove_listener("request", self._note)
        self.page.remove_listener("websocket", self._listen)

    def _note(self, request: Request) -> None:
        self.all.append(f"{request.url} {request.post_data_buffer!r}")

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: self.all.append(repr(frame)))
        socket.on("framereceived", lambda frame: self.all.append(repr(frame)))

    def wait_until_quiet(self, page: Page) -> None:
        """Wait until nothing has come or gone for a while, and forget what has."""
        for _ in range(40):
            before = len(self.all)
            page.wait_for_timeout(QUIET)
            if len(self.all) == before:
                self.all.clear()
                return
        raise AssertionError("the page never comes to rest")


def button(page: Page, name: str) -> Locator:
    return page.locator(".st-key-secret-component").get_by_role("button", name=name)


def heading(page: Page) -> Locator:
    return page.locator(".st-key-secret-component h2:visible")


def said(page: Page) -> Locator:
    return page.locator(".st-key-secret-component .said:visible")


def n_marks(page: Page, selector: str) -> int:
    """Return the number of dots in the outlines of a field."""
    outlines = page.locator(f".field:visible path{selector}").evaluate_all(
        "all => all.map(one => one.getAttribute('d'))"
    )
    return sum(outline.count("M") for outline in outlines)


def tell(page: Page, answer: str, stop: float, guess: str = "42") -> None:
    """Go through the story with an answer, and the wheel stopping at a part of its round."""
    page.evaluate(STOP_AT, stop)
    button(page, answer).click()
    button(page, "Spin the wheel").click()
    button(page, "Add it to").click()
    button(page, "Find me").click()
    button(page, "Can we still count?").click()
    page.get_by_role("slider", name="How many of 100").fill(guess)
    button(page, "Show what we can count").click()
    expect(page.locator(".on:visible")).to_be_visible()


def test_the_whole_story_by_keyboard(page: Page, address: str) -> None:
    browsing.open_page(page, address)
    page.evaluate(STOP_AT, OTHER)
    keys = page.keyboard

    def press(*names: str) -> None:
        for name in names:
            keys.press(name)

    page.locator("h1").evaluate("(headline) => { headline.tabIndex = -1; headline.focus(); }")
    press("Tab", "Enter", "Tab")
    expect(button(page, "Skip this tour")).to_be_focused()
    press("Tab")
    expect(page.get_by_role("radio", name=QUESTIONS[0])).to_be_focused()
    press("ArrowUp")  # the last one: an own question
    press("Tab", "Tab", "Enter")
    expect(said(page)).to_have_text("First write your question, or choose one of the others.")
    own = page.get_by_role("textbox", name="My own question")
    expect(own).to_be_focused()
    keys.type(OWN)
    press("Tab", "Enter")
    expect(heading(page)).to_have_text("Let a wheel decide what is sent")
    expect(heading(page)).to_be_focused()
    press("Tab", "Enter")
    case = cases()[1]
    expect(said(page)).to_contain_text("The wheel says: send the other answer.")
    expect(said(page)).to_contain_text(f"A collector would now receive: ■ {case.sent}")
    press("Enter")  # once more, to no avail
    expect(said(page).locator("p")).to_have_count(3)
    press("Tab", "Enter")
    expect(heading(page)).to_have_text(f"Your answer joins {OTHERS} others")
    expect(heading(page)).to_be_focused()
    expect(page.locator(".own-question:visible")).to_have_text(f"“{OWN}”")
    assert n_marks(page, f"[fill='{people.A_COLOUR}']") == case.said[0]
    assert n_marks(page, f"[fill='{people.B_COLOUR}']") == case.said[1]
    press("Tab", "Enter")
    meant = numbers.out_of_100(case.meant)
    expect(said(page)).to_contain_text(f"On average, No is the true answer of {meant} people who send it.")
    assert n_marks(page, ".dim") == case.said[0], "all who sent the same stand out, the visitor among them"
    press("Tab", "Enter")
    expect(heading(page)).to_have_text("Can we still count?")
    expect(heading(page)).to_be_focused()
    expect(page.get_by_role("slider", name="How many of 100")).to_have_attribute("aria-valuetext", "no guess yet")
    press("Tab", "ArrowRight", "ArrowRight", "ArrowRight")
    expect(page.get_by_role("slider", name="How many of 100")).to_have_attribute("aria-valuetext", "2 of 100")
    press("Tab", "Enter")
    off = round(abs(2 - 100 * true_share()))
    guessed = f"You guessed 2 %; it is {numbers.share(true_share())}: {off} points too low."
    expect(said(page)).to_contain_text(guessed)
    expect(said(page)).to_contain_text(f"{numbers.with_half(case.estimate)} have done it.")
    strip = page.get_by_role("img", name="From 0 to 100 %: your guess 2 %")
    expect(strip).to_be_visible()
    circle, line = strip.locator("circle"), strip.locator(".true")
    assert float(circle.get_attribute("cx")) == pytest.approx(10 + 300 * case.estimate.mean)
    assert line.get_attribute("d").startswith(f"M{10 + 300 * true_share():.3f}"[:6])
    assert n_marks(page, "[fill='none']") == N_CHANGED + 1, "hollow: the wheel changed it"
    assert audited(page) == []
    button(page, "Start again").click()
    expect(heading(page)).to_be_focused()
    expect(own).to_have_value("")
    expect(page.get_by_role("radio", name=QUESTIONS[0])).to_be_checked()


def test_nothing_of_the_story_is_sent_or_stored(page: Page, address: str) -> None:
    with Sent(page) as sent:
        browsing.open_page(page, address)
        expect(page.locator(".dial[data-guesses]:visible")).to_be_visible()
        sent.wait_until_quiet(page)
        kept = page.evaluate(KEPT)
        own = page.get_by_role("textbox", name="My own question")
        own.press_sequentially(OWN)
        for answer in ("Yes", "No"):
            for stop in (TRUTH, OTHER):
                tell(page, answer, stop)
                assert page.evaluate(KEPT) == kept, "nothing is kept"
                button(page, "Start again").click()
                own.press_sequentially(OWN)
        tell(page, "Yes", OTHER)
        page.wait_for_timeout(QUIET)
        assert sent.all == [], "no request and no frame, whatever the answer and the wheel, and none later"
        assert page.evaluate(KEPT) == kept, "and nothing is kept"
        page.locator("input#level:visible").press("ArrowRight")  # now the page runs
        page.wait_for_url("**/?home_p=*")
        browsing.settled(page)
        assert any("home_p" in one for one in sent.all), "what is sent is heard"
        assert not [one for one in sent.all if "ever crash your" in one]
        expect(page.locator(".on:visible")).to_be_visible()


def test_every_step_fits_a_telephone_and_is_accessible(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    browsing.open_page(page, address)

    def check(name: str) -> None:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.wait_for_function(IN_COLOURS, arg=scheme)
            assert audited(page, ".st-key-secret-component") == [], f"{name}, {scheme}"
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate(SIDEWAYS) <= 0, f"{name}, {width} pixels wide"

    check("first")
    for name in ("No", "Spin the wheel", "Add it to", "Find me", "Can we still count?"):
        button(page, name).click()
        check(name)
    page.get_by_role("slider", name="How many of 100").press("ArrowRight")
    button(page, "Show what we can count").click()
    check("guessed")


def test_the_wheel_turns_unless_motion_is_reduced(page: Page, address: str) -> None:
    for motion, moves in (("no-preference", True), ("reduce", False)):
        page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        browsing.open_page(page, address)
        page.evaluate(STOP_AT, TRUTH)
        button(page, "Yes").click()
        button(page, "Spin the wheel").click()
        seconds = page.locator(".disc").evaluate("(disc) => parseFloat(getComputedStyle(disc).transitionDuration)")
        assert (seconds > 1) == moves
        if moves:
            assert button(page, "Add it to").is_hidden(), "it still moves"
        expect(said(page)).to_contain_text("send the truth", timeout=10_000 if moves else 1_000)
        turned = page.locator(".disc").evaluate("(disc) => disc.getAnimations().length")
        assert turned == 0
        button(page, "Add it to").click()
        expect(said(page)).to_have_count(0)
        button(page, "Find me").click()
        assert n_marks(page, "") == OTHERS + 1


def test_the_story_can_be_skipped_and_the_doors_lead_on(page: Page, address: str) -> None:
    browsing.open_page(page, address)
    button(page, "Skip this tour").click()
    door = page.get_by_role("link", name="See how it works (5 minutes)")
    expect(door).to_be_focused()
    expect(heading(page)).to_have_count(0)
    button(page, "Take the tour").click()
    expect(heading(page)).to_be_focused()
    for name, there in (
        ("See how it works", "voting"),
        ("Ask your class", "poll"),
        ("Choose a method for your question", "advice"),
    ):
        door = page.locator(".st-key-links-doors").get_by_role("link", name=name)
        assert door.get_attribute("href").rpartition("/")[2] == there
    page.locator(".st-key-links-doors").get_by_role("link", name="Ask your class").click()
    expect(page.locator("h1")).to_have_text("Ask your class an embarrassing question")

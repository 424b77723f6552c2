"""A class answers: a teacher with a projector and three people with telephones, from the code to the last answer."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.kit.lecture import Step
from pages.topics.poll.question import HANDS, STEPS
from tests.browser import browsing
from tests.browser.slides import MEASURE, Look, Screen, faults
from tests.browser.test_every_view import SIDEWAYS, audited

pytestmark = pytest.mark.browser
QUESTION = "Have you ever <b>copied</b> homework?"
# Where the wall sends telephones; those of the tests are at the app's own address.
CLASS = "class.example"
# Milliseconds after which a telephone that waits has looked whether the question is asked again.
A_WHILE = 15_000
# Seconds after which an answer stands on the projector; a busy machine may be later with one of three.
SOON = 2.0
TO_COPY = "navigator.clipboard.writeText = async (words) => { window.copied = words; }"


@pytest.fixture(scope="module")
def named_address(mnist: object) -> Iterator[str]:
    """The address of an app that a class finds at PRIVDEMO_URL."""
    with browsing.running_app(PRIVDEMO_URL=f"http://{CLASS}") as address:
        yield address


@pytest.fixture
def people(browser: Browser) -> Iterator[list[Page]]:
    """Three people with a telephone each, one of them in the dark."""
    with ExitStack() as stack:
        contexts = [
            stack.enter_context(
                browser.new_context(
                    viewport={"width": 390, "height": 844}, color_scheme=scheme, reduced_motion="reduce"
                )
            )
            for scheme in ("light", "dark", "light")
        ]
        yield [context.new_page() for context in contexts]


def answer(person: Page, choice: int) -> None:
    """Have somebody answer."""
    person.get_by_role("radio").nth(choice).check()
    person.get_by_role("button", name="Spin").click()
    expect(person.locator("#result")).to_be_focused()


def arrives(teacher: Page, count: int) -> float:
    """Seconds until so many have answered, as the teacher sees it."""
    start = time.monotonic()
    expect(teacher.locator(".poll-count b")).to_have_text(str(count))
    return time.monotonic() - start


def opened(teacher: Page, address: str) -> str:
    """The code of a poll that a teacher opens on a telephone."""
    teacher.set_viewport_size({"width": 390, "height": 844})
    teacher.goto(f"{address}/poll?way=On+their+phones")
    teacher.get_by_label("Question").fill(QUESTION)
    teacher.keyboard.press("Enter")
    browsing.settled(teacher)
    expect(teacher.get_by_role("radio", name="Answers as sent")).to_be_hidden()  # nobody has said anything
    teacher.get_by_role("button", name="Open the poll").click()
    expect(teacher.get_by_role("radio", name="Answers as sent")).to_be_visible()
    code = teacher.locator(".poll-address b").inner_text()
    assert teacher.locator(".poll-address").inner_text().replace("\n", "").endswith(f"{CLASS}/p/{code}")
    expect(teacher.get_by_role("button", name="Open to this room")).to_have_count(0)  # it is a server for others
    assert teacher.evaluate(SIDEWAYS) <= 0
    assert audited(teacher) == []
    return code


def at_step(teacher: Page, number: int) -> None:
    """Wait until a step is on the projector, whole."""
    expect(teacher.locator(".place")).to_have_text(f"{number} / {len(STEPS) - 1}")
    browsing.settled(teacher)


def shown(teacher: Page, number: int) -> list[str]:
    """What is wrong with a step on the projector, once it is there."""
    at_step(teacher, number)
    if number == 1:
        expect(teacher.locator("h1")).to_have_text(QUESTION)
    if number > 1:
        teacher.locator(".poll-late").click(trial=True)  # nothing stands over the way in for who comes late
    return seen_faults(teacher, number)


def seen_faults(teacher: Page, number: int) -> list[str]:
    """What is wrong with a step on the projector."""
    size = teacher.viewport_size
    screen = Screen(size["width"], size["height"], "light")
    return faults(Look(number, Step("poll"), screen, teacher.evaluate(MEASURE)))


def test_hands_are_counted_on_the_wall_by_keyboard(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    long = " / ".join(f"{i}: an answer that has all of forty letters"[:40] for i in range(6))
    asked = {"way": HANDS, "asked": (25 * "Have I? ").strip(), "answers": long}
    browsing.open_page(page, f"{address}/poll?{urlencode(asked)}")
    page.get_by_role("button", name="Show on the big screen").click()
    at_step(page, 1)
    # Tab would begin at the top of the page now, as it does at times by itself.
    page.evaluate("() => { const first = document.querySelector('a'); first.focus(); first.blur(); }")
    for box, people in zip(page.locator(".st-key-shown-hands input#number").all(), ("23", "11"), strict=False):
        page.keyboard.press("Tab")
        expect(box).to_be_focused()
        browsing.settled(page)  # who counts hands takes longer than the page
        page.keyboard.type(people)  # the last one is taken without Enter
    page.keyboard.press("PageDown")
    expect(page.locator("h1")).to_contain_text("23 of 34 people sent")
    wrong = []
    for number in range(2, len(STEPS)):
        at_step(page, number)
        if number in (5, 7):
            wrong += seen_faults(page, number)
        page.keyboard.press("PageDown")
    assert not wrong, "\n".join(wrong)


def test_a_class_is_asked_twice_and_watches_the_share_come_out(
    page: Page, named_address: str, people: list[Page]
) -> None:
    address = named_address
    code = opened(page, address)
    took = []
    people[0].clock.install()
    for i, person in enumerate(people, start=1):
        person.goto(f"{address}/p/{code}")
        expect(person.locator("h1")).to_have_text(QUESTION)
        answer(person, i % 2)
        took.append(arrives(page, i))
    assert min(took) < SOON, took

    page.reload()  # the tab still knows whose poll it is
    arrives(page, 3)
    page.evaluate(TO_COPY)
    page.get_by_role("button", name="Copy private link").click()
    expect(page.get_by_role("button", name="Private link copied")).to_be_visible()
    private = page.evaluate("window.copied")

    page.set_viewport_size({"width": 1024, "height": 768})
    page.get_by_role("button", name="Show on the big screen").click()
    wrong = shown(page, 1)
    assert audited(page) == []
    for number in range(2, len(STEPS)):
        page.keyboard.press("PageDown" if number % 2 else "ArrowRight")
        if number == 2:  # with three answers estimates wait
            expect(page.locator("h1")).to_contain_text("Too few to tell")
            wrong += shown(page, number)
            page.get_by_role("button", name="Show the estimates anyway").click()
            expect(page.locator("h1")).not_to_contain_text("Too few to tell")
        page.emulate_media(color_scheme="dark" if number % 2 else "light")
        wrong += shown(page, number)
    assert not wrong, "\n".join(wrong)
    assert audited(page) == []
    expect(page.locator("h1")).to_contain_text("Nobody can tell for sure for whom it is true")
    page.keyboard.press("PageUp")
    expect(page.locator("h1")).to_contain_text(re.compile(r"[Oo]f 100\s+people who\s+answer"))
    expect(people[0].get_by_role("button", name="Answer again")).to_be_hidden()
    page.get_by_role("button", name="Ask again").click()
    people[0].clock.fast_forward(A_WHILE)
    people[0].get_by_role("button", name="Answer again").click()
    answer(people[0], 1)

    secret = private.rpartition(".")[2]
    assert len(secret) > 20
    assert secret not in page.url + page.content()
    assert parse_qs(urlsplit(page.url).query).keys() <= {"way", "asked", "step", "present", "few"}
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-presenter-line")).to_have_count(0)
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_role("button", name="Ask again")).to_be_disabled()
    for person in people:
        person.reload()
        expect(person.get_by_role("status")).to_have_text("This poll is closed; it takes no more answers.")

    page.evaluate("sessionStorage.clear()")  # as on another computer
    assert private.startswith(f"http://{CLASS}/poll?")
    page.goto(private.replace(f"http://{CLASS}", address))
    expect(page.locator(".poll-closed b")).to_have_text(code)
    assert page.url.endswith("/poll?way=On+their+phones"), "the secret is taken off the address"

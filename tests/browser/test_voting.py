"""The page "How many voted for A?" in a real Chromium: dots that follow the lie while it is dragged."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from pages.topics.voting.question import SEED
from privdemo import figures
from privdemo.experiments import voting
from privdemo.figures import people
from privdemo.mechanisms import BinaryChannel, Crosswise, UnrelatedQuestion
from tests.browser import browsing

pytestmark = pytest.mark.browser
# A poll after that of the page, with motion, and another one without.
POLLS: tuple[tuple[int, Literal["no-preference", "reduce"]], ...] = ((101, "no-preference"), (102, "reduce"))
CONFIG = voting.ElectionConfig(seed=int(SEED.default))


def paths(page: Page) -> list[str]:
    """The outlines of all dots of people who have answered, by field and look."""
    page.locator(".people svg path").first.wait_for(state="attached")
    return page.locator(".people svg path:not(.not-yet)").evaluate_all("all => all.map(path => path.getAttribute('d'))")


def wait_for_paths(page: Page, expected: list[str]) -> None:
    """Wait up to five seconds: the dots are placed anew a frame or more after the width of the page has changed."""
    for _ in range(50):
        if paths(page) == expected:
            return
        page.wait_for_timeout(100)
    assert paths(page) == expected


def rendered_by_python(channel: BinaryChannel, *, upright: bool = False, **changes: int) -> list[str]:
    config = replace(CONFIG, channel=channel, **changes)
    kinds = voting.kinds(voting.people(config), channel)
    columns = people.columns_of(len(kinds), upright=upright)
    fields = [figures.dot_field("", kinds, dots, columns) for dots in (people.VOTES, people.TRUTH)]
    return [outline for field in fields for outline in re.findall(r' d="([^"]*)"', field.svg)]


def slider_of(page: Page) -> Locator:
    """Return the slider of the lie."""
    return page.locator(".st-key-lie-number input[type=range]")


def box_of(page: Page) -> Locator:
    """Return the box of the lie, in the settings."""
    if not page.locator(".st-key-settings > details[open], .st-key-settings > * > details[open]").count():
        browsing.open_settings(page)
    return page.locator(".st-key-lie-boxes #number")


def drag(page: Page, position: int, event: str = "input", slider: int = 0) -> None:
    """Move a slider of the lie to a position; `change` releases it."""
    page.locator(".st-key-main-control-fragment input[type=range]").nth(slider).evaluate(
        "(input, [value, event]) => { input.value = value;"
        " input.dispatchEvent(new Event('input')); if (event === 'change') input.dispatchEvent(new Event('change')); }",
        [str(position), event],
    )


def test_while_the_lie_is_dragged_the_dots_are_those_of_python_without_the_server(page: Page, address: str) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    browsing.open_page(page, f"{address}/voting")
    sent.clear()
    assert paths(page) == rendered_by_python(CONFIG.channel)
    for position in (0, 1, 37, 50):
        drag(page, position)
        p = position / 100
        assert paths(page) == rendered_by_python(BinaryChannel(p, p)), p
    assert not sent, "dragging must not ask the server"
    expect(page.locator(".st-key-main-control-fragment output")).to_have_text("50 %")


def test_once_let_go_the_page_the_link_and_the_dots_are_those_of_the_lie(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?voters=3000")
    drag(page, 30, "change")
    expect(page.locator(".takeaway")).to_contain_text("30\u00a0%")
    expect(page).to_have_url(re.compile(r"lie=0\.3"))
    box = box_of(page)
    expect(box).to_have_value("0.3")
    browsing.settled(page)
    assert paths(page) == rendered_by_python(BinaryChannel(0.3, 0.3), n_voters=3000)
    slider_of(page).focus()
    slider_of(page).press("ArrowRight")
    expect(page.locator(".takeaway")).to_contain_text("31\u00a0%")
    box.fill("0.1234")
    box.press("Enter")
    expect(page.locator(".takeaway")).to_contain_text("12.3\u00a0%")
    browsing.settled(page)
    assert paths(page) == rendered_by_python(BinaryChannel(0.1234, 0.1234), n_voters=3000)


def test_the_slider_may_return_to_a_value_that_another_number_replaced(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting")
    slider, box = slider_of(page), box_of(page)
    for _ in range(2):
        slider.press("ArrowRight")
        expect(page).to_have_url(re.compile("lie=0.21$"))
        browsing.settled(page)
        box.fill("0.2")
        box.press("Enter")
        expect(page).to_have_url(f"{address}/voting")
        browsing.settled(page)


def test_a_number_typed_before_the_slider_is_answered_stays_and_reaches_the_address(page: Page, address: str) -> None:
    held: list[Callable[[], None]] | None = None

    def on_its_way(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()

        def say(message: str | bytes) -> None:
            server.send(message) if held is None else held.append(partial(server.send, message))

        browser.on_message(say)

    page.route_web_socket("**/_stcore/stream", on_its_way)
    browsing.open_page(page, f"{address}/voting")
    box = box_of(page)
    browsing.settled(page)

    def wait_for_messages(n: int) -> None:
        for _ in range(600):  # half a minute
            if held is not None and len(held) >= n:
                return
            page.wait_for_timeout(50)
        pytest.fail(f"fewer than {n} messages are on their way to the server")

    held = []
    slider_of(page).press("ArrowRight")
    wait_for_messages(1)  # else both changes may be in one message
    box.fill("0.4")
    box.press("Enter")
    wait_for_messages(2)
    (first, *rest), held = held, None
    first()
    expect(page).to_have_url(re.compile("lie=0.21$"))  # the answer to the slider, of which the box takes no notice
    expect(box).to_have_value("0.4")
    for say in rest:
        say()
    expect(page).to_have_url(re.compile("lie=0.4$"))
    browsing.settled(page)
    expect(page.locator(".st-key-main-control-fragment output")).to_have_text("40 %")
    expect(box).to_have_value("0.4")


def test_both_fields_are_whole_on_the_first_screen_and_upright_on_a_narrow_one(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    browsing.open_page(page, f"{address}/voting")
    fields = page.locator(".people svg")
    expect(fields).to_have_count(2)
    for width, height in ((390, 844), (1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        wait_for_paths(page, rendered_by_python(CONFIG.channel, upright=width < 640))
        left, right = (fields.nth(i).bounding_box() for i in range(2))
        assert left is not None
        assert right is not None
        assert left["y"] == right["y"]
        assert left["x"] + left["width"] < right["x"]
        assert left["y"] + left["height"] <= height


def test_two_lies_have_a_slider_each(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lying=asymmetric")
    drag(page, 60, slider=0)
    drag(page, 5, slider=1)
    assert paths(page) == rendered_by_python(BinaryChannel(0.6, 0.05))


def test_an_innocent_question_has_a_slider_which_the_dots_follow(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lying=unrelated+question")
    drag(page, 30)
    expect(page.locator(".st-key-main-control-fragment output")).to_have_text("30 %")
    asked = UnrelatedQuestion(0.3, 0.25)
    assert paths(page) == rendered_by_python(asked)
    drag(page, 30, "change")
    expect(page).to_have_url(re.compile("asks_vote=0.3"))
    browsing.settled(page)
    assert paths(page) == rendered_by_python(asked), "as the server then renders them"
    browsing.open_page(page, f"{address}/voting?lying=same+or+different")
    drag(page, 20)
    assert paths(page) == rendered_by_python(Crosswise(0.2))
    expect(page.locator(".people figcaption").last).to_contain_text("of 1,000 say “different”")


def watch(page: Page) -> None:
    """Take down from now on how many people have answered."""
    page.locator(".people:has(svg)").evaluate(
        """(people) => {
          window.watching?.disconnect();
          window.answered = [];
          window.waited = 0;
          const look = () => {
            window.answered.push(people.querySelector("figure:last-child figcaption")?.textContent);
            window.waited += [...people.querySelectorAll(".not-yet")].every((path) => path.getAttribute("d"));
          };
          window.watching = new MutationObserver(look);
          window.watching.observe(people, { childList: true, subtree: true });
        }"""
    )


def answered(page: Page) -> set[str]:
    """How many people had answered, whenever that changed."""
    return {
        found[1] for text in page.evaluate("window.answered") if (found := re.search("hears: .* of (.+) say", text))
    }


def test_the_people_of_a_new_poll_answer_one_after_another_unless_motion_is_not_wanted(
    page: Page, address: str
) -> None:
    browsing.open_page(page, f"{address}/voting")
    for polls, motion in POLLS:
        page.emulate_media(reduced_motion=motion)
        watch(page)
        page.get_by_role("button", name="Ask another 1,000 people").click()
        expect(page).to_have_url(re.compile(f"polls={polls}"))
        browsing.settled(page)
        expect(page.locator(".people figcaption").last).to_contain_text("of 1,000 say A")
        page.emulate_media(reduced_motion="reduce")
        assert paths(page) == rendered_by_python(CONFIG.channel, n_elections=polls)
        assert (len(answered(page)) > 5) == (motion == "no-preference")
        assert (page.evaluate("window.waited") > 5) == (motion == "no-preference"), (
            "an outline in both fields until then"
        )

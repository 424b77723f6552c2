"""The chapter “If some ignore the rules” in a real Chromium: its rows follow the slider while it is dragged."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.kit.trials import Trials
from pages.topics.voting import disobedience
from pages.topics.voting.answer import answer
from pages.topics.voting.disobedience import Choice
from pages.topics.voting.question import SEED
from privdemo.experiments.voting import ElectionConfig
from tests.browser import browsing

pytestmark = pytest.mark.browser
LINK = "voting?lesson=Some+do+not+play+along"
ROWS = """
(root) => [...root.querySelectorAll(".row")].map((row) => {
  const place = (part) => parseFloat(row.querySelector(part).style.left) / 100;
  const mark = row.querySelector(".mark"), range = row.querySelector(".range");
  return {
    words: row.querySelector(".name").textContent,
    at: mark.hidden ? null : place(".mark"),
    from: place(".range"),
    to: place(".range") + parseFloat(range.style.width) / 100,
    rule: place(".rule"),
  };
})
"""


def by_python(part: float, chosen: float = 0.25) -> dict[str, Any]:
    """What Python has computed for a position of the slider."""
    shown = answer(ElectionConfig(seed=int(SEED.default)), Trials())
    (panel,) = disobedience.panels(shown, Choice(chosen, "always say B"))
    return next(stop for stop in panel.figure.data["stops"] if stop["part"] == part)  # type: ignore[union-attr]


def component(page: Page) -> Locator:
    return page.locator(".st-key-voting_disobedience-component .disobedience")


def slider(page: Page) -> Locator:
    return page.locator(".st-key-part-number input[type=range]")


def assert_shows(page: Page, stop: dict[str, Any]) -> None:
    seen = component(page).evaluate(ROWS)
    assert [row["words"] for row in seen] == [f"{row['name']} {row['value']}" for row in stop["rows"]]
    for row, expected in zip(seen, stop["rows"], strict=True):
        for part in ("at", "from", "to", "rule"):
            assert row[part] == (None if expected[part] is None else pytest.approx(expected[part], abs=1e-4)), part
    assert component(page).locator(".more").text_content() == stop["more"]


def drag(page: Page, position: int, event: str = "input") -> None:
    """Move the slider to a position; `change` releases it."""
    slider(page).evaluate(
        "(input, [value, event]) => { input.value = value;"
        " input.dispatchEvent(new Event('input')); if (event === 'change') input.dispatchEvent(new Event('change')); }",
        [str(position), event],
    )


def test_while_the_slider_is_dragged_the_rows_are_those_of_python_without_the_server(page: Page, address: str) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    browsing.open_page(page, f"{address}/{LINK}")
    assert_shows(page, by_python(0.25))
    sent.clear()
    for position in (0, 1, 37, 50):
        drag(page, position)
        assert_shows(page, by_python(position / 100))
    assert not sent, "dragging must not ask the server"
    expect(page.locator(".takeaway")).to_have_css("opacity", "0.45")  # it is of another part


def test_once_let_go_the_sentence_the_link_and_the_rows_are_of_that_part(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/{LINK}")
    drag(page, 40, "change")
    expect(page.locator(".takeaway")).to_contain_text("40 of 100")
    expect(page).to_have_url(re.compile(r"part=0\.4(&|$)"))
    browsing.settled(page)
    assert_shows(page, by_python(0.4))
    expect(page.locator(".takeaway")).to_have_css("opacity", "1")
    slider(page).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".takeaway")).to_contain_text("41 of 100")
    expect(slider(page)).to_have_attribute("aria-valuetext", "41 %")
    assert_shows(page, by_python(0.41))
    page.keyboard.press("Home")
    expect(page.locator(".takeaway")).to_contain_text("Everybody plays along")
    assert_shows(page, by_python(0.0))


def test_a_part_from_a_link_that_is_no_position_of_the_slider_is_shown(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/{LINK}&part=0.123")
    assert_shows(page, by_python(0.123, 0.123))


def test_the_guess_comes_first_and_nothing_of_the_answer_is_seen_before(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting", guesses=True)
    browsing.show_without_guess(page)
    page.get_by_role("radio", name="If some ignore the rules").click()
    expect(page.locator(".takeaway")).to_contain_text("What does the corrected estimate say on average?")
    expect(component(page).locator(".name b")).to_have_text("?")
    expect(slider(page)).to_have_count(0)
    guess = page.locator(".st-key-prediction").get_by_role("slider")
    guess.press("ArrowRight")
    page.get_by_role("button", name="This is my guess").click()
    expect(page.locator(".st-key-prediction-result")).to_contain_text("You guessed 0 %; it is 18 %")
    expect(slider(page)).to_be_visible()
    expect(component(page).locator(".row")).to_have_count(4)

"""A poll checks whether people follow the wheel: telephones are told their own, the reveal says how many do not."""

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.polls import languages
from pages.topics.poll.question import STEPS
from tests.browser import browsing
from tests.browser.test_every_view import audited
from tests.browser.test_poll import seen_faults
from tests.browser.test_poll_participant import posts_of

pytestmark = pytest.mark.browser

N = len(languages.LANGUAGES)


@pytest.fixture(scope="module")
def telephones(browser: Browser) -> Iterator[list[Page]]:
    """As many telephones as languages, each in its own, of two widths, every other one in the dark."""
    with ExitStack() as stack:
        made = []
        for i, language in enumerate(languages.LANGUAGES):
            context = stack.enter_context(
                browser.new_context(
                    viewport={"width": (320, 390)[i // 2 % 2], "height": 700},
                    locale=language,
                    color_scheme=("light", "dark")[i % 2],
                    reduced_motion="reduce",
                )
            )
            made.append(context.new_page())
        yield made


def opened(teacher: Page, address: str, check: str) -> str:
    """Open a poll with a check, as the teacher does, and return its code."""
    teacher.set_viewport_size({"width": 1024, "height": 768})
    teacher.goto(f"{address}/poll?way=On+their+phones&poll_lie=0.1")
    browsing.settled(teacher)
    teacher.get_by_role("combobox", name="Check whether people follow the wheel").click()
    teacher.get_by_role("option", name=check).click()
    browsing.settled(teacher)
    teacher.get_by_role("button", name="Open the poll").click()
    code: str = teacher.locator("strong").filter(has_text=re.compile("^[A-Z]{5}$")).inner_text()
    browsing.settled(teacher)
    return code


def revealed(teacher: Page) -> str:
    """Go through the reveal on the big screen; return what stands above the estimates."""
    teacher.get_by_role("button", name="Show on the big screen").click()
    expect(teacher.locator(".poll-count b")).to_have_text(str(N))
    wrong, above = [], ""
    for number, name in enumerate((step for step in STEPS if step != "Comparison with the truth"), start=1):
        expect(teacher.locator(".place")).to_have_text(f"{number} / {len(STEPS) - 1}")
        browsing.settled(teacher)
        if number == 2:
            teacher.get_by_role("button", name="Show the estimates anyway").click()
            browsing.settled(teacher)
        if name == "Estimated percentages":
            above = teacher.locator("h1").inner_text()
        wrong += seen_faults(teacher, number)
        teacher.keyboard.press("ArrowRight")
    assert not wrong, "\n".join(wrong)
    return above


def seen(telephone: Page) -> list[object]:
    """What is wrong with the page of a telephone as it stands."""
    wide = telephone.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [*audited(telephone), *([f"{wide} px too wide"] if wide > 0 else [])]


def test_each_telephone_is_told_its_own_wheel_keeps_it_and_sends_its_half(
    page: Page, address: str, telephones: list[Page]
) -> None:
    code, halves = opened(page, address, "two wheels"), []
    for i, (one, language) in enumerate(zip(telephones, languages.LANGUAGES, strict=True)):
        sent = posts_of(one)
        one.goto(f"{address}/p/{code}")
        one.locator("summary").click()
        assert seen(one) == []
        shown = one.locator(".wheel").inner_text()
        half = 0 if languages.percent(0.9, language) in shown else 1
        lie, people, loss = ((0.1, "90", "9.00"), (0.4, "60", "1.50"))[half]
        assert (languages.percent(lie, language) in shown, languages.percent(1 - lie, language) in shown) == (
            True,
            True,
        )
        assert one.locator(f".h{1 - half}").count() == 0
        assert float(one.evaluate("() => data.lie")) == lie
        assert one.locator("#disc circle").nth(1).get_attribute("stroke-dasharray") == f"{100 * lie:g} 100"
        assert languages.sentence(language, "meant", people=people) in one.locator("details").inner_text()
        assert languages.decimal(loss, language) in one.locator("main > p").all_inner_texts()[-1]
        one.reload()
        assert one.locator(".wheel").inner_text() == shown
        one.get_by_role("radio").nth(i % 2).check()
        one.locator("#send").click()
        expect(one.locator("#result")).to_be_focused()
        assert sent[-1]["answer"] // 2 == half
        assert set(sent[-1]) == {"round", "answer", "token"}
        assert ("Yes", "No")[sent[-1]["answer"] % 2] in one.locator("#result").inner_text()
        assert seen(one) == []
        one.reload()
        assert one.locator(".wheel").inner_text() == shown
        halves.append(half)
    above = revealed(page)
    if len(set(halves)) == 2:
        assert re.search(r"Of those who followed the wheel.*about \d+ of 100 did not follow it \(\d+–\d+\)\.", above)
    else:  # two of 256 times
        assert "follow" not in above


def test_a_control_question_is_answered_by_a_spin_of_its_own(page: Page, address: str, telephones: list[Page]) -> None:
    code = opened(page, address, "a control question")
    for i, (one, language) in enumerate(zip(telephones, languages.LANGUAGES, strict=True)):
        sent = posts_of(one)
        one.goto(f"{address}/p/{code}")
        one.get_by_role("radio").nth(i % 2).check()
        one.locator("#send").click()
        expect(one.locator("#said")).not_to_be_empty()
        assert sent == [], "both must be answered"
        one.get_by_role("radio").nth(2 + (i % 4 > 0)).check()
        assert seen(one) == []
        one.locator("#send").click()
        expect(one.locator("#result")).to_be_focused()
        answer, control = divmod(sent[-1]["answer"], 2)
        assert ("Yes", "No")[answer] in one.locator("#result").inner_text()
        word = languages.sentence(language, ("control_yes", "control_no")[control])
        assert one.locator("#checked").inner_text() == languages.sentence(language, "control_sent", answer=word)
        assert seen(one) == []
    assert re.search(r"about \d+ of 100 did not follow it \(\d+–\d+\)\.", revealed(page))

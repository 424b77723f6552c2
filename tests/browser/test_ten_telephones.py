"""Ten telephones in eight languages answer one poll while things go wrong, and each counts once."""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from pages.polls import languages
from tests.browser import browsing
from tests.browser.test_every_view import audited
from tests.browser.test_poll_participant import hang_first_answer, lock, posts_of, unlock

pytestmark = pytest.mark.browser

N, LANGUAGES = 10, tuple(languages.LANGUAGES)
WIDTH, MOST_BYTES = 320, 15_000
LOCKED, OFFLINE, RELOADED, TAPPED_TWICE = range(1, 5)
# What Chromium itself writes into the console where a request finds no network.
NO_NETWORK = "net::ERR_INTERNET_DISCONNECTED"
# Milliseconds within which nothing more is sent, once all have answered.
A_MOMENT = 1_500


@dataclass
class Telephone:
    """A telephone with its language, what it wrote into its console, and the answers that it sent."""

    page: Page
    context: BrowserContext
    language: str
    console: list[str] = field(default_factory=list)
    sent: list[dict] = field(default_factory=list)

    def said(self, key: str, **given: str) -> str:
        """What a sentence is in the telephone's language."""
        return languages.sentence(self.language, key, **given)

    def press(self) -> None:
        """Spin the wheel."""
        self.page.get_by_role("button", name=self.said("send")).tap()

    def choose(self, answer: int) -> None:
        """Choose an answer."""
        self.page.get_by_role("radio").nth(answer).check()

    def arrived(self) -> None:
        """Wait until the page says that the answer has arrived."""
        expect(self.page.locator("#result")).to_contain_text(self.said("arrived", answer="").strip())

    def faults(self) -> list[object]:
        """What is wrong with the page as it stands."""
        wide = self.page.evaluate("document.documentElement.scrollWidth") - WIDTH
        return [*audited(self.page), *([f"{wide} px too wide"] if wide else [])]


@pytest.fixture
def telephones(browser: Browser) -> Iterator[list[Telephone]]:
    """Ten telephones with touch, every other one in the dark."""
    with ExitStack() as stack:
        made = []
        for i, language in enumerate(islice(cycle(LANGUAGES), N)):
            context = stack.enter_context(
                browser.new_context(
                    viewport={"width": WIDTH, "height": 568},
                    device_scale_factor=2,
                    is_mobile=True,
                    has_touch=True,
                    locale=language,
                    color_scheme="dark" if (i + i // len(LANGUAGES)) % 2 else "light",
                )
            )
            one = Telephone(context.new_page(), context, language)
            one.page.on("console", lambda said, one=one: one.console.append(f"{said.type}: {said.text}"))
            one.page.on("pageerror", lambda error, one=one: one.console.append(str(error)))
            one.sent = posts_of(one.page)
            made.append(one)
        yield made


def answer(telephone: Telephone, number: int, counted: Locator) -> None:
    """Answer, with what goes wrong on the telephone of this number; `counted` says how many answers have arrived."""
    page = telephone.page
    telephone.choose(number % 2)
    if number == LOCKED:
        hang_first_answer(page, arrives=True)
        telephone.press()
        expect(page.get_by_role("status")).to_have_text(telephone.said("sending"))
        # The answer has arrived, and only its acknowledgement is lost: a screen locked sooner might send nothing.
        expect(counted).to_have_text(str(number + 1))
        lock(page)  # unlocked when all others have answered
        return
    if number == OFFLINE:
        telephone.context.set_offline(True)
        telephone.press()
        expect(page.get_by_role("status")).to_have_text(telephone.said("offline"))
        assert telephone.faults() == []
        telephone.context.set_offline(False)
    elif number == RELOADED:
        page.reload()
        expect(page.get_by_role("radio").nth(number % 2)).not_to_be_checked()
        telephone.choose(number % 2)
        telephone.press()
        telephone.arrived()
        page.reload()
        expect(page.locator("#result")).to_have_text(telephone.said("arrived_before"))
        expect(page.get_by_role("button")).to_have_count(0)
        return
    elif number == TAPPED_TWICE:
        page.evaluate("() => { const button = document.querySelector('#send'); button.click(); button.click(); }")
    else:
        telephone.press()
    telephone.arrived()


def stored(code: str) -> tuple[int, int]:
    """How many answers a poll has in the database, and how many tokens."""
    file = Path(os.environ["XDG_DATA_HOME"]) / "privdemo" / "polls.sqlite"
    with closing(sqlite3.connect(file)) as database:
        (answers,) = database.execute("SELECT sum(people) FROM poll_counts WHERE code = ?", [code]).fetchone()
        (tokens,) = database.execute("SELECT count(*) FROM poll_marks WHERE code = ?", [code]).fetchone()
    return answers, tokens


def test_ten_telephones_count_ten_times_whatever_goes_wrong(
    page: Page, address: str, telephones: list[Telephone]
) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(f"{address}/poll?way=On+their+phones")
    page.get_by_role("button", name="Open the poll").click()
    code = page.locator("strong").filter(has_text=re.compile("^[A-Z]{5}$")).inner_text()
    browsing.settled(page)
    page.get_by_role("button", name="Show on the big screen").click()
    counted = page.locator(".poll-count b")
    expect(counted).to_have_text("0")
    for one in telephones:
        response = one.page.goto(f"{address}/p/{code}")
        assert response
        assert len(response.body()) < MOST_BYTES
        assert response.request.sizes()["responseBodySize"] < MOST_BYTES
        assert one.page.evaluate("document.documentElement.lang") == one.language
        one.page.locator("summary").tap()
        assert one.faults() == []
    for number, one in enumerate(telephones):
        answer(one, number, counted)
    expect(counted).to_have_text(str(N))
    unlock(telephones[LOCKED].page)
    for one in (telephones[LOCKED], *telephones[RELOADED + 1 :]):
        one.arrived()
    page.wait_for_timeout(A_MOMENT)
    expect(counted).to_have_text(str(N))
    assert stored(code) == (N, N)
    for one in telephones:
        assert len({sent["token"] for sent in one.sent}) == 1
        assert one.faults() == []
    assert len({sent["token"] for one in telephones for sent in one.sent}) == N
    assert [len(one.sent) for one in telephones] == [2 if i in (LOCKED, OFFLINE) else 1 for i in range(N)]
    lines = [line for one in telephones for line in one.console if NO_NETWORK not in line]
    assert lines == []
    assert not any(NO_NETWORK in line for i, one in enumerate(telephones) if i != OFFLINE for line in one.console)

"""Pictures of every frame of the reveal of a class poll: `python -m tests.browser.reveal [FOLDER]`, into docs/reveal.

Forty people answer on telephones, then three; a class raises its hands; and a rehearsal in the dark. Each person's true
answer and what chance decides have a seed.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, expect

from pages.topics.poll.question import HANDS, REHEARSAL, STEPS, TELEPHONES
from tests.browser import browsing

WIDTH, HEIGHT = 1024, 768
# Where the wall sends telephones.
CLASS = "http://class.example"
# People on telephones, how many of them would truly say Yes, how often chance changes an answer, and the seed; the
# answers that a few send, the hands that are raised, and the people of the rehearsal.
PEOPLE, TRUE, LIE, SEED = 40, 16, 0.25, 1
FEW, RAISED, SIMULATED = (0, 0, 1), ("17", "23"), 40
# Milliseconds after which dots fall and lie in their piles, after which bars stand as sent and slide, and after which
# nothing moves.
FALL, LIE_STILL, BEFORE, SLIDE, END = 450, 1900, 500, 1750, 3600


@dataclass(frozen=True)
class Projector:
    """The page on a projector, and the folder for its pictures."""

    page: Page
    folder: Path

    def save(self, name: str) -> None:
        """Save what is on the projector now."""
        with Image.open(BytesIO(self.page.screenshot())) as shot:
            shot.save(self.folder / f"{name}.webp", quality=80, method=6)

    def frames(self, *named: tuple[str, int]) -> None:
        """Go on, and save frames of the next step, each so many milliseconds after it is there."""
        before = self.page.locator("h1").inner_text()
        self.page.keyboard.press("PageDown")
        expect(self.page.locator("h1")).not_to_have_text(before, timeout=60_000)
        start = time.monotonic()
        for name, after in named:
            self.page.wait_for_timeout(max(0, after - 1000 * (time.monotonic() - start)))
            self.save(name)

    def still(self, *names: str) -> None:
        """Go on by a step for each name, and save it once nothing moves."""
        for name in names:
            self.frames()
            browsing.settled(self.page)
            self.page.wait_for_timeout(END)
            self.save(name)

    def show(self) -> None:
        """Show the page's poll on the projector."""
        self.page.get_by_role("button", name="Show on the big screen").click()
        self.page.locator(".place").wait_for()
        browsing.settled(self.page)


def opened(page: Page, address: str) -> str:
    """The code of a poll that a teacher opens on telephones."""
    page.goto(f"{address}/poll?{urlencode({'way': TELEPHONES})}")
    page.get_by_role("button", name="Open the poll").click()
    page.locator(".poll-address b").wait_for()
    return page.locator(".poll-address b").inner_text()


def send(address: str, code: str, answers: Iterable[int], chance: random.Random) -> None:
    """Send answers as so many telephones do."""
    for answer in answers:
        body = json.dumps({"round": 1, "answer": answer, "token": f"{chance.getrandbits(128):032x}"})
        head = {"Content-Type": "application/json", "Origin": address}
        with urllib.request.urlopen(urllib.request.Request(f"{address}/p/{code}", body.encode(), head)) as reply:
            assert reply.status == 200


def arrive(page: Page, n: int) -> None:
    """Wait until so many have answered."""
    expect(page.locator(".poll-count b")).to_have_text(str(n), timeout=30_000)


def on_telephones(projector: Projector, address: str) -> None:
    """Save the frames of a poll of forty on telephones."""
    page, chance = projector.page, random.Random(SEED)
    code = opened(page, address)
    true = [int(i >= TRUE) for i in range(PEOPLE)]
    sent = [1 - answer if chance.random() < LIE else answer for answer in chance.sample(true, PEOPLE)]
    projector.show()
    page.wait_for_timeout(END)
    projector.save("join")
    send(address, code, sent[: PEOPLE // 2], chance)
    arrive(page, PEOPLE // 2)
    projector.save("arriving")
    send(address, code, sent[PEOPLE // 2 :], chance)
    arrive(page, PEOPLE)
    page.wait_for_timeout(END)
    projector.save("arrived")
    projector.frames(("falling", FALL), ("sent", LIE_STILL), ("hollow", END))
    projector.still("as-sent")
    projector.frames(("before-sliding", BEFORE), ("sliding", SLIDE), ("estimated", END))
    projector.still("one-answer", "price", "again", "summary")


def of_few(projector: Projector, address: str) -> None:
    """Save the frames of a poll of three on telephones."""
    page, chance = projector.page, random.Random(SEED)
    code = opened(page, address)
    projector.show()
    send(address, code, FEW, chance)
    arrive(page, len(FEW))
    projector.still("few")
    page.get_by_role("button", name="Show the estimates anyway").click()
    browsing.settled(page)
    for step in range(3, len(STEPS)):
        page.keyboard.press("PageDown")
        expect(page.locator(".place")).to_have_text(re.compile(f"^{step} /"), timeout=60_000)
        browsing.settled(page)
    page.wait_for_timeout(END)
    projector.save("few-summary")


def with_hands(projector: Projector, address: str) -> None:
    """Save the frames of a show of hands."""
    page = projector.page
    browsing.open_page(page, f"{address}/poll?{urlencode({'way': HANDS})}")
    projector.show()
    page.wait_for_timeout(END)
    projector.save("hands")
    for box, people in zip(page.locator(".st-key-shown-hands input#number").all(), RAISED, strict=True):
        box.fill(people)
        box.press("Enter")
        browsing.settled(page)
    page.wait_for_timeout(END)
    projector.save("hands-counted")


def rehearsed(projector: Projector, address: str) -> None:
    """Save the frames of a rehearsal in the dark."""
    page = projector.page
    page.emulate_media(color_scheme="dark")
    browsing.open_page(page, f"{address}/poll?{urlencode({'way': REHEARSAL, 'people': SIMULATED})}")
    page.get_by_role("button", name="Simulate the answers").click()
    projector.show()
    expect(page.locator(".poll-count b")).to_have_text(re.compile("^(2[0-9]|3[0-9])$"), timeout=60_000)
    projector.save("rehearsal")
    arrive(page, SIMULATED)
    projector.still("rehearsal-hollow")
    page.keyboard.press("PageDown")
    browsing.settled(page)
    projector.still("rehearsal-estimated")
    for _ in range(3):
        page.keyboard.press("PageDown")
        browsing.settled(page)
    projector.still("truth", "rehearsal-summary")


def main(folder: Path) -> None:
    """Save all frames in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with browsing.running_app(PRIVDEMO_URL=CLASS) as address, browsing.chromium() as browser:
        for save in (on_telephones, of_few, with_hands, rehearsed):
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            save(Projector(page, folder), address)
            page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reveal"))

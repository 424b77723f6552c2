"""Measure what stands on a slide of a lecture, from the page itself.

`python -m tests.browser.slides [FOLDER]` walks every step of the lectures of the app, and every chapter of every page
as a step, at three sizes, prints a table and saves pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from pages.kit import lecture
from pages.kit.lecture import MOST_STEPS, Lecture, Step
from pages.topics import PAGES
from tests.browser import browsing
from tests.pages.test_lectures import linked

SIZES = ((1024, 768), (1280, 800), (1920, 1080))
SCHEMES = ("dark", "light")
# The least part of a screen's height that the rendered part of a figure takes; the most words of a headline that the
# step says, of one that is the page's sentence, and of the sentences within a figure.
LEAST_RENDERED, MOST_WORDS, MOST_WORDS_OF_PAGE, MOST_PROSE = 0.45, 25, 32, 32
# Hands that are raised for each answer of a poll in a lecture: enough for estimates.
HANDS = "20"
MEASURE = (Path(__file__).parent / "slides.js").read_text(encoding="utf-8")


@dataclass(frozen=True, eq=False)
class Look:
    """What is `seen` of a step on a screen of this width in a colour scheme: what slides.js measures."""

    number: int
    step: Step
    width: int
    scheme: str
    seen: dict[str, Any]

    def __str__(self) -> str:
        settings = " ".join(map(str, self.step.settings.values()))
        return f"{self.number} {self.step.page or 'home'} {settings}, {self.width} {self.scheme}"


def every_chapter() -> list[Lecture]:
    """Every chapter of every page as a step of a lecture, in as few lectures as hold them."""
    steps = []
    for page in PAGES:
        if page.chapters:  # without chapters it is no page of figures
            key = page.chapters.choice().key
            steps += [Step(page.address, {key: one.name}) for one in page.chapters.all]
    parts = [tuple(steps[i : i + MOST_STEPS]) for i in range(0, len(steps), MOST_STEPS)]
    return [Lecture(f"Chapters, part {i}", "", 10, part) for i, part in enumerate(parts, start=1)]


def walked(
    page: Page, address: str, name: str, of: Lecture, sizes: Sequence[tuple[int, int]], in_turns: bool = False
) -> Iterator[Look]:
    """What stands on each slide of a lecture at each size, by day and by night in turns, walked with a clicker.

    Colours move nothing, and what is behind a letter is of the same colour at each size. With `in_turns` each slide has
    one size, and the next one another.
    """
    first = of.steps[0]
    page.set_viewport_size(dict(zip(("width", "height"), sizes[0], strict=True)))  # type: ignore[arg-type]
    page.goto(f"{address}/{first.page}?{urlencode({**linked(first), 'present': f'1-{name}'}, doseq=True)}")
    for number, step in enumerate(of.steps, start=1):
        expect(page.locator(".place")).to_have_text(f"{number} / {len(of.steps)}", timeout=60_000)
        for i, (width, height) in enumerate([sizes[number % len(sizes)]] if in_turns else sizes):
            scheme = SCHEMES[(number + i) % 2]
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.wait_for_timeout(300 if len(sizes) > 1 else 0)  # until the browser has sent the new size
            browsing.settled(page)
            page.locator(browsing.PROGRESS).wait_for(state="hidden", timeout=120_000)
            expect(page.locator("h1")).to_have_count(1)
            yield Look(number, step, width, scheme, measured_at_rest(page))
        for box in page.locator(".st-key-shown-hands input#number").all():
            box.fill(HANDS)
            box.press("Enter")
            browsing.settled(page)  # before the next step is asked for, so that it has these hands
        page.keyboard.press("PageDown")


def measured_at_rest(page: Page) -> dict[str, Any]:
    """What slides.js measures once a figure is there and nothing has changed for 0.3 seconds, or after ten."""
    seen: list[dict[str, Any]] = []
    for _ in range(67):
        seen.append(page.evaluate(MEASURE))
        if seen[-1]["rendered"] and seen[-3:] == [seen[-1]] * 3:
            break
        page.wait_for_timeout(150)
    return seen[-1]


def faults(look: Look) -> list[str]:
    """What is wrong with a slide."""
    seen = look.seen
    most = MOST_WORDS if look.step.say else MOST_WORDS_OF_PAGE
    wrong = {
        f"the rendered part has {seen['rendered']:.0%} of the height": seen["rendered"] < LEAST_RENDERED,
        f"texts overlap: {seen['overlaps']}": seen["overlaps"],
        f"texts are cut: {seen['cut']}": seen["cut"],
        f"letters are small: {seen['small']}": seen["small"],
        f"letters of a chart are pale on what is behind them: {seen['pale']}": seen["pale"],
        f"{seen['said']} words": seen["said"] > most,
        f"{seen['prose']} words of sentences in the figure": seen["prose"] > MOST_PROSE,
    }
    return [f"{look}: {fault}" for fault, there in wrong.items() if there]


def main(arguments: list[str]) -> None:
    """Print the measures of all slides; with a folder, save a picture of each there."""
    folder, *only = arguments or [""]
    lectures = {**lecture.shipped(), **{lecture.to_link(each): each for each in every_chapter()}}
    with browsing.running_app() as address, browsing.chromium() as browser:
        for name, of in lectures.items():
            title = name if name in lecture.shipped() else of.title
            if only and title not in only:
                continue
            page = browser.new_page()
            for look in walked(page, address, name, of, SIZES):
                rendered, wrong = f"{look.seen['rendered']:.0%}", "; ".join(faults(look))
                print(f"{title} | {look} | {rendered} | {wrong}", flush=True)
                if folder:
                    page.screenshot(path=f"{folder}/{title}-{look.number:02}-{look.width}-{look.scheme}.png")
            page.close()


if __name__ == "__main__":
    main(sys.argv[1:])

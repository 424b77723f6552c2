"""Measure what stands on a slide of a lecture, from the page itself.

`python -m tests.browser.slides [FOLDER]` walks every step of the lectures of the app, and every chapter of every page
as a step, at three sizes, prints a table and saves pictures.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from pages.kit import lecture
from pages.kit.lecture import MOST_STEPS, Lecture, Step
from pages.topics import PAGES
from tests.browser import browsing
from tests.pages.test_lectures import linked


class Screen(NamedTuple):
    """A projector: its width and height in pixels, and the colour scheme of what it shows."""

    width: int
    height: int
    scheme: Literal["light", "dark"]


SIZES = ((1024, 768), (1280, 800), (1920, 1080))
SCHEMES: tuple[Literal["light", "dark"], ...] = ("dark", "light")
# Every size in every scheme; each is followed by one of another size and another scheme.
SCREENS = tuple(Screen(*SIZES[i % len(SIZES)], SCHEMES[i % len(SCHEMES)]) for i in range(6))
# The least part of a screen's height that the rendered part of a figure takes; the most words of a headline that the
# step says, of one that is the page's sentence, and of the sentences within a figure.
LEAST_RENDERED, MOST_WORDS, MOST_WORDS_OF_PAGE, MOST_PROSE = 0.45, 25, 32, 32
# How often a slide with a fault is measured again, a second later, as a busy machine may not have finished it.
SECOND_LOOKS = 4
# Hands that are raised for each answer of a poll in a lecture: enough for estimates.
HANDS = "20"
MEASURE = (Path(__file__).parent / "slides.js").read_text(encoding="utf-8")


@dataclass(frozen=True, eq=False)
class Look:
    """What is `seen` of a step on a screen: what slides.js measures."""

    number: int
    step: Step
    screen: Screen
    seen: dict[str, Any]

    def __str__(self) -> str:
        settings = " ".join(map(str, self.step.settings.values()))
        return f"{self.number} {self.step.page or 'home'} {settings}, {self.screen.width} {self.screen.scheme}"


def every_chapter() -> list[Step]:
    """Every chapter of every page as a step of a lecture."""
    steps = []
    for page in PAGES:
        if page.chapters:  # without chapters it is no page of figures
            key = page.chapters.choice().key
            steps += [Step(page.address, {key: one.name}) for one in page.chapters.all]
    return steps


def lectures_of(title: str, steps: Sequence[Step]) -> list[Lecture]:
    """The steps in their order, in as few lectures as hold them."""
    parts = [tuple(steps[i : i + MOST_STEPS]) for i in range(0, len(steps), MOST_STEPS)]
    return [Lecture(f"{title}, part {i}", "", 10, part) for i, part in enumerate(parts, start=1)]


def at_every_size(of: Lecture) -> list[list[Screen]]:
    """For each step of a lecture a screen of every size, by day and by night in turns.

    Colours move nothing, and what is behind a letter is of the same colour at each size.
    """
    return [[SCREENS[(3 * (number % 2) + i) % 6] for i in range(3)] for number in range(1, len(of.steps) + 1)]


def walked(page: Page, address: str, name: str, of: Lecture, screens: Sequence[Sequence[Screen]]) -> Iterator[Look]:
    """What stands on each slide of a lecture on each of its `screens`, a list for each step, walked with a clicker.

    A slide that is shown on the screen on which the last one was is rendered once; another screen takes longer.
    """
    first = of.steps[0]
    _show_on(page, screens[0][0])
    page.goto(f"{address}/{first.page}?{urlencode({**linked(first), 'present': f'1-{name}'}, doseq=True)}")
    before = screens[0][0]
    for number, (step, seen_on) in enumerate(zip(of.steps, screens, strict=True), start=1):
        shown = re.compile(f"^{number} / {len(of.steps)}$")
        page.locator(".place").filter(has_text=shown).wait_for(timeout=60_000)  # out of time, the walk begins once more
        browsing.answered(page)  # a size sent while the step is still made would bring the chapter of the last one
        for screen in seen_on:
            if screen != before:
                _show_on(page, screen)
                page.wait_for_timeout(300)  # until the browser has sent the new size
            before = screen
            browsing.answered(page)
            page.locator(browsing.PROGRESS).wait_for(state="hidden", timeout=120_000)
            expect(page.locator("h1")).to_have_count(1)
            page.wait_for_function(browsing.RENDERED)
            look = Look(number, step, screen, measured_at_rest(page))
            for _ in range(SECOND_LOOKS):
                if not faults(look):
                    break
                page.wait_for_timeout(1000)
                browsing.answered(page)
                look = Look(number, step, screen, measured_at_rest(page))
            yield look
        for box in page.locator(".st-key-shown-hands input#number").all():
            box.fill(HANDS)
            box.press("Enter")
            browsing.settled(page)  # before the next step is asked for, so that it has these hands
        page.keyboard.press("PageDown")


def _show_on(page: Page, screen: Screen) -> None:
    """Give the page the size and the colours of a screen."""
    page.set_viewport_size({"width": screen.width, "height": screen.height})
    page.emulate_media(color_scheme=screen.scheme)


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
        f"{seen['said']} words: {seen['headline']}": seen["said"] > most,
        f"{seen['prose']} words of sentences in the figure": seen["prose"] > MOST_PROSE,
    }
    return [f"{look}: {fault}" for fault, there in wrong.items() if there]


def main(arguments: list[str]) -> None:
    """Print the measures of all slides; with a folder, save a picture of each there."""
    folder, *only = arguments or [""]
    chapters = lectures_of("Chapters", every_chapter())
    lectures = {**lecture.shipped(), **{lecture.to_link(each): each for each in chapters}}
    with browsing.running_app() as address, browsing.chromium() as browser:
        for name, of in lectures.items():
            title = name if name in lecture.shipped() else of.title
            if only and title not in only:
                continue
            page = browser.new_page()
            for look in walked(page, address, name, of, at_every_size(of)):
                rendered, wrong = f"{look.seen['rendered']:.0%}", "; ".join(faults(look))
                print(f"{title} | {look} | {rendered} | {wrong}", flush=True)
                if folder:
                    file = f"{title}-{look.number:02}-{look.screen.width}-{look.screen.scheme}.png"
                    page.screenshot(path=f"{folder}/{file}")
            page.close()


if __name__ == "__main__":
    main(sys.argv[1:])

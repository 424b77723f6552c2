"""Measure what stands on a slide of a lecture, from the page itself.

`python -m tests.browser.slides` walks every step of the lectures of the app, and every chapter of every page as a
lecture of its own, at three sizes, and prints a table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page

from pages.kit import lecture
from pages.kit.lecture import Lecture, Step
from pages.topics import PAGES
from tests.browser import browsing
from tests.pages.test_lectures import linked

SIZES = ((1024, 768), (1280, 800), (1920, 1080))
# The least part of a screen's height that the drawn part of a figure takes, and the least size of letters in pixels.
LEAST_DRAWN, LEAST_LETTERS = 0.45, 20
MEASURE = (Path(__file__).parent / "slides.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Slide:
    """A slide: what it is called here, and its address without the server's."""

    name: str
    address: str


def of_lecture(name: str, of: Lecture) -> list[Slide]:
    """The slides of a lecture of the app."""
    return [
        Slide(f"{name} {number}", _address(step, f"{number}-{name}")) for number, step in enumerate(of.steps, start=1)
    ]


def of_pages() -> list[Slide]:
    """Every chapter of every page, presented alone."""
    found = []
    for page in PAGES:
        names = [one.name for one in page.chapters.all] if page.chapters else [""]
        for name in names:
            settings = {page.chapters.choice().key: name} if page.chapters else {}
            step = Step(page.address, settings)
            alone = Lecture(page.title, "", 1, (step,))
            found.append(Slide(f"{page.address or 'home'}: {name}", _address(step, f"1-{lecture.to_link(alone)}")))
    return found


def _address(step: Step, position: str) -> str:
    return f"{step.page}?{urlencode({**linked(step), 'present': position}, doseq=True)}"


def measured(page: Page, sizes: tuple[tuple[int, int], ...] = SIZES) -> Iterator[tuple[tuple[int, int], dict]]:
    """What stands on the slide of a page, for each size."""
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(400)
        browsing.settled(page)
        page.locator(browsing.PROGRESS).wait_for(state="hidden", timeout=120_000)
        page.wait_for_timeout(200)
        yield (width, height), page.evaluate(MEASURE)


def faults(look: dict, has_figure: bool = True) -> list[str]:
    """What is wrong with a slide."""
    wrong = {
        f"the drawn part has {look['drawn']:.0%} of the height": has_figure and look["drawn"] < LEAST_DRAWN,
        f"texts overlap: {look['overlaps']}": look["overlaps"],
        f"texts are cut: {look['cut']}": look["cut"],
        f"letters are small: {look['small']}": look["small"],
        f"{look['said']} words": look["said"] > 32,
    }
    return [fault for fault, there in wrong.items() if there]


def main(arguments: list[str]) -> None:
    """Print the measures of all slides, or of those whose names hold one of the arguments; save pictures in /shots."""
    slides = [slide for name, of in lecture.shipped().items() for slide in of_lecture(name, of)] + of_pages()
    folder = next((a.removeprefix("shots=") for a in arguments if a.startswith("shots=")), "")
    schemes = ("light", "dark") if "dark" in arguments else ("light",)
    wanted = [a for a in arguments if not a.startswith("shots=") and a != "dark"]
    slides = [slide for slide in slides if not wanted or any(part in slide.name for part in wanted)]
    with browsing.running_app() as address, browsing.chromium() as browser:
        for scheme in schemes:
            for slide in slides:
                page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
                page.goto(f"{address}/{slide.address}")
                page.locator("h1").first.wait_for()
                for (width, _), look in measured(page):
                    print(f"{slide.name} | {width} | {look['drawn']:.0%} | {'; '.join(faults(look))}", flush=True)
                    if folder:
                        name = slide.name.replace("/", "-").replace(" ", "_").replace(":", "")
                        page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png")
                page.close()


if __name__ == "__main__":
    main(sys.argv[1:])

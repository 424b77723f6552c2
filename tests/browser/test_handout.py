"""The hand-out of each lecture on A4 paper: downloaded on a click, printed, and measured as it is printed."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from pages.kit import handout
from pages.kit.lecture import Lecture, Step, shipped
from pages.topics import PAGES
from tests.browser import browsing

pytestmark = pytest.mark.browser
MEASURE = (Path(__file__).parent / "handout.js").read_text(encoding="utf-8")
PIXELS = 96 / 25.4  # a millimetre
# The most pages of a lecture's worksheet and solutions for a step, and of its cards.
FOR_A_STEP, CARDS = 1.0, 3
# Letters of ten points at the least.
SMALLEST = 10 * 96 / 72
LONGEST = "https://elsewhere.test/" + "W" * 95


def every_chapter() -> list[Lecture]:
    """All chapters of all pages as lectures, with the longest words that a step may have."""
    steps = [
        Step(page.address, {page.chapters.key: chapter.name})
        for page in PAGES
        if page.chapters
        for chapter in page.chapters.all
    ]
    long = Step(
        "poll", {"asked": "m" * 120, "answers": f"{'A' * 40} / {'B' * 40} / C", "way": "Show of hands"}, "W" * 300
    )
    wordy = Step("voting", {}, "word " * 59, note="word " * 199, question="long " * 199, solution="W" * 1000)
    return [Lecture(LONGEST, LONGEST, 600, (long, wordy, *steps[i : i + 40])) for i in range(0, len(steps), 40)]


def printed(page: Page, file: Path) -> int:
    """Check what a hand-out looks like on paper, and return how many pages it has."""
    page.goto(file.as_uri())
    page.set_viewport_size({"width": round(180 * PIXELS), "height": round(267 * PIXELS)})
    page.emulate_media(media="print")
    look = page.evaluate(MEASURE, SMALLEST)
    page.emulate_media(media="screen")
    assert look["texts"] > 50
    assert look["faults"] == []
    assert look["scripts"] == 0
    pdf = page.pdf(prefer_css_page_size=True)
    sizes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", pdf)
    assert {tuple(round(float(side)) for side in size) for size in sizes} == {(595, 842)}, "A4"
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("name", shipped())
def test_the_hand_out_of_a_lecture_is_downloaded_and_fits_on_paper(page: Page, address: str, tmp_path, name) -> None:
    browsing.open_page(page, f"{address}/lectures")
    with page.expect_download() as download:
        page.locator(f".st-key-handout-{name} button").first.click()
    assert download.value.suggested_filename == f"{name}.html"
    file = tmp_path / "handout.html"
    download.value.save_as(file)
    n_steps = len(shipped()[name].steps)
    n_pages = printed(page, file)
    assert 4 <= n_pages <= FOR_A_STEP * n_steps + CARDS
    body = file.read_text(encoding="utf-8")
    assert "…" not in re.sub("<[^>]*>", "", body.partition("</style>")[2])
    assert "could not be computed" not in body
    assert "not been computed" not in body


def test_every_chapter_and_the_longest_texts_fit_on_paper(page: Page, tmp_path: Path, mnist: object) -> None:
    for i, lecture in enumerate(every_chapter()):
        file = tmp_path / f"{i}.html"
        file.write_text(handout.document(lecture, PAGES), encoding="utf-8")
        assert printed(page, file) <= 2 * len(lecture.steps) + CARDS

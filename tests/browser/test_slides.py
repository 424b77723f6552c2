"""What the last row sees: every step of every lecture, and every chapter of every page as a slide, each on one of six
screens in turns: three sizes by day and by night (`python -m tests.browser.slides` measures all at every size).
"""

import re
from collections import defaultdict

import pytest
from playwright.sync_api import Page, expect

from pages.kit.lecture import Lecture, Step, shipped, to_link
from tests.browser import browsing, slides
from tests.browser.slides import SCREENS, SIZES

pytestmark = pytest.mark.browser
CHAPTERS = slides.every_chapter()


def chapters_at(size: int) -> dict[slides.Screen, list[Step]]:
    """The chapters that are seen on the two screens of a size: every third of all, by day and by night in turns."""
    return {SCREENS[i]: CHAPTERS[i :: len(SCREENS)] for i in (size, size + len(SIZES))}


def in_thirds(of: Lecture, begin: int) -> list[list[slides.Screen]]:
    """A screen for each step of a lecture: one for each third, from the screen of this number on."""
    steps = len(of.steps)
    return [[SCREENS[(begin + 3 * i // steps) % len(SCREENS)]] for i in range(steps)]


def faults_of(page: Page, look: slides.Look) -> list[str]:
    """What is wrong with a slide that is on the page, and with what it says."""
    said, (words, *_) = page.locator("h1").inner_text(), re.split(r"\{\w+\}", look.step.say)
    wrong = {
        f"it says “{said}”": words.strip() not in said and "guess" not in look.step.show,  # which asks another thing
        f"it holds a symbol: {said}": look.step.say and re.search(r"[\u0370-\u03ff{}…]", said),
        "it says that something is wrong": page.get_by_test_id("stException").count(),
    }
    return slides.faults(look) + [f"{look}: {fault}" for fault, there in wrong.items() if there]


def assert_read(page: Page, address: str, name: str, of: Lecture, screens: list[list[slides.Screen]]) -> None:
    """Each step of a lecture is shown on its one screen, and nothing is wrong with it."""
    found = [faults_of(page, look) for look in slides.walked(page, address, name, of, screens)]
    assert len(found) == len(of.steps)
    assert not any(found), "\n".join(fault for each in found for fault in each)


@pytest.mark.parametrize("name", shipped())
def test_every_slide_of_a_lecture_is_read_from_the_last_row(page: Page, address: str, name: str) -> None:
    of = shipped()[name]
    assert_read(page, address, name, of, in_thirds(of, 3 * list(shipped()).index(name)))


@pytest.mark.parametrize("size", range(len(SIZES)), ids=[f"{width}x{height}" for width, height in SIZES])
def test_every_chapter_is_a_slide(page: Page, address: str, size: int) -> None:
    seen_on = chapters_at(size)
    steps = [step for each in seen_on.values() for step in each]
    (lecture,) = slides.lectures_of("Chapters", steps)
    screens = [[screen] for screen, each in seen_on.items() for _ in each]
    assert_read(page, address, to_link(lecture), lecture, screens)


def test_each_page_is_seen_at_every_size_by_day_and_by_night() -> None:
    seen = defaultdict(set)
    for size in range(len(SIZES)):
        for screen, steps in chapters_at(size).items():
            for step in steps:
                seen[step.page].add(screen)
    for name, lecture in enumerate(shipped().values()):
        for step, screens in zip(lecture.steps, in_thirds(lecture, 3 * name), strict=True):
            seen[step.page].update(screens)
    assert sum(len(steps) for size in range(len(SIZES)) for steps in chapters_at(size).values()) == len(CHAPTERS)
    for at, screens in seen.items():
        few = sum(step.page == at for step in CHAPTERS) < len(SIZES)
        assert few or {screen[:2] for screen in screens} == set(SIZES), at
        assert few or {screen.scheme for screen in screens} == set(slides.SCHEMES), at


def test_each_question_of_the_quiz_fits_a_slide_with_its_reason(page: Page, address: str) -> None:
    step = Step("voting", {"lesson": "Quiz"})
    lecture = Lecture("Quiz", "", 10, (step,))
    (first,) = slides.walked(page, address, to_link(lecture), lecture, [[SCREENS[3]]])
    numbers = page.locator(".st-key-shown-quiz-number").get_by_role("radio")
    assert numbers.count() == 6
    for i in range(6):
        numbers.nth(i).click()
        browsing.settled(page)  # with the options of this question
        page.locator("[class*=st-key-shown-quiz-] [data-testid=stRadioOption]").first.click()
        expect(page.get_by_test_id("stAlert")).to_be_visible()
        browsing.settled(page)
        look = slides.Look(i + 1, step, first.screen, slides.measured_at_rest(page))
        assert slides.faults(look) == []

"""What the last row sees: every step of every lecture at three sizes, by day and by night in turns, and every chapter
of every page as a slide at one of these sizes (`python -m tests.browser.slides` measures all).
"""

import pytest
from playwright.sync_api import Page, expect

from pages.kit.lecture import Lecture, Step, shipped, to_link
from tests.browser import browsing, slides

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", shipped())
def test_every_slide_of_a_lecture_is_read_from_the_last_row(page: Page, address: str, name: str) -> None:
    looks = slides.walked(page, address, name, shipped()[name], slides.SIZES)
    found = [fault for look in looks for fault in slides.faults(look)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("part", range(len(slides.every_chapter())))
def test_every_chapter_is_a_slide(page: Page, address: str, part: int) -> None:
    lecture = slides.every_chapter()[part]
    looks = slides.walked(page, address, to_link(lecture), lecture, slides.SIZES, in_turns=True)
    found = [fault for look in looks for fault in slides.faults(look)]
    assert not found, "\n".join(found)


def test_each_question_of_the_quiz_fits_a_slide_with_its_reason(page: Page, address: str) -> None:
    step = Step("voting", {"lesson": "Quiz"})
    lecture = Lecture("Quiz", "", 10, (step,))
    *_, last = slides.walked(page, address, to_link(lecture), lecture, slides.SIZES[:1])
    numbers = page.locator(".st-key-shown-quiz-number").get_by_role("radio")
    assert numbers.count() == 6
    for i in range(6):
        numbers.nth(i).click()
        browsing.settled(page)  # with the options of this question
        page.locator("[class*=st-key-shown-quiz-] [data-testid=stRadioOption]").first.click()
        expect(page.get_by_test_id("stAlert")).to_be_visible()
        browsing.settled(page)
        look = slides.Look(i + 1, step, last.width, last.scheme, slides.measured_at_rest(page))
        assert slides.faults(look) == []

"""Every step of every lecture that comes with the app, as the room sees it."""

import re

import pytest

from pages.kit.lecture import Lecture, Step, problems, shipped
from pages.kit.present import Position
from pages.topics import PAGES, page_at
from tests.pages.visiting import finished, visit, warnings

pytestmark = pytest.mark.mnist
STEPS = [(name, number) for name, each in shipped().items() for number in range(1, len(each.steps) + 1)]
# What the last row reads in five seconds.
MOST_WORDS = 25
GREEK = re.compile(r"[\u0370-\u03ff]")


@pytest.fixture(autouse=True)
def _real_data(mnist: object) -> None:
    """Pages open on MNIST."""


def test_there_are_three_lectures_for_three_audiences() -> None:
    found = {name: (each.title, len(each.steps)) for name, each in shipped().items()}
    assert found == {
        "from-lies-to-learning": ("From lies to learning", 10),
        "randomised-response": ("Honest polls with random answers", 11),
        "what-does-privacy-cost": ("What does privacy cost?", 8),
    }
    assert len({each.audience for each in shipped().values()}) == 3


@pytest.mark.parametrize("lecture", shipped().values(), ids=shipped())
def test_steps_are_of_pages_with_these_settings_and_say_one_plain_sentence(lecture: Lecture) -> None:
    for step in lecture.steps:
        assert step.page in {page.address for page in PAGES}
        assert problems(step, page_at(step.page).here.settings) == {}
        assert re.fullmatch(r"[A-Z][^.?!$\\=]{10,120}[.?]", step.say), step.say
        assert not GREEK.search(step.say)
    assert len({step.say for step in lecture.steps}) == len(lecture.steps)


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_every_step_is_shown_without_a_complaint(name: str, number: int) -> None:
    place = Position(shipped()[name], name, number)
    at = finished(visit(place.step.page, present=place.link, **linked(place.step)))
    assert not at.warning, warnings(at)
    assert not at.error
    (said,) = (each.value for each in at.markdown if "<h1" in each.value)
    assert "…" not in said, "a number has no such name"
    words = re.sub(r"\{\w+\}", "0", place.step.say).split()
    assert len(words) <= MOST_WORDS


def linked(step: Step) -> dict[str, str | list[str]]:
    """A step's settings as a link holds them."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in step.settings.items()}

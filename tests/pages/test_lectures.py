"""Every step of every lecture that comes with the app, as the room sees it."""

import re
from pathlib import Path

import pytest

from pages.kit import handout
from pages.kit.lecture import Lecture, Step, names_in, problems, shipped
from pages.kit.present import Position
from pages.kit.step_answer import answer_step
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
        "from-lies-to-learning": ("Learning from randomly changed data", 10),
        "randomised-response": ("Honest polls with randomly changed answers", 15),
        "what-does-privacy-cost": ("What does privacy cost?", 10),
    }
    assert len({each.audience for each in shipped().values()}) == 3


@pytest.mark.parametrize("lecture", shipped().values(), ids=shipped())
def test_steps_are_of_pages_with_these_settings_and_say_one_plain_sentence(lecture: Lecture) -> None:
    for step in lecture.steps:
        assert step.page in {page.address for page in PAGES}
        assert problems(step, page_at(step.page).here.default_settings) == {}
        assert re.fullmatch(r"[A-Z][^.?!$\\=]{10,120}[.?]", step.say), step.say
        assert not GREEK.search(step.say)
    assert len({step.say for step in lecture.steps}) == len(lecture.steps)


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_every_step_has_a_question_whose_solution_is_blank_in_the_worksheet_and_right(name: str, number: int) -> None:
    step = shipped()[name].steps[number - 1]
    found = answer_step(step, PAGES)
    assert not found.problem
    assert not found.ignored
    assert step.note
    assert re.fullmatch(r"[A-Z].*\?", re.sub(r"\{\w+\}", "A", step.question)), step.question
    assert re.fullmatch(r"[A-Z0-9].*\.", re.sub(r"\{\w+\}", "0", step.solution)), step.solution
    in_question, in_solution = names_in(step.question), names_in(step.solution)
    assert in_question | in_solution | names_in(step.say) | names_in(step.note) <= set(found.facts or {})
    assert not in_question & in_solution, "a number that is given is no answer"
    worksheet, solutions = parts_of(step)
    for fact in (found.facts[one] for one in in_solution):
        assert not re.search(rf"(?<![\d.,]){re.escape(fact)}", worksheet)
        assert fact in solutions
    assert worksheet.count("____") >= len(in_solution & names_in(step.say))
    assert "{" not in solutions, "numbers of the note as well"


def parts_of(step: Step) -> tuple[str, str]:
    """What is to be read of a step on the worksheet, and among the solutions."""
    whole = handout.document(Lecture("One", "", 1, (step,)), PAGES)
    words = re.sub("<[^>]*>", "", whole.partition("</style>")[2].replace('"blank">', '"blank">____'))
    first, second = words.replace("\u00a0", " ").split("Solutions and notes")
    return first, second


def test_numbers_that_solutions_state_in_words_hold() -> None:
    """What the solutions say of numbers beside stating them."""
    one = answer_step(shipped()["randomised-response"].steps[5], PAGES).facts
    assert int(one["before"]) < int(one["after"]) < 80, "more than before, by far not all"
    models = answer_step(shipped()["from-lies-to-learning"].steps[6], PAGES).facts
    assert int(models["ignored_sure"].split()[0]) < int(models["ignored_right"].split()[0]), "less sure than right"
    length = answer_step(shipped()["from-lies-to-learning"].steps[2], PAGES)
    assert float(length.facts["length"]) < 1
    assert "exactly the right way" in length.answer


def test_the_documentation_lists_every_number_that_has_a_name() -> None:
    text = (Path(__file__).parents[2] / "docs" / "pages.md").read_text(encoding="utf-8")
    table = text.partition("| page | names |")[2].partition("\n\n")[0]
    found: set[str] = set()
    for page in PAGES:
        for chapter in page.chapters.all if page.chapters else ():
            found |= set(answer_step(Step(page.address, {page.chapters.key: chapter.name}), PAGES).facts or {})
    listed = set(re.findall(r"`(\w+)`", table))
    assert listed - {"shuffler", "publisher"} == found, "these two are there with other settings"


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

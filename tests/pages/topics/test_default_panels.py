"""Each chapter at its defaults: the numbers of its sentences, and the columns of its files, which others read by name.

Where a change is meant, `python -m tests.pages.topics.test_default_panels` writes what is expected anew.
"""

import json
import re
from pathlib import Path

import pytest

from pages.kit.step_answer import available_trials
from pages.kit.values import Values
from pages.topics import PAGES
from tests.pages.visiting import plain

EXPECTED = Path(__file__).with_name("default_panels.json")
WITH_CHAPTERS = [page for page in PAGES if page.chapters]


def numbers_in(words):
    """Return the numbers of a sentence, without its markup, in one text."""
    return " ".join(re.findall(r"\d[\d,.]*(?<=\d)", re.sub(r"<[^>]*>", " ", plain(words))))


def panels_of(page):
    """Return the numbers in the answer and in the summary of each panel, and the columns of its rows, by its name."""
    question = page.question_of(Values())
    answer = page.answer(question, available_trials(page, question))
    found = {"takeaway": numbers_in(answer.takeaway())}
    for chapter in page.chapters.all:
        for shown in chapter.panels_for(answer, Values()):
            for panel in shown if isinstance(shown, tuple) else (shown,):
                rows = panel.rows() if panel.rows else ()
                columns = ", ".join(rows[0]) if rows else ""
                name = f"{chapter.name}: {panel.name or panel.question}"
                found[name] = " | ".join((numbers_in(panel.answer), numbers_in(panel.summary), columns))
    return found


@pytest.mark.mnist
@pytest.mark.parametrize("page", WITH_CHAPTERS, ids=lambda page: page.address or "home")
def test_the_numbers_and_columns_of_every_chapter_are_as_before(page, mnist):
    expected = json.loads(EXPECTED.read_text(encoding="utf-8"))
    assert panels_of(page) == expected[page.address]


if __name__ == "__main__":
    everything = {page.address: panels_of(page) for page in WITH_CHAPTERS}
    EXPECTED.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

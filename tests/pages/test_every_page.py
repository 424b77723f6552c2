"""Tests of every page: defaults, links, invalid and extreme values, reset, and the exports of each chapter."""

import re
from collections.abc import Iterator
from types import UnionType

import pytest
from streamlit.testing.v1 import AppTest

from pages.kit import cache, link, report
from pages.kit.page import Page
from pages.kit.panel import Cards, Component, Panel, Table, to_csv
from pages.kit.settings import Choice, Number, Setting, Words
from pages.kit.step_answer import available_trials
from pages.kit.values import Values
from pages.topics import PAGES
from tests.pages.visiting import html, takeaway, view, visit, warnings

pytestmark = pytest.mark.mnist
# A valid text other than the default, by the key of each text setting.
OTHER_TEXTS = {
    "counts": "10, 20, 30",
    "shares": "0.5, 0.3, 0.2",
    "pin": "classify,mnist,labels,250,2,0",
    "asked": "Is it <b>so</b>?",
    "question": "Is it <b>so</b>?",
    "answers": "Yes / No / Perhaps",
}
# Invalid texts of settings that accept the invalid number of the other settings as a text.
TOO_LONG = {"asked": "so " * 100, "question": "so " * 100}
by_address = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address or "home")
# The page of lectures only links to other pages.
PAGES_WITH_CONTENT = [page for page in PAGES if page.address != "lectures"]
by_page_with_content = pytest.mark.parametrize("page", PAGES_WITH_CONTENT, ids=lambda page: page.address or "home")


@pytest.fixture(autouse=True)
def _real_data(mnist: object) -> None:
    """Pages open on MNIST."""


@pytest.fixture
def _abandon_jobs() -> Iterator[None]:
    """Abandon the jobs that a test started, as they would delay the tests after it."""
    yield
    for job in list(cache.runner()._jobs.values()):
        job.watchers.clear()


def assert_has_exports(panels: list[Panel]) -> None:
    """Assert that every panel with rows exports its data, figure, summary and code, and that there is such a panel."""
    figures = [panel for panel in panels if panel.rows is not None]
    assert figures
    for panel in figures:
        assert panel.rows is not None
        assert panel.figure is not None
        assert len(to_csv(panel.rows()).splitlines()) > 1, panel.name
        assert panel.summary, panel.name
        assert report.figure(panel, "A title").startswith("<!doctype html>"), panel.name
        assert panel.snippet, panel.name
        compile(str(panel.snippet), panel.name, "exec")


def linkable_settings(page: Page) -> list[Setting]:
    """Return the settings that a page's link may contain, except the id of a job."""
    return [s for s in page.all_settings(Values()) if s.key != "job" and getattr(s, "in_link", True)]


def values_on(at: AppTest, page: Page) -> Values:
    """Return the values of a page in the session of a visit."""
    return Values(at.session_state["values"].get(page.address, {}))


def _as_value(texts: str | list[str]) -> str | tuple[str, ...]:
    return tuple(texts) if isinstance(texts, list) else texts


def another(setting: Setting) -> str | list[str]:
    """Return a valid value other than the default, as text."""
    if isinstance(setting, Choice):
        others = [option for option in setting.options if option != setting.default]
        if setting.many:
            return list(setting.options[: None if len(setting.default) < len(setting.options) else 1])
        return others[0] if others else setting.default
    if isinstance(setting, Words):
        return OTHER_TEXTS[setting.key]
    value = setting.limit.nearest(setting.default + setting.step)
    return f"{value if value != setting.default else setting.limit.nearest(setting.default - setting.step):.10g}"


def test_addresses_titles_and_keys_are_unique() -> None:
    assert len({page.address for page in PAGES}) == len({page.title for page in PAGES}) == len(PAGES)
    for page in PAGES:
        keys = [setting.key for setting in linkable_settings(page)]
        assert len(keys) == len(set(keys)), page.title


@by_page_with_content
def test_a_page_opens_on_its_defaults_and_exports_them(page: Page) -> None:
    at, panels = view(page.address)
    assert at.title[0].value == page.question
    assert not at.warning, warnings(at)
    assert_has_exports(panels)
    words = html(at) + "".join(text.value for text in at.markdown)
    plain_words = re.sub(r"<[^>]*>|```.*?```|\$+[^$]*\$+", "", words, flags=re.DOTALL)
    assert not re.search(r"\b(nan|None|inf)\b|\{[a-z_]{4,}\}", plain_words)


def chapters() -> Iterator[tuple[Page, str]]:
    """Yield every page with the name of each of its chapters."""
    for page in PAGES:
        for chapter in page.chapters.all if page.chapters else ():
            yield page, chapter.name


@by_address
def test_the_guess_for_which_chapters_are_folded_is_the_one_that_the_page_begins_with(page: Page) -> None:
    if not page.chapters:
        return
    question = page.question_of(Values())
    answer = page.answer(question, available_trials(page, question))
    panels = page.chapters.all[0].panels_for(answer, Values())
    first = next(panel[0] if isinstance(panel, tuple) else panel for panel in panels)
    asked = [first.prediction.name] if first.prediction else []
    assert asked == [page.chapters.guess] * bool(page.chapters.guess)


@pytest.mark.parametrize(("page", "chapter"), list(chapters()), ids=lambda value: getattr(value, "address", value))
def test_every_chapter_has_a_sentence_and_exports(page: Page, chapter: str) -> None:
    assert page.chapters is not None
    at, panels = view(page.address, (page.chapters.key, chapter))
    assert not at.warning, warnings(at)
    assert takeaway(at)
    if chapter != "Quiz":  # it has no figure
        assert_has_exports(panels)
    alone = [panel for panel in panels if panel.figure and not isinstance(panel.figure, Cards | Table | Component)]
    assert all(panel.rows or panel.name == "bar" for panel in alone), (
        "tables, cards and the bar of claims may belong to what stands beside them, components tell a story: no others"
    )


@by_page_with_content
@pytest.mark.usefixtures("_abandon_jobs")
@pytest.mark.parametrize("kind", [Number | Words, Choice], ids=["numbers and texts", "choices"])
def test_a_link_sets_values_and_reset_restores_the_defaults(page: Page, kind: type | UnionType) -> None:
    """Test choices separately: with another data set the numbers may have other ranges."""
    settings = [
        one for one in linkable_settings(page) if isinstance(one, kind) and len(getattr(one, "options", "two")) > 1
    ]
    texts = {setting.key: another(setting) for setting in settings}
    at = visit(page.address, **texts)
    assert not at.warning, warnings(at)
    assert texts.keys() <= set(at.query_params), "none is lost"
    values = values_on(at, page)
    for setting in settings:
        text = texts[setting.key]
        assert values[setting] == (float(text) if isinstance(setting, Number) else _as_value(text)), setting.key
    at.button(key="reset").click().run()
    assert not at.exception
    assert not texts.keys() & set(at.query_params), "not even of a chapter that is not on the screen"
    for setting in settings:
        assert values_on(at, page)[setting] == setting.default, setting.key


@by_address
def test_each_invalid_value_has_a_warning_and_defaults_are_used(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "_MOST_NOTES", 100)
    bad = {s.key: "x\\](//elsewhere.test)" if isinstance(s, Choice) else "-1e9" for s in linkable_settings(page)}
    bad |= {key: words for key, words in TOO_LONG.items() if key in bad}
    at = visit(page.address, **bad, reset="1")
    noted = warnings(at)
    for key in (*bad, "reset"):
        assert f"`{key}" in noted, key
    assert "](" not in re.sub(r"`[^`]*`", "", noted)
    for setting in linkable_settings(page):
        assert values_on(at, page)[setting] == setting.default, setting.key


@by_address
@pytest.mark.usefixtures("_abandon_jobs")
@pytest.mark.parametrize("end", ["low", "high"])
def test_all_numbers_at_one_end_are_answered_or_refused_in_a_sentence(page: Page, end: str) -> None:
    numbers = [setting for setting in linkable_settings(page) if isinstance(setting, Number)]
    at = visit(page.address, **{setting.key: f"{getattr(setting.limit, end):.17g}" for setting in numbers})
    assert not at.warning, warnings(at)
    if page.address:
        assert takeaway(at)

"""What holds of every page: defaults, links, nonsense, extremes, reset, and what each tab gives to take away."""

import re
from collections.abc import Iterator
from types import UnionType

import pytest
from streamlit.testing.v1 import AppTest

from pages.kit import cache, link, report
from pages.kit.page import Page
from pages.kit.panel import Cards, Panel, Table, to_csv
from pages.kit.settings import Choice, Number, Setting, Words
from pages.kit.values import Values
from pages.topics import PAGES
from tests.pages.visiting import html, takeaway, view, visit, warnings

pytestmark = pytest.mark.mnist
# A good text for each setting that is one, other than its default.
OTHER_WORDS = {
    "counts": "10, 20, 30",
    "shares": "0.5, 0.3, 0.2",
    "pin": "classify,mnist,labels,250,2,0",
    "asked": "Is it <b>so</b>?",
    "answers": "Yes / No / Perhaps",
}
# What is nonsense as a question to a class, where it is none as a number.
TOO_LONG = {"asked": "so " * 100}
by_address = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address or "home")
# The lectures lead to the screens of the other pages and show nothing of their own.
SHOWING = [page for page in PAGES if page.address != "lectures"]
of_what_they_show = pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.address or "home")


@pytest.fixture(autouse=True)
def _real_data(mnist: object) -> None:
    """Pages open on MNIST."""


@pytest.fixture
def _left() -> Iterator[None]:
    """Nobody waits any longer for the draws that a test began: large ones would hold up the tests after it."""
    yield
    for job in list(cache.runner()._jobs.values()):
        job.watchers.clear()


def assert_to_take_away(panels: list[Panel]) -> None:
    """Some of `panels` have rows, and each of these gives its data, its figure as a page, its summary and its code."""
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


def bare_settings(page: Page) -> list[Setting]:
    """The settings of a page's address, but for the id of a job."""
    return [s for s in page.all_settings(Values()) if s.key != "job" and getattr(s, "in_link", True)]


def values_on(at: AppTest, page: Page) -> Values:
    """Return the values of a page in the session of a visit."""
    return Values(at.session_state["values"].get(page.address, {}))


def _as_value(texts: str | list[str]) -> str | tuple[str, ...]:
    return tuple(texts) if isinstance(texts, list) else texts


def another(setting: Setting) -> str | list[str]:
    """A good value other than the default."""
    if isinstance(setting, Choice):
        others = [option for option in setting.options if option != setting.default]
        if setting.many:
            return list(setting.options[: None if len(setting.default) < len(setting.options) else 1])
        return others[0] if others else setting.default
    if isinstance(setting, Words):
        return OTHER_WORDS[setting.key]
    value = setting.limit.nearest(setting.default + setting.step)
    return f"{value if value != setting.default else setting.limit.nearest(setting.default - setting.step):.10g}"


def test_addresses_titles_and_keys_are_told_apart() -> None:
    assert len({page.address for page in PAGES}) == len({page.title for page in PAGES}) == len(PAGES)
    for page in PAGES:
        keys = [setting.key for setting in bare_settings(page)]
        assert len(keys) == len(set(keys)), page.title


@of_what_they_show
def test_it_opens_on_its_defaults(page: Page) -> None:
    at, drawn = view(page.address)
    assert at.title[0].value == page.question
    assert not at.warning, warnings(at)
    assert_to_take_away(drawn)
    words = html(at) + "".join(text.value for text in at.markdown)
    plain_words = re.sub(r"<[^>]*>|```.*?```|\$+[^$]*\$+", "", words, flags=re.DOTALL)
    assert not re.search(r"\b(nan|None|inf)\b|\{[a-z_]{4,}\}", plain_words)


def chapters() -> Iterator[tuple[Page, str]]:
    for page in PAGES:
        for chapter in page.chapters.all if page.chapters else ():
            yield page, chapter.name


@pytest.mark.parametrize(("page", "chapter"), list(chapters()), ids=lambda value: getattr(value, "address", value))
def test_every_chapter_answers_and_gives_its_data_and_code(page: Page, chapter: str) -> None:
    assert page.chapters is not None
    at, drawn = view(page.address, (page.chapters.key, chapter))
    assert not at.warning, warnings(at)
    assert takeaway(at)
    assert_to_take_away(drawn)
    alone = [panel for panel in drawn if panel.figure and not isinstance(panel.figure, Cards | Table)]
    assert all(panel.rows for panel in alone), "tables and cards may belong to the figure beside them, no others"


@of_what_they_show
@pytest.mark.usefixtures("_left")
@pytest.mark.parametrize("kind", [Number | Words, Choice], ids=["numbers and texts", "choices"])
def test_a_link_is_taken_and_reset_undoes_it(page: Page, kind: type | UnionType) -> None:
    """Choices apart from all others: other records may have other ranges."""
    settings = [one for one in bare_settings(page) if isinstance(one, kind) and len(getattr(one, "options", "two")) > 1]
    asked = {setting.key: another(setting) for setting in settings}
    at = visit(page.address, **asked)
    assert not at.warning, warnings(at)
    assert asked.keys() <= set(at.query_params), "none is lost"
    values = values_on(at, page)
    for setting in settings:
        wanted = asked[setting.key]
        assert values[setting] == (float(wanted) if isinstance(setting, Number) else _as_value(wanted)), setting.key
    at.button(key="reset").click().run()
    assert not at.exception
    assert not asked.keys() & set(at.query_params), "not even of a chapter that is not on the screen"
    for setting in settings:
        assert values_on(at, page)[setting] == setting.default, setting.key


@by_address
def test_nonsense_is_noted_value_by_value_and_the_defaults_are_shown(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_MOST_NOTES", 100)
    bad = {s.key: "x\\](//elsewhere.test)" if isinstance(s, Choice) else "-1e9" for s in bare_settings(page)}
    bad |= {key: words for key, words in TOO_LONG.items() if key in bad}
    at = visit(page.address, **bad, reset="1")
    noted = warnings(at)
    for key in (*bad, "reset"):
        assert f"`{key}" in noted, key
    assert "](" not in re.sub(r"`[^`]*`", "", noted)
    for setting in bare_settings(page):
        assert values_on(at, page)[setting] == setting.default, setting.key


@by_address
@pytest.mark.usefixtures("_left")
@pytest.mark.parametrize("end", ["low", "high"])
def test_all_numbers_at_one_end_are_answered_or_refused_in_a_sentence(page: Page, end: str) -> None:
    numbers = [setting for setting in bare_settings(page) if isinstance(setting, Number)]
    at = visit(page.address, **{setting.key: f"{getattr(setting.limit, end):.17g}" for setting in numbers})
    assert not at.warning, warnings(at)
    if page.address:
        assert takeaway(at)

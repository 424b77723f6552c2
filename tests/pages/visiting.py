"""A page through Streamlit's AppTest, and what a visitor reads on it."""

import functools
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from pages.kit import inputs, more, predictions, screen
from pages.kit.panel import Panel

# AppTest would look through every installed package anew with each run, which takes longer than a page.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)
_SCRIPT = Path(__file__).parents[2] / "pages" / "one_page.py"


def visit(address: str, **link: str | list[str]) -> AppTest:
    """The page of an address as a visitor finds it behind a link, with all figures shown without a guess."""
    return _opened(address, link, asks=False)


def first_visit(address: str) -> AppTest:
    """The page of an address as a visitor finds it who is asked for guesses."""
    return _opened(address, {}, asks=True)


def _opened(address: str, link: Mapping[str, str | list[str]], asks: bool) -> AppTest:
    screen.BEFORE_PLOTLY = 0  # no browser is there to show anything
    at = AppTest.from_file(_SCRIPT, default_timeout=60)
    at.session_state["visited"] = address
    at.session_state[more.MENU] = at.session_state[inputs.SETTINGS] = at.session_state[screen.CODE_OPEN] = True
    at.session_state[predictions.ASK] = asks
    for key, value in link.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def until(at: AppTest, there: Callable[[AppTest], bool]) -> AppTest:
    """The page once something is there."""
    deadline = time.monotonic() + 90
    while not there(at):
        assert time.monotonic() < deadline, takeaway(at)
        time.sleep(0.1)
        at.run()
        assert not at.exception
    return at


class View(NamedTuple):
    """A page on screen, and its panels with all that stands under their figures."""

    at: AppTest
    panels: list[Panel]


@functools.cache
def view(address: str, *link: tuple[str, str]) -> View:
    """The page behind a link, once its first trial is there: opened once for all tests that only look at it."""
    panels: list[Panel] = []
    render = screen.below_figure

    def under(panel: Panel) -> None:
        panels.append(panel)
        render(panel)

    with mock.patch.object(screen, "below_figure", under):
        return View(until(visit(address, **dict(link)), lambda _: bool(panels) or address == "lectures"), panels)


def finished(at: AppTest) -> AppTest:
    """The page once no trials are under way."""
    return until(at, lambda at: not any(button.key == "stop-trials" for button in at.button))


def plain(words: str) -> str:
    """`words` with ordinary spaces for unbreakable ones, and without what explains its terms."""
    bare = re.sub(r'<span class="meaning".*?</span>', "", words)
    return re.sub(r'<span class="term"[^>]*>(.*?)</span>', r"\1", bare).replace("\u00a0", " ")


def takeaway(at: AppTest) -> str:
    """The page's one sentence, or a slide's."""
    return plain(next(text.value for text in at.markdown if re.search('class="(takeaway|headline )', text.value)))


def answers(at: AppTest) -> list[str]:
    """The sentences that answer the questions of panels, in their order."""
    return [plain(text.value) for text in at.markdown if 'class="answer"' in text.value]


FOLD = re.compile(r'<details class="fold"><summary>(.*?)</summary>(.*?)</details>', re.DOTALL)


def folds(at: AppTest) -> dict[str, str]:
    """The Markdown that is folded away at the page's end, by title."""
    return {title: words.strip() for text in at.markdown for title, words in FOLD.findall(text.value)}


def code(at: AppTest) -> str:
    """The Python that reproduces the page."""
    return next(found[1] for text in at.markdown if (found := re.search(r"```python\n(.*?)```", text.value, re.DOTALL)))


def html(at: AppTest) -> str:
    """All that is rendered as HTML: summaries, pictures, tables, cards."""
    return plain("\n".join(element.proto.body for element in at.get("html")))


def warnings(at: AppTest) -> str:
    """The warnings, without the signs that keep their words from coming alive."""
    return re.sub(r"\\([!-/:-@\[-`{-~])|\u2060", r"\1", "\n".join(element.value for element in at.warning))

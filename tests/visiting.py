"""The app through Streamlit's AppTest, and what a visitor reads on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.shared import layout

ROOT = Path(__file__).parents[1]


def opened(page: str | None = None, **link: str | list[str]) -> AppTest:
    """The app as a visitor finds it behind a link."""
    layout.FIRST_LOOK = 0  # no browser is there to show anything
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if page:
        at.run()
        at.switch_page(page)
    for key, value in link.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def plain(words: str) -> str:
    """`words` with ordinary spaces for unbreakable ones."""
    return words.replace("\u00a0", " ")


def takeaway(at: AppTest) -> str:
    return plain(next(text.value for text in at.markdown if 'class="takeaway"' in text.value))


def html(at: AppTest) -> str:
    return plain("\n".join(element.proto.body for element in at.get("html")))


def warnings(at: AppTest) -> str:
    return re.sub(r"\\([!-/:-@\[-`{-~])|\u2060", r"\1", "\n".join(element.value for element in at.warning))


def answers(at: AppTest) -> list[str]:
    """The sentences that answer the sections of a long page, in their order."""
    return [plain(text.value) for text in at.markdown if 'class="answer"' in text.value]


def as_links(cases: Sequence[tuple[str, str, str]]) -> list[list[tuple[str, str, str]]]:
    """Bad values (key, value, what is said of it) in as few links as can be: no link has a key twice."""
    links: list[list[tuple[str, str, str]]] = []
    for case in cases:
        fitting = next((link for link in links if case[0] not in {key for key, _, _ in link}), None)
        if fitting is None:
            links.append([case])
        else:
            fitting.append(case)
    return links


def notes_on(at: AppTest, key: str) -> str:
    """What the page says of the link's `key`."""
    return "\n".join(line for line in warnings(at).splitlines() if f"`{key}" in line)

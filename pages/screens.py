"""The sentence and a figure of a page without the app, for notebooks. An entry point."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Any

from pages import terminal
from pages.kit import report
from pages.kit import values as page_values
from pages.kit.panel import Chart, Panel
from pages.kit.setting_file import SettingFile
from pages.topics import PAGES


@dataclass(frozen=True)
class Screen:
    """What a page shows: its `sentence`, and a `panel`, whose figure a notebook shows."""

    title: str
    sentence: str
    panel: Panel

    def _repr_mimebundle_(self, **_: Any) -> Any:
        """Return the figure for Jupyter: a chart as Plotly shows it, another one as a page within the notebook."""
        if isinstance(self.panel.figure, Chart):
            return {**self.panel.figure.figure._repr_mimebundle_(), "text/plain": self.sentence}
        page = escape(report.figure(self.panel, self.title))
        frame = f'<iframe srcdoc="{page}" style="width:100%;height:36rem;border:0"></iframe>'
        return {"text/html": frame, "text/plain": self.sentence}


def answer(address: str, settings: Mapping[str, str | tuple[str, ...]], panel: str = "") -> Screen:
    """Return what the page at an `address` shows with the `settings` of a link: its sentence and the named `panel`.

    Without a name it is the first panel with a figure.
    Raise ``ValueError`` with a sentence if there is no such page or panel, if the page refuses a setting, or with the
    page's own sentence if it has no answer.
    """
    page = next((one for one in PAGES if one.address == address), None)
    if page is None or page.chapters is None:
        raise ValueError(f"there is no page with figures at the address {address!r}")
    disabled = logging.root.manager.disable
    logging.disable()  # Streamlit's messages are for a server's log
    try:
        question, found = terminal.run_page(page, SettingFile(address, dict(settings)))
        now = page_values.from_texts(page.all_settings, settings)
        names = page.chapters.choice(question).options
        name = now[page.chapters.choice()]
        chapter = next(one for one in page.chapters.all if one.name == (name if name in names else names[0]))
        shown = chapter.panels_for(found, now)
    finally:
        logging.disable(disabled)
    flat = list(chain.from_iterable(one if isinstance(one, tuple) else (one,) for one in shown))
    named = next((one for one in flat if (one.name == panel if panel else one.figure)), None)
    if named is None:
        known = ", ".join(one.name for one in flat if one.name)
        raise ValueError(f"panel must be one of {known} in the chapter “{chapter.name}”, got {panel!r}")
    first = chapter is page.chapters.all[0] or not flat[0].answer
    return Screen(page.question, terminal.text_of(found.takeaway() if first else flat[0].answer), named)

"""Render panels, sentences and progress with Streamlit; the other modules of answers only make values."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.kit import (
    component,
    first_screen,
    glossary,
    link,
    live_dial,
    live_dots,
    predictions,
    presenter,
    report,
    trials,
)
from pages.kit.first_screen import charts
from pages.kit.folds import CODE, in_details
from pages.kit.numbers import without_breaks
from pages.kit.panel import Cards, Chart, Component, LiveDial, LiveDots, Panel, to_csv
from pages.kit.trials import Trials
from privdemo import figures
from server import turns

# Seconds before the first chart is sent, in which the browser shows everything else: with the chart it loads Plotly,
# which blocks it for about a second.
BEFORE_PLOTLY = 0.4
# The greatest and least height of a chart on a projector, as a part of its height; the sizes of the takeaway and of its
# lines, the width of its letters, and the space above and below and beside a chart, in rem.
_TALLEST, _LOWEST = 0.6, 0.3
_TAKEAWAY_SIZE, _LETTER_WIDTH, _AROUND, _BESIDE = (1.2, 1.45), 0.5, 5.0, 4.0
_TAKEAWAY, _CHARTS_SENT, _EXPLAINED = "last_takeaway", "charts_sent", "terms_explained"
_TITLE, _PROJECTOR = "page_title", "projector"


def begin(title: str) -> None:
    """Begin a run of the page with this title: no term is explained yet."""
    st.session_state[_EXPLAINED], st.session_state[_TITLE] = {}, title
    first_screen.begin()


def set_projector(size: tuple[int, int] | None, title: str = "") -> None:
    """Fit charts to a projector of this width and height, under this headline; None to leave them as they are."""
    st.session_state[_PROJECTOR] = (
        (*size, _height(title, presenter.headline_size(title), 1.2, size[0])) if size else None
    )


def reserve_height(rem: float) -> None:
    """Leave less height to charts on a projector, for something above them such as a button."""
    if projector := st.session_state.get(_PROJECTOR):
        width, height, taken = projector
        st.session_state[_PROJECTOR] = width, height, taken + rem * _letters(width)


def report_button(make: Callable[[], str], name: str) -> None:
    """Render the button that downloads the whole page."""
    st.download_button(
        "Report",
        make,
        f"{name}.html",
        "text/html",
        key="report",
        on_click="ignore",
        type="tertiary",
        help="The whole page as one HTML file, for a hand-out.",
    )


def _with_explanations(markup: str, part: str) -> str:
    """Return markup without breaks in numbers, and with terms explained that `part` is the first to use."""
    return glossary.explain(without_breaks(markup), part, st.session_state.setdefault(_EXPLAINED, {}))


def skip_link() -> None:
    """Render the link from the top of the page to the main control, for visitors with a keyboard."""
    st.html('<a class="skip" href="#main-control">Skip to the main control</a>')


def main_control_anchor() -> None:
    """Render the target of the skip link."""
    st.html('<span id="main-control" tabindex="-1"></span>')


def last_takeaway(placeholder: Any, page: str) -> None:
    """Show the takeaway of the last run until the new one is known, so that what is below does not move."""
    if last := st.session_state.get(_TAKEAWAY, {}).get(page):
        placeholder.markdown(f'<div class="last">{last}</div>', unsafe_allow_html=True)


def takeaway(placeholder: Any, page: str, sentence: str, question: str = "") -> None:
    """Show the page's sentence, and above it the `question` of the chapter."""
    words = f'<p class="takeaway">{_with_explanations(sentence, "takeaway")}</p>'
    if question:
        words = f'<h2 class="chapter">{question}</h2>{words}'
    st.session_state[_TAKEAWAY] = {page: words}
    placeholder.markdown(words, unsafe_allow_html=True)


def progress_bar(question: Any, made: Trials) -> None:
    """Render how many trials are done, and a button to stop or resume them; nothing once all are done."""
    if made.finished:
        return
    done, total = (sum(numbers) for numbers in zip(*made.counts.values(), strict=True))
    with st.container(horizontal=True, vertical_alignment="center", key="trial-progress"):
        st.progress(done / total, made.progress_text + ("" if made.running else ", stopped"))
        if made.running:
            st.button("Stop", on_click=trials.stop, args=(trials.fingerprint(question),), key="stop-trials")
        else:
            st.button("Go on", on_click=trials.resume, key="resume-trials")


def save_first_screen(address: str, panels: Sequence[Panel], heights: tuple[float, float]) -> None:
    """Save the sentence and the first figures for the next visitor; `heights` are those between them, in rem."""
    if not first_screen.is_missing(address) or not (words := st.session_state.get(_TAKEAWAY, {}).get(address)):
        return
    row = [f"{_heading(panel)}{_still(panel.figure)}" for panel in panels]
    first_screen.save(address, st.session_state[_TITLE], words, row, heights)


def _heading(panel: Panel) -> str:
    """Return what stands above a figure as markup."""
    question = panel.question and f"<h3>{panel.question}</h3>"
    answer = panel.answer and f'<p class="answer">{without_breaks(panel.answer)}</p>'
    return question + answer + (panel.note and f'<p class="note">{panel.note}</p>')


def _still(shown: Any) -> str:
    """Return a figure as markup that needs no JavaScript library; a chart as its pictures, if there are any."""
    if isinstance(shown, Chart):
        return charts.place_with_pictures(shown.figure)
    if isinstance(shown, LiveDial):
        return live_dial.still(shown.first)
    if isinstance(shown, LiveDots):
        return shown.still()
    if isinstance(shown, Component):
        return shown.first()
    return shown.html if shown is not None else ""


def divide_chapters(n_story: int, n_all: int) -> None:
    """Set the chapters after the first `n_story` apart, as those for specialists."""
    if 0 < n_story < n_all:
        first = f'.st-key-chapters [role="radiogroup"] > :nth-child({n_story + 1})'
        rules = '--for-specialists: "For specialists"; --before-specialists: left; --specialists-left: 6.5rem;'
        st.html(f"<style>{first} {{ {rules} }}</style>")


def render(panels: Sequence[Panel | tuple[Panel, ...]]) -> None:
    """Render panels from top to bottom, those of a tuple side by side; the slow part of a live dial comes last.

    While a visitor is asked for a guess, its question stands above the covered figure, and nothing else is shown.
    """
    if asked := predictions.open_one(panels):
        predictions.render_question(asked)
        panels = predictions.covered(panels, asked)
    dials = []
    for panel in _up_to_a_figure(panels) if st.session_state.get(_PROJECTOR) else panels:
        together = panel if isinstance(panel, tuple) else (panel,)
        dials += [one.figure for one in together if isinstance(one.figure, LiveDial)]
        if isinstance(panel, tuple):
            for column, one in zip(st.columns(len(panel), gap="medium"), panel, strict=True):
                with column:
                    render_one(one)
        else:
            render_one(panel)
    for dial in dials:
        if guesses := dial.later():
            live_dial.follow(guesses)


def _up_to_a_figure(panels: Iterable[Panel | tuple[Panel, ...]]) -> Iterator[Panel | tuple[Panel, ...]]:
    """Yield the panels that fit on a projector: up to the first with a figure, and those beside it."""
    for panel in panels:
        yield panel
        if any(one.figure for one in (panel if isinstance(panel, tuple) else (panel,))):
            return


def render_one(panel: Panel) -> None:
    """Render a panel: its question and answer, its figure, and what stands below it."""
    head(panel)
    figure(panel)


def head(panel: Panel) -> None:
    """Render a panel's question and its answer."""
    if panel.question:
        st.subheader(panel.question, anchor=False)
    if panel.answer:
        st.markdown(
            f'<p class="answer">{_with_explanations(panel.answer, panel.name + "-answer")}</p>', unsafe_allow_html=True
        )


def figure(panel: Panel) -> None:
    """Render a panel's note, its figure, what stands below it, and its links."""
    if panel.prediction:
        predictions.render_result(panel.prediction)
    if panel.note:
        st.caption(panel.note)
    if isinstance(panel.figure, Chart):
        _chart(panel, panel.figure)
    else:
        _other_figure(panel)
        below_figure(panel)
    if panel.links:
        with st.container(horizontal=True, key=f"links-{panel.name}" if panel.name else None):
            for address, words, *help in panel.links:
                page_link(address, words, words, *help)


def page_link(address: str, title: str, words: str, help: str | None = None) -> None:
    """Render a link to the page of an address, with the text `words` and a tooltip `help`."""
    st.page_link(link.page_at(address, title), label=words, help=help)


def _other_figure(panel: Panel) -> None:
    """Render a figure that is not a Plotly chart."""
    shown = panel.figure
    if isinstance(shown, LiveDial):
        with st.container(key=f"live-{shown.number.key}"):
            live_dial.mount(shown.data, shown.number, shown.first)
    elif isinstance(shown, LiveDots):
        live_dots.dots(shown.data, f"{panel.name}-dots", shown.still)
    elif isinstance(shown, Component):
        component.mount(shown)
    elif shown is not None and not isinstance(shown, Chart):
        st.html(_with_explanations(shown.html, panel.name) if isinstance(shown, Cards) else shown.html)


def _chart(panel: Panel, chart: Chart) -> None:
    """Render a Plotly chart last, as it keeps the browser busy; until then its place is left free."""
    shown = _projected(chart.figure)
    container = st.container(key=f"{panel.name}-place")
    sent = st.session_state[_CHARTS_SENT] = st.session_state.get(_CHARTS_SENT, 0) + 1
    container.html(charts.empty_place(shown, sent))
    below_figure(panel)
    if sent == 1:
        with turns.pause():
            time.sleep(BEFORE_PLOTLY)
    options = {"displayModeBar": False}
    container.plotly_chart(shown, key=f"{panel.name}-figure", alt=panel.summary or None, config=options)


def _projected(figure: figures.Figure) -> figures.Figure:
    """Return a chart as it is shown: on a projector with larger letters, and no higher than there is space for."""
    if not (projector := st.session_state.get(_PROJECTOR)):
        return figure
    width, height, taken = projector
    (words,) = st.session_state.get(_TAKEAWAY, {"": ""}).values()
    taken += _height(re.sub("<.*?>", "", words), *_TAKEAWAY_SIZE, width)
    tallest = min(_TALLEST * height, max(height - taken - _AROUND * _letters(width), _LOWEST * height))
    return figures.scaled_for_projector(figure, round(max(20, 0.9 * _letters(width))), height / 768, tallest)


def _letters(width: int) -> float:
    """Return the size of letters on a projector of this width in pixels, as in style.css."""
    return min(max(20.0, 0.014 * width), 28.0)


def _height(words: str, rem: float, line: float, width: int) -> float:
    """Estimate the height of a text on a projector in pixels, from its size in rem and the height of its lines."""
    size = rem * _letters(width)
    return size * line * math.ceil(_LETTER_WIDTH * size * len(words) / (width - _BESIDE * _letters(width)))


def below_figure(panel: Panel) -> None:
    """Render what stands below a figure: its numbers in words, folded, and downloads of its data, HTML and code."""
    shown, rows, name = panel.figure, panel.rows, panel.name
    if not panel.summary and (rows is None or shown is None):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"under-{name}" if name else None):
        if panel.summary:
            words = _with_explanations(panel.summary, f"{name}-words")
            st.html(
                f'<details class="in-words"><summary>Numbers in words</summary><p class="summary">{words}</p></details>'
            )
        if rows is None or shown is None:
            return
        st.download_button(
            "CSV", lambda: to_csv(rows()), f"{name}.csv", "text/csv", key=f"{name}-csv", on_click="ignore"
        )
        titled = partial(report.figure, panel, st.session_state.get(_TITLE, ""))
        st.download_button("HTML", titled, f"{name}.html", "text/html", key=f"{name}-html", on_click="ignore")
        if panel.snippet:
            code = st.popover("Python", key=f"{name}-python", on_change="rerun")
            if code.open:  # rarely: it costs as much as the figure's downloads
                code.code(str(panel.snippet))


# The key of the popover with the page's code.
CODE_OPEN = "code"


def folds(contents: Mapping[str, str]) -> None:
    """Render Markdown folded under its titles, all in one element, at a tenth of the cost of expanders.

    Code is rendered only once its popover is open, as its highlighting is a quarter of what a browser loads for a page.
    """
    words = {title: text for title, text in contents.items() if title != CODE}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if words:
            st.markdown(in_details(words), unsafe_allow_html=True)
        if CODE in contents:
            code = st.popover(CODE, key=CODE_OPEN, on_change="rerun")
            if code.open:
                code.markdown(contents[CODE])

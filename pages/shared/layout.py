"""The parts that every page has, in the same place and the same voice."""

from __future__ import annotations

import csv
import io
import runpy
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from pages.shared import cached, settings, text
from pages.shared.copy_link import copy_link
from privdemo import figures, palette

# Made only when somebody asks for it: the rows of a figure's CSV file.
Table = Callable[[], Sequence[Mapping[str, Any]]]
# Seconds in which a visitor's browser shows all that it has, before it hears of the first chart: then it starts Plotly,
# which keeps it from everything else for a second.
FIRST_LOOK = 0.4
_TAKEAWAY, _DRAWN, _PAGE = "last_takeaway", "charts_drawn", "page_on_screen"
_APP = Path(__file__).parents[2] / "app.py"
_STYLE = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
_COLOURS = f":root {{ --flipped: {palette.OTHERS[1].colour}; }}"


def begin() -> None:
    """What comes first on every page: the shell around it, and the style sheet with the palette's colours.

    The first visit after a start finds Streamlit taking a folder called `pages` for its older kind of app: a link
    straight to a page then runs that page without `app.py` (streamlit issue 9992). Run the shell in its place.
    """
    if PagesManager.uses_pages_directory:
        runpy.run_path(str(_APP), run_name="__main__")
        st.stop()
    st.html(f"<style>{_COLOURS}{_STYLE}{figures.CSS}</style>")


def header(
    question: str, all_settings: Sequence[settings.Setting], defaults: Sequence[settings.Setting] | None = None
) -> Any:
    """The headline, reset and copy-link; returns the place where the takeaway goes once it is known.

    `defaults` are the settings as reset leaves them, where other settings change their ranges.
    """
    begin()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.title(question, anchor=False, width="stretch")
        with st.container(horizontal=True, width="content", gap="small"):
            st.button("↺ Reset", on_click=settings.reset, args=(defaults or all_settings,), key="reset")
            copy_link()
    if st.session_state.get(_PAGE) != question:  # notes on a link are of its own page
        settings.forget_notes()
        st.session_state[_PAGE] = question
    settings.check_link(all_settings)
    place = st.empty()
    # Until the new sentence is known the last one stays: without it the page would jump up and down.
    if last := st.session_state.get(_TAKEAWAY, {}).get(question):
        place.markdown(last, unsafe_allow_html=True)
    return place


def data_note() -> None:
    """One line where MNIST cannot be shown: what is shown instead, why, and how to get it."""
    problem = cached.problem("mnist")
    if problem:
        st.info(f"Showing scikit-learn's small digits, because MNIST cannot be read: {problem}")


def takeaway(place: Any, question: str, sentence: str) -> None:
    """The one sentence that changes with the numbers."""
    words = f'<p class="takeaway">{text.unbroken(sentence)}</p>'
    st.session_state[_TAKEAWAY] = {question: words}
    place.markdown(words, unsafe_allow_html=True)


def under_figure(name: str, summary: str, table: Table, html: Callable[[], str], code: str = "") -> None:
    """What stands under every figure: its text summary, its data as CSV, itself as HTML, and `code` that makes it.

    A figure without code of its own has it in the fold at the page's end.
    """
    st.html(f'<p class="summary">{text.unbroken(summary)}</p>')
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "CSV", lambda: to_csv(table()), f"{name}.csv", "text/csv", key=f"{name}-csv", on_click="ignore"
        )
        st.download_button("HTML", html, f"{name}.html", "text/html", key=f"{name}-html", on_click="ignore")
        if code:
            with st.popover("Python"):
                st.code(code.strip(), language="python")


def figure(
    name: str, figure: figures.Figure, summary: str, table: Table, code: str = "", at_once: bool = False
) -> None:
    """A Plotly figure and all that stands under it; a chart of curves may be seen `at_once`, before Plotly starts."""
    place = st.container(key=f"{name}-place")
    if at_once:
        place.html(figures.first_look(figure))
    under_figure(name, summary, table, lambda: figures.to_html(figure), code)
    if at_once and not st.session_state.get(_DRAWN):
        time.sleep(FIRST_LOOK)
    st.session_state[_DRAWN] = True
    with place:
        chart(name, figure, summary)


def section(question: str, sentence: str) -> None:
    """A part of a page: its question, and its answer in one sentence."""
    st.subheader(question, anchor=False)
    st.markdown(f'<p class="answer">{text.unbroken(sentence)}</p>', unsafe_allow_html=True)


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], labelled: bool = False) -> None:
    """A small table of texts; the first cell of a row names it. `labelled` rows are cards where it is narrow."""
    st.html(_grid(heads, rows, labelled))


def grid_page(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same table as one self-contained HTML page."""
    return f"<!doctype html><meta charset='utf-8'><title>privdemo</title>{_grid(heads, rows, labelled=False)}"


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]], labelled: bool) -> str:
    head = "".join(f'<th scope="col">{words}</th>' for words in heads)
    openings = [f'<td data-label="{words}">' if labelled else "<td>" for words in heads[1:]]
    body = "".join(f'<tr><th scope="row">{row[0]}</th>{"".join(map(_cell, openings, row[1:]))}</tr>' for row in rows)
    kind = "grid labelled" if labelled else "grid"
    return f'<div class="{kind}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(opening: str, content: str) -> str:
    return f"{opening}{text.unbroken(content)}</td>"


def chart(name: str, figure: figures.Figure, summary: str) -> None:
    """A Plotly figure alone, with `summary` for those who cannot see it."""
    st.plotly_chart(figure, key=f"{name}-figure", alt=summary, config={"displayModeBar": False})


def cards(contents: Sequence[tuple[str, str, str]]) -> None:
    """Numbers that belong together, each with its title and what it means."""
    boxes = "".join(
        f'<section class="card"><h4>{title}</h4><div class="number">{number}</div><p>{sentence}</p></section>'
        for title, number, sentence in contents
    )
    st.html(f'<div class="cards">{boxes}</div>')


def folds(contents: Mapping[str, str]) -> None:
    """Markdown folded away under its titles: how it works, what the adversary sees, caveats, code. Ends a page."""
    for title, content in contents.items():
        with st.expander(title):
            st.markdown(content)
    cached.settle_in()


def to_csv(table: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV text, the first row's keys as the header."""
    lines = io.StringIO()
    writer = csv.DictWriter(lines, fieldnames=list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    return lines.getvalue()

"""Render panels, sentences and progress with Streamlit; the other modules of answers only make values."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from pages.kit import (
    component,
    first_screen,
    glossary,
    lecture,
    link,
    live_dial,
    live_dots,
    predictions,
    report,
    trials,
)
from pages.kit.first_screen import charts
from pages.kit.folds import CODE, in_details
from pages.kit.numbers import with_no_break_spaces
from pages.kit.panel import Cards, Chart, Component, LiveDial, LiveDots, Panel, Rows, Table, to_csv
from pages.kit.snippet import Snippet, code_blocks
from pages.kit.trials import Trials
from privdemo import figures
from server import script_slots

# Seconds before the first chart is sent, in which the browser shows everything else: with the chart it loads Plotly,
# which blocks it for about a second.
BEFORE_PLOTLY = 0.4
# The letters from which a headline of a slide is smaller, and the words up to which the page's sentence may be one. Of
# a longer sentence its beginning in bold letters is one, if it has so many words: “Partly.” alone says too little.
_LONG_HEADLINE, _MOST_WORDS, _LEAST_WORDS = 90, 30, 4
# A tag, or two numbers with a dash between them.
_INTERVAL = re.compile(r"<[^<>]*>|((?<![\d.,])\d[\d.,]*+–[\d.,]*\d)")
_TAKEAWAY, _CHARTS_SENT, _EXPLAINED = "last_takeaway", "charts_sent", "terms_explained"
_TITLE, _SLIDE, _TAKE_AWAY, _REPORT = "page_title", "slide", "code_to_take_away", "report_to_offer"


def begin(title: str) -> None:
    """Begin a run of the page with this title: no term is explained yet."""
    st.session_state[_EXPLAINED], st.session_state[_TITLE], st.session_state[_TAKE_AWAY] = {}, title, None
    first_screen.begin()


@dataclass(frozen=True)
class CodeToTakeAway:
    """What stands below a figure's code: the lines for `opendp`, if there are any, and a notebook.

    `notebook(panel)` returns the function that makes the notebook of a panel, when it is downloaded.
    """

    notebook: Callable[[Panel], Callable[[], str]]
    opendp: Snippet | None = None


def set_code_to_take_away(code: CodeToTakeAway) -> None:
    """Offer this with the code of every figure from now on in this run."""
    st.session_state[_TAKE_AWAY] = code


@dataclass(frozen=True)
class Slide:
    """A step of a lecture on a screen of this width and height in pixels.

    Its headline is what it has to `say`, with numbers filled in by their names; without that it is the page's sentence,
    or the verdict with which a long one begins, if that is shown, or else the page's question.
    """

    width: int
    height: int
    say: str = ""
    shows_sentence: bool = True


def set_slide(slide: Slide | None) -> None:
    """Show the page as a slide from now on in this run; None to show it as a page."""
    st.session_state[_SLIDE] = slide


def is_slide() -> bool:
    """Return whether the page is shown as a slide."""
    return st.session_state.get(_SLIDE) is not None


@contextmanager
def offering_report(make: Callable[[], str], name: str) -> Iterator[None]:
    """Offer the whole page as a file in the menu below each figure that is rendered within this context.

    The session must not keep `make`, as that may hold a visitor's records.
    """
    st.session_state[_REPORT] = make, name
    try:
        yield
    finally:
        del st.session_state[_REPORT]


def report_button(make: Callable[[], str], name: str, key: str = "report") -> None:
    """Render the button that downloads the whole page."""
    st.download_button(
        "Save this page (HTML)",
        make,
        f"{name}.html",
        "text/html",
        key=key,
        on_click="ignore",
        help="The whole page as one HTML file, for a hand-out.",
    )


def with_explanations(markup: str, part: str) -> str:
    """Return markup without breaks in numbers, and with terms explained that `part` is the first to use."""
    return glossary.explain(with_no_break_spaces(markup), part, st.session_state.setdefault(_EXPLAINED, {}))


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


def takeaway(
    placeholder: Any, page: str, sentence: str, question: str = "", facts: Mapping[str, str] | None = None
) -> None:
    """Show the page's sentence, and above it the `question` of the chapter.

    On a slide this is the headline, which may hold numbers by their names among `facts`; without any, it is the
    sentence: a question to the room, or why there is no answer.
    """
    words = f'<p class="takeaway">{with_explanations(sentence, "takeaway")}</p>'
    if slide := st.session_state.get(_SLIDE):
        words = _headline(slide, sentence, question or st.session_state[_TITLE], facts)
    elif question:
        words = f'<h2 class="chapter">{question}</h2>{words}'
    st.session_state[_TAKEAWAY] = {page: words}
    placeholder.markdown(words, unsafe_allow_html=True)


def _headline(slide: Slide, sentence: str, question: str, facts: Mapping[str, str] | None) -> str:
    """Return the headline of a slide as HTML; it is smaller where it is long."""
    if facts is not None and slide.say:
        words = lecture.filled(slide.say, facts)
    else:
        is_short = len(_bare(sentence).split()) <= _MOST_WORDS
        words = sentence
        if facts is not None and not (slide.shows_sentence and is_short):
            words = (slide.shows_sentence and _verdict(sentence)) or question
    kind = "long" if len(_bare(words)) > _LONG_HEADLINE else "short"
    words = _with_unbroken_intervals(with_explanations(words, "takeaway"))
    return f'<h1 class="headline {kind}">{words}</h1>'


def _with_unbroken_intervals(markup: str) -> str:
    """Return markup in which both ends of an interval, such as 23.0–51.3, stay in one line."""
    return _INTERVAL.sub(lambda found: f'<span class="unbroken">{found[0]}</span>' if found[1] else found[0], markup)


def _verdict(sentence: str) -> str:
    """Return the whole sentence in bold letters with which a page's sentence begins; nothing if there is none."""
    found = re.match(r"<b>([^<>]*)\.</b>", sentence)
    return f"{found[1]}." if found and len(found[1].split()) >= _LEAST_WORDS else ""


def _bare(words: str) -> str:
    """Return words without their tags."""
    return re.sub("<[^<>]*>", "", words)


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


def save_first_screen(address: str, panels: Sequence[Panel], heights: first_screen.Heights) -> None:
    """Save the sentence and the first figures for the next visitor, with what is between them."""
    if not first_screen.is_missing(address) or not (words := st.session_state.get(_TAKEAWAY, {}).get(address)):
        return
    row = [f"{_heading(panel)}{_still(panel.figure)}" for panel in panels]
    first_screen.save(address, st.session_state[_TITLE], words, row, heights)


def _heading(panel: Panel) -> str:
    """Return what stands above a figure as markup."""
    question = panel.question and f"<h3>{panel.question}</h3>"
    answer = panel.answer and f'<p class="answer">{with_no_break_spaces(panel.answer)}</p>'
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


def fold_all_chapters(words: str, is_open: bool, until_guess: bool) -> None:
    """Fold all chapters behind `words`; if `until_guess`, only while the page asks for a guess or has no figure yet."""
    kind = "all-chapters until-guess" if until_guess else "all-chapters"
    st.html(f'<details class="{kind}"{" open" * is_open}><summary>{words}</summary></details>')


def fold_chapters(n_first: int, words: str, is_open: bool) -> None:
    """Fold the chapters after the first `n_first` behind `words`, beside the others."""
    later = f'.st-key-chapter-choice [role="radio"]:nth-child(n + {n_first + 1})'
    rules = "--chapter-order: 2; --chapter-display: var(--later-chapters-display, none);"
    st.html(f"<style>{later} {{ {rules} }}</style>")
    st.html(f'<details class="later-chapters"{" open" * is_open}><summary>{words}</summary></details>')


def unnumber_chapters() -> None:
    """Show the names of the chapters without their numbers."""
    st.html('<style>.st-key-chapters { --chapter-number: ""; }</style>')


def render(panels: Sequence[Panel | tuple[Panel, ...]]) -> None:
    """Render panels from top to bottom, those of a tuple side by side; the slow part of a live dial comes last.

    While a visitor is asked for a guess, its question stands above the covered figure, and nothing else is shown.
    """
    if prediction := predictions.open_one(panels):
        predictions.render_question(prediction)
        panels = predictions.covered(panels, prediction)
    dials = []
    for panel in _on_slide(panels) if is_slide() else panels:
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


def _on_slide(panels: Iterable[Panel | tuple[Panel, ...]]) -> Iterator[Panel]:
    """Yield the panels that fit on a slide: up to the first with a figure, of which a slide may have another one."""
    for panel in panels:
        one = panel[0] if isinstance(panel, tuple) else panel
        yield replace(one, figure=one.on_slide or one.figure)
        if one.figure:
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
            f'<p class="answer">{with_explanations(panel.answer, panel.name + "-answer")}</p>', unsafe_allow_html=True
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
        html = with_explanations(shown.html, panel.name) if isinstance(shown, Cards) else shown.html
        st.html(_with_unbroken_intervals(html) if is_slide() and isinstance(shown, Table) else html)


def _chart(panel: Panel, chart: Chart) -> None:
    """Render a Plotly chart last, as it keeps the browser busy; until then its place is left free."""
    slide: Slide | None = st.session_state.get(_SLIDE)
    shown = figures.for_slide(chart.figure, slide.width, slide.height) if slide else chart.figure
    container = st.container(key=f"{panel.name}-place")
    sent = st.session_state[_CHARTS_SENT] = st.session_state.get(_CHARTS_SENT, 0) + 1
    if not slide:
        container.html(charts.empty_place(shown, sent))
    below_figure(panel)
    if sent == 1:
        with script_slots.without_slot():
            time.sleep(BEFORE_PLOTLY)
    options = {"displayModeBar": False}
    height = "stretch" if slide else "content"
    container.plotly_chart(shown, height=height, key=f"{panel.name}-figure", alt=panel.summary or None, config=options)


def below_figure(panel: Panel) -> None:
    """Render what stands below a figure: its numbers in words, folded, and downloads of its data, HTML and code."""
    shown, rows, name = panel.figure, panel.rows, panel.name
    if not panel.summary and (rows is None or shown is None):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"under-{name}" if name else None):
        if panel.summary:
            words = with_explanations(panel.summary, f"{name}-words")
            what = "All of this in words" if isinstance(shown, Cards) else "This figure in words"
            st.html(f'<details class="in-words"><summary>{what}</summary><p class="summary">{words}</p></details>')
        if rows is None or shown is None:
            return
        menu = st.popover("Save", key=f"{name}-save", on_change="rerun")
        if menu.open:
            with menu:
                _downloads(panel, rows)


def has_menu(panel: Panel) -> bool:
    """Return whether a menu stands below a panel's figure, with what can be saved."""
    return panel.rows is not None and panel.figure is not None


def _downloads(panel: Panel, rows: Rows) -> None:
    """Render the downloads of a figure's numbers, HTML and notebook, and of the page, and below them its code."""
    titled = partial(report.figure, panel, st.session_state.get(_TITLE, ""))
    name = panel.name
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Save numbers (CSV)",
            lambda: to_csv(rows()),
            f"{name}.csv",
            "text/csv",
            key=f"{name}-csv",
            on_click="ignore",
        )
        st.download_button(
            "Save figure (HTML)", titled, f"{name}.html", "text/html", key=f"{name}-html", on_click="ignore"
        )
        if panel.snippet:
            _notebook_button(panel)
        if report_to_offer := st.session_state.get(_REPORT):
            report_button(*report_to_offer, key=f"{name}-report")
    if panel.snippet:
        st.code(str(panel.snippet))
        _opendp_lines()


def _notebook_button(panel: Panel) -> None:
    """Render the button that downloads a panel's code as a notebook, if there is one."""
    more: CodeToTakeAway | None = st.session_state.get(_TAKE_AWAY)
    if more:
        name = panel.name or CODE_OPEN
        st.download_button(
            "Save notebook (.ipynb)",
            more.notebook(panel),
            f"{name}.ipynb",
            "application/x-ipynb+json",
            key=f"{name}-notebook",
            on_click="ignore",
        )


def _opendp_lines() -> None:
    """Render the lines for OpenDP, if there are any."""
    more: CodeToTakeAway | None = st.session_state.get(_TAKE_AWAY)
    if more and more.opendp:
        st.caption("The same noise with OpenDP (`pip install opendp`):")
        st.code(str(more.opendp))


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
                whole = Panel(snippet=Snippet((), tuple(code_blocks(contents[CODE]))))
                with code:
                    _notebook_button(whole)
                    st.markdown(contents[CODE])
                    _opendp_lines()

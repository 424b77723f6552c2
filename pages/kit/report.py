"""Make the HTML files that visitors download: one figure, or a report of the whole page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from pages.kit.panel import Chart, Panel, table_of_rows
from pages.kit.snippet import code_blocks
from privdemo import __version__, figures
from privdemo.experiments import results

# The most rows of a table in a report; the CSV file has all.
_MOST_ROWS = 100


def figure(panel: Panel, title: str) -> str:
    """Return one panel as a self-contained HTML page, titled by its own question or else by the page's `title`."""
    return figures.document(panel.question or title, _panel(panel, library=True, headed=False), figures.CSS)


def page(
    title: str,
    takeaway: str,
    chapters: Mapping[str, Iterable[Panel]],
    settings: Mapping[str, object],
    code: str,
    left_out: Sequence[str] = (),
) -> str:
    """Return a page as one self-contained HTML page.

    It has the takeaway, the panels of its `chapters` with their tables, the names of chapters `left_out`, the settings,
    and the code that computes it again.
    """
    parts, library = [f'<p class="takeaway">{takeaway}</p>'], True
    for name, panels in chapters.items():
        parts.append(f"<h2>{escape(name)}</h2>")
        for panel in panels:
            parts.append(_panel(panel, library, headed=True))
            library = library and not isinstance(panel.figure, Chart)
    if left_out:
        names = escape(", ".join(f"“{name}”" for name in left_out))
        parts.append(
            f"<h2>Not in this report</h2><p>{names}: these chapters have settings of their own. To have one of them in "
            "a report, download the report while that chapter is on screen.</p>"
        )
    known = table_of_rows([{"setting": key, "value": value} for key, value in settings.items()])
    parts.append(f"<h2>Settings</h2>{known.html}<h2>How to compute this again</h2>{_code(code)}")
    made = f"privdemo {__version__} with {results.versions()}"
    parts.append(f"<p>Computed by {made}. The same settings give the same numbers.</p>")
    return figures.document(title, "".join(parts), figures.CSS)


def _panel(panel: Panel, library: bool, headed: bool) -> str:
    """Return a panel's question, answer, figure, numbers in words, and rows as HTML."""
    head = f"<h3>{escape(panel.question)}</h3>" if headed and panel.question else ""
    answer = f"<p>{panel.answer}</p>" if panel.answer else ""
    shown = panel.figure
    body = shown.body(library) if isinstance(shown, Chart) else shown.body() if shown else ""
    words = f"<p>{panel.summary}</p>" if panel.summary else ""
    return f"{head}{answer}{body}{words}{_rows(panel) if headed else ''}"


def _rows(panel: Panel) -> str:
    """Return the panel's data as a folded table."""
    if panel.rows is None:
        return ""
    rows: Sequence[Mapping[str, object]] = panel.rows()
    more = f"<p>The first {_MOST_ROWS} of {len(rows):,} rows.</p>" if len(rows) > _MOST_ROWS else ""
    return f"<details><summary>Data</summary>{table_of_rows(rows[:_MOST_ROWS]).html}{more}</details>"


def _code(markdown: str) -> str:
    """Return the blocks of code in some Markdown as HTML."""
    return "".join(f"<pre><code>{escape(block)}</code></pre>" for block in code_blocks(markdown))

"""Figures as HTML pages that need no network: for a download, a hand-out, a report."""

from __future__ import annotations

from html import escape

from plotly.graph_objects import Figure

_LOOK = """
body { font-family: sans-serif; line-height: 1.45; color: #1a1a1a; background: #fff; max-width: 64rem;
  margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.9rem 0.25rem 0; font-weight: 400;
  border-bottom: 1px solid #ccc; }
pre { background: #f4f4f6; padding: 0.75rem; overflow-x: auto; }
.takeaway { font-size: 1.2rem; }
.card { border: 1px solid #bbb; border-radius: 0.5rem; padding: 0.5rem 0.75rem; margin: 0.5rem 0; }
.card h4, .card p { margin: 0; }
.card .number { font-size: 1.5rem; font-weight: 600; }
"""


def document(title: str, body: str, css: str = "", head: str = "") -> str:
    """Return a whole HTML page, with a title for its window and headline; `head` is markup before all others."""
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'>{head}"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{escape(title)} · privdemo</title><style>{_LOOK}{css}</style><h1>{escape(title)}</h1>{body}</html>"
    )


def chart(figure: Figure, library: bool = True) -> str:
    """Return an interactive chart as a part of a page; one chart of a page includes Plotly's `library`."""
    return (
        Figure(figure)
        .update_layout(template="plotly_white")
        .to_html(full_html=False, include_plotlyjs=library, config={"displayModeBar": False, "responsive": True})
    )

"""The chapter with the privacy label of the advice: one card to print, or to put on a page of one's own."""

from __future__ import annotations

from datetime import date
from html import escape

from pages.kit import numbers
from pages.kit.panel import Markup, Panel
from pages.kit.qr_code import qr_code
from pages.kit.snippet import Snippet, as_code
from pages.topics.advice.answer import Answer, curves_of
from pages.topics.advice.question import QUESTION
from privdemo import __version__, advise

# A longer link is not written out: the code has it whole.
_MOST_LINK = 220
# The label is as wide as a page of A5 allows. What is printed is one such page with the label alone, except in a report
# (which has headings for its chapters), where it stands among other parts.
_CSS = """
.privacy-label { border: 2px solid; border-radius: 0.75rem; padding: 0.75rem 1rem; max-width: 44rem; }
.privacy-label h4 { margin: 0 0 0.5rem; padding: 0; font-size: 1.25rem; }
.privacy-label dl { display: grid; grid-template-columns: minmax(7rem, 10rem) 1fr; gap: 0.35rem 1rem; }
.privacy-label :is(dl, dt, dd) { margin: 0 !important; padding: 0; }
.privacy-label dt { font-weight: 600; }
.privacy-label dd { overflow-wrap: anywhere; }
.privacy-label footer { display: flex; gap: 1rem; align-items: end; margin-top: 0.75rem; overflow-wrap: anywhere; }
.privacy-label img { width: 7rem; height: 7rem; }
@media (max-width: 480px) {
  .privacy-label dl { grid-template-columns: 1fr; gap: 0; }
  .privacy-label dd { margin-bottom: 0.5rem !important; }
}
@page privacy-label { size: A5; margin: 9mm; }
@media print {
  .privacy-label { color: #000; background: #fff; break-inside: avoid; }
  .privacy-label :is(dt, dd) { font-size: 10pt; line-height: 1.3; }
  .privacy-label dl { grid-template-columns: 30mm 1fr; gap: 1mm 3mm; }
  .privacy-label footer { font-size: 9pt; }
  .privacy-label img { width: 34mm; height: 34mm; }
  body:not(:has(> h2)):has(.privacy-label) {
    margin: 0; padding: 0; max-width: none; background: #fff;
    :not(:has(.privacy-label), .privacy-label, .privacy-label *) { display: none !important; }
    :has(.privacy-label) { display: contents !important; }
    .privacy-label { page: privacy-label; max-width: none; }
  }
}
"""


def privacy_label(answer: Answer, choice: tuple[str, str]) -> list[Panel]:
    """Return the panel of the label, with the visitor's question and the link that are the `choice`."""
    words, link = choice
    lines = advise.label(answer.advice, words)
    return [
        Panel(
            "privacy-label",
            "What should people know before they answer?",
            "What their answer gives away, who sees what, whom they must trust, and how exact the result is: this card "
            "says it. Print this page: only the card is printed.",
            Markup(_label_html(answer, lines, link, has_question=not words or f"{QUESTION.key}=" in link)),
            on_slide=curves_of(answer),  # a card has too many words for the last row
            summary="; ".join(f"{line.title}: {line.text}" for line in lines),
            rows=lambda: [{"title": line.title, "text": line.text} for line in lines],
            snippet=Snippet(
                ("from privdemo.advise import Question, advise, label",),
                (
                    f"for line in label(advise({as_code(answer.question)}), {words!r}):",
                    "    print(line.title, line.text, sep=': ')",
                ),
            ),
        )
    ]


def _label_html(answer: Answer, lines: tuple[advise.Line, ...], link: str, has_question: bool) -> str:
    """Return the label as HTML: its lines, the link with its QR code, the date and the version.

    `has_question` is whether the link has the visitor's question, if there is one.
    """
    body = "".join(
        f"<dt>{escape(line.title)}</dt><dd>{numbers.with_no_break_spaces(escape(line.text))}</dd>" for line in lines
    )
    cannot = "" if answer.advice.reached else " <small>(the goal is not reached)</small>"
    code = f'<img alt="QR code of the link" src="{qr_code(link)}">' if link.startswith("http") else ""
    written = link if len(link) <= _MOST_LINK else f"{link.partition('?')[0]} (with the settings that the code holds)"
    return (
        f'<style>{_CSS}</style><section class="privacy-label" aria-label="Privacy label"><h4>Privacy label{cannot}</h4>'
        f"<dl>{body}</dl><footer>{code}<div>{escape(written)}<br>{date.today():%d %B %Y}, privdemo "
        f"{escape(__version__)}. Every number is computed from this link"
        f"{'' if has_question else ', which has no room for the question'}.</div></footer></section>"
    )

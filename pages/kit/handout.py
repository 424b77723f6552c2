"""Make the hand-out of a lecture as one HTML file for A4 paper: a worksheet, solutions, and cards for a poll."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from html import escape

from pages.kit import card_sheet, lecture
from pages.kit.lecture import Lecture, Step
from pages.kit.numbers import with_no_break_spaces
from pages.kit.page import Page
from pages.kit.panel import Cards, Chart, Panel, Table
from pages.kit.step_answer import StepAnswer, answer_step
from privdemo import figures
from server.script_slots import script_slot

# Seconds after which no other step is computed.
_MOST_SECONDS = 60.0
_TOO_LONG = (
    "This step was left out, as the others took a minute to compute. What is computed is kept for a while: download "
    "the hand-out again, or divide the lecture."
)
# Hand-outs are made in the few threads in which the server also compresses files. At most three are made at a time, so
# that some threads are left.
_SLOTS = threading.BoundedSemaphore(3)
_BUSY = "Other hand-outs are being made at this moment. Please download this one again in a minute."
# A number in a text, such as −1.5 or 10⁻⁷; and one of two digits or more, unless it is an amount of dollars.
_NUMBER = re.compile(r"[−-]?\d[\d.,]*[⁻⁰¹²³⁴-⁹]*(?<![.,])")
_LONG_NUMBER = re.compile(r"(?<![$\d.,])\d[\d.,]*\d[⁻⁰¹²³⁴-⁹]*")
_COUNTED = re.compile(rf"({_LONG_NUMBER.pattern})\s([^\W\d_]+)")
_BLANK = '<span class="blank"></span>'
# Lines to write on: for a solution of so many letters at most, and for a longer one.
_SHORT, _FEW_LINES, _MANY_LINES = 130, 2, 3
# The most letters of a figure in words.
_MOST_IN_WORDS = 450

_CSS = """
@page { size: A4; margin: 15mm; }
html { font-size: 12pt; }
body { font: 11pt/1.4 sans-serif; color: #000; max-width: 180mm; margin: 0 auto; padding: 0;
  overflow-wrap: anywhere; }
h1 { font-size: 18pt; margin: 0 0 1mm; line-height: 1.2; }
h2 { font-size: 14pt; margin: 0 0 3mm; }
h3 { font-size: 12pt; margin: 0 0 1mm; break-after: avoid; }
p { margin: 0 0 2mm; }
.part { break-before: page; }
.part:first-of-type { break-before: avoid; }
.step { break-inside: avoid; border-top: 1px solid #000; padding: 2.5mm 0 3mm; }
.say { font-style: italic; }
.lines { border: 1px solid #000; margin-top: 2mm; }
.lines div { height: 8mm; border-bottom: 1px dotted #555; }
.lines div:last-child { border-bottom: 0; }
.blank { display: inline-block; min-width: 14mm; border-bottom: 1px solid #000; }
.name { display: flex; gap: 8mm; margin: 0 0 4mm; }
.name span { flex: 1; border-bottom: 1px solid #000; }
.name span:last-child { flex: 0 0 45mm; }
.picture { margin: 1mm 0 2mm; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.note { border-left: 1mm solid #000; padding-left: 3mm; }
.summary { font-size: 10pt; }
.picture :is(figcaption, span, p, th, td) { font-size: 10pt; }
.picture .people { display: flex; gap: 2mm 6mm; margin: 0; }
.picture .people figure { flex: 0 1 85mm; }
.picture .people-legend b { font-size: 12pt; }
.picture .sheet { width: max-content; max-width: 100%; }
.picture :is(.sheet-image, .sheet-heads) { width: calc(var(--columns) * min(22mm, 110mm / var(--columns))); }
.picture .sheet-heads { grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); }
.picture .sheet-heads span { padding: 0 0.5mm; align-self: end; line-height: 1.2; }
.picture .sheet-sides span { max-width: 42mm; }
.picture .bag { max-width: 160mm; }
.picture .bag img { max-width: min(var(--width), 55mm); }
.picture .bag figcaption { min-height: 0; }
.picture .digit { width: 14mm; }
.picture .rule-picture { display: flex; flex-wrap: wrap; gap: 2mm; }
.picture .rule-picture > * { flex: 1 1 0; min-width: 12mm; border: 1px solid #000; padding: 2mm; text-align: center; }
.picture .toss span { display: block; }
.picture .toss i { display: inline-block; width: 6mm; line-height: 6mm; border: 1px solid #000; border-radius: 50%;
  margin: 0.5mm; font-style: normal; }
"""
# No script runs and nothing is fetched, whatever a file or a link has brought along.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def document(shown: Lecture, pages: Sequence[Page], clock: Callable[[], float] = time.monotonic) -> str:
    """Return the hand-out of a lecture as one HTML page that needs neither scripts nor the network.

    Each step is answered anew by its page among `pages`, one turn each. A step without an answer has a sentence in its
    place, as have those that are left after a minute. While three others are made, the page says only that.
    """
    if not _SLOTS.acquire(blocking=False):
        return figures.document(shown.title, f"<p>{_BUSY}</p>")
    try:
        return _document(shown, pages, clock)
    finally:
        _SLOTS.release()


def _document(shown: Lecture, pages: Sequence[Page], clock: Callable[[], float]) -> str:
    """Return the hand-out of a lecture."""
    until = clock() + _MOST_SECONDS
    answers = []
    for step in shown.steps:
        with script_slot():
            answers.append(answer_step(step, pages) if clock() < until else StepAnswer(step.page, problem=_TOO_LONG))
    steps = list(zip(shown.steps, answers, strict=True))
    audience = f"For {escape(shown.audience)}, " if shown.audience else ""
    parts = [
        f"<p>Worksheet. {audience}{shown.minutes} minutes.</p>"
        '<p class="name">Name <span></span> Date <span></span></p>'
        + "".join(_question(i, step, found) for i, (step, found) in enumerate(steps, start=1)),
        f"<h2>Solutions and notes: {escape(shown.title)}</h2>"
        + "".join(_solution(i, step, found) for i, (step, found) in enumerate(steps, start=1)),
    ]
    if cards := _cards(steps):
        parts.append(f"<h2>Coins and cards: {escape(shown.title)}</h2>{cards}")
    body = "".join(f'<div class="part">{part}</div>' for part in parts)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    return figures.document(shown.title, body, figures.CSS + _CSS + card_sheet.CSS, policy)


# --- the worksheet -------------------------------------------------------------------------------


def _question(number: int, step: Step, found: StepAnswer) -> str:
    """Return a step of the worksheet: its sentence, picture and question, and room for the answer."""
    head = f"<h3>{number}. {escape(found.title)}</h3>"
    if found.problem:
        said = f'<p class="say">{_with_blanks(step.say, found, lecture.names_in(step.say))}</p>' if step.say else ""
        return f'<section class="step">{head}{said}<p>{found.problem}</p>{_blank_lines(_FEW_LINES)}</section>'
    hidden = lecture.names_in(step.solution or step.say) - lecture.names_in(step.question)
    said = _with_blanks(step.say, found, hidden)
    question = _with_blanks(step.question, found, hidden) if step.question else _default_question(found)
    picture = _picture(step, found, hidden, given=_text(f"{said} {question}"))
    lines = _MANY_LINES if len(step.solution or found.answer) > _SHORT else _FEW_LINES
    sentence = f'<p class="say">{said}</p>' if said else ""
    return f'<section class="step">{head}{sentence}{picture}<p><b>{question}</b></p>{_blank_lines(lines)}</section>'


def _blank_lines(lines: int) -> str:
    """Return a box with lines to write on."""
    return f'<div class="lines">{"<div></div>" * lines}</div>'


def _with_blanks(words: str, found: StepAnswer, hidden: set[str]) -> str:
    """Return a sentence of a step as HTML with its numbers, and blanks to fill in for the `hidden` ones.

    A NUL character, which no text has, stands for a blank until the rest has been escaped.
    """
    facts = found.facts or {}
    blanks = {name: _NUMBER.sub("\0", facts[name]) for name in hidden & set(facts)}
    blanks = {name: text if "\0" in text else "\0" for name, text in blanks.items()}
    said = with_no_break_spaces(lecture.filled(words, {**facts, **blanks}))
    return said.replace("\0 %", "\0\u00a0%").replace("\0", _BLANK)


def _default_question(found: StepAnswer) -> str:
    """Return the question of a step that has none of its own: the guess that the page asks for, or the page's."""
    panel = found.panel
    return panel.prediction.ask if panel and panel.prediction else found.question_text


def _picture(step: Step, found: StepAnswer, hidden: set[str], given: str) -> str:
    """Return the step's picture if paper can show it; it gives away no answer that the question asks for.

    Where the page asks for a guess, it is what stands there before, with blanks for the numbers that are `hidden`.
    Other pictures have a blank for every number of two digits or more that is not among the words `given`. A number
    that is also an answer, such as 100 times, stays where the word after it is that of the words given: “100 people”.
    """
    if "figure" not in step.show or found.panel is None or found.panel.is_waiting:
        return ""
    prediction = found.panel.prediction
    shown = prediction.covered if prediction else found.panel.on_slide or found.panel.figure
    if shown is None or isinstance(shown, Chart | Table | Cards):
        return ""
    if "<script" in (picture := shown.body()):  # a component whose still picture is a chart
        return ""
    answers = {number for name in hidden for number in _NUMBER.findall((found.facts or {}).get(name, ""))}
    kept, counts = set(_LONG_NUMBER.findall(given)) - answers, _counted(given)

    def with_blank(number: re.Match[str]) -> str:
        is_kept = number[0] not in answers if prediction else number[0] in kept
        counted = _COUNTED.match(number.string, number.start())
        return number[0] if is_kept or (counted and counted.groups() in counts) else _BLANK

    bare = re.sub(r' alt="[^"]*"', ' alt=""', picture)
    parts = re.split(r"(<style[^<]*</style>|<[^<>]*>)", bare, flags=re.DOTALL)
    parts[::2] = [_LONG_NUMBER.sub(with_blank, words) for words in parts[::2]]
    return f'<div class="picture">{"".join(parts)}</div>'


def _counted(words: str) -> set[tuple[str, ...]]:
    """Return each number of two digits or more in a text with the word after it."""
    return {found.groups() for found in _COUNTED.finditer(words)}


def _text(markup: str) -> str:
    return re.sub(r"<[^<>]*>", "", markup)


# --- the solutions -------------------------------------------------------------------------------


def _solution(number: int, step: Step, found: StepAnswer) -> str:
    """Return a step of the solutions: its sentence, question and solution, the figure in words, and the note."""
    facts = found.facts or {}
    parts = [f"<h3>{number}. {escape(found.title)}</h3>"]
    if step.say:
        parts.append(f'<p class="say">{with_no_break_spaces(lecture.filled(step.say, facts))}</p>')
    if found.problem:
        parts.append(f"<p>{found.problem}</p>")
    question = with_no_break_spaces(lecture.filled(step.question, facts)) if step.question else _default_question(found)
    solution = with_no_break_spaces(lecture.filled(step.solution, facts)) if step.solution else found.answer
    if not found.problem:
        parts.append(f"<p><b>{question}</b></p>" if question else "")
        parts.append(f"<p>{solution}</p>" if solution else "")
        parts.append(_in_words(found.panel))
    if found.ignored:
        parts.append(f"<p>{found.ignored}</p>")
    if step.note:
        note = with_no_break_spaces(lecture.filled(step.note, facts))
        parts.append(f'<p class="note"><b>For the speaker:</b> {note}</p>')
    return f'<section class="step">{"".join(parts)}</section>'


def _in_words(panel: Panel | None) -> str:
    """Return the figure of a panel in words if they are few, or as it is if it is a table or has cards."""
    if panel is None:
        return ""
    if isinstance(panel.figure, Table | Cards):
        return f'<div class="picture">{panel.figure.body()}</div>'
    has_words = 0 < len(panel.summary) <= _MOST_IN_WORDS
    return f'<p class="summary">On the screen: {panel.summary}</p>' if has_words else ""


# --- the cards -----------------------------------------------------------------------------------


def _cards(steps: Sequence[tuple[Step, StepAnswer]]) -> str:
    """Return the cards for the first poll of a class, or else for the first of other polls; empty if there is none."""
    polls = [
        (found, config, number)
        for number, (_, found) in enumerate(steps, start=1)
        if (config := card_sheet.poll_of(found.question))
    ]
    polls.sort(key=lambda one: not hasattr(one[0].question, "text"))
    if not polls:
        return ""
    found, config, number = polls[0]
    text = getattr(found.question, "text", "")
    about = f"For a poll by a show of hands as in step {number}, “{escape(text or found.title)}”."
    return f"<p>{about}</p>{card_sheet.sheet(config)}"

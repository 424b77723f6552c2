"""The answers of a class as they arrive and are read: dots in a heap, then in piles, then shares.

The browser animates it (reveal.js), and gets nothing that the screen does not show: until the reveal only how many have
answered, never what.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from pages.kit import numbers
from pages.kit.panel import Component
from pages.topics.poll import join
from pages.topics.poll.question import Question
from privdemo import figures
from privdemo.experiments.poll import Reveal
from privdemo.figures import people
from privdemo.figures import poll as charts

_HERE = Path(__file__).parent
_HTML, _CSS, _JS = ((_HERE / f"reveal.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
# What the hollow dots of a pile are; who knows which answers were changed follows.
CHANCE = "Some turn hollow: as many as chance changes on average. Which ones it changed, "


def heap(question: Question, words: str, places: int | None = None) -> Component:
    """Return how many have answered, as grey dots in one heap, and how to join; `words` describe it.

    The heap has empty places up to so many answers, or else up to those that are expected, if that is known.
    """
    places = places or question.expected
    data = {"frame": "heap", "counts": [question.answered], "expected": places}
    data |= {"marks": [people.encoded(people.ANSWERED)], "head": _head(question), "note": _few_dots_words(question)}
    return _component(question, data, words, lambda: _still_heap(question, places))


def piles(question: Question, found: Reveal, words: str) -> Component:
    """Return the answers as sent: a pile of dots for each, of which some turn hollow, as chance may change any."""
    readings, (each, factor) = found.readings, _dots_of(found.n_answers)
    data = {
        "frame": "piles",
        "counts": [round(r.senders * factor) for r in readings],
        "labels": [f"{r.senders:,}" for r in readings],
        "changed": [round(r.senders * factor * found.changed(r)) for r in readings],
        "note": f"{CHANCE}{'only this simulation knows' if question.truth else 'nobody can see'}. {each}".strip(),
    }
    return _component(question, data, words, lambda: figures.chart(charts.said(found)))


def shares(question: Question, found: Reveal, words: str, truth: Sequence[float] | None = None) -> Component:
    """Return a bar for each answer that slides from its share as sent to the estimate, which has an interval."""
    readings = [
        {
            "said": list(r.reported),
            "estimated": list(r.estimated),
            "said_words": f"{numbers.percent(r.reported.mean)} before correction",
            "estimated_words": numbers.with_range(r.estimated),
            "truth": truth[i] if truth else None,
            "truth_words": numbers.percent(truth[i]) if truth else "",
        }
        for i, r in enumerate(found.readings)
    ]
    among = " among those who followed the wheel" if found.noticed else ""
    note = f"Bar: share{among}, corrected for the changed answers. Box: its 95 % interval."
    note = note if among else note.replace(",", "")
    data = {"frame": "shares", "counts": [found.n_answers], "readings": readings}
    data["note"] = note + (" Horizontal dashes: interval before correction." if truth else "")
    return _component(question, data, words, lambda: figures.chart(charts.corrected(found, truth)))


def _component(question: Question, data: dict[str, Any], words: str, still: Any) -> Component:
    """Return the component for a frame of a poll; `still` makes the picture for reports."""
    answers = question.config.answers
    whole = {
        "poll": sha256(repr((question.text, answers, len(question.rounds))).encode()).hexdigest()[:12],
        "answers": list(answers),
        "marks": [people.encoded(dot) for dot in people.SAID[: len(answers)]] + [people.encoded(people.ANSWERED)],
        "words": words,
        "head": "",
        "expected": None,
    }
    return Component("poll_reveal", _HTML, _CSS, _JS, whole | data, still)


def _dots_of(n: int) -> tuple[str, float]:
    """Return what a dot stands for, and how many dots stand for a person: at most as many dots as can be told apart."""
    most = 1000
    return ("", 1.0) if n <= most else (f"Each dot stands for {n / most:.3g} people.", most / n)


def _few_dots_words(question: Question) -> str:
    return _dots_of(max(question.answered, question.expected or 0))[0]


def _head(question: Question) -> str:
    """Return as HTML how to join, and how many have answered."""
    of = f" of {question.expected:,} simulated people" if question.expected else ""
    have = "has answered" if question.answered == 1 and not of else "have answered"
    rings = " (grey rings: not yet)" if question.answered < (question.expected or 0) else ""
    count = f'<p class="poll-count"><b>{question.answered:,}</b>{of} {have}{rings}</p>'
    return f'<div class="poll-join">{join.picture(question.join)}{count}</div>' if question.join else count


def _still_heap(question: Question, places: int | None) -> str:
    """Return the heap as a picture, and how to join."""
    if not places:
        return _head(question)
    arrived = charts.arrived(question.answered, places)
    return _head(question) + figures.people_html([arrived], charts.ARRIVED_LEGEND, escape(question.text))

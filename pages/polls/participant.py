"""The page that a telephone is sent: one file, in which the coin is tossed, and from which the truth is not sent."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from pathlib import Path

from pages.kit import numbers
from pages.polls.rules import Poll
from privdemo import palette

_FILE = (Path(__file__).parent / "participant.html").read_text(encoding="utf-8")
_PAGE = _FILE.replace("{{purple}}", palette.OTHERS[1].colour)
_SCRIPT, _STYLE = (re.findall(rf"<{tag}>(.*?)</{tag}>", _PAGE, re.DOTALL)[0] for tag in ("script", "style"))
_INPUT = (
    '<label><input type="radio" name="answer" value="{i}" autocomplete="off"><span dir="auto">{words}</span></label>\n'
)


def _digest(part: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'"


POLICY = (
    f"default-src 'none'; script-src {_digest(_SCRIPT)}; style-src {_digest(_STYLE)}; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may do: run its own script, and ask this server."""


def page(poll: Poll) -> str:
    """The page of a poll, as long as it is asked and afterwards."""
    truths, lies = numbers.of_hundred(1 - poll.lie), numbers.of_hundred(poll.lie)
    words = {
        "question": poll.question,
        "code": poll.code,
        "round": poll.round,
        "open": "yes" if poll.is_open else "no",
        "lie": repr(poll.lie),
        "percent": f"{100 * poll.lie:.6g}",
        "truths": truths,
        "lies": lies,
        "other": "the other one" if len(poll.answers) == 2 else "one of the others, each as often,",
        "picture": f"A coin that decides for your answer {truths} times, and for a lie {lies} times.",
    }
    escaped = {name: escape(str(value)) for name, value in words.items()}
    inputs = (_INPUT.format(i=i, words=escape(answer)) for i, answer in enumerate(poll.answers))
    return _filled(escaped | {"answers": "".join(inputs)})


def _filled(words: dict[str, str]) -> str:
    """The page with `words` in it; what looks like a place for words in a question is left as it is."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: words[place[1]], _PAGE)


def note(sentence: str) -> str:
    """A light page that says why there is no poll."""
    return (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>privdemo: no poll</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        '<body style="font-family:sans-serif;margin:2rem">'
        f'<main><h1>No poll here</h1><p role="alert">{escape(sentence)}</p></main></html>'
    )

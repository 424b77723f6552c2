"""Make the page for telephones: one HTML file whose script flips the coin, so that the true answer is never sent."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from html import escape
from pathlib import Path

from pages.kit import numbers
from pages.polls.rules import Poll
from privdemo import limits, palette

_FILE = (Path(__file__).parent / "participant.html").read_text(encoding="utf-8")


def _minified(file: str) -> str:
    """Return the file without indents, comments and spaces in its style and script."""
    lines = re.sub(r"\n(?:\s+|// .*\n)+", "\n", re.sub(r"  // .*| /\* .*? \*/", "", file))
    start, style, rest = re.split(r"(?<=<style>)(.*)(?=</style>)", lines, flags=re.DOTALL)
    text, script = rest.split("<script>")
    tight = re.sub(r" (=>|[=!]==|[-+*=<>?:&|]+) ", r"\1", script)  # sentences have no such sign between spaces
    tidy = re.sub(r"(?<=[{};:,])\s+|[;\s]+(?=[{}])", "", style)
    return f"{start}{tidy}{text}<script>{tight}"


_PAGE = _minified(_FILE).replace("{{purple}}", palette.OTHERS[1].colour)
_SCRIPT, _STYLE = (re.findall(rf"<{tag}>(.*?)</{tag}>", _PAGE, re.DOTALL)[0] for tag in ("script", "style"))
_INPUT = (
    '<label><input type="radio" name="answer" value="{i}" autocomplete="off"><span dir="auto">{words}</span></label>\n'
)


def _digest(part: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'"


_NOTE_STYLE = "body,input,button{font:1.1rem sans-serif}body{margin:2rem}input,button{padding:.6rem}input{width:7em}"
_BOX = (
    '<form action="/p/"><label>Code of the poll <input name="code" required maxlength="9" autocomplete="off" '
    'autocapitalize="characters" spellcheck="false"></label> <button>Go</button></form>'
)
NOTE_POLICY = (
    f"default-src 'none'; style-src {_digest(_NOTE_STYLE)}; img-src data:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""The Content-Security-Policy of a note, which may only send a typed code to this server."""
POLICY = (
    f"default-src 'none'; script-src {_digest(_SCRIPT)}; style-src {_digest(_STYLE)}; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of the page, which may run its own script and send requests to this server."""


def page(poll: Poll) -> str:
    """Return the page of a poll, open or closed."""
    truths, lies = numbers.out_of_100(1 - poll.lie), numbers.out_of_100(poll.lie)
    instead = "the other answer" if len(poll.answers) == 2 else "another answer"
    true_per_100 = _true_by_times_sent(poll.answers, poll.lie)
    words = {
        "question": poll.question,
        "code": poll.code,
        "round": poll.round,
        "open": "yes" if poll.is_open else "no",
        "lie": repr(poll.lie),
        "meant": "|".join(true_per_100),
        "meant_once": true_per_100[0],
        "percent": f"{100 * poll.lie:.6g}",
        "truths": truths,
        "lies": lies,
        "other": "the other one" if len(poll.answers) == 2 else "one of the others, each as often,",
        "picture": f"A coin that decides for your answer {truths} times, and for {instead} {lies} times.",
        "instead": instead,
    }
    escaped = {
        name: escape(str(value), quote=False) for name, value in words.items()
    }  # values within attributes have no quotes
    inputs = (_INPUT.format(i=i, words=escape(answer, quote=False)) for i, answer in enumerate(poll.answers))
    return _fill(escaped | {"answers": "".join(inputs)})


@lru_cache(maxsize=256)
def _true_by_times_sent(answers: tuple[str, ...], lie: float) -> tuple[str, ...]:
    """Return for how many of 100 people who send an answer once, twice, … it is the true one.

    All answers are taken to be equally common in truth.
    """
    from privdemo import attacks  # imported with the first poll, as they need much memory
    from privdemo.experiments.poll import PollConfig

    channel, share = PollConfig(answers, lie).channel, 1 / len(answers)
    times = range(1, int(limits.POLL_ROUNDS.high) + 1)
    return tuple(numbers.out_of_100(float(attacks.repeated_answers(channel, share, n).posterior[n])) for n in times)


def _fill(words: dict[str, str]) -> str:
    """Replace {{names}} in the page by `words`; names within a question are left as they are."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match[1]], _PAGE)


def note(heading: str, sentence: str, reload_after: int = 0, with_box: bool = False) -> str:
    """Return a small page with a sentence; it reloads after `reload_after` seconds, or has a box for a code."""
    refresh = f'<meta http-equiv="refresh" content="{reload_after}">' if reload_after else ""
    return (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{escape(heading)} · privdemo</title>{refresh}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<style>{_NOTE_STYLE}</style><main><h1>{escape(heading)}</h1>"
        f'<p role="alert">{escape(sentence)}</p>{_BOX if with_box else ""}</main></html>'
    )

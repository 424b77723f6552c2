"""The page that a telephone is sent: one file, in which the coin is tossed, and from which the truth is not sent."""

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


def _without_spare_space(file: str) -> str:
    """The file without what is there for those who read it: indents, comments, the spaces of its style and script."""
    lines = re.sub(r"\n(?:\s+|// .*\n)+", "\n", re.sub(r"  // .*| /\* .*? \*/", "", file))
    start, style, rest = re.split(r"(?<=<style>)(.*)(?=</style>)", lines, flags=re.DOTALL)
    text, script = rest.split("<script>")
    tight = re.sub(r" (=>|[=!]==|[-+*=<>?:&|]+) ", r"\1", script)  # no such sign stands by itself in a sentence
    tidy = re.sub(r"(?<=[{};:,])\s+|[;\s]+(?=[{}])", "", style)
    return f"{start}{tidy}{text}<script>{tight}"


_PAGE = _without_spare_space(_FILE).replace("{{purple}}", palette.OTHERS[1].colour)
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
"""What a note may do: send the code that somebody has typed to this server."""
POLICY = (
    f"default-src 'none'; script-src {_digest(_SCRIPT)}; style-src {_digest(_STYLE)}; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may do: run its own script, and ask this server."""


def page(poll: Poll) -> str:
    """The page of a poll, as long as it is asked and afterwards."""
    truths, lies = numbers.out_of_100(1 - poll.lie), numbers.out_of_100(poll.lie)
    meant = _meant(poll.answers, poll.lie)
    words = {
        "question": poll.question,
        "code": poll.code,
        "round": poll.round,
        "open": "yes" if poll.is_open else "no",
        "lie": repr(poll.lie),
        "meant": "|".join(meant),
        "meant_once": meant[0],
        "percent": f"{100 * poll.lie:.6g}",
        "truths": truths,
        "lies": lies,
        "other": "the other one" if len(poll.answers) == 2 else "one of the others, each as often,",
        "picture": f"A coin that decides for your answer {truths} times, and for a lie {lies} times.",
    }
    escaped = {name: escape(str(value), quote=False) for name, value in words.items()}  # no quote is within a tag
    inputs = (_INPUT.format(i=i, words=escape(answer, quote=False)) for i, answer in enumerate(poll.answers))
    return _filled(escaped | {"answers": "".join(inputs)})


@lru_cache(maxsize=256)
def _meant(answers: tuple[str, ...], lie: float) -> tuple[str, ...]:
    """How many mean an answer that they sent once, twice, … in a class in which all answers are equally common."""
    from privdemo import attacks  # loaded once somebody answers, as they need much
    from privdemo.experiments.poll import PollConfig

    channel, share = PollConfig(answers, lie).channel, 1 / len(answers)
    times = range(1, int(limits.POLL_ROUNDS.high) + 1)
    return tuple(numbers.out_of_100(float(attacks.repeated_answers(channel, share, n).posterior[n])) for n in times)


def _filled(words: dict[str, str]) -> str:
    """The page with `words` in it; what looks like a place for words in a question is left as it is."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: words[place[1]], _PAGE)


def note(heading: str, sentence: str, again: int = 0, asks: bool = False) -> str:
    """A light page that says why there is no poll; it tries `again` after seconds, or `asks` for a code."""
    refresh = f'<meta http-equiv="refresh" content="{again}">' if again else ""
    return (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{escape(heading)} · privdemo</title>{refresh}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<style>{_NOTE_STYLE}</style><main><h1>{escape(heading)}</h1>"
        f'<p role="alert">{escape(sentence)}</p>{_BOX if asks else ""}</main></html>'
    )

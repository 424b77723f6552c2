"""Make the page for telephones: one HTML file whose script spins the wheel, so that the true answer is never sent."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import lru_cache
from html import escape
from pathlib import Path

from pages.polls import languages
from pages.polls.rules import Guess, Poll
from privdemo import limits, palette

_FILE, _GUESS_FILE = (
    (Path(__file__).parent / f"{name}.html").read_text(encoding="utf-8") for name in ("participant", "guess")
)


def _minified(file: str) -> str:
    """Return the file without comments, and without the spaces and quotes that its parts can do without."""
    start, style, rest = re.split(r"(?<=<style>)(.*)(?=</style>)", file, flags=re.DOTALL)
    tidy = re.sub(r"(?<=[{};:,])\s+|[;\s]+(?=[{}])|\b0(?=\.\d)", "", style)
    return f"{_minified_html(start)}{tidy}{_minified_body(rest)}"


def _minified_body(part: str) -> str:
    """Return HTML that ends with a script without what both can do without."""
    lines = re.sub(r"\n(?:\s+|// .*\n)+", "\n", re.sub(r"  // .*| /\* .*? \*/", "", part))
    text, script = lines.split("<script>")
    code, end = script.split("</script>")
    return f"{_minified_html(text)}<script>{_minified_script(code)}</script>{end}"


def _minified_html(text: str) -> str:
    """Return HTML without the quotes and lines that it can do without; nothing in it depends on spaces between tags."""
    return re.sub(r'="([\w-]+)"(?=[ >])', r"=\1", text).replace(">\n<", "><")


def _minified_script(code: str) -> str:
    """Return a script without the spaces outside of its strings that it can do without; its statements end with ;."""
    parts = re.split(r'("[^"]*"|`[^`]*`)', code)
    tight = (re.sub(r"\s*([^\w\s$])\s*", r"\1", part).replace(";}", "}") for part in parts[::2])
    parts[::2] = [re.sub(r"\((\w+)\)=>", r"\1=>", part) for part in tight]
    return "".join(parts).strip()


_MINIFIED = _minified(_FILE).replace("{{purple}}", palette.OTHERS[1].colour)
# The keys of what the script says, `text.key`; in the page it is a list.
_SAID = sorted(set(re.findall(r"\btext\.(\w+)", _MINIFIED)))
_PAGE, _GUESS = (
    re.sub(r"\btext\.(\w+)", lambda match: f"text[{_SAID.index(match[1])}]", one)
    for one in (_MINIFIED, _minified_body(_GUESS_FILE).strip())
)
_SCRIPT, _STYLE = (re.findall(rf"<{tag}>(.*?)</{tag}>", _PAGE, re.DOTALL)[0] for tag in ("script", "style"))
_GUESS_SCRIPT = re.findall(r"<script>(.*?)</script>", _GUESS, re.DOTALL)[0]
# The sentences that stand in the page, and in the form of a guess, as they are.
_FIXED = languages.KEYS.intersection(re.findall(r"{{(\w+)}}", _PAGE + _GUESS))
_OPTION = "<label><input type=radio name=guess value={} required autocomplete=off><span dir=auto>{}</span></label>"
_NUMBER = (
    "<label><input type=number min={low} max={high} step={step} required inputmode=decimal autocomplete=off>"
    "<span>{low} – {high}{unit}</span></label>"
)
_INPUT = "<label><input type=radio name=answer autocomplete=off><span dir=auto>{}</span></label>"


def _digest(part: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() + "'"


_NOTE_STYLE = "body,input,button{font:1.1rem sans-serif}body{margin:2rem}input,button{padding:.6rem}input{width:7em}"
_BOX = (
    '<form action="/p/"><label>{code} <input name="code" required maxlength="9" autocomplete="off" '
    'autocapitalize="characters" spellcheck="false"></label> <button>{go}</button></form>'
)
NOTE_POLICY = (
    f"default-src 'none'; style-src {_digest(_NOTE_STYLE)}; img-src data:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""The Content-Security-Policy of a note, which may only send a typed code to this server."""
POLICY = (
    f"default-src 'none'; script-src {_digest(_SCRIPT)} {_digest(_GUESS_SCRIPT)}; style-src {_digest(_STYLE)}; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of the page, which may run its own script, and that of a guess, and ask this server."""


def page(poll: Poll, language: str) -> str:
    """Return the page of a poll, open or closed, in a language; the question and its answers stay as they are."""
    two = len(poll.answers) == 2
    true_of_100 = [languages.people_of_100(share, language) for share in _true_by_times_sent(poll.answers, poll.lie)]
    sentences = {
        **{key: languages.template(language, key) for key in _FIXED},
        "intro": languages.sentence(language, "intro_two" if two else "intro_more"),
        "share_other": languages.sentence(language, "share_two" if two else "share_more"),
        "meant": languages.sentence(language, "meant", people=true_of_100[0]),
    }
    values = {
        "language": language,
        "question": poll.question,
        "code": poll.code,
        "round": poll.round,
        "open": "yes" if poll.is_open else "no",
        "lie": repr(poll.lie),
        "meant_each": "|".join(true_of_100),
        "hundredths": f"{100 * poll.lie:.6g}",
        "own": languages.percent(1 - poll.lie, language),
        "other": languages.percent(poll.lie, language),
    }
    escaped = {
        name: _text(str(value)) for name, value in (sentences | values).items()
    }  # values within attributes have no quotes
    inputs = (_INPUT.format(_text(answer)) for answer in poll.answers)
    said = json.dumps([languages.template(language, key) for key in _SAID], ensure_ascii=False, separators=(",", ":"))
    return _fill(_PAGE, escaped | {"answers": "".join(inputs), "words": said.replace("<", "\\u003c")})


def guess(wanted: Guess, number: int, language: str) -> str:
    """Return the form for a guess of this number, with its script, as HTML that the page of a poll takes in.

    Its options, or the unit of a number, are in the telephone's language if the table has all of them, else in English.
    """
    unit = wanted.unit.lstrip()
    spoken, words = languages.guessed(language, wanted.options or (unit,))
    if wanted.options:
        fields = "".join(_OPTION.format(i, _text(option)) for i, option in enumerate(words))
    else:
        ends = {name: f"{getattr(wanted, name):.12g}" for name in ("low", "high", "step")}
        fields = _NUMBER.format(**ends, unit=_text(wanted.unit.removesuffix(unit) + words[0]))
    values = {
        "number": str(number),
        "words": _text(wanted.words),
        "fields": fields,
        "fields_language": spoken,
    }
    return _fill(_GUESS, {key: _text(languages.template(language, key)) for key in _FIXED} | values)


def _text(words: str) -> str:
    """Return words as the text of an element in HTML; “&” is escaped only where something could begin with it."""
    return re.sub(r"&amp;(?![A-Za-z0-9#])", "&", escape(words, quote=False))


@lru_cache(maxsize=256)
def _true_by_times_sent(answers: tuple[str, ...], lie: float) -> tuple[float, ...]:
    """Return the share of people who send an answer once, twice, … for whom it is the true one.

    All answers are taken to be equally common in truth.
    """
    from privdemo import attacks  # imported with the first poll, as they need much memory
    from privdemo.experiments.poll import PollConfig

    channel, share = PollConfig(answers, lie).channel, 1 / len(answers)
    times = range(1, int(limits.POLL_ROUNDS.high) + 1)
    return tuple(float(attacks.repeated_answers(channel, share, n).posterior[n]) for n in times)


def _fill(page: str, words: dict[str, str]) -> str:
    """Replace {{names}} in a page by `words`; names within a question are left as they are."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match[1]], page)


def note(language: str, heading: str, sentence: str, reload_after: int = 0, with_box: bool = False) -> str:
    """Return a small page in a language with a sentence; `heading` is the key of another one.

    It reloads after `reload_after` seconds, or has a box for a code.
    """
    title = escape(languages.sentence(language, heading))
    refresh = f'<meta http-equiv="refresh" content="{reload_after}">' if reload_after else ""
    labels = {key: escape(languages.sentence(language, key)) for key in ("code", "go")}
    return (
        f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8"><title>{title} · privdemo</title>{refresh}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<style>{_NOTE_STYLE}</style><main><h1>{title}</h1>"
        f'<p role="alert">{escape(sentence)}</p>{_BOX.format(**labels) if with_box else ""}</main></html>'
    )

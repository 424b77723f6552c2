"""Make the page for telephones: one HTML file whose script spins the wheel, so that the true answer is never sent."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from pathlib import Path

from pages.kit import numbers
from pages.polls import languages
from pages.polls.rules import Guess, Poll
from privdemo import limits, palette
from privdemo.mechanisms import RandomisedResponse

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


def _of_check(check: str) -> str:
    """Return the file with the lines of polls with a check, "" for none; a mark at a line's end says whose it is."""

    def kept(line: re.Match[str]) -> str:
        return f"{line[1]}\n" if (check or "plain") in line[2].split(", ") else ""

    return re.sub(r"(.*?) *(?://|<!--) only ([a-z, ]+?)(?: -->)?\n", kept, _FILE)


def _said(page: str) -> list[str]:
    """Return the keys of what a script says, `text.key`."""
    return sorted(set(re.findall(r"\btext\.(\w+)", page)))


def _with_numbers(page: str, keys: Sequence[str]) -> str:
    """Return a page whose script finds what it says in a list."""
    return re.sub(r"\btext\.(\w+)", lambda match: f"text[{keys.index(match[1])}]", page)


def _only(tag: str, page: str) -> str:
    return re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[0]


# Those of `PollConfig`, which needs much memory.
_CHECKS = ("", "halves", "control")
_MINIFIED = {check: _minified(_of_check(check)).replace("{{purple}}", palette.OTHERS[1].colour) for check in _CHECKS}
# The keys of what each page says, in the order of its list: first those of every page, which the form of a guess knows.
_EVERY = _said(_MINIFIED[""])
_SAID = {check: [*_EVERY, *sorted({*_said(page)} - {*_EVERY})] for check, page in _MINIFIED.items()}
_PAGES = {check: _with_numbers(page, _SAID[check]) for check, page in _MINIFIED.items()}
_GUESS = _with_numbers(_minified_body(_GUESS_FILE).strip(), _EVERY)
# The sentences that stand in a page, and in the form of a guess, as they are.
_FIXED = languages.KEYS.intersection(re.findall(r"{{(\w+)}}", "".join(_PAGES.values()) + _GUESS))
_OPTION = "<label><input type=radio name=guess value={} required autocomplete=off><span dir=auto>{}</span></label>"
_NUMBER = (
    "<label><input type=number min={low} max={high} step={step} required inputmode=decimal autocomplete=off>"
    "<span>{low} – {high}{unit}</span></label>"
)
_INPUT = "<label><input type=radio name={} autocomplete=off><span dir=auto>{}</span></label>"
_STRIPES = '<circle{} r=25 stroke=url(#stripes) pathLength=100 stroke-dasharray="{:.6g} 100"/>'


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
POLICIES = {
    check: f"default-src 'none'; script-src {_digest(_only('script', page))} {_digest(_only('script', _GUESS))}; "
    f"style-src {_digest(_only('style', page))}; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
    for check, page in _PAGES.items()
}
"""The Content-Security-Policy of each check's page, which may run its own script, and that of a guess, and ask this
server.
"""


def page(poll: Poll, language: str) -> str:
    """Return the page of a poll, open or closed, in a language; the question and its answers stay as they are."""
    from privdemo.experiments.poll import PollConfig  # imported with the first poll, as it needs much memory

    two, lies = len(poll.answers) == 2, PollConfig(poll.answers, poll.lie, poll.check).lies
    true_of_100 = [
        [languages.people_of_100(share, language) for share in _true_by_times_sent(poll.answers, lie)] for lie in lies
    ]
    sentences = {
        **{key: languages.template(language, key) for key in _FIXED},
        "intro": languages.sentence(language, "intro_two" if two else "intro_more"),
        "share_other": languages.sentence(language, "share_two" if two else "share_more"),
    }
    values = {
        "language": language,
        "question": poll.question,
        "code": poll.code,
        "round": poll.round,
        "open": "yes" if poll.is_open else "no",
        "lie": ";".join(map(repr, lies)),
        "meant_each": ";".join(map("|".join, true_of_100)),
    }
    others = [languages.percent(lie, language) for lie in lies]
    escaped = {
        name: _text(str(value)) for name, value in (sentences | values).items()
    }  # values within attributes have no quotes
    losses = [RandomisedResponse(lie, len(poll.answers)).epsilon for lie in lies]
    parts = {
        "answers": _inputs("answer", poll.answers),
        "control_answers": _inputs(
            "control", [languages.template(language, f"control_{one}") for one in ("yes", "no")]
        ),
        "stripes": "".join(_STRIPES.format(half, 100 * lie) for half, lie in zip(_halves(lies), lies, strict=True)),
        "own": _by_half([languages.percent(1 - lie, language) for lie in lies], "b"),
        "other": _by_half(others, "b"),
        "meant": escaped["meant"].format(people=_by_half([people[0] for people in true_of_100])),
        "halves": escaped["halves"].format(first=others[0], second=others[-1]),
        "loss": escaped["loss"].format(
            factor=_by_half([languages.decimal(numbers.factor(loss), language) for loss in losses]),
            epsilon=_by_half([languages.decimal(numbers.epsilon(loss), language) for loss in losses]),
        ),
    }
    said = json.dumps(
        [languages.template(language, key) for key in _SAID[poll.check]], ensure_ascii=False, separators=(",", ":")
    )
    return _fill(_PAGES[poll.check], escaped | parts | {"words": said.replace("<", "\\u003c")})


def _inputs(name: str, answers: Sequence[str]) -> str:
    return "".join(_INPUT.format(name, _text(answer)) for answer in answers)


def _halves(of: Sequence[object]) -> Sequence[str]:
    """Return the class of what is said to each half of the telephones; its script removes that of the other half."""
    return [" class=h0", " class=h1"] if len(of) > 1 else [""]


def _by_half(words: Sequence[str], tag: str = "") -> str:
    """Return words as HTML in a tag, if any, of two halves those of each."""
    if len(words) == 1 and not tag:
        return _text(words[0])
    tag = tag or "span"
    return "".join(f"<{tag}{half}>{_text(one)}</{tag}>" for half, one in zip(_halves(words), words, strict=True))


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

    channel, share = RandomisedResponse(lie, len(answers)).one_against_rest, 1 / len(answers)
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

"""Write a lesson as one HTML file: the app's own components, and everything that Python computed for them."""

from __future__ import annotations

import base64
import json
import tomllib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from pages.kit import style
from pages.kit.numbers import with_no_break_spaces
from pages.kit.panel import Prediction
from pages.kit.predictions import GUESS_BUTTON, SHOW_BUTTON, number_text, result_html
from privdemo import __version__

_HERE = Path(__file__).parent
_THEME = Path(__file__).parents[2] / ".streamlit" / "config.toml"
# What every lesson begins with, by which it is known.
MARK = '<meta name="generator" content="privdemo lessons">'
# Nothing is fetched: the addresses of data are the data itself.
_POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'unsafe-inline'; img-src data:; connect-src data:; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class Lesson:
    """A lesson: its `title` and `question`, two or three sentences, and its parts.

    `body` is HTML with a place for each component, by the name that `data-component` holds; `components` are the files
    of these, and `script`, which renders them with `data`, is a JavaScript file of this folder. `source` says where
    data comes from.
    """

    title: str
    question: str
    introduction: str
    body: str
    components: Mapping[str, Mapping[str, str]]
    script: str
    data: Mapping[str, Any]
    source: str = ""


def document(lesson: Lesson) -> str:
    """Return a lesson as one HTML page."""
    script = _script(lesson)
    policy = _POLICY.format(script=base64.b64encode(sha256(script.encode()).digest()).decode())
    data = {**lesson.data, "components": {name: _markup(files) for name, files in lesson.components.items()}}
    packed = base64.b64encode(zlib.compress(json.dumps(data, ensure_ascii=False).encode(), 9)).decode()
    source = f" {lesson.source}" if lesson.source else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{MARK}
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(lesson.title)} · privdemo</title>
{style.SHEET}
<style>{_theme()}{_read("lesson.css")}</style>
</head>
<body>
<main>
<p class="title">{escape(lesson.title)}</p>
<h1>{escape(lesson.question)}</h1>
<p class="introduction">{escape(lesson.introduction)}</p>
<noscript><p>This lesson needs JavaScript, which does not run here.</p></noscript>
<p id="problem" role="alert" hidden>This browser is too old for the lesson: it cannot unpack the numbers.</p>
<div id="lesson" hidden>{lesson.body}</div>
<footer>A lesson of the Python package privdemo {escape(__version__)}. The file is complete: it fetches nothing, and
sends nothing to anybody.{source}</footer>
</main>
<script type="text/plain" id="packed">{packed}</script>
<script>{script}</script>
</body>
</html>
"""


def _script(lesson: Lesson) -> str:
    """Return the JavaScript of a lesson: that of its components, that of all lessons, and its own."""
    components = ",\n".join(f"{name}: {_function(files['js'])}" for name, files in lesson.components.items())
    return f'"use strict";\nconst components = {{\n{components}\n}};\n{_read("host.js")}{_read(lesson.script)}'


def _function(module: str) -> str:
    """Return an expression for the function that a component's module exports: Streamlit calls the same function.

    A module cannot be imported into a page that was opened from a file.
    """
    before, export, after = module.partition("export default ")
    if not export or "export " in after:
        raise ValueError("a component's JavaScript must export one function")
    return f"(() => {{\n{before}return {after}\n}})()"


def _markup(files: Mapping[str, str]) -> dict[str, str]:
    return {kind: files.get(kind, "") for kind in ("html", "css")}


def _theme() -> str:
    """Return the colours of the app by day and by night, under the names that Streamlit gives them."""
    theme = tomllib.loads(_THEME.read_text(encoding="utf-8"))["theme"]
    names = {
        "primaryColor": "primary",
        "backgroundColor": "background",
        "secondaryBackgroundColor": "secondary-background",
        "textColor": "text",
    }
    colours = "".join(
        f"--st-{name}-color: light-dark({theme['light'][key]}, {theme['dark'][key]}); " for key, name in names.items()
    )
    return f":root {{ color-scheme: light dark; {colours}}}\n"


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def place(name: str, component: str) -> str:
    """Return the HTML of the place of a component, whose id is `name`."""
    return f'<div id="{name}" data-component="{component}"></div>'


def address(content: bytes) -> str:
    """Return an address that is the content itself."""
    return f"data:application/octet-stream;base64,{base64.b64encode(content).decode()}"


# --- a guess before the answer -------------------------------------------------------------------


def guess_html(asked: Prediction) -> str:
    """Return as HTML the question of a prediction of a number, its control, and the place of the result."""
    last = len(_guesses(asked)) - 1
    label = escape(asked.label.strip("*"))
    return f"""<p class="takeaway" id="takeaway" tabindex="-1" aria-live="polite">{with_no_break_spaces(asked.ask)}</p>
<form id="guess">
<label for="guess-number">{label}</label><output for="guess-number"></output>
<input type="range" id="guess-number" min="0" max="{last}" value="{last // 2}">
<p class="buttons"><button class="main">{GUESS_BUTTON}</button><button type="button">{SHOW_BUTTON}</button></p>
</form>
<div id="guessed" tabindex="-1" hidden></div>"""


def guess_data(asked: Prediction) -> dict[str, list[str]]:
    """Return how each guess is written, and what is said of it."""
    guesses = _guesses(asked)
    return {
        "texts": [number_text(guess, asked.scale) for guess in guesses],
        "results": [result_html(asked, guess) for guess in guesses],
    }


def _guesses(asked: Prediction) -> list[float]:
    """Return every number that can be guessed."""
    scale = asked.scale
    return [scale.low + i * scale.step for i in range(round((scale.high - scale.low) / scale.step) + 1)]

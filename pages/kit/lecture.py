"""Read and write lectures, which are steps through the pages: as TOML files, and as the text of a link."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from pages.kit import settings as page_settings
from pages.kit import toml_files
from pages.kit.settings import Setting
from pages.kit.toml_files import LinkSettings, check_line
from privdemo import limits
from privdemo.toml_text import parse, shortened

SHOW = ("takeaway", "figure", "guess", "control")
# In a link each part is its initial, so all initials differ, and none may change.
_INITIALS = {part[0]: part for part in SHOW}
assert len(_INITIALS) == len(SHOW)
MOST_STEPS = 50
_MINUTES = limits.Limit("minutes", 1, 600, integer=True)
# The most characters of a title or another name, of a sentence to say, and of a note, a question or its solution.
_MOST_NAME, _MOST_SAY, _MOST_NOTE = 120, 300, 1000
# The first character of a lecture in a link: the version of its format.
_FORMAT = "1"
# The most characters of a lecture in a link, and of its JSON.
_MOST_LINK, _MOST_JSON = int(limits.LINK_LENGTH.high) - 1000, 100_000
_STEP_KEYS = ("page", "say", "show", "control", "note", "question", "solution", "settings")
# The texts of a step that no slide shows. In a link they come last, and empty ones at the end are left out.
_OPTIONAL = ("note", "question", "solution")
_LECTURE_KEYS = ("title", "audience", "summary", "minutes", "step")
_SHIPPED = Path(__file__).parents[1] / "lectures"
# Shipped lectures that come first, from the one for most people to that for specialists; others follow by name.
_FIRST = ("randomised-response", "what-does-privacy-cost", "from-lies-to-learning")


@dataclass(frozen=True)
class Step:
    """One screen: a `page` by its address, its `settings` as in a link, a sentence to `say`, and the parts to `show`.

    The sentence may hold numbers of the page by their names, such as “{estimate}”. The `note` is for the speaker alone.
    A hand-out asks the `question`, and prints its `solution` and the note on another page; each may hold numbers by
    name.
    `control` is the key of the one setting that can be changed; it is set exactly if "control" is among `show`. If
    "guess" is among `show`, the figure waits for a guess, where the page asks for one. Raise ``ValueError`` for invalid
    values.
    """

    page: str
    settings: LinkSettings = field(default_factory=dict, hash=False)
    say: str = ""
    show: tuple[str, ...] = ("takeaway", "figure")
    control: str = ""
    note: str = ""
    question: str = ""
    solution: str = ""

    def __post_init__(self) -> None:
        check_line("page", self.page, _MOST_NAME, 0)
        toml_files.check_settings(self.settings)
        check_line("say", self.say, _MOST_SAY, 0)
        for name in _OPTIONAL:
            check_line(name, getattr(self, name), _MOST_NOTE, 0)
        check_line("control", self.control, _MOST_NAME, 0)
        shown = self.show if isinstance(self.show, tuple) else ()
        if not shown or any(part not in SHOW or shown.count(part) > 1 for part in shown):
            got = list(shown) or self.show
            raise ValueError(f"show must be a list of some of {', '.join(SHOW)}, each once, got {shortened(got)}")
        if ("control" in self.show) != bool(self.control):
            raise ValueError(
                "control must name the setting that can be changed if show holds “control”, and be empty otherwise"
            )


@dataclass(frozen=True)
class Lecture:
    """A list of steps for an audience, with the `minutes` it takes, and what it is about in one sentence.

    Raise ``ValueError`` for invalid values.
    """

    title: str
    audience: str
    minutes: int
    steps: tuple[Step, ...]
    summary: str = ""

    def __post_init__(self) -> None:
        check_line("title", self.title, _MOST_NAME)
        check_line("audience", self.audience, _MOST_NAME, 0)
        check_line("summary", self.summary, _MOST_SAY, 0)
        _MINUTES.check(self.minutes)
        if not 1 <= len(self.steps) <= MOST_STEPS:
            raise ValueError(f"a lecture must have 1 to {MOST_STEPS} steps, got {len(self.steps)}")


def problems(step: Step, settings: Iterable[Setting]) -> dict[str, str]:
    """Return what is wrong with the settings of a step and with its control, by key, on a page of these `settings`."""
    known = list(settings)
    given = {key: value if isinstance(value, tuple) else (value,) for key, value in step.settings.items()}
    found = page_settings.problems(known, given)
    if step.control and step.control not in {setting.key for setting in known}:
        found[step.control] = (
            f"{page_settings.as_code_span(step.control)} cannot be changed in this step: the page has no such setting."
        )
    return found


def check_pages(lecture: Lecture, pages: Iterable[str]) -> None:
    """Raise ``ValueError`` for the first step whose page is not one of `pages`, which are addresses."""
    known = list(pages)
    for number, step in enumerate(lecture.steps, start=1):
        if step.page not in known:
            listed = ", ".join(page or "“” (home)" for page in known)
            raise ValueError(f"step {number}: page must be one of {listed}, got {shortened(step.page)}")


_NAME = re.compile(r"\{(\w+)\}")


def names_in(words: str) -> set[str]:
    """Return the names of numbers that stand in braces."""
    return set(_NAME.findall(words))


def filled(words: str, facts: Mapping[str, str]) -> str:
    """Return a sentence of a step as HTML, with the numbers whose names stand in braces; “…” for an unknown name."""
    return _NAME.sub(lambda name: f"<b>{escape(facts.get(name[1], '…'))}</b>", escape(words))


# --- as a file -----------------------------------------------------------------------------------


def read(content: bytes | str) -> Lecture:
    """Read a lecture from TOML. Raise ``ValueError`` with a sentence that names the step, the key and the value."""
    table = parse(content, "a lecture")
    if "page" in table:
        raise ValueError("this is a saved setting: open it in the menu “More”")
    toml_files.check_keys(table, _LECTURE_KEYS, "a lecture")
    return _lecture(table)


def _lecture(table: Mapping[str, Any]) -> Lecture:
    """Return a lecture from the values of a file or a link. Raise ``ValueError`` if any is missing or wrong."""
    _check_required(table, ("title", "minutes"), "a lecture")
    rows = table.get("step", [])
    if not isinstance(rows, list):
        raise ValueError(f"step must be a list of tables, each [[step]], got {shortened(rows)}")
    if len(rows) > MOST_STEPS:
        raise ValueError(f"a lecture must have 1 to {MOST_STEPS} steps, got {len(rows)}")
    steps = tuple(_step(number, row) for number, row in enumerate(rows, start=1))
    return Lecture(table["title"], table.get("audience", ""), table["minutes"], steps, table.get("summary", ""))


def _step(number: int, row: Any) -> Step:
    try:
        if not isinstance(row, dict):
            raise ValueError(f"it must be a table, got {shortened(row)}")
        toml_files.check_keys(row, _STEP_KEYS, "a step")
        _check_required(row, ("page",), "a step")
        given: dict[str, Any] = dict(row)
        if "settings" in given:
            given["settings"] = toml_files.settings_from_toml(given["settings"])
        if isinstance(given.get("show"), list):
            given["show"] = tuple(given["show"])
        return Step(**given)
    except ValueError as error:
        raise ValueError(f"step {number}: {error}") from None


def _check_required(table: Mapping[str, Any], needed: Iterable[str], what: str) -> None:
    """Raise ``ValueError`` for the first of the `needed` keys that is missing."""
    if missing := [key for key in needed if key not in table]:
        raise ValueError(f"{what} must have {missing[0]}")


def to_toml(lecture: Lecture) -> str:
    """Write a lecture as TOML, from which `read` makes the same one."""
    summary = {"summary": lecture.summary} if lecture.summary else {}
    head = {"title": lecture.title, "audience": lecture.audience, **summary, "minutes": lecture.minutes}
    blocks = ["\n".join(toml_files.pairs(head))]
    for step in lecture.steps:
        row = {key: getattr(step, key) for key in _STEP_KEYS if key != "settings"}
        row = {key: value for key, value in row.items() if value or key not in (*_OPTIONAL, "control")}
        lines = ["[[step]]", *toml_files.pairs(row)]
        if step.settings:
            lines += ["[step.settings]", *toml_files.pairs(toml_files.settings_to_toml(step.settings))]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


@cache
def shipped() -> dict[str, Lecture]:
    """Return the lectures that are shipped with the app, by the names of their files."""
    names = sorted(file.stem for file in _SHIPPED.glob("*.toml"))
    names = sorted(names, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    return {name: read((_SHIPPED / f"{name}.toml").read_bytes()) for name in names}


# --- in a link -----------------------------------------------------------------------------------


def to_link(lecture: Lecture) -> str:
    """Write a lecture with letters, digits, - and _, from which `from_link` makes the same one."""
    steps = [
        [
            step.page,
            dict(step.settings),
            step.say,
            "".join(part[0] for part in step.show),
            step.control,
            *_without_empty_end([getattr(step, name) for name in _OPTIONAL]),
        ]
        for step in lecture.steps
    ]
    parts = [lecture.title, lecture.audience, lecture.minutes, steps, *([lecture.summary] if lecture.summary else [])]
    whole = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return _FORMAT + base64.urlsafe_b64encode(zlib.compress(whole.encode(), 9)).decode().rstrip("=")


def _without_empty_end(texts: list[str]) -> list[str]:
    """Return the texts up to the last that is not empty."""
    return texts[: max((i for i, text in enumerate(texts, start=1) if text), default=0)]


def from_link(text: str) -> Lecture:
    """Read a lecture from a link. Raise ``ValueError`` with a sentence if the link is incomplete or changed."""
    limits.check_length("the link of a lecture", text, _MOST_LINK)
    letters = "".join(text.split())  # mail programs break long lines
    if not letters.startswith(_FORMAT):
        raise ValueError("this is not the link of a lecture, or one of a newer version")
    try:
        whole = json.loads(_unpacked(letters[len(_FORMAT) :]))
        title, audience, minutes, rows, *more = whole
        (summary,) = more or [""]
        steps = [_named(row) for row in rows]
        for step in steps:
            step["show"] = [_INITIALS[letter] for letter in step["show"]]
    except (ValueError, TypeError, LookupError, RecursionError, zlib.error, binascii.Error):
        raise ValueError("the link of this lecture is damaged: a part of it is missing, or has been changed") from None
    return _lecture({"title": title, "audience": audience, "summary": summary, "minutes": minutes, "step": steps})


def _named(row: list[Any]) -> dict[str, Any]:
    """Return the values of a step in a link by their names; those that no slide shows may be missing."""
    names = ("page", "settings", "say", "show", "control", *_OPTIONAL)
    if not len(names) - len(_OPTIONAL) <= len(row) <= len(names):
        raise ValueError("a step has another number of values")
    return dict(zip(names, row, strict=False))


def _unpacked(letters: str) -> bytes:
    """Decode and decompress a text. Raise ``ValueError`` if the content is too long or incomplete."""
    raw = base64.b64decode(letters + "=" * (-len(letters) % 4), altchars=b"-_", validate=True)
    stream = zlib.decompressobj()
    content = stream.decompress(raw, _MOST_JSON)
    if not stream.eof or stream.unused_data:
        raise ValueError("it is too long, or not whole")
    return content

"""Define the settings of pages: each has a key in the address, a range or options, and a default."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pages.kit.numbers import escape_markdown
from privdemo import limits
from privdemo.limits import Limit


@dataclass(frozen=True)
class Number:
    """A number within a `limit`, which its computation checks too; `step` and `help` are options of its control.

    With `set_by_audience`, the audience of a lecture supplies the number: it stays as it is from one step to the next
    on the same page, if both steps give it the same value or none.
    """

    key: str
    limit: Limit
    default: float
    label: str = ""
    step: float = 1
    help: str | None = None
    set_by_audience: bool = False

    def problem(self, raw: Sequence[str]) -> str | None:
        """Return what is wrong with the values in an address, or None."""
        try:
            if not re.fullmatch(r"[-+.0-9eE]+", raw[-1]):  # int() and float() accept more than a link needs
                raise ValueError(raw[-1])
            number: float = int(raw[-1]) if self.limit.integer else float(raw[-1])
            self.limit.check(number)
        except ValueError:
            kind = "a whole number " if self.limit.integer else ""
            return (
                f"{as_code_span(self.key, raw)} was ignored: it must be {kind}{self.limit.range_text}. "
                f"The default, {self.default:g}, is shown."
            )
        return None

    def value(self, raw: Sequence[str]) -> float:
        """Return the number for valid values of an address."""
        return int(raw[-1]) if self.limit.integer else float(raw[-1])


@dataclass(frozen=True)
class Choice:
    """One of some options, or with `many` at least `least` of them; the address holds the options themselves.

    `hints_by_value` explain values that are not among the options, `hints_by_key` other keys that visitors write
    instead of this one; a hint is a sentence that follows the note on what was ignored. Without `in_link` a setting is
    in no link, as its options may be words of a visitor's own. `set_by_audience` is as in `Number`. `shown` holds the
    words on screen of options that are called otherwise in links.
    """

    key: str
    options: tuple[str, ...]
    default: Any
    label: str = ""
    many: bool = False
    least: int = 1
    hints_by_value: Mapping[str, str] = field(default_factory=dict, hash=False)
    in_link: bool = True
    hints_by_key: Mapping[str, str] = field(default_factory=dict, hash=False)
    set_by_audience: bool = False
    shown: Mapping[str, str] = field(default_factory=dict, hash=False)

    def on_screen(self, option: str) -> str:
        """Return what an option is called on screen."""
        return self.shown.get(option, option)

    def problem(self, raw: Sequence[str]) -> str | None:
        """Return what is wrong with the values in an address, or None."""
        known = all(value in self.options for value in raw)
        if known and (self.least <= len(set(raw)) if self.many else len(raw) == 1):
            return None
        wanted = f"at least {self.least} of" if self.many else "one of"
        more = "".join(f" {self.hints_by_value[value]}" for value in raw if value in self.hints_by_value)
        default = (
            f", {self.on_screen(self.default)}," if isinstance(self.default, str) else ""
        )  # several defaults are too long to repeat
        listed = _listed(map(self.on_screen, self.options))
        start = f"{as_code_span(self.key, raw)} was ignored: it must be {wanted} {listed}."
        return f"{start} The default{default} is shown.{more}"

    def options_in(self, raw: Sequence[str]) -> list[str]:
        """Return the options that the values of an address name, as in links or as on screen.

        A value that lists several options, as “0,1,2”, is split at the commas. A value that names none stays as it is.
        """
        named = {self.on_screen(option): option for option in self.options} | {one: one for one in self.options}
        found = []
        for value in raw:
            parts = [part.strip() for part in value.split(",")]
            lists = self.many and value not in named and set(named).issuperset(parts)
            found += [named.get(part, part) for part in (parts if lists else [value])]
        return found

    def value(self, raw: Sequence[str]) -> Any:
        """Return the option, or the list of options, for valid values of an address."""
        return list(raw) if self.many else raw[0]


@dataclass(frozen=True)
class Words:
    """A text; `parse` returns what it stands for, or raises ``ValueError`` with a sentence if it is invalid."""

    key: str
    parse: Callable[[str], Any]
    default: str
    label: str = ""
    help: str | None = None

    def problem(self, raw: Sequence[str]) -> str | None:
        """Return what is wrong with the values in an address, or None."""
        try:
            limits.check_length("it", raw[-1], limits.LINK_LENGTH.high)
            self.parse(raw[-1])
        except ValueError as error:
            shown = f"The default, {self.default}, is shown." if self.default else "Everything else was used."
            return f"{as_code_span(self.key, raw)} was ignored: {escape_markdown(str(error))}. {shown}"
        return None

    def value(self, raw: Sequence[str]) -> str:
        """Return the text for valid values of an address."""
        return raw[-1]


Setting = Number | Choice | Words


# Help for settings that several topics have.
WHAT_TWO_LIES_DO = "Both 0: everyone is honest. Sum 1: answers carry no information."
EPSILON_HELP = (
    "With one person's label changed, the chance of any outcome becomes at most e^ε times as large, plus δ. Slide to a "
    "common value, or type any number."
)
DELTA_HELP = (
    "The chance that the promise fails: at worst, so often a release gives a label away. It should be below "
    "one over the number of people; the paper takes 0.05."
)


def label_and_key(setting: Setting) -> str:
    """Return the name of a setting in a list: its label, and its key in the address."""
    return f"{setting.label} ({setting.key})" if setting.label else setting.key


def problems(settings: Iterable[Setting], address: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return what is wrong with each parameter of an address by key: unknown, or invalid. Valid ones are left out."""
    known = {s.key: s for s in settings if not isinstance(s, Choice) or s.in_link}
    hints = {key: words for s in known.values() if isinstance(s, Choice) for key, words in s.hints_by_key.items()}
    found = {
        key: known[key].problem(raw)
        if key in known
        else f"{as_code_span(key)} was ignored: this page has no such setting.{hints.get(key, '')}"
        for key, raw in address.items()
    }
    return {key: problem for key, problem in found.items() if problem}


def _listed(options: Iterable[str]) -> str:
    """Join options: “a”, “b”."""
    return ", ".join(f"“{option}”" for option in options)


def as_code_span(key: str, raw: Sequence[str] | None = None) -> str:
    """Return words of a link as a Markdown code span, in which no Markdown of theirs has an effect."""
    words = key if raw is None else f"{key}={', '.join(raw)}"
    plain = "".join(c if c.isprintable() and c != "`" else " " for c in words[:61])
    return f"`{plain if len(plain) <= 60 else plain[:60] + '…'}`"

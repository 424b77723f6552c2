"""What a setting of a page is: its key in the address, its range or options, its default. Knows no screen."""

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
    """A number: its computation checks the same `limit`. `step`, `form` and `help` are its widget's.

    One `set_by_audience` is supplied by the audience of a lecture, and keeps its value from step to step.
    """

    key: str
    limit: Limit
    default: float
    label: str = ""
    step: float = 1
    form: str | None = None
    help: str | None = None
    set_by_audience: bool = False

    def problem(self, raw: Sequence[str]) -> str | None:
        """Say what is wrong with the values that an address gives, or None."""
        try:
            if not re.fullmatch(r"[-+.0-9eE]+", raw[-1]):  # int() and float() know more spellings than a link needs
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
        """The number that good values of an address stand for."""
        return int(raw[-1]) if self.limit.integer else float(raw[-1])


@dataclass(frozen=True)
class Choice:
    """One of some options, or with `many` at least `least` of them; the address holds them as they are.

    `notes` say more of values that are no options here. Without `in_link` the setting is in no link, since its options
    may be words of a visitor's own. `meant` says
    what to write in the place of keys that the page does not have.
    """

    key: str
    options: tuple[str, ...]
    default: Any
    label: str = ""
    many: bool = False
    least: int = 1
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    in_link: bool = True
    meant: Mapping[str, str] = field(default_factory=dict, hash=False)

    def problem(self, raw: Sequence[str]) -> str | None:
        """Say what is wrong with the values that an address gives, or None."""
        known = all(value in self.options for value in raw)
        if known and (self.least <= len(set(raw)) if self.many else len(raw) == 1):
            return None
        wanted = f"at least {self.least} of" if self.many else "one of"
        more = "".join(f" {self.notes[value]}" for value in raw if value in self.notes)
        default = f", {self.default}," if isinstance(self.default, str) else ""  # of many, too many to repeat
        start = f"{as_code_span(self.key, raw)} was ignored: it must be {wanted} {_listed(self.options)}."
        return f"{start} The default{default} is shown.{more}"

    def split_lists(self, raw: Sequence[str]) -> list[str]:
        """Return the values of an address, those that list several options as “0,1,2” split at the commas."""
        return [part for value in raw for part in self._parts(value)] if self.many else list(raw)

    def _parts(self, value: str) -> list[str]:
        """Return the options that a value with commas lists; the value itself if it is an option, or lists others."""
        parts = [part.strip() for part in value.split(",")]
        return parts if value not in self.options and set(self.options).issuperset(parts) else [value]

    def value(self, raw: Sequence[str]) -> Any:
        """The option, or options, that good values of an address stand for."""
        return list(raw) if self.many else raw[0]


@dataclass(frozen=True)
class Words:
    """A text; `check` raises ``ValueError`` with a sentence for one that means nothing."""

    key: str
    check: Callable[[str], Any]
    default: str
    label: str = ""
    help: str | None = None

    def problem(self, raw: Sequence[str]) -> str | None:
        """Say what is wrong with the values that an address gives, or None."""
        try:
            limits.check_length("it", raw[-1], limits.LINK_BYTES.high)
            self.check(raw[-1])
        except ValueError as error:
            shown = f"The default, {self.default}, is shown." if self.default else "All else is shown."
            return f"{as_code_span(self.key, raw)} was ignored: {escape_markdown(str(error))}. {shown}"
        return None

    def value(self, raw: Sequence[str]) -> str:
        """The text that a good value of an address is."""
        return raw[-1]


Setting = Number | Choice | Words


def label_and_key(setting: Setting) -> str:
    """A setting as one chooses it from a list: its label, and its key in the address."""
    return f"{setting.label} ({setting.key})" if setting.label else setting.key


def problems(settings: Iterable[Setting], address: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Say what is wrong with each parameter of an address: unknown here, or out of range. Good ones are left out."""
    known = {s.key: s for s in settings if not isinstance(s, Choice) or s.in_link}
    meant = {key: words for s in known.values() if isinstance(s, Choice) for key, words in s.meant.items()}
    found = {
        key: known[key].problem(raw)
        if key in known
        else f"{as_code_span(key)} was ignored: this page has no such setting.{meant.get(key, '')}"
        for key, raw in address.items()
    }
    return {key: problem for key, problem in found.items() if problem}


def _listed(options: Iterable[str]) -> str:
    """“a”, “b”."""
    return ", ".join(f"“{option}”" for option in options)


def as_code_span(key: str, raw: Sequence[str] | None = None) -> str:
    """A link's words as a code span, in which no Markdown of theirs comes alive."""
    words = key if raw is None else f"{key}={', '.join(raw)}"
    plain = "".join(c if c.isprintable() and c != "`" else " " for c in words[:61])
    return f"`{plain if len(plain) <= 60 else plain[:60] + '…'}`"

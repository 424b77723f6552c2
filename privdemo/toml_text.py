"""TOML that people bring: read within bounds, so that no file takes long or ends in anything but a sentence."""

from __future__ import annotations

import re
import tomllib
from datetime import date, time
from pathlib import Path
from typing import Any

from privdemo import limits

MOST_BYTES = 64_000
_RANGE = "from −2⁶³ to 2⁶³ − 1"
# Tables within tables, and parts of one dotted key. Python's parser takes time that grows with the square of the parts.
_DEEPEST = 20
# A string of any of TOML's four kinds, or a comment. The closing quotes may be missing, so that each place of a file is
# looked at once, however many quotes and backslashes it has.
_STRING = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|"(?:[^"\\\n]|\\[^\n])*+"?'''
    r"""|'''(?:[^']|'(?!''))*+(?:''')?|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)
# A number of more digits than a whole number may have: Python refuses one of thousands in words of its own.
_LONG_NUMBER = re.compile(r"(?<![\w.])[0-9][0-9_]{40,}+")
# A dotted key of too many parts, in a text whose strings have been replaced by a letter each.
_LONG_KEY = re.compile(rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{_DEEPEST}}}")


def read_from(path: Path) -> bytes:
    """The bytes of a file, but of one too large only so many that `parse` refuses it.

    Raises ``ValueError`` for a device or a pipe, which may have no end or never begin.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError("it must be a file, not a device or a pipe")
    with path.open("rb") as file:
        return file.read(2 * MOST_BYTES)


def parse(content: bytes | str, what: str) -> dict[str, Any]:
    """The table of a TOML file. Raises ``ValueError`` with a sentence for a file too large, and for anything else."""
    limits.check_length(what, content, MOST_BYTES)
    raw = content.encode(errors="replace") if isinstance(content, str) else content
    limits.check_length(what, raw, MOST_BYTES)
    table = None
    try:
        text = raw.decode("utf-8-sig")
        without_strings = _STRING.sub("s", text)
        if long := _LONG_NUMBER.search(without_strings):
            raise ValueError(f"{what} may have whole numbers {_RANGE}, got {shortened(long[0])}; write a smaller one")
        if not _LONG_KEY.search(without_strings):
            table = tomllib.loads(text)
    except UnicodeError:
        raise ValueError(f"{what} is text in UTF-8, which this file is not") from None
    except RecursionError:
        pass
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{what} is TOML, which this file is not: {error}") from None
    if table is None or _is_deeper(table, _DEEPEST):
        raise ValueError(f"{what} may have {_DEEPEST} tables within one another, this file has more")
    _check_values(table, what)
    return table


def is_whole_number(value: int) -> bool:
    """Return whether a number is in the range of whole numbers that TOML promises."""
    return -(2**63) <= value < 2**63


def _check_values(value: Any, key: str) -> None:
    """Raise ``ValueError`` for a date, and for a whole number that is too large; `key` names where it stands."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_values(inner, shortened(name))
    elif isinstance(value, list):
        for inner in value:
            _check_values(inner, key)
    elif isinstance(value, date | time):
        raise ValueError(f"{key} must not be a date or time, got {value.isoformat()}; write it as a text, in quotes")
    elif isinstance(value, int) and not is_whole_number(value):
        raise ValueError(f"{key} must be a whole number {_RANGE}; write a smaller one")


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and tables lie within one another more than so many levels deep."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(each, levels - 1) for each in inner)


def shortened(value: Any) -> str:
    """A value as it stands in a sentence."""
    text = value if isinstance(value, str) else repr(value)
    plain = "".join(c if c.isprintable() else " " for c in text[:61])
    return f"“{plain if len(plain) <= 60 else plain[:60] + '…'}”"

"""TOML that people bring: read within bounds, so that no file takes long or ends in anything but a sentence."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from privdemo import limits

MOST_BYTES = 64_000
# Tables within tables, and parts of one dotted key. Python's parser takes time that grows with the square of the parts.
_DEEPEST = 20
# A string of any of TOML's four kinds, or a comment. The closing quotes may be missing, so that each place of a file is
# looked at once, however many quotes and backslashes it has.
_STRING = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|"(?:[^"\\\n]|\\[^\n])*+"?'''
    r"""|'''(?:[^']|'(?!''))*+(?:''')?|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)
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
        if not _LONG_KEY.search(_STRING.sub("s", text)):
            table = tomllib.loads(text)
    except UnicodeError:
        raise ValueError(f"{what} is text in UTF-8, which this file is not") from None
    except RecursionError:
        pass
    except ValueError as error:
        raise ValueError(f"{what} is TOML, which this file is not: {error}") from None
    if table is None or _is_deeper(table, _DEEPEST):
        raise ValueError(f"{what} may have {_DEEPEST} tables within one another, this file has more")
    return table


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and tables lie within one another more than so many levels deep."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(each, levels - 1) for each in inner)


def shortened(value: Any) -> str:
    """A value as it stands in a sentence."""
    text = value if isinstance(value, str) else repr(value)
    plain = "".join(c if c.isprintable() else " " for c in text[:61])
    return f"“{plain if len(plain) <= 60 else plain[:60] + '…'}”"

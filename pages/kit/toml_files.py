"""Read and write the parts of TOML files that lectures and files of settings share, within bounds."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from privdemo.toml_text import is_whole_number, shortened

# The settings of a page as in a link: a text by key, or several texts for a choice of many.
LinkSettings = Mapping[str, str | tuple[str, ...]]
_MOST_SETTINGS, _MOST_KEY, _MOST_VALUE = 60, 60, 5000
# Unicode categories that a line must not have: controls, surrogates, and line and paragraph separators.
_NOT_IN_A_LINE = ("Cc", "Cs", "Zl", "Zp")


def check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise ``ValueError`` for a key that is not `known`."""
    known = list(known)
    if unknown := [key for key in table if key not in known]:
        raise ValueError(f"{where} may hold {', '.join(known)}, got {shortened(unknown[0])}")


def check_line(name: str, value: Any, most: int, least: int = 1) -> None:
    """Raise ``ValueError`` unless `value` is one line of text of `least` to `most` characters."""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {shortened(value)}")
    if not least <= len(value) <= most:
        raise ValueError(f"{name} must have {least} to {most} characters, got {len(value)}: {shortened(value)}")
    if any(unicodedata.category(c) in _NOT_IN_A_LINE for c in value):
        raise ValueError(f"{name} must be one line of text without control characters, got {shortened(value)}")


def check_settings(settings: Any) -> None:
    """Raise ``ValueError`` unless the `settings` are texts by key that a link can hold."""
    if not isinstance(settings, Mapping):
        raise ValueError(f"settings must be a table of keys and values, got {shortened(settings)}")
    if len(settings) > _MOST_SETTINGS:
        raise ValueError(f"settings must be at most {_MOST_SETTINGS}, got {len(settings)}")
    for key, value in settings.items():
        check_line("the key of a setting", key, _MOST_KEY)
        texts = value if isinstance(value, tuple) else (value,)
        if not 1 <= len(texts) <= _MOST_SETTINGS:
            raise ValueError(f"settings: {key} must have 1 to {_MOST_SETTINGS} values, got {len(texts)}")
        for text in texts:
            check_line(f"settings: {key}", text, _MOST_VALUE, 0)


def settings_from_toml(table: Any) -> dict[str, str | tuple[str, ...]]:
    """Return the settings of a TOML table as texts; numbers are converted. Raise ``ValueError`` for other values."""
    if not isinstance(table, dict):
        raise ValueError(f"settings must be a table of keys and values, got {shortened(table)}")
    found = {
        key: tuple(_to_text(key, each) for each in value) if isinstance(value, list) else _to_text(key, value)
        for key, value in table.items()
    }
    check_settings(found)
    return found


def _to_text(key: str, value: Any) -> str:
    """Return a value as a link spells it."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"settings: {key} must be a text, a number or a list of them, got {shortened(value)}")
    return value if isinstance(value, str) else repr(value)


def settings_to_toml(settings: LinkSettings) -> dict[str, Any]:
    """Return settings for a TOML table: texts that are numbers as numbers, several values as a list."""
    return {
        key: list(map(_number, value)) if isinstance(value, tuple) else _number(value)
        for key, value in settings.items()
    }


def _number(text: str) -> str | int | float:
    """Return the number that `text` represents exactly as Python writes it, or else the text."""
    for kind in (int, float):
        try:
            if repr(number := kind(text)) == text and math.isfinite(number):
                return number if kind is float or is_whole_number(number) else text
        except ValueError:
            continue
    return text


def to_toml_value(value: Any) -> str:
    """Return a value on one line of TOML. Raise ``ValueError`` if TOML has no such value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(to_toml_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(pairs(value))}}}"
    raise ValueError(f"TOML does not have {shortened(value)}")


def pairs(table: Mapping[str, Any]) -> list[str]:
    """Return the lines of a table, key = value."""
    return [f"{_key(key)} = {to_toml_value(value)}" for key, value in table.items()]


def _key(key: str) -> str:
    bare = key and key.isascii() and all(c.isalnum() or c in "_-" for c in key)
    return key if bare else to_toml_value(key)

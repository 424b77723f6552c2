"""The Python that reproduces a figure, built from imports and lines."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from privdemo.datasets import Brought

# What the shown code calls a visitor's own records.
OWN = "own"


@dataclass(frozen=True)
class Snippet:
    """Code to show: `imports`, each once, those of the standard library first; then `lines`."""

    imports: tuple[str, ...]
    lines: tuple[str, ...] = ()

    def then(self, *lines: str, imports: tuple[str, ...] = ()) -> Snippet:
        """Return the same code with more lines at its end, and what they import."""
        return Snippet((*self.imports, *imports), (*self.lines, *lines))

    def __str__(self) -> str:
        unique = sorted(dict.fromkeys(self.imports), key=lambda line: (line.split()[1], line))
        ours = [line for line in unique if line.split()[1].startswith("privdemo")]
        others = [line for line in unique if line not in ours]
        blocks = ["\n".join(block) for block in (others, ours, self.lines) if block]
        return "\n\n".join(blocks)

    @property
    def markdown(self) -> str:
        """The code as a Markdown block."""
        return f"```python\n{self}\n```"


def as_code(value: Any) -> str:
    """Write a value as the Python that makes it: infinity as ``math.inf``, a visitor's records as ``own``.

    A config or a mechanism is its class with each of its fields, by name; all others are as Python prints them.
    """
    if isinstance(value, Brought):
        return OWN
    if is_dataclass(value):
        given = (f"{field.name}={as_code(getattr(value, field.name))}" for field in fields(value) if field.init)
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(as_code, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return repr(value)

"""Build the Python code that reproduces a figure, from imports and lines."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from privdemo.datasets import OwnData

# The variable for a visitor's own records in shown code.
OWN = "own"


@dataclass(frozen=True)
class Snippet:
    """Code to show: `imports`, each once, those of the standard library first; then `lines`."""

    imports: tuple[str, ...]
    lines: tuple[str, ...] = ()

    def then(self, *lines: str, imports: tuple[str, ...] = ()) -> Snippet:
        """Return the code with `lines` and `imports` added."""
        return Snippet((*self.imports, *imports), (*self.lines, *lines))

    def __str__(self) -> str:
        unique = sorted(dict.fromkeys(self.imports), key=lambda line: (line.split()[1], line))
        ours = [line for line in unique if line.split()[1].startswith("privdemo")]
        others = [line for line in unique if line not in ours]
        blocks = ["\n".join(block) for block in (others, ours, self.lines) if block]
        return "\n\n".join(blocks)

    @property
    def markdown(self) -> str:
        """Return the code as a Markdown block."""
        return f"```python\n{self}\n```"


def code_blocks(markdown: str) -> list[str]:
    """Return the blocks of code in some Markdown."""
    return re.findall(r"```\w*\n(.*?)```", markdown, re.DOTALL)


def as_code(value: Any) -> str:
    """Return Python code that makes a value: infinity is ``math.inf``, a visitor's own records are ``own``.

    A config or a mechanism is its class with all fields as keywords; other values are their `repr`.
    """
    if isinstance(value, OwnData):
        return OWN
    if is_dataclass(value):
        given = (f"{field.name}={as_code(getattr(value, field.name))}" for field in fields(value) if field.init)
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(as_code, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return repr(value)

"""The code blocks of a document: found, and run with the numbers beside them checked."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_STATED = re.compile(r"(\d+\.\d+)$")


def blocks(file: str, language: str = "python") -> list[str]:
    """The code blocks of a language in a Markdown file, in their order."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def run(code: str, names: dict[str, Any] | None = None) -> int:
    """Run `code` statement by statement, with and into `names`, and return how many numbers were checked.

    Where the comment behind an expression ends with a number, the expression must give it, to the digits stated.
    """
    names = {"__name__": "__main__"} if names is None else names
    lines = code.splitlines()
    checked = 0
    for statement in ast.parse(code).body:
        assert statement.end_lineno is not None
        stated = _STATED.search(lines[statement.end_lineno - 1].partition("#")[2])
        if stated and isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), "example", "eval", dont_inherit=True), names)
            assert round(value, len(stated[1].split(".")[1])) == float(stated[1]), ast.unparse(statement)
            checked += 1
        else:
            exec(compile(ast.Module([statement], []), "example", "exec", dont_inherit=True), names)
    return checked

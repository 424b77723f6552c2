"""Find the code blocks of a document, run them, and check the numbers in their comments."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_STATED = re.compile(r"(\d+\.\d+)$")


def blocks(file, language="python"):
    """Return the code blocks of a language in a Markdown file, in order."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def run(code, names=None):
    """Run `code` statement by statement in the namespace `names`, and return how many numbers were checked.

    Where the comment behind an expression ends with a number, the expression must give it, to the digits stated.
    """
    names = {"__name__": "__main__"} if names is None else names
    lines = code.splitlines()
    checked = 0
    for statement in ast.parse(code).body:
        stated = _STATED.search(lines[statement.end_lineno - 1].partition("#")[2])
        if stated and isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), "example", "eval", dont_inherit=True), names)
            assert round(value, len(stated[1].split(".")[1])) == float(stated[1]), ast.unparse(statement)
            checked += 1
        else:
            exec(compile(ast.Module([statement], []), "example", "exec", dont_inherit=True), names)
    return checked

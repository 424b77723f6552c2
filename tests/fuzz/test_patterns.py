"""The time of every regular expression of the project grows no faster than the text that it meets.

Every pattern of the source is timed, unless `NEVER` says why no visitor's text comes to it; so is a new one.
"""

import ast
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from pages.kit import glossary

ROOT = Path(__file__).parents[2]
FOLDERS = ("pages", "privdemo", "deploy", "server")
CALLS = {"compile", "sub", "subn", "split", "fullmatch", "match", "search", "findall", "finditer"}

# Patterns by file and by the name, or the function, in which they stand: what alone they meet.
NEVER = {
    "pages/kit/folds.py:fill": "the page's own Markdown",
    "pages/kit/first_screen/__init__.py:_INLINE_SCRIPT": "Streamlit's page of HTML",
    "server/server_settings.py:_ADDRESS": "the server's environment",
    "server/server_settings.py:_NAME": "the server's environment",
    "server/server_settings.py:_PAGE": "the server's environment",
    **{
        f"pages/polls/participant.py:{name}": "the participant's page, a file of the project"
        for name in ("_FIXED", "_of_check", "_only", "_said", "_with_numbers", "_fill")
    },
    **{
        f"pages/polls/participant.py:_minified{part}": "the participant's page, a file of the project"
        for part in ("", "_body", "_html", "_script")
    },
    "privdemo/experiments/cluster.py:_ADDRESS": "the server's environment",
    "privdemo/experiments/running.py:delete": "names of files that the package wrote",
}
# Patterns of the page's own sentences and markup: a visitor's words in them are escaped, and cut to so many characters.
MOST_QUOTED = 2000
QUOTED = {
    "pages/kit/glossary.py:_NOT_EXPLAINED",
    "pages/kit/glossary.py:_forms",
    "pages/terminal.py:text_of",
    "pages/topics/training/question.py:of_tables",
}
# Patterns of the cells and lines of a file of records, which may have 20 MB.
LONG = {
    "privdemo/csv_text.py:_FORMULA",
    "privdemo/datasets/own.py:without_markup",
    "privdemo/datasets/own_csv.py:_opened",
    "privdemo/datasets/own_tables.py:_DECIMAL_COMMA",
}
# Patterns that are put together within a function.
BUILT: dict[str, Callable[[], re.Pattern[str]]] = {"pages/kit/glossary.py:_forms": lambda: glossary._forms()[0]}

KB = 1000
# A time that grows with the square of the length is half a second or more at the size for all.
FOR_ALL = 32 * KB
SIZES = (16, 24, 32, 256, KB, 8 * KB, FOR_ALL, 1000 * KB)
MOST_SECONDS, NOISE, FLOOR = 0.05, 3.0, 0.003
NASTY = ("a", " ", "\u0301", "\\", "[", "]", "(", "{", "<", "“", '"', "'", "`", "\n", "0", ".", "-", '"\\', "\\\\'")


class Place(NamedTuple):
    """Where a pattern stands in the source, the call that makes or uses it, and how the pattern is used."""

    name: str
    nth: int
    module: str
    call: ast.Call
    uses: frozenset[str]


def module_of(file: Path) -> str:
    """The dotted name of a module."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources() -> Iterator[Path]:
    """Every Python file of the project but its tests."""
    yield ROOT / "app.py"
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).rglob("*.py"))


def calls_of_re(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Every call of `re`, with the name that it is given, or else the function in which it stands."""

    def look(node: ast.AST, scope: str) -> Iterator[tuple[str, ast.Call]]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            scope = node.name
        elif isinstance(node, ast.Assign) and scope == "":
            scope = ast.unparse(node.targets[0]).strip("()")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            function = node.func
            if isinstance(function.value, ast.Name) and function.value.id == "re" and function.attr in CALLS:
                yield scope, node
        for child in ast.iter_child_nodes(node):
            yield from look(child, scope)

    yield from look(tree, "")


def uses_of(name: str, tree: ast.Module) -> frozenset[str]:
    """The methods of a compiled pattern that its module calls; all of them where it calls none."""
    found = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    return frozenset(found & CALLS or {"fullmatch", "match", "finditer"})


@cache
def places() -> tuple[Place, ...]:
    """Every pattern of the source; those of one function are numbered."""
    found = []
    for file in sources():
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        seen: Counter[str] = Counter()
        for scope, call in calls_of_re(tree):
            function = call.func
            assert isinstance(function, ast.Attribute)
            seen[scope] += 1
            uses = uses_of(scope, tree) if function.attr == "compile" else frozenset({function.attr})
            found.append(Place(f"{file.relative_to(ROOT)}:{scope}", seen[scope], module_of(file), call, uses))
    return tuple(found)


def pattern(place: Place) -> re.Pattern[str]:
    """The pattern itself."""
    if place.name in BUILT:
        return BUILT[place.name]()
    names = vars(import_module(place.module))
    flags = [word.value for word in place.call.keywords if word.arg == "flags"]
    if place.call.func.attr == "compile":  # type: ignore[attr-defined]
        flags += place.call.args[1:]

    def value(node: ast.expr) -> object:
        return eval(compile(ast.Expression(node), place.name, "eval"), names)

    made = re.compile(value(place.call.args[0]), *map(value, flags))  # type: ignore[call-overload]
    return made if isinstance(made.pattern, str) else pytest.fail(f"{place.name} is a pattern of bytes")


def letters(pattern: str) -> list[str]:
    """Characters that a pattern speaks of, and some for its classes."""
    shown = re.sub(
        r"\\[wWdDsSbB]", lambda found: {"w": "a_", "d": "0", "s": " \n"}.get(found[0][1].lower(), ""), pattern
    )
    return [*list(dict.fromkeys(c for c in shown if c not in "^$*?+|"))[:24], "a", "0", " "]


def units(place: Place) -> list[str]:
    """What is repeated: characters of the pattern's own, what is nasty anywhere, and words of both."""
    own = letters(pattern(place).pattern)
    chance = random.Random(place.name)
    words = ["".join(chance.choices(own, k=k)) for k in (2, 2, 2, 3, 4) for _ in range(8)]
    return list(dict.fromkeys([*own, *NASTY, *words]))


def seconds(pattern: re.Pattern[str], use: str, text: str) -> float:
    """The processor's time of one use of a pattern."""
    start = time.thread_time()
    if use in ("fullmatch", "match", "search"):
        getattr(pattern, use)(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return time.thread_time() - start


def best(pattern: re.Pattern[str], use: str, text: str, enough: float) -> float:
    """The least of three times, or the first that is short enough."""
    least = float("inf")
    for _ in range(3):
        least = min(least, seconds(pattern, use, text))
        if least <= enough:
            break
    return least


def problem(pattern: re.Pattern[str], use: str, most: int, made: Callable[[int], str]) -> str | None:
    """Say at which size a pattern takes too long, or longer than its growth allows; stop there."""
    before, shorter = FLOOR, KB
    for size in SIZES:
        if size > most:
            break
        allowed = max(FLOOR, NOISE * before * size / shorter) if size > KB else MOST_SECONDS
        if size <= FOR_ALL:
            allowed = min(allowed, MOST_SECONDS)
        took = best(pattern, use, made(size), allowed)
        if took > allowed:
            return f"{use} takes {1000 * took:.1f} ms for {size:,} characters, {1000 * allowed:.1f} are allowed"
        before, shorter = max(took, FLOOR / 8), size
    return None


def repeated(unit: str, end: str, size: int) -> str:
    """So many characters of a text that repeats itself, but for its end."""
    return (unit * size)[: size - 1] + (end or unit[0])


def problems(place: Place) -> list[str]:
    """What is wrong with the times of a pattern, with the text that shows it; of many the first few."""
    found, compiled = [], pattern(place)
    for unit in units(place):
        for end in ("", "\0"):
            is_long = end and len(unit) == 1 and place.name in LONG
            most = MOST_QUOTED if place.name in QUOTED else 1000 * KB if is_long else FOR_ALL
            made = partial(repeated, unit, end)
            wrong = filter(None, (problem(compiled, use, most, made) for use in sorted(place.uses)))
            found += [f"{unit!r}, ending {end!r}: {said}" for said in wrong]
        if len(found) > 2:
            break
    return found


MEETS = [place for place in places() if place.name not in NEVER]


def test_lists_name_real_patterns() -> None:
    known = {place.name for place in places()}
    assert not {*NEVER, *QUOTED, *LONG, *BUILT} - known
    assert len(MEETS) > 20


def test_nothing_else_of_re_is_used() -> None:
    for file in sources():
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from re import|import (re as|regex))", text, re.MULTILINE), file


@pytest.mark.parametrize("place", MEETS, ids=lambda place: f"{place.name} {place.nth}")
def test_grows_linearly(place: Place) -> None:
    assert not problems(place)

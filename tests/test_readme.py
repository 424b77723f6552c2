"""The README stays true: its example gives the numbers it prints, its files and commands exist."""

from __future__ import annotations

import re
from pathlib import Path

from privdemo import datasets

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_gives_the_numbers_beside_it() -> None:
    block = README.split("```python")[1].split("```")[0]
    names: dict = {}
    checked = 0
    for line in block.strip().splitlines():
        code, _, comment = line.partition("#")
        exec(code, names)
        stated = re.search(r"(\d+\.\d+)$", comment)
        if stated:
            assert round(eval(code, names), len(stated[1].split(".")[1])) == float(stated[1])
            checked += 1
    assert checked == 4


def test_links_and_commands_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in re.findall(r"^make (\w+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{command}:", makefile, flags=re.MULTILINE), command
    for name in datasets.DATASETS:
        assert name.split("_")[0] in README.lower()


def test_every_page_is_named() -> None:
    for page in (ROOT / "pages").glob("*.py"):
        question = page.read_text(encoding="utf-8").splitlines()[0].strip('"')
        assert question.split(":")[0] in README, f"README does not name the page {page.name}"

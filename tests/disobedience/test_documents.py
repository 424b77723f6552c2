"""docs/disobedience.md and the tables it quotes: every number in an example, and the least coverage."""

import re
import shlex

import pytest

from privdemo.__main__ import main
from privdemo.disobedience import ControlQuestion, TwoHalves
from privdemo.mechanisms import BinaryChannel
from tests.documents import ROOT, blocks, run

TEXT = (ROOT / "docs/disobedience.md").read_text(encoding="utf-8")
COVERAGE = (ROOT / "docs/disobedience-coverage.md").read_text(encoding="utf-8")
DEFENCES = (ROOT / "docs/disobedience-defences.md").read_text(encoding="utf-8")


def test_the_examples_give_the_numbers_beside_them():
    assert run("\n".join(blocks("docs/disobedience.md"))) == 18


def test_the_commands_run(capsys):
    (commands,) = blocks("docs/disobedience.md", "sh")
    for command in commands.splitlines():
        assert main(shlex.split(command)[3:]) == 0
    assert capsys.readouterr().out


def test_the_people_that_each_design_needs():
    strong, mild, control = (BinaryChannel(p, p) for p in (0.4, 0.1, 0.2))
    needed = [design.people_needed(0.05, 0.35, 0.1) for design in (ControlQuestion(control), TwoHalves(mild, strong))]
    quoted = r"needs ([\d,]+) people for ± 5 points where .1 and .4 need ([\d,]+)"
    assert re.findall(quoted, " ".join(TEXT.split())) == [tuple(f"{people:,}" for people in needed)]


def cells():
    """Coverage and width of every cell, in the order of the document, by the heading above it."""
    found = {}
    for part in COVERAGE.split("\nOf ")[1:]:
        what = part.partition(":")[0]
        pairs = re.findall(r"(\d+\.\d), (\d+)(?= \|)", part)
        found.setdefault(what, []).extend((float(covered), int(width)) for covered, width in pairs)
    return found


def test_every_interval_covers_at_least_93_of_100_and_the_least_is_quoted():
    found = cells()
    assert list(found) == ["the share of those who follow the rules", "the part z that does not"]
    for rows in found.values():
        assert len(rows) == 3 * 5 * 3 * 5  # designs, people, shares, parts
        least = min(covered for covered, _ in rows)
        assert least >= 93
        assert least == pytest.approx(93.7)
    assert TEXT.count("93.7") == 2
    least = [float(x) for x in re.findall(r"coverage of the share is (0\.\d+)", COVERAGE)]
    assert min(least) == pytest.approx(0.937)


def test_what_is_said_of_defences_is_in_their_table():
    rows = {
        tuple(cell.strip() for cell in line.split("|")[1:3]): [
            tuple(float(number.replace("−", "-")) for number in cell.split(",")) for cell in line.split("|")[3:7]
        ]
        for line in DEFENCES.partition("## ε = 4")[0].splitlines()
        if re.search(r"\d, .*\|", line)
    }
    none, projected, recovered, known = (gain for _, gain in rows["randomised response", "crafted report"])
    assert (round(none), round(projected), round(known)) == (176, 90, 2)
    table = [line for line in DEFENCES.splitlines() if re.search(r"\d, .*\|", line)]
    assert len(table) == 2 * 6 * 4
    for (mechanism, attack), ((_, none), (_, projected), (_, recovered), _) in rows.items():
        assert abs(projected - recovered) < 2
        if attack == "crafted report" and mechanism != "randomised response":
            assert projected / none > 0.66 or mechanism == "hadamard response"
        if attack == "false truth":
            assert projected > 0.7 * none

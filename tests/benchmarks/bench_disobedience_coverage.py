"""How often the intervals of `privdemo.disobedience` contain the truth, and their width: docs/disobedience-coverage.md.

    python -m tests.benchmarks.bench_disobedience_coverage            about ten minutes; writes the file
    python -m tests.benchmarks.bench_disobedience_coverage --quick    100 surveys a cell, printed only

Each cell is 2,000 simulated surveys, whose coverage has a standard error of half a point.
"""

import sys
import textwrap
from pathlib import Path

import numpy as np

from privdemo.disobedience import ControlQuestion, TwoHalves, notice_many
from privdemo.mechanisms import BinaryChannel

PEOPLE, PARTS, SHARES = (300, 500, 1000, 2000, 10_000), (0.0, 0.05, 0.1, 0.2, 0.3), (0.05, 0.35, 0.8)
SURVEYS = 2000
FILE = Path(__file__).resolve().parents[2] / "docs" / "disobedience-coverage.md"


def lie(p):
    """A lie that is as frequent for both truths."""
    return BinaryChannel(p, p)


DESIGNS = {
    "Two halves, lies of .1 and .4": TwoHalves(lie(0.1), lie(0.4)),
    "Two halves, lies of .2 and .3": TwoHalves(lie(0.2), lie(0.3)),
    "A control question of known share .25, lies of .2": ControlQuestion(lie(0.2)),
}
WHAT = {"share": "the share of those who follow the rules", "part": "the part z that does not"}


def cell(design, share, part, people, surveys, rng):
    """Coverage and mean width of the intervals of the share, the part and everybody's share, and how often p < .05."""
    found = notice_many(design, design.sample(share, part, people, rng, surveys))
    low, high = (1 - part) * share, (1 - part) * share + part
    intervals = {
        "share": [(each.share.low <= share <= each.share.high, each.share.high - each.share.low) for each in found],
        "part": [(each.part.low <= part <= each.part.high, each.part.high - each.part.low) for each in found],
        "everybody": [
            (
                each.everybody_low.low <= low and high <= each.everybody_high.high,
                each.everybody_high.high - each.everybody_low.low,
            )
            for each in found
        ],
    }
    return {name: np.mean(rows, axis=0) for name, rows in intervals.items()}, np.mean([x.p_value < 0.05 for x in found])


def measure(surveys):
    """Every cell of every design: {(design, share, part, people): `cell`}."""
    found = {}
    for i, (name, design) in enumerate(DESIGNS.items()):
        for people in PEOPLE:
            for share in SHARES:
                for part in PARTS:
                    rng = np.random.default_rng([i, people, round(100 * share), round(100 * part)])
                    found[name, share, part, people] = cell(design, share, part, people, surveys, rng)
            print(name, people, file=sys.stderr, flush=True)
    return found


def text(found, surveys):
    """The document."""
    lines = [
        "# How often the intervals on disobedience contain the truth",
        "",
        textwrap.fill(
            f"Made by `python -m tests.benchmarks.bench_disobedience_coverage`: {surveys:,} simulated surveys a cell, "
            f"so that a coverage has a standard error of {100 * np.sqrt(0.05 * 0.95 / surveys):.1f} points. In each "
            "cell stands how many of 100 intervals of 95 % contain the truth, and their mean width in points. The "
            "people are those of all groups together. [Disobedience](disobedience.md) explains the designs.",
            120,
        ),
        "",
    ]
    for name in DESIGNS:
        own = {key[1:]: value for key, value in found.items() if key[0] == name}
        least = {what: min(rows[what][0] for rows, _ in own.values()) for what in ("share", "part", "everybody")}
        size = [wrong for (_, part, _), (_, wrong) in own.items() if part == 0]
        lines += [
            f"## {name}",
            "",
            textwrap.fill(
                f"The least coverage of the share is {least['share']:.3f}, of the part {least['part']:.3f}, and of the "
                f"interval for everybody's share {least['everybody']:.3f}. Where nobody disobeys, the test says "
                f"falsely (p < .05) that somebody does in {100 * min(size):.1f} to {100 * max(size):.1f} of 100.",
                120,
            ),
            "",
        ]
        for what, words in WHAT.items():
            lines += [
                f"Of {words}:",
                "",
                "| people | share | " + " | ".join(f"z = {part:g}" for part in PARTS) + " |",
                "|---|---|" + "---|" * len(PARTS),
            ]
            for people in PEOPLE:
                for share in SHARES:
                    rows = [own[share, part, people][0][what] for part in PARTS]
                    cells = " | ".join(f"{100 * covered:.1f}, {100 * width:.0f}" for covered, width in rows)
                    lines.append(f"| {people:,} | {share:g} | {cells} |")
            lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    quick = sys.argv[1:] == ["--quick"]
    made = text(measure(100), 100) if quick else text(measure(SURVEYS), SURVEYS)
    if quick:
        print(made)
    else:
        FILE.write_text(made, encoding="utf-8")

"""What defences of k answers leave of each attack, by every mechanism: docs/disobedience-defences.md.

python -m tests.benchmarks.bench_disobedience_defences        half a minute; writes the file
"""

import textwrap
from pathlib import Path

import numpy as np

from privdemo.disobedience import ATTACKS, all_defences, attack, defended
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.simplex import round_to_sum

K, PEOPLE, PART, SURVEYS, EPSILONS = 64, 10_000, 0.05, 100, (1.0, 4.0)
TARGETS = (40, 41, 42, 43, 44)
FILE = Path(__file__).resolve().parents[2] / "docs" / "disobedience-defences.md"


def measure():
    """What each defence leaves: {(ε, mechanism, attack): `defended`}."""
    weights = np.arange(1, K + 1) ** -1.2
    fake = round(PART * PEOPLE)
    counts = round_to_sum(weights / weights.sum() * (PEOPLE - fake))
    return {
        (epsilon, name, each): defended(
            oracle(K, epsilon), each and attack(each, TARGETS), TARGETS, counts, fake, SURVEYS, np.random.default_rng(0)
        )
        for epsilon in EPSILONS
        for name, oracle in ORACLES.items()
        for each in (None, *ATTACKS)
    }


def text(found):
    """The document."""
    names = list(all_defences(TARGETS))
    lines = [
        "# What defences leave of an attack",
        "",
        textwrap.fill(
            f"Made by `python -m tests.benchmarks.bench_disobedience_defences`: {K} answers by Zipf's law (1.2), "
            f"{PEOPLE:,} clients, {100 * PART:g} of 100 of them fake, who want {len(TARGETS)} rare answers (the 41st "
            "to the 45th) to look frequent. In each cell stand a share's error (root mean square over answers, × 10⁻⁴) "
            f"and the points by which the targets together rise, means of {SURVEYS} simulated surveys. LDPRecover is "
            "told how many clients are fake. [Disobedience](disobedience.md) explains attacks and defences.",
            120,
        ),
        "",
    ]
    for epsilon in EPSILONS:
        lines += [
            f"## ε = {epsilon:g}",
            "",
            f"| mechanism | attack | {' | '.join(names)} |",
            "|---|---|" + "---|" * len(names),
        ]
        for (at, name, each), left in found.items():
            if at == epsilon:
                cells = (f"{1e4 * x.error.mean:.0f}, {100 * x.gain.mean:.1f}".replace("-", "−") for x in left.values())
                lines.append(f"| {name} | {each or 'nobody attacks'} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    FILE.write_text(text(measure()), encoding="utf-8")

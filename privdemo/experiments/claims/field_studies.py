"""Two field studies of randomised response: John, Loewenstein, Acquisti & Vosgerau 2018, and Höglinger & Jann 2018.

Neither text is at hand, and the answers of their respondents even less, so what they found is told as others quote it,
and cannot be checked. Each row says what a formula can: which part of the people who do not follow the rules would
explain it.
"""

from __future__ import annotations

import math

from privdemo.disobedience import ALWAYS_NO, expected_estimate
from privdemo.experiments.claims.claim import ClaimRow, Finding, not_checkable
from privdemo.mechanisms import BinaryChannel

# A survey in which the effect is computed: the true share, and how often people lie.
SHARE, LIES = 0.35, (0.1, 0.25, 0.4)


def part_below_nothing(lie: float) -> float:
    """Return the part of the people who say No whatever chance decides, above which the mean estimate is below 0.

    (1 − z)(p + (1 − 2p) π) = p, with those who say No like all others.
    """
    return 1 - lie / (lie + (1 - 2 * lie) * SHARE)


def below_nothing() -> Finding:
    """Say what part of the people explains an estimate below 0."""
    parts = ", ".join(f"{math.ceil(1000 * part_below_nothing(lie)) / 10:g} %" for lie in LIES)
    lies = ", ".join(f"{lie:g}" for lie in LIES)
    return not_checkable(
        "neither the paper nor its data are at hand; that is how others sum it up. By formula it can be so: where Yes "
        f"is true of {100 * SHARE:g} % and people lie with {lies}, the estimate is below 0 on average if at least "
        f"{parts} of them say No whatever chance decides"
    )


def no_better() -> Finding:
    """Say how little disobedience makes an estimate worse than a direct question to which some do not admit."""
    lie = LIES[1]
    lost = SHARE - float(expected_estimate(BinaryChannel(lie, lie), ALWAYS_NO, 0.1, SHARE))
    return not_checkable(
        "neither the paper's numbers nor its data are at hand; that is how others sum it up. By formula it can be so: "
        f"with lies of {lie:g}, ten of 100 who say No whatever chance decides take {100 * lost:.1f} points off an "
        f"estimate of {100 * SHARE:g} %, as much as if {100 * lost / SHARE:.0f} of 100 to whom Yes applies denied it "
        "when asked directly"
    )


JOHN_CLAIMS = (
    ClaimRow(
        "on surveys of 3,000 people",
        "estimates by randomised response are below those by direct questions, some below 0, as people say No whatever "
        "the coin shows",
        below_nothing,
    ),
)
HOEGLINGER_CLAIMS = (
    ClaimRow(
        "on 6,505 respondents",
        "no variant of randomised response gave more valid answers than direct questions",
        no_better,
    ),
)

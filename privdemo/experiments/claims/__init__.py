"""The published figures, tables and formulas of the three sources beside ours: does each hold?

Nothing is written down here that can be computed: ours come from the shipped results files, or from a formula at once.
A verdict is a rule on the numbers, said with the claim.
"""

from __future__ import annotations

from collections.abc import Sequence

from privdemo.experiments.claims import barber, iyer, yan
from privdemo.experiments.claims.claim import (
    CAVEAT,
    FAILS,
    HOLDS,
    OPEN,
    SAME,
    SHARE,
    SOURCES,
    UNCLEAR,
    VERDICTS,
    WIDE,
    Claim,
)

__all__ = [
    "CAVEAT",
    "FAILS",
    "HOLDS",
    "OPEN",
    "SAME",
    "SHARE",
    "SOURCES",
    "UNCLEAR",
    "VERDICTS",
    "WIDE",
    "Claim",
    "all_claims",
    "counted",
    "from_formulas",
]


def all_claims() -> tuple[Claim, ...]:
    """Every claim, in the order of the sources."""
    return tuple(claim for source in (barber, yan, iyer) for claim in source.all_claims())


def from_formulas() -> tuple[Claim, ...]:
    """Those that need no results file."""
    return tuple(claim for source in (barber, yan, iyer) for claim in source.from_formulas())


def counted(claims: Sequence[Claim]) -> dict[str, int]:
    """How many have each verdict."""
    return {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}

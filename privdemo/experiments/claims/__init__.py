"""The published figures, tables and formulas of seven sources compared with our results.

Our numbers come from the shipped results files, or directly from a formula. `judge` holds the rules that turn numbers
into verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence

from privdemo.experiments.claims import barber, feldman, iyer, kairouz, wang, yan, ye_barg
from privdemo.experiments.claims.claim import (
    CAVEAT,
    FAILS,
    FIRST_AUTHORS,
    HOLDS,
    OPEN,
    PAPERS,
    PERCENT,
    SOURCES,
    UNCLEAR,
    VERDICTS,
    Claim,
)
from privdemo.experiments.claims.judge import SAME, WIDE

__all__ = [
    "CAVEAT",
    "FAILS",
    "FIRST_AUTHORS",
    "HOLDS",
    "OPEN",
    "PAPERS",
    "PERCENT",
    "SAME",
    "SOURCES",
    "UNCLEAR",
    "VERDICTS",
    "WIDE",
    "Claim",
    "all_claims",
    "count_verdicts",
    "from_formulas",
]


_BY_SOURCE = (barber, yan, iyer, kairouz, wang, ye_barg, feldman)


def all_claims() -> tuple[Claim, ...]:
    """Every claim, in the order of the sources."""
    return tuple(claim for source in _BY_SOURCE for claim in source.all_claims())


def from_formulas() -> tuple[Claim, ...]:
    """The claims that need no results file."""
    return tuple(claim for source in _BY_SOURCE for claim in source.from_formulas())


def count_verdicts(claims: Sequence[Claim]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}

"""The published figures, tables and formulas of ten papers compared with our results.

A module a paper: its `CLAIMS` are a table, a row a claim, each with the function that checks it. Our numbers come from
the shipped results files, or directly from a formula. `judge` holds the rules that turn numbers into verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence

from privdemo.experiments.claims import barber, cao, feldman, field_studies, iyer, kairouz, wang, yan, ye_barg
from privdemo.experiments.claims.claim import (
    BARBER,
    CAO,
    CAVEAT,
    DIFFERS,
    FAILS,
    FELDMAN,
    FIRST_AUTHORS,
    FORMULA,
    HOEGLINGER,
    HOLDS,
    IYER,
    JOHN,
    KAIROUZ,
    OF_100,
    OF_SEVERAL,
    OPEN,
    PAPERS,
    PERCENT,
    SOURCES,
    UNCLEAR,
    VERDICTS,
    WANG,
    YAN,
    YE_BARG,
    Claim,
    check_claims,
)
from privdemo.experiments.claims.judge import SAME, SAME_COST, SAME_REDUCTION

__all__ = [
    "CAVEAT",
    "DIFFERS",
    "FAILS",
    "FIRST_AUTHORS",
    "FORMULA",
    "HOLDS",
    "N_CLAIMS",
    "OF_100",
    "OF_SEVERAL",
    "OPEN",
    "PAPERS",
    "PERCENT",
    "SAME",
    "SAME_COST",
    "SAME_REDUCTION",
    "SOURCES",
    "TABLES",
    "UNCLEAR",
    "VERDICTS",
    "Claim",
    "all_claims",
    "check_claims",
    "count_verdicts",
]


# The claims of each paper, as a table.
TABLES = {
    BARBER: barber.CLAIMS,
    YAN: yan.CLAIMS,
    IYER: iyer.CLAIMS,
    KAIROUZ: kairouz.CLAIMS,
    WANG: wang.CLAIMS,
    YE_BARG: ye_barg.CLAIMS,
    FELDMAN: feldman.CLAIMS,
    CAO: cao.CLAIMS,
    JOHN: field_studies.JOHN_CLAIMS,
    HOEGLINGER: field_studies.HOEGLINGER_CLAIMS,
}
N_CLAIMS = sum(map(len, TABLES.values()))


def all_claims() -> tuple[Claim, ...]:
    """Return every claim, in the order of the papers."""
    return tuple(claim for source, table in TABLES.items() for claim in check_claims(source, table))


def count_verdicts(claims: Sequence[Claim]) -> dict[str, int]:
    """Return how many claims have each verdict."""
    return {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}

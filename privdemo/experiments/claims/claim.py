"""One claim of a source, and the rules by which numbers become verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from privdemo.intervals import Estimate

HOLDS, CAVEAT, FAILS, OPEN = "holds", "holds with a caveat", "does not hold", "cannot be checked"
VERDICTS = (HOLDS, CAVEAT, FAILS, OPEN)
BARBER, YAN, IYER = "Barber", "Yan", "Iyer, Nath & Sarawagi"
SOURCES = (BARBER, YAN, IYER)
# An accuracy or F1 this near to the published one is taken for the same.
SAME = 0.01
EXACT = "exact, no draws"


@dataclass(frozen=True)
class Claim:
    """Something that a source says at `place`, in words; `published` and `ours` as numbers where it has one.

    `share`: they are shares. `seeds` say what ours is a mean of, `command` computes it anew, `why` explains the
    verdict.
    """

    source: str
    place: str
    words: str
    published: float | None
    ours: Estimate | None
    share: bool
    seeds: str
    command: str
    verdict: str
    why: str


def exactly(value: float) -> Estimate:
    """A number without uncertainty."""
    return Estimate(value, value, value)


def draws(n: int) -> str:
    """The seeds of a mean over n draws."""
    return f"{n} draws, seed 0, draws 0 to {n - 1}"


def near(published: float, ours: Estimate) -> tuple[str, str]:
    """A published accuracy or F1 against ours: the same within `SAME` or the interval; else better or worse."""
    if abs(published - ours.mean) <= SAME or ours.low <= published <= ours.high:
        return HOLDS, f"within {100 * SAME:g} point or the interval"
    if ours.mean > published:
        return CAVEAT, "ours is better, with the penalty chosen by cross-validation; the source does not say its own"
    return FAILS, "ours is worse, with the penalty chosen by cross-validation; the source does not say its own"


def cannot(source: str, place: str, words: str, why: str, published: float | None = None) -> Claim:
    """A claim that cannot be checked here."""
    return Claim(source, place, words, published, None, True, "–", "–", OPEN, why)


def listed(levels: Iterable[float]) -> str:
    """“0.1, 0.2”, or “none”."""
    return ", ".join(f"{level:g}" for level in levels) or "none"

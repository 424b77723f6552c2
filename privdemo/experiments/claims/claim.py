"""One claim of a source, and the rules by which numbers become verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from privdemo.intervals import Estimate

Level = TypeVar("Level", int, float)

# Of a claim that is `UNCLEAR` our numbers show neither it nor its opposite.
HOLDS, CAVEAT, FAILS = "holds", "holds with a caveat", "does not hold"
UNCLEAR, OPEN = "not clear here", "cannot be checked"
VERDICTS = (HOLDS, CAVEAT, UNCLEAR, FAILS, OPEN)
BARBER, YAN, IYER = "Barber", "Yan", "Iyer, Nath & Sarawagi"
SOURCES = (BARBER, YAN, IYER)
# An accuracy or F1 this near to the published one is taken for the same.
SAME = 0.01
WIDE = 0.05
EXACT = "exact, no draws"
# Shares are read as per cent, their differences as points; other numbers as they are.
UNITS = (SHARE, POINTS, NUMBER) = ("%", "points", "")
# Published numbers that no source prints: what its formula gives, or what its words amount to.
FORMULA, SENTENCE = "by its formula", "by its words"
# What computes the claims that need no results file, and prints the others from their files.
AT_ONCE = "python -m privdemo claims"


@dataclass(frozen=True)
class Claim:
    """Something that a source says at `place`, in words; `published` and `ours` as numbers where it has one.

    `unit` is what they are counted in, one of `UNITS`. `reading` says where the published number is what a printed
    formula or sentence amounts to, not a number that is printed. `seeds` say what ours is a mean of, `command` computes
    it anew, `why` explains the verdict.
    """

    source: str
    place: str
    words: str
    published: float | None
    ours: Estimate | None
    unit: str
    seeds: str
    command: str
    verdict: str
    why: str
    reading: str = ""


def exactly(value: float) -> Estimate:
    """A number without uncertainty."""
    return Estimate(value, value, value)


def draws(n: int) -> str:
    """The seeds of a mean over n draws."""
    return f"{n} draws, seed 0, draws 0 to {n - 1}"


def near(published: float, ours: Estimate) -> tuple[str, str]:
    """A published accuracy or F1 against ours: the same within `SAME` or the interval; else better or worse.

    An interval that holds the published number and is wider than ± `WIDE` says too little.
    """
    if abs(published - ours.mean) <= SAME:
        return HOLDS, f"within {100 * SAME:g} point"
    if ours.low <= published <= ours.high:
        half = 0.5 * (ours.high - ours.low)
        return (HOLDS, "within the interval") if half <= WIDE else (UNCLEAR, "our interval is too wide to tell")
    if ours.mean > published:
        return CAVEAT, "ours is better, with the penalty chosen by cross-validation; the source does not say its own"
    return FAILS, "ours is worse, with the penalty chosen by cross-validation; the source does not say its own"


def everywhere(gaps: Mapping[Level, Estimate]) -> tuple[str, list[Level]]:
    """A comparison at several levels, by how far it is true of each (above 0: true), and where it clearly is.

    It holds where the 95 % interval says so at every level, with a caveat where at some and nowhere the opposite, and
    not where one level clearly says the opposite; where none says either it is not clear.
    """
    clear = [level for level, gap in gaps.items() if gap.low > 0]
    against = [level for level, gap in gaps.items() if gap.high < 0]
    if len(clear) == len(gaps):
        return HOLDS, clear
    return (FAILS if against else CAVEAT if clear else UNCLEAR), clear


def clearly(gap: Estimate) -> str:
    """A comparison at one place: it holds, or not, where the 95 % interval says so; else it is not clear."""
    return HOLDS if gap.low > 0 else FAILS if gap.high < 0 else UNCLEAR


def cannot(source: str, place: str, words: str, why: str, published: float | None = None) -> Claim:
    """A claim that cannot be checked here."""
    return Claim(source, place, words, published, None, SHARE, "–", "–", OPEN, why)


def listed(levels: Iterable[float]) -> str:
    """“0.1, 0.2”, or “none”."""
    return ", ".join(f"{level:g}" for level in levels) or "none"

"""The rules that turn numbers into verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from privdemo.experiments.claims.claim import CAVEAT, FAILS, HOLDS, UNCLEAR
from privdemo.intervals import Estimate
from privdemo.verdict import Verdict, clearly_below, judge

Level = TypeVar("Level", int, float)

# Two accuracies or F1 scores count as the same if they differ by at most this.
SAME = 0.01
# An interval with a larger half-width is too wide to confirm a published number.
WIDE = 0.05
# How far short of a claimed reduction ours may fall, and the least that counts as a reduction.
SHORT = 0.1


def judge_number(published: float, ours: Estimate) -> tuple[str, str]:
    """Return the verdict on a published accuracy or F1, and the reason.

    The claim holds if ours is within `SAME` of it, or if our 95 % interval contains it and has a half-width of at most
    `WIDE`; a wider interval leaves it unclear. Otherwise it holds with a caveat if ours is better, and fails if ours
    is worse.
    """
    if abs(published - ours.mean) <= SAME:
        return HOLDS, f"within {100 * SAME:g} point"
    if judge(ours, than=published) is Verdict.NOT_CLEAR:
        return (HOLDS, "within the interval") if ours.half <= WIDE else (UNCLEAR, "our interval is too wide to tell")
    if ours.mean > published:
        return CAVEAT, "ours is better, with the penalty chosen by cross-validation; the source does not say its own"
    return FAILS, "ours is worse, with the penalty chosen by cross-validation; the source does not say its own"


def judge_value(published: float, true: float, tolerance: float = 1e-9) -> str:
    """Return the verdict on the value of a printed formula: it holds if it equals the true one up to rounding."""
    return HOLDS if abs(published - true) <= tolerance else FAILS


def judge_limit(limit: float, largest: float) -> str:
    """Return the verdict on a claimed upper limit: it holds if the largest value found does not exceed it."""
    return HOLDS if largest <= limit + 1e-12 else FAILS


def judge_difference(gap: Estimate, than: float = 0.0) -> str:
    """Return the verdict on a claim that a difference is above 0, or a ratio above the number `than`.

    It holds if the whole 95 % interval is above, fails if all of it is below, and is unclear otherwise.
    """
    return {Verdict.BETTER: HOLDS, Verdict.WORSE: FAILS}.get(judge(gap, than=than), UNCLEAR)


def judge_below(estimate: Estimate, than: float = 0.0, *, caveat: bool = False) -> str:
    """Return the verdict on a claim that an estimate is below the number `than`, the opposite of `judge_difference`.

    With a `caveat` it does not hold without one.
    """
    opposite = {HOLDS: FAILS, FAILS: CAVEAT if caveat else HOLDS}
    return opposite.get(judge_difference(estimate, than), UNCLEAR)


def judge_much_less(ratio: Estimate, much: float, *, caveat: bool = False) -> str:
    """Return the verdict on a claim that a ratio is below 1, and by far: below `much`; not by far, it has a caveat."""
    return judge_below(ratio, 1.0, caveat=caveat or not clearly_below(ratio, much))


def judge_levels(gaps: Mapping[Level, Estimate], than: float = 0.0) -> tuple[str, list[Level]]:
    """Return the verdict on a claim that a difference is above 0 at every level, and the levels where it clearly is.

    The claim holds if `judge_difference` confirms it at every level, fails if it finds the opposite at any level, holds
    with a caveat if it confirms the claim at some levels, and is unclear if it confirms it at none. Ratios are judged
    by the number `than`, 1.
    """
    found = {level: judge_difference(gap, than) for level, gap in gaps.items()}
    clear = [level for level, verdict in found.items() if verdict == HOLDS]
    if len(clear) == len(gaps):
        return HOLDS, clear
    return (FAILS if FAILS in found.values() else CAVEAT if clear else UNCLEAR), clear


def judge_little(gaps: Mapping[Level, Estimate], little: float) -> tuple[str, list[Level]]:
    """Return the verdict on a claim that differences are little, and the levels at which there clearly is one.

    The claim fails if a mean is over `little`, and holds with a caveat if a difference is clear.
    """
    clear = [level for level, gap in gaps.items() if judge(gap).clear]
    return judge_fact(all(abs(gap.mean) <= little for gap in gaps.values()), caveat=bool(clear)), clear


def judge_cost(published: float, ours: Estimate) -> str:
    """Return the verdict on a published loss: it holds if ours is within `SAME` of it.

    It holds with a caveat if ours is clearly less, fails if ours is clearly more, and is unclear otherwise.
    """
    if abs(ours.mean - published) <= SAME:
        return HOLDS
    return judge_below(ours, published, caveat=True)


def judge_fact(true: bool, *, caveat: bool = False) -> str:
    """Return the verdict on a claim that a computation shows to be true or not, the former perhaps with a caveat."""
    return (CAVEAT if caveat else HOLDS) if true else FAILS


def judge_multiple(multiple: float) -> str:
    """Return the verdict on a published number of two digits, from ours as a multiple of it.

    The claim holds if ours differs by less than a tenth, with a caveat if by less than a quarter.
    """
    off = abs(multiple - 1)
    return HOLDS if off < 0.1 else CAVEAT if off < 0.25 else FAILS


def judge_part(published: float, part: float) -> str:
    """Return the verdict on a claim about a part of all cases, true of `part`: with a caveat if of more than half."""
    return HOLDS if part >= published else CAVEAT if part > 0.5 else FAILS


def judge_reduction(published: float, ours: float) -> tuple[str, str]:
    """Return the verdict on a claim that an error is lower by a published part, and the reason.

    The claim holds if ours is lower by at most `SHORT` less than that, with a caveat if it is lower by more than
    `SHORT`.
    """
    if ours >= published - SHORT:
        return HOLDS, "as much lower as the text says, or less than 10 points short"
    if ours > SHORT:
        return CAVEAT, "lower, but by less than the text says"
    return FAILS, "not lower by 10 % or more"

"""The rules that turn numbers into verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from privdemo.experiments.claims.claim import CAVEAT, DIFFERS, FAILS, HOLDS, UNCLEAR
from privdemo.intervals import Estimate
from privdemo.verdict import Verdict, clearly_below, judge

Level = TypeVar("Level", int, float)

# By how much two accuracies or F1 scores may differ and count as the same: less than the effects that are claimed.
SAME = 0.01
# The same for a claimed cost of about one point; for a claimed reduction of an error; and for a number of any size, as
# a part of it.
SAME_COST, SAME_REDUCTION, SAME_PART = 0.005, 0.1, 0.1
# What a source may not give.
PENALTY_UNKNOWN = "our penalty is chosen by cross-validation, and the source does not say its own"


def judge_number(published: float, ours: Estimate, same: float = SAME, *, unknown: str = "") -> tuple[str, str]:
    """Return the verdict on a published number, and the reason: a test of equivalence, alike above and below.

    The claim holds if our whole 95 % interval is within `same` of it, which is two one-sided tests, each at 2.5 %.
    Otherwise, if the interval excludes the published number, ours differs; the claim fails if the source gives all that
    ours depends on, and if not, says only that they differ: `unknown` is what it does not give. All else is unclear.
    """
    margin = f"{100 * same:g} point{'' if same == SAME else 's'}"
    if published - same <= ours.low and ours.high <= published + same:
        return HOLDS, f"our whole interval is within {margin} of it"
    if not ours.covers(published):
        side = "higher" if ours.mean > published else "lower"
        return (DIFFERS, f"ours is clearly {side}; {unknown}") if unknown else (FAILS, f"ours is clearly {side}")
    return UNCLEAR, f"our interval contains it, but also numbers more than {margin} away"


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

    The claim holds if all whole intervals are within `little`, with a caveat if a difference is clear; it fails if one
    is wholly beyond, and is unclear otherwise.
    """
    clear = [level for level, gap in gaps.items() if judge(gap).clear]
    if any(gap.low > little or gap.high < -little for gap in gaps.values()):
        return FAILS, clear
    within = all(-little <= gap.low and gap.high <= little for gap in gaps.values())
    return (CAVEAT if clear else HOLDS) if within else UNCLEAR, clear


def judge_fact(true: bool, *, caveat: bool = False) -> str:
    """Return the verdict on a claim that a computation shows to be true or not, the former perhaps with a caveat."""
    return (CAVEAT if caveat else HOLDS) if true else FAILS


def judge_size(published: float, ours: Estimate, *, unknown: str = "") -> str:
    """Return `judge_number`'s verdict on a published number of any size, with a tenth of it as the margin."""
    return judge_number(published, ours, SAME_PART * published, unknown=unknown)[0]


def judge_part(published: float, part: float) -> str:
    """Return the verdict on a claim about a part of all cases, true of `part`: with a caveat if of more than half."""
    return HOLDS if part >= published else CAVEAT if part > 0.5 else FAILS


def judge_reduction(published: float, ours: Estimate) -> tuple[str, str]:
    """Return the verdict on a claim that an error is lower by a published part, and the reason.

    It is `judge_number`'s, with a margin of `SAME_REDUCTION`, and fails where the error is clearly not lower.
    """
    if ours.high < 0:
        return FAILS, "clearly not lower"
    return judge_number(published, ours, SAME_REDUCTION, unknown="the source does not give all settings")

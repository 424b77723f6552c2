"""The one rule by which a difference is judged: better, worse, not clear, or too few trials."""

from __future__ import annotations

from enum import Enum

from privdemo.intervals import Estimate

# Trials from which on a difference is judged: an interval over two or three is next to none.
ENOUGH = 5


class Verdict(Enum):
    """The verdict on the first of two methods."""

    BETTER = "better"
    WORSE = "worse"
    NOT_CLEAR = "not clear"
    TOO_FEW = "too few trials"

    @property
    def clear(self) -> bool:
        """Whether one of the two is ahead."""
        return self in (Verdict.BETTER, Verdict.WORSE)


def judge(
    estimate: Estimate,
    n_trials: int | None = None,
    *,
    than: float = 0.0,
    least: float = 0.0,
    lower_is_better: bool = False,
) -> Verdict:
    """Judge an estimate with its 95 % interval against the number `than`: of a difference 0, of a ratio 1.

    It is clear if the interval excludes `than` and the mean is at least `least` away from it, a visible difference.
    With fewer than `ENOUGH` of `n_trials` the verdict is `TOO_FEW`; None stands for numbers that do not come from
    trials, or whose interval is valid with few.
    """
    if n_trials is not None and n_trials < ENOUGH:
        return Verdict.TOO_FEW
    if estimate.covers(than) or abs(estimate.mean - than) < least:
        return Verdict.NOT_CLEAR
    return Verdict.BETTER if (estimate.mean > than) != lower_is_better else Verdict.WORSE


def clearly_above(estimate: Estimate, than: float = 0.0) -> bool:
    """Return whether an estimate is above the number `than`, by `judge`."""
    return judge(estimate, than=than) is Verdict.BETTER


def clearly_below(estimate: Estimate, than: float = 0.0) -> bool:
    """Return whether an estimate is below the number `than`, by `judge`."""
    return judge(estimate, than=than) is Verdict.WORSE

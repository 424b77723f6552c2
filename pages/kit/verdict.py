"""The one rule by which two methods are compared: better, worse, not clear, or too few draws to tell."""

from __future__ import annotations

from enum import Enum

from privdemo.intervals import Estimate

# Draws from which on a difference is judged: an interval over two or three is next to none.
ENOUGH = 5


class Verdict(Enum):
    """What a difference says of the first of two methods."""

    BETTER = "better"
    WORSE = "worse"
    NOT_CLEAR = "not clear"
    TOO_FEW = "too few draws"

    @property
    def clear(self) -> bool:
        """Whether one of the two is ahead."""
        return self in (Verdict.BETTER, Verdict.WORSE)


def judge(
    difference: Estimate, n_draws: int | None = None, *, least: float = 0.0, lower_is_better: bool = False
) -> Verdict:
    """Judge the `difference` of a mark, first method minus second, with its 95 % interval.

    It is clear if the interval leaves out 0 and the difference is `least` or more, which a reader sees. With fewer than
    `ENOUGH` of `n_draws` there is no judgement; None stands for numbers that do not come from draws.
    """
    if n_draws is not None and n_draws < ENOUGH:
        return Verdict.TOO_FEW
    if not difference.excludes_zero or abs(difference.mean) < least:
        return Verdict.NOT_CLEAR
    return Verdict.BETTER if (difference.mean > 0) != lower_is_better else Verdict.WORSE

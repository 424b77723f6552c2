"""A plan: a mechanism with its parameters, how exact it is, and what it takes to reach the goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from privdemo import limits
from privdemo.intervals import Estimate

# Every ε that is advised is a multiple of 1/1000.
STEPS = 1000


@dataclass(frozen=True)
class Plan:
    """What to do under one kind of trust, and what comes of it.

    The `half_width` is that of the 95 % interval of one share (of one count, as a share of all people) from `people`,
    by the estimator that belongs to the mechanism, where the true share is `share`, at which it is widest; for a
    classifier it is the share of right answers that is lost. None of the k intervals allows for there being k of them.

    Args:
        trust: Whom people trust, a word of `TRUSTED`.
        mechanism: The name of the mechanism, or of the method that trains a classifier.
        parameters: The parameters of the mechanism by their names.
        epsilon: The ε of one person; if the goal is reached, the least one with which it is.
        delta: The δ of one person.
        people: The number of people.
        half_width: See above.
        share: The true share for which that is stated; None where it is the same for all.
        reached: Whether the half-width is the wanted one or less, with an allowed ε.
        people_needed: The fewest people with whom the goal is reached, with the largest allowed ε; None if no number
            up to ten million is enough, or no goal was given.
        epsilon_needed: The least ε up to 10 with which these people reach the goal, allowed or not; None if there is
            none, or no goal was given.
        accuracy: Of a classifier, the share of right answers, with its interval.
    """

    trust: str
    mechanism: str
    parameters: Mapping[str, float] = field(hash=False)
    epsilon: float
    delta: float
    people: int
    half_width: float
    share: float | None
    reached: bool
    people_needed: int | None
    epsilon_needed: float | None
    accuracy: Estimate | None = None


def fewest(enough: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least whole number from `low` on that is `enough`; `high` is, and so is every number above another
    that is.
    """
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def steps(epsilon: float) -> int:
    """Return how many steps of ε there are up to `epsilon`."""
    return int(epsilon * STEPS + 1e-9)


MOST_STEP = steps(limits.ORACLE_EPSILON.high)

"""Errors in closed form: of every oracle, along ε, the number of answers and that of people; and the best oracle by k
and ε.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from privdemo import limits
from privdemo.experiments.many_answers.config import RANDOMISED_RESPONSE, mechanism
from privdemo.experiments.many_answers.release import Truth
from privdemo.mechanisms.frequency_oracles import ORACLES, SubsetSelection, best, for_answers

EPSILON_AXIS, K_AXIS, PEOPLE_AXIS = "epsilon", "answers", "people"
AXES = {
    EPSILON_AXIS: (0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0),
    K_AXIS: (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024),
    PEOPLE_AXIS: (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000),
}
# The answers that only oracles with short reports take.
MORE_ANSWERS = (2048, 4096, 8192, 16_384, 32_768, 65_536)
# The map of winners has so many steps of ε between its limits, 15 to a power of ten, and so many of k.
_STEPS_EPSILON, _STEPS_K = 46, 37


def errors(k: int, epsilon: float, people: int) -> dict[str, float]:
    """Return the root of the mean squared error of an estimated share by inversion, for every oracle that takes `k`
    answers: √ of `mean_variance`.

    It is the same whatever the shares are.
    """
    return {name: math.sqrt(mechanism(name, k, epsilon).mean_variance(people)) for name in for_answers(k)}


def along(axis: str, k: int, epsilon: float, people: int) -> dict[float, dict[str, float]]:
    """Return `errors` at every level of an axis of `AXES` and at one's own, all else unchanged.

    With more than 1,024 answers of one's own, the axis of answers goes on to 65,536.
    """
    own = {EPSILON_AXIS: epsilon, K_AXIS: k, PEOPLE_AXIS: people}[axis]
    more = MORE_ANSWERS if axis == K_AXIS and k > AXES[K_AXIS][-1] else ()
    found: dict[float, dict[str, float]] = {}
    for level in sorted({*AXES[axis], *more, own}):
        at = {EPSILON_AXIS: epsilon, K_AXIS: k, PEOPLE_AXIS: people} | {axis: level}
        found[level] = errors(int(at[K_AXIS]), at[EPSILON_AXIS], int(at[PEOPLE_AXIS]))
    return found


def halving_epsilon(oracle: str, k: int, epsilon: float) -> float | None:
    """Return the ε at which an oracle's error is half of that at `epsilon`, by bisection to 10⁻⁹; None if above the
    limit.
    """
    goal = mechanism(oracle, k, epsilon).mean_variance(1) / 4
    low, high = epsilon, limits.ORACLE_EPSILON.high
    if mechanism(oracle, k, high).mean_variance(1) > goal:
        return None
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if mechanism(oracle, k, middle).mean_variance(1) <= goal else (middle, high)
    return high


def same_lie(first: str, second: str, k: int, epsilon: float) -> bool:
    """Return whether two oracles are one: subset selection with sets of one answer is k-ary randomised response."""
    return {first, second} == {RANDOMISED_RESPONSE, "subset selection"} and SubsetSelection(k, epsilon).size == 1


def unasked_error(people: Truth) -> float:
    """Return the error of the uniform distribution, an estimate without any report."""
    return math.sqrt(float(np.mean(np.square(people.shares - 1 / people.k))))


def crossover(epsilon: float) -> float:
    """Return k = 3e^ε + 2, up to which k-ary randomised response beats optimised unary encoding for rare answers.

    Wang et al. 2017, section 5, from the first terms of the variances; by the mean of all it is `most_answers`.
    """
    return 3 * math.exp(epsilon) + 2


@lru_cache(1024)
def most_answers(epsilon: float) -> int:
    """Return the largest k, up to 1,024, at which k-ary randomised response beats optimised unary encoding.

    By `mean_variance`, the error of an answer on average. Of two answers it always does, and each further one
    costs it more.
    """
    ks = range(int(limits.ORACLE_ANSWERS.low), int(limits.ORACLE_ANSWERS.high) + 1)

    def loses(k: int) -> bool:
        response, bits = (
            mechanism(name, k, epsilon).mean_variance(1) for name in (RANDOMISED_RESPONSE, "optimised unary")
        )
        return response >= bits

    return ks[bisect_left(ks, True, key=loses) - 1]


class Winners(NamedTuple):
    """Which oracle wins at each of `ks` and `epsilons`, a row for each k, and k-ary response's error against its."""

    epsilons: tuple[float, ...]
    ks: tuple[int, ...]
    names: tuple[tuple[str, ...], ...]
    times: tuple[tuple[float, ...], ...]


def winners(among: Sequence[str] = tuple(ORACLES)) -> Winners:
    """Return the best oracle of those `among` by the mean variance of inversion, for every ε and k that is allowed.

    Both grow by a fixed factor; small k, rounded to whole numbers, may repeat.
    """
    least, most = limits.ORACLE_EPSILON.low, limits.ORACLE_EPSILON.high
    epsilons = tuple(round(float(e), 4) for e in np.geomspace(least, most, _STEPS_EPSILON))
    ks = tuple(round(float(k)) for k in np.geomspace(2, 1024, _STEPS_K))
    names = tuple(tuple(best(k, epsilon, among) for epsilon in epsilons) for k in ks)
    times = tuple(
        tuple(
            math.sqrt(mechanism(RANDOMISED_RESPONSE, k, e).mean_variance(1) / mechanism(name, k, e).mean_variance(1))
            for e, name in zip(epsilons, row, strict=True)
        )
        for k, row in zip(ks, names, strict=True)
    )
    return Winners(epsilons, ks, names, times)

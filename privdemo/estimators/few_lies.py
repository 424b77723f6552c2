"""Exact intervals (Blaker) for the number of people with an answer, where few lie and counts hardly vary."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

Array = NDArray[np.floating]

LEVEL = 0.05
# Standard deviations, and a number of people more, beyond which a count is treated as impossible.
_FAR, _MORE = 8.0, 12
# Standard errors within which the ends of an interval are searched, and the most numbers of people that are tried.
_AROUND, _TRIED = 5.0, 4000


def blaker_ends(p: float, q: float, n_people: int, counts: ArrayLike) -> tuple[Array, Array]:
    """Return the fewest and the most of `n_people` who may have an answer that `counts` (m,) reports support, (m,)
    each.

    A report supports its sender's answer with probability `p` and another one with `q`, so that the count is the sum of
    two binomials, Bin(x, p) + Bin(n − x, q), and no longer a single one. Of each x the 95 % interval holds those whose
    acceptability is above 5 %: the probability of counts that are as far in a tail, or farther, as the one seen
    (Blaker 2000). It contains the truth at least 95 times of 100, and is never longer than Clopper and Pearson's. A
    count that no number of people explains has both ends at the nearest, 0 or n.
    """
    seen, back = np.unique(np.asarray(counts, dtype=np.int64), return_inverse=True)
    every = _candidates(p, q, n_people, seen)
    step = -(-len(every) // _TRIED)
    people = np.append(every[:-1:step], every[-1])
    least, most = _accepted(p, q, n_people, people)
    inside = (least <= seen[:, None]) & (seen[:, None] <= most)
    inside[~inside.any(axis=1) & (seen > most[-1]), -1] = True
    # Where not all numbers are tried, an end may lie between the one that is accepted and its neighbour.
    wider, last = int(step > 1), len(people) - 1
    low = people[np.maximum(0, inside.argmax(axis=1) - wider)]
    high = people[np.minimum(last, _last_true_column(inside) + wider)]
    return low[back].astype(float), high[back].astype(float)


def _last_true_column(found: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the last column of each row of `found` (m, width) that is true; the first where none is."""
    return (np.arange(found.shape[1]) * found).max(axis=1)


def _candidates(p: float, q: float, n_people: int, seen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return every possible number of people with an answer given any of the counts `seen`, sorted."""
    z2 = _AROUND**2 / n_people
    excess, b = seen / n_people - q, 1 - p - q
    centre = excess + z2 * b / 2
    half = np.sqrt(np.maximum(0.0, centre**2 - excess**2 + z2 * q * (1 - q)))
    low, high = (np.clip((centre + side * half) / (p - q) * n_people, 0, n_people) for side in (-1, 1))
    found = np.zeros(n_people + 2, np.int64)
    np.add.at(found, np.floor(low).astype(np.int64), 1)
    np.add.at(found, np.ceil(high).astype(np.int64) + 1, -1)
    return np.flatnonzero(found.cumsum()[:-1])


def _accepted(
    p: float, q: float, n_people: int, people: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the largest count whose acceptability is above 5 %, for each number of `people` (m,)."""
    law, first = _law(p, q, n_people, people)
    below = law.cumsum(axis=1)
    tail = np.minimum(below, law + (below[:, -1:] - below))
    order = tail.argsort(axis=1, kind="stable")
    sorted_tail = np.take_along_axis(tail, order, axis=1)
    reached = np.take_along_axis(law, order, axis=1).cumsum(axis=1)
    # Counts of the same tail are accepted or refused together: what counts is what the last of them has reached.
    new = np.diff(sorted_tail, axis=1, append=np.inf) > 1e-9 * sorted_tail
    refused = np.where(new & (reached <= LEVEL), sorted_tail, -1.0).max(axis=1, keepdims=True)
    accepted = tail > refused * (1 + 1e-9)
    return first + accepted.argmax(axis=1), first + _last_true_column(accepted)


def _law(p: float, q: float, n_people: int, people: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    """Return the law of the count for each number of `people` (m,), (m, width), and the count at which each row
    begins.
    """
    true, first_true = _binomial(people, p)
    other, first_other = _binomial(n_people - people, q)
    law = np.zeros((len(people), true.shape[1] + other.shape[1] - 1))
    for place in range(other.shape[1]):
        law[:, place : place + true.shape[1]] += other[:, place : place + 1] * true
    return law, first_true + first_other


def _binomial(trials: NDArray[np.int64], chance: float) -> tuple[Array, NDArray[np.int64]]:
    """Return binomial laws of several numbers of `trials` (m,), (m, width), and where each begins."""
    mean, spread = trials * chance, np.sqrt(trials * chance * (1 - chance))
    reach = _FAR * spread.max() + _MORE
    first = np.maximum(0, np.floor(mean - reach)).astype(np.int64)
    successes = first[:, None] + np.arange(int(min(trials.max(), 2 * reach + 1)) + 1)
    return binom.pmf(successes, trials[:, None], chance), first

"""Shares of k answers from the reports of a frequency oracle: inversion, projection and maximum likelihood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.estimators.few_lies import blaker_ends
from privdemo.estimators.frequencies import EMResult, climb, randomised_response_mle
from privdemo.estimators.support_likelihood import LikeliestShares, SupportLikelihood
from privdemo.intervals import Z95, exact_ends
from privdemo.mechanisms.frequency_oracles import FrequencyOracle, KaryResponse
from privdemo.simplex import project_simplex

Array = NDArray[np.floating]

EM_ITERATIONS = 500
# Counts of a standard deviation below this have exact intervals.
VARIES = 7.0


class InvertedShares(NamedTuple):
    """Unbiased `shares` (k,), which may leave [0, 1], their `standard_error`, and the ends of 95 % intervals."""

    shares: Array
    standard_error: Array
    low: Array
    high: Array


def unbiased_shares(oracle: FrequencyOracle, supported: ArrayLike, n_people: int) -> Array:
    """Return shares (k,) from how many of `n_people` reports support each answer, `supported` (k,): (supported/n −
    q)/(p − q).

    They may leave [0, 1]. Raises ``ValueError`` for counts that are not those of n reports.
    """
    limits.ORACLE_PEOPLE.check(n_people)
    counts = np.asarray(supported, dtype=float)
    if counts.shape != (oracle.k,) or not ((counts >= 0) & (counts <= n_people)).all():
        raise ValueError(f"supported must be {oracle.k} counts from 0 to the {n_people} people, got {supported!r}")
    return (counts / n_people - oracle.q) / (oracle.p - oracle.q)


def invert(oracle: FrequencyOracle, supported: ArrayLike, n_people: int, of_population: bool = False) -> InvertedShares:
    """Return `unbiased_shares` with standard errors and 95 % intervals.

    Standard errors are those of `oracle.variance` at the estimate. Intervals are of the shares among the people
    themselves; with `of_population`, among those whom they stand for. The estimate is in them even where it is below 0
    or above 1.

    Of a population, a count is binomial with a chance q + f(p − q), so that both ends of its exact interval (Clopper
    and Pearson 1934) are those of f: they contain it in at least 95 of 100 surveys, whatever n and f. Among the people
    themselves intervals are score intervals, as Wilson's: the shares f that are z standard errors of *their own* away
    from the estimate, the roots of a quadratic; those of a count that varies by less than `VARIES` are exact
    (`blaker_ends`). Raises as `unbiased_shares`.
    """
    shares = unbiased_shares(oracle, supported, n_people)
    variance = oracle.variance(np.clip(shares, 0, 1), n_people, of_population)
    if of_population:
        low, high = ((end - oracle.q) / (oracle.p - oracle.q) for end in exact_ends(supported, n_people))
        return InvertedShares(shares, np.sqrt(variance), low, high)
    low, high = _score_ends(oracle, shares, n_people)
    few = variance < (VARIES / (n_people * (oracle.p - oracle.q))) ** 2
    if few.any():
        ends = blaker_ends(oracle.p, oracle.q, n_people, np.asarray(supported)[few])
        low[few], high[few] = (end / n_people for end in ends)
    return InvertedShares(shares, np.sqrt(variance), np.minimum(low, shares), np.maximum(high, shares))


def _score_ends(oracle: FrequencyOracle, shares: Array, n_people: int) -> tuple[Array, Array]:
    """Return both ends of score intervals for unbiased `shares` (k,)."""
    p, q = oracle.p, oracle.q
    # With x = f(p−q) a count's variance is n·(q(1−q) + (1−p−q) x), and (excess − x)² is z²/n times that at the ends.
    excess = shares * (p - q)
    z2 = Z95**2 / n_people
    centre = excess + z2 * (1 - p - q) / 2
    half = np.sqrt(np.maximum(0.0, centre**2 - excess**2 + z2 * q * (1 - q)))
    low, high = ((centre + side * half) / (p - q) for side in (-1, 1))
    return low, high


def project(oracle: FrequencyOracle, supported: ArrayLike, n_people: int) -> Array:
    """Return the shares (k,) of 0 or more that sum to 1 and are nearest to `unbiased_shares`. Raises as that."""
    return project_simplex(unbiased_shares(oracle, supported, n_people))


def maximise_likelihood(
    oracle: FrequencyOracle, reports: NDArray, tolerance: float | None = None, max_iter: int = 100
) -> LikeliestShares:
    """Return the shares (k,) that make `reports` (n, ...) likeliest, with a bound on the distance from the maximum.

    The likelihood of a true answer v depends only on whether a report supports it: L(v) ∝ r^1[v ∈ S], for every oracle.
    `tolerance` is in nats a report; by default the reports together could be likelier by 0.01 nats at most. For k-ary
    randomised response the maximum has a closed form. Raises ``ValueError`` for no reports, for more than 10⁹ people
    times answers, and for more than 1,024 answers.
    """
    limits.MAX_ITER.check(max_iter)
    limits.LIKELIEST_ANSWERS.check(oracle.k)
    _check_size(oracle, reports)
    tally = oracle.tally(reports)
    if isinstance(oracle, KaryResponse):
        shares = randomised_response_mle(tally, oracle.response.flip_prob)
        return LikeliestShares(shares / shares.sum(), 0.0, 0)
    found = pooled(oracle, reports)
    gap = 0.01 / len(reports) if tolerance is None else limits.TOLERANCE.check(tolerance)
    return found.maximise(project(oracle, tally, len(reports)), gap, max_iter)


def stopped_likelihood(oracle: FrequencyOracle, reports: NDArray, tolerance: float = 1e-3) -> EMResult:
    """Return shares (k,) on the way from equal ones to the likeliest, by expectation–maximisation that stops early.

    It stops where `reports` (n, ...) could be likelier by no more than `tolerance` nats each (see `climb`). That
    shrinks the shares towards equal ones, as a prior would. For 10,000 people and shares by Zipf's law the error is a
    few percent less than the maximum's; for more people, or where few answers are everybody's, it may be more. Raises
    as `maximise_likelihood`, but takes more than 1,024 answers.
    """
    limits.TOLERANCE.check(tolerance)
    _check_size(oracle, reports)
    return climb(pooled(oracle, reports).slope, np.full(oracle.k, 1 / oracle.k), EM_ITERATIONS, tolerance)


def _check_size(oracle: FrequencyOracle, reports: NDArray) -> None:
    limits.ORACLE_PEOPLE.check(len(reports))
    limits.ORACLE_BITS.check(len(reports) * oracle.k)


def pooled(oracle: FrequencyOracle, reports: NDArray) -> SupportLikelihood:
    """Return the likelihood of `reports` (n, ...); equal supports are taken together where they are found fast."""
    if reports.ndim == 1:
        times = np.bincount(reports)
        sent = np.flatnonzero(times)
        return SupportLikelihood(oracle.packed_support(sent), times[sent].astype(float), oracle.k, oracle.ratio)
    packed = oracle.packed_support(reports)
    if len(packed) > 8 or oracle.n_supports >= len(reports):
        return SupportLikelihood(packed, np.ones(len(reports)), oracle.k, oracle.ratio)
    words = np.zeros((len(reports), 8), np.uint8)
    words[:, : len(packed)] = packed.T
    different, times = np.unique(words.view(np.uint64).ravel(), return_counts=True)
    rows = different.view(np.uint8).reshape(-1, 8)[:, : len(packed)]
    return SupportLikelihood(np.ascontiguousarray(rows.T), times.astype(float), oracle.k, oracle.ratio)

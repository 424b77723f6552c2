"""Errors of frequency oracles, exact and simulated, for the claims of three papers.

Errors are n times the mean square of estimated shares by inversion, which does not depend on the number of people n.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from privdemo.estimators.frequency_oracles import unbiased_shares
from privdemo.experiments.claims.claim import Finding, exactly
from privdemo.experiments.claims.judge import judge_value
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.frequency_oracles import FrequencyOracle, SubsetSelection
from privdemo.mechanisms.frequency_oracles.unary import UnaryEncoding

Array = NDArray[np.floating]

# Where formulas are evaluated: so few answers that every report can be listed.
K, EPSILON = 8, 1.0
PEOPLE, POLLS = 1000, 400
SEEDS = f"exact; {POLLS} simulated polls of {PEOPLE:,} people, seed 0"
SKEWED = np.arange(1, K + 1) ** -1.2 / (np.arange(1, K + 1) ** -1.2).sum()
EQUAL = np.full(K, 1 / K)


def exact_error(oracle: FrequencyOracle, shares: Array) -> Array:
    """Return n times the mean square error of each answer's share, (k,), over all reports and all people sampled from
    `shares`.

    Of one report that supports S it is the mean of ((1[v ∈ S] − q)/(p − q) − f)² with f = `shares` (k,).
    """
    reports = _every_report(oracle)
    chances = np.exp(oracle.log_prob(reports)) @ shares
    estimates = (oracle.support(reports) - oracle.q) / (oracle.p - oracle.q)
    return chances @ np.square(estimates - shares)


def simulated_error(oracle: FrequencyOracle, shares: Array, answers: slice = slice(None)) -> Estimate:
    """Return n times the squared errors of the shares of these `answers`, summed: their mean over simulated polls."""
    rng = np.random.default_rng(0)
    polls = (oracle.support_counts(rng.multinomial(PEOPLE, shares), rng) for _ in range(POLLS))
    found = (unbiased_shares(oracle, supported, PEOPLE) for supported in polls)
    return mean_interval([PEOPLE * float(np.square(one - shares)[answers].sum()) for one in found], least=0.0)


def compare_sum(published: float, oracle: FrequencyOracle, shares: Array) -> Finding:
    """Compare a formula for n times the squared error of all shares together."""
    return _finding(published, float(exact_error(oracle, shares).sum()), simulated_error(oracle, shares))


def compare_rare(published: float, oracle: FrequencyOracle) -> Finding:
    """Compare a formula for n times the variance of the share of an answer that nobody has; all have the first."""
    shares = np.eye(oracle.k)[0]
    simulated = simulated_error(oracle, shares, slice(1, None)).times(1 / (oracle.k - 1))
    return _finding(published, float(exact_error(oracle, shares)[-1]), simulated)


def _finding(published: float, ours: float, simulated: Estimate) -> Finding:
    return Finding(
        exactly(ours),
        judge_value(published, ours, 1e-9 * ours),
        f"ours is the mean over all reports that there are; simulated: {simulated.mean:.3g} "
        f"({simulated.low:.3g} to {simulated.high:.3g})",
        SEEDS,
    )


def _every_report(oracle: FrequencyOracle) -> NDArray:
    """Return every report of unary encodings, of subset selection, and of k-ary response, as the oracle writes them."""
    k = oracle.k
    if isinstance(oracle, UnaryEncoding):
        return np.packbits(np.array(list(product((False, True), repeat=k))), axis=1)
    if isinstance(oracle, SubsetSelection):
        chosen = list(combinations(range(k), oracle.size))
        member = np.zeros((len(chosen), k), bool)
        np.put_along_axis(member, np.array(chosen), True, axis=1)
        return np.packbits(member, axis=1)
    return np.arange(k)

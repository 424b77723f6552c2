"""Wang, Blocki, Li and Jha, *Locally differentially private protocols for frequency estimation* (USENIX 2017)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from privdemo import limits
from privdemo.experiments.claims.claim import FORMULA, ClaimRow, Finding, exactly
from privdemo.experiments.claims.judge import judge_fact, judge_size, judge_value
from privdemo.experiments.claims.oracle_errors import EPSILON, K, compare_rare
from privdemo.experiments.many_answers import crossover
from privdemo.mechanisms.frequency_oracles import BasicRappor, FrequencyOracle, KaryResponse, OptimisedUnaryEncoding

_LEVELS = np.arange(1, 51) / 10  # ε from 0.1 to 5
# The ε at which the rule for choosing an oracle is checked.
_AT = 4.0
_E, _H = math.exp(EPSILON), math.exp(EPSILON / 2)
_VARIANCE = f"n times the variance of a rare answer’s share is {{formula}}: k = {K}, ε = {EPSILON:g}"


def best_bits(published: float) -> Finding:
    """Find the least variance of a rare answer over all unary encodings of ε, by trying every p of a grid."""
    p = np.arange(1, 10_000) / 10_000
    q = p / (p + (1 - p) * _E)  # its odds are e^ε times less
    found = np.abs(p - q) ** -2 * q * (1 - q)
    least = float(p[found.argmin()])
    few = max(
        k
        for k in range(2, K + 1)
        if BasicRappor(k, EPSILON).mean_variance(1) < OptimisedUnaryEncoding(k, EPSILON).mean_variance(1)
    )
    return Finding(
        exactly(least),
        judge_value(published, least, 1e-4),
        "found among 9,999 values of p. By the mean of all answers it is not best of few: basic RAPPOR has less "
        f"variance up to k = {few}",
    )


def whole_hashes(published: float) -> Finding:
    """Compute how far the best whole g is from what a fractional one would give, at most."""
    ratios = []
    for epsilon in _LEVELS:
        e, g = math.exp(epsilon), np.arange(2, math.ceil(2 * math.exp(epsilon)) + 4)
        p, q = e / (e + g - 1), 1 / g
        ratios.append(float((q * (1 - q) / (p - q) ** 2).min()) / (4 * e / (e - 1) ** 2))
    worst = int(np.argmax(ratios))
    more = ratios[worst] - published
    return Finding(
        exactly(ratios[worst]),
        judge_fact(more < 0.05, caveat=more > 1e-9),
        f"g must be a whole number: with the best one it is up to {100 * more:.1f} % more, at ε = {_LEVELS[worst]:g}",
    )


def rare_crossover() -> Finding:
    """Find up to which k direct encoding is best for a rare answer."""
    published = math.ceil(crossover(_AT)) - 1
    ours = _largest_k(lambda oracle: float(oracle.variance(0.0, 1)))
    return Finding(exactly(ours), judge_value(published, ours), "found by trying every k", published=published)


def mean_crossover() -> Finding:
    """Find up to which k direct encoding is best by the mean of all answers' variances."""
    published = math.ceil(crossover(_AT)) - 1
    ours = _largest_k(lambda oracle: oracle.mean_variance(1))
    return Finding(
        exactly(ours),
        judge_size(published, exactly(ours)),
        "the rule leaves out what a share’s own size adds to its variance, more with direct encoding; between "
        "the two k it names the worse",
        published=published,
    )


def _largest_k(variance: Callable[[FrequencyOracle], float]) -> int:
    """Return the largest k for which k-ary randomised response has less variance than optimised unary encoding.

    Every k is tried, so that this is an independent check of `many_answers.most_answers`, which bisects and so takes
    for granted that there is one crossover; and it takes any `variance`, that of a rare answer too.
    """
    ks = range(int(limits.ORACLE_ANSWERS.low), int(limits.ORACLE_ANSWERS.high) + 1)
    return max(k for k in ks if variance(KaryResponse(k, _AT)) < variance(OptimisedUnaryEncoding(k, _AT)))


CLAIMS = (
    ClaimRow(
        "on direct encoding",
        _VARIANCE.format(formula="(e^ε + k − 2)/(e^ε − 1)²"),
        partial(compare_rare, oracle=KaryResponse(K, EPSILON)),
        published=(_E + K - 2) / (_E - 1) ** 2,
        reading=FORMULA,
    ),
    ClaimRow(
        "on symmetric unary encoding",
        _VARIANCE.format(formula="e^(ε/2)/(e^(ε/2) − 1)²"),
        partial(compare_rare, oracle=BasicRappor(K, EPSILON)),
        published=_H / (_H - 1) ** 2,
        reading=FORMULA,
    ),
    ClaimRow(
        "on optimised unary encoding",
        _VARIANCE.format(formula="4e^ε/(e^ε − 1)²"),
        partial(compare_rare, oracle=OptimisedUnaryEncoding(K, EPSILON)),
        published=4 * _E / (_E - 1) ** 2,
        reading=FORMULA,
    ),
    ClaimRow(
        "on optimised unary encoding",
        "of all unary encodings that with p = ½ has the least variance of a rare answer: the best p at ε = "
        f"{EPSILON:g}",
        best_bits,
        published=0.5,
    ),
    ClaimRow(
        "on optimised local hashing",
        "a rare answer’s share has the variance of optimised unary encoding, 4e^ε/(e^ε − 1)², with g = e^ε + 1 "
        f"hashes: times as much at most, ε from {_LEVELS[0]:g} to {_LEVELS[-1]:g}",
        whole_hashes,
        published=1.0,
        reading=FORMULA,
    ),
    ClaimRow(
        "on which lie to choose",
        f"direct encoding beats optimised unary encoding for k < 3e^ε + 2: the largest such k at ε = {_AT:g}, for a "
        "rare answer",
        rare_crossover,
        reading=FORMULA,
    ),
    ClaimRow(
        "on which lie to choose",
        f"direct encoding beats optimised unary encoding for k < 3e^ε + 2: the largest such k at ε = {_AT:g}, by the "
        "mean of all answers’ variances",
        mean_crossover,
        reading=FORMULA,
    ),
)

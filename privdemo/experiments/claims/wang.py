"""Wang, Blocki, Li and Jha, *Locally differentially private protocols for frequency estimation* (USENIX 2017)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from privdemo import limits
from privdemo.experiments.claims.claim import FORMULA, WANG, Claim, exactly
from privdemo.experiments.claims.judge import judge_fact, judge_multiple, judge_value
from privdemo.experiments.claims.oracle_errors import EPSILON, K, rare_claim
from privdemo.experiments.many_answers import crossover
from privdemo.mechanisms.frequency_oracles import BasicRappor, FrequencyOracle, KaryResponse, OptimisedUnaryEncoding

_LEVELS = np.arange(1, 51) / 10  # ε from 0.1 to 5
# The ε at which the rule for choosing an oracle is checked.
_AT = 4.0
_CHOICE = "on which lie to choose"


def all_claims() -> list[Claim]:
    """Every claim of the paper that is checked."""
    return [*_variances(), _best_bits(), _hashing(), *_crossover()]


def from_formulas() -> list[Claim]:
    """The claims that need no results file: all of them."""
    return all_claims()


def _variances() -> list[Claim]:
    e, h, k = math.exp(EPSILON), math.exp(EPSILON / 2), K
    statement = "n times the variance of a rare answer’s share is"
    at = f"k = {k}, ε = {EPSILON:g}"
    return [
        rare_claim(WANG, f"on {name}", f"{statement} {formula}: {at}", value, oracle)
        for name, formula, value, oracle in (
            ("direct encoding", "(e^ε + k − 2)/(e^ε − 1)²", (e + k - 2) / (e - 1) ** 2, KaryResponse(k, EPSILON)),
            ("symmetric unary encoding", "e^(ε/2)/(e^(ε/2) − 1)²", h / (h - 1) ** 2, BasicRappor(k, EPSILON)),
            (
                "optimised unary encoding",
                "4e^ε/(e^ε − 1)²",
                4 * e / (e - 1) ** 2,
                OptimisedUnaryEncoding(k, EPSILON),
            ),
        )
    ]


def _best_bits() -> Claim:
    """The least variance of a rare answer over all unary encodings of ε, by trying every p of a grid."""
    e = math.exp(EPSILON)
    p = np.arange(1, 10_000) / 10_000
    q = p / (p + (1 - p) * e)  # its odds are e^ε times less
    found = np.abs(p - q) ** -2 * q * (1 - q)
    least = float(p[found.argmin()])
    few = max(
        k
        for k in range(2, K + 1)
        if BasicRappor(k, EPSILON).mean_variance(1) < OptimisedUnaryEncoding(k, EPSILON).mean_variance(1)
    )
    return Claim(
        source=WANG,
        place="on optimised unary encoding",
        words=f"of all unary encodings that with p = ½ has the least variance of a rare answer: the best p at ε = "
        f"{EPSILON:g}",
        published=0.5,
        ours=exactly(least),
        verdict=judge_value(0.5, least, 1e-4),
        why="found among 9,999 values of p. By the mean of all answers it is not best of few: basic RAPPOR has less "
        f"variance up to k = {few}",
    )


def _hashing() -> Claim:
    """How far the best whole g is from what a fractional one would give, at most."""
    ratios = []
    for epsilon in _LEVELS:
        e, g = math.exp(epsilon), np.arange(2, math.ceil(2 * math.exp(epsilon)) + 4)
        p, q = e / (e + g - 1), 1 / g
        ratios.append(float((q * (1 - q) / (p - q) ** 2).min()) / (4 * e / (e - 1) ** 2))
    worst = int(np.argmax(ratios))
    return Claim(
        source=WANG,
        place="on optimised local hashing",
        words="a rare answer’s share has the variance of optimised unary encoding, 4e^ε/(e^ε − 1)², with g = e^ε + 1 "
        f"hashes: times as much at most, ε from {_LEVELS[0]:g} to {_LEVELS[-1]:g}",
        published=1.0,
        ours=exactly(ratios[worst]),
        verdict=judge_fact(ratios[worst] < 1.05, caveat=ratios[worst] > 1 + 1e-9),
        why=f"g must be a whole number: with the best one it is up to {100 * (ratios[worst] - 1):.1f} % more, at ε = "
        f"{_LEVELS[worst]:g}",
        reading=FORMULA,
    )


def _crossover() -> list[Claim]:
    """Up to which k the papers' lie is best: for a rare answer, and by the mean of all answers' variances."""
    published = math.ceil(crossover(_AT)) - 1
    rare = _largest_k(lambda oracle: float(oracle.variance(0.0, 1)))
    mean = _largest_k(lambda oracle: oracle.mean_variance(1))
    words = f"direct encoding beats optimised unary encoding for k < 3e^ε + 2: the largest such k at ε = {_AT:g}"
    return [
        Claim(
            source=WANG,
            place=_CHOICE,
            words=f"{words}, {of}",
            published=published,
            ours=exactly(ours),
            verdict=verdict,
            why=why,
            reading=FORMULA,
        )
        for of, ours, verdict, why in (
            ("for a rare answer", rare, judge_value(published, rare), "found by trying every k"),
            (
                "by the mean of all answers’ variances",
                mean,
                judge_multiple(mean / published),
                "the rule leaves out what a share’s own size adds to its variance, more with direct encoding; between "
                "the two k it names the worse",
            ),
        )
    ]


def _largest_k(variance: Callable[[FrequencyOracle], float]) -> int:
    """The largest k for which k-ary randomised response has less variance than optimised unary encoding.

    Every k is tried, so that this is an independent check of `many_answers.most_answers`, which bisects and so takes
    for granted that there is one crossover; and it takes any `variance`, that of a rare answer too.
    """
    ks = range(int(limits.ORACLE_ANSWERS.low), int(limits.ORACLE_ANSWERS.high) + 1)
    return max(k for k in ks if variance(KaryResponse(k, _AT)) < variance(OptimisedUnaryEncoding(k, _AT)))

"""Ye and Barg, *Optimal schemes for discrete distribution estimation under locally differential privacy* (2018)."""

from __future__ import annotations

import math

import numpy as np

from privdemo import limits
from privdemo.experiments.claims.claim import EXACT, PERCENT, SENTENCE, YE_BARG, Claim, exactly
from privdemo.experiments.claims.judge import judge_fact, judge_part
from privdemo.experiments.claims.oracle_errors import EPSILON, EQUAL, K, sum_claim
from privdemo.mechanisms.frequency_oracles import BasicRappor, KaryResponse, SubsetSelection

# Where the paper says that it halves the loss: 3.8 < ε < ln(k/9), of which k up to 1,024 are tried.
_LOW, _STEPS = 3.8, 12


def all_claims() -> list[Claim]:
    """Every claim of the paper that is checked."""
    return [_risk(), _sizes(), _half()]


def from_formulas() -> list[Claim]:
    """The claims that need no results file: all of them."""
    return all_claims()


def _risk() -> Claim:
    oracle, e = SubsetSelection(K, EPSILON), math.exp(EPSILON)
    d = oracle.size
    return sum_claim(
        YE_BARG,
        "on subset selection",
        "n times the squared error of all shares, if equal, is (k − 1)²(d e^ε + k − d)²/(k d(k − d)(e^ε − 1)²): "
        f"k = {K}, d = {d}, ε = {EPSILON:g}",
        (K - 1) ** 2 * (d * e + K - d) ** 2 / (K * d * (K - d) * (e - 1) ** 2),
        oracle,
        EQUAL,
    )


def _sizes() -> Claim:
    """In what part of many settings the best size of the sets is next to k/(e^ε + 1)."""
    settings = [(k, epsilon) for k in (2, 3, 5, 10, 30, 100, 300, 1000) for epsilon in np.arange(1, 31) / 5]
    near = [abs(SubsetSelection(k, e).size - max(1.0, k / (math.exp(e) + 1))) < 1 for k, e in settings]
    part = float(np.mean(near))
    return Claim(
        source=YE_BARG,
        place="on the size of the sets",
        words="the best size d is k/(e^ε + 1), rounded up or down: in what part of "
        f"{len(settings)} settings (k from 2 to 1,000, ε from 0.2 to 6)",
        published=1.0,
        ours=exactly(part),
        unit=PERCENT,
        verdict=judge_part(part),
        why="every size was tried in each of them; a set has one answer at least",
        reading=SENTENCE,
    )


def _half() -> Claim:
    """The least reduction of the loss against the better of two older schemes, over ε and k."""
    most = limits.ORACLE_ANSWERS.high
    epsilons = np.linspace(_LOW, math.log((most - 1) / 9), _STEPS)
    found = {}
    for epsilon in epsilons:
        for k in np.linspace(math.ceil(9 * math.exp(epsilon)), most, _STEPS).astype(int):
            sampled = 1 - 1 / k  # the sampling error of true answers of random people
            ours, *theirs = (
                k * oracle(int(k), float(epsilon)).mean_variance(1) + sampled
                for oracle in (SubsetSelection, KaryResponse, BasicRappor)
            )
            found[int(k), float(epsilon)] = 1 - ours / min(theirs)
    (k, epsilon), least = min(found.items(), key=lambda item: item[1])
    return Claim(
        source=YE_BARG,
        place="abstract",
        words="for 3.8 < ε < ln(k/9) subset selection halves the squared error of the older schemes: the least "
        f"reduction, k up to {most:,}",
        published=0.5,
        ours=exactly(least),
        unit=PERCENT,
        seeds=EXACT,
        verdict=judge_fact(least >= 0.5),
        why=f"shares are equal, the worst case; it is least at k = {k}, ε = {epsilon:.2f}, and "
        f"{100 * max(found.values()):.0f} % at most. The older schemes are k-ary randomised response and k-ary RAPPOR",
        reading=SENTENCE,
    )

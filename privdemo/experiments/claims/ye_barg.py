"""Ye and Barg, *Optimal schemes for discrete distribution estimation under locally differential privacy* (2018)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from privdemo import limits
from privdemo.experiments.claims.claim import FORMULA, PERCENT, SENTENCE, ClaimRow, Finding, exactly
from privdemo.experiments.claims.judge import judge_fact, judge_part
from privdemo.experiments.claims.oracle_errors import EPSILON, EQUAL, K, compare_sum
from privdemo.mechanisms.frequency_oracles import BasicRappor, KaryResponse, SubsetSelection

# Where the paper says that it halves the loss: 3.8 < ε < ln(k/9), of which k up to 1,024 are tried.
_LOW, _STEPS, _MOST = 3.8, 12, limits.ORACLE_ANSWERS.high
_ORACLE, _E = SubsetSelection(K, EPSILON), math.exp(EPSILON)
_D = _ORACLE.size
# The settings in which the best size of the sets is found.
_SETTINGS = [(k, epsilon) for k in (2, 3, 5, 10, 30, 100, 300, 1000) for epsilon in np.arange(1, 31) / 5]


def best_sizes(published: float) -> Finding:
    """Compute in what part of many settings the best size of the sets is next to k/(e^ε + 1)."""
    near = [abs(SubsetSelection(k, e).size - max(1.0, k / (math.exp(e) + 1))) < 1 for k, e in _SETTINGS]
    part = float(np.mean(near))
    return Finding(
        exactly(part),
        judge_part(published, part),
        "every size was tried in each of them; a set has one answer at least",
    )


def least_reduction(published: float) -> Finding:
    """Compute the least reduction of the loss against the better of two older schemes, over ε and k."""
    epsilons = np.linspace(_LOW, math.log((_MOST - 1) / 9), _STEPS)
    found = {}
    for epsilon in epsilons:
        for k in np.linspace(math.ceil(9 * math.exp(epsilon)), _MOST, _STEPS).astype(int):
            sampled = 1 - 1 / k  # the sampling error of true answers of random people
            ours, *theirs = (
                k * oracle(int(k), float(epsilon)).mean_variance(1) + sampled
                for oracle in (SubsetSelection, KaryResponse, BasicRappor)
            )
            found[int(k), float(epsilon)] = 1 - ours / min(theirs)
    (k, epsilon), least = min(found.items(), key=lambda item: item[1])
    return Finding(
        exactly(least),
        judge_fact(least >= published),
        f"shares are equal, the worst case; it is least at k = {k}, ε = {epsilon:.2f}, and "
        f"{100 * max(found.values()):.0f} % at most. The older schemes are k-ary randomised response and k-ary RAPPOR",
    )


CLAIMS = (
    ClaimRow(
        "on subset selection",
        "n times the squared error of all shares, if equal, is (k − 1)²(d e^ε + k − d)²/(k d(k − d)(e^ε − 1)²): "
        f"k = {K}, d = {_D}, ε = {EPSILON:g}",
        partial(compare_sum, oracle=_ORACLE, shares=EQUAL),
        published=(K - 1) ** 2 * (_D * _E + K - _D) ** 2 / (K * _D * (K - _D) * (_E - 1) ** 2),
        reading=FORMULA,
    ),
    ClaimRow(
        "on the size of the sets",
        "the best size d is k/(e^ε + 1), rounded up or down: in what part of "
        f"{len(_SETTINGS)} settings (k from 2 to 1,000, ε from 0.2 to 6)",
        best_sizes,
        published=1.0,
        unit=PERCENT,
        reading=SENTENCE,
    ),
    ClaimRow(
        "abstract",
        "for 3.8 < ε < ln(k/9) subset selection halves the squared error of the older schemes: the least "
        f"reduction, k up to {_MOST:,}",
        least_reduction,
        published=0.5,
        unit=PERCENT,
        reading=SENTENCE,
    ),
)

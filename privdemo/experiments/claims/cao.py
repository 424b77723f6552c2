"""Cao, Jia and Gong, *Data poisoning attacks to local differential privacy protocols* (USENIX Security 2021).

The paper's text is not at hand: its formulas of expected gains are as later papers quote them, and its experiments are
not run again.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from privdemo.disobedience import CraftedReport, FalseTruth, RandomReport, Way, gain, mixed_support_counts
from privdemo.estimators.frequency_oracles import unbiased_shares
from privdemo.experiments.claims.claim import FORMULA, PERCENT, SENTENCE, ClaimRow, Finding, exactly
from privdemo.experiments.claims.judge import judge_fact
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.frequency_oracles import (
    FrequencyOracle,
    KaryResponse,
    OptimisedLocalHashing,
    OptimisedUnaryEncoding,
)
from privdemo.simplex import round_to_sum

# Where gains are computed: so many answers, targets and fake clients, and each target's true share.
K, EPSILON, TARGETS, PART = 64, 1.0, (59, 60, 61, 62, 63), 0.05
_R, _F, _E = len(TARGETS), 0.01 * len(TARGETS), math.exp(EPSILON)
SHARES = np.where(np.isin(np.arange(K), TARGETS), 0.01, (1 - _F) / (K - _R))
PEOPLE, SURVEYS = 10_000, 400
_LEVELS = np.arange(1, 51) / 10  # ε from 0.1 to 5
_RESPONSE, _UNARY, _HASHING = (
    oracle(K, EPSILON) for oracle in (KaryResponse, OptimisedUnaryEncoding, OptimisedLocalHashing)
)
_AT = (
    f"by how much {100 * PART:g} % fake clients raise {_R} of {K} answers together, each with a true share of 1 %, at "
    f"ε = {EPSILON:g}"
)
_CRAFTED, _PRETENDED = CraftedReport(TARGETS), FalseTruth(TARGETS)


def compare_gain(published: float, oracle: FrequencyOracle, way: Way) -> Finding:
    """Compare a formula with the gain in closed form, from how often the reports sent support each answer."""
    ours, simulated = gain(oracle, way, TARGETS, PART, SHARES), _simulated(oracle, way)
    off = abs(ours / published - 1)
    why = f"g must be a whole number, and e^ε + 1 is none: {100 * off:.0f} % more; " if off > 1e-9 else ""
    return Finding(
        exactly(ours),
        judge_fact(off < 0.1, caveat=off > 1e-9),
        f"{why}ours is from the reports that are sent; in {SURVEYS} simulated surveys of {PEOPLE:,} people: "
        f"{simulated.mean:.3g} ({simulated.low:.3g} to {simulated.high:.3g})",
        f"exact; {SURVEYS} simulated surveys of {PEOPLE:,} people, seed 0",
    )


def _simulated(oracle: FrequencyOracle, way: Way) -> Estimate:
    """Return by how much the estimated share of the targets exceeds their true share, over simulated surveys."""
    rng, fake = np.random.default_rng(0), round(PART * PEOPLE)
    true = round_to_sum(SHARES * (PEOPLE - fake))
    fakes = np.eye(K, dtype=np.int64)[0] * fake
    surveys = (mixed_support_counts(oracle, way, true, fakes, rng) for _ in range(SURVEYS))
    off = (unbiased_shares(oracle, supported, PEOPLE) - true / true.sum() for supported in surveys)
    return mean_interval([float(one[list(TARGETS)].sum()) for one in off])


def pretenders(published: float) -> Finding:
    """Compute the gain of fake clients who only pretend, by each of the three protocols."""
    gains = [gain(oracle, _PRETENDED, TARGETS, PART, SHARES) for oracle in (_RESPONSE, _UNARY, _HASHING)]
    return Finding(
        exactly(gains[0]),
        judge_fact(max(abs(one - published) for one in gains) < 1e-9),
        "it is the same by all three, and by the other oracles of this package too: the least that fake clients can do",
    )


def trade_off() -> Finding:
    """Find at how many of the levels of ε a step to more privacy makes the attack stronger, by all three protocols."""
    oracles = (KaryResponse, OptimisedUnaryEncoding, OptimisedLocalHashing)
    gains = np.array([[gain(oracle(K, e), _CRAFTED, TARGETS, PART, SHARES) for e in _LEVELS] for oracle in oracles])
    steps = np.diff(gains, axis=1) < 0
    part = float(steps.mean())
    said = [
        f"{100 * row[0]:,.0f} points at ε = {_LEVELS[0]:g}, {100 * row[-1]:,.1f} at {_LEVELS[-1]:g}" for row in gains
    ]
    hashing = (
        f". With hashing it is so in {steps[2].sum()} of {steps.shape[1]} steps: for a larger g the best of 1,000 "
        "functions tried gives fewer targets the same hash"
    )
    return Finding(
        exactly(part),
        judge_fact(bool((gains[:, 0] > gains[:, -1]).all()), caveat=part < 1),
        f"direct encoding {said[0]}; unary encoding {said[1]}; hashing {said[2]}{hashing * bool(part < 1)}",
    )


_MAXIMAL, _RANDOM = "by the maximal gain attack", "by random perturbed values"
CLAIMS = (
    ClaimRow(
        f"on direct encoding, {_MAXIMAL}",
        f"β(1 − f) + β(d − r)/(e^ε − 1): {_AT}",
        partial(compare_gain, oracle=_RESPONSE, way=_CRAFTED),
        published=PART * (1 - _F) + PART * (K - _R) / (_E - 1),
        reading=FORMULA,
    ),
    *(
        ClaimRow(
            f"on {encoding}, {_MAXIMAL}",
            f"β(2r − f) + 2βr/(e^ε − 1): {_AT}",
            partial(compare_gain, oracle=oracle, way=_CRAFTED),
            published=PART * (2 * _R - _F) + 2 * PART * _R / (_E - 1),
            reading=FORMULA,
        )
        for encoding, oracle in (("unary encoding", _UNARY), ("local hashing", _HASHING))
    ),
    ClaimRow(
        f"on direct encoding, {_RANDOM}",
        f"β(r/d − f): {_AT}",
        partial(compare_gain, oracle=_RESPONSE, way=RandomReport()),
        published=PART * (_R / K - _F),
        reading=FORMULA,
    ),
    ClaimRow(
        f"on unary encoding, {_RANDOM}",
        f"β(r − f): {_AT}",
        partial(compare_gain, oracle=_UNARY, way=RandomReport()),
        published=PART * (_R - _F),
        reading=FORMULA,
    ),
    ClaimRow(
        f"on local hashing, {_RANDOM}",
        f"−βf: {_AT}",
        partial(compare_gain, oracle=_HASHING, way=RandomReport()),
        published=-PART * _F,
        reading=FORMULA,
    ),
    ClaimRow(
        "on random items",
        f"β(1 − f) by every protocol, if fake clients follow its rules with a target for the truth: {_AT}",
        pretenders,
        published=PART * (1 - _F),
        reading=FORMULA,
    ),
    ClaimRow(
        "on security and privacy",
        "the smaller ε is, the larger the gain of the maximal gain attack: in what part of the steps of 0.1 from ε = "
        f"{_LEVELS[0]:g} to {_LEVELS[-1]:g}",
        trade_off,
        unit=PERCENT,
        reading=SENTENCE,
    ),
)

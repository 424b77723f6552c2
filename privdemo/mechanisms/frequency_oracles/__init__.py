"""Frequency oracles: many people each report one of k answers with ε-local privacy, k from 2 to 1,024.

Local hashing and Hadamard response, whose reports stay short, take up to 65,536 answers.

    oracle = OptimisedUnaryEncoding(k=100, epsilon=1.0)
    oracle.support_counts(true_counts, rng)  # how many reports support each answer, sampled at once
    reports = oracle.reports(values, rng)    # or person by person
    oracle.tally(reports)                    # the same counts

`privdemo.estimators.frequency_oracles` estimates shares from either. None of them finds the frequent answers of a
domain too large to list (heavy hitters).
"""

from __future__ import annotations

from collections.abc import Iterable

from privdemo.mechanisms.frequency_oracles.hadamard import HadamardResponse
from privdemo.mechanisms.frequency_oracles.hashing import OptimisedLocalHashing
from privdemo.mechanisms.frequency_oracles.oracle import FrequencyOracle
from privdemo.mechanisms.frequency_oracles.response import KaryResponse
from privdemo.mechanisms.frequency_oracles.subset import SubsetSelection
from privdemo.mechanisms.frequency_oracles.unary import BasicRappor, OptimisedUnaryEncoding

# Every frequency oracle by its name, the simpler first. Append new ones at the end: the place is the random stream.
ORACLES: dict[str, type[FrequencyOracle]] = {
    "randomised response": KaryResponse,
    "basic rappor": BasicRappor,
    "optimised unary": OptimisedUnaryEncoding,
    "local hashing": OptimisedLocalHashing,
    "subset selection": SubsetSelection,
    "hadamard response": HadamardResponse,
}


def for_answers(k: int) -> tuple[str, ...]:
    """Return the names of the oracles that take `k` answers: above 1,024 those whose reports stay short."""
    return tuple(name for name, oracle in ORACLES.items() if oracle.answers_limit.contains(k))


def best(k: int, epsilon: float, among: Iterable[str] = tuple(ORACLES)) -> str:
    """Return the name of the oracle, of those `among` that take `k` answers, whose estimated shares have the least mean
    variance by inversion.

    Of equals the simpler: subset selection with sets of one is k-ary randomised response. Raises ``ValueError`` for an
    unknown name and for k or ε outside the limits.
    """
    names = tuple(among)
    if not names or not set(names) <= set(ORACLES):
        raise ValueError(f"among must name one or more of {', '.join(ORACLES)}, got {names!r}")
    able = [name for name in for_answers(k) if name in names] or [names[0]]  # none: the first says why not
    variances = {name: ORACLES[name](k, epsilon).mean_variance(1) for name in able}
    least = min(variances.values())
    return next(name for name, variance in variances.items() if variance <= least * (1 + 1e-9))


__all__ = [
    "ORACLES",
    "BasicRappor",
    "FrequencyOracle",
    "HadamardResponse",
    "KaryResponse",
    "OptimisedLocalHashing",
    "OptimisedUnaryEncoding",
    "SubsetSelection",
    "best",
    "for_answers",
]

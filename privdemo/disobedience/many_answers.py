"""What people who disobey, or fake clients, do to the shares of k answers, in closed form and by simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.disobedience.ways import CraftedReport, FalseTruth, RandomReport, Way
from privdemo.mechanisms.frequency_oracles import FrequencyOracle

Array = NDArray[np.floating]
Counts = NDArray[np.int64]
# Attacks of fake clients who want answers to look frequent, by their names. None of them but the first can be told from
# people of whom the targets are true.
PRETEND, RANDOM, CRAFTED = "false truth", "random report", "crafted report"
ATTACKS = (PRETEND, RANDOM, CRAFTED)


def attack(name: str, targets: tuple[int, ...]) -> Way:
    """Return the attack of this name on `targets`; a random report has none.

    Those of Cao, Jia & Gong 2021: the random item, the random perturbed value and the maximal gain attack.
    """
    if name not in ATTACKS:
        raise ValueError(f"name must be one of {', '.join(ATTACKS)}, got {name!r}")
    if name == RANDOM:
        return RandomReport()
    return FalseTruth(targets) if name == PRETEND else CraftedReport(targets)


def share_biases(
    oracle: FrequencyOracle, way: Way, part: float, shares: ArrayLike, their_shares: ArrayLike | None = None
) -> Array:
    """Return by how much the shares that inversion estimates miss everybody's true ones on average, (k,).

    z ((S π − q)/(p − q) − π), z = `part`, π = `their_shares` (by default `shares`) of those who disobey and S π how
    often a report of theirs supports each answer.
    """
    limits.PART.check(part)
    theirs = _check_shares(oracle, shares if their_shares is None else their_shares)
    return part * ((way.expected_support(oracle, theirs) - oracle.q) / (oracle.p - oracle.q) - theirs)


def expected_shares(
    oracle: FrequencyOracle, way: Way, part: float, shares: ArrayLike, their_shares: ArrayLike | None = None
) -> Array:
    """Return the mean of the shares that inversion estimates, (k,); see `share_biases`. They may leave [0, 1]."""
    own = _check_shares(oracle, shares)
    theirs = own if their_shares is None else _check_shares(oracle, their_shares)
    return (1 - part) * own + part * theirs + share_biases(oracle, way, part, own, theirs)


def gain(oracle: FrequencyOracle, way: Way, targets: tuple[int, ...], part: float, shares: ArrayLike) -> float:
    """Return by how much the estimated share of all `targets` together rises if a `part` of all clients is fake.

    β ((s − r q)/(p − q) − f), β = `part`, r the number of targets, s how many of them a report of this `way` supports,
    f their share among true clients (Cao, Jia & Gong 2021). A crafted report supports all r by unary encodings and
    Hadamard response, the lesser of r and d by subset selection, one by k-ary randomised response, and by local hashing
    as many as the best of the hash functions tried.
    """
    return float(share_biases(oracle, way, part, shares)[list(targets)].sum())


def split(counts: ArrayLike, part: float, rng: np.random.Generator) -> tuple[Counts, Counts]:
    """Return how many of `counts` (k,) people follow the rules and how many do not, a random `part` of all."""
    limits.PART.check(part)
    people = np.asarray(counts, dtype=np.int64)
    disobey = rng.multivariate_hypergeometric(people, round(part * int(people.sum())), method="marginals")
    return people - disobey, disobey


def mixed_support_counts(
    oracle: FrequencyOracle, way: Way, obey: ArrayLike, disobey: ArrayLike, rng: np.random.Generator
) -> Counts:
    """Return how many reports support each answer, (k,), if `obey` (k,) people follow the rules and `disobey` (k,) do
    not.

    Either may be nobody. Of fake clients it does not matter which answers are true.
    """
    if not np.count_nonzero(disobey):
        return oracle.support_counts(obey, rng)
    if not np.count_nonzero(obey):
        return way.support_counts(oracle, disobey, rng)
    return way.mixed_support_counts(oracle, obey, disobey, rng)


def mixed_reports(
    oracle: FrequencyOracle, way: Way, values: NDArray[np.integer], n_disobey: int, rng: np.random.Generator
) -> NDArray:
    """Return what people with true answers `values` (n,) send, the last `n_disobey` of whom disobey."""
    limits.Limit("n_disobey", 0, len(values), integer=True).check(n_disobey)
    obey = len(values) - n_disobey
    if n_disobey == 0:
        return oracle.reports(values, rng)
    if obey == 0:
        return way.reports(oracle, values, rng)
    honest, theirs = oracle.reports(values[:obey], rng), way.reports(oracle, values[obey:], rng)
    # People are the last axis in memory, as oracles write and read reports.
    return np.concatenate([honest.T, theirs.T], axis=-1, dtype=honest.dtype, casting="same_kind").T


def _check_shares(oracle: FrequencyOracle, shares: ArrayLike) -> Array:
    found = np.asarray(shares, dtype=float)
    if found.shape != (oracle.k,) or not (found >= 0).all() or abs(found.sum() - 1) > 1e-6:
        raise ValueError(f"shares must be {oracle.k} shares from 0 that sum to 1, got {shares!r}; divide by their sum")
    return found

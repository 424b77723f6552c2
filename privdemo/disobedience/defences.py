"""What a collector of k answers can do against fake clients, and how much of an attack is left after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.disobedience.many_answers import mixed_support_counts
from privdemo.disobedience.ways import Way
from privdemo.estimators.frequency_oracles import project, unbiased_shares
from privdemo.intervals import Estimate, mean_interval
from privdemo.mechanisms.frequency_oracles import FrequencyOracle
from privdemo.simplex import project_simplex

Array = NDArray[np.floating]
# How many fake clients the published defence takes there to be for each true one, where nobody knows.
PUBLISHED_RATIO = 0.2


def recover(
    oracle: FrequencyOracle,
    supported: ArrayLike,
    n_people: int,
    fake_ratio: float = PUBLISHED_RATIO,
    targets: tuple[int, ...] | None = None,
) -> Array:
    """Return the shares (k,) that LDPRecover makes of how many reports support each answer (Sun et al. 2024).

    With η = `fake_ratio` fake clients for each true one and their shares g, shares f become the projection of (1 + η) f
    − η g to the simplex. Nobody knows g. The method takes every fake report to support one answer alone, so that g sums
    to (1 − k q)/(p − q), and spreads that evenly over the answers with a share above 0. With `targets`, in the manner
    of the variant for known ones, that one answer is one of them: g is (1/r − q)/(p − q) for each and −q/(p − q) for
    others. All this holds for k-ary randomised response. A crafted report of the other oracles supports many answers,
    as a true one does, and then g is wrong.
    """
    FAKE_RATIO.check(fake_ratio)
    shares = unbiased_shares(oracle, supported, n_people)
    if targets is None:
        suspected = shares > 0
        fake = suspected * (1 - oracle.k * oracle.q) / (oracle.p - oracle.q) / max(1, suspected.sum())
    else:
        fake = (np.isin(np.arange(oracle.k), targets) / len(targets) - oracle.q) / (oracle.p - oracle.q)
    return project_simplex((1 + fake_ratio) * shares - fake_ratio * fake)


FAKE_RATIO = limits.Limit("fake_ratio", 0.0, 10.0, "it is how many fake clients there are for each true one")
Defence = Callable[[FrequencyOracle, NDArray, int], Array]
NONE, CONSISTENT, RECOVERED, TARGETS_KNOWN = "none", "projection", "LDPRecover", "LDPRecover, targets known"


def all_defences(targets: tuple[int, ...], fake_ratio: float = PUBLISHED_RATIO) -> dict[str, Defence]:
    """Return the defences by their names, first none: inversion.

    Projection takes the nearest shares of 0 or more that sum to 1, and assumes nothing.
    """
    return {
        NONE: unbiased_shares,
        CONSISTENT: project,
        RECOVERED: lambda oracle, supported, n: recover(oracle, supported, n, fake_ratio),
        TARGETS_KNOWN: lambda oracle, supported, n: recover(oracle, supported, n, fake_ratio, targets),
    }


class Defended(NamedTuple):
    """What is left of an attack: the `error` of a share (root mean square over answers), and the targets' `gain`.

    Both are means over surveys with 95 % intervals; the gain is the estimated share of the targets less the true one.
    """

    error: Estimate
    gain: Estimate


def defended(
    oracle: FrequencyOracle,
    way: Way | None,
    targets: tuple[int, ...],
    counts: ArrayLike,
    n_fake: int,
    surveys: int,
    rng: np.random.Generator,
    fake_ratio: float | None = None,
) -> dict[str, Defended]:
    """Return what each of `all_defences` leaves if `n_fake` clients of a `way` join `counts` (k,) true ones.

    `way` None is no attack. LDPRecover is told the true `fake_ratio`, unless another is given. Of each survey only how
    many reports support each answer is sampled.
    """
    limits.Limit("surveys", 1, 10_000, integer=True).check(surveys)
    true = oracle.check_counts(counts)
    shares, fakes = true / true.sum(), np.zeros(oracle.k, np.int64)
    fakes[0] = 0 if way is None else n_fake
    n_people = int(true.sum() + fakes.sum())
    applied = all_defences(targets, fakes.sum() / true.sum() if fake_ratio is None else fake_ratio)
    errors: dict[str, list[float]] = {name: [] for name in applied}
    gains: dict[str, list[float]] = {name: [] for name in applied}
    for _ in range(surveys):
        supported = mixed_support_counts(oracle, way, true, fakes, rng) if way else oracle.support_counts(true, rng)
        for name, defence in applied.items():
            off = defence(oracle, supported, n_people) - shares
            errors[name].append(float(np.sqrt(np.square(off).mean())))
            gains[name].append(float(off[list(targets)].sum()))
    return {name: Defended(mean_interval(errors[name], least=0.0), mean_interval(gains[name])) for name in applied}

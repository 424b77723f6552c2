"""Yan, *Learning from label proportions* (slides, 2018)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from privdemo.estimators.label_proportions import Bags, bag_log_likelihood
from privdemo.experiments import bag_studies
from privdemo.experiments.claims.claim import (
    CAVEAT,
    EXACT,
    FAILS,
    HOLDS,
    SAME,
    YAN,
    Claim,
    cannot,
    draws,
    exactly,
    listed,
    near,
)
from privdemo.experiments.label_proportions import FULL, HALF, LABELLED, LLP
from privdemo.intervals import Estimate, gap_interval
from privdemo.mechanisms.aggregation import group_means, k_tree, nearest_k, random_k

Array = NDArray[np.floating]
_COMMAND = "python -m privdemo reproduce llp"


def all_claims() -> list[Claim]:
    """Every claim of the slides."""
    rows = bag_studies.load()
    levers = [_robust(rows), _loss_of_information(rows), _more_bags(rows)]
    return [*_tables(rows), *_of_each_class(rows), *_instagram(rows), *levers, *from_formulas()]


def from_formulas() -> list[Claim]:
    """Those that need no results file."""
    return [_sign(), _loss_at_zero(), _slope_at_zero(), _means_at_zero(), *_sensitivity()]


def _tables(rows: Sequence[bag_studies.Row]) -> list[Claim]:
    """Average F1 of tables 4.1 and 4.3 on Adult."""
    found = []
    for row in bag_studies.of(rows, bag_studies.SELECTING, "adult", HALF):
        published = bag_studies.published(row)
        if published is None:
            continue
        verdict, why = near(published, row.estimate)
        if verdict == FAILS and row.estimate.mean > published - 2 * SAME:
            verdict, why = CAVEAT, "a little below; the slides do not say their penalty"
        name = "full labels" if row.method == FULL else f"their model, bags “{row.selection}”"
        found.append(
            Claim(
                YAN,
                "table 4.3" if row.method == FULL else "table 4.1",
                f"Adult, 100 bags of 100, {name}: average F1",
                published,
                row.estimate,
                True,
                draws(row.n_draws),
                _COMMAND,
                verdict,
                why,
            )
        )
    return found


def _of_each_class(rows: Sequence[bag_studies.Row]) -> list[Claim]:
    """The F1 of positives and of negatives in table 4.3, whose means have no intervals in the file."""
    at = {(row.selection, row.method): row for row in bag_studies.of(rows, bag_studies.SELECTING, "adult", HALF)}
    found = []
    for (selection, method), published in bag_studies.TABLE_43.items():
        row = at[selection, method]
        name = "full labels" if method == FULL else f"their model, bags “{selection}”"
        for kind, value, ours in zip(("positives", "negatives"), published, (row.positive, row.negative), strict=False):
            verdict, why = near(value, exactly(ours))
            found.append(
                Claim(
                    YAN,
                    "table 4.3",
                    f"Adult, 100 bags of 100, {name}: F1 of {kind}",
                    value,
                    exactly(ours),
                    True,
                    draws(row.n_draws),
                    _COMMAND,
                    verdict,
                    why.replace(" or the interval", ""),
                )
            )
    return found


def _loss_of_information(rows: Sequence[bag_studies.Row]) -> Claim:
    here = bag_studies.of(rows, bag_studies.BY_K, "adult", HALF)
    lost = {(row.aggregation, row.k): row.loss for row in here if row.method == LLP}
    shared = sorted(k for name, k in lost if name == "nearest-k" and k < here[0].bag_size)  # a whole bag is a whole bag
    gaps = [lost["random-k", k] - lost["nearest-k", k] for k in shared]
    grows = all(np.diff([lost["nearest-k", k] for k in shared]) > 0)
    return Claim(
        YAN,
        "figure 4.2",
        "information loss grows with k, and nearest-k loses less than random-k: the least that it is ahead",
        None,
        exactly(min(gaps)),
        True,
        draws(here[0].n_draws),
        _COMMAND,
        HOLDS if grows and min(gaps) > 0 else CAVEAT if min(gaps) > 0 else FAILS,
        f"for k from {shared[0]} to {shared[-1]}; nearest-k loses {100 * lost['nearest-k', shared[0]]:.0f} to "
        f"{100 * lost['nearest-k', shared[-1]]:.0f} % of the spread of records",
    )


def _robust(rows: Sequence[bag_studies.Row]) -> Claim:
    """How much F1 is lost by means, by their model less than by logistic regression on the means' labels?"""
    here = bag_studies.of(rows, bag_studies.BY_K, "adult", HALF)
    start = {row.method: row for row in here if row.k == 1}
    at = {(row.k, row.method): row for row in here if row.aggregation == "nearest-k" and row.k > 1}
    gaps = {
        k: gap_interval(
            gap_interval(start[FULL].estimate, at[k, LABELLED].estimate),
            gap_interval(start[LLP].estimate, at[k, LLP].estimate),
        )
        for k in sorted({k for k, _ in at})
    }
    less = [k for k, gap in gaps.items() if gap.low > 0]
    more = [k for k, gap in gaps.items() if gap.high < 0]
    most = max(gaps)
    return Claim(
        YAN,
        "figure 4.2",
        "their model is more robust to k-anonymous means than logistic regression: how much less F1 it loses "
        f"(nearest-k, k = {most})",
        None,
        gaps[most],
        True,
        draws(start[LLP].n_draws),
        _COMMAND,
        HOLDS if len(less) == len(gaps) else CAVEAT if less else FAILS,
        f"of k = {listed(gaps)} it loses clearly less at {listed(less)} and clearly more at {listed(more)}; a mean "
        f"of {here[0].bag_size} is a whole bag",
    )


def _more_bags(rows: Sequence[bag_studies.Row]) -> Claim:
    here = [row for row in bag_studies.of(rows, bag_studies.BAG_NUMBER, "adult", HALF) if row.method == LLP]
    gains: dict[float, Estimate] = {}
    for epsilon in sorted({row.proportion_epsilon for row in here if math.isfinite(row.proportion_epsilon)}):
        noisy = [row for row in here if row.proportion_epsilon == epsilon]
        few, many = (pick(noisy, key=lambda row: row.n_bags) for pick in (min, max))
        gains[epsilon] = gap_interval(many.estimate, few.estimate)
    shown = max(gains)
    clear = [epsilon for epsilon, gain in gains.items() if gain.low > 0]
    return Claim(
        YAN,
        "slides on noise",
        f"with noise on the proportions, more bags help: F1 gained from {few.n_bags} bags to {many.n_bags} (ε = "
        f"{shown:g})",
        None,
        gains[shown],
        True,
        draws(many.n_draws),
        _COMMAND,
        FAILS if not clear else CAVEAT,
        f"clear at ε = {listed(clear)} of {listed(gains)}; the slides put noise on columns of means of 50 and 100 as "
        "well, which is left out here",
    )


def _instagram(rows: Sequence[bag_studies.Row]) -> list[Claim]:
    """The tables for comments that are not public, and what SMS gives in their place."""
    sms = {(row.selection, row.method): row for row in bag_studies.of(rows, bag_studies.SELECTING, "sms", HALF)}
    twice = {
        name: (bag_studies.INSTAGRAM_41[name], found[2])
        for (name, method), found in bag_studies.INSTAGRAM_43.items()
        if method == LLP and found[2] != bag_studies.INSTAGRAM_41[name]
    }
    found = []
    for name, average in bag_studies.INSTAGRAM_41.items():
        row = sms.get((name, LLP))
        beside = f"SMS in their place gives {row.average:.2f}" if row else "SMS has too few such records for bags"
        also = f"; the slides give {twice[name][0]:g} here and {twice[name][1]:g} in table 4.3" if name in twice else ""
        found.append(
            cannot(
                YAN,
                "table 4.1",
                f"Instagram comments, 100 bags of 100, their model, bags “{name}”: average F1",
                f"the comments are not public; {beside}{also}",
                average,
            )
        )
    for (name, method), (positive, negative, average) in bag_studies.INSTAGRAM_43.items():
        row = sms[name, method]
        who = "full labels" if method == FULL else f"their model, bags “{name}”"
        found.append(
            cannot(
                YAN,
                "table 4.3",
                f"Instagram comments, {who}: average F1 (of positives {positive:g}, of negatives {negative:g})",
                f"the comments are not public; SMS in their place gives {row.average:.2f} ({row.positive:.2f}, "
                f"{row.negative:.2f})",
                average,
            )
        )
    figures = "F1 and information loss against k, and with noise, for Instagram comments"
    return [
        *found,
        cannot(YAN, "figures 4.3 and 4.6", figures, "the comments are not public; the page on bags has SMS"),
    ]


# --- formulas ------------------------------------------------------------------------------------


def _sign() -> Claim:
    return Claim(
        YAN,
        "slides on the model",
        "p = 1/(1 + exp(θᵀx)): what a record with θᵀx = 1 has",
        float(expit(-1.0)),
        exactly(float(expit(1.0))),
        True,
        EXACT,
        "scipy.special.expit(1.0)",
        CAVEAT,
        "the sign is the other way round than usual; the slides keep to it in their gradients, so that their θ is "
        "minus the usual one, and no probability changes",
    )


def _toy(seed: int = 0) -> tuple[Array, NDArray[np.intp], Array]:
    """Forty records of three columns in four bags, and the bags’ shares of positives."""
    rng = np.random.default_rng(seed)
    return rng.random((40, 3)), np.repeat(np.arange(4), 10), np.array([0.1, 0.3, 0.6, 0.8])


def _bags(X: Array, bags: NDArray[np.intp], proportions: Array, weight: Array) -> Bags:
    return Bags(X, weight, np.searchsorted(bags, np.arange(len(proportions))), proportions)


def _loss_at_zero() -> Claim:
    X, bags, proportions = _toy()
    total, slope = bag_log_likelihood(np.zeros(len(X)), _bags(X, bags, proportions, np.ones(len(X))))
    step = 1e-5
    ahead, _ = bag_log_likelihood(np.full(len(X), step), _bags(X, bags, proportions, np.ones(len(X))))
    natural = abs((ahead - total).sum() / step - slope.sum()) < 1e-3
    ours = float(-total.mean())
    return Claim(
        YAN,
        "slides on accuracy loss",
        "at θ = 0 the loss of n bags is n: a bag’s",
        1.0,
        exactly(ours),
        False,
        EXACT,
        "label_proportions.bag_log_likelihood",
        FAILS if natural and abs(ours - 1) > 1e-9 else HOLDS,
        "that is to base 2, but the gradient beside it is that of natural logarithms, with which it is n ln 2",
    )


def _slope_at_zero() -> Claim:
    """Three records, the first two positive: the last line of the slides beside a difference of their own loss."""
    x, y = np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 0.0])

    def loss(theta: float) -> float:  # with the slides' sign
        return float(-(y * np.log(expit(-theta * x)) + (1 - y) * np.log(expit(theta * x))).sum())

    step = 1e-5
    measured = (loss(step) - loss(-step)) / (2 * step)
    printed = 0.5 * float(x[y == 1].sum())
    with_both = printed - 0.5 * float(x[y == 0].sum())
    return Claim(
        YAN,
        "slides on accuracy loss",
        "near θ = 0 the loss of logistic regression is n + ½ θᵀ Σ x over the positives: its slope for positives 1 and "
        "2 and a negative 4",
        printed,
        exactly(with_both),
        False,
        EXACT,
        "−Σ (½ − y) x",
        FAILS if abs(measured - with_both) < 1e-6 < abs(measured - printed) else HOLDS,
        "the last step leaves out − ½ θᵀ Σ x over the negatives; means of one label at a time keep both sums, so what "
        "is concluded stands",
    )


def _means_at_zero() -> Claim:
    X, bags, proportions = _toy()
    groups = random_k(bags, 5, np.random.default_rng(0))
    means, sizes = np.asarray(group_means(X, groups)), np.bincount(groups).astype(float)
    of_group = bags[np.unique(groups, return_index=True)[1]]

    def slope(at: float) -> float:
        """How far the gradient by θ is from that of the means, for weights of `at`."""
        one, other = (
            rows.T @ bag_log_likelihood(rows.sum(axis=1) * at, _bags(rows, names, proportions, weight))[1]
            for rows, names, weight in ((X, bags, np.ones(len(X))), (means, of_group, sizes))
        )
        return float(np.abs(one - other).max())

    here, further = slope(0.0), slope(3.0)
    return Claim(
        YAN,
        "slides on accuracy loss",
        "near θ = 0 their model learns from random-k means as from the records: how far the gradients differ (40 "
        "records, k = 5)",
        0.0,
        exactly(here),
        False,
        EXACT,
        "label_proportions.bag_log_likelihood",
        HOLDS if here < 1e-12 else FAILS,
        f"only the bags’ means count there, which grouping leaves alone; away from 0 it is no longer so ({further:.2g} "
        "for weights of 3)",
    )


def _sensitivity() -> list[Claim]:
    """The most that the released means of one column move between neighbours, over random tables of two columns.

    A column's means are compared in order of size, which pairs them as well as can be.
    """
    k, n = 2, 8
    bags, y = np.zeros(n, dtype=np.intp), np.repeat([0, 1], n // 2)
    ways: dict[str, Callable[[Array, np.random.Generator], NDArray[np.intp]]] = {
        "random-k": lambda X, rng: random_k(bags, k, rng),
        "nearest-k": lambda X, rng: nearest_k(X, bags, k, rng),
        "k-tree": lambda X, rng: k_tree(X, y, k, rng),
    }

    def released(name: str, X: Array, seed: int) -> Array:
        return np.sort(np.asarray(group_means(X, ways[name](X, np.random.default_rng(seed)))), axis=0)

    found = []
    for name in ways:
        moved = 0.0
        for seed in range(100):
            X = np.random.default_rng(seed).random((n, 2))
            other = X.copy()
            other[0] = X[0] < 0.5  # as far as it can go
            moved = max(moved, float(np.abs(released(name, X, seed) - released(name, other, seed)).sum(axis=0).max()))
        found.append(
            Claim(
                YAN,
                "slides on sensitivity",
                f"a column’s means of k records move by at most 1/k together when one record changes: {name}, k = {k}",
                1 / k,
                exactly(moved),
                False,
                "the most of 100 random tables of 8 records, seeds 0 to 99",
                f"aggregation.{name.replace('-', '_')}",
                HOLDS if moved <= 1 / k + 1e-12 else FAILS,
                "groups are made without a look at the records"
                if name == "random-k"
                else "groups are made by looking at the records: one that changes also changes who is grouped with "
                "whom, so that noise for 1/k does not give the ε that is claimed",
            )
        )
    return found

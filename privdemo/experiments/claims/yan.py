"""Yan, *Learning from label proportions* (slides, 2018)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from privdemo.estimators.label_proportions import Bags, bag_log_likelihood
from privdemo.experiments import bag_studies
from privdemo.experiments.claims.claim import (
    AT_ONCE,
    CAVEAT,
    EXACT,
    FAILS,
    FORMULA,
    HOLDS,
    NUMBER,
    POINTS,
    SENTENCE,
    SHARE,
    VERDICTS,
    YAN,
    Claim,
    cannot,
    draws,
    everywhere,
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
    return [*_tables(rows), *_instagram(rows), *levers, *from_formulas()]


def from_formulas() -> list[Claim]:
    """Those that need no results file."""
    return [_sign(), _loss_at_zero(), _slope_at_zero(), _means_at_zero(), *_sensitivity()]


def _tables(rows: Sequence[bag_studies.Row]) -> list[Claim]:
    """Average F1 of tables 4.1 and 4.3 on Adult, and F1 of each class in table 4.3."""
    found = []
    for row in bag_studies.of(rows, bag_studies.SELECTING, "adult", HALF):
        name = "full labels" if row.method == FULL else f"their model, bags “{row.selection}”"
        average = bag_studies.published(row)
        if average is not None:
            table = "table 4.3" if row.method == FULL else "table 4.1"
            found.append(_f1(row, table, f"{name}: average F1", average, row.estimate))
        by_class = bag_studies.TABLE_43.get((row.selection, row.method), ())[:2]
        for kind, published, ours in zip(("positives", "negatives"), by_class, row.by_class, strict=False):
            found.append(_f1(row, "table 4.3", f"{name}: F1 of {kind}", published, ours))
    return found


def _f1(row: bag_studies.Row, place: str, words: str, published: float, ours: Estimate) -> Claim:
    verdict, why = near(published, ours)
    words = f"Adult, 100 bags of 100, {words}"
    return Claim(YAN, place, words, published, ours, SHARE, draws(row.n_draws), _COMMAND, verdict, why)


def _loss_of_information(rows: Sequence[bag_studies.Row]) -> Claim:
    here = bag_studies.of(rows, bag_studies.BY_K, "adult", HALF)
    lost = {(row.aggregation, row.k): row.loss_estimate for row in here if row.method == LLP}
    shared = sorted(k for name, k in lost if name == "nearest-k" and k < here[0].bag_size)  # a whole bag is a whole bag
    ahead = {k: gap_interval(lost["random-k", k], lost["nearest-k", k]) for k in shared}
    grows = {
        k: gap_interval(lost["nearest-k", k], lost["nearest-k", before]) for before, k in itertools.pairwise(shared)
    }
    least = min(ahead, key=lambda k: ahead[k].mean)
    verdicts = {everywhere(ahead)[0], everywhere(grows)[0]}
    nearest = [lost["nearest-k", k].mean for k in (shared[0], shared[-1])]
    return Claim(
        YAN,
        "figure 4.2",
        f"information loss grows with k, and nearest-k loses less than random-k: the least that it is ahead (k = "
        f"{least})",
        None,
        ahead[least],
        POINTS,
        draws(here[0].n_draws),
        _COMMAND,
        max(verdicts, key=VERDICTS.index),
        f"for k from {shared[0]} to {shared[-1]}; nearest-k loses {100 * nearest[0]:.0f} to {100 * nearest[1]:.0f} % "
        "of the spread of records",
    )


def _robust(rows: Sequence[bag_studies.Row]) -> Claim:
    """How much F1 is lost by means, by their model less than by logistic regression on the means' labels?"""
    here = bag_studies.of(rows, bag_studies.BY_K, "adult", HALF)
    start = {row.method: row for row in here if row.k == 1}
    at = {
        (row.k, row.method): row
        for row in here
        if row.aggregation == "nearest-k" and 1 < row.k < row.bag_size  # a mean of a whole bag is the bag
    }
    gaps = {
        k: gap_interval(
            gap_interval(start[FULL].estimate, at[k, LABELLED].estimate),
            gap_interval(start[LLP].estimate, at[k, LLP].estimate),
        )
        for k in sorted({k for k, _ in at})
    }
    verdict, less = everywhere(gaps)
    more = [k for k, gap in gaps.items() if gap.high < 0]
    most = max(gaps)
    return Claim(
        YAN,
        "figure 4.2",
        "their model is more robust to k-anonymous means than logistic regression: how much less F1 it loses "
        f"(nearest-k, k = {most})",
        None,
        gaps[most],
        POINTS,
        draws(start[LLP].n_draws),
        _COMMAND,
        verdict,
        f"of k = {listed(gaps)} it loses clearly less at {listed(less)} and clearly more at {listed(more)}",
    )


def _more_bags(rows: Sequence[bag_studies.Row]) -> Claim:
    here = [row for row in bag_studies.of(rows, bag_studies.BAG_NUMBER, "adult", HALF) if row.method == LLP]
    gains: dict[float, Estimate] = {}
    for epsilon in sorted({row.proportion_epsilon for row in here if math.isfinite(row.proportion_epsilon)}):
        noisy = [row for row in here if row.proportion_epsilon == epsilon]
        few, many = (pick(noisy, key=lambda row: row.n_bags) for pick in (min, max))
        gains[epsilon] = gap_interval(many.estimate, few.estimate)
    shown = max(gains)
    verdict, clear = everywhere(gains)
    return Claim(
        YAN,
        "slides on noise",
        f"with noise on the proportions, more bags help: F1 gained from {few.n_bags} bags to {many.n_bags} (ε = "
        f"{shown:g})",
        None,
        gains[shown],
        POINTS,
        draws(many.n_draws),
        _COMMAND,
        verdict,
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
    """The printed logistic function, and whether the printed gradient is that of its loss."""
    X, bags, p = _toy()
    theta, step = np.array([0.5, -0.3, 0.2]), 1e-6

    def printed_loss(at: Array) -> float:
        means = np.array([expit(-(X[bags == b] @ at)).mean() for b in range(len(p))])
        return float(-(p * np.log(means) + (1 - p) * np.log(1 - means)).sum())

    single = expit(-(X @ theta))
    means = np.array([single[bags == b].mean() for b in range(len(p))])
    weight = ((p - means) / (means * (1 - means)))[bags] / np.bincount(bags)[bags]
    gradient = X.T @ (weight * single * (1 - single))
    measured = [(printed_loss(theta + step * e) - printed_loss(theta - step * e)) / (2 * step) for e in np.eye(3)]
    kept = bool(np.allclose(gradient, measured, atol=1e-6))
    published, ours = float(expit(-1.0)), float(expit(1.0))
    return Claim(
        YAN,
        "slides on the model",
        "p = 1/(1 + exp(θᵀx)): what a record with θᵀx = 1 has",
        published,
        exactly(ours),
        SHARE,
        EXACT,
        AT_ONCE,
        HOLDS if abs(published - ours) < 1e-9 else CAVEAT if kept else FAILS,
        "the sign is the other way round than usual; the slides keep to it in their gradient, so that their θ is minus "
        "the usual one, and no probability changes"
        if kept
        else "the sign is the other way round than usual, and the gradient beside it is not that of this function",
        FORMULA,
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
        NUMBER,
        EXACT,
        AT_ONCE,
        FAILS if natural and abs(ours - 1) > 1e-9 else HOLDS,
        "that is to base 2, but the gradient beside it is that of natural logarithms, with which it is n ln 2",
        FORMULA,
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
        NUMBER,
        EXACT,
        AT_ONCE,
        FAILS if abs(measured - with_both) < 1e-6 < abs(measured - printed) else HOLDS,
        "the last step leaves out − ½ θᵀ Σ x over the negatives; means of one label at a time keep both sums, so what "
        "is concluded stands",
        FORMULA,
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
        NUMBER,
        EXACT,
        AT_ONCE,
        HOLDS if here < 1e-12 else FAILS,
        f"only the bags’ means count there, which grouping leaves alone; away from 0 it is no longer so ({further:.2g} "
        "for weights of 3)",
        SENTENCE,
    )


def _sensitivity() -> list[Claim]:
    """The most that what is released of one column, or of the labels, moves between neighbours, over random tables.

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
            _moves(
                f"a column’s means of k records move by at most 1/k together when one record changes: {name}, k = {k}",
                1 / k,
                moved,
                "the most of 100 random tables of 8 records, seeds 0 to 99",
                "groups are made without a look at the records"
                if name == "random-k"
                else "groups are made by looking at the records: one that changes also changes who is grouped with "
                "whom, so that noise for 1/k does not give the ε that is claimed",
            )
        )
    labels = np.array(list(itertools.product((0, 1), repeat=4)))
    shares = labels.mean(axis=1)
    neighbours = np.abs(labels[:, None] - labels).sum(axis=2) == 1
    return [
        *found,
        _moves(
            "a bag’s share moves by at most 1/m when one label changes: m = 4",
            1 / 4,
            float(np.abs(shares[:, None] - shares)[neighbours].max()),
            EXACT,
            "over all bags of 4 labels and all their neighbours; for bags that were filled without a look at labels",
        ),
    ]


def _moves(words: str, published: float, moved: float, seeds: str, why: str) -> Claim:
    verdict = HOLDS if moved <= published + 1e-12 else FAILS
    place = "slides on sensitivity"
    return Claim(YAN, place, words, published, exactly(moved), NUMBER, seeds, AT_ONCE, verdict, why, FORMULA)

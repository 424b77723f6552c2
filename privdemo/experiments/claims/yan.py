"""Yan, *Learning from label proportions* (slides, 2018)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from privdemo.estimators.bags import Bags, bag_log_likelihood
from privdemo.experiments import label_proportions
from privdemo.experiments.claims.claim import (
    CAVEAT,
    FORMULA,
    PERCENT,
    POINTS,
    SENTENCE,
    VERDICTS,
    YAN,
    Claim,
    exactly,
    first_trials,
    listed,
    unverifiable,
)
from privdemo.experiments.claims.judge import judge_levels, judge_limit, judge_number, judge_value
from privdemo.experiments.claims.yan_sensitivity import sensitivity
from privdemo.experiments.label_proportions import HALF
from privdemo.intervals import Estimate, gap_interval
from privdemo.mechanisms.aggregation import group_means, random_k
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import FULL, LABELLED, LLP
from privdemo.verdict import clearly_below

Array = NDArray[np.floating]
_COMMAND = "python -m privdemo reproduce llp"
# From so many records on, 95 % or more of the random groups of the study of k on Adult hold both labels.
DIVERSE = 50


def all_claims() -> list[Claim]:
    """Every claim of the slides."""
    rows = label_proportions.study.load()
    settings = [_robust(rows), _loss_of_information(rows), _more_bags(rows)]
    return [*_tables(rows), *_instagram(rows), *settings, *from_formulas()]


def from_formulas() -> list[Claim]:
    """The claims that need no results file."""
    return [_sign(), _loss_at_zero(), _slope_at_zero(), _means_at_zero(), *sensitivity()]


def _tables(rows: Sequence[label_proportions.study.Row]) -> list[Claim]:
    """Average F1 of tables 4.1 and 4.3 on Adult, and F1 of each class in table 4.3."""
    found = []
    for row in label_proportions.study.select(rows, label_proportions.study.SELECTING, "adult", HALF):
        name = "every label known" if row.method == FULL else f"their model, bags “{SELECTIONS[row.selection].title}”"
        average = label_proportions.study.published(row)
        if average is not None:
            table = "table 4.3" if row.method == FULL else "table 4.1"
            found.append(_f1(row, table, f"{name}: average F1", average, row.estimate))
        by_class = label_proportions.study.TABLE_43.get((row.selection, row.method), ())[:2]
        for kind, published, ours in zip(("positives", "negatives"), by_class, row.by_class, strict=False):
            found.append(_f1(row, "table 4.3", f"{name}: F1 of {kind}", published, ours))
    return found


def _f1(row: label_proportions.study.Row, place: str, words: str, published: float, ours: Estimate) -> Claim:
    verdict, why = judge_number(published, ours)
    return Claim(
        source=YAN,
        place=place,
        words=f"Adult, {row.n_bags} bags of {row.bag_size}, {words}",
        published=published,
        ours=ours,
        unit=PERCENT,
        seeds=first_trials(row.n_trials),
        command=_COMMAND,
        verdict=verdict,
        why=why,
    )


def _loss_of_information(rows: Sequence[label_proportions.study.Row]) -> Claim:
    here = label_proportions.study.select(rows, label_proportions.study.BY_K, "adult", HALF)
    lost = {(row.aggregation, row.k): row.loss_estimate for row in here if row.method == LLP}
    shared = sorted(k for name, k in lost if name == "nearest-k" and k < here[0].bag_size)  # a whole bag is a whole bag
    ahead = {k: gap_interval(lost["random-k", k], lost["nearest-k", k]) for k in shared}
    grows = {
        k: gap_interval(lost["nearest-k", k], lost["nearest-k", before]) for before, k in itertools.pairwise(shared)
    }
    least = min(ahead, key=lambda k: ahead[k].mean)
    verdicts = {judge_levels(ahead)[0], judge_levels(grows)[0]}
    nearest = [lost["nearest-k", k].mean for k in (shared[0], shared[-1])]
    return Claim(
        source=YAN,
        place="figure 4.2",
        words=f"information loss grows with k, and nearest-k loses less than random-k: smallest lead (k = {least})",
        ours=ahead[least],
        unit=POINTS,
        seeds=first_trials(here[0].n_trials),
        command=_COMMAND,
        verdict=max(verdicts, key=VERDICTS.index),
        why=f"for k from {shared[0]} to {shared[-1]}; nearest-k loses {100 * nearest[0]:.0f} to {100 * nearest[1]:.0f} "
        "% of the spread of records",
    )


def _robust(rows: Sequence[label_proportions.study.Row]) -> Claim:
    """How much F1 is lost by means, by their model less than by logistic regression on the means' labels?

    The slides claim it where groups are diverse: of random groups those of `DIVERSE` records and more.
    """
    here = label_proportions.study.select(rows, label_proportions.study.BY_K, "adult", HALF)
    start = {row.method: row.estimate for row in here if row.k == 1}
    lost = {
        (row.aggregation, row.k, row.method): gap_interval(start[FULL if row.method == LABELLED else LLP], row.estimate)
        for row in here
        if row.method in (LABELLED, LLP) and row.k > 1
    }
    less = {
        (name, k): gap_interval(lost[name, k, LABELLED], lost[name, k, LLP])
        for name, k, method in lost
        if method == LLP and name != "k-tree"  # whose groups hold one label each, by design
    }
    diverse = {k: gap for (name, k), gap in less.items() if name == "random-k" and k >= DIVERSE}
    verdict, clear = judge_levels(diverse)
    most = max(diverse)
    more = sorted(k for (name, k), gap in less.items() if name == "nearest-k" and clearly_below(gap))
    return Claim(
        source=YAN,
        place="figure 4.2",
        words="their model is more robust to k-anonymous means than logistic regression if groups hold both labels "
        f"(L-diversity): how much less F1 it loses (random-k, k = {most})",
        ours=diverse[most],
        unit=POINTS,
        seeds=first_trials(here[0].n_trials),
        command=_COMMAND,
        verdict=verdict,
        why=f"of k = {listed(diverse)}, at which 95 % of random groups or more hold both labels, it loses clearly less "
        f"at {listed(clear)}. Where many groups hold one label it may lose more: with nearest-k it does at k = "
        f"{listed(more)}",
    )


def _more_bags(rows: Sequence[label_proportions.study.Row]) -> Claim:
    here = [
        row
        for row in label_proportions.study.select(rows, label_proportions.study.BAG_NUMBER, "adult", HALF)
        if row.method == LLP
    ]
    gains: dict[float, Estimate] = {}
    for epsilon in sorted({row.proportion_epsilon for row in here if math.isfinite(row.proportion_epsilon)}):
        noisy = [row for row in here if row.proportion_epsilon == epsilon]
        few, many = (pick(noisy, key=lambda row: row.n_bags) for pick in (min, max))
        gains[epsilon] = gap_interval(many.estimate, few.estimate)
    shown = max(gains)
    verdict, clear = judge_levels(gains)
    return Claim(
        source=YAN,
        place="slides on noise",
        words=f"if the released shares are noisy, more bags help: F1 gained from {few.n_bags} to {many.n_bags} "
        f"bags (ε = {shown:g})",
        ours=gains[shown],
        unit=POINTS,
        seeds=first_trials(many.n_trials),
        command=_COMMAND,
        verdict=verdict,
        why=f"clear at {listed(clear)} of ε = {listed(gains)}; the slides also put noise on columns of means of 50 and "
        "100, which is left out here",
    )


def _instagram(rows: Sequence[label_proportions.study.Row]) -> list[Claim]:
    """The tables for comments that are not public, and what SMS gives in their place."""
    sms = {
        (row.selection, row.method): row
        for row in label_proportions.study.select(rows, label_proportions.study.SELECTING, "sms", HALF)
    }
    twice = {
        name: (label_proportions.study.INSTAGRAM_41[name], found[2])
        for (name, method), found in label_proportions.study.INSTAGRAM_43.items()
        if method == LLP and found[2] != label_proportions.study.INSTAGRAM_41[name]
    }
    n_bags, bag_size = label_proportions.default_bags("adult")  # the slides fill as many of both data sets
    found = []
    for name, average in label_proportions.study.INSTAGRAM_41.items():
        row = sms.get((name, LLP))
        beside = f"SMS in their place gives {row.average:.2f}" if row else "SMS has too few such records for bags"
        also = f"; the slides give {twice[name][0]:g} here and {twice[name][1]:g} in table 4.3" if name in twice else ""
        found.append(
            unverifiable(
                YAN,
                "table 4.1",
                f"Instagram comments, {n_bags} bags of {bag_size}, their model, bags “{SELECTIONS[name].title}”: "
                "average F1",
                f"the comments are not public; {beside}{also}",
                average,
                PERCENT,
            )
        )
    for (name, method), (positive, negative, average) in label_proportions.study.INSTAGRAM_43.items():
        row = sms[name, method]
        who = "every label known" if method == FULL else f"their model, bags “{SELECTIONS[name].title}”"
        found.append(
            unverifiable(
                YAN,
                "table 4.3",
                f"Instagram comments, {who}: average F1 (of positives {positive:g}, of negatives {negative:g})",
                f"the comments are not public; SMS in their place gives {row.average:.2f} ({row.positive:.2f}, "
                f"{row.negative:.2f})",
                average,
                PERCENT,
            )
        )
    figures = "F1 and information loss against k, and with noise, for Instagram comments"
    return [
        *found,
        unverifiable(YAN, "figures 4.3 and 4.6", figures, "the comments are not public; the page on bags has SMS"),
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
        source=YAN,
        place="slides on the model",
        words="p = 1/(1 + exp(θᵀx)): the probability of a record with θᵀx = 1",
        published=published,
        ours=exactly(ours),
        unit=PERCENT,
        verdict=CAVEAT if kept else judge_value(published, ours),
        why="the sign is reversed; the slides keep to it in their gradient, so their θ is minus the usual one, and no "
        "probability changes"
        if kept
        else "the sign is reversed, and the gradient beside it is not that of this function",
        reading=FORMULA,
    )


def _toy(seed: int = 0) -> tuple[Array, NDArray[np.intp], Array]:
    """Forty records of three columns in four bags, and the bags’ shares of positives."""
    rng = np.random.default_rng(seed)
    return rng.random((40, 3)), np.repeat(np.arange(4), 10), np.array([0.1, 0.3, 0.6, 0.8])


def _bags(X: Array, bags: NDArray[np.intp], proportions: Array, weight: Array) -> Bags:
    return Bags(X, weight, np.searchsorted(bags, np.arange(len(proportions))), proportions)


def _loss_at_zero() -> Claim:
    X, bags, proportions = _toy()
    total, _ = bag_log_likelihood(np.zeros(len(X)), _bags(X, bags, proportions, np.ones(len(X))))
    ours = float(-total.mean())
    return Claim(
        source=YAN,
        place="slides on accuracy loss",
        words="at θ = 0 the loss of n bags is n: the loss of one bag",
        published=1.0,
        ours=exactly(ours),
        verdict=judge_value(1.0, ours),
        why="that is with logarithms to base 2; the gradient beside it uses natural ones, which make it n ln 2",
        reading=FORMULA,
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
        source=YAN,
        place="slides on accuracy loss",
        words="near θ = 0 the loss of logistic regression is n + ½ θᵀ Σ x over the positives: its slope for positives "
        "1 and 2 and a negative 4",
        published=printed,
        ours=exactly(with_both),
        verdict=judge_value(printed, measured, 1e-6),
        why="the last step leaves out − ½ θᵀ Σ x over the negatives; means of records with one label keep both "
        "sums, so the conclusion stands",
        reading=FORMULA,
    )


def _means_at_zero() -> Claim:
    X, bags, proportions = _toy()
    k = 5
    groups = random_k(bags, k, np.random.default_rng(0))
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
        source=YAN,
        place="slides on accuracy loss",
        words="near θ = 0 their model learns the same from random-k means as from the records: how far the "
        f"gradients differ ({len(X)} records, k = {k})",
        published=0.0,
        ours=exactly(here),
        verdict=judge_limit(0.0, here),
        why="only the bags’ means count there, and grouping does not change them; away from 0 the gradients differ "
        f"(by {further:.2g} for weights of 3)",
        reading=SENTENCE,
    )

"""Yan, *Learning from label proportions* (slides, 2018)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from privdemo.estimators.bags import Bags, bag_log_likelihood
from privdemo.experiments.claims.claim import (
    CAVEAT,
    FORMULA,
    PERCENT,
    POINTS,
    SENTENCE,
    VERDICTS,
    ClaimRow,
    Finding,
    ResultsFile,
    exactly,
    first_trials,
    listed,
    not_checkable,
)
from privdemo.experiments.claims.judge import PENALTY_UNKNOWN, judge_levels, judge_limit, judge_number, judge_value
from privdemo.experiments.label_proportions import HALF, default_bags, study
from privdemo.intervals import Estimate, gap_interval
from privdemo.mechanisms.aggregation import group_means, k_tree, nearest_k, random_k
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import FULL, LABELLED, LLP
from privdemo.verdict import clearly_below

Array = NDArray[np.floating]
Rows = Sequence[study.Row]
BAGS = ResultsFile(study.STUDY.name, study.load)
# From so many records on, 95 % or more of the random groups of the study of k on Adult hold both labels.
DIVERSE = 50
# The tables of random records by which sensitivity is measured, each of so many records, and the size of groups.
_TABLES, _RECORDS, _K = 100, 8, 2


# --- tables and figures --------------------------------------------------------------------------


def f1(published: float, rows: Rows, selection: str, method: str, of: str = "average") -> Finding:
    """Compare a published F1 on Adult with ours: the average, or that of positives or negatives."""
    here = study.select(rows, study.SELECTING, "adult", HALF)
    row = next(row for row in here if (row.selection, row.method) == (selection, method))
    positives, negatives = row.by_class
    ours = {"average": row.estimate, "positives": positives, "negatives": negatives}[of]
    verdict, why = judge_number(published, ours, unknown=PENALTY_UNKNOWN)
    values = {"bags": f"{row.n_bags} bags of {row.bag_size}"}
    return Finding(ours, verdict, why, first_trials(row.n_trials), values=values)


def instagram_table_41(_: float, rows: Rows, selection: str) -> Finding:
    """Say what SMS gives in the place of comments that are not public, in table 4.1."""
    row = _sms(rows).get((selection, LLP))
    beside = f"SMS in their place gives {row.average:.2f}" if row else "SMS has too few such records for bags"
    here, twice = study.INSTAGRAM_41[selection], study.INSTAGRAM_43.get((selection, LLP))
    also = f"; the slides give {here:g} here and {twice[2]:g} in table 4.3" if twice and twice[2] != here else ""
    return not_checkable(f"the comments are not public; {beside}{also}")


def instagram_table_43(_: float, rows: Rows, selection: str, method: str) -> Finding:
    """Say what SMS gives in the place of comments that are not public, in table 4.3."""
    row = _sms(rows)[selection, method]
    return not_checkable(
        f"the comments are not public; SMS in their place gives {row.average:.2f} ({row.positive:.2f}, "
        f"{row.negative:.2f})"
    )


def _sms(rows: Rows) -> dict[tuple[str, str], study.Row]:
    return {(row.selection, row.method): row for row in study.select(rows, study.SELECTING, "sms", HALF)}


def robust(rows: Rows) -> Finding:
    """Compare what averaging records costs their model in F1 with what it costs logistic regression on labelled means.

    The slides claim that it is less where groups are diverse: of random groups those of `DIVERSE` records and more.
    """
    here = study.select(rows, study.BY_K, "adult", HALF)
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
    return Finding(
        diverse[most],
        verdict,
        f"of k = {listed(diverse)}, at which 95 % of random groups or more hold both labels, it loses clearly less "
        f"at {listed(clear)}. Where many groups hold one label it may lose more: with nearest-k it does at k = "
        f"{listed(more)}",
        first_trials(here[0].n_trials),
        values={"most": most},
    )


def loss_of_information(rows: Rows) -> Finding:
    """Compare the information that nearest-k and random-k lose, and how that grows with k."""
    here = study.select(rows, study.BY_K, "adult", HALF)
    lost = {(row.aggregation, row.k): row.loss_estimate for row in here if row.method == LLP}
    shared = sorted(
        k for name, k in lost if name == "nearest-k" and k < here[0].bag_size
    )  # from there on a group is the whole bag, and both are the same
    ahead = {k: gap_interval(lost["random-k", k], lost["nearest-k", k]) for k in shared}
    grows = {
        k: gap_interval(lost["nearest-k", k], lost["nearest-k", before]) for before, k in itertools.pairwise(shared)
    }
    least = min(ahead, key=lambda k: ahead[k].mean)
    verdicts = {judge_levels(ahead)[0], judge_levels(grows)[0]}
    nearest = [lost["nearest-k", k].mean for k in (shared[0], shared[-1])]
    return Finding(
        ahead[least],
        max(verdicts, key=VERDICTS.index),
        f"for k from {shared[0]} to {shared[-1]}; nearest-k loses {100 * nearest[0]:.0f} to {100 * nearest[1]:.0f} "
        "% of the spread of records",
        first_trials(here[0].n_trials),
        values={"least": least},
    )


def more_bags(rows: Rows) -> Finding:
    """Compare F1 with few and with many bags, where their shares are noisy."""
    here = [row for row in study.select(rows, study.BAG_NUMBER, "adult", HALF) if row.method == LLP]
    gains: dict[float, Estimate] = {}
    for epsilon in sorted({row.proportion_epsilon for row in here if math.isfinite(row.proportion_epsilon)}):
        noisy = [row for row in here if row.proportion_epsilon == epsilon]
        few, many = (pick(noisy, key=lambda row: row.n_bags) for pick in (min, max))
        gains[epsilon] = gap_interval(many.estimate, few.estimate)
    shown = max(gains)
    verdict, clear = judge_levels(gains)
    return Finding(
        gains[shown],
        verdict,
        f"clear at {listed(clear)} of ε = {listed(gains)}; the slides also put noise on columns of means of 50 and "
        "100, which is left out here",
        first_trials(many.n_trials),
        values={"few": few.n_bags, "many": many.n_bags, "epsilon": shown},
    )


# --- formulas ------------------------------------------------------------------------------------


def sign() -> Finding:
    """Compare the printed logistic function with the right one, and the printed gradient with that of its loss."""
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
    return Finding(
        exactly(ours),
        CAVEAT if kept else judge_value(published, ours),
        "the sign is reversed; the slides keep to it in their gradient, so their θ is minus the usual one, and no "
        "probability changes"
        if kept
        else "the sign is reversed, and the gradient beside it is not that of this function",
        published=published,
    )


def _toy() -> tuple[Array, NDArray[np.intp], Array]:
    """Return forty records of three columns in four bags, and the bags’ shares of positives."""
    return np.random.default_rng(0).random((40, 3)), np.repeat(np.arange(4), 10), np.array([0.1, 0.3, 0.6, 0.8])


def _bags(X: Array, bags: NDArray[np.intp], proportions: Array, weight: Array) -> Bags:
    return Bags(X, weight, np.searchsorted(bags, np.arange(len(proportions))), proportions)


def loss_at_zero(published: float) -> Finding:
    """Compare the loss of a bag where the weights are 0."""
    X, bags, proportions = _toy()
    total, _ = bag_log_likelihood(np.zeros(len(X)), _bags(X, bags, proportions, np.ones(len(X))))
    ours = float(-total.mean())
    return Finding(
        exactly(ours),
        judge_value(published, ours),
        "that is with logarithms to base 2; the gradient beside it uses natural ones, which make it n ln 2",
    )


def slope_at_zero() -> Finding:
    """Compare the last line of the slides with a difference of their own loss, for three records, two positive."""
    x, y = np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 0.0])

    def loss(theta: float) -> float:  # with the slides' sign
        return float(-(y * np.log(expit(-theta * x)) + (1 - y) * np.log(expit(theta * x))).sum())

    step = 1e-5
    measured = (loss(step) - loss(-step)) / (2 * step)
    printed = 0.5 * float(x[y == 1].sum())
    return Finding(
        exactly(printed - 0.5 * float(x[y == 0].sum())),
        judge_value(printed, measured, 1e-6),
        "the last step leaves out − ½ θᵀ Σ x over the negatives; means of records with one label keep both "
        "sums, so the conclusion stands",
        published=printed,
    )


def means_at_zero(published: float) -> Finding:
    """Compute how far the gradients of their model from random-k means and from the records differ."""
    X, bags, proportions = _toy()
    k = 5
    groups = random_k(bags, k, np.random.default_rng(0))
    means, sizes = np.asarray(group_means(X, groups)), np.bincount(groups).astype(float)
    of_group = bags[np.unique(groups, return_index=True)[1]]

    def difference(at: float) -> float:
        """Return how far the gradient by θ is from that of the means, for weights of `at`."""
        one, other = (
            rows.T @ bag_log_likelihood(rows.sum(axis=1) * at, _bags(rows, names, proportions, weight))[1]
            for rows, names, weight in ((X, bags, np.ones(len(X))), (means, of_group, sizes))
        )
        return float(np.abs(one - other).max())

    here = difference(0.0)
    return Finding(
        exactly(here),
        judge_limit(published, here),
        "only the bags’ means count there, and grouping does not change them; away from 0 the gradients differ "
        f"(by {difference(3.0):.2g} for weights of 3)",
        values={"records": len(X), "k": k},
    )


# --- sensitivity ---------------------------------------------------------------------------------


def means_move(published: float, groups: str) -> Finding:
    """Compute the most that the means of a column move between neighbours, over random tables.

    A column's means are compared in order of size, which pairs them as well as can be.
    """
    bags, y = np.zeros(_RECORDS, dtype=np.intp), np.repeat([0, 1], _RECORDS // 2)

    def released(X: Array, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        if groups == "random-k":
            names = random_k(bags, _K, rng)
        else:
            names = nearest_k(X, bags, _K, rng) if groups == "nearest-k" else k_tree(X, y, _K, rng)
        return np.sort(np.asarray(group_means(X, names)), axis=0)

    moved = 0.0
    for seed in range(_TABLES):
        X = np.random.default_rng(seed).random((_RECORDS, 2))
        other = X.copy()
        other[0] = X[0] < 0.5  # the end of [0, 1] that is farther away
        moved = max(moved, float(np.abs(released(X, seed) - released(other, seed)).sum(axis=0).max()))
    return Finding(
        exactly(moved),
        judge_limit(published, moved),
        "groups are made without looking at the records"
        if groups == "random-k"
        else "groups are made by looking at the records: changing one also changes who is grouped with whom, so noise "
        "scaled to 1/k does not give the claimed ε",
        f"the most of {_TABLES} random tables of {_RECORDS} records, seeds 0 to {_TABLES - 1}",
    )


def share_moves(published: float) -> Finding:
    """Compute the most that the share of a bag of four labels moves between neighbours."""
    labels = np.array(list(itertools.product((0, 1), repeat=4)))
    shares = labels.mean(axis=1)
    neighbours = np.abs(labels[:, None] - labels).sum(axis=2) == 1
    moved = float(np.abs(shares[:, None] - shares)[neighbours].max())
    return Finding(
        exactly(moved),
        judge_limit(published, moved),
        "checked over all bags of 4 labels and all their neighbours; if bags are filled without looking at labels",
    )


# --- the table -----------------------------------------------------------------------------------


# The slides fill as many bags of Instagram comments as of Adult.
_FILLED = "{} bags of {}".format(*default_bags("adult"))


def _who(selection: str, method: str) -> str:
    """Say which model, and how its bags are filled."""
    return "labels known" if method == FULL else f"their model, bags “{SELECTIONS[selection].title}”"


def _f1_row(place: str, selection: str, method: str, of: str = "average") -> ClaimRow:
    """Return the row of an F1 on Adult: the average, or that of positives or negatives."""
    if of == "average":
        published = study.PUBLISHED[selection, method]
    else:
        published = study.TABLE_43[selection, method][("positives", "negatives").index(of)]
    score = "average F1" if of == "average" else f"F1 of {of}"
    check = partial(f1, selection=selection, method=method, of=of)
    return ClaimRow(
        place, f"Adult, {{bags}}, {_who(selection, method)}: {score}", check, (BAGS,), published=published, unit=PERCENT
    )


def _means_row(groups: str, surprise: str = "", consequence: str = "") -> ClaimRow:
    """Return the row of how far the means of groups move, when one record changes."""
    who = "People" if groups == "random-k" else "Similar people"
    return ClaimRow(
        "slides on sensitivity",
        f"a column’s means of k records move by at most 1/k together when one record changes: {groups}, k = {_K}",
        partial(means_move, groups=groups),
        published=1 / _K,
        reading=FORMULA,
        surprise=surprise,
        what=f"{who} are put into groups of {_K}, and each group’s average age (0 to 100 years) is published. If one "
        "person’s age is changed, people may change groups. All changes of averages, added up, can reach:",
        consequence=consequence,
        card_unit=(100, "years"),
    )


CLAIMS = (
    _f1_row("table 4.3", "iid", FULL),
    _f1_row("table 4.3", "iid", FULL, "positives"),
    _f1_row("table 4.3", "iid", FULL, "negatives"),
    _f1_row("table 4.1", "iid", LLP),
    _f1_row("table 4.3", "iid", LLP, "positives"),
    _f1_row("table 4.3", "iid", LLP, "negatives"),
    _f1_row("table 4.1", "balanced", LLP),
    _f1_row("table 4.3", "balanced", LLP, "positives"),
    _f1_row("table 4.3", "balanced", LLP, "negatives"),
    _f1_row("table 4.1", "predicted", LLP),
    _f1_row("table 4.1", "confident", LLP),
    _f1_row("table 4.1", "unconfident", LLP),
    *(
        ClaimRow(
            "table 4.1",
            f"Instagram comments, {_FILLED}, {_who(selection, LLP)}: average F1",
            partial(instagram_table_41, selection=selection),
            (BAGS,),
            published=average,
            unit=PERCENT,
        )
        for selection, average in study.INSTAGRAM_41.items()
    ),
    *(
        ClaimRow(
            "table 4.3",
            f"Instagram comments, {_who(selection, method)}: average F1 (of positives {positive:g}, of negatives "
            f"{negative:g})",
            partial(instagram_table_43, selection=selection, method=method),
            (BAGS,),
            published=average,
            unit=PERCENT,
        )
        for (selection, method), (positive, negative, average) in study.INSTAGRAM_43.items()
    ),
    ClaimRow(
        "figures 4.3 and 4.6",
        "F1 and information loss against k, and with noise, for Instagram comments",
        partial(not_checkable, "the comments are not public; the page on bags has SMS"),
    ),
    ClaimRow(
        "figure 4.2",
        "their model is more robust to k-anonymous means than logistic regression if groups hold both labels "
        "(L-diversity): how much less F1 it loses (random-k, k = {most})",
        robust,
        (BAGS,),
        unit=POINTS,
    ),
    ClaimRow(
        "figure 4.2",
        "information loss grows with k, and nearest-k loses less than random-k: smallest lead (k = {least})",
        loss_of_information,
        (BAGS,),
        unit=POINTS,
    ),
    ClaimRow(
        "slides on noise",
        "if the released shares are noisy, more bags help: F1 gained from {few} to {many} bags (ε = {epsilon:g})",
        more_bags,
        (BAGS,),
        unit=POINTS,
    ),
    ClaimRow(
        "slides on the model",
        "p = 1/(1 + exp(θᵀx)): the probability of a record with θᵀx = 1",
        sign,
        unit=PERCENT,
        reading=FORMULA,
    ),
    ClaimRow(
        "slides on accuracy loss",
        "at θ = 0 the loss of n bags is n: the loss of one bag",
        loss_at_zero,
        published=1.0,
        reading=FORMULA,
    ),
    ClaimRow(
        "slides on accuracy loss",
        "near θ = 0 the loss of logistic regression is n + ½ θᵀ Σ x over the positives: its slope for positives "
        "1 and 2 and a negative 4",
        slope_at_zero,
        reading=FORMULA,
    ),
    ClaimRow(
        "slides on accuracy loss",
        "near θ = 0 their model learns the same from random-k means as from the records: how far the gradients differ "
        "({records} records, k = {k})",
        means_at_zero,
        published=0.0,
        reading=SENTENCE,
    ),
    _means_row("random-k"),
    _means_row(
        "nearest-k",
        "One person can change averages more than a lecture says.",
        "Noise that follows the lecture’s formula is too weak to hide that person.",
    ),
    _means_row("k-tree"),
    ClaimRow(
        "slides on sensitivity",
        "a bag’s share moves by at most 1/m when one label changes: m = 4",
        share_moves,
        published=1 / 4,
        reading=FORMULA,
        what="most that one person can change the share",
    ),
)

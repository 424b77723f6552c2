"""Yan's slides on sensitivity: how far a release can move between neighbours."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privdemo.experiments.claims.claim import EXACT, FORMULA, YAN, Claim, exactly
from privdemo.experiments.claims.judge import judge_limit
from privdemo.mechanisms.aggregation import group_means, k_tree, nearest_k, random_k

Array = NDArray[np.floating]
_NEAR = "One record moves averages of similar records by more than 1/k: noise made for 1/k hides too little."


def sensitivity() -> list[Claim]:
    """The most that what is released of one column, or of the labels, moves between neighbours, over random tables.

    A column's means are compared in order of size, which pairs them as well as can be.
    """
    k, n, n_tables = 2, 8, 100
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
        for seed in range(n_tables):
            X = np.random.default_rng(seed).random((n, 2))
            other = X.copy()
            other[0] = X[0] < 0.5  # as far as it can go
            moved = max(moved, float(np.abs(released(name, X, seed) - released(name, other, seed)).sum(axis=0).max()))
        found.append(
            _moves(
                f"a column’s means of k records move by at most 1/k together when one record changes: {name}, k = {k}",
                1 / k,
                moved,
                f"the most of {n_tables} random tables of {n} records, seeds 0 to {n_tables - 1}",
                "groups are made without looking at the records"
                if name == "random-k"
                else "groups are made by looking at the records: changing one also changes who is grouped with "
                "whom, so noise scaled to 1/k does not give the claimed ε",
                _NEAR if name == "nearest-k" else "",
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
            "checked over all bags of 4 labels and all their neighbours; if bags are filled without looking at labels",
        ),
    ]


def _moves(words: str, published: float, moved: float, seeds: str, why: str, surprise: str = "") -> Claim:
    return Claim(
        source=YAN,
        place="slides on sensitivity",
        words=words,
        published=published,
        ours=exactly(moved),
        seeds=seeds,
        verdict=judge_limit(published, moved),
        why=why,
        reading=FORMULA,
        surprise=surprise,
        what="moves by",
    )

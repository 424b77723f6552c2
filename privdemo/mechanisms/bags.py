"""Filling bags with records: which records share a bag, and which data each way of filling uses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from privdemo import limits
from privdemo.mechanisms.aggregation import TooFewRecords, dense

Array = NDArray[np.floating]
Rows = NDArray[np.intp]

# How sure naive Bayes must be of a record for it to count as confident (Yan).
CONFIDENCE = 0.9
# Parts of the records by naive Bayes: confident negative, weak negative, weak positive, confident positive.
ATN, PFN, PFP, ATP = range(4)


class Selection(NamedTuple):
    """A way to fill bags: its `title`, and the data it `needs`.

    `pools` are the parts that successive bags are sampled from, in turns. With `spacing` bags have evenly spaced
    proportions instead: "share" as far to both sides of the overall share as possible, "all" from 0 to 1.

    "balanced" is the slides' "ATP/ATN PFP/PFN" with one part a bag: sure bags (of positives or of negatives) alternate
    with unsure ones. "mixed" is what the text of the slides says (odd bags from confident records, even ones from
    unconfident), a sure bag then holding sure positives and sure negatives: its two kinds of bag have much the same
    proportion and little information. Of these two readings the first gives the published numbers.
    """

    title: str
    needs: str
    pools: tuple[tuple[int, ...], ...] = ()
    spacing: str = ""

    @property
    def blind(self) -> bool:
        """Whether bags are filled without looking at the records."""
        return not self.pools and not self.spacing


_MODEL = "a naive Bayes model of the labelled records, inside the trust boundary"
_LABELS = "every record’s label, inside the trust boundary"
SELECTIONS = {
    "iid": Selection("at random", "nothing"),
    "balanced": Selection("balanced", _MODEL, ((ATP,), (PFP,), (ATN,), (PFN,))),
    "predicted": Selection("by prediction", _MODEL, ((ATP, PFP), (PFN, ATN))),
    "confident": Selection("only sure ones", _MODEL, ((ATP,), (ATN,))),
    "unconfident": Selection("only unsure ones", _MODEL, ((PFP,), (PFN,))),
    "mixed": Selection("sure, then unsure", _MODEL, ((ATP, ATN), (PFP, PFN))),
    "skewed": Selection("skewed", _LABELS, spacing="share"),
    "even": Selection("even", _LABELS, spacing="all"),
}


def positive_probability(X: Array | csr_array, y: NDArray[np.integer]) -> Array:
    """Return p(1 | x) of each record, (n,), by naive Bayes trained on X (n, D) in [0, 1] and labels y (n,) themselves.

    Bernoulli naive Bayes where all values are 0 or 1, else Gaussian naive Bayes. Raises ``ValueError`` for one label
    alone.
    """
    if len(np.unique(y)) != 2:
        raise ValueError(f"y must hold both labels, 0 and 1, got {np.unique(y)}")
    binary = bool(np.isin(X.data if issparse(X) else X, (0, 1)).all())
    values = X if binary else dense(X)
    model = BernoulliNB(binarize=None) if binary else GaussianNB()
    return model.fit(values, y).predict_proba(values)[:, 1]


def parts(probability: Array) -> NDArray[np.integer]:
    """Return ATN, PFN, PFP or ATP of each record by its `probability` (n,) of being positive."""
    sure = (1 - probability >= CONFIDENCE, probability < 0.5, probability < CONFIDENCE)
    return np.select(sure, (ATN, PFN, PFP), ATP)


def select(
    name: str, y: NDArray[np.integer], part: NDArray[np.integer], n_bags: int, bag_size: int, rng: np.random.Generator
) -> list[Rows]:
    """Fill `n_bags` bags with `bag_size` of the records each by the selection `name`; no record is in two bags.

    `y` (n,) are the labels, `part` (n,) the parts (see `parts`). Returns the row numbers of each bag. Bags hold fewer
    records where there are too few of a kind. Raises ``ValueError`` for an unknown name, and `TooFewRecords` where a
    bag would hold fewer than two: the proportion of a bag of one is its record's label.
    """
    limits.N_BAGS.check(n_bags)
    limits.BAG_SIZE.check(bag_size)
    if name not in SELECTIONS:
        raise ValueError(f"selection must be one of {', '.join(SELECTIONS)}, got {name!r}")
    selection = SELECTIONS[name]
    if selection.spacing:
        return _evenly_spaced(y, selection.spacing, n_bags, bag_size, rng)
    pools = [np.flatnonzero(np.isin(part, pool)) for pool in selection.pools] or [np.arange(len(y))]
    bags: list[Rows] = [np.empty(0, int)] * n_bags
    for turn, pool in enumerate(pools):
        mine = range(turn, n_bags, len(pools))
        size = min(bag_size, len(pool) // max(1, len(mine)))
        if mine and size < limits.BAG_SIZE.low:
            raise _too_few(selection, len(mine), len(pool))
        sampled = rng.choice(pool, size * len(mine), replace=False).reshape(len(mine), size)
        for bag, rows in zip(mine, sampled, strict=True):
            bags[bag] = rows
    return bags


def _evenly_spaced(
    y: NDArray[np.integer], spacing: str, n_bags: int, bag_size: int, rng: np.random.Generator
) -> list[Rows]:
    """Return bags with evenly spaced proportions, as large as positives and negatives last."""
    share = float(y.mean())
    reach = min(share, 1 - share)
    low, high = (0.0, 1.0) if spacing == "all" else (share - reach, share + reach)
    proportions = np.linspace(low, high, n_bags)
    n_positive, n_negative = int((y == 1).sum()), int((y == 0).sum())
    size = bag_size
    while size >= limits.BAG_SIZE.low and (
        np.rint(size * proportions).sum() > n_positive or (size - np.rint(size * proportions)).sum() > n_negative
    ):
        size -= 1
    if size < limits.BAG_SIZE.low:
        raise _too_few(SELECTIONS["even" if spacing == "all" else "skewed"], n_bags, min(n_positive, n_negative))
    counts = np.rint(size * proportions).astype(int)
    positives = np.split(rng.permutation(np.flatnonzero(y == 1))[: counts.sum()], np.cumsum(counts)[:-1])
    others = size - counts
    negatives = np.split(rng.permutation(np.flatnonzero(y == 0))[: others.sum()], np.cumsum(others)[:-1])
    filled = [np.concatenate(pair) for pair in zip(positives, negatives, strict=True)]
    return [filled[i] for i in rng.permutation(n_bags)]  # in order, a bag's number would reveal its proportion


def _too_few(selection: Selection, n_bags: int, n: int) -> TooFewRecords:
    return TooFewRecords(
        f"“{selection.title}” needs at least {2 * n_bags:,} records (or means) of a kind for {n_bags:,} of the bags, "
        f"got {n:,}; choose fewer bags, a lower k or another selection"
    )


def bag_names(bags: list[Rows]) -> NDArray[np.intp]:
    """Return the number of the bag of each record, bag after bag: (n,)."""
    return np.repeat(np.arange(len(bags)), [len(rows) for rows in bags])


def distinct_labels(y: ArrayLike, blocks: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return how many different labels each block of records has, (B,); ℓ-diversity requires at least ℓ in every block.

    `y` (n,) are labels 0, 1, …, `blocks` (n,) the numbers 0 … B−1 of the records' bags or groups.
    """
    pairs = np.unique(np.stack((blocks, np.asarray(y))), axis=1)
    return np.bincount(pairs[0], minlength=int(blocks.max()) + 1)

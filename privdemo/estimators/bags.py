"""Bags of records with known proportions: sums and means by bag, the likelihood, and the channel of bag names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from scipy.special import log_expit
from sklearn.utils.validation import check_consistent_length

from privdemo.estimators.inputs import KnownInputs
from privdemo.mechanisms.aggregation import Matrix, dense

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Bags:
    """Rows sorted by bag: `X` (n, D), `weight` (n,) records a row stands for, `start` (B,) of each bag's first row.

    `proportions` (B,) are the shares of positives; `size` (B,) records in each bag.
    """

    X: Matrix
    weight: Array
    start: NDArray[np.intp]
    proportions: Array

    @property
    def n_rows(self) -> NDArray[np.intp]:
        """Rows of each bag, (B,)."""
        return np.diff(np.append(self.start, len(self.weight)))

    @property
    def size(self) -> Array:
        return self.sums(np.ones(len(self.weight)))

    @property
    def share(self) -> float:
        """The overall share of positives."""
        return float(self.size @ self.proportions / self.weight.sum())

    @property
    def contrast(self) -> float:
        """How far apart bags keep the classes, in [0, 1]: the total variation distance of T[bag | 0] and T[bag | 1].

        Gradients are smaller by this factor than those of known labels, and tolerances must be so, too.
        """
        channel = bag_channel(self.proportions, self.size)
        return float(np.abs(channel[:, 1] - channel[:, 0]).sum() / 2)

    @property
    def centre(self) -> Array:
        """The mean record, (D,)."""
        return KnownInputs(self.X).centre(self.weight)

    def sums(self, values: Array) -> Array:
        """Return Σ over each bag's records of `values` (n,): shape (B,)."""
        return np.add.reduceat(self.weight * values, self.start)

    def to_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return each bag's entry of `values` (B,), repeated on its rows: (n,)."""
        return np.repeat(values, self.n_rows)

    def log_means(self, log_values: Array) -> Array:
        """Return ln of the mean of exp(`log_values`) (n,) over each bag's records, (B,), without underflow."""
        top = np.maximum.reduceat(log_values, self.start)
        return top + np.log(self.sums(np.exp(log_values - self.to_rows(top))) / self.size)

    def mean_records(self) -> Array:
        """Return the mean record of each bag, (B, D)."""
        pointers = np.append(self.start, len(self.weight))
        rows = csr_array(
            (self.weight, np.arange(len(self.weight)), pointers), shape=(len(self.start), len(self.weight))
        )
        return dense(rows @ self.X) / self.size[:, None]

    def take(self, indices: NDArray[np.intp]) -> Bags:
        """Return the bags at `indices`, in that order."""
        counts = self.n_rows[indices]
        start = np.append(0, np.cumsum(counts)[:-1])
        rows = np.arange(counts.sum()) + np.repeat(self.start[indices] - start, counts)
        return Bags(self.X[rows], self.weight[rows], start, self.proportions[indices])


def group_by_bag(X: Matrix, bags: ArrayLike, proportions: ArrayLike, weight: Array) -> Bags:
    """Return the rows of X sorted by bag, without those of weight 0; `bags` (n,) holds the number of each row's bag.

    Raises as `LabelProportionClassifier.fit` does.
    """
    bag_ids, share = np.asarray(bags), np.asarray(proportions, dtype=float)
    check_consistent_length(X, bag_ids)
    if bag_ids.ndim != 1 or not np.issubdtype(bag_ids.dtype, np.integer):
        raise TypeError(
            f"bags must be one whole number for each row of X, got {bag_ids.dtype} of shape {bag_ids.shape}"
        )
    if share.ndim != 1 or len(share) < 2:
        raise ValueError(f"proportions must be a list of two or more, one for each bag, got shape {share.shape}")
    if not 0 <= bag_ids.min() <= bag_ids.max() < len(share):
        wrong = bag_ids.min() if bag_ids.min() < 0 else bag_ids.max()
        raise ValueError(f"bags must be numbers in [0, {len(share) - 1}], one for each proportion, got {wrong}")
    sizes = np.bincount(bag_ids, weight, minlength=len(share))
    if (sizes <= 0).any():
        raise ValueError(f"bag {int((sizes <= 0).argmax())} is empty: drop it and its proportion")
    _check_proportions(share)
    _check_both(float(sizes @ share / sizes.sum()))
    order = np.argsort(bag_ids, kind="stable")
    order = order[weight[order] > 0]
    start = np.searchsorted(bag_ids[order], np.arange(len(share)))
    return Bags(csr_array(X)[order] if issparse(X) else X[order], weight[order], start, share)


def bag_log_likelihood(scores: Array, bags: Bags) -> tuple[Array, Array]:
    """Return p_b log p̄_b + (1 − p_b) log(1 − p̄_b) of each bag, p̄_b the mean of φ(a) over it (the slides' loss,
    negated).

    Returns the values in nats, (B,), and the gradient of their sum with respect to the `scores` a (n,). As published,
    the slides write φ with the opposite sign, and the logarithm to base 2 in their expansion; here both are standard.
    """
    log_p, log_q = log_expit(scores), log_expit(-scores)
    log_mean_p, log_mean_q = bags.log_means(log_p), bags.log_means(log_q)
    p = bags.proportions
    total = p * log_mean_p + (1 - p) * log_mean_q
    # ∂ log p̄ / ∂a = w φ(1 − φ) / (n p̄), in logarithms as p̄ may be too small for a number.
    slope = log_p + log_q - bags.to_rows(np.log(bags.size))
    up = bags.to_rows(p) * np.exp(slope - bags.to_rows(log_mean_p))
    down = bags.to_rows(1 - p) * np.exp(slope - bags.to_rows(log_mean_q))
    return total, bags.weight * (up - down)


def bag_channel(proportions: ArrayLike, sizes: ArrayLike) -> Array:
    """Return T[bag | class] = n_b π_b(class) / Σ_b n_b π_b(class), (B, 2): a bag's name as a randomised response of a
    class.

    `proportions` (B,) are the bags' shares of class 1, `sizes` (B,) their records. Raises ``ValueError`` for a share
    outside [0, 1], and where no bag has a record of one of the classes.
    """
    share = _check_proportions(np.asarray(proportions, dtype=float))
    size = np.asarray(sizes, dtype=float)
    _check_both(float(size @ share / size.sum()))
    return name_channel(np.stack((1 - share, share), axis=1), size)


def name_channel(shares: ArrayLike, sizes: ArrayLike) -> Array:
    """Return T[name | class] = n_b π_b(class) / Σ_b n_b π_b(class), (B, K): the name of a bag or set as a label
    channel.

    `shares` (B, K) of every class in each, `sizes` (B,) their records; every class must have a share somewhere.
    """
    joint = np.asarray(sizes, dtype=float)[:, None] * np.asarray(shares, dtype=float)
    return joint / joint.sum(axis=0)


def project_proportions(proportions: ArrayLike) -> Array:
    """Return the nearest shares in [0, 1] to noisy `proportions` (B,), which noise may have carried outside."""
    return np.clip(np.asarray(proportions, dtype=float), 0.0, 1.0)


def class_means(data: Bags) -> Array:
    """Return the mean record of negatives and positives, (2, D), by least squares over the bags weighted by their
    sizes.
    """
    shares = np.stack((1 - data.proportions, data.proportions), axis=1)
    weighted = shares * data.size[:, None]
    # Bags of equal proportions, as a fold may hold, leave both means the same.
    return np.linalg.lstsq(shares.T @ weighted, weighted.T @ data.mean_records())[0]


def most_likely_labels(scores: Array, data: Bags) -> Array:
    """Return labels (n,) in [0, 1]: in each bag the highest `scores` (n,) are 1, as many records as its
    proportion gives.
    """
    bag_ids = data.to_rows(np.arange(len(data.start)))
    order = np.lexsort((-scores, bag_ids))
    weight = data.weight[order]
    before = np.cumsum(weight) - weight
    before -= data.to_rows(before[data.start])
    left = data.to_rows(data.proportions * data.size) - before
    labels = np.empty(len(scores))
    labels[order] = np.clip(left / weight, 0, 1)
    return labels


def gradient_at_zero(bags: Bags) -> Array:
    """Return the slides' gradient at weights of 0, Σ_b (π_b − ½) x̄_b, (D,): it depends on the bags' mean records
    alone.
    """
    return (bags.proportions - 0.5) @ bags.mean_records()


def _check_proportions(proportions: Array) -> Array:
    wrong = ~((proportions >= 0) & (proportions <= 1))
    if wrong.any():
        bag = int(wrong.argmax())
        raise ValueError(
            f"proportions must be in [0, 1], got {proportions[bag]:.4g} for bag {bag}; project_proportions(…) takes "
            "noisy ones back"
        )
    return proportions


def _check_both(share: float) -> None:
    if not 1e-12 < share < 1 - 1e-12:
        raise ValueError(
            f"all bags are wholly {'negative' if share < 0.5 else 'positive'}, so only one class is known of"
        )

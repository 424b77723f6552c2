"""Subset selection: a set of d answers, which the true one is in more often than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.mechanisms.frequency_oracles.oracle import (
    Array,
    Bits,
    Counts,
    FrequencyOracle,
    in_parts,
    least_noisy,
    narrowest,
)


@dataclass(frozen=True)
class SubsetSelection(FrequencyOracle):
    """A set of d of the k answers; one that holds the truth is e^ε times as likely as one that does not.

    Ye & Barg 2018. p = d e^ε/(d e^ε + k − d); of the k − 1 others a set holds d − 1 with p, else d, so that
    q = (d − p)/(k − 1). Reports are packed bits, (n, ⌈k/8⌉). `given_size` is d, if it is not to be the best one.
    """

    given_size: int | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.given_size is not None:
            limits.Limit("given_size", 1, self.k - 1, integer=True).check(self.given_size)

    @classmethod
    def for_shares(cls, k: int, epsilon: float, largest_share: float) -> SubsetSelection:
        """See `FrequencyOracle`."""
        d = np.arange(1, k)
        p = cls(k, epsilon)._holds_truth(d)
        return cls(k, epsilon, int(d[narrowest(p, (d - p) / (k - 1), largest_share)]))

    @cached_property
    def size(self) -> int:
        """d, about k/(e^ε + 1): the given one, or that for which the mean variance of all shares is least."""
        if self.given_size is not None:
            return self.given_size
        d = np.arange(1, self.k)
        p = self._holds_truth(d)
        return int(d[least_noisy(p, (d - p) / (self.k - 1), self.k)])

    @property
    def p(self) -> float:
        return float(self._holds_truth(self.size))

    @property
    def q(self) -> float:
        return (self.size - self.p) / (self.k - 1)

    @property
    def bits(self) -> int:
        return (self.n_supports - 1).bit_length()

    @property
    def n_supports(self) -> int:
        return math.comb(self.k, self.size)

    def support_counts(self, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """See `FrequencyOracle`: exact, answer after answer, by the number of free places in the sets.

        Once the truth is included or not, the other places are filled uniformly from the other answers. So people whose
        own answer is not yet processed, and whose sets are in the same state, are exchangeable.
        """
        return self.support_counts_with_sets(counts, (), 0, rng)

    def support_counts_with_sets(
        self, counts: ArrayLike, answers: tuple[int, ...], n_sets: int, rng: np.random.Generator
    ) -> Counts:
        """Return the same with `n_sets` more sets: each holds all of these `answers`, at most d, and else is uniform.

        The `answers` come first. After them the sets are like those of people whose own answer is processed.
        """
        people = self.check_counts(counts)
        include = rng.binomial(people, self.p)
        d, supported = self.size, np.empty(self.k, np.int64)
        # Sets by free places, 0 … d: own answer processed; not yet processed and included; not yet processed and left
        # out.
        sets = np.zeros((3, d + 1), np.int64)
        sets[1, d - 1], sets[2, d] = include.sum(), (people - include).sum()
        left = np.arange(d + 1)
        for place, answer in enumerate([*answers, *(set(range(self.k)) - set(answers))]):
            if place == len(answers):
                sets[0, d - place] += n_sets
            owners = [
                rng.multivariate_hypergeometric(sets[1], include[answer]),
                rng.multivariate_hypergeometric(sets[2], people[answer] - include[answer]),
            ]
            sets[1:] -= owners
            open_answers = self.k - place - np.array([[0], [1], [1]])
            taken = rng.binomial(sets, np.minimum(1.0, left / np.maximum(open_answers, 1)))
            supported[answer] = include[answer] + taken.sum()
            sets -= taken
            sets[:, :-1] += taken[:, 1:]
            sets[0] += owners[0] + owners[1]
        supported[list(answers)] += n_sets
        return supported

    def reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> Bits:
        """See `FrequencyOracle`: each answer in order, with probability free places / answers left (Knuth's algorithm
        S).
        """
        true = self.check_values(values)
        packed = np.empty(((self.k + 7) // 8, len(true)), np.uint8)
        for part in in_parts(len(true), self.k):
            own = true[part]
            include = rng.random(len(own)) < self.p
            places = (self.size - include).astype(np.float64)
            bit = np.empty((self.k, len(own)), bool)
            for answer in range(self.k):
                others_left = self.k - 1 - answer + (own < answer)
                mine = own == answer
                take = rng.random(len(own)) * others_left < places
                np.copyto(bit[answer], np.where(mine, include, take))
                places -= take & ~mine
            packed[:, part] = np.packbits(bit, axis=0)
        return packed.T

    def packed_support(self, reports: Bits) -> Bits:
        """See `FrequencyOracle`."""
        return reports.T

    def _holds_truth(self, size: ArrayLike) -> Array:
        d = np.asarray(size, dtype=float)
        return d * self.ratio / (d * self.ratio + self.k - d)

    def _log_probs(self, reports: NDArray) -> tuple[float, float]:
        inside = math.log(self.p) - math.log(math.comb(self.k - 1, self.size - 1))
        return inside, math.log1p(-self.p) - math.log(math.comb(self.k - 1, self.size))

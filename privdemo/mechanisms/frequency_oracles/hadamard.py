"""Hadamard response: a report is one of K numbers, more often one of the half assigned to the true answer."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo.mechanisms.frequency_oracles.oracle import Bits, Counts, FrequencyOracle, pack_states


class HadamardResponse(FrequencyOracle):
    """A frequency oracle whose report is one of K numbers y (Acharya, Sun & Zhang 2019, in its high-privacy form).

    An answer v supports K/2 of the numbers, its half: those where row v + 1 of a Hadamard matrix is +1. A number of the
    true answer's half is e^ε times as likely as another, so p = e^ε/(e^ε + 1); the halves of two answers have K/4
    numbers in common, so q = ½. K is the least power of two above k: a larger K costs more bits and leaves p and q as
    they are. As q = ½ at every ε, the variance of an estimated share f is at least (1 − f)/n, however large ε is.
    Reports have the shape (n,).
    """

    @property
    def order(self) -> int:
        """K, the number of possible reports."""
        return int(2 ** self.k.bit_length())

    @cached_property
    def halves(self) -> NDArray[np.bool_]:
        """Whether number y is in the half of answer v, (K, k): if y and v + 1 have an even number of bits in common."""
        common = np.bitwise_and.outer(np.arange(self.order), np.arange(1, self.k + 1))
        return np.bitwise_count(common) % 2 == 0

    @property
    def p(self) -> float:
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        return 0.5

    @property
    def bits(self) -> int:
        return (self.order - 1).bit_length()

    @property
    def n_supports(self) -> int:
        return self.order

    def support_counts(self, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """See `FrequencyOracle`; samples how often each of the K numbers is sent, (K,), and sums over the halves."""
        people = self.check_counts(counts)
        uniform = rng.binomial(people, 2 * (1 - self.p))  # they send any number; the others one of their half
        sent = rng.multinomial(uniform.sum(), np.full(self.order, 1 / self.order))
        in_half = rng.multinomial(people - uniform, np.full(self.order // 2, 2 / self.order))
        members = np.nonzero(self.halves.T)[1].reshape(self.k, self.order // 2)  # the numbers of each half
        np.add.at(sent, members, in_half)
        return sent @ self.halves

    def reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int64]:
        """See `FrequencyOracle`; samples a uniform number, and flips one bit of it if it is not in the sampled half."""
        row = self.check_values(values).astype(np.int64) + 1
        number = rng.integers(0, self.order, len(row))
        from_half = rng.random(len(row)) < self.p
        is_in_half = np.bitwise_count(number & row) % 2 == 0
        return np.where(is_in_half == from_half, number, number ^ (row & -row))

    def packed_support(self, reports: NDArray[np.integer]) -> Bits:
        """See `FrequencyOracle`."""
        return pack_states(reports, self.halves)

    def tally(self, reports: NDArray[np.integer]) -> Counts:
        """See `FrequencyOracle`."""
        return np.bincount(reports, minlength=self.order) @ self.halves

    def _log_probs(self, reports: NDArray) -> tuple[float, float]:
        return math.log(2 * self.p / self.order), math.log(2 * (1 - self.p) / self.order)

"""Hadamard response: a report is one of K numbers, more often one of the half assigned to the true answer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.mechanisms.frequency_oracles.oracle import Bits, Counts, FrequencyOracle, in_parts


def walsh_hadamard(values: ArrayLike) -> NDArray:
    """Return Σ_y ±`values`[y] for every x, with − where x and y have an odd number of bits in common: (K,).

    The fast Walsh–Hadamard transform: K log₂ K additions, where the matrix has K² entries. K is a power of two.
    """
    found = np.array(values)
    half = 1
    while half < len(found):
        first, second = found.reshape(-1, 2, half).swapaxes(0, 1)
        found = np.stack([first + second, first - second], axis=1).ravel()
        half *= 2
    return found


class HadamardResponse(FrequencyOracle):
    """A frequency oracle whose report is one of K numbers y (Acharya, Sun & Zhang 2019, in its high-privacy form).

    An answer v supports K/2 of the numbers, its half: those where row v + 1 of a Hadamard matrix is +1. A number of the
    true answer's half is e^ε times as likely as another, so p = e^ε/(e^ε + 1); the halves of two answers have K/4
    numbers in common, so q = ½. K is the least power of two above k: a larger K costs more bits and leaves p and q as
    they are. As q = ½ at every ε, the variance of an estimated share f is at least (1 − f)/n, however large ε is.
    Reports have the shape (n,).
    """

    answers_limit = limits.SHORT_REPORT_ANSWERS

    @property
    def order(self) -> int:
        """K, the number of possible reports."""
        return int(2 ** self.k.bit_length())

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
        """See `FrequencyOracle`; samples how often each of the K numbers is sent, (K,), and sums over the halves.

        Up to 1,024 answers that takes k·K/2 binomials, however many people there are. With more answers the people's
        numbers are sampled, in parts.
        """
        people = self.check_counts(counts)
        if not limits.ORACLE_ANSWERS.contains(self.k):
            sent = np.zeros(self.order, np.int64)
            values = np.repeat(np.arange(self.k, dtype=np.int32), people)
            for part in in_parts(len(values), 8):
                sent += np.bincount(self.reports(values[part], rng), minlength=self.order)
            return self._sum_over_halves(sent)
        uniform = rng.binomial(people, 2 * (1 - self.p))  # they send any number; the others one of their half
        sent = rng.multinomial(uniform.sum(), np.full(self.order, 1 / self.order))
        in_half = rng.multinomial(people - uniform, np.full(self.order // 2, 2 / self.order))
        is_in = self._is_in_half(np.arange(self.order))
        members = np.nonzero(is_in.T)[1].reshape(self.k, self.order // 2)  # the numbers of each half
        np.add.at(sent, members, in_half)
        return self._sum_over_halves(sent)

    def reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int64]:
        """See `FrequencyOracle`; samples a uniform number, and flips one bit of it if it is not in the sampled half."""
        row = self.check_values(values).astype(np.int64) + 1
        number = rng.integers(0, self.order, len(row))
        from_half = rng.random(len(row)) < self.p
        is_in_half = np.bitwise_count(number & row) % 2 == 0
        return np.where(is_in_half == from_half, number, number ^ (row & -row))

    def packed_support(self, reports: NDArray[np.integer]) -> Bits:
        """See `FrequencyOracle`."""
        packed = np.empty(((self.k + 7) // 8, len(reports)), np.uint8)
        for part in in_parts(len(reports), self.k):
            packed[:, part] = np.packbits(self._is_in_half(reports[part]), axis=1).T
        return packed

    def tally(self, reports: NDArray[np.integer]) -> Counts:
        """See `FrequencyOracle`."""
        return self._sum_over_halves(np.bincount(reports, minlength=self.order))

    def _is_in_half(self, numbers: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return whether each of `numbers` is in the half of each answer, (n, k): number y is in that of v if y and v +
        1 have an even number of bits in common.
        """
        common = np.bitwise_and.outer(numbers.astype(np.uint32), np.arange(1, self.k + 1, dtype=np.uint32))
        return np.bitwise_count(common) % 2 == 0

    def _sum_over_halves(self, sent: Counts) -> Counts:
        """Return how many of the numbers, `sent` so often (K,), are in the half of each answer, (k,)."""
        return (sent.sum() + walsh_hadamard(sent)[1 : self.k + 1]) // 2

    def _log_probs(self, reports: NDArray) -> tuple[float, float]:
        return math.log(2 * self.p / self.order), math.log(2 * (1 - self.p) / self.order)

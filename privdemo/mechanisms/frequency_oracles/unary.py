"""Unary encodings: a bit for each answer, each flipped by itself."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo.mechanisms.frequency_oracles.oracle import Array, Bits, Counts, FrequencyOracle, in_parts

# Bits are sampled by 32-bit numbers. Their probabilities are rounded to that grid, toward more noise.
GRID = 2.0**32


class UnaryEncoding(FrequencyOracle):
    """A bit for every answer: that of the truth is set with p, every other with q, all by themselves.

    p(1−q)/(q(1−p)) = e^ε, as two truths differ in two bits. A report supports the answers whose bits are set. Reports
    are packed bits, (n, ⌈k/8⌉).
    """

    @property
    @abstractmethod
    def p(self) -> float:
        """How often the bit of the true answer is set."""

    @property
    def bits(self) -> int:
        return self.k

    @property
    def n_supports(self) -> int:
        return 2**self.k

    def support_counts(self, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """See `FrequencyOracle`: two binomials an answer, as all bits are independent."""
        people = self.check_counts(counts)
        return rng.binomial(people, self.p) + rng.binomial(people.sum() - people, self.q)

    def reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> Bits:
        """See `FrequencyOracle`."""
        true = self.check_values(values)
        packed = np.empty(((self.k + 7) // 8, len(true)), np.uint8)
        low, high = np.uint32(math.ceil(self.q * GRID)), np.uint32(math.floor(self.p * GRID))
        for part in in_parts(len(true), self.k):
            uniform = rng.integers(0, 2**32, (self.k, part.stop - part.start), dtype=np.uint32)
            bit = uniform < low
            own = (true[part], np.arange(part.stop - part.start))
            bit[own] = uniform[own] < high
            packed[:, part] = np.packbits(bit, axis=0)
        return packed.T

    def packed_support(self, reports: Bits) -> Bits:
        """See `FrequencyOracle`."""
        return reports.T

    def _log_probs(self, reports: Bits) -> tuple[Array, Array]:
        n_set = np.bitwise_count(reports).sum(axis=1, dtype=int)
        lie, silence = math.log(self.q), math.log1p(-self.q)
        inside = math.log(self.p) + (n_set - 1) * lie + (self.k - n_set) * silence
        outside = math.log1p(-self.p) + n_set * lie + (self.k - 1 - n_set) * silence
        return inside, outside


class BasicRappor(UnaryEncoding):
    """Symmetric unary encoding, the basic one-time RAPPOR of Erlingsson, Pihur & Korolova 2014: q = 1 − p."""

    @property
    def p(self) -> float:
        return 1 / (1 + math.exp(-self.epsilon / 2))

    @property
    def q(self) -> float:
        return 1 / (1 + math.exp(self.epsilon / 2))


class OptimisedUnaryEncoding(UnaryEncoding):
    """Unary encoding with p = ½ and q = 1/(e^ε + 1), the least variance for a rare answer (Wang et al. 2017)."""

    @property
    def p(self) -> float:
        return 0.5

    @property
    def q(self) -> float:
        return 1 / (1 + math.exp(self.epsilon))

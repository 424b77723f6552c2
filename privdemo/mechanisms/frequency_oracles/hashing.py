"""Optimised local hashing: each person hashes the answer to one of g values, and randomises the hash."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.mechanisms.frequency_oracles.oracle import (
    CELLS,
    Bits,
    Counts,
    FrequencyOracle,
    in_parts,
    least_noisy,
    narrowest,
)
from privdemo.mechanisms.randomised_response import RandomisedResponse

Words = NDArray[np.uint64]

PRIME_BITS = 31
PRIME = 2**PRIME_BITS - 1
# Reports times answers that are hashed together, which a processor's own memory holds; and answers packed together.
TILE, PACKED = 1 << 14, 1024


def hash_answer(coefficients: NDArray[np.unsignedinteger], answers: ArrayLike, n_values: int) -> Words:
    """Return (a v² + b v + c mod P) scaled down to 0 … g − 1, with P = 2³¹ − 1 and g = `n_values`.

    `coefficients` (3, n) are a, b and c of each person, uniform in 0 … P − 1, and `answers` v below 65,536 are theirs,
    (n,), or one for all, or several in a column, (m, 1). Any three answers have independent hashes, each uniform but
    for a part g/P (polynomials of degree 2 over a prime field: Carter & Wegman 1981). So given the truth any two other
    answers are supported independently, which a family that is only pairwise independent does not guarantee.
    """
    v = np.asarray(answers, dtype=np.uint64)
    a, b, c = coefficients.astype(np.uint64, copy=False)
    prime, prime_bits = np.uint64(PRIME), np.uint64(PRIME_BITS)
    total = a * v
    total += b
    total *= v
    total += c  # below 2⁶⁴, and below 2⁵² for v below 1,024
    for _ in range(1 if v.max(initial=0) < 1024 else 2):
        above = total >> prime_bits
        total &= prime
        total += above  # 2³¹ is 1 modulo P
    np.minimum(total, total - prime, out=total)  # what is below P becomes huge
    total *= np.uint64(n_values)
    total >>= prime_bits
    return total


@dataclass(frozen=True)
class OptimisedLocalHashing(FrequencyOracle):
    """A hash function of one's own, and the hash of one's answer through g-ary randomised response.

    Wang et al. 2017. A report supports the answers whose hash it names: p = e^ε/(e^ε + g − 1) and q = 1/g. Reports are
    (n, 4): a, b and c of `hash_answer`, then the released hash. `given_hashes` is g, if it is not to be the best one.
    """

    answers_limit = limits.SHORT_REPORT_ANSWERS
    given_hashes: int | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.given_hashes is not None:
            limits.Limit("given_hashes", 2, PRIME, integer=True).check(self.given_hashes)

    @classmethod
    def for_shares(cls, k: int, epsilon: float, largest_share: float) -> OptimisedLocalHashing:
        """See `FrequencyOracle`."""
        made = cls(k, epsilon)
        g = made._tried
        return cls(k, epsilon, int(g[narrowest(made.ratio / (made.ratio + g - 1), 1 / g, largest_share)]))

    @property
    def _tried(self) -> NDArray[np.integer]:
        """The numbers of hashes of which one is the best."""
        return np.arange(2, math.ceil(2 * self.ratio) + 4)

    @cached_property
    def n_hashes(self) -> int:
        """g, about e^ε + 1: the given one, or that for which the mean variance of all shares is least."""
        if self.given_hashes is not None:
            return self.given_hashes
        g = self._tried
        return int(g[least_noisy(self.ratio / (self.ratio + g - 1), 1 / g, self.k)])

    @property
    def p(self) -> float:
        return self.ratio / (self.ratio + self.n_hashes - 1)

    @property
    def q(self) -> float:
        return 1 / self.n_hashes

    @property
    def bits(self) -> int:
        """Those of the hash function, three numbers of 31 bits, and of the hash."""
        return 3 * PRIME_BITS + (self.n_hashes - 1).bit_length()

    @property
    def n_supports(self) -> int:
        return 2**self.k

    def support_counts(self, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """See `FrequencyOracle`: two binomials an answer.

        Each of them, and any two together, have the law of the reports' tally; of more together that is so if hashes
        are fully independent.
        """
        people = self.check_counts(counts)
        return rng.binomial(people, self.p) + rng.binomial(people.sum() - people, self.q)

    def reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.uint32]:
        """See `FrequencyOracle`."""
        true = self.check_values(values)
        sent = np.empty((4, len(true)), np.uint32)
        lie = RandomisedResponse.from_epsilon(self.epsilon, self.n_hashes)
        for part in in_parts(len(true), 8):
            sent[:3, part] = rng.integers(0, PRIME, (3, part.stop - part.start), dtype=np.uint32)
            sent[3, part] = lie.randomise(hash_answer(sent[:3, part], true[part], self.n_hashes), rng)
        return sent.T

    def packed_support(self, reports: NDArray[np.uint32]) -> Bits:
        """See `FrequencyOracle`."""
        packed = np.empty(((self.k + 7) // 8, len(reports)), np.uint8)
        for part in in_parts(len(reports), CELLS // TILE):
            for start in range(0, self.k, PACKED):
                stop = min(start + PACKED, self.k)
                bit = np.empty((stop - start, part.stop - part.start), bool)
                for answers, supported in self._supported(reports[part], start, stop):
                    bit[answers.start - start : answers.stop - start] = supported
                packed[start // 8 : (stop + 7) // 8, part] = np.packbits(bit, axis=0)
        return packed

    def tally(self, reports: NDArray[np.uint32]) -> Counts:
        """See `FrequencyOracle`; takes k hashes of each report, and next to no memory."""
        total = np.zeros(self.k, np.int64)
        for part in in_parts(len(reports), CELLS // TILE):
            for answers, supported in self._supported(reports[part], 0, self.k):
                total[answers] += np.count_nonzero(supported, axis=1)
        return total

    def _supported(
        self, reports: NDArray[np.uint32], start: int, stop: int
    ) -> Iterator[tuple[slice, NDArray[np.bool_]]]:
        """Yield slices of the answers from `start` to `stop`, and which of them each of `reports` (n, 4) supports."""
        coefficients, released_hash = reports[:, :3].T.astype(np.uint64), reports[:, 3]
        step = max(1, TILE // len(reports))
        for first in range(start, stop, step):
            answers = slice(first, min(first + step, stop))
            column = np.arange(answers.start, answers.stop)[:, None]
            yield answers, hash_answer(coefficients, column, self.n_hashes) == released_hash

    def _log_probs(self, reports: NDArray) -> tuple[float, float]:
        functions = -3 * math.log(PRIME)
        return functions + math.log(self.p), functions + math.log1p(-self.p) - math.log(self.n_hashes - 1)

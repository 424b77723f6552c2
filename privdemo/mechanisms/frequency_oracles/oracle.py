"""The base class of frequency oracles: a report supports a set of answers, the true one most often."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.mechanisms.binary_channel import BinaryChannel
from privdemo.mechanisms.states import check_states

Array = NDArray[np.floating]
Counts = NDArray[np.int64]
Bits = NDArray[np.uint8]

# People times answers that are processed together: 16 MB of 32-bit random numbers.
CELLS = 1 << 22
# The eight bits of every byte, (256, 8), as `np.packbits` orders them.
BITS_OF_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)


@dataclass(frozen=True)
class FrequencyOracle(ABC):
    """A mechanism by which each of many people reports one of `k` answers with ε-local privacy.

    A report *supports* a set S of answers. With p = P(v ∈ S | v is true) and q = P(v ∈ S | another answer is true) the
    shares follow from how often each answer is supported; and of each report the likelihood of the truth v is, up to a
    constant, r to the power 1[v ∈ S] with r = e^ε (Wang et al. 2017 call such protocols pure). `k` lies in 2 … 1,024,
    of local hashing and Hadamard response, whose reports stay short, in 2 … 65,536; `epsilon` lies in 0.01 … 10, of
    k-ary randomised response in 0.01 … 20.
    """

    answers_limit: ClassVar[limits.Limit] = limits.ORACLE_ANSWERS
    epsilon_limit: ClassVar[limits.Limit] = limits.ORACLE_EPSILON

    k: int
    epsilon: float

    def __post_init__(self) -> None:
        self.answers_limit.check(self.k)
        self.epsilon_limit.check(self.epsilon)

    @property
    @abstractmethod
    def p(self) -> float:
        """How often a report supports the true answer."""

    @property
    @abstractmethod
    def q(self) -> float:
        """How often a report supports an answer that is not true."""

    @property
    @abstractmethod
    def bits(self) -> int:
        """The bits that one person sends."""

    @property
    @abstractmethod
    def n_supports(self) -> int:
        """How many different sets a report can support."""

    @property
    def ratio(self) -> float:
        """r = e^ε: how many times as likely a report is if an answer that it supports is true as if another is."""
        return math.exp(self.epsilon)

    @property
    def one_against_rest(self) -> BinaryChannel:
        """What becomes of "this answer or another" in whether a report supports it: p10 = q and p01 = 1 − p."""
        return BinaryChannel(self.q, 1 - self.p)

    def worst_share(self, largest_share: float = 1.0) -> float:
        """Return the true share, up to `largest_share`, which is estimated worst in a population: half of the reports
        support the answer.

        That is (½ − q)/(p − q), or the nearest share to it.
        """
        return min(largest_share, max(0.0, (0.5 - self.q) / (self.p - self.q)))

    @classmethod
    def for_shares(cls, k: int, epsilon: float, largest_share: float) -> FrequencyOracle:
        """Return the oracle of this kind that estimates each share best, if none is above `largest_share`: see
        `narrowest`.

        Only oracles with a whole number to choose differ from those for the mean of all shares.
        """
        return cls(k, epsilon)

    @abstractmethod
    def support_counts(self, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """Return how many reports support each answer, (k,), where `counts` (k,) people have each: sampled at once.

        Its law is that of ``tally(reports(values, rng))``, but nobody's report is sampled.
        """

    @abstractmethod
    def reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        """Return what people with true answers `values` (n,) send; the first axis is theirs.

        Raises ``TypeError`` and ``ValueError`` as `check_states`.
        """

    @abstractmethod
    def packed_support(self, reports: NDArray) -> Bits:
        """Return which answers each of `reports` (n, ...) supports, as bits: (⌈k/8⌉, n), in the order of
        `np.packbits`.
        """

    @abstractmethod
    def _log_probs(self, reports: NDArray) -> tuple[ArrayLike, ArrayLike]:
        """Return ln P(report | v) of `reports` (n, ...) if they support v, and if they do not; (n,) each, or a
        number.
        """

    def support(self, reports: NDArray) -> NDArray[np.bool_]:
        """Return which answers each of `reports` (n, ...) supports, (n, k)."""
        return np.unpackbits(self.packed_support(reports), axis=0, count=self.k).T.astype(bool)

    def log_prob(self, reports: NDArray) -> Array:
        """Return ln P(report | v) of `reports` (n, ...) for every true answer v, (n, k)."""
        inside, outside = (np.broadcast_to(log_p, len(reports))[:, None] for log_p in self._log_probs(reports))
        return np.where(self.support(reports), inside, outside)

    def tally(self, reports: NDArray) -> Counts:
        """Return how many of `reports` (n, ...) support each answer, (k,)."""
        total = np.zeros(self.k, np.int64)
        for part in in_parts(len(reports), self.k):
            total += count_bits(self.packed_support(reports[part]))[: self.k]
        return total

    def posterior(self, reports: NDArray, prior: ArrayLike) -> Array:
        """Return what is believed of each sender of `reports` (n, ...) after a `prior` (k,): ∝ prior · r^1[v ∈ S], (n,
        k).
        """
        weight = np.where(self.support(reports), self.ratio, 1.0) * np.asarray(prior, dtype=float)
        return weight / weight.sum(axis=1, keepdims=True)

    def variance(self, share: ArrayLike, n_people: int, of_population: bool = False) -> Array:
        """Return the variance of an estimated share by inversion, where `share` f is true: of the shape of `share`.

        q(1−q)/(n(p−q)²) + f(1−p−q)/(n(p−q)) for the n people themselves (Wang et al. 2017, equation 6); with
        `of_population` they stand for more people and f(1−f)/n is added.
        """
        limits.ORACLE_PEOPLE.check(n_people)
        f = np.asarray(share, dtype=float)
        gain = self.p - self.q
        one = self.q * (1 - self.q) / gain**2 + f * (1 - self.p - self.q) / gain
        return (one + f * (1 - f) * of_population) / n_people

    def mean_variance(self, n_people: int) -> float:
        """Return the mean of `variance` over all k answers; it is the same whatever their shares."""
        return float(self.variance(1 / self.k, n_people))

    def check_counts(self, counts: ArrayLike) -> Counts:
        """Return `counts` as an array. Raises ``ValueError`` unless they are whole numbers of people, one an answer."""
        self.count_people(counts)
        return np.asarray(counts).astype(np.int64)

    def count_people(self, counts: ArrayLike) -> int:
        """Return how many people have any answer, by `counts` (k,); raises as `check_counts`."""
        found = np.asarray(counts)
        if found.shape != (self.k,) or found.dtype.kind not in "iu" or np.minimum.reduce(found) < 0:
            raise ValueError(f"counts must be {self.k} whole numbers from 0, one for each answer, got {counts!r}")
        return int(limits.ORACLE_PEOPLE.check(int(np.add.reduce(found))))

    def check_values(self, values: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return `values` as an array (n,). Raises ``TypeError`` or ``ValueError`` unless they are answers 0 … k−1."""
        found = check_states(values, self.k)
        if found.ndim != 1:
            raise ValueError(f"values must be one answer a person, (n,), got the shape {found.shape}")
        limits.ORACLE_PEOPLE.check(len(found))
        return found


def least_noisy(p: Array, q: Array, k: int) -> int:
    """Return which of several p and q, (m,) each, gives estimated shares the least mean variance."""
    return int(np.argmin((p * (1 - p) + (k - 1) * q * (1 - q)) / np.square(p - q)))


def narrowest(p: Array, q: Array, largest_share: float) -> int:
    """Return which of several p and q, (m,) each, gives the share of one answer in a population the least variance.

    That is of the true share, up to `largest_share`, for which it is largest: the one with half of the reports in
    support of the answer, or the nearest.
    """
    supported = np.clip(0.5, q, q + largest_share * (p - q))
    return int(np.argmin(supported * (1 - supported) / np.square(p - q)))


def in_parts(n_people: int, k: int) -> Iterator[slice]:
    """Slices of people, of about `CELLS` cells (person, answer) each."""
    step = max(1, CELLS // k)
    return (slice(start, min(start + step, n_people)) for start in range(0, n_people, step))


def count_bits(packed: Bits) -> Counts:
    """Return how often each bit is set in `packed` (n_bytes, n): (8 · n_bytes,)."""
    histograms = np.stack([np.bincount(row, minlength=256) for row in packed])
    return (histograms @ BITS_OF_BYTES).ravel()


def pack_states(states: NDArray[np.integer], member: NDArray[np.bool_]) -> Bits:
    """Return rows of `member` (n_states, k), one for each of `states` (n,), as bits (⌈k/8⌉, n)."""
    return np.packbits(member, axis=1).T[:, states]

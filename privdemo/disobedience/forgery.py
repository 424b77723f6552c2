"""Reports that follow no rule, of each frequency oracle: without noise, at random, or crafted to support targets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privdemo.mechanisms.frequency_oracles import (
    FrequencyOracle,
    HadamardResponse,
    KaryResponse,
    OptimisedLocalHashing,
    SubsetSelection,
)
from privdemo.mechanisms.frequency_oracles.hashing import PRIME, hash_answer
from privdemo.mechanisms.frequency_oracles.oracle import CELLS, in_parts
from privdemo.mechanisms.frequency_oracles.unary import UnaryEncoding

Array = NDArray[np.floating]
Counts = NDArray[np.int64]
Targets = tuple[int, ...]
# Hash functions that an attacker tries (as many as in Cao, Jia & Gong 2021), the seed of that search, and the most of
# equally good reports that are kept, fewer where there are very many answers.
TRIED, SEARCH_SEED, KEPT = 1000, 0, 1024


class Forger(ABC):
    """What somebody can send by an oracle without following its rules."""

    def __init__(self, oracle: FrequencyOracle) -> None:
        self.oracle = oracle

    @property
    @abstractmethod
    def open_support(self) -> float:
        """How often a report without noise supports an answer that is not true; it always supports the true one."""

    @abstractmethod
    def open_reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        """Return reports without noise of people with true answers `values` (n,)."""

    @property
    @abstractmethod
    def random_support(self) -> float:
        """How often a report that is chosen at random supports an answer."""

    @abstractmethod
    def random_reports(self, n_people: int, rng: np.random.Generator) -> NDArray:
        """Return `n_people` reports, each chosen at random among all possible ones."""

    @abstractmethod
    def crafted_support(self, targets: Targets) -> Array:
        """Return how often a crafted report supports each answer, (k,)."""

    @abstractmethod
    def crafted_reports(self, targets: Targets, n_people: int, rng: np.random.Generator) -> NDArray:
        """Return `n_people` reports, each of which supports as many of the `targets` as one can."""

    def crafted_counts(self, targets: Targets, n_people: int, rng: np.random.Generator) -> Counts:
        """Return how many of `n_people` crafted reports support each answer, (k,)."""
        return self.oracle.tally(self.crafted_reports(targets, n_people, rng))

    def mixed_counts(self, targets: Targets, obey: Counts, n_people: int, rng: np.random.Generator) -> Counts:
        """Return how many reports support each answer, (k,): of `obey` (k,) people who follow the rules, and of
        `n_people` crafted ones.
        """
        return self.oracle.support_counts(obey, rng) + self.crafted_counts(targets, n_people, rng)


class PoolForger(Forger):
    """One whose crafted reports are those of a list of the best ones.

    Fake clients work for one attacker, who hands out the list in turn, from a random place on: each of them sends any
    report of the list with the same chance.
    """

    def __init__(self, oracle: FrequencyOracle) -> None:
        super().__init__(oracle)
        self.pool = lru_cache(8)(self._pool)

    @abstractmethod
    def _best(self, targets: Targets) -> NDArray:
        """Return the reports that support most of the `targets`, (m, ...)."""

    def _pool(self, targets: Targets) -> tuple[NDArray, Counts]:
        """Return the reports (m, ...), and how many of the first 0, 1, … m of them support each answer, (m + 1, k)."""
        best = self._best(targets)
        most = max(1, min(KEPT, CELLS // self.oracle.k))
        if len(best) > most:
            best = np.random.default_rng(SEARCH_SEED).choice(best, most, replace=False)
        running = np.zeros((len(best) + 1, self.oracle.k), np.int64)
        np.cumsum(self.oracle.support(best), axis=0, out=running[1:])
        return best, running

    def crafted_support(self, targets: Targets) -> Array:
        reports, running = self.pool(targets)
        return running[-1] / len(reports)

    def crafted_reports(self, targets: Targets, n_people: int, rng: np.random.Generator) -> NDArray:
        reports, _ = self.pool(targets)
        return reports[(rng.integers(len(reports)) + np.arange(n_people)) % len(reports)]

    def crafted_counts(self, targets: Targets, n_people: int, rng: np.random.Generator) -> Counts:
        reports, running = self.pool(targets)
        start = int(rng.integers(len(reports)))
        rounds, end = divmod(start + n_people, len(reports))
        return rounds * running[-1] + running[end] - running[start]


class ResponseForger(PoolForger):
    """Of k-ary randomised response: any answer, which supports one target."""

    oracle: KaryResponse

    @property
    def open_support(self) -> float:
        return 0.0

    def open_reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        return values

    @property
    def random_support(self) -> float:
        return 1 / self.oracle.k

    def random_reports(self, n_people: int, rng: np.random.Generator) -> NDArray:
        return rng.integers(0, self.oracle.k, n_people)

    def _best(self, targets: Targets) -> NDArray:
        return np.array(targets)


class HashForger(PoolForger):
    """Of local hashing: the hash functions, of those tried, that give most targets the same hash.

    The functions that are tried are drawn at random, as by somebody who can only choose a seed. Whoever can choose the
    coefficients takes a constant function (a = b = 0), whose report supports every answer.
    """

    oracle: OptimisedLocalHashing

    @property
    def open_support(self) -> float:
        return 1 / self.oracle.n_hashes

    def open_reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        functions = self._functions(len(values), rng)
        return np.column_stack([functions.T, hash_answer(functions, values, self.oracle.n_hashes).astype(np.uint32)])

    @property
    def random_support(self) -> float:
        return 1 / self.oracle.n_hashes

    def random_reports(self, n_people: int, rng: np.random.Generator) -> NDArray:
        hashes = rng.integers(0, self.oracle.n_hashes, n_people, dtype=np.uint32)
        return np.column_stack([self._functions(n_people, rng).T, hashes])

    def _functions(self, n: int, rng: np.random.Generator) -> NDArray[np.uint32]:
        return rng.integers(0, PRIME, (3, n), dtype=np.uint32)

    def _best(self, targets: Targets) -> NDArray:
        functions = self._functions(TRIED, np.random.default_rng(SEARCH_SEED))
        hashes = np.sort(hash_answer(functions, np.array(targets)[:, None], self.oracle.n_hashes), axis=0)
        # Of sorted hashes, how often each has come until then: the longest run of each function and its hash.
        run, longest, common = np.zeros(TRIED, int), np.zeros(TRIED, int), hashes[0]
        for before, row in zip(np.vstack([hashes[:1], hashes]), hashes, strict=False):
            run = np.where(row == before, run + 1, 1)
            common = np.where(run > longest, row, common)
            longest = np.maximum(run, longest)
        kept = np.flatnonzero(longest == longest.max())
        return np.column_stack([functions[:, kept].T, common[kept].astype(np.uint32)])


class NumberForger(PoolForger):
    """Of Hadamard response: a number that is in the halves of most targets, such as 0, which is in all halves."""

    oracle: HadamardResponse

    @property
    def open_support(self) -> float:
        return 0.5

    def open_reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        row = np.asarray(values, dtype=np.int64) + 1
        number = rng.integers(0, self.oracle.order, len(row))
        return np.where(np.bitwise_count(number & row) % 2 == 0, number, number ^ (row & -row))

    @property
    def random_support(self) -> float:
        return 0.5

    def random_reports(self, n_people: int, rng: np.random.Generator) -> NDArray:
        return rng.integers(0, self.oracle.order, n_people)

    def _best(self, targets: Targets) -> NDArray:
        numbers = np.arange(self.oracle.order)
        inside = np.zeros(len(numbers), int)
        for target in targets:
            inside += np.bitwise_count(numbers & (target + 1)) % 2 == 0
        return numbers[inside == inside.max()]


class BitsForger(Forger):
    """Of unary encodings: the bits of all targets, the others as of anybody; open reports have one bit."""

    oracle: UnaryEncoding

    @property
    def open_support(self) -> float:
        return 0.0

    def open_reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        packed = np.zeros((len(values), (self.oracle.k + 7) // 8), np.uint8)
        packed[np.arange(len(values)), values // 8] = 128 >> (values % 8)
        return packed

    @property
    def random_support(self) -> float:
        return 0.5

    def random_reports(self, n_people: int, rng: np.random.Generator) -> NDArray:
        k = self.oracle.k
        packed = rng.integers(0, 256, (n_people, (k + 7) // 8), dtype=np.uint8)
        packed[:, -1] &= np.packbits(np.arange(8) < (k - 1) % 8 + 1)[0]
        return packed

    def crafted_support(self, targets: Targets) -> Array:
        support = np.full(self.oracle.k, self.oracle.q)
        support[list(targets)] = 1.0
        return support

    def crafted_reports(self, targets: Targets, n_people: int, rng: np.random.Generator) -> NDArray:
        reports = self.oracle.reports(np.full(n_people, targets[0]), rng)
        reports |= np.packbits(np.isin(np.arange(self.oracle.k), targets))
        return reports

    def crafted_counts(self, targets: Targets, n_people: int, rng: np.random.Generator) -> Counts:
        counts = rng.binomial(n_people, self.oracle.q, self.oracle.k)
        counts[list(targets)] = n_people
        return counts


class SetForger(Forger):
    """Of subset selection: a set of d answers with as many targets as fit, and others at random."""

    oracle: SubsetSelection

    @property
    def open_support(self) -> float:
        return (self.oracle.size - 1) / (self.oracle.k - 1)

    def open_reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        packed = np.empty((len(values), (self.oracle.k + 7) // 8), np.uint8)
        for part in in_parts(len(values), self.oracle.k):
            order = rng.random((part.stop - part.start, self.oracle.k), dtype=np.float32)
            order[np.arange(len(order)), values[part]] = -1.0  # the truth comes first
            packed[part] = self._sets(order)
        return packed

    @property
    def random_support(self) -> float:
        return self.oracle.size / self.oracle.k

    def random_reports(self, n_people: int, rng: np.random.Generator) -> NDArray:
        return self.crafted_reports((), n_people, rng)

    def crafted_support(self, targets: Targets) -> Array:
        d, r = self.oracle.size, len(targets)
        support = np.full(self.oracle.k, max(0, d - r) / max(1, self.oracle.k - r))
        support[list(targets)] = min(1.0, d / r)
        return support

    def crafted_reports(self, targets: Targets, n_people: int, rng: np.random.Generator) -> NDArray:
        packed = np.empty((n_people, (self.oracle.k + 7) // 8), np.uint8)
        for part in in_parts(n_people, self.oracle.k):
            order = rng.random((part.stop - part.start, self.oracle.k), dtype=np.float32)
            order[:, list(targets)] -= 1.0
            packed[part] = self._sets(order)
        return packed

    def crafted_counts(self, targets: Targets, n_people: int, rng: np.random.Generator) -> Counts:
        """See `Forger`: answer after answer, by the number of places that are free in the sets."""
        d, r = self.oracle.size, len(targets)
        is_target = np.isin(np.arange(self.oracle.k), targets)
        counts = np.empty(self.oracle.k, np.int64)
        for members, places in ((is_target, min(d, r)), (~is_target, max(0, d - r))):
            n_members = int(members.sum())
            if places == n_members:
                counts[members] = n_people
                continue
            sets = np.zeros(places + 1, np.int64)  # by free places
            sets[places] = n_people
            chances = np.minimum(1.0, np.arange(places + 1) / np.arange(n_members, 0, -1)[:, None])
            for answer, chance in zip(np.flatnonzero(members), chances, strict=True):
                taken = rng.binomial(sets, chance)
                counts[answer] = taken.sum()
                sets -= taken
                sets[:-1] += taken[1:]
        return counts

    def mixed_counts(self, targets: Targets, obey: Counts, n_people: int, rng: np.random.Generator) -> Counts:
        """See `Forger`: of both together, which takes hardly longer than of those who follow the rules alone."""
        if len(targets) > self.oracle.size:
            return super().mixed_counts(targets, obey, n_people, rng)
        return self.oracle.support_counts_with_sets(obey, targets, n_people, rng)

    def _sets(self, order: Array) -> NDArray[np.uint8]:
        """Return the d first answers of each order (n, k), as packed bits."""
        chosen = np.argpartition(order, self.oracle.size - 1, axis=1)[:, : self.oracle.size]
        member = np.zeros(order.shape, bool)
        np.put_along_axis(member, chosen, True, axis=1)
        return np.packbits(member, axis=1)


# Which forger knows the oracles of a kind; of a new oracle append one here.
FORGERS: tuple[tuple[type, type[Forger]], ...] = (
    (KaryResponse, ResponseForger),
    (OptimisedLocalHashing, HashForger),
    (HadamardResponse, NumberForger),
    (UnaryEncoding, BitsForger),
    (SubsetSelection, SetForger),
)


@lru_cache(64)
def forger(oracle: FrequencyOracle) -> Forger:
    """Return who forges reports of an oracle. Raises ``ValueError`` for one that has no entry in `FORGERS`."""
    for kind, made in FORGERS:
        if isinstance(oracle, kind):
            return made(oracle)
    raise ValueError(f"oracle must be one that FORGERS knows, got {oracle!r}; write a Forger for it")

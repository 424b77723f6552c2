"""Ways to disobey: what people send who do not follow the rules of a survey.

    way = CraftedReport(targets=(3,))
    way.channel(BinaryChannel(0.2, 0.2))              # of two answers: P(answer | truth) of those people
    way.reports(oracle, values, rng)                  # of k answers: what they send by a frequency oracle
    way.support_counts(oracle, counts, rng)           # how many of these reports support each answer, sampled at once
    way.expected_support(oracle, shares)              # and how often on average

Only the reports that a mechanism can send are sent: a collector who checks their form finds nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.disobedience.forgery import forger
from privdemo.mechanisms import BinaryChannel
from privdemo.mechanisms.frequency_oracles import FrequencyOracle

Array = NDArray[np.floating]
Counts = NDArray[np.int64]


class Way(ABC):
    """A way to disobey."""

    @abstractmethod
    def channel(self, mechanism: BinaryChannel) -> BinaryChannel:
        """Return P(answer | truth) of those people in a survey with two answers, 0 (No) and 1 (Yes)."""

    @abstractmethod
    def reports(self, oracle: FrequencyOracle, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        """Return what they send by a frequency oracle, of true answers `values` (n,)."""

    @abstractmethod
    def expected_support(self, oracle: FrequencyOracle, shares: ArrayLike) -> Array:
        """Return how often a report of theirs supports each answer, (k,), where `shares` (k,) of them have each."""

    def support_counts(self, oracle: FrequencyOracle, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """Return how many of their reports support each answer, (k,), where `counts` (k,) of them have each.

        Its law is that of the tally of `reports`.
        """
        people = oracle.check_counts(counts)
        return oracle.tally(self.reports(oracle, np.repeat(np.arange(oracle.k), people), rng))

    def mixed_support_counts(
        self, oracle: FrequencyOracle, obey: ArrayLike, disobey: ArrayLike, rng: np.random.Generator
    ) -> Counts:
        """Return the same of everybody together, if `obey` (k,) people follow the rules; neither is nobody."""
        return oracle.support_counts(obey, rng) + self.support_counts(oracle, disobey, rng)


@dataclass(frozen=True)
class OpenTruth(Way):
    """They tell the truth openly: their reports have no noise, as far as the mechanism has such reports."""

    def channel(self, mechanism: BinaryChannel) -> BinaryChannel:
        """See `Way`."""
        return BinaryChannel(0.0, 0.0)

    def reports(self, oracle: FrequencyOracle, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        """See `Way`."""
        return forger(oracle).open_reports(oracle.check_values(values), rng)

    def expected_support(self, oracle: FrequencyOracle, shares: ArrayLike) -> Array:
        """See `Way`."""
        own = np.asarray(shares, dtype=float)
        return own + (1 - own) * forger(oracle).open_support


@dataclass(frozen=True)
class AlwaysAnswer(Way):
    """They openly give the same `answer`, whatever is true and whatever chance says."""

    answer: int

    def channel(self, mechanism: BinaryChannel) -> BinaryChannel:
        """See `Way`."""
        yes = _check_answers((self.answer,), 2)[0]
        return BinaryChannel(float(yes), float(1 - yes))

    def reports(self, oracle: FrequencyOracle, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        """See `Way`."""
        _check_answers((self.answer,), oracle.k)
        return forger(oracle).open_reports(np.full(len(values), self.answer), rng)

    def expected_support(self, oracle: FrequencyOracle, shares: ArrayLike) -> Array:
        """See `Way`."""
        _check_answers((self.answer,), oracle.k)
        support = np.full(oracle.k, forger(oracle).open_support)
        support[self.answer] = 1.0
        return support


@dataclass(frozen=True)
class RandomReport(Way):
    """They send any of the possible reports with the same probability: with two answers they toss a fair coin."""

    def channel(self, mechanism: BinaryChannel) -> BinaryChannel:
        """See `Way`."""
        return BinaryChannel(0.5, 0.5)

    def reports(self, oracle: FrequencyOracle, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        """See `Way`."""
        return forger(oracle).random_reports(len(values), rng)

    def expected_support(self, oracle: FrequencyOracle, shares: ArrayLike) -> Array:
        """See `Way`."""
        return np.full(oracle.k, forger(oracle).random_support)


@dataclass(frozen=True)
class FalseTruth(Way):
    """They pretend that one of `answers`, chosen at random, is true of them, and then follow the rules.

    No mechanism can tell them from people of whom it is true.
    """

    answers: tuple[int, ...]

    def __post_init__(self) -> None:
        _check_answers(self.answers)

    def channel(self, mechanism: BinaryChannel) -> BinaryChannel:
        """See `Way`."""
        pretended = np.bincount(_check_answers(self.answers, 2), minlength=2) / len(self.answers)
        no, yes = mechanism.channel_matrix @ pretended
        return BinaryChannel(float(yes), float(no))

    def reports(self, oracle: FrequencyOracle, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        """See `Way`."""
        return oracle.reports(rng.choice(_check_answers(self.answers, oracle.k), len(values)), rng)

    def expected_support(self, oracle: FrequencyOracle, shares: ArrayLike) -> Array:
        """See `Way`."""
        pretended = np.bincount(_check_answers(self.answers, oracle.k), minlength=oracle.k) / len(self.answers)
        return oracle.q + (oracle.p - oracle.q) * pretended

    def support_counts(self, oracle: FrequencyOracle, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """See `Way`."""
        return oracle.support_counts(self._pretended(oracle, oracle.count_people(counts), rng), rng)

    def mixed_support_counts(
        self, oracle: FrequencyOracle, obey: ArrayLike, disobey: ArrayLike, rng: np.random.Generator
    ) -> Counts:
        """See `Way`: as if what they pretend were true, and all followed the rules."""
        pretended = self._pretended(oracle, oracle.count_people(disobey), rng)
        return oracle.support_counts(np.asarray(obey) + pretended, rng)

    def _pretended(self, oracle: FrequencyOracle, n_people: int, rng: np.random.Generator) -> Counts:
        """Return how many of them pretend that each answer is true, (k,)."""
        answers = _check_answers(self.answers, oracle.k)
        pretended = np.zeros(oracle.k, np.int64)
        pretended[list(answers)] = rng.multinomial(n_people, np.full(len(answers), 1 / len(answers)))
        return pretended


@dataclass(frozen=True)
class CraftedReport(Way):
    """They send the report that supports most of the `targets`, among those which the mechanism can send.

    The maximal gain attack of Cao, Jia & Gong 2021. How many it supports is `supported`.
    """

    targets: tuple[int, ...]

    def __post_init__(self) -> None:
        _check_answers(self.targets)

    def supported(self, oracle: FrequencyOracle) -> float:
        """Return s, how many of the targets one report supports."""
        _check_answers(self.targets, oracle.k)
        return float(forger(oracle).crafted_support(self.targets)[list(self.targets)].sum())

    def channel(self, mechanism: BinaryChannel) -> BinaryChannel:
        """See `Way`; who wants both answers gives each half of the time."""
        yes = float(np.mean(_check_answers(self.targets, 2)))
        return BinaryChannel(yes, 1 - yes)

    def reports(self, oracle: FrequencyOracle, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray:
        """See `Way`."""
        _check_answers(self.targets, oracle.k)
        return forger(oracle).crafted_reports(self.targets, len(values), rng)

    def expected_support(self, oracle: FrequencyOracle, shares: ArrayLike) -> Array:
        """See `Way`."""
        _check_answers(self.targets, oracle.k)
        return forger(oracle).crafted_support(self.targets)

    def support_counts(self, oracle: FrequencyOracle, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """See `Way`."""
        _check_answers(self.targets, oracle.k)
        return forger(oracle).crafted_counts(self.targets, oracle.count_people(counts), rng)

    def mixed_support_counts(
        self, oracle: FrequencyOracle, obey: ArrayLike, disobey: ArrayLike, rng: np.random.Generator
    ) -> Counts:
        """See `Way`."""
        _check_answers(self.targets, oracle.k)
        return forger(oracle).mixed_counts(self.targets, np.asarray(obey), oracle.count_people(disobey), rng)


@lru_cache(256)
def _check_answers(answers: tuple[int, ...], k: int = int(limits.SHORT_REPORT_ANSWERS.high)) -> tuple[int, ...]:
    """Return `answers`. Raises ``ValueError`` unless they are different answers 0 … k − 1."""
    if not answers or len(set(answers)) < len(answers):
        raise ValueError(f"answers must be one or more different ones, got {answers!r}; name each once")
    for answer in answers:
        limits.Limit("answer", 0, k - 1, "answers are counted from 0", integer=True).check(answer)
    return answers


ALWAYS_NO, ALWAYS_YES, FAIR_COIN, OPEN_TRUTH = AlwaysAnswer(0), AlwaysAnswer(1), RandomReport(), OpenTruth()
# Ways to disobey in a survey with two answers, by their names.
WAYS: dict[str, Way] = {
    "always no": ALWAYS_NO,
    "always yes": ALWAYS_YES,
    "fair coin": FAIR_COIN,
    "open truth": OPEN_TRUTH,
}

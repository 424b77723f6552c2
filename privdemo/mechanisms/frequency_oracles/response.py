"""k-ary randomised response as a frequency oracle: a report supports itself alone."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.mechanisms.frequency_oracles.oracle import Bits, Counts, FrequencyOracle, pack_states
from privdemo.mechanisms.randomised_response import RandomisedResponse


class KaryResponse(FrequencyOracle):
    """k-ary randomised response: the true answer with p = e^ε/(e^ε + k − 1), else one of the others.

    Kairouz, Bonawitz & Ramage 2016. Each other answer is sent with q = 1/(e^ε + k − 1). Reports are answers, (n,).
    """

    epsilon_limit = limits.SHUFFLED_ORACLE_EPSILON

    @cached_property
    def response(self) -> RandomisedResponse:
        """The mechanism itself."""
        return RandomisedResponse.from_epsilon(self.epsilon, self.k)

    @property
    def p(self) -> float:
        return 1 - self.response.flip_prob

    @property
    def q(self) -> float:
        return self.response.flip_prob / (self.k - 1)

    @property
    def bits(self) -> int:
        return (self.k - 1).bit_length()

    @property
    def n_supports(self) -> int:
        return self.k

    def support_counts(self, counts: ArrayLike, rng: np.random.Generator) -> Counts:
        """See `FrequencyOracle`: the people who resample from all answers, sampled as counts."""
        people = self.check_counts(counts)
        resampled = rng.binomial(people, min(1.0, self.k * self.q))
        return people - resampled + rng.multinomial(resampled.sum(), np.full(self.k, 1 / self.k))

    def reports(self, values: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.integer]:
        """See `FrequencyOracle`."""
        return self.response.randomise(self.check_values(values), rng)

    def packed_support(self, reports: NDArray[np.integer]) -> Bits:
        """See `FrequencyOracle`."""
        return pack_states(reports, np.eye(self.k, dtype=bool))

    def tally(self, reports: NDArray[np.integer]) -> Counts:
        """See `FrequencyOracle`."""
        return np.bincount(reports, minlength=self.k)

    def _log_probs(self, reports: NDArray) -> tuple[float, float]:
        return math.log(self.p), math.log(self.q)

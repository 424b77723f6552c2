"""One poll among several candidates by k-ary randomised response."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privdemo import limits
from privdemo.estimators import frequencies, votes
from privdemo.experiments.trials import seeded
from privdemo.experiments.voting.polls import Counts
from privdemo.experiments.voting.repeated import Array
from privdemo.intervals import wilson_ends
from privdemo.mechanisms import RandomisedResponse
from privdemo.simplex import project_simplex

# Iterations of expectation–maximisation before it is stopped; its climb is slow where lies leave little.
EM_ITERATIONS = 2000
# The random streams of a seed.
_VOTES, _LIES = range(2)


@dataclass(frozen=True)
class ManyConfig:
    """One poll among k = len(shares) candidates; `shares` sum to 1, answers by k-ary randomised response."""

    shares: tuple[float, ...] = (0.4, 0.3, 0.2, 0.1)
    epsilon: float = 1.0
    n_voters: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.shares, tuple):
            raise ValueError(f"shares must be a tuple, such as (0.6, 0.4), got {self.shares!r}")
        limits.N_CHOICES.check(len(self.shares))
        for share in self.shares:
            limits.SHARE.check(share)
        if abs(sum(self.shares) - 1) > 1e-6:
            raise ValueError(f"shares must sum to 1, got {sum(self.shares):.6g}; change one of them")
        limits.EPSILON.check(self.epsilon)
        if self.epsilon < 1e-9:
            raise ValueError(
                f"epsilon must be above 0, got {self.epsilon:.3g}: all candidates would be named equally often, "
                "whatever the votes; let people lie less"
            )
        limits.N_VOTERS.check(self.n_voters)
        limits.SEED.check(self.seed)

    @property
    def mechanism(self) -> RandomisedResponse:
        """The ε-private randomised response among k candidates that lies least."""
        return RandomisedResponse.from_epsilon(self.epsilon, len(self.shares))


@dataclass(frozen=True, eq=False)
class ManyResult:
    """`answers` (k,) counts; estimates of the k shares, each (k,), with the raw one's 95 % interval.

    `mle` is the maximum of the likelihood in closed form, `mle_by_em` the same by expectation–maximisation.
    `em_converged` is whether EM came within 10⁻³ of the largest log-likelihood of all answers.
    """

    answers: Counts
    naive: Array
    inversion: Array
    low: Array
    high: Array
    projected: Array
    mle: Array
    mle_by_em: Array
    em_converged: bool

    @property
    def em_gap(self) -> float:
        """The largest difference between the two maxima, over candidates."""
        return float(np.abs(self.mle - self.mle_by_em).max())

    @property
    def doubtful(self) -> int:
        """How many candidates' whole raw interval misses [0, 1]: such lies hardly explain the answers."""
        return int(((self.high < 0) | (self.low > 1)).sum())


def run_many(config: ManyConfig) -> ManyResult:
    """Simulate one poll among k candidates and estimate every share in four ways."""
    mechanism = config.mechanism
    shares = np.array(config.shares) / sum(config.shares)
    votes_rng, lies_rng = seeded(config.seed, _VOTES), seeded(config.seed, _LIES)
    voted = votes_rng.multinomial(config.n_voters, shares)
    answers = lies_rng.multinomial(voted, mechanism.channel_matrix.T).sum(axis=0)
    channel = mechanism.one_against_rest
    naive = answers / config.n_voters
    inversion = frequencies.invert_channel(answers, mechanism.channel_matrix)
    low, high = (votes.corrected(end, channel) for end in wilson_ends(naive, config.n_voters))
    tolerance = 1e-3 / config.n_voters
    fitted = frequencies.em(answers, mechanism.channel_matrix, max_iter=EM_ITERATIONS, tolerance=tolerance)
    return ManyResult(
        answers,
        naive,
        inversion,
        low,
        high,
        project_simplex(inversion),
        frequencies.randomised_response_mle(answers, mechanism.flip_prob),
        fitted.frequencies,
        bool(fitted.gap <= tolerance),
    )


def candidate_name(index: int) -> str:
    """Return A, B, C, …"""
    return chr(ord("A") + index)

"""Errors by trust: in nobody, in a shuffler of the reports, or in a curator who counts true answers."""

from __future__ import annotations

import math
from typing import NamedTuple

from privdemo import limits
from privdemo.accounting import (
    gaussian_counts_sigma,
    gaussian_sigma,
    laplace_counts_scale,
    laplace_scale,
    shuffled_local_epsilon,
    shuffled_response_local_epsilon,
)
from privdemo.experiments.many_answers.config import RANDOMISED_RESPONSE, mechanism
from privdemo.mechanisms.frequency_oracles import best, for_answers

# The ε at which the three are compared.
EPSILONS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)


class Trusted(NamedTuple):
    """The error of a share at one (ε, δ), if nobody, a shuffler or a curator is trusted.

    Each is the root of the mean squared error by inversion, or that of noisy counts. Before the shuffler everybody lies
    with `local_epsilon`. `oracle` and `shuffled_oracle` are the best there; `curated_by` of the curator is "laplace",
    "gaussian", or `shuffled_oracle` where noise on counts is worse than the lies that a shuffler allows.
    """

    epsilon: float
    local: float
    shuffled: float
    curated: float
    local_epsilon: float
    oracle: str
    shuffled_oracle: str
    curated_by: str


def trusted(k: int, people: int, epsilon: float, delta: float) -> Trusted:
    """Return the errors at (ε, δ), each with the best mechanism there.

    Of two answers the shuffler's ε is exact, of more an upper bound, so that the error shown may be too large: that of
    k-ary randomised response (`accounting.shuffled_response_delta`) allows a larger ε₀ than that of every other oracle
    (`accounting.shuffled_delta`), and whichever oracle is then the best is taken. A curator adds Laplace or Gaussian
    noise to the counts, whichever is less; a person who gives another answer changes two of them. Of two answers one
    count is enough, as the number of people is public. Where few people are, or ε is large, lies may be off by less; a
    curator can randomise the answers so. Oracles that take more than 1,024 answers use no ε above 10 behind the
    shuffler.
    """
    oracle = best(k, epsilon)
    behind = _behind_a_shuffler(k, people, epsilon, delta)
    errors = {name: _error(name, k, local, people) for name, local in behind.items()}
    # Of equals the first: subset selection with sets of one is k-ary randomised response.
    shuffled_oracle = next(name for name, error in errors.items() if error <= min(errors.values()) * (1 + 1e-9))
    local_epsilon, shuffled = behind[shuffled_oracle], errors[shuffled_oracle]
    ways = {name: noise / people for name, noise in _noises(k, epsilon, delta).items()} | {shuffled_oracle: shuffled}
    curated_by = min(ways, key=lambda name: ways[name])
    return Trusted(
        epsilon=epsilon,
        local=_error(oracle, k, epsilon, people),
        shuffled=shuffled,
        curated=ways[curated_by],
        local_epsilon=local_epsilon,
        oracle=oracle,
        shuffled_oracle=shuffled_oracle,
        curated_by=curated_by,
    )


def trusted_along(k: int, people: int, epsilon: float, delta: float) -> tuple[Trusted, ...]:
    """Return `trusted` at each of `EPSILONS` and at one's own."""
    return tuple(trusted(k, people, level, delta) for level in sorted({*EPSILONS, epsilon}))


def _behind_a_shuffler(k: int, people: int, epsilon: float, delta: float) -> dict[str, float]:
    """Return the ε₀ of k-ary randomised response, and of the best other oracle, with which reports keep (ε, δ)."""
    able, found = for_answers(k), {}
    if RANDOMISED_RESPONSE in able:
        found[RANDOMISED_RESPONSE] = max(epsilon, shuffled_response_local_epsilon(epsilon, delta, people, k))
        # From ε = 10 on, where e^ε is far above any k, it is best for every k.
        if k == 2 or found[RANDOMISED_RESPONSE] > limits.ORACLE_EPSILON.high:
            return found
    any_epsilon = max(epsilon, shuffled_local_epsilon(epsilon, delta, people))
    any_epsilon = min(any_epsilon, limits.ORACLE_EPSILON.high)
    others = [name for name in able if name != RANDOMISED_RESPONSE]
    return found | {best(k, any_epsilon, others): any_epsilon}


def _noises(k: int, epsilon: float, delta: float) -> dict[str, float]:
    """Return the standard deviation of the noise on a count, by its kind."""
    one = k == 2
    found = {"laplace": math.sqrt(2) * (laplace_scale if one else laplace_counts_scale)(epsilon, delta)}
    if delta > 0:
        found["gaussian"] = (gaussian_sigma if one else gaussian_counts_sigma)(epsilon, delta)
    return found


def _error(oracle: str, k: int, epsilon: float, people: int) -> float:
    return math.sqrt(mechanism(oracle, k, epsilon).mean_variance(people))

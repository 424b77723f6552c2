"""Compute how many people a survey needs for a given precision if a shuffler or a curator is trusted.

`survey` computes the same for local privacy, where nobody is trusted.

A *shuffler* mixes the answers, so that each person needs a smaller flip probability for the same (ε, δ) of the count;
its ε is exact (`privdemo.accounting.shuffling`). A *curator* collects the true answers and publishes the count with
Laplace noise of scale b. Its interval is the score interval of the count, whose variance is θ(1 − θ)/N + 2b²/N²; its
half-width h obeys

    h (1 + z²/N) / z = √( (θ(1 − θ) + (1 + z²/N) 2b²/N)/N + z²/(4N²) ),

which is Wilson's without noise.

Without a δ it is `default_delta` of the voters who are needed (of 10⁹, if they are more).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from privdemo import limits
from privdemo.accounting import default_delta, laplace_scale, randomised_response_flip_prob, shuffled_poll_delta
from privdemo.estimators import survey
from privdemo.intervals import Z95
from privdemo.mechanisms.label_counts import CountError, laplace_error

Z2 = Z95**2
# The relative tolerance of the bisection for a local ε₀, which is approached from below.
LOCAL_EPSILON_TOLERANCE = 1e-3


def shuffled_voters_needed(epsilon: float, delta: float | None, half_width: float, share: float = 0.5) -> float:
    """Return the fewest voters whose interval is ± `half_width` or narrower and whose shuffled answers meet (ε, δ).

    The interval is of 95 %. A larger local ε₀ needs fewer voters, but fewer voters amplify privacy less: use the
    largest ε₀ that meets (ε, δ). Return ∞ where ε is 0.
    """
    limits.EPSILON.check(epsilon)
    if delta is not None:
        limits.DELTA.check(delta)
    if epsilon == 0:
        return math.inf
    low, high = min(epsilon, limits.LOCAL_EPSILON.high), limits.LOCAL_EPSILON.high
    while high - low > LOCAL_EPSILON_TOLERANCE * high:
        middle = (low + high) / 2
        voters = _voters_at(middle, half_width, share)
        hidden_among = int(min(voters, limits.N_VOTERS.high))
        if shuffled_poll_delta(middle, hidden_among, epsilon) <= _delta_of(voters, delta):
            low = middle
        else:
            high = middle
    return _voters_at(max(low, epsilon), half_width, share)


def curated_half_width(n_voters: int, scale: float, share: float) -> float:
    """Return half the width of the 95 % interval from a count of `n_voters` with Laplace noise of `scale`, in
    shares.
    """
    return _score_half_width(n_voters, laplace_error(scale).variance, share)


def noisy_half_width(n_voters: int, error: CountError, share: float = 0.5) -> float:
    """Return half the width of the 95 % interval of a share among more people, from a count of `n_voters` with noise.

    It is that of the module's equation, with the quantile of Cornish & Fisher (1938) instead of z: z (1 + κ(z² − 3)/24)
    for the excess kurtosis κ of the count. At noise alone the interval of Laplace noise (κ = 3) is 2 % too wide; by z
    it is 7 % too narrow.
    """
    variance = n_voters * share * (1 - share) + error.variance
    return _score_half_width(n_voters, error.variance, share) * _tails(variance, error)


def noise_half_width(error: CountError) -> float:
    """Return half the width of the 95 % interval of the count itself, with noise: as `noisy_half_width`, of the people
    themselves.
    """
    return Z95 * math.sqrt(error.variance) * _tails(error.variance, error)


def _score_half_width(n_voters: int, noise_variance: float, share: float) -> float:
    inflation = 1 + Z2 / n_voters
    variance = (share * (1 - share) + inflation * noise_variance / n_voters) / n_voters
    return Z95 / inflation * math.sqrt(variance + Z2 / (4 * n_voters**2))


def _tails(variance: float, error: CountError) -> float:
    """Return by how much the tails of noise widen an interval of an error with this `variance`."""
    return 1 + error.fourth_cumulant / variance**2 * (Z2 - 3) / 24


def curated_voters_needed(epsilon: float, delta: float | None, half_width: float, share: float = 0.5) -> float:
    """Return the fewest voters whose noisy count gives a 95 % interval of ± `half_width` or narrower, by bisection."""

    def is_enough(voters: int) -> bool:
        scale = laplace_scale(epsilon, _delta_of(voters, delta))
        return curated_half_width(voters, scale, share) <= half_width * (1 + 1e-12)

    fewest = int(survey.voters_needed(0.0, half_width, share))
    enough = fewest
    while not is_enough(enough):
        enough *= 2
    few = fewest - 1
    while enough - few > 1:
        middle = (few + enough) // 2
        if is_enough(middle):
            enough = middle
        else:
            few = middle
    return enough


def shuffled_curve(
    epsilons: Sequence[float], delta: float | None, half_width: float, share: float = 0.5
) -> list[tuple[float, float]]:
    """Return (ε, voters needed) where a shuffler is trusted."""
    return [(epsilon, shuffled_voters_needed(epsilon, delta, half_width, share)) for epsilon in epsilons]


def curated_curve(
    epsilons: Sequence[float], delta: float | None, half_width: float, share: float = 0.5
) -> list[tuple[float, float]]:
    """Return (ε, voters needed) where a curator is trusted."""
    return [(epsilon, curated_voters_needed(epsilon, delta, half_width, share)) for epsilon in epsilons]


def _delta_of(voters: float, delta: float | None) -> float:
    """Return δ, or without one the default of so many voters."""
    return default_delta(int(min(voters, limits.RELEASED_PEOPLE.high))) if delta is None else delta


def _voters_at(local_epsilon: float, half_width: float, share: float) -> float:
    """Return the voters needed by randomised response with `local_epsilon`."""
    return survey.voters_needed(randomised_response_flip_prob(local_epsilon), half_width, share)
